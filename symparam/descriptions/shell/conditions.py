"""Conditions of a shell: true, false, or None where the script alone does not say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from symparam.descriptions.shell.pieces import Text, doubt_of, written

_NUMBERS = {"-eq": "==", "-ne": "!=", "-lt": "<", "-le": "<=", "-gt": ">", "-ge": ">="}
_SIGNS = {"=", "==", "!=", *_NUMBERS}
_NUMBER = re.compile(r"\s*-?[0-9]{1,18}\s*")


def holds(words: Sequence[Text], *, patterns: bool = False) -> bool | None:
    """Whether what stands between brackets holds.

    Args:
        words: its words, as they are handed over.
        patterns: whether the right side of ``==`` is a pattern, as between ``[[`` and ``]]``.

    >>> from symparam.descriptions.shell.pieces import Piece
    >>> holds([(Piece(each),) for each in ("7B", "=", "7B")])
    True
    >>> holds([(Piece("-z"),), (Piece("x", "line 3"),)])
    """
    texts = [written(word) if not doubt_of(word) else None for word in words]
    for sign, all_of in (("||", False), ("-o", False), ("&&", True), ("-a", True)):
        if sign in texts and len(texts) > 3:
            at = texts.index(sign)
            sides = (holds(words[:at], patterns=patterns), holds(words[at + 1:], patterns=patterns))
            return both(*sides) if all_of else opposite(both(*map(opposite, sides)))
    if len(texts) > 1 and texts[0] == "!":
        return opposite(holds(words[1:], patterns=patterns))
    if len(texts) == 1:
        return None if texts[0] is None else texts[0] != ""
    if len(texts) == 2 and texts[0] in {"-z", "-n"}:
        return None if texts[1] is None else (texts[1] == "") == (texts[0] == "-z")
    if len(texts) == 3 and texts[1] in _SIGNS:
        return _compared(texts[0], texts[1], texts[2], patterns)
    return None


def both(left: bool | None, right: bool | None) -> bool | None:
    """Whether both hold.

    >>> both(None, False), both(None, True)
    (False, None)
    """
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def opposite(value: bool | None) -> bool | None:
    """What does not hold."""
    return None if value is None else not value


def _compared(left: str | None, sign: str, right: str | None, patterns: bool) -> bool | None:
    if left is None or right is None:
        return None
    if sign in _NUMBERS:
        if not (_NUMBER.fullmatch(left) and _NUMBER.fullmatch(right)):
            return None
        one, two = int(left), int(right)
        return {"==": one == two, "!=": one != two, "<": one < two, "<=": one <= two,
                ">": one > two, ">=": one >= two}[_NUMBERS[sign]]
    same = fnmatchcase(left, right) if patterns else left == right
    return same == (sign != "!=")
