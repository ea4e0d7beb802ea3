"""Dims given at the command line and in Python: those that a model has and has not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import symparam as sp
from symparam.api import decoder, load
from symparam.cli.main import run
from symparam.errors import BadValue
from tests.helpers import Line, together


def test_a_dim_that_the_changed_model_needs_may_be_given(capsys: pytest.CaptureFixture[str],
                                                         tmp_path: Path) -> None:
    assert run(["count", "gpt2", "--attention", "gqa", "n_kv=4"]) == 0
    assert "114,990,336" in capsys.readouterr().out
    path = tmp_path / "open.toml"
    path.write_text('[dims]\nL = 2\nd_model = 8\nn_heads = 2\n[[blocks]]\nattention = "mha"\n'
                    'ffn = "mlp"\nnorm = { kind = "none" }\n', encoding="utf-8")
    assert run(["count", str(path), "V=10"]) == 0


def test_latent_attention_needs_no_head_width() -> None:
    sizes = {"L": 2, "V": 100, "d_model": 64, "n_heads": 3, "d_ff": 64, "q_rank": 16, "kv_rank": 12,
             "d_nope": 8, "d_rope": 4, "d_v": 5}
    assert "d_head" not in decoder(attention="mla", **sizes).dims
    changed = load("llama-2-7b", attention="mla", q_rank=8, kv_rank=8, d_nope=8, d_rope=4, d_v=8)
    assert "d_head" not in changed.dims
    assert changed.count()


@together("text", [
    "count t5-base L=3", "derive t5-base num_layers=3", "count bart-base num_hidden_layers=3",
    "count whisper-tiny n_layer=3", "diff t5-base t5-base L=3", "count t5-base L=3 --json"])
def test_a_number_of_layers_of_two_sides_is_asked_for_by_side(text: str, line: Line) -> None:
    code, out, err = line(text)
    assert (code, out) == (2, "")
    assert "say L_encoder=... or L_decoder=... instead of L" in err


def test_sides_with_a_number_of_their_own_are_counted(line: Line) -> None:
    code, out, _ = line("count t5-base L_encoder=3 --json")
    assert code == 0
    assert json.loads(out)["total"] < sp.load("t5-base").count()


@together("text", [
    "count llama-2-7b n_experts=4", "derive gpt2 n_experts=4", "count --ffn mlp d_state=3",
    "diff llama-2-7b gpt2 q_rank=3", "count llama-2-7b g=4"])
def test_a_dim_that_the_model_has_not_is_an_error(text: str, line: Line) -> None:
    code, out, err = line(text)
    assert (code, out) == (2, "")
    assert " has no " in err
    assert "its dims are" in err


@pytest.mark.parametrize("call", [
    lambda: sp.load("llama-2-7b", n_experts=4), lambda: sp.load("t5-base").count(L=3),
    lambda: sp.decoder(q_rank=3), lambda: sp.load("gpt2").evaluate(n_experts=3)])
def test_it_is_one_in_python_too(call: Callable[[], Any]) -> None:
    with pytest.raises(BadValue, match="has"):
        call()


@pytest.mark.parametrize("text", ["count llama-2-7b n_ctx=77", "count mistral-7b window=100"])
def test_a_length_that_is_stored_nowhere_is_a_remark(text: str, line: Line) -> None:
    code, _, err = line(text)
    assert (code, "does not enter the count" in err) == (0, True)


#: How each command that takes a MODEL is asked about one.
ASKED = {
    "count": "count {}", "derive": "derive {}", "sensitivity": "sensitivity {}",
    "align": "align {}", "cost": "cost {}", "sweep": "sweep {} L=1,2", "plot": "plot parts {}",
    "diff": "diff {} gpt2", "check": "check {} m.safetensors", "claims": "check {} --claim P=1e6",
    "convert": "convert {} --to hf", "solve": "solve {} P=124M d_ff=?"}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("line_", ASKED.values(), ids=ASKED)
def test_every_command_says_which_number_does_not_enter(line_: str, line: Line) -> None:
    """A length counts nothing; where it enters the answer, it is not said to."""
    header = json.dumps({"wte.weight": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}})
    Path("m.safetensors").write_bytes(
        len(header).to_bytes(8, "little") + header.encode() + bytes(16))
    code, _, err = line(f"{line_.format('gpt2')} s=5")
    plain, _, before = line(line_.format("gpt2"))
    assert code == plain in {0, 1}
    said = "note: s does not enter the count of gpt2"
    told = [each for each in err.splitlines() if each.startswith(said)]
    assert len(told) == (0 if line_.split()[0] == "cost" else 1), err
    assert said not in before
    assert line(f"{line_.format('gpt2')} s=5 --quiet")[2].count(said) == 0


@pytest.mark.parametrize(("words", "idle"), [
    ("cost gpt2 s=5 b=2 n_devices=4 t=2 D=1e9", ""), ("cost gpt2 --only weights t=2", "t"),
    ("cost gpt2 s_encoder=5", "s_encoder"), ("cost t5-base s_encoder=5", ""),
    ("derive gpt2 --quantity kv_cache t=2 s=5", "t"),
    ("diff gpt2 gpt2-xl --quantity kv_cache D=5", "D"),
    ("sweep gpt2 L=1,2 s=5 --quantity P,kv_cache", ""),
    ("sweep gpt2 t=1,2 --quantity kv_cache", "t"),
    ("sensitivity gpt2 --quantity kv_cache b=2 t=2", "t")])
def test_what_a_model_is_run_with_is_said_not_to_enter_where_nothing_needs_it(
        words: str, idle: str, line: Line) -> None:
    code, _, err = line(words)
    assert code == 0
    assert set(re.findall(r"note: (\S+) does not enter", err)) == {*filter(None, [idle])}
