"""The tensors of a checkpoint on a hub: headers by HTTP range, from the cache where they are there.

No weight is fetched: of each file eight bytes and the header.
"""

from __future__ import annotations

from functools import partial

from symparam.checkpoints.checkpoint import INDEX, MAX_INDEX, SINGLE, joined, shards_of
from symparam.checkpoints.header import MAX_HEADER, WHAT, Shape, header_of, read_header
from symparam.hub.cache import cached, snapshot
from symparam.hub.files import file_of
from symparam.hub.names import Repository
from symparam.hub.problems import NotThere
from symparam.hub.within import at_once

#: Files whose headers are asked for at the same time.
AT_ONCE = 8


def read_repository(repository: Repository) -> dict[str, Shape]:
    """Name and shape of every tensor of a model on a hub.

    Raises:
        NotThere: it has no safetensors file. SpecError: it cannot be reached; or as
            :func:`symparam.checkpoints.checkpoint.read_checkpoint`.
    """
    folder = snapshot(repository)
    if folder is not None and (folder / SINGLE).exists() and not (folder / INDEX).exists():
        return read_header(folder / SINGLE)
    try:
        index = file_of(repository, INDEX, "an index", MAX_INDEX)
    except NotThere:
        return _single(repository)
    shards = shards_of(index)
    headers = at_once([partial(_header, repository, shard) for shard in shards], AT_ONCE)
    return joined(str(index), shards, dict(zip(shards, headers, strict=True)))


def _single(repository: Repository) -> dict[str, Shape]:
    try:
        return _remote(repository, SINGLE)
    except NotThere:
        raise NotThere(str(repository), "", f"has no {SINGLE} and no {INDEX}, and no "
                       "GGUF file: no other kind of checkpoint is read from a hub") from None


def _header(repository: Repository, shard: str) -> dict[str, Shape]:
    found = cached(repository, shard)
    return _remote(repository, shard) if found is None else read_header(found)


def _remote(repository: Repository, file: str) -> dict[str, Shape]:
    from symparam.hub.ranges import opened

    with opened(repository, file, WHAT, 8 + MAX_HEADER) as remote:
        return header_of(remote)
