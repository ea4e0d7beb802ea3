"""Targets of transformers: a model type, or a ``config.json``, with configurations inside it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from typing import Any

from symparam.errors import BadValue
from symparam.tracing.recording.terms import Path
from symparam.tracing.searching.probing import TraceError
from symparam.tracing.sources.as_given import alike, as_given, numbers_taken, renamed
from symparam.tracing.sources.classes import class_of, line_of, modules_of
from symparam.tracing.sources.target import Target, copied, leaves, nested
from symparam.tracing.sources.unnamed import hidden, inside, read_by, refuse_unknown, unread

#: Keys that name tokens, places or behaviour: never a size, and not worth a probe.
APART = re.compile(r"token_id|token_ids|_idx$|_index$|token_index|id2label|label2id|out_indices|"
                   r"out_features|stage_names|_indexes$|_indices$|torch_dtype|dtype|seed|_id$|transformers_version|"
                   r"chunk_size_feed|return_dict|output_(?!dim|size|channels|hidden)|problem_type|"
                   r"architectures|use_cache|^num_labels$|quantization_config|model_type")
#: An identifier of a token above this is no special one at the beginning of a vocabulary.
FEW_TOKENS = 64


def from_type(model_type: str, settings: Mapping[str, Any]) -> Target:
    """A model type of transformers, with the numbers that its configuration class has.

    Raises:
        TraceError: transformers has no such type, or cannot build it.
    """
    configs = _mapping()
    if model_type not in configs:
        raise TraceError(f"transformers:{model_type}", "is no model type of this transformers")
    return _target(model_type, configs[model_type], {}, settings, f"transformers:{model_type}")


def from_config(data: Mapping[str, Any], settings: Mapping[str, Any], text: str) -> Target:
    """What a ``config.json`` describes.

    Raises:
        TraceError: transformers does not know its model type, or cannot build it.
    """
    model_type = str(data.get("model_type", ""))
    configs = _mapping()
    if model_type not in configs:
        raise TraceError(text, f"model_type {model_type!r} is none of this transformers")
    return _target(model_type, configs[model_type], data, settings, text)


def _mapping() -> Any:
    try:
        import transformers
        from transformers.models.auto.configuration_auto import CONFIG_MAPPING
    except ImportError as error:
        raise BadValue("TARGET", "transformers", f"{error.name} is not installed: pip install "
                       "'symparam[torch]'") from None
    transformers.utils.logging.set_verbosity_error()
    return CONFIG_MAPPING


@dataclasses.dataclass
class _Gathered:
    """What a configuration holds, by path."""

    numbers: dict[Path, Any] = dataclasses.field(default_factory=dict)
    switches: dict[Path, Any] = dataclasses.field(default_factory=dict)
    kinds: dict[Path, str] = dataclasses.field(default_factory=dict)
    opened: set[Path] = dataclasses.field(default_factory=set)


def _gather(config: Any, path: Path, found: _Gathered, given: Mapping[str, Any]) -> None:
    """Numbers, switches and derived keys of a configuration and of those inside it."""
    from transformers import PreTrainedConfig

    fields = {f.name: f for f in dataclasses.fields(config)} if dataclasses.is_dataclass(
        config) else {}
    for name, value in _stored(config, fields):
        where = (*path, name)
        if isinstance(value, PreTrainedConfig):
            if getattr(value, "model_type", ""):
                found.kinds[(*where, "model_type")] = value.model_type
            inner = given.get(name)
            _gather(value, where, found, inner if isinstance(inner, Mapping) else {})
            continue
        field = fields.get(name)
        if (field is None and type(given.get(name)) is not int) or APART.search(name):
            continue
        follows = field is not None and given.get(name, field.default) is None
        if follows and isinstance(value, int) and not isinstance(value, bool):
            found.opened.add(where)
        elif follows:
            continue  # what else a class derives is left to it
        numbers, switches = leaves(where, value)
        found.numbers |= numbers
        found.switches |= {p: v for p, v in switches.items()
                           if isinstance(v, (bool, str)) or (isinstance(v, (list, tuple)) and v)}


def _stored(config: Any, fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The names and values of a configuration, read as its class shows them.

    A field may be stored under another name (``attribute_map``); set blindly under its own it
    would never be read.
    """
    stored = {name: value for name, value in vars(config).items() if not name.startswith("_")}
    for name in fields:
        if name not in stored and hasattr(config, name):
            stored[name] = getattr(config, name)
    yield from stored.items()


