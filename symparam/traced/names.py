"""Names for what a trace finds: a dim for each key of a target, a letter for each matrix.

A key that the field knows gets the field's name (``hidden_size`` is d_model), with what it means
and how it is written; any other keeps its own. What stands in a part of a configuration has that
part's name behind it (``d_model_vision``), so that a whole model's dims are told apart.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import TypeAlias

from symparam import components
from symparam.arithmetic import EXTREMES, MODES
from symparam.dims import AMBIGUOUS, COMMON, TOTAL, Dim, known_dims
from symparam.letters import spelled
from symparam.run import RUN
from symparam.traced.records import Key

Path: TypeAlias = tuple[str | int, ...]

#: Dims of components whose names mean one thing wherever they stand.
_PLAIN = frozenset((
    "n_experts top_k n_shared d_expert d_shared q_rank kv_rank d_nope d_rope d_v d_state dt_rank "
    "k_conv n_ssm_heads d_ssm_head d_inner n_key n_value d_key d_value n_index d_index top_index "
    "d_embed n_buckets n_labels n_mels L_encoder L_decoder n_heads_encoder n_heads_decoder "
    "d_ff_encoder d_ff_decoder n_ctx_encoder n_ctx_decoder window").split())

#: What no component has yet.
_FURTHER = (
    Dim("d_patch", r"d_{\text{patch}}", "side of a patch, in pixels", ("patch_size",)),
    Dim("d_image", r"d_{\text{image}}", "side of a picture, in pixels", (
        "image_size", "img_size")),
    Dim("n_channels", r"n_{\text{channels}}", "channels of what goes in", (
        "num_channels", "in_channels", "in_chans")),
    Dim("d_projection", r"d_{\text{proj}}", "width that is projected to", (
        "projection_dim", "proj_dim", "projection_size")),
    Dim("d_out", r"d_{\text{out}}", "width of what comes out", (
        "out_hidden_size", "output_dim", "out_dim", "output_hidden_size")),
    Dim("n_classes", r"n_{\text{classes}}", "classes that are told apart", (
        "num_classes", "n_class")),
    Dim("k_dense", r"k_{\text{dense}}", "first layers, which are dense", (
        "first_k_dense_replace",)),
)

#: More spellings, of dims that have a name.
_SPELLED = MappingProxyType({
    "mlp_dim": "d_ff", "ff_dim": "d_ff", "dim_feedforward": "d_ff", "feedforward_dim": "d_ff",
    "dim_ff": "d_ff", "encoder_ffn_dim": "d_ff_encoder", "decoder_ffn_dim": "d_ff_decoder",
    "model_dim": "d_model", "dim_model": "d_model", "hidden_dims": "d_model",
    "nhead": "n_heads", "nheads": "n_heads", "attention_heads": "n_heads",
    "num_blocks": "L", "nlayers": "L", "num_key_value": "n_kv",
    **dict.fromkeys(("kv_heads", "kv_head", "heads_kv", "num_kv", "n_kv_head", "num_query_groups"),
                    "n_kv"), "q_heads": "n_heads", "n_query_heads": "n_heads",
    "num_query_heads": "n_heads", "n_block": "L", "ctx": "n_ctx", "seq_len": "n_ctx",
    "dim_head": "d_head",
    "vocabulary_size": "V", "num_tokens": "V", "max_len": "n_ctx", "max_seq_length": "n_ctx",
    "max_length": "n_ctx", "max_sequence_length": "n_ctx", "ctx_len": "n_ctx",
    "moe_num_shared_experts": "n_shared", "moe_topk": "top_k", "experts_top_k": "top_k",
    "num_encoder_layers": "L_encoder", "num_decoder_layers": "L_decoder",
    "conv_kernel_size": "k_conv", "expert_dim": "d_expert",
})

#: Parts of a configuration that are the model itself: their keys need no word behind them.
_MAIN = frozenset({"", "text", "language", "llm", "lm", "model"})

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
#: Names that no dim of a model can have: the total, what the grammar rounds with, and what a
#: sequence, a batch and a run are called, which mean something else in every model.
_RESERVED = frozenset({TOTAL.name, *MODES, *EXTREMES, *AMBIGUOUS,
                       *(name for name in RUN if len(name) == 1)})


@cache
def _aliases() -> dict[str, Dim]:
    components.everything()  # (they declare dims)
    own = {dim.name for dim in COMMON} | _PLAIN
    dims = [*(dim for dim in known_dims() if dim.name in own), *_FURTHER]
    named = {dim.name: dim for dim in dims}
    found = {alias: dim for dim in dims for alias in (dim.name, *dim.aliases)}
    return found | {alias: named[name] for alias, name in _SPELLED.items()}


def known(key: str) -> Dim | None:
    """The dim that the field calls by a key's name; a list's name in the singular.

    >>> known("n_embd").name, known("hidden_sizes").name, known("num_frogs")
    ('d_model', 'd_model', None)
    """
    found = _aliases()
    key = key.lower() if key not in found else key
    return found.get(key) or found.get(key.removesuffix("s"))


def dim_of(path: Path, taken: Collection[str] = ()) -> Dim:
    """The dim of a key: its name, how it is written, what it counts, and the key as an alias.

    Args:
        path: where the target takes it, outermost first.
        taken: names that other keys have already.

    >>> str(dim_of(("vision_config", "hidden_size")).letter)
    'd_model,vision'
    >>> dim_of(("n_embd",)).aliases
    ('n_embd',)
    """
    words = [str(part) for part in path]
    key = next((part for part in reversed(path) if isinstance(part, str)), "n")
    where, numbers = _place(path)
    dim = known(key)
    main = set(where) <= _MAIN
    for outer in ([], where) if main else (where,):
        made = _made(dim, key, [*outer, *numbers])
        if made.name not in taken:
            break
    else:
        made = _made(None, key, [*where, *numbers])
        number = 2
        while made.name in taken:
            made = _made(None, key, [*where, *numbers, str(number)])
            number += 1
    spelled = (".".join(words), *((key,) if main and not numbers else ()))
    return replace(made, aliases=tuple(dict.fromkeys(a for a in spelled if a != made.name)))


def dim_name(path: Path, taken: Collection[str] = ()) -> str:
    """The name of a key as a dim.

    Args:
        path: where the target takes it, outermost first.
        taken: names that other keys have already.

    >>> dim_name(("n_layer",)), dim_name(("vision_config", "hidden_size"))
    ('L', 'd_model_vision')
    >>> dim_name(("depths", 1)), dim_name(("dim",), {"d_model"}), dim_name(("text_config", "frogs"))
    ('L_1', 'dim', 'frogs')
    >>> dim_name(("vision_config", "frogs")), dim_name(("h",)), dim_name(("down",))
    ('vision_frogs', 'n_h', 'n_down')
    """
    return dim_of(path, taken).name


def declared(key: Key) -> Dim:
    """The dim of a key, with the meaning that it has there."""
    found = dim_of(key.path)
    aliases = found.aliases
    if found.name != key.name:
        found = known(key.name) or _made(None, key.name, [])
    return Dim(key.name, found.latex, key.meaning or found.meaning,
               tuple(a for a in (*key.aliases, *aliases) if a != key.name))


def part_of_path(path: Path) -> str:
    """The part of a composite that a key describes; text is what the model itself is.

    >>> part_of_path(("vision_config", "hidden_size")), part_of_path(("text_config", "n"))
    ('vision', 'text')
    >>> part_of_path(("hidden_size",))
    'text'
    """
    where = _place(path)[0]
    return "text" if set(where) <= _MAIN else "_".join(map(_identifier, where))


def _place(path: Path) -> tuple[list[str], list[str]]:
    """The words of the parts that a key stands in, and its numbers in lists."""
    keys = [part for part in path if isinstance(part, str)]
    numbers = [str(part) for part in path if isinstance(part, int)]
    return [re.sub(r"_?(config|cfg)s?$", "", part) for part in keys[:-1]], numbers


def _made(dim: Dim | None, key: str, words: list[str]) -> Dim:
    """A dim with words behind the name that the field has, or before the key's own."""
    words = [_identifier(word) for word in words if word]
    if dim is not None:
        name = "_".join([dim.name, *words])
        meaning = f"{dim.meaning} ({' '.join(words)})" if words else dim.meaning
        return Dim(name, dim.letter.with_words(*words), meaning)
    own = _identifier(key)
    numbers = [word for word in words if word.isdigit()]
    before = [word for word in words if not word.isdigit()]
    name = "_".join([*before, own, *numbers])
    if name in _RESERVED or name.startswith("P_") or not _IDENTIFIER.fullmatch(name):
        name = f"n_{name}"
    return Dim(name, spelled(re.sub("^num_", "n_", name)), f"the target's own {key}")


