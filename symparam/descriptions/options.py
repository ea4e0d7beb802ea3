"""Architecture options: what they change in a model, whatever the model came from.

The plain decoder and every override go through the same changes, so an option means the same
on an architecture built from nothing and on a named model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace

from symparam.component import Component
from symparam.components import find
from symparam.dataclass import dataclass
from symparam.dims import N_CTX, TOTAL, WINDOW
from symparam.errors import BadValue
from symparam.layout import Layout, is_at
from symparam.model import Model
from symparam.run import RUN
from symparam.stack import Borrowed, Slot, Stack

#: Bias sites, and what ``all`` stands for.
SITES = ("qkv", "attn-out", "ffn", "head")
ALL_SITES = SITES[:3]

#: Norms of a block: where each stands, and its name in a checkpoint.
NORM_PLACES: dict[int, tuple[tuple[str, str], ...]] = {
    1: (("norms.input", "input_layernorm."),),
    2: (("norms.attention", "input_layernorm."), ("norms.ffn", "post_attention_layernorm.")),
    4: (("norms.attention", "input_layernorm."),
        ("norms.attention_out", "post_attention_layernorm."),
        ("norms.ffn", "pre_feedforward_layernorm."),
        ("norms.ffn_out", "post_feedforward_layernorm.")),
}


@dataclass(frozen=True, kw_only=True)
class Options:
    """Changes to an architecture; None leaves a thing as it is."""

    attention: str | None = None
    ffn: str | None = None
    norm: str | None = None
    norms_per_block: int | None = None
    final_norm: bool | None = None
    bias: frozenset[str] | None = None
    qk_norm: bool | None = None
    positions: str | None = None
    tied: bool | None = None

    def given(self) -> dict[str, object]:
        """The options that change something, by name."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


def bias_sites(text_or_sites: str | Iterable[str]) -> frozenset[str]:
    """Bias sites from ``qkv,ffn``, ``all`` or ``none``.

    Raises:
        BadValue: a site that there is not.

    >>> sorted(bias_sites("attn-out,ffn")), bias_sites("none")
    (['attn-out', 'ffn'], frozenset())
    """
    given = text_or_sites.split(",") if isinstance(text_or_sites, str) else list(text_or_sites)
    words = [word.strip() for word in given]
    if words == ["none"]:
        return frozenset()
    sites: set[str] = set()
    for word in words:
        if word == "all":
            sites |= set(ALL_SITES)
        elif word in SITES:
            sites.add(word)
        else:
            raise BadValue("--bias", word or "nothing", f"the sites are {', '.join(SITES)}; or "
                           "all; or none alone")
    return frozenset(sites)


def _change(model: Model, kind: str, new: Callable[[Slot], Slot]) -> Model:
    """The model with every component of a kind changed."""
    stacks = (replace(stack, slots=tuple(new(s) if s.component.slot == kind else s
                                         for s in stack.slots)) for stack in model.stacks)
    return replace(model, stacks=tuple(stacks))


def _carried(old: Component, new: type[Component]) -> Component:
    """A component of another class with the options that both take."""
    shared = {name: getattr(old, name) for name in new.options() if name in old.options()}
    if "bias" in shared:
        shared["bias"] = shared["bias"] & set(new.bias_sites)
    return new(**shared)


def _kind(model: Model, slot: str, name: str) -> Model:
    """Every component of a slot replaced by another choice."""
    cls = find(slot, name)
    model = _change(model, slot, lambda s: replace(s, component=_carried(s.component, cls)))
    model = replace(model, layout=_without_absent(model, slot))
    return _turning(model) if slot == "attention" else model


def _with_keys(model: Model, name: str) -> Model:
    """The model, if some layer makes the keys that its attention looks at."""
    borrowed = Borrowed.find(model.stacks)
    if borrowed is not None and not borrowed.made:
        raise BadValue("--attention", name, "no layer would make the keys and values that it uses: "
                       "another attention for all layers, or a described model in which some "
                       "layers have it")
    return model


