"""A config.json: every key is understood, harmless, or refused with its name."""

from __future__ import annotations

import importlib.metadata
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symparam.constraints import Divides
from symparam.descriptions import catalogue, lookup
from symparam.descriptions.config import TASKS, Config, read_config
from symparam.descriptions.load import load
from symparam.descriptions.lookup import known_model_types
from symparam.descriptions.read_as import ReadAs
from symparam.descriptions.reading.source import parse_json
from symparam.descriptions.references import looks_like_path
from symparam.errors import (
    BadValue,
    ConstraintViolated,
    SpecError,
    SymparamError,
    UnknownName,
)
from symparam.model import Model
from symparam.resolve import numbers, with_overrides
from tests.helpers import ledger, message, rows, together, truth
from tests.strategies import quick

LLAMA = {"model_type": "llama", "vocab_size": 97, "hidden_size": 24, "num_hidden_layers": 3,
         "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 31}
GPT2 = {"model_type": "gpt2", "vocab_size": 97, "n_embd": 24, "n_layer": 3, "n_head": 4,
        "n_positions": 17}
BERT = {"model_type": "bert", "vocab_size": 97, "hidden_size": 24, "num_hidden_layers": 3,
        "num_attention_heads": 4, "intermediate_size": 31, "max_position_embeddings": 17}


def made(base: dict[str, Any], task: str | None = None, **changes: Any) -> Model:
    """The model of a configuration with some keys changed."""
    return read_config("config.json", {**base, **changes}, "here", ReadAs(task))


def refusal(call: Callable[[], Any], error: type[SymparamError] = SpecError) -> Any:
    """The error of a call, its text one line."""
    with pytest.raises(error) as caught:
        call()
    message(caught.value)
    return caught.value


@pytest.mark.parametrize("base", [LLAMA, GPT2, BERT], ids=lambda b: b["model_type"])
def test_missing_keys_have_the_familys_defaults(base: dict[str, Any]) -> None:
    bare = {"model_type": base["model_type"]}
    wanted = {"llama": 6_738_415_616, "gpt2": 124_439_808, "bert": 109_482_240}
    assert ledger(read_config("", bare, "")).total() == wanted[bare["model_type"]]


@together(("base", "first", "second"), [
    (GPT2, {"n_embd": 36}, {"n_embd": None, "hidden_size": 36}),
    (GPT2, {"n_layer": 2}, {"n_layer": None, "num_hidden_layers": 2}),
    (GPT2, {"n_head": 3}, {"n_head": 3, "num_attention_heads": 3}),
    (GPT2, {"n_inner": None}, {"n_inner": 96}),
    (LLAMA, {"num_key_value_heads": None}, {"num_key_value_heads": 4}),
    (LLAMA, {"head_dim": None}, {"head_dim": 6}),
    (LLAMA, {"tie_word_embeddings": False}, {"torch_dtype": "float16", "rope_theta": 1.0}),
])
def test_two_ways_of_saying_the_same(
        base: dict[str, Any], first: dict[str, Any], second: dict[str, Any]) -> None:
    assert rows(made(base, **first)) == rows(made(base, **second))


def test_switches_list_what_they_say() -> None:
    names = {name for name, _ in rows(made(LLAMA, attention_bias=True, mlp_bias=True))}
    plain = {name for name, _ in rows(made(LLAMA))}
    assert names - plain == {
        *(f"model.layers.*.self_attn.{each}_proj.bias" for each in "qkvo"),
        *(f"model.layers.*.mlp.{each}_proj.bias" for each in ("gate", "up", "down"))}
    assert plain - {n for n, _ in rows(made(LLAMA, tie_word_embeddings=True))} == {"lm_head.weight"}
    assert "lm_head.weight" in {n for n, _ in rows(made(GPT2, tie_word_embeddings=False))}


@together(("key", "misspelt"), [
    ("hidden_size", "hiden_size"), ("num_hidden_layers", "num_hiden_layers"),
    ("intermediate_size", "intermidiate_size"), ("num_key_value_heads", "num_key_value_head")])
def test_a_misspelt_key_is_told_with_the_right_one_which_is_missing_then(
        key: str, misspelt: str) -> None:
    config = {misspelt if name == key else name: value for name, value in LLAMA.items()}
    error = refusal(lambda: read_config("config.json", config, "here"))
    assert f"did you mean {key}?" in message(error)


@together(("base", "changes", "path", "words"), [
    (LLAMA, {"model_type": "llamma"}, "model_type", "llama"),
    (LLAMA, {"model_type": 3}, "model_type", "a text"),
    (LLAMA, {"model_type": None}, "model_type", "found null"),
    (LLAMA, {"model_type": ""}, "model_type", "not a family"),
    (LLAMA, {"model_type": "a.bert"}, "model_type", "not a family"),
    (LLAMA, {"model_type": "..bert"}, "model_type", "not a family"),
    (LLAMA, {"model_type": "../bert"}, "model_type", "not a family"),
    (LLAMA, {"model_type": "__init__"}, "model_type", "not a family"),
    (LLAMA, {"model_type": "x" * 9000}, "model_type", "not a family"),
    (LLAMA, {"model_type": "a\nb"}, "model_type", "not a family"),
    (LLAMA, {"hiden_size": 3}, "hiden_size", "did you mean hidden_size?"),
    (LLAMA, {"num_experts": 8}, "num_experts", "not understood"),
    (LLAMA, {"x" * 9000: 8}, "x" * 60, "not understood"),
    (LLAMA, {"a\nb": 8}, "", "not understood"),
    (GPT2, {"intermediate_size": 8}, "intermediate_size", "not understood"),
    (LLAMA, {"architectures": ["LlamaForSequenceClassification"]}, "architectures", "--as base"),
    (LLAMA, {"architectures": ["LlamaForTokenClassification"]}, "architectures", "--trace finds"),
    (LLAMA, {"architectures": ["a\nb"]}, "architectures", "not understood"),
    (GPT2, {"architectures": ["GPT2Model", "GPT2LMHeadModel"]}, "architectures", "one class"),
    (GPT2, {"architectures": "GPT2Model"}, "architectures", "one class"),
    (GPT2, {"architectures": [3]}, "architectures", "one class"),
    (GPT2, {"architectures": [["GPT2Model"]]}, "architectures", "one class"),
    (BERT, {"architectures": ["BertForPreTraining"]}, "architectures", "BertForMaskedLM"),
    (GPT2, {"add_cross_attention": True}, "add_cross_attention", "not understood"),
    (GPT2, {"add_cross_attention": 1}, "add_cross_attention", "not understood"),
    (GPT2, {"add_cross_attention": "no"}, "add_cross_attention", "not understood"),
    (BERT, {"add_cross_attention": True}, "add_cross_attention", "not understood"),
    (BERT, {"position_embedding_type": "relative_key"}, "position_embedding_type", "absolute"),
    (BERT, {"pruned_heads": {"1": [2]}}, "pruned_heads", "change the weights"),
    (GPT2, {"hidden_size": 48}, "n_embd", "n_embd = 24, hidden_size = 48"),
    (GPT2, {"num_hidden_layers": 4}, "n_layer", "given twice"),
    (GPT2, {"hidden_size": "24"}, "", "whole number"),
    (GPT2, {"hidden_size": 24.0}, "", ""),
    (GPT2, {"n_embd": True}, "n_embd", "found true"),
    (GPT2, {"n_embd": 24.0}, "n_embd", "found 24.0"),
    (GPT2, {"n_embd": "24"}, "n_embd", "whole number"),
    (GPT2, {"n_embd": [24]}, "n_embd", "a list"),
    (GPT2, {"n_embd": float("inf")}, "n_embd", "whole number"),
    (GPT2, {"n_embd": 0}, "n_embd", "at least 1"),
    (GPT2, {"n_inner": -4}, "n_inner", "at least 1"),
    (LLAMA, {"vocab_size": -(10**5000)}, "vocab_size", "at least 1"),
    (LLAMA, {"tie_word_embeddings": 1}, "tie_word_embeddings", "true or false"),
    (LLAMA, {"attention_bias": "yes"}, "attention_bias", "true or false"),
])
def test_what_is_not_understood_is_refused_with_its_key(
        base: dict[str, Any], changes: dict[str, Any], path: str, words: str) -> None:
    error = refusal(lambda: made(base, **changes))
    assert error.where == "config.json"
    assert error.path.startswith(path)
    assert words in str(error)
    assert len(str(error)) < 700


def test_a_number_of_any_length_is_read_or_refused() -> None:
    """Python refuses to print integers of more than 4300 digits."""
    try:
        numbers(made(LLAMA, vocab_size=10**5000))
    except SymparamError as error:
        message(error)


@together(("base", "changes", "keys", "words"), [
    (GPT2, {"n_head": 7}, "n_embd, n_head", "d_head"),
    (LLAMA, {"num_attention_heads": 7, "num_key_value_heads": 7},
     "hidden_size, num_attention_heads", "d_head"),
    (BERT, {"num_attention_heads": 5}, "hidden_size, num_attention_heads", "d_head"),
    (LLAMA, {"num_key_value_heads": 3}, "num_attention_heads, num_key_value_heads",
     "n_kv = 1 or 2 or 4"),
    (LLAMA, {"num_key_value_heads": 8}, "num_attention_heads, num_key_value_heads",
     "n_kv divides n_heads"),
    (LLAMA, {"head_dim": 5}, "head_dim", "2 divides d_head"),
])
def test_head_counts_that_do_not_divide(
        base: dict[str, Any], changes: dict[str, Any], keys: str, words: str) -> None:
    error = refusal(lambda: made(base, **changes), SpecError)
    assert words in str(error)
    assert isinstance(error, SpecError)
    assert set(error.path.split(", ")) == set(keys.split(", "))


@together(("keys", "words"), [
    ({}, "8 divides n_experts"), ({"n_group": 5}, None), ({"n_group": 1}, None),
    ({"n_group": None}, None), ({"topk_method": "greedy"}, None)])
def test_groups_of_experts_are_of_equal_size(keys: dict[str, Any], words: str | None) -> None:
    """A router that chooses groups first has as many experts in each."""
    data = dict(catalogue.configuration("deepseek-v3")[1])  # type: ignore[index]
    odd = data | {"n_routed_experts": 385} | keys
    if words is None:
        assert ledger(made(odd)).total() > 10**12
        return
    error = refusal(lambda: made(odd), SpecError)
    assert words in str(error)
    assert error.path == "n_routed_experts"
    changed = with_overrides(load("deepseek-v3"), {"n_experts": 385})
    assert "392 would do" in str(refusal(lambda: numbers(changed), ConstraintViolated))


def test_a_class_chooses_what_is_counted() -> None:
    headed = ledger(made(GPT2, architectures=["GPT2LMHeadModel"]))
    bare = ledger(made(GPT2, architectures=["GPT2Model"]))
    assert headed.total() == bare.total()
    assert "head.lm.W_U" in headed
    assert "head.lm.W_U" not in bare
    assert rows(made(BERT, architectures=[])) == rows(made(BERT))
    assert rows(made(BERT, architectures=None)) == rows(made(BERT))


@pytest.mark.parametrize(("base", "task"), [
    (LLAMA, "mlm"), (GPT2, "seq2seq"), (BERT, "seq2seq"), (GPT2, "")])
def test_a_task_the_family_has_not_is_refused(base: dict[str, Any], task: str) -> None:
    error = refusal(lambda: made(base, task))
    assert "it can as base, causal" in str(error)


@together("task", TASKS)
def test_a_task_is_for_configurations_alone(tmp_path: Path, task: str) -> None:
    path = tmp_path / "ours.toml"
    path.write_text('[dims]\nL = 2\n[[blocks]]\nattention = "mha"\nffn = "mlp"\nnorm = "none"\n')
    load(str(path))
    assert refusal(lambda: load(str(path), task), BadValue).name == "--as"


def test_a_file_a_folder_and_a_name(tmp_path: Path) -> None:
    folder = tmp_path / "my-model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(LLAMA))
    by_folder, by_file = load(str(folder)), load(str(folder / "config.json"))
    assert rows(by_folder) == rows(by_file) == rows(made(LLAMA))
    assert by_folder.name == by_file.name == "my-model"
    other = tmp_path / "other.json"
    other.write_text(json.dumps(LLAMA))
    assert load(str(other)).name == "other"


@pytest.mark.parametrize("name", ["none.json", "none.toml", "sub/none", "sub/config.json"])
def test_a_path_that_is_not_there(tmp_path: Path, name: str) -> None:
    error = refusal(lambda: load(str(tmp_path / name)))
    assert name in error.where
    assert "No such file" in str(error)


def test_a_folder_without_a_configuration(tmp_path: Path) -> None:
    error = refusal(lambda: load(str(tmp_path)))
    assert (error.where, "config.json" in error.problem) == (str(tmp_path), True)
    (tmp_path / "a.json").mkdir()
    refusal(lambda: load(str(tmp_path / "a.json")))


@together("name", ["gpt-2", "llama2-7b", "GPT-2", "x" * 300, "x" * 5000, "nul\0",
                                  "", "\n"], ids=lambda n: repr(n)[:12])
def test_a_name_that_is_no_model_is_unknown(name: str) -> None:
    error = refusal(lambda: load(name), UnknownName)
    assert error.kind == "model"


@pytest.mark.parametrize("name", ["nul\0.json", "x" * 5000 + ".json", "a/" + "x" * 300],
                         ids=lambda n: repr(n)[:12])
def test_a_path_that_cannot_be_one_is_refused(name: str) -> None:
    assert looks_like_path(name)
    refusal(lambda: load(name))


@together(("text", "words"), [
    ('{"model_type": "llama", "vocab_size": NaN}', "expected a whole number, found NaN"),
    ('{"model_type": "llama", "vocab_size": Infinity}', "found Infinity"),
    ('{"model_type": "zamba2", "mamba_headdim": -Infinity}', "-Infinity changes the weights"),
    ('{"model_type": "xlstm", "qk_dim_factor": NaN}', "expected a number, found NaN"),
    ('{"model_type": "llama", "tie_word_embeddings": NaN}', "true or false, found NaN"),
    ('{"model_type": "llama", "vocab_size": Inf}', "not JSON"),
    ('{"model_type": "llama", "vocab_size": 1e999}', "vocab_size"),
    ('{"model_type": "llama", "vocab_size": 3.0}', "found 3.0"),
    ('{"model_type": "llama", "vocab_size": 1, "vocab_size": 2}', "'vocab_size' stands twice"),
    ('{"model_type": "llama", "vocab_size": ' + "9" * 5000 + "}", "digits"),
    ('{"architectures": ["LlamaForCausalLM"]}', "model_type is missing"),
    ('{"vocab_size": 3}', "neither a config.json"),
    ('{"model_type": "llama", "vocab_size": ' + "[" * 900 + "]" * 900 + "}", "vocab_size"),
])
def test_a_hostile_configuration_file(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    error = refusal(lambda: load(str(path)))
    assert words in str(error)
    assert error.where == str(path)


@together("model_type", ["mamba2", "bamba", "falcon_h1", "granitemoehybrid",
                                        "nemotron_h"])
def test_a_limit_without_end_is_read_as_python_writes_it(tmp_path: Path, model_type: str) -> None:
    base = next(r["config"] for r in truth() if r["model_type"] == model_type)
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**base, "time_step_limit": [0.0, float("inf")]}))
    assert "Infinity" in path.read_text()
    assert rows(load(str(path))) == rows(made(base))


