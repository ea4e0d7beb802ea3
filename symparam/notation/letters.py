r"""The letters of a user's notation: a closed grammar, from which LaTeX is written anew.

::

    letter  = core scripts
    core    = LATIN | GREEK | FONT "{" words "}"
    scripts = ["_" script] ["^" script] | "^" script "_" script
    script  = LATIN | DIGIT | GREEK | "{" (LATIN | DIGIT | GREEK | FONT "{" words "}" | SIGN)+ "}"

FONT is one of ``\text \mathrm \mathit \mathtt \mathbf \mathsf``; words are letters, digits, spaces
and ``, . - + / * \_``. Nothing that is read is handed on: no other command can be in what is
written, whatever a file holds.
"""

from __future__ import annotations

import re

from symparam.errors import ParseError, short

MAX_LENGTH = 60

GREEK: dict[str, str] = dict(zip((
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell"
    ).split(), "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩℓ", strict=True))
FONTS = ("text", "mathrm", "mathit", "mathtt", "mathbf", "mathsf")
_SIGNS = ",+-*/"
_COMMAND = re.compile(r"\\[A-Za-z]+$")
_TOKEN = re.compile(r"\\[A-Za-z]+|\\_|\s+|[A-Za-z0-9,.+\-*/_^{}]", re.ASCII)


def letter(text: str) -> tuple[str, str]:
    r"""A letter of a notation in LaTeX and in plain text.

    Args:
        text: LaTeX of the grammar above.

    Returns:
        The LaTeX, in braces where it has something above it, and the same in plain text.

    Raises:
        ParseError: anything else, with the place.

    >>> letter(r"h_{\text{ffn}}")
    ('h_{\\text{ffn}}', 'h_ffn')
    >>> letter(r"\mathtt{hidden\_size}"), letter(r"\lambda^*")
    (('\\mathtt{hidden\\_size}', 'hidden_size'), ('{\\lambda^{*}}', 'λ^*'))
    """
    reader = _Reader(text)
    core, plain = reader.core()
    below, above = reader.scripts()
    reader.end()
    latex = core + "".join(f"{mark}{{{script[0]}}}" for mark, script in (("_", below), ("^", above))
                           if script)
    plain += "".join(mark + script[1] for mark, script in (("_", below), ("^", above)) if script)
    return (f"{{{latex}}}" if above else latex), plain


class _Reader:
    """Reads a letter once, from left to right; every method returns LaTeX and plain text."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        if len(text) > MAX_LENGTH:
            raise ParseError(text, MAX_LENGTH, f"longer than {MAX_LENGTH} characters")

    def fail(self, problem: str, at: int | None = None) -> ParseError:
        return ParseError(self.text, self.at if at is None else at, problem)

    def peek(self) -> str:
        match = _TOKEN.match(self.text, self.at)
        if match:
            return match[0]
        if self.at < len(self.text):
            raise self.fail(f"{self.text[self.at]!r} cannot stand in a letter")
        return ""

    def take(self) -> str:
        token = self.peek()
        self.at += len(token)
        return token

    def core(self) -> tuple[str, str]:
        start, token = self.at, self.take()
        if token.startswith("\\"):
            return self.command(token, start)
        if not token.isalpha():
            raise self.fail("a letter begins with a letter: h, \\lambda, \\text{ffn}", start)
        if self.peek().isalnum():
            raise self.fail("several letters are a product: for a word, write "
                            f"\\mathit{{{short(self.text, 60)}}}, or h_1")
        return token, token

    def command(self, token: str, start: int) -> tuple[str, str]:
        name = token[1:]
        if name in GREEK:
            return token, GREEK[name]
        if name in FONTS:
            words = self.words()
            return f"{token}{{{words}}}", words.replace("\\_", "_")
        raise self.fail(f"{token!r} is no Greek letter and no font "
                        f"({', '.join(f'{chr(92)}{font}' for font in FONTS)})", start)

    def words(self) -> str:
        """What stands between the braces of a font."""
        if self.take() != "{":
            raise self.fail("a font is followed by words in braces")
        found = ""
        while (token := self.take()) != "}":
            if not token:
                raise self.fail("a brace is not closed")
            if token in "_^{" or (token[0] == "\\" and token != "\\_"):
                raise self.fail(f"{token!r} cannot stand among words; an underscore is \\_",
                                self.at - len(token))
            found += " " if token.isspace() else token
        if not found.strip():
            raise self.fail("there are no words in the braces")
        return found

    def scripts(self) -> tuple[tuple[str, str] | None, tuple[str, str] | None]:
        """What stands below and above."""
        found: dict[str, tuple[str, str]] = {}
        while (mark := self.peek()) in {"_", "^"}:
            if mark in found:
                raise self.fail(f"a second {mark!r}: one script below and one above")
            self.take()
            found[mark] = self.script()
        return found.get("_"), found.get("^")

    def script(self) -> tuple[str, str]:
        if self.peek() != "{":
            return self.piece()
        self.take()
        latex, plain = "", ""
        while (token := self.peek()) != "}":
            if not token:
                raise self.fail("a brace is not closed")
            if token.isspace():
                self.take()
                continue
            piece = self.piece()
            apart = " " if _COMMAND.search(latex) and piece[0][0].isalpha() else ""
            latex, plain = latex + apart + piece[0], plain + piece[1]
        self.take()
        if not latex:
            raise self.fail("there is nothing in the braces")
        return latex, plain

    def piece(self) -> tuple[str, str]:
        start, token = self.at, self.take()
        if token.startswith("\\") and token != "\\_":
            return self.command(token, start)
        if token.isalnum() or (token and token in _SIGNS):
            return token, token
        raise self.fail("a script is a letter, a digit, or several in braces", start)

    def end(self) -> None:
        if self.at < len(self.text):
            raise self.fail(f"{self.peek()!r} is left over")
