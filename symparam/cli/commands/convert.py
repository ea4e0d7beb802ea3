"""``symparam convert``."""

from __future__ import annotations

from typing import Any

import click

from symparam.cli.arguments import ARCHITECTURE, OUTPUT, options, output_kind, parted, words
from symparam.cli.helped import command
from symparam.cli.output import emit, remark, write
from symparam.cli.request import read
from symparam.descriptions.convert import convert as converted
from symparam.descriptions.references import keys_of
from symparam.documents.convert import ConvertView, said
from symparam.errors import BadValue

TARGETS = ("hf", "litgpt", "megatron", "toml")


@command()
@words
@click.option("--to", required=True, type=click.Choice(TARGETS),
              help="hf: a config.json; litgpt: model_config.yaml; megatron: options of a launch "
              "script; toml: an architecture file.")
@options(ARCHITECTURE)
@options(OUTPUT)
def convert(**values: Any) -> None:
    """Write the configuration of a decoder as another framework has it.

    What is written is read back and has the same matrices; where there is no place for one, it is
    refused. What changes no weight goes along where both have a name for it, defaults that nobody
    wrote among it; what does not is a note on stderr, each with its value.
    """
    raw = not (values["as_json"] or values["as_latex"] or values["form"] or values["template"])
    kind = "text" if raw else output_kind(values)
    request = read(values["words"], values)
    names, _ = parted(values["words"])
    if not names:
        raise BadValue("MODEL", "nothing", "convert needs the configuration that is to be written")
    found = converted(request.model, values["to"], *(keys_of(names[0]) or ("", {})))
    remark((*request.told(), *said(found)), values)
    if raw:
        write(found.text, values)
    else:
        emit(ConvertView(request.model.name, found, request.notation), kind, values)
