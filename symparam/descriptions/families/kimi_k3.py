"""Kimi K3's language model: Kimi Linear with gates, experts in a narrower width, and residuals
that attend to earlier blocks of layers.

Source: modeling_kimi_linear.py and configuration_kimi_k3.py as published with moonshotai/Kimi-K3;
Kimi Team 2025, arXiv:2510.26692 (the mixers).
"""

from __future__ import annotations

from dataclasses import replace

from symparam.components import find
from symparam.descriptions.assembling.assemble import Block, Places, decoder_model, slot
from symparam.descriptions.assembling.latent import first_dense, latent_attention, latent_dims
from symparam.descriptions.config import Config
from symparam.descriptions.families import kimi_linear
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.layout import entry
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("kimi_k3",)
CLASSES = {"KimiK3ForConditionalGeneration": "causal"}
DIMS = {
    "V": ("vocab_size", 163840), "L": ("num_hidden_layers", None),
    "d_model": ("hidden_size", None), "n_heads": ("num_attention_heads", None),
    "d_ff": ("intermediate_size", None), "n_experts": ("num_experts", None),
    "top_k": ("num_experts_per_token", None), "d_expert": ("moe_intermediate_size", None),
    "d_latent": ("routed_expert_hidden_size", None),
    **latent_dims(None, 512, 128, 64, 128),
}
PLACES = Places(top="language_model.model.", head="language_model.lm_head.")
EXPERTS = {"X_gate": "w1", "X_up": "w3", "X_down": "w2"}
NAMES = (*(entry("*.experts", matrix, f".experts.*.{name}.weight")
           for matrix, name in EXPERTS.items()),
         entry("*.experts", "W_down", ".routed_expert_down_proj.weight"),
         entry("*.experts", "W_up", ".routed_expert_up_proj.weight"),
         entry("*.experts", "g_latent", ".routed_expert_norm.weight"),
         entry("*.output_gate", "W_G", ".g_proj.weight"))
#: Keys of the language model that say again what the code does, or change no weight.
UNUSED = kimi_linear.UNUSED | NO_TABLE | frozenset("""
    activation_situ_beta activation_situ_linear_beta add_cross_attention
    cross_attention_hidden_size head_dim is_decoder num_key_value_heads scoring_func topk_method
""".split())
OUTER = frozenset("ignore_index image_placeholder media_placeholder_token_id".split())


def build(config: Config, name: str) -> Model:
    """Kimi K3's language model from its configuration; its tower for images is left out."""
    task = config.task(CLASSES, "causal")
    config.only("tie_word_embeddings", False)
    text = config.part("text_config", "kimi_linear")
    config.raw("vision_config", None)
    config.left_out.append("the tower for images and its projector (vision_config)")
    text.raw("architectures", None)
    values = text.dims(DIMS)
    values["d_shared"] = text.count_of("num_shared_experts") * text.count_of(
        "moe_intermediate_size")
    model = _text(text, name, task, values)
    config.close(OUTER)
    return replace(model, part="text")


def _text(text: Config, name: str, task: str, values: dict[str, int]) -> Model:
    kinds = first_dense(text, values["L"], 1)
    linear = text.table("linear_attn_config")
    if linear.raw("use_full_rank_gate", False) is not True:
        raise linear.error("use_full_rank_gate", "a gate through a rank is not understood here")
    mixers = kimi_linear.mixers_of(text, values, ("use_full_rank_gate", "gate_lower_bound"))
    text.only("mla_use_output_gate", True)
    text.only("latent_moe_use_norm", True)
    text.only("tie_word_embeddings", False)
    text.only("num_nextn_predict_layers", 0)
    text.count_of("attn_res_block_size")
    blocks = _blocks(latent_attention(text, values))
    text.left_out.append("products of the residuals, which attend to earlier blocks of layers")
    text.close(UNUSED)
    return decoder_model(text, name, task, values, blocks, positions="none", places=PLACES,
                         pattern=[f"{m}_{k}" for m, k in zip(mixers, kinds, strict=True)],
                         final_norm=find("norm", "rmsnorm")(), names=NAMES,
                         after=(slot("residual", "attention", "output_attn_"),))


def _blocks(latent: Slot) -> dict[str, Block]:
    """Each mixer with each network, and what stands around both."""
    gate = slot("output_gate", "numbers", None, {"d_head": "d_v"}, kind="output-gate")
    mixers: dict[str, Block] = {"full": (latent, gate), "linear": (slot("mixer", "kda-gate"),)}
    ffns = {"dense": slot("ffn", "swiglu"), "sparse": slot(
        "experts", "latent-moe", "block_sparse_moe.", kind="ffn", gated=True, normed=True)}
    around = (*norm_slots(find("norm", "rmsnorm")(), 2),
              slot("residual.attention", "attention", "self_attention_"),
              slot("residual.ffn", "attention", "mlp_"))
    return {f"{mixer}_{kind}": (*slots, ffn, *around)
            for mixer, slots in mixers.items() for kind, ffn in ffns.items()}
