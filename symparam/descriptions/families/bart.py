"""BART and what follows it: an encoder and a decoder with biases, LayerNorms and positions.

The families differ in what stands around the layers: learned or computed positions, a norm on the
embedding or after the last layer. One table serves both sides and the head; with
``tie_word_embeddings`` false each side and the head have their own beside it, as transformers 5
builds it.

Source: Lewis et al. 2019, arXiv:1910.13461; Liu et al. 2020, arXiv:2001.08210 (mBART); Ahmad et al.
2021, arXiv:2103.06333 (PLBART); Tang et al. 2022, arXiv:2206.12131 (MVP); transformers,
models/bart, models/mbart, models/plbart, models/mvp.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symparam import expression as ex
from symparam.components import find
from symparam.constraints import Equation
from symparam.dataclass import dataclass
from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.encoder_decoder import (
    SIDES,
    Side,
    bound_dims,
    encoder_decoder,
    token,
)
from symparam.descriptions.config import Config
from symparam.layout import Entry, entries
from symparam.model import Model
from symparam.stack import Slot, Stack

#: Of layers that look at nothing but their own side.
ENCODER_NAMES = (*entries("*.attention", O="out_proj"),
                 *entries("*.ffn", up="fc1", down="fc2"))
NAMES = (*ENCODER_NAMES, *entries("*.cross_attention", O="out_proj"))


@dataclass(frozen=True, kw_only=True)
class Traits:
    """What tells the families apart.

    Attributes:
        stem: what the names of its classes begin with.
        dims: keys of its dims, with their defaults.
        positions: ``learned``, ``stored`` (a table that is not trained) or ``computed``.
        extra_rows: rows of a learned table that are no position's.
        input_norm, final_norm: whether a norm stands on the embedding, after the last layer.
        logits_bias: whether the checkpoint has a bias of the scores that is not trained.
        tails: ends of the names of its classes, with what they are counted as.
        harmless: keys that only this family has.
        bias_key: a key that says whether attention has biases; without one it has.
        ties_decoder: whether the decoder alone shares its table with the head.
        names: tensors that are named otherwise than by default.
    """

    stem: str
    dims: Mapping[str, tuple[Any, ...]]
    positions: str = "learned"
    extra_rows: int = 2
    input_norm: bool = True
    final_norm: bool = False
    logits_bias: bool = True
    tails: Mapping[str, str]
    harmless: frozenset[str] = frozenset()
    bias_key: str = ""
    ties_decoder: bool = True
    names: tuple[Entry, ...] = NAMES


TAILS = {"ForConditionalGeneration": "seq2seq", "Model": "base", "ForCausalLM": "causal"}
HARMLESS = frozenset("""
    add_cross_attention force_bos_token_to_be_generated is_decoder normalize_before save_step
    _num_labels