def _target(model_type: str, cls: Any, data: Mapping[str, Any], settings: Mapping[str, Any],
            text: str) -> Target:
    given = renamed(cls, _with(_without_lists(cls, _own(data)), settings))
    try:
        default = cls(**copied(given))
    except Exception as error:  # whatever a configuration class raises
        raise TraceError(text, f"its configuration is refused: {line_of(error)}") from None
    found = _Gathered()
    _gather(default, (), found, given)
    plain = _plain(cls, data, default)
    built = class_of(model_type, cls, default, data, text)
    read = read_by(built, plain)
    refuse_unknown(plain, settings, {name for _, name in read}, text)
    ids = _ids(default)
    low = _enough(cls, given, found, default, ids)

    def configured(values: Mapping[Path, Any]) -> Any:
        tree = nested({**found.kinds, **values})
        return cls(**_inside(_merged(low, tree), ids))

    def whole(config: Any) -> Any:
        from transformers.initialization import no_init_weights

        with no_init_weights():
            module = built(config)
        module.tie_weights()
        return module

    def build(values: Mapping[Path, Any]) -> Any:
        return whole(configured(values))

    def derived(values: Mapping[Path, Any]) -> dict[Path, Any]:
        config = configured({p: v for p, v in values.items() if p not in opened})
        return {path: _read(config, path) for path in found.opened} | {
            path: values[top] // values[bottom] for path, (top, bottom) in rules.items()}
    target = Target(text, model_type, build, found.numbers, found.switches, modules_of(cls, built),
                    derived, packages=("torch", "transformers"),
                    notes=(f"the class is {built.__name__}", *unread(plain, _own(data), read),
                           *_moved(ids)))
    own, rules = hidden(default, read, found.numbers, given, target.table)
    opened = found.opened | rules.keys()
    base = {**found.numbers, **own}
    taken = {path: v for path, v in numbers_taken(default, given).items() if path in base}
    return as_given(dataclasses.replace(target, opened=frozenset(opened)), base, taken, default,
                     configured, whole)


def _enough(cls: Any, given: dict[str, Any], found: _Gathered, default: Any,
            ids: Any) -> dict[str, Any]:
    """What has to be given beside numbers: all that is given, and where that does not make the
    same configuration, what else the class gives to those inside it (the name of a backbone)."""
    numbers = nested({**found.kinds, **found.numbers})
    whole = _merged(_beside(default, given), given)
    for low in (given, whole):
        try:
            if alike(cls(**_inside(_merged(low, numbers), ids)), default):
                return low
        except Exception:  # (whatever a configuration class raises)
            continue
    return given


def _beside(config: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a configuration's own classes gave to those inside it, and is not what these take by
    themselves."""
    from transformers import PreTrainedConfig

    made: dict[str, Any] = {}
    for name, value in vars(config).items():
        if isinstance(value, PreTrainedConfig) and name not in given:
            told = {key: each for key, each in value.to_diff_dict().items()
                    if key != "transformers_version"}
            made[name] = {**_without_lists(type(value), told), **_beside(value, {})}
    return made


def _plain(cls: Any, data: Mapping[str, Any], default: Any) -> Any:
    """The configuration without what a person sets or a file holds: what it has, has a name."""
    for given in ({}, _own(data)):
        try:
            return cls(**copied(given))
        except Exception:  # then something of that is needed
            continue
    return default


def _read(config: Any, path: Path) -> Any:
    for part in path:
        config = getattr(config, str(part))
    return config


def _own(data: Mapping[str, Any]) -> dict[str, Any]:
    """What a file holds, without what says how it was saved."""
    apart = ("architectures", "transformers_version", "torch_dtype", "dtype", "auto_map",
             "quantization_config", "_name_or_path", "model_type")
    return {name: value for name, value in data.items() if name not in apart}


def _with(data: dict[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings put over what a file holds; a dot goes into a configuration inside."""
    made: dict[str, Any] = copied(data)
    for name, value in settings.items():
        at, parts = made, name.split(".")
        for part in parts[:-1]:
            at = at.setdefault(part, {})
        at[parts[-1]] = value
    return made


def _merged(low: Mapping[str, Any], high: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(low)
    for name, value in high.items():
        inner = made.get(name)
        made[name] = _merged(inner, value) if isinstance(inner, Mapping) and isinstance(
            value, Mapping) else value
    return made


def _without_lists(cls: Any, data: dict[str, Any]) -> dict[str, Any]:
    """What a file holds, but for lists that its class makes by itself.

    A kind for each layer would fix the number of layers.
    """
    made: dict[str, Any] = copied(data)
    for name in [n for n, value in made.items() if isinstance(value, list)]:
        rest = {n: v for n, v in made.items() if n != name}
        try:
            if getattr(cls(**copied(rest)), name, None) == made[name]:
                made = rest
        except Exception:  # then the class cannot do without it
            continue
    return made


def _ids(config: Any) -> dict[Path, int]:
    """Identifiers of tokens: they have to stay inside a vocabulary that shrinks."""
    return {(*path, name): value for path, each in inside(config)
            for name, value in vars(each).items()
            if name.endswith("token_id") and isinstance(value, int)}


def _inside(tree: dict[str, Any], ids: Mapping[Path, int]) -> dict[str, Any]:
    """A configuration's values with identifiers of tokens that its vocabulary has."""
    for path, value in ids.items():
        at: Any = tree
        for part in path[:-1]:
            at = at.get(part, {})
        size = at.get("vocab_size")
        if isinstance(size, int) and value >= size:
            at[path[-1]] = int(size) - 1
    return tree


def _moved(ids: Mapping[Path, int]) -> tuple[str, ...]:
    """A sentence on identifiers that a smaller vocabulary does not have."""
    high = [".".join(map(str, path)) for path, value in ids.items() if value > FEW_TOKENS]
    return (f"where a vocabulary is too small for {', '.join(high[:4])}, its last token was taken: "
            "the target refuses such a number",) if high else ()
