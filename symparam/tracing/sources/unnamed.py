"""Keys of a configuration by their names: one that nothing reads is refused; one that code reads,
though no field has it, is a key.

``getattr(config, "head_dim", hidden_size // heads)`` reads what no field of the class names. It is
seen when the module is built; its rule is the quotient with which nothing changes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from symparam.errors import BadValue, nearest
from symparam.traced.names import dim_name
from symparam.tracing.recording.terms import Path, spelled
from symparam.tracing.searching.tables import Table

#: Names of numbers that shapes may follow.
SIZE = re.compile(r"dim|size|width|rank|heads|channels|kernel|groups|experts|(?<!_)num_|^n_")
#: Names that a class takes and keeps under others.
LEGACY = frozenset({"rope_theta", "rope_scaling", "partial_rotary_factor", "model_type",
                    "num_labels", "dtype", "torch_dtype", "attn_implementation"})
#: Names that are looked at, and quotients that are tried for each.
MAX_NAMES, MAX_TRIED = 4, 10

#: Configurations and the names that were read of them in vain.
Read = list[tuple[Any, str]]
Making = Callable[[Mapping[Path, Any]], Table]
#: The path of a name with its rule: the first key over the second.
Hidden = dict[Path, tuple[Path, Path]]


def read_by(built: Any, config: Any) -> Read:
    """The names that the code of a model reads of configurations which do not have them."""
    import torch
    from transformers.initialization import no_init_weights

    with _missing() as found, suppress(Exception), torch.device("meta"), no_init_weights():
        built(config)  # what it cannot do without its settings, it is not asked for
    return found


@contextmanager
def _missing() -> Iterator[Read]:
    from transformers import PreTrainedConfig

    found: Read = []

    def missing(config: Any, name: str) -> Any:
        module = str(sys._getframe(1).f_globals.get("__name__"))
        if not name.startswith("_") and ".modeling_" in module:
            found.append((config, name))
        raise AttributeError(f"{type(config).__name__!r} object has no attribute {name!r}")
    before = vars(PreTrainedConfig).get("__getattr__")
    PreTrainedConfig.__getattr__ = missing
    try:
        yield found
    finally:
        if before is None:
            del PreTrainedConfig.__getattr__
        else:
            PreTrainedConfig.__getattr__ = before


def inside(config: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """A configuration and those inside it, by path."""
    from transformers import PreTrainedConfig

    yield path, config
    for name, value in vars(config).items():
        if isinstance(value, PreTrainedConfig) and not name.startswith("_"):
            yield from inside(value, (*path, name))


def refuse_unknown(config: Any, settings: Mapping[str, Any], read: Iterable[str],
                   text: str) -> None:
    """Refuse a setting that nothing reads.

    Args:
        config: the configuration of the target.
        settings: what a person gave, a dot going into a configuration inside.
        read: names that code reads though no field has them.
        text: how a person named the target.

    Raises:
        BadValue: with the nearest names that there are.
    """
    places = dict(inside(config))
    for name, value in settings.items():
        *before, last = name.split(".")
        path = tuple(before)
        at = places.get(path)
        if at is None:
            if path and isinstance(getattr(config, path[0], None), (dict, list, tuple)):
                continue  # a table, whose entries no class names
            near = nearest(".".join(before), [spelled(p) for p in places if p])
            raise BadValue(name, value, f"{text} has no configuration {'.'.join(before)}"
                           f"{_hint(near)}")
        if _has(at, last) or last in LEGACY or last in read:
            continue
        own = [spelled((*p, n)) for p, each in places.items() for n in _names(each)]
        near = [n for n in own if dim_name(tuple(n.split("."))) == name] or nearest(name, own)
        raise BadValue(name, value, f"{text} has no such key{_hint(near)}")


def unread(config: Any, data: Mapping[str, Any], read: Read) -> tuple[str, ...]:
    """A sentence on the numbers of a file that nothing reads; none where there are none."""
    known = {name for _, name in read} | LEGACY
    names = [name for name, value in data.items() if type(value) is int
             and not name.endswith("_id") and name not in known and not _has(config, name)]
    return (f"nothing reads these keys of the file: {', '.join(names[:8])}",) if names else ()


def _hint(near: Iterable[str]) -> str:
    words = " or ".join(near)
    return f": did you mean {words}?" if words else ""


def _names(config: Any) -> list[str]:
    return [n for n in (*vars(config), *getattr(config, "attribute_map", ()))
            if not n.startswith("_")]


def _has(config: Any, name: str) -> bool:
    return name in _names(config) or (not callable(getattr(type(config), name, None))
                                      and hasattr(config, name))


def hidden(config: Any, read: Read, base: Mapping[Path, Any], given: Mapping[str, Any],
           made: Making) -> tuple[dict[Path, int], Hidden]:
    """Keys that shapes follow though no field has them, and the rules of their defaults.

    Args:
        config: the configuration of the target.
        read: what code of the model read of configurations that do not have it.
        base: the numbers that are known.
        given: what a person or a file gives, by name.
        made: the tensors at a point.
    """
    kinds = {(type(owner), name) for owner, name in read if SIZE.search(name)}
    places = [(*path, name) for path, each in inside(config) for owner, name in sorted(
        kinds, key=str) if type(each) is owner]
    numbers: dict[Path, int] = {}
    rules: Hidden = {}
    first = made(base) if places else {}
    for path in places[:MAX_NAMES]:
        if path in base or not _moves(path, base, first, made):
            continue
        own = _given(given, path)
        rule = next((each for each in _quotients(path, base)
                     if own is None and _holds(path, each, base, made)), None)
        if rule is not None:
            rules[path], numbers[path] = rule, base[rule[0]] // base[rule[1]]
        elif type(own) is int:
            numbers[path] = own
    return numbers, rules


def _given(given: Any, path: Path) -> Any:
    for part in path:
        given = given.get(part) if isinstance(given, Mapping) else None
    return given


def _moves(path: Path, base: Mapping[Path, Any], first: Table, made: Making) -> bool:
    """Whether tensors follow a number that is given under a name."""
    return any(table not in (None, first) for table in (
        _made({**base, path: number}, made) for number in (24, 40)))


def _made(values: Mapping[Path, Any], made: Making) -> Table | None:
    try:
        return made(values)
    except Exception:  # whatever a constructor raises
        return None


def _quotients(path: Path, base: Mapping[Path, Any]) -> list[tuple[Path, Path]]:
    """Pairs of keys beside a name that may be its default, heads and widths first."""
    near = [p for p, v in base.items() if p[:-1] == path[:-1] and type(v) is int and v > 0]
    pairs = [(a, b) for a in near for b in near if base[a] > base[b] > 1
             and base[a] % base[b] == 0]
    pairs.sort(key=lambda pair: ("head" not in str(pair[1][-1]), "key_value" in str(pair[1][-1]),
                                 not re.search("hidden_size|embed|d_model|dim", str(pair[0][-1]))))
    return pairs[:MAX_TRIED]


def _holds(path: Path, rule: tuple[Path, Path], base: Mapping[Path, Any], made: Making) -> bool:
    """Whether nothing changes when a name is given the number of its rule, here and elsewhere."""
    top, bottom = rule
    for factor, share in ((1, 1), (3, 1), (1, 2)):
        number = base[bottom] // share
        values = {**base, top: factor * base[top], bottom: number}
        without = _made(values, made)
        given = _made({**values, path: values[top] // number}, made)
        if factor == share == 1 and (without is None or given != without):
            return False
        if without is not None and given != without:
            return False
    return True
