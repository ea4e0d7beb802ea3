"""``symparam models`` and ``symparam components``: what there is."""

from __future__ import annotations

from typing import Any

import click

from symparam.cli.arguments import OUTPUT, options, output_kind
from symparam.cli.helped import command
from symparam.cli.output import chosen, emit, remark
from symparam.documents.catalogue import ComponentsView, ModelsView
from symparam.plugins import left_out


@command()
@click.argument("part", default="", metavar="[PART OF A NAME]")
@options(OUTPUT)
def models(**values: Any) -> None:
    """List the published models in the catalogue, with counts and sources."""
    kind = output_kind(values)
    emit(ModelsView(values["part"], chosen(values)), kind, values)


@command()
@options(OUTPUT)
def components(**values: Any) -> None:
    """List the components, with the dims and options that each takes and its source."""
    kind = output_kind(values)
    emit(ComponentsView(chosen(values)), kind, values)
    remark(tuple(map(str, left_out())), values)
