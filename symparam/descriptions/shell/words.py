"""What the words of a script stand for, by its own variables.

Source: POSIX.1-2017, Shell Command Language, 2.5 (variables), 2.6 (what words become).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from symparam.descriptions.shell.lexer import Lexer, Part, Token
from symparam.descriptions.shell.pieces import (
    MAX_LETTERS,
    Piece,
    Text,
    Value,
    doubt_of,
    doubted,
    plain,
    split,
    told_of,
    written,
)
from symparam.descriptions.shell.sums import NoNumber, value_of_sum

_VARIABLE = re.compile(r"(?P<name>[A-Za-z_]\w*|[0-9]{1,2}|[@*#?$!-])(?:\[(?P<index>[^\]]{0,80})\])?"
                       r"(?:(?P<how>:?[-=+?])(?P<else>.*))?", re.DOTALL)
SETTING = re.compile(r"(?P<name>[A-Za-z_]\w*)(?P<more>\+?)=", re.ASCII)


class Variables:
    """The variables of a script, and what the branch says in which one is.

    Attributes:
        held: what each variable holds.
        arguments: what a function was called with; None outside of functions.
        doubt: why it is not certain that this place is reached; empty where it is.
        told: the defaults by which it is reached.
        left: why it is not certain that a function or loop goes on to its end.
    """

    def __init__(self) -> None:
        self.held: dict[str, Value] = {}
        self.arguments: list[Text] | None = None
        self.doubt = self.told = self.left = ""
        self.letters = 0

    def piece(self, text: str) -> Piece:
        """A piece that stands in the script itself."""
        self.count(1, len(text))
        return Piece(text, self.doubt, self.told)

    def count(self, pieces: int, letters: int) -> None:
        """Note what was put together; it may not grow without an end."""
        self.letters += letters + 16 * pieces
        if self.letters > MAX_LETTERS:
            raise ValueError("the texts of its variables grow too large")

    def fields(self, token: Token, *, whole: bool = False) -> list[Text]:
        """The words that a word becomes.

        Args:
            token: the word.
            whole: whether it stays one, as in ``X=...`` and between ``[[`` and ``]]``.
        """
        found: list[list[Piece]] = [[]]
        there = False
        for part in token.parts:
            several = self._part(part, token.line)
            for text in several:
                self.count(len(text), sum(len(piece.text) for piece in text))
            if part.quoted or whole or part.kind == "text":
                there = there or (bool(several) and (part.quoted or bool(part.text)))
                words = [list(text) for text in several]
                found[-1] += words[0] if words else []
                found += words[1:] if not whole else []
                if whole:
                    found[-1] += [p for text in words[1:] for p in (self.piece(" "), *text)]
                continue
            for number, text in enumerate(several):
                parts = split(text)
                begins = bool(text) and text[0].text[:1].isspace()
                if (number or begins) and found[-1]:
                    found.append([])
                for inner, word in enumerate(parts):
                    if inner:
                        found.append([])
                    found[-1] += word
                if parts and text[-1].text[-1:].isspace():
                    found.append([])
        fields = [tuple(each) for each in found if each]
        return fields if fields or not (there or whole) else [(self.piece(""),)]

    def text(self, token: Token) -> Text:
        """A word that stays one."""
        return tuple(piece for text in self.fields(token, whole=True) for piece in text)

    @contextmanager
    def looked_at(self) -> Iterator[None]:
        """What words say is looked at, and what they set is not set."""
        held = dict(self.held)
        try:
            yield
        finally:
            self.held = held

    def undecided(self, token: Token) -> list[str]:
        """The variables of a word that the script does not say for certain."""
        return [f"${re.split('[^0-9A-Za-z_]', part.text)[0]}" for part in token.parts
                if part.kind == "var" and re.match(r"\w", part.text)
                and any(doubt_of(text) for text in self._part(part, token.line))]

    def number(self, name: str) -> int | None:
        """The whole number that a variable holds for certain; None where it holds none."""
        value = self.held.get(name)
        text = plain(value) if isinstance(value, tuple) else None
        return int(text) if text is not None and re.fullmatch(r"-?[0-9]{1,18}", text) else None

    def _part(self, part: Part, line: int) -> list[Text]:
        """The texts that a piece of a word stands for: one, but for an array."""
        if part.kind == "text":
            return [(self.piece(part.text),)]
        if part.kind == "command":
            return [(Piece(f"$({part.text[:20].strip()})", f"line {line}: $(...) is not run",
                           open=True),)]
        if part.kind == "sum":
            why = "is of what the script does not say"
            try:
                value = value_of_sum(part.text, self.number)
            except NoNumber as error:
                value, why = None, str(error)
            told = told_of(p for name in re.findall(r"[A-Za-z_]\w*", part.text)
                           if isinstance(held := self.held.get(name), tuple) for p in held)
            return [(Piece("$((...))", f"line {line}: the sum $(({part.text[:40].strip()})) "
                           f"{why}", open=True) if value is None else
                     self.piece(str(value))._replace(told=told or self.told),)]
        return self._variable(part, line)

    def _variable(self, part: Part, line: int) -> list[Text]:
        match = _VARIABLE.fullmatch(part.text)
        if match is None:
            return [self._unknown(part.text, line, "is of a kind that is not followed")]
        name, index, how = match["name"], match["index"], match["how"] or ""
        if name in {"@", "*"} or index in {"@", "*"}:
            texts = self._all(name, line)
            if "+" in how and texts and index:
                return self._else(match["else"], line)
            return texts if name == "@" or index == "@" or not part.quoted else [
                tuple(p for i, text in enumerate(texts)
                      for p in ((self.piece(" "),) if i else ()) + text)]
        value = self._one(name, index)
        if not how:
            return [value if value is not None else self._unset(name, line)]
        there = value is not None and (":" not in how or bool(written(value)))
        if "+" in how:
            if value is None:
                return [self._unset(name, line)]
            return self._else(match["else"], line) if there else [()]
        if there and value is not None:
            return [value]
        if "?" in how:
            return [self._unset(name, line)]
        texts = self._else(match["else"], line) or [()]
        if value is None:  # a text of its own that is empty is no default of anybody's
            said = f"line {line}: {_named(name)} not given, its default is taken"
            texts = [tuple(p._replace(told=p.told or said) for p in text) or (Piece("", told=said),)
                     for text in texts]
        if "=" in how:
            self.held[name] = texts[0]
        return texts

    def _else(self, text: str, line: int) -> list[Text]:
        """What stands behind ``:-``, as words."""
        words = Lexer(f'"{text}"' if '"' not in text and "'" not in text else text,
                      line).tokens()
        return [tuple(p for word in words if word.kind == "word"
                      for p in (*self.text(word), self.piece(" ")))[:-1]]

    def _all(self, name: str, line: int) -> list[Text]:
        if name in {"@", "*"}:
            return list(self.arguments) if self.arguments is not None else [
                (Piece(f"${name}", f"line {line}: what the script is called with is not known",
                       open=True),)]
        value = self.held.get(name)
        if value is None:
            return [self._unset(name, line)]
        return list(value) if isinstance(value, list) else [value]

    def _one(self, name: str, index: str | None) -> Text | None:
        if name.isdigit() and self.arguments is not None:
            number = int(name) - 1
            return self.arguments[number] if 0 <= number < len(self.arguments) else ()
        value = self.held.get(name)
        if isinstance(value, list):
            number = int(index) if index and index.isdecimal() and len(index) < 9 else 0
            if index and not index.isdecimal():
                return None
            return value[number] if number < len(value) else ()
        return value if index in {None, "0"} else None

    def _unset(self, name: str, line: int) -> Text:
        return self._unknown(name, line, "is not set in the script")

    def _unknown(self, name: str, line: int, why: str) -> Text:
        return (Piece(f"${name[:40]}", f"line {line}: {_named(name)} {why}", open=True),)

    def _doubted(self, text: Text) -> Text:
        return doubted(text, self.left) if self.left else text

    def set_to(self, token: Token) -> None:
        """Set a variable to a text, an array, or more of what it holds."""
        held = self.held
        if token.kind == "array":
            name, more = token.text.rstrip("+"), token.text.endswith("+")
            words = [self._doubted(text) for word in token.words
                     for text in self.fields(word)]
            before = held.get(name, [])
            held[name] = [*(before if isinstance(before, list) else [before]), *words] if more \
                else words
            return
        match = SETTING.match(token.text)
        if match is None:
            return
        text = self._doubted(_without(self.text(token), match.end()))
        before = held.get(match["name"], ())
        if not match["more"]:
            held[match["name"]] = text
        elif isinstance(before, list):
            held[match["name"]] = [(*(before[0] if before else ()), *text), *before[1:]]
        else:
            held[match["name"]] = (*before, *text)


def _without(text: Text, letters: int) -> Text:
    """A text without its first letters, which stand in its first piece."""
    first, *rest = text
    left = first._replace(text=first.text[letters:])
    return tuple(piece for piece in (left, *rest) if piece.text) or (left,)


def _named(name: str) -> str:
    return f"${name[:40]}" if name.isidentifier() else f"${{{name[:40]}}}" if len(name) > 2 else (
        f"${name}")


def is_open(text: Iterable[Piece]) -> bool:
    """Whether the script does not say at all what a word is."""
    pieces = list(text)
    return bool(pieces) and all(piece.open for piece in pieces)

