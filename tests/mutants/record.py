"""A copy of the project, and which of its everyday tests run which of its lines."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "symparam", "mutants")

#: Runs are to differ in the mutant alone: the same examples, in a fixed order.
SEED = "1"


@dataclass(frozen=True)
class Record:
    """What one run of the suite without mistakes has shown.

    Attributes:
        folder: where the copy and the record are.
    """

    folder: Path

    @property
    def copy(self) -> Path:
        """The project as it was recorded."""
        return self.folder / "copy"

    @cached_property
    def took(self) -> dict[str, float]:
        """Seconds of each test."""
        found: dict[str, float] = {}
        for path in sorted(self.folder.glob("took-*.json")):
            for name, seconds in json.loads(path.read_text(encoding="utf-8")).items():
                found[name] = max(found.get(name, 0.0), seconds)
        return found

    @cached_property
    def lines(self) -> dict[str, dict[int, set[str]]]:
        """Of each file below the copy, of each line, the tests that run it."""
        from coverage import CoverageData

        found: dict[str, dict[int, set[str]]] = {}
        for path in sorted(self.folder.glob("lines-*")):
            data = CoverageData(str(path))
            data.read()
            for file in data.measured_files():
                own = found.setdefault(file.rpartition("/copy/")[2], {})
                for line, contexts in data.contexts_by_lineno(file).items():
                    own.setdefault(line, set()).update(contexts)
        return found

    def covering(self, file: str, line: int) -> list[str]:
        """The tests that run a line, or the statement that it goes on, the quickest first."""
        own = self.lines.get(file, {})
        begun = next((n for n in range(line, max(line - 12, 0), -1) if own.get(n)), line)
        return self._quickest(own.get(begun, set()))

    def touching(self, file: str) -> list[str]:
        """The tests that run anything of a file."""
        return self._quickest(set().union(*self.lines.get(file, {}).values()))

    def rest(self) -> list[str]:
        """Every test."""
        return self._quickest(set(self.took))

    def _quickest(self, names: set[str]) -> list[str]:
        return sorted(names & set(self.took), key=lambda n: (self.took[n], n))


def recorded() -> Record:
    """The record of the project as it is now, made where there is none."""
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.splitlines()
    present = sorted(name for name in files if (ROOT / name).is_file())
    state = hashlib.sha256()
    for name in present:
        if name.endswith((".py", ".j2", ".json", ".xz", ".toml")):
            state.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
    folder = CACHE / state.hexdigest()[:16]
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        for name in present:
            (folder / "copy" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / "copy" / name)
        print(f"recording which test runs which line, in {folder}", flush=True)
        pytest(folder / "copy", ["-n", "2"], {"SYMPARAM_RECORD": str(folder)})
        (folder / "done").touch()
    return Record(folder)


def pytest(copy: Path, arguments: list[str], more: dict[str, str],
           patience: float | None = None) -> bool:
    """Run the suite in a copy; whether all tests passed, which they do not where time runs out."""
    examples = copy / ".examples"  # what one mutant failed on is not to be tried on the next
    shutil.rmtree(examples, ignore_errors=True)
    path = os.pathsep.join(filter(None, (str(copy), os.environ.get("PYTHONPATH"))))
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.mutants.plugin", "-p",
         "no:cacheprovider", *arguments],
        cwd=copy, stdout=(copy.parent / "log").open("w"), stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": path, "SYMPARAM_SEED": SEED,
             "PYTHONDONTWRITEBYTECODE": "1",
             "HYPOTHESIS_STORAGE_DIRECTORY": str(examples), **more})
    try:
        return process.wait(patience) in {0, 5}
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)  # its own session: nothing else is in it
        process.wait()
        return False
