"""The options that a launch script hands to its program, ``--num-layers 32``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from symparam.descriptions.reading.plain_values import value_of
from symparam.descriptions.reading.source import Taken, Unsure
from symparam.descriptions.shell.commands import Given
from symparam.descriptions.shell.pieces import Piece, Text, doubt_of, split, told_of, written
from symparam.descriptions.shell.run import Follower
from symparam.descriptions.shell.words import is_open

_OPTION = re.compile(r"--[A-Za-z][A-Za-z0-9_-]{1,60}(?:=.{0,200})?", re.ASCII | re.DOTALL)
#: The program, behind which its own options stand.
_PROGRAM = re.compile(r".*\.py")


def options_in(text: str, wanted: Iterable[str]) -> dict[str, Any]:
    """The options of the commands in a script that have one of some options.

    What the script leaves open is :class:`Unsure`, with its line; so is what several such commands
    say differently. What is from a default (``${X:-3}``) is :class:`Taken`, and says so; so is
    what a default leaves out, with a value of None.

    Args:
        text: the script.
        wanted: options, without dashes in front and with dashes between, that such a command has.

    Raises:
        ValueError: it cannot be read, or no command has such an option.
    """
    follower, wanted = Follower(), frozenset(wanted)
    follower.follow(text)
    found = [(each, options_of_words(each.words)) for each in follower.given]
    commands = [(each, options) for each, options in found if wanted & _names(options)]
    if commands:
        sourced = (f"line {each.line}: what {written(each.words[-1])[:60]} sets is not read"
                   for each in follower.given if written(each.words[0]) in {"source", "."})
        options = _with_said(_agreed(commands), commands, [*follower.notes, *sourced])
        return {key: Taken(None, told) for key, told in follower.passed.items()} | options
    lone = _in_variables(follower, wanted)
    if lone is None:
        raise ValueError("no command has " + " or ".join(f"--{each}" for each in sorted(wanted)))
    return lone


def options_of_words(words: Sequence[Text]) -> dict[str, Any]:
    """The options among the words of a command, behind the program; the last of a name counts."""
    words = [word for text in words for word in _opened(text) if written(word)]
    first = next((i for i, word in enumerate(words) if _OPTION.fullmatch(written(word))
                  and written(word)[2:].partition("=")[0].replace("_", "-") in _FIRST), len(words))
    start = max((i + 1 for i, word in enumerate(words[:first])
                 if _PROGRAM.fullmatch(written(word))), default=0)
    found: dict[str, Any] = {}
    if start:
        found[PROGRAM] = written(words[start - 1]).rpartition("/")[2]
    words = list(words[start:])
    for word, after in zip(words, [*words[1:], None], strict=False):
        if _OPTION.fullmatch(written(word)):
            key, value = _option(word, after)
            found[key] = _repeated(found[key], value) if key in found else value
    return found


#: The key under which the program stands that is handed the options.
PROGRAM = "program"
#: Options of models: those of launchers stand before.
_FIRST = frozenset({"num-layers", "hidden-size", "num-attention-heads"})


def _opened(text: Text) -> list[Text]:
    """The words of a text that was handed over as one and holds several with options."""
    whole = written(text)
    several = re.search(r"\s--[a-z]", whole) or re.match(r"\s*--[a-z-]+\s", whole)
    return split(text) if several else [text]


def _option(word: Text, after: Text | None) -> tuple[str, Any]:
    """An option with the value behind its name or in the next word."""
    name, same, _ = written(word).partition("=")
    value: Text | None = _behind(word, len(name) + 1) if same else after
    if value is not None and not same and _OPTION.fullmatch(written(value)):
        value = None
    if doubt := doubt_of(word if not same else _first(word, len(name))):
        return name[2:], Unsure(doubt)
    if value is None:
        return name[2:], _with(True, word)
    if doubt := doubt_of(value):
        return name[2:], Unsure(doubt, alone=is_open(value) and not same)
    text = written(value)
    try:
        return name[2:], _with(value_of(text), (*word, *value))
    except ValueError:
        return name[2:], _with(text, (*word, *value))


def _with(value: Any, pieces: Iterable[Piece]) -> Any:
    told = told_of(pieces)
    return Taken(value, told) if told else value


def _repeated(before: Any, after: Any) -> Any:
    """An option that stands twice: the last counts, as it does where options are read."""
    return before if isinstance(before, Unsure) and not isinstance(after, Unsure) and (
        before.alone) else after


def _first(text: Text, letters: int) -> Text:
    found: list[Piece] = []
    for piece in text:
        if letters > 0:
            found.append(piece._replace(text=piece.text[:letters]))
        letters -= len(piece.text)
    return tuple(found)


def _behind(text: Text, letters: int) -> Text:
    found: list[Piece] = []
    for piece in text:
        if letters < len(piece.text):
            found.append(piece._replace(text=piece.text[max(0, letters):]))
        letters -= len(piece.text)
    return tuple(found)


def _names(options: Mapping[str, Any]) -> set[str]:
    return {key.replace("_", "-") for key in options}


def _agreed(commands: Sequence[tuple[Given, Mapping[str, Any]]]) -> dict[str, Any]:
    """The options of several commands: unsure where they are not the same in all."""
    (first, options), *rest = commands
    found = dict(options)
    for other, more in rest:
        for key in {**found, **more}:
            one, two = found.get(key), more.get(key)
            if key in found and key in more and _bare(one) == _bare(two):
                continue
            found[key] = next((each for each in (one, two) if isinstance(each, Unsure)), Unsure(
                f"lines {first.line} and {other.line}: two commands that say different things"))
    return found


def _with_said(found: dict[str, Any], commands: Sequence[tuple[Given, Mapping[str, Any]]],
               sourced: list[str]) -> dict[str, Any]:
    """What is taken of the commands as a whole, told where the first option of them is read."""
    said = sourced + [f"{doubt_of(word)}, taken as empty" for given, _ in commands
            for before, word in zip([(), *given.words], given.words, strict=False)
            if is_open(word) and doubt_of(word) and not _OPTION.fullmatch(written(before))]
    if all(given.doubt for given, _ in commands):
        said += [f"{given.doubt}: the command of line {given.line} is taken as given"
                 for given, _ in commands[:1]]
    key = next(key for key in found if key.replace("_", "-") in _FIRST)
    value = found[key]
    if said and not isinstance(value, Unsure):
        told = value.told + "; " if isinstance(value, Taken) else ""
        found[key] = Taken(_bare(value), told + "; ".join(dict.fromkeys(said)))
    return found


def _bare(value: Any) -> Any:
    return value.value if isinstance(value, Taken) else value


def _in_variables(follower: Follower, wanted: frozenset[str]) -> dict[str, Any] | None:
    """The options that variables hold, in a file that gives no command: a part of a script."""
    found: dict[str, Any] = {}
    for name, value in follower.variables.held.items():
        options = options_of_words(value if isinstance(value, list) else split(value))
        for key, each in options.items():
            if key in found and _bare(found[key]) != _bare(each):
                each = Unsure(f"no command is given here, and ${name} says something else than "
                              "another variable")
            found[key] = each
    return found if wanted & _names(found) else None
