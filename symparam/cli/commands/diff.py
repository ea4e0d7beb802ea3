"""``symparam diff``."""

from __future__ import annotations

from typing import Any

import click

from symparam.cli.arguments import (
    ARCHITECTURE,
    OUTPUT,
    options,
    output_kind,
    parted,
)
from symparam.cli.certificate import CERTIFICATE
from symparam.cli.helped import command
from symparam.cli.output import chosen, emit, remark
from symparam.cli.parameters import Words
from symparam.cli.request import Request, read
from symparam.cli.setting import SETTING, QuantityName, read_setting, refuse_setting, run_words
from symparam.errors import BadValue
from symparam.quantities import find

#: What the options of an architecture are when none is given.
_PLAIN = {**dict.fromkeys(("attention", "ffn", "norm", "norms_per_block", "final_norm", "bias",
                           "qk_norm", "positions", "tied", "task")),
          "mtp": False, "keep_ratios": False}


@command()
@click.argument("words", nargs=-1, type=Words(), metavar="[MODEL] [MODEL] [KEY=VALUE]...")
@options(ARCHITECTURE)
@click.option("--quantity", type=QuantityName(), default="total",
              help="Of another quantity than the number of parameters (see derive --help).")
@options(SETTING)
@options(CERTIFICATE)
@options(OUTPUT)
def diff(**values: Any) -> None:
    """What changes from one model to another, as signed terms by component, with the sum.

    Two MODELs: from the first to the second. One, or none (a plain decoder): from it to itself
    as the options and KEY=VALUE change it. Options and KEY=VALUE are always the second one's;
    with --quantity two MODELs are run alike: s=N, n_images=N and image_width=N hold for both.
    """
    from symparam.diff.difference import compare
    from symparam.diff.sides import refuse_unread
    from symparam.documents.differences.document import DifferenceView

    kind = output_kind(values)
    quantity, setting = find(values["quantity"]), read_setting(values)
    refuse_setting(quantity, values)
    before, after = _models({**values, "words": run_words(values)})
    refuse_unread(quantity, after.given)
    of_one = len(parted(values["words"])[0]) < 2
    found = compare(before.model, after.model, quantity.name, setting,
                    apart=after.given if of_one else ())
    remark((*before.told_of(quantity), *after.told_of(quantity)), values)
    view = DifferenceView(found, chosen(values, after.model, before.model))
    emit(view, kind, values)


def _models(values: dict[str, Any]) -> tuple[Request, Request]:
    """Both models."""
    names, dims = parted(values["words"])
    if len(names) > 2:
        raise BadValue("MODEL MODEL", " ".join(names), "two are compared; dims are KEY=VALUE")
    plain = {**values, **_PLAIN}
    if len(names) < 2 and not dims and plain == values:
        raise click.UsageError("diff needs two MODELs, or one and what changes in it: "
                               "symparam diff gpt2 llama-2-7b")
    return read(tuple(names[:1]), plain), read((*names[-1:], *dims), values)
