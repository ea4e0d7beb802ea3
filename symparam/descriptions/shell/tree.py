"""The commands of a shell script, from its words.

Source: POSIX.1-2017, Shell Command Language, 2.9 and 2.10; ``[[``, ``((``, ``function`` of bash.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from symparam.descriptions.shell.lexer import Lexer, Token

_REDIRECTS = frozenset({"<", ">", ">>", "&>", "&>>", ">&", "<&", "<<<"})
_DEEPEST = 30


class Simple(NamedTuple):
    """Words that are handed over; arrays and settings among them."""

    line: int
    words: tuple[Token, ...]


class Test(NamedTuple):
    """What stands between ``[[`` and ``]]``."""

    line: int
    words: tuple[Token, ...]


class Sum(NamedTuple):
    """What stands between ``((`` and ``))``."""

    line: int
    text: str


class Chain(NamedTuple):
    """Commands with ``&&``, ``||`` or ``;`` in front of each."""

    line: int
    items: tuple[tuple[str, Command], ...]


class Not(NamedTuple):
    """A command behind ``!``."""

    line: int
    inner: Command


class Pipe(NamedTuple):
    """Commands of which one reads what the other writes: each in a shell of its own."""

    line: int
    items: tuple[Command, ...]


class If(NamedTuple):
    """A condition, what follows it, and what follows else."""

    line: int
    condition: Command
    body: Command
    other: Command | None


class Case(NamedTuple):
    """A word, and bodies by their patterns."""

    line: int
    word: Token
    branches: tuple[tuple[tuple[Token, ...], Command], ...]


class Loop(NamedTuple):
    """A body that runs for each word, or while a condition holds (no name)."""

    line: int
    name: str
    words: tuple[Token, ...]
    body: Command


class Group(NamedTuple):
    """Commands in parentheses, whose settings end with them."""

    line: int
    inner: Command


class Function(NamedTuple):
    """A body with a name."""

    line: int
    name: str
    body: Command


Command: TypeAlias = ("Simple | Test | Sum | Chain | Not | Pipe | If | Case | Loop | Group | "
                      "Function")


def parse(text: str, line: int = 1, depth: int = 0) -> Command:
    """The commands of a text.

    Raises:
        ValueError: what is wrong, with its line.
    """
    parser = _Parser(Lexer(text, line, depth).tokens())
    found = parser.chain(())
    if parser.at < len(parser.tokens):
        raise ValueError(f"line {parser.line}: {parser.tokens[parser.at].text[:20]!r} in a place "
                         "where no command is")
    return found


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens, self.at, self.depth = tokens, 0, 0

    @property
    def line(self) -> int:
        return self.tokens[min(self.at, len(self.tokens) - 1)].line if self.tokens else 1

    def sign(self, *texts: str) -> bool:
        """Whether a sign stands here; it is passed then."""
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "sign" and (
                self.tokens[self.at].text in texts):
            self.at += 1
            return True
        return False

    def peek(self) -> str:
        """The plain word that stands here, or empty."""
        return self.tokens[self.at].plain() if self.at < len(self.tokens) else ""

    def word(self, *texts: str) -> bool:
        """Whether a plain word stands here; it is passed then."""
        if self.peek() in texts:
            self.at += 1
            return True
        return False

    def need(self, text: str) -> None:
        """Pass a word or a sign that has to stand here."""
        while self.sign("\n"):
            pass
        if not (self.word(text) or self.sign(text)):
            raise ValueError(f"line {self.line}: {text!r} is missing")

    def chain(self, ends: tuple[str, ...]) -> Command:
        """Commands up to a word or sign that ends them."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ValueError(f"line {self.line}: nested deeper than {_DEEPEST}")
        items: list[tuple[str, Command]] = []
        line, before = self.line, ";"
        while True:
            while self.sign("\n", ";", "&"):
                before = before if before in {"&&", "||"} else ";"
            if self.at >= len(self.tokens) or self.peek() in ends or (
                    self.tokens[self.at].kind == "sign" and self.tokens[self.at].text in ends):
                break
            items.append((before, self.pipe()))
            before = "&&" if self.sign("&&") else "||" if self.sign("||") else ";"
            if before == ";" and not self.sign("\n", ";", "&"):
                break
        self.depth -= 1
        return Chain(line, tuple(items))

    def pipe(self) -> Command:
        line = self.line
        if self.word("!"):
            return Not(line, self.pipe())
        self.word("time")
        items = [self.command()]
        while self.sign("|", "|&"):
            while self.sign("\n"):
                pass
            items.append(self.command())
        return items[0] if len(items) == 1 else Pipe(line, tuple(items))

    def command(self) -> Command:
        line, word = self.line, self.peek()
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "sum":
            self.at += 1
            return self._behind(Sum(line, self.tokens[self.at - 1].text))
        for name, reader in (("if", self._if), ("case", self._case), ("for", self._for),
                             ("select", self._for), ("while", self._while),
                             ("until", self._while), ("function", self._function),
                             ("[[", self._test), ("{", self._braces)):
            if word == name:
                self.at += 1
                return self._behind(reader(line))
        if self.sign("("):
            inner = self.chain((")",))
            self.need(")")
            return self._behind(Group(line, inner))
        return self._simple(line)

    def _behind(self, found: Command) -> Command:
        """Pass what a compound command reads from and writes to."""
        while self._redirect():
            pass
        return found

    def _redirect(self) -> bool:
        if self.peek().isdigit() and self.at + 1 < len(self.tokens) and (
                self.tokens[self.at + 1].text in _REDIRECTS):
            self.at += 1
        if self.sign(*_REDIRECTS):
            self.at += self.at < len(self.tokens) and self.tokens[self.at].kind == "word"
            return True
        return False

    def _simple(self, line: int) -> Command:
        words: list[Token] = []
        while self.at < len(self.tokens):
            if self._redirect():
                continue
            token = self.tokens[self.at]
            if token.kind not in {"word", "array"}:
                break
            self.at += 1
            words.append(token)
            if len(words) == 1 and token.plain() and self.sign("("):
                self.need(")")
                return self._body(line, token.text)
        if not words and self.at < len(self.tokens) and self.tokens[self.at].text != "\n":
            raise ValueError(f"line {self.line}: {self.tokens[self.at].text[:20]!r} in a place "
                             "where no command is")
        return Simple(line, tuple(words))

    def _body(self, line: int, name: str) -> Command:
        while self.sign("\n"):
            pass
        return Function(line, name, self.command())

    def _function(self, line: int) -> Command:
        name = self.peek()
        self.at += 1
        if self.sign("("):
            self.need(")")
        return self._body(line, name)

    def _braces(self, line: int) -> Command:
        inner = self.chain(("}",))
        self.need("}")
        return inner

    def _test(self, line: int) -> Command:
        start = self.at
        while self.at < len(self.tokens) and self.peek() != "]]":
            self.at += 1
        self.need("]]")
        return Test(line, tuple(self.tokens[start:self.at - 1]))

    def _if(self, line: int) -> Command:
        condition = self.chain(("then",))
        self.need("then")
        body = self.chain(("elif", "else", "fi"))
        other: Command | None = None
        next_line = self.line
        if self.word("elif"):
            return If(line, condition, body, self._if(next_line))
        if self.word("else"):
            other = self.chain(("fi",))
        self.need("fi")
        return If(line, condition, body, other)

    def _case(self, line: int) -> Command:
        word = self.tokens[min(self.at, len(self.tokens) - 1)]
        self.at += 1
        self.need("in")
        branches: list[tuple[tuple[Token, ...], Command]] = []
        while True:
            while self.sign("\n", ";"):
                pass
            if self.at >= len(self.tokens) or self.word("esac"):
                return Case(line, word, tuple(branches))
            self.sign("(")
            patterns: list[Token] = []
            while self.at < len(self.tokens) and not self.sign(")"):
                if not self.sign("|"):
                    patterns.append(self.tokens[self.at])
                    self.at += 1
            branches.append((tuple(patterns), self.chain((";;", ";&", ";;&", "esac"))))
            self.sign(";;", ";&", ";;&")

    def _for(self, line: int) -> Command:
        name, words = self.peek(), list[Token]()
        self.at += 1
        while self.sign("\n"):
            pass
        if self.word("in"):
            while self.at < len(self.tokens) and self.tokens[self.at].kind == "word":
                words.append(self.tokens[self.at])
                self.at += 1
        while self.sign(";", "\n"):
            pass
        return Loop(line, name, tuple(words), self._done())

    def _while(self, line: int) -> Command:
        condition = self.chain(("do",))
        return Loop(line, "", (), Chain(line, ((";", condition), (";", self._done()))))

    def _done(self) -> Command:
        self.need("do")
        body = self.chain(("done",))
        self.need("done")
        return body
