"""Whole processes, against the import of SymPy that every symbolic tool pays for."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

COMMANDS = {
    "import sympy": [sys.executable, "-c", "import sympy"],
    "count llama-2-7b": [sys.executable, "-m", "symparam", "count", "llama-2-7b"],
    "derive llama-2-7b": [sys.executable, "-m", "symparam", "derive", "llama-2-7b"],
    "derive --ffn swiglu --latex": [sys.executable, "-m", "symparam", "derive", "--ffn", "swiglu",
                                    "--latex"],
    "solve P=7e9 L=32": [sys.executable, "-m", "symparam", "solve", "P=7e9", "L=32"],
    "solve P=7e9": [sys.executable, "-m", "symparam", "solve", "P=7e9"],
}


@pytest.mark.benchmark(group="process")
@pytest.mark.parametrize("name", COMMANDS)
def test_process(name: str, benchmark: Any) -> None:
    """One command from start to exit."""
    benchmark.pedantic(subprocess.run, (COMMANDS[name],),
                       {"stdout": subprocess.DEVNULL, "check": True}, rounds=15, warmup_rounds=1)
