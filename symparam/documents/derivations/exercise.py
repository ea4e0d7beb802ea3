"""A derivation as an exercise: its questions on one sheet, their answers on another.

Both come from the sections of the same derivation, so that they are numbered alike, every question
has its answer, and no step is left unasked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symparam import expression as ex
from symparam.constraints import Equation
from symparam.dataclass import dataclass
from symparam.derivation.parts import Part
from symparam.derivation.plan import Derivation
from symparam.derivation.step import Step, matrix_names
from symparam.documents.common.foundation import resting
from symparam.documents.common.view import View
from symparam.documents.derivations.about import of_model, of_quantity
from symparam.documents.derivations.document import Section, numbered, sections
from symparam.documents.derivations.tables import as_used, relation
from symparam.errors import BadValue, the
from symparam.notation.notation import PRESETS, Notation
from symparam.writers.document import (
    Block,
    Cell,
    Column,
    Document,
    Heading,
    Items,
    Label,
    Math,
    Paragraph,
    Span,
    Table,
    spans,
)
from symparam.writers.text import TextFormat

SHEETS = ("questions", "answers")

#: What each kind of section is called while its answer is not known.
_TITLES = {
    "take-apart": "Take the model apart",
    "join": "Multiply out and join equal terms", "sum": "Put the parts together",
    "front": "Put in front what all terms share",
    "collect": "Collect powers of the width", "leading": "Keep the leading term",
    "dropped": "What the leading term leaves out", "numbers": "Put the numbers in",
    "conventions": "What else is called the number of parameters"}


@dataclass(frozen=True)
class Task:
    """A question and its answer.

    Attributes:
        kind: the kind of the section that it is made of.
        question: what is asked, under a title that gives nothing away.
        answer: what the derivation says there.
    """

    kind: str
    question: Section
    answer: Section


def tasks(d: Derivation) -> tuple[Task, ...]:
    """A derivation's questions with their answers, in order.

    The symbols are given, not asked for; the check by another way stands with the numbers.
    """
    found = [section for section in sections(d) if section.kind not in {
        "symbols", "check", "counted"}]
    check = tuple(b for section in sections(d) if section.kind == "check" for b in section.blocks)
    return tuple(Task(section.kind, _question(section, d), _answer(section, check))
                 for section in found)


def exercise_document(d: Derivation, sheet: str = "questions") -> Document:
    """One sheet of the exercise.

    Args:
        d: the derivation.
        sheet: ``questions`` or ``answers``.

    Raises:
        BadValue: another sheet than these two.

    >>> from symparam.derivation.plan import derive
    >>> from symparam.descriptions.decoder import plain_decoder
    >>> d = derive(plain_decoder())
    >>> exercise_document(d).title
    'decoder: how many parameters? An exercise'
    """
    if sheet not in SHEETS:
        raise BadValue("sheet", sheet, f"expected {' or '.join(SHEETS)}")
    found = tasks(d)
    asked = "how many parameters?" if d.of_parameters else f"{d.quantity.title}."
    if sheet == "answers":
        return resting(Document(f"{d.model.name}: {asked} The answers",
                                tuple(numbered(task.answer for task in found))), d.model)
    return resting(Document(f"{d.model.name}: {asked} An exercise",
                            (*_given(d), *numbered(task.question for task in found))), d.model)


def _given(d: Derivation) -> Iterator[Block]:
    """What is to be known beforehand: the parts by name, and what the symbols mean."""
    yield Heading(spans("Given"))
    yield from of_model(d) if d.of_parameters else [of_quantity(d)]
    yield Table((Column("symbol"), Column(f"{d.quantity.unit} of"), Column("kind")), tuple(
        (Math(ex.Sym(part.symbol)), f"{part.title}{', in one block' if part.repeated else ''}",
         ", ".join(_kinds(part, d))) for part in d.parts))
    values = d.resolution.values
    rows: list[tuple[Cell, ...]] = []
    for name in d.symbols():
        here = (f"{values[name]:,}" if name in values else "",) if values else ()
        rows.append((Math(ex.Sym(name)), d.model.describe(name).meaning, *here))
    columns = (Column("symbol"), Column("meaning"), *([Column("here", "right")] if values else ()))
    yield Table(columns, tuple(rows), role="notation")


def _kinds(part: Part, d: Derivation) -> Iterator[str]:
    """What a part is made of, as the sources of its components call it."""
    places = {path.rpartition(".")[0] for path in part.paths}
    titles = (as_used(slot.component, d).title for stack, slot in d.model.slots()
              if f"{stack.name}.{slot.path}" in places)
    yield from dict.fromkeys(titles)


def _answer(section: Section, check: tuple[Block, ...]) -> Section:
    """A section as it stands, the numbers with the check behind them."""
    if section.kind != "numbers":
        return section
    return Section(section.kind, section.title, (*section.blocks, *check), section.step)


def _question(section: Section, d: Derivation) -> Section:
    step, kind = section.step, section.kind
    if step is None or step.given is None:
        title: tuple[Span, ...] = spans(_TITLES[kind]) if kind in _TITLES else section.title
    else:
        title = spans("Given ", relation(step.given))
    return Section(kind, title, tuple(_asked(section, d)))


def _asked(section: Section, d: Derivation) -> Iterator[Block]:
    """What is asked in place of what a section says."""
    step = section.step
    if section.kind == "matrices":
        yield Paragraph(spans(
            "What does each entry add, in each layer?" if d.quantity.at_work else
            "Which shape has each matrix, and how many copies of it are there?"))
        yield _blank_matrices(d)
    elif section.kind == "join":
        yield Paragraph(spans("Multiply rows by columns and take equal terms together; name the "
                              "matrices that a term comes from. What is"))
        yield Items(tuple(spans(Math(ex.Sym(part.symbol)), "?") for part in d.parts))
    elif section.kind == "conventions":
        yield Paragraph(spans("By what formula is each of these counted"
                              + (", and how many are they?" if d.numbers else "?")))
        yield Items(tuple(spans(c.title) for c in d.conventions))
    elif step is not None and step.given is not None:
        yield Paragraph(_assumed(section, d))
    else:
        yield Paragraph(_words(section, d))


def _assumed(section: Section, d: Derivation) -> tuple[Span, ...]:
    """What an equation is used for, and whether this model meets it."""
    step = the(Step, section.step)
    given = the(Equation, step.given)
    why = "" if step.why in {"assumed", "as given"} else f"{step.why[0].upper()}{step.why[1:]}. "
    nearly = (spans("This model meets it only nearly: ", Math(ex.Sym(given.dim)),
                    f" is {d.resolution.values[given.dim]:,}. By how much? ")
              if step.holds_here == "nearly" else ())
    words = "What is ", Math(ex.Sym(step.subject)), " now?"
    return tuple(part for part in (why, *nearly, *words) if part)


def _words(section: Section, d: Derivation) -> tuple[Span, ...]:
    p, kind = Math(ex.Sym(d.symbol)), section.kind
    if kind == "take-apart":
        return spans("Write ", p, " as a sum of the parts, each as often as it is stored.")
    if kind == "sum":
        return spans("Put what the parts are in their places. What is ", p, " in dims alone?")
    if kind == "front":
        return spans("What do all terms share? Put it in front.")
    if kind == "collect":
        return spans("Collect the terms by powers of ", Math(ex.Sym("d_model")),
                     ". What kind of weight does each come from?")
    if kind == "leading":
        return spans("Only the highest power of ", Math(ex.Sym(str(d.leading))),
                     " is kept. What is ", p, " nearly?")
    if kind == "dropped":
        sized = (f" How many {d.quantity.unit} is each, and which share of the whole?"
                 if d.numbers else "")
        return spans(f"What is left out, and where does it come from?{sized}")
    return spans("Put the numbers in. What is ", p, "? By which other way can it be checked?")


def _blank_matrices(d: Derivation) -> Table:
    """The table of matrices, shapes and copies left to be filled in."""
    rows = [(part.title if i == 0 else "", Label(matrix_names([path])), "……………", "……")
            for part in d.parts for i, path in enumerate(part.paths)]
    titles = ("component", "entry", d.quantity.unit, "layers") if d.quantity.at_work else (
        "part", "matrix", "shape", "copies")
    return Table(tuple(map(Column, titles)), tuple(rows))


def exercise_json(d: Derivation, sheet: str = "questions",
                  notation: Notation = PRESETS["paper"]) -> dict[str, Any]:
    """One sheet as data: questions in words; answers in words and as formulas of the grammar."""
    out, values = TextFormat(notation), d.resolution.values
    rows = []
    for number, task in enumerate(tasks(d), 1):
        shown = task.question if sheet == "questions" else task.answer
        row: dict[str, Any] = {
            "number": number, "kind": task.kind, "title": out.spans(shown.title),
            "text": "\n\n".join(out.block(block) for block in shown.blocks)}
        if sheet == "answers":
            row["formulas"] = _formulas(task.answer, d)
        rows.append(row)
    return {"model": d.model.name, "sheet": sheet,
            "symbols": {name: {"meaning": d.model.describe(name).meaning, "value": values.get(name)}
                        for name in d.symbols()},
            "parts": {part.symbol: part.title for part in d.parts}, "tasks": rows}


def _formulas(section: Section, d: Derivation) -> list[dict[str, str]]:
    """The lines that an answer ends in."""
    steps = [step for step in d.steps if step.rule == "join"] if section.kind == "join" else (
        [section.step] if section.step is not None else [])
    return [{"subject": step.subject, "relation": step.relation, "formula": str(step.after.expr)}
            for step in steps]


class ExerciseView(View):
    """One sheet of an exercise, in every format; in a notebook it shows itself."""

    def __init__(self, derivation: Derivation, notation: Notation,
                 sheet: str = "questions") -> None:
        self.derivation, self.notation, self.sheet = derivation, notation, sheet

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The questions with their answers."""
        return tasks(self.derivation)

    def answers(self) -> ExerciseView:
        """The other sheet: the answers, numbered as the questions are."""
        return ExerciseView(self.derivation, self.notation, "answers")

    def document(self) -> Document:
        """The sheet as a document."""
        return exercise_document(self.derivation, self.sheet)

    def json(self) -> dict[str, Any]:
        """The sheet as data."""
        return exercise_json(self.derivation, self.sheet, self.notation)

    def __repr__(self) -> str:
        return f"<{self.sheet} of an exercise on {self.derivation.model.name}>"
