"""Options that say what a model is run with, shared by the commands that work out costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from symparam.cli import helped
from symparam.cli.helped import shared
from symparam.cli.parameters import TextType
from symparam.errors import Contradiction
from symparam.quantities import everything
from symparam.quantities.amounts import quantity_of
from symparam.quantities.formats import FORMATS
from symparam.quantities.inputs import DataInputs
from symparam.quantities.plain import setting_of
from symparam.quantities.quantity import Quantity
from symparam.quantities.setting import COUNTED, Setting
from symparam.quantities.training_memory import SCHEMES
from symparam.run import RUN

_shared = shared(helped.SETTING)
_FORMAT = click.Choice(list(FORMATS))
#: Options that say the same as a KEY=VALUE, with its key.
_SHORT = {row.option: row.name for row in RUN.values() if row.option}


def _option(name: str) -> Callable[[Any], Any]:
    """The option that is another way to give what a model is run with."""
    row = RUN[name]
    meaning = row.dim.meaning[0].upper() + row.dim.meaning[1:]
    return _shared(f"--{row.option.replace('_', '-')}", metavar="N",
                   help=f"{meaning}; also {name}=N.")


SETTING: tuple[Callable[[Any], Any], ...] = (
    *map(_option, ("s", "b", "s_encoder", "n_images")),
    _shared("--dtype", type=_FORMAT, help="How weights are stored (bf16)."),
    _shared("--kv-dtype", type=_FORMAT, help="How the cache is stored (bf16)."),
    _shared("--group", type=int, metavar="N", help="Inputs to one scale, for int8 and int4."),
    _shared("--attention-count", type=click.Choice(list(COUNTED)),
            help="Pairs of query and key: windows followed, what a causal mask hides counted "
            "(full) or not (causal); or every pair (all-pairs)."),
    _option("D"),
    _shared("--train-bytes", type=click.Choice([str(n) for n in sorted(SCHEMES)]),
            help="Bytes a parameter in training (16)."),
    *map(_option, ("n_devices", "t")),
    _shared("--tokens-per-parameter", metavar="X", help="For data (20)."),
    _shared("--characters-per-token", metavar="X", help="For data (4.8)."),
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


def refuse_setting(quantity: Quantity, values: dict[str, Any]) -> None:
    """Refuse options of a setting with a quantity that no setting changes.

    Raises:
        Contradiction: one was given.
    """
    names = (*_SHORT, *_PLAIN.values(), *_RATIOS)
    given = next((name for name in names if values.get(name) is not None), None)
    if given is not None and not quantity.at_work:
        raise Contradiction(f"--{given.replace('_', '-')}", quantity.title,
                            "add --quantity NAME of one that it enters")


class QuantityName(TextType):
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


class QuantityOption(click.Option):
    """The option of a quantity that lists them all; they are found when help is asked for."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """What help says: the meaning, and the names."""
        names, meaning = super().get_help_record(ctx) or ("", "")
        return names, f"{meaning}: {', '.join(quantity_names()[1:])}."


def quantity_names() -> tuple[str, ...]:
    """What can be derived: the number of parameters, and every quantity."""
    return tuple(everything())
