"""``symparam cost``."""

from __future__ import annotations

from typing import Any

import click

from symparam.cli.arguments import ARCHITECTURE, OUTPUT, options, output_kind, read, words
from symparam.cli.output import emit, remark
from symparam.errors import Contradiction
from symparam.quantities.amounts import memory_of, quantity_of
from symparam.quantities.cost import (
    RUN,
    SECTIONS,
    USUAL_CONVENTION,
    Asked,
    cost_of,
    setting_of,
)
from symparam.quantities.formats import FORMATS
from symparam.quantities.inputs import DataInputs
from symparam.quantities.training_memory import SCHEMES

_FORMAT = click.Choice(list(FORMATS))
#: Options that say the same as a KEY=VALUE.
_SHORT = {"context": "s", "batch": "b", "encoder_tokens": "s_encoder", "tokens": "D",
          "devices": "n_devices", "tensor_parallel": "t"}


@click.command(short_help="Memory, cache, FLOPs, training and data.")
@words
@options(ARCHITECTURE)
@click.option("--context", metavar="N", help="Tokens of a sequence; also s=N.")
@click.option("--batch", metavar="N", help="Sequences; also b=N.")
@click.option("--encoder-tokens", metavar="N", help="Tokens that an encoder reads; s_encoder=N.")
@click.option("--dtype", type=_FORMAT, default="bf16", help="How weights are stored (bf16).")
@click.option("--kv-dtype", type=_FORMAT, default="bf16", help="How the cache is stored (bf16).")
@click.option("--group", type=int, metavar="N", help="Quantised weights: inputs to one scale.")
@click.option("--attention-count", type=click.Choice(["full", "causal"]), default="full",
              help="Pairs that a causal mask hides: counted (full), or not.")
@click.option("--convention", default=USUAL_CONVENTION, metavar="NAME",
              help="How training is counted; 'all' for a table of every way (causal).")
@click.option("--tokens", metavar="D", help="Tokens of a training run; also D=N.")
@click.option("--train-bytes", type=click.Choice([str(n) for n in sorted(SCHEMES)]),
              default="16", help="Bytes a parameter in training (16).")
@click.option("--devices", metavar="N", help="Devices that share a training run; n_devices=N.")
@click.option("--tensor-parallel", metavar="N", help="Devices of a tensor-parallel group; t=N.")
@click.option("--tokens-per-parameter", default="20", metavar="X", help="For data (20).")
@click.option("--characters-per-token", default="4.8", metavar="X", help="For data (4.8).")
@click.option("--characters-per-shard", default="250e6", metavar="N", help="For data (250e6).")
@click.option("--bytes-per-shard", default="100e6", metavar="N", help="For data (100e6).")
@click.option("--shards", type=int, metavar="N", help="Shards to take, at least what is needed.")
@click.option("--device", metavar="NAME|AMOUNT", help="What it is to fit on: a100-80gb, 24GB.")
@click.option("--only", multiple=True, type=click.Choice(SECTIONS), help="A section (repeatable).")
@options(OUTPUT)
def cost(**values: Any) -> None:
    """What a model costs: weights in bytes, cache, FLOPs of a forward pass and of training by
    every convention, memory in training, activations, and the data that it wants."""
    from symparam.export.cost_data import cost_json
    from symparam.export.cost_document import cost_document

    kind = output_kind(values)
    request = read((*values["words"], *_shorthands(values)), values)
    found = cost_of(request.model, _asked(values))
    remark(tuple(words for words in request.remarks
                 if words.partition(" ")[0] not in RUN), values)
    emit(cost_document(found), lambda: cost_json(found), kind, values)


def _shorthands(values: dict[str, Any]) -> list[str]:
    """The options that are dims, as KEY=VALUE."""
    given = {name: values[option] for option, name in _SHORT.items() if values[option] is not None}
    for text in values["words"]:
        name = text.partition("=")[0].strip()
        if name in given:
            raise Contradiction(f"{name} given twice", "itself", f"give {name} once")
    return [f"{name}={value}" for name, value in given.items()]


def _asked(values: dict[str, Any]) -> Asked:
    ratios = {name: quantity_of(f"--{name.replace('_', '-')}", values[name]) for name in (
        "tokens_per_parameter", "characters_per_token", "characters_per_shard",
        "bytes_per_shard")}
    setting = setting_of(
        dtype=values["dtype"], kv_dtype=values["kv_dtype"], group=values["group"],
        attention=values["attention_count"], train_bytes=int(values["train_bytes"]),
        data=DataInputs(**ratios, shards=values["shards"]))
    device = values["device"]
    return Asked(setting=setting, sections=values["only"], convention=values["convention"],
                 device=None if device is None else memory_of(device))
