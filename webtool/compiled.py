"""Modules as Pyodide's own Python compiles them, each kept in a cache by what it is made from."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
#: Where tests/browser/install puts what comes from npm.
CACHE = Path(os.environ.get("SYMPARAM_BROWSER") or Path(
    os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "symparam", "browser"))
PYODIDE = CACHE / "node_modules" / "pyodide"
#: No machine takes longer to compile everything, in seconds.
PATIENCE = 900


class NotBuilt(Exception):
    """Something that the page is built of is not there."""


@dataclass(frozen=True)
class Module:
    """A module's source, and how it is compiled.

    Attributes:
        path: its place in the archive, as tracebacks name it.
        source: what is in it.
        level: as that of ``compile``: 2 leaves out docstrings and asserts.
    """

    path: str
    source: bytes
    level: int


def pyodide_version() -> str:
    """The version of the Pyodide that is installed.

    Raises:
        NotBuilt: there is none.
    """
    try:
        return str(json.loads((PYODIDE / "package.json").read_bytes())["version"])
    except FileNotFoundError:
        raise NotBuilt(f"no Pyodide in {CACHE}: run tests/browser/install") from None


def compiled(modules: Iterable[Module]) -> dict[str, bytes]:
    """What Python loads of each module (``.pyc``), by its path.

    Raises:
        NotBuilt: there is no Pyodide, or it cannot be run.
    """
    folder = CACHE / "compiled" / pyodide_version()
    kept = {module.path: folder / _digest(module) for module in modules}
    missing = {module.path: module for module in modules if not kept[module.path].exists()}
    if missing:
        folder.mkdir(parents=True, exist_ok=True)
        for path, content in _compile(missing).items():
            _keep(kept[path], content)
    return {path: file.read_bytes() for path, file in kept.items()}


def started() -> set[str]:
    """The modules of Python's library that Pyodide itself imports before it runs anything.

    Raises:
        NotBuilt: there is no Pyodide, or it cannot be run.
    """
    kept = CACHE / "compiled" / pyodide_version() / "started.json"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as name:
            _node(Path(name), [])
            _keep(kept, (Path(name) / "started.json").read_bytes())
    return set(json.loads(kept.read_bytes()))


def _digest(module: Module) -> str:
    said = f"{module.path}\0{module.level}\0".encode()
    return hashlib.sha256(said + module.source).hexdigest()


def _keep(path: Path, content: bytes) -> None:
    """Write a file of the cache whole, whoever else does the same."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    Path(file.name).replace(path)


def _compile(modules: Mapping[str, Module]) -> dict[str, bytes]:
    """Modules through Pyodide in node; each file there has the number of its module."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _node(folder, list(modules.values()))
        return {path: (folder / f"{number}.pyc").read_bytes()
                for number, path in enumerate(modules)}


def _node(folder: Path, modules: Sequence[Module]) -> None:
    """Run Pyodide in node over modules that are put into a folder."""
    listed = [{"path": module.path, "level": module.level} for module in modules]
    (folder / "modules.json").write_text(json.dumps(listed), encoding="utf-8")
    for number, module in enumerate(modules):
        (folder / str(number)).write_bytes(module.source)
    try:
        subprocess.run(["node", str(HERE / "compile.mjs"), str(PYODIDE), str(folder)], check=True,
                       timeout=PATIENCE, capture_output=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise NotBuilt(f"Pyodide does not run in node: {error}") from error
