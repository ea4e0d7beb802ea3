"""Names that a trace's keys and matrices get."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from symparam import expression as ex
from symparam.dims import known_dims
from symparam.expression import Sym
from symparam.grammar import parse_expression
from symparam.letters import MAX_LENGTH, read
from symparam.notation.notation import latex_of
from symparam.run import RUN
from symparam.traced.foundation import sealed
from symparam.traced.model import model_of
from symparam.traced.names import dim_name, dim_of, letter
from symparam.traced.places import _kind, place_of
from symparam.traced.records import Evidence, Key, Trace, TracedRow
from tests.helpers import together, truth

WORDS = st.text("abcdhPNKTst_ é-.", max_size=8)
PATHS = st.lists(st.one_of(WORDS, st.integers(0, 12)), min_size=1, max_size=4).map(tuple)


def test_keys_that_the_field_knows_have_the_fields_names() -> None:
    known = {"n_embd": "d_model", "num_attention_heads": "n_heads", "vocab_size": "V",
             "n_layer": "L", "moe_intermediate_size": "d_expert", "kv_lora_rank": "kv_rank",
             "kv_heads": "n_kv", "num_query_groups": "n_kv", "n_query_heads": "n_heads"}
    assert {key: dim_name((key,)) for key in known} == known


def test_two_keys_never_have_one_name() -> None:
    taken: list[str] = []
    for path in [("hidden_size",), ("dim",), ("text_config", "hidden_size"),
                 ("vision_config", "hidden_size"), ("vision", "hidden_size"), ("depths", 0),
                 ("depth",), ("depths", 1), ("a-b",), ("a_b",)]:
        taken.append(dim_name(path, taken))
    assert len(set(taken)) == len(taken), taken


@given(st.lists(PATHS, max_size=6, unique=True))
def test_every_name_is_one_that_the_grammar_reads_and_no_other_has(paths: list[tuple[str | int,
                                                                             ...]]) -> None:
    taken: list[str] = []
    for path in paths:
        name = dim_name(path, taken)
        assert name not in taken
        taken.append(name)
        assert str(parse_expression(f"2*{name} + down({name})", taken)) == (
            f"2*{name} + down({name})")
        assert name != "P"
        assert not name.startswith("P_")


@given(PATHS)
def test_every_symbol_is_a_letter_of_the_closed_grammar(path: tuple[str | int, ...]) -> None:
    found = dim_of(path).letter
    if len(latex_of(found)) <= MAX_LENGTH:
        assert read(latex_of(found)) == found


@given(PATHS)
def test_a_dim_is_found_by_its_whole_path_and_in_the_main_part_by_its_key(
        path: tuple[str | int, ...]) -> None:
    """A key that has numbers behind it is several dims, and no name of one of them."""
    for outer, main in (((), True), (("text_config",), True), (("vision_config",), False)):
        whole = (*outer, *path)
        found = dim_of(whole)
        names = {found.name, *found.aliases}
        assert ".".join(map(str, whole)) in names
        if path[:-1] == () and isinstance(path[0], str):
            assert (path[0] in names) == (main or path[0] == found.name), (whole, names)
            assert path[0] not in dim_of((*whole, 1)).aliases


def test_a_known_dim_is_written_as_everywhere() -> None:
    usual = {dim.name: dim.letter for dim in known_dims()}
    assert dim_of(("hidden_size",)).letter == usual["d_model"]
    assert latex_of(dim_of(("vision_config", "vocab_size")).letter) == r"V_{\text{vision}}"


@together(("path", "written"), [
    (("vision_config", "hidden_size"), r"d_{\text{model,vision}}"),
    (("vision_config", "dt_rank"), r"r_{\Delta,\text{vision}}"),
    (("num_frogs",), r"n_{\text{frogs}}"),
    (("patch_size_x",), r"\mathit{patch}_{\text{size\ x}}"), (("frogs",), r"\mathit{frogs}")])
def test_words_stand_below_a_letter(path: tuple[str, ...], written: str) -> None:
    assert latex_of(dim_of(path).letter) == written


@together(("part", "module", "shown"), [
    ("attention", "q_proj", "Q"), ("attention", "c_attn", "QKV"), ("attention", "c_proj", "O"),
    ("ffn", "c_proj", "down"), ("ffn", "gate_proj", "gate"), ("mixer", "q_proj", "q_proj")])
def test_a_matrix_has_its_letter_where_it_is_what_the_letter_means(part: str, module: str,
                                                                 shown: str) -> None:
    assert letter(part, module) == shown


@together(("pattern", "prefix", "inner"), [
    ("layers.*.mlp.experts.*.w1.weight", "layers.*.", ["bank"]),
    ("h.*.moe.experts.*.sub.*.w", "h.*.", ["bank", "sub"]),
    ("layers.*.mlp.branches.*.weight", "layers.*.", ["branches"]),
    ("layers.*.attn.w*.weight", "layers.*.", ["w"]), ("layers.*.mlp.w", "layers.*.", [])])
def test_what_stands_several_times_in_a_block_is_a_bank_of_experts_or_has_its_own_word(
        pattern: str, prefix: str, inner: list[str]) -> None:
    counts = tuple(map(Sym, ("L", "n_experts", "n_parts")))[:pattern.count("*")]
    found = place_of(TracedRow(pattern, (Sym("d_model"),), copies=counts))
    assert (found.prefix, found.repeat) == (prefix, Sym("L"))
    assert found.inner == tuple(zip(inner, counts[1:], strict=True))


#: Records of what transformers builds, of many kinds of names.
BUILT = ("hf-base-albert", "hf-base-dinov2", "hf-causal-bloom", "hf-causal-electra",
         "hf-causal-gemma4_text", "hf-causal-kimi_linear", "hf-causal-nanochat", "hf-mlm-luke",
         "hf-seq2seq-led", "hf-seq2seq-audioflamingo3", "hf-causal-qwen2_moe", "hf-causal-trocr",
         "pub-mt5-base", "pub-deberta-v3-base-model", "hf-base-llava")


def traced(record: dict[str, Any]) -> Trace:
    """A trace that lists what a record does; vocabulary and width are dims, the rest numbers."""
    config = record["config"].get("text_config", record["config"])
    sizes = {config.get("vocab_size"): "V", config.get("hidden_size"): "d_model"}

    def row(name: str, shape: list[int], copies: int) -> TracedRow:
        stars = ("L", "n_experts", "n_parts")[:name.count("*")]
        return TracedRow(name, tuple(ex.Sym(sizes[n]) if n in sizes else ex.Num(n) for n in shape),
                         tuple(map(ex.Sym, stars)),
                         module="LayerNorm" if "norm" in name.lower() else
                         "Embedding" if re.search("embed|shared", name) else "Linear")

    keys = [Key(name, (name,), 7, "structure" if name[0] in "Ln" else "size")
            for name in ("V", "d_model", "L", "n_experts", "n_parts")]
    return sealed(Trace(record["id"], record["id"], tuple(keys), (), (), tuple(
        row(name, shape or [5], copies) for name, shape, copies in record["tensors"]), (),
        Evidence(6, 20, 74, 0, {})))


def test_tensors_stand_where_their_names_say(golden: Callable[[str, str], None]) -> None:
    """The part, the place in it and the matrix of each tensor of many architectures, by its name
    alone."""
    records = {each["id"]: each for each in truth()}
    lines: list[str] = []
    for name in BUILT:
        model = model_of(traced(records[name]))
        lines.append(f"== {name}")
        for matrix in model.ledger(dict.fromkeys(model.dims, 7)):
            lines.append(f"{matrix.tensor:60} {matrix.path}")
    golden("traced-places.txt", "\n".join(lines) + "\n")


@together(("inside", "kind"), [
    (("attn_scale",), "block"), (("attn", "scale"), "attention"), (("0", "mlp", "w"), "ffn"),
    (("0", "w"), "0"), (("norm", "w"), "norm"), (("norm", "fc", "w"), "norm")])
def test_a_tensor_is_of_the_module_that_holds_it(inside: tuple[str, ...], kind: str) -> None:
    """The name of a tensor that is the block's own says nothing of a part."""
    row = TracedRow(pattern=".".join(inside), shape=(Sym("d_model"),), copies=(), module="Block")
    assert _kind(inside, row) == kind


def test_what_a_run_is_called_with_one_letter_is_no_key_s_name() -> None:
    """A key of that name has ``n_`` before it: ``s`` means the tokens of a sequence everywhere."""
    letters = [name for name in RUN if len(name) == 1 and name != "D"]  # (a width, of many)
    assert {"s", "b"} <= set(letters)
    assert [dim_name((name,)) for name in letters] == [f"n_{name}" for name in letters]
