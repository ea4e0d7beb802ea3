"""Runs of the suite in a copy of the project: one that records, and one for each mistake."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
OPTIONS = ("-q", "-p", "tests.mutants.plugin", "-p", "no:cacheprovider")

#: Runs are to differ in the mistake alone: the same examples, in a fixed order.
SEED = "1"


def environment(copy: Path, **more: str) -> dict[str, str]:
    """What a run in a copy is to find; the processes that it starts are of the copy too."""
    path = os.pathsep.join(filter(None, (str(copy), os.environ.get("PYTHONPATH"))))
    return {"PYTHONPATH": path, "SYMPARAM_SEED": SEED,
            "HYPOTHESIS_STORAGE_DIRECTORY": str(copy / ".examples"), **more}


def record(copy: Path, folder: Path, names: list[str] | None) -> None:
    """Run tests in a copy: which line is whose goes to a folder, and what each test took.

    What is compiled stays in the copy: each run for a mistake loads it again. A test that fails
    because lines are recorded (it looks at what a process loads) is timed without.

    Args:
        copy: the project.
        folder: where the record is, and is added to.
        names: tests, or whole files of them; None for all.
    """
    child = copy / "tests" / "mutants" / "child"
    path = environment(copy)["PYTHONPATH"]
    passed, failed = _timed(copy, folder, names, ["-n", "2"], SYMPARAM_RECORD=str(folder),
                            PYTHONPATH=os.pathsep.join((str(child), path)))
    if failed:
        more, still = _timed(copy, folder, failed, [])
        passed |= more
        print("\n".join(f"fails without a mistake: {name}" for name in still))
    path_took = folder / "took.json"
    before = json.loads(path_took.read_text("utf-8")) if path_took.exists() else {}
    path_took.write_text(json.dumps(before | passed), "utf-8")
    _join(folder)


def _timed(copy: Path, folder: Path, names: list[str] | None, arguments: list[str],
           **more: str) -> tuple[dict[str, float], list[str]]:
    """Run tests; seconds of those that pass, and those that fail."""
    if names is not None:
        (folder / "names").write_text("\n".join(names), encoding="utf-8")
        more["SYMPARAM_TESTS"] = str(folder / "names")
        arguments = [*arguments, *sorted({
            file for name in names if (copy / (file := name.partition("::")[0])).exists()})]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with (folder / "log").open("a") as out:
        subprocess.run([sys.executable, "-m", "pytest", *OPTIONS, *arguments], cwd=copy,
                       stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                       env=kept | environment(copy) | {"SYMPARAM_TIMES": str(folder)} | more,
                       check=False)
    passed, failed = dict[str, float](), list[str]()
    for path in sorted(folder.glob("took-*.json")):
        own = json.loads(path.read_text(encoding="utf-8"))
        passed |= own["passed"]
        failed += own["failed"]
        path.unlink()
    return passed, failed


def _join(folder: Path) -> None:
    """Make one file of what each process has recorded; one that was killed in between is left."""
    from coverage import CoverageData
    from coverage.exceptions import DataError

    lines = CoverageData(str(folder / "lines"))
    lines.read()
    for path in sorted(folder.glob("lines-*")):
        with contextlib.suppress(DataError):
            part = CoverageData(str(path))
            part.read()
            lines.update(part)
        path.unlink()
    lines.write()


class Runs:
    """Runs in one copy, one at a time, each forked from a process that has loaded libraries."""

    def __init__(self, copy: Path) -> None:
        self.copy = copy
        self.server = subprocess.Popen(
            [sys.executable, str(HERE / "server.py")], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, start_new_session=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})

    def passes(self, arguments: list[str], patience: float, **more: str) -> bool:
        """Whether all tests pass, which they do not where time runs out."""
        # What one mistake failed on is not to be tried on the next.
        shutil.rmtree(self.copy / ".examples", ignore_errors=True)
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        self.server.stdin.write(json.dumps({
            "folder": str(self.copy), "log": str(self.copy.with_suffix(".log")),
            "arguments": [*OPTIONS, *arguments], "patience": patience,
            "environment": environment(self.copy, **more)}) + "\n")
        self.server.stdin.flush()
        return json.loads(self.server.stdout.readline()) in {0, 5}

    def is_clean(self) -> bool:
        """Whether lint and types, with which the everyday command begins, find nothing."""
        tools = [["ruff", "check", "--quiet", "symparam"],
                 ["mypy", "--cache-dir", str(self.copy / ".types")]]
        return all(subprocess.run(
            [sys.executable, "-m", *tool], cwd=self.copy, stdin=subprocess.DEVNULL,
            capture_output=True, check=False,
            env={**os.environ, "MYPYPATH": str(self.copy)}).returncode == 0 for tool in tools)

    def close(self) -> None:
        """Let the process end."""
        assert self.server.stdin is not None
        self.server.stdin.close()
        self.server.wait()
