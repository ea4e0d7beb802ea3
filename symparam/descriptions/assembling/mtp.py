"""Multi-token-prediction layers as published checkpoints of DeepSeek's kind hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symparam import expression as ex
from symparam.descriptions.assembling.assemble import slot
from symparam.descriptions.config import Config
from symparam.model import Model
from symparam.stack import Repeat, Stack


def count_mtp(config: Config, task: str, pattern: Sequence[str] = (), default: int = 0) -> int:
    """How many multi-token-prediction layers to count; 0, with a remark, unless asked for.

    Args:
        config: the configuration; the number stands under ``num_nextn_predict_layers``.
        task: what is counted; such layers need the head.
        pattern: the kind of each layer of the main model, where there are kinds.
        default: the family's number where the key is missing.

    Raises:
        SpecError: they are asked for, and their form is not certain.
    """
    key = "num_nextn_predict_layers"
    if "num_mtp_layers" in config:
        if config.raw(key, config.raw("num_mtp_layers")) != config.raw("num_mtp_layers"):
            raise config.error(key, "given twice, differently, the other time as num_mtp_layers")
        key = "num_mtp_layers"
    number = 0 if config.raw(key, default) is None else config.mtp_layers(key, default)
    if number and task != "causal":
        raise config.error(key, "--mtp: multi-token-prediction layers are counted together with "
                           "the head, which this class has not")
    if number and pattern and pattern[-1] != "sparse":
        raise config.error(key, "--mtp: such layers have experts, and the last layer of this model "
                           "has none: what they are is not understood")
    if number and key not in config:
        config.defaulted.append(f"{key} = {number}")
    return number


def with_mtp(model: Model, number: int, prefix: str = "model.layers.*.") -> Model:
    """The model with further layers after its own: each a whole one like the last, and a join.

    Args:
        model: with its head.
        number: how many; none changes nothing.
        prefix: what the layers' names in a checkpoint begin with.
    """
    if not number:
        return model
    depth = model.values["L"]
    layers = [s for s in model.stacks if s.repeat and s.prefix == prefix]
    last = next(s for s in layers if not s.numbers or depth - 1 in s.numbers)
    tied = any(getattr(s.component, "tied", False) for _, s in model.slots()
               if s.component.slot == "head")
    slots = (replace(each, window=None) if each.window and each.window.layers else each
             for each in last.slots)  # some of these layers slide; the further ones do not
    block = (slot("mtp", "mtp"), *slots, slot("ends", "ends", kind="mtp", tied=tied))
    further = Stack("layers[mtp]", block, Repeat.times(ex.Sym("L_mtp")), prefix,
                    tuple(range(depth, depth + number)))
    return replace(model, stacks=(*model.stacks, further),
                   values={**model.values, "L_mtp": number})
