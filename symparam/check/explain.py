"""Which single change of the architecture would make a difference go away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from symparam.check.compare import Comparison, known_beside
from symparam.check.header import Shape
from symparam.errors import SymparamError
from symparam.layout import Layout, pattern
from symparam.model import Model
from symparam.resolve import numbers, with_overrides
from symparam.spec.options import SITES, Options, apply

Rows = Counter[tuple[str, Shape]]

#: Another reading of the same configuration: by task and with prediction layers or without.
Reload = Callable[[str | None, bool], Model]

_LAYER = re.compile(r"(?:^|\.)(?:layers|layer|h|blocks|block)\.(\d+)\.")


@dataclass(frozen=True)
class Explanation:
    """A change after which everything agrees.

    Attributes:
        what: in words. option: what to write on the command line.
    """

    what: str
    option: str


def explain(model: Model, comparison: Comparison, found: Mapping[str, Shape],
            reload: Reload | None = None) -> list[Explanation]:
    """Every single change that makes the model's tensors those that were found.

    Args:
        model: the model as it was compared.
        comparison: what differs.
        found: the tensors that there are.
        reload: the same configuration read otherwise, where there is one.
    """
    if comparison.equal:
        return []
    wanted = _found_rows(found, model.part)
    explanations = []
    for explanation, make in _candidates(model, comparison, found, reload):
        try:
            changed = make()
            made = [_model_rows(changed, layout)
                    for layout in dict.fromkeys((comparison.layout, changed.layout))]
        except SymparamError:
            continue
        if any(_same(rows, wanted, comparison.prefix) for rows in made):
            explanations.append(explanation)
    return explanations


def _found_rows(found: Mapping[str, Shape], part: str) -> Rows:
    return Counter((pattern(name), shape) for name, shape in found.items()
                   if not known_beside(name, part))


def _model_rows(model: Model, layout: Layout) -> tuple[Rows, Rows]:
    """Rows of parameters, and of buffers, which may be there or not."""
    ledger = model.ledger(numbers(model).values)
    all_rows = {(t.name, t.shape): t.copies for t in layout.tensors(ledger, buffers=True)}
    own = {(t.name, t.shape): t.copies for t in layout.tensors(ledger)}
    return Counter(own), Counter({k: n for k, n in all_rows.items() if k not in own})


def _same(made: tuple[Rows, Rows], wanted: Rows, prefix: str) -> bool:
    """Whether rows agree, a prefix and the direction of storage aside."""
    parameters, buffers = made
    names = {name for name, _ in parameters}
    left = Counter(parameters)
    for (name, shape), count in wanted.items():
        own = _without(name, prefix, names)
        for key in ((own, shape), (own, shape[::-1])):
            if left.get(key) == count:
                del left[key]
                break
        else:
            if buffers.get((own, shape)) != count:
                return False
    return not left


def _without(name: str, prefix: str, names: set[str]) -> str:
    if name in names or not prefix:
        return name
    return prefix[1:] + name if prefix.startswith("-") else name.removeprefix(prefix)


def _candidates(model: Model, comparison: Comparison, found: Mapping[str, Shape],
                reload: Reload | None) -> Iterator[tuple[Explanation, Callable[[], Model]]]:
    for tied, word in ((True, "tied"), (False, "untied")):
        yield (Explanation(f"the head is {word}", f"--{word}"),
               lambda tied=tied: apply(model, Options(tied=tied)))  # type: ignore[misc]
    for size in range(len(SITES) + 1):
        for sites in combinations(SITES, size):
            words = ",".join(sites) or "none"
            yield (Explanation(f"biases: {words}", f"--bias {words}"),
                   lambda sites=sites: apply(model, Options(bias=frozenset(sites))))  # type: ignore[misc]
    for wanted, flag in ((True, "--qk-norm"), (False, "--no-qk-norm")):
        yield (Explanation("with QK-norm" if wanted else "without QK-norm", flag),
               lambda wanted=wanted: apply(model, Options(qk_norm=wanted)))  # type: ignore[misc]
    for name, value in _dims(model, comparison, found):
        padded = "a padded vocabulary: " if name == "V" and value > model.values.get(
            "V", value) else ""
        yield (Explanation(f"{padded}{name} = {value}", f"{name}={value}"),
               lambda name=name, value=value: with_overrides(model, {name: value}))  # type: ignore[misc]
    if reload is not None:
        yield Explanation("prediction layers", "--mtp"), lambda: reload(None, True)
        for task in ("base", "causal", "mlm", "seq2seq"):
            yield (Explanation(f"counted as {task}", f"--as {task}"),
                   lambda task=task: reload(task, False))  # type: ignore[misc]


def _dims(model: Model, comparison: Comparison,
          found: Mapping[str, Shape]) -> Iterator[tuple[str, int]]:
    """Values that a single dim would need for the shapes, or the layers, that were found."""
    values = numbers(model).values
    sides = {side for row in comparison.reshaped[:20] for side in row.other or () if side > 0}
    sides |= {side // values["d_head"] for side in sides if "d_head" in values}
    layers = {int(match[1]) + 1 for name in found if (match := _LAYER.search(name))}
    for name in model.dims:
        for value in sorted(sides - {0, values[name]}):
            yield name, value
    if "L" in model.dims and layers:
        yield "L", max(layers)
