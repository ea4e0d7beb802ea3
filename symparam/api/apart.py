"""Answers that are not of one model: tables of claims, and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symparam import model as core
from symparam.api.given import options_and_dims
from symparam.api.models import load
from symparam.dims import canonical
from symparam.model import names_of

if TYPE_CHECKING:
    from symparam.documents.claims import ReviewView
    from symparam.plot.picture import Picture


def check_table(path: str | Path, model: str | core.Model | None = None, *,
                columns: Mapping[str, str] | None = None, **changes: Any) -> ReviewView:
    """A verdict on every row of a table of models, and what would make the false ones true.

    Args:
        path: a CSV, a Markdown table or a LaTeX tabular; one model a row, or one a column.
        model: the architecture of its rows, and the numbers for which it has no column.
        columns: title of a column to what it is, where the title does not say it: a dim, an
            option, ``"name"``, an expression that is claimed, ``"-"`` for nothing.
        **changes: options and dims for all rows.

    Raises:
        TableError: the table cannot be read; row and column are named.
    """
    from symparam.claims.table_file import read_table
    from symparam.claims.table_rows import Base, review_table
    from symparam.documents.claims import ReviewView

    own = load(model) if isinstance(model, str) else model
    options, dims = options_and_dims(changes, own)
    base = Base(own, options, dims)
    return ReviewView([review_table(read_table(path), base, columns)],
                      own.notation if own is not None else "paper")


def picture(kind: str, *models: core.Model | str, kv_dtype: str = "bf16", quantity: str = "P",
            **axes: Sequence[int]) -> Picture:
    """A picture with its numbers, which shows itself in a notebook.

    Args:
        kind: ``shapes``, ``depth``, ``heads``, ``cache``, ``parts``, ``shares``, ``pie``,
            ``contours`` or ``flow``.
        *models: models, or what :func:`load` takes; the usual ones if none is named.
        kv_dtype: how a cache is stored.
        quantity: what ``depth`` and ``contours`` show.
        **axes: values of the picture's axes, in place of the usual ones.

    >>> from symparam import picture
    >>> print(picture("heads", d_model=[1024]).csv(), end="")
    d_model,n_heads,d_head
    1024,4,256
    1024,8,128
    1024,16,64
    1024,32,32
    """
    from symparam.plot.data import USUAL
    from symparam.plot.data import picture as made
    from symparam.quantities.formats import number_format
    from symparam.quantities.setting import Setting

    chosen = [load(each) if isinstance(each, str) else each
              for each in models or USUAL.get(kind, ())]
    names = names_of(chosen)
    return made(kind, chosen, {canonical(name, names): list(v) for name, v in axes.items()},
                setting=Setting(cache=number_format(kv_dtype)), quantity=quantity)
