"""Small models of the architectures that GGUF files are read of, as transformers builds them.

``python -m tests.gguf_models > tests/data/gguf.json`` writes them anew, with torch and transformers
installed: the keys of each configuration, names and shapes of what its module has on ``meta``.
"""

from __future__ import annotations

import json
from typing import Any

COMMON: dict[str, Any] = {
    "vocab_size": 320, "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "tie_word_embeddings": False,
    "pad_token_id": None, "bos_token_id": 1, "eos_token_id": 2}
MOE = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 256}
LATENT = {"q_lora_rank": 256, "kv_lora_rank": 256, "qk_nope_head_dim": 64, "qk_rope_head_dim": 32,
          "v_head_dim": 96, "num_key_value_heads": 4, "n_routed_experts": 4, "n_shared_experts": 1,
          "num_experts_per_tok": 2, "moe_intermediate_size": 256, "first_k_dense_replace": 1,
          "n_group": 1, "topk_group": 1}

#: What GGUF calls the architecture, and the model's keys; COMMON unless they are whole.
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("llama", COMMON | {"model_type": "llama"}),
    "llama, biases, tied": ("llama", COMMON | {
        "model_type": "llama", "attention_bias": True, "tie_word_embeddings": True}),
    "mistral nemo": ("llama", COMMON | {"model_type": "mistral", "head_dim": 32}),
    "mixtral": ("llama", COMMON | {"model_type": "mixtral", "num_local_experts": 4,
                                   "num_experts_per_tok": 2}),
    "qwen2": ("qwen2", COMMON | {"model_type": "qwen2", "tie_word_embeddings": True}),
    "qwen2moe": ("qwen2moe", COMMON | MOE | {
        "model_type": "qwen2_moe", "shared_expert_intermediate_size": 512}),
    "qwen3": ("qwen3", COMMON | {"model_type": "qwen3", "head_dim": 96}),
    "qwen3moe": ("qwen3moe", COMMON | MOE | {"model_type": "qwen3_moe", "head_dim": 96}),
    "gemma": ("gemma", COMMON | {"model_type": "gemma", "head_dim": 96,
                                 "tie_word_embeddings": True}),
    "gemma2": ("gemma2", COMMON | {"model_type": "gemma2", "head_dim": 96,
                                   "tie_word_embeddings": True, "sliding_window": 64}),
    "gemma3": ("gemma3", COMMON | {"model_type": "gemma3_text", "head_dim": 96,
                                   "tie_word_embeddings": True, "sliding_window": 64,
                                   "num_hidden_layers": 7}),
    "phi2": ("phi2", COMMON | {"model_type": "phi", "num_key_value_heads": 4}),
    "phi3": ("phi3", COMMON | {"model_type": "phi3"}),
    "deepseek2": ("deepseek2", COMMON | LATENT | {"model_type": "deepseek_v2"}),
    "deepseek v3": ("deepseek2", COMMON | LATENT | {"model_type": "deepseek_v3"}),
    "deepseek lite": ("deepseek2", COMMON | LATENT | {
        "model_type": "deepseek_v2", "q_lora_rank": None}),
    "gpt2": ("gpt2", {"model_type": "gpt2", "vocab_size": 320, "n_embd": 256, "n_layer": 3,
                      "n_head": 4, "n_positions": 96, "n_inner": 768}),
    "falcon": ("falcon", {"model_type": "falcon", "vocab_size": 320, "hidden_size": 256,
                          "num_hidden_layers": 3, "num_attention_heads": 4}),
    "falcon 40b": ("falcon", {
        "model_type": "falcon", "vocab_size": 320, "hidden_size": 256, "num_hidden_layers": 3,
        "num_attention_heads": 4, "num_kv_heads": 2, "new_decoder_architecture": True}),
    "command-r": ("command-r", COMMON | {"model_type": "cohere", "tie_word_embeddings": True}),
    "command-r+": ("command-r", COMMON | {"model_type": "cohere", "tie_word_embeddings": True,
                                          "use_qk_norm": True}),
    "cohere2": ("cohere2", COMMON | {"model_type": "cohere2", "tie_word_embeddings": True,
                                     "sliding_window": 64, "num_hidden_layers": 4}),
    "mamba": ("mamba", {"model_type": "mamba", "vocab_size": 320, "hidden_size": 256,
                        "num_hidden_layers": 3, "state_size": 16, "conv_kernel": 4,
                        "time_step_rank": 32}),
    "gptneox": ("gptneox", {
        "model_type": "gpt_neox", "vocab_size": 320, "hidden_size": 256, "intermediate_size": 768,
        "num_hidden_layers": 3, "num_attention_heads": 4}),
    "olmo2": ("olmo2", COMMON | {"model_type": "olmo2"}),
    "starcoder2": ("starcoder2", COMMON | {"model_type": "starcoder2", "use_bias": True,
                                           "tie_word_embeddings": True}),
}


def built(config: dict[str, Any]) -> dict[str, list[int]]:
    """Names and shapes of what transformers builds of a configuration; a tied tensor once."""
    import torch
    from transformers import AutoModelForCausalLM
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    made = CONFIG_MAPPING[config["model_type"]].from_dict(dict(config))
    with torch.device("meta"):
        module = AutoModelForCausalLM.from_config(made)
    module.tie_weights()
    found = {name: list(each.shape) for name, each in module.named_parameters()}
    return found | {name: list(each.shape) for name, each in module.named_buffers()
                    if name.endswith("e_score_correction_bias")}


if __name__ == "__main__":
    rows = [json.dumps({"name": name, "architecture": kind, "config": config,
                        "tensors": built(config)}) for name, (kind, config) in MODELS.items()]
    print("[\n" + ",\n".join(rows) + "\n]")
