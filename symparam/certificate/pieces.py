"""What certificates are written in: entries, terms with the share of each entry, numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.derivation.step import Line, Term
from symparam.ledger import Ledger, Matrix
from symparam.model import Model
from symparam.quantities.quantity import Share
from symparam.symbols import SymExpr, from_sympy

#: What a certificate is made of: objects, lists, texts and whole numbers.
Data: TypeAlias = dict[str, Any]

#: The version of the form that ``check.py`` reads.
VERSION_OF_FORM = 1


@dataclass(frozen=True)
class Pen:
    """Writes the pieces of a certificate.

    Attributes:
        writer: how an expression is written as text.
    """

    writer: ex.Writer = ex.PLAIN

    def expr(self, value: Any) -> str:
        """An expression, or a number, as text."""
        return self.writer.write(ex.node(value))

    def shares(self, found: Mapping[str, SymExpr]) -> dict[str, str]:
        """Shares by their paths, those that are 0 left out."""
        return {path: self.expr(from_sympy(share)) for path, share in found.items() if share != 0}

    def term(self, term: Term) -> list[Any]:
        """A term with the share of each path in it."""
        return [self.expr(term.shown), self.shares(term.shares)]

    def terms(self, line: Line) -> list[list[Any]]:
        """The terms of a line."""
        return [self.term(term) for term in line.terms]

    def matrix(self, shape: Iterable[Any], copies: Any) -> Data:
        """Rows times columns times copies; a vector has one column, a kernel as many as numbers
        for each row."""
        rows, *rest = map(ex.node, shape)
        return {"rows": self.expr(rows), "columns": self.expr(ex.product_of(*rest)),
                "copies": self.expr(copies)}

    def factors(self, found: Iterable[Any]) -> Data:
        """What an entry adds as factors."""
        return {"factors": [self.expr(factor) for factor in found]}

    def entry(self, share: Share, ledger: Ledger) -> Data:
        """A share as a matrix where its last factors are the shape of one, else as factors."""
        nodes = tuple(map(ex.node, share.factors))
        matrix = ledger_matrix(ledger, share.path)
        shape = () if matrix is None else tuple(map(ex.node, matrix.shape))
        if shape and nodes[-len(shape):] == shape:
            return self.matrix(shape, ex.product_of(*nodes[:-len(shape)]))
        return self.factors(nodes)


PEN = Pen()


def ledger_matrix(ledger: Ledger, path: str) -> Matrix | None:
    """The matrix at a path; None where something else stands there."""
    return next((matrix for matrix in ledger if matrix.path == path), None)


def number(value: ex.Rational) -> int | str:
    """A number as data holds it exactly.

    >>> from fractions import Fraction
    >>> number(7), number(Fraction(193, 8))
    (7, '193/8')
    """
    whole = ex.whole(value)
    return whole if isinstance(whole, int) else str(whole)


def used(dims: Mapping[str, ex.Rational], names: Iterable[str]) -> dict[str, Any]:
    """The numbers of the names that are used."""
    wanted = set(names)
    return {name: number(value) for name, value in dims.items() if name in wanted}


def certificate(kind: str, model: str, models: Mapping[str, Model], body: Data) -> Data:
    """A certificate of a kind: what it is of, what its rows rest on, and the rest."""
    return {"certificate": VERSION_OF_FORM, "kind": kind, "model": model,
            "rows": {name: source(each) for name, each in models.items()}, "body": body}


def source(model: Model) -> Data:
    """Where the rows of a model are from: stated; found by probing, with the evidence; or
    written down."""
    if model.trace is None:
        return {"are": "stated"}
    from symparam.traced.foundation import rests_on, sentences

    about = {"sentences": list(sentences(model.trace)),
             **rests_on({"": model.trace})["rests_on"][""]}
    built = model.trace.evidence.builds
    return {"are": "found by probing, not proved" if built else "written down, nothing built",
            "about": about}
