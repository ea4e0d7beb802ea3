"""Models whose code transformers does not have; ``tests/oracle/published_code`` builds them."""

from __future__ import annotations

from typing import Any

from tests.differential.decoders import all_heads, decoder
from tests.differential.draw import Config, Draw
from tests.differential.families.deepseek import latent
from tests.differential.mixture import experts


def internlm2(draw: Draw) -> Config:
    """Biases unless told otherwise."""
    config = all_heads(draw, decoder(draw, "InternLM2", free=False))
    draw.maybe(config, bias=draw.flag(), attn_implementation="eager")
    return config


def internlm(draw: Draw) -> Config:
    """No grouped heads."""
    config = decoder(draw, "InternLM", free=False, grouped=False)
    draw.maybe(config, bias=draw.flag(), rotary={"base": 10000, "type": "dynamic"})
    return config


def minicpm(draw: Draw) -> Config:
    """Scales that are no weights, a tied head by default."""
    config = all_heads(draw, decoder(draw, "MiniCPM", free=False))
    draw.maybe(config, attention_bias=draw.flag(), scale_emb=12, dim_model_base=256,
               scale_depth=1.4, mup_denominator=32, sparse_config={"kernel_size": 32})
    return config


def mimo(draw: Draw) -> Config:
    """Three biases whatever is said; prediction layers, which are left out."""
    config = decoder(draw, "MiMo")
    draw.maybe(config, attention_bias=draw.flag(), num_nextn_predict_layers=draw.between(0, 2),
               use_sliding_window=False)
    return config


def deepseek(draw: Draw) -> Config:
    """With experts or without; sparse from a layer on, each or one of several."""
    config = all_heads(draw, decoder(draw, "Deepseek", free=False))
    config.setdefault("num_key_value_heads", None)  # missing, it is 32
    draw.maybe(config, attention_bias=draw.flag(), moe_layer_freq=draw.between(1, 3),
               first_k_dense_replace=draw.between(0, 3), norm_topk_prob=draw.flag(),
               scoring_func="softmax")
    if draw.between(0, 3):
        config = experts(draw, config, "n_routed_experts")
        draw.maybe(config, moe_intermediate_size=draw.prime(),
                   n_shared_experts=draw.one_of(None, 1, 2))
    return config


def _bailing(draw: Draw, stem: str) -> Config:
    config = decoder(draw, stem)
    config["moe_intermediate_size"] = draw.prime()
    draw.maybe(config, use_qkv_bias=draw.flag(), use_bias=draw.flag(), norm_head=draw.flag(),
               first_k_dense_replace=draw.between(0, 3), num_shared_experts=draw.between(1, 3))
    return config


def bailing_moe(draw: Draw) -> Config:
    """A bias of the output unless told otherwise; no shared experts unless told."""
    config = _bailing(draw, "BailingMoe")
    config.setdefault("intermediate_size", draw.prime())
    config.setdefault("num_shared_experts", None)
    return experts(draw, config, "num_experts")


def bailing_moe_v2(draw: Draw) -> Config:
    """Norms of queries and keys unless told otherwise, a balancing vector."""
    config = _bailing(draw, "BailingMoeV2")
    config.setdefault("head_dim", draw.one_of(None, draw.size(2)))
    draw.maybe(config, use_qk_norm=draw.flag(), mtp_loss_scaling_factor=0)
    return experts(draw, config, "num_experts")


def deci(draw: Draw) -> Config:
    """Key-value heads layer by layer."""
    config = decoder(draw, "DeciLM", free=False, grouped=False)
    config.setdefault("num_hidden_layers", draw.depth())
    heads = config.setdefault("num_attention_heads", 32)
    config["num_key_value_heads_per_layer"] = draw.pattern(
        [n for n in (1, 2, 3, heads) if heads % n == 0], config["num_hidden_layers"])
    draw.maybe(config, attention_bias=draw.flag(), mlp_bias=draw.flag())
    return config


def nemotron_nas(draw: Draw) -> Config:
    """Each part whole, one matrix, or not there."""
    config = decoder(draw, "DeciLM", free=False, grouped=False)
    config.setdefault("num_hidden_layers", draw.depth())
    config |= {"intermediate_size": None, "num_key_value_heads": None}
    heads = config.setdefault("num_attention_heads", 32)

    def part(size: str, *sizes: Any) -> Config:
        kind = draw.one_of("whole", "whole", "no_op", "replace_with_linear")
        said = {"no_op": kind == "no_op", "replace_with_linear": kind == "replace_with_linear",
                "sparsify": None}
        return {size: draw.one_of(*sizes) if kind == "whole" else None, **said}

    config["block_configs"] = [
        {"attention": part("n_heads_in_group", *(n for n in (1, 2, 3) if heads % n == 0)),
         "ffn": part("ffn_mult", 0.5, 1.3125, 5.25, 100)}
        for _ in range(config["num_hidden_layers"])]
    draw.maybe(config, attention_bias=draw.flag(), mlp_bias=draw.flag())
    return config


def kimi_k3(draw: Draw) -> Config:
    """Delta and latent attention in any order, ranks or none."""
    text = latent(draw, "KimiLinear", (7, None))
    for key in ("architectures", "attention_bias", "tie_word_embeddings", "rope_interleave"):
        text.pop(key, None)
    kinds = draw.pattern(("kda_layers", "full_attn_layers"), text["num_hidden_layers"])
    text["linear_attn_config"] = {
        "num_heads": draw.between(1, 5), "head_dim": draw.prime(), "short_conv_kernel_size": 4,
        "use_full_rank_gate": True, "gate_lower_bound": -5.0,
        **{kind: [i + 1 for i, each in enumerate(kinds) if each == kind]
           for kind in ("kda_layers", "full_attn_layers")}}
    text |= {"moe_intermediate_size": draw.prime(), "routed_expert_hidden_size": draw.prime(),
             "num_shared_experts": draw.between(1, 3), "mla_use_output_gate": True,
             "latent_moe_use_norm": True, "attn_res_block_size": 2, "hidden_act": "situ",
             "first_k_dense_replace": draw.between(0, text["num_hidden_layers"])}
    text.setdefault("q_lora_rank", None)
    text = experts(draw, text, "num_experts", used="num_experts_per_token")
    return {"architectures": ["KimiK3ForConditionalGeneration"], "text_config": text,
            "vision_config": {"vt_hidden_size": 1024}}


DRAWN = {"bailing_moe": bailing_moe, "bailing_moe_v2": bailing_moe_v2, "deci": deci,
         "deepseek": deepseek, "internlm": internlm, "internlm2": internlm2,
         "kimi_k3": kimi_k3, "mimo": mimo, "minicpm": minicpm, "nemotron-nas": nemotron_nas}
