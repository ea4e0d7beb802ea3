"""Links in Markdown: found outside code, and turned from files of the project to pages."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import PurePosixPath

#: A fenced block, a comment, code in a line, or the target of a link or a picture.
_PIECE = re.compile(
    r"(?P<code>^(?P<fence>`{3,}|~{3,}).*?^(?P=fence)[ \t]*$|<!--.*?-->|"
    r"(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|(?<=\])\((?P<target>[^()\s]+)\)", re.MULTILINE | re.DOTALL)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def retargeted(text: str, other: Callable[[str], str]) -> str:
    """Markdown with other targets of its links; what stands in code is left alone.

    >>> retargeted("[a](b.md) `[a](b.md)`", str.upper)
    '[a](B.MD) `[a](b.md)`'
    """
    return _PIECE.sub(
        lambda m: m[0] if m["target"] is None else f"({other(m['target'])})", text)


def targets(text: str) -> list[str]:
    """The targets of the links of a Markdown text.

    >>> targets("[a](b.md#c), ![d](e.svg), `[f](g)`")
    ['b.md#c', 'e.svg']
    """
    return [m["target"] for m in _PIECE.finditer(text) if m["target"] is not None]


def is_own(target: str) -> bool:
    """Whether a target is a file of the project, not an address or a place on the page."""
    return not (_SCHEME.match(target) or target.startswith(("#", "/")))


def resolved(page: str, target: str) -> tuple[str, str]:
    """The file that a link of a page leads to, from the project's root, and the place in it.

    >>> resolved("docs/tour.md", "../README.md#python")
    ('README.md', '#python')
    """
    path, mark, anchor = target.partition("#")
    return os.path.normpath(PurePosixPath(page).parent / path), mark + anchor


def relative(page: str, other: str) -> str:
    """How one page of the site names another.

    >>> relative("studies/gpt2/index.md", "tour.md")
    '../../tour.md'
    """
    return os.path.relpath(other, PurePosixPath(page).parent)
