"""ModernBERT and its decoder: norms before each part, gated networks, rotary positions.

The first layer has no norm before its attention, since the embedding has just been normed. Where
attention looks far or near changes no weight.

Source: Warner et al. 2024, arXiv:2412.13663; Weller et al. 2025, arXiv:2507.11412; transformers,
models/modernbert and models/modernbert_decoder.
"""

from __future__ import annotations

from dataclasses import replace

from symparam.descriptions.assembling.assemble import Block, slot
from symparam.descriptions.assembling.encoder import Around, Head, encoder_model
from symparam.descriptions.assembling.windows import Sliding, all_but_every, with_windows
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import with_positions
from symparam.layout import entries
from symparam.model import Model

MODEL_TYPES = ("modernbert", "modernbert-decoder")
CLASSES = {
    "modernbert": {"ModernBertModel": "base", "ModernBertForMaskedLM": "mlm"},
    "modernbert-decoder": {"ModernBertDecoderModel": "base",
                           "ModernBertDecoderForCausalLM": "causal"},
}
DIMS = {
    "V": ("vocab_size", 50368), "L": ("num_hidden_layers", 22), "d_model": ("hidden_size", 768),
    "n_heads": ("num_attention_heads", 12), "d_ff": ("intermediate_size", 1152),
}
KINDS = {"full_attention": "later", "sliding_attention": "later"}
HARMLESS = NO_TABLE | frozenset("""
    classifier_activation classifier_pooling deterministic_flash_attn global_attn_every_n_layers
    global_rope_theta initializer_cutoff_factor local_attention local_rope_theta reference_compile
    repad_logits_with_grad sliding_window sparse_pred_ignore_index sparse_prediction
""".split())
MLP_NAMES = entries("*.ffn", gate_up="Wi", down="Wo")
NAMES = {
    "modernbert": (*entries("*.attention", Q_K_V="Wqkv", O="Wo"), *MLP_NAMES),
    "modernbert-decoder": (*entries("*.attention", O="Wo"), *MLP_NAMES),
}


def build(config: Config, name: str) -> Model:
    """A ModernBERT from its configuration: the encoder, or the decoder with its head."""
    encoder = config.model_type == "modernbert"
    task = config.task(CLASSES[config.model_type], "base" if encoder else "causal")
    values = config.dims(DIMS)
    depth = values.pop("L")
    pattern = ["first", *config.kinds("layer_types", KINDS, depth, lambda _: "full_attention")[1:]]
    norm = "layernorm" if config.flag("norm_bias", False) else "layernorm-gain"
    block = layer(config, norm)
    where = "head." if encoder else "lm_head."
    head = Head(transform=f"{where}dense.", norm=f"{where}norm.", decoder="decoder.", bias=None,
                component="lm", norm_kind=norm,
                transform_bias=config.flag("classifier_bias", False),
                decoder_bias=config.flag("decoder_bias", True))
    tied = config.flag("tie_word_embeddings", True)
    config.only("position_embedding_type", "absolute", None)
    config.close(HARMLESS)
    around = Around(top="model.", token="tok_embeddings.", layers="layers.*.", pooler=None,
                    head=head)
    first = tuple(part for part in block if part.path != "norms.attention")
    model = encoder_model(
        config, name, task, values, {"first": first, "later": block}, around, tied=tied,
        pattern=pattern, embedding=(slot("norm", norm, "norm."),),
        after=(slot("norm", norm, "final_norm."),), names=NAMES[config.model_type])
    if not encoder:
        model = replace(model, part="all" if task == "causal" else "without the head", stacks=tuple(
            replace(stack, causal=True) for stack in model.stacks))
    sliding = Sliding(key="local_attention", default=128, halved=not encoder, rule=all_but_every(
        3, 0, "global_attn_every_n_layers"))
    return with_positions(with_windows(model, config, sliding), "rope")


def layer(config: Config, norm: str) -> Block:
    """A layer after the first."""
    return (slot("attention", "mha", "attn.", bias=config.flag("attention_bias", False)),
            slot("ffn", "geglu", "mlp.", bias=config.flag("mlp_bias", False)),
            slot("norms.attention", norm, "attn_norm."), slot("norms.ffn", norm, "mlp_norm."))
