"""The search for configurations against brute force over the same lattice, side by side.

Brute force is NumPy by hand, once with the formula factored for every width and once as it is
written down, over columns of points. All have to find the same points. Run it:
``python -m benchmarks.search``.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from symparam.count import count
from symparam.descriptions.decoder import plain_decoder
from symparam.solve import solve
from symparam.solve.rank import Ranking
from symparam.solve.requests.goals import Goal, counted
from symparam.solve.requests.parsing import read_wishes
from symparam.solve.requests.preferences import preferences, usual_ratio
from symparam.solve.requests.request import read_request
from symparam.solve.searching.search import Search
from symparam.solve.solver import _plan

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


def written_down(ffn_step: int = 256) -> tuple[int, int]:
    """The same with the formula as it is written, over columns of points."""
    seen = hits = 0
    for width in range(128, 51_201, 128):
        ffn = np.arange(-(-width // ffn_step) * ffn_step, 8 * width + 1, ffn_step, dtype=np.int64)
        depth = np.arange(max(1, -(-width // 256)), min(200, width // 32) + 1, dtype=np.int64)
        L, d_ff = (grid.ravel() for grid in np.meshgrid(depth, ffn, indexing="ij"))
        for d_head in (64, 128):
            d_model = np.full(L.shape, width, dtype=np.int64)
            n_heads = d_model // d_head
            total = (2 * V * d_model + L * (4 * d_model * n_heads * d_head + 2 * d_model * d_ff
                                            + 2 * d_model) + d_model)
            seen += total.size
            hits += int((abs(total - TARGET) <= int(SLACK * TARGET)).sum())
    return seen, hits


def searcher(ranges: list[str], slack: Fraction = SLACK) -> Callable[[], tuple[int, int, int]]:
    """The search alone, its plan made once: points covered, hits, points enumerated."""
    model = plain_decoder()
    request = read_request(model, TARGET, {}, read_wishes(ranges=ranges))
    tally = count(model).plain()
    plan = _plan(request, frozenset(map(str, tally.free_symbols)))
    goal = Goal("P", counted(tally), TARGET, "=", slack)
    wanted = preferences(request, goal, plan.lattice.open_dims)
    ranking = Ranking(goal.count, (goal,), wanted, usual_ratio(request))

    def run() -> tuple[int, int, int]:
        found = Search(plan.lattice, (goal,), ranking.best(10), ranking.nearest(10)).run()
        return found.covered, found.within, found.enumerated

    return run


def least(call: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """Seconds of the processor, the least of some rounds after one to warm up: what else the
    machine does only adds to a time."""
    call()
    found = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def processes(lines: Sequence[Sequence[str]], rounds: int = 5) -> list[float]:
    """Seconds of the processor that whole processes take, the least of rounds in turn."""
    found: list[list[float]] = [[] for _ in lines]
    for _ in range(rounds):
        for line, times in zip(lines, found, strict=True):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, *line], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return [min(times) for times in found]


def against_brute_force() -> None:
    """The default lattice, and the same with d_ff in ever finer steps."""
    print("| d_ff in steps of | points covered | enumerated | hits | search | NumPy, factored "
          "| ratio | NumPy, as written | ratio |")
    print(f"{'| --: ' * 9}|")
    for step in (256, 64, 16, 1):
        run = searcher([] if step == 256 else [f"d_ff={step}:409600:{step}", "d_ff/d_model=1:8"])
        covered, hits, enumerated = run()
        own = least(run, 40)
        if step >= 64:
            said = " | ".join(_beside(call, step, (covered, hits), own)
                              for call in (brute_force, written_down))
        else:
            said = "not run | – | not run | –"
        print(f"| {step} | {covered:,} | {enumerated:,} | {hits:,} | {1000 * own:,.1f} ms | "
              f"{said} |")


def _beside(call: Callable[[int], tuple[int, int]], step: int, wanted: tuple[int, int],
            own: float) -> str:
    assert call(step) == wanted, "the two do not find the same"
    other = least(partial(call, step), 5 if step > 64 else 1)
    return f"{1000 * other:,.0f} ms | {other / own:,.0f} ×"


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
    lines = ("P=7e9", "P=7e9 L=32", "llama-2-7b P=3e9")
    base, *own = processes([["-c", "import sympy, numpy"], *(
        ["-m", "symparam", "solve", *line.split()] for line in lines)])
    print("\n| process | seconds | ratio |\n| --- | --: | --: |")
    print(f"| `python -c \"import sympy, numpy\"` | {base:.2f} | 1 |")
    for line, seconds in zip(lines, own, strict=True):
        print(f"| `solve {line}` | {seconds:.2f} | {seconds / base:.2f} × |")


def whole() -> None:
    """The library call with everything around the search: formulas, roots, order, last check."""
    print(f"\n`solve` as a library call, P = 7e9: "
          f"{1000 * least(lambda: solve(plain_decoder(), TARGET)):,.0f} ms")


if __name__ == "__main__":
    against_brute_force()
    finer_steps()
    against_imports()
    whole()
