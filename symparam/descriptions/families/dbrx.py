"""DBRX: sixteen experts in every layer, stored as one matrix of all their rows.

Source: Databricks 2024, model card of databricks/dbrx-base; transformers, models/dbrx.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.layout import entry
from symparam.model import Model

MODEL_TYPES = ("dbrx",)
CLASSES = {"DbrxForCausalLM": "causal", "DbrxModel": "base"}
DIMS = {
    "V": ("vocab_size", 32000), "L": ("n_layers", "num_hidden_layers", 24),
    "d_model": ("d_model", 2048),
    "n_heads": ("n_heads", "num_attention_heads", 16),
}
EXPERTS = {"d_expert": ("ffn_hidden_size", 3584), "n_experts": ("moe_num_experts", 4),
           "top_k": ("moe_top_k", 1)}
HARMLESS = NO_TABLE | {"max_seq_len"}
IN_FFN = frozenset("""
    ffn_act_fn hidden_size moe_jitter_eps moe_loss_weight moe_normalize_expert_weights
    uniform_expert_assignment
""".split())
PLACES = Places(top="transformer.", token="wte.", layers="blocks.*.", final_norm="norm_f.")
NAMES = (
    entry("*.attention", "W_Q W_K W_V", ".Wqkv.weight"),
    entry("*.attention", "W_O", ".out_proj.weight"),
    entry("*.ffn", "W_router", ".router.layer.weight"),
    entry("*.ffn", "X_gate", ".experts.mlp.w1", joined=True),
    entry("*.ffn", "X_up", ".experts.mlp.v1", joined=True),
    entry("*.ffn", "X_down", ".experts.mlp.w2", transposed=True, joined=True),
)


def build(config: Config, name: str) -> Model:
    """A DBRX from its configuration, with a table each for attention and experts."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS) | _parts(config)
    config.only("hidden_size", None, values["d_model"])
    config.only("tie_word_embeddings", False)
    config.only("num_key_value_heads", None, values["n_kv"])
    config.close(HARMLESS)
    norm = find("norm", "layernorm-gain")()
    block = (slot("attention", "gqa", "norm_attn_norm.attn."), slot("ffn", "moe", "ffn."),
             slot("norms.attention", "layernorm-gain", "norm_attn_norm.norm_1."),
             slot("norms.ffn", "layernorm-gain", "norm_attn_norm.norm_2."))
    return decoder_model(config, name, task, values, block, final_norm=norm, places=PLACES,
                         names=NAMES)


def _parts(config: Config) -> dict[str, int]:
    """What the two tables inside a configuration say; defaults where one is missing."""
    found: dict[str, int] = {}
    tables = {"attn_config": ({"n_kv": ("kv_n_heads", 1)}, frozenset()),
              "ffn_config": (EXPERTS, IN_FFN)}
    for key, (dims, harmless) in tables.items():
        if config.raw(key, None) is None:
            config.defaulted += [f"{key}.{each} = {n}" for each, n in dims.values()]
            found |= {dim: n for dim, (_, n) in dims.items()}
        else:
            part = config.part(key, "")
            found |= part.dims(dims)
            part.only("architectures", None)
            part.close(harmless)
    return found
