"""nanoGPT: the settings of a run, in Python as train.py takes them, or fields of ``GPTConfig``.

What a file leaves out is train.py's in a run (no biases), the class's in its fields (biases).

Source: karpathy/nanoGPT at 3adf61e, train.py, model.py (GPTConfig, GPT), config and data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.reading.python_file import CLASS
from symparam.descriptions.reading.source import Taken, shown
from symparam.layout import entries
from symparam.model import Model

NAME = "nanoGPT"
PLACES = Places(top="transformer.", token="wte.", layers="h.*.", final_norm="ln_f.")
NAMES = (*entries("*.attention", Q_K_V="c_attn", O="c_proj"),
         *entries("*.ffn", up="c_fc", down="c_proj"))
DIMS = {"V": ("vocab_size", None), "L": ("n_layer", None), "d_model": ("n_embd", None),
        "n_heads": ("n_head", None), "n_ctx": ("block_size", None)}
#: Defaults of the class (model.py, GPTConfig), and of a run that sets no other (train.py).
FIELDS = {"vocab_size": 50304, "n_layer": 12, "n_head": 12, "n_embd": 768, "block_size": 1024,
          "bias": True}
RUN = FIELDS | {"bias": False}
#: What a run that begins with OpenAI's weights has, whatever its settings (GPT.from_pretrained).
PRETRAINED = {name: {"n_layer": layers, "n_head": heads, "n_embd": width} for name, layers, heads,
              width in (("gpt2", 12, 12, 768), ("gpt2-medium", 24, 16, 1024),
                        ("gpt2-large", 36, 20, 1280), ("gpt2-xl", 48, 25, 1600))}
#: Tokens of the data sets that have a script of their own: GPT-2's, rounded up (train.py), but for
#: one of letters (data/shakespeare_char/readme.md).
TOKENS = {"openwebtext": 50304, "shakespeare": 50304, "shakespeare_char": 65}
#: What a run is told besides, and a model is not.
SETTINGS = frozenset("""
    out_dir eval_interval log_interval eval_iters eval_only always_save_checkpoint init_from
    wandb_log wandb_project wandb_run_name dataset gradient_accumulation_steps batch_size
    learning_rate max_iters weight_decay beta1 beta2 grad_clip decay_lr warmup_iters
    lr_decay_iters min_lr backend device compile
""".split())
HARMLESS = SETTINGS | {"dropout", "dtype", "seed", CLASS}


def recognised(file: str, data: Mapping[str, Any]) -> bool:
    """Whether a table is one of nanoGPT's: GPT-2's names, and what transformers' has not; a Python
    file may leave all of them to train.py."""
    if {"model_type", "padded_vocab_size"} & data.keys():
        return False
    if file.endswith(".py"):
        return len(data.keys() & (SETTINGS | RUN.keys())) > 1
    return {"n_layer", "n_head", "n_embd"} <= data.keys() and bool(
        {"block_size", "bias", "dropout"} & data.keys())


def build(config: Config, name: str) -> Model:
    """A GPT-2 with or without its biases; the norms lose their shifts with them."""
    task = config.task({"GPT": "causal"}, "causal")
    _fill(config)
    values = config.dims(DIMS)
    bias = config.flag("bias", True)
    config.close(HARMLESS)
    norm = "layernorm" if bias else "layernorm-gain"
    block = (slot("attention", "mha", "attn.", bias=bias), slot("ffn", "mlp", "mlp.", bias=bias),
             slot("norms.attention", norm, "ln_1."), slot("norms.ffn", norm, "ln_2."))
    return decoder_model(config, name, task, values, block, tied=True, positions=None,
                         final_norm=find("norm", norm)(), places=PLACES, names=NAMES,
                         embedding=(slot("positions", "learned", "wpe."),))


def _fill(config: Config) -> None:
    """Put in what the file leaves out: by the class where it states a model, by train.py where it
    states a run."""
    run = CLASS not in config and (config.where.endswith(".py") or bool(
        SETTINGS & config.data.keys()))
    given = dict(config.data)
    begins = config.text("init_from", "scratch") if run else "scratch"
    if begins in PRETRAINED:
        length = config.count_of("block_size") if "block_size" in config else 1024
        fixed = {**PRETRAINED[begins], "vocab_size": 50257, "bias": True,
                 "block_size": min(length, 1024)}
        given |= {key: Taken(value, f"init_from = {begins}") for key, value in fixed.items()}
    elif begins != "scratch":
        raise config.error("init_from", f"{shown(begins)}: a checkpoint says what the model is; "
                           f"handled: scratch, {', '.join(PRETRAINED)}")
    elif run and "vocab_size" not in given:
        data = config.text("dataset", "openwebtext")
        if data in TOKENS:
            given["vocab_size"] = Taken(TOKENS[data], f"of the data set {data}")
        else:
            config.ask("V", f"data/{data[:60]}/meta.pkl says how many tokens there are, 50304 "
                       "where there is none: add V=...")
    where = "train.py's default" if run else "model.py's default"
    for key, value in (RUN if run else FIELDS).items():
        if key != "vocab_size" or not run:
            given.setdefault(key, Taken(value, where))
    config.data = given
