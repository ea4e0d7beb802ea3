"""Whether first weights are drawn, and of which classes they were."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

without: list[bool] = []
drawn: list[str] = []


@contextmanager
def no_init_weights() -> Iterator[None]:
    """Draw none here."""
    without.append(True)
    try:
        yield
    finally:
        without.pop()
