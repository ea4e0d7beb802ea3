"""Does a format write all of a document, whatever its words hold?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from symparam import expression as ex
from symparam.constraints import Equation
from symparam.errors import SymparamError
from symparam.formats import OutputFormat, problems
from symparam.notation.notation import PRESETS
from symparam.templating.render import written
from symparam.testing.agreement import refuse
from symparam.writers.document import (
    Beside,
    Block,
    Braced,
    Code,
    Column,
    Display,
    Document,
    Equality,
    Heading,
    Items,
    Label,
    Math,
    Named,
    Paragraph,
    Rules,
    Settings,
    Source,
    Strong,
    Table,
)

#: Characters that are markup somewhere, and two that are for no reader.
MARKUP = "\\ { } $ & # ^ _ ~ % < > | * ` [ ] ( ) ! \" ' @ = + - . : ; /"
UNREADABLE = "\x1b\x07"


def assert_format(form: OutputFormat, *, whole: bool = True) -> None:
    """Assert what is asked of a format of answers.

    What it says of itself can be taken: a name, endings that begin with a point, a writer that has
    every piece. In every notation it writes a document that has each kind of block and of words,
    formulas in the titles of sections and columns too, the same twice; nothing is lost and the
    order is kept: titles, words that stand out, typed ones, items, cells, the numbers in formulas.
    Words that are markup somewhere lose none of their letters, and no control character comes
    through. What is markup in the format itself only its writer can say: none of its ``special``
    characters stands bare in words, in words that stand out or in a cell. Of one that names none,
    escaping is not looked at.

    Args:
        form: which one; one of data, which has no writer, is held to what it says of itself.
        whole: whether it writes whole documents, and not their numbers or formulas alone.

    Raises:
        AssertionError: it does not hold; the message says what.

    >>> from symparam.formats import find
    >>> assert_format(find("typst"))
    """
    refuse(f"format {form.name}", _problems(form, whole))


def _problems(form: OutputFormat, whole: bool) -> Iterator[str]:
    yield from problems(form)
    if form.writer is None:
        return
    for name, notation in PRESETS.items():
        yield from _bare(form.writer(notation))
        for document, words in _documents():
            try:
                text, again = (written(form, document, notation) for _ in range(2))
            except SymparamError as error:
                yield f"{document.title}, notation {name}: {error}"
                continue
            except Exception as error:  # whatever a package outside raises
                yield f"{document.title}, notation {name}: {type(error).__name__}: {error}"
                continue
            if text != again:
                yield f"{document.title}, notation {name}: written twice, it is not the same"
            if set(text) & set(UNREADABLE):
                yield f"{document.title}: control characters come through"
            if whole:
                yield from _lost(document.title, text, words)


def _bare(writer: Any) -> Iterator[str]:
    """The characters of a format's markup that come through its writer as they are."""
    special = getattr(writer, "special", "")
    for where in ("text", "strong", "cell") if special else ():
        write = getattr(writer, where)
        found = "".join(c for c in special if f"before{c}behind" in write(f"before{c}behind"))
        if found:
            yield f"{found}: its markup, and written bare by its {where}"


def _lost(title: str, text: str, words: list[str]) -> Iterator[str]:
    """The first of some words that is not in a text behind those before it."""
    letters, place = re.sub(r"[^0-9A-Za-z]", "", text), 0
    for word in words:
        found = letters.find(word, place)
        if found < 0:
            yield f"{title}: {word} is lost" + ", or out of its order" * (word in letters)
            return
        place = found + len(word)


def _documents() -> Iterator[tuple[Document, list[str]]]:
    """Documents with every piece, each with its words in their order."""
    for sample in ("everything", "markup"):
        words: list[str] = []

        def word(what: str, words: list[str] = words, sample: str = sample) -> str:
            words.append(f"{what}Here{len(words)}")
            return words[-1] if sample == "everything" else (
                f"{words[-1]} {MARKUP}{UNREADABLE} {MARKUP.replace(' ', '')}")

        yield Document(sample, tuple(_blocks(word, words)), (Named(
            "gpt2", "P", 124439808, "the number of parameters"),)), words


def _blocks(word: Callable[[str], str], words: list[str]) -> Iterator[Block]:
    """Every kind of block, with every kind of words in it."""
    def typed(value: int) -> int:
        words.append(str(value))
        return value

    def number(value: int) -> ex.Expr:
        return ex.Num(typed(value)) * ex.Sym("d_model")

    yield Heading((word("heading"),))
    yield Heading((word("second"), " ", Math(number(737)), " ", Strong(word("standing"))), 3)
    yield Paragraph((word("plain"), " ", Strong(word("strong")), " ", Code(word("code")), " ",
                     Math(number(739)), ", ", Math(ex.Sym("P"), "=", number(741)), ", ",
                     Label(("W_Q", "W_up")), word("end")))
    yield Paragraph((Source(word("source")), " ", Beside(word("beside")), ": ",
                     Settings.of({"L": typed(733)}), ", ",
                     Rules.of([Equation("d_head", ex.Quotient(ex.Sym("d_model"), number(734)),
                                        "heads split the width")])))
    yield Items(((word("item"),), (Strong(word("other")), " ", Math(number(743)))))
    yield Display((Equality(ex.Sym("P"), (("=", (Braced(number(751), ("W_Q",)),
                                                 Braced(number(757)))),)),))
    for total in (False, True):
        columns = (Column(word("title")), Column((Math(number(759)), word("size")), "right"))
        yield Table(columns, tuple((word("cell"), (Math(number(760 + i)), word("beside")))
                                   for i in range(3)), total=total)
    yield Table((Column(Math(number(767))), Column(Math(number(769)), "right")),
                ((Strong(word("strong")), Code(word("code"))),))
