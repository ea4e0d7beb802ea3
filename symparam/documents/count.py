"""A count as a document. Nothing here needs SymPy or Jinja2."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from symparam.documents.common.foundation import resting
from symparam.documents.common.named_numbers import count_named
from symparam.model import Model
from symparam.notation.numbers import grouped, percent, short
from symparam.parts import in_words
from symparam.quantities import counts
from symparam.quantities.parameters import CountRow
from symparam.writers.document import (
    Block,
    Cell,
    Code,
    Column,
    Document,
    Items,
    Label,
    Paragraph,
    Rules,
    Settings,
    Source,
    Table,
    spans,
)

if TYPE_CHECKING:
    from symparam.documents.count_data import CountResult


def count_document(result: CountResult, tensors: bool) -> Document:
    """The count as a tree with shares, or as the list of tensors."""
    blocks: list[Block] = [_tensor_table(result)] if tensors else _trees(result)
    blocks = [*_parts(result), *blocks, *_conventions(result)]
    blocks += _remarks(result)
    title = (f"{result.model.name} · {grouped(result.total)} parameters ({short(result.total)})"
             f" · {_counted(result)}")
    named = count_named(result.model, result.ledger, result.resolution.values)
    return resting(Document(title, tuple(blocks), named), result.model)


def _counted(result: CountResult) -> str:
    if result.model.trace is not None:
        part = "" if result.model.part == "all" else f"{result.model.part} · "
        return f"{part}traced from {result.model.trace.target}"
    heads = [slot.component for _, slot in result.model.slots() if slot.component.slot == "head"]
    head = "no head" if not heads else (
        "tied head" if getattr(heads[0], "tied", False) else "untied head")
    return head if result.model.part == "all" else f"{head} · {result.model.part}"


def _parts(result: CountResult) -> list[Block]:
    """The parts of a model that is made of several, each with its number."""
    rows = tuple((part.replace("_", " "), grouped(numel), percent(numel, result.total))
                 for part, numel in result.parts.items())
    columns = (Column("part"), Column("parameters", "right"), Column("share", "right"))
    total = ("total", grouped(result.total), "100.0 %")
    return [Table(columns, (*rows, total), total=True)] if rows else []


def _trees(result: CountResult) -> list[Block]:
    """The components with their shares; of a model that is made of several, a table for each."""
    of = {stack.name: stack.part for stack in result.model.stacks}
    if not result.parts:
        return [_tree(result, result.rows, "component", result.total)]
    rows = {part: [row for row in result.rows if of[row.path.rpartition(".")[0]] == part]
            for part in result.parts}
    return [_tree(result, rows[part], in_words(part), numel)
            for part, numel in result.parts.items()]


def _tree(result: CountResult, listed: Iterable[CountRow], title: str, sums_to: int) -> Table:
    """Components with their shares of the model, and what they sum to."""
    total = result.total
    rows: list[tuple[Cell, ...]] = []
    repeated = {stack.name for stack in result.model.stacks if stack.repeat}
    for stack, inside in _stacks(listed):
        if stack in repeated:
            numel = sum(row.numel for row in inside)
            kind = " ".join(words(stack)).replace("_", " ")
            copies = inside[0].copies
            rows.append((f"{copies} × {f'{kind} ' if kind else ''}block", "", grouped(numel),
                         percent(numel, total)))
        for i, row in enumerate(inside):
            branch = "└─ " if i == len(inside) - 1 else "├─ "
            lead = branch if stack in repeated else ""
            rows.append((lead + row_title(result.model, row), _matrices(row), grouped(row.numel),
                         percent(row.numel, total)))
    rows.append(("total", "", grouped(sums_to), percent(sums_to, total)))
    columns = (Column(title), Column("matrices"), Column("parameters", "right"),
               Column("share", "right"))
    return Table(columns, tuple(rows), total=True)


def words(stack: str) -> list[str]:
    """What tells a repeated stack from others: ``layers[dense]`` dense, ``encoder`` encoder."""
    name, _, kind = stack.rstrip("]").partition("[")
    return [word for word in (name.removeprefix("layers"), kind) if word]


def _stacks(rows: Iterable[CountRow]) -> list[tuple[str, list[CountRow]]]:
    found: dict[str, list[CountRow]] = {}
    for row in rows:
        found.setdefault(row.path.rpartition(".")[0], []).append(row)
    return list(found.items())


def row_title(model: Model, row: CountRow) -> str:
    """A row's name with the kind of its component: ``feed-forward (SwiGLU)``."""
    stack, _, slot = row.path.rpartition(".")
    here = model.standing[row.path]
    kind = here[0].title
    if slot == "norms":
        return f"norms ({kind} × {len(here)})"
    if slot == "norm":
        return f"{stack.replace('_', ' ').removesuffix(' norm')} norm ({kind})"
    if slot == "ffn":
        return f"feed-forward ({kind})"
    if slot == "attention":
        return "attention"
    return kind


