"""Fractions that are whole where a trace begins are keys; what a target is given stays its own."""

from __future__ import annotations

import pytest

from symparam.tracing import trace
from symparam.tracing.sources.target import copied
from tests.traces import told

Shapes = dict[str, tuple[int, ...]]


def ratios(d: int = 96, ratio: float = 4.0, share: float = .5, chance: float = 1.0,
           depth: int = 3) -> Shapes:
    """Widths by ratios, and a chance that is none above 1."""
    if not isinstance(ratio, float) or chance > 1:
        raise ValueError("no such number")
    return {f"h.{i}.w": (int(d * ratio), int(d * share)) for i in range(depth)}


def test_a_ratio_that_is_whole_is_a_key_and_handed_out_as_a_fraction() -> None:
    found = trace(ratios)
    keys = {str(key.path[0]): key for key in found.keys}
    assert (keys["ratio"].base, keys["ratio"].kind) == (4, "size")
    assert (keys["chance"].kind, keys["share"].kind) == ("inert", "held")
    row, = found.rows
    assert [str(axis) for axis in row.shape] == ["d_model*ratio", "down(1/2*d_model)"]
    assert [a.keys for a in told(found)] == [("share",)]
    assert "ratio" in found.evidence.moved


def test_a_ratio_that_was_asked_to_be_held_stays_a_fraction() -> None:
    found = trace(ratios, hold=["ratio"])
    assert [(key.base, key.kind) for key in found.keys if key.path == ("ratio",)] == [(4.0, "held")]


def test_what_a_constructor_takes_apart_is_whole_again_when_it_is_called_again() -> None:
    def build(d: int = 96, blocks: list[dict[str, str]] = [{"kind": "wide"}]) -> Shapes:  # noqa: B006
        kinds = [block.pop("kind") for block in blocks]
        return {f"{kind}.w": (d, 2 * d) for kind in kinds}
    found = trace(build)
    assert [[str(axis) for axis in row.shape] for row in found.rows] == [["d_model", "2*d_model"]]


@pytest.mark.parametrize("value", [[1, {"a": [2]}], ({"a": (3,)},), {"a": {"b": [4]}}, "text"])
def test_a_copy_is_equal_and_shares_no_list(value: object) -> None:
    assert copied(value) == value
    if isinstance(value, (list, dict)):
        assert copied(value) is not value
