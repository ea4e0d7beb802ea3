"""How soon a page of ``explore`` is painted, and how soon it follows a change, in Chromium.

A change is what a slider does: the numbers, the page painted, its layout done. Every dim is changed
in turn, up a step and back. The table of steps waits until the numbers rest, and is measured apart.
Run it: ``python -m benchmarks.explore``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.browser.chromium import Chromium, browser

MODELS = ("llama-2-7b", "deepseek-v3", "jamba-v0.1")
ROUNDS = 3

#: The milliseconds of each change.
CHANGES = """(rounds => {
  const found = [];
  for (let i = 0; i < rounds; i++) for (const name of NAMES) for (const way of [1n, -1n]) {
    const to = next(state, name, way);
    if (to === null) continue;
    const start = performance.now();
    set(name, String(to));
    document.body.offsetHeight;
    found.push(performance.now() - start);
  }
  return found;
})(%d)"""
#: The milliseconds of the table of steps.
STEPS = """(() => {
  const start = performance.now();
  paintSteps(state);
  document.body.offsetHeight;
  return performance.now() - start;
})()"""


def written(name: str, folder: Path) -> tuple[Path, float]:
    """A page, and the processor seconds of the command that wrote it."""
    path = folder / f"{name}.html"
    before = os.times()
    subprocess.run([sys.executable, "-m", "symparam", "explore", name, "-q", "-o", str(path)],
                   check=True)
    after = os.times()
    return path, sum(after[2:4]) - sum(before[2:4])


def measured(page: Path, chromium: Chromium) -> tuple[float, list[float], float]:
    """First paint, every change and the table of steps, in milliseconds."""
    chromium.show(page, 1280, picture=True)
    time.sleep(0.2)
    paint = chromium.value("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    changes = sorted(chromium.value(CHANGES % ROUNDS))
    steps = sorted(chromium.value(STEPS) for _ in range(ROUNDS))
    return float(paint), changes, float(steps[ROUNDS // 2])


def main() -> None:
    """Measure, and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("models", nargs="*", default=MODELS)
    path = browser()
    if path is None:
        raise SystemExit("there is no Chromium")
    print("| page | kB | command s (CPU) | first paint ms | update median ms | p95 ms | changes "
          "| steps ms |")
    print("| --- | --: | --: | --: | --: | --: | --: | --: |")
    with tempfile.TemporaryDirectory() as folder, Chromium(path) as chromium:
        for name in arguments.parse_args().models:
            page, seconds = written(name, Path(folder))
            paint, changes, steps = measured(page, chromium)
            middle, late = (changes[int(share * (len(changes) - 1))] for share in (0.5, 0.95))
            print(f"| {name} | {page.stat().st_size / 1000:.1f} | {seconds:.2f} | {paint:.0f} | "
                  f"{middle:.1f} | {late:.1f} | {len(changes)} | {steps:.1f} |", flush=True)
    print(json.dumps({"load": os.getloadavg()}))


if __name__ == "__main__":
    main()
