"""A file with [[tensors]]: sizes that there can be, and each tensor once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import symparam as sp
from symparam.errors import ConstraintViolated, SpecError
from tests.helpers import together


def stated(folder: Path, dims: dict[str, Any], *tensors: tuple[str, list[Any], list[Any]]) -> str:
    """A file of patterns with their shapes and copies."""
    rows = [{"pattern": pattern, "shape": shape, "copies": copies}
            for pattern, shape, copies in tensors]
    path = folder / "stated.json"
    path.write_text(json.dumps({"dims": dims, "tensors": rows}), encoding="utf-8")
    return str(path)


#: A share of which a file says that it is no size.
HELD = {"value": 1.5, "kind": "held"}


def refused(path: str) -> tuple[str, str]:
    """The place that is refused in a file, and why."""
    with pytest.raises(SpecError) as found:
        sp.load(path)
    assert found.value.where == path
    return found.value.path, found.value.problem


@together(("value", "problem"), [
    (-2, "at least 1"), (0, "at least 1"), (1.5, "a whole number, at least 1, found 1.5"),
    (10**20, r"beyond any model"), (1e20, "beyond any model"),
    ("7", "a whole number, at least 1"), ("L+1", "a whole number, at least 1"),
    (True, "a whole number, at least 1"), (float("inf"), "a whole number, at least 1"),
    (float("nan"), "a whole number, at least 1")])
def test_a_size_is_a_number_as_the_command_line_takes_it(
        value: Any, problem: str, tmp_path: Path) -> None:
    """Whether a row follows it or none does."""
    for shape in (["d", 5], ["2*d"], [5]):
        for dim, place in ((value, "dims.d"), ({"value": value}, "dims.d.value"),
                           ({"value": value, "kind": "structure"}, "dims.d.value")):
            path = stated(tmp_path, {"L": 3, "d": dim}, ("h.*.w", shape, ["L"]))
            assert refused(path)[0] == place
            assert problem in refused(path)[1]


@together("value", [-1, 1.5, True, "7"])
def test_a_number_of_copies_is_a_whole_number_and_may_be_none(value: Any, tmp_path: Path) -> None:
    """As that of the layers of a kind in a file with blocks."""
    path = stated(tmp_path, {"L": value, "d": 4}, ("h.*.w", ["d"], ["2*L"]))
    assert refused(path)[0] == "dims.L"
    assert "at least 0" in refused(path)[1]
    assert sp.load(stated(tmp_path, {"L": 0, "d": 4}, ("h.*.w", ["d"], ["2*L"]))).count() == 0


@together(("shape", "copies", "dims", "place"), [
    (["-d"], ["L"], {}, "shape[0]"), (["d", -2], ["L"], {}, "shape[1]"),
    (["d - 7"], ["L"], {}, "shape[0]"), ([0], ["L"], {}, "shape[0]"),
    (["d/(L - 3)"], ["L"], {}, "shape[0]"), (["d", "d"], ["L"], {"d": HELD}, "shape[0]"),
    (["d"], ["-3"], {}, "copies[0]"), (["d"], ["L - 4"], {}, "copies[0]"),
    (["d"], ["L"], {"L": HELD}, "copies[0]")])
def test_no_axis_and_no_number_of_copies_is_fractional_or_too_small(
        shape: list[Any], copies: list[Any], dims: dict[str, Any], place: str,
        tmp_path: Path) -> None:
    path = stated(tmp_path, {"L": 3, "d": 2, **dims}, ("h.*.w", shape, copies))
    assert refused(path)[0] == f"tensors[0].{place}"


def test_a_dim_that_says_that_it_is_no_size_may_be_a_share_a_text_or_below_none(
        tmp_path: Path) -> None:
    path = stated(tmp_path, {"d": 4, "ratio": HELD, "none": 0,
                             "pad": {"value": -1, "kind": "inert"},
                             "act": {"value": "gelu", "kind": "switch"}},
                  ("w", ["ratio*d"], []), ("n.*", ["d"], ["none"]))
    assert sp.load(path).count() == 6


def test_a_share_is_whole_with_the_numbers_beside_it(tmp_path: Path) -> None:
    path = stated(tmp_path, {"d": 5, "ratio": HELD}, ("w", ["2*ratio"], []),
                  ("v", ["2*d*ratio"], []))
    assert sp.load(path).count() == 3 + 15
    assert sp.load(path).count(d=7) == 3 + 21


@together(("pattern", "copies", "words"), [
    ("w", ["L"], "w has no * that numbers copies: put one where their numbers stand (w.*), or "
     "leave copies out"),
    ("h.*.w", ["L", 2], "h.*.w has 1 *: expected a number of copies for it"),
    ("h.*.e.*.w.*", ["L", 2], "h.*.e.*.w.* has 3 *: expected a number of copies for each, or one "
     "for all of them together")])
def test_as_many_copies_as_stars_are_given(pattern: str, copies: list[Any], words: str,
                                           tmp_path: Path) -> None:
    path = stated(tmp_path, {"L": 3, "d": 2}, (pattern, ["d"], copies))
    assert refused(path) == ("tensors[0].copies", words)


def test_a_negative_size_is_refused_at_numbers_that_are_given_later(tmp_path: Path) -> None:
    path = stated(tmp_path, {"d": {"kind": "size"}}, ("w", ["-d"], []))
    with pytest.raises(ConstraintViolated, match="w has no size below zero"):
        sp.load(path).count(d=2)


@together(("many", "copies", "few", "twice"), [
    ("b.*", ["L"], "b.1", True), ("b.*", ["L"], "b.2", True), ("b.*", ["L"], "b.3", False),
    ("b.*", ["L"], "b.01", False), ("b.*", ["L - 3"], "b.0", False),
    ("b.*.e*.w", ["L", 2], "b.2.e1.w", True), ("b.*.e*.w", ["L", 2], "b.1.e2.w", False)])
def test_a_tensor_stands_once_under_a_star_or_by_itself(
        many: str, copies: list[Any], few: str, twice: bool, tmp_path: Path) -> None:
    for order in (1, -1):
        rows = [(many, ["d"], copies), (few, ["d"], [])][::order]
        path = stated(tmp_path, {"L": 3, "d": 2}, *rows)
        if not twice:
            assert sp.load(path).count() > 0
            continue
        at = [row[0] for row in rows].index(few)
        assert refused(path) == (f"tensors[{at}].pattern", f'"{few}" is one of tensors[{1 - at}] '
                                 f'too, "{many}": give it once')


def test_an_empty_list_of_tensors_is_said_to_be_empty(tmp_path: Path) -> None:
    assert refused(stated(tmp_path, {"d": 2})) == (
        "tensors", "expected a list of tables, found an empty list")
