"""For a test suite of one's own: does a module have the tensors that its description says, and
does a component keep the whole contract of components?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, product
from typing import Any

from symparam import expression as ex
from symparam.checkpoints.compare import Comparison, compare
from symparam.checkpoints.expected import expected
from symparam.checkpoints.explain import explain
from symparam.checkpoints.module import module_tensors
from symparam.checkpoints.rows import TensorRow
from symparam.component import Component, problems_of_lists
from symparam.count import count
from symparam.descriptions.load import load
from symparam.errors import SymparamError
from symparam.model import Model, Repeat, Slot, Stack
from symparam.quantities.counts import value
from symparam.symbols import symbol

#: Differences that a message shows.
MOST = 12
#: Combinations of options that are tried before only each alone, none and all are.
MOST_VARIANTS = 1024


def assert_matches(module: Any, model: Model | str) -> None:
    """Assert that a module has a model's tensors, name by name and shape by shape.

    Args:
        module: a ``torch.nn.Module`` (it may be on ``meta``), or any object with
            ``named_parameters()``, or a mapping from name to shape.
        model: a model, or what :func:`symparam.load` takes.

    Raises:
        AssertionError: they differ; the message lists what is missing, extra or of another
            shape, and the single change that would explain it, if there is one.

    >>> from symparam.descriptions.load import load
    >>> from symparam.checkpoints.expected import expected
    >>> shapes = dict(expected(load("gpt2"))[0].tensors)
    >>> assert_matches(shapes, "gpt2")
    >>> del shapes["transformer.wpe.weight"]
    >>> assert_matches(shapes, "gpt2")
    Traceback (most recent call last):
    AssertionError: the module is not gpt2: 1 tensor differs
      missing: transformer.wpe.weight 1024×768
    """
    described = load(model) if isinstance(model, str) else model
    found = module_tensors(module)
    comparison = compare(expected(described), found, described.part)
    if comparison.equal:
        return
    lines = list(difference_lines(comparison))
    more = [f"  and {len(lines) - MOST} rows more"] if len(lines) > MOST else []
    reasons = [f"  explained by: {each.what} ({each.option})"
               for each in explain(described, comparison, found)]
    count = comparison.distance
    head = (f"the module is not {described.name}: {count} "
            f"{'tensor differs' if count == 1 else 'tensors differ'}")
    raise AssertionError("\n".join([head, *(f"  {line}" for line in lines[:MOST]), *more,
                                    *reasons]))


def difference_lines(comparison: Comparison) -> Iterator[str]:
    """What differs, a line a row."""
    for word, rows in (("missing", comparison.missing), ("extra", comparison.extra),
                       ("another shape", comparison.reshaped)):
        for row in rows:
            yield from (f"{word}: {name} {_shapes(row)}{f' ({n} of them)' * (n > 1)}"
                        for name, n in row.places())


def _shapes(row: TensorRow) -> str:
    other = f", found {'×'.join(map(str, row.other))}" if row.other is not None else ""
    return "×".join(map(str, row.shape)) + other


def assert_component(cls: type[Component]) -> None:
    """Assert what the contract asks of a component beyond what its class is refused for.

    Under every combination of its switches and bias sites (of more than ten: none, each alone,
    and all) its lists are sound and ask dims for ``+`` and ``*`` alone; no two combinations list
    the same; every dim is used by one of them; and in a model of it alone the count over integers,
    the formula at those integers, and the sum over the tensors of a checkpoint are equal. What a
    component *is* (that its matrices are those of its source) no test can know: hold it against a
    module with :func:`assert_matches`.

    Raises:
        AssertionError: it does not hold; the message says what, and under which options.

    >>> from symparam.components import find
    >>> assert_component(find("ffn", "swiglu"))
    """
    problems = [*_of_variants(cls), *_of_all(cls)]
    if problems:
        raise AssertionError("\n".join([f"component {cls.__name__}:",
                                        *(f"  {each}" for each in problems[:MOST])]))


def variants(cls: type[Component]) -> Iterator[Component]:
    """A component under the combinations of its switches and bias sites."""
    switches = [name for name, default in cls.options().items() if isinstance(default, bool)]
    sites = list(cls.bias_sites) if "bias" in cls.options() else []
    turned = [(False, True)] * (len(switches) + len(sites))
    several: Iterator[tuple[bool, ...]] = product(*turned)
    if 2**len(turned) > MOST_VARIANTS:
        places = range(len(turned))
        several = (tuple(i in on for i in places) for on in chain(
            combinations(places, 0), combinations(places, 1), [tuple(places)]))
    for values in several:
        chosen: dict[str, Any] = dict(zip(switches, values, strict=False))
        if "bias" in cls.options():
            on = values[len(switches):]
            chosen["bias"] = [site for site, here in zip(sites, on, strict=True) if here]
        yield cls.make(chosen)


def _of_variants(cls: type[Component]) -> Iterator[str]:
    """What is wrong under some options."""
    seen: dict[str, Component] = {}
    for component in variants(cls):
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
    values = {"L": 61, **component.example}
    listed = component.list_matrices(component.example)
    if not {m.tied_to for m in listed} <= {None, *(m.path for m in listed)}:
        return  # tied to another component's matrix: there is no model of it alone
    ledger = model.ledger(values)
    try:
        tensors = list(model.layout.each(ledger, buffers=True))
    except SymparamError as error:
        yield f"its checkpoint cannot be written: {error}"
        return
    formula = count(model).plain().subs({symbol(name): n for name, n in values.items()})
    if formula != ledger.total():
        yield f"its formula gives {formula}, its matrices add up to {ledger.total()}"
    held = value(ledger, "with_buffers")
    if (stored := sum(t.numel for t in tensors)) != held:
        yield f"its tensors hold {stored} numbers, its matrices {held}"
    rows = [(tensor.name, tensor.shape) for tensor in tensors]
    for name, _ in (row for i, row in enumerate(rows) if row in rows[:i]):
        yield f"two tensors of its checkpoint have the name {name}"


def _of_all(cls: type[Component]) -> Iterator[str]:
    """What no combination of options uses; a component that lists nothing stands for others."""
    every = list(variants(cls))
    if not any(each.list_matrices(cls.example) for each in every) and not cls.equations:
        return
    used = {name for each in every for name in (*each.used, *each.used_at_work)}
    used |= {name for eq in cls.equations for name in (eq.dim, *eq.inputs)}
    used |= {name for check in cls.checks for name in check.dims}
    for name in (dim.name for dim in cls.dims if dim.name not in used):
        yield f"dim {name} is declared and never used"
