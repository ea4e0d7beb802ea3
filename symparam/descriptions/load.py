"""From a name, a path or options to a model, with the user's changes applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from symparam.constraints import Standing
from symparam.descriptions import catalogue
from symparam.descriptions.config import read_config
from symparam.descriptions.fetched import fetched
from symparam.descriptions.frameworks import almost, framework_of, known, read_framework
from symparam.descriptions.options import Options, apply, with_known
from symparam.descriptions.read_as import ReadAs
from symparam.descriptions.reading.source import read_file, read_standard_input
from symparam.descriptions.references import (
    INPUT,
    configuration_in,
    exists,
    gguf_at,
    keys_in,
    looks_like_path,
    on_hub,
    published_name,
)
from symparam.errors import BadValue, SpecError, UnknownName
from symparam.files.reading import STDIN, led_to
from symparam.grammar import Rule
from symparam.model import Model
from symparam.parts import one_part
from symparam.resolve import with_overrides
from symparam.traced.parts import TEXT


def load(reference: str, task: str | None = None, mtp: bool = False,
         ignored: Iterable[str] = (), part: str | None = None) -> Model:
    """The model that a catalogue name, a ``config.json`` (or its folder) or a description names.

    Args:
        reference: the name, in small or capital letters; the path; ``org/name[@revision]`` or its
            address for a model of a hub, from the local cache or fetched into it; ``-`` for what
            standard input gives.
        task: what a configuration is counted as; as its class says when None.
        mtp: whether multi-token-prediction layers are counted.
        ignored: keys of a configuration that are not understood and to be passed over.
        part: of a model that is made of several, the one that is wanted (``text``, ``vision``):
            of ``text`` alone nothing else is read.

    Raises:
        UnknownName: no such name or part. SpecError: a file that cannot be read, fetched or
            understood. BadValue: the model is not made of several.
    """
    found = _found(reference, ReadAs(task, mtp, tuple(ignored), part == TEXT))
    return one_part(found, part) if part else found


def _found(reference: str, read_as: ReadAs) -> Model:
    """The model that a reference names."""
    name = published_name(reference)
    if name is not None:
        return catalogue.published(name, read_as)
    if reference == INPUT:
        return _understood(STDIN, read_standard_input(), STDIN, read_as)
    repository = on_hub(reference)
    if repository is not None:
        found = fetched(repository)
        if isinstance(found, Path):
            return _understood(str(found), read_file(found), str(repository), read_as)
        from symparam.descriptions.gguf.model import model_of

        return model_of(found, str(repository), read_as)
    if looks_like_path(reference) or exists(reference):
        return _load_file(Path(reference), read_as)
    raise UnknownName("model", reference, catalogue.names(), "'symparam models' lists those that "
                      "have names; a file is named by its path")


def _load_file(path: Path, read_as: ReadAs) -> Model:
    try:
        whole = gguf_at(path)
        path = path if whole is not None else configuration_in(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise SpecError(str(path), "", f"cannot be read: {reason}") from None
    if whole is not None:
        from symparam.descriptions.gguf.model import gguf_model

        return gguf_model(whole, read_as)
    data = keys_in(path)
    own = led_to(path).parent.name or "config.json" if path.name == "config.json" else path.stem
    return _understood(str(path), data, own, read_as)


def _understood(where: str, data: dict[str, Any], name: str, read_as: ReadAs) -> Model:
    """The model that a table describes, whether a configuration or a description."""
    if "model_type" in data or "architectures" in data:
        return read_config(where, data, name, read_as)
    framework = None if {"blocks", "tensors"} & data.keys() else framework_of(
        Path(where).name, data)
    if framework is not None:
        return read_framework(framework, where, data, name, read_as)
    if not {"blocks", "tensors", "dims"} & set(data):
        raise SpecError(where, "", almost(data) or (
            "neither a config.json (no model_type) nor a description of an architecture (no "
            "[[blocks]], no [[tensors]]), nor a configuration of "
            f"{', '.join(each.NAME for each in known().values())}"))
    read_as.refuse("is for a config.json")
    if "tensors" in data:
        from symparam.descriptions.architecture.traced_file import tensors_model

        return replace(tensors_model(where, data, name), where=where)
    from symparam.descriptions.architecture.architecture_file import describe_model

    return replace(describe_model(where, data, name), where=where)


#: How the remark on a model begins whose options were changed.
CHANGED = "changed by options: "


def build(reference: str | Model | None, options: Options, overrides: Mapping[str, int | Rule],
          task: str | None = None, keep_ratios: bool = False, mtp: bool = False,
          ignored: Iterable[str] = ()) -> Model:
    """A model from everything that a command line or a call may say of it.

    Args:
        reference: a name, a path, or a model that was loaded; None for one from options.
        options: changes to the architecture.
        overrides: dims given as numbers or rules.
        task: what a configuration is counted as.
        keep_ratios: whether n_heads, n_kv and d_ff scale with d_model.
        mtp: whether multi-token-prediction layers are counted.
        ignored: keys of a configuration that are not understood and to be passed over.
    """
    if reference is None:
        from symparam.descriptions.decoder import decoder

        ReadAs(task, mtp, tuple(ignored)).refuse("needs a MODEL")
        if keep_ratios:
            raise BadValue("--keep-ratios", "on", "needs a MODEL")
        if "n_kv" in overrides and options.attention is None:
            options = replace(options, attention="gqa")
        return with_overrides(with_known(decoder(options), overrides), overrides)
    loaded = load(reference, task, mtp, ignored) if isinstance(reference, str) else reference
    model = apply(loaded, options)
    if options.given() or overrides:
        own = loaded.note if loaded.note.startswith(CHANGED) else ""  # else of the published one
        model = replace(model, claim="", note="; ".join(filter(None, (own, _changed(options)))))
    if options.attention is not None:
        model = _redefined(model, overrides)
    return with_overrides(with_known(model, overrides), overrides, keep_ratios)


def _changed(options: Options) -> str:
    """What options changed, for the remarks."""
    words = []
    for name, value in options.given().items():
        shown = ",".join(sorted(value)) or "none" if isinstance(value, frozenset) else value
        words.append(f"{name.replace('_', ' ')} {shown}")
    return f"{CHANGED}{'; '.join(words)}" if words else ""


def _redefined(model: Model, overrides: Mapping[str, int | Rule]) -> Model:
    """A model whose attention was exchanged: what the new kind defines gives way to it."""
    defined = {eq.dim for eq in model.all_equations() if eq.standing is Standing.DEFINITION}
    gone = defined - set(overrides)
    return replace(model, values={k: v for k, v in model.values.items() if k not in gone},
                   equations=tuple(eq for eq in model.equations if eq.dim not in gone))
