"""A GGUF file on a hub: its header by HTTP range, from the cache where the file is there.

The end of a header is not known before it is read: its parts grow with what was read, up to a
mebibyte, so that the last may reach into the weights, by no more than that and no more than the
header's own length or 64 KiB.
"""

from __future__ import annotations

from dataclasses import replace

from symparam.descriptions.gguf import SUFFIX
from symparam.descriptions.gguf.cursor import MAX_HEADER, WHAT
from symparam.descriptions.gguf.parts import further, models_in, whole
from symparam.descriptions.gguf.reader import Gguf, gguf_of, read_gguf
from symparam.errors import SpecError
from symparam.hub import listing, problems
from symparam.hub.cache import cached
from symparam.hub.names import Repository
from symparam.hub.problems import NotThere


def header_of(repository: Repository) -> Gguf:
    """The header of the file that a repository's name says; of all its parts where it is one.

    Raises:
        SpecError: not there, not reachable, or no GGUF file; or as
            :func:`symparam.descriptions.gguf.parts.whole`.
    """
    plain = replace(repository, file="")
    return whole(_header(plain, repository.file), repository.file,
                 lambda name: _header(plain, name))


def _header(repository: Repository, file: str) -> Gguf:
    found = cached(repository, file)
    if found is not None:
        return read_gguf(found)
    from symparam.hub.ranges import opened

    with opened(repository, file, WHAT, 2 * MAX_HEADER) as remote:
        return gguf_of(remote)


def only_one(repository: Repository, problem: SpecError) -> Repository:
    """The repository with the one GGUF file that it has.

    Args:
        repository: one whose ``config.json`` cannot be had.
        problem: why not.

    Raises:
        SpecError: the problem, where it has no such file; several, which are named.
    """
    names = models_in(listing.in_cache(repository, SUFFIX))
    if len(names) != 1 and isinstance(problem, NotThere) and not problems.offline():
        names = models_in(listing.on_hub(repository, SUFFIX))
    if not names:
        raise problem
    if len(names) > 1:
        raise SpecError(str(repository), "", f"has {len(names)} GGUF files and no config.json: "
                        f"name one, as in {repository}:{names[0][:100]} (there is "
                        f"{further(names)})")
    return replace(repository, file=names[0])
