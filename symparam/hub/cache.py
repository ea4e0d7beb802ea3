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
_SHORT = re.compile(r"[0-9a-f]{4,39}")
#: Names of revisions that a message lists.
_LISTED = 4


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
    """The folder with the files of a revision; None where the cache has none.

    The first letters of a commit are enough where one commit of the cache begins so.
    """
    own = _own(repository)
    commit = repository.revision
    try:
        if not _COMMIT.fullmatch(commit):
            commit = _commit(own, commit)
        found = own / "snapshots" / commit
        return found if _COMMIT.fullmatch(commit) and found.is_dir() else None
    except (FileError, OSError):
        return None


def _own(repository: Repository) -> Path:
    return folder() / f"models--{repository.name.replace('/', '--')}"


def _commit(own: Path, revision: str) -> str:
    """The commit of a branch, a tag, or the first letters of a commit."""
    ref = own / "refs" / revision
    if ref.is_file() or not is_short(revision):
        return read_text(ref, "a commit", 2**10).strip()
    found = _beginning(own, revision)
    return found[0] if len(found) == 1 else ""


def _is_there(own: Path, revision: str) -> bool:
    """Whether a branch or a tag leads to a commit that the cache has."""
    try:
        commit = _commit(own, revision)
        return _COMMIT.fullmatch(commit) is not None and (own / "snapshots" / commit).is_dir()
    except (FileError, OSError):
        return False


def _beginning(own: Path, letters: str) -> list[str]:
    """The commits in the cache that begin so."""
    return sorted(each.name for each in (own / "snapshots").glob(f"{letters}*"))


def is_short(revision: str) -> bool:
    """Whether a revision looks like the first letters of a commit.

    >>> is_short("0123abc"), is_short("main")
    (True, False)
    """
    return bool(_SHORT.fullmatch(revision))


def lacking(repository: Repository, file: str) -> str:
    """What of a file of a repository the cache does not have: the repository, the revision, or the
    file alone.

    Args:
        repository: the repository.
        file: its plain name.
    """
    own = _own(repository)
    try:
        commits = [each.name for each in (own / "snapshots").iterdir() if each.is_dir()]
    except OSError:
        commits = []
    if not commits:
        return "not in the local cache"
    if snapshot(repository) is not None:
        return f"the local cache has no {file} of it, though other files of that revision"
    if is_short(repository.revision) and len(_beginning(own, repository.revision)) > 1:
        return f"several commits in the local cache begin with {repository.revision}"
    names = sorted(name for each in (own / "refs").rglob("*") if each.is_file()
                   if _is_there(own, name := each.relative_to(own / "refs").as_posix()))
    names = names or sorted(each[:12] for each in commits)
    shown = ", ".join(names[:_LISTED]) + ", ..." * (len(names) > _LISTED)
    return f"the local cache has no revision {repository.revision} of it (it has {shown})"


def known_not_there(repository: Repository, file: str) -> bool:
    """Whether the cache notes that a commit has no such file (``.no_exist``, by the library)."""
    found = snapshot(repository)
    try:
        return found is not None and (found.parents[1] / ".no_exist" / found.name / file).is_file()
    except OSError:
        return False


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
