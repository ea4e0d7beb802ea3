"""Nemotron-H and Nemotron 3: each layer one mixer, Mamba-2, attention, FFN or a mixture.

Source: NVIDIA 2025, arXiv:2504.03624; transformers, models/nemotron_h.
"""

from __future__ import annotations

from symparam.components import find
from symparam.constraints import Equation
from symparam.descriptions.assembling.assemble import Block, Places, classes, decoder_model, slot
from symparam.descriptions.config import MAX_LAYERS, Config
from symparam.descriptions.families.mamba import mamba_bias
from symparam.descriptions.families.qwen3_next import leave_out_mtp
from symparam.descriptions.harmless import NO_TABLE, SCAN
from symparam.expression import Sym
from symparam.layout import entry
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("nemotron_h",)
CLASSES = classes("NemotronH")
DIMS = {
    "V": ("vocab_size", 131072), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", 8),
    "d_head": ("head_dim", 128), "d_ff": ("intermediate_size", 21504),
    "n_ssm_heads": ("mamba_num_heads", 128), "d_ssm_head": ("mamba_head_dim", 64),
    "d_state": ("ssm_state_size", 128), "n_groups": ("mamba_n_groups", "n_groups", 8),
    "k_conv": ("mamba_d_conv", "conv_kernel", 4),
    "n_experts": ("n_routed_experts", "num_local_experts", 8),
    "top_k": ("num_experts_per_tok", 2), "d_expert": ("moe_intermediate_size", 7688),
    "d_shared": ("moe_shared_expert_intermediate_size", 7688),
    "d_latent": ("moe_latent_size", None),
}
HARMLESS = NO_TABLE | SCAN | frozenset("""
    expand mamba_dt_init_floor mamba_dt_limit mamba_dt_max mamba_dt_min mamba_expand
    mamba_hidden_act mamba_proj_bias mamba_ssm_cache_dtype mlp_hidden_act moe_shared_expert_overlap
    mtp_hybrid_override_pattern mtp_layers_block_type sliding_window time_step_rank
""".split())
LETTERS = {"M": "mamba", "E": "sparse", "*": "attention", "-": "dense"}
KINDS = {"linear_attention": "mamba", "mamba": "mamba", "full_attention": "attention",
         "attention": "attention", "moe": "sparse", "mlp": "dense"}
NAMES = (entry("*.ffn", "X_up", ".experts.up_proj"), entry("*.ffn", "X_down", ".experts.down_proj"))
WIDTH = Equation("d_inner", Sym("n_ssm_heads") * Sym("d_ssm_head"), "heads make the inner width")


def build(config: Config, name: str) -> Model:
    """A Nemotron-H: its layers by a pattern of letters or a list."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS, nullable=("n_kv",))
    pattern = _pattern(config)
    bias = mamba_bias(config.flag("use_bias", False), _conv_bias(config))
    dense_bias = config.flag("mlp_bias", False)
    if dense_bias and "sparse" in pattern:
        raise config.error("mlp_bias", "biases of shared experts are not understood")
    config.only("attention_bias", False)
    config.only("tie_word_embeddings", False)
    config.only("attention_head_dim", values["d_head"])
    config.only("n_shared_experts", 1)
    config.only("num_hidden_layers", len(pattern), None)
    leave_out_mtp(config, "num_nextn_predict_layers")
    config.close(HARMLESS)
    return decoder_model(config, name, task, values,
                         _blocks(bias, dense_bias, latent="d_latent" in values),
                         pattern=pattern, final_norm=find("norm", "rmsnorm")(), positions="none",
                         names=NAMES, equations=[WIDTH],
                         places=Places(token="embeddings.", final_norm="norm_f."))


def _conv_bias(config: Config) -> bool:
    """The older of two names outranks the newer."""
    newer = config.flag("use_conv_bias", True)
    return config.flag("mamba_conv_bias", newer) if "mamba_conv_bias" in config else newer


def _pattern(config: Config) -> list[str]:
    key = "layer_types" if "layer_types" in config else "layers_block_type"
    if key == "layer_types" and "layers_block_type" in config:
        raise config.error(key, "the kinds of layer are given twice: layers_block_type")
    letters = config.raw("hybrid_override_pattern", None)
    names = config.raw(key, None)
    if names is None and letters is not None:
        return _by_letters(config, letters)
    if names is None:
        return ["mamba", "sparse", "attention", "dense"]
    if not isinstance(names, list) or not 0 < len(names) <= MAX_LAYERS:
        raise config.error(key, "expected a list of kinds of layer")
    return config.kinds(key, KINDS, len(names), lambda _: "mlp")


def _by_letters(config: Config, letters: object) -> list[str]:
    key = "hybrid_override_pattern"
    if not isinstance(letters, str) or not 0 < len(letters) <= MAX_LAYERS:
        raise config.error(key, f"expected a text of the letters {' '.join(LETTERS)}")
    for letter in letters:
        if letter not in LETTERS:
            raise config.error(key, f"{letter!r} is not a kind of layer that is understood; "
                               f"handled: {' '.join(LETTERS)}")
    return [LETTERS[letter] for letter in letters]


def _blocks(bias: list[str], dense_bias: bool, *, latent: bool) -> dict[str, Block]:
    norm = Slot("norms.input", find("norm", "rmsnorm")(), "norm.")
    sparse = slot("ffn", "latent-moe", "mixer.") if latent else slot(
        "ffn", "moe", "mixer.", gated=False, balance=True, shared=True)
    return {"mamba": (slot("mixer", "mamba2", bias=bias), norm),
            "attention": (slot("attention", "gqa", "mixer."), norm),
            "dense": (slot("ffn", "mlp", "mixer.", bias=dense_bias), norm),
            "sparse": (sparse, norm)}
