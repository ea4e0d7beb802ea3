"""How soon the tool in a browser answers, and what it loads: first visits, nothing kept anywhere.

Each round is a browser of its own. What is said is the least of the rounds: seconds from the press
of the button until the count is shown, and until all answers are; the processor seconds that the
browser's processes took for each, which other work on the machine leaves nearly alone; and bytes as
a server sends them, compressed. Run it: ``python -m benchmarks.tool``.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from tests.browser.chromium import Chromium, browser
from tests.browser.loopback import Loopback
from tests.browser.test_tool import ANSWERED, SAID, Tool
from webtool.build import build

MODELS = ("llama-2-7b", "deepseek-v3")
#: What is sent for after the count, maybe before it is seen here.
DERIVERS = "derive.tar.gz"
POINTS = {"first count": f"'count' in {SAID}", "all answers": f"{ANSWERED} > 0"}


def processor(chromium: Chromium) -> float:
    """The processor seconds of the browser's processes so far."""
    session, chromium._session = chromium._session, ""
    found = chromium.ask("SystemInfo.getProcessInfo")["processInfo"]
    chromium._session = session
    return float(sum(each["cpuTime"] for each in found))


def measured(folder: Path, path: str, model: str) -> dict[str, tuple[float, float, int]]:
    """Of each point: seconds, processor seconds and bytes."""
    found = {}
    with Loopback(folder) as server, Chromium(path) as chromium:
        tool = Tool(chromium, server)
        began, spent = time.monotonic(), processor(chromium)
        tool.begin(line=model)
        for point, script in POINTS.items():
            tool.until(script)
            seconds, cpu = time.monotonic() - began, processor(chromium) - spent
            sent = sum(size for name, size in server.sent
                       if point == "all answers" or name != DERIVERS)
            found[point] = seconds, cpu, sent
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds, path = parser.parse_args().rounds, browser()
    assert path is not None, "there is no Chromium"
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    print(f"{'':<28}{'s':>8}{'cpu s':>8}{'bytes':>14}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "tool")
        build(folder)
        for model in MODELS:
            runs = [measured(folder, path, model) for _ in range(rounds)]
            for point in POINTS:
                seconds, spent, sent = (min(run[point][i] for run in runs) for i in range(3))
                print(f"{model + ', ' + point:<28}{seconds:>8.1f}{spent:>8.1f}{sent:>14,}")


if __name__ == "__main__":
    main()
