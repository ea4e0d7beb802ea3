"""What can go wrong, as types.

Every error keeps its operands as attributes and builds its text when asked, so that a program
can react to the parts and a person reads one line that says what was wrong, where, and what
would be right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from symparam.showable import line

_T = TypeVar("_T")

#: What packages outside would have added and could not, a remark each, by entry-point group; said
#: where a name is unknown.
REMARKS: dict[str, tuple[str, ...]] = {}


def remarks(*groups: str, asked: str = "") -> str:
    """The remarks of some entry-point groups, or of all, to end a message with; first what is said
    of the name that was asked for.

    >>> remarks("symparam.families")
    ''
    """
    found = [each for group in groups or tuple(REMARKS) for each in REMARKS.get(group, ())]
    return "".join(f"; {each}" for each in sorted(found, key=lambda one: asked not in one.split()))


#: Letters of a name that is compared with others, which takes as long as the square of them.
LONGEST_NEAR = 200


def nearest(name: str, known: Iterable[str], limit: int = 3,
            likeness: float = 0.55) -> list[str]:
    """The known names most like a wrong one, best first.

    Args:
        name: the wrong one.
        known: the right ones.
        limit: how many to name.
        likeness: how alike they have to be, from 0 to 1 for the same.

    >>> nearest("d_modle", ["d_model", "d_head", "V"])
    ['d_model']
    """
    from difflib import SequenceMatcher, get_close_matches

    if len(name) > LONGEST_NEAR:
        return []
    by_lower = {k.lower(): k for k in known if len(k) <= LONGEST_NEAR}
    found = get_close_matches(name.lower(), by_lower, limit, likeness)
    ratios = [SequenceMatcher(None, match, name.lower()).ratio() for match in found]
    return [by_lower[m] for m, r in zip(found, ratios, strict=True) if r > ratios[0] - 0.15]


_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+(?=[^/])")


def as_typed(path: object) -> str:
    """A path as it was typed: an address keeps the strokes that a path joins to one.

    >>> as_typed("https:/huggingface.co/gpt2"), as_typed("C:/models"), as_typed("file:/etc/hosts")
    ('https://huggingface.co/gpt2', 'C:/models', 'file:///etc/hosts')
    """
    return _ADDRESS.sub(lambda found: f"{found[1]}:{'///' if found[1] == 'file' else '//'}",
                        str(path), count=1) if is_address(path) else str(path)


def is_address(path: object) -> bool:
    """Whether a path is the address of something on a network."""
    return _ADDRESS.match(str(path)) is not None


def short(value: Any, limit: int = 48) -> str:
    """A value in one printable line, cut where it is long."""
    try:
        text = as_typed(value)
    except ValueError:
        text = "a number of more than 4300 digits"
    text = line(text)
    return text if len(text) <= limit else text[:limit - 3] + "..."


class SymparamError(Exception):
    """The root of all errors that this package raises on purpose."""


class BrokenPromise(SymparamError):
    """Something that the package relies on of itself does not hold: no input should lead here.

    Attributes: what was to be there, and what was found in its place.
    """

    def __init__(self, expected: str, found: Any) -> None:
        super().__init__(expected, found)
        self.expected, self.found = expected, found

    def __str__(self) -> str:
        return (f"a fault of symparam itself: {self.expected} was to be here, found "
                f"{short(self.found)}; please report it")


def some(words: Iterable[str], most: int, between: str = ", ") -> str:
    """The first of some words, and how many more there are.

    >>> some("abcd", 4), some("abcd", 2), some("abcd", 2, between="; ")
    ('a, b, c, d', 'a, b and 2 more', 'a; b; and 2 more')
    """
    listed = list(words)
    more = f"{between.rstrip(' ,')} and {len(listed) - most} more" if len(listed) > most else ""
    return between.join(listed[:most]) + more


def the(kind: type[_T], value: object) -> _T:
    """A value that is known to be of a kind, as that kind; checked, however Python is started.

    Raises:
        BrokenPromise: it is of another.

    >>> the(int, 7)
    7
    """
    if not isinstance(value, kind):
        raise BrokenPromise(f"a value of the kind {kind.__name__}", value)
    return value


class ParseError(SymparamError):
    """A text that the closed grammar does not read.

    Attributes: the text, the position (0-based) where reading stopped, and the problem.
    """

    def __init__(self, text: str, position: int, problem: str) -> None:
        super().__init__(text, position, problem)
        self.text, self.position, self.problem = text, position, problem

    def __str__(self) -> str:
        text = short(self.text, 60)
        return f"cannot read {text!r} at character {self.position + 1}: {self.problem}"


class UnknownName(SymparamError):
    """A name that is none of the known ones; the nearest are offered."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        super().__init__(kind, name, known, hint)
        self.kind, self.name, self.known, self.hint = kind, name, sorted(known), hint

    def __str__(self) -> str:
        near = nearest(self.name, self.known)
        shown = short(self.name, 60)
        if near and not self.hint.startswith(self.name):
            tail = "did you mean " + " or ".join(near) + "?"
        elif self.hint:
            tail = self.hint
        elif len(self.known) <= 24:
            tail = "known: " + ", ".join(self.known)
        else:
            tail = f"{len(self.known)} are known"
        brought = self.kind in {"symbol", "quantity"} or self.kind.endswith(" kind")
        left = remarks(asked=self.name) if brought else ""
        own = any(self.name in each.partition(" is left out")[0].split()
                  for found in REMARKS.values() for each in found)
        return f"unknown {self.kind} {shown!r}" + (f"{left}; {tail}" if own else f"; {tail}{left}")


