"""A small file of a repository, fetched by huggingface_hub into its cache (extra ``hub``)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from symparam.errors import FileError, SpecError
from symparam.files.reading import too_large
from symparam.hub import problems
from symparam.hub.cache import folder, lacking
from symparam.hub.names import Repository, endpoint
from symparam.hub.within import TooLate, within

_T = TypeVar("_T")

#: Seconds that a file may take from the first question to its last byte; the library's own
#: HF_HUB_ETAG_TIMEOUT and HF_HUB_DOWNLOAD_TIMEOUT (10) end a silence before.
SECONDS = 60.0


def fetched(repository: Repository, file: str, what: str, limit: int) -> Path:
    """A file of a repository, fetched into the cache.

    Args:
        repository: the repository.
        file: its plain name.
        what: what it should be, for the message where it is too large.
        limit: bytes that may be fetched.

    Raises:
        SpecError: not there, gated, not reachable, too slow, too large; or huggingface_hub is
            not installed.
    """
    if problems.offline():
        raise problems.not_asked(repository, file)
    return asked(repository, file,
                 lambda library: _fetching(library, repository, file, what, limit))


def asked(repository: Repository, file: str, call: Callable[[Any], Callable[[], _T]]) -> _T:
    """What a call of the library gives, if it does so in time.

    Args:
        repository: the repository that is asked about.
        file: what is looked for in it, for messages.
        call: makes the call, of the package.

    Raises:
        SpecError: as :func:`fetched`.
    """
    library = imported(repository, file)
    try:
        with _quiet(library):
            return within(SECONDS, call(library))
    except TooLate:
        raise problems.too_late(repository, file, SECONDS) from None
    except FileError as error:
        raise SpecError(error.where, "", error.problem) from None
    except Exception as error:  # whatever the library and what it stands on raise
        raise _problem_of(repository, file, error) from None


def imported(repository: Repository, file: str = "") -> Any:
    """The package huggingface_hub."""
    try:
        import huggingface_hub
        import huggingface_hub.utils
    except ImportError:
        raise SpecError(str(repository), "", "no file or folder, and "
                        f"{lacking(repository, file)}; to fetch it from the hub: "
                        "pip install 'symparam[hub]'") from None
    return huggingface_hub


def _fetching(library: Any, repository: Repository, file: str, what: str,
              limit: int) -> Callable[[], Path]:
    def fetch() -> Path:
        where, revision = endpoint(), repository.revision
        url = library.hf_hub_url(repository.name, file, revision=revision, endpoint=where)
        size = library.get_hf_file_metadata(url).size
        if size is None or size > limit:
            raise too_large(f"{repository}/{file}", what, limit)
        return Path(library.hf_hub_download(
            repository.name, file, revision=revision, endpoint=where, cache_dir=folder(),
            library_name="symparam"))

    return fetch


@contextmanager
def _quiet(library: Any) -> Iterator[None]:
    """No bar and no warning on stderr, which is the command's own."""
    bars, log = library.utils, logging.getLogger("huggingface_hub")
    level, shown = log.level, not bars.are_progress_bars_disabled()
    log.setLevel(logging.CRITICAL)
    if shown:
        bars.disable_progress_bars()
    try:
        yield
    finally:
        log.setLevel(level)
        if shown:
            bars.enable_progress_bars()


def _problem_of(repository: Repository, file: str, error: Exception) -> SpecError:
    """An error of the library, by what it is called and by the answer that it keeps."""
    kinds = [kind.__name__ for kind in type(error).__mro__]
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status is not None or (kinds[0].endswith("NotFoundError") and not kinds[0].startswith(
            "LocalEntry")):
        return problems.refused(repository, file, int(status or 404), kinds[0])
    if any("Timeout" in kind for kind in kinds):
        return SpecError(str(repository), "", f"{lacking(repository, file)}, and "
                         f"{endpoint()} did not answer in time (HF_HUB_ETAG_TIMEOUT, "
                         "HF_HUB_DOWNLOAD_TIMEOUT)")
    if "OfflineModeIsEnabled" in kinds:
        return problems.not_asked(repository, file)
    if isinstance(error, OSError) and error.filename is not None:
        return SpecError(str(error.filename), "", f"cannot be written: {error.strerror}")
    reason = f"{kinds[0]}: {' '.join(str(error).split())[:120]}"
    return problems.unreachable(repository, file, reason)
