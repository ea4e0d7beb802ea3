"""Typst that compiles: every kind of answer, in every notation, whatever a model is called."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symparam import compare, load
from symparam.cli.main import run
from symparam.letters import of_matrix, read
from symparam.notation.notation import PRESETS
from symparam.templating.render import render
from symparam.writers.document import Document, Paragraph, spans
from symparam.writers.typst import escape, quoted, typst_of
from tests.helpers import together
from tests.sampled import sampled
from tests.strategies import SEED, quick
from tests.test_export import HOSTILE, ODD, named

ANSWERS = ("derive deepseek-v3", "derive --ffn swiglu --leading", "derive gpt2 --detail full",
           "derive gemma-3-1b --quantity kv_cache s=8192", "count llama-2-7b",
           "count gpt2 --tensors", "compare gpt2 mixtral-8x7b", "count gpt2 bert-base",
           "diff gpt2 llama-2-7b",
           "sensitivity llama-2-7b", "solve P=7e9 L=32 --ffn swiglu", "cost llama-2-7b",
           "align gpt2", "check gpt2 --claim P=124M", "sweep gpt2 L=6:12:6", "models qwen",
           "components")
#: What a document is made of; a name adds to none of them.
ELEMENTS = ("heading", "table", "raw", "strong", "emph", "link", "ref", "list", "enum", "terms",
            "math.equation", "cite")


def compiled(folder: Path, source: str) -> tuple[str, dict[str, int]]:
    """What is wrong with a document, and how many elements of each kind it has."""
    typst = pytest.importorskip("typst")
    path = folder / "x.typ"
    path.write_text(source, encoding="utf-8")
    first, *others = ELEMENTS
    try:
        found = json.loads(typst.query(str(path), f"selector({first})" + "".join(
            f".or({other})" for other in others)))
    except RuntimeError as error:
        return f"refused: {error}"[:600], {}
    return "", dict(Counter(each["func"] for each in found))


def printed(capsys: pytest.CaptureFixture[str], line: str) -> str:
    assert run([*line.split(), "--format", "typst", "-q"]) in {0, 1}
    return capsys.readouterr().out


def test_the_compiler_tells_good_from_bad(tmp_path: Path) -> None:
    assert compiled(tmp_path, "= x\n$a_(b)$\n- y") == ("", {"heading": 1, "equation": 1, "list": 1})
    for bad in ("$a", "#nosuch", "#table(columns: 2, [x)", "$nosuch$"):
        assert compiled(tmp_path, bad)[0], bad


@pytest.mark.parametrize("line", ["derive gpt2 --leading", "solve P=1e9 L=24",
                                  "compare gpt2 llama-2-7b"])
def test_an_answer_compiles(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compiled(tmp_path, printed(capsys, line))[0] == ""


@pytest.mark.slow
@pytest.mark.parametrize("line", ANSWERS)
def test_every_kind_of_answer_compiles(
        line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for notation in random.Random(f"{SEED} {line}").sample(sorted(PRESETS), 2):
        assert compiled(tmp_path, printed(capsys, f"{line} --notation {notation}"))[0] == ""


@pytest.mark.slow
def test_derivations_of_any_architecture_compile(tmp_path: Path) -> None:
    for name, view in sampled(6):
        assert compiled(tmp_path, view.render("typst"))[0] == "", name


def unharmed(folder: Path, names: Iterable[str]) -> None:
    """No name changes what a document is made of."""
    wrong, plain = compiled(folder, render(named("x"), "typst"))
    assert not wrong
    assert plain["heading"] > 3 < plain["table"]
    for name in names:
        assert compiled(folder, render(named(name), "typst")) == ("", plain), name


@pytest.mark.thinned(3)
def test_a_hostile_name_changes_no_element_of_a_document(tmp_path: Path) -> None:
    unharmed(tmp_path, random.Random(SEED).sample(HOSTILE, 3))


@pytest.mark.slow
def test_no_hostile_name_changes_an_element_of_a_document(tmp_path: Path) -> None:
    unharmed(tmp_path, HOSTILE)


def test_a_name_that_is_not_escaped_is_noticed(tmp_path: Path,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symparam.writers.typst.escape", lambda text: text)
    with pytest.raises(AssertionError):
        unharmed(tmp_path, ["_*[x](http://y)*_ ![z](w)"])


@settings(quick, max_examples=200)
@given(st.one_of(ODD, st.text(max_size=12), st.sampled_from(HOSTILE)))
def test_nothing_in_escaped_text_is_markup(text: str) -> None:
    bare = re.sub(r"\\.", "", escape(text))
    assert not set("#$*_`<>@~[]\\\"'/=+-") & set(bare)
    assert re.fullmatch(r'"(?:[^"\\\n]|\\.)*"', quoted(text))


@together(("latex", "shown"), [
    (r"d_{\text{model}}", 'd_("model")'), (r"\lambda_k", "λ_(k)"), ("d^*", 'd^("*")'),
    (r"\mathtt{hidden\_size}", 'mono("hidden_size")'), (r"\hat{W}", "hat(W)"),
    (r"n_{12}", "n_(12)"), (r"\bar\beta_{i,j}", 'macron(β)_(i "," j)')])
def test_letters_are_written_as_values(latex: str, shown: str) -> None:
    assert typst_of(read(latex)) == shown


@pytest.mark.parametrize("name", ["W_Q", "gate", "b_up", "in_proj", "W_E"])
def test_matrices_compile(name: str, tmp_path: Path) -> None:
    assert compiled(tmp_path, f"$underbrace(x, {typst_of(of_matrix(name))})$")[0] == ""


def test_a_line_that_begins_with_a_number_is_no_list() -> None:
    shown = render(Document("1. x", (Paragraph(spans("12) y")),)), "typst")
    assert shown == "= 1\\. x\n\n12\\) y\n"


def numbers(text: str) -> Iterable[str]:
    """The large numbers of a text, in order."""
    return re.findall(r"\d{1,3}(?:,\d{3}){2,}", text)


@pytest.mark.parametrize("name", ["gpt2", "mixtral-8x7b"])
def test_the_numbers_are_those_of_markdown(name: str) -> None:
    for view in (load(name).derive(), load(name).breakdown(), compare(name, "bert-base")):
        found = numbers(view.render("typst"))
        assert found
        assert found == numbers(view.markdown().replace("{,}", ","))


def test_the_page_is_as_it_was_read(golden: Callable[[str, str], None]) -> None:
    golden("derive-gpt2.typ", load("gpt2").derive(leading="d_model").render("typst"))


def test_a_width_breaks_its_lines(line: Callable[[str], tuple[int, str, str]]) -> None:
    wide = line("derive llama-2-7b --format typst")[1]
    narrow = line("derive llama-2-7b --format typst --text-width 8.4")[1]
    assert narrow.count("\n") > wide.count("\n")
    assert line("derive llama-2-7b -o x.typ -q")[0] == 0
    assert "LaTeX" not in line("derive gpt2 --format text --text-width 9")[2]
