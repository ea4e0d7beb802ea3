"""wav2vec 2.0, HuBERT, WavLM, UniSpeech and UniSpeech-SAT: convolutions over samples, a convolution
that tells positions, BERT's layers; or one with scores of letters for each frame.

Source: Baevski et al. 2020, arXiv:2006.11477; Hsu et al. 2021, arXiv:2106.07447; Chen et al. 2021,
arXiv:2110.13900; transformers, models/wav2vec2, models/hubert, models/wavlm, models/unispeech.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.pictures import linear, picture_encoder
from symparam.descriptions.config import Config
from symparam.descriptions.families.audio_encoders import UNSET
from symparam.dims import Dim
from symparam.layout import entries, entry
from symparam.model import Model
from symparam.stack import Stack

#: What the class names of each begin with, and what the encoder is called below a head.
STEMS = {"wav2vec2": ("Wav2Vec2", "wav2vec2."), "hubert": ("Hubert", "hubert."),
         "wavlm": ("WavLM", "wavlm."), "unispeech": ("UniSpeech", "unispeech."),
         "unispeech-sat": ("UniSpeechSat", "unispeech_sat.")}
MODEL_TYPES = tuple(STEMS)
DIMS: dict[str, tuple[Any, ...]] = {
    "d_model": ("hidden_size", 768), "d_ff": ("intermediate_size", 3072),
    "L": ("num_hidden_layers", 12), "n_heads": ("num_attention_heads", 12),
    "k_positions": ("num_conv_pos_embeddings", 128),
    "n_channel_groups": ("num_conv_pos_embedding_groups", 16)}
WIDTHS, KERNELS = [512] * 7, [10, 3, 3, 3, 3, 2, 2]
#: What is for other heads, for training alone, or says how long what comes out is.
HARMLESS = frozenset("""
    adapter_kernel_size adapter_stride apply_spec_augment classifier_proj_size codevector_dim
    contrastive_logits_temperature conv_stride ctc_loss_reduction ctc_zero_infinity
    diversity_loss_weight do_stable_layer_norm feat_extract_activation feat_extract_dropout
    feat_proj_dropout feat_quantizer_dropout final_dropout freeze_feat_extract_train
    mask_channel_length mask_channel_min_space mask_channel_other mask_channel_prob
    mask_channel_selection mask_feature_length mask_feature_min_masks mask_feature_prob
    mask_time_length mask_time_min_masks mask_time_min_space mask_time_other mask_time_prob
    mask_time_selection max_bucket_distance no_mask_channel_overlap no_mask_time_overlap
    num_adapter_layers num_buckets num_clusters num_codevector_groups num_codevectors_per_group
    num_ctc_classes num_feat_extract_layers num_negatives output_hidden_size
    proj_codevector_dim replace_prob tdnn_dilation tdnn_dim tdnn_kernel tokenizer_class
    use_weighted_layer_sum vocab_size xvector_output_dim
