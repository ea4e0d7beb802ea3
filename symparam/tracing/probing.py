"""Builds at points: counted, remembered, stopped when time is up."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from symparam.errors import SymparamError
from symparam.tracing.proxies import Recording, proxy, recording
from symparam.tracing.tables import Table
from symparam.tracing.target import Target
from symparam.tracing.terms import Path

#: Called with the name of a stage, how much of it is done, and of how much (0: not known).
Progress = Callable[[str, int, int], None]


Point: TypeAlias = tuple[tuple[Path, Any], ...]


class TimeIsUp(Exception):
    """The time that was given has passed."""


class TraceError(SymparamError):
    """A target that cannot be traced; the first words say which."""

    def __init__(self, target: str, problem: str) -> None:
        super().__init__(target, problem)
        self.target, self.problem = target, problem

    def __str__(self) -> str:
        return f"{self.target}: {self.problem}"


class Prober:
    """Builds a target at points, each point once.

    Attributes:
        builds: how many modules were built, refused ones too.
        problem: what the target said when it last refused.
    """

    def __init__(self, target: Target, seconds: float | None = None,
                 progress: Progress | None = None) -> None:
        self.target, self.progress = target, progress
        self.stop = None if seconds is None else time.monotonic() + seconds
        self.builds, self.problem = 0, ""
        self._known: dict[Point, Table | None] = {}
        self._problems: dict[Point, str] = {}
        self._stage, self._done, self._of = "", 0, 0

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
        if self.stop is not None and time.monotonic() > self.stop:
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

    def problem_at(self, values: Mapping[Path, Any]) -> str:
        """What the target said where it refused a point; empty where it did not."""
        return self._problems.get(_point(values), "")

    def forget(self) -> None:
        """Know no point any more: the target builds otherwise now."""
        self._known.clear()

    def _built(self, values: Mapping[Path, Any]) -> Table | None:
        try:
            return self.target.table(values)
        except TimeIsUp:
            raise
        except Exception as error:  # whatever a constructor raises is its refusal
            self.problem = f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
            return None

    def recorded(self, values: Mapping[Path, Any]) -> Recording:
        """What the target computes at a point; what it had computed, where it then fails."""
        self._begin()
        with recording(self.target.modules) as found:
            self._built({path: proxy(value, path) for path, value in values.items()})
        return found


def _point(values: Mapping[Path, Any]) -> Point:
    """A point as what is looked up."""
    return tuple(sorted(values.items(), key=lambda item: str(item[0])))
