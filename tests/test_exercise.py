"""A derivation as an exercise: every question has its answer, and none gives it away."""

from __future__ import annotations

import json
import re
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import symparam as sp
from symparam.cli.main import run
from symparam.derivation.plan import Derivation, derive
from symparam.descriptions.load import load
from symparam.documents.derivations.exercise import SHEETS, exercise_document, exercise_json, tasks
from symparam.errors import BadValue, NotDerivable
from symparam.grammar import parse_expression
from symparam.notation.notation import TextWriter
from symparam.notation.numbers import grouped
from symparam.templating.render import render
from symparam.writers.document import Document, Heading
from symparam.writers.text import TextFormat
from tests.strategies import Arch, Dims, decoders, engine, quick
from tests.test_latex import failures, printed

FORMATS = ("text", "markdown", "mkdocs", "latex", "standalone", "html")
SCHEMA = Path(__file__).parent.parent / "docs" / "schema" / "exercise.schema.json"
few = settings(quick, max_examples=6)


def numbers_of(document: Document) -> list[int]:
    """The numbers of a sheet's headings."""
    found = []
    for block in document.blocks:
        if isinstance(block, Heading):
            first = block.spans[0]
            assert isinstance(first, str)
            if match := re.match(r"(\d+)\. ", first):
                found.append(int(match[1]))
    return found


def check(d: Derivation) -> None:
    """Both sheets have the same numbers; answers hold every step, questions none of them."""
    questions, answers = (exercise_document(d, sheet) for sheet in SHEETS)
    found = tasks(d)
    assert numbers_of(questions) == numbers_of(answers) == list(range(1, len(found) + 1))
    assert all(task.question.blocks and task.answer.blocks for task in found)
    wide = TextFormat(width=10**6)
    asked, told = wide.document(questions), wide.document(answers)
    without_headings = wide.document(Document("", tuple(
        block for block in questions.blocks if not isinstance(block, Heading))))
    assert asked.count("?") >= len(found) - 1  # the first one is a request
    for step in d.steps:
        assert step.rule in {task.kind for task in found}
        lines = [text for text in (TextWriter().write(t.shown) for t in step.after.terms)
                 if len(text) > 12 and not text.startswith("P_")]
        assert all(text in told for text in lines)
        assert not [text for text in lines if text in without_headings]
    if d.value is not None and d.value > 10**6:
        assert grouped(d.value) in told
        assert grouped(d.value) not in asked


@pytest.mark.thinned(3)
@few
@given(decoders(), st.booleans(), st.sampled_from(("brief", "full")),
       st.sampled_from((None, "L", "d_model")))
def test_every_question_has_its_answer(case: tuple[Arch, Dims], with_numbers: bool, detail: str,
                                       leading: str | None) -> None:
    arch, dims = case
    try:
        d = derive(engine(arch, dims if with_numbers else {}), (), leading, detail)
    except NotDerivable:
        assume(False)
    check(d)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", ["gpt2", "bert-base", "deepseek-v3", "t5-small", "albert-base"])
def test_published_models(name: str) -> None:
    check(derive(load(name), (), "L" if name == "gpt2" else None))


def test_a_model_that_meets_an_assumption_only_nearly() -> None:
    d = derive(load("llama-2-7b"), ["d_ff = 8/3*d_model"], "d_model")
    check(d)
    text = render(exercise_document(d), "text")
    assert "only nearly: d_ff is 11,008. By how much?" in text
    assert "10922.67" not in text
    assert "10922.67" in render(exercise_document(d, "answers"), "text")
    assert "291 tensors" in render(exercise_document(d, "answers"), "text")


@cache
def full() -> Derivation:
    """GPT-2 in the full form, with a leading term."""
    return derive(load("gpt2"), (), "d_model", "full")


@pytest.mark.thinned(3)
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("sheet", SHEETS)
def test_every_format(kind: str, sheet: str) -> None:
    d = full()
    text = render(exercise_document(d, sheet), kind)
    titles = [task.question.title[0] for task in tasks(d) if task.kind != "assume"]
    assert all(str(title).split(" (")[0] in text for title in titles)
    if kind == "text":
        assert max(map(len, text.splitlines())) <= 80


