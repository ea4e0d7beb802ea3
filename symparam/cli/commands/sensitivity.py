"""``symparam sensitivity``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from symparam.cli.arguments import ARCHITECTURE, OUTPUT, listed, options, output_kind, share, words
from symparam.cli.certificate import CERTIFICATE
from symparam.cli.helped import command
from symparam.cli.output import emit, remark
from symparam.cli.request import read
from symparam.cli.setting import (
    SETTING,
    QuantityName,
    read_setting,
    refuse_setting,
    run_words,
)
from symparam.errors import BadValue, ParseError
from symparam.grammar import constant, parse_rule
from symparam.quantities import find


@command()
@words
@options(ARCHITECTURE)
@click.option("--quantity", type=QuantityName(), default="total",
              help="Of another quantity than the number of parameters (see derive --help).")
@click.option("--wrt", multiple=True, metavar="DIMS",
              help="Dims to look at, commas between them; 'all' for every one (repeatable).")
@click.option("--step", multiple=True, metavar="DIM=STEP",
              help="Whole steps to count, in place of the usual ones: d_model=128 (repeatable).")
@click.option("--share", "shares", multiple=True, metavar="SHARE",
              help="Shares under which embeddings are looked for (5% and 10%).")
@click.option("--assume", multiple=True, metavar="EQUATION",
              help="A relation for where ratios are kept; 'none' drops the usual ones.")
@options(SETTING)
@options(CERTIFICATE)
@options(OUTPUT)
def sensitivity(**values: Any) -> None:
    """How the count, or another --quantity, changes with the dims: derivatives, each proved, with
    what is held fixed; elasticities; whole steps, counted; doublings, layers against width, and
    where embeddings fall under a share."""
    from symparam.documents.sensitivities.document import SensitivityView
    from symparam.sensitivity import analyse

    kind = output_kind(values)
    quantity = find(values["quantity"])
    refuse_setting(quantity, values)
    request = read(run_words(values), values)
    found = analyse(request.model, listed(values["wrt"]), _steps(values["step"]),
                    [share("--share", text) for text in values["shares"]] or None,
                    values["assume"], quantity=quantity.name, setting=read_setting(values))
    remark(request.told_of(quantity), values)
    view = SensitivityView(found, request.notation)
    emit(view, kind, values)


def _steps(texts: Iterable[str]) -> dict[str, list[int]]:
    """Steps by dim, from ``d_model=128``.

    >>> _steps(["d_model=64", "d_model=-128"])
    {'d_model': [64, -128]}
    """
    found: dict[str, list[int]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            number = constant(parse_rule(value)) if equals else None
        except ParseError as error:
            raise BadValue("--step", text, f"expected d_model=128: {error.problem}") from None
        if not isinstance(number, int):
            raise BadValue("--step", text, "expected a dim and a whole number: d_model=128")
        found.setdefault(name.strip(), []).append(number)
    return found
