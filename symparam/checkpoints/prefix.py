"""What the names of a checkpoint have in front, lack, or have in place of what a model's have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from symparam.checkpoints.header import Shape


class Prefix(NamedTuple):
    """What most found names begin with, and what the model's begin with in its place."""

    found: str = ""
    own: str = ""


def common_prefix(wanted: Iterable[str], found: Iterable[str], exchanging: bool = True) -> Prefix:
    """What most found names have in front of the expected ones, or in place of what these have.

    In the place of another stands what more than half of the names of one side have: a few that
    end alike say nothing. That is not looked for where nothing is ``exchanging``.

    >>> common_prefix(["h.0.ln_1.weight", "wte.weight"], ["transformer.h.0.ln_1.weight"])
    Prefix(found='transformer.', own='')
    """
    ours, theirs = set(wanted), set(found)
    strange, unmet = theirs - ours, ours - theirs
    votes: Counter[Prefix] = Counter()
    votes[Prefix()] = len(ours) - len(unmet)
    ends = list(_ends(unmet))
    votes.update(Prefix("", own) for end, own in ends if end in theirs)
    alone = _once(ends)
    exchanged: Counter[Prefix] = Counter()
    for end, begin in _ends(strange):
        if end in ours:
            votes[Prefix(begin)] += 1
        elif end in alone:
            exchanged[Prefix(begin, alone[end])] += 1
    most = min(len(ours), len(theirs))
    votes.update({each: count for each, count in exchanged.items()
                  if exchanging and 2 * count > most})
    best, count = votes.most_common(1)[0]
    return best if count > votes[Prefix()] else Prefix()


def _ends(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Names without their first word, two or three words, each with these."""
    for name in names:
        cut, place = 0, name.find(".") + 1
        while place and cut < 3:
            yield name[place:], name[:place]
            cut, place = cut + 1, name.find(".", place) + 1


def _once(ends: list[tuple[str, str]]) -> dict[str, str]:
    """Those ends that one name alone has."""
    times = Counter(end for end, _ in ends)
    return {end: begin for end, begin in ends if times[end] == 1}


def without_prefix(found: Mapping[str, Shape], prefix: Prefix,
                   wanted: Mapping[str, Shape]) -> dict[str, str]:
    """Each found name as the model would write it, with the name as it was found.

    Where two would become one, both stay as they are.
    """
    if prefix == Prefix():
        return {name: name for name in found}
    bare = {name: _renamed(name, prefix, wanted) for name in found}
    times = Counter(bare.values())
    return {new if times[new] == 1 else name: name for name, new in bare.items()}


def _renamed(name: str, prefix: Prefix, wanted: Mapping[str, Shape]) -> str:
    if name in wanted or not name.startswith(prefix.found):
        return name
    new = prefix.own + name[len(prefix.found):]
    return new if new in wanted or not prefix.own else name
