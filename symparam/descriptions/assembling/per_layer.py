"""``per_layer_config``: numbers that some layers have otherwise, as transformers saves them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from symparam.descriptions.config import Config
from symparam.errors import BadValue
from symparam.resolve import whole_number

KEY = "per_layer_config"


def overrides(config: Config, layers: Collection[int], keys: Iterable[str]) -> dict[str, int]:
    """What the layers with a kind of attention have otherwise, all of them alike.

    Args:
        config: the configuration; its table has a row for each such layer and for no other.
        layers: their numbers.
        keys: what a row may hold, each a positive number.

    Raises:
        SpecError: rows of other layers, rows that differ, other keys.
    """
    table, allowed = config.table(KEY), tuple(keys)
    rows: dict[int, dict[str, int]] = {}
    for key in table.data:
        if not (key.isascii() and key.isdecimal()) or int(key[:12]) not in layers:
            raise table.error(key[:60], "no layer that has numbers of its own")
        row = table.table(key)
        row.only_keys(allowed)
        try:
            rows[int(key)] = {each: whole_number(each, row.integer(each)) for each in row.data}
        except BadValue as error:
            raise row.error(error.name, error.problem) from None
    first = next(iter(rows.values()), {})
    if any(row != first for row in rows.values()) or (first and len(rows) != len(layers)):
        raise config.error(KEY, "layers of one kind that are unlike each other are not understood")
    return first
