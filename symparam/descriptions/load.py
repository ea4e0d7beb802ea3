"""From a name, a path or options to a model, with the user's changes applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symparam.constraints import Standing
from symparam.descriptions import catalogue
from symparam.descriptions.config import read_config
from symparam.descriptions.fetched import fetched
from symparam.descriptions.frameworks import almost, framework_of, known, read_framework
from symparam.descriptions.gguf import SUFFIX
from symparam.descriptions.options import Options, apply, with_known
from symparam.descriptions.reading.source import WRITTEN, certain, read_file, read_standard_input
from symparam.errors import BadValue, SpecError, UnknownName
from symparam.files.reading import STDIN
from symparam.grammar import Rule
from symparam.model import Model
from symparam.parts import one_part
from symparam.resolve import with_overrides
from symparam.traced.parts import TEXT

if TYPE_CHECKING:
    from symparam.descriptions.gguf.reader import Gguf
    from symparam.hub.names import Repository

_SUFFIXES = (".json", ".toml", SUFFIX, *WRITTEN)
#: What stands for a description or a config.json on standard input.
INPUT = "-"


def looks_like_path(text: str) -> bool:
    """Whether a MODEL argument names a file or folder rather than a catalogue entry."""
    return "/" in text or "\\" in text or text.endswith(_SUFFIXES) or text in {".", ".."}


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
    found = _found(reference, task, mtp, ignored, part == TEXT)
    return one_part(found, part) if part else found


def _found(reference: str, task: str | None, mtp: bool, ignored: Iterable[str],
           text_alone: bool) -> Model:
    """The model that a reference names; of a composite the language model alone if wanted."""
    name = published_name(reference)
    if name is not None:
        return catalogue.published(name, task, mtp, ignored, text_alone)
    if reference == INPUT:
        return _understood(STDIN, read_standard_input(), STDIN, task, mtp, ignored, text_alone)
    repository = on_hub(reference)
    if repository is not None:
        found = fetched(repository)
        if isinstance(found, Path):
            return _understood(str(found), read_file(found), str(repository), task, mtp, ignored,
                               text_alone)
        from symparam.descriptions.gguf.model import model_of

        return model_of(found, str(repository), task, mtp, ignored)
    if looks_like_path(reference) or exists(reference):
        return _load_file(Path(reference), task, mtp, ignored, text_alone)
    raise UnknownName("model", reference, catalogue.names(), "'symparam models' lists those that "
                      "have names; a file is named by its path")


def on_hub(reference: str) -> Repository | None:
    """The repository of a hub that a MODEL argument means; None where it means something else.

    What there is under that path goes before it, and so does the catalogue.

    Raises:
        SpecError: an address of a hub that is not the address of a model.
    """
    if exists(reference) or published_name(reference) is not None:
        return None
    from symparam.hub.names import repository

    return repository(reference)


def published_name(reference: str) -> str | None:
    """The name in the catalogue that a MODEL argument means; None where it means a file.

    >>> published_name("GPT2"), published_name("./gpt2")
    ('gpt2', None)
    """
    if looks_like_path(reference):  # as no name of the catalogue does
        return None
    if catalogue.is_published(reference):
        return reference
    small = reference.lower()
    return small if catalogue.is_published(small) and not exists(reference) else None


def shadowed(reference: str) -> str:
    """The path of a file or folder of the user's that a name of the catalogue hides; else empty."""
    if not exists(reference) or not catalogue.is_published(reference):
        return ""
    path = Path(reference)
    return f"./{reference}" if path.is_file() or (path / "config.json").exists() else ""


def configuration(reference: str) -> tuple[str, dict[str, Any]] | None:
    """Where the configuration of a name or path stands, and what it holds; None for the others."""
    name = published_name(reference)
    if name is not None:
        return catalogue.configuration(name)
    if reference == INPUT:
        data = read_standard_input()
        return (STDIN, data) if "model_type" in data else None
    repository = on_hub(reference)
    path = Path(reference) if repository is None else fetched(repository)
    if isinstance(path, Path):
        path = header_at(path) or path
    if not isinstance(path, Path):
        from symparam.descriptions.gguf.model import configuration_of

        return path.where, configuration_of(path)
    path = path / "config.json" if path.is_dir() else path
    if path.suffix in WRITTEN:
        return None
    data = read_file(path)
    return (str(path), data) if "model_type" in data else None


