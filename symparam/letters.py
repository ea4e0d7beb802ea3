r"""Letters: what a dim or a matrix is written with, as values; LaTeX is read here and nowhere else.

An author gives a letter as LaTeX, in a notation or beside a dim. A closed grammar reads it once::

    letter  = core scripts
    core    = LATIN | GREEK | FONT "{" words "}" | ACCENT core | ACCENT "{" core "}"
    scripts = ["_" script] ["^" script] | "^" script "_" script
    script  = LATIN | DIGIT | GREEK | "{" (LATIN | DIGIT+ | core | SIGN)+ "}"

FONT is one of ``\text \mathrm \mathit \mathtt \mathbf \mathsf``, ACCENT one of
``\hat \bar \tilde \dot \vec``; words are letters, digits, spaces and ``, . - + / * \_``. Each
format writes the value anew: no other command can be in what is written, whatever a file holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from symparam.dataclass import dataclass
from symparam.errors import ParseError, short

MAX_LENGTH = 60

#: Commands of letters, with the character that LaTeX shows.
GREEK: dict[str, str] = dict(zip(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell "
    "varepsilon vartheta varphi".split(), "αβγδϵζηθικλμνξπρστυϕχψωΓΔΘΛΞΠΣΥΦΨΩℓεϑφ", strict=True))
FONTS = ("text", "mathrm", "mathit", "mathtt", "mathbf", "mathsf")
#: Accents, with the character that combines with the one before it.
ACCENTS = {"hat": "\u0302", "bar": "\u0304", "tilde": "\u0303", "dot": "\u0307", "vec": "\u20d7"}
SIGNS = ",+-*/"
#: In plain text the two that LaTeX draws otherwise are the usual letters.
_USUAL = str.maketrans("ϵϕ", "εφ")
_TOKEN = re.compile(r"\\[A-Za-z]+|\\[_ ]|\s+|[A-Za-z0-9,.+\-*/_^{}]", re.ASCII)


@dataclass(frozen=True)
class Letter:
    """A letter, or words that stand for one, with what stands below and above it.

    Attributes:
        base: a character as it is seen (``d``, ``λ``, ``1``, ``+``), or words.
        font: of :data:`FONTS`, for words; empty for a character of formulas.
        below, above: what stands there, in order.
        accent: of :data:`ACCENTS`, over the base.

    >>> str(Letter("d", below=(Letter("model", "text"),)))
    'd_model'
    """

    base: str
    font: str = ""
    below: tuple[Letter, ...] = ()
    above: tuple[Letter, ...] = ()
    accent: str = ""

    def __str__(self) -> str:
        """The letter in plain text."""
        scripts = (mark + "".join(map(str, script)) for mark, script in (
            ("_", self.below), ("^", self.above)) if script)
        return self.base.translate(_USUAL) + ACCENTS.get(self.accent, "") + "".join(scripts)

    def with_words(self, *words: str) -> Letter:
        """The letter with words below it, behind those that stand there.

        >>> str(read(r"d_{\\text{model}}").with_words("vision")), str(read("V").with_words("a_b"))
        ('d_model,vision', 'V_a b')
        """
        more = ",".join(word.replace("_", " ") for word in words)
        match self.below:
            case _ if not more:
                return self
            case (*before, Letter(base=base, font="text")):
                return replace(self, below=(*before, Letter(f"{base},{more}", "text")))
            case ():
                return replace(self, below=(Letter(more, "text"),))
        return replace(self, below=(*self.below, Letter(","), Letter(more, "text")))


def spelled(name: str) -> Letter:
    """A name of somebody's own as a letter: what stands behind its first word below that.

    >>> str(spelled("L_sparse")), spelled("frogs")
    ('L_sparse', Letter(base='frogs', font='mathit', below=(), above=(), accent=''))
    """
    stem, _, rest = name.partition("_")
    letter = Letter(stem, "" if len(stem) == 1 else "mathit")
    if rest.isascii() and rest.isdigit():
        return replace(letter, below=(Letter(rest),))
    return letter.with_words(*filter(None, [rest]))


def of_matrix(name: str) -> Letter:
    """A matrix's name as a letter: one letter with what follows below it, else upright words.

    >>> [str(of_matrix(name)) for name in ("W_Q", "gate", "in_proj")]
    ['W_Q', 'gate', 'in_proj']
    """
    stem, mark, rest = name.partition("_")
    if len(stem) != 1 or not (stem.isascii() and stem.isalnum()) or (mark and not rest):
        return Letter(name, "text")
    plain = len(rest) == 1 and rest.isascii() and rest.isalpha()
    return Letter(stem, below=(Letter(rest, "" if plain else "text"),) if rest else ())


@lru_cache(maxsize=1024)
def read(text: str) -> Letter:
    r"""A letter from the LaTeX that its author gave.

    Args:
        text: LaTeX of the grammar above.

    Raises:
        ParseError: anything else, with the place.

    >>> print(read(r"h_{\text{ffn}}"), read(r"\mathtt{hidden\_size}"), read(r"\lambda^*"))
    h_ffn hidden_size λ^*
    """
    reader = _Reader(text)
    core = reader.core()
    scripts = reader.scripts()
    reader.end()
    return replace(core, below=scripts.get("_", ()), above=scripts.get("^", ()))


class _Reader:
    """Reads a letter once, from left to right."""

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

    def core(self) -> Letter:
        start, token = self.at, self.take()
        if token.startswith("\\"):
            return self.command(token, start)
        if not token.isalpha():
            raise self.fail("a letter begins with a letter: h, \\lambda, \\text{ffn}", start)
        if self.peek().isalnum():
            raise self.fail("several letters are a product: for a word, write "
                            f"\\mathit{{{short(self.text, 60)}}}, or h_1")
        return Letter(token)

    def command(self, token: str, start: int) -> Letter:
        name = token[1:]
        if name in GREEK:
            return Letter(GREEK[name])
        if name in FONTS:
            return Letter(self.words(), name)
        if name in ACCENTS:
            return self.accented(name, start)
        raise self.fail(f"{token!r} is no Greek letter and no font "
                        f"({', '.join(f'{chr(92)}{font}' for font in FONTS)})", start)

    def accented(self, accent: str, start: int) -> Letter:
        """What an accent stands over: one letter, in braces or not."""
        braced = self.peek() == "{"
        if braced:
            self.take()
        core = self.core()
        if core.accent or (braced and self.take() != "}"):
            raise self.fail("an accent stands over one letter", start)
        return replace(core, accent=accent)

    def words(self) -> str:
        """What stands between the braces of a font."""
        if self.take() != "{":
            raise self.fail("a font is followed by words in braces")
        found = ""
        while (token := self.take()) != "}":
            if not token:
                raise self.fail("a brace is not closed")
            if token in "_^{" or (token[0] == "\\" and token[1:].isalpha()):
                raise self.fail(f"{token!r} cannot stand among words; an underscore is \\_",
                                self.at - len(token))
            found += " " if token.isspace() else token.removeprefix("\\")
        if not found.strip():
            raise self.fail("there are no words in the braces")
        return found

    def scripts(self) -> dict[str, tuple[Letter, ...]]:
        """What stands below and above, by the mark before it."""
        found: dict[str, tuple[Letter, ...]] = {}
        while (mark := self.peek()) in {"_", "^"}:
            if mark in found:
                raise self.fail(f"a second {mark!r}: one script below and one above")
            self.take()
            found[mark] = tuple(self.script())
        return found

    def script(self) -> Iterator[Letter]:
        if self.peek() != "{":
            yield self.piece()
            return
        self.take()
        start = self.at
        while (token := self.peek()) != "}":
            if not token:
                raise self.fail("a brace is not closed")
            if token.isspace():
                self.take()
            else:
                yield self.number() if token.isdigit() else self.piece()
        if not self.text[start:self.at].strip():
            raise self.fail("there is nothing in the braces")
        self.take()

    def number(self) -> Letter:
        """Digits that stand together."""
        found = ""
        while self.peek().isdigit():
            found += self.take()
        return Letter(found)

    def piece(self) -> Letter:
        start, token = self.at, self.take()
        if token.startswith("\\") and token[1:].isalpha():
            return self.command(token, start)
        if token.isalnum() or (token and token in SIGNS):
            return Letter(token)
        raise self.fail("a script is a letter, a digit, or several in braces", start)

    def end(self) -> None:
        if self.at < len(self.text):
            raise self.fail(f"{self.peek()!r} is left over")
