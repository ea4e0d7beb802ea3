"""GPT-NeoX: the YAML that a run is launched with, its keys with dashes or underscores.

A gated network has two thirds of the width that is stated, rounded up to a multiple. The library
numbers its modules in one row; here layers are counted from zero, and what stands before and after
them has its own name.

Source: EleutherAI/gpt-neox at ea7aefd, megatron/neox_arguments (names and defaults), megatron/model
(gpt2_model.py, transformer.py, norms.py, word_embeddings.py), megatron/tokenizer/tokenizer.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from symparam.component import Component
from symparam.components import find
from symparam.descriptions.assembling.assemble import Block, Places, decoder_model, slot
from symparam.descriptions.assembling.windows import Sliding
from symparam.descriptions.config import REQUIRED, Config
from symparam.descriptions.neox_keys import BESIDE
from symparam.descriptions.reading.source import shown
from symparam.layout import entries, entry
from symparam.model import Model
from symparam.stack import Slot

NAME = "GPT-NeoX"
PLACES = Places(top="", token="word_embeddings.", layers="layers.*.", final_norm="norm.",
                head="final_linear.")
NAMES = (*entries("*.attention", Q_K_V="query_key_value", O="dense"),
         *entries("*.ffn", down="linear2"))
#: The gate stands behind what it is multiplied with (transformer.py, Gated_Activation).
JOINED, ALONE = entries("*.ffn", up_gate="linear1"), entries("*.ffn", up="linear1")
SCALES = tuple(entry(f"*.{place}", "gain", ".scale")
               for place in ("norms.attention", "norms.ffn", "norm"))
DIMS = {"L": ("num_layers", REQUIRED), "d_model": ("hidden_size", REQUIRED),
        "n_heads": ("num_attention_heads", REQUIRED), "n_kv": ("num_kv_heads", None)}
#: What changes no weight and the function, and has no place elsewhere.
HARMLESS = frozenset({"apply_query_key_layer_scaling", "attention_softmax_in_fp32"})
NORMS = {"layernorm": "layernorm", "rmsnorm": "rmsnorm", "non_parametric_layernorm": "none"}
GATED = ("geglu", "reglu", "bilinear", "swiglu", "glu")
PLAIN = ("gelu", "relu", "softsign", "swish", "mish", "silu")
#: Kinds of attention with the usual projections; those of the second row see some of the tokens.
FULL = ("global", "flash")
SPARSE = ("local", "sparse_fixed", "sparse_variable", "bslongformer", "bigbird")
#: What changes the weights where it is on, in ways that are not understood.
OFF: dict[str, tuple[Any, ...]] = {
    "use_qk_layernorm": (False,), "te_layernorm_mlp": (False,), "te_mha": (False,),
    "te_fp8_mha": (False,), "use_mup": (False,), "moe_num_experts": (1,),
    "opt_pos_emb_offset": (0,), "num_unique_layers": (None,), "soft_prompt_tuning": (None, {})}


def recognised(file: str, data: Mapping[str, Any]) -> bool:
    """Whether a table has GPT-NeoX's keys: Megatron's three, and one of its own."""
    keys = normal(data).keys()
    return {"num_layers", "hidden_size", "num_attention_heads"} <= keys and bool(
        {"pos_emb", "norm", "no_weight_tying", "pipe_parallel_size"} & keys)


def normal(data: Mapping[str, Any]) -> dict[str, Any]:
    """Keys with underscores, however they are written."""
    return {str(key).replace("-", "_"): value for key, value in data.items()}


def build(config: Config, name: str) -> Model:
    """A decoder; its vocabulary is the tokenizer's, padded, and left open where nobody says it."""
    task = config.task({"GPT2ModelPipe": "causal"}, "causal")
    values = config.dims(DIMS) | _vocabulary(config)
    for key, allowed in OFF.items():
        config.only(key, *allowed)
    windows = _windows(config, _kinds(config))
    kind, norm = _norm(config)
    attention = slot("attention", "gqa", "attention.",
                     bias=config.flag("use_bias_in_attn_linear", True))
    network, names = _network(config, values)
    tied = not config.flag("no_weight_tying", False)
    positions, told = _positions(config, values)
    config.close(BESIDE)
    block = (attention, network, Slot("norms.attention", norm, "input_layernorm."),
             Slot("norms.ffn", norm, "post_attention_layernorm."))
    return decoder_model(config, name, task, values, block, tied=tied, final_norm=norm,
                         places=PLACES, embedding=positions, positions=told, windows=windows,
                         names=(*NAMES, *names, *(SCALES if kind == "rmsnorm" else ())))


