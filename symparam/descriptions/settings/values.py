"""Settings that formats say in ways of their own: activations, positions and their scaling.

An activation has the name that transformers gives it; a scaling is a table with its ``type``, one
that transformers has not in words with spaces.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symparam.descriptions.settings.places import (
    UNSAID,
    Place,
    Source,
    as_number,
    as_text,
    plain,
    wrong,
)

#: Other names of the same function (transformers, activations.py).
_SAME = {"swish": "silu", "gelu_new": "gelu_pytorch_tanh", "gelu_fast": "gelu_pytorch_tanh",
         "gelu_python": "gelu", "tanh": "gelu_pytorch_tanh", "none": "gelu"}
#: What Llama 3's code scales positions by where a format says only that it does
#: (llama-models, models/llama3/model.py, apply_scaling; megatron-core, rotary_pos_embedding.py).
LLAMA3 = {"type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192}
#: Which kind a header's scaling is, and whether the model was trained with it.
_GGUF_BESIDE = ("rope.scaling.type", "rope.scaling.finetuned")
_ORIGINAL = ("original_max_position_embeddings", "original_max_seq_len")


def same(name: str) -> str:
    """One name for an activation that has several.

    >>> same("gelu_new"), same("relu2")
    ('gelu_pytorch_tanh', 'relu2')
    """
    return _SAME.get(name, name)


def named_activation(name: str, default: str, back: str = "") -> Place:
    """An activation under a key of transformers.

    Args:
        name: the key.
        default: what holds where it is missing.
        back: how the tangent's approximation of GELU is called there.
    """
    def read(source: Source) -> Any:
        value = source.data.get(name)
        return same(default if value is None else as_text(name, value))

    def write(value: str) -> dict[str, Any]:
        return {name: back if back and value == "gelu_pytorch_tanh" else value}

    return Place(read, write, (name,))


def by_network(gated: Callable[[Source], Any], other: Callable[[Source], Any],
               write: Callable[[Any], dict[str, Any] | None] = lambda value: None,
               keys: tuple[str, ...] = ()) -> Place:
    """An activation that the kind of network says, gated or not."""
    def read(source: Source) -> Any:
        return (other if source.ffn == "mlp" else gated)(source)

    return Place(read, write, keys)


def litgpt_gelu(source: Source) -> str:
    """The GELU of a LitGPT."""
    value = source.data.get("gelu_approximate")
    return same("none" if value is None else as_text("gelu_approximate", value))


def litgpt_gated(source: Source) -> str:
    """The gate's function of a LitGPT, by the class of its network."""
    return litgpt_gelu(source) if source.data.get("mlp_class_name") == "GemmaMLP" else "silu"


def litgpt_gelus(value: str) -> dict[str, Any] | None:
    """How LitGPT says which GELU is meant."""
    said = {"gelu": "none", "gelu_pytorch_tanh": "tanh"}.get(value)
    return None if said is None else {"gelu_approximate": said}


def neox_activation(source: Source) -> str:
    """The function of a GPT-NeoX, of its gate where it has one.

    GELU that is fused with its bias is the tangent's (megatron/model/activations.py, bias_gelu).
    """
    value = source.data.get("activation")
    name = as_text("activation", "gelu" if value is None else value)
    if name == "gelu" and source.data.get("bias_gelu_fusion"):
        return "gelu_pytorch_tanh"
    return {"geglu": "gelu", "swiglu": "silu", "reglu": "relu", "glu": "sigmoid",
            "bilinear": "linear"}.get(name, same(name))


def megatron_activation(source: Source) -> str:
    """The function of a Megatron's network without a gate.

    GELU that is fused with its bias, which it is unless told otherwise, is the tangent's
    (megatron-core, fusions/fused_bias_gelu.py; without biases arguments.py turns the fusion off).
    """
    data = source.data
    if data.get("squared-relu"):
        return "relu2"
    fused = not (data.get("disable-bias-linear") or data.get("no-bias-gelu-fusion")
                 or data.get("bias-gelu-fusion") is False)
    return "gelu_pytorch_tanh" if fused or data.get("openai-gelu") else "gelu"


def megatron_activated(value: str) -> dict[str, Any] | None:
    """The options that say such a function.

    The tangent's GELU has none where there are no biases: nothing reads ``--openai-gelu`` now. A
    fusion of any function but GELU is refused (megatron-core, transformer_config.py).
    """
    options = {"relu2": ("squared-relu", "no-bias-gelu-fusion"), "gelu": ("no-bias-gelu-fusion",)}
    return dict.fromkeys(options[value], True) if value in options else None


def megatron_positions(source: Source) -> str:
    """How a Megatron tells positions."""
    data = source.data
    kind = data.get("position-embedding-type", "learned_absolute")
    if data.get("use-rotary-position-embeddings"):
        kind = "rope"
    if kind == "learned_absolute":
        return "none" if data.get("no-position-embedding") else "learned"
    return str(kind)


def neox_positions(source: Source) -> str:
    """How a GPT-NeoX tells positions."""
    kind = str(source.data.get("pos_emb", "learned"))
    return {"rotary": "rope"}.get(kind, kind)


