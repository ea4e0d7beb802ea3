"""Which conventions there are for a dim of a model: what its rules say, and which ratios stay.

By rule, dims follow as they do when one is overridden. With ratios kept, a wider model has the
same shape: what the model's equations tie to the width stays tied; inner widths, and heads where
the head width is a number of its own, keep their exact ratio.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from symparam import expression as ex
from symparam.constraints import Equation, Standing, Sums
from symparam.dataclass import dataclass
from symparam.derivation.assumptions import choose, read_assumptions
from symparam.dims import order_key
from symparam.ledger import Ledger, Matrix
from symparam.model import Model
from symparam.resolve import Resolution, resolve, with_overrides
from symparam.sensitivity.held import ALONE, KEPT, RULED, Follow, Held, following, ratio, with_kv

_MODELS_OWN = (Standing.ASSUMED, Standing.DEFINITION, Standing.DEFAULT)


@dataclass(frozen=True)
class Conventions:
    """The conventions of one model.

    Attributes:
        model: the model.
        resolution: its numbers, as far as it has them.
        present: the dims that its formulas have.
        assume: relations asked for, as text; ``none`` drops those that are taken otherwise.
    """

    model: Model
    resolution: Resolution
    present: frozenset[str]
    assume: tuple[str, ...] = ()

    @property
    def numbered(self) -> bool:
        """Whether all dims have numbers."""
        return not self.resolution.missing

    @property
    def values(self) -> Mapping[str, int]:
        """The model's numbers."""
        return self.resolution.values

    def of(self, wrt: str) -> list[Held]:
        """The conventions for one dim, those that say the same once.

        Raises:
            NotDerivable: an assumption that the numbers are far from.
        """
        alone, ruled = Held(ALONE, wrt), Held(RULED, wrt, tuple(self._ruled(wrt)))
        kept = Held(KEPT, wrt, tuple(self._kept(wrt)))
        others = [held for held in (ruled, kept) if self.present & {
            eq.dim for eq in following(held.equations, wrt)}]
        if len(others) == 2 and set(map(str, ruled.equations)) == set(map(str, kept.equations)):
            others = [kept if wrt == "d_model" or not self.numbered else ruled]
        return [*([alone] if wrt in self.present or not others else []), *others]

    # --- by rule ------------------------------------------------------------------------------

    def _ruled(self, wrt: str) -> Iterator[Follow]:
        if self.numbered:
            rules = self.rules(wrt)
            for eq in with_kv(following(rules, wrt), self._met(), wrt):
                met = not eq.rounds or eq.taken_at(self.values).holds(self.values) is True
                yield Follow(eq, met, self.values)

    def _met(self) -> Iterator[Equation]:
        """The model's equations that its numbers meet, roundings aside."""
        return (eq for eq in self.model.all_equations()
                if not eq.rounds and eq.holds(self.values))

    def rules(self, wrt: str) -> list[Equation]:
        """The rules that stand when a dim is overridden, kinds of layer adding up among them."""
        model = self.model
        if wrt in self.values:
            model = with_overrides(model, {wrt: self.values[wrt]})
        rules = [eq for eq in resolve(model, self.present).rules.values() if eq.inputs]
        return [*rules, *(eq for eq in self._sums(rules) if eq.dim != wrt)]

    def _sums(self, rules: Sequence[Equation]) -> Iterator[Equation]:
        """The last kind of layer as what is left of all, where no rule says so."""
        for check in self.model.all_checks():
            if isinstance(check, Sums) and not any(check.whole in eq.inputs for eq in rules):
                rest: ex.Expr = ex.Sym(check.whole)
                for part in check.parts[:-1]:
                    rest = rest - ex.Sym(part)
                yield Equation(check.parts[-1], rest, check.reason)

    # --- ratios kept --------------------------------------------------------------------------

    @cached_property
    def asked(self) -> tuple[bool, list[Follow]]:
        """Whether usual relations are used, and the relations that were asked for."""
        defaults, equations = read_assumptions(self.assume, self.model.names)
        chosen = choose(self.model, self.values, self.assume, self.present)
        met = {a.equation.dim: a.holds_here for a in chosen if a.equation in equations}
        return defaults, [Follow(eq, met[eq.dim] != "nearly") for eq in equations]

    def _kept(self, wrt: str) -> Iterable[Follow]:
        usual, asked = self.asked
        if not self.numbered:
            chosen = choose(self.model, self.values, self.assume, self.present)
            return [Follow(a.equation, not a.equation.rounds) for a in chosen]
        found: list[Equation] = []
        named = {follow.dim for follow in asked} | {wrt}
        if usual and wrt == "d_model":
            found = self._with_width(named)
        elif usual:
            found = self._with_depth(wrt)
        equations = [*(f.equation for f in asked), *(eq for eq in found if eq.dim not in named)]
        rules = [eq for eq in self.rules(wrt) if eq.dim not in {e.dim for e in equations}]
        more = following([*equations, *rules], wrt)
        kept = with_kv(more, [*equations, *rules], wrt)
        exact = {follow.equation: follow.exact for follow in asked}
        return [Follow(eq, exact.get(eq, not eq.rounds), self.values)
                for eq in map(self._unrounded, kept)] if following(equations, wrt) else []

    def _unrounded(self, eq: Equation) -> Equation:
        """A rule as it stands where numbers meet it; where it rounds, the ratio that there is."""
        if not eq.rounds or len(eq.inputs) != 1:
            return eq
        if (taken := eq.taken_at(self.values)).holds(self.values):
            return taken
        return ratio(eq.dim, eq.inputs[0], self.values)

    def _with_width(self, named: Collection[str]) -> list[Equation]:
        """What goes with the width: by equations that the numbers meet, else in its ratio."""
        values = self.values
        found = following(self.rules("d_model"), "d_model")
        taken = {eq.dim for eq in found} | set(named)
        for eq in self.model.all_equations():
            if eq.standing in _MODELS_OWN and eq.dim not in taken | {"d_head"} and (
                    eq.dim in self.present and eq.holds(values)):
                found.append(eq)
                taken |= {eq.dim}
        found = following(found, "d_model")
        taken = {eq.dim for eq in found} | set(named)
        if not {"d_head", "n_heads"} & taken:
            found += self._ratios(["n_heads"], "d_model", taken)
        found += self._ratios(["n_kv"], "n_heads" if "n_heads" in values else "d_model", taken)
        ruled = {eq.dim for eq in self.rules("d_model")}
        widths = inner_widths(self.model) - ruled
        return found + self._ratios(sorted(widths, key=order_key), "d_model", taken)

    def _ratios(self, dims: Iterable[str], to: str, taken: Collection[str]) -> list[Equation]:
        constant = {eq.dim for eq in self.model.all_equations()
                    if eq.standing is Standing.DEFINITION and not eq.inputs}
        return [ratio(dim, to, self.values) for dim in dims
                if dim in self.present and dim not in {*taken, *constant, to}]

    def _with_depth(self, wrt: str) -> list[Equation]:
        """What goes with the number of layers: its kinds in their shares; for an encoder's, the
        decoder's."""
        sums = [check for check in self.model.all_checks()
                if isinstance(check, Sums) and check.whole == wrt]
        parts = [part for check in sums for part in check.parts]
        if not parts and wrt == "L_encoder" and "L_decoder" in self.present:
            parts = ["L_decoder"]
        return [ratio(part, wrt, self.values) for part in parts]


