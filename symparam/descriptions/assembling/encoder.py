"""Putting an encoder together: embedding tables with a norm, layers, a pooler or a masked-LM head.

BERT and what follows it differ in widths, names and a few parts. A family says which slots stand
where and how they are called; the stacks around them come from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from symparam.components import find
from symparam.constraints import Check
from symparam.dataclass import dataclass
from symparam.descriptions.assembling.assemble import Block, all_layers, slot
from symparam.descriptions.config import Config
from symparam.layout import Entry, Layout, entries, entry
from symparam.model import Model
from symparam.stack import Repeat, Slot, Stack

#: BERT's keys and defaults; what follows it has other defaults for some.
DIMS: dict[str, tuple[Any, ...]] = {
    "V": ("vocab_size", 30522), "L": ("num_hidden_layers", 12), "d_model": ("hidden_size", 768),
    "n_heads": ("num_attention_heads", 12), "d_ff": ("intermediate_size", 3072),
    "n_ctx": ("max_position_embeddings", 512), "n_types": ("type_vocab_size", 2),
}
HARMLESS = frozenset({"is_decoder"})
PARTS = {"mlm": "encoder with masked-LM head", "causal": "encoder with LM head",
         "discriminator": "encoder with discriminator"}

#: Names of BERT's layer, below its prefix.
LAYER_NAMES = (
    *entries("*.attention", Q="self.query", K="self.key", V="self.value", O="output.dense"),
    *entries("*.ffn", up="intermediate.dense", down="output.dense"))


def read_dims(config: Config, changed: Mapping[str, int] | None = None,
              dims: Mapping[str, tuple[Any, ...]] = DIMS) -> dict[str, int]:
    """Numbers of an encoder's dims; layers that look at another encoder are refused.

    Args:
        config: the configuration.
        changed: defaults of this family that are not those in the table.
        dims: where each dim stands, and its default.
    """
    own = changed or {}
    table = {dim: (*keys[:-1], own.get(dim, keys[-1])) for dim, keys in dims.items()}
    config.only("add_cross_attention", False, None)
    return config.dims(table)


def absolute_positions(config: Config) -> None:
    """Refuse positions that older code told in another way than with a table."""
    config.only("position_embedding_type", "absolute", None)


def layer(*, attention: str = "mha", ffn: str = "mlp", norms: tuple[str, str] = (
        "attention.output.LayerNorm.", "output.LayerNorm.")) -> Block:
    """BERT's layer, with biases everywhere; others name its two norms otherwise."""
    first, second = norms
    return (slot("attention", attention, "attention.", bias=True), slot("ffn", ffn, "", bias=True),
            slot("norms.attention", "layernorm", first), slot("norms.ffn", "layernorm", second))


def tables(*, positions: bool = True, segments: bool = True, norm: str | None = "LayerNorm.",
           width: str = "d_model") -> tuple[Slot, ...]:
    """What stands beside the token table: positions, segments, the norm of their sum.

    Args:
        positions, segments: whether there is a table of them.
        norm: what the norm's names begin with; None where there is none.
        width: the dim that is the width of the tables.
    """
    bound = {} if width == "d_model" else {"d_model": width}
    made = []
    if positions:
        made.append(slot("positions", "learned", "position_embeddings.", bound))
    if segments:
        made.append(slot("segments", "segments", "token_type_embeddings.", bound))
    if norm is not None:
        made.append(slot("norm", "layernorm", norm, bound))
    return tuple(made)


class AnyHead(Protocol):
    """What stands on the layers in a class that has a head."""

    def stack(self, tied: bool) -> Stack:
        """The head's slots."""

    def names(self, tied: bool) -> list[Entry]:
        """The names of its tensors."""


