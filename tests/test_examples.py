"""What runs every day: of thinned tests some cases; of drawn examples first what failed once."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import conftest
from tests.conftest import _thinned
from tests.helpers import together

TESTS = Path(__file__).parent
#: A test that fails for about one number in 40, and writes down what it is given.
RARE = """
import os
from hypothesis import given, settings, strategies as st
from tests.strategies import quick

@settings(quick, max_examples=1000)
@given(st.integers(0, 10**9))
def test_rare(number):
    with open(os.environ["DRAWN"], "a") as file:
        print(number, file=file)
    assert number < 1000 or number % 37 != 5
"""


def drawn(folder: Path, seed: int, more: dict[str, str]) -> list[int]:
    """What a run of the rare test draws, in this order."""
    log = folder / f"{seed}.txt"
    (folder / "conftest.py").write_text("from tests.conftest import *")
    (folder / "test_rare.py").write_text(RARE)
    left = {name: text for name, text in os.environ.items() if not name.startswith("HYPOTHESIS")}
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist",
         "-c", os.devnull, "--rootdir", str(folder), str(folder)], cwd=folder, check=False,
        env={**left, "PYTHONPATH": str(TESTS.parent), "XDG_CACHE_HOME": str(folder / "cache"),
             "SYMPARAM_SEED": str(seed), "DRAWN": str(log), **more},
        capture_output=True, text=True, timeout=300)
    assert found.returncode == 1, found.stdout + found.stderr
    return [int(line) for line in log.read_text().split()]


@pytest.mark.slow
@pytest.mark.parametrize("service", [{}, {"CI": "true"}])
def test_what_failed_is_tried_first_with_any_other_seed(
        service: dict[str, str], tmp_path: Path) -> None:
    shown = drawn(tmp_path, 1, service)[-1]
    assert shown % 37 == 5
    assert drawn(tmp_path, 2, service)[0] == shown


class Case:
    """As much of a test as is asked about."""

    def __init__(self, nodeid: str, *marks: pytest.MarkDecorator) -> None:
        self.nodeid, self.marks = nodeid, {each.name: each.mark for each in marks}

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self.marks.get(name)

    def add_marker(self, marker: pytest.MarkDecorator) -> None:
        self.marks[marker.name] = marker.mark


def thinned_cases(count: int) -> list[int]:
    """Which of so many cases run."""
    thinned = pytest.mark.thinned(3)
    cases: list[Any] = [Case(f"f.py::a[{i}]", thinned) for i in range(count)]
    own = Case("f.py::a[own]", thinned, pytest.mark.slow)
    others = [Case(f"f.py::b[{i}]") for i in range(3)]
    _thinned([cases[0], own, *cases[1:], *others])
    assert not any("slow" in case.marks for case in others)
    return [i for i, case in enumerate(cases) if "slow" not in case.marks]


def test_of_a_thinned_test_each_nth_case_runs_every_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which ones, the seed says; each runs on some day, and on no day none does."""
    days = []
    for seed in range(40):
        monkeypatch.setattr(conftest, "SEED", seed)
        days.append(thinned_cases(7))
        assert thinned_cases(7) == days[-1]
        assert len(thinned_cases(2)) == 1
    assert {tuple(each) for each in days} == {(0, 3, 6), (1, 4), (2, 5)}


def test_cases_that_are_tried_together_are_all_tried_and_those_that_fail_named() -> None:
    tried: list[Any] = []

    @together(("number", "word"), [(1, "a"), (2, "b"), (3, "c"), (4, "d")],
              ids=["one", "two", "three", "four"])
    def check(number: int, word: str, more: list[Any]) -> None:
        more.append((number, word))
        assert number % 2

    assert list(inspect.signature(check).parameters) == ["more"]
    with pytest.raises(ExceptionGroup, match="of 4 cases 2 fail: 1: two; 3: four") as caught:
        check(more=tried)
    assert tried == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]
    assert len(caught.value.exceptions) == 2

    @together("a", [1, 2])
    @together("b", [3, 4])
    def product(a: int, b: int) -> None:
        assert a * b != 6

    with pytest.raises(ExceptionGroup, match="of 2 cases 1 fail: 1: 2"):
        product()
