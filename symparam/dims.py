"""Hyperparameters, declared once: name, letter, meaning, aliases. No SymPy here.

The common ones stand in one table; a component declares the special ones that it alone uses
beside itself, and they are found through :func:`register`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from symparam.dataclass import dataclass
from symparam.errors import Contradiction, UnknownName
from symparam.letters import Letter, read, spelled


@dataclass(frozen=True)
class Dim:
    """One hyperparameter.

    Attributes:
        name: ASCII name, the field's standard one; a Python identifier.
        latex: how it is set in the default notation: LaTeX of one letter (the grammar stands in
            :mod:`symparam.letters`), or the letter itself; empty for one that is spelled as the
            name is.
        meaning: what it counts, with its unit.
        aliases: names that configurations and papers give it.
    """

    name: str
    latex: str | Letter
    meaning: str
    aliases: tuple[str, ...] = ()

    @property
    def letter(self) -> Letter:
        """What it is written with in the default notation.

        Raises:
            ParseError: the LaTeX that its author gave is none of a letter.
        """
        if isinstance(self.latex, Letter):
            return self.latex
        return read(self.latex) if self.latex else spelled(self.name)


V = Dim("V", "V", "vocabulary size: rows of the token embedding", (
    "vocab_size", "vocab", "n_vocab"))
L = Dim("L", "L", "number of layers (blocks)", (
    "num_hidden_layers", "n_layer", "n_layers", "num_layers", "layers", "depth"))
N_CTX = Dim("n_ctx", r"n_{\text{ctx}}", "context length: rows of a learned position table", (
    "max_position_embeddings", "n_positions", "context_length", "block_size", "max_seq_len"))
D_MODEL = Dim("d_model", r"d_{\text{model}}", "width of the residual stream", (
    "d", "hidden_size", "n_embd", "emb_dim", "hidden_dim", "dim", "width", "embed_dim"))
D_FF = Dim("d_ff", r"d_{\text{ff}}", "inner width of the feed-forward network", (
    "intermediate_size", "n_inner", "ffn_dim", "d_ffn", "ffn_hidden_size"))
N_HEADS = Dim("n_heads", r"n_{\text{heads}}", "number of query heads in a layer", (
    "num_attention_heads", "n_head", "num_heads", "heads"))
N_KV = Dim("n_kv", r"n_{\text{kv}}", "number of key-value heads in a layer", (
    "num_key_value_heads", "n_kv_heads", "num_kv_heads", "n_head_kv", "n_kv_groups"))
D_HEAD = Dim("d_head", r"d_{\text{head}}", "width of one attention head", (
    "head_dim", "d_k", "d_kv", "kv_channels", "head_size"))
N_TYPES = Dim("n_types", r"n_{\text{types}}", "number of segment types", ("type_vocab_size",))

#: The order in which factors are written: counts of things first, then widths.
COMMON: tuple[Dim, ...] = (V, L, N_CTX, N_TYPES, D_MODEL, D_FF, N_HEADS, N_KV, D_HEAD)

#: Ratios that formulas are written with when somebody assumes so: dims of no component.
RATIOS: tuple[Dim, ...] = (
    Dim("g", "g", "group size: query heads to one key-value head", (
        "group_size", "num_key_value_groups", "n_rep")),
)

#: What bounds the keys that a query sees: a dim of layers that changes none of their weights.
WINDOW = Dim("window", "w", "tokens that a layer with a sliding window sees", ("sliding_window",))

#: The total, as a key of ``solve`` and a symbol of its formulas; not a dim of any model.
TOTAL = Dim("P", "P", "total number of parameters", ("total", "params", "n_params", "N_params"))

#: Names that the field uses for two different things, and what to say instead.
AMBIGUOUS = {
    "h": "h is heads to some and width to others: write n_heads or d_model",
    "H": "H is heads to some and width to others: write n_heads, d_head or d_model",
    "N": "N is parameters to some and heads or layers to others: write P, n_heads or L",
    "K": "K is heads to some and a thousand to others: write n_kv",
    "T": "T is a length to some and a trillion to others: write n_ctx",
}

_registry: dict[str, Dim] = {}
_last: set[str] = set()
_aliases: dict[str, str] = {}
_own: list[Callable[[], object]] = []
_outside: list[Callable[[], object]] = []


def declared_elsewhere(own: Callable[[], object], outside: Callable[[], object]) -> None:
    """Say where further dims are declared, for when they are asked for.

    Args:
        own: registers those beside components of the package's own; it may run more than once.
        outside: registers those of packages outside.
    """
    _own.append(own)
    _outside.append(outside)


def declare_own() -> None:
    """Make all dims of the package's own known, before somebody else takes one of their names."""
    for declare in _own:
        declare()


