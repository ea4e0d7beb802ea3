"""Every key of every configuration class, changed alone: the same count as transformers', or none.

Truth values are all flipped; of the other changes (whole numbers ±1, doubled and zero, null) one
part of several is tried, another one where SYMPARAM_KEYS says which: all parts are all changes.
"""

from __future__ import annotations

import os
import random

import pytest

from tests.differential import drawn, keys
from tests.differential.drawn import BUILT
from tests.differential.keys import MEANT, Change, base, changes, held

pytestmark = pytest.mark.differential

#: How many parts the changes are in that are no flips, and which one is tried.
PARTS = 20
PART = int(os.environ.get("SYMPARAM_KEYS", "0")) % PARTS


def _chosen(model_type: str, every: list[Change]) -> list[Change]:
    """All flips, a part of the others, and what is meant to differ."""
    always = [each for each in every if each.flip]
    others = [each for each in every if not each.flip]
    random.Random(model_type).shuffle(others)
    return always + others[PART::PARTS]


@pytest.mark.parametrize("model_type", sorted(BUILT))
def test_a_changed_key_is_counted_right_or_refused(model_type: str) -> None:
    pytest.importorskip("transformers")
    config = base(model_type)
    wrong: list[str] = []
    verdicts = []
    for change in _chosen(model_type, changes(config)):
        verdict, lines = held(change.of(config))
        verdicts.append(verdict)
        if verdict == "wrong" and (model_type, change.path[-1]) not in MEANT:
            wrong += [f"{change} of {config}", *lines[:4]]
    assert not wrong, "\n".join(wrong)
    assert verdicts.count("equal") >= 3, verdicts


@pytest.mark.parametrize(("model_type", "key"), MEANT)
def test_what_is_meant_to_differ_does(model_type: str, key: str) -> None:
    pytest.importorskip("transformers")
    _, alike, differing = MEANT[model_type, key]
    assert held({**base(model_type), key: alike})[0] == "equal"
    assert held({**base(model_type), key: differing})[0] == "wrong"


@pytest.mark.parametrize(("model_type", "keys"), [
    ("llama", "attention_bias head_dim hidden_size mlp_bias num_key_value_heads vocab_size"),
    ("bert", "intermediate_size max_position_embeddings tie_word_embeddings type_vocab_size"),
    ("t5", "d_ff d_kv is_gated_act num_decoder_layers num_layers relative_attention_num_buckets"),
    ("qwen2_vl", "hidden_size intermediate_size num_attention_heads tie_word_embeddings"),
])
def test_a_key_that_is_passed_over_is_noticed(model_type: str, keys: str) -> None:
    pytest.importorskip("transformers")
    config = base(model_type)
    noticed = {change.path[-1] for change in changes(config)
               if change.path[-1] in keys.split()
               and held(config, change.of(config))[0] == "wrong"}
    assert noticed == set(keys.split())


def test_a_type_that_is_not_drawn_whole_is_one_line(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for table in (drawn.DRAWN, drawn.BUILT):
        monkeypatch.setitem(table, "bare_type", lambda draw: {"hidden_size": draw.prime()})
    for name, problem in (("bare_type", "its drawing has no architectures"),
                          ("acme", "no file of tests/differential/families has it")):
        assert keys.main([name]) == 1
        out = capsys.readouterr().out
        assert out.startswith(f"{name}: {problem}")
        assert out.count("\n") == 1