@dataclass(frozen=True, kw_only=True)
class Head:
    """A masked-LM head: a transform with a norm, then the output matrix, and how they are named.

    Attributes:
        transform, norm, decoder: what the names of each part begin with.
        bias: the name of the bias that stands beside the decoder, so that an untied decoder has
            a second one; None where the decoder's own is the only one.
        component: ``mlm``, whose untied form has two biases, or the plain ``lm``.
        width: the dim that is the width after the transform.
        first: whether the head is the first of the class's parts: a tied token table is then
            listed under the head's name.
        transform_bias, decoder_bias: whether they have biases.
        norm_kind: the norm after the transform.
    """

    transform: str = "cls.predictions.transform.dense."
    norm: str = "cls.predictions.transform.LayerNorm."
    decoder: str = "cls.predictions.decoder."
    bias: str | None = "cls.predictions.bias"
    component: str = "mlm"
    width: str = "d_model"
    first: bool = False
    transform_bias: bool = True
    decoder_bias: bool = True
    norm_kind: str = "layernorm"

    def stack(self, tied: bool) -> Stack:
        """The head's slots."""
        bound = {} if self.width == "d_model" else {"d_model": self.width}
        if self.transform_bias and not bound:
            transform = slot("transform", "mlm-transform", "")
        else:
            across = {"d_model": self.width, "d_embed": "d_model"}
            transform = slot("transform", "linear", "", across, kind="projection",
                             bias=self.transform_bias)
        output = slot("lm", self.component, self.decoder, bound, kind="head", tied=tied,
                      bias=self.decoder_bias)
        return Stack("head", (transform, slot("norm", self.norm_kind, self.norm, bound), output))

    def names(self, tied: bool) -> list[Entry]:
        """The names of its tensors."""
        decoder = f"{self.decoder}weight"
        found = [entry("head.transform", "W", f"{self.transform}weight"),
                 entry("head.transform", "b", f"{self.transform}bias"),
                 entry("head.lm", "W_U", decoder),
                 entry("head.lm", "b_U", self.bias or f"{self.decoder}bias")]
        if "b_D" in find("head", self.component).names:
            found.append(entry("head.lm", "b_D", f"{self.decoder}bias"))
        if self.first and tied:
            found.append(entry("embedding.token", "W_E", decoder))
        return found


#: The head of RoBERTa and what follows it.
LM_HEAD = Head(transform="lm_head.dense.", norm="lm_head.layer_norm.", decoder="lm_head.decoder.",
               bias="lm_head.bias")


@dataclass(frozen=True, kw_only=True)
class Around:
    """What stands around an encoder's layers, and where in the names.

    Attributes:
        top: what the names begin with in a class that has a head; the class without has none.
        embeddings, token, layers: what follows it, the layer number written ``*``.
        pooler: what a pooler's names begin with; None where the class without a head has none.
        pooler_stays: whether the classes with a head keep the pooler.
        head: the head of the classes that have one.
    """

    top: str = "bert."
    embeddings: str = "embeddings."
    token: str = "word_embeddings."
    layers: str = "encoder.layer.*."
    pooler: str | None = "pooler.dense."
    pooler_stays: bool = False
    head: AnyHead = Head()


def encoder_model(config: Config, name: str, task: str, values: Mapping[str, int],
                  block: Block | Mapping[str, Block], around: Around, *, tied: bool,
                  embedding: Iterable[Slot] = (), token: Mapping[str, str] | None = None,
                  pattern: Sequence[str] = (), repeat: Repeat | None = None,
                  projection: Iterable[Slot] = (), after: Iterable[Slot] = (),
                  last: Iterable[Slot] = (), names: Iterable[Entry] = LAYER_NAMES,
                  checks: Iterable[Check] = ()) -> Model:
    """An encoder, with its pooler or its masked-LM head.

    Args:
        config: the configuration, already read and closed.
        name: the model's name.
        task: ``base`` without a head, ``mlm`` or ``causal`` with one.
        values: numbers of dims; L among them unless there is a pattern.
        block: the block of every layer, or of each kind of layer.
        around: what stands around the layers, with names.
        tied: whether the head shares the token embedding.
        embedding: what stands beside the token table, under the embeddings' names.
        token: dims that the token table takes under other names.
        pattern: the kind of each layer, where there are kinds.
        repeat: how often the layer is stored and applied, where not L times.
        projection: what stands between embedding and layers.
        after: what stands after the layers: a norm.
        last: what stands beside pooler and head in every class.
        names: tensors that are named or joined otherwise than by default.
        checks: relations of this family alone.
    """
    top = "" if task == "base" else around.top
    layers = all_layers(block, pattern, top + around.layers, repeat)
    first = slot("token", "token", around.token, token)
    beside = (("projection", projection), ("final_norm", after), ("extra", last))
    before, *behind = [Stack(kind, tuple(slots), prefix=top) for kind, slots in beside]
    stacks = [Stack("embedding", (first, *embedding), prefix=top + around.embeddings), before,
              *layers.stacks, *behind]
    found = [*names]
    pooled = around.pooler is not None and (task == "base" or around.pooler_stays)
    if pooled:
        stacks.append(Stack("pooler", (slot("pooler", "pooler", ""),)))
        found += (entry("pooler.pooler", each, f"{top}{around.pooler}{word}")
                  for each, word in (("W", "weight"), ("b", "bias")))
    if task != "base":
        stacks.append(around.head.stack(tied))
        found += around.head.names(tied)
    causal = config.data.get("is_decoder") is True
    return Model(name, tuple(replace(stack, causal=causal) for stack in stacks if stack.slots),
                 {**values, **layers.values}, layers.equations, (*checks, *layers.checks),
                 Layout(f"transformers ({config.model_type})", tuple(found)),
                 part=PARTS.get(task, "encoder with pooler" if pooled else "encoder"))

