"""Lines of a Markdown file as the list items around them have them: without their indentation.

What is indented by four spaces at the margin is code; inside a list item it is what it would be at
the margin without the indentation of the item. Where it is not certain, a line is taken for text.
"""

from __future__ import annotations

import re

#: How deep items may stand in one another, and how much of a line says how it begins.
DEPTH, SEEN = 100, 1000

_HEAD = re.compile(rb"[ \t]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*")
#: A line at the margin that begins no item, and nothing else but a paragraph.
_WORDS = re.compile(rb"[^ \t\r\-+*0-9#`~<=_]")
_MARKER = re.compile(rb" {0,3}(?:[-+*]|\d{1,9}[.)])(?=[ \t]|\Z)")
_BREAK = re.compile(rb" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
#: Lines at which no paragraph goes on, besides those.
_NO_TEXT = re.compile(rb" {0,3}(?:#{1,6}(?:[ \t]|\Z)|`{3}|~{3}|<!--|(?:-+|=+)[ \t]*\Z)")


class ListItems:
    """The list items that are open, line after line."""

    def __init__(self) -> None:
        self.offsets: list[int] = []
        self.paragraph = False

    @property
    def offset(self) -> int:
        """The column in which the innermost item's text stands; 0 outside of items."""
        return self.offsets[-1] if self.offsets else 0

    def holds(self, line: bytes) -> bool:
        """Whether a line is inside the innermost item by its indentation, or empty."""
        return not self.offsets or not line.strip() or _spaces(_untabbed(line)) >= self.offset

    def inside(self, line: bytes) -> bytes:
        """A line without the indentation of the items that it is in."""
        line = _untabbed(line)
        return line[min(self.offset, _spaces(line)):]

    def text(self, line: bytes) -> bytes:
        """The next line, without what its items put before it; empty where it is code."""
        if _WORDS.match(line):
            if not self.paragraph:
                self.offsets.clear()
            self.paragraph = True
            return line
        if not line.strip():
            self.paragraph = False
            return b""
        line = _untabbed(line)
        self._leave(line, _spaces(line))
        found = self._opened(self.inside(line))
        if found.startswith(b"    ") and not self.paragraph:
            return b""
        self.paragraph = not (_NO_TEXT.match(found) or _BREAK.match(found, 0, SEEN))
        return found

    def _leave(self, line: bytes, width: int) -> None:
        """Close the items in which a line is not, by its indentation and the paragraph above."""
        if self.paragraph and not (_NO_TEXT.match(line, width) or _MARKER.match(line, width)):
            return
        while self.offset > width:
            self.offsets.pop()

    def _opened(self, line: bytes) -> bytes:
        """What stands behind the marks of the items that a line begins."""
        at = 0
        if _BREAK.match(line, 0, SEEN):
            return line
        while (marker := _MARKER.match(line, at)) and len(self.offsets) < DEPTH:
            spaces = _spaces(line[marker.end():marker.end() + 5])
            end = marker.end() + (spaces if 1 <= spaces <= 4 else 1)
            self.offsets.append(self.offset + end - at)
            self.paragraph, at = False, end
        return line[at:]


def _untabbed(line: bytes) -> bytes:
    """A line with spaces in place of the tabs that stand before its text."""
    head = _HEAD.match(line, 0, SEEN) if b"\t" in line else None
    return line if head is None else head[0].expandtabs(4) + line[head.end():]


def _spaces(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" "))