_SMALL = {"bias": "biases", "gain": "gains"}


def _matrices(row: CountRow) -> Cell:
    """The matrices by their own names, biases beside weights in one word; a tied one says so."""
    own = [m for m in row.matrices if not m.tied_to]
    has_weights = any(m.role not in _SMALL for m in own)
    shown = [m for m in own if not (has_weights and m.role in _SMALL)]
    names = tuple(dict.fromkeys(_word(m.name) for m in shown))
    small = "".join(f", {word}" for word in dict.fromkeys(
        _SMALL[m.role] for m in own if m not in shown))
    if len(own) < len(row.matrices):
        return "tied, counted above" + ("; its own: bias" if own else "")
    return (Label(names), small) if names else small.removeprefix(", ")


def _word(name: str) -> str:
    head, _, rest = name.partition("_")
    return rest if head == "W" and len(rest) > 1 and not rest.isupper() else name


def _tensor_table(result: CountResult) -> Table:
    rows = [(Code(t.name), "×".join(map(str, t.shape)), grouped(t.copies), grouped(t.numel))
            for t in result.tensors]
    rows.append((f"{grouped(sum(t.copies for t in result.tensors))} tensors", "", "",
                 grouped(result.total)))  # type: ignore[arg-type]
    columns = (Column("tensor"), Column("shape"), Column("copies", "right"),
               Column("parameters", "right"))
    return Table(columns, tuple(rows), total=True)


def _conventions(result: CountResult) -> list[Block]:
    """Counts under other conventions, where they differ from the total; equal ones together."""
    found = counts.values(result.ledger)
    less = _distinct({name: int(found[name]) for name in counts.LESS if name in found})
    names: dict[int, list[str]] = {}
    for name in counts.OTHERWISE:
        if name in found and found[name] != result.total and (
                name not in counts.LESS or name in less):
            names.setdefault(int(found[name]), []).append(counts.label(name))
    if not names:
        return []
    rows = tuple((", or ".join(words), grouped(value)) for value, words in names.items())
    return [Table((Column("counted otherwise"), Column("parameters", "right")), rows)]


def _distinct(counts: dict[str, int]) -> dict[str, int]:
    """Each convention less than the one before it; an equal one differs in nothing here."""
    found: dict[str, int] = {}
    for name, value in counts.items():
        if value not in found.values():
            found[name] = value
    return found


def _remarks(result: CountResult) -> list[Block]:
    model, r = result.model, result.resolution
    remarks: list[tuple[Any, ...]] = []
    remarks.append(spans("dims: ", Settings.of({name: r.values[name] for name in model.dims})))
    if r.rules:
        remarks.append(spans("by rule: ", Rules.of(r.rules.values())))
    if model.defaulted:
        remarks.append(spans("not in the configuration, so the family's defaults: ",
                             Code("; ".join(model.defaulted))))
    remarks += [spans(f"left out: {words}") for words in model.left_out]
    if result.base is not None:
        old, new = result.base.values, r.values
        moved = [f"{k} {old[k]} → {new[k]}" for k in model.dims if k in old and old[k] != new[k]]
        if moved:
            stayed = [k for k in model.dims if k in old and old[k] == new[k]]
            remarks.append(spans(f"changed: {', '.join(moved)}; stayed: {', '.join(stayed)}"))
    if model.claim:
        remarks.append(spans(f"the source prints: {model.claim}"))
    if model.note:
        remarks.append(spans(model.note))
    if model.source:
        remarks.append(spans("source: ", Source(model.source)))
    return [Items(tuple(remarks))] if remarks else [Paragraph(())]
