"""How soon a page of ``explore`` is painted, and how soon it follows a change, in Chromium.

A change is what a slider does: the numbers, the page painted, its layout done. Every dim is changed
in turn, up a step and back, and what counts is the processor time of the page's own thread, so that
what else the machine does falls on none. The table of steps waits until the numbers rest, and is
measured apart. Run it: ``python -m benchmarks.explore``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.browser.chromium import Chromium, browser

MODELS = ("llama-2-7b", "deepseek-v3", "jamba-v0.1")
ROUNDS = 3

CHANGE = "set({!r}, String({})); clearTimeout(resting); document.body.offsetHeight"
STEPS = "paintSteps(state); document.body.offsetHeight"


def written(name: str, folder: Path) -> tuple[Path, float]:
    """A page, and the processor seconds of the command that wrote it."""
    path = folder / f"{name}.html"
    before = os.times()
    subprocess.run([sys.executable, "-m", "symparam", "explore", name, "-q", "-o", str(path)],
                   check=True)
    after = os.times()
    return path, sum(after[2:4]) - sum(before[2:4])


def spent(chromium: Chromium, script: str) -> float:
    """The milliseconds of the processor that a script takes in the page's thread."""
    before = _thread(chromium)
    chromium.value(script)
    return _thread(chromium) - before


def _thread(chromium: Chromium) -> float:
    found = chromium.ask("Performance.getMetrics")["metrics"]
    return 1000 * float(next(each["value"] for each in found if each["name"] == "TaskDuration"))


def measured(page: Path, chromium: Chromium) -> tuple[float, list[float], float]:
    """First paint, as the clock goes; each change and the table of steps, in milliseconds."""
    chromium.show(page, 1280, picture=True)
    time.sleep(0.3)
    paint = chromium.value("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    chromium.ask("Performance.enable", timeDomain="threadTicks")
    changes = []
    for _ in range(ROUNDS):
        for name in chromium.value("NAMES"):
            for way in ("1n", "-1n"):
                to = chromium.value(f"String(next(state, {name!r}, {way}) ?? '')")
                if to:
                    changes.append(spent(chromium, CHANGE.format(name, f"{to}n")))
    steps = sorted(spent(chromium, STEPS) for _ in range(ROUNDS))
    chromium.ask("Performance.disable")
    return float(paint), sorted(changes), steps[ROUNDS // 2]


def main() -> None:
    """Measure, and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("models", nargs="*", default=MODELS)
    path = browser()
    if path is None:
        raise SystemExit("there is no Chromium")
    print("| page | kB | command, s | first paint, ms | update, median | 95 % | changes | steps |")
    print("| --- | --: | --: | --: | --: | --: | --: | --: |")
    with tempfile.TemporaryDirectory() as folder, Chromium(path) as chromium:
        for name in arguments.parse_args().models:
            page, seconds = written(name, Path(folder))
            paint, changes, steps = measured(page, chromium)
            middle, late = (changes[int(share * (len(changes) - 1))] for share in (0.5, 0.95))
            print(f"| {name} | {page.stat().st_size / 1000:.1f} | {seconds:.2f} | {paint:.0f} | "
                  f"{middle:.1f} | {late:.1f} | {len(changes)} | {steps:.1f} |", flush=True)
    print("load", *os.getloadavg())


if __name__ == "__main__":
    main()
