"""A decoder of one kind of layer as what it is made of, to be written in other words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symparam.dataclass import dataclass
from symparam.descriptions.settings.carried import OFF, carried, keys_read, stated
from symparam.descriptions.settings.places import Source
from symparam.descriptions.settings.rows import FAMILIES
from symparam.errors import BadValue
from symparam.model import Model
from symparam.resolve import numbers
from symparam.stack import Slot

_NEOX = "gpt_neox"
#: Frameworks whose settings are not carried over.
_IN_TABLES = {"olmo_core": "OLMo-core", "torchtitan": "torchtitan"}
#: Architectures of GGUF headers whose layers are applied as those of these families are.
_GGUF = frozenset("llama qwen2 qwen3 qwen3moe olmo2 gpt2 gptneox".split())

#: Keys that no setting is said by, with what holds where they are missing.
_USUAL: dict[str, Any] = {"use_cache": True, "pretraining_tp": 1, "routed_scaling_factor": 1.0,
                          "scale_attn_weights": True}
#: What is said by the matrices, or by what the file is called.
_SHAPES = frozenset({"name", "model_type", "padding_multiple", "rope_n_elem"})
#: What divides a vocabulary or a model, and is no matrix of its own.
_DIVIDED = {"megatron": ("tensor-model-parallel-size",), "gpt_neox": ("model_parallel_size",)}
_TOKENS = {"megatron": "vocab-size", "litgpt": "vocab_size"}


@dataclass(frozen=True)
class Parts:
    """What a decoder is made of.

    Attributes:
        model: the model, its dims all numbers.
        form: the format of its configuration (:mod:`symparam.descriptions.settings.rows`).
        data: the configuration's keys.
        values: its dims.
        attention, ffn, norm: the components' names.
        places: where a block has norms.
        bias: the sites that have one.
        qk_norm: ``head`` for one gain for all heads, ``width`` for one over all; else empty.
        learned: whether there is a table of positions.
        tied: whether the head is the embedding.
        settings: what changes no weight, by the names of the table of settings.
        stated: those of them that the configuration itself says.
    """

    model: Model
    form: str
    data: Mapping[str, Any]
    values: Mapping[str, int]
    attention: str
    ffn: str
    norm: str
    places: tuple[str, ...]
    bias: frozenset[str]
    qk_norm: str
    learned: bool
    tied: bool
    settings: Mapping[str, Any]
    stated: set[str]


def parts_of(model: Model, kind: str, data: Mapping[str, Any]) -> Parts:
    """The parts of a model, and the settings of the configuration that it was read from.

    Args:
        model: the model.
        kind: ``hf``, ``gguf``, the name of a framework, or empty where it has no configuration.
        data: the configuration's keys.

    Raises:
        BadValue: it has kinds of layer, or parts that are not written elsewhere; a key has a value
            that is none of its kind.
    """
    blocks = [stack for stack in model.stacks if stack.repeat]
    if len(blocks) != 1 or model.trace is not None:
        raise _not(model, "it is not one block that is repeated")
    slots = {slot.path: slot for slot in blocks[0].slots if slot.component.slot != "positions"}
    outside = {slot.path for stack in model.stacks if not stack.repeat for slot in stack.slots}
    more = [path for path in (*slots, *outside) if not path.startswith("norms.") and path not in {
        "attention", "ffn", "qk-norm", "token", "positions", "norm", "lm"}]
    if more or not {"attention", "ffn"} <= slots.keys() or "lm" not in outside:
        raise _not(model, f"it has {more[0]}" if more else "it has no attention, no feed-forward "
                   "network or no head")
    form = _form(model, kind, data)
    attention, ffn = slots["attention"], slots["ffn"]
    norms = [slot for path, slot in slots.items() if path.startswith("norms.")]
    head = next(slot for stack in model.stacks for slot in stack.slots if slot.path == "lm")
    return Parts(
        model, form, data, numbers(model).values, attention.component.name, ffn.component.name,
        norms[0].component.name if norms else "none", tuple(slot.path for slot in norms),
        frozenset(site for slot in (attention, ffn, head) for site in _bias(slot)),
        _head_norms(attention, slots), any("positions" in p for p in outside) and any(
            slot.component.name == "learned" for _, slot in model.slots()),
        bool(getattr(head.component, "tied", False)),
        carried(form, source_of(model, data)), stated(form, data))


def source_of(model: Model, data: Mapping[str, Any]) -> Source:
    """A configuration with what the numbers of its model say beside it."""
    values = numbers(model).values
    slots = {slot.path: slot for stack in model.stacks if stack.repeat for slot in stack.slots}
    window = slots["attention"].window
    windows: Any = None
    if window is not None:
        size = values[window.size]
        windows = [size] * values["L"] if window.layers is None else f"of {size} in some layers"
    told = [slot.component.name for _, slot in model.slots() if slot.component.slot == "positions"]
    return Source(data, values["L"], values.get("d_head", 1), slots["ffn"].component.name,
                  told[0] if told else "none", windows)


def _not(model: Model, why: str) -> BadValue:
    return BadValue("MODEL", model.name, f"cannot be written in other words: {why}")


def _bias(slot: Slot) -> frozenset[str]:
    found: frozenset[str] = getattr(slot.component, "bias", frozenset())
    return found


def _head_norms(attention: Slot, slots: Mapping[str, Slot]) -> str:
    if "qk-norm" in slots:
        return slots["qk-norm"].component.name
    return "head" if getattr(attention.component, "qk_norm", False) else ""


def _form(model: Model, kind: str, data: Mapping[str, Any]) -> str:
    """The format of a configuration; one whose layers are applied in a way that nobody knows is
    refused."""
    if kind == _NEOX and (data.get("gpt_j_tied") or data.get("norm") == "rmsnorm"):
        raise _not(model, "GPT-NeoX's gpt_j_tied and rmsnorm are not carried over")
    if kind in _IN_TABLES:
        raise _not(model, f"the settings of {_IN_TABLES[kind]} stand in tables of their own, which "
                   "are not carried over")
    if kind == "gguf":
        if data.get("general.architecture") not in _GGUF:
            raise _not(model, "how layers of that architecture are applied is not known here; of "
                       f"{', '.join(sorted(_GGUF))} it is")
        return "gguf"
    if kind != "hf":
        return kind or "toml"
    if data.get("model_type") not in FAMILIES:
        raise _not(model, f"how layers of {str(data.get('model_type'))[:40]} are applied is not "
                   f"known here; of {', '.join(sorted(FAMILIES))} it is")
    return f"hf:{data['model_type']}"


def rest_of(parts: Parts) -> dict[str, Any]:
    """The keys of a configuration that are said neither by matrices nor by a setting, and are not
    off."""
    from symparam.descriptions.frameworks import known
    from symparam.descriptions.harmless import HARMLESS
    from symparam.descriptions.lookup import family

    form, data = parts.form, parts.data
    if form == "gguf":
        return dict(_rest_of_header(data))
    kind = form.removeprefix("hf:") if form.startswith("hf:") else ""
    module: Any = family(kind, "") if kind else known().get(form)
    training = getattr(module, "TRAINING", ())
    harmless = HARMLESS | getattr(module, "HARMLESS", frozenset()) | getattr(
        module, "BESIDE", frozenset()) | {key for key in data if training and key.startswith(
            training)} | set(_DIVIDED.get(form, ()))
    gone = _SHAPES | keys_read(form)
    found = {key: value for key, value in data.items() if key in harmless and key not in gone and (
        value != _USUAL[key] if key in _USUAL else value not in OFF)}
    found.pop("vocab_size", None)
    return found | tokens_of(parts)


def tokens_of(parts: Parts) -> dict[str, int]:
    """How many tokens a configuration says under its key, where the embedding has more rows."""
    key = _TOKENS.get(parts.form, "")
    tokens = parts.data.get(key)
    return {key: tokens} if type(tokens) is int and tokens < parts.values["V"] else {}


def _rest_of_header(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Those of a header; of its tokenizer, and of what it says of itself, how many."""
    from symparam.descriptions.gguf.keys import HARMLESS

    read = keys_read("gguf") | {"general.architecture", "general.alignment"}
    for key, value in data.items():
        if key in HARMLESS and key not in read and value not in OFF:
            yield key, value
    for group in ("tokenizer.", "general."):
        count = sum(key.startswith(group) and key not in read for key in data)
        if count:
            yield f"{group}*", f"{count} key{'s' * (count > 1)}"


