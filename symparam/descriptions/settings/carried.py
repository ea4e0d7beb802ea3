"""What a configuration says by the table of settings, and the keys that say the same elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symparam.descriptions.reading.source import shown
from symparam.descriptions.settings.places import UNSAID, Source
from symparam.descriptions.settings.rows import ROWS, Row

#: Values that are off: a format that does not say them has nothing else.
OFF: tuple[Any, ...] = (None, False, 0, "", [], {})
_CONTEXT = "context"


def applies(row: Row, learned: bool, ffn: str) -> bool:
    """Whether a setting means something in a model.

    Args:
        row: the setting.
        learned: whether positions have a table, which then turn not.
        ffn: the kind of feed-forward network.
    """
    return not (row.turned and learned) and (ffn == "moe" or not row.routed)


def carried(form: str, source: Source) -> dict[str, Any]:
    """The value of each setting, the format's own default where no key says it.

    A default of a context that is shorter than what its positions are scaled from is nobody's.

    Raises:
        BadValue: a key whose value is none of its kind.
    """
    found = {row.name: row.places[form].read(source) for row in ROWS}
    first, length = original(found), found.get(_CONTEXT, UNSAID)
    if _CONTEXT not in stated(form, source.data) and length is not UNSAID and length < first:
        found[_CONTEXT] = UNSAID
    return found


def original(settings: Mapping[str, Any]) -> int:
    """The context from which positions are scaled; 0 where nobody says it."""
    scaling = settings.get("rope_scaling")
    first = scaling.get("original_max_position_embeddings") if isinstance(scaling, dict) else None
    return first if type(first) is int else 0


def keys_read(form: str) -> set[str]:
    """The keys of a format that say a setting."""
    return {key for row in ROWS for key in row.places[form].keys}


def stated(form: str, data: Mapping[str, Any]) -> set[str]:
    """The settings of which a configuration itself says something."""
    return {row.name for row in ROWS if any(
        data.get(key) is not None for key in row.places[form].keys)}


def written(form: str, wanted: Mapping[str, Any], said: set[str], structure: Source,
            ) -> dict[str, Any]:
    """The keys that give a configuration these settings.

    Args:
        form: the format.
        wanted: the values.
        said: those that are written though they hold unsaid.
        structure: the configuration without them.
    """
    found: dict[str, Any] = {}
    for row in ROWS:
        value, place = wanted.get(row.name, UNSAID), row.places[form]
        if value is UNSAID or (row.name not in said and place.read(structure) == value):
            continue
        found |= place.write(value) or {}
    return found


def differences(wanted: Mapping[str, Any], found: Mapping[str, Any], rows: list[Row],
                form: str) -> Iterator[tuple[str, str]]:
    """What another configuration does not say in the same way: ``lost`` or ``unsaid``, and how.

    Args:
        wanted: the settings of the one.
        found: those of the other.
        rows: those that mean something here.
        form: the other's format.
    """
    for row in rows:
        want, got = wanted[row.name], found[row.name]
        if want is UNSAID:
            if got is not UNSAID and got not in OFF:
                yield "unsaid", f"{row.name}, there {told(got)}"
            elif row.name == _CONTEXT and got is UNSAID and row.places[form].keys:
                first = original(wanted)
                yield "unsaid", (f"{row.name}, to be given there as {row.places[form].keys[0]}"
                                 + (f" (positions are scaled from {first})" if first else ""))
        elif want != got and not (want in OFF and got is UNSAID):
            there = "" if got is UNSAID or got in OFF else f" (there {told(got)})"
            yield "lost", f"{row.name} = {told(want)}{there}"


def told(value: Any) -> str:
    """A value in a phrase.

    >>> told([8, None, 8]), told(1e-6), told([1, 2])
    ('8 in 2 of 3 layers', '1e-06', '[1, 2]')
    """
    if isinstance(value, list) and (None in value or len(set(map(repr, value))) == 1 < len(value)):
        there = [each for each in value if each is not None]
        lengths = ", ".join(map(str, sorted(set(there))))
        return lengths + (f" in {len(there)} of {len(value)} layers" if None in value else "")
    if value is None or isinstance(value, bool):
        return shown(value)
    return value if isinstance(value, str) else repr(value)[:160]
