"""``symparam trace``: a child process with limits, its answer and its exit codes, without torch.

The targets return a mapping from names to shapes, as a module's state dict would have them.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import symparam as sp
from symparam.cli.commands.trace import number, switch
from symparam.cli.main import run
from symparam.errors import BadValue, ParseError
from tests.test_json import valid

TARGETS = '''
import os, sys, time

def model(vocab_size=100, d_model=64, n_layers=4, n_heads=4, wide=True):
    """Two matrices a layer."""
    if d_model % n_heads:
        raise ValueError("heads split the width")
    print("noise on stdout")
    head = d_model // n_heads
    rows = {"embed.weight": (vocab_size, d_model)}
    for i in range(n_layers):
        rows[f"h.{i}.attn.q_proj.weight"] = (n_heads * head, d_model)
        rows[f"h.{i}.mlp.up.weight"] = ((4 if wide else 2) * d_model, d_model)
    return rows

def power(d_model=48):
    return {"w": (1 << (d_model - 1).bit_length(), d_model)}

def slow(d_model=8, n_layers=2):
    time.sleep(0.5)
    return {f"h.{i}.w": (d_model, 3 * d_model) for i in range(n_layers)}

def hungry(d_model=8):
    hungry.kept = bytearray(300 * 2**20)
    time.sleep(5)
    return {"w": (d_model,)}

def fatal(d_model=8):
    os._exit(3)

def broken(d_model=8):
    raise RuntimeError("no\\nsuch thing")
'''


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of targets."""
    path = tmp_path_factory.mktemp("traced") / "targets_of_mine.py"
    path.write_text(TARGETS, encoding="utf-8")
    return path


