"""Marked blocks of a Markdown or TeX file, and the file with other answers in them.

Everything here works on bytes: what stands outside the blocks is never decoded, and comes out as
it went in, whatever its encoding and its line ends are. Nothing is run here: a runner is given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

from symparam import formats
from symparam.dataclass import dataclass
from symparam.documents.list_items import ListItems
from symparam.errors import DocsError

#: Characters of the command in a mark.
MAX_COMMAND = 10_000


@dataclass(frozen=True)
class Kind:
    """How a kind of document marks its blocks.

    Attributes:
        name: in words.
        suffixes: what the names of its files end in.
        default: the format of a block whose command names none.
        begin, end, near: lines that open a block, close one, or look as if they should.
        quoted: a line after which marks are text, and a pattern of the line that ends this, of
            what the first one matched.
    """

    name: str
    suffixes: tuple[str, ...]
    default: str
    begin: re.Pattern[bytes]
    end: re.Pattern[bytes]
    near: re.Pattern[bytes]
    quoted: re.Pattern[bytes]
    unquoted: Callable[[re.Match[bytes]], bytes]

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats that a block may have."""
        return formats.within(self.name)


def _fence_end(opening: re.Match[bytes]) -> bytes:
    """A fence of the same character, at least as long, and nothing after it."""
    fence = opening["fence"]
    return rb" {0,3}%s{%d,}[ \t]*\Z" % (re.escape(fence[:1]), len(fence))


def _environment_end(opening: re.Match[bytes]) -> bytes:
    return rb".*\\end\{%s\}" % re.escape(opening["name"])


MARKDOWN = Kind(
    "Markdown", (".md", ".markdown"), "markdown",
    re.compile(rb" {0,3}<!--[ \t]*symparam:(?P<command>(?:(?!-->).)*)-->[ \t]*\Z"),
    re.compile(rb" {0,3}<!--[ \t]*/[ \t]*symparam[ \t]*-->[ \t]*\Z"),
    re.compile(rb"[ \t]*<!--[ \t]*/?[ \t]*symparam\b", re.IGNORECASE),
    re.compile(rb" {0,3}(?P<fence>`{3,}(?=[^`]*\Z)|~{3,})"), _fence_end)

TEX = Kind(
    "TeX", (".tex", ".ltx"), "latex",
    re.compile(rb"[ \t]*%[ \t]*symparam:(?P<command>.*)\Z"),
    re.compile(rb"[ \t]*%[ \t]*/[ \t]*symparam[ \t]*\Z"),
    re.compile(rb"[ \t]*%[ \t]*(?:/[ \t]*symparam\b|symparam[ \t]*:)", re.IGNORECASE),
    re.compile(rb"[^%]*\\begin\{(?P<name>(?:[Vv]erbatim|lstlisting|minted)\*?)\}"),
    _environment_end)

_HEADING = re.compile(rb" {0,3}(#{1,6})(?:[ \t]|\Z)")


@dataclass(frozen=True)
class Block:
    """A marked block.

    Attributes:
        command: what its first mark says.
        line: the line of that mark, from 1.
        start, end: where what stands between the marks begins and ends.
        newline: how the line of the first mark ends.
        level: the level of the heading under which it stands; 0 for none.
        indent: how far the list item around it is indented.
    """

    command: str
    line: int
    start: int
    end: int
    newline: bytes
    level: int
    indent: int = 0


@dataclass(frozen=True)
class Answer:
    """What a block's command says: a format, and the text in it."""

    format: str
    text: str


Runner: TypeAlias = Callable[[Block], Answer]


def kind_of(name: str) -> Kind:
    """The kind of document that a file's name says.

    Raises:
        DocsError: it is neither Markdown nor TeX.

    >>> kind_of("README.md").default, kind_of("paper.tex").default
    ('markdown', 'latex')
    """
    for kind in (MARKDOWN, TEX):
        if name.lower().endswith(kind.suffixes):
            return kind
    known = ", ".join((*MARKDOWN.suffixes, *TEX.suffixes))
    raise DocsError(name, 0, f"is neither Markdown nor TeX by its name ({known})")


