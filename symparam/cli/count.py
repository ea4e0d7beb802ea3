"""``symparam count``."""

from __future__ import annotations

from typing import Any

import click

from symparam.cli.arguments import ARCHITECTURE, OUTPUT, options, output_kind, read, words
from symparam.cli.output import emit, remark
from symparam.export.count_document import count_document, count_json, count_model


@click.command(short_help="Count parameters to the last one.")
@words
@options(ARCHITECTURE)
@click.option("--tensors", is_flag=True, help="List the tensors of a checkpoint.")
@options(OUTPUT)
def count(**values: Any) -> None:
    """Count a model's parameters to the last one, component by component."""
    kind = output_kind(values)
    request = read(values["words"], values)
    result = count_model(request.model, request.base)
    remark(request.remarks, values)
    data = count_json(result, values["tensors"]) if kind == "json" else None
    emit(count_document(result, values["tensors"]), data, kind, values)
