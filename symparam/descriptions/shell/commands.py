"""Single commands of a script: settings, what ends or leaves, functions, scripts inside."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import NamedTuple

from symparam.descriptions.shell.conditions import holds
from symparam.descriptions.shell.lexer import Token
from symparam.descriptions.shell.nodes import Command, Simple
from symparam.descriptions.shell.pieces import (
    Piece,
    Text,
    cleared,
    doubt_of,
    split,
    told_of,
    written,
)
from symparam.descriptions.shell.tree import parse
from symparam.descriptions.shell.words import SETTING, Variables

#: A script in a script, and a function, count for so many levels.
MAX_DEPTH = 30
_DECLARING = frozenset("export local readonly declare typeset".split())
#: What is taken to succeed, where a command follows behind ``&&``.
_SUCCEEDS = frozenset("""
    cd mkdir set source . pip module conda ulimit cp ln rm touch chmod echo sleep pushd popd shopt
    wait trap exec true : export local readonly declare typeset unset shift
""".split())
_SHELLS = frozenset("bash sh /bin/bash /bin/sh zsh".split())
#: Commands that hand on the words of another, or show them.
_SHOWS = frozenset("echo printf cat tee : true false".split())


class Given(NamedTuple):
    """A command that the script gives, outside of the shell's own.

    Attributes:
        line: where it stands.
        words: its words.
        doubt: why it is not certain that it is given; empty where it is.
    """

    line: int
    words: list[Text]
    doubt: str

    def sure(self, doubt: str) -> Given:
        """The same without a doubt that turned out to be none."""
        return Given(self.line, [cleared(text, doubt) for text in self.words],
                     "" if self.doubt == doubt else self.doubt)


class End(Exception):
    """The script ends here."""


class Leave(Exception):
    """A function, or a loop, is left here: ``return``, ``break``, ``continue``."""


class Commands(ABC):
    """Follows single commands; how they are joined is told by what follows all of a script.

    Attributes:
        variables: what they hold where it is.
        given: the commands that it gives.
        notes: what was taken for granted.
        passed: options in branches that a default leaves aside, with that default.
    """

    def __init__(self) -> None:
        self.variables = Variables()
        self.functions: dict[str, Command] = {}
        self.given: list[Given] = []
        self.count = self.depth = 0
        self.notes: list[str] = []
        self.passed: dict[str, str] = {}

    @abstractmethod
    def run(self, node: Command) -> bool | None:
        """Follow a command; whether it succeeds, None where that is not known."""

    def in_doubt(self, name: str, doubt: str) -> None:
        """Hold a variable for one that the script does not say."""
        self.variables.held[name] = (Piece(f"${name}", doubt, open=True),)

    def simple(self, node: Simple) -> bool | None:
        """Settings, or a command with its words."""
        words = list(node.words)
        settings: list[Token] = []
        while words and (words[0].kind == "array" or SETTING.match(words[0].text)):
            settings.append(words.pop(0))
        if not words:
            for token in settings:
                self.variables.set_to(token)
            return True
        first = words[0].plain()
        if first in _DECLARING:
            for token in words[1:]:
                if token.kind == "array" or SETTING.match(token.text):
                    self.variables.set_to(token)
            return True
        fields = [text for token in words if token.kind == "word"
                  for text in self.variables.fields(token)]
        return self._command(node.line, fields) if fields else None

    def _command(self, line: int, fields: list[Text]) -> bool | None:
        first, rest = written(fields[0]), fields[1:]
        if first == "exit":
            raise End
        if first in {"return", "break", "continue"}:
            raise Leave(first)
        if first in {"[", "test"}:
            return holds(rest[:-1] if first == "[" else rest)
        if first in {"true", ":", "false"}:
            return first != "false"
        if first in self.functions:
            return self._called(line, first, rest)
        if first in {"unset", "read", "mapfile", "readarray", "getopts"}:
            for text in rest:
                self.variables.held.pop(written(text), None)
            return first == "unset" or None
        if first == "printf" and len(rest) > 1 and written(rest[0]) == "-v":
            self.in_doubt(written(rest[1]), f"line {line}: printf -v is not followed")
        if first in {"shift", "set"} and self.variables.arguments is not None:
            self.variables.arguments = self.variables.arguments[1:]
        inner = self._script_in(first, fields)
        if inner is not None:
            return self._inner(line, inner)
        if first not in _SHOWS:
            doubt = self.variables.doubt  # what is said inside is certain once it is reached
            self.given.append(Given(line, [cleared(each, doubt) for each in fields], doubt))
        return True if first in _SUCCEEDS else None

    def _script_in(self, first: str, fields: list[Text]) -> Text | None:
        """The text of a command that is a script itself: of ``eval``, and of ``bash -c``."""
        if first == "eval":
            return tuple(p for text in fields[1:] for p in (*text, Piece(" ")))
        for at, text in enumerate(fields[:-2]):
            if written(text) in _SHELLS and re.fullmatch("-[a-z]*c", written(fields[at + 1])):
                return fields[at + 2]
        return None

    def _inner(self, line: int, text: Text) -> bool | None:
        if doubt_of(text) or told_of(text):  # each word with what is known of it
            words = split(text)
            return self._command(line, words) if words and (
                written(words[0]) not in {"eval", *_SHELLS}) else None
        self.depth += MAX_DEPTH
        try:
            return self.run(parse(written(text), line))
        finally:
            self.depth -= MAX_DEPTH

    def _called(self, line: int, name: str, arguments: list[Text]) -> bool | None:
        outer, self.variables.arguments = self.variables.arguments, arguments
        left, self.depth = self.variables.left, self.depth + MAX_DEPTH // 2
        try:
            return self.run(self.functions[name])
        except Leave:
            return None
        finally:
            self.variables.left, self.depth = left, self.depth - MAX_DEPTH // 2
            self.variables.arguments = outer
