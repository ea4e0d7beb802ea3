"""MobileBERT: layers that work in a bottleneck, several feed-forward networks in each.

Every layer narrows its input, attends, runs its networks one after another and widens again.
Norms without statistics have the same weights as LayerNorm. The embedding is narrow and joins
three tokens; the head is the tied embedding beside a matrix for the rest of the width.

Source: Sun et al. 2020, arXiv:2004.02984; transformers, models/mobilebert.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symparam.dataclass import dataclass
from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.encoder import DIMS as ENCODER_DIMS
from symparam.descriptions.assembling.encoder import (
    HARMLESS,
    LAYER_NAMES,
    Around,
    Head,
    encoder_model,
    read_dims,
)
from symparam.descriptions.config import Config
from symparam.layout import Entry, entries
from symparam.model import Model
from symparam.stack import Slot, Stack

MODEL_TYPES = ("mobilebert",)
CLASSES = {"MobileBertModel": "base", "MobileBertForMaskedLM": "mlm"}
DIMS = ENCODER_DIMS | {
    "L": ("num_hidden_layers", 24), "d_model": ("hidden_size", 512),
    "n_heads": ("num_attention_heads", 4), "d_ff": ("intermediate_size", 512),
    "d_embed": ("embedding_size", 128), "d_bottleneck": ("intra_bottleneck_size", 128),
}
MOST = 100  # feed-forward networks in a layer


@dataclass(frozen=True)
class JoinedHead:
    """BERT's transform, the tied embedding, and a matrix for the rest of the width."""

    inner: Head

    def stack(self, tied: bool) -> Stack:
        """The head's slots."""
        square = Head().stack(tied).slots
        output = self.inner.stack(tied).slots[-1]
        return Stack("head", (*square[:-1], output, slot("rest", "head-rest", kind="head-rest")))

    def names(self, tied: bool) -> list[Entry]:
        """The names of its tensors."""
        return self.inner.names(tied)


def build(config: Config, name: str) -> Model:
    """A MobileBERT from its configuration; the encoder with pooler where no class is named."""
    task = config.task(CLASSES, "base")
    values = read_dims(config, dims=DIMS)
    block = layer(config)
    further = networks(config)
    if not any("d_bottleneck" in s.dims for s in block):
        del values["d_bottleneck"]
    inner = values.get("d_bottleneck", values["d_model"])
    config.only("true_hidden_size", inner)
    three = config.flag("trigram_input", True)
    pooled = config.flag("classifier_activation", True)
    tied = config.flag("tie_word_embeddings", True)
    config.only("normalization_type", "no_norm", "layer_norm")
    config.close(HARMLESS)
    if task != "base" and values["d_embed"] >= values["d_model"]:
        raise config.error("embedding_size", "an embedding as wide as the model leaves no rest "
                           "to the head: not understood")
    where = "embedding_transformation."
    joined = (slot("projection", "trigram", where) if three
              else slot("projection", "linear", where, bias=True))
    embedding = (slot("positions", "learned", "position_embeddings."),
                 slot("segments", "segments", "token_type_embeddings."), joined,
                 slot("norm", "layernorm", "LayerNorm."))
    around = Around(top="mobilebert.", pooler="pooler.dense." if pooled else None,
                    head=JoinedHead(Head(width="d_embed")))
    inside = {"d_model": "d_bottleneck"} if "d_bottleneck" in values else {}
    more = tuple(replace(s, bound=inside) for s in further)
    names = (*LAYER_NAMES, *(each for s in further if s.component.slot == "ffn" for each in entries(
        f"*.{s.path}", up="intermediate.dense", down="output.dense")))
    return encoder_model(config, name, task, values, (*block, *more), around, tied=tied,
                         token={"d_model": "d_embed"}, embedding=embedding, names=names)


def networks(config: Config) -> Block:
    """The feed-forward networks that a layer runs before its last one, each with a norm."""
    number = config.count_of("num_feedforward_networks", default=4)
    if number > MOST:
        raise config.error("num_feedforward_networks", f"more than {MOST} in a layer")
    found: list[Slot] = []
    for i in range(number - 1):
        found += [slot(f"ffn_{i}", "mlp", f"ffn.{i}.", kind="ffn", bias=True),
                  slot(f"norms.ffn_{i}", "layernorm", f"ffn.{i}.output.LayerNorm.")]
    return tuple(found)


def layer(config: Config) -> Block:
    """A layer with its last feed-forward network, in a bottleneck unless there is none."""
    bottled = config.flag("use_bottleneck", True)
    narrow_values = config.flag("use_bottleneck_attention", False)
    shared = config.flag("key_query_shared_bottleneck", True)
    inside: Mapping[str, str] = {"d_model": "d_bottleneck"} if bottled else {}
    plain = narrow_values or not bottled
    attention = slot("attention", "mha" if plain else "bottleneck", "attention.",
                     inside if plain else {}, bias=True)
    block: Block = (
        attention, slot("ffn", "mlp", "", inside, bias=True),
        slot("norms.attention", "layernorm", "attention.output.LayerNorm.", inside),
        slot("norms.ffn", "layernorm", "output.LayerNorm.", inside))
    if not bottled:
        return block
    down = {"d_embed": "d_model", "d_model": "d_bottleneck"}
    up = {"d_embed": "d_bottleneck"}
    places = [("input", "bottleneck.input.", down), ("output", "output.bottleneck.", up)]
    if shared:
        places.insert(1, ("shared", "bottleneck.attention.", down))
    for path, prefix, bound in places:
        norm = {} if path == "output" else inside
        block += (slot(f"bottleneck.{path}", "linear", f"{prefix}dense.", bound, bias=True,
                       kind="projection", idle=path == "shared" and narrow_values),
                  slot(f"norms.{path}", "layernorm", f"{prefix}LayerNorm.", norm))
    return block
