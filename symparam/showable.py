"""Text from outside as each medium can show it: nothing in it acts, and all of it can be seen.

A name in a file of somebody else's may hold characters that move a terminal's cursor or turn the
direction of writing, that make a spreadsheet compute, or that XML cannot hold.
"""

from __future__ import annotations

import decimal
import json
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

#: What is seen of no text and may change how the rest is: controls, marks of direction, halves of
#: pairs, tags.
_HIDDEN = re.compile("[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
                     "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]")

#: What leaves nothing on paper though it counts as a letter, a mark or a sign: fillers, selectors.
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
                    "\U000e0100-\U000e01ef]")

#: How a cell begins that a spreadsheet takes for a formula (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@")

#: What Mermaid would read as something else, as it has to be written in a label.
_ENTITIES = {"#": "#35;", "&": "#amp;", '"': "#quot;", "<": "#lt;", ">": "#gt;", ";": "#59;",
             "%": "#37;", "`": "#96;"}

#: What LaTeX would read as something else, as it has to be written in a text.
_TEX = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&",
        "#": r"\#", "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
        "|": r"\textbar{}", '"': "''", "[": "{[}",  # (a bracket after \item is an option)
        "├": r"\quad{}", "└": r"\quad{}", "─": ""}
_TEX_MATH = {"·": r"$\cdot$", "×": r"$\times$", "−": "$-$", "≈": r"$\approx$",
             "∂": r"$\partial$", "√": r"$\sqrt{\ }$", "≤": r"$\le$",
             "≥": r"$\ge$", "—": "---", "–": "--", "…": r"\dots{}", "→": r"$\to$"}
#: Raised figures, and what they are in a formula; runs of them, and of others.
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_LOWERED = str.maketrans(RAISED, "0123456789")
_RUNS = re.compile(f"[{RAISED}]+|[^{RAISED}]+")
#: Accents that the oldest font encoding has: grave, acute, circumflex, tilde, macron, dots,
#: ring, double acute, caron, cedilla.
_TEX_ACCENTS = frozenset("\u0300\u0301\u0302\u0303\u0304\u0307\u0308\u030a\u030b\u030c\u0327")


def clean(text: str) -> str:
    """A text of a document or a picture: what cannot be printed is a space.

    >>> clean("a" + chr(27) + "[31m" + chr(0x202e) + "b")
    'a [31m b'
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def cleaned(data: Any) -> Any:
    """Data of JSON with every text of it as :func:`clean` has it; ends of lines stay.

    >>> cleaned({"model": "a" + chr(27) + "[31m", "rows": [1, "b" + chr(10) + "c"]})
    {'model': 'a [31m', 'rows': [1, 'b\\nc']}
    """
    match data:
        case str():
            return "\n".join(map(clean, data.split("\n")))
        case dict():
            return {cleaned(key): cleaned(value) for key, value in data.items()}
        case list() | tuple():
            return [cleaned(each) for each in data]
    return data


def line(text: str) -> str:
    r"""A line of a message: what cannot be printed is written as Python escapes it.

    >>> print(line("a" + chr(27) + "[31m" + chr(0x202e) + "b"))
    a\x1b[31m\u202eb
    """
    return text if text.isprintable() else "".join(
        c if c.isprintable() else repr(c)[1:-1] for c in text)


def visible(name: str) -> str:
    r"""A name that nobody has to read as it should be, so that all of it is seen: what cannot be
    printed as Python escapes it, in quotes where it is empty or a blank might be overlooked.

    >>> print(visible("h.0.w"), visible(""), visible(" a  b"), visible(chr(1) + chr(0x3164)))
    h.0.w '' ' a  b' \x01\u3164
    """
    shown = _BLANK.sub(lambda found: ascii(found[0])[1:-1], line(name))
    return shown if shown and " ".join(shown.split()) == shown else f"'{shown}'"


def cell(text: str, marks: str = ',"\n\r') -> str:
    """A text as a cell of a CSV file; one that would be a formula has an apostrophe in front.

    >>> cell("=1+1"), cell("a,b"), cell("gpt2"), cell("-")
    ("'=1+1", '"a,b"', 'gpt2', '-')
    """
    shown = clean(text)
    if len(shown) > 1 and shown.lstrip().startswith(_FORMULA):
        shown = f"'{shown}"
    return '"' + shown.replace('"', '""') + '"' if set(shown) & set(marks) else shown


def csv_number(value: Fraction) -> str:
    """A fraction as a cell of a CSV file, which readers take for a number: exact where it ends
    within 20 digits, which are more than a double keeps; else rounded to as many.

    >>> csv_number(Fraction(486093, 4)), csv_number(Fraction(-1, 3)), csv_number(Fraction(4))
    ('121523.25', '-0.33333333333333333333', '4')
    """
    context = decimal.Context(prec=max(20, len(str(abs(value.numerator) // value.denominator))))
    found = context.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))
    text = f"{found:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Rows as comma-separated values: texts as :func:`cell` has them, whole numbers as they are,
    fractions as :func:`csv_number` has them, nothing for None.

    >>> csv_text([["model", "x"], ["=a", -5], ["b", None]])
    "model,x\\n'=a,-5\\nb,\\n"
    """
    return "".join(",".join(
        cell(each) if isinstance(each, str) else "" if each is None else
        csv_number(each) if isinstance(each, Fraction) else str(each)
        for each in row) + "\n" for row in rows)


def mermaid(text: str) -> str:
    """A text as a label or a title of Mermaid.

    >>> mermaid('a "b" %%{init}%%')
    'a #quot;b#quot; #37;#37;{init}#37;#37;'
    """
    return "".join(_ENTITIES.get(letter, letter) for letter in clean(text))


def tex(text: str) -> str:
    r"""Any text as LaTeX text: nothing in it is a command.

    >>> print(tex(r"$\input{../secret}$ 50% _"), tex("7·10²⁰"))
    \$\textbackslash{}input\{../secret\}\$ 50\% \_ 7$\cdot$10$^{20}$
    """
    table = {**_TEX, **_TEX_MATH}
    parts = text.split("--")  # which would be set as a dash
    return "-{}-".join("".join(
        rf"$^{{{run.translate(_LOWERED)}}}$" if run[0] in RAISED else
        "".join(table[c] if c in table else _tex_character(c) for c in run)
        for run in _RUNS.findall(part)) for part in parts)


def _tex_character(c: str) -> str:
    """A character as it stands if every LaTeX can set it, else its code point."""
    if c.isascii() and c.isprintable():
        return c
    import unicodedata

    parts = unicodedata.normalize("NFD", c)
    plain = ord(parts[0]) < 128 and ord(c) < 0x180 and _TEX_ACCENTS.issuperset(parts[1:])
    if c.isprintable() and plain:
        return c
    return " " if c.isspace() or not c.isprintable() else rf"\texttt{{U+{ord(c):04X}}}"


def json_text(data: Any, indent: int | None = 2) -> str:
    r"""JSON that can be printed: the same data, what is not seen escaped.

    >>> print(json_text(["é" + chr(0x9b) + chr(0x202e)], None))
    ["é\u009b\u202e"]
    """
    return escaped(json.dumps(data, indent=indent, ensure_ascii=False))


def escaped(text: str) -> str:
    """JSON with what is not seen escaped; it can stand nowhere but inside a string."""
    return _HIDDEN.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
