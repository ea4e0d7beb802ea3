"""Does a component keep the whole contract of components?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from symparam import expression as ex
from symparam.component import Component
from symparam.contract import problems_of_lists, unlisted, variants
from symparam.model import Model
from symparam.stack import Repeat, Slot, Stack
from symparam.testing.agreement import alike, disagreements, refuse

#: Combinations of options that are tried before only each alone, none and all are.
MOST_VARIANTS = 1024


def assert_component(cls: type[Component]) -> None:
    """Assert what the contract asks of a component beyond what its class is refused for.

    Under every combination of its switches and bias sites (of more than ten: none, each alone,
    and all) its lists are sound and ask dims for ``+`` and ``*`` alone; no two combinations list
    the same; every dim is used by one of them, and looks like no other in any notation; and in a
    model of it alone the count over integers, the formula at those integers, and the sum over the
    tensors of a checkpoint are equal. What a component *is* (that its matrices are those of its
    source) no test can know: hold it against a module with :func:`assert_matches`.

    Raises:
        AssertionError: it does not hold; the message says what, and under which options.

    >>> from symparam.components import find
    >>> assert_component(find("ffn", "swiglu"))
    """
    refuse(f"component {cls.__name__}", chain(_of_variants(cls), _of_all(cls), alike(cls.dims)))


def _of_variants(cls: type[Component]) -> Iterator[str]:
    """What is wrong under some options."""
    seen: dict[str, Component] = {}
    for component in variants(cls, MOST_VARIANTS):
        problems = list(problems_of_lists(component)) or list(_of_model(component))
        yield from (f"{component}: {problem}" for problem in problems)
        if not problems:
            listed = repr([listing(cls.example) for listing in (
                component.list_matrices, component.list_state, component.list_products)])
            if (other := seen.setdefault(listed, component)) is not component:
                yield f"{component} lists what {other} lists: an option changes nothing"


def _of_model(component: Component) -> Iterator[str]:
    """Whether count, formula and checkpoint agree in a model of the component alone."""
    repeat = Repeat.times(ex.Sym("L")) if component.in_block else None
    model = Model(component.name, (Stack("layers", (Slot(component.slot, component),), repeat,
                                         "layers.*." if repeat else ""),))
    listed = component.list_matrices(component.example)
    if not {m.tied_to for m in listed} <= {None, *(m.path for m in listed)}:
        return  # tied to another component's matrix: there is no model of it alone
    values = {"L": 61, **component.example}
    problems = list(disagreements(model, values))
    yield from problems
    if not problems:
        rows = [(each.name, each.shape) for each in model.layout.each(
            model.ledger(values), buffers=True)]
        for name, _ in (row for i, row in enumerate(rows) if row in rows[:i]):
            yield f"two tensors of its checkpoint have the name {name}"


def _of_all(cls: type[Component]) -> Iterator[str]:
    """What no combination of options uses; a component that lists nothing stands for others."""
    every = list(variants(cls, MOST_VARIANTS))
    if not any(each.list_matrices(cls.example) for each in every) and not cls.equations:
        return
    yield from (f"names has {name}, a matrix that no option of it lists"
                for name in unlisted(cls, every))
    used = {name for each in every for name in (*each.used, *each.used_at_work)}
    used |= {name for eq in cls.equations for name in (eq.dim, *eq.inputs)}
    used |= {name for check in cls.checks for name in check.dims}
    for name in (dim.name for dim in cls.dims if dim.name not in used):
        yield f"dim {name} is declared and never used"
