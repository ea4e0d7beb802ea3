"""Whisper: convolutions over sound, BART's layers without biases of the keys, a tied head.

The encoder's positions are computed, stored and not trained; the decoder's are learned.

Source: Radford et al. 2022, arXiv:2212.04356; transformers, models/whisper.
"""

from __future__ import annotations

from collections.abc import Mapping

from symparam.components import find
from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.encoder_decoder import (
    SIDES,
    Side,
    bound_dims,
    encoder_decoder,
    token,
)
from symparam.descriptions.config import Config
from symparam.descriptions.families.bart import NAMES
from symparam.model import Model
from symparam.stack import Slot, Stack

MODEL_TYPES = ("whisper",)
CLASSES = {"WhisperForConditionalGeneration": "seq2seq", "WhisperModel": "base",
           "WhisperForCausalLM": "causal", "WhisperEncoder": "encoder"}
DIMS = {
    "V": ("vocab_size", 51865), "d_model": ("d_model", "hidden_size", 384),
    "n_mels": ("num_mel_bins", 80),
    "L_encoder": ("encoder_layers", "num_hidden_layers", 4), "L_decoder": ("decoder_layers", 4),
    "n_heads_encoder": ("encoder_attention_heads", "num_attention_heads", "num_key_value_heads", 6),
    "n_heads_decoder": ("decoder_attention_heads", 6),
    "d_ff_encoder": ("encoder_ffn_dim", 1536), "d_ff_decoder": ("decoder_ffn_dim", 1536),
    "n_ctx_encoder": ("max_source_positions", 1500),
    "n_ctx_decoder": ("max_target_positions", 448),
}
KERNEL = 3
HARMLESS = frozenset("""
    apply_spec_augment classifier_proj_size forced_decoder_ids is_decoder mask_feature_length
    mask_feature_min_masks mask_feature_prob mask_time_length mask_time_min_masks mask_time_prob
    median_filter_width use_weighted_layer_sum
""".split())


def build(config: Config, name: str) -> Model:
    """A Whisper from its configuration."""
    task = config.task(CLASSES, "seq2seq")
    values, bound = bound_dims(config.dims(DIMS), SIDES[task])
    tied = config.flag("tie_word_embeddings", True)
    alone = task in ("causal", "encoder")
    config.only("is_encoder_decoder", True, *([False] if alone else []))
    config.close(HARMLESS)
    if task == "causal":
        del values["n_mels"]
    else:
        values["k_conv"] = KERNEL
    top = "" if task == "base" else "model."
    sides = {side: Side(blocks=_block(side, bound[side]),
                        top="" if task == "encoder" else f"{top}{side}.", layers="layers.*.",
                        before=_input(side, bound[side]),
                        after=(slot("norm", "layernorm", "layer_norm."),))
             for side in SIDES[task]}
    lm = Slot("lm", find("head", "lm").make({"tied": tied}), "proj_out.")
    tokens = () if task == "encoder" else (token("embed_tokens."),)
    embedding = Stack("embedding", tokens, prefix=f"{top}decoder.")
    return encoder_decoder(config, name, task, values, sides, embedding=embedding, names=NAMES,
                           head=(lm,) if task in ("seq2seq", "causal") else ())


def _input(side: str, bound: Mapping[str, str]) -> Block:
    if side == "decoder":
        return (slot("positions", "learned", None, bound),)
    return (slot("front_end", "audio-convolutions", kind="front-end"),
            slot("positions", "sinusoidal", None, bound, stored=True))


def _block(side: str, bound: Mapping[str, str]) -> Block:
    """A layer: each part with its norm; the decoder's looks at the encoder in between."""
    cross = (slot("cross_attention", "qv-bias", None, {**bound, "d_encoder": "d_model"},
                  kind="cross-attention", bias=True),
             slot("norms.cross_attention", "layernorm", "encoder_attn_layer_norm."))
    return (slot("attention", "qv-bias", None, bound, bias=True),
            slot("norms.attention", "layernorm", "self_attn_layer_norm."),
            *(cross if side == "decoder" else ()), slot("ffn", "mlp", "", bound, bias=True),
            slot("norms.ffn", "layernorm", "final_layer_norm."))
