"""What the README shows is what the program says."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from symparam.cli.main import run

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SESSIONS = re.findall(r"```console\n\$ symparam ([^\n]+)\n([^$]+?)\n```", README)


def test_there_are_sessions_to_check() -> None:
    assert len(SESSIONS) >= 7


@pytest.mark.parametrize(("command", "shown"), SESSIONS, ids=[c for c, _ in SESSIONS])
def test_sessions_are_what_the_program_prints(command: str, shown: str,
                                              capsys: pytest.CaptureFixture[str]) -> None:
    assert run(shlex.split(command)) == 0
    assert capsys.readouterr().out.rstrip() == shown


@pytest.mark.parametrize("command", re.findall(r"^\$ symparam ([^#\n]+)", README, re.M))
def test_listed_commands_work(command: str, capsys: pytest.CaptureFixture[str],
                              tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"model_type": "gpt2"}', encoding="utf-8")
    words = [str(config) if word == "path/to/config.json" else word
             for word in shlex.split(command)]
    assert run(words) == 0
    assert capsys.readouterr().out


def test_the_worked_derivation_is_what_its_command_prints(
        capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["docs", "check", str(ROOT / "README.md")]) == 0, capsys.readouterr().out
    assert "1 block)" in capsys.readouterr().err


def test_python_session() -> None:
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted >= 6
    assert result.failed == 0


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_test_command_is_the_one_that_ci_calls() -> None:
    assert "\nbash tests/run\n" in README
    assert "bash tests/run" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
