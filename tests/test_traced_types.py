"""Families whose rows a trace found: their files, and what of a configuration they answer for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from symparam.descriptions import traced_types
from symparam.descriptions.assembling.traced import trace_of
from symparam.descriptions.config import read_config
from symparam.descriptions.lookup import family, known_model_types
from symparam.errors import SpecError
from symparam.traced.foundation import is_edited, sentences
from tests.helpers import Line, config_folder, ledger, message, rows, together, total_of

FOLDER = Path(traced_types.__path__[0])
FILES = sorted(path.stem for path in FOLDER.glob("*.toml"))
#: Four parts that are small, and go together.
BLT: dict[str, Any] = {
    "model_type": "blt", "cross_attn_k": 2, "encoder_hash_byte_group_vocab": 11,
    "patcher_config": {"hidden_size": 24, "num_hidden_layers": 1},
    "encoder_config": {"hidden_size": 32}, "decoder_config": {"num_hidden_layers": 2},
    "global_config": {"hidden_size": 64, "num_hidden_layers": 3}}


@together("stem", FILES)
def test_what_a_file_holds_was_right_at_fresh_points_and_is_as_it_was_found(stem: str) -> None:
    trace = trace_of(stem, "mine")
    assert trace.evidence.held_out >= 20
    assert trace.evidence.digest
    assert not is_edited(trace)
    assert {a.kind for a in trace.assumptions}.isdisjoint({"disagrees", "unfinished"})
    model_type = trace.target.partition(":")[2]
    assert stem.partition("-")[0] in family(model_type, "mine").CLASSES
    assert any("not proved" in sentence for sentence in sentences(trace))


def test_every_class_of_a_family_that_was_traced_has_a_file() -> None:
    families = {family(model_type, "mine") for model_type in known_model_types()}
    traced = [module for module in families if hasattr(module, "traced")]
    assert traced
    for module in traced:
        for task in set(module.CLASSES.values()):
            first = next(cls for cls, each in module.CLASSES.items() if each == task)
            assert any(stem.partition("-")[0] == first for stem in FILES), first


def test_an_answer_says_that_rows_were_found(line: Line) -> None:
    config_folder("mine", BLT)
    code, out, _ = line("count mine")
    assert (code, "not proved" in out, "BltForCausalLM" in out) == (0, True, True)
    assert ledger(read_config("c", BLT, "c")).total() > 0


@together("changed", [
    {"patch_in_forward": False}, {"tie_word_embeddings": True},
    {"encoder_config": {"hidden_size": 32, "cross_attn_all_layers": True}},
    {"encoder_config": {"hidden_size": 40}}, {"global_config": {"model_type": "llama"}},
    {"encoder_hash_byte_group_size": [3, 4]}, {"encoder_config": {"odd": 1}}, {"odd": 1},
    {"encoder_config": {"hidden_size": True}}, {"decoder_config": {"num_hidden_layers": 10**7}},
    {"decoder_config": {"hidden_size": None}}, {"decoder_config": 7},
])
def test_what_the_trace_did_not_see_is_refused(changed: dict[str, Any]) -> None:
    key, = changed
    with pytest.raises(SpecError, match=key):
        read_config("c", {**BLT, **changed}, "c")


def test_a_value_that_was_held_says_what_to_do() -> None:
    with pytest.raises(SpecError) as caught:
        read_config("c", {**BLT, "patch_in_forward": False}, "c")
    assert "were found by tracing with true alone; --trace finds" in message(caught.value)


def test_a_key_that_follows_others_follows_them_where_it_is_null() -> None:
    wide = {**BLT, "encoder_config": {"hidden_size": 32, "num_attention_heads": 4}}
    null = {**BLT, "encoder_config": {**wide["encoder_config"], "num_key_value_heads": None}}
    fewer = {**BLT, "encoder_config": {**wide["encoder_config"], "num_key_value_heads": 2}}
    totals = [ledger(read_config("c", config, "c")).total() for config in (wide, null, fewer)]
    assert totals[0] == totals[1] > totals[2]


def test_a_changed_row_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = (FOLDER / "BltForCausalLM.toml").read_text()
    changed = text.replace('lm_head.weight", shape = ["V", ', 'lm_head.weight", shape = ["2*V", ')
    assert changed != text
    (tmp_path / "BltForCausalLM.toml").write_text(changed)
    right = read_config("c", BLT, "c")
    monkeypatch.setattr(traced_types, "__path__", [str(tmp_path)])
    wrong = read_config("c", BLT, "c")
    assert total_of(rows(wrong)) > total_of(rows(right))
    assert wrong.trace is not None
    assert any("edited" in sentence for sentence in sentences(wrong.trace))
