"""What a hub answers instead of a file, in one line that says what to do."""

from __future__ import annotations

import os

from symparam.errors import SpecError
from symparam.hub.cache import is_short, lacking
from symparam.hub.names import Repository, endpoint

_YES = frozenset({"1", "ON", "YES", "TRUE"})
LOG_IN = "log in with 'hf auth login', or set HF_TOKEN"


class NotThere(SpecError):
    """A file that a repository does not have."""


def offline() -> bool:
    """Whether the user said that there is no network: HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE."""
    said = os.environ.get("HF_HUB_OFFLINE") or os.environ.get("TRANSFORMERS_OFFLINE") or ""
    return said.upper() in _YES


def refused(repository: Repository, file: str, status: int, code: str) -> SpecError:
    """The error of an answer that is no file.

    Args:
        repository: what was asked for.
        file: the file of it.
        status: the number of the answer.
        code: what the hub says beside it (``X-Error-Code``), or an error of its library is called.

    >>> str(refused(Repository("org/name"), "config.json", 401, "GatedRepo"))
    ... # doctest: +ELLIPSIS
    "org/name: is gated: ask for access on https://huggingface.co/org/name, then log in with ...
    """
    where, name = endpoint(), repository.name
    if code.startswith("GatedRepo") or (status == 403 and not code):
        return SpecError(name, "", f"is gated: ask for access on {where}/{name}, then {LOG_IN}")
    if code.startswith("RevisionNotFound"):
        more = ": a commit is named by all of its 40 letters" if is_short(
            repository.revision) else ""
        return SpecError(name, "", f"has no revision {repository.revision!r} on {where}{more}")
    if code.startswith(("EntryNotFound", "RemoteEntryNotFound")):
        return NotThere(str(repository), "", f"has no {file}" + (
            ": a model without one is named by a file of it that you have (.gguf, params.json)"
            if file == "config.json" else f" on {where}"))
    if code.startswith("DisabledRepo"):
        return SpecError(name, "", f"is disabled on {where}")
    if status in {401, 404} or code.startswith("RepositoryNotFound"):
        return SpecError(name, "", f"no file or folder, and no such model on {where}, or a private "
                         f"one: see that the name is right, or {LOG_IN}")
    if status == 403:
        return SpecError(name, "", f"the hub refuses it (403): {LOG_IN} with a token that may "
                         "read it")
    if status == 429:
        return SpecError(name, "", f"{where} has had too many requests (429): try again later, "
                         f"or {LOG_IN}")
    return SpecError(name, "", f"{where} answers {status}: try again later")


def unreachable(repository: Repository, file: str, reason: str) -> SpecError:
    """The error of a hub that cannot be spoken to."""
    return SpecError(str(repository), "", f"{lacking(repository, file)}, and {endpoint()} cannot "
                     f"be reached ({reason})")


def too_late(repository: Repository, file: str, seconds: float) -> SpecError:
    """The error of a hub that is too slow."""
    return SpecError(str(repository), "", f"{lacking(repository, file)}, and {endpoint()} did not "
                     f"answer within {seconds:g} seconds: try again later")


def not_asked(repository: Repository, file: str) -> SpecError:
    """The error where there is no network to be used."""
    return SpecError(str(repository), "", f"{lacking(repository, file)}, and nothing is fetched "
                     "while HF_HUB_OFFLINE is set")