def test_output_is_as_it_was(golden: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["derive", "--ffn", "swiglu", "--leading", "--exercise"]) == 0
    golden("exercise-swiglu.txt", capsys.readouterr().out)


def test_two_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet, answers = tmp_path / "sheet.md", tmp_path / "answers.tex"
    line = ["derive", "gpt2", "--exercise", "-o", str(sheet), "--answers", str(answers)]
    assert run(line) == 0
    assert "What is $P$ now?" in sheet.read_text(encoding="utf-8")
    assert r"124{,}439{,}808" in answers.read_text(encoding="utf-8")
    assert "124,439,808" not in sheet.read_text(encoding="utf-8")
    assert run(line) == 2
    assert "--force" in capsys.readouterr().err
    assert run([*line, "--force", "-q"]) == 0
    assert run(["derive", "gpt2", "--exercise", "--answers", "-"]) == 0
    assert "= 124,439,808" in capsys.readouterr().out


@pytest.mark.parametrize(("line", "words"), [
    ("gpt2 --answers x.md", "add --exercise"),
    ("gpt2 --exercise --sensitivity", "--exercise contradicts --sensitivity"),
    ("gpt2 --exercise -o x.md --answers ./x.md", "name two files"),
    ("config.json --exercise --answers config.json --force", "is what is read")])
def test_sheets_that_cannot_be_had(line: str, words: str, tmp_path: Path,
                                   monkeypatch: pytest.MonkeyPatch,
                                   capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config.json").write_text('{"model_type": "gpt2"}', encoding="utf-8")
    assert run(["derive", *line.split()]) == 2
    assert words in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["config.json"]


def test_a_block_of_a_document_may_ask_and_answer_but_write_no_file(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "course.md"
    text = "<!-- symparam: derive gpt2 --exercise{} -->\n<!-- /symparam -->\n"
    page.write_text(text.format("") + text.format(" --answers -"), encoding="utf-8")
    assert run(["docs", "build", str(page), "-q"]) == 0
    assert page.read_text(encoding="utf-8").count("1. Take the model apart") == 2
    page.write_text(text.format(" --answers x.md"), encoding="utf-8")
    assert run(["docs", "build", str(page), "-q"]) == 2
    assert "--answers writes files" in capsys.readouterr().err


def test_data_of_both_sheets() -> None:
    schema = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    d = derive(load("llama-2-7b"), ["d_ff = 8/3*d_model"], "d_model")
    questions, answers = (exercise_json(d, sheet) for sheet in SHEETS)
    for data in (questions, answers):
        assert list(schema.iter_errors(json.loads(json.dumps(data)))) == []
        assert [row["number"] for row in data["tasks"]] == list(range(1, 13))
    assert not any("formulas" in row for row in questions["tasks"])
    known = [*answers["symbols"], *answers["parts"]]
    found = [line for row in answers["tasks"] for line in row["formulas"]]
    assert len(found) == len(d.steps)
    for line, step in zip(found, d.steps, strict=True):
        assert parse_expression(line["formula"], known) is not None
        assert line["subject"] == step.subject
    assert found[-1] == {"subject": "P", "relation": "≈", "formula": "12*L*d_model**2"}
    wrong = {**questions, "answers": []}
    assert not schema.is_valid(wrong)


def test_from_python() -> None:
    view = sp.load("gpt2").derive().exercise()
    assert "An exercise" in view.text()
    assert "124,439,808" in view.answers().markdown().replace("{,}", ",")
    assert view.answers().json()["sheet"] == "answers"
    assert len(view.tasks) == view.json()["tasks"][-1]["number"]
    with pytest.raises(BadValue, match="questions or answers"):
        exercise_document(view.derivation, "hints")


@pytest.mark.latex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_both_sheets_compile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each with nothing that sticks out of the page."""
    lines = [f"derive {name} --exercise{sheet} --standalone --detail full"
             for name in ("gpt2 --leading", "deepseek-v3", "t5-small", "bert-base", "jamba-v0.1")
             for sheet in ("", " --answers -")]
    assert failures(tmp_path, printed(capsys, lines)) == {}


def test_an_exercise_speaks_one_notation(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["derive", "--ffn", "swiglu", "--exercise", "--leading", "--notation", "hf"]) == 0
    assert "d_model" not in capsys.readouterr().out
