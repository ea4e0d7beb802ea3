"""What a repository of a hub has of a model: its configuration, or the header of a GGUF file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from symparam.descriptions import catalogue
from symparam.errors import SpecError

if TYPE_CHECKING:
    from symparam.descriptions.gguf.reader import Gguf
    from symparam.hub.names import Repository


def fetched(repository: Repository) -> Path | Gguf:
    """The configuration of a repository; the header of a GGUF file that it names, or has alone.

    Raises:
        SpecError: it has neither, or cannot be reached; a name of the catalogue that is alike is
            offered.
    """
    if not repository.file:
        from symparam.hub.files import file_of

        try:
            return file_of(repository, "config.json", "a config.json")
        except SpecError as error:
            from symparam.descriptions.gguf.on_hub import only_one

            try:
                repository = only_one(repository, error)
            except SpecError as missing:
                _name_alike(missing, repository.name)
                raise
    from symparam.descriptions.gguf.on_hub import header_of

    return header_of(repository)


def _name_alike(error: SpecError, repository: str) -> None:
    """Add to an error the longest name of the catalogue that a repository's begins with, if any."""
    name = f"{repository.rpartition('/')[2].lower().removeprefix('meta-')}-"
    alike = [known for known in catalogue.names() if name.startswith(f"{known}-")]
    if alike:
        error.problem += f"; the catalogue has {max(alike, key=len)}"
