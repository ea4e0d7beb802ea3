"""Two lists of tensors held against each other blind to names, by their shapes alone.

A checkpoint from a program of one's own has the same tensors under other names. That the shapes are
the same, each as often, says that the numbers of parameters are; which tensor is which it does not
say. What is put forward for that is a proposal.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Literal, TypeAlias

from symparam.checkpoints.compare import Match
from symparam.checkpoints.header import Shape
from symparam.dataclass import dataclass
from symparam.layout import NUMBER, pattern

#: What programs call the matrices of a layer, each line one of them; words of a name, or its end.
_CALLED = tuple(frozenset(line.split()) for line in (
    "q wq query q_proj to_q attn_q q_lin w_q queries query_proj",
    "k wk key k_proj to_k attn_k k_lin w_k keys key_proj",
    "v wv value v_proj to_v attn_v v_lin w_v values value_proj",
    "o wo out o_proj out_proj to_out attn_output attn_out out_lin w_o c_proj proj attn_proj",
    "gate w1 gate_proj wi_0 ffn_gate w_gate linear_gate fc_gate",
    "up w3 up_proj wi_1 ffn_up w_up linear_up fc_up fc1 c_fc linear1 fc_in",
    "down w2 down_proj ffn_down w_down linear_down fc_down fc2 linear2 fc_out",
    "input_layernorm attention_norm attn_norm norm1 ln_1 ln1 ln_attn pre_attention_norm rms_1 "
    "self_attn_layer_norm norm_attn",
    "post_attention_layernorm ffn_norm mlp_norm norm2 ln_2 ln2 ln_mlp pre_ffn_norm rms_2 "
    "final_layer_norm norm_ffn norm_mlp",
    "norm ln_f final_norm norm_f output_norm ln_final norm_out",
    "embed_tokens wte tok_embeddings token_embedding token_embd embedding embeddings tok_emb "
    "embed_in word_embeddings embed token_emb",
    "wpe embed_positions position_embedding pos_emb position_embd positions position_embeddings",
    "lm_head output head unembed embed_out to_logits unembedding",
    "bias b beta", "weight w kernel gamma gain scale"))


Why: TypeAlias = Literal["shape", "bias", "name", "rest", "open"]
#: What tells tensors apart.
WHYS: dict[Why, str] = {
    "shape": "no other has this shape so often", "bias": "how long the bias of each is",
    "name": "what both are called", "rest": "what is left of this shape",
    "open": "any of these may be any of those"}


@dataclass(frozen=True)
class Proposal:
    """Tensors of the model, and those found that may be them.

    Attributes:
        names, found: patterns; one each where they are told apart, several where they are not.
        shape: of each. copies: how many there are of each pattern.
        why: what tells them apart, one of :data:`WHYS`.
    """

    names: tuple[str, ...]
    found: tuple[str, ...]
    shape: Shape
    copies: int
    why: Why = "open"


@dataclass(frozen=True)
class Blind:
    """What shapes alone say.

    Attributes:
        layout: the model's naming scheme under which most shapes agree.
        same, numel: tensors with a counterpart of their shape, and the numbers in them.
        turned: whether shapes agree only when it does not matter which way round they are stored.
        stacked: whether they agree where a tensor holds a matrix of all layers.
        missing, extra: shapes that are left on either side, each with how many there are.
        proposals: which tensors may be which, of those whose names do not agree.
    """

    layout: str
    same: int
    numel: int
    turned: bool
    stacked: bool
    missing: tuple[tuple[Shape, int], ...]
    extra: tuple[tuple[Shape, int], ...]
    proposals: tuple[Proposal, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether both sides have the same shapes, each as often."""
        return not (self.missing or self.extra)


@dataclass(frozen=True)
class _Sides:
    """What is held against each other: tensors of the model, and those found."""

    layout: str
    ours: Mapping[str, Shape]
    theirs: Mapping[str, Shape]
    stacked: bool


def blind(tried: Iterable[Match]) -> Blind | None:
    """The comparison by shapes, in the way that leaves least; None where half is left.

    Of ways that leave as much it is the one in which the most tensors that agree in shape do so in
    what they are called and in their biases: a matrix that is turned has another's shape, and not
    its bias.

    Args:
        tried: the tensors that there are, under each of the model's layouts.
    """
    found: list[tuple[tuple[int, ...], Blind, _Sides]] = []
    least: int | None = None
    for sides in (sides for match in tried for sides in _sides(match)):
        for turned in (False, True):
            held = _held(sides, turned)
            left = _left(held)
            if left <= held.same and (least is None or left <= least):
                least = left
                found.append(((left, -_signs(sides, turned), turned), held, sides))
    if not found:
        return None
    _, held, sides = min(found, key=lambda each: each[0])
    return replace(held, proposals=tuple(_proposals(sides.ours, sides.theirs, held.turned)))


def _sides(match: Match) -> Iterator[_Sides]:
    """Both sides under a layout; where fewer were found, its layers stacked too."""
    each = match.wanted
    ours = {name: shape for name, shape in each.tensors.items()
            if name not in each.optional or name in match.spelled}
    theirs = {name if name in ours else match.spelled[name]: shape
              for name, shape in match.shapes.items() if name not in match.beside}
    yield _Sides(each.layout.name, ours, theirs, False)
    if len(theirs) < len(ours):
        yield _Sides(each.layout.name, _stacked(ours), theirs, True)


