"""MiMo-V2-Flash: windows with sinks and more key-value heads between layers that see everything.

Source: LLM-Core Xiaomi 2026, arXiv:2601.02780; transformers, models/mimo_v2_flash.
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.components import find
from symparam.constraints import Equation
from symparam.descriptions.assembling.assemble import (
    FUSED_EXPERTS,
    Block,
    classes,
    decoder_model,
    slot,
)
from symparam.descriptions.assembling.mixture import HARMLESS, leave_out_mtp
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import Config
from symparam.descriptions.options import norm_slots
from symparam.model import Model

MODEL_TYPES = ("mimo_v2_flash",)
CLASSES = classes("MiMoV2Flash")
DIMS = {
    "V": ("vocab_size", 152576), "L": ("num_hidden_layers", 48), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 64), "n_kv": ("num_key_value_heads", 4),
    "d_head": ("head_dim", 192), "d_v": ("v_head_dim", 128), "d_ff": ("intermediate_size", 16384),
    "n_experts": ("n_routed_experts", "num_local_experts", 256),
    "top_k": ("num_experts_per_tok", 8), "d_expert": ("moe_intermediate_size", 2048),
}
FURTHER = frozenset("""
    attention_chunk_size attention_value_scale hybrid_block_size scoring_func sliding_window_size
    swa_rope_theta topk_method
""".split())
KINDS = {"full_attention": "full", "sliding_attention": "sliding"}
FFNS = {"dense": "dense", "sparse": "sparse"}
TWICE = Equation("n_kv_sliding", ex.Num(2) * ex.Sym("n_kv"),
                 "layers with a window have twice as many")



def build(config: Config, name: str) -> Model:
    """A MiMo-V2-Flash from its configuration: kinds of layer by window and by experts."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    depth = values.pop("L")
    sees = config.kinds("layer_types", KINDS, depth, lambda i: (
        "sliding_attention" if i and (i + 1) % 6 else "full_attention"))
    ffns = config.kinds("mlp_layer_types", FFNS, depth, lambda i: "sparse" if i else "dense")
    bias = ["qkv"] if config.flag("attention_bias", False) else []
    tied = config.flag("tie_word_embeddings", False)
    _fixed(config, values, sees, ffns)
    leave_out_mtp(config, "num_mtp_layers", "num_nextn_predict_layers")
    config.close(HARMLESS | FURTHER)
    pattern = [f"{kind}_{ffn}" for kind, ffn in zip(sees, ffns, strict=True)]
    return decoder_model(config, name, task, values, _blocks(bias), pattern=pattern, tied=tied,
                         final_norm=find("norm", "rmsnorm")(), names=FUSED_EXPERTS,
                         equations=(TWICE,) if "sliding" in sees else (),
                         windows=_sliding(config, sees))


def _sliding(config: Config, sees: list[str]) -> Sliding:
    """The layers that slide; one of two keys leaves out the token that looks itself."""
    before = config.data.get("sliding_window_size") is not None
    return Sliding(key="sliding_window_size" if before else "sliding_window", default=129,
                   more=int(before), listed="", rule=lambda *_: (
                       i for i, kind in enumerate(sees) if kind == "sliding"))


def _fixed(config: Config, values: dict[str, int], sees: list[str], ffns: list[str]) -> None:
    """Keys of the published configuration that say again what the family's code takes as given."""
    config.only("hybrid_layer_pattern", None, [int(kind == "sliding") for kind in sees])
    config.only("moe_layer_freq", None, [int(ffn == "sparse") for ffn in ffns])
    config.only("swa_num_attention_heads", None, values["n_heads"])
    config.only("swa_num_key_value_heads", None, 2 * values["n_kv"])
    config.only("swa_head_dim", None, values["d_head"])
    config.only("swa_v_head_dim", None, values["d_v"])
    config.only("add_full_attention_sink_bias", False)
    config.only("add_swa_attention_sink_bias", True)
    config.only("n_shared_experts", None, 0)


def _blocks(bias: list[str]) -> dict[str, Block]:
    attention: dict[str, Block] = {
        "full": (slot("attention", "gqa-values", bias=bias),),
        "sliding": (slot("attention", "gqa-values", None, {"n_kv": "n_kv_sliding"}, bias=bias),
                    slot("sinks", "learned")),
    }
    ffns = {"dense": slot("ffn", "swiglu"), "sparse": slot("ffn", "moe", balance=True)}
    norms = norm_slots(find("norm", "rmsnorm")(), 2)
    return {f"{kind}_{ffn}": (*attention[kind], ffns[ffn], *norms)
            for kind in attention for ffn in ffns}
