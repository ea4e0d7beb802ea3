"""Drawn examples: what failed once is tried first ever after, whatever the seed and the service."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("service", [{}, pytest.param({"CI": "true"}, marks=pytest.mark.slow)])
def test_what_failed_is_tried_first_with_any_other_seed(
        service: dict[str, str], tmp_path: Path) -> None:
    shown = drawn(tmp_path, 1, service)[-1]
    assert shown % 37 == 5
    assert drawn(tmp_path, 2, service)[0] == shown
