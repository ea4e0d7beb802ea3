"""Bamba: Mamba-2 layers with a few attentions among them, each with a dense FFN.

Source: IBM, Princeton, CMU and UIUC 2024, Bamba model card; transformers, models/bamba.
"""

from __future__ import annotations

from symparam.components import find
from symparam.constraints import Equation
from symparam.descriptions.assembling.assemble import Block, Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.families.mamba import inner_width, mamba_bias
from symparam.descriptions.harmless import NO_TABLE, SCAN
from symparam.descriptions.reading.source import shown
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("bamba",)
CLASSES = classes("Bamba")
#: The state-space mixer's keys and defaults, as Granite and Falcon-H1 have them too.
SSM_DIMS = {"n_ssm_heads": ("mamba_n_heads", 128), "n_groups": ("mamba_n_groups", 1),
            "d_state": ("mamba_d_state", 256), "k_conv": ("mamba_d_conv", 4)}
DIMS = {
    "V": ("vocab_size", 128000), "L": ("num_hidden_layers", 32), "d_model": ("hidden_size", 4096),
    "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", 8),
    "d_head": ("head_dim", None), "d_ff": ("intermediate_size", 14336), **SSM_DIMS,
}
HARMLESS = NO_TABLE | SCAN | {"z_loss_coefficient"}


def build(config: Config, name: str) -> Model:
    """A Bamba; the layers that attend are listed by number."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS, nullable=("n_kv",))
    depth = config.number("num_hidden_layers", values.pop("L"))
    attends = layer_numbers(config, "attn_layer_indices")
    bias = mamba_bias(config.flag("mamba_proj_bias", False), config.flag("mamba_conv_bias", True))
    rules = split_into_heads(config, values)
    blocks = _blocks(bias, config.flag("attention_bias", False), config.flag("mlp_bias", False))
    tied = config.flag("tie_word_embeddings", False)
    config.close(HARMLESS)
    return decoder_model(config, name, task, values, blocks,
                         pattern=["attention" if i in attends else "mamba" for i in range(depth)],
                         final_norm=find("norm", "rmsnorm")(), tied=tied, equations=rules,
                         places=Places(final_norm="final_layernorm."))


def layer_numbers(config: Config, key: str) -> frozenset[int]:
    """A list of layers by their numbers; none where it is missing or null."""
    value = config.raw(key, None)
    if value is None:
        return frozenset()
    if not isinstance(value, list) or any(type(each) is not int for each in value):
        raise config.error(key, f"expected a list of layer numbers, found {shown(value)}")
    return frozenset(value)


def split_into_heads(config: Config, values: dict[str, int],
                     width: int | None = None) -> list[Equation]:
    """The rule for the inner width, after a look at whether the heads split it.

    Args:
        config: it has ``mamba_expand`` and ``mamba_d_head``.
        values: dims that were read.
        width: the inner width where the configuration states it.
    """
    expand = config.count_of("mamba_expand", default=2)
    inner = width or expand * values["d_model"]
    heads = values["n_ssm_heads"]
    if inner % heads:
        raise config.error("mamba_n_heads", f"{heads} heads do not split the inner width {inner}")
    config.only("mamba_d_head", "auto", inner // heads)
    return [] if width else [inner_width(expand)]


def _blocks(bias: list[str], attention_bias: bool, ffn_bias: bool) -> dict[str, Block]:
    norm = find("norm", "rmsnorm")()
    rest = (slot("ffn", "swiglu", "feed_forward.", bias=ffn_bias),
            Slot("norms.mixer", norm, "input_layernorm."),
            Slot("norms.ffn", norm, "pre_ff_layernorm."))
    return {"attention": (slot("attention", "gqa", bias=attention_bias), *rest),
            "mamba": (slot("mixer", "mamba2", "mamba.", bias=bias), *rest)}