def inner_widths(model: Model) -> frozenset[str]:
    """The widths inside blocks: what stands across from d_model as a whole side of a matrix.

    A head's width is none: it comes as a multiple of a number of heads.

    >>> from symparam.descriptions.decoder import plain_decoder
    >>> sorted(inner_widths(plain_decoder()))
    ['d_ff']
    """
    trees = model.ledger({name: ex.Sym(name) for name in model.dims})
    found, of_heads = set[str](), set[str]()
    for matrix in _in_blocks(model, trees):
        sides = [ex.node(side) for side in matrix.shape]
        of_heads |= {name for side in sides for name in _of_heads(side)}
        if len(sides) == 2 and ex.Sym("d_model") in sides:
            found |= {name for side in sides for name in ex.symbols_in(side)}
    widths = {name for name in found if name.startswith("d_")}
    return frozenset(widths - of_heads - {"d_model"})


def _in_blocks(model: Model, ledger: Ledger) -> Iterator[Matrix]:
    repeated = tuple(f"{stack.name}." for stack in model.stacks if stack.repeat)
    return (m for m in ledger if m.path.startswith(repeated))


def _of_heads(side: ex.Expr) -> Iterator[str]:
    """The widths in a side that come as a multiple of a number of heads."""
    for node in ex.walk(side):
        if isinstance(node, ex.Product) and any(
                isinstance(f, ex.Sym) and f.name.startswith("n_") for f in node.factors):
            yield from (name for name in ex.symbols_in(node) if name.startswith("d_"))
