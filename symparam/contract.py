"""What a component is held to, over its example and under its options; a class from elsewhere is
checked when it is made, the package's own by their tests."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

from symparam.dims import same_letter
from symparam.errors import ContractError, LayoutError, ParseError, UnknownName, nearest
from symparam.ledger import Matrix, Product, State
from symparam.strict import AskedTooMuch, plain, strict

if TYPE_CHECKING:
    from symparam.component import Component

#: Combinations of options that a class is looked at under when it is made.
MOST_VARIANTS = 64
#: The methods with which a component lists what it has.
LISTS = ("matrices", "state", "products")


def _is_prime(n: int) -> bool:
    return n > 1 and all(n % k for k in range(2, math.isqrt(n) + 1))


def _problems(cls: type[Component], documented: bool) -> Iterator[str]:
    for attribute in ("name", "slot", "title", "source"):
        if not getattr(cls, attribute):
            yield f"{attribute} is not set"
    if not documented:
        yield "it has no docstring"
    yield from _unread(cls)
    declared = {dim.name for dim in cls.dims}
    if set(cls.example) != declared:
        yield f"example gives {sorted(cls.example)}, dims declares {sorted(declared)}"
    for dim in cls.dims:
        try:
            dim.letter  # noqa: B018 (it is read)
        except ParseError as error:
            yield f"the letter of {dim.name}: {error}"
    for dim, other in same_letter(cls.dims):
        yield f"the letter of {dim.name} is that of {other.name} ({other.meaning})"
    values = list(cls.example.values())
    if len(set(values)) < len(values) or not all(map(_is_prime, values)):
        yield f"example dims are to be distinct primes, not {values}"
    for eq in cls.equations:
        if not {eq.dim, *eq.inputs} <= declared:
            yield f"the equation {eq} uses a dim that is not declared"


def _unread(cls: type[Component]) -> Iterator[str]:
    """What a class sets, or lists, under a name that nobody reads: no attribute of components, no
    option, no method that is called."""
    root = [each for each in cls.__mro__ if "list_matrices" in vars(each)][-1]  # Component itself
    bases = cls.__mro__[:cls.__mro__.index(root)]
    read = {*dir(root), *(name for base in bases for name in base.__annotations__)}
    for name, value in [each for base in bases for each in vars(base).items()]:
        if name.startswith("_") or name in read:
            continue
        if not callable(value) and not hasattr(value, "__get__"):
            yield str(UnknownName("attribute", name, root.__annotations__))
        elif meant := nearest(name, LISTS, 1, 0.8):
            yield f"its method {name} is asked by nobody: did you mean {meant[0]}?"


def combinations(cls: type[Component]) -> int:
    """How many combinations of its switches and bias sites a component has."""
    switches = [each for each in cls.options().values() if isinstance(each, bool)]
    return 1 << (len(switches) + (len(cls.bias_sites) if "bias" in cls.options() else 0))


def variants(cls: type[Component], most: int) -> Iterator[Component]:
    """A component under the combinations of its switches and bias sites; where there are more than
    so many, with none, each alone, and all."""
    switches = [name for name, default in cls.options().items() if isinstance(default, bool)]
    sites = list(cls.bias_sites) if "bias" in cls.options() else []
    places = range(len(switches) + len(sites))
    several: Iterable[tuple[bool, ...]] = product(*[(False, True)] * len(places))
    if combinations(cls) > most:
        several = [tuple(i in on for i in places) for on in ((), *((i,) for i in places), places)]
    for values in several:
        chosen: dict[str, Any] = dict(zip(switches, values, strict=False))
        if sites or "bias" in cls.options():
            on = values[len(switches):]
            chosen["bias"] = [site for site, here in zip(sites, on, strict=True) if here]
        yield cls.make(chosen)


def check_contract(cls: type[Component], documented: bool = True) -> None:
    """Refuse a class that is not a whole component.

    Args:
        cls: which one.
        documented: whether it has a docstring of its own.

    Raises:
        ContractError: what is wrong with it.
    """
    for problem in _problems(cls, documented):
        raise ContractError(cls.__name__, problem)
    try:
        found = [cls(), *variants(cls, MOST_VARIANTS)]
    except TypeError as error:
        raise ContractError(cls.__name__, f"an option has no default: {error}") from error
    for component in found:
        for problem in problems_of_lists(component):
            raise ContractError(cls.__name__, problem)
    if combinations(cls) <= MOST_VARIANTS:
        for name in unlisted(cls, found):
            raise ContractError(cls.__name__,
                                f"names has {name}, a matrix that no option of it lists")


def unlisted(cls: type[Component], under: Iterable[Component]) -> list[str]:
    """The matrices that a class has a name for and that are listed under no options of some; a
    name that is a base's says nothing."""
    inherited = {name for base in cls.__mro__[1:] for name in base.__dict__.get("names", ())}
    listed = {m.path for each in under for m in each.list_matrices(cls.example)}
    return sorted(set(cls.names) - inherited - listed)


def problems_of_lists(component: Component) -> Iterator[str]:
    """What is wrong with the matrices, the state and the products over the example."""
    example = component.example
    listed: list[tuple[Matrix, ...] | tuple[State, ...] | tuple[Product, ...]] = []
    for what, listing in (("matrices", component.list_matrices), ("state", component.list_state),
                          ("products", component.list_products)):
        try:
            listed.append(listing(example))
            asked = tuple(plain(each) for each in listing(strict(example)))
        except AskedTooMuch as error:
            yield (f"its {what} ask a dim for more than + and *: {error}; what exists, and how "
                   "much, is for an option or an equation to say")
            return
        except (TypeError, AttributeError, KeyError, LayoutError) as error:
            yield f"its {what} cannot be listed: {error}"
            return
        if asked != listed[-1]:
            yield f"its {what} depend on which kind of number a dim is"
            return
        paths = [each.path for each in listed[-1]]
        if len(set(paths)) < len(paths):
            yield f"two {what if what != 'state' else 'states'} share a path: {paths}"
    for m in listed[0]:
        if isinstance(m, Matrix) and m.path not in component.names:
            yield f"names has no checkpoint name for {m.path}"
    for each in (each for entries in listed for each in entries):
        # A buffer, a gain and a shift may be one number, without an axis.
        single = isinstance(each, Matrix) and (
            each.status == "buffer" or each.role in ("gain", "bias"))
        if not (each.shape or single) or not each.what:
            yield f"{each.path} has no shape or no purpose"
