"""A module against its description: the same tensors, name by name and shape by shape?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symparam.checkpoints.compare import Comparison, compare
from symparam.checkpoints.expected import expected
from symparam.checkpoints.explain import explain
from symparam.checkpoints.module import module_tensors
from symparam.checkpoints.rows import TensorRow
from symparam.descriptions.load import load
from symparam.model import Model
from symparam.notation.numbers import several

#: Differences that a message shows.
MOST = 12


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
    more = [f"  and {several(len(lines) - MOST, 'row')} more"] if len(lines) > MOST else []
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