GLM = {"model_type": "glm_moe_dsa", "num_hidden_layers": 4, "index_topk_pattern": "FSFS"}


@pytest.mark.parametrize("pattern", ["FSFS", ["full", "shared", "full", "shared"]])
def test_whose_indexer_it_is_may_be_said_twice(pattern: Any) -> None:
    listed = ["full", "shared", "full", "shared"]
    twice = made(GLM, index_topk_pattern=pattern, indexer_types=listed)
    assert rows(twice) == rows(made(GLM)) != rows(made(GLM, index_topk_pattern="FSFF"))
    error = refusal(lambda: made(GLM, index_topk_pattern=pattern, indexer_types=["full"] * 4))
    assert "layer 1 is full here and shared in index_topk_pattern" in str(error)


def test_letters_are_no_words_in_a_list_of_indexers() -> None:
    for key in ("index_topk_pattern", "indexer_types"):  # transformers takes "S" for "full" there
        refusal(lambda key=key: made(GLM, **{"index_topk_pattern": None, key: [*"FSFS"]}))


def test_keys_that_saved_configurations_have() -> None:
    aya = {"model_type": "aya_vision", "tie_word_embeddings": True, "vision_config": {},
           "text_config": {"model_type": "cohere2", "num_hidden_layers": 2}}
    assert rows(made(aya, adapter_layer_norm_eps=1e-6)) == rows(made(aya))
    side = {"num_hidden_layers": 2, "hidden_size": 64}
    gemma = {"model_type": "t5gemma", "decoder": side, "vocab_size": 99}
    assert rows(made(gemma, encoder={**side, "architectures": None})) == rows(
        made(gemma, encoder=side))


