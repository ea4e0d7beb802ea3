"""Tables that float: with a caption and a label, where nobody gives them by sensible ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from symparam.dataclass import dataclass
from symparam.errors import BadValue
from symparam.writers.document import Block, Document, Heading, Span, Table

_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9:._+-]{0,99}", re.ASCII)
_NUMBER = re.compile(r"^\d+\. ")
#: What a label leaves out of a caption.
_SMALL = frozenset("a an and are as at by each else for from in is it its of on or the their they "
                   "to what where which with".split())


@dataclass(frozen=True)
class Floats:
    """What the tables of a document are called.

    Attributes:
        caption: of the first table; empty for what stands above it or in its title.
        label: of the first table, the others with a number behind it; empty for one that is made
            of its caption.

    Raises:
        BadValue: a label that no reference can have.
    """

    caption: str = ""
    label: str = ""

    def __post_init__(self) -> None:
        if self.label and not _LABEL.fullmatch(self.label):
            raise BadValue("--label", self.label, "a label is of letters, digits and : . _ + -, "
                           "such as tab:counts")


def floating(document: Document, floats: Floats) -> Document:
    """A document whose tables float.

    >>> from symparam.writers.document import Column
    >>> table = Table((Column("x"),), (("1",),))
    >>> found = floating(Document("gpt2: x", (Heading(("2. The symbols",)), table)), Floats())
    >>> found.blocks[1].caption, found.blocks[1].label
    (('The symbols: gpt2',), 'tab:gpt2-symbols')
    """
    return replace(document, blocks=tuple(_called(document, floats)))


def _called(document: Document, floats: Floats) -> Iterator[Block]:
    subject = re.split(r": | · ", document.title)[0]
    above: tuple[Span, ...] = ()
    taken: set[str] = set()
    for block in document.blocks:
        if isinstance(block, Heading):
            above = block.spans
        if not isinstance(block, Table):
            yield block
            continue
        caption = block.about or (_told(above, subject) if above else (document.title,))
        label = floats.label or _label(subject, above or caption)
        if floats.caption and not taken:
            caption = (floats.caption,)
        label = next(each for each in (label, *(f"{label}-{n}" for n in range(2, len(
            document.blocks) + 2))) if each not in taken)
        taken.add(label)
        yield replace(block, caption=caption, label=label)


def _told(above: tuple[Span, ...], subject: str) -> tuple[Span, ...]:
    """A heading as a caption: without its number, and with what it is of."""
    first, *others = above
    bare = _NUMBER.sub("", first) if isinstance(first, str) else first
    if isinstance(bare, str) and not others:
        return (f"{bare}: {subject}",)
    return tuple(word for word in (bare, *others, f": {subject}") if word)


def _label(subject: str, caption: tuple[Span, ...]) -> str:
    """A label from the words of a caption that say something."""
    told = " ".join(span for span in caption if isinstance(span, str)).lower()
    own = re.findall(r"[a-z0-9][a-z0-9.]*", subject.lower())
    words = [word for word in re.findall(r"[a-z0-9][a-z0-9.]*", told)
             if word not in _SMALL and word not in own and not word[0].isdigit()]
    return "tab:" + "-".join([*own[:8], *words[:3]])[:90]
