"""The commands of a shell script, from its words.

Source: POSIX.1-2017, Shell Command Language, 2.9 and 2.10; ``[[``, ``((``, ``function`` of bash.
"""

from __future__ import annotations

from symparam.descriptions.shell.lexer import Lexer, Token
from symparam.descriptions.shell.nodes import (
    Case,
    Chain,
    Command,
    Function,
    Group,
    If,
    Loop,
    Not,
    Pipe,
    Simple,
    Sum,
    Test,
)

_REDIRECTS = frozenset({"<", ">", ">>", "&>", "&>>", ">&", "<&", "<<<"})
_DEEPEST = 30
#: Words that begin no command: they go on with one, or end it.
_LATER = frozenset("then elif else fi do done esac }".split())


def parse(text: str, line: int = 1, depth: int = 0) -> Command:
    """The commands of a text.

    Raises:
        ValueError: what is wrong, with its line.
    """
    parser = _Parser(Lexer(text, line, depth).tokens())
    found = parser.chain()
    if parser.at < len(parser.tokens):
        raise parser.misplaced()
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

    def misplaced(self) -> ValueError:
        """The error that no command begins here."""
        here = self.tokens[self.at].text[:20] if self.at < len(self.tokens) else "the end"
        return ValueError(f"line {self.line}: {here!r} in a place where no command is")

    def chain(self, *ends: str) -> Command:
        """Commands up to a word or sign that ends them; at least one, where something does."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ValueError(f"line {self.line}: nested deeper than {_DEEPEST}")
        items: list[tuple[str, Command]] = []
        line, before = self.line, ";"
        while True:
            while self.sign("\n"):
                pass
            if before == ";" and self._at_end(ends):
                break
            items.append((before, self.pipe()))
            before = "&&" if self.sign("&&") else "||" if self.sign("||") else ";"
            if before == ";" and not self.sign("\n", ";", "&"):
                break
        if ends and not items and ";;" not in ends:
            raise self.misplaced()
        self.depth -= 1
        return Chain(line, tuple(items))

    def _at_end(self, ends: tuple[str, ...]) -> bool:
        return self.at >= len(self.tokens) or self.peek() in ends or (
            self.tokens[self.at].kind == "sign" and self.tokens[self.at].text in ends)

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
        if word in _LATER:
            raise self.misplaced()
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
            inner = self.chain(")")
            self.need(")")
            return self._behind(Group(line, inner))
        return self._simple(line)

    def _behind(self, found: Command) -> Command:
        """Pass what a compound command reads from and writes to."""
        while self._redirect():
            pass
        return found

    def _redirect(self) -> bool:
        """Pass a sign and the word behind it, if they stand here."""
        if not self.sign(*_REDIRECTS):
            return False
        self._need_word("a file")
        return True

    def _need_word(self, what: str) -> Token:
        """Pass a word that has to stand here."""
        if self.at >= len(self.tokens) or self.tokens[self.at].kind != "word":
            raise ValueError(f"line {self.line}: {what} is missing")
        self.at += 1
        return self.tokens[self.at - 1]

    def _simple(self, line: int) -> Command:
        words, begun = list[Token](), self.at
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
        if self.at == begun:
            raise self.misplaced()
        return Simple(line, tuple(words))

    def _body(self, line: int, name: str) -> Command:
        while self.sign("\n"):
            pass
        body = self.command()
        if isinstance(body, Simple):
            raise ValueError(f"line {line}: the body of {name[:20]} is to stand in braces")
        return Function(line, name, body)

    def _function(self, line: int) -> Command:
        name = self.peek()
        self.at += 1
        if self.sign("("):
            self.need(")")
        return self._body(line, name)

    def _braces(self, line: int) -> Command:
        inner = self.chain("}")
        self.need("}")
        return inner

    def _test(self, line: int) -> Command:
        start = self.at
        while self.at < len(self.tokens) and self.peek() != "]]":
            self.at += 1
        self.need("]]")
        return Test(line, tuple(self.tokens[start:self.at - 1]))

    def _if(self, line: int) -> Command:
        condition = self.chain("then")
        self.need("then")
        body = self.chain("elif", "else", "fi")
        other: Command | None = None
        next_line = self.line
        if self.word("elif"):
            return If(line, condition, body, self._if(next_line))
        if self.word("else"):
            other = self.chain("fi")
        self.need("fi")
        return If(line, condition, body, other)

    def _case(self, line: int) -> Command:
        word = self.tokens[min(self.at, len(self.tokens) - 1)]
        self.at += 1
        self.need("in")
        branches: list[tuple[tuple[Token, ...], Command]] = []
        while True:
            while self.sign("\n"):
                pass
            if self.word("esac"):
                break
            self.sign("(")
            branches.append((self._patterns(), self.chain(";;", ";&", ";;&", "esac")))
            if not self.sign(";;", ";&", ";;&"):
                self.need("esac")
                break
        return Case(line, word, tuple(branches))

    def _patterns(self) -> tuple[Token, ...]:
        """What a branch is for, up to its parenthesis."""
        what = "a pattern, or 'esac',"
        found = [self._need_word(what)]
        while self.sign("|"):
            found.append(self._need_word(what))
        self.need(")")
        return tuple(found)

    def _for(self, line: int) -> Command:
        name, words = self.peek(), list[Token]()
        if not name.isidentifier():
            raise ValueError(f"line {line}: the name that runs is missing")
        self.at += 1
        while self.sign("\n"):
            pass
        if self.word("in"):
            while self.at < len(self.tokens) and self.tokens[self.at].kind == "word":
                words.append(self.tokens[self.at])
                self.at += 1
        self.sign(";")  # (newlines are passed by what comes next)
        return Loop(line, name, tuple(words), self._done())

    def _while(self, line: int) -> Command:
        condition = self.chain("do")
        return Loop(line, "", (), Chain(line, ((";", condition), (";", self._done()))))

    def _done(self) -> Command:
        self.need("do")
        body = self.chain("done")
        self.need("done")
        return body
