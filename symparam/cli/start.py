"""Where a command begins: Ctrl-C ends it with one line from its first moment to its last."""

from __future__ import annotations

import gc
import signal
import sys

from symparam.begun import INTERRUPTED, SAID, loaded

#: A command makes modules and formulas, nearly none of which is garbage before it ends: cycles are
#: looked for among so many new things, not among every seven hundred.
SELDOM = 50_000


def main() -> None:
    """Run a command line and exit.

    0 done, 1 the answer is no, 2 wrong use or bad input, 130 interrupted.
    """
    gc.set_threshold(SELDOM)
    try:
        from symparam.cli.main import run

        loaded()
        code = run()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done and said
    except KeyboardInterrupt:
        sys.stderr.write(SAID)
        code = INTERRUPTED
    gc.freeze()  # Python would look through all that was made, several times, to let go of it
    sys.exit(code)
