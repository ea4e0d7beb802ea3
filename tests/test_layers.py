"""Who may import whom, imports inside functions too; and a proof that the test can fail."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import symparam
from tests.helpers import dotted, together

ROOT = Path(symparam.__file__).parent

#: From the bottom up; a module may import its own layer and those below it.
LAYERS: tuple[frozenset[str], ...] = tuple(frozenset(each.split()) for each in (
    "begun renamed", "dataclass showable", "errors", "files", "bibliography letters",
    "dims plugins strict hub",
    "procedures", "run expression arithmetic lexer grammar", "smooth polynomial", "arranged",
    "constraints", "ledger layout", "contract component", "components",
    "stack sight model traced parts",
    "resolve", "descriptions", "quantities",
    "symbols", "bracketed", "count", "points",
    "derivation solve align evaluate sensitivity diff sweep",
    "checkpoints claims tracing certificate", "notation", "writers", "formats", "templating",
    "documents plot", "explore", "api testing", "cli"))

#: Heavy packages, and where alone they may be imported.
HOMES: dict[str, frozenset[str]] = {package: frozenset(homes.split()) for package, homes in {
    "sympy": "symbols bracketed count derivation diff certificate sensitivity solve evaluate "
             "notation writers documents",
    "numpy": "evaluate points solve sweep plot", "pyarrow": "sweep", "jinja2": "templating",
    "torch": "checkpoints tracing", "transformers": "checkpoints tracing",
    "click": "cli", "rich": "cli", "matplotlib": "plot", "huggingface_hub": "hub",
    "yaml": "descriptions"}.items()}

#: The package's front door and ``python -m`` stand above all layers.
FRONT = frozenset({"__init__", "__main__"})


def layer_of(part: str) -> int | None:
    """The layer of a top-level module; None where it has none."""
    return next((i for i, layer in enumerate(LAYERS) if part in layer), None)


def walked(source: str) -> Iterator[tuple[ast.AST, bool]]:
    """Every statement of a source, and every expression where it calls what imports; with each,
    whether only a reader of types comes there."""
    called = "import_module" in source or "__import__" in source
    left: list[tuple[ast.AST, bool]] = [(ast.parse(source), False)]
    while left:
        node, typed = left.pop()
        guarded = isinstance(node, ast.If) and dotted(node.test) == "TYPE_CHECKING"
        for name in node._fields if called else INNER:
            inner = getattr(node, name, ())
            left += [(each, typed or (guarded and name == "body"))
                     for each in (inner if isinstance(inner, list) else [inner])
                     if isinstance(each, ast.AST)]
        yield node, typed


#: Where statements hold others.
INNER = ("body", "orelse", "handlers", "finalbody", "cases")


@cache
def imported(source: str, package: str) -> list[tuple[int, str, bool]]:
    """Line and full name of everything that a source in a package imports, wherever it stands, and
    whether for types alone."""
    found: list[tuple[int, str, bool]] = []
    for node, typed in walked(source):
        if isinstance(node, ast.Import):
            found += ((node.lineno, alias.name, typed) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[:len(package.split(".")) - node.level + 1]
            base = ".".join([*above, *filter(None, [node.module])]) if node.level else node.module
            found += ((node.lineno, f"{base}.{alias.name}", typed) for alias in node.names)
        elif isinstance(node, ast.Call) and dotted(node.func) in {
                "import_module", "importlib.import_module", "__import__"}:
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                found.append((node.lineno, first.value, typed))
    return found


def imports(source: str, package: str, running: bool = False) -> Iterator[tuple[int, str]]:
    """Line and name of each; ``running``: without what only a reader of types imports."""
    return ((line, name) for line, name, typed in imported(source, package)
            if not (running and typed))


def faults(part: str, source: str, package: str = "symparam") -> list[str]:
    """What a top-level module of this name may not import and does."""
    own, found = layer_of(part), []
    for line, name in imports(source, package):
        top, _, rest = name.partition(".")
        if top in HOMES and part not in HOMES[top]:
            found.append(f"{part}, line {line}: {top} belongs to {', '.join(sorted(HOMES[top]))}")
        if top != "symparam" or own is None:
            continue
        other = layer_of(rest.partition(".")[0])
        if other is not None and other > own:
            found.append(f"{part}, line {line}: imports {name}, which is above it")
        if not rest or (other is None and rest.partition(".")[0] != "__version__"):
            found.append(f"{part}, line {line}: imports {name} through the front door")
    return found


@cache
def sources() -> list[tuple[str, str, Path]]:
    """Top-level name, package and path of every module."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        inside = path.relative_to(ROOT).with_suffix("").parts
        found.append((inside[0], ".".join(("symparam", *inside[:-1])), path))
    return found


def test_a_module_imports_only_what_lies_below() -> None:
    found = {}
    for part, package, path in sources():
        source = path.read_text(encoding="utf-8")
        if part in FRONT:
            found[path.name] = sorted({name.partition(".")[0] for _, name in imports(
                source, package)} & set(HOMES))
        else:
            found[str(path.relative_to(ROOT))] = faults(part, source, package)
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_every_module_has_a_layer() -> None:
    without = {part for part, _, _ in sources() if layer_of(part) is None} - FRONT
    assert not without, f"give a layer to {sorted(without)}"
    assert len(set().union(*LAYERS)) == sum(map(len, LAYERS))


