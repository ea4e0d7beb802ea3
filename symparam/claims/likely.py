"""The likely changes of an architecture: those that go together in published models, and the
published model that a row is named after."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

from symparam.claims.alternatives import Alternative
from symparam.descriptions import catalogue
from symparam.descriptions.options import Options, apply
from symparam.dims import D_FF, D_HEAD, D_MODEL, N_HEADS, N_KV, L, V
from symparam.errors import SymparamError
from symparam.grammar import parse_rule
from symparam.model import Model
from symparam.resolve import numbers, with_overrides

#: Key-value heads of grouped queries, the usual first.
GROUPS = (8, 4, 2, 16)
#: How many published widths of a network are tried beside that of its rule.
WIDTHS = 3
#: The width of a gated network where only its rule is known.
GATED = "8/3*d_model, up to 256"
#: The dims in which a row and a published model are compared.
COMPARED = (L, D_MODEL, N_HEADS, N_KV, D_HEAD, D_FF, V)
#: The kinds of component in which they are compared.
KINDS = ("ffn", "norm", "positions")


class Change(NamedTuple):
    """One of the changes that may go together.

    Attributes:
        what: in words.
        option: what to write for it.
        options: those of the architecture; dims: those that it gives.
    """

    what: str
    option: str
    options: Options
    dims: dict[str, int]


def likely(model: Model, many: int = 1) -> Iterator[Alternative]:
    """A gated network with its usual width, grouped queries, biases of these, a tied head.

    Nothing is yielded for a published model, whose architecture is known.

    Args:
        model: the architecture as it is counted.
        many: how many of them at a time; alone, only the first two: the others are ways to count.

    >>> from symparam.descriptions.decoder import decoder
    >>> plain = with_overrides(decoder(Options()), {"d_model": 4096, "n_heads": 32, "d_ff": 11008})
    >>> [option for _, _, option, _ in likely(plain)][:2]
    ['--ffn swiglu', '--attention gqa n_kv=8']
    """
    if model.source or model.trace is not None:
        return
    kinds = [[*_networks(model)], [*_groups(model)], [*_rest()]]
    for each in product(*([*kind, None] for kind in kinds)):
        way = [change for change in each if change is not None]
        if len(way) == many and way[0] not in kinds[2]:
            yield ("option", _listed([c.what for c in way]), " ".join(c.option for c in way),
                   lambda way=way: _made(model, way))  # type: ignore[misc]


def _listed(words: list[str]) -> str:
    """Words with commas between them, and one "and"."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _made(model: Model, way: list[Change]) -> Model:
    """The model with some changes."""
    for change in way:
        model = with_overrides(apply(model, change.options), change.dims)
    return model


def _networks(model: Model) -> Iterator[Change]:
    """SwiGLU in place of a plain network: as wide as it is, as its rule says, as published."""
    if not any(slot.component.name == "mlp" for _, slot in model.slots()):
        return
    swiglu = Options(ffn="swiglu")
    if D_FF.name in model.values:
        yield Change("SwiGLU", "--ffn swiglu", swiglu, {})
        return
    width = model.values.get(D_MODEL.name)
    if width is None:
        return
    rule = parse_rule(GATED)
    own = with_overrides(apply(model, swiglu), {D_FF.name: rule})
    try:
        usual = [numbers(own).values[D_FF.name]]
    except SymparamError:
        usual = []
    for size in dict.fromkeys((*usual, *_published_widths().get(width, ())[:WIDTHS])):
        yield Change("SwiGLU", f"--ffn swiglu d_ff={size}", swiglu, {D_FF.name: size})


def _groups(model: Model) -> Iterator[Change]:
    """Grouped queries where each query head has its own key-value head."""
    heads = model.values.get(N_HEADS.name)
    if heads is None or N_KV.name in model.values:
        return
    for kv in (kv for kv in GROUPS if kv < heads and heads % kv == 0):
        yield Change(f"{kv} key-value heads", f"--attention gqa n_kv={kv}",
                     Options(attention="gqa"), {N_KV.name: kv})


def _rest() -> Iterator[Change]:
    yield Change("biases of queries, keys and values", "--bias qkv",
                 Options(bias=frozenset({"qkv"})), {})
    yield Change("a tied head", "--tied", Options(tied=True), {})


@cache
def _published_widths() -> dict[int, list[int]]:
    """The inner widths of published models by their width, the most frequent first."""
    found: dict[int, Counter[int]] = {}
    for _, dims in catalogue.stated():
        if D_FF.name in dims and D_MODEL.name in dims:
            found.setdefault(dims[D_MODEL.name], Counter())[dims[D_FF.name]] += 1
    return {width: [size for size, _ in sizes.most_common()] for width, sizes in found.items()}


def called_after(name: str) -> str | None:
    """The name of the published model that a row is named after, in whichever way it is spelled.

    >>> called_after("Mistral 7B"), called_after("GPT-2"), called_after("ours")
    ('mistral-7b', 'gpt2', None)
    """
    return _spellings().get(_bare(name))


@cache
def _spellings() -> dict[str, str]:
    return {_bare(each): each for each in catalogue.names()}


def _bare(name: str) -> str:
    return re.sub(r"[-_\s]", "", name.lower())


def unlike(model: Model, other: Model) -> str:
    """In words, what another model has that a model has not: numbers of dims, components, its head.

    >>> from symparam.descriptions.load import load
    >>> unlike(load("llama-2-7b"), load("mistral-7b"))
    'n_kv = 8, d_ff = 14336'
    """
    own, theirs = _numbers(model), _numbers(other)
    words = [f"{dim.name} = {theirs[dim.name]}" for dim in COMPARED
             if dim.name in theirs and theirs[dim.name] != own.get(dim.name)]
    have = _kinds(model)
    return ", ".join([*words, *(kind for kind in _kinds(other) if kind not in have)])


def _numbers(model: Model) -> dict[str, int]:
    try:
        return dict(numbers(model).values)
    except SymparamError:
        return dict(model.values)


def _kinds(model: Model) -> list[str]:
    """What a model is made of, as far as rows of a table may speak of it."""
    slots = [slot.component for _, slot in model.slots()]
    titles = (each.title for slot in KINDS for each in slots if each.slot == slot)
    tied = [bool(vars(each).get("tied")) for each in slots if each.slot == "head"]
    return [*dict.fromkeys(titles), *["biases"] * any(vars(each).get("bias") for each in slots),
            *("a tied head" if each else "an untied head" for each in tied[:1])]
