"""A small file of a repository, from the cache or fetched into it."""

from __future__ import annotations

from pathlib import Path

from symparam.hub.cache import cached, known_not_there
from symparam.hub.names import Repository
from symparam.hub.problems import refused

#: Bytes of a config.json.
MAX_CONFIG = 4 * 2**20


def file_of(repository: Repository, file: str, what: str, limit: int = MAX_CONFIG) -> Path:
    """A file of a repository: the cache's if it has one, else fetched into it.

    What is in the cache needs no network and no package.

    Args:
        repository: the repository.
        file: its plain name.
        what: what it should be, for the message where it is too large.
        limit: bytes that may be fetched.

    Raises:
        SpecError: not there, gated, not reachable, too slow, too large; or huggingface_hub is
            not installed.
    """
    found = cached(repository, file)
    if found is None and known_not_there(repository, file):
        raise refused(repository, file, 404, "EntryNotFound")
    if found is None:
        from symparam.hub.fetch import fetched

        found = fetched(repository, file, what, limit)
    return found