def blocks(data: bytes, kind: Kind, where: str) -> list[Block]:
    """The marked blocks of a document, in order.

    Args:
        data: the document.
        kind: Markdown or TeX.
        where: its name, for messages.

    Raises:
        DocsError: a mark that is not closed, closes nothing, stands inside a block, or is no mark
            though it begins as one.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DocsError(where, 1, "is UTF-16, in which no mark can be found: save it as UTF-8")
    return list(_Reader(data, kind, where).blocks())


class _Reader:
    """Reads a document line by line."""

    def __init__(self, data: bytes, kind: Kind, where: str) -> None:
        self.data, self.kind, self.where = data, kind, where
        self.quote: tuple[int, re.Pattern[bytes]] | None = None
        self.level = 0
        self.items = ListItems()

    def blocks(self) -> Iterator[Block]:
        """The blocks."""
        opened: Block | None = None
        at = 0
        for number, line in enumerate(self.data.split(b"\n"), 1):
            bare = line.removesuffix(b"\r").removeprefix(b"\xef\xbb\xbf" if number == 1 else b"")
            if self.kind is MARKDOWN:
                bare = self._in_its_item(bare)
            if not self._is_quoted(bare, number):
                found = self._mark(bare, number, opened)
                if found is True and opened is not None:
                    yield replace(opened, end=at)
                    opened = None
                elif isinstance(found, str):
                    end = at + len(line) + 1
                    newline = b"\r\n" if line.endswith(b"\r") else b"\n"
                    opened = Block(found, number, end, end, newline, self.level,
                                   self.items.offset)
                elif opened is None and self.kind is MARKDOWN and (head := _HEADING.match(bare)):
                    self.level = len(head[1])
            at += len(line) + 1
        if opened is not None:
            raise DocsError(self.where, opened.line, "this block is not closed"
                            + (f": what opens in line {self.quote[0]} goes on to the end"
                               if self.quote else f"; a line {_shown(self.kind)} closes it"))

    def _in_its_item(self, line: bytes) -> bytes:
        """A line of Markdown without the indentation of its list item, whose end ends a fence."""
        if self.quote is not None and self.items.holds(line):
            return self.items.inside(line)
        self.quote = None
        return self.items.text(line)

    def _is_quoted(self, line: bytes, number: int) -> bool:
        """Whether a line is text whatever it says: inside a fence, or verbatim."""
        if self.quote is not None:
            if self.quote[1].match(line):
                self.quote = None
            return True
        opening = self.kind.quoted.match(line)
        if opening is None:
            return False
        end = re.compile(self.kind.unquoted(opening))
        if self.kind is MARKDOWN or not end.match(line, opening.end()):
            self.quote = (number, end)
        return True

    def _mark(self, line: bytes, number: int, opened: Block | None) -> str | bool:
        """The command of a mark that opens a block; whether it is one that closes one."""
        if begin := self.kind.begin.match(line):
            if opened is not None:
                raise DocsError(self.where, number, "a block inside a block: that of line "
                                f"{opened.line} is not closed")
            return self._command(begin["command"], number)
        if self.kind.end.match(line):
            if opened is None:
                raise DocsError(self.where, number, "this closes a block, and none is open")
            return True
        if self.kind.near.match(line):
            raise DocsError(self.where, number, "is no mark, though it begins as one: expected "
                            f"{_shown(self.kind, 'symparam: COMMAND')} or {_shown(self.kind)}, "
                            "alone on its line, indented as what is around it")
        return False

    def _command(self, command: bytes, number: int) -> str:
        try:
            text = command.decode("utf-8").strip()
        except UnicodeDecodeError:
            raise DocsError(self.where, number, "the command is not in UTF-8") from None
        if not text:
            raise DocsError(self.where, number, "the mark names no command")
        if len(text) > MAX_COMMAND:
            raise DocsError(self.where, number, f"a command of {len(text):,} characters, more "
                            f"than {MAX_COMMAND:,}")
        return text


def _shown(kind: Kind, words: str = "/symparam") -> str:
    return f"<!-- {words} -->" if kind is MARKDOWN else f"% {words}"


def rebuilt(data: bytes, kind: Kind, where: str, run: Runner) -> bytes:
    """The document with each block's answer between its marks; all else byte for byte.

    Args:
        data: the document.
        kind: Markdown or TeX.
        where: its name, for messages.
        run: what answers a block.

    Raises:
        DocsError: a mark or a format that is wrong, or an answer that would itself be a mark.
    """
    found, pieces, at = blocks(data, kind, where), list[bytes](), 0
    for block in found:
        pieces += [data[at:block.start], _inside(run(block), block, kind, where)]
        at = block.end
    result = b"".join((*pieces, data[at:]))
    again = [(b.command, b.level) for b in blocks(result, kind, where)]
    if again != [(b.command, b.level) for b in found]:
        raise DocsError(where, 0, "an answer holds what would be read as a mark")
    return result


def _inside(answer: Answer, block: Block, kind: Kind, where: str) -> bytes:
    """What stands between the marks, with the line ends of the first one."""
    if answer.format not in kind.formats:
        raise DocsError(where, block.line, f"{answer.format} makes no sense in a {kind.name} "
                        f"file: {', '.join(kind.formats)} do")
    text = answer.text.strip("\n")
    if kind is MARKDOWN:
        fenced = formats.everything()[answer.format].fenced
        text = f"\n{_fenced(text, answer.format) if fenced else _lowered(text, block.level)}\n"
        text = re.sub(r"(?m)^(?=.)", " " * block.indent, text)
    else:
        text = re.sub(r"(?m)^([ \t]*)%(?=[ \t]*/?[ \t]*symparam)", r"\1%%", text)
    return f"{text}\n".encode(errors="replace").replace(b"\n", block.newline)


def _fenced(text: str, name: str) -> str:
    """Text in a fence that is longer than any in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{name}\n{text}\n{fence}"


def _lowered(text: str, by: int) -> str:
    """Headings below the one under which a block stands; there are no more than six levels.

    >>> print(_lowered("# A\\n```\\n# no heading\\n```", 2))
    ### A
    ```
    # no heading
    ```
    """
    lines, fenced = text.split("\n"), False
    for i, line in enumerate(lines):
        fenced ^= line.startswith(("```", "~~~"))
        if not fenced and (head := re.match("#{1,6}(?= )", line)):
            lines[i] = "#" * min(6, len(head[0]) + by) + line[len(head[0]):]
    return "\n".join(lines)