class MissingDims(SymparamError):
    """Dims that a count needs and that nobody gave."""

    def __init__(self, names: Sequence[str], model: str) -> None:
        super().__init__(tuple(names), model)
        self.names, self.model = tuple(names), model

    def __str__(self) -> str:
        example = " ".join(f"{name}=..." for name in self.names)
        return f"{self.model} needs a number for {', '.join(self.names)}: add {example}"


class BadValue(SymparamError):
    """A value that a dim, an option or a key cannot have.

    Attributes: what has it, the value, the problem, the file that states it (empty without one).
    """

    def __init__(self, name: str, value: Any, problem: str, where: str = "") -> None:
        super().__init__(name, value, problem, where)
        self.name, self.value, self.problem, self.where = name, value, problem, where

    def __str__(self) -> str:
        file = f"{short(self.where, 200)}: " if self.where else ""
        return f"{file}{self.name} = {short(self.value)}: {self.problem}"


class ConstraintViolated(SymparamError):
    """Numbers that break a relation the architecture relies on."""

    def __init__(self, relation: str, reason: str, values: dict[str, Any], remedy: str) -> None:
        super().__init__(relation, reason, values, remedy)
        self.relation, self.reason, self.values, self.remedy = relation, reason, values, remedy

    def __str__(self) -> str:
        here = ", ".join(f"{name} = {value}" for name, value in self.values.items())
        return f"{self.relation} ({self.reason}) does not hold for {here}: {self.remedy}"


class Contradiction(SymparamError):
    """Two requests that cannot both be met."""

    def __init__(self, first: str, second: str, remedy: str) -> None:
        super().__init__(first, second, remedy)
        self.first, self.second, self.remedy = first, second, remedy

    def __str__(self) -> str:
        return f"{self.first} contradicts {self.second}: {self.remedy}"


class SpecError(SymparamError):
    """A description of a model (TOML, JSON, config.json) that cannot be read.

    Attributes: the file or name, the path into it (``blocks[0].attention.kind``), the problem.
    """

    def __init__(self, where: str, path: str, problem: str) -> None:
        super().__init__(where, path, problem)
        self.where, self.path, self.problem = where, path, problem

    def __str__(self) -> str:
        path = short(self.path, 200)
        where = short(self.where, 200)
        place = f"{where}: {path}" if self.path else where
        return f"{place}: {self.problem}"


class FileError(SymparamError):
    """A file that cannot be read: not there, no regular file, too large.

    Attributes: the file, the problem.
    """

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(where, problem)
        self.where, self.problem = where, problem

    def __str__(self) -> str:
        return f"{short(self.where, 200)}: {self.problem}"


class LayoutError(SymparamError):
    """A layout that names what the ledger does not hold, or leaves a matrix without a name."""


class ContractError(SymparamError):
    """A component class that breaks the contract of components, found when it is made; or a
    family or quantity from outside that is none."""

    def __init__(self, component: str, problem: str, kind: str = "component") -> None:
        super().__init__(component, problem, kind)
        self.component, self.problem, self.kind = component, problem, kind

    def __str__(self) -> str:
        return f"{self.kind} {self.component}: {self.problem}"


class FalseStep(SymparamError):
    """A derivation step, or a label in one, that is not true: it is never constructed."""

    def __init__(self, what: str, difference: str) -> None:
        super().__init__(what, difference)
        self.what, self.difference = what, difference

    def __str__(self) -> str:
        return f"not true: {self.what}; the sides differ by {self.difference}"


class NotDerivable(SymparamError):
    """A derivation or a solution that was asked for and cannot honestly be given."""


class OutputError(SymparamError):
    """A file that cannot be written, or that exists and was not to be replaced."""


class DocsError(SymparamError):
    """A document whose marked blocks cannot be built.

    Attributes: the file, the line (0 where it is no line's fault), the problem.
    """

    def __init__(self, where: str, line: int, problem: str) -> None:
        super().__init__(where, line, problem)
        self.where, self.line, self.problem = where, line, problem

    def __str__(self) -> str:
        place = f", line {self.line}" if self.line else ""
        return f"{short(self.where, 200)}{place}: {self.problem}"


class TemplateError(SymparamError):
    """A template that cannot be read, found or run, or that does more than it may.

    Attributes: the template, the line (0 where it is no line's fault), the problem.
    """

    def __init__(self, template: str, line: int, problem: str) -> None:
        super().__init__(template, line, problem)
        self.template, self.line, self.problem = template, line, problem

    def __str__(self) -> str:
        place = f", line {self.line}" if self.line else ""
        return f"template {short(self.template, 200)}{place}: {short(self.problem, 300)}"
