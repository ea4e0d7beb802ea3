"""Two lists of tensors held against each other, name by name and shape by shape."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from symparam.checkpoints.bundles import opened
from symparam.checkpoints.expected import Expected
from symparam.checkpoints.header import Shape
from symparam.checkpoints.rows import TensorRow, counted, joined
from symparam.checkpoints.spellings import read_as
from symparam.dataclass import dataclass
from symparam.descriptions.gguf.table import BESIDE as ROTARY
from symparam.layout import NUMBER, Layout, pattern


def _is_mask(shape: Shape) -> bool:
    """Whether it is one of positions by positions, for all sequences and heads."""
    return len(shape) == 4 and shape[:2] == (1, 1) and shape[2] == shape[3]


def _is_row(shape: Shape) -> bool:
    """Whether no more than one side is longer than 1."""
    return math.prod(shape) == max(shape, default=1)


def _any(shape: Shape) -> bool:
    return True


#: Tensors that checkpoints hold beside the parameters, which shapes they have, and what they are.
BESIDE = tuple((re.compile(expression), fits, why) for expression, fits, why in (
    (r"\.rotary_(pos_)?emb\.(?!(weight|bias)$)\w+$", _any,
     "rotary frequencies, computed and not learned"),
    (r"\.(attn(\.attention)?|attention)\.bias$", _is_mask, "a causal mask, not learned"),
    (r"\.(attn(\.attention)?|attention)\.masked_bias$", _is_row, "a causal mask, not learned"),
    (f"^{ROTARY.pattern}$", _any, "rotary factors, not learned"),
    (r"embeddings\.position_ids$", _is_row, "position numbers, not learned"),
    (r"_scale(_inv|_2)?$|\.(k|v|input|output)_scale$|_scales$|_zero_point$", _any,
     "scales of quantisation"),
))
#: Whether it is called as any of them, asked once.
_BESIDE = re.compile("|".join(f"(?:{expression.pattern})" for expression, *_ in BESIDE))
#: Parts of a composite that are not its language model.
OTHER_PARTS = re.compile(r"(^|\.)(visual|vision\w*|audio\w*|multi_modal_projector|mm_projector|"
                         r"embed_vision|embed_audio|image_newline|connector|aligner)(\.|$)")


class Prefix(NamedTuple):
    """What most found names begin with, and what the model's begin with in its place."""

    found: str = ""
    own: str = ""


@dataclass(frozen=True)
class Comparison:
    """What a comparison found.

    Attributes:
        layout: the naming scheme that fits best.
        prefix: what the found names have in front, and what of the model's names they lack.
        matched, numel: tensors that are equal, and the numbers in them.
        missing: expected and not found. extra: found and not expected.
        reshaped: of another shape, the expected one first.
        transposed: equal, and stored the other way round than the model's own layout has them.
        beside: found, and known to be no parameters of what is counted.
        respelled: how many have a published checkpoint's spelling instead of the module's.
    """

    layout: Layout
    prefix: Prefix
    matched: int
    numel: int
    missing: tuple[TensorRow, ...]
    extra: tuple[TensorRow, ...]
    reshaped: tuple[TensorRow, ...]
    transposed: tuple[TensorRow, ...]
    beside: tuple[TensorRow, ...]
    respelled: int = 0

    @property
    def equal(self) -> bool:
        """Whether nothing is missing, extra or of another shape."""
        return not (self.missing or self.extra or self.reshaped)

    @property
    def named(self) -> bool:
        """Whether any name found is one that the layout has."""
        return self.matched > 0 or bool(self.reshaped)

    @property
    def distance(self) -> int:
        """How many tensors differ."""
        return sum(row.copies for row in (*self.missing, *self.extra, *self.reshaped))


