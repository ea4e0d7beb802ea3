"""The local cache of a hub, read as it lies on the disk: no network, and no package for it.

A repository has a folder ``models--org--name``; ``refs/REVISION`` holds a commit, and
``snapshots/COMMIT`` the files of that commit (huggingface_hub, docs "Understand caching").
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from symparam.errors import FileError
from symparam.files.reading import read_text
from symparam.hub.names import Repository

_COMMIT = re.compile(r"[0-9a-f]{40}")


def folder() -> Path:
    """Where the cache is: HF_HUB_CACHE, or below HF_HOME, XDG_CACHE_HOME or the user's own."""
    own = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    if own:
        return _expanded(own)
    home = os.environ.get("HF_HOME")
    if not home:
        home = str(Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface"))
    return _expanded(home) / "hub"


def _expanded(text: str) -> Path:
    return Path(os.path.expandvars(os.path.expanduser(text)))  # noqa: PTH111  (never raises)


def snapshot(repository: Repository) -> Path | None:
    """The folder with the files of a revision; None where the cache has none."""
    own = folder() / f"models--{repository.name.replace('/', '--')}"
    commit = repository.revision
    try:
        if not _COMMIT.fullmatch(commit):
            commit = read_text(own / "refs" / commit, "a commit", 2**10).strip()
        found = own / "snapshots" / commit
        return found if _COMMIT.fullmatch(commit) and found.is_dir() else None
    except (FileError, OSError):
        return None


def cached(repository: Repository, file: str) -> Path | None:
    """A file of a repository in the cache; None where it is not there.

    Args:
        repository: the repository.
        file: its plain name.
    """
    found = snapshot(repository)
    try:
        return found / file if found is not None and (found / file).is_file() else None
    except OSError:
        return None
