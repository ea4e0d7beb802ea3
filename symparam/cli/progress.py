"""Progress on stderr, for what takes longer than a second."""

from __future__ import annotations

import sys
import time

from symparam.cli.said import say

#: Seconds before the first word, between words on a terminal, and between words elsewhere.
PATIENCE, OFTEN, SELDOM = 1.0, 0.5, 10.0


class Progress:
    """Says how much is done and how long the rest may take."""

    def __init__(self, quiet: bool = False, verb: str = "searched") -> None:
        self.verb = verb
        self.quiet, self.start, self.last = quiet, time.monotonic(), 0.0
        self.live = sys.stderr is not None and sys.stderr.isatty()
        self.said = False

    def __call__(self, share: float) -> None:
        """Note that a share of the work is done."""
        passed = time.monotonic() - self.start
        if share >= 1:
            self.clear()
        elif share > 0:
            left = passed / share - passed
            self._say(f"{self.verb} {100 * share:.0f} %, about {_duration(left)} left")

    def stage(self, name: str, done: int, of: int) -> None:
        """Note how far a stage is, where nobody knows how many follow."""
        how_far = f": {done} of {of}" if of else ""
        self._say(f"{self.verb} {_duration(time.monotonic() - self.start)}, {name}{how_far}")

    def _say(self, text: str) -> None:
        now = time.monotonic()
        pause = OFTEN if self.live else SELDOM
        if self.quiet or now - self.start < PATIENCE or (self.said and now - self.last < pause):
            return
        self.last, self.said = now, True
        say(f"\r{text:<60}" if self.live else text, nl=not self.live)

    def clear(self) -> None:
        """Take the last word off a terminal."""
        if self.live and self.said:
            say(f"\r{'':<60}\r", nl=False)
        self.said = False


def _duration(seconds: float) -> str:
    """Seconds as people say them.

    >>> _duration(41.2), _duration(600), _duration(7300)
    ('41 s', '10 min', '2 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"
