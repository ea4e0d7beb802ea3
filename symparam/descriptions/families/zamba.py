"""Zamba and Zamba2: a state-space backbone with a few shared transformer blocks that come back.

Source: Glorioso et al. 2024, arXiv:2405.16712 and arXiv:2411.15242; transformers, models/zamba
and models/zamba2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from symparam import expression as ex
from symparam.components import find
from symparam.constraints import Equation
from symparam.descriptions.assembling.assemble import Block, Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.families.mamba import inner_width, mamba_bias, rank_or_auto
from symparam.descriptions.harmless import NO_TABLE, SCAN
from symparam.descriptions.options import with_positions
from symparam.descriptions.reading.source import shown
from symparam.errors import the
from symparam.layout import entry
from symparam.model import Model
from symparam.stack import Repeat, Slot, Stack

MODEL_TYPES = ("zamba", "zamba2")
CLASSES = {"zamba": classes("Zamba"), "zamba2": classes("Zamba2")}
DIMS = {
    "zamba": {"V": ("vocab_size", 32000), "L": ("num_hidden_layers", 76),
              "d_model": ("hidden_size", 3712), "d_ff": ("intermediate_size", 14848),
              "n_heads": ("num_attention_heads", 16), "n_kv": ("num_key_value_heads", 16),
              "d_head": ("attention_head_dim", "head_dim", None),
              "d_concat": ("attention_hidden_size", None), "n_ssm_heads": ("n_mamba_heads", 2),
              "d_state": ("mamba_d_state", 16), "k_conv": ("mamba_d_conv", 4)},
    "zamba2": {"V": ("vocab_size", 32000), "L": ("num_hidden_layers", 54),
               "d_model": ("hidden_size", 2560), "d_ff": ("intermediate_size", None),
               "n_heads": ("num_attention_heads", 32), "n_kv": ("num_key_value_heads", None),
               "d_head": ("attention_head_dim", "head_dim", None),
               "d_concat": ("attention_hidden_size", None), "n_ssm_heads": ("n_mamba_heads", 8),
               "n_groups": ("mamba_ngroups", 1), "d_state": ("mamba_d_state", 64),
               "k_conv": ("mamba_d_conv", 4), "r_adapter": ("adapter_rank", 128)},
}
HARMLESS = NO_TABLE | SCAN | frozenset("""
    hidden_mamba_act kv_channels num_query_groups use_conv_bias use_long_context use_mem_eff_path
