"""A copy of the project, and which of its everyday tests run which of its lines."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tests.mutants.runs import record

if TYPE_CHECKING:
    from coverage import CoverageData

ROOT = Path(__file__).parent.parent.parent
#: No test is taken to be quicker, in seconds.
SHORT = .02
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "symparam", "mutants")


@dataclass(frozen=True)
class Record:
    """What runs of the suite without mistakes have shown.

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
        """Seconds of each test that passes where there is no mistake."""
        path = self.folder / "took.json"
        found: dict[str, float] = json.loads(path.read_text("utf-8")) if path.exists() else {}
        return found

    @cached_property
    def _data(self) -> CoverageData:
        from coverage import CoverageData

        found = CoverageData(str(self.folder / "lines"))
        found.read()
        return found

    @cached_property
    def _lines(self) -> dict[str, dict[int, set[str]]]:
        return {}

    def lines(self, file: str) -> dict[int, set[str]]:
        """The tests that run each line of a file below the copy."""
        if file not in self._lines:
            found = self._data.contexts_by_lineno(str(self.copy / file))
            self._lines[file] = {line: set(names) for line, names in found.items()}
        return self._lines[file]

    def covering(self, file: str, line: int) -> list[str]:
        """The tests that run a line, or the statement that it goes on, the quickest first."""
        own = self.lines(file)
        begun = next((n for n in range(line, max(line - 12, 0), -1) if own.get(n)), line)
        return self._quickest(own.get(begun, set()))

    def touching(self, file: str) -> Iterator[str]:
        """The tests that run anything of a file: those first that run most of what none before
        them did, for what they take; and so again where all is run."""
        ran = dict[str, set[int]]()
        for line, names in self.lines(file).items():
            for name in names & set(self.took):
                ran.setdefault(name, set()).add(line)
        left = set[int]()
        while ran:
            best = max(ran, key=lambda name: len(ran[name] & left) / (self.took[name] + SHORT))
            if not ran[best] & left:
                left = set().union(*ran.values())
                continue
            left -= ran.pop(best)
            yield best

    def naming(self, file: str) -> list[str]:
        """The tests of files that import a module by its name: they may use its constants, and run
        none of its lines."""
        *packages, module = file.removesuffix(".py").split("/")
        named = re.compile(rf"from {'[.]'.join(packages)} import [^\n]*\b{module}\b|"
                           rf"{'[.]'.join([*packages, module])}\b")
        files = {f"tests/{path.name}" for path in self.copy.glob("tests/test_*.py")
                 if named.search(path.read_text(encoding="utf-8"))}
        return self._quickest({name for name in self.took if name.partition("::")[0] in files})

    def called_alike(self, file: str) -> list[str]:
        """The tests of files that are called as a part of a path is: a module of nothing but data
        runs once, for whichever test loads it first."""
        words = set(re.split(r"[/_.]", file)) - {"symparam", "py", ""}
        files = {f"tests/{path.name}" for path in self.copy.glob("tests/test_*.py")
                 if words & set(path.stem.split("_")[1:])}
        return self._quickest({name for name in self.took if name.partition("::")[0] in files})

    @cached_property
    def everything(self) -> list[str]:
        """All tests that pass."""
        return self._quickest(set(self.took))

    @cached_property
    def reading(self) -> list[str]:
        """The tests that read the package's sources as text, and run none of them."""
        named = {f"tests/{path.name}::{name}" for path in self.copy.glob("tests/test_*.py")
                 for name in readers(path.read_text(encoding="utf-8"))}
        return self._quickest({name for name in self.took if name.partition("[")[0] in named})

    def _quickest(self, names: set[str]) -> list[str]:
        return sorted(names & set(self.took), key=lambda n: (self.took[n], n))

    def concerned(self, changed: Collection[str]) -> list[str]:
        """Files of tests that have changed, and the tests that run anything of a changed file."""
        files = {file for file in changed if file.startswith("tests/test_")
                 or (file.startswith("symparam/") and file.endswith(".py"))}
        named = {name for name in self.took if name.partition("::")[0] in files}
        for file in files:
            if file.startswith("symparam/"):
                named.update(self.touching(file))
        return sorted(files | named)

    def forget(self, names: Iterable[str]) -> None:
        """Take out what is to be recorded anew."""
        path = self.folder / "lines"
        if path.exists():
            with contextlib.closing(sqlite3.connect(path)) as base, base:
                base.executemany("DELETE FROM line_bits WHERE context_id IN "
                                 "(SELECT id FROM context WHERE context = ?)",
                                 [(name,) for name in names])
        gone = set(names)
        (self.folder / "took.json").write_text(json.dumps(
            {name: took for name, took in self.took.items() if name not in gone}), "utf-8")


