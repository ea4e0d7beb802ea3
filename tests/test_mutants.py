"""The tool that makes small mistakes: each is one, stands where it says, and is drawn by a seed."""

from __future__ import annotations

import ast
import json
import random
from pathlib import Path

import pytest

import symparam
from tests.helpers import together
from tests.mutants.mutate import Mutation, mutations
from tests.mutants.record import Record
from tests.mutants.sample import package, sample
from tests.strategies import SEED

PACKAGE = Path(symparam.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", random.Random(SEED).sample(FILES, 1),
                         ids=lambda p: str(p.relative_to(PACKAGE)))
def test_every_mistake_is_a_program_that_differs_on_its_line(path: Path) -> None:
    source = path.read_bytes()
    tree = ast.dump(ast.parse(source))
    for each in mutations(source):
        wrong = each.apply(source)
        assert ast.dump(ast.parse(wrong)) != tree, each
        assert source.count(b"\n", 0, each.start) + 1 == each.line


@together(("source", "wrong"), [
    ("a < b", ["a <= b"]), ("a in b", ["a not in b"]), ("x = -a + b", ["x = -a - b"]),
    ("'é' in a and b", ["'é' not in a and b", "'é' in a or b"]),
    ("f(a, b)", ["f(b, a)", "pass"]), ("x = np.maximum(a, b)", []), ("x = max(a, b, c)", []),
    ("x = f(a, *b)", []), ("x = zip(a, b, strict=True)", ["x = zip(b, a, strict=True)"]),
    ("x = f'{a + 1}'", []),
    ("x = 'a' + b", []), ("x: List[3] = True", ["x: List[3] = False"]),
    ("def f(a: g(1, 2)) -> h(1, 2): return 3", ["def f(a: g(1, 2)) -> h(1, 2): return 4"]),
    ("x = 1 if a else 0", ["x = 1 if (not (a)) else 0", "x = 1 if a else 1", "x = 2 if a else 0"]),
    ("if not a: raise b", ["if (a): raise b", "if (not (not a)): raise b", "if not a: pass"])])
def test_the_mistakes_of_a_line(source: str, wrong: list[str]) -> None:
    text = source.encode()
    assert sorted(each.apply(text).decode() for each in mutations(text)) == sorted(wrong)


def test_a_sample_goes_over_all_packages_and_is_the_same_each_time() -> None:
    files = {f"symparam/{path.relative_to(PACKAGE)}": path.read_bytes() for path in FILES[::30]}
    found = sample(files, 20, 3)
    assert found == sample(files, 20, 3) != sample(files, 20, 4)
    assert {package(file) for file, _ in found} == {package(file) for file in files
                                                    if mutations(files[file])}
    assert len({(file, each.line) for file, each in found}) == len(found) == 20
    assert all(isinstance(each, Mutation) for _, each in found)


def test_tests_that_use_the_constants_of_a_module_are_told_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "copy" / "tests").mkdir(parents=True)
    sources = {"test_a": "from symparam.solve.bounds import MOST", "test_b": "x = 3",
               "test_c": "from symparam.solve import bounds, points",
               "test_d": "from symparam.solve.bounds_of import MOST",
               "test_e": "from symparam.solve import boundsless"}
    for name, source in sources.items():
        (tmp_path / "copy" / "tests" / f"{name}.py").write_text(source)
    (tmp_path / "took.json").write_text(json.dumps(
        {f"tests/{name}.py::test_it": 1 - i / 10 for i, name in enumerate(sources)}))
    assert Record(tmp_path).naming("symparam/solve/bounds.py") == [
        "tests/test_c.py::test_it", "tests/test_a.py::test_it"]
