"""What transformers' own classes hold where a configuration says nothing, of settings alone.

``python -m tests.hf_defaults > tests/data/hf_defaults.json`` writes it anew, with transformers
installed.
"""

from __future__ import annotations

import json
from typing import Any

KINDS = ("llama", "mistral", "mixtral", "qwen2", "qwen3", "qwen3_moe", "olmo2", "gpt2", "gpt_neox")
KEYS = ("rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "max_position_embeddings",
        "hidden_act", "activation_function", "bos_token_id", "eos_token_id", "pad_token_id",
        "initializer_range", "attention_dropout", "hidden_dropout", "attn_pdrop", "resid_pdrop",
        "embd_pdrop", "sliding_window", "use_sliding_window", "norm_topk_prob",
        "use_parallel_residual", "rope_parameters")


def defaults(kind: str) -> dict[str, Any]:
    """The settings of a class's configuration of nothing."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    found = CONFIG_MAPPING[kind]().to_dict()
    return {key: found[key] for key in KEYS if key in found}


if __name__ == "__main__":
    print("{" + ",\n".join(f'"{kind}": {json.dumps(defaults(kind))}' for kind in KINDS) + "}")
