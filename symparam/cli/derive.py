"""``symparam derive``."""

from __future__ import annotations

from typing import Any

import click

from symparam.cli.arguments import ARCHITECTURE, OUTPUT, options, output_kind, read, words
from symparam.cli.output import emit, remark
from symparam.dims import canonical


@click.command(short_help="Derive a parameter count, every step proved.")
@words
@options(ARCHITECTURE)
@click.option("--assume", multiple=True, metavar="EQUATION",
              help="Use an equation, replacing the default for its dim; 'none' drops the defaults.")
@click.option("--leading", metavar="[SYMBOL]", is_flag=False, flag_value="d_model",
              help="Keep the highest power of a symbol (d_model), and list what is left out.")
@options(OUTPUT)
def derive(**values: Any) -> None:
    """Derive a parameter count: every step with its reason, proved; then the numbers."""
    from symparam.derivation.plan import derive as derivation
    from symparam.export.derivation_document import derivation_document, derivation_json
    from symparam.export.notation import preset

    kind = output_kind(values)
    leading, spare = _leading(values["leading"])
    request = read((*values["words"], *spare), values)
    symbol = None if leading is None else canonical(leading, request.model.dims)
    found = derivation(request.model, values["assume"], symbol)
    remark(request.remarks, values)
    data = derivation_json(found, preset(values["notation"])) if kind == "json" else None
    emit(derivation_document(found), data, kind, values)


def _leading(value: str | None) -> tuple[str | None, tuple[str, ...]]:
    """The symbol after --leading, which may be left out: a MODEL or KEY=VALUE is not one."""
    if value is None:
        return None, ()
    if "=" in value or _is_model(value):
        return "d_model", (value,)
    return value, ()


def _is_model(value: str) -> bool:
    from symparam.spec import catalogue
    from symparam.spec.load import looks_like_path

    return value in catalogue.names() or looks_like_path(value)
