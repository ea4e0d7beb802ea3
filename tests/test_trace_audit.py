"""What a trace could not show: every sentence names the keys that it is about."""

from __future__ import annotations

import random

import pytest

from symparam import expression as ex
from symparam.traced.records import Assumption, TracedRow
from symparam.tracing import audit
from tests.strategies import SEED


def row(pattern: str, *shape: int) -> TracedRow:
    """A row whose axes are numbers."""
    return TracedRow(pattern, tuple(map(ex.Num, shape)))


@pytest.fixture
def said() -> list[tuple[Assumption, str, set[str]]]:
    """Each sentence of the audit on drawn points, with the kind and the keys that it must have."""
    draw = random.Random(SEED)
    paths = [(f"key_{i}",) for i in range(draw.randint(3, 6))]
    names = {path: f"d_{path[0]}" for path in paths}
    points = [{path: (i + 2) * n for i, path in enumerate(paths)}
              for n in draw.sample(range(2, 99), 4)]
    rows = [row("a.*.w", draw.randint(17, 99), 3), row("b", 5)]
    fixed = draw.sample(paths, 2)
    follows = [names[path] for path in fixed]
    one, = audit.tied(points, paths, names)
    first, second = audit.pinned(fixed, names, points[0])
    return [
        *((each, "pinned", {names[p]}) for each, p in zip((first, second), fixed, strict=True)),
        (one, "tied", set(names.values())),
        *((each, "number", set(follows)) for each in audit.numbers(rows, {0: [1]}, {0: follows})),
        *((each, "number", set[str]()) for each in audit.constants(rows)),
        (audit.built(points, fixed[:1], fixed[1:], names), "range", set[str]()),
        *((each, "switch", {"a.b", "c"}) for each in audit.switches({("a", "b"): True,
                                                                    ("c",): "gelu"}))]


def test_every_sentence_is_of_its_kind_and_names_its_keys(
        said: list[tuple[Assumption, str, set[str]]]) -> None:
    assert {kind for _, kind, _ in said} == {"pinned", "tied", "number", "range", "switch"}
    assert len(said) == 7
    for found, kind, keys in said:
        assert found.kind == kind
        assert isinstance(found.keys, tuple)
        assert set(found.keys) == keys
        assert all(key in found.text for key in keys)


def test_the_numbers_that_are_told_are_those_of_the_points() -> None:
    draw = random.Random(SEED)
    points = [{("L",): draw.randint(1, 9), ("d",): draw.randint(10, 99)} for _ in range(5)]
    text = audit.built(points, [("L",)], [("d",)], {("L",): "L", ("d",): "d"}).text
    for key in "Ld":
        values = [point[key,] for point in points]
        assert f"{key} {min(values)} to {max(values)}" in text
    held, = audit.pinned([("d",)], {("d",): "d"}, points[0])
    assert held.text.endswith(f"written with {points[0]['d',]}")
    large, small = draw.randint(audit.PLAIN_NUMBER + 1, 999), draw.randint(1, audit.PLAIN_NUMBER)
    told, = audit.constants([row("w", large, small), row("v", large)])
    assert told.text.startswith(f"{large} is a number in w, v")
    assert audit.switches({}) == []


@pytest.mark.parametrize(("dropped", "unsaid"), [
    ("h.*.w", ["h.0.w", "h.11.w"]), ("wte", ["wte"]), ("h.*.bias", ["h.3.bias"]), ("", [])])
def test_a_tensor_that_no_row_is_for_is_found(dropped: str, unsaid: list[str]) -> None:
    rows = [each for each in (row("h.*.w", 3), row("wte", 5), row("h.*.bias", 2))
            if each.pattern != dropped]
    assert audit.unsaid(rows, ["h.0.w", "h.11.w", "wte", "h.3.bias"]) == unsaid
    assert audit.unsaid([], ["wte", "h.0.w"]) == ["wte", "h.0.w"]
