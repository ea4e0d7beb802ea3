"""``--trace``: a configuration that is not understood is traced, and what is said without it."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symparam.cli.main import run
from symparam.traced.records import Trace
from symparam.tracing import supervised
from symparam.tracing.supervised import Wanted
from tests.test_traced import OURS

DATA = {"model_type": "frobnicate", "hidden_size": 64}


@pytest.fixture
def config(tmp_path: Path) -> str:
    """A configuration of a model type that nobody knows."""
    (tmp_path / "config.json").write_text(json.dumps(DATA), encoding="utf-8")
    return str(tmp_path)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Wanted]:
    """What was traced; the answer is a trace that was made before."""
    found: list[Wanted] = []

    def answer(wanted: Wanted, report: Any) -> Trace:
        found.append(wanted)
        return OURS

    monkeypatch.setattr(supervised, "supervised", answer)
    return found


def installed(*names: str) -> Callable[[str], object]:
    """A search that finds some packages."""
    return lambda name: object() if name in names else None


@pytest.mark.parametrize(("there", "words"), [
    (("torch", "transformers"), "--trace finds its tensors, and 'symparam trace"),
    (("torch",), "pip install 'symparam[torch]'"), ((), "pip install 'symparam[torch]'")])
def test_a_model_type_that_is_not_known_says_what_to_do(
        there: tuple[str, ...], words: str, config: str, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", installed(*there))
    assert run(["derive", f"{config}/config.json"]) == 2
    shown = capsys.readouterr().err
    assert words in shown
    assert "--trace finds its tensors" in shown
    assert shown.count("\n") == 1


@pytest.mark.thinned(2)
@pytest.mark.parametrize("line", [
    "count {}", "count {} n_embd=128", "derive {}", "solve {} P=1M V=?", "sensitivity {} --wrt V",
    "sweep {} V=10,20", "cost {}", "align {}", "check {} --claim P=369600", "plot parts {}",
    "diff {} n_embd=128", "count {} gpt2"])
def test_every_verb_traces_a_configuration(line: str, config: str, asked: list[Wanted],
                                           capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*line.format(config).split(), "--trace"]) in {0, 1}
    shown = capsys.readouterr()
    assert asked, shown.err
    assert {tuple(wanted.configuration or ()) for wanted in asked} == {tuple(DATA)}
    assert "this runs code of transformers" in shown.err
    assert "n_groups could not be moved from 2" in " ".join((shown.out + shown.err).split())


@pytest.mark.parametrize(("more", "words"), [
    (["--as", "base"], "--trace builds it"), (["--mtp"], "--trace builds it"),
    (["--ignore-key", "x"], "--trace builds it")])
def test_ways_to_read_a_configuration_do_not_go_with_it(
        more: list[str], words: str, config: str, asked: list[Wanted],
        capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["count", config, "--trace", *more]) == 2
    assert words in capsys.readouterr().err
    assert not asked


def test_code_that_a_configuration_names_is_not_run(tmp_path: Path, asked: list[Wanted],
                                                    capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**DATA, "vision_config": {"auto_map": {}}}), encoding="utf-8")
    assert run(["count", str(path), "--trace"]) == 2
    assert "--trust" in capsys.readouterr().err
    assert not asked


def test_what_is_stated_is_not_traced(tmp_path: Path, asked: list[Wanted],
                                      capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[dims]\nd_model = 8\n[[tensors]]\npattern = "w"\nshape = ["d_model"]\n',
                    encoding="utf-8")
    assert run(["count", str(path), "--trace"]) == 2
    assert "is for a config.json" in capsys.readouterr().err
    assert run(["count", "gpt2", "--trace"]) == 0
    assert "it is not traced" in capsys.readouterr().err
    assert not asked
