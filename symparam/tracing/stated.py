"""What a check states of single keys: then no assumption has to say it once more.

A key that gives other tensors on one side of a number, or that the target takes at one number
alone, is refused by name elsewhere; so are two keys that have to be equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from symparam import expression as ex
from symparam.constraints import Check, Compares
from symparam.tracing.recording.records import Comparison
from symparam.tracing.recording.terms import Path
from symparam.tracing.searching.bases import another_case, kinds_of_rows
from symparam.tracing.searching.domain import Domain, Values
from symparam.tracing.searching.relations import broken

#: Why a key keeps a side.
OTHERS = "other numbers were built, and gave other tensors"
#: Why a key is at one number.
LENGTH = "lists have so many elements, and each of these is a key"
#: A number below this may be the one without what larger ones bring.
FEW = 2
CASES = frozenset({OTHERS, LENGTH})
#: What is said of terms that were alike by chance, perhaps: that states nothing.
INDISTINCT = "no point told them apart"


def bounds(domain: Domain, path: Path, dim: ex.Sym, seen: Sequence[Any]) -> list[Check]:
    """The sides of numbers between which a key has the tensors that were found, where there are
    such; one number, where every other brought tensors of other kinds.

    Args:
        domain: what is known of the key.
        path: the key.
        dim: its name.
        seen: the numbers that it had wherever all was as it was found.
    """
    strange, low, high = domain.unexplained(path), min(seen), max(seen)
    if not strange or any(low <= number <= high for number in strange):
        return []
    if low == high:
        apart = _other_kinds(domain, path) or (low == 0 and another_case(domain, path))
        return [Compares(dim, "=", ex.Num(low), OTHERS)] if apart else []
    made: list[Check] = []
    if min(strange) < low:
        made.append(Compares(ex.Num(low), "<=", dim, OTHERS))
    if max(strange) > high:
        made.append(Compares(dim, "<=", ex.Num(high), OTHERS))
    return made


def _other_kinds(domain: Domain, path: Path) -> bool:
    """Whether a key never changes only how many tensors of a kind there are."""
    tables = [domain.prober.table(values) for values in domain.strange[path]]
    return all(table is None or kinds_of_rows(table) != kinds_of_rows(domain.first)
               for table in tables)


def alone(domain: Domain, path: Path, dim: ex.Sym, base: Any) -> list[Check]:
    """The number of a key beside which every other is refused or another case, by what the target
    asks of that key alone.
    """
    own = [r for r in domain.needed if r.keys == {path}]
    beside = [{**domain.base, path: n} for n in (base - 1, base + 1, base // 2, 2 * base, 3 * base)
              if 0 < n != base]
    single = another_case(domain, path) and base < FEW
    if not own or not all(_apart(domain, own, values, single) for values in beside):
        return []
    said = next((s for r in own if (s := domain.said.get(r))), "")
    return [Compares(dim, "=", ex.Num(base), f"else the target says {said[:120]}" if said
                     else OTHERS)]


def _apart(domain: Domain, own: Sequence[Comparison], values: Values, single: bool) -> bool:
    """Whether a point is refused, or has tensors of other kinds by a comparison of one key.

    Args:
        domain: what is known of the key.
        own: comparisons of that key alone.
        values: the point.
        single: whether all larger numbers are one case, of whatever tensors.
    """
    table = domain.prober.table(values)
    if table is None:
        return True
    return bool(broken(own, values)) and (
        single or kinds_of_rows(table) != kinds_of_rows(domain.first))


def tied(checks: Iterable[Check], names: Iterable[str]) -> bool:
    """Whether checks say what each of some dims is by the others.

    >>> a, b, c = map(ex.Sym, "abc")
    >>> equal = [Compares(a, "=", b, "else it is refused"), Compares(c, "=", b, INDISTINCT)]
    >>> tied(equal, ["a", "b"]), tied(equal, ["a", "b", "c"])
    (True, False)
    """
    pairs = [set(ex.symbols_in(c.left) + ex.symbols_in(c.right)) for c in checks
             if isinstance(c, Compares) and c.sign == "=" and c.reason != INDISTINCT]
    first, *left = names
    known = {first}
    while new := {name for pair in pairs if len(pair) == 2 and pair & known for name in pair
                  } - known:
        known |= new
    return known.issuperset(left)
