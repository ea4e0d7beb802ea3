"""Tensors of models whose code transformers does not have: written down from their own modules.

Each function writes out the parameters of one ``modeling_*.py``, name by name, for a configuration;
what that code calls a buffer is written apart. See the families for where each is published.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Shapes = dict[str, tuple[int, ...]]
Config = dict[str, Any]


def linear(found: Shapes, name: str, out: int, inner: int, bias: bool = False) -> None:
    """torch.nn.Linear(inner, out, bias)."""
    found[f"{name}.weight"] = (out, inner)
    if bias:
        found[f"{name}.bias"] = (out,)


def swiglu(found: Shapes, name: str, width: int, inner: int, bias: bool = False,
           parts: tuple[str, str, str] = ("gate_proj", "up_proj", "down_proj")) -> None:
    """Three linear layers."""
    gate, up, down = parts
    linear(found, f"{name}.{gate}", inner, width, bias)
    linear(found, f"{name}.{up}", inner, width, bias)
    linear(found, f"{name}.{down}", width, inner, bias)


def attention(found: Shapes, name: str, width: int, heads: int, kv: int, head: int,
              qkv: bool = False, out: bool = False) -> None:
    """Four linear layers as LLaMA calls them."""
    linear(found, f"{name}.q_proj", heads * head, width, qkv)
    linear(found, f"{name}.k_proj", kv * head, width, qkv)
    linear(found, f"{name}.v_proj", kv * head, width, qkv)
    linear(found, f"{name}.o_proj", width, heads * head, out)


def ends(config: Config, found: Shapes, vocab: int, width: int, tied: bool,
         token: str = "embed_tokens", head: str = "lm_head") -> Shapes:
    """The embedding and last norm; a head for the class that has one, names without its prefix
    for the class that has none."""
    found[f"model.{token}.weight"] = (vocab, width)
    found["model.norm.weight"] = (width,)
    if config["architectures"][0].endswith("ForCausalLM"):
        if not tied:
            found[f"{head}.weight"] = (vocab, width)
        return found
    return {name.removeprefix("model."): shape for name, shape in found.items()}


def llama(config: Config, defaults: Config, *, qkv: bool, out: bool, tied: bool) -> Shapes:
    """LLaMA's block, heads splitting the width unless a width of theirs is given."""
    c = {**defaults, **config}
    width, heads = c["hidden_size"], c["num_attention_heads"]
    kv, head = c.get("num_key_value_heads") or heads, c.get("head_dim") or width // heads
    found: Shapes = {}
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}"
        attention(found, f"{at}.self_attn", width, heads, kv, head, qkv, out)
        swiglu(found, f"{at}.mlp", width, c["intermediate_size"])
        found[f"{at}.input_layernorm.weight"] = (width,)
        found[f"{at}.post_attention_layernorm.weight"] = (width,)
    return ends(config, found, c["vocab_size"], width, tied)


SMALL = {"vocab_size": 32000, "hidden_size": 4096, "num_hidden_layers": 32,
         "num_attention_heads": 32, "intermediate_size": 11008}


def minicpm(config: Config) -> Shapes:
    """modeling_minicpm.py: tied unless it says otherwise."""
    bias = config.get("attention_bias", False)
    return llama(config, SMALL, qkv=bias, out=bias,
                 tied=config.get("tie_word_embeddings", True))


def internlm(config: Config) -> Shapes:
    """modeling_internlm.py: one key for four biases, no grouped heads."""
    bias = config.get("bias", True)
    return llama(config, SMALL | {"vocab_size": 103168}, qkv=bias, out=bias,
                 tied=config.get("tie_word_embeddings", False))


def mimo(config: Config) -> Shapes:
    """modeling_mimo.py: Qwen 2, whose three biases are always there."""
    c = {"num_key_value_heads": 32, **config}
    return llama(c, SMALL | {"vocab_size": 151936, "intermediate_size": 22016}, qkv=True,
                 out=False, tied=config.get("tie_word_embeddings", False))


