"""What names a repository of a hub: ``org/name``, ``org/name@revision``, or its address.

A GGUF file of it stands behind a colon: ``org/name:file.gguf``.

Source of the facts: huggingface_hub 1.0, utils/_validators.py (names), docs "hf:// URLs"; the
addresses are those of the pages of huggingface.co.
"""

from __future__ import annotations

import os
import re
from urllib.parse import unquote, urlsplit

from symparam.dataclass import dataclass
from symparam.errors import SpecError

#: Where a hub is when nobody says otherwise, and its short name.
PUBLIC = "https://huggingface.co"
HOSTS = frozenset({"huggingface.co", "www.huggingface.co", "hf.co"})

#: The revision that stands for none, as the library has it.
MAIN = "main"

_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,94}[A-Za-z0-9_])?"
_NAME = re.compile(rf"{_PART}/{_PART}")
_ALONE = re.compile(_PART)
_WORD = r"[A-Za-z0-9_][A-Za-z0-9_.+ -]{0,200}"
_GGUF = re.compile(rf"(?:{_WORD}/){{0,3}}{_WORD}\.gguf")
_REVISION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.+-]*){0,8}")
#: Endings of files: a path that has one names a file that should be there.
_FILES = (".json", ".toml", ".gguf", ".safetensors", ".yaml", ".yml", ".py", ".sh", ".bash",
          ".slurm", ".sbatch", ".csv", ".tsv", ".md", ".tex", ".txt", ".bin", ".pt", ".pth")
_OTHERS = {"datasets": "a data set", "spaces": "a space", "collections": "a collection",
           "papers": "a paper", "docs": "documentation"}


@dataclass(frozen=True)
class Repository:
    """A model's repository on a hub.

    Attributes:
        name: ``org/name``; ``name`` alone for the few that have no organisation.
        revision: a branch, a tag or a commit.
        file: a GGUF file in it, if one is named.
    """

    name: str
    revision: str = MAIN
    file: str = ""

    def __str__(self) -> str:
        at = "" if self.revision == MAIN else f"@{self.revision}"
        return f"{self.name}{at}{self.file and ':' + self.file}"


def endpoint() -> str:
    """The hub's address: HF_ENDPOINT, or the public one."""
    return (os.environ.get("HF_ENDPOINT") or PUBLIC).rstrip("/")


def repository(text: str) -> Repository | None:
    """The repository that a text names; None where it is no such name.

    Raises:
        SpecError: an address of a hub that is not the address of a model.

    >>> repository("Qwen/Qwen3-8B@refs/pr/2")
    Repository(name='Qwen/Qwen3-8B', revision='refs/pr/2', file='')
    >>> str(repository("https://huggingface.co/Qwen/Qwen3-8B/blob/main/config.json"))
    'Qwen/Qwen3-8B'
    >>> repository("org/name:Q8_0/x.gguf").file
    'Q8_0/x.gguf'
    >>> repository("./mine/model"), repository("models/x.toml"), repository("gpt2")
    (None, None, None)
    """
    address = _path_of(text)
    if address is not None:
        return _addressed(text, address)
    if text.startswith("hf://"):
        return _by_its_name(text.removeprefix("hf://").removeprefix("models/")) or _wrong(text)
    return None if text.endswith(_FILES) and ":" not in text else _by_its_name(text)


def _by_its_name(text: str) -> Repository | None:
    text, colon, file = text.partition(":")
    name, at, revision = text.partition("@")
    if not _is_name(name, _NAME) or (at and not _is_revision(revision)) or (
            colon and not _is_gguf(file)):
        return None
    return Repository(name, revision if at else MAIN, file)


def _is_gguf(file: str) -> bool:
    return bool(_GGUF.fullmatch(file)) and ".." not in file


def _is_name(name: str, kind: re.Pattern[str]) -> bool:
    return bool(kind.fullmatch(name)) and "--" not in name and ".." not in name and len(name) <= 96


def _is_revision(text: str) -> bool:
    return bool(_REVISION.fullmatch(text)) and ".." not in text and len(text) <= 200


def _path_of(text: str) -> str | None:
    """The path of an address of the hub; None where a text is none."""
    first = text.partition("/")[0].lower()
    if first in HOSTS and "/" in text:
        text = f"https://{text}"
    if not text.startswith(("https://", "http://")):
        return None
    try:
        parts, own = urlsplit(text), urlsplit(endpoint())
        if parts.netloc.lower() in HOSTS:
            return parts.path
        if parts.netloc and parts.netloc == own.netloc and parts.path.startswith(own.path):
            return parts.path[len(own.path):]
    except ValueError:
        pass
    return None


def _addressed(text: str, path: str) -> Repository:
    words = [unquote(word) for word in path.split("/") if word]
    if words and words[0] in _OTHERS:
        raise SpecError(text, "", f"is the address of {_OTHERS[words[0]]}; a model's is expected, "
                        f"such as {PUBLIC}/org/name")
    size = 1 if len(words) < 2 or words[1] in {"tree", "blob", "resolve", "raw"} else 2
    name, rest = "/".join(words[:size]), words[size:]
    if not words or not _is_name(name, _ALONE if size == 1 else _NAME):
        return _wrong(text)
    if not rest:
        return Repository(name)
    kind, *after = rest
    if kind == "tree" and after:
        return _at(text, name, "/".join(after))
    if kind in {"blob", "resolve", "raw"} and len(after) > 1:
        if after[-1] == "config.json":
            return _at(text, name, "/".join(after[:-1]))
        size = 3 if after[0] == "refs" else 1
        if not _is_gguf("/".join(after[size:])):
            raise SpecError(text, "", "is the address of a file; a model's is expected, or that "
                            "of its config.json or of a .gguf file")
        found = _at(text, name, "/".join(after[:size]))
        return Repository(name, found.revision, "/".join(after[size:]))
    return Repository(name) if kind in {"tree", "discussions", "commits"} else _wrong(text)


def _at(text: str, name: str, revision: str) -> Repository:
    return Repository(name, revision) if _is_revision(revision) else _wrong(text)


def _wrong(text: str) -> Repository:
    raise SpecError(text, "", f"is not the address of a model; such as {PUBLIC}/org/name is")