@pytest.mark.parametrize("model_type", ["t5", "mt5", "umt5"])
def test_a_head_of_its_own_where_transformers_ties_is_told(model_type: str) -> None:
    untied = made({"model_type": model_type, "tie_word_embeddings": False})
    assert ("lm_head.weight", (numbers(untied).values["V"], 512)) in rows(untied)
    assert any("transformers 5" in words and model_type in words for words in untied.left_out)
    assert not made({"model_type": model_type}).left_out
    assert not made({"model_type": model_type, "tie_word_embeddings": False}, "base").left_out


@together("given", [[6], [6.0, 12, 18, 24, 30, 36, 42, 47, 51], "6", None, {}])
def test_a_list_of_hybrid_layers_that_differs_names_those_expected(given: Any) -> None:
    zamba = {"model_type": "zamba2", "vocab_size": 97}
    ids = [6, 12, 18, 24, 30, 36, 42, 47, 51]
    assert rows(made(zamba, hybrid_layer_ids=ids)) == rows(made(zamba))
    error = refusal(lambda: made(zamba, hybrid_layer_ids=given))
    assert f"expected {ids}, the layers that are hybrid" in str(error)


def test_nothing_divides_by_zero() -> None:
    check = Divides("n_kv", "n_heads", "queries share them in equal groups")
    error = refusal(lambda: check.check({"n_kv": 0, "n_heads": 8}), ConstraintViolated)
    assert "n_kv = 0: n_kv must be at least 1" in str(error)


