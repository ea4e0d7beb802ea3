"""What pictures cost of a model that sees, as a section of what it costs and as data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from symparam import expression as ex
from symparam.notation.numbers import gigabytes, grouped, short
from symparam.quantities.cost import Cost
from symparam.sight import followed
from symparam.writers.document import (
    Block,
    Cell,
    Column,
    Heading,
    Items,
    Math,
    Paragraph,
    Table,
    spans,
)


def pictures_blocks(c: Cost) -> Iterator[Block]:
    """The positions of one picture, what all take, and what that rests on."""
    if c.subject.ledger.blind:
        yield Heading(spans("Pictures"))
        yield Paragraph(spans(f"Not here: {c.subject.ledger.blind}."))
        return
    found, dims = c.pictures(), c.subject.dims
    several = found.number != 1
    size = f" of {dims['image_width']} × {dims['image_height']} pixels" if (
        "image_height" in dims) else ""
    yield Heading(spans(f"{grouped(found.number)} picture{'s' * several}{size}"))
    rows: list[tuple[Cell, ...]] = [
        (what, " × ".join(map(grouped, factors)), grouped(math.prod(factors)))
        for what, factors in found.takes]
    rows.append(("a picture", "", grouped(found.tokens // found.number)))
    yield Table((Column("positions of a sequence"), Column("", "right"), Column("", "right")),
                tuple(rows), total=True)
    tokens, s = found.tokens, c.subject.setting["s"]
    of_all = (f"{grouped(tokens)} of the {grouped(s)} positions of a sequence" if tokens <= s else
              f"{grouped(tokens)} positions, more than the {grouped(s)} of the sequence: "
              f"s=N with the text behind them, at least {grouped(tokens)}")
    yield Items((
        spans(of_all if several or tokens > s else "other pictures: n_images=N, image_height=N, "
              "image_width=N" if size else "more pictures: n_images=N"),
        spans(f"a batch of sequences of {'these' if several else 'it'} alone: "
              f"{grouped(found.cache)} bytes of cache ({gigabytes(found.cache)}), "
              f"{grouped(found.flops)} FLOPs of a forward pass ({short(int(found.flops))}), "
              "without those of what sees"),
        *(spans(Math(ex.Sym(eq.dim), "=", ex.Num(dims[eq.dim])), f" ({eq.reason})")
          for eq in followed(c.model, dims))))


def pictures_data(c: Cost) -> dict[str, Any] | None:
    """The same as data; None where it is not known."""
    if c.subject.ledger.blind:
        return None
    found, dims = c.pictures(), c.subject.dims
    return {"number": int(found.number), "positions": int(found.tokens),
            "takes": [{"what": what, "factors": list(map(int, factors))}
                      for what, factors in found.takes],
            "cache": -(-found.cache // 1), "flops": int(found.flops),
            "followed": {eq.dim: {"value": dims[eq.dim], "reason": eq.reason}
                         for eq in followed(c.model, dims)}}
