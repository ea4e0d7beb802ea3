"""``symparam plot``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symparam.cli.arguments import (
    ARCHITECTURE,
    listed,
    options,
    output_kind,
    output_options,
    parted,
)
from symparam.cli.helped import command
from symparam.cli.output import chosen, emit, put, remark, save_all, write
from symparam.cli.parameters import Beside, Width, Words
from symparam.cli.request import loaded_model, read, unchanged
from symparam.cli.setting import (
    SETTING,
    QuantityName,
    quantity_names,
    read_setting,
    refuse_setting,
    run_words,
)
from symparam.dims import TOTAL
from symparam.errors import BadValue, OutputError, UnknownName
from symparam.files.writing import may_all_be_written
from symparam.grammar import constant, parse_rule
from symparam.model import Model, names_of
from symparam.quantities import find
from symparam.run import RUN

if TYPE_CHECKING:
    from symparam.plot.picture import Picture

    _Choice = click.Choice[str]
else:
    _Choice = click.Choice

#: Formats of pictures and of their tables, by the ending of a file.
ENDINGS = {".svg": "svg", ".png": "png", ".pdf": "pdf", ".pgf": "pgf", ".mmd": "mermaid",
           ".csv": "csv"}
DRAWN = ("svg", "png", "pdf", "pgf")
#: The kinds, as :mod:`symparam.plot.data` has them.
NAMES = ("shapes", "depth", "heads", "cache", "parts", "shares", "pie", "contours", "flow",
         "isoflop", "over", "layers", "compare")
#: Pictures that take any number of models.
SEVERAL = frozenset({"shapes", "parts", "shares", "layers", "compare"})


class Kind(_Choice):
    """A kind of picture; a quantity is none, and is said how it is shown."""

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> str:
        """The kind, as it is written."""
        if value not in NAMES and value in quantity_names():
            self.fail(f"{value} is a quantity: {_shown(value)}", param, ctx)
        if value not in NAMES:
            self.fail(str(UnknownName("kind of picture", str(value), NAMES)), param, ctx)
        return super().convert(value, param, ctx)


def _shown(quantity: str) -> str:
    """How a quantity is drawn."""
    return (f"'symparam plot over MODEL s=START:STOP:STEP --quantity {quantity}', or "
            f"'symparam plot compare MODEL... --columns {quantity}'")


def _loaded(name: str, values: dict[str, Any]) -> Model | None:
    """A model by its name; of a quantity in its place it is said what it is."""
    try:
        return loaded_model([name], values)
    except UnknownName:
        if name not in quantity_names():
            raise
        raise click.UsageError(f"{name} is a quantity: {_shown(name)}") from None


@command()
@click.argument("kind", type=Kind(NAMES), metavar="KIND")
@click.argument("words", nargs=-1, type=Words(), metavar="[MODEL]... [KEY=VALUE]...")
@options(ARCHITECTURE)
@click.option("--quantity", type=QuantityName(),
              help="What depth, contours and over show (P): kv_cache, flops, active ...; of "
              "isoflop how training is counted (train_full).")
@click.option("--compute", metavar="FLOPS", help="Of isoflop: 1e19,1e20,1e21 (as it is).")
@click.option("--sizes", metavar="SIZES", help="Of isoflop: 100M,300M,1B (four in each decade).")
@click.option("--fit", "by", metavar="FIT",
              help="Of isoflop: hoffmann-1, hoffmann-2, hoffmann-3 (as it is), or a formula of the "
              "loss in N and D, or of the best size in C.")
@click.option("--columns", multiple=True, metavar="NAME[,NAME...]",
              help="Of compare: as for symparam compare.")
@click.option("--width", type=Width(), metavar="CM",
              help="How wide a picture is (16.8); 8.4 or so for a column. Type stays as large.")
@click.option("--title/--no-title", "titled", default=None,
              help="Whether the title stands above it (not in pdf and pgf, which have captions).")
@click.option("--data", type=Beside(path_type=Path), metavar="FILE",
              help="Where the table of a picture goes; without it, beside the picture, as .csv.")
@options(SETTING)
@options(output_options(*ENDINGS.values(), endings=" ".join(ENDINGS)))
def plot(**values: Any) -> None:
    """Draw a picture: symparam plot cache llama-2-70b -o cache.svg.

    The numbers that a picture shows are written beside it (cache.csv). Without a file they are
    printed. Axes are KEY=start:stop:step or KEY=a,b,c, both ends included.

    \b
    shapes    depth against width, a bubble a model          MODEL...
    depth     parameters against depth, a line a width       MODEL L=.. d_model=..
    heads     width of a head against their number           d_model=..
    cache     cache against context, MHA, GQA, MQA           MODEL s=.. n_kv=..
    parts     attention against feed-forward                 MODEL...
    shares    what the parameters are made of                MODEL...
    pie       the same of one model (also --format mermaid)  MODEL
    contours  equal numbers of parameters                    MODEL L=.. d_model=..
    flow      from text to the next token, as Mermaid        MODEL
    isoflop   what equal compute buys at each size           MODEL s=..
    over      a quantity over a dim, lines of a second       MODEL s=.. n_kv=..
    layers    kinds of layer in their order                  MODEL...
    compare   any numbers of models, as bars                 MODEL... s=..
    """
    kind = output_kind(values, ENDINGS)
    found = _picture(values)
    if kind in DRAWN:
        _save(found, kind, values)
        return
    for option, name in (("data", "data"), ("width", "width"), ("titled", "title")):
        if values[option] is not None:
            raise click.UsageError(f"--{name} goes with a picture: -o FILE.svg")
    if kind in {"csv", "mermaid"}:
        write(found.csv() if kind == "csv" else found.mermaid(), values)
        return
    from symparam.documents.picture import PictureView

    emit(PictureView(found, chosen(values)), kind, values)


def _picture(values: dict[str, Any]) -> Picture:
    """The numbers of the picture that was asked for."""
    from symparam.plot.data import AXES, USUAL, picture
    from symparam.sweep.parsing import parted as axes_of

    kind = values["kind"]
    if values["columns"] and kind != "compare":
        raise click.UsageError("--columns is for compare")
    if kind == "isoflop":
        return _isoflop(values)
    if kind == "compare":
        return _compared(values)
    for option in ("compute", "sizes", "by"):
        if values[option] is not None:
            raise click.UsageError(f"--{'fit' if option == 'by' else option} is for isoflop")
    if values["keep_ratios"]:
        raise click.UsageError("--keep-ratios is for one point; in pictures ratios are kept")
    names, assignments = parted(run_words(values))
    loaded = [_loaded(name, values) for name in names]
    known = names_of(model for model in loaded if model is not None)
    changes, axes = axes_of(assignments, known, always=AXES.get(kind, ()))
    if not names and not changes:
        names = list(USUAL[kind])
    groups = [[name] for name in names] if kind in SEVERAL else [names] if names or changes else []
    requests = [read((*group, *changes), values, loaded=loaded[i] if loaded else None)
                for i, group in enumerate(groups)]
    quantity = find("kv_cache" if kind == "cache" else values["quantity"] or TOTAL.name)
    refuse_setting(quantity, values)
    for request in requests:
        remark(request.told_of(quantity), values)
    given = list(requests[0].given) if requests else []
    return picture(kind, [request.model for request in requests], axes, given,
                   read_setting(values), values["quantity"] or TOTAL.name)


def _isoflop(values: dict[str, Any]) -> Picture:
    """The profiles that were asked for."""
    from symparam.plot.data import USUAL
    from symparam.plot.isoflop import COMPUTE, CONVENTION, FIT, Asked, isoflop
    from symparam.solve.fits import fit

    words = run_words(values)
    usual = () if words or any(values[o] is not None for o in ("attention", "ffn")) else (
        USUAL["isoflop"])
    request = read((*usual, *words), values, solving=True)
    remark(request.told(*RUN), values)
    compute, sizes = (_numbers(f"--{name}", values[name] or "") for name in ("compute", "sizes"))
    asked = Asked(compute or COMPUTE, fit(values["by"] or FIT), sizes,
                  values["quantity"] or CONVENTION)
    return isoflop(request.model, asked, request.given, read_setting(values))


def _compared(values: dict[str, Any]) -> Picture:
    """The numbers of models beside each other, as ``symparam compare`` has them."""
    from symparam.plot.data import USUAL, picture

    if values["quantity"] is not None:
        raise click.UsageError("--quantity: what compare shows is named by --columns")
    names, run = parted(run_words(values))
    names = names or list(USUAL["compare"])
    unchanged(names, values, RUN)
    models = [read((name, *run), values).model for name in names]
    return picture("compare", models, setting=read_setting(values),
                   columns=listed(values["columns"]))


def _numbers(option: str, text: str) -> tuple[int, ...]:
    """Whole numbers, with commas between them."""
    found = [constant(parse_rule(word)) for word in text.split(",") if word.strip()]
    for word, number in zip(text.split(","), found, strict=False):
        if not isinstance(number, int):
            raise BadValue(option, word, "must be a whole number")
    return tuple(number for number in found if isinstance(number, int))


def _save(found: Picture, kind: str, values: dict[str, Any]) -> None:
    """The picture and its table, both or neither."""
    for option in ("template", "standalone"):
        if values[option]:
            raise click.UsageError(f"--{option} is for documents, not for {kind}")
    path, force = values["output"], values["force"]
    printed = path is None or str(path) == "-"
    if printed and kind in {"png", "pdf"} and sys.stdout.isatty():
        raise OutputError(f"{kind} is not for a terminal: name a file with -o FILE.{kind}")
    pictures = [] if printed else [Path(path)]
    tables = [values["data"]] if values["data"] else [each.with_suffix(".csv") for each in pictures]
    may_all_be_written(pictures, force)
    try:
        may_all_be_written([*pictures, *tables], force)
    except OutputError as error:
        whose = "" if values["data"] else f" (the table of {path}; --data FILE names another)"
        raise OutputError(f"{error}{whose}") from None
    drawn = found.render(kind, values["width"], values["titled"])
    save_all([*((each, drawn) for each in pictures),
              *((each, found.csv().encode()) for each in tables)], values)
    if printed:
        put(drawn)