BASES = {record["config"]["model_type"]: record["config"] for record in truth()
         if record["model_type"] in known_model_types()}
VALUES: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 99), st.sampled_from([10**6, 10**11, 10**30]),
    st.floats(), st.text(max_size=3),
    st.lists(st.one_of(st.integers(0, 3), st.text(max_size=3)), max_size=2),
    st.dictionaries(st.text(max_size=2), st.integers(0, 3), max_size=2))


@settings(quick, max_examples=400)
@given(st.sampled_from(sorted(BASES)), st.data(), VALUES)
def test_any_value_of_any_key_is_understood_or_refused(
        model_type: str, draw: st.DataObject, value: Any) -> None:
    understood_or_refused(model_type, draw, value)


@pytest.mark.slow
@settings(quick, max_examples=10_000)
@given(st.sampled_from(sorted(BASES)), st.data(), VALUES)
def test_many_values_of_any_key_are_understood_or_refused(
        model_type: str, draw: st.DataObject, value: Any) -> None:
    understood_or_refused(model_type, draw, value)


def understood_or_refused(model_type: str, draw: st.DataObject, value: Any) -> None:
    """One key of a configuration, or of one inside it, set to anything."""
    base = BASES[model_type]
    key = draw.draw(st.sampled_from(sorted(base)))
    if isinstance(base[key], dict) and base[key] and draw.draw(st.booleans()):
        inner = draw.draw(st.sampled_from(sorted(base[key])))  # of a text model, say
        value = {**base[key], inner: value}
    try:
        found = ledger(made(base, **{key: value})).total()
    except SymparamError as error:
        message(error)
    else:
        assert isinstance(found, int)
        assert found > 0


