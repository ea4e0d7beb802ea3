"""A decoder of one kind of layer as what it is made of, to be written in other words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.model import Model, Slot
from symparam.resolve import numbers

#: Model types whose layers apply attention, then the feed-forward network, and nothing besides.
SEQUENTIAL = frozenset("llama mistral mixtral qwen2 qwen3 qwen3_moe olmo2 gpt2".split())
_NEOX = "gpt_neox"
#: Frameworks whose settings are not carried over.
_IN_TABLES = {"olmo_core": "OLMo-core", "torchtitan": "torchtitan"}

#: What changes no weight and has another name in each place, by one name of our own.
SETTINGS: dict[str, dict[str, tuple[str, ...]]] = {
    "norm_eps": {"hf": ("rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon"),
                 "litgpt": ("norm_eps",), "megatron": ("norm-epsilon",), "meta": ("norm_eps",),
                 "mistral": ("norm_eps",), "gpt_neox": ("layernorm_epsilon",)},
    "rope_base": {"hf": ("rope_theta", "rotary_emb_base"), "litgpt": ("rope_base",),
                  "megatron": ("rotary-base",), "meta": ("rope_theta",),
                  "mistral": ("rope_theta",), "gpt_neox": ("rotary_emb_base",)},
    "context": {"hf": ("max_position_embeddings",), "litgpt": ("block_size",),
                "megatron": ("max-position-embeddings",), "meta": ("max_seq_len",),
                "mistral": ("max_seq_len",), "gpt_neox": ("max_position_embeddings",)},
    "rotary": {"hf": ("partial_rotary_factor", "rotary_pct"), "litgpt": ("rotary_percentage",),
               "megatron": ("rotary-percent",), "gpt_neox": ("rotary_pct",)},
    "activation": {"hf": ("hidden_act", "activation_function"), "litgpt": ("gelu_approximate",),
                   "gpt_neox": ("activation",)}}
#: What a source means where it says nothing.
_UNSAID: dict[str, dict[str, Any]] = {
    "litgpt": {"rotary": 0.25, "activation": "none"},
    "gpt_neox": {"rotary": 1.0, "activation": "gelu", "norm_eps": 1e-5, "rope_base": 10000},
    "nanogpt": {"activation": "gelu"}, "megatron": {"activation": "gelu"}, "hf": {}}
_GELU = {"none": "gelu", "tanh": "gelu_new", "gelu_pytorch_tanh": "gelu_new"}


@dataclass(frozen=True)
class Parts:
    """What a decoder is made of.

    Attributes:
        model: the model, its dims all numbers.
        values: those numbers.
        attention, ffn, norm: the components' names.
        places: where a block has norms.
        bias: the sites that have one.
        qk_norm: ``head`` for one gain for all heads, ``width`` for one over all; else empty.
        learned: whether there is a table of positions.
        tied: whether the head is the embedding.
        settings: what changes no weight, by our names of it; ``parallel`` among them.
        lost: what no other place has a name for.
    """

    model: Model
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
    lost: tuple[str, ...]


def parts_of(model: Model, kind: str, data: Mapping[str, Any]) -> Parts:
    """The parts of a model, and the settings of the configuration that it was read from.

    Args:
        model: the model.
        kind: ``hf``, the name of a framework, or empty where it has no configuration.
        data: the configuration's keys.

    Raises:
        BadValue: it has kinds of layer, or parts that are not written elsewhere.
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
    parallel = _parallel(model, kind, data)
    attention, ffn = slots["attention"], slots["ffn"]
    norms = [slot for path, slot in slots.items() if path.startswith("norms.")]
    head = next(slot for stack in model.stacks for slot in stack.slots if slot.path == "lm")
    found, lost = _settings(kind, data)
    if attention.window is not None:
        lost.append(f"the window of {attention.window.size}")
    return Parts(
        model, numbers(model).values, attention.component.name, ffn.component.name,
        norms[0].component.name if norms else "none", tuple(slot.path for slot in norms),
        frozenset(site for slot in (attention, ffn, head) for site in _bias(slot)),
        _head_norms(attention, slots), any("positions" in p for p in outside) and any(
            slot.component.name == "learned" for _, slot in model.slots()),
        bool(getattr(head.component, "tied", False)), {**found, "parallel": parallel},
        tuple(lost))


