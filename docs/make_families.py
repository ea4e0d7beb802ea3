"""Write docs/families.md: ``python docs/make_families.py``."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from symparam.descriptions import families
from symparam.descriptions.assembling.wholes import WHOLES

HEAD = """# Families

The `model_type`s whose `config.json` is counted, by the file of
`symparam/descriptions/families/` that reads them. Each is compared with transformers on random
configurations, by name and shape of every tensor; where transformers does not have the model, with
lists written from the code that is published with it (`tests/oracle/published_code.py`). This page
is written by `python docs/make_families.py`.

| file | what it is | model types |
| --- | --- | --- |
"""

#: What stands below the table.
WHOLE = """
Of composites these are counted whole, each part with its number (`--part` counts one): {}. Of the
others the language model is counted, and the answer says so; `--trace` finds all of them.
"""


def page() -> str:
    """The whole page."""
    lines = []
    for found in sorted(pkgutil.iter_modules(families.__path__), key=lambda m: m.name):
        module = importlib.import_module(f"{families.__name__}.{found.name}")
        first = (module.__doc__ or "").strip().split("\n\n")[0]
        words = " ".join(first.split()).replace("|", r"\|")
        types = ", ".join(f"`{name}`" for name in module.MODEL_TYPES)
        lines.append(f"| {found.name} | {words} | {types} |\n")
    return HEAD + "".join(lines) + WHOLE.format(", ".join(f"`{name}`" for name in sorted(WHOLES)))


if __name__ == "__main__":
    Path(__file__).with_name("families.md").write_text(page(), encoding="utf-8")
