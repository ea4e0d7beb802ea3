"""The table of tensors of a GGUF file beside a model's own list.

What a table has decides: at which sites there are biases, whether queries, keys and values are one
tensor, whether experts lie one by one. What is then left over between the two is a contradiction.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from symparam.dataclass import dataclass
from symparam.descriptions.gguf.reader import Gguf, Tensor
from symparam.errors import SpecError
from symparam.layout import pattern
from symparam.model import Model
from symparam.resolve import numbers
from symparam.stack import Slot, Stack

Shape: TypeAlias = tuple[int, ...]

#: Worked out from the keys or beside them, and no parameters: how positions turn.
BESIDE = re.compile(r"(?:blk\.[0-9]+\.)?(?:rope_(?:freqs|factors_long|factors_short)|attn_rot_embd)"
                    r"(?:\.weight)?")
#: An expert of a file from before they were joined, and what they are joined to.
_ALONE = re.compile(r"(blk\.[0-9]+\.ffn_(?:gate|up|down))\.([0-9]+)\.weight")
#: A tensor of a layer, by its number.
_LAYER = re.compile(r"blk\.([0-9]{1,12})\.")
#: Where a bias may stand, and the tensors whose bias says that there is one.
_SITES = {"qkv": ("attn_q", "attn_k", "attn_v", "attn_qkv"), "attn-out": ("attn_output",),
          "ffn": ("ffn_gate", "ffn_up", "ffn_down"), "head": ("output",)}
_SHOWN = 3


@dataclass(frozen=True)
class Held:
    """A tensor of the model as a file holds it: in one piece, or in several."""

    shape: Shape
    pieces: tuple[Tensor, ...]


def held(file: Gguf, wanted: Collection[str]) -> dict[str, Held]:
    """The parameters of a file under the names that a model's own have, joined where these are.

    Args:
        file: the header.
        wanted: the names of the model's tensors, or their patterns.
    """
    found, alone = dict[str, Held](), dict[str, dict[int, Tensor]]()
    for tensor in file.tensors:
        expert = _ALONE.fullmatch(tensor.name)
        if expert is not None:
            alone.setdefault(f"{expert[1]}_exps.weight", {})[int(expert[2])] = tensor
        elif not BESIDE.fullmatch(tensor.name):
            found[tensor.name] = Held(tensor.shape, (tensor,))
    for name, experts in alone.items():
        rows = [experts[number] for number in sorted(experts)]
        if name not in found and [*sorted(experts)] == [*range(len(rows))] and len(
                {row.shape for row in rows}) == 1:
            found[name] = Held((len(rows), *rows[0].shape), tuple(rows))
        else:
            found |= {row.name: Held(row.shape, (row,)) for row in rows}
    _with_latents(found, wanted)
    return found


def _with_latents(found: dict[str, Held], wanted: Collection[str]) -> None:
    """Put keys and values of latents together, where the file has them apart.

    Keys are stored turned, (heads, rank, width), and values as (heads, width, rank): llama.cpp,
    convert_hf_to_gguf.py, DeepseekV2Model.
    """
    for key in [name for name in found if name.endswith(".attn_k_b.weight")]:
        name, value = (key.replace("attn_k_b", each) for each in ("attn_kv_b", "attn_v_b"))
        if name in found or value not in found or not {name, pattern(name)} & set(wanted):
            continue
        first, second = found[key], found[value]
        if len(first.shape) == len(second.shape) == 3 and (
                first.shape[0], first.shape[1]) == (second.shape[0], second.shape[2]):
            (heads, rank, width), (_, other, _) = first.shape, second.shape
            found[name] = Held((heads * (width + other), rank), first.pieces + second.pieces)
            del found[key], found[value]


def with_biases(model: Model, file: Gguf) -> Model:
    """The model with biases at the sites where the table has some, whatever its architecture does
    usually; as it is where the file has no table."""
    if not file.tensors:
        return model
    there = {pattern(tensor.name) for tensor in file.tensors}
    sites = {site for site, stems in _SITES.items() if any(
        f"{'' if site == 'head' else 'blk.*.'}{stem}.bias" in there for stem in stems)}
    return replace(model, stacks=tuple(_stack(stack, sites) for stack in model.stacks))


def _stack(stack: Stack, sites: set[str]) -> Stack:
    return replace(stack, slots=tuple(_slot(slot, sites) for slot in stack.slots))


def _slot(slot: Slot, sites: set[str]) -> Slot:
    own = _SITES.keys() & set(slot.component.bias_sites)
    if not own or not hasattr(slot.component, "bias"):
        return slot
    kept = slot.component.bias - own
    return replace(slot, component=slot.component.changed(bias=frozenset(kept | own & sites)))


def joins(file: Gguf, usual: Mapping[str, str]) -> dict[str, str]:
    """Which matrices are one tensor: queries, keys and values as the table has them.

    Args:
        file: the header.
        usual: what the architecture joins, by letters.
    """
    found, there = dict(usual), {pattern(tensor.name) for tensor in file.tensors}
    if "blk.*.attn_qkv.weight" in there:
        found["Q K V"] = "attn_qkv"
    elif "blk.*.attn_q.weight" in there:
        found.pop("Q K V", None)
    return found


def refuse_contradiction(model: Model, file: Gguf) -> None:
    """See that the table has the tensors that the keys describe, no other and none less.

    Args:
        model: the model of the keys, its tensors named as in the file.
        file: the header; one without a table contradicts nothing.

    Raises:
        SpecError: they are not the same; the first that differ are named.
    """
    if not file.tensors:
        return
    wanted, free, values = Counter[tuple[str, Shape]](), set[str](), numbers(model).values
    ledger = model.ledger(values)
    for tensor in file.tensors:  # (of each name there are as many as layers: so none is missing)
        layer = _LAYER.match(tensor.name)
        if layer is not None and int(layer[1]) >= values["L"]:
            raise SpecError(file.where, tensor.name[:80], f"is of a layer beyond the {values['L']} "
                            "that the keys say")
    for row in model.layout.each(ledger, buffers=True):
        name = pattern(row.name)
        wanted[name, plain(row.shape)] += int(row.copies)
        if ledger[row.paths[0]].status == "buffer":
            free.add(name)
    found = Counter((pattern(name), plain(each.shape))
                    for name, each in held(file, {name for name, _ in wanted}).items())
    there = {name for name, _ in found}
    differ = [key for key in sorted(wanted.keys() | found.keys()) if wanted[key] != found[key]
              and not (key[0] in free and key[0] not in there)]
    if differ:
        more = f"; and {len(differ) - _SHOWN} more" if len(differ) > _SHOWN else ""
        said = "; ".join(f"{name} of {'×'.join(map(str, shape))}: {found[name, shape]} in the "
                         f"table, {wanted[name, shape]} by the keys"
                         for name, shape in differ[:_SHOWN])
        raise SpecError(file.where, "", f"its keys and its table of tensors contradict each other: "
                        f"{said[:400]}{more}")


def plain(shape: Iterable[object]) -> Shape:
    """A shape without sides of 1, which are not stored.

    >>> plain((4, 1, 3)), plain((1,))
    ((4, 3), (1,))
    """
    sides = tuple(int(side) for side in shape if side != 1)  # type: ignore[call-overload]
    return sides or (1,)


def bytes_of(name: str, shape: Shape, there: Mapping[str, Held]) -> tuple[int, ...] | None:
    """The bytes of a tensor of this shape, in the types and the pieces in which a file has it.

    Args:
        name: its name in the model.
        shape: its shape in the model.
        there: what the file holds.

    Returns:
        Those of each piece; None where the file does not hold it, or not in rows that go into its
        blocks.
    """
    each = there.get(name)
    if each is None:
        return None
    if len(each.pieces) == 1:
        size = each.pieces[0].kind.bytes_of(plain(shape))
        return None if size is None else (size,)
    same = math.prod(each.shape) == math.prod(shape)
    return tuple(piece.size for piece in each.pieces) if same else None
