r"""How wide LaTeX is once it is set: the metrics of Computer Modern, and TeX's spaces.

What is measured is what a format of LaTeX wrote itself: letters, spaces and the few commands that
it knows. Kerns and ligatures, which make a line shorter, are left out. Widths are in points at 11
points of type, the size of most two-column classes; other sizes are a factor (:data:`EM`).
Checked against pdflatex (tests/test_metrics.py). Widths: Knuth, Computer Modern Typefaces, as
in the files cmr10.tfm and cmmi10.tfm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from symparam.dataclass import dataclass

#: The size of type, and a centimetre, in points of TeX.
EM = 10.95
CENTIMETRE = 72.27 / 2.54

#: Thousandths of the size of type, with the characters that are so wide: upright, and slanted
#: as formulas have them (with what leans over).
_UPRIGHT = {278: " !',.:;[]`il", 306: "fj", 333: "-", 361: "I", 389: "()t", 392: "r", 394: "s",
            444: "cez", 472: "?", 500: '"$*/0123456789ago', 514: "J", 528: "kqvxy",
            556: "Sbdhnpu", 611: "Z", 625: "L", 653: "F", 681: "EP", 708: "B", 722: "CTw",
            736: "R", 750: "AHNUVXY", 764: "D", 778: "&+=@KOQ<>", 785: "G", 833: "#%m",
            917: "M", 1028: "W"}
_SLANTED = {318: "l", 345: "i", 361: "t", 429: "b", 433: "c", 466: "e", 469: "js", 479: "r",
            482: "q", 485: "o", 503: "p", 509: "z", 513: "g", 518: "I", 520: "d", 521: "v",
            526: "y", 529: "a", 552: "k", 572: "ux", 576: "h", 597: "f", 600: "n", 651: "J",
            671: "S", 681: "L", 723: "T", 743: "w", 750: "A", 754: "Z", 767: "R", 781: "P",
            782: "F", 786: "CG", 791: "OQ", 796: "EU", 803: "Y", 806: "V", 809: "B", 856: "D",
            878: "m", 907: "X", 912: "HN", 921: "K", 1079: "MW",
            500: "0123456789./", 278: ",;:'!", 389: "()[]", 778: "+=-<>", 1000: "|"}
#: A typewriter's letters, and what bold ones are wider by.
_TYPED, _BOLD = 525, 1.16
#: What a script is smaller by; small letters are drawn wider.
_SCRIPT = 0.8
#: Signs between two sides and between two terms, and commands that are a letter or a space.
_RELATIONS = {r"\approx": 778, r"\le": 778, r"\ge": 778, r"\ne": 778, r"\to": 1000, "=": 778,
              "<": 778, ">": 778}
_BINARY = {"+": 778, "-": 778, r"\cdot": 278, r"\times": 778}
_SPACES = {r"\,": 167, r"\;": 278, r"\ ": 333, r"\quad": 1000, r"\qquad": 2000, "~": 333}
_WORDS = {r"\min": 1667, r"\max": 1945, r"\ln": 834, r"\partial": 586, r"\Delta": 833,
          r"\dots": 1172, r"\textbackslash": 500, r"\textasciicircum": 500,
          r"\textasciitilde": 500, r"\textless": 778, r"\textgreater": 778, r"\textbar": 278,
          r"\%": 833, r"\_": 350, r"\{": 500, r"\}": 500, r"\$": 500, r"\&": 778, r"\#": 833,
          r"\bigl": 70, r"\bigr": 70, r"\left": 200, r"\right": 200, r"\lceil": 444,
          r"\rceil": 444, r"\lfloor": 444, r"\rfloor": 444, r"\Gamma": 764}
#: Commands that change how their argument is set, and those that show it as it is.
_FONTS = {r"\text", r"\mathrm", r"\mathit", r"\mathbf", r"\mathsf", r"\operatorname", r"\textbf",
          r"\mathtt", r"\texttt"}
_NOTHING = {r"\allowbreak", r"\raggedright", r"\displaystyle", r"\small", r"\nobreak"}
_GREEK = 630  # more than most of its letters
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)


def _each(table: Mapping[int, str]) -> dict[str, int]:
    return {letter: width for width, letters in table.items() for letter in letters}


_ROMAN, _ITALIC = _each(_UPRIGHT), _each(_SLANTED)


@lru_cache(maxsize=2**15)
def math_width(latex: str, display: bool = True) -> float:
    r"""The width of a formula in points.

    Args:
        latex: without dollars; marks of alignment in it take no room.
        display: whether it is displayed, so that fractions are in full size.

    >>> round(math_width(r"12 \, L \, d_{\text{model}}^{2}"))
    51
    """
    return sum(piece.width for piece in _Formula(latex, display).pieces())


@lru_cache(maxsize=2**15)
def text_pieces(latex: str) -> tuple[tuple[float, float], ...]:
    r"""What stands between two places where a line of running text may end.

    Returns:
        the width of each piece in points, and that of the space behind it which goes where the
        line ends there.

    >>> [(round(a), round(b)) for a, b in text_pieces(r"of $d \, \penalty900 h$")]
    [(9, 4), (8, 0), (6, 0)]
    """
    found, width = list[tuple[float, float]](), 0.0
    for piece in _Text(latex).pieces():
        if piece.breaks and not piece.kept:
            found.append((width, piece.width))
            width = 0.0
            continue
        width += piece.width
        if piece.breaks:
            found.append((width, 0.0))
            width = 0.0
    return (*found, (width, 0.0))


def text_width(latex: str) -> float:
    """The width in points of running text on one line."""
    return sum(width + space for width, space in text_pieces(latex))


@dataclass(frozen=True)
class _Set:
    """Something that is set: its width, and whether a line of text may end behind it (or in it,
    where it is not kept)."""

    width: float
    breaks: bool = False
    kept: bool = True


class _Reader:
    """Tokens of LaTeX, and the arguments of its commands."""

    def __init__(self, latex: str) -> None:
        self.tokens = _TOKEN.findall(latex)
        self.at = 0

    def next(self) -> str:
        """The next token; nothing at the end."""
        self.at += 1
        return self.tokens[self.at - 1] if self.at <= len(self.tokens) else ""

    def argument(self) -> str:
        """What stands in the braces that come next, or the next token."""
        token = self.next()
        while token == " ":
            token = self.next()
        if token != "{":
            return token
        depth, found = 1, list[str]()
        while depth and self.at < len(self.tokens):
            token = self.next()
            depth += (token == "{") - (token == "}")
            found.append(token)
        return "".join(found[:-1])


class _Text(_Reader):
    """Running text, whose lines end at spaces, and in formulas behind signs."""

    def __init__(self, latex: str, scale: float = 1, typed: bool = False) -> None:
        super().__init__(latex)
        self.scale, self.typed = scale * EM / 1000, typed

    def pieces(self) -> Iterator[_Set]:
        """What is set, in order."""
        while token := self.next():
            if token == "$":
                yield from self._formula()
            elif token == " ":
                yield _Set((_TYPED if self.typed else 334) * self.scale, True, False)
            elif token == r"\textbf":
                yield from _Text(self.argument(), self.scale * 1000 / EM * _BOLD).pieces()
            elif token == r"\mbox":
                yield _Set(sum(each.width for each in _Text(
                    self.argument(), self.scale * 1000 / EM, self.typed).pieces()))
            elif token == r"\texttt":
                yield from _Text(self.argument(), self.scale * 1000 / EM, True).pieces()
            elif token not in "{}":
                yield _Set(self._token(token), token == r"\allowbreak" or (
                    token == "-" and not self.typed))

    def _token(self, token: str) -> float:
        if token in _NOTHING:
            return 0.0
        if self.typed:
            return _TYPED * self.scale
        known = _ROMAN.get(token) or _SPACES.get(token) or _WORDS.get(token)
        return (known or (500 if not token.startswith("\\") else 600)) * self.scale

    def _formula(self) -> Iterator[_Set]:
        inner = list[str]()
        while (token := self.next()) not in {"$", ""}:
            inner.append(token)
        yield from _Formula("".join(inner), False).pieces()


class _Formula(_Reader):
    """A formula, with the spaces that TeX puts around signs."""

    def __init__(self, latex: str, display: bool, scale: float = 1) -> None:
        super().__init__(latex)
        self.display, self.own, self.scale = display, scale, scale * EM / 1000
        self.script = scale < 1

    def pieces(self) -> Iterator[_Set]:
        """What is set, in order."""
        before = False  # whether something stands there that a sign can join
        while token := self.next():
            if token in " &{}":
                before = before or token == "{"
            elif token in _RELATIONS:
                yield _Set((_RELATIONS[token] + (0 if self.script else 556)) * self.scale, True)
                before = False
            elif token in _BINARY:
                around = 444 if before and not self.script else 0
                yield _Set((_BINARY[token] + around) * self.scale, before)
                before = False
            elif token in {r"\allowbreak", r"\penalty"}:
                while self.at < len(self.tokens) and self.tokens[self.at].isdigit():
                    self.next()
                yield _Set(0, True)
            elif token in _SPACES:
                yield _Set(_SPACES[token] * self.scale)
            else:
                yield _Set(self._atom(token))
                before = before or token not in {"(", r"\bigl", r"\left"}

    def _atom(self, token: str) -> float:
        if token in "_^":
            return self._scripts(token)
        if token in {r"\frac", r"\tfrac"}:
            smaller = token == r"\tfrac" or not self.display
            return self._stacked(_SCRIPT if smaller else 1, 240)
        if token == r"\sqrt":
            return 833 * self.scale + self._inside(self.argument())
        if token == r"\underbrace":
            return self._braced()
        if token == r"\rlap":
            self.argument()
            return 0.0
        if token in _FONTS:
            return self._word(token, self.argument())
        return self._letter(token) * self.scale

    def _letter(self, token: str) -> float:
        if token in _NOTHING:
            return 0
        if not token.startswith("\\"):
            return _ITALIC.get(token, 500)
        return _WORDS.get(token, _GREEK)

    def _word(self, command: str, words: str) -> float:
        scale = self.own * (_BOLD if command in {r"\mathbf", r"\textbf"} else 1)
        typed = command in {r"\mathtt", r"\texttt"}
        return sum(piece.width for piece in _Text(words, scale, typed).pieces())

    def _inside(self, latex: str, factor: float = 1) -> float:
        inner = _Formula(latex, self.display and factor == 1, self.own * factor)
        return sum(piece.width for piece in inner.pieces())

    def _scripts(self, token: str) -> float:
        """What stands below and above: the wider of both, and a little space."""
        widths = [self._inside(self.argument(), _SCRIPT)]
        after = self.tokens[self.at] if self.at < len(self.tokens) else ""
        if after in {"_", "^"} and after != token:
            self.next()
            widths.append(self._inside(self.argument(), _SCRIPT))
        return max(widths) + 0.5

    def _stacked(self, factor: float, around: int) -> float:
        widths = [self._inside(self.argument(), factor) for _ in range(2)]
        return max(widths) + around * self.scale

    def _braced(self) -> float:
        """A brace with names below it."""
        inside = self._inside(self.argument())
        self.next()
        rows = self.argument().removeprefix(r"\substack{").split(r"\\")
        return max(inside, *(self._inside(row, _SCRIPT) for row in rows))
