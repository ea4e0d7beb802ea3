"""``symparam diff``."""

from __future__ import annotations

from typing import Any

import click

from symparam.cli.arguments import (
    ARCHITECTURE,
    OUTPUT,
    is_assignment,
    options,
    output_kind,
)
from symparam.cli.helped import command
from symparam.cli.output import chosen, emit, remark
from symparam.cli.parameters import Words
from symparam.cli.request import read
from symparam.errors import BadValue
from symparam.model import Model

#: What the options of an architecture are when none is given.
_PLAIN = {**dict.fromkeys(("attention", "ffn", "norm", "norms_per_block", "final_norm", "bias",
                           "qk_norm", "positions", "tied", "task")),
          "mtp": False, "keep_ratios": False}


@command()
@click.argument("words", nargs=-1, type=Words(), metavar="[MODEL] [MODEL] [KEY=VALUE]...")
@options(ARCHITECTURE, OUTPUT)
def diff(**values: Any) -> None:
    """What changes from one model to another, as signed terms by component, with the sum.

    Two MODELs: from the first to the second. One, or none (a plain decoder): from it to itself
    as the options and KEY=VALUE change it. Options and KEY=VALUE are always the second one's.
    """
    from symparam.diff.difference import compare
    from symparam.export.diff_document import DifferenceView

    kind = output_kind(values)
    before, after, remarks = _models(values)
    found = compare(before, after)
    remark(remarks, values)
    emit(DifferenceView(found, chosen(values, after, before)), kind, values)


def _models(values: dict[str, Any]) -> tuple[Model, Model, tuple[str, ...]]:
    """Both models, and what is to be said of how they were read."""
    names = [word for word in values["words"] if not is_assignment(word)]
    dims = [word for word in values["words"] if is_assignment(word)]
    if len(names) > 2:
        raise BadValue("MODEL MODEL", " ".join(names), "two are compared; dims are KEY=VALUE")
    plain = {**values, **_PLAIN}
    if len(names) < 2 and not dims and plain == values:
        raise click.UsageError("diff needs two MODELs, or one and what changes in it: "
                               "symparam diff gpt2 llama-2-7b")
    before = read(tuple(names[:1]), plain)
    after = read((*names[-1:], *dims), values)
    return before.model, after.model, (*before.told(), *after.told())
