"""Texts of which each piece knows whether it is certain, and why not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import NamedTuple, TypeAlias

#: Letters that may be put together while a script is followed.
MAX_LETTERS = 2**24


class Piece(NamedTuple):
    """A text; why it is in doubt, if it is; where it is from, if a default was taken for it.

    Attributes:
        open: whether the script does not say at all what stands here.
    """

    text: str
    doubt: str = ""
    told: str = ""
    open: bool = False


#: A text as its pieces.
Text: TypeAlias = "tuple[Piece, ...]"
#: What a variable holds: a text, or the texts of an array.
Value: TypeAlias = "Text | list[Text]"


def plain(text: Text) -> str | None:
    """The text; None where a piece of it is in doubt."""
    return None if doubt_of(text) else written(text)


def written(text: Iterable[Piece]) -> str:
    """The text as it stands, whatever is in doubt."""
    return "".join(piece.text for piece in text)


def doubt_of(text: Iterable[Piece]) -> str:
    """Why a text is in doubt: the first reason; empty where it is certain."""
    return next((piece.doubt for piece in text if piece.doubt), "")


def told_of(text: Iterable[Piece]) -> str:
    """Which defaults a text is from."""
    return "; ".join(dict.fromkeys(
        said for piece in text if piece.told for said in piece.told.split("; ")))


def split(text: Iterable[Piece]) -> list[Text]:
    """The words of a text, as a shell splits what stands without quotation marks.

    >>> [written(word) for word in split((Piece("--a 1 --"), Piece("b", "why")))]
    ['--a', '1', '--b']
    """
    words: list[list[Piece]] = [[]]
    for piece in text:
        parts = piece.text.split()
        if piece.text[:1].isspace():
            words.append([])
        for number, part in enumerate(parts):
            if number:
                words.append([])
            words[-1].append(piece._replace(text=part))
        if parts and piece.text[-1].isspace():
            words.append([])
    return [tuple(word) for word in words if word]


def doubted(text: Text, doubt: str) -> Text:
    """The same with a doubt in each piece."""
    return tuple(piece if piece.doubt else piece._replace(doubt=doubt) for piece in text)


def sure(value: Value, doubt: str) -> Value:
    """What a variable holds where a doubt turned out to be none."""
    return [cleared(text, doubt) for text in value] if isinstance(value, list) else cleared(
        value, doubt)


def cleared(text: Text, doubt: str) -> Text:
    """A text without one doubt."""
    return tuple(piece._replace(doubt="") if piece.doubt == doubt else piece for piece in text)


def either(first: Value | None, second: Value | None, doubt: str) -> Value | None:
    """What a variable holds of which two branches say different things: what both begin with is
    certain, the rest of each is in doubt.

    >>> [tuple(each[:2]) for each in either((Piece("a "),), (Piece("a "), Piece("b")), "why")]
    [('a ', ''), ('b', 'why')]
    """
    if first == second:
        return first
    if isinstance(first, list) or isinstance(second, list):
        left, right = _words(first), _words(second)
        common = _common(left, right)
        return [*left[:common], *(doubted(text, doubt) for text in left[common:] + right[common:])]
    one, two = first or (), second or ()
    common = _common(one, two)
    return one[:common] + doubted(one[common:] + two[common:], doubt) or (Piece("", doubt),)


def _words(value: Value | None) -> list[Text]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _common(left: Sequence[object], right: Sequence[object]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1],
                                    zip(left, right, strict=False)))