def internlm2(config: Config) -> Shapes:
    """modeling_internlm2.py."""
    c = {**SMALL, "vocab_size": 103168, "bias": True, **config}
    width, heads = c["hidden_size"], c["num_attention_heads"]
    kv, head = c.get("num_key_value_heads") or heads, width // heads
    found: Shapes = {}
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}"
        linear(found, f"{at}.attention.wqkv", (heads + 2 * kv) * head, width, c["bias"])
        linear(found, f"{at}.attention.wo", width, heads * head, c["bias"])
        swiglu(found, f"{at}.feed_forward", width, c["intermediate_size"],
               parts=("w1", "w3", "w2"))
        found[f"{at}.attention_norm.weight"] = (width,)
        found[f"{at}.ffn_norm.weight"] = (width,)
    return ends(config, found, c["vocab_size"], width, c.get("tie_word_embeddings", False),
                "tok_embeddings", "output")


def experts(found: Shapes, at: str, width: int, number: int, inner: int,
            shared: int | None) -> None:
    """A router, networks one by one, shared ones as one."""
    found[f"{at}.gate.weight"] = (number, width)
    for i in range(number):
        swiglu(found, f"{at}.experts.{i}", width, inner)
    if shared is not None:
        swiglu(found, f"{at}.shared_experts", width, inner * shared)


def deepseek(config: Config) -> Shapes:
    """modeling_deepseek.py of DeepSeek-MoE."""
    c = {**SMALL, "vocab_size": 102400, "num_hidden_layers": 30, "num_key_value_heads": 32,
         "moe_intermediate_size": 1407, "moe_layer_freq": 1, "first_k_dense_replace": 0,
         "attention_bias": False, **config}
    width, heads = c["hidden_size"], c["num_attention_heads"]
    kv = heads if c["num_key_value_heads"] is None else c["num_key_value_heads"]
    found: Shapes = {}
    for i in range(c["num_hidden_layers"]):
        at, bias = f"model.layers.{i}", c["attention_bias"]
        attention(found, f"{at}.self_attn", width, heads, kv, width // heads, bias, bias)
        if (c.get("n_routed_experts") is not None and i >= c["first_k_dense_replace"]
                and i % c["moe_layer_freq"] == 0):
            experts(found, f"{at}.mlp", width, c["n_routed_experts"], c["moe_intermediate_size"],
                    c.get("n_shared_experts"))
        else:
            swiglu(found, f"{at}.mlp", width, c["intermediate_size"])
        found[f"{at}.input_layernorm.weight"] = (width,)
        found[f"{at}.post_attention_layernorm.weight"] = (width,)
    return ends(config, found, c["vocab_size"], width, c.get("tie_word_embeddings", False))


def bailing(config: Config, c: Config, second: bool) -> Shapes:
    """What modeling_bailing_moe.py and modeling_bailing_moe_v2.py have alike, and the norms of the
    second."""
    width, heads, kv = c["hidden_size"], c["num_attention_heads"], c["num_key_value_heads"]
    head = c.get("head_dim") or width // heads
    found: Shapes = {}
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}"
        linear(found, f"{at}.attention.query_key_value", (heads + 2 * kv) * head, width,
               c["use_qkv_bias"])
        linear(found, f"{at}.attention.dense", width, heads * head, c["use_bias"])
        if second and c["use_qk_norm"]:
            found[f"{at}.attention.query_layernorm.weight"] = (head,)
            found[f"{at}.attention.key_layernorm.weight"] = (head,)
        if i >= c["first_k_dense_replace"]:
            experts(found, f"{at}.mlp", width, c["num_experts"], c["moe_intermediate_size"],
                    c["num_shared_experts"])
        else:
            swiglu(found, f"{at}.mlp", width, c["intermediate_size"])
        found[f"{at}.input_layernorm.weight"] = (width,)
        found[f"{at}.post_attention_layernorm.weight"] = (width,)
    return ends(config, found, c["vocab_size"], width, c.get("tie_word_embeddings", False),
                "word_embeddings")


