"""Limits of time: a point that takes far too long is left out and said; the rest is answered."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from symparam.tracing import TraceError, trace
from symparam.tracing.searching import probing
from symparam.tracing.searching.probing import TooLong, stopped_after
from symparam.tracing.sources.target import Target
from tests.traces import told

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no such clock here")


def slow(d: int = 96, k: int = 100) -> dict[str, tuple[int, ...]]:
    """Takes for ever above a number, and lets nothing disturb it."""
    try:
        time.sleep(600 if k > 200 else 0)
    except Exception:
        time.sleep(600)
    return {"w": (d, k)}


def test_points_that_take_too_long_are_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "PATIENCE", .05)
    found = trace(slow)
    assert [str(axis) for axis in found.rows[0].shape] == ["d_model", "k"]
    said = [a.text for a in found.assumptions if a.kind == "range"]
    assert any("took far longer to build" in text for text in said), said
    assert max(int(text.rpartition(" to ")[2]) for text in said if " k " in text) <= 200
    assert told(found) == []


def test_a_first_build_that_takes_too_long_ends_when_the_time_is_up() -> None:
    def never(d: int = 96) -> dict[str, tuple[int, ...]]:
        time.sleep(600)
        return {"w": (d,)}
    start = time.monotonic()
    with pytest.raises(TraceError, match="before anything was found"):
        trace(never, seconds=.2)
    assert time.monotonic() - start < 5


def test_a_target_of_too_many_tensors_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[int] = []

    def deep(depth: int = 300, d: int = 8) -> dict[str, tuple[int, ...]]:
        built.append(depth)
        return {f"h.{i}.w": (d,) for i in range(depth)}
    monkeypatch.setattr(probing, "MAX_TENSORS", 299)
    with pytest.raises(TraceError, match=r"has 300 tensors as it is given.*give fewer layers"):
        trace(deep)
    assert built == [300]
    assert trace(deep, base={"depth": 299}).rows


def test_the_clock_of_somebody_else_is_left_alone() -> None:
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 60)
    try:
        with stopped_after(.01):
            time.sleep(.05)
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 50
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_limit_leaves_no_trace() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(TooLong), stopped_after(.01):
        time.sleep(5)
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_another_thread_traces_without_a_clock() -> None:
    found: list[int] = []

    def run() -> None:
        def build(d: int = 96) -> dict[str, tuple[int, ...]]:
            return {"w": (d, d)}
        found.append(len(trace(build).rows))
    thread = threading.Thread(target=run)
    thread.start()
    thread.join(30)
    assert found == [1]


def test_a_target_remembers_no_limit() -> None:
    target = Target("t", "t", lambda values: {"w": (values["d",],)}, {("d",): 8})
    assert trace(target) == trace(target)


@pytest.mark.parametrize("found", [{}, {"w": (96,)}])
def test_a_target_without_tensors_is_refused(found: dict[str, tuple[int, ...]]) -> None:
    def small(d: int = 96) -> dict[str, tuple[int, ...]]:
        return dict.fromkeys(found, (d,))
    if found:
        assert [row.pattern for row in trace(small).rows] == ["w"]
        return
    with pytest.raises(TraceError, match=r"small: has no tensors$"):
        trace(small)
