"""The pages of docs/ that are written by a program, and what they say of it."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from symparam.descriptions.lookup import known_model_types
from symparam.quantities import everything

DOCS = Path(__file__).parent.parent / "docs"


def test_the_page_of_families_is_as_the_families_are() -> None:
    page = (DOCS / "families.md").read_text(encoding="utf-8")
    assert page == runpy.run_path(str(DOCS / "make_families.py"))["page"]()
    assert all(f"`{model_type}`" in page for model_type in known_model_types())


@pytest.mark.thinned(3)
def test_the_page_of_quantities_is_as_the_quantities_are() -> None:
    page = (DOCS / "quantities.md").read_text(encoding="utf-8")
    assert page == runpy.run_path(str(DOCS / "make_quantities.py"))["page"]()
    for quantity in everything().values():
        for said in (quantity.name, quantity.convention, quantity.source):
            assert said in page
