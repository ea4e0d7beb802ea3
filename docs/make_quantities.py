"""Write docs/quantities.md: ``python docs/make_quantities.py``."""

from __future__ import annotations

from pathlib import Path

from symparam.derivation.quantity import derive_quantity
from symparam.errors import SymparamError
from symparam.export.document import clean
from symparam.quantities import everything
from symparam.quantities.quantity import Quantity
from symparam.spec.decoder import decoder
from symparam.spec.options import Options

HEAD = """# Quantities

What `symparam derive --quantity NAME` derives, `model.quantity("NAME")` works out and `solve`
takes as a target, beside the number of parameters. A *view* is a sum over the model's own matrices,
states and products; a *literal* is a paper's formula as it stands. The formula is that of a decoder
with grouped queries, SwiGLU and rotary positions, all widths independent, in bf16; other models
have others. This page is written by `python docs/make_quantities.py`.
"""

#: What each group of names is about, by how they begin.
GROUPS = (
    ("Weights", ("weights",)), ("Cache", ("kv_", "state")), ("Forward and backward", ("flops",)),
    ("Training, a token (times D for a run)", ("train_",)),
    ("Memory in training, without activations", ("training_memory",)),
    ("Activations in training", ("activations",)), ("Data", ("optimal_", "characters")))


def formula(quantity: Quantity) -> str:
    """Its formula for the decoder, or that it is 0 there."""
    model = decoder(Options(attention="gqa", ffn="swiglu"))
    try:
        found = derive_quantity(model, quantity.name, ["none"])
    except SymparamError:
        return "0 for this decoder"
    return f"`{quantity.symbol} = {found.formula}`"


def entry(quantity: Quantity) -> str:
    """One quantity."""
    convention = clean(quantity.convention)
    return (f"- **{quantity.name}** ({quantity.title}; {quantity.unit}, {quantity.kind}): "
            f"{convention}.\n  {formula(quantity)}\n  Source: {quantity.source}.\n")


def page() -> str:
    """The whole page."""
    left = dict(everything())
    text = HEAD
    for title, starts in GROUPS:
        names = [name for name in left if name.startswith(starts)]
        text += f"\n## {title}\n\n" + "".join(entry(left.pop(name)) for name in names)
    assert not left, f"quantities without a group: {', '.join(left)}"
    return text


if __name__ == "__main__":
    Path(__file__).with_name("quantities.md").write_text(page(), encoding="utf-8")
