"""Answers that are not of one model: models side by side, tables of claims, and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from symparam import model as core
from symparam.api.given import dims_of, options_and_dims, setting_and_dims
from symparam.api.models import Model, load
from symparam.dims import canonical
from symparam.errors import BadValue
from symparam.model import names_of

if TYPE_CHECKING:
    from symparam.documents.bundle import Bundle
    from symparam.documents.claims import ReviewView
    from symparam.documents.compare import CompareView
    from symparam.notation.notation import Notation
    from symparam.plot.picture import Picture
    from symparam.quantities.setting import Setting


def compare(*models: core.Model | str, columns: Sequence[str] | None = None, short: bool = False,
            bold: Literal["", "lowest", "highest"] = "", **given: Any) -> CompareView:
    """Models side by side, in whatever can be asked of each; it shows itself in a notebook.

    Args:
        *models: models, or what :func:`load` takes; each with numbers for all its dims.
        columns: dims, quantities, parts (``P_attention``), matrices, or expressions in them;
            counts, cache and FLOPs of a token if None.
        short: whether documents write ``8.03 B`` in place of the whole number.
        bold: which number of each column stands out.
        **given: what all are run with: ``s``, ``b``; and ``dtype`` and the like, as for
            :meth:`~symparam.api.costed.Costed.quantity`.

    Raises:
        ParseError, UnknownName: a column that cannot be read. BadValue: a dim that is a model's
            own, or no models.

    >>> from symparam import compare
    >>> found = compare("gpt2", "mixtral-8x7b", columns=["P", "active", "kv_cache"], s=1024)
    >>> found.json()["rows"]
    [[124439808, 124439808, 37748736], [46702792704, 12879925248, 134217728]]
    """
    from symparam.claims.comparison import COLUMNS
    from symparam.claims.comparison import compare as compared
    from symparam.documents.compare import CompareView

    chosen, setting = _run_alike(models, given)
    found = compared(chosen, COLUMNS if columns is None else columns, setting)
    return CompareView(found, brief=short, bold=bold)


def bundle(*models: core.Model | str, notation: str | Path | Notation = "paper",
           text_width: float | str = 16, column_width: float | str = "7.7", cite: str = "citep",
           **given: Any) -> Bundle:
    """A folder for a paper: each model's appendix and costs, macros, bibliography, figures.

    Args:
        *models: models, or what :func:`load` takes; each with numbers for all its dims.
        notation: how dims are written: a name, the path of a TOML file, or a notation.
        text_width: of a page's text, in cm.
        column_width: of a column where there are two, in cm.
        cite: the command that cites: ``citep``, ``citet`` or ``cite``.
        **given: what all are run with: ``s``, ``b``; and ``dtype`` and the like, as for
            :meth:`~symparam.api.costed.Costed.quantity`.

    Raises:
        BadValue: no models, a dim that is a model's own, or a width that no text has.
        Contradiction: a model twice.

    >>> from symparam import bundle
    >>> found = bundle("gpt2", s=64)
    >>> [name for name in found.files if "/page/" in name and name.endswith(".tex")]
    ['fragments/page/gpt2-appendix.tex', 'fragments/page/gpt2-cost.tex']
    >>> found.save("paper")  # doctest: +SKIP
    """
    from symparam.documents.bundle import bundle as made
    from symparam.notation.notation_file import notation_of

    chosen, setting = _run_alike(models, given)
    return made(chosen, notation_of(notation).citing(cite), setting,
                {"page": Fraction(str(text_width)), "column": Fraction(str(column_width))})


def _run_alike(models: Sequence[core.Model | str], given: Mapping[str, Any]
               ) -> tuple[list[core.Model], Setting]:
    """Models with what all of them are run with.

    Raises:
        BadValue: a dim that is a model's own.
    """
    from symparam.run import RUN

    setting, dims = setting_and_dims(given)
    own = next((name for name in dims_of(dims) if name not in RUN), None)
    if own is not None:
        raise BadValue(own, given.get(own), "a model's dims are its own: load it with this one")
    chosen = [load(each) if isinstance(each, str) else Model.wrap(each) for each in models]
    return [model._with(dims) for model in chosen], setting


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
    from symparam.claims.tables.table_file import read_table
    from symparam.claims.tables.table_rows import Base, review_table
    from symparam.documents.claims import ReviewView

    own = load(model) if isinstance(model, str) else model
    options, dims = options_and_dims(changes, own)
    base = Base(own, options, dims)
    return ReviewView([review_table(read_table(path), base, columns)],
                      own.notation if own is not None else "paper")


def picture(kind: str, *models: core.Model | str, kv_dtype: str = "bf16",
            quantity: str | None = None, fit: str = "hoffmann-3", **axes: Sequence[int]) -> Picture:
    """A picture with its numbers, which shows itself in a notebook.

    Args:
        kind: ``shapes``, ``depth``, ``heads``, ``cache``, ``parts``, ``shares``, ``pie``,
            ``contours``, ``flow``, ``isoflop`` or ``over``.
        *models: models, or what :func:`load` takes; the usual ones if none is named.
        kv_dtype: how a cache is stored.
        quantity: what ``depth``, ``contours`` and ``over`` show (``P``); of ``isoflop`` how
            training is counted (``train_full``).
        fit: by what a size is best in ``isoflop``: a name, or a formula.
        **axes: values of the picture's axes, in place of the usual ones.

    >>> from symparam import picture
    >>> print(picture("heads", d_model=[1024]).csv(), end="")
    d_model,n_heads,d_head
    1024,4,256
    1024,8,128
    1024,16,64
    1024,32,32
    """
    from symparam.plot.data import AXES, USUAL
    from symparam.plot.data import picture as made
    from symparam.quantities.formats import number_format
    from symparam.quantities.setting import Setting

    chosen = [load(each) if isinstance(each, str) else each
              for each in models or USUAL.get(kind, ())]
    names = names_of(chosen)
    own = AXES.get(kind, ())
    return made(kind, chosen, {name if name in own else canonical(name, names): list(values)
                               for name, values in axes.items()},
                setting=Setting(cache=number_format(kv_dtype)), quantity=quantity, by=fit)
