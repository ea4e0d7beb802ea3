"""Models side by side as a picture: the table of a comparison, whatever is asked of each."""

from __future__ import annotations

from collections.abc import Sequence

from symparam.claims.comparison import COLUMNS, compare
from symparam.documents.compare import basis
from symparam.model import Model
from symparam.plot.picture import Picture
from symparam.quantities.setting import Setting


def compared(models: Sequence[Model], columns: Sequence[str] = (),
             setting: Setting | None = None) -> Picture:
    """What is asked of each model, a column each; what a model has not is a dash.

    Args:
        models: with numbers for all their dims.
        columns: dims, quantities, parts, matrices or expressions in them; the usual if none.
        setting: formats, and how attention is counted.

    Raises:
        SymparamError: as for :func:`symparam.claims.comparison.compare`.

    >>> from symparam.descriptions.load import load
    >>> compared([load("gpt2"), load("bert-base")], ["P", "top_k"]).rows
    (('gpt2', 124439808, '–'), ('bert-base', 109482240, '–'))
    """
    found = compare(models, columns or COLUMNS, setting)
    rows = tuple((model.name, *("–" if each.value is None else each.value for each in row))
                 for model, row in zip(found.models, found.rows, strict=True))
    names = ("model", *(column.text for column in found.columns))
    return Picture("compare", "Models compared", names, rows, tuple(basis(found)))
