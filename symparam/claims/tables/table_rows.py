"""From the rows of a table to models with claims, and to a review of them all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any

from symparam.claims.claim import Claim
from symparam.claims.consistency import Finding
from symparam.claims.judged import EXPLAINED, JudgedRow, Review, judged, review_rows
from symparam.claims.likely import called_after
from symparam.claims.tables.cells import CellTable, TableError
from symparam.claims.tables.columns import Column, Layout, layout
from symparam.claims.tables.published import NAMED, as_published, of_two, published
from symparam.claims.tables.said import Cells, Said
from symparam.claims.tables.taken import Taken, network_taken, plain_options, taken
from symparam.dataclass import dataclass
from symparam.descriptions import catalogue
from symparam.descriptions.load import build, load
from symparam.descriptions.options import Options, with_known
from symparam.dims import N_KV
from symparam.errors import MissingDims, SymparamError, UnknownName, short, some
from symparam.grammar import Rule
from symparam.model import Model
from symparam.resolve import with_overrides


@dataclass(frozen=True)
class Base:
    """What rows do not say themselves.

    Attributes:
        model: the architecture, and numbers for dims that a table has no column for; None for
            the plain decoder.
        options: changes to it.
        given: dims for all rows.
    """

    model: Model | None = None
    options: Options = field(default_factory=Options)
    given: Mapping[str, int | Rule] = field(default_factory=dict)


def review_table(table: CellTable, base: Base | None = None,
                 mapped: Mapping[str, str] | None = None,
                 most: int = EXPLAINED,
                 progress: Callable[[int, int], None] | None = None) -> Review:
    """Verdicts on every row of a table.

    Args:
        table: the table, as it was read.
        base: the architecture and dims of all rows.
        mapped: title of a column to what it is, where its title does not say it.
        most: of how many rows that are not true the changes that mend them are looked for.
        progress: told how many of how many rows are done.

    Raises:
        TableError: a cell, a row or the table cannot be understood; which one is said.
    """
    base = base or Base()
    found = layout(table, mapped, base.model.names if base.model else {})
    cells = Cells(found)
    reader, said = _Rows(cells, base), [cells.read(*row) for row in found.table.rows]
    rows: list[tuple[Model | None, JudgedRow]] = []
    for done, each in enumerate(said, 1):
        rows += reader.judged(each)
        if progress is not None and done % 1000 == 0:
            progress(done, len(said))
    known = [(model, row) for model, row in rows if model is not None]
    if rows and not known:
        first = rows[0][1]
        raise TableError(table.where, first.line, "",
                         f"{short(first.name, 40)}: {first.findings[0].what}")
    review = review_rows(table.where, table.where, known,
                         (*reader.remarks(), *_unclaimed(found, said)), most)
    judged = iter(review.rows)
    return replace(review, unread=found.ignored, rows=tuple(
        row if model is None else next(judged) for model, row in rows))


@dataclass
class _Rows:
    """The rows of one table, each architecture built once."""

    cells: Cells
    base: Base
    built: dict[Any, tuple[Model, Taken]] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)

    @property
    def found(self) -> Layout:
        """What the columns of the table are."""
        return self.cells.found

    def judged(self, said: Said) -> Iterator[tuple[Model | None, JudgedRow]]:
        """The claims of a row with their verdicts; of a model that nobody knows without one."""
        if not said.claims:
            return
        why = "" if self.base.model else of_two(said.name, {**self.base.given, **said.dims})
        try:
            model = None if why else self.model(said)
        except UnknownName as error:
            model, why = None, str(error)
        if model is None:
            for _, claim in said.claims:
                yield None, _incomplete(said, claim, [why])
            return
        for column, claim in said.claims:
            yield model, self._judged(model, column, claim, said)

    def _judged(self, model: Model, column: Column, claim: Claim, said: Said) -> JudgedRow:
        where = self.found.table.where
        missing = _needed(model, said.empty) if said.empty else []
        try:
            row = replace(judged(model, claim, said.name, said.line),
                          taken=self._taken(said) if claim.of_total else "")
            return self._filled(row, missing, said) if missing else row
        except MissingDims as error:
            if set(error.names) <= {c.key for c in missing} or not said.dims:
                return _incomplete(said, claim, self._needs(missing))
            raise TableError(where, said.line, "", f"{short(said.name, 40)}: needs a number for "
                             f"{', '.join(error.names)}: add a column, or "
                             + " ".join(f"{n}=..." for n in error.names)) from None
        except SymparamError as error:
            raise TableError(where, said.line, column.title,
                             f"{short(said.name, 40)}: {error}") from None

    def _filled(self, row: JudgedRow, missing: Iterable[Column], said: Said) -> JudgedRow:
        """The verdict on a row in which dims are missing: what stands for them is not its own."""
        if row.false:
            return _incomplete(said, row.claim, self._needs(missing))
        notes = (Finding("note", f"{self.cells.nothing(c)}; taken as {row.dims[c.key]}")
                 for c in missing if c.key in row.dims)
        return replace(row, findings=(*row.findings, *notes))

    def _needs(self, missing: Iterable[Column]) -> Iterator[str]:
        return (f"{self.cells.nothing(c)}, so that it cannot be counted" for c in missing)

    def model(self, said: Said) -> Model:
        """The model of a row.

        Raises:
            UnknownName: nothing but a name says which, and no published model has it. TableError:
                there is no such model.
        """
        named = None if self.found.of("dim") or self.base.model is not None else (
            _published_model(said.name))
        try:
            if named is not None:
                return build(named, self._options(said.options), dict(self.base.given))
            known = {**self.base.given, **said.dims}
            own = published(said.name, known) if self.base.model is None else None
            if own is not None:
                self.named[said.name] = own
                model = load(own)
                return build(model, self._options(said.options),
                             {name: n for name, n in known.items() if name in model.names})
            model, unsaid = self._architecture(said.options, said.dims)
            more = unsaid.of(known)
            self.told.update({name: words for name, (_, words) in more.items()})
            return with_overrides(model, {**known, **{k: value for k, (value, _) in more.items()}})
        except SymparamError as error:
            raise TableError(self.found.table.where, said.line, "",
                             f"{short(said.name, 40)}: {error}") from None

    def _taken(self, said: Said) -> str:
        """The network of a row of which nothing says which it has, and what the model that it is
        called after has."""
        told = "ffn" in {*self.base.options.given(), *said.options} or said.name in self.named
        if told or self.base.model is not None or not self.found.of("dim"):
            return ""
        return network_taken(said.name)

    def _architecture(self, options: dict[str, Any],
                      dims: dict[str, int]) -> tuple[Model, Taken]:
        """The architecture of rows with the same options and dims, and what else it takes."""
        grouped = N_KV.name in dims or N_KV.name in self.base.given
        key = (tuple(sorted(options.items(), key=str)), tuple(dims), grouped)
        if key not in self.built:
            chosen = self._options(options)
            if self.base.model is None and grouped and chosen.attention is None:
                chosen = self._options({**options, "attention": "gqa"})
            known = {**self.base.given, **dims}
            model = with_known(build(self.base.model, chosen, {}), known)
            self.built[key] = model, taken(model, self.base.model, known,
                                           [c.key for c in self.found.of("dim")])
        return self.built[key]

    def _options(self, own: dict[str, Any]) -> Options:
        return Options(**{**self.base.options.given(), **own})

    def remarks(self) -> Iterator[str]:
        """What the table does not say, and where it was taken from."""
        dims = {c.key for c in self.found.of("dim")}
        if self.found.turned:
            yield "the table has one model a column"
        if self.found.labels:
            yield "no column has sizes: the names of the rows are taken as what is claimed"
        if self.found.inner:
            yield f"{self.found.inner} is taken as d_ff, as another column is d_model"
        if self.found.table.commas and any("," in cells[c.place] for c in self.found.of("claim")
                                           for _, cells in self.found.table.rows):
            yield "a comma as in 0,162 is read as a decimal point: ';' stands between the cells"
        own = self.base.model
        said = {*self.base.options.given(), *(c.key for c in self.found.of("option"))}
        said |= {"attention"} if N_KV.name in {*self.base.given, *dims} else set()
        if self.named:
            yield as_published(self.named.items())
        if own is None and dims and self.built:
            others = "other rows" if self.named else "rows"
            yield (f"no MODEL is given: what {others} and options do not say is as in a plain "
                   f"decoder ({', '.join(plain_options(said))})")
        if own is not None:
            taken = [f"{k}={v}" for k, v in own.values.items()
                     if k not in {*dims, *self.base.given, *self.told}]
            yield f"the architecture is that of {own.name}" + (
                f", with its {' '.join(taken)}" if taken else "")
        yield from self.told.values()
        if self.base.given:
            yield "for all rows: " + " ".join(f"{k}={v}" for k, v in self.base.given.items())
        for column in self.found.columns:
            if column.by_cells:
                yield f"{column.title} is read as {column.key}, by what its cells say"
        for title in self.found.weightless:
            yield (f"{title} names functions between two matrices, which have no weights: it says "
                   "nothing of the kind of network")


def _published_model(name: str) -> Model:
    """A published model, for a table without dims; a name in a table is no path."""
    known = called_after(name)
    if known is None:
        raise UnknownName("model", name, catalogue.names(), "without columns of dims a row is "
                          "called after a published model (symparam models)")
    return load(known)


def _incomplete(said: Said, claim: Claim, why: Iterable[str]) -> JudgedRow:
    """A claim of a row that cannot be counted."""
    return JudgedRow(said.name, said.line, claim, None, "incomplete", None, dict(said.dims),
                     findings=tuple(Finding("note", each) for each in why))


def _needed(model: Model, columns: Iterable[Column]) -> list[Column]:
    """Those of some columns whose dims the model has, or a rule of it takes."""
    names = {*model.dims, *(name for eq in model.equations for name in eq.inputs)}
    return [c for c in columns if c.key in names]


def _unclaimed(found: Layout, said: Iterable[Said]) -> Iterator[str]:
    """Rows of which a column of claims says nothing."""
    listed = list(said)
    for column in found.of("claim"):
        names = [short(each.name, 40) for each in listed
                 if all(own is not column for own, _ in each.claims)]
        if names:
            yield (f"not checked, as {short(column.title, 40)} says nothing of them: "
                   + some(names, NAMED))
