"""Builds at points: counted, remembered, stopped when time is up."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeAlias

from symparam.dataclass import dataclass
from symparam.errors import SymparamError
from symparam.tracing.recording.indexing import askable, asking, ran_in
from symparam.tracing.recording.keeping import kept_in
from symparam.tracing.recording.proxies import proxy, recording
from symparam.tracing.recording.records import Recording
from symparam.tracing.recording.terms import Path
from symparam.tracing.searching.tables import Table
from symparam.tracing.sources.target import Target

#: Called with the name of a stage, how much of it is done, and of how much (0: not known).
Progress = Callable[[str, int, int], None]


#: A build is given so many seconds at least, and so many times what the first one took.
PATIENCE, SLOWER = 3.0, 10.0

#: A module of more tensors takes minutes to be compared with what was found.
MAX_TENSORS = 100_000

Point: TypeAlias = tuple[tuple[Path, Any], ...]


@dataclass(frozen=True)
class Clock:
    """What limits of time are measured by.

    Attributes:
        now: seconds since some moment.
        timer, alarm: the timer that goes by it, and the signal that it ends with, by name.
    """

    now: Callable[[], float]
    timer: str
    alarm: str


WALL, CPU = Clock(time.monotonic, "ITIMER_REAL", "SIGALRM"), Clock(
    time.process_time, "ITIMER_PROF", "SIGPROF")
#: Whoever waits for an answer counts by the clock on the wall; a survey on a busy machine does not.
CLOCK = WALL


class TimeIsUp(Exception):
    """The time that was given has passed."""


class TooLong(BaseException):
    """A build was stopped; no ``except Exception`` of a constructor takes it for its own."""


@contextmanager
def stopped_after(seconds: float | None) -> Iterator[None]:
    """Raise :class:`TooLong` in what runs here when so many seconds have passed.

    Where there is no such clock (another thread, another system, a clock of somebody else's),
    nothing is stopped.
    """
    clock = getattr(signal, "setitimer", None)
    if seconds is None or clock is None or threading.current_thread() is not (
            threading.main_thread()) or signal.getitimer(getattr(signal, CLOCK.timer))[0]:
        yield
        return
    timer, alarm = getattr(signal, CLOCK.timer), getattr(signal, CLOCK.alarm)

    def stop(_number: int, _frame: object) -> None:
        raise TooLong
    before = signal.signal(alarm, stop)
    clock(timer, seconds)
    try:
        yield
    finally:
        clock(timer, 0)
        signal.signal(alarm, before)


class TraceError(SymparamError):
    """A target that cannot be traced; the first words say which."""

    def __init__(self, target: str, problem: str) -> None:
        super().__init__(target, problem)
        self.target, self.problem = target, problem

    def __str__(self) -> str:
        return f"{self.target}: {self.problem}"


class Prober:
    """Builds a target at points, each point once.

    A build that takes far longer than the first did is stopped, and passes for refused: what is
    drawn may be no size that anybody would build.

    Attributes:
        builds: how many modules were built, refused ones too.
        slow: how many were stopped.
        problem: what the target said when it last refused.
    """

    def __init__(self, target: Target, seconds: float | None = None,
                 progress: Progress | None = None) -> None:
        self.target, self.progress = target, progress
        self.seconds = seconds
        self.stop = None if seconds is None else CLOCK.now() + seconds
        self.builds, self.slow, self.problem = 0, 0, ""
        self.patience: float | None = None
        self._known: dict[Point, Table | None] = {}
        self._problems: dict[Point, str] = {}
        self._ran: set[CodeType] = set()
        self._beside: dict[str, ModuleType] = {}
        self._stage, self._done, self._of = "", 0, 0

    def used(self) -> float:
        """The share of the given time that is used; 0 where there is no limit."""
        if self.stop is None or not self.seconds:
            return 0.0
        return 1 - (self.stop - CLOCK.now()) / self.seconds

    def stage(self, name: str, of: int = 0) -> None:
        """Begin a stage of so many steps."""
        self._stage, self._done, self._of = name, 0, of
        self._say()

    def step(self) -> None:
        """One step of the stage is done."""
        self._done += 1
        self._say()

    def _say(self) -> None:
        if self.progress is not None:
            self.progress(self._stage, self._done, self._of)

    def _begin(self) -> None:
        if self.stop is not None and CLOCK.now() > self.stop:
            raise TimeIsUp(self._stage)
        self.builds += 1

    def table(self, values: Mapping[Path, Any]) -> Table | None:
        """The tensors at a point; None where the target refuses it.

        Raises:
            TimeIsUp: no build is begun any more.
        """
        point = _point(values)
        if point not in self._known:
            self._begin()
            self._known[point] = found = self._built(values)
            if found is None:
                self._problems[point] = self.problem
        return self._known[point]

    def accepted(self) -> list[tuple[dict[Path, Any], Table]]:
        """Every point that was built, with the tensors there."""
        return [(dict(point), table) for point, table in self._known.items() if table is not None]

    def problem_at(self, values: Mapping[Path, Any]) -> str:
        """What the target said where it refused a point; empty where it did not."""
        return self._problems.get(_point(values), "")

    def forget(self) -> None:
        """Know no point any more: the target builds otherwise now."""
        self._known.clear()

    def _built(self, values: Mapping[Path, Any]) -> Table | None:
        start = CLOCK.now()
        try:
            with stopped_after(self._allowed()), self._gathered():
                table = self.target.table(values)
            if self.patience is None:
                self.patience = max(PATIENCE, SLOWER * (CLOCK.now() - start))
            return table
        except TooLong:
            if self.stop is not None and CLOCK.now() > self.stop:
                raise TimeIsUp(self._stage) from None
            self.slow += 1
            self.problem = f"takes longer than {self.patience:.0f} s to build"
            return None
        except TimeIsUp:
            raise
        except Exception as error:  # whatever a constructor raises is its refusal
            first: BaseException = error
            while first.__cause__ is not None:  # it says what is wrong
                first = first.__cause__
            self.problem = f"{type(first).__name__}: {' '.join(str(first).split())[:160]}"
            return None

    def _gathered(self) -> AbstractContextManager[None]:
        """Where the first build gathers the functions that run in it."""
        return nullcontext() if self.patience is not None else ran_in(
            self.target.modules, self._ran, self._beside)

    def _allowed(self) -> float | None:
        """The seconds that a build may take: as long as is left, for the first one."""
        left = None if self.stop is None else max(.01, self.stop - CLOCK.now())
        return min((each for each in (self.patience, left) if each is not None), default=None)

    @cached_property
    def _askable(self) -> list[tuple[FunctionType, CodeType]]:
        """Functions that the first build ran: what a later one makes anew is made by these."""
        return askable(self._ran)

    def recorded(self, values: Mapping[Path, Any]) -> Recording:
        """What the target computes at a point; what it had computed, where it then fails."""
        self._begin()
        modules = (*self.target.modules, *self._beside.values())
        with asking(self._askable, modules), kept_in(modules), recording() as found:
            self._built({path: proxy(value, path) for path, value in values.items()})
        found.terms.update(dict.fromkeys(self.target.supposed))
        return found


def _point(values: Mapping[Path, Any]) -> Point:
    """A point as what is looked up."""
    return tuple(sorted(values.items(), key=lambda item: str(item[0])))


def first_table(prober: Prober, base: Mapping[Path, Any]) -> Table:
    """The tensors of the target as it is given.

    Raises:
        TraceError: it does not build.
    """
    prober.stage("build")
    table = prober.table(base)
    if table is None:
        problem = prober.problem
        prober.target.on_cpu()  # a constructor may read what it has made
        prober.forget()
        table = prober.table(base)
        if table is None:
            raise TraceError(prober.target.text, f"does not build as it is given: {problem}")
    if not table:
        raise TraceError(prober.target.text, "has no tensors")
    if len(table) > MAX_TENSORS:
        raise TraceError(prober.target.text, f"has {len(table):,} tensors as it is given, and a "
                         "trace builds it many times: give fewer layers (up to "
                         f"{MAX_TENSORS:,} tensors); what is found follows their number")
    return table
