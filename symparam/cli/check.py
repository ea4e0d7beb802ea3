"""``symparam check``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from symparam.check.checkpoint import looks_like_checkpoint, read_checkpoint
from symparam.check.header import Shape
from symparam.cli.arguments import ARCHITECTURE, OUTPUT, Words, options, output_kind, read
from symparam.cli.output import emit, remark
from symparam.errors import BadValue
from symparam.export.check_document import check_document, check_json, check_model
from symparam.model import Model
from symparam.spec.load import configuration, load

#: What AGAINST is called when the module is built instead of read.
BUILT = "transformers"


@click.command(short_help="A model against a checkpoint, tensor by tensor.")
@click.argument("words", nargs=-1, type=Words(), metavar="MODEL AGAINST [KEY=VALUE]...")
@options(ARCHITECTURE, OUTPUT)
def check(**values: Any) -> int:
    """Compare a model's tensors, name by name and shape by shape, with those that there are.

    AGAINST is a .safetensors file, the .index.json of a sharded checkpoint, a folder with either
    (headers are read, weights never), or the word 'transformers': the module that it builds from
    the same configuration, without weights. Exit 0: equal. 1: not.
    """
    kind = output_kind(values)
    reference, against, rest = _parted(values["words"])
    found = _tensors(reference, against, values)
    request = read((reference, *rest), values)
    reload = partial(load, reference) if configuration(reference) else None
    result = check_model(request.model, against, found, reload)
    remark(request.remarks, values)
    data = check_json(result) if kind == "json" else None
    emit(check_document(result), data, kind, values)
    return 0 if result.comparison.equal else 1


def _parted(words: tuple[str, ...]) -> tuple[str, str, tuple[str, ...]]:
    """MODEL, AGAINST and the assignments."""
    names = [word for word in words if "=" not in word]
    if len(names) != 2:
        raise BadValue("MODEL AGAINST", " ".join(names) or "nothing", "two are expected: a model, "
                       "then a .safetensors file, an index, a folder, or 'transformers'")
    return names[0], names[1], tuple(word for word in words if "=" in word)


def _tensors(reference: str, against: str, values: dict[str, Any]) -> dict[str, Shape]:
    path = Path(against)
    if against != BUILT:
        if not looks_like_checkpoint(path):
            raise BadValue("AGAINST", against, "expected a .safetensors file, an .index.json, a "
                           f"folder that holds one, or the word {BUILT}")
        return read_checkpoint(path)
    from symparam.check.module import build_module, module_tensors

    config = configuration(reference)
    if config is None:
        raise BadValue("AGAINST", against, f"{reference} has no configuration that transformers "
                       "could build from")
    where, data = config
    return module_tensors(build_module(data, where, _headed(load(reference, values["task"]))))


def _headed(model: Model) -> bool:
    return any(slot.component.slot == "head" for _, slot in model.slots())