def _identifier(word: str) -> str:
    return re.sub(r"\W+", "_", word, flags=re.ASCII).strip("_") or "x"


#: What the field calls matrices whose letter does not depend on where they stand.
_LETTERS = {
    "Q": "q_proj query to_q wq q_lin q w_q q_linear query_proj",
    "K": "k_proj key to_k wk k_lin k w_k k_linear key_proj",
    "V": "v_proj value to_v wv v_lin v w_v v_linear value_proj",
    "O": "o_proj to_out out_lin w_o o_linear",
    "QKV": "qkv qkv_proj query_key_value c_attn to_qkv wqkv w_qkv in_proj",
    "KV": "kv_proj kv to_kv key_value c_kv",
    "gate": "gate_proj w_gate wi_0 linear_gate",
    "up": "up_proj w_up wi wi_1 fc1 fc_in c_fc lin1 linear1 intermediate dense_h_to_4h w_in",
    "down": "down_proj w_down fc2 fc_out lin2 linear2 dense_4h_to_h w_out",
    "gate_up": "gate_up_proj", "router": "router",
    "DQ": "q_a_proj", "UQ": "q_b_proj", "DKV": "kv_a_proj_with_mqa kv_a_proj", "UKV": "kv_b_proj",
}
_BY_NAME = {name: letter for letter, names in _LETTERS.items() for name in names.split()}
#: Letters that hang on what the part is.
_BY_PART = {("attention", name): "O" for name in ("out_proj", "c_proj", "dense", "wo", "proj", "o",
                                                  "output", "out")}
_BY_PART |= {("ffn", name): "down" for name in ("c_proj", "wo", "dense", "out_proj", "proj")}


def letter(part: str, module: str) -> str:
    """The letter of a module's matrix where the field has one; its name elsewhere.

    Args:
        part: the kind of the part that it stands in: ``attention``, ``ffn`` ...
        module: the last word of its path: ``q_proj``.

    >>> letter("attention", "q_proj"), letter("ffn", "c_proj"), letter("mixer", "conv1d")
    ('Q', 'down', 'conv1d')
    """
    part = "attention" if part.endswith("attention") else part
    named = _BY_PART.get((part, module)) or _BY_NAME.get(module.lower())
    return named if named and part in {"attention", "ffn"} else _identifier(module)
