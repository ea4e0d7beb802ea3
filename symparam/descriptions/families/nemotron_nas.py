"""Llama-Nemotron and DeciLM: LLaMA's layers, each with key-value heads and a width of its own.

In Llama-Nemotron a layer's attention or network may also be one square matrix, or not be there at
all; a norm stands before each part that is there.

Source: Bercovich et al. 2025, arXiv:2505.00949, section 2.1; Bercovich et al. 2024,
arXiv:2411.19146; modeling_decilm.py and block_config.py as published with
nvidia/Llama-3_3-Nemotron-Super-49B-v1; modeling_decilm.py of Deci/DeciLM-7B.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from symparam.components import find
from symparam.descriptions.assembling.assemble import Block, classes, decoder_model, slot
from symparam.descriptions.assembling.mixture import depth_of
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import NO_TABLE
from symparam.descriptions.reading.source import DataTable, shown
from symparam.errors import BadValue
from symparam.model import Model
from symparam.resolve import whole_number
from symparam.stack import Slot

MODEL_TYPES = ("nemotron-nas", "deci")
CLASSES = classes("DeciLM")
DIMS = {"V": ("vocab_size", 32000), "d_model": ("hidden_size", 4096),
        "n_heads": ("num_attention_heads", 32)}
#: Inner widths are rounded up to a multiple of this.
MULTIPLE = 256
#: A layer: its key-value heads and its inner width; 0 for one square matrix, None for nothing.
Layer = tuple[int | None, int | None]


def build(config: Config, name: str) -> Model:
    """A DeciLM from its configuration, layer by layer."""
    task = config.task(CLASSES, "causal")
    depth = depth_of(config, "num_hidden_layers", 32)
    values = config.dims(DIMS)
    found = (_equal if config.model_type == "deci" else _blocks)(config, values, depth)
    biases = config.flag("attention_bias", False), config.flag("mlp_bias", False)
    tied = config.flag("tie_word_embeddings", False)
    config.close(NO_TABLE)
    kv = _named("n_kv", (heads for heads, _ in found))
    ff = _named("d_ff", (width for _, width in found))
    blocks = {_kind(each): _block(each, kv, ff, biases) for each in found}
    sizes = {dim: size for named in (kv, ff) for size, dim in named.items()}
    return decoder_model(config, name, task, values | sizes, blocks, pattern=[*map(_kind, found)],
                         final_norm=find("norm", "rmsnorm")(), tied=tied)


def _equal(config: Config, values: dict[str, int], depth: int) -> list[Layer]:
    """DeciLM: a list of key-value heads, one width."""
    width = config.count_of("intermediate_size", default=11008)
    config.only("head_dim", None, values["d_model"] // values["n_heads"])
    config.raw("num_key_value_heads", None)  # the list outranks it
    key = "num_key_value_heads_per_layer"
    listed = config.raw(key)
    if not isinstance(listed, list) or len(listed) != depth:
        raise config.error(key, f"expected a number of heads for each of {depth} layers, found "
                           f"{shown(listed)}")
    return [(_whole(config, key, heads), width) for heads in listed]


def _blocks(config: Config, values: dict[str, int], depth: int) -> list[Layer]:
    """Llama-Nemotron: what each block says; sizes of the whole model are null."""
    for key in ("intermediate_size", "num_key_value_heads"):
        config.only(key, None)
    config.only("head_dim", None, values["d_model"] // values["n_heads"])
    config.only("position_embedding_type", "rope")
    blocks = config.tables("block_configs")
    if len(blocks) != depth:
        raise config.error("block_configs", f"expected {depth} blocks, one a layer, found "
                           f"{len(blocks)}")
    found = []
    for block in blocks:
        attention, ffn = block.table("attention"), block.table("ffn")
        block.finish()
        found.append((_heads(attention, values["n_heads"]), _width(ffn, values["d_model"])))
    return found


def _part(part: DataTable, size: str) -> int | float | None:
    """The size that a part says, 0 for one matrix and None for nothing."""
    value: Any = part.raw(size, None)
    absent, square = part.boolean("no_op", False), part.boolean("replace_with_linear", False)
    part.raw("sparsify", None)
    if absent or square:
        return None if absent else 0
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
        raise part.error(size, f"expected a number, found {shown(value)}")
    found: int | float = value
    return found


def _heads(part: DataTable, n_heads: int) -> int | None:
    """Key-value heads, from how many query heads share one."""
    each = _part(part, "n_heads_in_group")
    for key in ("window_length", "num_sink_tokens"):
        if part.raw(key, None) is not None:
            raise part.error(key, "a window of a layer's own is not understood")
    for key in ("unshifted_sink", "use_prefill_window_in_sink_attention"):
        part.raw(key, None)
    part.finish()
    if not each:
        return None if each is None else 0
    if not isinstance(each, int) or n_heads % each:
        raise part.error("n_heads_in_group", f"{shown(each)} does not divide {n_heads} heads")
    return n_heads // each


def _width(part: DataTable, d_model: int) -> int | None:
    """The inner width: two thirds of a multiple of d_model, cut to a whole number as the published
    code does it in floating point, and rounded up."""
    times = _part(part, "ffn_mult")
    part.finish()
    if not times:
        return None if times is None else 0
    return _whole(part, "ffn_mult", -(-int(2 * times * d_model / 3) // MULTIPLE) * MULTIPLE)


def _whole(table: DataTable, key: str, value: Any) -> int:
    try:
        return whole_number(key, value)
    except BadValue as error:
        raise table.error(key, error.problem) from None


def _named(dim: str, sizes: Iterable[int | None]) -> dict[int, str]:
    """Each size with the dim that it is the number of."""
    different = sorted({size for size in sizes if size})
    return {size: dim if len(different) == 1 else f"{dim}_{size}" for size in different}


def _kind(layer: Layer) -> str:
    return "_".join(letter + ("none" if size is None else str(size) if size else "square")
                    for letter, size in zip(("kv", "ff"), layer, strict=True))


def _block(layer: Layer, kv: dict[int, str], ff: dict[int, str],
           biases: tuple[bool, bool]) -> Block:
    heads, width = layer
    block: list[Block] = []
    if heads is not None:
        block.append((slot("attention", "gqa", None, _bound("n_kv", kv[heads]), bias=biases[0])
                      if heads else _square("attention", "self_attn.linear_attn."),
                      slot("norms.attention", "rmsnorm", "input_layernorm.")))
    if width is not None:
        block.append((slot("ffn", "swiglu", None, _bound("d_ff", ff[width]), bias=biases[1])
                      if width else _square("ffn", "mlp.linear_mlp."),
                      slot("norms.ffn", "rmsnorm", "post_attention_layernorm.")))
    return tuple(each for part in block for each in part)


def _bound(dim: str, name: str) -> dict[str, str]:
    return {} if dim == name else {dim: name}


def _square(place: str, prefix: str) -> Slot:
    """One square matrix in place of a part."""
    return slot(f"square.{place}", "linear", prefix, {"d_embed": "d_model"}, kind="projection")
