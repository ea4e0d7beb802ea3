"""Two lists of tensors held against each other blind to names, by their shapes alone.

A checkpoint from a program of one's own has the same tensors under other names. That the shapes are
the same, each as often, says that the numbers of parameters are; which tensor is which it does not
say. What is put forward for that is a proposal.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from symparam.checkpoints.compare import Match
from symparam.checkpoints.header import Shape
from symparam.dataclass import dataclass
from symparam.layout import pattern

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


Why: TypeAlias = Literal["shape", "name", "rest", "open"]
#: What tells tensors apart.
WHYS: dict[Why, str] = {
    "shape": "no other has this shape so often", "name": "what both are called",
    "rest": "what is left of this shape", "open": "any of these may be any of those"}


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
        missing, extra: shapes that are left on either side, each with how many there are.
        proposals: which tensors may be which, of those whose names do not agree.
    """

    layout: str
    same: int
    numel: int
    turned: bool
    missing: tuple[tuple[Shape, int], ...]
    extra: tuple[tuple[Shape, int], ...]
    proposals: tuple[Proposal, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether both sides have the same shapes, each as often."""
        return not (self.missing or self.extra)


def blind(tried: Iterable[Match]) -> Blind | None:
    """The comparison by shapes, under the layout that leaves least; None where half is left.

    Args:
        tried: the tensors that there are, under each of the model's layouts.
    """
    best: tuple[Blind, Mapping[str, Shape], Mapping[str, Shape]] | None = None
    for match in tried:
        each = match.wanted
        ours = {name: shape for name, shape in each.tensors.items()
                if name not in each.optional or name in match.spelled}
        theirs = {name if name in ours else match.spelled[name]: shape
                  for name, shape in match.shapes.items() if name not in match.beside}
        for turned in (False, True):
            held = _held(each.layout.name, ours, theirs, turned)
            if best is None or _left(held) < _left(best[0]):
                best = held, ours, theirs
    if best is None or _left(best[0]) > best[0].same:
        return None
    nearest, wanted, there = best
    return replace(nearest, proposals=tuple(_proposals(wanted, there, nearest.turned)))


def _left(held: Blind) -> int:
    return sum(count for _, count in (*held.missing, *held.extra))


def _key(shape: Shape, turned: bool) -> Shape:
    return tuple(sorted(shape)) if turned else shape


def _held(layout: str, ours: Mapping[str, Shape], theirs: Mapping[str, Shape],
          turned: bool) -> Blind:
    wanted = Counter(_key(shape, turned) for shape in ours.values())
    there = Counter(_key(shape, turned) for shape in theirs.values())
    same = wanted & there
    return Blind(layout, same.total(), sum(math.prod(s) * n for s, n in same.items()), turned,
                 tuple(sorted((wanted - there).items())), tuple(sorted((there - wanted).items())))


def _proposals(ours: Mapping[str, Shape], theirs: Mapping[str, Shape],
               turned: bool) -> list[Proposal]:
    """Patterns paired by shape and number, then by what they are called."""
    classes = [_classes({n: s for n, s in side.items() if n not in other}, turned)
               for side, other in ((ours, theirs), (theirs, ours))]
    found: list[Proposal] = []
    for (shape, copies), names in classes[0].items():
        others = classes[1].get((shape, copies), [])
        if len(names) != len(others):
            if others:
                found.append(Proposal(tuple(names), tuple(others), shape, copies))
            continue
        if len(names) == 1:
            found.append(Proposal((names[0],), (others[0],), shape, copies,
                                  "shape"))
            continue
        found += _by_name(names, others, shape, copies)
    return found


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


def _called(name: str) -> frozenset[int]:
    """For which matrices the words of a name stand; the last word that names one counts."""
    words = [word for word in re.split(r"[./:]", name.lower()) if word != "*"]
    found: list[int] = []
    for word in words:
        found += [place for place, line in enumerate(_CALLED) if word in line]
    last = len(_CALLED) - 2  # (weight and bias say which of two, and nothing of the matrix)
    own = [place for place in found if place < last]
    return frozenset([*own[-1:], *(place for place in found if place == last)])
