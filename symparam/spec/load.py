"""From a name, a path or options to a model, with the user's changes applied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from symparam.constraints import Standing
from symparam.errors import BadValue, SpecError, UnknownName
from symparam.grammar import Rule
from symparam.model import Model
from symparam.resolve import with_overrides
from symparam.spec import catalogue
from symparam.spec.config import read_config
from symparam.spec.decoder import decoder
from symparam.spec.description import describe_model
from symparam.spec.options import Options, apply, with_switched
from symparam.spec.source import read_file

_SUFFIXES = (".json", ".toml")


def looks_like_path(text: str) -> bool:
    """Whether a MODEL argument names a file or folder rather than a catalogue entry."""
    return "/" in text or "\\" in text or text.endswith(_SUFFIXES) or text in {".", ".."}


def load(reference: str, task: str | None = None, mtp: bool = False) -> Model:
    """The model that a catalogue name, a ``config.json`` (or its folder) or a description names.

    Raises:
        UnknownName: no such name. SpecError: a file that cannot be read or understood.
    """
    if reference in catalogue.names():
        return catalogue.published(reference, task, mtp)
    if looks_like_path(reference) or _exists(reference):
        return _load_file(Path(reference), task, mtp)
    raise UnknownName("model", reference, catalogue.names(), "'symparam models' lists those that "
                      "have names; a file is named by its path")


def configuration(reference: str) -> tuple[str, dict[str, Any]] | None:
    """Where the configuration of a name or path stands, and what it holds; None for the others."""
    if reference in catalogue.names():
        return catalogue.configuration(reference)
    path = Path(reference)
    path = path / "config.json" if path.is_dir() else path
    data = read_file(path)
    return (str(path), data) if "model_type" in data else None


def _exists(reference: str) -> bool:
    try:
        return bool(reference) and Path(reference).exists()
    except (OSError, ValueError):
        return False


def _load_file(path: Path, task: str | None, mtp: bool) -> Model:
    try:
        if path.is_dir():
            path = path / "config.json"
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise SpecError(str(path), "", f"cannot be read: {reason}") from None
    data = read_file(path)
    if "model_type" in data or "architectures" in data:
        name = path.resolve().parent.name if path.name == "config.json" else path.stem
        return read_config(str(path), data, name or "config.json", task, mtp)
    if "blocks" not in data and "dims" not in data:
        raise SpecError(str(path), "", "neither a config.json (no model_type) nor a description "
                        "of an architecture (no [[blocks]])")
    if task is not None or mtp:
        raise BadValue("--as" if task else "--mtp", task or "on", "is for a config.json")
    return describe_model(str(path), data, path.stem)


def build(reference: str | Model | None, options: Options, overrides: Mapping[str, int | Rule],
          task: str | None = None, keep_ratios: bool = False, mtp: bool = False) -> Model:
    """A model from everything that a command line or a call may say of it.

    Args:
        reference: a name, a path, or a model that was loaded; None for one from options.
        options: changes to the architecture.
        overrides: dims given as numbers or rules.
        task: what a configuration is counted as.
        keep_ratios: whether n_heads, n_kv and d_ff scale with d_model.
        mtp: whether multi-token-prediction layers are counted.
    """
    if reference is None:
        if task is not None or keep_ratios or mtp:
            word = "--as" if task else "--mtp" if mtp else "--keep-ratios"
            raise BadValue(word, task or "on", "needs a MODEL")
        if "n_kv" in overrides and options.attention is None:
            options = replace(options, attention="gqa")
        return with_overrides(with_switched(decoder(options), overrides), overrides)
    model = apply(load(reference, task, mtp) if isinstance(reference, str) else reference, options)
    if options.given() or overrides:
        model = replace(model, claim="", note=_changed(options))  # what it had is of the published
    if options.attention is not None:
        model = _redefined(model, overrides)
    return with_overrides(with_switched(model, overrides), overrides, keep_ratios)


def _changed(options: Options) -> str:
    """What options changed, for the remarks."""
    words = []
    for name, value in options.given().items():
        shown = ",".join(sorted(value)) or "none" if isinstance(value, frozenset) else value
        words.append(f"{name.replace('_', ' ')} {shown}")
    return f"changed by options: {'; '.join(words)}" if words else ""


def _redefined(model: Model, overrides: Mapping[str, int | Rule]) -> Model:
    """A model whose attention was exchanged: what the new kind defines gives way to it."""
    defined = {eq.dim for eq in model.all_equations() if eq.standing is Standing.DEFINITION}
    gone = defined - set(overrides)
    return replace(model, values={k: v for k, v in model.values.items() if k not in gone},
                   equations=tuple(eq for eq in model.equations if eq.dim not in gone))
