"""A family whose rows a trace found: a configuration gives the numbers, a file the rest.

The files are those of :mod:`symparam.descriptions.traced_types`, one for each class: what
``symparam trace`` writes, with its evidence. What is no number was held, or turned where the trace
began alone (a switch of what every layer has shows nothing where there is one layer): another value
is refused, but for keys that are known to change no weight.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from symparam.dataclass import dataclass
from symparam.descriptions import traced_types
from symparam.descriptions.architecture.traced_file import read_trace
from symparam.descriptions.config import MAX_LAYERS, Config
from symparam.descriptions.harmless import HARMLESS
from symparam.descriptions.reading.source import guarded, read_file, shown
from symparam.model import Model
from symparam.resolve import whole_number
from symparam.traced.model import model_of
from symparam.traced.records import Key, Trace

#: What stands for a key that a configuration does not have.
_ABSENT: Any = object()


@dataclass(frozen=True)
class Inside:
    """A configuration inside another.

    Attributes:
        model_type: what it is.
        harmless: its own keys that change no weight.
    """

    model_type: str
    harmless: frozenset[str] = frozenset()


def traced(config: Config, name: str, classes: Mapping[str, str], default: str,
           harmless: frozenset[str] = frozenset(),
           parts: Mapping[str, Inside] | None = None, case: str = "") -> Model:
    """The model of a configuration whose class was traced.

    Args:
        config: the configuration; it is closed here.
        name: the model's name.
        classes: what is counted by the class's name; the first of each has a file.
        default: what is counted where no class is named.
        harmless: the family's own keys that change no weight.
        parts: the configurations inside it, by path (``encoder.vision_config``).
        case: what the file's name ends with, where a class has one for each of several cases.

    Raises:
        SpecError: a key that is not understood, or is not what the trace held it at.
    """
    task = config.task(classes, default)
    own = next(cls for cls, each in classes.items() if each == task)
    trace = trace_of(own + case, name)
    model = model_of(trace)
    whole = Inside(config.model_type, harmless)
    reading = _Reading(config, trace, model, {"": whole, **(parts or {})})
    values = reading.values()
    reading.close()
    return replace(model, values=values)


def trace_of(stem: str, name: str) -> Trace:
    """The trace that a file holds, under a model's name."""
    path = Path(traced_types.__path__[0], f"{stem}.toml")
    return replace(read_trace(path.name, read_file(path), name), name=name)


class _Reading:
    """A configuration, read key by key as a trace has them.

    Attributes:
        trace: what was found of its class.
        model: the model of that, with the numbers where the trace began.
        known: what the whole and the configurations inside it are, by path.
        parts: the whole and these, by path.
    """

    def __init__(self, config: Config, trace: Trace, model: Model,
                 known: Mapping[str, Inside]) -> None:
        self.trace, self.model, self.known = trace, model, known
        self.parts = {"": config}

    def values(self) -> dict[str, int]:
        """The numbers of the dims; of those that follow where they are not given, none."""
        values = {**self.model.values}
        ruled = {eq.dim for eq in self.trace.equations}
        for key in self.trace.keys:
            *before, name = (part for part in key.path if isinstance(part, str))
            if key.kind in ("inert", "switch") and self._is_harmless(before, name):
                continue  # (closing passes it)
            table = self._part(".".join(before))
            value = self._value(table, name, key)
            if key.kind == "switch" and value is not _ABSENT:
                self._refuse_other(table, name, key, value)
            elif value is _ABSENT or (value is None and key.name in ruled):
                self._absent(table, name, key, values, ruled)
            elif (number := self._number(table, name, key, value)) is not None:
                values[key.name] = number
        return values

    def _is_harmless(self, before: Sequence[str], name: str) -> bool:
        """Whether a key changes no weight, or stands in a table that does not (of angles)."""
        known = self.known.get(".".join(before))
        return not HARMLESS.isdisjoint(before) or name in HARMLESS or (
            known is not None and name in known.harmless)

    def close(self) -> None:
        """Refuse every key that the trace does not have, unless it is harmless."""
        for path, table in self.parts.items():
            table.close(self.known[path].harmless | {"architectures"})

    def _part(self, path: str) -> Config:
        """The configuration that stands at a path."""
        if path not in self.parts:
            before, _, name = path.rpartition(".")
            outer, known = self._part(before), self.known[path].model_type
            inner = outer.raw(name, None)
            made = Config(outer.where, {} if inner is None else inner, outer.asked, outer.mtp,
                          outer.below(name), known)
            made.tell(outer)
            if made.model_type != known:
                raise made.error("model_type", f"{shown(made.model_type)} is not {known}, with "
                                 f"which {self.trace.target} was traced")
            self.parts[path] = made
        return self.parts[path]

    def _value(self, table: Config, name: str, key: Key) -> Any:
        """What a configuration has for a key, in a list perhaps."""
        value = table.raw(name, _ABSENT)
        for depth in range(1 + key.path.index(name), len(key.path)):
            if value is _ABSENT:
                break
            before = key.path[:depth]
            most = 1 + max(int(other.path[depth]) for other in self.trace.keys
                           if other.path[:depth] == before)
            if not isinstance(value, list) or len(value) != most:
                found = len(value) if isinstance(value, list) else shown(value)
                raise table.error(name, f"expected a list of {most}, as it was traced with, found "
                                  f"{found}")
            value = value[int(key.path[depth])]
        return value

    def _absent(self, table: Config, name: str, key: Key, values: dict[str, int],
                ruled: Collection[str]) -> None:
        """A key that is not given follows its rule, or is the class's own."""
        if key.name in ruled:
            values.pop(key.name, None)
        elif key.kind in ("size", "structure"):
            table.defaulted.append(f"{table.below(name)} = {key.base}")

    def _number(self, table: Config, name: str, key: Key, value: Any) -> int | None:
        """A number of a dim; None for what is none and that nothing follows."""
        if isinstance(value, float) and value.is_integer() and isinstance(key.base, float):
            value = int(value)
        if type(value) is int:
            if key.kind == "structure" and value > MAX_LAYERS:
                raise table.error(name, f"{value} layers, more than the {MAX_LAYERS} that any "
                                  "model has")
            table.keys[key.name] = table.below(name)
            if key.kind != "inert":
                return guarded(table, name, lambda: whole_number(
                    key.name, value, self.model.least(key.name)))
            return value if value > 0 else None
        if key.kind in ("size", "structure"):
            raise table.error(name, f"expected a whole number, found {shown(value)}")
        if key.kind != "inert":
            self._refuse_other(table, name, key, value)
        return None

    def _refuse_other(self, table: Config, name: str, key: Key, value: Any) -> None:
        """Raise SpecError for a value that the rows were not found with."""
        if not _same(value, key.base):
            raise table.error(name, f"{shown(value)}: the rows of {table.model_type} were found by "
                              f"tracing with {shown(key.base)} alone; --trace finds those of this")


def _same(value: Any, base: Any) -> bool:
    """Whether a value is the one that a trace began with; a list is kept as its text."""
    return (str(value) if isinstance(value, list) else value) == base and (
        isinstance(value, bool) == isinstance(base, bool))
