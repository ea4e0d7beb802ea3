"""docs/limits.md has every bound on what comes from outside, as it is in the source."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "limits.md"
UNITS = {"": 1, "KiB": 2**10, "MiB": 2**20, "MB": 10**6}
ROW = re.compile(r"\| [^|]+ \| (?P<number>[0-9,]+)(?: (?P<unit>\w+))? \| `(?P<name>[\w.]+)` \|")
#: Bounds on what a trace looks for and what is said of it; its own page says what it asks for.
APART = ("tracing.", "traced.")


#: A module without such a line need not be parsed.
ASSIGNED = re.compile(r"^(\w+, )*MAX_\w+[ ,:]", re.MULTILINE)


def said(text: str) -> dict[str, int]:
    """The numbers of the page by their names in the source."""
    return {row["name"]: int(row["number"].replace(",", "")) * UNITS[row["unit"] or ""]
            for row in map(ROW.fullmatch, text.splitlines()) if row}


def bounds() -> Iterator[str]:
    """The names in the source that begin with MAX_."""
    package = ROOT / "symparam"
    for path in sorted(package.rglob("*.py")):
        module = ".".join(path.relative_to(package).with_suffix("").parts).removesuffix(".__init__")
        source = path.read_text(encoding="utf-8")
        for node in ast.parse(source).body if ASSIGNED.search(source) else ():
            if isinstance(node, ast.Assign):
                yield from (f"{module}.{each.id}" for target in node.targets
                            for each in ast.walk(target)
                            if isinstance(each, ast.Name) and each.id.startswith("MAX_"))


def held(numbers: dict[str, int]) -> None:
    """Raise AssertionError where a number is another in the source, or one is missing."""
    for name, number in numbers.items():
        module, _, constant = name.rpartition(".")
        assert getattr(importlib.import_module(f"symparam.{module}"), constant) == number, name
    assert {name for name in bounds() if not name.startswith(APART)} == set(numbers)


def test_every_bound_is_on_the_page_as_it_is_in_the_source() -> None:
    numbers = said(PAGE.read_text(encoding="utf-8"))
    assert len(numbers) > 40
    held(numbers)


@pytest.mark.parametrize("change", ["5,000", "| 4 MiB", "`lexer.MAX_DIGITS`"])
def test_another_number_or_name_is_noticed(change: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    other = {"5,000": "6,000", "| 4 MiB": "| 4 MB", "`lexer.MAX_DIGITS`": "`lexer.MAX_LENGTH`"}
    with pytest.raises(AssertionError):
        held(said(text.replace(change, other[change], 1)))
