"""Which files a repository has: what the cache holds of it, and what the hub says."""

from __future__ import annotations

from collections.abc import Callable

from symparam.hub import problems
from symparam.hub.cache import snapshot
from symparam.hub.fetch import asked
from symparam.hub.names import Repository, endpoint

#: More folders inside each other than a repository's files are looked for in.
_DEPTH = 4


def in_cache(repository: Repository, ending: str) -> list[str]:
    """The files in the local cache whose names end so.

    Args:
        repository: the repository.
        ending: ``.gguf``.
    """
    folder = snapshot(repository)
    found: list[str] = []
    for depth in range(_DEPTH) if folder is not None else ():
        found += [each.relative_to(folder).as_posix()  # type: ignore[arg-type]
                  for each in folder.glob("*/" * depth + f"*{ending}")]  # type: ignore[union-attr]
    return sorted(found)


def on_hub(repository: Repository, ending: str) -> list[str]:
    """The files on the hub whose names end so.

    Raises:
        SpecError: not there, gated, not reachable, too slow; or huggingface_hub is not installed.
    """
    if problems.offline():
        raise problems.not_asked(repository, f"*{ending}")

    def call(library: object) -> Callable[[], list[str]]:
        def ask() -> list[str]:
            api = library.HfApi(endpoint=endpoint(),  # type: ignore[attr-defined]
                                library_name="symparam")
            told = api.model_info(repository.name, revision=repository.revision)
            names = [str(each.rfilename) for each in told.siblings or ()]
            return sorted(name for name in names if name.endswith(ending))

        return ask

    return asked(repository, f"*{ending}", call)
