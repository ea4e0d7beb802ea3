"""What would make claims true, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from symparam.claims.along import Found
from symparam.claims.changes import Mend
from symparam.claims.judged import JudgedRow, Review
from symparam.claims.shared import Shared
from symparam.errors import short as brief
from symparam.errors import some, the
from symparam.notation.numbers import exact_number, grouped, several, short
from symparam.writers.document import Block, Code, Items, Math, Paragraph, Span, Strong, spans

#: How many changes are shown of a row.
MENDS = 5
#: Numbers from here on are shown in short, and names behind so many letters; JSON has them whole.
SHOWN, LETTERS = 10**18, 40
#: How many rows are named that rest on the same.
NAMED = 5


def name_of(row: JudgedRow) -> str:
    return brief(row.name, LETTERS)


def number(value: object) -> str:
    """A number; one that is not whole with six places, and less where that is exact."""
    from fractions import Fraction

    from symparam.arithmetic import decimal

    if isinstance(value, int):
        return exact_number(value) if abs(value) < SHOWN else short(value).replace("-", "−")
    number = Fraction(str(value)) if not isinstance(value, Fraction) else value
    text = decimal(number, 6)
    return (text.rstrip("0").rstrip(".") or "0").replace("-", "−")


def signed(value: object) -> str:
    text = number(value)
    return text if text.startswith("−") or value == 0 else f"+{text}"


def alike(rows: Iterable[JudgedRow]) -> list[list[JudgedRow]]:
    """The rows, those of which the same is said together."""
    found: dict[object, list[JudgedRow]] = {}
    for row in rows:
        key = (row.claim, row.computed, row.taken, row.findings, row.mends, row.explained)
        found.setdefault(key, []).append(row)
    return list(found.values())


def explanation(review: Review, rows: list[JudgedRow]) -> Iterator[Block]:
    row, one = rows[0], len(rows) == 1
    names = some(dict.fromkeys(map(name_of, rows)), NAMED)
    if row.verdict == "impossible":
        yield Paragraph(spans(Strong(names), f" {'says' if one else 'say'} numbers that no model "
                              "has:"))
        yield Items(tuple(spans(f.what) for f in row.findings if f.level == "error"))
    else:
        yield Paragraph(spans(Strong(names), f" {'says' if one else 'say'} "
                              f"{row.claim.printed.text}; counted "
                              f"{number(row.computed)}{' ' + row.taken if row.taken else ''}."))
    lines = [spans(f"printed as {row.reads} it would be right")] if row.reads else []
    lines += [mend_spans(review, mend) for mend in row.mends[:MENDS]]
    if len(row.mends) > MENDS:
        lines.append(spans(f"and {several(len(row.mends) - MENDS, 'less likely change')}"))
    if not row.mends and row.explained:
        lines.append(spans("no single way to count, option or dim makes it true"))
    lines += _residual(row)
    if lines:
        yield Items(tuple(lines))


def mend_spans(review: Review, mend: Mend) -> tuple[Span, ...]:
    """A change in words, with what it would be."""
    tail = " (this row alone)" if review.alone(mend) else ""
    if mend.kind != "dim":
        return spans(f"{mend.what}: ", Code(mend.option), f" counts {grouped(mend.total)}, "
                     f"{mend.verdict}{tail}")
    found = the(Found, mend.found)
    name = mend.dim
    old = f" in place of {mend.old}" if mend.old is not None else ""
    if found.low == found.high:
        why = f" ({mend.usual[0].why})" if mend.usual else ""
        return spans(Code(f"{name}={found.nearest}"), f"{old}{why}: {grouped(mend.total)}, "
                     f"{mend.verdict}{tail}")
    several_values = f"one of {len(found.scattered)} numbers from" if found.scattered else "from"
    said: list[Span] = [Code(name), f" {several_values} {found.low} to {found.high}{old}"]
    if mend.usual:
        said.append(": ")
        for i, each in enumerate(mend.usual):
            said += ["; " if i else "", Code(str(each.value)), f" ({each.why})"]
    said.append(f"; nearest: {found.nearest}, {short(mend.total)}{tail}")
    return tuple(said)


def _residual(row: JudgedRow) -> list[tuple[Span, ...]]:
    """What the difference is made of."""
    residual = row.residual
    if residual is None:
        return []
    if not residual.closed:
        return [spans(f"the difference, {signed(residual.residual)}, is no sum of up to four "
                      "named terms")]
    said: list[Span] = [f"the difference, {signed(residual.residual)}, is "]
    for i, term in enumerate(residual.terms):
        sign = "−" if term.numel < 0 else "+" if i else ""
        said += [f" {sign} " if i else sign, Math(term.formula), f" ({term.name}, "
                 f"{signed(term.numel)})"]
    return [tuple(said)]


def worth(each: Shared) -> bool:
    return each.kind == "dim" or len(each.rows) > 1


def shared_spans(each: Shared, all_of: str) -> tuple[Span, ...]:
    if each.kind != "dim":
        whom = all_of if each.mends_all else ", ".join(brief(n, LETTERS) for n in each.rows)
        return spans(Code(each.what), f" mends {whom}")
    if each.mends_all and each.low is not None:
        number = f"{each.low}" if each.low == each.high else f"from {each.low} to {each.high}"
        return spans(Code(each.what), f" {number} mends {all_of}")
    best = f"mends {brief(each.rows[0], LETTERS)} alone" if len(each.rows) == 1 else (
        f"mends {len(each.rows)} of them ({', '.join(brief(n, LETTERS) for n in each.rows)})")
    return spans(Code(each.what), f": no number of it mends {all_of}; at best one {best}")
