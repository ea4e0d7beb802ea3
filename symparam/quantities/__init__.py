"""Quantities: named views of the ledger, over any kind of number.

Each module here lists its own under ``QUANTITIES``, and says under ``GROUP`` what they are about, a
heading of docs/quantities.md; a new one is found by itself. A package outside adds its own through
the entry-point group ``symparam.quantities``, each entry naming a
:class:`~symparam.quantities.quantity.Quantity`.
"""

from __future__ import annotations

import copyreg
import importlib
from functools import cache, partial
from typing import Any

from symparam import components, plugins
from symparam.dims import is_known
from symparam.errors import ContractError, UnknownName
from symparam.quantities.quantity import Quantity
from symparam.run import register_run

#: Further names of quantities.
ALIASES = {"total": "P"}


@cache
def everything() -> dict[str, Quantity]:
    """All quantities by name: numbers of parameters, then the others by their modules.

    >>> everything()["kv_cache"].unit, next(iter(everything()))
    ('B', 'P')
    """
    found = {each.name: each for group in grouped().values() for each in group}
    register_run(row for each in found.values() for row in each.run)
    plugins.load("symparam.quantities", partial(_take, found))
    return found


def grouped() -> dict[str, list[Quantity]]:
    """The package's own quantities by what they are about, the numbers of parameters first.

    >>> list(grouped())[:2]
    ['Numbers of parameters', 'Activations in training']
    """
    names = sorted(plugins.modules_in(__path__), key=lambda name: (name != "counts", name))
    found: dict[str, list[Quantity]] = {}
    for name in names:
        module = importlib.import_module(f"{__name__}.{name}")
        if own := getattr(module, "QUANTITIES", ()):
            found.setdefault(getattr(module, "GROUP", "Others"), []).extend(own)
    return found


def _travelling(quantity: Quantity) -> Any:
    """One that is known travels between processes by its name."""
    if everything().get(quantity.name) is quantity:
        return find, (quantity.name,)
    return object.__reduce_ex__(quantity, 2)


copyreg.pickle(Quantity, _travelling)


def _take(found: dict[str, Quantity], quantity: Quantity) -> None:
    """Add a quantity from outside.

    Raises:
        ContractError: it is none, its name is taken, or it does not keep what is asked of one.
    """
    from symparam.quantities import contract

    if not isinstance(quantity, Quantity):
        raise ContractError(str(quantity), "is no Quantity", "quantity")
    components.everything()  # so that their dims are known
    if quantity.name in found or is_known(quantity.name):
        whose = "a known quantity" if quantity.name in found else "a dim"
        raise ContractError(quantity.name, f"{whose} has this name", "quantity")
    for problem in contract.problems(quantity):
        raise ContractError(quantity.name, problem, "quantity")
    register_run(quantity.run)
    found[quantity.name] = contract.held(quantity)


def find(name: str) -> Quantity:
    """A quantity by its name, or by an alias of it.

    Raises:
        UnknownName: there is no such quantity.

    >>> find("total").name
    'P'
    """
    from symparam.quantities.counts import COUNTS

    own = ALIASES.get(name, name)
    if own in COUNTS:  # which need none of the others
        return COUNTS[own]
    if own not in everything():
        raise UnknownName("quantity", name, everything())
    return everything()[own]
