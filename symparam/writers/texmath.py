"""The LaTeX of a symbol as MathML: letters, scripts, words and accents; no macros, no layout."""

from __future__ import annotations

import re
from collections.abc import Iterable

from markupsafe import Markup, escape

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+|\s+|.", re.DOTALL)

_GREEK = dict(zip(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split(),
    "αβγδϵζηθικλμνξπρστυϕχψωΓΔΘΛΞΠΣΥΦΨΩ", strict=True))
_LETTERS = {**_GREEK, "ell": "ℓ", "hbar": "ℏ", "varepsilon": "ε", "vartheta": "ϑ", "varphi": "φ",
            "partial": "∂", "infty": "∞"}
_MARKS = {"prime": "′", "star": "⋆", "ast": "∗", "cdot": "⋅", "times": "×", "dagger": "†"}
_ACCENTS = {"hat": "^", "bar": "¯", "tilde": "~", "dot": "˙", "vec": "→"}
#: Words in an upright or a special type; the class is one of the page's style sheet.
_WORDS = {"text": "", "mathrm": "", "textrm": "", "operatorname": "", "mathit": "it",
          "textit": "it", "mathtt": "tt", "texttt": "tt", "mathbf": "bf", "textbf": "bf",
          "mathsf": "sf", "textsf": "sf"}
_SPACES = {" ", ",", ";", ":", "~", "quad", "thinspace"}
_ESCAPED = set("_&%#${}")

#: Braces, scripts and accents in one another; no symbol that somebody reads is as deep.
MAX_DEPTH = 40


class _Unknown(Exception):
    """Something in the LaTeX is not known here."""


def element(tag: str, inside: str, **attributes: str) -> Markup:
    """An element; what is not markup already is escaped.

    >>> print(element("mi", "<"), element("mi", "d", **{"class": "it"}))
    <mi>&lt;</mi> <mi class="it">d</mi>
    """
    shown = Markup("").join(Markup(' {}="{}"').format(k, v) for k, v in attributes.items())
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), shown, inside)


#: The sign is drawn raised already: as a superscript it is brought down, and away from its letter.
_PRIME = element("mpadded", element("mo", "′", **{"class": "prime"}), voffset="-0.3em",
                 height="0.3em", lspace="0.1em")


def row(parts: Iterable[str]) -> Markup:
    """Several elements as one."""
    found = list(parts)
    return escape(found[0]) if len(found) == 1 else element("mrow", Markup("").join(found))


def symbol(latex: str, plain: str) -> Markup:
    r"""A symbol that is written so in LaTeX as one MathML element.

    Args:
        latex: as a notation writes it.
        plain: what stands for it where the LaTeX holds something that is not known here.

    >>> print(symbol(r"d_{\text{ff}}", "d_ff"))
    <msub><mi>d</mi><mi>ff</mi></msub>
    >>> print(symbol(r"\input{secret}", "a<b"))
    <mi>a&lt;b</mi>
    """
    try:
        return _Reader(latex).all()
    except _Unknown:
        return _word(plain)


class _Reader:
    """Reads LaTeX once, from left to right."""

    def __init__(self, latex: str) -> None:
        self.tokens = _TOKEN.findall(latex)
        self.at = self.depth = 0

    def all(self) -> Markup:
        """Everything, as one element."""
        found = self._several("")
        if not found:
            raise _Unknown
        return row(found)

    def _peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        if not token:
            raise _Unknown
        self.at += 1
        return str(token)

    def _several(self, end: str) -> list[Markup]:
        """Elements up to a token, which is read as well."""
        found: list[Markup] = []
        while self._peek() != end:
            if self._peek().isspace():
                self.at += 1
                continue
            found.append(self._scripted())
        self.at += bool(end)
        return found

    def _scripted(self) -> Markup:
        """An atom with what stands below and above it."""
        base, below, above = self._atom(), list[Markup](), list[Markup]()
        while self._peek() in {"_", "^", "'"}:
            mark = self._next()
            script = _PRIME if mark == "'" else self._atom()
            where = below if mark == "_" else above
            if where and mark != "'":
                raise _Unknown
            where.append(script)
        parts = [base, *(row(p) for p in (below, above) if p)]
        tag = "msubsup" if below and above else "msub" if below else "msup"
        return element(tag, Markup("").join(parts)) if len(parts) > 1 else base

    def _atom(self) -> Markup:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _Unknown
        found = self._read(self._next())
        self.depth -= 1
        return found

    def _read(self, token: str) -> Markup:
        if token == "{":
            return row(self._several("}"))
        if token.startswith("\\"):
            return self._command(token[1:])
        if token.isalpha():
            return element("mi", token)
        if token.isdigit():
            return element("mn", token)
        if token in "+-*/,.()|!":
            return element("mo", token.replace("-", "−"))
        raise _Unknown

    def _command(self, name: str) -> Markup:
        if name in _LETTERS:
            upright = {"mathvariant": "normal"} if name[0].isupper() else {}
            return element("mi", _LETTERS[name], **upright)
        if name in _MARKS:
            return element("mo", _MARKS[name])
        if name in _WORDS:
            return _word(self._words(), _WORDS[name])
        if name in _ACCENTS:
            return element("mover", self._atom() + element("mo", _ACCENTS[name]), accent="true")
        if name in _SPACES:
            return element("mspace", "", width="0.3em")
        if name in _ESCAPED:
            return _word(name)
        raise _Unknown

    def _words(self) -> str:
        """The text between braces."""
        if self._next() != "{":
            raise _Unknown
        found = ""
        while (token := self._next()) != "}":
            if token[0] == "\\":
                if token[1:] not in _ESCAPED | {" "}:
                    raise _Unknown
                token = token[1:]
            elif token in "{^$~":
                raise _Unknown
            found += token
        return found


def _word(text: str, kind: str = "") -> Markup:
    """Words are identifiers: as MathML's text they would count as space, and lose that around
    an operator between them. One letter is slanted unless it is told not to be."""
    look = {"class": kind} if kind else {}
    if len(text) == 1 and kind != "it":
        look["mathvariant"] = "normal"
    return element("mi", text, **look)