def test_a_package_outside_adds_a_family(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(config: Config, name: str) -> Model:
        config.close()
        return Model(name, ())

    family = SimpleNamespace(MODEL_TYPES=("outside",), build=build)
    entry = SimpleNamespace(load=lambda: family)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: (
        [entry] if group == "symparam.families" else []))
    lookup._all_families.cache_clear()
    try:
        assert read_config("", {"model_type": "outside"}, "mine").name == "mine"
        assert rows(made(LLAMA))
    finally:
        lookup._all_families.cache_clear()


@together(("key", "value"), [
    ("attention_layers", 0), ("attention_layers", 5), ("attention_types", 5),
    ("attention_types", [5]), ("attention_types", [[5, 3]]), ("attention_types", [["global", 3]])])
def test_kinds_of_layers_that_are_no_lists_are_refused(key: str, value: Any) -> None:
    with pytest.raises(SpecError, match=key):
        made({"model_type": "gpt_neo", "num_layers": 4}, **{key: value})


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_json_that_is_no_configuration_has_no_numbers_that_are_none(word: str) -> None:
    with pytest.raises(ValueError, match=f"^{word} is not a number$"):
        parse_json(f'{{"a": [1, {word}]}}')
    assert repr(parse_json(f"[{word}]", python=True)[0]) == repr(float(word))


def test_groups_of_layers_take_no_room_of_their_own() -> None:
    """Where each copy is stored follows from its number: it is not listed before somebody asks."""
    made(BASES["albert"], num_hidden_layers=4)  # what is loaded once
    tracemalloc.start()
    model = made(BASES["albert"], num_hidden_layers=10**5, num_hidden_groups=10**5,
                 inner_group_num=3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000
    assert model.stacks