def test_a_target_is_traced_shown_kept_and_loaded(targets: Path, tmp_path: Path,
                                                  capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "mine.toml"
    assert run(["trace", f"{targets}:model", "d_model=128", "n_layers=3", "-o", str(kept)]) == 0
    shown = capsys.readouterr()
    assert "model · 258,560 parameters" in shown.out
    assert "P = V·d_model + 5·L·d_model²" in shown.out
    assert "noise" not in shown.out
    assert all(len(line) <= 80 for line in shown.out.splitlines() if "/" not in line)
    assert "this runs code of" in shown.err
    assert "not proved; steps are proved" in " ".join(shown.out.split())
    model = sp.load(str(kept))
    assert model.count() == 258_560
    assert model.count(d_model=64) == 100 * 64 + 3 * 5 * 64 * 64
    assert run(["trace", f"{targets}:model", "-o", str(kept)]) == 2
    assert "--force replaces it" in capsys.readouterr().err


def test_a_switch_cannot_be_held_and_is(targets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", f"{targets}:model", "--hold", "wide", "-q"]) == 2
    shown = capsys.readouterr().err.strip()
    assert shown.endswith("is a switch, which is held anyway: --set wide=... sets it")
    assert len(shown.splitlines()) == 1


def test_switches_are_set_and_named(targets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", f"{targets}:model", "--set", "wide=false", "--json", "-q"]) == 0
    data = json.loads(capsys.readouterr().out)
    valid("trace", data)
    assert data["count"]["total"] == 100 * 64 + 4 * 3 * 64 * 64
    assert data["count"]["rests_on"]["model"]["rows"] == "found"
    assert any("wide" in a["text"] for a in data["file"]["assumptions"])


def test_what_a_target_takes_is_shown(targets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", f"{targets}:model", "--keys", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    valid("trace", data)
    assert [(k["key"], k["dim"], k["value"]) for k in data["keys"]] == [
        ("vocab_size", "V", 100), ("d_model", "d_model", 64), ("n_layers", "L", 4),
        ("n_heads", "n_heads", 4), ("wide", "wide", True)]


def test_a_dim_that_stays_a_number_is_exit_code_1(targets: Path,
                                                  capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", f"{targets}:power", "-q"]) == 1
    assert "assumed: " in capsys.readouterr().out


def test_a_number_that_was_asked_for_is_no_failure(targets: Path,
                                                   capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", f"{targets}:power", "--hold", "d_model", "-q"]) == 0
    assert "held" in capsys.readouterr().out


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("words", "said"), [
    (["fatal"], "exit code 3"), (["broken"], "RuntimeError: no such thing"),
    (["modle"], "did you mean model?"), (["model", "--hold", "frogs"], "hold = frogs"),
    (["model", "frogs=3"], "frogs"), (["model", "d_model=x"], "x"),
    (["hungry", "--memory", "200MiB"], "more than --memory allows"),
    (["model", "--memory", "a100-80gb"], "--memory"), (["model", "--set", "wide"], "NAME=VALUE"),
    (["model", "d_model=8", "d_model=9"], "given twice")])
def test_what_goes_wrong_is_one_line(targets: Path, words: list[str], said: str,
                                     capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", f"{targets}:{words[0]}", *words[1:], "-q"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in shown.err
    assert len(shown.err.splitlines()) == 1


def test_a_file_that_is_not_there_is_not_said_to_run(targets: Path,
                                                      capsys: pytest.CaptureFixture[str]) -> None:
    near = targets.with_name("target_of_mine.py")
    for name, said in ((f"{near}:model", f"is no file: did you mean {targets}?"),
                       (f"{targets.parent}/none.d/x.py:model", "there is no folder"),
                       (f"{targets.parent / 'd.py'}:model", "is no file: did you mean")):
        assert run(["trace", name]) == 2
        err = capsys.readouterr().err
        assert said in err
        assert "this runs" not in err


def test_without_a_target_it_says_what_one_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", "d_model=3"]) == 2
    assert "transformers:TYPE" in capsys.readouterr().err


def test_code_that_a_configuration_names_is_not_run_unasked(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"model_type": "x", "text_config": {"auto_map": {"AutoConfig": "c.C"}}}',
                    encoding="utf-8")
    for target in (path, tmp_path):
        assert run(["trace", str(target)]) == 2
        assert "--trust lets it run" in capsys.readouterr().err


@pytest.mark.thinned(3)
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("seconds", [0, .5, 1])
def test_an_interruption_says_what_is_known_so_far(targets: Path, seconds: float) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "symparam", "trace", f"{targets}:slow"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # a job may ignore it
    assert child.stderr is not None
    child.stderr.readline()
    time.sleep(seconds)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "interrupted" in err
    assert ("what was known by then" in err) is ("slow · " in out)
    assert "Traceback" not in err


def test_time_is_a_limit(targets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", f"{targets}:slow", "--time", "1", "-q"]) in {1, 2}
    shown = capsys.readouterr()
    assert "time that was given was up" in " ".join((shown.out + shown.err).split())


def test_values_are_read_exactly_and_never_run() -> None:
    assert number("d", "128Ki") == 131_072
    assert number("depths", "[2, 6]") == [2, 6]
    assert number("r", "0.5") == 0.5
    assert switch("__import__('os')") == "__import__('os')"
    with pytest.raises((BadValue, ParseError)):
        number("d", "__import__('os')")


def test_the_function_and_the_package_have_one_name() -> None:
    from symparam.tracing import trace as search

    def layers(d_model: int = 8, n_layers: int = 2) -> dict[str, tuple[int, ...]]:
        return {f"h.{i}.w": (d_model, 3 * d_model) for i in range(n_layers)}

    model = sp.trace(layers, n_layers=3)
    assert model.count() == 3 * 3 * 64
    assert model.trace is not None
    assert model.trace.rows == search(layers, base={"n_layers": 3}).rows
    assert sp.load.__name__ == "load"


def test_a_traced_model_writes_its_file_with_the_numbers_that_it_has(tmp_path: Path) -> None:
    def layers(d_model: int = 8, n_layers: int = 2) -> dict[str, tuple[int, ...]]:
        return {f"h.{i}.w": (d_model, 3 * d_model) for i in range(n_layers)}

    path = tmp_path / "layers.toml"
    path.write_text(sp.trace(layers, d_model=16).toml(), encoding="utf-8")
    assert sp.load(str(path)).count() == 2 * 3 * 256
    with pytest.raises(BadValue, match="only a traced model"):
        sp.load("gpt2").toml()
