"""The survey of traces: the page is what the record makes, and its figures count what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.differential.survey import table
from tests.differential.survey.apart import each_apart
from tests.differential.survey.types import points_of

LINE: dict[str, Any] = {
    "type": "made", "class": "Made", "sizes": [20, 20], "together": [20, 20], "builds": 9, "cpu": 1,
    "kinds": {"size": 2, "structure": 1}, "assumptions": [], "wrong": []}
#: Fractions are of what builds.
FIGURES = ("exact at", "with a clean", "without a word", "layers and", "every number")


def figures(line: dict[str, Any]) -> list[int]:
    """Of how many of one type each figure says yes, and how many types are wrong in silence."""
    told = table.told([table.compact(line)])
    return [int(next(each for each in told if each.startswith(name)).split(": ")[1].split()[0])
            for name in (*FIGURES, "wrong at")]


def test_the_page_is_what_the_record_makes() -> None:
    first, lines = table.kept()
    assert table.PAGE.read_text(encoding="utf-8") == table.page(lines, **first)


def test_nothing_in_the_record_is_wrong_in_silence() -> None:
    assert [line["type"] for line in table.kept()[1] if line.get("silent")] == []


@pytest.mark.parametrize(("changes", "said"), [
    ({}, [1, 1, 1, 1, 1, 0]),
    ({"assumptions": [["existence", "d differs from e"]]}, [1, 1, 1, 1, 1, 0]),
    ({"assumptions": [["number", f"64 is a number in w: {table.CONSTANT} changes it"]]},
     [1, 1, 0, 1, 1, 0]),
    ({"assumptions": [["number", "axis 0 of w is left as the number 3"]]}, [1, 0, 0, 1, 1, 0]),
    ({"assumptions": [["held", "the number of copies follows it by no rule"]]},
     [1, 0, 0, 1, 0, 0]),
    ({"kinds": {"size": 2}}, [1, 1, 1, 0, 1, 0]), ({"together": [7, 7]}, [1, 1, 1, 0, 1, 0]),
    ({"sizes": [19, 19]}, [0, 0, 0, 0, 0, 0]),
    ({"wrong": [{"fault": "w", "at": {}, "covered": True}]}, [0, 0, 0, 0, 0, 0]),
    ({"wrong": [{"fault": "w", "at": {}, "covered": False}]}, [0, 0, 0, 0, 0, 1])])
def test_each_figure_counts_what_it_says(changes: dict[str, Any], said: list[int]) -> None:
    assert figures({**LINE, **changes}) == said


def test_every_twentieth_type_is_held_against_many_points() -> None:
    many = sum(points_of(f"type {n}") > 20 for n in range(2000))
    assert 60 < many < 140


@pytest.mark.slow
def test_a_target_that_takes_too_long_or_ends_its_process_is_said_and_the_next_one_runs() -> None:
    def measured(name: str) -> dict[str, Any]:
        if name == "endless":
            while True:
                pass
        if name == "failing":
            raise SystemExit(3)
        return {"name": name}
    lines = dict(each_apart(["endless", "failing", "good"], measured, lambda _: 1.0, processes=2))
    assert lines["good"]["name"] == "good"
    assert lines["failing"] == {"failed": "ended with 1"}
    assert "signal" in lines["endless"]["failed"]
