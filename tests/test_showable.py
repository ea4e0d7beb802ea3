"""Names from outside in every medium: they are seen, and do nothing."""

from __future__ import annotations

import csv
import io
import json
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symparam import showable
from symparam.cli.main import run
from symparam.plot.picture import Picture
from symparam.showable import tex
from tests.strategies import quick
from tests.test_hostile import DESCRIPTION

NAMES = ["=cmd|' /C calc'!A0", "+1", "-1+2", "@SUM(A1)", " =1", "\t=1", "\x1b[31mred\x1b[0m",
         "\u202egnirts\u202c", "a\x9bb\x00c", "x\u2028y\x85z", "%%{init: {'theme': 'x'}}%%",
         "a; b # c", 'say "x" `y` <b>', "$\\frac$ \\input{/etc/passwd}", "two\nlines\r", "\ud800",
         "\ufeffa\u200bb\u00ad", "]]> &amp; <!--"]


def described(folder: Path, name: str) -> Path:
    """A description whose model has a name."""
    path = folder / "own.json"
    path.write_text(json.dumps({**DESCRIPTION, "name": name}), encoding="utf-8")
    return path


def answer(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = run([str(word) for word in words])
    return code, *capsys.readouterr()


def shown(text: str) -> bool:
    """Whether a terminal shows every character of a text, and obeys none."""
    return all(c.isprintable() or c == "\n" for c in text)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("kind", ["txt", "md", "tex", "html"])
def test_a_name_does_nothing_in_a_template_of_a_user_s(
        kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It may write the name as it is in the data, and does where there is nothing to escape for."""
    path, template = described(tmp_path, "".join(NAMES)), tmp_path / f"own.{kind}.j2"
    template.write_text("<< data.model >>|<< data | tojson >>\n", encoding="utf-8")
    code, out, err = answer(capsys, "count", path, "--template", template)
    assert (code, err) == (0, "")
    assert shown(out)
    assert "nirts" in out


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", [name if i % 4 == 0 else pytest.param(name, marks=pytest.mark.slow)
                                  for i, name in enumerate(NAMES)], ids=ascii)
def test_a_name_does_nothing_in_any_medium(
        name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = described(tmp_path, name)
    for line in ("count", "plot pie", "plot pie --format mermaid", "plot flow --format mermaid",
                 "derive --json", "count --json", "plot shapes --json",
                 "sweep --format json V=100,200"):
        code, out, err = answer(capsys, *line.split(), path)
        assert code == 0, err
        assert shown(out), line
        assert shown(err)
        if "json" in line:
            json.loads(out)
    _, out, _ = answer(capsys, *"plot shapes --format csv".split(), path)
    for row in csv.reader(io.StringIO(out)):
        assert not any(cell.lstrip().startswith(("=", "+", "-", "@")) for cell in row)
    ET.fromstring(answer(capsys, *"plot pie --format svg".split(), path)[1])


@pytest.mark.latex
@pytest.mark.parametrize(("name", "showing"), [
    ("$\\frac$ \\input{/etc/passwd}", r"\$\textbackslash{}frac\$"),
    ("a_b^c & 50% #1 ~ {", r"a\_b\textasciicircum{}c \& 50\% \#1")])
def test_a_name_is_no_command_in_a_picture_for_latex(
        name: str, showing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    words = [*"plot pie --title --format pgf".split(), described(tmp_path, name)]
    code, out, err = answer(capsys, *words)
    assert code == 0, err
    assert "\\input{/" not in out
    assert showing in out


@pytest.mark.thinned(2)
@pytest.mark.parametrize("line", [
    "count {}", "nope{}", "count gpt2 --format {}", "count gpt2 {}=1", "--{}", "check gpt2 {}",
    "count gpt2 --attention {}", "docs check {}.md", "count gpt2 --notation {}.toml",
    "plot {}", "count gpt2 -o {}/x", "check {}.csv", "count gpt2 --template {}.md.j2"])
def test_a_message_shows_what_was_typed(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("\x1b[31m", "\u202eb", "\x9b2J", "\u2066"):
        code, out, err = answer(capsys, *(word.format(text) for word in line.split()))
        assert code == 2
        assert shown(out)
        assert shown(err), err


def test_names_of_files_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "\x1b[2J\u202e.md"
    page.write_text("<!-- symparam: count gpt2 -->\n\x1b[31m\u202e\n<!-- /symparam -->\n")
    for line in ("docs check", "docs check --json", "docs build"):
        code, out, err = answer(capsys, *line.split(), page)
        assert code < 2
        assert shown(out)
        assert shown(err)
    _, _, err = answer(capsys, "count", "gpt2", "-o", tmp_path / "\u202e.txt")
    assert shown(err)


@quick
@given(st.text(max_size=40))
def test_json_holds_what_it_was_given_and_all_of_it_is_seen(text: str) -> None:
    written = showable.json_text({text: [text]}, None)
    assert json.loads(written) == {text: [text]}
    written.encode("utf-8")
    assert not showable._HIDDEN.search(written)


@quick
@given(st.text(st.sampled_from("=+-@ \t\r\n\",;a1\x1b\u202e\ufeff"), max_size=8))
def test_a_cell_is_one_cell_and_no_formula(text: str) -> None:
    table = Picture("x", "", ("a", "b"), ((text, 1),)).csv()
    assert shown(table)
    (_, (cell, number)) = csv.reader(io.StringIO(table))
    assert number == "1"
    assert len(cell.strip()) < 2 or not cell.lstrip().startswith(("=", "+", "-", "@"))


def test_letters_with_accents_that_every_latex_sets_stand_in_it_and_others_by_number() -> None:
    for letter in "ÀçñÖšőžŸĢİ":
        assert tex(f"a{letter}b") == f"a{letter}b"
    for letter in "ĄęĮųøßЖ∑":
        assert tex(f"a{letter}b") == rf"a\texttt{{U+{ord(letter):04X}}}b"