""".split())
NAMES = (*entries("*.attention", O="out_proj"),
         *entries("*.ffn", up="intermediate_dense", down="output_dense"))
ADAPTER = tuple(entry("*.adapter", f"{kind}_{i}", f".linear_{i}.{word}")
                for i in (1, 2) for kind, word in (("W", "weight"), ("b", "bias")))


def build(config: Config, name: str) -> Model:
    """The encoder from its configuration."""
    stem, top = STEMS[config.model_type]
    task = config.task({f"{stem}Model": "base", f"{stem}ForCTC": "ctc"}, "base")
    values = config.dims(DIMS)
    values |= config.dims({"V": ("vocab_size", 32)}) if task == "ctc" else {}
    convolutions = tuple(_convolutions(config, values))
    before = tuple(_before(config, f"d_conv{len(convolutions) - 1}"))
    blocks, names = _blocks(config, values)
    config.only("add_adapter", False, None)
    config.close(HARMLESS)
    pattern = ["plain"] * values["L"] if len(blocks) == 1 else (
        ["first"] + ["plain"] * (values["L"] - 1))
    model = picture_encoder(
        config, name, values, blocks, "encoder.layers.*.", embeddings="", pattern=pattern,
        before=before, names=names, unset=UNSET,
        declared=tuple(dim for i in range(len(convolutions)) for dim in _declared(i)))
    model = replace(model, stacks=(*convolutions, *model.stacks))
    if task == "base":
        return model
    scores = slot("scores", "linear", "lm_head.", {"n_labels": "V"}, bias=True)
    return replace(model, part="encoder with scores of letters", stacks=(
        *(replace(s, prefix=top + s.prefix) for s in model.stacks),
        Stack("head", (scores,), causal=False)))


def _convolutions(config: Config, values: dict[str, int]) -> Iterator[Stack]:
    """The convolutions over samples, each with a norm or the first alone."""
    widths, kernels = _numbers(config, "conv_dim", WIDTHS), _numbers(config, "conv_kernel", KERNELS)
    if len(widths) != len(kernels):
        raise config.error("conv_kernel", f"expected {len(widths)} numbers, as conv_dim has")
    bias = config.flag("conv_bias", False)
    config.only("feat_extract_norm", "group", "layer")
    normed = config.raw("feat_extract_norm", "group") == "layer"
    for i, (width, kernel) in enumerate(zip(widths, kernels, strict=True)):
        values |= {f"d_conv{i}": width, f"k_conv{i}": kernel}
        bound = {"d_model": f"d_conv{i}", "k_conv": f"k_conv{i}"}
        bound |= {"d_embed": f"d_conv{i - 1}"} if i else {}
        norm = (slot("norm", "layernorm" if normed else "groupnorm", "layer_norm.",
                     {"d_model": f"d_conv{i}"}, kind="norm" if normed else "channel-norm"),)
        yield Stack(f"samples{i}", (
            slot("convolution", "line", "conv.", bound, sound=not i, bias=bias),
            *(norm if normed or not i else ())), prefix=f"feature_extractor.conv_layers.{i}.",
            causal=False)


def _numbers(config: Config, key: str, default: list[int]) -> list[int]:
    """A list of positive whole numbers."""
    found = config.raw(key, default)
    if not isinstance(found, list) or not found or not all(
            type(n) is int and n > 0 for n in found):
        raise config.error(key, "expected a list of positive whole numbers")
    return found


def _before(config: Config, width: str) -> Block:
    """What leads to the layers: a norm, a matrix, a vector for what is masked, positions."""
    kind = config.model_type
    normed = kind != "hubert" or config.flag("feat_proj_layer_norm", True)
    batch = kind == "hubert" and config.flag("conv_pos_batch_norm", False)
    masked = kind == "unispeech-sat" or any(
        _positive(config, f"mask_{axis}_prob", default)
        for axis, default in (("time", 0.05), ("feature", 0.0)))
    norm = (slot("norms.samples", "layernorm", "feature_projection.layer_norm.",
                 {"d_model": width}),)
    mask = (slot("mask", "vector", "masked_spec_embed", kind="vector"),)
    norms = (slot("batch_norm", "batchnorm", "encoder.pos_conv_embed.batch_norm.",
                  kind="batch-norm"),)
    return (*(norm if normed else ()),
            linear("linear", "feature_projection.projection.", width, "d_model", bias=True),
            *(mask if masked else ()),
            slot("positions", "convolution", "encoder.pos_conv_embed.conv.",
                 kind="position-convolution", normed=not batch), *(norms if batch else ()),
            slot("norms.layers", "layernorm", "encoder.layer_norm."))


def _positive(config: Config, key: str, default: float) -> bool:
    """Whether a probability is above zero."""
    found = config.raw(key, default)
    if type(found) not in (int, float):
        raise config.error(key, "expected a probability")
    return bool(found > 0)


def _blocks(config: Config, values: dict[str, int]) -> tuple[dict[str, Block], tuple[Any, ...]]:
    """The layer of each kind, and the names of its tensors: WavLM's first has a table."""
    block: Block = (
        slot("attention", "mha", "attention.", bias=True),
        slot("ffn", "mlp", "feed_forward.", bias=True),
        slot("norms.attention", "layernorm", "layer_norm."),
        slot("norms.ffn", "layernorm", "final_layer_norm."))
    if config.model_type == "wavlm":
        values |= config.dims({"n_buckets": ("num_buckets", 320)})
        block = (*block, slot("gate", "gated-positions", "attention.", kind="position-gate"))
        table = slot("positions", "relative-bias", "attention.")
        return {"first": (*block, table), "plain": block}, (
            *NAMES, entry("*.positions", "W_B", ".rel_attn_embed.weight"))
    adapted = config.flag("do_stable_layer_norm", False) and config.raw("adapter_attn_dim", None)
    if not adapted:
        config.raw("adapter_attn_dim", None)
        return {"plain": block}, NAMES
    values |= config.dims({"d_adapter": ("adapter_attn_dim", None)})
    more = (slot("adapter", "language-adapter", "adapter_layer."),
            slot("norms.adapter", "layernorm", "adapter_layer.norm."))
    return {"plain": (*block, *more)}, (*NAMES, *ADAPTER)


def _declared(i: int) -> Iterator[Dim]:
    """The dims of a convolution over samples."""
    yield Dim(f"d_conv{i}", rf"d_{{\text{{conv}},{i}}}", f"channels of convolution {i}")
    yield Dim(f"k_conv{i}", rf"k_{{\text{{conv}},{i}}}", f"length of convolution {i}")