""".split())
KINDS = {"linear_attention": "mamba", "mamba": "mamba", "hybrid": "hybrid"}
FUSED = tuple(entry("*.ffn", f"{kind}_gate {kind}_up", f".gate_up_proj.{word}")
              for kind, word in (("W", "weight"), ("b", "bias")))
SAME_KV = Equation("n_kv", ex.Sym("n_heads"), "as many key-value heads as query heads")
FOUR = Equation("d_ff", ex.Num(4) * ex.Sym("d_model"), "the usual expansion")


def build(config: Config, name: str) -> Model:
    """A Zamba: its shared blocks are stored once and applied at every hybrid layer."""
    second = config.model_type == "zamba2"
    task = config.task(CLASSES[config.model_type], "causal")
    values = config.dims(DIMS[config.model_type])
    expand = config.count_of("mamba_expand", default=2)
    if second:
        # the convolution has a bias whatever use_conv_bias says
        bias = mamba_bias(config.flag("add_bias_linear", False), convolution=True)
        config.only("mamba_headdim", expand * values["d_model"] // values["n_ssm_heads"])
    else:
        values |= rank_or_auto(config, "mamba_dt_rank")
        bias = mamba_bias(config.flag("mamba_proj_bias", False),
                          config.flag("mamba_conv_bias", True))
    pattern = _pattern(config, values.pop("L"), second=second)
    hybrids = [i for i, kind in enumerate(pattern) if kind == "hybrid"]
    if second:
        _check_ids(config, hybrids)
    shared = _shared(config, len(hybrids), second=second)
    rope = config.flag("use_mem_rope", False) if second else False
    config.only("tie_word_embeddings", True)
    config.close(HARMLESS)
    mixer = "mamba2" if second else "mamba-heads"
    model = decoder_model(config, name, task, values, _blocks(mixer, bias), pattern=pattern,
                          final_norm=find("norm", "rmsnorm")(), tied=True, positions=None,
                          names=FUSED if second else (),
                          equations=[inner_width(expand), SAME_KV, FOUR],
                          places=Places(final_norm="final_layernorm."))
    return with_positions(_with_shared(model, shared, hybrids, task), "rope" if rope else "none")


def _pattern(config: Config, depth: int, *, second: bool) -> list[str]:
    key = "layer_types" if "layer_types" in config else "layers_block_type"
    if key == "layer_types" and "layers_block_type" in config:
        raise config.error(key, "the kinds of layer are given twice: layers_block_type")
    listed, usual = config.raw(key, None) is not None, _usual(config, second=second)
    if not listed and (depth != 54 if second else depth < 3):
        raise config.error(key, f"missing: which of {depth} layers are hybrid is not known")
    return config.kinds(key, KINDS, depth, lambda i: (
        "hybrid" if usual(i) else "linear_attention"))


def _check_ids(config: Config, hybrids: list[int]) -> None:
    """Refuse a list of hybrid layers that says otherwise than the kinds of layer."""
    given = config.raw("hybrid_layer_ids", hybrids)
    if given != hybrids or any(type(i) is not int for i in given):
        few = ", ".join(map(str, hybrids[:12])) + ", ..." * (len(hybrids) > 12)
        raise config.error("hybrid_layer_ids", f"expected [{few}], the layers that are hybrid by "
                           f"their kinds, found {_numbers(given)}")


def _numbers(value: Any) -> str:
    if not isinstance(value, list) or any(type(each) is not int for each in value):
        return shown(value)
    return f"[{', '.join(map(str, value[:12]))}{', ...' * (len(value) > 12)}]"


def _usual(config: Config, *, second: bool) -> Callable[[int], bool]:
    """Whether a layer is hybrid where there is no list: in Zamba the third, then periodically."""
    if second:
        return {*range(6, 43, 6), 47, 51}.__contains__
    period = config.count_of("attn_layer_period", default=6)
    offset = config.number("attn_layer_offset", 4)
    return lambda i: i == 2 or (i > 2 and (i - 3) % period == offset)


def _blocks(mixer: str, bias: list[str]) -> dict[str, Block]:
    norm = find("norm", "rmsnorm")()
    join = slot("linear", "linear", "linear.", {"d_embed": "d_model"}, kind="projection")
    return {"mamba": (slot("mixer", mixer, "mamba.", bias=bias),
                      Slot("norms.input", norm, "input_layernorm.")),
            "hybrid": (join, slot("mixer", mixer, "mamba_decoder.mamba.", bias=bias),
                       Slot("norms.input", norm, "mamba_decoder.input_layernorm."))}


def _shared(config: Config, hybrids: int, *, second: bool) -> tuple[Block, Block, int]:
    """The shared block, the adapters of each use, and how many blocks are stored."""
    norm = find("norm", "rmsnorm")()
    bias = config.flag("add_bias_linear", False) if second else False
    block = (slot("attention", "concatenated"), slot("ffn", "geglu", "feed_forward.", bias=bias),
             Slot("norms.attention", norm, "input_layernorm.", {"d_model": "d_concat"}),
             Slot("norms.ffn", norm, "pre_ff_layernorm."))
    if not second:
        return block, (), min(hybrids, 1)
    adapters = [slot("adapter.ffn", "gate-up", kind="adapter")]
    if config.flag("use_shared_attention_adapter", False):
        adapters += [slot(f"adapter.{each}", "square", f"self_attn.linear_{each}_adapter_list.*.",
                          {"d_model": "d_concat"}, kind="adapter") for each in "qkv"]
    return block, tuple(adapters), min(hybrids, config.count_of("num_mem_blocks", default=1))


def _with_shared(model: Model, shared: tuple[Block, Block, int], hybrids: list[int],
                 task: str) -> Model:
    block, adapters, stored = shared
    if not stored:
        return model
    hybrid = next(s for s in model.stacks if any(slot.path == "linear" for slot in s.slots))
    uses, copies = the(Repeat, hybrid.repeat).stored, ex.Num(stored)
    name = "shared_transformer" if adapters else "shared_transf"
    top = "model.layers." if task == "causal" else "layers."
    first = tuple(hybrids[:stored])  # where each is stored
    stacks = [Stack("layers[shared]", block, Repeat(copies, uses, copies), f"{top}*.{name}.",
                    first)]
    if adapters:  # stored with the shared block that they belong to, one for each use
        places = tuple((first[i % stored], i) for i in range(len(hybrids)))
        stacks.append(Stack("layers[adapters]", adapters, Repeat.times(uses), f"{top}*.{name}.",
                            places=places))
    last = max(i for i, stack in enumerate(model.stacks) if stack.repeat) + 1
    return replace(model, stacks=(*model.stacks[:last], *stacks, *model.stacks[last:]))
