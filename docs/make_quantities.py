"""Write docs/quantities.md: ``python docs/make_quantities.py``."""

from __future__ import annotations

from pathlib import Path

from symparam.derivation.plan import derive
from symparam.descriptions.decoder import decoder
from symparam.descriptions.options import Options
from symparam.errors import SymparamError
from symparam.quantities import grouped
from symparam.quantities.quantity import Quantity
from symparam.writers.document import clean

HEAD = """# Quantities

What every command takes under one name: `derive --quantity NAME`, `sensitivity --quantity NAME`,
`sweep --quantity NAME`, `solve --target "NAME=..."`, `check --claim "NAME=..."`, and in Python
`model.quantity("NAME")`. The number of parameters is one of them, `P`; so are the other
conventions of counting it. A *view* is a sum over the model's own matrices, states and products; a
*literal* is a paper's formula as it stands. The formula is that of a decoder with grouped queries,
SwiGLU and rotary positions, all widths independent, in bf16; other models have others.
"""


def formula(quantity: Quantity) -> str:
    """Its formula for the decoder, or that it is 0 there."""
    model = decoder(Options(attention="gqa", ffn="swiglu"))
    try:
        found = derive(model, ["none"], quantity=quantity.name)
    except SymparamError:
        return "0 for this decoder"
    return f"`{quantity.symbol} = {found.formula}`"


def entry(quantity: Quantity) -> str:
    """One quantity."""
    return (f"- **{quantity.name}**, {quantity.title}: {clean(quantity.convention)}.\n"
            f"    - Unit: {quantity.unit} (a {quantity.kind}).\n"
            f"    - Formula: {formula(quantity)}.\n"
            f"    - Source: {quantity.source}.\n")


def page() -> str:
    """The whole page."""
    return HEAD + "".join(f"\n## {title}\n\n" + "".join(map(entry, quantities))
                          for title, quantities in grouped().items())


if __name__ == "__main__":
    Path(__file__).with_name("quantities.md").write_text(page(), encoding="utf-8")