def _without_absent(model: Model, kind: str) -> Layout:
    """The model's layout without what joins matrices that its components of a kind do not have:
    what they have instead stands alone."""
    held = [(f"{stack.name}.{slot.path}", set(slot.component.names))
            for stack, slot in model.slots() if slot.component.slot == kind]
    kept = tuple(entry for entry in model.layout.entries if all(
        set(entry.matrices) <= names or not is_at(entry, path) for path, names in held))
    return replace(model.layout, entries=kept)


def _turning(model: Model) -> Model:
    """The model whose rotary positions turn what its attention has of a head."""
    def changed(stack: Stack) -> Stack:
        attention = next((s for s in stack.slots if s.component.slot == "attention"), None)
        return replace(stack, slots=tuple(
            replace(s, bound=_turned(attention)) if attention and s.component.slot == "positions"
            and not s.component.names else s for s in stack.slots))

    return replace(model, stacks=tuple(map(changed, model.stacks)))


def _norms_per_block(model: Model, count: int) -> Model:
    if count not in NORM_PLACES:
        raise BadValue("--norms-per-block", count, "a block has 1, 2 or 4 norms")
    return replace(model, stacks=tuple(
        _with_norms(stack, count, _norm_kind(model)) if stack.repeat else stack
        for stack in model.stacks))


def _with_norms(stack: Stack, count: int, kind: Component) -> Stack:
    old = [s for s in stack.slots if s.component.slot == "norm"]
    if len(old) == count:
        return stack
    norm, bound = (old[0].component, old[0].bound) if old else (kind, {})
    others = tuple(s for s in stack.slots if s.component.slot != "norm")
    new = tuple(replace(s, bound=bound) for s in norm_slots(norm, count))
    return replace(stack, slots=others + new)


def norm_slots(norm: Component, count: int) -> tuple[Slot, ...]:
    """The slots of a block's norms."""
    return tuple(Slot(path, norm, prefix) for path, prefix in NORM_PLACES[count])


def _norm_kind(model: Model) -> Component:
    """The norm that the model's blocks use; RMSNorm where they have none."""
    for stack, slot in model.slots():
        if stack.repeat and slot.component.slot == "norm":
            return slot.component
    return find("norm", "rmsnorm")()


def final_norm_stack(norm: Component) -> Stack:
    """The norm after the last block."""
    return Stack("final_norm", (Slot("norm", norm, "norm."),), prefix="model.")


def _final_norm(model: Model, wanted: bool) -> Model:
    present = any(stack.name == "final_norm" for stack in model.stacks)
    if present == wanted:
        return model
    if not wanted:
        kept = tuple(s for s in model.stacks if s.name != "final_norm")
        return replace(model, stacks=kept)
    last = max(i for i, stack in enumerate(model.stacks) if stack.repeat) + 1
    stacks = list(model.stacks)
    stacks.insert(last, final_norm_stack(_norm_kind(model)))
    return replace(model, stacks=tuple(stacks))


def _bias(model: Model, sites: frozenset[str]) -> Model:
    known = {site for _, slot in model.slots() for site in slot.component.bias_sites}
    for site in sorted(sites - known):
        raise BadValue("--bias", site, f"{model.name} has no such site; it has "
                       f"{', '.join(s for s in SITES if s in known)}")

    def new(slot: Slot) -> Slot:
        had: frozenset[str] = getattr(slot.component, "bias", frozenset())
        kept = had - set(SITES)  # of a router, say
        own = frozenset(sites & set(slot.component.bias_sites)) | kept
        return replace(slot, component=slot.component.changed(bias=own))

    for kind in {s.component.slot for _, s in model.slots() if s.component.bias_sites}:
        model = _change(model, kind, new)
    return model


def _qk_norm(model: Model, wanted: bool) -> Model:
    def new(slot: Slot) -> Slot:
        if "qk_norm" not in slot.component.options():
            raise BadValue("--qk-norm", wanted, f"{slot.component.title} does not take it")
        return replace(slot, component=slot.component.changed(qk_norm=wanted))

    return _change(model, "attention", new)