def readers(text: str) -> set[str]:
    """What a file of tests has that looks for all sources, itself or by another name of the file.

    >>> text = 'def a(): p.rglob("*.py")', 'B = a()', 'def c(): B', 'def d(): 1'
    >>> sorted(readers(chr(10).join(text)))
    ['B', 'a', 'c']
    """
    parts = dict[str, str]()
    for node in ast.parse(text).body:
        source = ast.get_source_segment(text, node) or ""
        names = [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else [
            each.id for each in ast.walk(node) if isinstance(each, ast.Name)
            and isinstance(each.ctx, ast.Store)]
        parts |= dict.fromkeys(names, source)
    found = {name for name, source in parts.items() if 'rglob("*.py")' in source}
    while more := {name for name, source in parts.items() if name not in found and any(
            re.search(rf"\b{each}\b", source) for each in found)}:
        found |= more
    return found


def recorded(tests_alone: bool = False) -> Record:
    """The record of the project as it is now: all of it, or what has changed since the last one.

    What helpers of tests and data have changed is not followed: for that, take the folder away.

    Args:
        tests_alone: the package stays what it was when it was recorded first.
    """
    folder = CACHE / hashlib.sha256(str(ROOT).encode()).hexdigest()[:12]
    path = folder / "state.json"
    before = json.loads(path.read_text("utf-8")) if path.exists() else {}
    now = {name: hashlib.sha256((ROOT / name).read_bytes()).hexdigest() for name in _present()}
    if before and tests_alone:
        now, older = _as_recorded(now, before)
        if older:
            print(f"the package is as it was recorded: {len(older)} files have changed since, as "
                  f"{', '.join(older[:3])}", flush=True)
    changed = {name for name in before | now if before.get(name) != now.get(name)}
    if not before:
        shutil.rmtree(folder, ignore_errors=True)
    old = Record(folder)
    concerned = old.concerned(changed) if before else None
    for name in sorted(changed):
        _follow(name, old.copy)
    if changed:
        path.unlink(missing_ok=True)  # what is broken off is recorded anew
        print(f"recording which test runs which line, in {folder}: "
              f"{'all' if concerned is None else len(concerned)}", flush=True)
        if concerned is None or concerned:
            old.forget(concerned or ())
            record(old.copy, folder, concerned)
        path.write_text(json.dumps(now), "utf-8")
    return Record(folder)


def _as_recorded(now: dict[str, str], before: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    """The tests of now with the rest as it was, and which files of the package are older then.

    >>> _as_recorded({"tests/a.py": "2", "symparam/b.py": "2"}, {"symparam/b.py": "1"})
    ({'tests/a.py': '2', 'symparam/b.py': '1'}, ['symparam/b.py'])
    """
    kept = {name: mark for name, mark in before.items() if not name.startswith("tests/")}
    tests = {name: mark for name, mark in now.items() if name.startswith("tests/")}
    return tests | kept, sorted(name for name in now | before if name.startswith("symparam/")
                                and now.get(name) != before.get(name))


def _present() -> list[str]:
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return sorted(name for name in files if (ROOT / name).is_file())


def _follow(name: str, copy: Path) -> None:
    """Make a file of the copy what it is in the project."""
    if (ROOT / name).is_file():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    else:
        (copy / name).unlink(missing_ok=True)
