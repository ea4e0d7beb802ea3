"""What one build wrote down: the terms that it computed, what it compared, and what may have
decided something without a comparison."""

from __future__ import annotations

from dataclasses import field

from symparam.arithmetic import EXTREMES
from symparam.dataclass import dataclass
from symparam.tracing.recording.terms import Path, Term, keys_in

#: No constructor of a model computes more different things.
MAX_TERMS = 20_000


@dataclass(frozen=True)
class Comparison:
    """What was asked of two terms: ``==`` or ``<``, and the answer."""

    operation: str
    left: Term
    right: Term
    outcome: bool

    @property
    def keys(self) -> frozenset[Path]:
        """The keys that it is about."""
        return keys_in(self.left) | keys_in(self.right)


@dataclass(frozen=True)
class Decision:
    """A number that may have decided something, which no comparison shows.

    Attributes:
        how: what was done with it.
        term: the number.
        where: file and line.
    """

    how: str
    term: Term
    where: str


@dataclass
class Recording:
    """What one build computed: terms, divisions without a remainder, comparisons, and what may
    have been decided by a number without one."""

    terms: dict[Term, None] = field(default_factory=dict)
    divided: dict[tuple[Term, Term], None] = field(default_factory=dict)
    compared: dict[Comparison, None] = field(default_factory=dict)
    decided: dict[Decision, None] = field(default_factory=dict)

    def note(self, term: Term) -> None:
        """Put a term down."""
        if len(self.terms) < MAX_TERMS:
            self.terms[term] = None

    def used(self) -> set[Term]:
        """Whatever something was done with."""
        return {*self.terms, *(term for pair in self.divided for term in pair),
                *(term for each in self.compared for term in (each.left, each.right)),
                *(each.term for each in self.decided)}

    def extremes(self) -> list[Term]:
        """The larger and the smaller of what was compared: what is chosen may be one of these.

        >>> found = Recording()
        >>> found.compare("<", ("n", 3), ("k", ("n",)), True)
        >>> found.extremes()[0]
        ('max', ('n', 3), ('k', ('n',)))
        """
        return [(mode, each.left, each.right) for each in self.compared
                if each.operation == "<" and each.keys for mode in EXTREMES]

    def compare(self, operation: str, left: Term, right: Term, outcome: bool) -> None:
        """Put a comparison down."""
        if len(self.compared) < MAX_TERMS:
            self.compared[Comparison(operation, left, right, outcome)] = None
