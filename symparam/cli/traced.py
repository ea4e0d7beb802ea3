"""``--trace``: a configuration is traced in place of being read."""

from __future__ import annotations

from typing import Any

from symparam.cli.output import remark
from symparam.cli.progress import Progress
from symparam.descriptions.load import load
from symparam.descriptions.references import configuration, published_name
from symparam.errors import BadValue
from symparam.model import Model

#: What runs when a configuration is traced, in a sentence.
RUNS = "this runs code of transformers, in a process of its own"


def traced_model(reference: str, values: dict[str, Any]) -> Model:
    """What a trace finds of a MODEL that is a configuration; a name of the catalogue is stated.

    Args:
        reference: the MODEL.
        values: the options of the command.

    Raises:
        BadValue: it is no configuration, names code of its own, or is read in some way.
        SymparamError: it cannot be traced.
    """
    if published_name(reference) is not None:
        remark((f"{reference} is the catalogue's, which states it: it is not traced",), values)
        return load(reference, values["task"], values["mtp"], values["ignored"])
    for option, value in (("--as", values["task"]), ("--mtp", values["mtp"] and "on"),
                          ("--ignore-key", ", ".join(values["ignored"]))):
        if value:
            raise BadValue(option, value, "says how a configuration is read; --trace builds it")
    found = configuration(reference)
    if found is None:
        raise BadValue("--trace", reference, "is for a config.json; this states its tensors")
    _, data = found
    if names_code(data):
        raise BadValue("--trace", reference, "names code of its own (auto_map): 'symparam trace' "
                       "runs it with --trust")
    from symparam.traced.model import model_of
    from symparam.tracing.supervised import Stopped, Wanted, supervised

    remark((RUNS,), values)
    progress = Progress(values["quiet"], "traced")
    try:
        return model_of(supervised(Wanted(reference, configuration=data), progress.stage))
    except Stopped as stopped:
        if stopped.interrupted:
            raise KeyboardInterrupt from None
        raise
    finally:
        progress.clear()


def names_code(data: Any) -> bool:
    """Whether a configuration names code to run, in any part of it."""
    if isinstance(data, dict):
        return "auto_map" in data or any(map(names_code, data.values()))
    return isinstance(data, list) and any(map(names_code, data))