def _stacked(tensors: Mapping[str, Shape]) -> dict[str, Shape]:
    """One tensor for a matrix of all layers, as programs have it that scan over them."""
    copies = Counter((NUMBER.sub("*", name, count=1), shape) for name, shape in tensors.items())
    return {name: (count, *shape) if "*" in name else shape
            for (name, shape), count in copies.items()}


def _left(held: Blind) -> int:
    return sum(count for _, count in (*held.missing, *held.extra))


def _key(shape: Shape, turned: bool) -> Shape:
    return tuple(sorted(shape)) if turned else shape


def _held(sides: _Sides, turned: bool) -> Blind:
    wanted, there = (_shapes(side, turned) for side in (sides.ours, sides.theirs))
    same = wanted & there
    return Blind(sides.layout, same.total(), sum(math.prod(s) * n for s, n in same.items()), turned,
                 sides.stacked, tuple(sorted((wanted - there).items())),
                 tuple(sorted((there - wanted).items())))


def _shapes(tensors: Mapping[str, Shape], turned: bool) -> Counter[Shape]:
    """How often each shape is there."""
    found: Counter[Shape] = Counter()
    for shape, count in Counter(tensors.values()).items():
        found[_key(shape, turned)] += count
    return found


def _signs(sides: _Sides, turned: bool) -> int:
    """How much of what agrees in shape agrees in what it is called and in its bias as well."""
    counts: list[Counter[object]] = []
    for side in (sides.ours, sides.theirs):
        counts.append(Counter((_key(side[name], turned), length)
                              for name, length in _outputs(side).items()))
        counts[-1].update((_key(shape, turned), called) for name, shape in side.items()
                          if (called := _called(pattern(name))))
    return (counts[0] & counts[1]).total()


def _outputs(tensors: Mapping[str, Shape]) -> dict[str, int]:
    """How many outputs a matrix has, of those that have a bias beside them."""
    found: dict[str, int] = {}
    for name, shape in tensors.items():
        stem, _, last = name.rpartition(".")
        if last not in _CALLED[-1]:
            continue
        for word in _CALLED[-2]:
            bias = tensors.get(f"{stem}.{word}")
            if bias is not None and 1 <= len(bias) < len(shape):
                found[name] = bias[-1]
    return found


def _proposals(ours: Mapping[str, Shape], theirs: Mapping[str, Shape],
               turned: bool) -> list[Proposal]:
    """Patterns paired by shape and number, by their biases, then by what they are called."""
    classes = [_classes({n: s for n, s in side.items() if n not in other}, turned)
               for side, other in ((ours, theirs), (theirs, ours))]
    outputs = [{pattern(name): length for name, length in _outputs(side).items()}
               for side in (ours, theirs)]
    found: list[Proposal] = []
    for (shape, copies), names in classes[0].items():
        others = classes[1].get((shape, copies), [])
        parts = _by_bias(names, others, *outputs) if others else []
        for some, those in parts:
            if len(some) != len(those):
                found.append(Proposal(tuple(some), tuple(those), shape, copies))
            elif len(some) == 1:
                found.append(Proposal((some[0],), (those[0],), shape, copies,
                                      "shape" if len(parts) == 1 else "bias"))
            else:
                found += _by_name(some, those, shape, copies)
    return found


def _by_bias(names: list[str], others: list[str], own: Mapping[str, int],
             found: Mapping[str, int]) -> list[tuple[list[str], list[str]]]:
    """Those of a shape by the lengths of their biases, if as many have each of them; else all."""
    parts: dict[int | None, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for name in names:
        parts[own.get(name)][0].append(name)
    for name in others:
        parts[found.get(name)][1].append(name)
    alike = all(len(some) == len(those) for some, those in parts.values())
    return list(parts.values()) if alike else [(names, others)]


def _classes(tensors: Mapping[str, Shape], turned: bool) -> dict[tuple[Shape, int], list[str]]:
    """The patterns of each shape and number of copies."""
    counts = Counter((pattern(name), _key(shape, turned)) for name, shape in tensors.items())
    found: dict[tuple[Shape, int], list[str]] = defaultdict(list)
    for (name, shape), copies in counts.items():
        found[shape, copies].append(name)
    return found


def _by_name(names: list[str], others: list[str], shape: Shape, copies: int) -> list[Proposal]:
    """Of several of a shape, those that one word for the same thing pairs; the rest together."""
    called = {name: _called(name) for name in (*names, *others)}
    pairs: list[tuple[str, str]] = []
    for name in names:
        fitting = [other for other in others if called[name] and called[name] == called[other]]
        if len(fitting) == 1 and sum(called[n] == called[name] for n in names) == 1:
            pairs.append((name, fitting[0]))
    found = [Proposal((one,), (other,), shape, copies, "name")
             for one, other in pairs]
    rest = [n for n in names if n not in {one for one, _ in pairs}]
    left = [n for n in others if n not in {other for _, other in pairs}]
    if len(rest) == 1:
        found.append(Proposal((rest[0],), (left[0],), shape, copies, "rest"))
    elif rest:
        found.append(Proposal(tuple(rest), tuple(left), shape, copies))
    return found


@lru_cache(maxsize=2**14)
def _called(name: str) -> frozenset[int]:
    """For which matrices the words of a name stand; the last word that names one counts."""
    words = [word for word in re.split(r"[./:]", name.lower()) if word != "*"]
    found: list[int] = []
    for word in words:
        found += [place for place, line in enumerate(_CALLED) if word in line]
    last = len(_CALLED) - 2  # (weight and bias say which of two, and nothing of the matrix)
    own = [place for place in found if place < last]
    return frozenset([*own[-1:], *(place for place in found if place == last)])
