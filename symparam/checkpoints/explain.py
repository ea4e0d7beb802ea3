"""Which single change of the architecture would make a difference go away.

A change is put forward only after the whole comparison was made again under it, and it alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

from symparam.checkpoints.compare import Comparison, matches
from symparam.checkpoints.expected import expected
from symparam.checkpoints.header import Shape
from symparam.dataclass import dataclass
from symparam.descriptions.options import SITES, Options, apply, with_switched
from symparam.dims import L, describe
from symparam.errors import SymparamError
from symparam.layout import NUMBER, pattern
from symparam.model import Model
from symparam.quantities import counts
from symparam.resolve import numbers, with_overrides

#: The same model read with another task or with prediction layers, all else as it was asked for.
Reload = Callable[[str | None, bool], Model]
Candidate = tuple["Explanation", Callable[[], Model]]

#: Pairs of a wanted and a found extent that are looked at; a single dim changes few.
MOST_PAIRS = 24

#: Patterns that differ, beyond which no single change is looked for: each of them is one more.
MOST_ROWS = 1_000


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
        reload: the same model read otherwise, where it has a configuration.
    """
    if comparison.equal or too_much(comparison):
        return []
    explanations: list[Explanation] = []
    most = sum(map(math.prod, found.values()))
    for explanation, make in _candidates(model, comparison, found, reload):
        try:
            changed = make()
            if changed != model and _may_be(changed, model, comparison, most) and (
                    not matches(expected(changed), found, changed.part)[-1].distance):
                explanations.append(explanation)
        except SymparamError:
            continue
    return explanations


def too_much(comparison: Comparison) -> bool:
    """Whether so much differs that nothing is looked for."""
    return sum(map(len, (comparison.missing, comparison.extra, comparison.reshaped))) > MOST_ROWS


def _may_be(changed: Model, model: Model, comparison: Comparison, most: int) -> bool:
    """Whether ``most`` numbers can be those of a model: as many, whatever their names are."""
    ledger = changed.ledger(numbers(changed).values)
    beside = sum(row.numel for row in comparison.beside) if changed.part == model.part else most
    return bool(ledger.total() <= most
                and counts.value(ledger, "with_buffers") >= most - beside)


def _candidates(model: Model, comparison: Comparison, found: Mapping[str, Shape],
                reload: Reload | None) -> Iterator[Candidate]:
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
        padded = name == "V" and value > numbers(model).values["V"]
        yield (Explanation("a padded vocabulary" if padded else describe(name).meaning,
                           f"{name}={value}"),
               lambda name=name, value=value: _with_dim(model, name, value))  # type: ignore[misc]
    if reload is not None:
        yield Explanation("prediction layers", "--mtp"), lambda: reload(None, True)
        for task in ("base", "causal", "mlm", "seq2seq", "encoder"):
            yield (Explanation(f"counted as {task}", f"--as {task}"),
                   lambda task=task: reload(task, False))  # type: ignore[misc]


def _with_dim(model: Model, name: str, value: int) -> Model:
    return with_overrides(with_switched(model, [name]), {name: value})


def _dims(model: Model, comparison: Comparison,
          found: Mapping[str, Shape]) -> Iterator[tuple[str, int]]:
    """Numbers of single dims that could turn the extents that differ into those found."""
    values = numbers(model).values
    pairs = [*_sides(comparison), *_extents(model, found)][:MOST_PAIRS]
    inputs = (name for eq in model.all_equations() for name in eq.inputs if name in values)
    names = dict.fromkeys((*model.dims, *inputs))
    parts = {1, 2, 3, *(values[name] for name in names)}
    for name in names:
        own, tried = values[name], set[int]()
        for ours, theirs in pairs:
            tried.add(theirs)
            tried |= {own * top // bottom for top, bottom in ((theirs, ours), (ours, theirs))
                      if own * top % bottom == 0}
            for part in parts:  # of a side such as (n_heads + 2·n_kv)·d_head
                tried |= {own + (theirs - ours) // (times * part) for times in (1, 2)
                          if (theirs - ours) % (times * part) == 0}
        yield from ((name, value) for value in sorted(tried - {own}) if value > 0)


def _sides(comparison: Comparison) -> list[tuple[int, int]]:
    """Sides of tensors that differ: the wanted one, the found one."""
    pairs = ((ours, theirs) for row in comparison.reshaped if row.other is not None
             and len(row.other) == len(row.shape)
             for ours, theirs in zip(row.shape, row.other, strict=True) if ours and theirs)
    return [pair for pair in dict.fromkeys(pairs) if pair[0] != pair[1]]


def _extents(model: Model, found: Mapping[str, Shape]) -> list[tuple[int, int]]:
    """Numbers of copies that differ: of layers, of experts."""
    values = numbers(model).values
    ours = {index.stored for matrix in model.ledger(values) for index in matrix.indices}
    ours |= {values[L.name]} if L.name in values else set()
    theirs = _ends(found)
    return [(one, other) for one in sorted(ours) for other in sorted(theirs) if one != other]


def _ends(names: Mapping[str, Shape]) -> set[int]:
    """Over how many numbers each ``*`` of each pattern runs."""
    last: dict[tuple[str, int], int] = {}
    for name in names:
        stem = pattern(name)
        for place, number in enumerate(NUMBER.findall(name) if "*" in stem else ()):
            key = stem, place
            last[key] = max(last.get(key, 0), int(number))
    return {number + 1 for number in last.values()}
