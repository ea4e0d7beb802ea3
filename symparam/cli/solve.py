"""``symparam solve``."""

from __future__ import annotations

from typing import Any

import click

from symparam.cli.arguments import ARCHITECTURE, OUTPUT, options, output_kind, read, share, words
from symparam.cli.output import emit, remark
from symparam.errors import BadValue
from symparam.grammar import Rule, constant


@click.command(short_help="Find configurations with a number of parameters.")
@words
@options(ARCHITECTURE)
@click.option("--tolerance", default="1%", metavar="SHARE",
              help="How far from the target counts as met: 1% or 0.01.")
@click.option("--max", "limit", type=click.IntRange(1, 1000), default=10,
              help="How many configurations to list (10).")
@options(OUTPUT)
def solve(**values: Any) -> int:
    """Find configurations with a number of parameters: P=7e9 L=32.

    What is given is fixed; L and d_model are solved for, and whole configurations searched. KEY=?
    searches that dim alone. Exit code 1 when the best is not within the tolerance.
    """
    from symparam.export.solve_document import solve_document
    from symparam.solve import solve as find

    kind = output_kind(values)
    if values["keep_ratios"]:
        raise click.UsageError("--keep-ratios is for count and derive; solve keeps ratios anyway")
    request = read(values["words"], values, solving=True)
    if request.total is None:
        raise click.UsageError("solve needs a target, for instance P=7e9")
    found = find(request.model, _target(request.total), given=request.given,
                 unknown=request.unknown, tolerance=share("--tolerance", values["tolerance"]),
                 limit=values["limit"])
    remark(request.remarks, values)
    emit(solve_document(found), found.to_json, kind, values)
    return 0 if found.met else 1


def _target(rule: Rule) -> int:
    number = constant(rule)
    if number is None:
        raise BadValue("P", rule, "must be a number")
    if not isinstance(number, int) or number < 1:
        raise BadValue("P", rule, "must be a whole number of parameters, at least 1")
    return number
