"""What a command loads first: from here on Ctrl-C ends it with one line, and no traceback.

Only a process that was begun as a command is touched; a program that imports the package keeps the
handlers that it has.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

TYPE_CHECKING = False  # (typing is not loaded: until :func:`quiet` Ctrl-C is a traceback)
if TYPE_CHECKING:
    from typing import NoReturn

#: What shells say of a process that SIGINT ended.
INTERRUPTED = 130
SAID = "symparam: interrupted\n"


def is_command() -> bool:
    """Whether this process was begun as ``symparam`` or as ``python -m symparam``."""
    begun, program = sys.orig_argv, sys.argv[0] if sys.argv else ""
    if program == "-m":  # what is to run is still looked for
        return begun[begun.index("-m") + 1:][:1] == ["symparam"] if "-m" in begun else False
    name = program.replace("\\", "/").rpartition("/")[2]
    return program in begun and name in {"symparam", "symparam.exe", "symparam-script.py"}


def end(*_: object) -> NoReturn:
    """Say that it was interrupted, and end: nothing has been begun that were to be put right."""
    os.write(2, SAID.encode())
    os._exit(INTERRUPTED)


def quiet() -> None:
    """Let Ctrl-C end a command that is still loading; a job that ignores it goes on doing so."""
    if (is_command() and threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler):
        signal.signal(signal.SIGINT, end)


def loaded() -> None:
    """Let Ctrl-C be an exception again, which whoever is at work answers."""
    if signal.getsignal(signal.SIGINT) is end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
