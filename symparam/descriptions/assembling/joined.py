"""Several models as one: a language model with what sees or hears for it, and what joins them.

Each part keeps what it is made of. Its dims have the part's name behind theirs
(``d_model_vision``), its stacks before theirs (``vision``, ``vision_embedding``), and its tensors
the names that they have in the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.dims import Dim
from symparam.layout import Entry, Layout, is_at
from symparam.model import Model
from symparam.stack import Repeat, Slot, Stack, Window
from symparam.traced.parts import TEXT


@dataclass(frozen=True, kw_only=True)
class Part:
    """A model that is a part of another.

    Attributes:
        model: the part by itself.
        name: the part: ``vision``.
        top: what the names of its tensors begin with in the whole.
        word: what stands behind its dims; its name if empty.
        stacks: what stands before its stacks; its name if empty.
        keys: where its dims stand in the configuration of the whole, by their own names.
    """

    model: Model
    name: str
    top: str
    word: str = ""
    stacks: str = ""
    keys: Mapping[str, str] | None = None

    def named(self, dim: str) -> str:
        """What one of its dims is called in the whole."""
        return f"{dim}_{self.word or self.name}"

    @property
    def renames(self) -> dict[str, str]:
        """Every dim of it, with its name in the whole."""
        return {dim: self.named(dim) for dim in _dims(self.model)}

    def stack_name(self, name: str) -> str:
        """What one of its stacks is called in the whole.

        >>> from symparam.descriptions.decoder import plain_decoder
        >>> part = Part(model=plain_decoder(), name="vision", top="")
        >>> [part.stack_name(stack.name) for stack in part.model.stacks]
        ['vision_embedding', 'vision', 'vision_final_norm', 'vision_head']
        """
        before = self.stacks or self.name
        rest = name.removeprefix("layers")
        return f"{before}{rest}" if rest != name else f"{before}_{name}"


def joined(text: Model, parts: Iterable[Part], between: Iterable[Model] = ()) -> Model:
    """The whole that a language model, its towers and what stands between them make.

    Args:
        text: the language model, its tensors under the names that they have in the whole.
        parts: the towers.
        between: what leads from one to the other, under the names and over the dims of the whole.
    """
    own = replace(text, stacks=tuple(replace(s, part=TEXT) for s in text.stacks),
                  layout=Layout(text.layout.name, tuple(_plainly(text))))
    beside = [*map(_placed, parts), *between]
    models = (own, *beside)
    idle = tuple(replace(s, idle=True) for model in beside for s in model.stacks)
    return replace(
        own, stacks=(*own.stacks, *idle),
        values={name: n for model in models for name, n in model.values.items()},
        equations=tuple(eq for model in models for eq in model.equations),
        checks=tuple(check for model in models for check in model.checks),
        layout=Layout(text.layout.name, tuple(e for m in models for e in m.layout.entries)),
        declared=tuple({d.name: d for model in models for d in model.declared}.values()),
        zeros=frozenset(name for model in models for name in model.zeros))


def _placed(part: Part) -> Model:
    """A part as it stands in the whole."""
    model, names = part.model, part.renames
    stacks = tuple(replace(_renamed(stack, names), name=part.stack_name(stack.name),
                           prefix=part.top + stack.prefix, part=part.name)
                   for stack in model.stacks)
    entries = tuple(replace(e, component=_moved(e.component, part), tensor=e.tensor if (
        e.tensor.startswith(".")) else part.top + e.tensor) for e in _plainly(model))
    return replace(
        model, stacks=stacks, values={names[name]: n for name, n in model.values.items()},
        equations=tuple(eq.renamed(names) for eq in model.equations),
        checks=tuple(check.renamed(names) for check in model.checks),
        layout=Layout(model.layout.name, entries), declared=tuple(_declared(part)),
        zeros=frozenset(names[name] for name in model.zeros))


def _moved(path: str, part: Part) -> str:
    """A component's path in the whole."""
    stack, _, place = path.partition(".")
    return f"{part.stack_name(stack)}.{place}"


def _declared(part: Part) -> Iterator[Dim]:
    """The dims of a part: how they are written, what they are, and their keys."""
    word = part.word or part.name
    for name, new in part.renames.items():
        dim = part.model.describe(name)
        key = (part.keys or {}).get(name)
        yield Dim(new, dim.letter.with_words(word), f"{dim.meaning} ({word})",
                  (key,) if key else ())


def _plainly(model: Model) -> Iterator[Entry]:
    """The entries of a model's layout, those of any stack once for each that has such a place."""
    places: dict[str, set[str]] = {}
    for stack, slot in model.slots():
        path = f"{stack.name.partition('[')[0]}.{slot.path}"
        places.setdefault(path, set()).update(slot.component.names)
    own = {(e.component, e.matrices[0]) for e in model.layout.entries}
    for each in model.layout.entries:
        if not each.component.startswith("*."):
            yield each
            continue
        for path, names in places.items():
            if is_at(each, path) and (path, each.matrices[0]) not in own and (
                    names.issuperset(each.matrices)):
                yield replace(each, component=path)


def _dims(model: Model) -> Iterator[str]:
    """Every dim that a model speaks of, each once."""
    found = [*model.values, *model.zeros, *(d.name for d in model.declared), *model.dims_at_work]
    for _, slot in model.slots():
        found += [slot.bound.get(dim.name, dim.name) for dim in slot.component.dims]
    for relation in (*model.all_equations(), *model.all_checks()):
        found += [*getattr(relation, "inputs", ()), *getattr(relation, "dims", ())]
    found += [eq.dim for eq in model.all_equations()]
    return iter(dict.fromkeys(found))


def _renamed(stack: Stack, names: Mapping[str, str]) -> Stack:
    """A stack over dims of other names."""
    symbols = {old: ex.Sym(new) for old, new in names.items()}

    def moved(expr: ex.Expr) -> ex.Expr:
        return ex.substitute(expr, symbols)

    repeat = stack.repeat and Repeat(*(moved(e) for e in (
        stack.repeat.stored, stack.repeat.applied, stack.repeat.active)))
    return replace(stack, repeat=repeat, slots=tuple(
        replace(slot, bound=_bound(slot, names), window=_window(slot.window, names, moved))
        for slot in stack.slots))


def _bound(slot: Slot, names: Mapping[str, str]) -> dict[str, str]:
    """What the dims of a component are called."""
    own = {dim.name: slot.bound.get(dim.name, dim.name) for dim in slot.component.dims}
    return {name: names.get(dim, dim) for name, dim in own.items()}


def _window(window: Window | None, names: Mapping[str, str],
            moved: Callable[[ex.Expr], ex.Expr]) -> Window | None:
    """A window over dims of other names."""
    if window is None:
        return None
    return replace(window, size=names[window.size],
                   layers=None if window.layers is None else moved(window.layers))
