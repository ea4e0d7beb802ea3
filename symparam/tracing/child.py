"""The child process of ``symparam trace``: it runs the code that it is given, and only that.

A request comes in as a line of JSON, answers go out as lines of JSON. What the code prints goes
to stderr; when the parent is gone, so is the child.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from symparam.errors import SymparamError
from symparam.traced.names import dim_name
from symparam.traced.records import Trace
from symparam.traced.written import data_of
from symparam.tracing import Interrupted, trace
from symparam.tracing.sources.configurations import from_config
from symparam.tracing.sources.target import Target
from symparam.tracing.sources.targets import find_target
from symparam.tracing.sources.trusted import code_named, from_code

Say = Callable[[dict[str, Any]], None]


def main() -> None:
    """Read a request, trace, and say what was found."""
    say = _speaker()
    request = json.loads(sys.stdin.readline())
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    try:
        say(_answer(request, say))
    except Interrupted as stopped:
        say({"interrupted": None if stopped.known is None else data_of(stopped.known),
             "first": stopped.first})
    except KeyboardInterrupt:
        say({"interrupted": None})
    except SymparamError as error:
        say({"error": _with_remedy(str(error))})
    except MemoryError:
        say({"error": "there is not memory enough for this target"})
    except SystemExit as error:
        say({"error": f"the target ended the process ({error.code})"})
    except Exception as error:  # somebody else's code
        say({"error": f"{type(error).__name__}: {error}"})


def _speaker() -> Say:
    """What writes to the parent; whatever else is printed goes to stderr."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr

    def say(data: dict[str, Any]) -> None:
        with contextlib.suppress(BrokenPipeError):
            out.write(json.dumps(data) + "\n")
            out.flush()

    return say


def _leave_with_parent() -> None:
    """End the process when the parent has closed its end of stdin."""
    while sys.stdin.read(1):
        pass
    os._exit(1)


def _answer(request: Mapping[str, Any], say: Say) -> dict[str, Any]:
    code = code_named(request["target"]) if request["trust"] else None
    if request["configuration"] is not None:
        target = from_config(request["configuration"], request["settings"], request["target"])
    elif code is None:
        target = find_target(request["target"], request["settings"])
    else:
        target = from_code(request["target"], code, request["settings"])
    if request["keys"]:
        return {"keys": _keys(target)}
    found: Trace = trace(
        target, hold=request["hold"], points=request["points"], seed=request["seed"],
        seconds=request["seconds"], costs=request["costs"],
        progress=lambda stage, done, of: say({"progress": [stage, done, of]}))
    return {"trace": data_of(found)}


def _keys(target: Target) -> list[dict[str, Any]]:
    """What a target takes: its own names, the dims that they are, its numbers."""
    taken: list[str] = []
    found = []
    for path, value in {**target.base, **target.switches}.items():
        name = dim_name(path, taken)
        taken.append(name)
        plain = value if isinstance(value, (bool, int, float, str)) else repr(value)
        found.append({"key": ".".join(map(str, path)), "dim": name, "value": plain,
                      "switch": path in target.switches})
    return found


def _with_remedy(text: str) -> str:
    """An error, with what to install where torch or a library is missing."""
    for package in ("torch", "transformers"):
        if f"No module named '{package}'" in text and "pip install" not in text:
            return f"{text}: pip install 'symparam[torch]'"
    return text


if __name__ == "__main__":
    main()