def keys_of(reference: str) -> tuple[str, dict[str, Any]] | None:
    """What a name or path was read from, with its keys: ``hf``, ``gguf`` or a framework's name;
    None for a description and for what the catalogue states by itself."""
    path, stated = Path(reference), published_name(reference) is not None or reference == INPUT
    header = None if stated else _header_of(reference, path)
    if header is not None:
        from symparam.descriptions.gguf.keys import plain_keys

        return "gguf", plain_keys(header)
    found = configuration(reference)
    if found is not None:
        return "hf", found[1]
    if stated:
        return None
    data = _keys_in(path)
    framework = framework_of(path.name, data)
    if framework is None:
        return None
    normal = framework.normal(data) if hasattr(framework, "normal") else data
    return framework.__name__.rpartition(".")[2], certain(normal)


def _header_of(reference: str, path: Path) -> Gguf | None:
    """The header of the GGUF model that a MODEL argument names; None where it names none."""
    repository = on_hub(reference)
    if repository is None:
        return header_at(path)
    found = fetched(repository)
    return None if isinstance(found, Path) else found


def exists(reference: str) -> bool:
    """Whether a text is the path of something that there is."""
    try:
        return bool(reference) and Path(reference).exists()
    except (OSError, ValueError):
        return False


def _load_file(path: Path, task: str | None, mtp: bool, ignored: Iterable[str],
               text_alone: bool) -> Model:
    try:
        whole = _gguf_at(path)
        if path.is_dir():
            path = path / "config.json"
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise SpecError(str(path), "", f"cannot be read: {reason}") from None
    if whole is not None:
        from symparam.descriptions.gguf.model import gguf_model

        return gguf_model(whole, task, mtp, ignored)
    own = path.resolve().parent.name or "config.json" if path.name == "config.json" else path.stem
    data = _keys_in(path)
    return _understood(str(path), data, own, task, mtp, ignored, text_alone)


def _gguf_at(path: Path, besides: str = "config.json") -> Path | None:
    """The GGUF file that a path means: itself, or the one of a folder that has nothing of what
    goes before it."""
    if path.is_dir():
        if any(path.glob(besides)) or not any(path.glob(f"*{SUFFIX}")):
            return None
    elif path.suffix != SUFFIX:
        return None
    from symparam.descriptions.gguf.parts import file_of

    return file_of(path)


def header_at(path: Path, besides: str = "config.json") -> Gguf | None:
    """The header of the GGUF model that a path means; None where it means something else.

    Args:
        path: a file, or a folder.
        besides: which files of a folder go before a GGUF file there, a pattern.

    Raises:
        SpecError: as :func:`symparam.descriptions.gguf.parts.read_model`; several in a folder.
    """
    whole = _gguf_at(path, besides)
    if whole is None:
        return None
    from symparam.descriptions.gguf.parts import read_model

    return read_model(whole)


def _keys_in(path: Path) -> dict[str, Any]:
    """The keys of a file with their values, in whichever way it is written."""
    if path.suffix not in WRITTEN:
        return read_file(path)
    from symparam.descriptions.reading.written import read_written

    return read_written(path)


def _understood(where: str, data: dict[str, Any], name: str, task: str | None, mtp: bool,
                ignored: Iterable[str], text_alone: bool) -> Model:
    """The model that a table describes, whether a configuration or a description."""
    if "model_type" in data or "architectures" in data:
        return read_config(where, data, name, task, mtp, ignored, text_alone)
    framework = None if {"blocks", "tensors"} & data.keys() else framework_of(
        Path(where).name, data)
    if framework is not None:
        return read_framework(framework, where, data, name, task, mtp, ignored)
    if not {"blocks", "tensors", "dims"} & set(data):
        raise SpecError(where, "", "neither a config.json (no model_type) nor a description "
                        "of an architecture (no [[blocks]], no [[tensors]]), nor a configuration "
                        f"of {', '.join(each.NAME for each in known().values())}"
                        + (f"; {lacks}" if (lacks := almost(data)) else ""))
    _only_for_configurations(task, mtp, ignored, "is for a config.json")
    if "tensors" in data:
        from symparam.descriptions.architecture.traced_file import tensors_model

        return tensors_model(where, data, name)
    from symparam.descriptions.architecture.architecture_file import describe_model

    return describe_model(where, data, name)


def _only_for_configurations(task: str | None, mtp: bool, ignored: Iterable[str],
                             problem: str) -> None:
    """Raise BadValue for an option that says how a configuration is read."""
    for word, value in (("--as", task), ("--mtp", mtp and "on"),
                        ("--ignore-key", ", ".join(ignored))):
        if value:
            raise BadValue(word, value, problem)


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

        _only_for_configurations(task, mtp, ignored, "needs a MODEL")
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
