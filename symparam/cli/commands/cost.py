"""``symparam cost``."""

from __future__ import annotations

from typing import Any

import click

from symparam.cli.arguments import ARCHITECTURE, OUTPUT, listed, options, output_kind, words
from symparam.cli.helped import command
from symparam.cli.output import emit, remark
from symparam.cli.parameters import Choices, DeviceName
from symparam.cli.request import read
from symparam.cli.setting import SETTING, read_setting, run_words
from symparam.quantities.amounts import memory_of
from symparam.quantities.cost import SECTIONS, Asked, cost_of


@command()
@words
@options(ARCHITECTURE, SETTING)
@click.option("--convention", metavar="NAME",
              help="How training is counted (attention as in the forward pass); 'all' for a "
              "table of every way.")
@click.option("--characters-per-shard", metavar="N", help="For data (250e6).")
@click.option("--bytes-per-shard", metavar="N", help="For data (100e6).")
@click.option("--shards", type=int, metavar="N", help="Shards to take, at least what is needed.")
@click.option("--device", type=DeviceName(), metavar="NAME|AMOUNT",
              help="What it is to fit on: a100-80gb, 24GB.")
@click.option("--only", multiple=True, type=Choices(SECTIONS),
              help="A section (repeatable, or commas between them): of training, training has its "
              "FLOPs and memory its bytes.")
@options(OUTPUT)
def cost(**values: Any) -> None:
    """What a model costs: weights in bytes, cache, FLOPs of a forward pass and of training by
    every convention, memory in training, activations, and the data that it wants; of one that
    sees, what pictures take of a sequence (--images N image_width=N image_height=N)."""
    from symparam.documents.cost import CostView

    kind = output_kind(values)
    request = read(run_words(values), values)
    device = values["device"]
    found = cost_of(request.model, Asked(
        setting=read_setting(values), convention=values["convention"],
        sections=tuple(listed(values["only"])),
        device=None if device is None else memory_of(device)))
    remark(request.told(*request.at_work(found.needs), of="the cost"), values)
    emit(CostView.wrap(found, request.notation), kind, values)