def compare(candidates: Iterable[Expected], found: Mapping[str, Shape],
            part: str = "all") -> Comparison:
    """The comparison under the layout that fits best.

    Args:
        candidates: the model's tensors under several layouts, its own first.
        found: the tensors that there are.
        part: what of a larger model is counted; the rest of a composite is then no difference.
    """
    return nearest(matches(candidates, found, part), found)


@dataclass(frozen=True)
class Match:
    """Names under one layout: found under the model's names, and what came of it.

    Attributes:
        spelled: the model's name, or the found one where it has none, to the name as found.
        shapes: the same names with the shapes as found; of what is joined or split, its own.
        respelled: how many were read by another spelling than the prefix alone explains.
    """

    wanted: Expected
    prefix: Prefix
    spelled: dict[str, str]
    shapes: dict[str, Shape]
    respelled: int
    equal: list[str]
    others: list[str]
    missing: list[str]
    extra: list[str]
    beside: dict[str, str]

    @property
    def distance(self) -> int:
        return len(self.others) + len(self.missing) + len(self.extra)


def matches(candidates: Iterable[Expected], found: Mapping[str, Shape],
            part: str = "all") -> list[Match]:
    """The tensors found under the names of each layout, up to the first that fits whole."""
    tried: list[Match] = []
    for each in candidates:
        tried.append(_matched(each, found, part))
        if not tried[-1].distance:
            break
    return tried


def nearest(tried: Iterable[Match], found: Mapping[str, Shape]) -> Comparison:
    """The comparison of the layout that leaves least, the first of several."""
    return _compared(min(tried, key=lambda match: match.distance), found)


def _matched(wanted: Expected, found: Mapping[str, Shape], part: str) -> Match:
    prefix = common_prefix(wanted.tensors, found)
    plain = _without_prefix(found, prefix, wanted.tensors)
    named = read_as(plain, wanted.tensors)
    spelled = {name: plain[written] for name, written in named.items()}
    shapes = {name: found[own] for name, own in spelled.items()}
    _open(shapes, spelled, wanted.tensors)
    both = [name for name in wanted.tensors if name in spelled]
    equal = [name for name in both if wanted.tensors[name] == shapes[name]]
    same = set(equal)
    unknown = [name for name in spelled if name not in wanted.tensors]
    inside = _containers(wanted.tensors) if part == "text" else frozenset()
    beside = {name: why for name in unknown
              if (why := known_beside(name, shapes[name], part, inside))}
    return Match(
        wanted, prefix, spelled, shapes,
        sum(name != written or name not in spelled for name, written in named.items()), equal,
        [name for name in both if name not in same],
        [n for n in wanted.tensors if n not in spelled and n not in wanted.optional],
        [name for name in unknown if name not in beside], beside)


def _open(shapes: dict[str, Shape], spelled: dict[str, str], wanted: Mapping[str, Shape]) -> None:
    """Put what a checkpoint joins or splits under the model's names."""
    if shapes.keys() <= wanted.keys():
        return
    used: set[str] = set()
    for name, held in opened(shapes, wanted).items():
        shapes[name], spelled[name] = wanted[name], spelled[held[0]]
        used.update(held)
    for name in used:
        del shapes[name], spelled[name]


def _compared(match: Match, found: Mapping[str, Shape]) -> Comparison:
    """A match with its names joined in rows."""
    wanted, spelled = match.wanted, match.spelled
    ours, theirs = wanted.tensors, match.shapes
    many = counted(ours) if match.missing or match.others or wanted.turned else {}
    names = _as_theirs(match.missing, spelled) if match.missing else {}
    turned = [name for name in match.equal if name in wanted.turned]
    reversed_ = {name: "stored the other way round" for name in match.others
                 if ours[name] == theirs[name][::-1]}
    return Comparison(
        wanted.layout, match.prefix, len(match.equal),
        sum(math.prod(theirs[name]) for name in match.equal),
        missing=joined(match.missing, ours, spelled=names, among=many),
        extra=joined(match.extra, theirs, spelled=spelled),
        reshaped=joined(match.others, ours, spelled=spelled, among=many, others=theirs,
                        why=reversed_),
        transposed=joined(turned, ours, spelled=spelled, among=many),
        beside=joined(match.beside, theirs, spelled=spelled, why=match.beside),
        respelled=match.respelled)


