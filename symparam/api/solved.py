"""A model that is solved for: configurations of a size, ladders of sizes, strategies."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symparam.api.counted import Counted
from symparam.api.given import dims_of, setting_and_dims, target
from symparam.dims import canonical
from symparam.notation.notation_file import notation_for

if TYPE_CHECKING:
    from symparam.documents.solutions.document import SolutionView
    from symparam.documents.solutions.suite import SuiteView
    from symparam.solve import Wishes


class Solved(Counted):
    """A model with its configurations."""

    def solve(self, *, P: int | str | None = None, unknown: Collection[str] = (), limit: int = 10,
              tolerance: Fraction = Fraction(1, 100), targets: Collection[str] = (),
              ranges: Collection[str] = (), multiples: Mapping[str, int] | None = None,
              weights: Mapping[str, int] | None = None, strategy: str | None = None,
              **given: Any) -> SolutionView:
        """Configurations that have a number of parameters, or of another quantity, best first.

        Args:
            P: the target, an ``int`` or exact text (``"7B"``); None where ``targets`` say all.
            unknown: dims to search; one alone over all whole numbers, everything else as it is.
            limit: how many configurations to keep.
            tolerance: the relative error within which a configuration counts as found.
            targets: other quantities, met (``"active=3B"``) or not exceeded (``"active<=3B"``).
            ranges: values of dims (``"L=16:64:4"``, ``"n_kv=4,8"``) and of ratios
                (``"d_model/L=64:160"``) in place of the usual ones.
            multiples: dim to what it is a multiple of.
            weights: preference to its weight in the order.
            strategy: ``deep``, ``balanced`` or ``wide``.
            **given: what is fixed, ``s`` and ``b`` (tokens and sequences) among it; and ``dtype``
                and the like, as for :meth:`~symparam.api.costed.Costed.quantity`.

        >>> from symparam import decoder, load
        >>> batch = load("llama-2-7b").solve(unknown=["b"], s=4096, targets=["memory<=80GB"])
        >>> batch.configurations[0].dims["b"]
        30
        >>> load("llama-2-7b").solve(unknown=["b"], s=4096, targets=["memory<=80GB"],
        ...                          dtype="int8", kv_dtype="int8").configurations[0].dims["b"]
        68
        >>> found = decoder(attention="gqa", ffn="moe").solve(P="30B", targets=["active=3B"], L=48)
        >>> found.configurations[0].counts["active"] // 10**8
        29
        """
        from symparam.documents.solutions.document import SolutionView
        from symparam.solve import solve
        from symparam.solve.requests.parsing import read_target

        setting, dims = setting_and_dims(given)
        found = solve(self, None if P is None else target(P), given=dims_of(dims, self.names),
                      wishes=self._wishes(unknown, ranges, multiples, weights, strategy),
                      wanted=[read_target(text) for text in targets], setting=setting,
                      tolerance=tolerance, limit=limit)
        return SolutionView.wrap(found, notation_for(self))

    def ladder(self, sizes: Collection[int | str], *, aspect: int | Fraction | None = None,
               limit: int = 1, tolerance: Fraction = Fraction(1, 20),
               ranges: Collection[str] = (), multiples: Mapping[str, int] | None = None,
               weights: Mapping[str, int] | None = None, **dims: Any) -> SuiteView:
        """A family of sizes of one shape, the best configuration of each.

        They have in common d_model/L within one layer, d_ff/d_model within one step of d_ff, one
        d_head, and heads to a key-value head; what a size cannot hold is said of it.

        Args:
            sizes: the targets (``["125M", "1B"]``).
            aspect: d_model/L; the model's own where nobody says it, else 128.
            limit, tolerance, ranges, multiples, weights, dims: as for :meth:`solve`.

        >>> from symparam import decoder
        >>> suite = decoder(ffn="swiglu").ladder(["1B", "3B"], d_head=128)
        >>> [s.configurations[0].dims["L"] for _, s in suite.rows]
        [16, 24]
        """
        from symparam.documents.solutions.suite import SuiteView
        from symparam.solve.suite import ladder

        found = ladder(self, [target(size) for size in sizes], given=dims_of(dims, self.names),
                       wishes=self._wishes((), ranges, multiples, weights, None),
                       aspect=None if aspect is None else Fraction(aspect), tolerance=tolerance,
                       limit=limit)
        return SuiteView.wrap(found, notation_for(self))

    def strategies(self, *, P: int | str, limit: int = 3, tolerance: Fraction = Fraction(1, 100),
                   ranges: Collection[str] = (), multiples: Mapping[str, int] | None = None,
                   weights: Mapping[str, int] | None = None, **dims: Any) -> SuiteView:
        """The best configurations for one target that are deep, balanced and wide.

        Args:
            P, limit, tolerance, ranges, multiples, weights, dims: as for :meth:`solve`.
        """
        from symparam.documents.solutions.suite import SuiteView
        from symparam.solve.suite import strategies

        found = strategies(self, target(P), given=dims_of(dims, self.names), tolerance=tolerance,
                           wishes=self._wishes((), ranges, multiples, weights, None), limit=limit)
        return SuiteView.wrap(found, notation_for(self))

    def _wishes(self, unknown: Collection[str], ranges: Collection[str],
                multiples: Mapping[str, int] | None, weights: Mapping[str, int] | None,
                strategy: str | None) -> Wishes:
        from symparam.solve.requests.parsing import read_wishes

        names = [canonical(name, self.names) for name in unknown]
        return read_wishes(unknown=names, ranges=ranges, strategy=strategy, extra=self.names,
                           multiples=[f"{k}={v}" for k, v in (multiples or {}).items()],
                           weights=[f"{k}={v}" for k, v in (weights or {}).items()])
