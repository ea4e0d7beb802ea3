"""Cases: what a target builds otherwise beyond some number is refused there by name, or said."""

from __future__ import annotations

import inspect
import math
import operator
import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from symparam.api import Model
from symparam.errors import ConstraintViolated
from symparam.traced.model import model_of
from symparam.traced.records import Trace
from symparam.tracing import trace
from symparam.tracing.searching.domain import Domain
from symparam.tracing.searching.engine import Finder
from symparam.tracing.searching.turning import Turning
from tests.strategies import SEED
from tests.traces import allowed, bound, fault, told

Builder = Callable[..., Mapping[str, tuple[int, ...]]]


def layers(depth: int, *shape: int) -> dict[str, tuple[int, ...]]:
    """One matrix a layer."""
    return {f"h.{i}.w": shape for i in range(depth)}


def deep(d: int = 96, depth: int = 4) -> dict[str, tuple[int, ...]]:
    """A projection from the ninth layer on."""
    return layers(depth, d, d) | ({"proj": (d, d)} if depth > 8 else {})


def wider(d: int = 96, depth: int = 4) -> dict[str, tuple[int, ...]]:
    """Wider layers where there are many."""
    return layers(depth, d * (2 if depth >= 50 else 1), d)


def product(d: int = 96, depth: int = 4, heads: int = 4) -> dict[str, tuple[int, ...]]:
    """A projection that hangs on layers and heads together."""
    return layers(depth, d, heads) | ({"proj": (d, d)} if depth * heads > 100 else {})


def listed(d: int = 96, experts: int = 4, depth: int = 3) -> dict[str, tuple[int, ...]]:
    """A router of two steps where there are many experts."""
    found = {f"h.{i}.experts.{j}.w": (d, d) for i in range(depth) for j in range(experts)}
    return found | ({"router.0": (d, 16), "router.1": (16, experts)} if experts > 16 else
                    {"router.0": (d, experts)})


def nested(d: int = 96, depth: int = 12) -> dict[str, tuple[int, ...]]:
    """One comparison that is asked only where another is answered otherwise than at the base."""
    return layers(depth, d, d) | ({"proj": (d, d)} if depth > 45 and d > 500 else {})


def far(d: int = 96, depth: int = 4, vocab: int = 1000) -> dict[str, tuple[int, ...]]:
    """A table that doubles where nobody builds."""
    return layers(depth, d, d) | {"embed": (vocab if vocab < 100_000 else 2 * vocab, d)}


def forgotten(d: int = 96, depth: int = 4) -> dict[str, tuple[int, ...]]:
    """The number of layers has lost its memory before it is compared."""
    return layers(depth, d, d) | ({"proj": (d, d)} if operator.index(depth) > 14 else {})


def summed(d: int = 96, depths: tuple[int, ...] = (2, 3)) -> dict[str, tuple[int, ...]]:
    """What hangs on the layers of all stages."""
    found = {f"s.{i}.{j}.w": (d, d) for i, n in enumerate(depths) for j in range(n)}
    return found | ({"proj": (d,)} if sum(depths) > 11 else {})


def equal(d: int = 96, depth: int = 4, heads: int = 6) -> dict[str, tuple[int, ...]]:
    """A projection where two numbers happen to be equal."""
    return layers(depth, d, heads) | ({"proj": (d, d)} if depth == heads else {})


def scaled(d: int = 96, depth: int = 4, ratio: float = 2.5) -> dict[str, tuple[int, ...]]:
    """A comparison with a number that is held."""
    return layers(depth, d, d) | ({"proj": (d, d)} if depth * ratio > 30 else {})


def both(d: int = 96, depth: int = 4, heads: int = 8) -> dict[str, tuple[int, ...]]:
    """Two comparisons that are always asked, and change something together alone."""
    many, wide = depth > 20, heads > 30
    return layers(depth, d, heads) | ({"proj": (d,)} if many & wide else {})


def logarithm(d: int = 96, depth: int = 4, heads: int = 8) -> dict[str, tuple[int, ...]]:
    """What is compared has lost its memory; drawn points show that there is another case."""
    return layers(depth, d) | ({"a": (d,)} if math.log2(heads) > 5 else {"b": (d, heads)})


def harmless(d: int = 96, depth: int = 4, heads: int = 4) -> dict[str, tuple[int, ...]]:
    """Comparisons that change nothing."""
    kind = "large" if depth > 30 and heads * depth > 99 else "small"
    return layers(depth, d, heads) if kind else {}


#: Of each builder: the check that has to be there, and a point beyond it.
CASES: dict[Builder, tuple[str, dict[str, Any]]] = {
    deep: ("L <= 8", {"depth": 9}), wider: ("L < 50", {"depth": 50}),
    product: ("L*n_heads <= 100", {"depth": 26, "heads": 4}), listed: ("n_experts <= 16",
                                                                       {"experts": 17}),
    both: ("L <= 20", {"depth": 21, "heads": 31}),
    nested: ("L <= 45", {"depth": 46, "d": 501}), far: ("V < 100000", {"vocab": 100_000}),
    equal: ("L differs from n_heads", {"depth": 6}), scaled: ("L*5/2 <= 30", {"depth": 13})}


def names(found: Trace) -> dict[str, str]:
    """The dim of each argument."""
    return {str(key.path[0]): key.name for key in found.keys}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("build", CASES, ids=lambda build: build.__name__)
