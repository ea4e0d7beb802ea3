"""Every model type with how its configurations are drawn."""

from __future__ import annotations

import importlib
import json
import pkgutil

from tests.differential import families
from tests.differential.draw import Config, Draw, Drawing
from tests.oracle.published_code import LISTED


def drawings() -> dict[str, Drawing]:
    """Model type to how its configurations are drawn."""
    found: dict[str, Drawing] = {}
    for module in pkgutil.iter_modules(families.__path__):
        found |= importlib.import_module(f"{families.__name__}.{module.name}").DRAWN
    return found


DRAWN = drawings()

#: Those that transformers has; the others are listed by hand.
BUILT = {model_type: drawing for model_type, drawing in DRAWN.items() if model_type not in LISTED}


class Undrawn(LookupError):
    """A type whose configurations nobody draws, or draws without what is built of them."""


def drawn(model_type: str, seed: str) -> Config:
    """A configuration as a file would have it; the same seed gives the same one.

    Raises:
        Undrawn: no file draws the type, or its drawing lacks the name of the class.
    """
    if model_type not in DRAWN:
        raise Undrawn(f"{model_type}: no file of tests/differential/families has it in its DRAWN")
    config = {"model_type": model_type, **DRAWN[model_type](Draw(f"{model_type} {seed}"))}
    if model_type in BUILT and not config.get("architectures"):
        raise Undrawn(f"{model_type}: its drawing has no architectures, as [\"AcmeForCausalLM\"]: "
                      "the class that transformers builds")
    found: Config = json.loads(json.dumps(config))
    return found
