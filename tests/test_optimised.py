"""``python -O`` and ``-OO``: everything runs, says the same, and every proof is still made."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import symparam
from symparam.cli.main import run

PACKAGE = Path(symparam.__file__).parent

LINES = ("count mixtral-8x7b --json",
         "derive llama-2-7b --assume d_ff=8/3*d_model --leading d_model",
         "derive gpt2 --quantity kv_cache --json", "solve P=1e9 d_model=2048",
         "sensitivity llama-2-7b --json", "cost gpt2 --json")
RUN = """
import sys
from symparam.cli.main import main
for line in sys.argv[1:]:
    sys.argv = ["symparam", *line.split()]
    try:
        main()
    except SystemExit as end:
        print(line, "->", end.code)
"""

#: What is false is offered to what proves; each line that is printed names one that is refused.
FALSE = """
from dataclasses import replace
from symparam.derivation import leading
from symparam.derivation.plan import derive
from symparam.derivation.step import Line
from symparam.errors import BrokenPromise, FalseStep, the
from symparam.descriptions.load import load

def refused(name, offer, error=FalseStep):
    try:
        offer()
    except error:
        print(name)

found = derive(load("llama-2-7b"), ["d_ff=8/3*d_model"], "d_model")
for step in found.steps:
    if step.rule == "leading":
        refused("a remainder", lambda: replace(step, remainder=Line(())))
    if step.rule == "assume":
        refused("an equation", lambda: replace(step, given=replace(step.given,
                                                                   expr=step.given.expr + 1)))
    if len(step.after.terms) > 1:
        refused(f"a lost term: {step.rule}",
                lambda: replace(step, after=Line(step.after.terms[1:])))
true = leading.factored
leading.factored = lambda terms: true(terms) * 2
refused("what is left out", lambda: derive(load("llama-2-7b"), ["d_ff=8/3*d_model"], "d_model"))
refused("a kind", lambda: the(int, None), BrokenPromise)
"""
REFUSED = ("a lost term: take-apart", "a lost term: sum", "a lost term: collect", "an equation",
           "a remainder", "what is left out", "a kind")


def started(program: str, *arguments: str, flags: tuple[str, ...] = ()) -> str:
    """What a program prints, in a Python that is started so; what it compiles is kept."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    found = subprocess.run([sys.executable, *flags, "-c", program, *arguments], text=True,
                           capture_output=True, timeout=300, check=False, env=kept)
    assert found.stderr == ""
    return found.stdout


@cache
def plain() -> str:
    """What the lines print with nothing left out; under -O by a process of its own too."""
    if sys.flags.optimize:
        return started(RUN, *LINES)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        for line in LINES:
            print(line, "->", run(line.split()))
    return out.getvalue()


def statements(source: str) -> list[int]:
    """The lines of a source that mean something else when Python optimises."""
    if not re.search(r"\bassert\b|__debug__", source):
        return []
    return [node.lineno for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assert)
            or (isinstance(node, ast.Name) and node.id == "__debug__")]


@pytest.mark.thinned(3)
def test_nothing_in_the_package_rests_on_an_assert() -> None:
    found = {str(path.relative_to(PACKAGE)): lines for path in PACKAGE.rglob("*.py")
             if (lines := statements(path.read_text("utf-8")))}
    assert found == {}
    assert statements("if x:\n    assert y == 0\n    if __debug__:\n        check()") == [2, 3]


@pytest.mark.slow
@pytest.mark.parametrize("flag", ["-O", "-OO"])
def test_every_answer_is_the_same(flag: str) -> None:
    assert plain().count("-> 0") == len(LINES)
    assert started(RUN, *LINES, flags=(flag,)) == plain()


@pytest.mark.thinned(2)
@pytest.mark.parametrize("flag", ["", pytest.param("-O", marks=pytest.mark.slow), "-OO"])
def test_what_is_false_is_still_refused(flag: str) -> None:
    assert set(REFUSED) <= set(started(FALSE, flags=(flag,) if flag else ()).splitlines())
