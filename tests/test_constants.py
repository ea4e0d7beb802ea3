"""The numbers that are ours: bounds, thresholds and weights, each as it stands in the source.

No oracle knows how many ways are named or from where a number is long: that is a judgement, and
what is held here is that none changes unseen. The file is written by
``pytest --update-golden``; what is new stands in it from then on.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NAME = re.compile("_?[A-Z][A-Z_0-9]*")
#: A module without such a line need not be parsed.
HAS = re.compile("^_?[A-Z][A-Z_0-9]*( =|, |: )", re.MULTILINE)
GOLDEN = ROOT / "tests" / "golden" / "constants.txt"


#: What a value is written with: numbers, what is worked out of them, and several in a row.
ALLOWED = {ast.Constant, ast.BinOp, ast.UnaryOp, ast.USub, ast.Add, ast.Sub, ast.Mult, ast.Div,
           ast.FloorDiv, ast.Pow, ast.LShift, ast.Tuple, ast.Load, ast.Call, ast.Name, ast.Dict}


def constants(source: str) -> Iterator[str]:
    """The assignments of a module whose values are numbers, one line each."""
    for node in ast.parse(source).body if HAS.search(source) else ():
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [each.id for target in targets for each in ast.walk(target)
                     if isinstance(each, ast.Name)]
            inside = list(ast.walk(node.value))
            if all(map(NAME.fullmatch, names)) and {*map(type, inside)} <= ALLOWED and any(
                    type(getattr(each, "value", None)) in (int, float) for each in inside):
                yield f"{', '.join(names)} = {ast.unparse(node.value)}"


def listed() -> dict[str, list[str]]:
    """All of the package, by file; what families say of their models is held against these."""
    package = ROOT / "symparam"
    return {str(path.relative_to(package)): found for path in sorted(package.rglob("*.py"))
            if path.parent.name != "families"
            and (found := list(constants(path.read_text(encoding="utf-8"))))}


def test_no_number_of_ours_changes_unseen(golden: Callable[[str, str], None],
                                          request: pytest.FixtureRequest) -> None:
    found = listed()
    known = found if request.config.getoption("--update-golden") else {
        line[3:-3] for line in GOLDEN.read_text(encoding="utf-8").splitlines()
        if line.startswith("==")}
    assert sum(map(len, found.values())) > 200
    golden("constants.txt", "".join(
        f"== {name} ==\n" + "".join(f"{line}\n" for line in lines)
        for name, lines in found.items() if name in known))


@pytest.mark.parametrize(("source", "wanted"), [
    ("MOST = 2\nLOW, HIGH = 1, 2**20", ["MOST = 2", "LOW, HIGH = (1, 2 ** 20)"]),
    ("most = 2\nF = f(x)\nTEXT = '1', 'b'\nA: int", []),
    ("SIZES: dict[str, int] = {'a': 1}", ["SIZES = {'a': 1}"])])
def test_what_is_a_number(source: str, wanted: list[str]) -> None:
    assert list(constants(source)) == wanted