""".split())


def dims(vocabulary: int, positions: int, width: int, layers: int, heads: int, ffn: int,
         ) -> dict[str, tuple[Any, ...]]:
    """Keys of the dims with their defaults, the same for both sides."""
    return {"V": ("vocab_size", vocabulary), "n_ctx": ("max_position_embeddings", positions),
            "d_model": ("d_model", "hidden_size", width),
            "L_encoder": ("encoder_layers", "num_hidden_layers", layers),
            "L_decoder": ("decoder_layers", layers),
            "n_heads_encoder": ("encoder_attention_heads", "num_attention_heads", heads),
            "n_heads_decoder": ("decoder_attention_heads", heads),
            "d_ff_encoder": ("encoder_ffn_dim", ffn), "d_ff_decoder": ("decoder_ffn_dim", ffn)}


FAMILIES = {
    "bart": Traits(stem="Bart", tails=TAILS, dims=dims(50265, 1024, 1024, 12, 16, 4096)),
    "mbart": Traits(stem="MBart", tails=TAILS, dims=dims(50265, 1024, 1024, 12, 16, 4096),
                    final_norm=True),
    "plbart": Traits(stem="PLBart", tails=TAILS, dims=dims(50005, 1024, 768, 6, 12, 3072)),
    "mvp": Traits(stem="Mvp", tails=TAILS, dims=dims(50267, 1024, 1024, 12, 16, 4096),
                  harmless=frozenset({"prompt_length", "prompt_mid_dim"})),
}
MODEL_TYPES = tuple(FAMILIES)


def build(config: Config, name: str) -> Model:
    """A BART, mBART, PLBART or MVP from its configuration."""
    if config.model_type == "mvp":
        config.only("use_prompt", False)
    return build_like(config, name, FAMILIES[config.model_type])


def build_like(config: Config, name: str, traits: Traits) -> Model:
    """A model of a family with these traits, from its configuration."""
    task = config.task({traits.stem + tail: task for tail, task in traits.tails.items()},
                       "seq2seq")
    values, bound = bound_dims(config.dims(traits.dims), SIDES[task])
    tied = config.flag("tie_word_embeddings", True)
    bias = config.flag(traits.bias_key, False) if traits.bias_key else True
    check_older_keys(config, task, traits)
    config.close(HARMLESS | traits.harmless)
    top = "model." if task in {"seq2seq", "causal"} else ""
    own = (token("embed_tokens."),) if task != "causal" and not tied else ()
    sides = {side: side_of(side, traits, block(side, bound[side], bias), top, own, bound[side])
             for side in SIDES[task]}
    embedding = (Stack("embedding", (token("shared."),), prefix=top) if task != "causal" else
                 Stack("embedding", (token("embed_tokens."),), prefix=f"{top}decoder."))
    return encoder_decoder(config, name, task, values, sides, embedding=embedding,
                           head=head(task, traits, tied and (
                               traits.ties_decoder or task != "causal")),
                           names=traits.names, equations=rules(traits))


def check_older_keys(config: Config, task: str, traits: Traits) -> None:
    """Refuse switches of older versions that stand otherwise than the family's code has them."""
    config.only("is_encoder_decoder", True, *([False] if task == "causal" else []))
    config.only("add_bias_logits", False)
    config.only("normalize_embedding", traits.input_norm)
    config.only("add_final_layer_norm", traits.final_norm)
    config.only("static_position_embeddings", traits.positions != "learned")
    if traits.positions == "learned":
        config.only("extra_pos_embeddings", traits.extra_rows)
    else:
        config.raw("extra_pos_embeddings", None)


def rules(traits: Traits) -> tuple[Equation, ...]:
    """How many rows a learned table of positions has."""
    if traits.positions != "learned" or not traits.extra_rows:
        return ()
    return (Equation("n_rows", ex.Sym("n_ctx") + traits.extra_rows,
                     f"{traits.extra_rows} rows of the table are no position's"),)


def side_of(name: str, traits: Traits, layer: Block, top: str, tables: Block,
            bound: Mapping[str, str]) -> Side:
    """An encoder or a decoder with its positions and the norms around its layers."""
    before = [*tables, positions(traits, bound)]
    if traits.input_norm:
        before.append(slot("norm", "layernorm", "layernorm_embedding."))
    after = (slot("norm", "layernorm", "layer_norm."),) if traits.final_norm else ()
    return Side(blocks=layer, top=f"{top}{name}.", layers="layers.*.", before=tuple(before),
                after=after)


def positions(traits: Traits, bound: Mapping[str, str]) -> Slot:
    """How a side tells positions."""
    if traits.positions == "learned":
        rows = {"n_ctx": "n_rows"} if traits.extra_rows else bound
        return slot("positions", "learned", None, rows)
    return slot("positions", "sinusoidal", None, bound, stored=traits.positions == "stored")


def block(side: str, bound: Mapping[str, str], bias: bool = True) -> Block:
    """A layer: each part with its norm; the decoder's looks at the encoder in between."""
    cross = (slot("cross_attention", "mha", None, {**bound, "d_encoder": "d_model"},
                  kind="cross-attention", bias=bias),
             slot("norms.cross_attention", "layernorm", "encoder_attn_layer_norm."))
    return (slot("attention", "mha", None, bound, bias=bias),
            slot("norms.attention", "layernorm", "self_attn_layer_norm."),
            *(cross if side == "decoder" else ()),
            slot("ffn", "mlp", "", bound, bias=True),
            slot("norms.ffn", "layernorm", "final_layer_norm."))


def head(task: str, traits: Traits, tied: bool, rows: str = "V") -> Block:
    """The head and the bias of the scores beside it, where the class has them."""
    if task == "base":
        return ()
    bound = {} if rows == "V" else {"V": rows}
    lm = Slot("lm", find("head", "lm").make({"tied": tied}), None, bound)
    if task == "causal" or not traits.logits_bias:
        return (lm,)
    return (lm, slot("logits_bias", "logits-bias", None, bound, kind="logits-bias"))