@pytest.mark.parametrize("seed", [0, SEED])
def test_beyond_a_threshold_that_was_seen_a_number_is_refused_by_name(build: Builder,
                                                                      seed: int) -> None:
    found = trace(build, seed=seed)
    (_, beyond), name = CASES[build], names(found)
    model = Model.wrap(model_of(found))
    with pytest.raises(ConstraintViolated) as caught:
        model.count(**{name[argument]: value for argument, value in beyond.items()})
    assert any(name[argument] in str(caught.value) for argument in beyond)
    assert any(a.kind == "existence" for a in found.assumptions)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("build", [*CASES, forgotten, summed, logarithm, harmless],
                         ids=lambda build: build.__name__)
def test_no_number_that_passes_is_counted_wrong(build: Builder) -> None:
    found, rng = trace(build), random.Random(SEED)
    for _ in range(200):
        point = {str(key.path[0]): key.base for key in found.keys}
        point |= {name: rng.choice((rng.randint(1, 60), rng.randint(1, 120_000 if
                                    name == "vocab" else 60))) for name in point
                  if isinstance(point[name], int) and rng.random() < .7}
        if build is summed:
            point = {"d": point["d"], "depths": (rng.randint(1, 9), rng.randint(1, 9))}
        assert agrees(found, build, point) is not False, point


def agrees(found: Trace, build: Builder, point: Mapping[str, Any]) -> bool | None:
    """Whether rows are what a builder gives at a point; None where a check or what is assumed
    keeps it out."""
    dims = {key.name: value[key.path[1]] if isinstance(value := point[str(key.path[0])], tuple)
            else value for key in found.keys}
    kept = {key.name for key in found.keys if key.kind in ("held", "refused")} | bound(found)
    if not allowed(found, dims) or any(dims[key.name] != key.base for key in found.keys
                                       if key.name in kept):
        return None
    return not fault(found, dims, [(name, tuple(shape), "trainable")
                                   for name, shape in build(**point).items()])


def test_comparisons_that_change_nothing_are_no_assumption() -> None:
    assert told(trace(harmless)) == []


@pytest.mark.parametrize("seed", range(3))
def test_other_tensors_that_no_comparison_explains_are_no_silence(seed: int) -> None:
    found = trace(logarithm, seed=seed)
    assert [a.text for a in told(found) if "gave other tensors" in a.text]
    with pytest.raises(ConstraintViolated):
        Model.wrap(model_of(found)).count(n_heads=33)


def test_what_was_left_out_and_forgotten_would_be_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Domain, "note", lambda *_: None)
    found = trace(logarithm)
    assert agrees(found, logarithm, {"d": 96, "depth": 4, "heads": 33}) is False


def every_sixth(d: int = 96, depth: int = 1) -> dict[str, tuple[int, ...]]:
    """Layers of which every sixth is wide; one that is alone is asked for."""
    found = {f"h.{i}.{'wide' if i % 6 == 5 else 'narrow'}": (d * (2 if i % 6 == 5 else 1), d)
             for i in range(depth)}
    return found if depth == 1 else dict(reversed(found.items()))


def test_one_layer_where_more_show_more_is_no_case_of_its_own() -> None:
    model = Model.wrap(model_of(trace(every_sixth)))
    for depth in (1, 5, 6, 14, 40):
        assert model.count(L=depth, d_model=10) == sum(
            rows * columns for rows, columns in every_sixth(10, depth).values())


def followed_together(d: int = 768, embed: int = 768, heads: int = 12) -> dict[
        str, tuple[int, ...]]:
    """A width by a rule that no expression is: of a key that another one has to equal."""
    if embed != d:
        raise ValueError("the embedding has the model's width")
    return {"embed": (1000, embed), "query": (math.isqrt(d * heads**3), embed)}


def test_what_has_no_rule_is_refused_where_keys_move_only_together() -> None:
    model = Model.wrap(model_of(trace(followed_together)))
    assert model.count() == sum(a * b for a, b in followed_together().values())
    with pytest.raises(ConstraintViolated):
        model.count(d_model=1024, embed=1024)
    with pytest.raises(ConstraintViolated):
        model.count(n_heads=16)


def test_what_nobody_built_is_said_to_be_so() -> None:
    assert ["v" in a.text.lower() and "nothing was built where it is otherwise" in a.text
            for a in told(trace(far))] == [True]


@pytest.mark.parametrize("build", [harmless, forgotten, product])
def test_the_numbers_that_were_built_are_said(build: Builder) -> None:
    seen: list[int] = []

    def counting(**values: int) -> Mapping[str, tuple[int, ...]]:
        table = build(**values)
        seen.append(operator.index(values["d"]))
        return table
    counting.__signature__ = inspect.signature(build)  # type: ignore[attr-defined]
    said = [a.text for a in trace(counting).assumptions if a.kind == "range"]
    assert len(said) == 1
    low, high = (int(n.replace(",", "")) for n in
                 said[0].partition("d_model ")[2].partition(", n")[0].split(" to "))
    assert min(seen) <= low < high <= max(seen)


@pytest.mark.parametrize("build", [wider, nested, far], ids=lambda build: build.__name__)
def test_a_comparison_that_is_not_turned_would_be_missed(
        build: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Turning, "turn", lambda self: None)
    monkeypatch.setattr(Finder, "deep_point", lambda self, *_: self.joint_point())
    found = trace(build)
    point = {str(key.path[0]): key.base for key in found.keys} | CASES[build][1]
    assert agrees(found, build, point) is False
