"""Numbers of parameters: each convention of counting is declared here, once, as a quantity.

Whatever lists, names or works out a count reads it: tables, derivations, sweeps, targets, claims.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from symparam.dataclass import dataclass
from symparam.dims import TOTAL
from symparam.errors import NotDerivable
from symparam.ledger import Extent, Ledger, Matrix, Number
from symparam.quantities.quantity import Quantity, Share, Subject

EXPERT = "expert"
_ACTIVE = "active"


@dataclass(frozen=True)
class Kept:
    """What a convention counts of a ledger.

    Attributes:
        keep: of the matrices that are stored, buffers among them, those that count.
        extent: whether all copies count, or those that a token is sent to.
        asks: whether it asks which matrices are embeddings.
        alone: whether a model without experts is refused, where the active ones are asked for.
    """

    keep: Callable[[Matrix], bool]
    extent: Extent = "stored"
    asks: bool = False
    alone: bool = True

    def __call__(self, subject: Subject) -> Iterator[Share]:
        """The matrices that count, each with its copies and its shape."""
        if self.extent == _ACTIVE and not has_experts(subject.ledger.sent()) and self.alone:
            raise NotDerivable("active: a model without experts has no other parameters than its "
                               "total")
        if self.asks and subject.ledger.untold:
            raise NotDerivable(f"without embeddings: {subject.ledger.untold}: write role = "
                               '"token" or "head" in [[tensors]] of its file')
        for m in self.kept(subject.ledger):
            copies = [getattr(index, self.extent) for index in m.indices]
            yield Share(m.path, (*copies, *m.shape))

    def kept(self, ledger: Ledger) -> list[Matrix]:
        """The matrices that count, ties once."""
        return [m for m in ledger if m.tied_to is None and self.keep(m)]


def has_experts(ledger: Ledger) -> bool:
    """Whether it is a mixture of experts of which it is known how many a token uses."""
    return not ledger.unsent and any(index.name == EXPERT for m in ledger for index in m.indices)


def is_dense(ledger: Ledger) -> bool:
    """Whether it is known that a token touches every parameter."""
    return not (ledger.unsent or has_experts(ledger))


def paths(ledger: Ledger, name: str) -> frozenset[str]:
    """The paths of the matrices that a convention counts."""
    return frozenset([m.path for m in KEPT[name].kept(ledger)])


def beside(quantity: Quantity, ledgers: Iterable[Ledger]) -> Quantity:
    """A number of active parameters of several models of which one is a mixture of experts: of a
    model without experts every parameter. Any other quantity as it is."""
    kept = quantity.shares
    if quantity.name not in DENSE or not isinstance(kept, Kept):
        return quantity
    experts = {has_experts(ledger.sent()) for ledger in ledgers}
    return quantity if len(experts) == 1 else replace(
        quantity, shares=replace(kept, alone=False),
        convention=f"{quantity.convention}; of a model without experts all of these")


# --- what is kept: parameters, and of these some ---------------------------------------------

def _parameter(m: Matrix) -> bool:
    return m.status != "buffer"


def _below_token(m: Matrix) -> bool:
    return _parameter(m) and m.part != "token"


def _below_embeddings(m: Matrix) -> bool:
    """Without token embedding and head; a tied head counts nothing further."""
    return _parameter(m) and not is_embedding(m)


def _below_positions(m: Matrix) -> bool:
    return _below_embeddings(m) and not (m.part == "positions" and m.role == "embedding")


def _matrix(m: Matrix) -> bool:
    return _parameter(m) and m.role not in {"gain", "bias"}


def is_embedding(m: Matrix) -> bool:
    """Whether a matrix is of the token embedding or the head; learned positions are not."""
    return m.part in {"token", "head"}


#: The conventions that ask which matrices are embeddings.
ASKING = frozenset("without_input without_embeddings without_positions active_without_input "
                   "active_without_embeddings embeddings".split())

_TORCH = "PyTorch, torch.nn.Module.parameters (shared ones once) and Module.state_dict (buffers)"
_KAPLAN = "Kaplan et al. 2020, arXiv:2001.08361, section 2.1"
_BIDERMAN = "Biderman et al. 2023, Pythia, arXiv:2304.01373, table 1"
_JIANG = "Jiang et al. 2024, Mixtral, arXiv:2401.04088, section 1"
_TOUCHED = "parameters that a token touches"


_TITLE = "the number of parameters"


def _quantity(name: str, label: str, convention: str, keep: Callable[[Matrix], bool],
              source: str, extent: Extent = "stored") -> Quantity:
    return Quantity(name=name, title=f"{_TITLE}, {label}" if label else _TITLE, unit="parameters",
                    convention=convention or label, source=source,
                    shares=Kept(keep, extent, name in ASKING),
                    at_work=False, symbol=f"P_{name}" if label else name)


GROUP = "Numbers of parameters"
QUANTITIES = (
    _quantity(TOTAL.name, "", "every parameter, tied ones once", _parameter, _TORCH),
    _quantity("trainable", "trainable", "less frozen tables", lambda m: m.status == "trainable",
              _TORCH),
    _quantity("with_buffers", "with persistent buffers",
              "with the buffers that a checkpoint holds", lambda m: True, _TORCH),
    _quantity("without_input", "without the input embedding", "", _below_token, _TORCH),
    _quantity("without_embeddings", "without embedding and head", "", _below_embeddings,
              _BIDERMAN),
    _quantity("without_positions", "without embedding, head and positions",
              "without embedding, head and position tables", _below_positions, _KAPLAN),
    _quantity("active", "active", _TOUCHED, _parameter, _JIANG, "active"),
    _quantity("active_without_input", "active, without the input embedding",
              f"{_TOUCHED}, without the input embedding", _below_token, _JIANG, "active"),
    _quantity("active_without_embeddings", "active, without embedding and head",
              f"{_TOUCHED}, without embedding and head", _below_embeddings, _JIANG, "active"),
    _quantity("embeddings", "embedding and head", "token embedding and head, tied ones once",
              lambda m: _parameter(m) and is_embedding(m), _BIDERMAN),
    _quantity("matrices", "without biases and gains",
              "every matrix and table; no biases, no gains of norms", _matrix, _TORCH),
    _quantity("buffers", "buffers", "what a checkpoint holds beside its parameters",
              lambda m: m.status == "buffer", _TORCH),
)

#: By their names.
COUNTS = {quantity.name: quantity for quantity in QUANTITIES}
#: What each of them counts of a ledger.
KEPT = {quantity.name: quantity.shares for quantity in QUANTITIES
        if isinstance(quantity.shares, Kept)}
#: Conventions of active parameters, and what each is of a model without experts: what keeps the
#: same of all copies.
DENSE = {active: stored for active, kept in KEPT.items() if kept.extent == _ACTIVE
         for stored, all_copies in KEPT.items() if all_copies == replace(kept, extent="stored")}


def label(name: str) -> str:
    """A convention as a row of a table names it.

    >>> label("P"), label("active_without_input")
    ('all parameters', 'active, without the input embedding')
    """
    return COUNTS[name].title.removeprefix(f"{_TITLE}, ") if name != TOTAL.name else (
        "all parameters")

#: The conventions of a count without embeddings, each less than the one before it.
LESS = ("without_input", "without_embeddings", "without_positions")

#: Those that a claim may be about in place of P, and that explain one that is false of P.
OTHERWISE = tuple(COUNTS)[1:9]


def value(ledger: Ledger, name: str) -> Number:
    """A number of parameters of a ledger over any kind of number.

    Raises:
        NotDerivable: active parameters of a model without experts.

    >>> from symparam.resolve import numbers
    >>> from symparam.descriptions.load import load
    >>> model = load("gpt2")
    >>> value(model.ledger(numbers(model).values), "without_positions")
    85056000
    """
    return COUNTS[name].value(Subject(ledger, {}))


def values(ledger: Ledger) -> dict[str, Number]:
    """Every number of parameters that is known: active ones in a mixture of experts alone."""
    experts = has_experts(ledger)
    return {name: value(ledger, name) for name in COUNTS
            if (experts or not name.startswith(_ACTIVE)) and is_told(ledger, name)}


def is_told(ledger: Ledger, name: str) -> bool:
    """Whether a convention can be counted: it may ask what nobody knows of a traced model."""
    return not (ledger.untold and name in ASKING)


def non_embedding(ledger: Ledger) -> dict[str, Number]:
    """The three conventions of a count without embeddings, by name."""
    return {name: value(ledger, name) for name in LESS if is_told(ledger, name)}


def active(ledger: Ledger) -> dict[str, Number] | None:
    """Parameters that a token touches, for a mixture of experts; None for any other model."""
    if not has_experts(ledger):
        return None
    return {"all": value(ledger, "active"), "without_input": value(ledger, "active_without_input"),
            "without_embeddings": value(ledger, "active_without_embeddings")}
