"""Parts of a file on a hub, by HTTP range: a header is read, weights never are.

What is asked for is what is read: the answer has to be of exactly the bytes that were asked for.
"""

from __future__ import annotations

import os
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException
from typing import Any
from urllib.parse import urljoin, urlsplit

from symparam.errors import FileError, SpecError
from symparam.files.reading import too_large
from symparam.hub import problems
from symparam.hub.fetch import SECONDS, imported
from symparam.hub.names import Repository, endpoint
from symparam.hub.within import TooLate, within

_PART = re.compile(r"bytes (\d{1,20})-(\d{1,20})/(\d{1,20})")
_SCHEMES = frozenset({"http", "https"})


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Redirects to the web alone, and no token for another host."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any,
                         newurl: str) -> urllib.request.Request | None:
        old, new = urlsplit(req.full_url), urlsplit(urljoin(req.full_url, newurl))
        if new.scheme not in _SCHEMES or (old.scheme == "https" and new.scheme != "https"):
            raise urllib.error.URLError(f"a redirect to {new.scheme or 'nowhere'}:")
        found = super().redirect_request(req, fp, code, msg, headers, newurl)
        if found is not None and (old.scheme, old.netloc) != (new.scheme, new.netloc):
            found.remove_header("Authorization")
        return found


class Remote:
    """A file on a hub of which no more than a limit can be read, all reads together.

    Attributes:
        where: the repository and the file, for messages.
        size: bytes of the file, known from the first answer on.
    """

    def __init__(self, repository: Repository, file: str, what: str, limit: int) -> None:
        self.where, self.size = f"{repository}/{file}", 0
        self._repository, self._name, self._what = repository, file, what
        self._limit, self._left, self._position = limit, limit, 0
        library = imported(repository, file)
        self._url = library.hf_hub_url(repository.name, file, revision=repository.revision,
                                       endpoint=endpoint())
        self._headers = dict(library.utils.build_hf_headers(library_name="symparam"))
        self._opener = urllib.request.build_opener(_Redirects)

    def read(self, count: int) -> bytes:
        """So many bytes from where it stands, fewer at its end.

        Raises:
            FileError: that would be more than the limit. SpecError: it cannot be read.
        """
        if count > self._left:
            raise too_large(self.where, self._what, self._limit)
        if count <= 0 or (self.size and self._position >= self.size):
            return b""
        found = self._guarded(lambda: self._part(count))
        self._left -= len(found)
        self._position += len(found)
        return found

    def seek(self, position: int) -> None:
        """Go to a position, counted from the start of the file."""
        self._position = position

    def tell(self) -> int:
        """The position."""
        return self._position

    def _part(self, count: int) -> bytes:
        start, end = self._position, self._position + count - 1
        request = urllib.request.Request(self._url, headers={
            **self._headers, "Range": f"bytes={start}-{end}", "Accept-Encoding": "identity"})
        with self._opener.open(request, timeout=_silence()) as answer:
            part = _PART.fullmatch(answer.headers.get("Content-Range") or "")
            if answer.status != 206 or part is None or int(part[1]) != start:
                raise SpecError(self.where, "", "the server gives no parts of files (HTTP range), "
                                "and weights are not fetched")
            self.size = int(part[3])
            wanted = min(count, self.size - start)
            found: bytes = answer.read(wanted)
            if len(found) != wanted:
                raise SpecError(self.where, "", "the connection ended before the part did: try "
                                "again")
            return found

    def _guarded(self, call: Callable[[], bytes]) -> bytes:
        try:
            return within(SECONDS, call)
        except TooLate:
            raise problems.too_late(self._repository, self._name, SECONDS) from None
        except urllib.error.HTTPError as error:
            with error:
                if error.code == 416:  # nothing at this place: the file is empty
                    return b""
                code = error.headers.get("X-Error-Code") or ""
                raise problems.refused(self._repository, self._name, error.code, code) from None
        except TimeoutError:
            raise problems.too_late(self._repository, self._name, _silence()) from None
        except (urllib.error.URLError, HTTPException, OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise problems.too_late(self._repository, self._name, _silence()) from None
            raise problems.unreachable(
                self._repository, self._name, " ".join(str(reason).split())[:120]) from None


def _silence() -> float:
    """Seconds without a byte after which a connection is given up: HF_HUB_DOWNLOAD_TIMEOUT."""
    said = os.environ.get("HF_HUB_DOWNLOAD_TIMEOUT") or ""
    return float(said) if said.isdigit() and 0 < int(said) < 10**6 else 10.0


@contextmanager
def opened(repository: Repository, file: str, what: str, limit: int) -> Iterator[Remote]:
    """A file on a hub, opened to read a bounded part of it; its own size may be larger.

    Args:
        repository: where it stands.
        file: its plain name.
        what: what it should be, for the message where more would be read.
        limit: how many bytes may be read, all reads together.

    Raises:
        SpecError: not there, gated, not reachable, too slow, or no parts are given.
    """
    if problems.offline():
        raise problems.not_asked(repository, file)
    try:
        yield Remote(repository, file, what, limit)
    except FileError as error:
        raise SpecError(error.where, "", error.problem) from None
