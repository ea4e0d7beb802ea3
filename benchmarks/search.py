"""The search for configurations against brute force over the same lattice, side by side.

Brute force is NumPy as one would write it by hand: the default lattice of the plain decoder as
columns, every point counted with the expanded formula, in blocks that fit the cache. Both have to
find the same points. Run it: ``python -m benchmarks.search``.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from symparam.count import count
from symparam.solve import solve
from symparam.solve.goals import Goal
from symparam.solve.polynomial import Polynomial
from symparam.solve.preferences import preferences, usual_ratio
from symparam.solve.rank import Ranking
from symparam.solve.request import read_request
from symparam.solve.said import read_wishes
from symparam.solve.search import Search
from symparam.solve.solver import _plan
from symparam.spec.decoder import plain_decoder

TARGET, SLACK, V = 7 * 10**9, Fraction(1, 100), 32_000
ROUNDS = 9


def brute_force(ffn_step: int = 256) -> tuple[int, int]:
    """All points counted, one by one: how many there are, and how many meet the target."""
    low, high = TARGET * (1 - SLACK), TARGET * (1 + SLACK)
    least, most = int(-(-low // 1)), int(high // 1)
    seen = hits = 0
    for width in range(128, 51_201, 128):
        first, last = -(-width // ffn_step) * ffn_step, 8 * width
        ffn = np.arange(first, last + 1, ffn_step, dtype=np.int64)
        for head in (64, 128):
            depth = np.arange(max(1, -(-width // 256)), min(200, width // 32) + 1, dtype=np.int64)
            inside = width // head * head
            layer = 4 * width * inside + 2 * width * ffn + 2 * width
            total = 2 * V * width + width + depth[:, None] * layer
            seen += total.size
            hits += int(((total >= least) & (total <= most)).sum())
    return seen, hits


def searcher(ranges: list[str], slack: Fraction = SLACK) -> Callable[[], tuple[int, int, int]]:
    """The search alone, its plan made once: points covered, hits, points enumerated."""
    model = plain_decoder()
    request = read_request(model, TARGET, {}, read_wishes(ranges=ranges))
    tally = count(model).plain()
    plan = _plan(request, frozenset(map(str, tally.free_symbols)))
    goal = Goal("P", Polynomial.of(tally), TARGET, "=", slack)
    wanted = preferences(request, goal, plan.lattice.open_dims)
    ranking = Ranking(goal.count, (goal,), wanted, usual_ratio(request))

    def run() -> tuple[int, int, int]:
        found = Search(plan.lattice, (goal,), ranking.best(10), ranking.nearest(10)).run()
        return found.covered, found.within, found.enumerated

    return run


def least(call: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """Seconds, the least of some rounds after one to warm up: what else the machine does only
    adds to a time."""
    call()
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return min(found)


def process(*words: str) -> float:
    """Seconds of a whole process."""
    return least(lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL))


def against_brute_force() -> None:
    """The default lattice, and the same with d_ff in ever finer steps."""
    print("| d_ff in steps of | points covered | enumerated | hits | search | NumPy | ratio |")
    print("| --: | --: | --: | --: | --: | --: | --: |")
    for step in (256, 64, 16, 1):
        run = searcher([] if step == 256 else [f"d_ff={step}:409600:{step}", "d_ff/d_model=1:8"])
        covered, hits, enumerated = run()
        own = least(run, 40)
        if step >= 16:
            assert brute_force(step) == (covered, hits), "the two do not find the same"
            other = least(partial(brute_force, step), 5 if step > 64 else 2)
            said = f"{1000 * other:,.0f} ms | {other / own:,.0f} ×"
        else:
            said = "not run | –"
        print(f"| {step} | {covered:,} | {enumerated:,} | {hits:,} | {1000 * own:,.1f} ms | "
              f"{said} |")


def finer_steps() -> None:
    """With hardly any hits: what is solved for costs nothing, what is gone through does."""
    print("\n| tolerance 10⁻⁹ | points covered | enumerated | search |\n| --- | --: | --: | --: |")
    for name, ranges in (("the default lattice", []),
                         ("d_ff in steps of 1", ["d_ff=1:409600", "d_ff/d_model=1:8"]),
                         ("d_model in steps of 64", ["d_model=64:51200:64"])):
        run = searcher(ranges, Fraction(1, 10**9))
        covered, _, enumerated = run()
        print(f"| {name} | {covered:,} | {enumerated:,} | {1000 * least(run, 40):,.1f} ms |")


def against_imports() -> None:
    """The command from start to exit, against the import that it cannot do without."""
    base = process(sys.executable, "-c", "import sympy, numpy")
    print("\n| process | seconds | ratio |\n| --- | --: | --: |")
    print(f"| `python -c \"import sympy, numpy\"` | {base:.2f} | 1 |")
    for line in ("P=7e9", "P=7e9 L=32", "llama-2-7b P=3e9"):
        own = process(sys.executable, "-m", "symparam", "solve", *line.split())
        print(f"| `solve {line}` | {own:.2f} | {own / base:.2f} × |")


def whole() -> None:
    """The library call with everything around the search: formulas, roots, order, last check."""
    print(f"\n`solve` as a library call, P = 7e9: "
          f"{1000 * least(lambda: solve(plain_decoder(), TARGET)):,.0f} ms")


if __name__ == "__main__":
    against_brute_force()
    finer_steps()
    against_imports()
    whole()
