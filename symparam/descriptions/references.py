"""What a MODEL argument means: a name of the catalogue, a file, a model of a hub."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symparam.descriptions import catalogue
from symparam.descriptions.fetched import fetched
from symparam.descriptions.frameworks import framework_of
from symparam.descriptions.gguf import SUFFIX
from symparam.descriptions.reading.source import WRITTEN, certain, read_file, read_standard_input
from symparam.errors import SpecError
from symparam.files.reading import STDIN

if TYPE_CHECKING:
    from symparam.descriptions.gguf.reader import Gguf
    from symparam.hub.names import Repository

_SUFFIXES = (".json", ".toml", SUFFIX, *WRITTEN)
#: What stands for a description or a config.json on standard input.
INPUT = "-"


def looks_like_path(text: str) -> bool:
    """Whether a MODEL argument names a file or folder rather than a catalogue entry."""
    return "/" in text or "\\" in text or text.endswith(_SUFFIXES) or text in {".", ".."}


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


def configuration_in(path: Path) -> Path:
    """A file as it is; of a folder, as a checkpoint is saved in, its ``config.json``.

    Raises:
        SpecError: a folder has none.
    """
    if not path.is_dir():
        return path
    found = path / "config.json"
    try:
        found.lstat()
    except FileNotFoundError:
        raise SpecError(str(path), "", "a folder is read by the config.json in it, and this one "
                        "has none; name a file") from None
    except OSError:
        pass  # what cannot be looked at is said where it is read
    return found


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
    path = configuration_in(path)
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
    data = keys_in(path)
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
    """Whether a text is the path of something that there is, be it a link that leads nowhere."""
    try:
        return bool(reference) and os.path.lexists(reference)
    except (OSError, ValueError):
        return False


def gguf_at(path: Path, besides: str = "config.json") -> Path | None:
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
    whole = gguf_at(path, besides)
    if whole is None:
        return None
    from symparam.descriptions.gguf.parts import read_model

    return read_model(whole)


def keys_in(path: Path) -> dict[str, Any]:
    """The keys of a file with their values, in whichever way it is written."""
    if path.suffix not in WRITTEN:
        return read_file(path)
    from symparam.descriptions.reading.written import read_written

    return read_written(path)
