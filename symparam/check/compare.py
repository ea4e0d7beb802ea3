"""Two lists of tensors held against each other, name by name and shape by shape."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from symparam.check.expected import Expected
from symparam.check.header import Shape
from symparam.check.spellings import read_as
from symparam.layout import Layout, pattern

#: Tensors that checkpoints hold beside the parameters, and what they are.
BESIDE = tuple((re.compile(expression), why) for expression, why in (
    (r"\.rotary_emb\.\w+$|\.rotary_pos_emb\.\w+$", "rotary frequencies, computed and not learned"),
    (r"\.attn(\.attention)?\.(bias|masked_bias)$|\.attention\.(bias|masked_bias)$",
     "a causal mask, not learned"),
    (r"embeddings\.position_ids$", "position numbers, not learned"),
    (r"_scale(_inv|_2)?$|\.(k|v|input|output)_scale$|_scales$|_zero_point$",
     "scales of quantisation"),
))
#: Parts of a composite that are not its language model.
OTHER_PARTS = re.compile(r"(^|\.)(visual|vision\w*|audio\w*|multi_modal_projector|mm_projector|"
                         r"embed_vision|embed_audio|image_newline|connector|aligner)(\.|$)")


@dataclass(frozen=True)
class Row:
    """Tensors of one name pattern and shape.

    Attributes:
        name: the pattern, numbers written ``*``.
        shape: the shape on the side that has it.
        copies: how many there are.
        other: the other side's shape, where both have the name.
        why: what is known about it.
    """

    name: str
    shape: Shape
    copies: int
    other: Shape | None = None
    why: str = ""

    @property
    def numel(self) -> int:
        """Numbers in all copies."""
        return self.copies * math.prod(self.shape)


@dataclass(frozen=True)
class Comparison:
    """What a comparison found.

    Attributes:
        layout: the naming scheme that fits best.
        prefix: what the found names have in front (``model.``), or lack (``-model.``); else empty.
        matched, numel: tensors that are equal, and the numbers in them.
        missing: expected and not found. extra: found and not expected.
        reshaped: of another shape, the expected one first.
        transposed: equal but stored the other way round.
        beside: found, and known to be no parameters of what is counted.
        respelled: how many have a published checkpoint's spelling instead of the module's.
    """

    layout: Layout
    prefix: str
    matched: int
    numel: int
    missing: tuple[Row, ...]
    extra: tuple[Row, ...]
    reshaped: tuple[Row, ...]
    transposed: tuple[Row, ...]
    beside: tuple[Row, ...]
    respelled: int = 0

    @property
    def equal(self) -> bool:
        """Whether nothing is missing, extra or of another shape."""
        return not (self.missing or self.extra or self.reshaped)

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
    return min((_compare(each, found, part) for each in candidates), key=lambda c: c.distance)


def _compare(wanted: Expected, found: Mapping[str, Shape], part: str) -> Comparison:
    prefix = common_prefix(wanted.tensors, found)
    named = {_renamed(name, prefix, wanted.tensors): shape for name, shape in found.items()}
    spelled = read_as(named, wanted.tensors)
    respelled = len(named.keys() - spelled.keys())
    named, matched, transposed, reshaped = spelled, [], [], []
    for name in wanted.tensors.keys() & named.keys():
        ours, theirs = wanted.tensors[name], named[name]
        if ours == theirs:
            matched.append(name)
        elif len(ours) == 2 and ours == theirs[::-1]:
            transposed.append(name)
        else:
            reshaped.append(name)
    extra = {name: shape for name, shape in named.items() if name not in wanted.tensors}
    inside = _containers(wanted.tensors) if part == "text" else frozenset()
    beside = {name: why for name in extra if (why := known_beside(name, part, inside))}
    missing = [name for name in wanted.tensors
               if name not in named and name not in wanted.optional]
    equal = [*matched, *transposed]
    return Comparison(
        wanted.layout, prefix, len(equal), sum(math.prod(named[name]) for name in equal),
        _rows(missing, wanted.tensors), _rows([n for n in extra if n not in beside], extra),
        _rows(reshaped, wanted.tensors, named), _rows(transposed, wanted.tensors, named),
        _rows(beside, extra, why=beside), respelled)


def _containers(names: Iterable[str]) -> frozenset[str]:
    """What the names of a language model begin with: everything before its layers, its head."""
    return frozenset({name.partition("layers.")[0] for name in names if "layers." in name}
                     | {"lm_head."})


def known_beside(name: str, part: str, inside: frozenset[str] = frozenset()) -> str:
    """Why a tensor is no parameter of what is counted; empty where it may be one.

    Args:
        name: its name.
        part: what of a larger model is counted.
        inside: what the names of that part begin with, as far as that is known.
    """
    if part == "text" and (OTHER_PARTS.search(name) or (
            inside and "" not in inside and not name.startswith(tuple(inside)))):
        return "outside the text part"
    return next((why for expression, why in BESIDE if expression.search(name)), "")


def common_prefix(wanted: Iterable[str], found: Iterable[str]) -> str:
    """What most found names have in front of the expected ones (``-model.``: what they lack).

    >>> common_prefix(["h.0.ln_1.weight", "wte.weight"], ["transformer.h.0.ln_1.weight"])
    'transformer.'
    """
    ours, theirs = set(wanted), set(found)
    votes: Counter[str] = Counter()
    votes[""] = len(ours & theirs)
    for sign, names, others in (("", theirs, ours), ("-", ours, theirs)):
        for name in names:
            parts = name.split(".")
            for cut in range(1, min(len(parts), 4)):
                if ".".join(parts[cut:]) in others:
                    votes[f"{sign}{'.'.join(parts[:cut])}."] += 1
    best, count = votes.most_common(1)[0]
    return best if count > votes[""] else ""


def _renamed(name: str, prefix: str, wanted: Mapping[str, Shape]) -> str:
    """A found name as the model would write it."""
    if name in wanted or not prefix:
        return name
    if prefix.startswith("-"):
        return prefix[1:] + name if prefix[1:] + name in wanted else name
    return name.removeprefix(prefix)


def _rows(names: Iterable[str], shapes: Mapping[str, Shape],
          others: Mapping[str, Shape] | None = None,
          why: Mapping[str, str] | None = None) -> tuple[Row, ...]:
    """Names joined by pattern and shape, in order."""
    counts: Counter[tuple[str, Shape, Shape | None, str]] = Counter()
    for name in names:
        other = others[name] if others is not None else None
        counts[pattern(name), shapes[name], other, why[name] if why else ""] += 1
    rows = (Row(name, shape, n, other, reason)
            for (name, shape, other, reason), n in counts.items())
    return tuple(sorted(rows, key=lambda row: (row.name, row.shape)))