def declare_all() -> None:
    """Make all dims known, those of packages outside too."""
    declare_own()
    while _outside:
        _outside.pop()()


def register(dims: Iterable[Dim], last: bool = False) -> None:
    """Make dims known by name and alias.

    Registering an equal dim again changes nothing.

    Args:
        dims: the dims.
        last: whether they are written after those of an architecture.

    Raises:
        Contradiction: another dim has the name or the alias already.
    """
    names, aliases, made = dict(_registry), dict(_aliases), tuple(dims)
    for dim in made:
        if names.setdefault(dim.name, dim) != dim:
            raise _clash(f"dim {dim.name} ({dim.meaning})",
                         f"the known dim {dim.name} ({names[dim.name].meaning})")
        if dim.name in aliases:
            raise _clash(f"dim {dim.name} ({dim.meaning})", _alias(names, aliases, dim.name))
        for alias in dim.aliases:
            if alias in names:
                raise _clash(f"alias {alias} of {dim.name}",
                             f"the known dim {alias} ({names[alias].meaning})")
            if aliases.setdefault(alias, dim.name) != dim.name:
                raise _clash(f"alias {alias} of {dim.name}", _alias(names, aliases, alias))
    _registry.update(names)
    _aliases.update(aliases)
    _last.update(dim.name for dim in made if last)


def _alias(names: Mapping[str, Dim], aliases: Mapping[str, str], name: str) -> str:
    known = names[aliases[name]]
    return f"{name} as another name of the known dim {known.name} ({known.meaning})"


def _clash(new: str, old: str) -> Contradiction:
    return Contradiction(new, old, "a name stands for one dim; take that one, or another name")


register((*COMMON, *RATIOS, TOTAL))
register((WINDOW,), last=True)

#: The notations that dims can be written in.
NOTATIONS = ("paper", "hf", "megatron", "scaling-book", "palm")
#: What the name of a file with another notation ends in.
NOTATION_SUFFIX = ".toml"


def known_dims() -> tuple[Dim, ...]:
    """All dims that there are, in the order in which they are written."""
    declare_all()
    return tuple(sorted(_registry.values(), key=lambda dim: order_key(dim.name)))


def same_letter(dims: Iterable[Dim]) -> Iterator[tuple[Dim, Dim]]:
    """Which of some dims have the letter of another one in the default notation: of each other, or
    of those that are declared so far.

    >>> same = list(same_letter([Dim("width_of_mine", "w", "a width")]))
    >>> [(dim.name, other.name) for dim, other in same]
    [('width_of_mine', 'window')]
    """
    made = tuple(dims)
    letters = {dim.name: dim.letter for dim in (*_registry.values(), *made)}
    for dim in made:
        yield from ((dim, other) for other in (*_registry.values(), *made)
                    if other.name != dim.name and letters[other.name] == letters[dim.name])


def is_declared(name: str) -> bool:
    """Whether a name is that of a dim, and no alias, among those that are declared so far."""
    return name in _registry


def is_known(name: str) -> bool:
    """Whether a name stands for a dim, or is an alias, among those that are declared so far."""
    return name in _registry or name in _aliases


class Names(dict[str, str]):
    """What the dims of one model may be called, with the name of each."""


