"""``symparam align``."""

from __future__ import annotations

from typing import Any

import click

from symparam.cli.arguments import ARCHITECTURE, OUTPUT, options, output_kind, read, words
from symparam.cli.output import emit, remark
from symparam.export.align_document import align_document, align_json
from symparam.resolve import resolve

_LOOKED_AT = ("V", "d_model", "n_heads", "n_kv", "d_head", "d_ff", "d_expert", "d_shared")


@click.command(short_help="Head configurations of a width; hardware alignment.")
@words
@options(ARCHITECTURE)
@options(OUTPUT)
def align(**values: Any) -> None:
    """List the head configurations of a width, and check what widths are multiples of."""
    kind = output_kind(values)
    request = read(values["words"], values)
    dims = _dims(request.model, request.given, values["words"])
    remark(request.remarks, values)
    name = request.model.name if request.base or not request.given else (
        " ".join(f"{k}={v}" for k, v in dims.items()))
    emit(align_document(name, dims), lambda: align_json(name, dims), kind, values)


def _dims(model: Any, given: Any, words: Any) -> dict[str, int]:
    """The numbers to look at: a model's, or those given and nothing that merely follows."""
    values = resolve(model).values if len(given) < len(words) else dict(model.values)
    dims = {name: values[name] for name in _LOOKED_AT if name in values}
    if not dims:
        raise click.UsageError("align needs a MODEL, or dims: d_model=4096 n_heads=32 d_ff=11008")
    return dims
