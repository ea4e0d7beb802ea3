"""Every family that is written by hand equals what a trace finds, at two depths, widths generic."""

from __future__ import annotations

import pytest

from tests.differential.compare import difference
from tests.differential.traced_families import compared, order

pytest.importorskip("torch")
pytestmark = pytest.mark.differential


@pytest.mark.parametrize("model_type", order())
def test_a_family_and_its_trace_have_the_same_tensors(model_type: str) -> None:
    outcome = compared(model_type)
    if outcome.verdict in {"unbuilt", "untraced", "uncompared"}:
        pytest.skip(f"{outcome.verdict}: {outcome.text}")
    assert outcome.verdict == "equal", outcome


def test_the_comparison_notices_another_shape_and_another_number() -> None:
    rows = {("h.*.w", (3, 4)): 2}
    assert difference(rows, rows) == []
    assert difference(rows, {("h.*.w", (3, 5)): 2})
    assert difference(rows, {("h.*.w", (3, 4)): 1})
