"""What the page loads, part by part: Python's library, what counts, what derives.

Modules that every answer imports go compiled, all others as source, which is half as large.
"""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from webtool.compiled import HERE, PYODIDE, Module, NotBuilt, compiled, started

ROOT = HERE.parent
#: Packages of the environment that builds the page, by the part that they are in.
COUNTING = ("click", "jinja2", "markupsafe")
DERIVING = ("sympy", "mpmath")
#: Of symparam: what needs NumPy, torch, processes or a folder of one's own.
NOT_HERE = ("plot", "sweep", "testing", "tracing")
#: Of SymPy and mpmath: tests, and fields that nothing here asks and SymPy does not import itself.
NOT_ASKED = ("categories", "crypto", "diffgeom", "holonomic", "liealgebras", "physics", "sandbox",
             "stats", "vector")
TESTS = {"tests", "benchmarks"}
#: Of Python's library: what developers run, processes and servers; of encodings these stay.
FOR_OTHERS = {
    "_pyrepl", "bdb", "cProfile", "curses", "dbm", "doctest", "ensurepip", "ftplib", "idlelib",
    "imaplib", "mailbox", "modulefinder", "multiprocessing", "optparse", "pdb", "pickletools",
    "plistlib", "poplib", "profile", "profiling", "pstats", "pyclbr", "pydoc", "pydoc_data",
    "smtplib", "socketserver", "sqlite3", "trace", "turtle", "turtledemo", "unittest", "venv",
    "wsgiref", "xml", "xmlrpc", "zipapp"}
ENCODINGS = {"__init__", "aliases", "ascii", "charmap", "cp1252", "cp437", "idna", "latin_1",
             "punycode", "raw_unicode_escape", "undefined", "unicode_escape", "utf_16",
             "utf_16_be", "utf_16_le", "utf_32", "utf_7", "utf_8", "utf_8_sig"}

#: Run in a process: what it imports is what answers need.
LINES = {"count": ("count llama-2-7b --format html", "count t5-base --json"),
         "derive": ("derive deepseek-v3 --format html", "derive gpt2 --detail appendix --latex",
                    "cost jamba-v0.1 --format html", "diff gpt2 llama-2-7b --format html",
                    "check gpt2 --claim P=1.5B --format html", "align gpt2 --format html")}
IMPORTED = """
import contextlib, io, json, sys
from symparam.cli.main import run
with contextlib.redirect_stdout(io.StringIO()):
    for line in sys.argv[1:]:
        assert run([*line.split(), "--quiet"]) in (0, 1), line
print(json.dumps([name for name, module in sys.modules.items() if getattr(module, "__file__", "")]))
"""


def imported(*lines: str) -> set[str]:
    """The modules that some command lines import."""
    done = subprocess.run([sys.executable, "-c", IMPORTED, *lines], cwd=ROOT, check=True,
                          capture_output=True, timeout=300)
    return set(json.loads(done.stdout))


def parts() -> dict[str, dict[str, bytes]]:
    """Files of each part, by their paths.

    Raises:
        NotBuilt: a package or Pyodide is not there.
    """
    wanted = {"count": imported(*LINES["count"]), "derive": imported(*LINES["derive"])}
    counting, deriving = dict(own()), dict[str, bytes]()
    for into, names in ((counting, COUNTING), (deriving, DERIVING)):
        for name in names:
            into |= package(name)
    hot = {"library": wanted["count"] | started(), "count": wanted["count"],
           "derive": wanted["derive"]}
    files = {"library": library(), "count": counting, "derive": deriving}
    return {name: with_compiled(content, hot[name]) for name, content in files.items()}


def own() -> Iterator[tuple[str, bytes]]:
    """symparam as its wheel has it, without what cannot run here, and what runs its commands."""
    for path in sorted((ROOT / "symparam").rglob("*")):
        place = path.relative_to(ROOT)
        if path.is_file() and "__pycache__" not in place.parts and place.parts[1] not in NOT_HERE:
            yield place.as_posix(), path.read_bytes()
    for path in sorted((ROOT / "templates").rglob("*")):
        if path.is_file():
            yield f"symparam/{path.relative_to(ROOT).as_posix()}", path.read_bytes()
    yield "commands.py", (HERE / "commands.py").read_bytes()


def package(name: str) -> dict[str, bytes]:
    """The modules of an installed package, and its licence; what is compiled to C is left out.

    Raises:
        NotBuilt: it is not installed.
    """
    try:
        files = importlib.metadata.files(name) or []
    except importlib.metadata.PackageNotFoundError:
        raise NotBuilt(f"{name} is not installed") from None
    found = {}
    for file in files:
        top, *inner = file.parts
        is_module = top == name and file.suffix == ".py" and not TESTS & set(inner) and (
            not inner or inner[0] not in NOT_ASKED)
        is_licence = top.endswith(".dist-info") and "LICENSE" in file.name.upper()
        if is_module or is_licence:
            found[file.as_posix()] = Path(str(file.locate())).read_bytes()
    return found


def library() -> dict[str, bytes]:
    """Python's library, of Pyodide, without what is for others."""
    with zipfile.ZipFile(PYODIDE / "python_stdlib.zip") as archive:
        return {name: archive.read(name) for name in archive.namelist()
                if not name.endswith("/") and _is_for_us(PurePosixPath(name))}


def _is_for_us(path: PurePosixPath) -> bool:
    """Whether a file of Python's library is taken."""
    if path.parts[0] == "encodings":
        return path.stem in ENCODINGS
    return path.parts[0].removesuffix(".py") not in FOR_OTHERS


def with_compiled(files: Mapping[str, bytes], hot: set[str]) -> dict[str, bytes]:
    """Files with some modules compiled in place of their source.

    symparam stays as it is; of all others docstrings and asserts are left out.
    """
    modules = [Module(path, source, 0 if path.startswith("symparam/") else 2)
               for path, source in files.items() if path.endswith(".py") and name_of(path) in hot]
    made = compiled(modules)
    return {f"{path}c" if path in made else path: made.get(path, content)
            for path, content in files.items()}


def name_of(path: str) -> str:
    """A module's name, from its path."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
