"""``symparam align``."""

from __future__ import annotations

from typing import Any

import click

from symparam.align import LOOKED_AT
from symparam.cli.arguments import ARCHITECTURE, OUTPUT, options, output_kind, words
from symparam.cli.helped import command
from symparam.cli.output import emit, remark
from symparam.cli.request import read
from symparam.documents.align import AlignView
from symparam.documents.common.foundation import remarks_of
from symparam.resolve import resolve


@command()
@words
@options(ARCHITECTURE)
@options(OUTPUT)
def align(**values: Any) -> None:
    """List the head configurations of a width, and check what widths are multiples of."""
    kind = output_kind(values)
    request = read(values["words"], values)
    dims = _dims(request.model, request.given, values["words"])
    remark((*request.told(), *remarks_of(request.model)), values)
    name = request.model.name if request.base or not request.given else (
        " ".join(f"{k}={v}" for k, v in dims.items()))
    split = "d_head" in request.model.dims_at_work
    emit(AlignView(name, dims, split, request.notation), kind, values)


def _dims(model: Any, given: Any, words: Any) -> dict[str, int]:
    """The numbers to look at: a model's, or those given and nothing that merely follows."""
    values = resolve(model).values if len(given) < len(words) else dict(model.values)
    dims = {name: values[name] for name in LOOKED_AT if name in values}
    if not dims:
        raise click.UsageError("align needs a MODEL, or dims: d_model=4096 n_heads=32 d_ff=11008")
    return dims
