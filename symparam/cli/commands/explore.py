"""``symparam explore``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from symparam.cli.arguments import ARCHITECTURE, OUTPUT, listed, options, output_kind, parted, words
from symparam.cli.helped import ARCHITECTURE as ARCHITECTURE_HEADING
from symparam.cli.helped import command
from symparam.cli.output import emit, remark
from symparam.cli.request import read
from symparam.cli.setting import SETTING, read_setting, run_words
from symparam.descriptions.references import keys_of

if TYPE_CHECKING:
    from symparam.explore.reference import Reference


@command()
@words
@options(ARCHITECTURE)
@click.option("--quantity", "quantities", multiple=True, metavar="NAME",
              help="A further quantity (repeatable; commas too).")
@options(SETTING)
@options(OUTPUT)
def explore(**values: Any) -> None:
    """Make a page in which a model's numbers are changed: -o page.html, one file that asks for
    nothing else. With --json the model as data, which other programs count with; as text what
    can be changed."""
    from symparam.explore.explored import explore as explored
    from symparam.explore.view import ExploreView

    kind = output_kind(values)
    request = read(run_words(values), values)
    names, _ = parted(values["words"])
    form, keys = (keys_of(names[0]) or ("", {})) if names else ("", {})
    found = explored(request.model, read_setting(values), listed(values["quantities"]),
                     reference=_reference(values, request.given),
                     config=keys if form == "hf" else None)
    needs = {need for answer in found.answers for need in answer.quantity.needs}
    remark(request.told(*request.at_work(needs), of="the page"), values)
    emit(ExploreView(found, request.notation), kind, values)


def _reference(values: dict[str, Any], given: Mapping[str, object]) -> Reference:
    """MODEL, the options that change it, and the dims that were given."""
    from symparam.explore.reference import Reference

    names, _ = parted(values["words"])
    context, found = click.get_current_context(), list(names)
    for option in context.command.params:
        if getattr(option, "heading", "") == ARCHITECTURE_HEADING and option.name is not None:
            found += _written(option, values[option.name])
    return Reference(shlex.join(found), {name: str(value) for name, value in given.items()})


def _written(option: click.Parameter, value: Any) -> list[str]:
    """An option as it is typed; nothing where it was not."""
    if value is None or value == () or (value is False and not option.secondary_opts):
        return []
    if isinstance(value, bool):
        return [option.opts[0] if value else option.secondary_opts[0]]
    each = value if isinstance(value, tuple) else (value,)
    return [word for one in each for word in (option.opts[0], str(one))]
