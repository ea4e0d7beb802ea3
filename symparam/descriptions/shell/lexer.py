"""The words and signs of a shell script, each with its line.

Source: POSIX.1-2017, Shell Command Language, 2.2 (quoting), 2.3 (tokens); arrays as bash has them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

#: Signs that stand alone, the longest first.
_SIGNS = ("<<<", "&>>", ";;&", "&&", "||", ";;", ";&", "<<", ">>", "&>", ">&", "<&", "|&", ";", "&",
          "|", "(", ")", "<", ">", "\n")
#: A number that is written to a sign: of which stream it speaks.
_STREAM = re.compile(r"[0-9]+(?=[<>])")
_ARRAY = re.compile(r"([A-Za-z_]\w{0,80})(\+?)=")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_DEEPEST = 30


class Part(NamedTuple):
    """A piece of a word: ``text``, or what stands for something: ``var``, ``sum``, ``command``."""

    kind: str
    text: str
    quoted: bool


class Token(NamedTuple):
    """A word with its parts, a sign, a sum in ``((``, or ``NAME=(`` with the words of an array."""

    kind: str
    text: str
    line: int
    parts: tuple[Part, ...] = ()
    words: tuple[Token, ...] = ()

    def plain(self) -> str:
        """The word where nothing in it is quoted or stands for something else; else empty."""
        return self.text if self.kind == "word" and all(
            part.kind == "text" and not part.quoted for part in self.parts) else ""


class Lexer:
    """Reads a text from its beginning to its end."""

    def __init__(self, text: str, line: int = 1, depth: int = 0) -> None:
        if depth > _DEEPEST:
            raise ValueError(f"line {line}: nested deeper than {_DEEPEST}")
        self.text, self.at, self.line, self.depth = text.replace("\r\n", "\n"), 0, line, depth
        self.waiting: list[str] = []

    def tokens(self, end: str = "") -> list[Token]:
        """All tokens, to the end or to a closing sign."""
        found: list[Token] = []
        while self._skip():
            line = self.line
            if self.text.startswith("((", self.at) and not end:
                found.append(Token("sum", self._closed("((", "))"), line))
                continue
            if stream := _STREAM.match(self.text, self.at):
                self.at = stream.end()
            sign = next((s for s in _SIGNS if self.text.startswith(s, self.at)), None)
            if sign is None:
                found.append(self._word())
                continue
            self.at += len(sign)
            if sign == end:
                return found
            if sign == "<<":
                self._document()
            elif sign == "\n":
                self.line += 1
                self._documents()
            if sign != "<<":
                found.append(Token("sign", sign, line))
        if end:
            raise ValueError(f"line {self.line}: the text ends before a {end!r}")
        return found

    def _skip(self) -> bool:
        """Go past blanks, comments and lines that go on; whether anything is left."""
        while self.at < len(self.text):
            if self.text[self.at] in " \t\r":
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
                self.line += 1
            elif self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            else:
                return True
        return False

    def _word(self) -> Token:
        start, line, parts = self.at, self.line, list[Part]()
        while self.at < len(self.text) and self.text[self.at] not in " \t\r\n;&|<>)":
            char = self.text[self.at]
            if char == "(":
                name = _ARRAY.fullmatch(self.text, start, self.at)
                if name is None:
                    break
                self.at += 1
                inner = [each for each in self.tokens(")") if each.kind == "word"]
                return Token("array", name[1] + name[2], line, (), tuple(inner))
            if char == "\\":
                self._escaped(parts)
            elif char == "'":
                end = self._find("'", self.at + 1)
                parts.append(Part("text", self._to(end)[1:], True))
                self.at += 1
            elif char == '"':
                self._quoted(parts)
            elif char in "$`":
                self._stands_for(parts, quoted=False)
            else:
                parts.append(Part("text", char, False))
                self.at += 1
        if self.at == start:  # a sign in a place where it is none
            self.at += 1
        return Token("word", self.text[start:self.at], line, _joined(parts))

    def _escaped(self, parts: list[Part]) -> None:
        after = self.text[self.at + 1:self.at + 2]
        if after == "\n":
            self.line += 1
        else:
            parts.append(Part("text", after, True))
        self.at += 2

    def _quoted(self, parts: list[Part]) -> None:
        self.at, before = self.at + 1, len(parts)
        while self.text[self.at:self.at + 1] != '"':
            char = self.text[self.at:self.at + 1]
            if not char:
                raise ValueError(f"line {self.line}: a quotation mark that is not closed")
            if char == "\\" and self.text[self.at + 1:self.at + 2] in {"$", "`", '"', "\\", "\n"}:
                self._escaped(parts)
            elif char in "$`":
                self._stands_for(parts, quoted=True)
            else:
                self.line += char == "\n"
                parts.append(Part("text", char, True))
                self.at += 1
        if len(parts) == before:
            parts.append(Part("text", "", True))
        self.at += 1

    def _stands_for(self, parts: list[Part], *, quoted: bool) -> None:
        """What begins with a dollar sign, or stands between backquotes."""
        for kind, begin, end in (("sum", "$((", "))"), ("command", "$(", ")"), ("var", "${", "}"),
                                 ("command", "`", "`")):
            if self.text.startswith(begin, self.at):
                parts.append(Part(kind, self._closed(begin, end), quoted))
                return
        name = _NAME.match(self.text, self.at + 1)
        if name is None:
            parts.append(Part("text", "$", quoted))
            self.at += 1
            return
        parts.append(Part("var", name[0], quoted))
        self.at = name.end()

    def _closed(self, begin: str, end: str) -> str:
        """The text between two signs; the same pair may stand inside."""
        self.at += len(begin)
        start, depth, first = self.at, 1, begin[-1]
        while depth:
            if self.text.startswith(end, self.at) and (depth == 1 or end != "))"):
                depth -= 1
                self.at += len(end)
                continue
            char = self.text[self.at:self.at + 1]
            if not char:
                raise ValueError(f"line {self.line}: {begin} is not closed")
            depth += char == first and first != "`"
            depth -= char == ")" and end == "))" and depth > 1
            self.line += char == "\n"
            self.at += 2 if char == "\\" else 1
        return self.text[start:self.at - len(end)]

    def _document(self) -> None:
        """A document that follows in the next lines: the word that ends it."""
        self.at += self.text.startswith("-", self.at)
        if self._skip():
            self.waiting.append("".join(part.text for part in self._word().parts))

    def _documents(self) -> None:
        for word in self.waiting:
            while self.at < len(self.text):
                end = self._find("\n", self.at, missing=len(self.text))
                line, self.at = self.text[self.at:end], end + 1
                self.line += 1
                if line.strip() == word:
                    break
        self.waiting = []

    def _find(self, char: str, start: int, missing: int | None = None) -> int:
        found = self.text.find(char, start)
        if found < 0 and missing is None:
            raise ValueError(f"line {self.line}: a quotation mark that is not closed")
        return found if found >= 0 else missing or 0

    def _to(self, end: int) -> str:
        text, self.at = self.text[self.at:end], end
        self.line += text.count("\n")
        return text


def _joined(parts: list[Part]) -> tuple[Part, ...]:
    """Letters that stand beside each other as one piece."""
    found: list[Part] = []
    for part in parts:
        last = found[-1] if found else None
        if last is not None and part.kind == last.kind == "text" and part.quoted == last.quoted:
            found[-1] = Part("text", last.text + part.text, part.quoted)
        else:
            found.append(part)
    return tuple(found)
