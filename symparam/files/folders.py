"""Folders that files are written into; in one that was named, no link leads elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from symparam.errors import OutputError


def make_folders(folder: Path, inner: Iterable[Path] = ()) -> None:
    """Make a folder where there is none, and folders in it.

    Args:
        folder: the one that was named; it may be a link to one.
        inner: paths from there; nobody named these, so that what stands there is no link.

    Raises:
        OutputError: one cannot be made, or a link stands at its name; nothing is made then.
    """
    for path in (folder, *without_links(folder, inner)):
        try:
            path.mkdir(parents=path == folder, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{path} cannot be a folder: "
                              f"{error.strerror or error}") from None


def without_links(folder: Path, inner: Iterable[Path]) -> list[Path]:
    """The folders in a folder, outermost first.

    Args:
        folder: the one that was named; it may be a link to one.
        inner: paths from there.

    Raises:
        OutputError: a link stands at the name of one.
    """
    below = dict.fromkeys(folder / each for path in sorted(inner)
                          for each in (*reversed(path.parents), path) if each.parts)
    for path in below:
        if path.is_symlink():
            raise OutputError(f"{path} is a link, which would lead out of {folder}: remove it, or "
                              "name another folder")
    return [*below]
