"""``max`` and ``min``: the larger of two is a rule like any other, from the trace to each verb."""

from __future__ import annotations

import builtins
import random
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from click.testing import CliRunner

from symparam import expression as ex
from symparam.api import Model
from symparam.cli.main import cli
from symparam.descriptions.architecture.traced_file import read_trace
from symparam.descriptions.reading.source import parse_toml
from symparam.errors import NotDerivable, SymparamError
from symparam.grammar import parse_expression
from symparam.smooth import smooth
from symparam.traced.model import model_of
from symparam.traced.records import Trace
from symparam.traced.written import toml_of
from symparam.tracing import trace
from symparam.tracing.recording import keeping, proxies
from symparam.tracing.recording.proxies import proxy, recording
from tests.helpers import together, value
from tests.strategies import SEED
from tests.traces import allowed, fault, told

Rule = Callable[[int, int], int]
#: As code has them, and such that are not seen where they are made but where they are compared.
RULES: dict[str, Rule] = {
    "at least one": lambda d, h: 4 * max(1, h // 4),
    "at most": lambda d, h: h * min(128, d // h),
    "both": lambda d, h: max(1, h // 4) * min(128, d // h),
    "between": lambda d, h: max(16, min(256, d // 4)),
    "of three": lambda d, h: max([d, 7 * h, 64]),
    "of what is rounded": lambda d, h: max(8, round(d / 3)) + 1,
    "a branch": lambda d, h: 32 * (h // 4 if h // 4 > 1 else 1),
    "elsewhere": lambda d, h: 32 * builtins.min(12, h)}


def traced(rule: Rule) -> Trace:
    """The trace of a matrix with one axis by a rule."""
    def build(d: int = 512, h: int = 8) -> dict[str, tuple[int, ...]]:
        return {"w": (rule(d, h), d, h)}
    return trace(build)


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_the_larger_of_two_is_written_as_the_code_has_it(rule: Rule) -> None:
    found, rng = traced(rule), random.Random(SEED)
    assert {a.kind for a in told(found)} <= {"existence"}
    assert any(ex.chooses(axis) for row in found.rows for axis in row.shape)
    names, tried = {str(key.path[0]): key.name for key in found.keys}, 0
    for _ in range(400):
        d, h = rng.randint(1, 3000), rng.choice((1, 2, 3, rng.randint(1, 64), rng.randint(1, 3000)))
        point = {names["d"]: d, names["h"]: h}
        if allowed(found, point):
            assert not fault(found, point, [("w", (rule(d, h), d, h), "trainable")]), point
            tried += 1
    assert tried > 100


def test_layers_that_are_so_many_at_least_or_at_most_are_counted() -> None:
    def build(d: int = 64, depth: int = 8) -> dict[str, tuple[int, ...]]:
        return {f"h.{i}.w": (d,) for i in range(max(1, depth // 4))} | {
            f"g.{i}.w": (d, d) for i in range(min(3, depth))}
    found = trace(build)
    assert told(found) == []
    assert {str(row.copies[0]) for row in found.rows} == {"max(1, down(L/4))", "min(3, L)"}


def test_without_what_keeps_them_a_choice_would_be_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "_KEPT", {})
    monkeypatch.setattr(proxies.Recording, "extremes", lambda _: [])
    assert "number" in {a.kind for a in traced(RULES["both"]).assumptions}


def test_what_a_range_of_torch_counts_to_is_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    torch, noted = ModuleType("torch"), list[float]()
    before = torch.arange = lambda *args, **named: (args, named)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(keeping, "math", SimpleNamespace(ceil=noted.append))
    with keeping.stepped([]):
        made = torch.arange
        assert made(7) == ((7,), {})
        assert made(2, 10, step=4) == ((2, 10), {"step": 4})
        made(2, 10)
        made(10, 2, -2)
        made(3, end=5)
        made(start=1, end=4)
        made(1, 9, 0)
        made(True)
        made("many")
    assert noted == [7, 2, 8, 4, 2, 3]
    assert torch.arange is before


def test_what_builtins_do_otherwise_they_still_do() -> None:
    kept = keeping._KEPT["max"]
    n = proxy(6, ("n",))
    with recording() as found:
        assert kept("ab", "b") == "b"
        assert kept([], default=3) == 3
        assert kept(x for x in (1, n)).term == ("max", ("n", 1), ("k", ("n",)))  # type: ignore[attr-defined]
        assert kept([2, 3]) == 3
        assert kept(n, 2, key=lambda x: -x) == 2
        assert kept(n, 2.5) == 6
        with pytest.raises(TypeError):
            kept(n, "a")
    assert ("<", True) in {(c.operation, c.outcome) for c in found.compared}


MODEL = trace(lambda d_model=512, heads=8, n_layers=4: {
    "emb.weight": (1000, d_model)} | {f"layers.{i}.attn.{m}_proj.weight": (
        n * min(128, d_model // heads), d_model) for i in range(n_layers)
        for m, n in (("q", heads), ("k", max(1, heads // 4)))}, hold=())


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Its architecture file."""
    path = tmp_path / "m.toml"
    path.write_text(toml_of(MODEL))
    return str(path)


def run(*words: str) -> tuple[int, str]:
    """A command's exit code, and what it prints."""
    done = CliRunner().invoke(cli, words)
    return done.exit_code, done.output + (str(done.exception) if done.exception else "")


def test_it_is_read_back_from_its_file_as_it_was() -> None:
    text = toml_of(MODEL)
    assert "max(1, down(n_heads/4))*min(128, down(d_model/n_heads))" in text
    assert read_trace("m.toml", parse_toml(text), "?") == MODEL


@together(("d", "heads"), [(512, 8), (512, 3), (512, 1), (4096, 64), (4096, 8)])
def test_a_model_counts_as_the_code_builds(d: int, heads: int) -> None:
    width = min(128, d // heads)
    wanted = 1000 * d + 4 * (heads + max(1, heads // 4)) * width * d
    assert Model.wrap(model_of(MODEL)).count(d_model=d, heads=heads) == wanted


def test_what_it_stands_for_is_a_dim_that_is_put_in_by_a_proved_step(file: str) -> None:
    code, text = run("derive", file)
    assert code == 0
    assert "Given d_head = min(128, ⌊d_model/n_heads⌋), worked out by the module (proved)" in text
    assert "n_attention = max(1, ⌊n_heads/4⌋)" in text
    for kind, piece in (("latex", r"\max\left( 1,\; "), ("html", "<mi>max</mi>"),
                        ("markdown", r"\min\left( 128,\; ")):
        assert piece in run("derive", file, "--format", kind)[1]


def test_what_contradicts_a_choice_is_refused_by_name(file: str) -> None:
    code, text = run("count", file, "d_head=100")
    assert code
    assert "d_head = min(128, " in text


def test_a_derivative_takes_the_part_that_holds_and_says_so(file: str) -> None:
    assert "d_head = d_model/n_heads" in run("sensitivity", file)[1]
    assert "d_head = 128" in run("sensitivity", file, "d_model=4096")[1]


def test_a_sweep_and_a_search_follow_it(file: str) -> None:
    code, text = run("sweep", file, "heads=2,8", "d_model=512,4096", "--format", "csv")
    assert code == 0
    for d, heads in ((512, 2), (512, 8), (4096, 2), (4096, 8)):
        count = 1000 * d + 4 * (heads + max(1, heads // 4)) * min(128, d // heads) * d
        assert str(count) in text
    assert "is no sum of products" in run("solve", file, "P=40M", "d_model=?")[1]


def test_numbers_decide_between_equals_as_dims_grow() -> None:
    tree = parse_expression("max(1, n_heads/4)")
    assert str(smooth(tree, {"n_heads": 4})) == "n_heads/4"
    assert str(smooth(tree, {"n_heads": 3})) == "1"
    assert str(smooth(parse_expression("min(1, n_heads/4)"), {"n_heads": 4})) == "1"
    with pytest.raises(NotDerivable, match="depends on numbers"):
        smooth(tree)


@together("text", ["max(L)", "max()", "max(L, )", "min(1, 2", "max(1 2)"])
def test_a_choice_of_less_than_two_is_no_choice(text: str) -> None:
    code, out = run("count", "gpt2", f"L={text}")
    assert code
    assert "Traceback" not in out


def test_an_oracle_works_it_out_alike() -> None:
    tree = parse_expression("2*max(1, down(n_heads/4), L - 3)**2 + min(L, 5/2)")
    for heads in range(1, 40):
        at = {"n_heads": heads, "L": 7}
        assert ex.evaluate(tree, at) == value(tree, {k: Fraction(v) for k, v in at.items()})


def exactly(whole: int, parts: int) -> int:
    """A share, refused where there is a remainder."""
    if whole % parts:
        raise ValueError("heads split the width")
    return whole // parts


SPLIT = trace(lambda d_model=64, heads=8: {"q.weight": (3 * exactly(d_model, heads), d_model)})


@together(("d", "heads"), [(64, 5), (64, 6), (60, 8), (7, 3), (1, 2)])
def test_advice_is_taken_when_it_is_followed(d: int, heads: int) -> None:
    model = Model.wrap(model_of(SPLIT))
    with pytest.raises(SymparamError) as caught:
        model.count(d_model=d, n_heads=heads)
    near = re.findall(r"(\w+)(?:=| = )(\d+)", str(caught.value).rpartition(": ")[2])
    assert near
    for name, number in near:
        assert model.count(**{"d_model": d, "n_heads": heads, name: int(number)})
