"""docs/requirements.md: every requirement is there, and what is said to show it exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from symparam.cli.main import cli, run
from tests.helpers import data

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
ROWS = [(int(no), what, shown) for no, what, shown in re.findall(
    r"^\| (\d+) \| (.*?) \| (.*) \|$", PAGE, re.M)]
COMMANDS = sorted({command for _, _, shown in ROWS
                   for command in re.findall(r"`symparam ([^`]*)`", shown)})
IDS = {claim["id"] for claim in data("claims.json")}


def claims(shown: str) -> list[str]:
    """The claims that a row names."""
    return [one.strip() for part in re.findall(r"(?:^|; )claims ([^;]*)", shown)
            for one in part.split(", ")]


def test_every_requirement_stands_there_once() -> None:
    assert [no for no, _, _ in ROWS] == list(range(1, 147))
    assert len({what for _, what, _ in ROWS}) == 146


def check_row(no: int, shown: str) -> None:
    """What is said to show a requirement is a command, a test or a claim that there is."""
    for piece in shown.split("; "):
        known = re.fullmatch(r"`symparam [^`]*`|`tests/\w+\.py::\w+`|claims [^`]+", piece)
        assert known, f"{no}: {piece}"
    assert set(claims(shown)) <= IDS, no
    for file, name in re.findall(r"`(tests/\w+\.py)::(\w+)`", shown):
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), no


def test_what_shows_it_exists() -> None:
    for no, _, shown in ROWS:
        check_row(no, shown)


def test_every_command_is_one_that_there_is() -> None:
    assert len(COMMANDS) > 80
    for command in COMMANDS:
        check_command(command)


def check_command(command: str) -> None:
    """A command line that the program can read."""
    name, *words = shlex.split(command)
    found = cli.get_command(click.Context(cli), name)
    assert found is not None
    found.make_context(name, words)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_answers(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(shlex.split(command)) == 0
    assert capsys.readouterr().out


def test_a_command_that_there_is_not_is_noticed() -> None:
    assert cli.get_command(click.Context(cli), "prove") is None
    with pytest.raises(click.NoSuchOption):
        check_command("count gpt2 --no-such-option")
    with pytest.raises(AssertionError):
        check_row(1, "claims N02, N99")
