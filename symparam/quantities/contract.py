"""What a quantity is held to: needs that are said, shares of what is listed, exact numbers.

The package's own are held to it by its tests; one from outside when it is taken and whenever it
is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partialmethod
from typing import Any, NoReturn

from symparam.descriptions.decoder import decoder
from symparam.descriptions.options import Options
from symparam.dims import same_letter
from symparam.errors import ContractError, SymparamError, UnknownName
from symparam.ledger import Ledger, Number
from symparam.quantities.quantity import Quantity, Share, Subject
from symparam.quantities.setting import PARTS, Setting
from symparam.run import RUN
from symparam.strict import AskedTooMuch, Strict

#: A word of a share's own, behind the path of what a model lists.
_WORD = re.compile(r"\[[\w-]+\]")


def problems(quantity: Quantity) -> Iterator[str]:
    """What is wrong with what a quantity says of itself.

    >>> from symparam.quantities import find
    >>> list(problems(find("kv_cache")))
    []
    """
    for attribute in ("title", "convention", "source"):
        if not getattr(quantity, attribute):
            yield f"{attribute} is not set"
    if not isinstance(quantity.needs, tuple):
        yield f"needs is to be a tuple of names, not {quantity.needs!r}"
        return
    own = {row.name for row in quantity.run}
    for name in quantity.needs:
        if name not in {*RUN, *own, *PARTS}:
            yield str(UnknownName("need", str(name), [*RUN, *own, *PARTS], "a quantity needs what "
                                  "a model is run with, and parts of a setting"))
    yield from (f"the letter of {dim.name}, which it brings, is that of {other.name} "
                f"({other.meaning})" for dim, other in same_letter(row.dim for row in quantity.run))
    yield from (f"brings {name}, which its needs do not name" for name in sorted(
        own - set(quantity.needs)))


def held(quantity: Quantity) -> Quantity:
    """The same quantity, what is wrong in its shares said in one line that names it.

    It is handed no part of a setting that it does not say that it needs; each share is one, of
    what is listed where it is a view, with exact factors. When it is first asked, it is asked at
    a plain decoder over numbers that refuse what has another answer over integers than over
    symbols.
    """
    return replace(quantity, shares=_Guarded(quantity))


def own(quantity: Quantity) -> Quantity:
    """The quantity as it was written, of one that is held to what is asked of it."""
    shares = quantity.shares
    return shares.quantity if isinstance(shares, _Guarded) else quantity


class _Guarded:
    """The shares of a quantity, looked at one by one as they are asked for."""

    def __init__(self, quantity: Quantity) -> None:
        self.quantity, self.asked = quantity, False
        self.whose = getattr(quantity.shares, "__module__", None) or "a package"

    def __call__(self, subject: Subject) -> Iterator[Share]:
        if not self.asked:
            self._ask_sample()
            self.asked = True
        return self._shares(subject)

    def refused(self, problem: str) -> ContractError:
        """The error that says a problem, and whose it is."""
        return ContractError(self.quantity.name, f"{problem} ({self.whose})", "quantity")

    def _shares(self, subject: Subject) -> Iterator[Share]:
        paths = _paths(subject.ledger) if self.quantity.kind == "view" else None
        seen = set[str]()
        try:
            for share in self.quantity.shares(replace(subject, setting=self._needed(
                    subject.setting))):
                for problem in _problems(share, paths, seen):
                    raise self.refused(problem)
                yield share
        except (SymparamError, AskedTooMuch):
            raise
        except Exception as error:  # whatever a package outside raises
            raise self.refused(f"its shares fail with {type(error).__name__}: {error}") from error

    def _needed(self, setting: Setting) -> Setting:
        """A setting in which what the quantity does not say that it needs cannot be read."""
        needs = self.quantity.needs
        unsaid = {part: _Unsaid(part, self.refused) for part in PARTS if part not in needs}
        run = {name: value for name, value in setting.run.items() if name in needs}
        changed: dict[str, Any] = {**unsaid, "run": _Run(run, needs, self.refused)}
        return replace(setting, **changed)

    def _ask_sample(self) -> None:
        """Ask at a plain decoder; what another model than that is for is no problem."""
        model = decoder(Options(attention="gqa", ffn="swiglu"))
        subject = Subject.over(model, lambda name: _Measured(7, name))
        try:
            self.quantity.check(subject)
            for share in self._shares(subject):
                share.value  # noqa: B018 (it is worked out)
        except AskedTooMuch as error:
            raise self.refused("its shares ask a number for more than +, -, * and powers: "
                               f"{error}; exact quotients are symparam.arithmetic.over, and "
                               "windows for the setting to follow") from None
        except SymparamError:
            return


def _paths(ledger: Ledger) -> frozenset[str]:
    return frozenset(each.path for each in (
        *ledger, *ledger.states, *ledger.products, *ledger.pictures))


def _problems(share: Any, paths: frozenset[str] | None, seen: set[str]) -> Iterator[str]:
    """What is wrong with a share; its path is then among those seen."""
    if not isinstance(share, Share):
        yield f"its shares have {type(share).__name__} {share!r:.60} among them, which is no Share"
    elif not isinstance(share.path, str) or not isinstance(share.factors, tuple):
        yield f"a Share is a path and a tuple of factors, not {share!r:.80}"
    elif paths is not None and share.entry not in paths and share.path not in paths:
        yield (f"its share {share.path} is of nothing that the model lists; a word of one's own "
               "stands in brackets behind a path")
    elif paths is not None and share.path not in paths and not _WORD.fullmatch(
            share.path, len(share.entry)):
        yield (f"its share {share.path} ends in {share.path[len(share.entry):]!r}: a word of one's "
               "own is of letters, digits, - and _, in brackets")
    elif share.path in seen:
        yield f"two of its shares have the path {share.path}"
    else:
        seen.add(share.path)
        for each in share.factors:
            if isinstance(each, _Unsaid):
                each.refuse()
            if each is None or isinstance(each, (float, complex, str)):
                yield (f"its share {share.path} has {each!r} for a factor, which is no exact "
                       "number")


class _Run(dict[str, Number]):
    """What a model is run with, as far as a quantity says that it needs it."""

    def __init__(self, run: dict[str, Number], needs: tuple[str, ...],
                 refused: Callable[[str], ContractError]) -> None:
        super().__init__(run)
        self.needs, self.refused = needs, refused

    def get(self, name: str, default: Any = None) -> Any:
        """The number of a name, or the default."""
        if name in RUN and name not in self.needs:
            raise self.refused(f"its shares read {name}, which its needs do not name")
        return super().get(name, default)

    def __missing__(self, name: str) -> Any:
        self.get(name)
        raise KeyError(name)


class _Unsaid:
    """A part of a setting that a quantity does not say that it needs: whoever uses it is told."""

    def __init__(self, part: str, refused: Callable[[str], ContractError]) -> None:
        self._part, self._refused = part, refused

    def refuse(self, *_: object) -> NoReturn:
        raise self._refused(f"its shares read {self._part}, which its needs do not name")

    __getattr__ = __eq__ = __ne__ = __hash__ = __bool__ = __str__ = __format__ = refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __pow__ = __rpow__ = refuse
    __lt__ = __le__ = __gt__ = __ge__ = __int__ = __index__ = __float__ = refuse


class _Measured(Strict):
    """A number of a model that knows differences, exact quotients and powers as well."""

    __slots__ = ()

    def _joined(self, sign: str, other: object, swapped: bool = False) -> Any:
        if isinstance(other, float):
            raise AskedTooMuch(f"{self.text} meets float {other!r}, which is no exact number")
        if not isinstance(other, (Strict, int, Fraction)):
            return NotImplemented
        words = [self._factor, other._factor if isinstance(other, Strict) else str(other)]
        return _Measured(self.value, sign.join(reversed(words) if swapped else words))

    @property
    def _factor(self) -> str:
        return f"({self.text})" if set(self.text) & set(" *") else self.text


for _method, _sign in {"add": " + ", "sub": " - ", "mul": "*", "truediv": "/", "pow": "**"}.items():
    setattr(_Measured, f"__{_method}__", partialmethod(_Measured._joined, _sign))
    setattr(_Measured, f"__r{_method}__", partialmethod(_Measured._joined, _sign, swapped=True))
