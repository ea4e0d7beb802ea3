"""Pictures as files: SVG, PNG, PDF and PGF, the same bytes on every run."""

from __future__ import annotations

import io
import os
import warnings
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from symparam.errors import BadValue, OutputError
from symparam.plot.draw import DRAWN, draw
from symparam.plot.draw_rows import height
from symparam.plot.style import RC
from symparam.showable import clean
from symparam.showable import tex as escape

if TYPE_CHECKING:
    from symparam.plot.picture import Picture

#: What is written about a file inside it; no dates, no versions.
_ABOUT: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "symparam"}, "png": {"Software": "symparam"},
    "pdf": {"CreationDate": None, "Creator": "symparam", "Producer": "symparam"}}

#: The formats of pictures.
FORMATS = (*_ABOUT, "pgf")


#: Formats that papers take, where a caption says what a title would.
CAPTIONED = frozenset({"pdf", "pgf"})


def render(picture: Picture, kind: str, width: float | None = None,
           title: bool | None = None) -> bytes:
    """A picture in a format.

    Args:
        picture: what is drawn.
        kind: ``svg``, ``png``, ``pdf`` or ``pgf``.
        width: of the picture in centimetres, in type that is as large as ever; about 16.8.
        title: whether its title stands above it; not in ``pdf`` and ``pgf`` if None.

    Raises:
        BadValue: the kind of picture is not drawn, or SOURCE_DATE_EPOCH is no time. OutputError:
            matplotlib is not installed or cannot be loaded, or LaTeX is not, which PGF needs.
    """
    if picture.kind not in DRAWN:
        raise BadValue("--format", kind, f"{picture.kind} is not drawn: --format mermaid writes it")
    try:
        import matplotlib
    except ImportError:
        raise OutputError("pictures need matplotlib: pip install 'symparam[plot]'") from None
    except ValueError as error:  # MPLBACKEND, or a matplotlibrc
        raise OutputError(f"matplotlib cannot be loaded: {' '.join(str(error).split())}") from None
    _refuse_odd_time()
    matplotlib.use("agg")
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(RC)
        shown = kind not in CAPTIONED if title is None else title
        figure = _drawn(picture if shown else replace(picture, title=""), width)
        if kind == "pgf":
            _as_latex(figure)
        about: dict[str, Any] = {"metadata": {**_ABOUT[kind], **({} if kind == "png" else {
            "Title": clean(picture.title)})}} if kind in _ABOUT else {}
        out: Any = io.StringIO() if kind == "pgf" else io.BytesIO()
        try:
            figure.savefig(out, format=kind, bbox_inches="tight", pad_inches=PAD, **about)
        except (RuntimeError, OSError) as error:
            if kind != "pgf":
                raise
            first = str(error).strip().splitlines()[0] if str(error).strip() else "no reason given"
            raise OutputError(f"PGF needs pdflatex, to measure words: {first}") from None
    found = out.getvalue()
    return found.encode() if isinstance(found, str) else bytes(found)


def _refuse_odd_time() -> None:
    """Refuse what matplotlib would fail at, though no picture holds a date."""
    time = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        datetime.fromtimestamp(int(time or 0), UTC)
    except (ValueError, OverflowError, OSError):
        raise BadValue("SOURCE_DATE_EPOCH", time, "is no time in seconds") from None


def _as_latex(figure: Any) -> None:
    """Make every text of a figure one that LaTeX sets as it stands."""
    from matplotlib.text import Text

    for each in figure.findobj(Text):
        each.set_parse_math(False)
        lines = each.get_text().replace(r"\$", "$").split("\n")
        each.set_text("\n".join(map(escape, lines)))


#: What is left round a picture, in inches, and how often its width is tried.
PAD, TRIES = 0.08, 4


def _drawn(picture: Picture, width: float | None) -> Any:
    """The figure, its words and all as wide as is wanted, in centimetres."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    usual, tall = RC["figure.figsize"]
    wanted = None if width is None else float(width) / 2.54
    across = usual if wanted is None else wanted
    tried: list[tuple[float, Any]] = []
    for _ in range(1 if wanted is None else TRIES):
        high = height(picture, across) or tall * (0.4 + 0.6 * across / usual)
        figure = Figure(figsize=(across, high))
        FigureCanvasAgg(figure)
        draw(picture, figure.add_subplot())
        over = 0.0 if wanted is None else figure.get_tightbbox().width + 2 * PAD - wanted
        tried.append((over if over > 0.01 else abs(over) / 10, figure))  # rather narrower
        if abs(over) < 0.01:
            break
        across = max(across - over, 1.0)
    return min(tried, key=lambda each: each[0])[1]