def _not(model: Model, why: str) -> BadValue:
    return BadValue("MODEL", model.name, f"cannot be written in other words: {why}")


def _bias(slot: Slot) -> frozenset[str]:
    found: frozenset[str] = getattr(slot.component, "bias", frozenset())
    return found


def _head_norms(attention: Slot, slots: Mapping[str, Slot]) -> str:
    if "qk-norm" in slots:
        return slots["qk-norm"].component.name
    return "head" if getattr(attention.component, "qk_norm", False) else ""


def _parallel(model: Model, kind: str, data: Mapping[str, Any]) -> bool:
    """Whether attention and feed-forward network read the same; what nobody knows is refused."""
    if kind == "litgpt":
        return bool(data.get("parallel_residual", True))
    if kind == _NEOX:
        if data.get("gpt_j_tied") or data.get("norm") == "rmsnorm":
            raise _not(model, "GPT-NeoX's gpt_j_tied and rmsnorm are not carried over")
        return bool(data.get("gpt_j_residual", False))
    if kind in _IN_TABLES:
        raise _not(model, f"the settings of {_IN_TABLES[kind]} stand in tables of their own, which "
                   "are not carried over")
    if kind != "hf":
        return False
    if data.get("model_type") == _NEOX:
        return bool(data.get("use_parallel_residual", True))
    if data.get("model_type") not in SEQUENTIAL:
        raise _not(model, f"how layers of {str(data.get('model_type'))[:40]} are applied is not "
                   f"known here; of {', '.join(sorted(SEQUENTIAL | {_NEOX}))} it is")
    return False


def _settings(kind: str, data: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The settings of a configuration, and its other keys that say something."""
    found: dict[str, Any] = dict(_UNSAID.get(kind, {}))
    if kind == "hf" and data.get("model_type") == _NEOX:
        found["rotary"] = 0.25
    if kind == "hf" and data.get("model_type") == "gpt2":
        found["activation"] = "gelu_new"
    used: set[str] = set()
    rope = data.get("rope_parameters")
    if isinstance(rope, dict) and rope.get("rope_type", "default") == "default" and not (
            rope.keys() - {"rope_theta", "rope_type"}):
        found |= {"rope_base": rope["rope_theta"]} if "rope_theta" in rope else {}
        used.add("rope_parameters")
    for name, places in SETTINGS.items():
        for key in places.get(kind, ()):
            if data.get(key) is not None:
                found[name] = data[key]
                used.add(key)
    found["activation"] = _GELU.get(found.get("activation", ""), found.get("activation"))
    return found, [*_rest(kind, data, used)]


def _rest(kind: str, data: Mapping[str, Any], used: set[str]) -> Iterator[str]:
    """Keys that neither say what there is nor are carried over, and are not off."""
    from symparam.descriptions.frameworks import known
    from symparam.descriptions.harmless import HARMLESS, OUTSIDE
    from symparam.descriptions.lookup import family

    module: Any = family(str(data.get("model_type")), "") if kind == "hf" else known().get(kind)
    training = getattr(module, "TRAINING", ())
    harmless = HARMLESS | getattr(module, "HARMLESS", frozenset()) | {
        key for key in data if training and key.startswith(training)}
    gone = {"name", "hf_config", "hidden_act", "parallel_residual", "use_parallel_residual",
            "padding_multiple", "vocab_size", "rope_n_elem", "layer_types", *OUTSIDE, *used}
    for key, value in data.items():
        if key in harmless and key not in gone and value not in (None, False, 0, "", [], {}):
            yield f"{key} = {value!r:.60}"


def plain(number: Any) -> Any:
    """A float that is whole as the whole number, which some places ask for.

    >>> plain(500000.0), plain(0.5)
    (500000, 0.5)
    """
    return int(number) if isinstance(number, float) and number.is_integer() else number
