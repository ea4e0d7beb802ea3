"""What Python answers with shows itself in a notebook, and its columns stand where they belong."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

import symparam as sp

MODEL = sp.load("gpt2")
VIEWS = {
    "derive": lambda: MODEL.derive(), "sensitivity": lambda: MODEL.sensitivity(),
    "diff": lambda: MODEL.diff("gpt2-medium"), "cost": lambda: MODEL.cost(s=64),
    "check": lambda: MODEL.check("P=124M"), "breakdown": lambda: MODEL.breakdown(),
    "tensors": lambda: MODEL.tensors(), "sweep": lambda: MODEL.sweep(L=[1, 2]),
    "solve": lambda: sp.decoder(ffn="swiglu").solve(P=10**9, L=16, V=32000),
    "compare": lambda: sp.compare("gpt2", "mixtral-8x7b")}


@pytest.mark.parametrize("name", VIEWS)
def test_every_answer_shows_itself(name: str) -> None:
    found: Any = VIEWS[name]()
    html = found._repr_html_()
    assert "<table" in html or "<math" in html
    assert len(found._repr_markdown_()) > 20


@pytest.mark.parametrize("name", VIEWS)
def test_each_cell_says_how_it_is_aligned(name: str) -> None:
    html = VIEWS[name]()._repr_html_()
    cells = re.findall(r"<t[hd]\b([^>]*)>", html)
    assert cells or name == "check"
    assert [cell for cell in cells if "text-align: " not in cell] == []
    assert all(("num" in cell) == ("text-align: right" in cell) for cell in cells)


def test_headings_stand_below_those_of_a_notebook() -> None:
    """A cell's title is of the third level, a page's of the first; sections are of the next one."""
    found = MODEL.cost(s=64)
    for text, top in ((found._repr_html_(), "3"), (found.html(), "1")):
        first, *rest = re.findall(r"<h(\d)", text)
        assert (first, {*rest}) == (top, {str(int(top) + 1)})


def test_a_sweep_that_nobody_reads_is_a_line() -> None:
    found = MODEL.sweep(L=range(1, 3000))
    assert found._repr_html_() is None
    assert found._repr_markdown_() is None


def test_pictures_show_themselves_drawn_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    flow = sp.picture("flow", "gpt2")
    assert flow._repr_svg_() is None
    assert str(flow._repr_markdown_()).startswith("```mermaid\ngraph TD")
    heads = sp.picture("heads", d_model=[768])
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert heads._repr_svg_() is None
    assert str(heads._repr_markdown_()).splitlines()[:3] == [
        "| d_model | n_heads | d_head |", "| --- | --- | --- |", "| 768 | 3 | 256 |"]


def test_a_page_shows_that_a_table_goes_on() -> None:
    page = sp.compare("gpt2", "mixtral-8x7b").html()
    wide = re.search(r"\.symparam \.wide \{(.*?)\}", page, re.S)
    assert wide is not None
    assert wide[1].count("local") == wide[1].count("scroll;") + wide[1].count("scroll,") == 2
