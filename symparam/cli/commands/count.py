"""``symparam count``."""

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
from symparam.cli.helped import command
from symparam.cli.output import chosen, emit, remark
from symparam.cli.parameters import Words
from symparam.cli.request import read, unchanged
from symparam.documents.count_data import CountView, count_model
from symparam.errors import Contradiction


@command()
@click.argument("words", nargs=-1, type=Words(), metavar="[MODEL]... [KEY=VALUE]...")
@options(ARCHITECTURE)
@click.option("--tensors", is_flag=True,
              help="List the tensors as transformers' modules name them.")
@options(OUTPUT)
def count(**values: Any) -> None:
    """Count a model's parameters to the last one, component by component.

    Several MODELs stand side by side, each as it is, as symparam compare has them.
    """
    kind = output_kind(values)
    names, _ = parted(values["words"])
    if len(names) > 1 and not any("=" in name for name in names):
        _several(names, kind, values)
        return
    request = read(values["words"], values)
    result = count_model(request.model, request.base)
    remark(request.told(), values)
    emit(CountView(result, values["tensors"], request.notation), kind, values)


def _several(names: list[str], kind: str, values: dict[str, Any]) -> None:
    """Models side by side, in what is usual; what would change one of them is refused."""
    unchanged(names, values)
    if values["tensors"]:
        raise Contradiction("--tensors", "several models", "list those of one model")
    from symparam.claims.comparison import compare
    from symparam.documents.compare import CompareView

    models = [read((name,), values).model for name in names]
    emit(CompareView(compare(models), chosen(values)), kind, values)  # in no model's own notation
