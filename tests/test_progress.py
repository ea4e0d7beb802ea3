"""Words on what takes long: none within a second, none to those who asked for none, few else."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from symparam.cli import progress
from symparam.cli.progress import OFTEN, PATIENCE, SELDOM, Progress
from tests.strategies import quick

#: When something is done, and how much of all of it; and whether it is a stage that is told.
STEPS = st.lists(st.tuples(st.integers(0, 16).map(lambda quarters: quarters / 4),
                           st.integers(0, 99), st.booleans()), max_size=12)


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        """What the library's clock says."""
        return self.now


class Screen(io.StringIO):
    """A terminal, or none."""

    def __init__(self, live: bool) -> None:
        super().__init__()
        self.live = live

    def isatty(self) -> bool:
        """Whether somebody looks on."""
        return self.live


@pytest.fixture(scope="module", autouse=True)
def clock() -> Iterator[Clock]:
    """The clock that progress looks at."""
    with pytest.MonkeyPatch.context() as patch:
        found = Clock()
        patch.setattr(progress, "time", found)
        yield found


@pytest.mark.parametrize("live", [True, False])
def test_words_that_cannot_be_written_end_no_work(
        live: bool, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/dev/full", "w", buffering=1) as full:  # noqa: PTH123
        monkeypatch.setattr(full, "isatty", lambda: live)
        monkeypatch.setattr(sys, "stderr", full)
        clock.now = 1000.0
        told = Progress()
        for share in (0.25, 0.5, 1):
            clock.now += 2 * SELDOM
            told(share)


@pytest.mark.parametrize("live", [True, False])
@quick
@given(steps=STEPS, quiet=st.booleans())
@example(steps=[(PATIENCE / 2, 50, False), (PATIENCE, 60, False)], quiet=False)
def test_words_come_late_and_seldom_and_say_how_far_it_is(
        live: bool, clock: Clock, steps: list[tuple[float, int, bool]], quiet: bool) -> None:
    clock.now, told = 1000.0, list[tuple[float, str]]()

    def said(text: str, nl: bool) -> None:
        assert (nl, text[0] == "\r") == (not live, live)
        told.append((clock.now - 1000, text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", Screen(live))
        patch.setattr(progress, "say", said)
        teller, wanted, last = Progress(quiet, "counted"), list[tuple[float, str]](), -SELDOM
        for pause, share, stage in steps:
            clock.now += pause
            at = clock.now - 1000
            if stage:
                teller.stage("rows", share, 100)
                text = f"counted {at:.0f} s, rows: {share} of 100"
            else:
                teller(share / 100)
                left = at / (share / 100) - at if share else 0
                text = f"counted {share} %, about {progress._duration(left)} left"
            if not quiet and at >= PATIENCE and at - last >= (OFTEN if live else SELDOM) and (
                    stage or share):
                wanted.append((at, text))
                last = at
        assert [(at, text.strip()) for at, text in told] == wanted
        teller(1)
        assert (told[-1:] == [(clock.now - 1000, f"\r{'':<60}\r")]) == (live and bool(wanted))
        so_far = len(told)
        teller.clear()
        assert len(told) == so_far, "taken off a second time"
        teller.stage("rows", 1, 2)
        assert (len(told) > so_far) == (not quiet and clock.now - 1000 >= PATIENCE)
