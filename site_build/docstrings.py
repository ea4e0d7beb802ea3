"""Docstrings as the site shows them: examples as code, roles of Sphinx as names.

An extension of griffe, which mkdocstrings reads Python with (mkdocs.yml names this file).
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^( *)>>> (?:.*\n?)(?:\1\S.*\n?)*", re.MULTILINE)
_ROLE = re.compile(r":[a-z]+:`~?(?:[\w.]+\.)?(\w+)`")
_LITERAL = re.compile(r"``([^`]+)``")


def shown(text: str) -> str:
    """A docstring as Markdown.

    >>> shown("See :func:`symparam.load` and ``x``. >>> 1 + 1".replace(". ", "\\n\\n"))
    'See `load` and `x`\\n\\n```pycon\\n>>> 1 + 1\\n```'
    """
    plain = _LITERAL.sub(r"`\1`", _ROLE.sub(r"`\1`", text))
    return _EXAMPLE.sub(lambda m: f"{m[1]}```pycon\n{m[0].rstrip()}\n{m[1]}```\n", plain).rstrip()


class Docstrings(griffe.Extension):
    """Each docstring is turned when it has been read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """An object with its docstring, if it has one."""
        if obj.docstring is not None:
            obj.docstring.value = shown(obj.docstring.value)