def canonical(name: str, extra: Iterable[str] = ()) -> str:
    """The standard name of a dim given by name or alias.

    Args:
        name: what was written.
        extra: further names that are allowed as they stand (a description's own dims);
            :class:`Names` say what each stands for.

    Raises:
        UnknownName: no dim has the name; the nearest are offered.

    >>> canonical("hidden_size"), canonical("d_model")
    ('d_model', 'd_model')
    >>> canonical("h")
    Traceback (most recent call last):
    symparam.errors.UnknownName: unknown symbol 'h'; h is heads to some and width to others: \
write n_heads or d_model
    """
    allowed = extra if isinstance(extra, Names) else {each: each for each in extra}
    if name in allowed:
        return allowed[name]
    if name in _registry:
        return name
    if name in _aliases:
        return _aliases[name]
    if _outside and name not in AMBIGUOUS:
        declare_all()
        return canonical(name, allowed)
    raise UnknownName("symbol", name, {*_registry, *_aliases, *allowed}, _hint(name))


def _hint(name: str) -> str:
    """What to write in place of a name: what a letter of formulas stands for, or the usual ones."""
    meant = next((dim.name for dim in _registry.values() if dim.latex == name), None)
    if name in AMBIGUOUS or meant:
        return AMBIGUOUS.get(name) or f"{name} is the letter of {meant}: write {meant}"
    run = " ".join(each for each in _registry if each in _last)
    return (f"symbols are {' '.join(d.name for d in (*COMMON, TOTAL))}"
            + (f", and of what a model is run with {run}" if run else ""))


def standard(name: str) -> str:
    """The standard name of an alias; any other name, known or not, as it stands.

    >>> standard("vocab_size"), standard("d_narrow")
    ('V', 'd_narrow')
    """
    if name not in _registry and name not in _aliases:
        declare_all()
    return _aliases.get(name, name)


def describe(name: str) -> Dim:
    """The declaration of a dim; a name of somebody's own gets a plain one.

    >>> str(describe("L_sparse").letter), describe("L_sparse").meaning
    ('L_sparse', 'number of layers of kind sparse')
    >>> str(describe("window_dense").letter)
    'w_dense'
    """
    if name in _registry:
        return _registry[name]
    stem, _, rest = name.partition("_")
    if stem == "L" and rest:
        return Dim(name, "", f"number of layers of kind {rest.replace('_', ' ')}")
    if stem == WINDOW.name and rest:
        return Dim(name, replace(spelled(name), base="w", font=""),
                   f"tokens that a layer of kind {rest.replace('_', ' ')} sees")
    return Dim(name, "", "a dim of this description")


#: Marks a dim of the second of two models, and stands before what changes from one to the other;
#: no name that is read can hold either.
PRIME, CHANGE = "′", "Δ"

#: What may stand before a name: a change, and the marks of derivatives.
_FRONTS = (CHANGE, "∂ln ", "∂", "ⅆ")


def primed(name: str) -> str:
    """The name of a dim of the second of two models.

    >>> primed("d_model"), unprimed("d_model′"), unprimed("L")
    ('d_model′', 'd_model', 'L')
    """
    return name + PRIME


def unprimed(name: str) -> str:
    """The name without the mark."""
    return name.removesuffix(PRIME)


def dressed(name: str) -> tuple[str, str, str]:
    """What stands before a name, the name itself, and the mark behind it.

    >>> dressed("d_model′"), dressed("ΔP_ffn"), dressed("∂d_model")
    (('', 'd_model', '′'), ('Δ', 'P_ffn', ''), ('∂', 'd_model', ''))
    """
    front = next((mark for mark in _FRONTS if name.startswith(mark)), "")
    bare = unprimed(name[len(front):])
    return front, bare, name[len(front) + len(bare):]


#: The places of common names, in the order in which the field writes them.
_PLACES = {dim.name: place for place, dim in enumerate(COMMON)}


def order_key(name: str) -> tuple[int, str]:
    """A sort key that puts symbols in the order in which the field writes them."""
    bare = unprimed(name)
    among = name.replace(PRIME, " ")  # L′ stands behind L and before L_dense
    stem = "L" if name.startswith("L_") else bare if bare in _PLACES else bare.rpartition("_")[0]
    place = _PLACES.get(stem)  # d_ff_vision stands where d_ff does
    return (len(_PLACES) + (bare in _last) if place is None else place), among
