"""A derivation that shows itself: in every format, in a notebook, as an exercise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from symparam import expression as ex
from symparam.derivation.plan import Derivation
from symparam.derivation.step import Step
from symparam.documents.common.view import View
from symparam.documents.derivations.document import derivation_document
from symparam.notation.notation import Notation
from symparam.notation.notation_file import notation_of
from symparam.writers.document import Document

if TYPE_CHECKING:
    from symparam.documents.derivations.exercise import ExerciseView
    from symparam.sensitivity import Sensitivity


class DerivationView(View):
    """A derivation that can be written in every format; in a notebook it shows itself."""

    def __init__(self, derivation: Derivation, notation: str | Path | Notation = "paper",
                 sensitivity: Sensitivity | None = None) -> None:
        self.derivation, self.notation = derivation, notation_of(notation)
        self.sensitivity = sensitivity

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, each proved."""
        return self.derivation.steps

    @property
    def formula(self) -> Any:
        """The last line's right side, a SymPy expression."""
        return self.derivation.steps[-1].after.plain

    @property
    def value(self) -> ex.Rational | None:
        """The exact value, where all dims have numbers."""
        return self.derivation.value

    def document(self) -> Document:
        """The derivation as a document."""
        return derivation_document(self.derivation, self.sensitivity, self.notation)

    def json(self) -> dict[str, Any]:
        """The derivation as data."""
        from symparam.documents.derivations.data import derivation_json

        return derivation_json(self.derivation, self.notation, self.sensitivity)

    def certificate(self) -> dict[str, Any]:
        """The certificate of the derivation."""
        from symparam.certificate.of_derivation import derivation_certificate

        return derivation_certificate(self.derivation)

    def exercise(self) -> ExerciseView:
        """The derivation's questions, as a sheet; its ``answers()`` are the other one."""
        from symparam.documents.derivations.exercise import ExerciseView

        return ExerciseView(self.derivation, self.notation)

    def __repr__(self) -> str:
        d = self.derivation
        of = d.model.name if d.of_parameters else f"{d.quantity.name} of {d.model.name}"
        return f"<derivation of {of}: {d.symbol} = {d.formula}>"
