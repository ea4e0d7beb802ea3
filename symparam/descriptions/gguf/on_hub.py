"""A GGUF file on a hub: its header by HTTP range, from the cache where the file is there.

The end of a header is not known before it is read: its parts grow with what was read, up to a
mebibyte, so that the last may reach into the weights, by no more than that and no more than the
header's own length or 64 KiB.
"""

from __future__ import annotations

from dataclasses import replace

from symparam.descriptions.gguf import SUFFIX
from symparam.descriptions.gguf.reader import MAX_HEADER, WHAT, Gguf, gguf_of, read_gguf
from symparam.errors import SpecError
from symparam.hub import listing, problems
from symparam.hub.cache import cached
from symparam.hub.names import Repository
from symparam.hub.problems import NotThere

#: What stands beside a model: the encoder of images, what a quantisation was weighed by.
_BESIDE = ("mmproj", "imatrix")
_SHOWN = 4


def header_of(repository: Repository) -> Gguf:
    """The header of the file that a repository's name says.

    Raises:
        SpecError: not there, not reachable, or no GGUF file.
    """
    plain = replace(repository, file="")
    found = cached(plain, repository.file)
    if found is not None:
        return read_gguf(found)
    from symparam.hub.ranges import opened

    with opened(plain, repository.file, WHAT, 2 * MAX_HEADER) as remote:
        return gguf_of(remote)


def only_one(repository: Repository, problem: SpecError) -> Repository:
    """The repository with the one GGUF file that it has.

    Args:
        repository: one whose ``config.json`` cannot be had.
        problem: why not.

    Raises:
        SpecError: the problem, where it has no such file; several, which are named.
    """
    names = _models(listing.in_cache(repository, SUFFIX))
    if len(names) != 1 and isinstance(problem, NotThere) and not problems.offline():
        names = _models(listing.on_hub(repository, SUFFIX))
    if not names:
        raise problem
    if len(names) > 1:
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        raise SpecError(str(repository), "", f"has {len(names)} GGUF files and no config.json: "
                        f"name one, as in {repository}:{names[0][:100]} (there is "
                        f"{', '.join(name[:100] for name in names[1:_SHOWN])}{more})")
    return replace(repository, file=names[0])


def _models(names: list[str]) -> list[str]:
    return [name for name in names
            if not name.rpartition("/")[2].lower().startswith(_BESIDE)]