def _vocabulary(config: Config) -> dict[str, int]:
    """The padded vocabulary where it is stated; else what it is a multiple of is told."""
    step = config.count_of("make_vocab_size_divisible_by", default=128) * config.count_of(
        "model_parallel_size", default=1)
    if config.raw("padded_vocab_size", None) is not None:
        return {"V": config.count_of("padded_vocab_size")}
    config.ask("V", "the file does not say how many tokens there are (the tokenizer does): "
               f"add V=..., a multiple of {step}", step)
    return {}


def _norm(config: Config) -> tuple[str, Component]:
    kind = config.text("norm", "layernorm")
    if kind not in NORMS:
        raise config.error("norm", f"{kind[:40]!r} is not understood; handled: {', '.join(NORMS)}")
    return NORMS[kind], find("norm", NORMS[kind])()


def _kinds(config: Config) -> set[str]:
    """The kinds of attention that there are: ``[[["local", "global"], 6], [["flash"], "all"]]``."""
    listed = config.raw("attention_config", None)
    groups = [[["global"], "all"]] if listed is None else listed
    found: set[str] = set()
    for group in groups if isinstance(groups, list) else [groups]:
        names = group[0] if isinstance(group, list) and len(group) == 2 else [group]
        for each in names if isinstance(names, list) else [names]:
            if each not in FULL + SPARSE:
                raise config.error("attention_config", f"{shown(each)} is not understood; handled: "
                                   f"{', '.join(FULL + SPARSE)}")
            found.add(each)
    return found


def _windows(config: Config, kinds: set[str]) -> Sliding | None:
    """The window of every layer with flash attention: so many tokens back, and its own."""
    width = config.optional_count("sliding_window_width")
    if kinds & set(SPARSE) or (width is not None and kinds != {"flash"}):
        config.left_out.append("which tokens a layer sees: what layers keep is counted as if they "
                               "saw all")
        return None
    return Sliding(key="sliding_window_width", more=1) if width is not None else None


def _positions(config: Config, values: dict[str, int]) -> tuple[Block, str | None]:
    """A table of positions, or how they are told without one."""
    kind = config.text("pos_emb", "learned")
    if kind == "learned":
        values["n_ctx"] = config.count_of("max_position_embeddings")
        return (slot("positions", "learned", "position_embeddings."),), None
    without = {"rotary": "rope", "alibi": "alibi", "sinusoidal": "sinusoidal", "none": None}
    if kind not in without:
        raise config.error("pos_emb", f"{kind[:40]!r} is not understood; handled: learned, "
                           f"{', '.join(without)}")
    return (), without[kind]


def _network(config: Config, values: dict[str, int]) -> tuple[Slot, Any]:
    """The network of a layer, and how its first projection is stored."""
    activation = config.text("activation", "gelu")
    if activation not in GATED + PLAIN:
        raise config.error("activation", f"{activation[:40]!r} is none of "
                           f"{', '.join(GATED + PLAIN)}")
    stated, step = _width(config, values["d_model"]), config.count_of("mlp_multiple_of", default=1)
    gated = activation in GATED
    both = stated * 2 // 3 if gated else stated
    values["d_ff"] = inner = _up(both // 2 if gated else both, step)
    first = _up(both, 2 * step)
    if first != inner * (1 + gated):
        raise config.error("intermediate_size", f"the first projection would have {first} rows and "
                           f"the second {inner} columns, which do not go together")
    bias = config.flag("use_bias_in_mlp", True)
    kind = {"geglu": "geglu"}.get(activation, "swiglu") if gated else "mlp"
    return slot("ffn", kind, "mlp.", bias=bias), JOINED if gated else ALONE


def _width(config: Config, model: int) -> int:
    """The width that is stated, by a number or a factor of the model's."""
    inner = config.optional_count("intermediate_size")
    factor = config.raw("expansion_factor", None)
    if factor is None:
        return inner or 4 * model
    if inner is not None:
        raise config.error("expansion_factor", "stands beside intermediate_size")
    if isinstance(factor, bool) or not isinstance(factor, (int, float)) or not 0 < factor < 1000:
        raise config.error("expansion_factor", f"expected a factor, found {shown(factor)}")
    return int(Fraction(str(factor)) * model)


def _up(number: int, step: int) -> int:
    return -(-number // step) * step
