"""A process that has loaded what tests need and nothing of the project; it forks for each run.

Reads a line of JSON (pytest's arguments, folder, environment, seconds) and writes one: the exit
code of pytest, none where time ran out. ``python tests/mutants/server.py``
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
import time
from typing import Any

#: Other people's modules, slow to load.
HEAVY = ("pytest", "hypothesis", "hypothesis.strategies", "_pytest.doctest", "xdist.plugin",
         "sympy", "numpy", "jinja2", "click", "rich.console", "rich.markup", "jsonschema",
         "html5lib", "markdown_it", "markdown", "matplotlib.pyplot", "pyarrow", "yaml")


def served(wanted: dict[str, Any]) -> int | None:
    """The exit code of one run in a process of its own."""
    child = os.fork()
    if child == 0:
        code = 3
        try:
            code = _run(wanted)
        finally:
            os._exit(code)
    end = time.monotonic() + wanted["patience"]
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # its own session: nothing else is in it
    os.waitpid(child, 0)
    return None


def _run(wanted: dict[str, Any]) -> int:
    os.setsid()
    os.chdir(wanted["folder"])
    out = os.open(wanted["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for number in (1, 2):
        os.dup2(out, number)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.environ.update(wanted["environment"])
    sys.path.insert(0, wanted["folder"])
    import pytest

    return int(pytest.main(wanted["arguments"]))


def main() -> None:
    """Load, then answer line by line until nobody asks any more."""
    sys.path.pop(0)  # this file's own folder
    for name in HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    known = [name for name in sys.modules if name.partition(".")[0] in {"symparam", "tests"}]
    if known:
        raise SystemExit(f"already loaded: {known}")
    for line in sys.stdin:
        print(json.dumps(served(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
