"""Gemma 3n's language model: streams, learned residuals, per-layer embeddings, shared keys.

The last layers use keys and values of layers below; layers may differ in the width of their FFN.

Source: transformers, models/gemma3n; Baykal et al. 2023, arXiv:2301.13310 (alternating updates).
"""

from __future__ import annotations

from symparam import expression as ex
from symparam.components import find
from symparam.constraints import Equation
from symparam.descriptions.assembling.assemble import Block, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding, all_but_every
from symparam.descriptions.config import Config
from symparam.descriptions.families.gemma4 import first_shared
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.options import norm_slots
from symparam.descriptions.reading.source import shown
from symparam.model import Model

MODEL_TYPES = ("gemma3n_text",)
CLASSES = {"Gemma3nForCausalLM": "causal", "Gemma3nTextModel": "base"}
DIMS = {
    "V": ("vocab_size", 262400), "d_model": ("hidden_size", 2048),
    "n_heads": ("num_attention_heads", 8), "n_kv": ("num_key_value_heads", 2),
    "d_head": ("head_dim", 256), "V_small": ("vocab_size_per_layer_input", 262144),
    "d_small": ("hidden_size_per_layer_input", 256), "n_streams": ("altup_num_inputs", 4),
    "r_laurel": ("laurel_rank", 64),
}
HARMLESS = NO_TABLE | frozenset("""
    activation_sparsity_pattern altup_active_idx altup_coef_clip altup_correct_scale
    rope_local_base_freq sliding_window
""".split())
KINDS = {"sliding_attention": "sliding", "full_attention": "full"}
MORE = Equation("n_more", ex.Sym("n_streams") - ex.Num(1), "the streams beside the first")
SLIDING = Sliding(default=512, rule=all_but_every(5))


def build(config: Config, name: str) -> Model:
    """A Gemma 3n from its configuration; its head is tied unless that says otherwise."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    if values["n_streams"] < 2:
        raise config.error("altup_num_inputs", "a single stream is not understood")
    depth = config.count_of("num_hidden_layers", default=35)
    kinds = config.kinds("layer_types", KINDS, depth,
                         lambda i: "sliding_attention" if (i + 1) % 5 else "full_attention")
    shared = first_shared(config, kinds, 15)
    widths = _widths(config, depth)
    one = len(set(widths)) == 1
    own = [("shared" if i >= shared else "own") + f"_{w}" * (not one)
           for i, w in enumerate(widths)]
    bias = config.flag("attention_bias", False)
    tied = config.flag("tie_word_embeddings", True)
    config.close(HARMLESS)
    inner = {w: "d_ff" if one else f"d_ff_{w}" for w in widths}
    blocks = {kind: _block("shared-kv" if kind.startswith("shared") else "gqa", bias,
                           inner[widths[own.index(kind)]]) for kind in own}
    return decoder_model(
        config, name, task, values | {dim: w for w, dim in inner.items()}, blocks, pattern=own,
        tied=tied, final_norm=find("norm", "rmsnorm")(), equations=(MORE,),
        embedding=(slot("per-layer-embedding", "per-layer", ""),
                   slot("streams", "stream-projections")),
        after=(slot("streams", "stream-projections", "altup_unembed_projections."),),
        windows=SLIDING)


def _block(attention: str, bias: bool, d_ff: str) -> Block:
    bound = {} if d_ff == "d_ff" else {"d_ff": d_ff}
    return (slot("attention", attention, bias=bias, qk_norm=True),
            slot("ffn", "geglu", None, bound), *norm_slots(find("norm", "rmsnorm")(), 4),
            slot("streams", "altup"), slot("residual", "laurel"),
            slot("per-layer-input", "gated", ""))


def _widths(config: Config, depth: int) -> list[int]:
    """The inner width of each layer: one for all, or a list."""
    value = config.raw("intermediate_size", 16384)
    if not isinstance(value, list):
        return [config.count_of("intermediate_size", default=16384)] * depth
    if len(value) != depth:
        raise config.error("intermediate_size", f"expected {depth} widths, found {len(value)}")
    for each in value:
        if type(each) is not int or each < 1:
            raise config.error("intermediate_size", f"{shown(each)} is not a width")
    return value
