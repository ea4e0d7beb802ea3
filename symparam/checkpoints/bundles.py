"""Tensors that a checkpoint stores as one and a module as several, or the other way round.

Only what no family's layout states: projections and kernels that lie one below the other, in each
expert where all experts are stacked.

Source of the facts: transformers 5.23, conversion_mapping.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from symparam.checkpoints.header import Shape
from symparam.layout import pattern

#: The end of the whole's name, of its parts' names in their order, and the axis that joins them.
BUNDLES: tuple[tuple[str, tuple[str, ...], int], ...] = (
    *((f".{whole}.{kind}", tuple(f".{part}.{kind}" for part in parts.split()), 0)
      for whole, parts in (
          ("self_attn.Wqkv", "self_attn.q_proj self_attn.k_proj self_attn.v_proj"),
          ("self_attn.qkv_proj", "self_attn.q_proj self_attn.k_proj self_attn.v_proj"),
          ("self_attn.gqkv_proj",
           "self_attn.gate_proj self_attn.q_proj self_attn.k_proj self_attn.v_proj"),
          ("mlp.gate_up_proj", "mlp.gate_proj mlp.up_proj"),
          ("mlp.up_gate_proj", "mlp.up_proj mlp.gate_proj"),
          ("conv1d", "q_conv1d k_conv1d v_conv1d"))
      for kind in ("weight", "bias")),
    (".experts.gate_up_proj", (".experts.gate_proj", ".experts.up_proj"), 1))

#: The ends that are looked at.
_ENDS = tuple(end for whole, parts, _ in BUNDLES for end in (whole, parts[0]))


def possible(wanted: Collection[str]) -> frozenset[str]:
    """Names that stand for wanted ones: wholes of which all parts are wanted, parts of wholes.

    >>> sorted(possible({"a.mlp.gate_proj.weight", "a.mlp.up_proj.weight"}))
    ['a.mlp.gate_up_proj.weight', 'a.mlp.up_gate_proj.weight']
    """
    found: set[str] = set()
    for whole, parts, _ in BUNDLES:
        for name in wanted:
            if name.endswith(whole):
                found.update(name.removesuffix(whole) + part for part in parts)
            elif name.endswith(parts[0]):
                stem = name.removesuffix(parts[0])
                if all(stem + part in wanted for part in parts):
                    found.add(stem + whole)
    return frozenset(found).difference(wanted)


def opened(shapes: Mapping[str, Shape], wanted: Mapping[str, Shape]) -> dict[str, tuple[str, ...]]:
    """Wanted names that no tensor has by itself, with the tensors that they are made of.

    Args:
        shapes: what was found, under names that are wanted or :func:`possible`.
        wanted: the model's tensors.

    Returns:
        To each name the one tensor that holds it, or the several that it is joined from.
    """
    found: dict[str, tuple[str, ...]] = {}
    strange = [name for name in shapes if name not in wanted and name.endswith(_ENDS)]
    known = possible({pattern(name) for name in wanted}) if strange else frozenset()
    strange = [name for name in strange if pattern(name) in known]
    for whole, parts, axis in BUNDLES:
        for name in strange:
            if name.endswith(whole):
                names = [name.removesuffix(whole) + part for part in parts]
                if all(each in wanted and each not in shapes for each in names) and (
                        _joined([wanted[each] for each in names], axis) == shapes[name]):
                    found |= dict.fromkeys(names, (name,))
            elif name.endswith(parts[0]):
                one = name.removesuffix(parts[0]) + whole
                names = [name.removesuffix(parts[0]) + part for part in parts]
                if one in wanted and one not in shapes and all(n in shapes for n in names) and (
                        _joined([shapes[each] for each in names], axis) == wanted[one]):
                    found[one] = tuple(names)
    return found


def _joined(shapes: list[Shape], axis: int) -> Shape | None:
    """The shape of tensors joined along an axis; None where they do not fit."""
    first = shapes[0]
    after = axis + 1
    if len(first) < after or any(shape[:axis] + shape[after:] != first[:axis] + first[after:]
                                 for shape in shapes):
        return None
    return (*first[:axis], sum(shape[axis] for shape in shapes), *first[after:])
