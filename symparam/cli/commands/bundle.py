"""``symparam bundle``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from symparam.cli import helped
from symparam.cli.arguments import ARCHITECTURE, options, parted
from symparam.cli.helped import command, shared
from symparam.cli.output import chosen, remark, wrote
from symparam.cli.parameters import Beside, NotationName, Width, Words
from symparam.cli.request import read, unchanged
from symparam.cli.setting import SETTING, read_setting, run_words
from symparam.errors import OutputError
from symparam.files.folders import without_links
from symparam.files.writing import may_be_written
from symparam.run import RUN
from symparam.showable import json_text

_option = shared(helped.OUTPUT)
#: What is asked of a folder rather than of one answer.
FOLDER = (
    _option("--json", "as_json", is_flag=True, help="What was made, and what was not, as JSON."),
    _option("--notation", type=NotationName(), help="How symbols are written (paper)."),
    _option("--text-width", type=Width(), metavar="CM",
            help="The width of a page's text (16)."),
    _option("--cite", type=click.Choice(["citep", "citet", "cite"]),
            help="The command that cites (citep)."),
    _option("-o", "--output", required=True, type=Beside(path_type=Path), metavar="DIR",
            help="The folder; it is made where there is none."),
    _option("--force", is_flag=True, help="Replace files that are there."),
    _option("-q", "--quiet", is_flag=True, help="No remarks on stderr."),
)


@command()
@click.argument("words", nargs=-1, type=Words(), metavar="MODEL... [KEY=VALUE]...")
@options(ARCHITECTURE)
@click.option("--column-width", type=Width(), metavar="CM",
              help="The width of a column where there are two (7.7).")
@options(SETTING)
@options(FOLDER)
def bundle(**values: Any) -> None:
    """A folder for a paper: bundle llama-3-8b mixtral-8x7b -o paper.

    The appendix and the cost of each model and their comparison, for a page and for a column;
    macros of all numbers, the bibliography of what they cite, figures, and a main.tex that
    compiles with pdflatex and bibtex in one column and in two.
    """
    from symparam.documents.bundle import FOLDERS, WIDTHS
    from symparam.documents.bundle import bundle as made

    names, run = parted(run_words(values))
    if not names:
        raise click.UsageError("name the models: symparam bundle llama-3-8b -o paper")
    unchanged(names, values, RUN)
    _free(values["output"], values["force"], FOLDERS)
    models = [read((name, *run), values).model for name in names]
    widths = {"page": values.pop("text_width"), "column": values.pop("column_width")}
    found = made(models, chosen(values), read_setting(values), {
        fit: width or WIDTHS[fit] for fit, width in widths.items()})
    wrote(found.save(values["output"], values["force"]), values)
    remark(found.missing, values)
    if values["as_json"]:
        click.echo(json_text({"models": [*found.models], "folder": str(values["output"]),
                              "files": [*found.files], "missing": [*found.missing]}))


def _free(folder: Path, force: bool, inner: Iterable[Path]) -> None:
    """Refuse what is no folder, has such a document already, or leads elsewhere, before anything
    is made."""
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder} cannot be a folder: it is a file")
    may_be_written(folder / "main.tex", force)
    without_links(folder, inner)
