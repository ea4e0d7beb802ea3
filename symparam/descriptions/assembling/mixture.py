"""What mixtures with ordinary attention share: dense and sparse layers, keys without weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from symparam.components import find
from symparam.descriptions.assembling.assemble import FUSED_EXPERTS, Block, decoder_model, slot
from symparam.descriptions.config import MAX_LAYERS, Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.descriptions.reading.source import shown
from symparam.model import Model

#: Keys of such families that change no weight's shape.
HARMLESS = NO_TABLE | frozenset("""
    layer_types max_window_layers original_max_position_embeddings sliding_window use_sliding_window
""".split())

#: Dims that only one kind of layer uses.
_OWN = {"dense": ("d_ff",), "sparse": ("n_experts", "top_k", "d_expert", "n_shared", "d_shared")}


def mixture_model(config: Config, name: str, task: str, values: Mapping[str, int],
                  attention: Block, sparse: Block, pattern: Sequence[str] = (), *,
                  dense: Block | None = None, norms: Block | None = None, norm: str = "rmsnorm",
                  names: Iterable[Any] = FUSED_EXPERTS, **more: Any) -> Model:
    """A decoder whose layers differ in their feed-forward part alone.

    Args:
        config: the configuration, already read and closed.
        name: the model's name.
        task: ``causal`` or ``base``.
        values: numbers of dims; those of a kind of layer that there is not are left out.
        attention: what every layer has before its feed-forward part.
        sparse: the feed-forward part with experts.
        pattern: ``dense`` or ``sparse`` for each layer; all sparse where it is empty.
        dense: the feed-forward part without experts; SwiGLU when None.
        norms: the norms of a layer; one before attention and one before the rest when None.
        norm: the kind of the norms.
        names: tensors that are named or joined otherwise than by default.
        **more: further arguments of :func:`decoder_model`.
    """
    kind = find("norm", norm)()
    around = norm_slots(kind, 2) if norms is None else norms
    plain = (slot("ffn", "swiglu"),) if dense is None else dense
    blocks: Block | dict[str, Block] = (*attention, *sparse, *around)
    absent = set(_OWN) - set(pattern or ["sparse"])
    if pattern:
        blocks = {"dense": (*attention, *plain, *around), "sparse": (*attention, *sparse, *around)}
    unused = {dim for each in absent for dim in _OWN[each]}
    return decoder_model(config, name, task, {k: n for k, n in values.items() if k not in unused},
                         blocks, pattern=pattern, final_norm=kind, names=names, **more)


def depth_of(config: Config, key: str, default: int) -> int:
    """The number of layers, small enough to look at them one by one."""
    depth = config.count_of(key, default=default)
    if depth > MAX_LAYERS:
        raise config.error(key, f"{depth} layers, more than the {MAX_LAYERS} that are looked at "
                           "one by one")
    return depth


def numbers_in(config: Config, key: str) -> frozenset[int] | None:
    """The layer numbers that a list holds; None where it is missing or null."""
    listed = config.raw(key, None)
    if listed is None:
        return None
    if not isinstance(listed, list) or not all(type(each) is int for each in listed):
        raise config.error(key, f"expected a list of layer numbers, found {shown(listed)}")
    return frozenset(listed)


def every_step(config: Config, depth: int) -> list[str]:
    """Qwen's kinds of layer: every ``decoder_sparse_step``-th is sparse, unless listed as dense."""
    step = config.count_of("decoder_sparse_step", default=1)
    dense = numbers_in(config, "mlp_only_layers") or ()
    return ["dense" if number in dense or (number + 1) % step else "sparse"
            for number in range(depth)]


def with_head_width(values: dict[str, int]) -> dict[str, int]:
    """The numbers with a head width, rounded down, where heads do not split the width evenly."""
    if "d_head" not in values and values["d_model"] % values["n_heads"]:
        values["d_head"] = values["d_model"] // values["n_heads"]
    return values


def leave_out_mtp(config: Config, *keys: str) -> None:
    """Say that prediction layers are left out; what they are is not known, so none is counted."""
    for key in keys:
        number = 0 if config.raw(key, None) is None else config.number(key, 0)
        if number and config.mtp:
            raise config.error(key, f"--mtp: what the prediction layers of {config.model_type} "
                               "are made of is not understood")
        if number:
            config.left_out.append(f"{number} multi-token-prediction layer{'s' * (number > 1)} "
                                   f"({key} = {number}), which transformers leaves out")
