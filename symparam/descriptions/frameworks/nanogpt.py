"""nanoGPT: the fields of ``GPTConfig``, from JSON, YAML or the lines of a Python file.

Source: karpathy/nanoGPT, model.py (GPTConfig, GPT) and config/train_gpt2.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symparam.components import find
from symparam.descriptions.assemble import Places, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.layout import entries
from symparam.model import Model

NAME = "nanoGPT"
PLACES = Places(top="transformer.", token="wte.", layers="h.*.", final_norm="ln_f.")
NAMES = (*entries("*.attention", Q_K_V="c_attn", O="c_proj"),
         *entries("*.ffn", up="c_fc", down="c_proj"))
DIMS = {"V": ("vocab_size", 50304), "L": ("n_layer", 12), "d_model": ("n_embd", 768),
        "n_heads": ("n_head", 12), "n_ctx": ("block_size", 1024)}
HARMLESS = frozenset("""
    dropout
    out_dir eval_interval log_interval eval_iters eval_only always_save_checkpoint init_from
    wandb_log wandb_project wandb_run_name dataset gradient_accumulation_steps batch_size
    learning_rate max_iters weight_decay beta1 beta2 grad_clip decay_lr warmup_iters
    lr_decay_iters min_lr backend device compile
""".split())


def recognised(file: str, data: Mapping[str, Any]) -> bool:
    """Whether a table is one of nanoGPT's: GPT-2's names, and what transformers' has not."""
    return {"n_layer", "n_head", "n_embd"} <= data.keys() and "model_type" not in data and bool(
        {"block_size", "bias", "dropout"} & data.keys()) and "padded_vocab_size" not in data


def build(config: Config, name: str) -> Model:
    """A GPT-2 with or without its biases; the norms lose their shifts with them."""
    task = config.task({"GPT": "causal"}, "causal")
    values = config.dims(DIMS)
    bias = config.flag("bias", True)
    config.close(HARMLESS)
    norm = "layernorm" if bias else "layernorm-gain"
    block = (slot("attention", "mha", "attn.", bias=bias), slot("ffn", "mlp", "mlp.", bias=bias),
             slot("norms.attention", norm, "ln_1."), slot("norms.ffn", norm, "ln_2."))
    return decoder_model(config, name, task, values, block, tied=True, positions=None,
                         final_norm=find("norm", norm)(), places=PLACES, names=NAMES,
                         embedding=(slot("positions", "learned", "wpe."),))
