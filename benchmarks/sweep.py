"""A sweep of the Llama count against NumPy by hand and against a loop, and its memory.

    python -m benchmarks.sweep              # 10^8 points; memory at 10^6, 10^7 and 10^8
    python -m benchmarks.sweep --memory 9   # memory up to 10^9 points

All work out the same grid, and find the largest count of each block, so that each number is looked
at. They take turns, and the shortest time of a processor counts.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from symparam.descriptions.load import load
from symparam.resolve import with_overrides
from symparam.sweep.grid import BLOCK
from symparam.sweep.sweep import Sweep, sweep

V, N_HEADS, D_HEAD = 32000, 32, 128


def axes(points: int) -> dict[str, Any]:
    """A grid of about so many points: depth, width, key-value heads and inner width."""
    side = round((points / 6 / 100) ** 0.5)
    return {"L": np.arange(8, 108), "d_model": np.arange(512, 512 + 128 * side, 128),
            "n_kv": np.array([1, 2, 4, 8, 16, 32]), "d_ff": np.arange(256, 256 + 64 * side, 64)}


def swept(points: int) -> Sweep:
    """The sweep of it."""
    model = with_overrides(load("llama-2-7b"), {"d_head": D_HEAD})
    return sweep(model, axes(points), ["P"])


def by_symparam(found: Sweep) -> int:
    """The largest count, from the compiled quantity."""
    return max(int(block.max()) for block, in found.values())


def by_hand(grid: dict[str, Any], block: int = BLOCK) -> int:
    """The largest count, factored by hand: one product at every point, into the same array.

    P = d·(2·V + 1 + L·(2·d_head·(n_heads + n_kv) + 3·f + 2))
    """
    depths, widths, heads, inner = grid.values()
    layer = (2 * D_HEAD * (N_HEADS + heads))[:, None] + 3 * inner[None, :] + 2
    rows = max(1, min(len(widths), block // layer.size))
    out, most = np.empty((rows, *layer.shape), dtype=np.int64), 0
    for depth in depths:
        each = depth * layer + (2 * V + 1)
        for start in range(0, len(widths), rows):
            part = widths[start:start + rows, None, None]
            most = max(most, int(np.multiply(part, each, out=out[:len(part)]).max()))
    return most


def by_plain_numpy(grid: dict[str, Any], block: int = BLOCK) -> int:
    """The largest count, the formula as it is usually written down, in the same blocks."""
    depths, widths, heads, inner = grid.values()
    kv, f = heads[:, None], inner[None, :]
    rows, most = max(1, min(len(widths), block // (len(heads) * len(inner)))), 0
    for depth in depths:
        for start in range(0, len(widths), rows):
            d = widths[start:start + rows, None, None]
            most = max(most, int((2 * V * d + depth * (
                2 * d * D_HEAD * (N_HEADS + kv) + 3 * d * f + 2 * d) + d).max()))
    return most


def calculator(args: SimpleNamespace) -> int:
    """One count as EleutherAI's cookbook takes it (calc/calc_transformer_params.py): a function of
    an object with the options, which sums embeddings, attention, norms and feed-forward."""
    embedding = args.hidden_size * args.vocab_size * (1 if args.tied else 2)
    positions = args.hidden_size * args.sequence_length if args.learned_positions else 0
    attention = int(2 * (1 + args.kv_size_ratio) * args.num_layers * args.hidden_size
                    * args.heads_size)
    norms = 2 * args.num_layers * args.hidden_size + args.hidden_size
    if args.moe:
        experts = args.num_layers * args.num_experts
        ffn = args.num_mlp_linears * experts * args.hidden_size * args.ffn_size
        ffn += args.num_layers * args.hidden_size * args.num_experts
    else:
        ffn = args.num_mlp_linears * args.num_layers * args.hidden_size * args.ffn_size
    return embedding + positions + attention + norms + ffn


def by_loop(points: int) -> int:
    """The largest count, from a loop over the calculator: a set of options for each point."""
    depths, widths, heads, inner = axes(points).values()
    most = 0
    for depth in depths.tolist():
        for width in widths.tolist():
            for kv in heads.tolist():
                for f in inner.tolist():
                    most = max(most, calculator(SimpleNamespace(
                        vocab_size=V, hidden_size=width, sequence_length=2048, num_layers=depth,
                        moe=False, num_experts=8, ffn_size=f, num_mlp_linears=3, tied=False,
                        learned_positions=False, kv_size_ratio=kv / N_HEADS,
                        heads_size=N_HEADS * D_HEAD)))
    return most


def best(times: int, *runs: Callable[[], int]) -> list[float]:
    """The shortest time of each, taking turns; all must find the same number."""
    found = [[] for _ in runs]  # type: list[list[float]]
    answers = set()
    for _ in range(times):
        for run, seconds in zip(runs, found, strict=True):
            start = time.process_time()
            answers.add(run())
            seconds.append(time.process_time() - start)
    assert len(answers) == 1, answers
    return [min(seconds) for seconds in found]


def memory(points: int) -> int:
    """The largest memory of a process that sweeps so many points, in MB."""
    done = subprocess.run([sys.executable, "-m", "benchmarks.sweep", "--only", str(points)],
                          check=True, capture_output=True, text=True)
    return int(done.stdout) // 1024


def main() -> None:
    """Print the ratios and the memory."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--points", type=int, default=10**8)
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--memory", type=int, default=8, help="up to 10^N points")
    parser.add_argument("--only", type=int)
    given = parser.parse_args()
    if given.only:
        by_symparam(swept(given.only))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        return
    found, grid = swept(given.points), axes(given.points)
    count = found.grid.points
    ours, hand, plain = best(given.times, lambda: by_symparam(found), lambda: by_hand(grid),
                             lambda: by_plain_numpy(grid))
    few = swept(10**5)
    loop, _ = best(3, lambda: by_loop(10**5), lambda: by_symparam(few))
    loop *= count / few.grid.points
    print(f"{count:,} points in blocks of at most {BLOCK:,}, nanoseconds a point:")
    for name, seconds in (("symparam", ours), ("NumPy, factored by hand", hand),
                          ("NumPy, as it is written down", plain), ("Python loop", loop)):
        print(f"  {name:<30} {seconds / count * 1e9:10.3f}   symparam is {seconds / ours:8.2f} × "
              "as fast")
    for power in range(6, given.memory + 1):
        print(f"  memory at 10^{power} points: {memory(10**power)} MB")


if __name__ == "__main__":
    main()
