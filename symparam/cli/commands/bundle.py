"""``symparam bundle``."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from symparam.cli import helped
from symparam.cli.arguments import ARCHITECTURE, options, parted
from symparam.cli.helped import command, shared
from symparam.cli.output import chosen, remark, save_all
from symparam.cli.parameters import NotationName, Width, Words
from symparam.cli.request import read, unchanged
from symparam.cli.setting import SETTING, read_setting, run_words
from symparam.errors import OutputError
from symparam.files.writing import may_be_written
from symparam.run import RUN
from symparam.showable import json_text

#: The column that the fragments fit where nobody says another, in cm: that of two in an article.
COLUMN = Fraction(77, 10)

_option = shared(helped.OUTPUT)
#: What is asked of a folder rather than of one answer.
FOLDER = (
    _option("--json", "as_json", is_flag=True, help="What was made, and what was not, as JSON."),
    _option("--notation", type=NotationName(), help="How symbols are written (paper)."),
    _option("--text-width", type=Width(), metavar="CM",
            help="The width of a column (7.7: two of an article, one as well)."),
    _option("--cite", type=click.Choice(["citep", "citet", "cite"]),
            help="The command that cites (citep)."),
    _option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="DIR",
            help="The folder; it is made where there is none."),
    _option("--force", is_flag=True, help="Replace files that are there."),
    _option("-q", "--quiet", is_flag=True, help="No remarks on stderr."),
)


@command()
@click.argument("words", nargs=-1, type=Words(), metavar="MODEL... [KEY=VALUE]...")
@options(ARCHITECTURE)
@options(SETTING)
@options(FOLDER)
def bundle(**values: Any) -> None:
    """A folder for a paper: bundle llama-3-8b mixtral-8x7b -o paper.

    Fragments of each model (count, derivation, cost), their comparison, macros of all numbers, the
    bibliography of what they cite, figures, and a main.tex that compiles with pdflatex and bibtex.
    """
    from symparam.documents.bundle import bundle as made

    names, run = parted(run_words(values))
    if not names:
        raise click.UsageError("name the models: symparam bundle llama-3-8b -o paper")
    unchanged(names, values, RUN)
    requests = [read((name, *run), values) for name in names]
    values["text_width"] = values["text_width"] or COLUMN
    files, missing = made([request.model for request in requests], chosen(values),
                          read_setting(values))
    folder = values["output"]
    for name in files:
        may_be_written(folder / name, values["force"])
    try:
        for name in files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder} cannot be a folder: {error.strerror}") from None
    save_all([(folder / name, content) for name, content in files.items()], values)
    remark(missing, values)
    if values["as_json"]:
        click.echo(json_text({"models": [request.model.name for request in requests],
                              "folder": str(folder), "files": [*files],
                              "missing": [*missing]}))
