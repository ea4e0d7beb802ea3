"""The plain decoder: what an architecture from options starts from."""

from __future__ import annotations

from dataclasses import replace

from symparam import expression as ex
from symparam.component import Component
from symparam.components import find
from symparam.descriptions.options import (
    Options,
    apply,
    final_norm_stack,
    norm_slots,
    with_positions,
)
from symparam.model import Model
from symparam.stack import Repeat, Slot, Stack

#: The choices of a plain decoder, each by its option.
PLAIN = {"attention": "mha", "ffn": "mlp", "norm": "rmsnorm", "positions": "rope"}
#: Rows of a token embedding where nobody says how many.
VOCABULARY = 32_000


def embedding_stack(*slots: Slot) -> Stack:
    """The stack in which tokens become vectors: the token table, then what is given."""
    return Stack("embedding", (Slot("token", find("token", "token")()), *slots), prefix="model.")


def layer_stack(slots: tuple[Slot, ...], repeat: Repeat | None = None, kind: str = "") -> Stack:
    """The repeated block; ``kind`` tells kinds of layer apart."""
    name = f"layers[{kind}]" if kind else "layers"
    return Stack(name, slots, repeat or Repeat.times(ex.Sym("L")), "model.layers.*.")


def head_stack(head: Component) -> Stack:
    """The stack in which vectors become scores of tokens."""
    return Stack("head", (Slot("lm", head),))


def plain_decoder() -> Model:
    """Untied head, two RMSNorms a block and a final one, no biases, rotary positions,
    multi-head attention, a two-matrix FFN.

    >>> [stack.name for stack in plain_decoder().stacks]
    ['embedding', 'layers', 'final_norm', 'head']
    """
    norm = find("norm", PLAIN["norm"])()
    block = (*(Slot(slot, find(slot, PLAIN[slot])()) for slot in ("attention", "ffn")),
             *norm_slots(norm, 2))
    model = Model("decoder", (embedding_stack(), layer_stack(block),
                                  final_norm_stack(norm), head_stack(find("head", "lm")())))
    return with_positions(model, PLAIN["positions"])


def decoder(options: Options) -> Model:
    """An architecture from options, without numbers; named after what it is made of."""
    model = apply(plain_decoder(), options)
    kinds = [slot.component.name for stack, slot in model.slots()
             if stack.repeat and slot.component.slot in {"attention", "ffn"}]
    return replace(model, name=f"decoder ({', '.join(kinds)})")
