"""Published models: the catalogue, configurations counted from the real module, overrides."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symparam.descriptions import catalogue
from symparam.descriptions.config import read_config
from symparam.descriptions.load import build, load
from symparam.descriptions.options import Options, bias_sites
from symparam.descriptions.read_as import ReadAs
from symparam.errors import BadValue
from symparam.grammar import parse_rule
from symparam.model import Model
from symparam.quantities import counts
from symparam.resolve import numbers
from tests.helpers import data, ledger, recorded, rows, together, truth
from tests.oracle.bert_gpt2 import bert_tensors, gpt2_tensors
from tests.oracle.mutants import MUTANTS
from tests.strategies import quick

TOTALS: dict[str, int] = data("catalogue_totals.json")
TRUTH = [r for r in truth() if r["model_type"] in {"gpt2", "llama", "bert"}]


def total(name: str, options: Options | None = None, task: str | None = None,
          **dims: int) -> int:
    """The total of a model under changes, an integer."""
    result = ledger(build(name, options or Options(), dims, task)).total()
    assert isinstance(result, int)
    return result


def test_the_catalogue_and_its_totals_name_the_same_models() -> None:
    assert catalogue.names() == [n for _, group in catalogue.lineages() for n in group]
    assert sorted(catalogue.names()) == sorted(TOTALS)


def test_a_name_is_found_without_reading_all() -> None:
    """Whichever files are read first, each name is found, and no other one."""
    assert all(map(catalogue.is_published, TOTALS))
    assert not any(map(catalogue.is_published, ("", "llama", "llama-2-7", "LLAMA-2-7B", "../gpt2")))
    catalogue._lineage.cache_clear()
    catalogue._entry.cache_clear()
    assert catalogue.is_published("llama-2-7b")
    assert catalogue._lineage.cache_info().currsize == 1


@together("name", TOTALS)
def test_a_catalogue_entry_has_its_total_a_source_and_its_printed_size_or_a_note(name: str) -> None:
    model = load(name)
    assert ledger(model).total() == TOTALS[name]
    assert model.name == name
    assert model.source
    assert model.part != "text" or "left out" in model.note
    if model.claim and not model.note:  # to a tenth, which a wrong depth or width is beyond
        said = re.fullmatch(r"([\d.,]+)([MBT]?)", model.claim)
        assert said is not None
        printed = float(said[1].replace(",", "")) * {"M": 1e6, "B": 1e9, "T": 1e12}.get(said[2], 1)
        assert abs(TOTALS[name] / printed - 1) < 0.1


@together("option", [{"task": "base"}, {"mtp": True}, {"ignored": ["bias"]}])
def test_an_entry_without_a_configuration_refuses_what_says_how_one_is_read(
        option: dict[str, Any]) -> None:
    assert load("gpt3-175b").name == "gpt3-175b"
    with pytest.raises(BadValue, match="gpt3-175b has no configuration"):
        load("gpt3-175b", **option)


@together("record", [r for r in TRUTH if r["task"]], ids=lambda r: r["id"])
def test_a_task_asked_for_outweighs_the_class(record: dict[str, Any]) -> None:
    config = {**record["config"], "architectures": None}
    model = read_config("asked", config, "asked", ReadAs(record["task"]))
    assert rows(model) == recorded(record["tensors"])


@together(("name", "options", "wanted"), [
    ("gpt2", Options(bias=bias_sites("attn-out,ffn")), 124_412_160),
    ("gpt2", Options(bias=bias_sites("all")), 124_439_808),
    ("gpt2", Options(bias=bias_sites("none")), 124_439_808 - 12 * 9 * 768),
    ("gpt2", Options(tied=False), 124_439_808 + 50257 * 768),
    ("gpt2", Options(positions="rope"), 124_439_808 - 1024 * 768),
    ("nanochat-d20", Options(norm="layernorm", final_norm=False), 561_090_560),
    ("nanochat-d20", Options(norm="layernorm"), 561_090_560 + 2 * 1280),
    ("perseid", Options(tied=True), 100_491_776),
    ("perseid", Options(tied=False), 100_657_536),
    ("perseid", Options(qk_norm=False), 100_491_776 - 18 * 2 * 256),
    ("perseid", Options(norms_per_block=2), 100_491_776 - 18 * 2 * 640),
    ("llama-2-7b", Options(ffn="mlp"), 6_738_415_616 - 32 * 4096 * 11008),
    ("llama-2-7b", Options(ffn="geglu"), 6_738_415_616),
    ("llama-2-7b", Options(attention="mqa"), 6_738_415_616 - 32 * 2 * 31 * 128 * 4096),
    ("llama-2-70b", Options(attention="mha"), 68_976_648_192 + 80 * 2 * 56 * 128 * 8192),
    ("gopher-280b", Options(positions="rope"), 279_699_800_064 - 80 * 16384**2),
])
def test_an_option_changes_a_named_model(name: str, options: Options, wanted: int) -> None:
    assert total(name, options) == wanted


def test_bert_is_counted_as_what_is_asked_for() -> None:
    assert total("bert-base") == 109_482_240
    assert total("bert-base", task="mlm") == 109_514_298
    assert load("bert-base").part == "encoder with pooler"
    assert load("bert-base", "mlm").part != load("bert-base").part


def test_three_conventions_without_embeddings() -> None:
    assert counts.non_embedding(ledger(load("llama-2-7b"))) == {
        "without_input": 6_607_343_616, "without_embeddings": 6_476_271_616,
        "without_positions": 6_476_271_616}
    tied = counts.non_embedding(ledger(load("gpt2")))
    assert tied["without_input"] == tied["without_embeddings"] == 124_439_808 - 50257 * 768
    assert tied["without_positions"] == tied["without_embeddings"] - 1024 * 768


def followed(name: str, keep_ratios: bool = False, **given: int) -> dict[str, int]:
    """All dims of a model after an override."""
    return numbers(build(name, Options(), given, keep_ratios=keep_ratios)).values


def test_gpt2_derives_its_inner_and_head_width() -> None:
    model = build("gpt2", Options(), {"d_model": 1024, "n_heads": 16})
    found = numbers(model)
    assert found.values["d_ff"] == 4096
    assert {"d_ff", "d_head", "n_kv"} <= set(found.rules)
    assert {"d_model", "n_heads", "L"} <= found.given
    assert rows(model) == gpt2_tensors(V=50257, L=12, d_model=1024, n_ctx=1024, d_ff=4096)


def test_llama_2_derives_its_head_width_alone() -> None:
    before, after = followed("llama-2-7b"), followed("llama-2-7b", d_model=8192)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"d_model", "d_head"}
    assert after["d_head"] == 256


def test_key_value_heads_follow_only_where_the_configuration_has_none() -> None:
    assert followed("llama-7b", n_heads=16)["n_kv"] == 16
    assert followed("llama-2-7b", n_heads=64)["n_kv"] == 32


@pytest.mark.parametrize(("name", "given", "wanted"), [
    ("llama-2-7b", {"d_model": 8192}, {"n_heads": 64, "n_kv": 64, "d_ff": 22016, "d_head": 128}),
    ("llama-2-70b", {"d_model": 4096}, {"n_heads": 32, "n_kv": 4, "d_ff": 14336, "d_head": 128}),
    ("gpt2", {"d_model": 1536}, {"n_heads": 24, "n_kv": 24, "d_ff": 6144, "d_head": 64}),
    ("llama-2-7b", {"d_model": 8192, "d_ff": 1000},
     {"n_heads": 64, "n_kv": 64, "d_ff": 1000, "d_head": 128}),
])
def test_ratios_are_kept_on_request(
        name: str, given: dict[str, int], wanted: dict[str, int]) -> None:
    after = followed(name, keep_ratios=True, **given)
    assert {dim: after[dim] for dim in wanted} == wanted
    assert after["L"] == followed(name)["L"]


def test_ratios_leave_alone_what_the_attention_defines() -> None:
    model = build("llama-2-7b", Options(attention="mqa"), {"d_model": 8192}, keep_ratios=True)
    assert numbers(model).values["n_kv"] == 1


def test_a_rule_given_for_a_dim_replaces_its_number() -> None:
    model = build("llama-2-7b", Options(), {"d_ff": parse_rule("8/3*d_model, up to 256")})
    assert numbers(model).values["d_ff"] == 11008
    assert "d_ff" in numbers(model).rules


small = st.integers(1, 40)


@quick
@given(st.tuples(small, st.integers(1, 5), small, small, small, st.booleans()))
def test_any_gpt2_lists_what_its_module_has(case: tuple[int, int, int, int, int, bool]) -> None:
    V, L, d_head, n_ctx, d_ff, bare = case
    config: dict[str, Any] = {"model_type": "gpt2", "vocab_size": V, "n_layer": L, "n_head": 3,
                              "n_embd": 3 * d_head, "n_positions": n_ctx}
    config |= {"n_inner": None} if bare else {"n_inner": d_ff}
    inner = 12 * d_head if bare else d_ff
    assert rows(read_config("drawn", config, "drawn")) == gpt2_tensors(
        V=V, L=L, d_model=3 * d_head, n_ctx=n_ctx, d_ff=inner)


@quick
@given(st.tuples(small, st.integers(1, 5), small, small, small, small), st.booleans())
def test_any_bert_lists_what_its_module_has(
        case: tuple[int, int, int, int, int, int], headed: bool) -> None:
    V, L, d_head, n_ctx, d_ff, n_types = case
    config = {"model_type": "bert", "vocab_size": V, "num_hidden_layers": L,
              "hidden_size": 2 * d_head, "num_attention_heads": 2, "intermediate_size": d_ff,
              "max_position_embeddings": n_ctx, "type_vocab_size": n_types,
              "architectures": ["BertForMaskedLM" if headed else "BertModel"]}
    made: Model = read_config("drawn", config, "drawn")
    assert rows(made) == bert_tensors(
        V=V, L=L, d_model=2 * d_head, d_ff=d_ff, n_ctx=n_ctx, n_types=n_types,
        head="mlm" if headed else "base")


FAMILY_ORACLES = {
    "gpt2": ({"n_layer": 3, "n_embd": 12, "n_head": 2, "n_positions": 17, "vocab_size": 101},
             gpt2_tensors(V=101, L=3, d_model=12, n_ctx=17, d_ff=48)),
    "bert": ({"num_hidden_layers": 3, "hidden_size": 12, "num_attention_heads": 2,
              "intermediate_size": 31, "max_position_embeddings": 17, "vocab_size": 101},
             bert_tensors(V=101, L=3, d_model=12, d_ff=31, n_ctx=17, n_types=2, head="base")),
}


@pytest.mark.parametrize("family", FAMILY_ORACLES)
def test_the_comparison_with_a_familys_oracle_notices_a_wrong_answer(family: str) -> None:
    keys, right = FAMILY_ORACLES[family]
    found = rows(read_config("small", {"model_type": family, **keys}, "small"))
    assert found == right
    wrong = {name: mutant(right) for name, mutant in MUTANTS.items()}
    made = {name for name, answer in wrong.items() if answer is not None}
    assert len(made) >= 3
    assert all(found != wrong[name] for name in made)
