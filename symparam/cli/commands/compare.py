"""``symparam compare``."""

from __future__ import annotations

from typing import Any

import click

from symparam.claims.comparison import COLUMNS
from symparam.claims.comparison import compare as compared
from symparam.cli.arguments import (
    ARCHITECTURE,
    TABLE_OUTPUT,
    TABLES,
    listed,
    options,
    output_kind,
    parted,
)
from symparam.cli.helped import command
from symparam.cli.output import chosen, emit
from symparam.cli.parameters import Words
from symparam.cli.request import read, unchanged
from symparam.cli.setting import SETTING, read_setting, run_words
from symparam.documents.compare import CompareView
from symparam.run import RUN


@command()
@click.argument("words", nargs=-1, type=Words(), metavar="MODEL... [KEY=VALUE]...")
@options(ARCHITECTURE)
@click.option("--columns", multiple=True, metavar="NAME[,NAME...]",
              help="What is compared (repeatable): dims, quantities (docs/quantities.md), parts "
              f"(P_ffn), matrices (W_Q), expressions in them ({','.join(COLUMNS)}).")
@click.option("--short", "brief", is_flag=True, help="Numbers as 8.03 B, 1.07 GB; not in full.")
@click.option("--bold", type=click.Choice(["lowest", "highest"]),
              help="Let this number of each column stand out.")
@options(SETTING)
@options(TABLE_OUTPUT)
def compare(**values: Any) -> None:
    """Models side by side, in whatever can be asked of each: compare gpt2 llama-2-7b s=8192.

    What a model is run with (s, b ...) is the same for all; a model's dims are its own.
    """
    kind = output_kind(values, TABLES)
    names, run = parted(run_words(values))
    if not names:
        raise click.UsageError("name the models: symparam compare gpt2 llama-2-7b")
    unchanged(names, values, RUN)
    models = [read((name, *run), values).model for name in names]
    found = compared(models, listed(values["columns"]) or COLUMNS, read_setting(values))
    view = CompareView(found, chosen(values), values["brief"], values["bold"] or "")
    emit(view, kind, values)
