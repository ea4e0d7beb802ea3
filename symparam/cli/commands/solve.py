"""``symparam solve``."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from symparam.cli.arguments import (
    ARCHITECTURE,
    TABLE_OUTPUT,
    TABLES,
    options,
    output_kind,
    share,
    words,
)
from symparam.cli.certificate import CERTIFICATE
from symparam.cli.helped import command
from symparam.cli.output import emit, remark
from symparam.cli.progress import Progress
from symparam.cli.request import Request, read
from symparam.cli.setting import SETTING, read_setting, run_words
from symparam.errors import BadValue
from symparam.grammar import Rule, constant, parse_rule

if TYPE_CHECKING:
    from symparam.solve import Wishes

#: The strategies, by name; the solver knows what they mean.
STRATEGY_NAMES = ("deep", "balanced", "wide")


@command()
@words
@options(ARCHITECTURE)
@click.option("--tolerance", metavar="SHARE",
              help="How far from the target counts as met: 1% (as it is) or 0.01; a ladder: 5%.")
@click.option("--max", "limit", type=click.IntRange(1, 1000), metavar="N",
              help="How many configurations to list (10).")
@click.option("--range", "ranges", multiple=True, metavar="KEY=VALUES",
              help="Values of a dim: L=16:64:4, n_kv=4,8; or of a ratio: d_model/L=64:160.")
@click.option("--multiple", "multiples", multiple=True, metavar="KEY=NUMBER",
              help="What a dim is a multiple of: d_ff=256.")
@click.option("--target", "targets", multiple=True, metavar="QUANTITY=NUMBER",
              help="Another quantity, met (active=3B) or not exceeded (active<=3B).")
@click.option("--weight", "weights", multiple=True, metavar="NAME=NUMBER",
              help="How much a preference counts in the order: ffn=3.")
@click.option("--strategy", type=click.Choice([*STRATEGY_NAMES, "all"]),
              help="A range of d_model/L; all: the best of each.")
@click.option("--ladder", metavar="SIZES",
              help="A family of sizes of one shape: 125M,350M,1B (in place of P=).")
@click.option("--aspect", metavar="NUMBER",
              help="The d_model/L of a ladder (128; of a model with numbers its own).")
@click.option("--heuristic", type=click.Choice(["guide"]),
              help="A rule of thumb to show beside the answer, with what it misses by.")
@options(SETTING)
@options(CERTIFICATE)
@options(TABLE_OUTPUT)
def solve(**values: Any) -> int:
    """Find configurations with a number of parameters: P=7e9 L=32.

    What is given is fixed; L and d_model are solved for, and whole configurations searched. KEY=?
    searches that dim alone. With --target in place of P=, of another quantity: the longest context
    (s=? --target "memory<=80GB"), the largest batch (b=?), the width for so many FLOPs. Exit code 1
    when the best is not within the tolerance.
    """
    kind = output_kind(values, TABLES)
    if values["keep_ratios"]:
        raise click.UsageError("--keep-ratios is for count and derive; solve keeps ratios anyway")
    request = read(run_words(values), values, solving=True)
    if values["ladder"] is not None or values["strategy"] == "all":
        return _suite(request, kind, values)
    if values["aspect"] is not None:
        raise click.UsageError("--aspect goes with --ladder; a range is --range d_model/L=64:160")
    return _one(request, kind, values)


def _one(request: Request, kind: str, values: dict[str, Any]) -> int:
    """One target."""
    from symparam.documents.solutions.document import SolutionView
    from symparam.solve import solve as find
    from symparam.solve.guide import suggest
    from symparam.solve.requests.parsing import read_target
    from symparam.solve.requests.targets import is_run

    wanted = [read_target(text) for text in values["targets"]]
    target = None if wanted and request.total is None else _target(request)
    found = find(request.model, target, given=request.given, wishes=_wishes(request, values),
                 wanted=wanted, setting=read_setting(values),
                 limit=values["limit"] or 10, **_tolerance(values),
                 progress=Progress(values["quiet"]))
    beside = suggest(_target(request), _gated(request)) if values["heuristic"] else None
    remark(request.told(*filter(is_run, request.given if wanted else ())), values)
    view = SolutionView.wrap(found, request.notation, beside)
    emit(view, kind, values)
    return 0 if found.met else 1


def _suite(request: Request, kind: str, values: dict[str, Any]) -> int:
    """A ladder of sizes, or one size by each strategy."""
    from symparam.documents.solutions.suite import SuiteView
    from symparam.solve.guide import suggest
    from symparam.solve.suite import ladder, strategies

    if values["targets"] or values["certificate"]:
        option = "--target" if values["targets"] else "--certificate"
        raise click.UsageError(f"{option} is for one size and one strategy")
    common: dict[str, Any] = {"given": request.given, **_tolerance(values)}
    if values["ladder"] is not None:
        if values["strategy"] == "all" or request.total is not None:
            raise click.UsageError("--ladder takes the place of P=, and has one aspect ratio")
        aspect = None if values["aspect"] is None else Fraction(
            _number("--aspect", values["aspect"]))
        sizes = [_whole("--ladder", text) for text in values["ladder"].split(",")]
        found = ladder(request.model, sizes, aspect=aspect, wishes=_wishes(request, values),
                       limit=values["limit"] or 1, **common)
    else:
        values = {**values, "strategy": None}
        found = strategies(request.model, _target(request), wishes=_wishes(request, values),
                           limit=values["limit"] or 3, **common)
    beside = [suggest(s.target, _gated(request)) for _, s in found.rows] if (
        values["heuristic"]) else []
    remark(request.told(), values)
    emit(SuiteView.wrap(found, request.notation, beside), kind, values)
    return 0 if found.met else 1


def _tolerance(values: dict[str, Any]) -> dict[str, Any]:
    """What was said of the tolerance."""
    text = values["tolerance"]
    return {} if text is None else {"tolerance": share("--tolerance", text)}


def _wishes(request: Request, values: dict[str, Any]) -> Wishes:
    from symparam.solve.requests.parsing import read_wishes

    return read_wishes(unknown=request.unknown, ranges=values["ranges"],
                       multiples=values["multiples"], weights=values["weights"],
                       strategy=values["strategy"], extra=request.model.names)


def _gated(request: Request) -> bool:
    """Whether the FFN has three matrices, which decides what the guide takes for d_ff."""
    return any(slot.component.name in {"swiglu", "geglu"} for _, slot in request.model.slots())


def _target(request: Request) -> int:
    if request.total is None:
        raise click.UsageError("solve needs a target, for instance P=7e9; or --target with "
                               "another quantity, for instance \"memory<=80GB\" with s=?")
    return _whole("P", request.total)


def _whole(name: str, value: Rule | str) -> int:
    number = _number(name, value)
    if not isinstance(number, int) or number < 1:
        raise BadValue(name, value, "must be a whole number of parameters, at least 1")
    return number


def _number(name: str, value: Rule | str) -> int | Fraction:
    number = constant(parse_rule(value) if isinstance(value, str) else value)
    if number is None:
        raise BadValue(name, value, "must be a number")
    return number
