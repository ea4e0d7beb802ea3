"""What a shell script is made of: its commands as a tree.

Source: POSIX.1-2017, Shell Command Language, 2.9 and 2.10; ``[[``, ``((``, ``function`` of bash.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from symparam.descriptions.shell.lexer import Token


class Simple(NamedTuple):
    """Words that are handed over; arrays and settings among them."""

    line: int
    words: tuple[Token, ...]


class Test(NamedTuple):
    """What stands between ``[[`` and ``]]``."""

    line: int
    words: tuple[Token, ...]


class Sum(NamedTuple):
    """What stands between ``((`` and ``))``."""

    line: int
    text: str


class Chain(NamedTuple):
    """Commands with ``&&``, ``||`` or ``;`` in front of each."""

    line: int
    items: tuple[tuple[str, Command], ...]


class Not(NamedTuple):
    """A command behind ``!``."""

    line: int
    inner: Command


class Pipe(NamedTuple):
    """Commands of which one reads what the other writes: each in a shell of its own."""

    line: int
    items: tuple[Command, ...]


class If(NamedTuple):
    """A condition, what follows it, and what follows else."""

    line: int
    condition: Command
    body: Command
    other: Command | None


class Case(NamedTuple):
    """A word, and bodies by their patterns."""

    line: int
    word: Token
    branches: tuple[tuple[tuple[Token, ...], Command], ...]


class Loop(NamedTuple):
    """A body that runs for each word, or while a condition holds (no name)."""

    line: int
    name: str
    words: tuple[Token, ...]
    body: Command


class Group(NamedTuple):
    """Commands in parentheses, whose settings end with them."""

    line: int
    inner: Command


class Function(NamedTuple):
    """A body with a name."""

    line: int
    name: str
    body: Command


Command: TypeAlias = ("Simple | Test | Sum | Chain | Not | Pipe | If | Case | Loop | Group | "
                      "Function")
