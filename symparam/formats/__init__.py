"""The formats of answers, found by themselves: a new one is a new file here, or an entry point.

A file is named after its format and holds a ``FORMAT``. Options of commands, endings of files,
templates and marked documents know of no format but these. A package outside adds its own through
the entry-point group ``symparam.formats`` (docs/new-format.md).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from symparam import plugins
from symparam.dataclass import dataclass
from symparam.errors import ContractError, UnknownName, remarks

#: What an answer is written in where nobody says.
DEFAULT = "text"


@dataclass(frozen=True, kw_only=True)
class OutputFormat:
    """A format that an answer can be written in.

    Attributes:
        name: by which ``--format`` knows it.
        writer: from a notation to what writes the pieces of a document
            (:class:`symparam.writers.base.Format` or the like); None for data.
        answer: from an answer (a view) to the whole text, where its document has not what the
            format needs; such a format has no writer.
        template: a shipped one by its name, or the path of another, which puts the pieces together
            as ``out``; without one the writer's ``document(document)`` is the whole text.
        endings: of files that it is written to where no format is named.
        template_ending: of the names of templates that are written in it.
        within: the kinds of document whose marked blocks may hold it: ``Markdown``, ``TeX``.
        fenced: whether a marked block of Markdown shows it between fences.
        escaped: whether a template escapes all plain text that it prints.
        offered: whether ``--format`` has it; others are chosen in another way.
        paged: whether its lines are as wide as a page is told to be.
        remark: what help says of it besides its name.
        place: where it stands among the others.
    """

    name: str
    writer: Callable[[Any], Any] | None
    answer: Callable[[Any], str] | None = None
    template: str | Path | None = None
    endings: tuple[str, ...] = ()
    template_ending: str = ""
    within: tuple[str, ...] = ()
    fenced: bool = False
    escaped: bool = False
    offered: bool = True
    paged: bool = False
    remark: str = ""
    place: int = 100


@cache
def _files() -> frozenset[str]:
    return plugins.modules_in(__path__)


def _own(name: str) -> OutputFormat:
    found: OutputFormat = importlib.import_module(f"{__name__}.{name}").FORMAT
    return found


@cache
def everything() -> dict[str, OutputFormat]:
    """Every format by its name, in the order in which they are told."""
    found = {each.name: each for each in sorted(
        map(_own, _files()), key=lambda f: (f.place, f.name))}
    endings = {end: each.name for each in found.values() for end in each.endings}

    def take(each: OutputFormat) -> None:
        if not isinstance(each, OutputFormat):
            raise ContractError(str(each), "is no OutputFormat", "format")
        for problem in problems(each):
            raise ContractError(each.name, problem, "format")
        if each.name in found:
            raise ContractError(each.name, "is the name of a known format", "format")
        for end in each.endings:
            if end in endings:
                raise ContractError(each.name, f"{end} is an ending of {endings[end]}", "format")
        found[each.name] = each
        endings.update(dict.fromkeys(each.endings, each.name))

    plugins.load("symparam.formats", take)
    return found


def problems(each: OutputFormat) -> Iterator[str]:
    """What is wrong with what a format says of itself."""
    untold = sorted(getattr(each.writer, "__abstractmethods__", ()))
    if untold:
        yield f"its writer has no {', '.join(untold)}"
    endings = each.endings if isinstance(each.endings, tuple) else (each.endings,)
    if endings != each.endings or not all(
            isinstance(end, str) and (not end or end.startswith(".")) for end in endings):
        yield (f"{', '.join(map(repr, endings))} is no ending, which begins with a point; give a "
               f"tuple, as (\".{each.name}\",)")


def find(name: str) -> OutputFormat:
    """A format of documents by its name.

    Raises:
        UnknownName: there is none, or it is one of data.

    >>> find("latex").endings, find("markdown").within
    (('.tex',), ('Markdown',))
    """
    found = _own(name) if name in _files() else everything().get(name)
    if found is None or found.writer is None:
        known = [each.name for each in everything().values() if each.writer is not None]
        raise UnknownName("format", name, known, remarks("symparam.formats").lstrip("; "))
    return found


def of_answer(name: str) -> Callable[[Any], str] | None:
    """What writes an answer in a format that is made of the answer itself; None for all others.

    >>> of_answer("latex"), of_answer("coq") is None
    (None, False)
    """
    found = _own(name) if name in _files() else everything().get(name)
    return None if found is None else found.answer


def is_own(name: str) -> bool:
    """Whether a format is one of the package's own.

    >>> is_own("latex"), is_own("rst")
    (True, False)
    """
    return name in _files()


def offered() -> list[str]:
    """The names that ``--format`` takes.

    >>> offered()[:4]
    ['text', 'markdown', 'mkdocs', 'latex']
    """
    return [each.name for each in everything().values() if each.offered]


def endings() -> dict[str, str]:
    """Endings of files with the formats that they say; those of the usual one stand last."""
    found = sorted(everything().values(), key=lambda each: each.name == DEFAULT)
    return {end: each.name for each in found for end in each.endings}


def template_endings() -> dict[str, str]:
    """What the names of templates end in before their own ending, with the formats of those."""
    found = (each for each in everything().values() if each.template_ending)
    return {each.template_ending: each.name for each in found}


def within(kind: str) -> tuple[str, ...]:
    """The formats that a marked block of a kind of document may have.

    >>> within("TeX")
    ('latex', 'macros')
    """
    return tuple(each.name for each in everything().values() if kind in each.within)
