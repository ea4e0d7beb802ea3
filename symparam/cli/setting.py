"""Options that say what a model is run with, shared by the commands that work out costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from symparam.errors import Contradiction
from symparam.quantities import everything
from symparam.quantities.amounts import quantity_of
from symparam.quantities.cost import RUN, setting_of
from symparam.quantities.formats import FORMATS
from symparam.quantities.inputs import DataInputs
from symparam.quantities.setting import Setting
from symparam.quantities.training_memory import SCHEMES

_FORMAT = click.Choice(list(FORMATS))
#: Options that say the same as a KEY=VALUE.
_SHORT = {"context": "s", "batch": "b", "encoder_tokens": "s_encoder", "tokens": "D",
          "devices": "n_devices", "tensor_parallel": "t"}

SETTING: tuple[Callable[[Any], Any], ...] = (
    click.option("--context", metavar="N", help="Tokens of a sequence; also s=N."),
    click.option("--batch", metavar="N", help="Sequences; also b=N."),
    click.option("--encoder-tokens", metavar="N", help="Tokens that an encoder reads; "
                 "s_encoder=N."),
    click.option("--dtype", type=_FORMAT, help="How weights are stored (bf16)."),
    click.option("--kv-dtype", type=_FORMAT, help="How the cache is stored (bf16)."),
    click.option("--group", type=int, metavar="N", help="Inputs to one scale, for int8 and int4."),
    click.option("--attention-count", type=click.Choice(["full", "causal"]),
                 help="Pairs that a causal mask hides: counted (full), or not."),
    click.option("--tokens", metavar="D", help="Tokens of a training run; also D=N."),
    click.option("--train-bytes", type=click.Choice([str(n) for n in sorted(SCHEMES)]),
                 help="Bytes a parameter in training (16)."),
    click.option("--devices", metavar="N", help="Devices that share a training run; "
                 "n_devices=N."),
    click.option("--tensor-parallel", metavar="N", help="Devices of a tensor-parallel group; "
                 "t=N."),
    click.option("--tokens-per-parameter", metavar="X", help="For data (20)."),
    click.option("--characters-per-token", metavar="X", help="For data (4.8)."),
)
#: What of a setting has an option, by the keyword that takes it.
_PLAIN = {"dtype": "dtype", "kv_dtype": "kv_dtype", "group": "group",
          "attention": "attention_count", "train_bytes": "train_bytes"}
_RATIOS = ("tokens_per_parameter", "characters_per_token", "characters_per_shard",
           "bytes_per_shard")


def run_words(values: dict[str, Any]) -> tuple[str, ...]:
    """The words of a command line, and the options that are dims as KEY=VALUE.

    Raises:
        Contradiction: one is given in both ways.
    """
    given = {name: values[option] for option, name in _SHORT.items() if values[option] is not None}
    for text in values["words"]:
        name = text.partition("=")[0].strip()
        if name in given:
            raise Contradiction(f"{name} given twice", "itself", f"give {name} once")
    return (*values["words"], *(f"{name}={value}" for name, value in given.items()))


def read_setting(values: dict[str, Any]) -> Setting:
    """The setting that the options name.

    Raises:
        SymparamError: a value that there is not.
    """
    ratios = {name: quantity_of(f"--{name.replace('_', '-')}", values[name]) for name in _RATIOS
              if values.get(name) is not None}
    plain = {keyword: values[option] for keyword, option in _PLAIN.items()
             if values[option] is not None}
    if "train_bytes" in plain:
        plain["train_bytes"] = int(plain["train_bytes"])
    return setting_of(**plain, data=DataInputs(**ratios, shards=values.get("shards")))


def given_setting(values: dict[str, Any]) -> list[str]:
    """The options of a setting that were given, as they are typed."""
    names = (*_SHORT, *_PLAIN.values(), *_RATIOS)
    return [f"--{name.replace('_', '-')}" for name in dict.fromkeys(names)
            if values.get(name) is not None]


def without_run(remarks: tuple[str, ...]) -> tuple[str, ...]:
    """Remarks but those that say that tokens, sequences or devices do not enter a count."""
    return tuple(words for words in remarks if words.partition(" ")[0] not in RUN)


#: What names the number of parameters.
TOTAL_NAMES = ("total", "P")


class QuantityName(click.ParamType[str]):
    """A quantity by its name."""

    name = "quantity"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """What stands for it in help."""
        return "NAME"

    def shell_complete(self, ctx: click.Context, param: click.Parameter,
                       incomplete: str) -> list[Any]:
        """The names that begin so."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in quantity_names() if name.startswith(incomplete)]


def quantity_names() -> tuple[str, ...]:
    """What can be derived: the number of parameters, and every quantity."""
    return ("total", *everything())
