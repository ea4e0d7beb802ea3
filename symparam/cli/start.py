"""Where a command begins: Ctrl-C ends it with one line from its first moment to its last."""

from __future__ import annotations

import signal
import sys

from symparam.begun import INTERRUPTED, SAID, loaded


def main() -> None:
    """Run a command line and exit.

    0 done, 1 the answer is no, 2 wrong use or bad input, 130 interrupted.
    """
    try:
        from symparam.cli.main import run

        loaded()
        code = run()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done and said
    except KeyboardInterrupt:
        sys.stderr.write(SAID)
        code = INTERRUPTED
    sys.exit(code)