def with_positions(model: Model, name: str) -> Model:
    """The model with its positions told in another way."""
    component = find("positions", name)()

    def changed(stack: Stack) -> Stack:
        slots = [s for s in stack.slots if s.component.slot != "positions"]
        attention = next((s for s in slots if s.component.slot == "attention"), None)
        here = attention is not None if component.in_block else stack.name == "embedding"
        if here and component.in_block == (stack.repeat is not None):
            bound = {} if component.names else _turned(attention)
            slots.insert(1, Slot("positions", component, bound=bound))
        return replace(stack, slots=tuple(slots))

    return replace(model, stacks=tuple(changed(stack) for stack in model.stacks))


def _turned(attention: Slot | None) -> dict[str, str]:
    """The head width that positions see: of a latent attention, the part that it rotates."""
    if attention is None:
        return {}
    own = attention.component.rotated
    name = attention.bound.get(own, own)
    return {} if name == "d_head" else {"d_head": name}


def with_switched(model: Model, dims: Iterable[str]) -> Model:
    """The model with the options on that given dims belong to, where nothing uses these yet:
    n_shared means shared experts."""
    given = {name for name in dims if name not in model.names}

    def new(slot: Slot) -> Slot:
        on = {option: True for dim, option in slot.component.switched.items()
              if slot.bound.get(dim, dim) in given}
        return replace(slot, component=slot.component.changed(**on)) if on else slot

    return replace(model, stacks=tuple(replace(stack, slots=tuple(map(new, stack.slots)))
                                       for stack in model.stacks))


def with_known(model: Model, given: Mapping[str, object]) -> Model:
    """The model with the options on that given dims belong to, each of them one of its dims.

    Raises:
        BadValue: a dim that the model does not have.
    """
    model = with_switched(model, given)
    known = {*model.names, TOTAL.name, N_CTX.name, WINDOW.name, *RUN}
    for name, value in given.items():
        if name not in known:
            raise BadValue(name, value, f"{model.name} {_instead(model, name)}")
    return model


def _instead(model: Model, name: str) -> str:
    """Why a model does not have a dim, and what would be right."""
    kinds = [f"{dim}=..." for dim in model.dims if dim.startswith(f"{name}_")]
    if kinds:
        what = "kinds of layer" if name == "L" else "of them"
        return f"has several {what}: say {' or '.join(kinds)} instead of {name}"
    return f"has no {name}; its dims are {' '.join(model.dims)}"


def _tied(model: Model, tied: bool) -> Model:
    if not any(slot.component.slot == "head" for _, slot in model.slots()):
        raise BadValue("--tied" if tied else "--untied", model.name, "it has no head to tie")
    return _change(model, "head", lambda s: replace(s, component=s.component.changed(tied=tied)))


def apply(model: Model, options: Options) -> Model:
    """The model with the options' changes.

    Raises:
        UnknownName: a kind that there is not. BadValue: an option that the model cannot take.
    """
    o = options
    beside = tuple(stack for stack in model.stacks if stack.idle)
    if beside and o.given():  # (of a model that is made of several its language model changes)
        alone = replace(model, stacks=tuple(s for s in model.stacks if not s.idle))
        changed = apply(alone, options)
        return replace(changed, stacks=(*changed.stacks, *beside))
    if model.trace is not None:
        for option in o.given():
            raise BadValue(f"--{option.replace('_', '-')}", "on", f"{model.name} is what was traced"
                           ": change the module and trace it again, or trace it with --set")
    if o.attention is not None:
        model = _with_keys(_kind(model, "attention", o.attention), o.attention)
    if o.ffn is not None:
        model = _kind(model, "ffn", o.ffn)
    if o.norm is not None:
        model = _kind(model, "norm", o.norm)
    if o.norms_per_block is not None:
        model = _norms_per_block(model, o.norms_per_block)
    if o.final_norm is not None:
        model = _final_norm(model, o.final_norm)
    if o.positions is not None:
        model = with_positions(model, o.positions)
    if o.bias is not None:
        model = _bias(model, o.bias)
    if o.qk_norm is not None:
        model = _qk_norm(model, o.qk_norm)
    if o.tied is not None:
        model = _tied(model, o.tied)
    return model