def _as_theirs(missing: Iterable[str], spelled: Mapping[str, str]) -> dict[str, str]:
    """What the checkpoint would call missing tensors, where it has others of their pattern."""
    ways = {pattern(name): pattern(own) for name, own in spelled.items()}
    found: dict[str, str] = {}
    for name in missing:
        numbers = NUMBER.findall(name)
        own = ways.get(pattern(name), "").split("*")
        if len(own) == len(numbers) + 1 and own != [""]:
            found[name] = "".join(a + b for a, b in zip(own, (*numbers, ""), strict=True))
    return found


def _containers(names: Iterable[str]) -> frozenset[str]:
    """What the names of a language model begin with: everything before its layers, its head."""
    return frozenset({name.partition("layers.")[0] for name in names if "layers." in name}
                     | {"lm_head."})


@lru_cache(maxsize=2**18)
def _may_be_beside(name: str) -> bool:
    """Whether it is called as something beside; each layout of a model asks for the same names."""
    return _BESIDE.search(name) is not None


def known_beside(name: str, shape: Shape, part: str,
                 inside: frozenset[str] = frozenset()) -> str:
    """Why a tensor is no parameter of what is counted; empty where it may be one.

    Args:
        name: its name.
        shape: its shape; a mask has that of a mask.
        part: what of a larger model is counted.
        inside: what the names of that part begin with, as far as that is known.
    """
    if part == "text" and (OTHER_PARTS.search(name) or (
            inside and "" not in inside and not name.startswith(tuple(inside)))):
        return "outside the text part"
    if not _may_be_beside(name):
        return ""
    return next((why for expression, fits, why in BESIDE
                 if fits(shape) and expression.search(name)), "")


def common_prefix(wanted: Iterable[str], found: Iterable[str]) -> Prefix:
    """What most found names have in front of the expected ones, or in place of what these have.

    In the place of another stands what more than half of the names of one side have: a few that
    end alike say nothing.

    >>> common_prefix(["h.0.ln_1.weight", "wte.weight"], ["transformer.h.0.ln_1.weight"])
    Prefix(found='transformer.', own='')
    """
    ours, theirs = set(wanted), set(found)
    strange, unmet = theirs - ours, ours - theirs
    votes: Counter[Prefix] = Counter()
    votes[Prefix()] = len(ours) - len(unmet)
    ends = _ends(unmet)
    votes.update(Prefix("", own) for end, own in ends if end in theirs)
    alone = _once(ends)
    exchanged: Counter[Prefix] = Counter()
    for end, begin in _ends(strange):
        if end in ours:
            votes[Prefix(begin)] += 1
        elif end in alone:
            exchanged[Prefix(begin, alone[end])] += 1
    most = min(len(ours), len(theirs))
    votes.update({each: count for each, count in exchanged.items() if 2 * count > most})
    best, count = votes.most_common(1)[0]
    return best if count > votes[Prefix()] else Prefix()


def _ends(names: Iterable[str]) -> list[tuple[str, str]]:
    """Names without their first word, two or three words, each with these."""
    found: list[tuple[str, str]] = []
    for name in names:
        cut, place = 0, name.find(".")
        while place >= 0 and cut < 3:
            found.append((name[place + 1:], name[:place + 1]))
            cut, place = cut + 1, name.find(".", place + 1)
    return found


def _once(ends: list[tuple[str, str]]) -> dict[str, str]:
    """Those ends that one name alone has."""
    times = Counter(end for end, _ in ends)
    return {end: begin for end, begin in ends if times[end] == 1}


def _without_prefix(found: Mapping[str, Shape], prefix: Prefix,
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
