"""Switches of a traced model: what is no number was held as it is, and another value is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symparam.errors import BadValue

if TYPE_CHECKING:
    from symparam.traced.records import Key, Trace

_WORDS = {"true": True, "false": False, "none": None, "null": None}


def held_switch(trace: Trace | None, name: str, value: object) -> bool:
    """Whether a name is a switch of a trace and a value the one that it is held at.

    Args:
        trace: what a model was found by, if it was.
        name: as the target has it.
        value: as it was given, as text or not.

    Raises:
        BadValue: it is a switch, and held at another value.
    """
    key = next((key for key in trace.keys if key.kind == "switch" and name in _spelled(key)),
               None) if trace is not None else None
    if key is None:
        return False
    wanted = _WORDS.get(value.strip().lower(), value) if isinstance(value, str) else value
    if wanted is key.base or (wanted == key.base and type(wanted) is type(key.base)):
        return True
    own = ".".join(map(str, key.path))
    raise BadValue(name, value, f"is a switch that the trace holds at {key.base}: trace again with "
                   f"--set {own}={value}")


def _spelled(key: Key) -> set[str]:
    """What a key is called."""
    return {key.name, ".".join(map(str, key.path)), *key.aliases}
