"""Putting together a model with an encoder and a decoder: what such families share.

The stacks are ``embedding`` (the table that both sides share), then of each side ``encoder_input``
(what stands once before its layers), ``encoder`` (the layers) and ``encoder_norm``, the same with
``decoder``, and ``head``. A model may have one side alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from symparam import expression as ex
from symparam.components import find
from symparam.constraints import Check, Equation
from symparam.dataclass import dataclass
from symparam.descriptions.assembling.assemble import Block, Layers, layers_of
from symparam.descriptions.config import Config
from symparam.layout import Entry, Layout
from symparam.ledger import Stream
from symparam.model import Model
from symparam.stack import Repeat, Slot, Stack

#: Which sides a model has, and what is said of its count, by what it is counted as.
SIDES = {"seq2seq": ("encoder", "decoder"), "base": ("encoder", "decoder"),
         "encoder": ("encoder",), "causal": ("decoder",)}
PARTS = {"seq2seq": "all", "base": "without the head", "encoder": "encoder",
         "causal": "decoder with its head"}

_HEADS = ("n_heads", "n_kv", "d_head")


@dataclass(frozen=True, kw_only=True)
class Side:
    """An encoder or a decoder: its layers and what stands around them.

    Attributes:
        blocks: the block of every layer, or of each kind of layer.
        top: what its names in a checkpoint begin with.
        layers: what follows for a layer, its number written ``*``.
        pattern: the kind of each layer, where there are kinds.
        before: what stands once before the layers.
        after: what stands once after them.
    """

    blocks: Block | Mapping[str, Block]
    top: str
    layers: str
    pattern: Sequence[str] = ()
    before: Block = ()
    after: Block = ()


def token(prefix: str, rows: str = "V") -> Slot:
    """A token table, of V rows or of another number of them."""
    return Slot("token", find("token", "token")(), prefix, {} if rows == "V" else {"V": rows})


def bound_dims(values: Mapping[str, int], sides: Iterable[str],
               ) -> tuple[dict[str, int], dict[str, dict[str, str]]]:
    """One name for what both sides have alike, and one each for what they have not.

    Args:
        values: numbers of dims; ``n_heads_encoder`` is the encoder's ``n_heads``.
        sides: the sides that the model has.

    Returns:
        The numbers under the names that the model uses, and what each side's are bound to.

    >>> bound_dims({"V": 9, "d_ff_encoder": 5, "d_ff_decoder": 7}, ["encoder", "decoder"])[1]
    {'encoder': {'d_ff': 'd_ff_encoder'}, 'decoder': {'d_ff': 'd_ff_decoder'}}
    >>> bound_dims({"V": 9, "d_ff_encoder": 5, "d_ff_decoder": 5}, ["encoder", "decoder"])
    ({'V': 9, 'd_ff': 5}, {'encoder': {}, 'decoder': {}})
    """
    sides = list(sides)
    found = {name: n for name, n in values.items() if name.rpartition("_")[2] not in SIDES["base"]
             or (name.startswith("L_") and name[2:] in sides)}
    bound: dict[str, dict[str, str]] = {side: {} for side in sides}
    names = dict.fromkeys(name.rpartition("_")[0] for name in values if name not in found)
    groups = [_HEADS, *((name,) for name in names if name not in {"L", *_HEADS})]
    for group in groups:
        numbers = {side: {name: values[f"{name}_{side}"] for name in group
                          if f"{name}_{side}" in values} for side in sides}
        if all(each == numbers[sides[0]] for each in numbers.values()):
            found |= numbers[sides[0]]
            continue
        for side, each in numbers.items():
            bound[side] |= {name: f"{name}_{side}" for name in group}
            found |= {f"{name}_{side}": n for name, n in each.items()}
    return found, bound


def _layers(name: str, side: Side) -> Layers:
    prefix, total = side.top + side.layers, f"L_{name}"
    if isinstance(side.blocks, tuple):
        return Layers((Stack(name, side.blocks, Repeat.times(ex.Sym(total)), prefix),), {})
    return layers_of(side.blocks, side.pattern, prefix, name, total)


def _stacks(name: str, side: Side, layers: Layers) -> list[Stack]:
    stream: Stream | None = "encoder" if name == "encoder" else None
    first, last = (([Stack(f"{name}_{where}", slots, prefix=side.top)] if slots else [])
                   for where, slots in (("input", side.before), ("norm", side.after)))
    return [replace(stack, stream=stream) for stack in (*first, *layers.stacks, *last)]


def encoder_decoder(config: Config, name: str, task: str, values: Mapping[str, int],
                    sides: Mapping[str, Side], *, embedding: Stack, head: Block = (),
                    names: Iterable[Entry] = (), equations: Iterable[Equation] = ()) -> Model:
    """A model with an encoder, a decoder or both.

    Args:
        config: the configuration, already read and closed.
        name: the model's name.
        task: one of :data:`PARTS`.
        values: numbers of dims.
        sides: the encoder and the decoder, or one of them.
        embedding: the stack of the token table that the head shares if it is tied; it may be empty.
        head: the head and what stands beside it, if there is one.
        names: tensors that are named or joined otherwise than by default.
        equations: rules of this family alone.
    """
    layers = {each: _layers(each, side) for each, side in sides.items()}
    stacks = [embedding] if embedding.slots else []
    numbers, rules, checks = dict(values), list(equations), list[Check]()
    for each, side in sides.items():
        stacks += _stacks(each, side, layers[each])
        numbers |= layers[each].values
        rules += layers[each].equations
        checks += layers[each].checks
    if head:
        stacks.append(Stack("head", head))
    return Model(name, tuple(stacks), numbers, tuple(rules), tuple(checks),
                 Layout(f"transformers ({config.model_type})", tuple(names)), part=PARTS[task])
