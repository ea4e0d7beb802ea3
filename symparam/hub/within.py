"""Calls that wait for others: no longer than they say, several at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

_T = TypeVar("_T")


class TooLate(Exception):
    """The time was over before the call was."""


def within(seconds: float, call: Callable[[], _T]) -> _T:
    """What a call gives, if it does so in time; what it raises is raised.

    A server may give a byte whenever the reader is about to lose patience. Nobody waits for the
    thread that it keeps: it ends with the process.

    Raises:
        TooLate: it did not.

    >>> within(9, lambda: 7)
    7
    """
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append((call(), None))
        except BaseException as error:  # handed over to the one who waits
            outcome.append((None, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if not outcome:
        raise TooLate
    value, error = outcome[0]
    if error is not None:
        raise error
    return value  # type: ignore[no-any-return]


def at_once(calls: Iterable[Callable[[], _T]], most: int) -> list[_T]:
    """What some calls give, in their order; so many of them wait at the same time.

    Raises:
        BaseException: what the first of them raises; those that have not begun then never do.

    >>> at_once([lambda: 1, lambda: 2, lambda: 3], 2)
    [1, 2, 3]
    """
    waiting: SimpleQueue[tuple[int, Callable[[], _T]]] = SimpleQueue()
    done: SimpleQueue[tuple[int, _T | None, BaseException | None]] = SimpleQueue()
    count = 0
    for count, call in enumerate(calls, 1):
        waiting.put((count - 1, call))

    def work() -> None:
        while True:
            try:
                number, call = waiting.get_nowait()
            except Empty:
                return
            try:
                done.put((number, call(), None))
            except BaseException as error:  # handed over to the one who waits
                done.put((number, None, error))

    for _ in range(min(most, count)):
        threading.Thread(target=work, daemon=True).start()
    found: dict[int, _T] = {}
    try:
        while len(found) < count:
            number, value, error = done.get()
            if error is not None:
                raise error
            found[number] = value  # type: ignore[assignment]
    finally:
        while not waiting.empty():
            try:
                waiting.get_nowait()
            except Empty:
                break
    return [found[number] for number in range(count)]
