"""``symparam check``."""

from __future__ import annotations

from typing import Any

import click

from symparam.checkpoints.against import find_against
from symparam.claims.tables.table_file import is_table
from symparam.cli.arguments import (
    ARCHITECTURE,
    options,
    output_kind,
    output_options,
    parted,
)
from symparam.cli.claims import CLAIMS, check_claims, check_tables
from symparam.cli.helped import command
from symparam.cli.output import emit, remark, write
from symparam.cli.parameters import Words
from symparam.cli.request import read
from symparam.descriptions.references import configuration, on_hub
from symparam.documents.checkpoint import CheckView, check_model
from symparam.errors import BadValue
from symparam.model import Model


@command()
@click.argument("words", nargs=-1, type=Words(),
                metavar="MODEL AGAINST | TABLE... [MODEL] [KEY=VALUE]...")
@options(CLAIMS, ARCHITECTURE, output_options("github"))
def check(**values: Any) -> int:
    """Hold a model against a checkpoint, or printed numbers against what they are said of.

    MODEL AGAINST compares tensors, name by name and shape by shape. AGAINST is a .safetensors
    file, the .index.json of a sharded checkpoint, a folder with either, org/name of a hub (headers
    are read, there by range, and weights never), a .gguf file (its size too, to the byte), or the
    word 'transformers': the module that it builds from the same configuration, without weights.
    org/name alone is held against its own checkpoint.

    MODEL --claim WHAT=NUMBER gives a verdict on each number; TABLE (.csv .tsv .md .tex) on each
    row, MODEL and KEY=VALUE then standing for what rows do not say. What is false comes with the
    smallest changes that would make it true.

    Exit 0: equal, or nothing false. 1: not.
    """
    kind = output_kind(values)
    if any(map(is_table, parted(values["words"])[0])):
        return check_tables(values, kind)
    if values["claims"]:
        return check_claims(values, kind)
    if values["mapped"] or values["strict"]:
        raise BadValue("--map" if values["mapped"] else "--strict", "", "goes with a table of "
                       "claims (.csv .tsv .md .tex), or with --claim")
    return _check_tensors(values, kind)


def _check_tensors(values: dict[str, Any], kind: str) -> int:
    """A model against tensors that there are; 1 where they differ."""
    reference, against, rest = _parted(values["words"])
    request = read((reference, *rest), values)
    found = find_against(reference, against, request.model, values["task"] is not None)

    def reload(task: str | None, mtp: bool) -> Model:
        """The same command line with one option changed."""
        changed = {"task": task or values["task"], "mtp": mtp or values["mtp"]}
        return found.named(read((reference, *rest), {**values, **changed}).model)

    headed = configuration(reference) is not None
    result = check_model(found.named(request.model), against, found.shapes,
                         reload if headed else None, found.weight, found.warnings)
    remark(request.told(), values)
    view = CheckView(result, request.notation)
    if kind == "github":
        write("" if view.equal else f"::error::{view.document().title}\n", values)
    else:
        emit(view, kind, values)
    return 0 if view.equal else 1


def _parted(words: tuple[str, ...]) -> tuple[str, str, tuple[str, ...]]:
    """MODEL, AGAINST and the assignments."""
    names, dims = parted(words)
    if len(names) == 1 and on_hub(names[0]) is not None:
        names *= 2  # its configuration against its own checkpoint
    if len(names) != 2:
        raise BadValue("MODEL AGAINST", " ".join(names) or "nothing", "two are expected: a model, "
                       "then a .safetensors file, an index, a folder, a .gguf file, org/name of a "
                       "hub, or 'transformers'; or one of a hub alone; or one and --claim P=8B; or "
                       "a table (.csv .tsv .md .tex)")
    return names[0], names[1], tuple(dims)
