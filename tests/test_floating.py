"""Tables that float have captions and labels: one each, those that were asked for first."""

from __future__ import annotations

import re

import pytest

from symparam.api import load
from symparam.documents.common.floating import Floats, floating
from symparam.errors import BadValue
from symparam.expression import Sym
from symparam.writers.document import Column, Document, Heading, Math, Table
from tests.helpers import Line

LINES = ("derive llama-2-7b", "derive gpt2 --detail appendix", "count mixtral-8x7b",
         "cost gpt2", "compare gpt2 llama-2-7b", "sensitivity gpt2", "solve P=1e9 L=24",
         "diff gpt2 llama-2-7b")


@pytest.mark.thinned(3)
@pytest.mark.parametrize("text", LINES)
def test_every_table_has_a_caption_and_a_label_of_its_own(text: str, line: Line) -> None:
    shown = line(f"{text} --latex --float")[1]
    floats = shown.count(r"\begin{table}")
    labels = re.findall(r"\\label\{([^}]*)\}", shown)
    assert floats == shown.count(r"\end{table}") == shown.count(r"\begin{tabular}") > 0
    assert shown.count(r"\caption{") == floats
    assert len(labels) == len(set(labels)) == floats - shown.count("(continued)")
    assert all(re.fullmatch(r"tab:[a-z0-9.-]+", label) for label in labels)
    plain = line(f"{text} --latex")[1]
    assert not re.search(r"caption|label\{|begin\{table\}", plain)
    bodies = [re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", each, re.DOTALL)
              for each in (shown, plain)]
    assert bodies[0] == bodies[1]


def test_the_first_is_called_what_was_asked_for(line: Line) -> None:
    shown = line("derive gpt2 --latex --caption 'A_b 50% $x$' --label tab:ours")[1]
    assert r"\caption{A\_b 50\% \$x\$}\label{tab:ours}" in shown
    assert r"\label{tab:ours-2}" in shown
    assert shown.count(r"A\_b") == 1


@pytest.mark.parametrize("label", ["a b", "x}", r"\x", "", "ü", "a" * 200, "-x"])
def test_a_label_that_no_reference_can_have_is_refused(label: str) -> None:
    if label:
        with pytest.raises(BadValue, match="label"):
            Floats(label=label)
    assert Floats(label="tab:a_b-1.2").label


@pytest.mark.parametrize(("kind", "mark"), [
    ("markdown", "The matrices of each part: gpt2"), ("text", "The matrices of each part: gpt2"),
    ("html", "<caption>The matrices of each part: gpt2</caption>"),
    ("typst", "caption: [The matrices of each part: gpt2]) <tab:gpt2-matrices-part>")])
def test_other_formats_show_captions(kind: str, mark: str) -> None:
    view = load("gpt2").derive()
    assert mark not in view.render(kind)
    assert mark in view.render(kind, Floats())


def test_names_of_models_make_labels_and_no_two_are_alike() -> None:
    table = Table((Column("x"),), (("1",),))
    found = floating(Document(r"a_b\{x} 7B: y", (
        table, Heading(("1. The ", Math(Sym("V")), " of it")), table, table)), Floats())
    shown = [block for block in found.blocks if isinstance(block, Table)]
    assert len({block.label for block in shown}) == 3
    assert all(re.fullmatch(r"tab:[a-z0-9.-]+", block.label) for block in shown)
    assert shown[1].caption[-1] == r": a_b\{x} 7B"
