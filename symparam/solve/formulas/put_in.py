"""What is put in for dims in a closed form: each relation, where it is from, how it is taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symparam import expression as ex
from symparam.constraints import Equation, Standing
from symparam.dataclass import dataclass
from symparam.grammar import Rule
from symparam.renamed import Formerly
from symparam.smooth import rounds, smooth
from symparam.solve.requests.request import Request
from symparam.symbols import from_sympy, is_zero, symbol, to_sympy

RULE, GIVEN, RATIO, LATTICE = "rule", "given", "ratio", "lattice"

#: How each is said.
_ORIGINS = {RULE: "a rule of the model", GIVEN: "as given", RATIO: "a ratio that the model has",
         LATTICE: "of the lattice, not of the model"}


@dataclass(frozen=True)
class PutIn:
    """A dim replaced in a closed form.

    Attributes:
        dim: the dim.
        expr: what stands for it.
        origin: ``rule`` of the model, ``given``, a ``ratio`` that is kept, of the ``lattice``.
        reason: why it holds, as the model says it; empty where there is no more to say.
        rule: the rule as it is followed by configurations, where the closed form leaves out what
            it rounds; empty where it is taken as it stands.
    """

    dim: str
    expr: ex.Expr
    origin: str
    reason: str = ""
    rule: str = ""

    @property
    def relaxed(self) -> bool:
        """Whether it is the rule without what that rounds."""
        return bool(self.rule)

    def __str__(self) -> str:
        return f"{self.dim} = {self.expr}"

    @property
    def origin_in_words(self) -> str:
        """Where it is from, and what it leaves out."""
        words = [self.reason] if self.reason else []
        words.append(_ORIGINS[self.origin])
        if self.relaxed:
            words.append(f"without the rounding of {self.rule}")
        return "; ".join(words)

    said = Formerly("origin_in_words")

    def to_json(self) -> dict[str, Any]:
        """The relation as plain data."""
        return {"dim": self.dim, "equation": str(self), "origin": self.origin,
                "reason": self.reason, "rule": self.rule or None}


def put_in(request: Request, dim: str, rule: Rule, scaled: bool) -> PutIn:
    """A rule of the lattice, traced to where it is from.

    Args:
        request: what was asked, with the model.
        dim: the dim that follows.
        rule: how.
        scaled: whether the lattice is of a model that is scaled.
    """
    chooses = ex.chooses(rule.expr)
    relaxed = not chooses and (rule.rounding is not None or rounds(rule.expr))
    expr = from_sympy(to_sympy(smooth(rule.expr))) if relaxed else rule.expr
    text = f"{dim} = {rule}" if relaxed else ""
    if dim in request.rules:
        return PutIn(dim, expr, GIVEN, "", text)
    own = _own(request, dim, rule)
    if own is not None:
        return PutIn(dim, expr, RULE, own.reason, text)
    if scaled:
        return PutIn(dim, expr, RATIO, f"as in {request.model.name}", text)
    return PutIn(dim, expr, LATTICE, "", text)


def _own(request: Request, dim: str, rule: Rule) -> Equation | None:
    """The equation of the model that a rule is, or that it is another side of."""
    for eq in request.model.all_equations():
        if eq.standing is Standing.CANDIDATE:
            continue
        if eq.dim == dim and (eq.expr, eq.rounding) == (rule.expr, rule.rounding):
            return eq
        if dim in eq.inputs and not eq.rounds and not rounds(rule.expr) and _inverts(eq, dim, rule):
            return eq
    return None


def _inverts(eq: Equation, dim: str, rule: Rule) -> bool:
    """Whether an equation holds wherever the rule does."""
    return bool(is_zero(to_sympy(eq.expr, {dim: to_sympy(rule.expr)}) - symbol(eq.dim)))


def rules_of(found: Mapping[str, PutIn]) -> dict[str, Rule]:
    """The relations as rules."""
    return {dim: Rule(each.expr) for dim, each in found.items()}