def described(source: Source) -> Any:
    """The function of a network by its own name."""
    return {"swiglu": "silu", "moe": "silu", "geglu": "gelu_pytorch_tanh"}.get(source.ffn, UNSAID)


# --- scaled positions -----------------------------------------------------------------------

def _table(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise wrong(name, value, "a table")
    return value


def hf_scaling(source: Source, beside: tuple[str, ...] = ("rope_theta",)) -> Any:
    """The scaling of a ``config.json``, in its older and its newer way.

    Args:
        source: the configuration.
        beside: what stands in the same table in the newer way, and is another setting.
    """
    name = "rope_parameters" if source.data.get("rope_parameters") is not None else "rope_scaling"
    value = source.data.get(name)
    if value is None:
        return None
    found = dict(_table(name, value))
    for each in beside:
        found.pop(each, None)
    kind, older = found.pop("rope_type", None), found.pop("type", None)
    kind = "default" if kind is None and older is None else kind or older
    return None if kind == "default" and not found else {"type": kind, **found}


def hf_scaled(value: Any) -> dict[str, Any] | None:
    """The same as the older way has it, which the newer code reads too."""
    if value is None:
        return {}
    if " " in str(value["type"]):
        return None
    rest = {name: each for name, each in value.items() if name != "type"}
    return {"rope_scaling": {"rope_type": value["type"], **rest}}


def litgpt_scaling(source: Source) -> Any:
    """The scaling of a LitGPT: a ratio, or adjustments of one of three kinds."""
    ratio = source.data.get("rope_condense_ratio")
    more = source.data.get("rope_adjustments")
    if more is not None:
        found = dict(_table("rope_adjustments", more))
        if _ORIGINAL[1] in found:
            found[_ORIGINAL[0]] = found.pop(_ORIGINAL[1])
        kind = "llama3" if found.keys() == LLAMA3.keys() - {"type"} else "as LitGPT has it"
        return {"type": kind, **found}
    if ratio is None or as_number("rope_condense_ratio", ratio) == 1:
        return None
    return {"type": "linear", "factor": ratio}


def litgpt_scaled(value: Any) -> dict[str, Any] | None:
    """The same as LitGPT has it; None for a kind that it has not."""
    if value is None:
        return {}
    if _is_linear(value):
        return {"rope_condense_ratio": plain(value["factor"])}
    if value.keys() == LLAMA3.keys() and value["type"] == "llama3":
        rest = {name: each for name, each in value.items() if name not in {"type", _ORIGINAL[0]}}
        return {"rope_adjustments": {**rest, _ORIGINAL[1]: value[_ORIGINAL[0]]}}
    return None


def megatron_scaling(source: Source) -> Any:
    """The scaling of Megatron: Llama 3's by one factor, or positions divided by a number."""
    data = source.data
    ratio = data.get("rotary-seq-len-interpolation-factor")
    if data.get("use-rope-scaling"):
        factor = data.get("rope-scaling-factor")
        return LLAMA3 | ({} if factor is None else {"factor": as_number("rope-scaling-factor",
                                                                        factor)})
    return None if ratio is None or ratio == 1 else {"type": "linear", "factor": ratio}


def megatron_scaled(value: Any) -> dict[str, Any] | None:
    """The same as Megatron has it."""
    if value is None:
        return {}
    if _is_linear(value) and isinstance(plain(value["factor"]), int):
        return {"rotary-seq-len-interpolation-factor": plain(value["factor"])}
    if {**value, "factor": 8.0} == LLAMA3:
        return {"use-rope-scaling": True, "rope-scaling-factor": value["factor"]}
    return None


def meta_scaling(source: Source) -> Any:
    """The scaling of Meta's code, whose numbers stand in it."""
    names = {"rope_scaling_factor": "factor", "rope_high_freq_factor": "high_freq_factor"}
    if not source.data.get("use_scaled_rope"):
        return None
    return LLAMA3 | {own: as_number(name, source.data[name]) for name, own in names.items()
                     if source.data.get(name) is not None}


def gguf_scaling(source: Source) -> Any:
    """The scaling of a header; factors that stand in a tensor are not read."""
    data = source.data
    tensors = sorted(name for name in data if name.startswith("rope_"))
    kind, factor = data.get("rope.scaling.type"), data.get("rope.scaling.factor")
    rest = {name.removeprefix("rope.scaling."): value for name, value in data.items()
            if name.startswith("rope.scaling.") and name not in _GGUF_BESIDE}
    if tensors:
        return {"type": f"factors in {tensors[0]}", **rest}
    if kind in (None, "none") and factor in (None, 1.0):
        return None
    if "original_context_length" in rest:
        rest[_ORIGINAL[0]] = rest.pop("original_context_length")
    known = {"linear": {"factor"}, "yarn": {"factor", _ORIGINAL[0]}}.get(kind or "linear")
    return {"type": kind or "linear" if rest.keys() == known else f"{kind} as GGUF has it", **rest}


def _is_linear(value: dict[str, Any]) -> bool:
    return value["type"] == "linear" and value.keys() == {"type", "factor"}