@together(("part", "source"), [
    ("ledger", "from symparam.descriptions import options"),
    ("ledger", "import symparam.model"),
    ("ledger", "from symparam import model"),
    ("ledger", "def f():\n    from symparam.count import count\n"),
    ("ledger", "class A:\n    def f(self):\n        if 1:\n            import symparam.cli.main\n"),
    ("ledger", "from . import model"),
    ("ledger", "from .model import Model"),
    ("ledger", "import importlib\nimportlib.import_module('symparam.api')"),
    ("model", "from symparam import load"),
    ("model", "import symparam"),
    ("components", "import sympy as sp"),
    ("components", "def f():\n    from sympy.core import Add\n"),
    ("quantities", "try:\n    import numpy\nexcept ImportError:\n    pass\n"),
    ("api", "import sympy"), ("cli", "import sympy"), ("descriptions", "import jinja2"),
    ("documents", "import click"), ("documents", "from rich.table import Table"),
    ("count", "import numpy as np"), ("resolve", "__import__('numpy')"),
    ("grammar", "if TYPE_CHECKING:\n    from symparam.constraints import Equation\n"),
])
def test_a_wrong_import_is_noticed(part: str, source: str) -> None:
    assert faults(part, source)


@together(("part", "source", "package"), [
    ("model", "from symparam import expression as ex", "symparam"),
    ("grammar", "from symparam import expression", "symparam"),
    ("descriptions", "from ..model import Model", "symparam.descriptions"),
    ("descriptions", "from .options import Options", "symparam.descriptions"),
    ("descriptions", "from ...dims import V", "symparam.descriptions.families"),
    ("derivation", "import sympy\nfrom symparam.evaluate import f", "symparam.derivation"),
    ("cli", "import click, rich.table, symparam.api", "symparam.cli"),
])
def test_a_right_import_is_not(part: str, source: str, package: str) -> None:
    assert faults(part, source, package) == []


def graph(sources_of: Mapping[str, str], packages: Container[str]) -> dict[str, set[str]]:
    """Each module with those that it imports, in its functions too."""
    found: dict[str, set[str]] = {}
    for name, source in sources_of.items():
        package = name if name in packages else name.rpartition(".")[0]
        found[name] = set()
        for _, full in imports(source, package, running=True):
            while full and full not in sources_of:
                full = full.rpartition(".")[0]
            found[name] |= {full} - {name, ""}
    return found


def test_no_modules_import_each_other_in_a_circle_functions_included() -> None:
    texts, packages = dict[str, str](), set[str]()
    for part, package, path in sources():
        if part not in FRONT:
            name = package if path.stem == "__init__" else f"{package}.{path.stem}"
            texts[name] = path.read_text(encoding="utf-8")
            packages |= {package} if path.stem == "__init__" else set()
    found = graph(texts, packages)
    assert sum(map(len, found.values())) > 1000
    TopologicalSorter(found).prepare()


@pytest.mark.parametrize("second", ["from a.one import f", "def f():\n    import a.one",
                                    "class A:\n    def f(self):\n        from .one import f"])
def test_a_circle_is_noticed(second: str) -> None:
    texts = {"a": "", "a.one": "from a import two", "a.two": second}
    with pytest.raises(CycleError):
        TopologicalSorter(graph(texts, {"a"})).prepare()
    of_types = "if TYPE_CHECKING:\n    from a.one import f"
    TopologicalSorter(graph({**texts, "a.two": of_types}, {"a"})).prepare()


def test_the_tree_of_rooms_has_every_folder() -> None:
    design = (ROOT.parent / "docs" / "design.md").read_text(encoding="utf-8")
    tree = design.partition("symparam/\n")[2].partition("```")[0]
    told = [line.split()[0] for line in tree.splitlines() if line.split()[0].endswith("/")]
    folders = {path.parent.relative_to(ROOT).parts for path in ROOT.rglob("*.py")} - {()}
    inner = {("gguf", "architectures")}  # told with its room
    assert sorted(told) == sorted(f"{parts[-1]}/" for parts in folders if parts[-2:] not in inner)


def test_a_room_of_many_modules_has_one_kind_of_them() -> None:
    """Only where a file more is a component or a family more, and above all rooms."""
    held = Counter(path.parent.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py")
                   if path.stem != "__init__")
    assert {room for room, number in held.items() if number > 20} == {
        ".", "components", "descriptions/families"}


def test_sweeps_and_solutions_know_nothing_of_each_other() -> None:
    """What they share of points, and the polynomial, lies beneath both."""
    found = {(part, name.split(".")[1]) for part, package, path in sources()
             if part in {"solve", "sweep"}
             for _, name in imports(path.read_text(encoding="utf-8"), package)
             if name.startswith("symparam.")}
    assert {("solve", "points"), ("sweep", "points"), ("sweep", "polynomial")} <= found
    assert not found & {("solve", "sweep"), ("sweep", "solve")}


COUNTING = """
import sys
from symparam.descriptions.load import load
from symparam.resolve import numbers
from symparam.quantities.counts import value
model = load("llama-2-7b")
assert value(model.ledger(numbers(model).values), "P") == 6738415616
print(*sorted({name.partition(".")[0] for name in sys.modules} & set(sys.argv[1:])))
"""


def loaded(code: str) -> str:
    """Which of the heavy packages a fresh interpreter has loaded after some code."""
    done = subprocess.run([sys.executable, "-c", code, *HOMES], capture_output=True, text=True,
                          check=True, cwd=ROOT.parent)
    return done.stdout.strip()


def test_an_exact_count_loads_none_of_the_heavy_packages() -> None:
    assert loaded(COUNTING) == ""
    assert loaded("import symparam\n" + COUNTING) == ""


@pytest.mark.slow
def test_the_same_measure_does_notice_sympy() -> None:
    assert loaded("import symparam.count\n" + COUNTING) == "sympy"
