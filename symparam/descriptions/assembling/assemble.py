"""Putting a model together as a configuration describes it: what families share.

A family reads its keys and says which slots its blocks have; what stands around them, kinds of
layer, names in a checkpoint with and without a head, come from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from symparam import expression as ex
from symparam.component import Component
from symparam.components import find
from symparam.constraints import Check, Equation, Sums
from symparam.dataclass import dataclass
from symparam.descriptions.assembling.routing import groups_of_experts
from symparam.descriptions.config import Config
from symparam.descriptions.decoder import head_stack
from symparam.descriptions.options import with_positions
from symparam.layout import Entry, Layout, entry
from symparam.model import Model
from symparam.stack import Repeat, Slot, Stack, counts_of_kinds

if TYPE_CHECKING:
    from symparam.descriptions.assembling.windows import Sliding

Block = tuple[Slot, ...]

#: Routed experts as transformers 5 stores them: all in one tensor, gate on top of up.
FUSED_EXPERTS = (entry("*.ffn", "X_gate X_up", ".experts.gate_up_proj"),
                 entry("*.ffn", "X_down", ".experts.down_proj"))

_FOLLOWS = Equation("n_kv", ex.Sym("n_heads"), "the configuration has no number of key-value heads")


def slot(path: str, name: str, prefix: str | None = None, bound: Mapping[str, str] | None = None,
         /, *, kind: str | None = None, **options: Any) -> Slot:
    """A place with the component of a name in it.

    Args:
        path: the place in the block: ``attention``, ``norms.ffn``.
        name: the component's name among the choices of its slot.
        prefix: what its tensor names begin with; the component's own when None.
        bound: dims that it takes under other names.
        kind: the slot whose choice it is; what stands before the first dot of the path if None
            (``norms.ffn`` is a ``norm``).
        **options: the component's options.

    >>> slot("norms.ffn", "rmsnorm").component.title
    'RMSNorm'
    """
    first = path.partition(".")[0]
    component = find(kind or ("norm" if first == "norms" else first), name).make(options)
    return Slot(path, component, prefix, bound or {})


def classes(*stems: str, **more: str) -> dict[str, str]:
    """Class names with what they are counted as: ``XForCausalLM`` and ``XModel`` of each stem."""
    found = {f"{stem}{tail}": task for stem in stems
             for tail, task in (("ForCausalLM", "causal"), ("Model", "base"))}
    return found | more


def differing(one: Block, other: Block) -> str:
    """The places in which two blocks have other components, or one has none.

    >>> differing((slot("norms.ffn", "rmsnorm"),), (slot("norms.ffn", "layernorm"),))
    'norms.ffn'
    """
    sides = [{each.path: each for each in block} for block in (one, other)]
    return ", ".join(path for path in {**sides[0], **sides[1]}
                     if sides[0].get(path) != sides[1].get(path))


@dataclass(frozen=True, kw_only=True)
class Places:
    """Where a decoder's parts stand in the names of its checkpoint.

    Attributes:
        top: what the names begin with in the class that has a head; the class without has none.
        token, layers, final_norm: what follows it, the layer number written ``*``.
        head: what the head's names begin with.
    """

    top: str = "model."
    token: str = "embed_tokens."
    layers: str = "layers.*."
    final_norm: str = "norm."
    head: str = "lm_head."


@dataclass(frozen=True)
class Layers:
    """Stacks of one or more kinds of layer, with the numbers and relations of their counts."""

    stacks: tuple[Stack, ...]
    values: Mapping[str, int]
    equations: tuple[Equation, ...] = ()
    checks: tuple[Check, ...] = ()


def layers_of(blocks: Mapping[str, Block], pattern: Sequence[str], prefix: str,
              name: str = "layers", total: str = "L") -> Layers:
    """The stacks of layers that follow a pattern.

    Kinds whose blocks are alike are one kind. The count of the last kind follows from L, and the
    others do where the list goes in a cycle; else they are known for this depth alone.

    Args:
        blocks: kind to block; a kind is a short word, and L_kind counts its layers.
        pattern: the kind of each layer.
        prefix: what the layers' names in a checkpoint begin with.
        name: the stacks' name.
        total: the dim that counts all of them.

    >>> from symparam.descriptions.options import norm_slots
    >>> norm = find("norm", "rmsnorm")()
    >>> made = layers_of({"dense": norm_slots(norm, 1), "sparse": norm_slots(norm, 2)},
    ...                  ["dense", "sparse", "sparse"], "model.layers.*.")
    >>> [s.name for s in made.stacks], made.values, str(made.equations[0])
    (['layers[dense]', 'layers[sparse]'], {'L': 3, 'L_dense': 1}, 'L_sparse = L - L_dense')
    """
    kinds = _numbers_of_kinds(blocks, pattern)
    values = {total: len(pattern)}
    if len(kinds) == 1:
        (kind,) = kinds
        return Layers((Stack(name, blocks[kind], Repeat.times(ex.Sym(total)), prefix),), values)
    counts = {kind: f"{total}_{kind}" for kind in kinds}
    stacks = tuple(Stack(f"{name}[{kind}]", blocks[kind], Repeat.times(ex.Sym(counts[kind])),
                         prefix, tuple(numbers)) for kind, numbers in kinds.items())
    from symparam.descriptions.pattern import counted, cycle_of

    *others, last = kinds
    rest: ex.Expr = ex.Sym(total)
    kind_of = {number: kind for kind, numbers in kinds.items() for number in numbers}
    cycle = cycle_of([kind_of[number] for number in range(len(pattern))])
    found = [counted(counts[kind], total, len(pattern), kinds[kind], cycle) for kind in others]
    for kind, each in zip(others, found, strict=True):
        values |= each.values
        rest = rest - ex.Sym(counts[kind])
    return Layers(stacks, values, (*(eq for each in found for eq in each.equations),
                                   Equation(counts[last], rest, "the other layers")),
                  (*(check for each in found for check in each.checks),
                   Sums(tuple(counts.values()), total, "every layer is of one kind")))


def _numbers_of_kinds(blocks: Mapping[str, Block], pattern: Sequence[str]) -> dict[str, list[int]]:
    """The numbers of the layers of each kind; kinds with equal blocks are one."""
    kinds: dict[str, list[int]] = {}
    for number, kind in enumerate(pattern):
        same = next((k for k in kinds if blocks[k] == blocks[kind]), kind)
        kinds.setdefault(same, []).append(number)
    return kinds


def all_layers(blocks: Block | Mapping[str, Block], pattern: Sequence[str], prefix: str,
               repeat: Repeat | None = None) -> Layers:
    """The layers of a model that has one kind, or those of a pattern.

    Args:
        blocks: the block of every layer, or of each kind of layer.
        pattern: the kind of each layer, where there are kinds.
        prefix: what the layers' names in a checkpoint begin with.
        repeat: how often one block is stored and applied, where not L times.
    """
    if not isinstance(blocks, tuple):
        return layers_of(blocks, pattern, prefix)
    return Layers((Stack("layers", blocks, repeat or Repeat.times(ex.Sym("L")), prefix),), {})


def decoder_model(config: Config, name: str, task: str, values: Mapping[str, int],
                  blocks: Block | Mapping[str, Block], *, final_norm: Component | None,
                  pattern: Sequence[str] = (), tied: bool = False, head_bias: bool = False,
                  embedding: Iterable[Slot] = (), after: Iterable[Slot] = (),
                  positions: str | None = "rope", places: Places | None = None,
                  names: Iterable[Entry] = (), equations: Iterable[Equation] = (),
                  checks: Iterable[Check] = (), token: Mapping[str, str] | None = None,
                  windows: Sliding | None = None) -> Model:
    """A decoder with its embedding, layers, final norm and head.

    Args:
        config: the configuration, already read and closed.
        name: the model's name.
        task: ``causal`` with a head, ``base`` without.
        values: numbers of dims; L among them unless there is a pattern.
        blocks: the block of every layer, or of each kind of layer.
        pattern: the kind of each layer, where there are kinds.
        final_norm: the norm after the last layer, if there is one.
        tied, head_bias: whether the head shares the token embedding; whether it has a bias.
        embedding: what stands beside the token embedding.
        after: what stands between the final norm and the head.
        positions: how positions are told, one of the weightless ways; None where a slot says so.
        places: where the parts stand in tensor names; Llama's when None.
        names: tensors that are named or joined otherwise than by default.
        equations, checks: relations of this family alone.
        token: dims that the token embedding takes under other names.
        windows: how the family tells which layers see a window alone, where some do.
    """
    where = places or Places()
    top = where.top if task == "causal" else ""
    layers = all_layers(blocks, pattern, top + where.layers)
    tokens = Slot("token", find("token", "token")(), where.token, token or {})
    norm = () if final_norm is None else (Slot("norm", final_norm, where.final_norm),)
    stacks = [Stack("embedding", (tokens, *embedding), prefix=top), *layers.stacks, *(
        Stack(kind, slots, prefix=top) for kind, slots in (
            ("final_norm", norm), ("projection", tuple(after))) if slots)]
    if task == "causal":
        head = find("head", "lm").make({"tied": tied, "bias": head_bias})
        stacks.append(replace(head_stack(head), slots=(Slot("lm", head, where.head),)))
    groups = groups_of_experts(config) if "n_experts" in values else ()
    model = _with_kv(Model(
        name, tuple(stacks), {**values, **layers.values}, (*equations, *layers.equations),
        (*checks, *groups, *layers.checks),
        Layout(f"transformers ({config.model_type})", tuple(names)),
        part="all" if task == "causal" else "without the head",
        zeros=counts_of_kinds(layers.stacks)))
    if windows is not None:
        from symparam.descriptions.assembling.windows import with_windows

        model = with_windows(model, config, windows)
    return with_positions(model, positions) if positions else model


def _with_kv(model: Model) -> Model:
    """The model with as many key-value heads as query heads, where nothing says how many."""
    if "n_kv" in model.dims and "n_kv" not in model.values and _free_kv(model):
        return replace(model, equations=(_FOLLOWS, *model.equations))
    return model


def _free_kv(model: Model) -> bool:
    """Whether no component and no rule of the model says what n_kv is."""
    return not any(eq.dim == "n_kv" and eq.standing.value in {"definition", "default"}
                   for eq in model.all_equations())
