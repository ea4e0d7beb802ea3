"""Hostile files in numbers: an answer or a refusal, soon, and in little memory."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz import KINDS

ROOT = Path(__file__).parent.parent
#: Files of a kind in the everyday sample; templates and journals take the longest.
FEW = {"tables": 20, "templates": 20, "headers": 300, "garbage": 30, "journals": 20, "gguf": 200}


def fuzzed(kind: str, count: int) -> None:
    """So many files in a process of their own; which ones, the seed says."""
    seed = random.randrange(2**32)
    done = subprocess.run([sys.executable, "-m", "tests.fuzz", kind, str(count), str(seed)],
                          capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr[-800:]
    report = json.loads(done.stdout)
    told = f"seed {seed}: {report}"
    assert not report["bad"], told
    assert report["slowest"][0] < 2.5, told
    assert report["MB"] < 500, told
    assert sum(report["ends"].values()) == count


@pytest.mark.thinned(5)
@pytest.mark.parametrize("kind", KINDS)
def test_hostile_files_are_answered_or_refused(kind: str) -> None:
    fuzzed(kind, FEW[kind])


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_ten_thousand_hostile_files_are_answered_or_refused(kind: str) -> None:
    fuzzed(kind, 10_000)