def bailing_moe(config: Config) -> Shapes:
    """modeling_bailing_moe.py."""
    return bailing(config, {
        "vocab_size": 30592, "hidden_size": 1024, "num_hidden_layers": 24,
        "num_attention_heads": 16, "num_experts": 16, "num_shared_experts": 0,
        "use_qkv_bias": False, "use_bias": True, "first_k_dense_replace": 0, **config}, False)


def bailing_moe_v2(config: Config) -> Shapes:
    """modeling_bailing_moe_v2.py."""
    return bailing(config, {
        "vocab_size": 157184, "hidden_size": 2048, "intermediate_size": 5120,
        "num_hidden_layers": 20, "num_attention_heads": 16, "num_key_value_heads": 4,
        "use_qkv_bias": False, "use_bias": False, "num_experts": 256, "num_shared_experts": 1,
        "moe_intermediate_size": 512, "first_k_dense_replace": 1, "head_dim": 128,
        "use_qk_norm": True, **config}, True)


def deci(config: Config) -> Shapes:
    """modeling_decilm.py of DeciLM-7B."""
    c = {**SMALL, **config}
    width, heads = c["hidden_size"], c["num_attention_heads"]
    found: Shapes = {}
    for i, kv in enumerate(c["num_key_value_heads_per_layer"]):
        at = f"model.layers.{i}"
        bias = c.get("attention_bias", False)
        attention(found, f"{at}.self_attn", width, heads, kv, width // heads, bias, bias)
        swiglu(found, f"{at}.mlp", width, c["intermediate_size"], c.get("mlp_bias", False))
        found[f"{at}.input_layernorm.weight"] = (width,)
        found[f"{at}.post_attention_layernorm.weight"] = (width,)
    return ends(config, found, c["vocab_size"], width, c.get("tie_word_embeddings", False))


def up_to(number: int, multiple: int) -> int:
    """The number, or the next multiple."""
    return number if number % multiple == 0 else number + multiple - number % multiple


def nemotron_nas(config: Config) -> Shapes:
    """modeling_decilm.py of Llama-Nemotron."""
    c = {**SMALL, **config}
    width, heads = c["hidden_size"], c["num_attention_heads"]
    found: Shapes = {}
    for i, block in enumerate(c["block_configs"]):
        at, first, second = f"model.layers.{i}", block["attention"], block["ffn"]
        if not first.get("no_op", False):
            found[f"{at}.input_layernorm.weight"] = (width,)
            bias = c.get("attention_bias", False)
            if first.get("replace_with_linear", False):
                linear(found, f"{at}.self_attn.linear_attn", width, width)
            else:
                attention(found, f"{at}.self_attn", width, heads,
                          heads // first["n_heads_in_group"], width // heads, bias, bias)
        if not second.get("no_op", False):
            found[f"{at}.post_attention_layernorm.weight"] = (width,)
            if second.get("replace_with_linear", False):
                linear(found, f"{at}.mlp.linear_mlp", width, width)
            else:
                inner = up_to(int(2 * second["ffn_mult"] * width / 3), 256)
                swiglu(found, f"{at}.mlp", width, inner, c.get("mlp_bias", False))
    return ends(config, found, c["vocab_size"], width, c.get("tie_word_embeddings", False))


def delta(found: Shapes, at: str, width: int, c: Config) -> None:
    """KimiDeltaAttention of Kimi K3, with use_full_rank_gate."""
    heads, head, kernel = c["num_heads"], c["head_dim"], c["short_conv_kernel_size"]
    inner = heads * head
    for letter in "qkv":
        linear(found, f"{at}.{letter}_proj", inner, width)
        found[f"{at}.{letter}_conv1d.weight"] = (inner, 1, kernel)
    linear(found, f"{at}.f_a_proj", head, width)
    linear(found, f"{at}.f_b_proj", inner, head)
    linear(found, f"{at}.b_proj", heads, width)
    linear(found, f"{at}.g_proj", inner, width)
    linear(found, f"{at}.o_proj", width, inner)
    found |= {f"{at}.A_log": (heads,), f"{at}.dt_bias": (inner,), f"{at}.o_norm.weight": (head,)}


def latent(found: Shapes, at: str, width: int, c: Config) -> None:
    """KimiMLAAttention of Kimi K3, with mla_use_output_gate."""
    heads, nope, rope = c["num_attention_heads"], c["qk_nope_head_dim"], c["qk_rope_head_dim"]
    values, rank = c["v_head_dim"], c["kv_lora_rank"]
    if c["q_lora_rank"] is None:
        linear(found, f"{at}.q_proj", heads * (nope + rope), width)
    else:
        linear(found, f"{at}.q_a_proj", c["q_lora_rank"], width)
        found[f"{at}.q_a_layernorm.weight"] = (c["q_lora_rank"],)
        linear(found, f"{at}.q_b_proj", heads * (nope + rope), c["q_lora_rank"])
    linear(found, f"{at}.kv_a_proj_with_mqa", rank + rope, width)
    found[f"{at}.kv_a_layernorm.weight"] = (rank,)
    linear(found, f"{at}.kv_b_proj", heads * (nope + values), rank)
    linear(found, f"{at}.o_proj", width, heads * values)
    linear(found, f"{at}.g_proj", heads * values, width)


def kimi_k3(config: Config) -> Shapes:
    """The language model of modeling_kimi_linear.py as it is published with Kimi K3."""
    c = config["text_config"]
    width, narrow, inner = (c[key] for key in (
        "hidden_size", "routed_expert_hidden_size", "moe_intermediate_size"))
    top = "language_model.model"
    found: Shapes = {f"{top}.embed_tokens.weight": (c["vocab_size"], width),
                     "language_model.lm_head.weight": (c["vocab_size"], width),
                     f"{top}.norm.weight": (width,),
                     f"{top}.output_attn_res_norm.weight": (width,),
                     f"{top}.output_attn_res_proj.weight": (1, width)}
    for i in range(c["num_hidden_layers"]):
        at = f"{top}.layers.{i}"
        for name in ("input_layernorm", "post_attention_layernorm", "self_attention_res_norm",
                     "mlp_res_norm"):
            found[f"{at}.{name}.weight"] = (width,)
        for name in ("self_attention_res_proj", "mlp_res_proj"):
            linear(found, f"{at}.{name}", 1, width)
        if i + 1 in c["linear_attn_config"]["kda_layers"]:
            delta(found, f"{at}.self_attn", width, c["linear_attn_config"])
        else:
            latent(found, f"{at}.self_attn", width, c)
        if i < c["first_k_dense_replace"]:
            swiglu(found, f"{at}.mlp", width, c["intermediate_size"])
            continue
        at += ".block_sparse_moe"
        found[f"{at}.gate.weight"] = (c["num_experts"], width)
        for number in range(c["num_experts"]):
            swiglu(found, f"{at}.experts.{number}", narrow, inner, parts=("w1", "w3", "w2"))
        swiglu(found, f"{at}.shared_experts", width, inner * c["num_shared_experts"])
        linear(found, f"{at}.routed_expert_down_proj", narrow, width)
        linear(found, f"{at}.routed_expert_up_proj", width, narrow)
        found[f"{at}.routed_expert_norm.weight"] = (narrow,)
    return found


#: Model type to what lists its parameters.
LISTED: dict[str, Callable[[Config], Shapes]] = {
    "bailing_moe": bailing_moe, "bailing_moe_v2": bailing_moe_v2, "deci": deci,
    "deepseek": deepseek, "internlm": internlm, "internlm2": internlm2, "kimi_k3": kimi_k3,
    "mimo": mimo, "minicpm": minicpm, "nemotron-nas": nemotron_nas}


def buffers(config: Config, parameters: Shapes) -> Shapes:
    """The tensors that a checkpoint holds beside the parameters: balancing vectors, which nothing
    trains (Kimi K3's code calls them parameters)."""
    name = {"bailing_moe_v2": "expert_bias", "kimi_k3": "e_score_correction_bias"}.get(
        config["model_type"])
    return {} if name is None else {
        each.removesuffix("weight") + name: shape[:1] for each, shape in parameters.items()
        if each.endswith((".mlp.gate.weight", ".block_sparse_moe.gate.weight"))}
