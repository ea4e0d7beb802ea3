"""Two lists of tensors held against each other, name by name and shape by shape."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from symparam.checkpoints.bundles import opened
from symparam.checkpoints.expected import Expected
from symparam.checkpoints.header import Shape
from symparam.checkpoints.prefix import Prefix, common_prefix, without_prefix
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
#: Whether it is called as any of those that begin with a letter of their own, asked once.
_BESIDE = re.compile("|".join(expression.pattern for expression, *_ in BESIDE
                              if not expression.pattern.startswith("^")))
#: Parts of a composite that are not its language model.
OTHER_PARTS = re.compile(r"(^|\.)(visual|vision\w*|audio\w*|multi_modal_projector|mm_projector|"
                         r"embed_vision|embed_audio|image_newline|connector|aligner)(\.|$)")


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
    names: _Names | None = None
    for each in candidates:
        if names is None or each.tensors.keys() != tried[-1].wanted.tensors.keys():
            names = _named(each.tensors, found, part)  # (what is turned has the same names)
        tried.append(_matched(each, found, names))
        if not tried[-1].distance:
            break
    return tried


def nearest(tried: Iterable[Match], found: Mapping[str, Shape]) -> Comparison:
    """The comparison of the layout that leaves least, the first of several."""
    return _compared(min(tried, key=lambda match: match.distance), found)


class _Names(NamedTuple):
    """Names found under those of a model, whatever the shapes are; as in :class:`Match`.

    ``changed`` are those that were read by another spelling than the prefix explains.
    """

    prefix: Prefix
    spelled: dict[str, str]
    changed: frozenset[str]
    beside: dict[str, str]


def _named(wanted: Mapping[str, Shape], found: Mapping[str, Shape], part: str) -> _Names:
    prefix = common_prefix(wanted, found)
    plain, named = _read(wanted, found, prefix)
    if prefix.found and prefix.own:  # what files are known to be written as needs no exchange
        known = common_prefix(wanted, found, exchanging=False)
        other = _read(wanted, found, known)
        if len(wanted.keys() & other[1].keys()) >= len(wanted.keys() & named.keys()):
            prefix, (plain, named) = known, other
    inside = _containers(wanted) if part == "text" else frozenset()
    beside = {name: why for name, written in named.items() if name not in wanted and (
        why := known_beside(name, found[plain[written]], part, inside))}
    return _Names(prefix, {name: plain[written] for name, written in named.items()},
                  frozenset(name for name, written in named.items() if name != written), beside)


def _read(wanted: Mapping[str, Shape], found: Mapping[str, Shape],
          prefix: Prefix) -> tuple[dict[str, str], dict[str, str]]:
    """Names without a prefix to those found, and what they are read as to the former."""
    plain = without_prefix(found, prefix, wanted)
    return plain, read_as(plain, wanted)


def _matched(wanted: Expected, found: Mapping[str, Shape], names: _Names) -> Match:
    spelled = dict(names.spelled)
    shapes = {name: found[own] for name, own in spelled.items()}
    used = _open(shapes, spelled, wanted.tensors)
    both = [name for name in wanted.tensors if name in spelled]
    equal = [name for name in both if wanted.tensors[name] == shapes[name]]
    same = set(equal)
    beside = {name: why for name, why in names.beside.items() if name in spelled}
    return Match(
        wanted, names.prefix, spelled, shapes, len(names.changed | used), equal,
        [name for name in both if name not in same],
        [n for n in wanted.tensors if n not in spelled and n not in wanted.optional],
        [name for name in spelled if name not in wanted.tensors and name not in beside], beside)


def _open(shapes: dict[str, Shape], spelled: dict[str, str],
          wanted: Mapping[str, Shape]) -> set[str]:
    """Put what a checkpoint joins or splits under the model's names; what was found of these."""
    used: set[str] = set()
    if shapes.keys() <= wanted.keys():
        return used
    for name, held in opened(shapes, wanted).items():
        shapes[name], spelled[name] = wanted[name], spelled[held[0]]
        used.update(held)
    for name in used:
        del shapes[name], spelled[name]
    return used


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


@lru_cache(maxsize=2**20)
def _may_be_beside(name: str) -> bool:
    """Whether it is called as something beside; each layout of a model asks for the same names."""
    return bool(_BESIDE.search(name) or ROTARY.fullmatch(name))


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
