"""Following a script with its own variables: which commands it gives, and what is in doubt.

A branch whose condition the script's own variables decide is taken or left. Both sides of any other
are followed, each with variables of its own, and where they differ the variables are in doubt.
"""

from __future__ import annotations

import contextlib
import re
from contextlib import suppress

from symparam.descriptions.shell.commands import MAX_DEPTH, Commands, End, Given, Leave
from symparam.descriptions.shell.conditions import holds, opposite
from symparam.descriptions.shell.lexer import Token
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
from symparam.descriptions.shell.pieces import (
    Piece,
    Text,
    Value,
    doubt_of,
    either,
    plain,
    sure,
    told_of,
)
from symparam.descriptions.shell.sums import NoNumber, value_of_sum
from symparam.descriptions.shell.tree import parse

MAX_COMMANDS, MAX_ROUNDS = 20_000, 1_000


class Follower(Commands):
    """Follows a script from its beginning to its end."""

    def follow(self, text: str) -> None:
        """Follow a whole script.

        Raises:
            ValueError: it cannot be read, or is too long to be followed.
        """
        with suppress(End, Leave):
            self.run(parse(text))

    def run(self, node: Command) -> bool | None:
        """Follow a command; whether it succeeds, None where that is not known."""
        self.count, self.depth = self.count + 1, self.depth + 1
        if self.count > MAX_COMMANDS or self.depth > 20 * MAX_DEPTH:
            raise ValueError(f"line {node.line}: longer than is followed")
        try:
            if isinstance(node, Simple):
                return self.simple(node)
            if isinstance(node, Chain):
                return self._chain(node)
            if isinstance(node, (Test, Sum)):
                return self._condition(node)
            if isinstance(node, Not):
                return opposite(self.run(node.inner))
            if isinstance(node, If):
                return self._if(node)
            if isinstance(node, Case):
                return self._case(node)
            if isinstance(node, Loop):
                return self._loop(node)
            if isinstance(node, Function):
                self.functions[node.name] = node.body
                return True
            return self._apart(node)
        finally:
            self.depth -= 1

    def _chain(self, node: Chain) -> bool | None:
        status: bool | None = True
        told = ""
        for sign, item in node.items:
            if sign == ";":
                told = self._while_told(item)
                status = self.run(item)
                continue
            wanted = sign == "&&"
            if status is None:
                before = status
                self._fork(f"line {item.line}: behind a {sign}, where the script does not say "
                           "whether it is reached", [item, None])
                status = before
            elif status == wanted:
                status = self.run(item)
            else:
                self._pass(told, item)
        return status

    def _if(self, node: If) -> bool | None:
        told, names = self._while_told(node.condition), self._undecided(node.condition)
        status = self.run(node.condition)
        if status is not None:
            chosen = node.body if status else node.other
            self._pass(told, node.other if status else node.body)
            return True if chosen is None else self._told(told, chosen)
        self._fork(f"line {node.line}: inside an if that the script's own variables do not decide"
                   f"{names}", [node.body, node.other])
        return None

    def _case(self, node: Case) -> bool | None:
        names, word = self._undecided(node.word), self.variables.text(node.word)
        text = plain(word)
        if text is not None:
            for patterns, body in node.branches:
                tests = [holds([(Piece(text),), (Piece("=="),), self.variables.text(each)],
                               patterns=True) for each in patterns]
                if None in tests:
                    text = None
                    break
                if True in tests:
                    for _, other in node.branches:
                        self._pass(told_of(word) if other is not body else "", other)
                    return self._told(told_of(word), body)
        if text is not None:
            return True
        every = any(each.plain() == "*" for patterns, _ in node.branches for each in patterns)
        self._fork(f"line {node.line}: inside a case that the script's own variables do not decide"
                   f"{names}", [*(body for _, body in node.branches),
                                *([None] if not every else [])])
        return None

    def _loop(self, node: Loop) -> bool | None:
        words = [text for each in node.words for text in self.variables.fields(each)]
        if node.name and words and not any(map(doubt_of, words)):
            self._rounds(node, words)
            return None
        if self.variables.arguments is None and _of_arguments(node):
            self.notes.append(f"line {node.line}: taken as called without arguments")
            return True
        doubt = f"line {node.line}: inside a loop that is not followed"
        if node.name:
            self.variables.held[node.name] = (Piece(f"${node.name}", doubt, open=True),)
        self._fork(doubt, [node.body, None])
        return None

    def _rounds(self, node: Loop, words: list[Text]) -> None:
        if len(words) > MAX_ROUNDS:
            raise ValueError(f"line {node.line}: more than {MAX_ROUNDS} rounds")
        for text in words:
            self.variables.held[node.name] = text
            try:
                self.run(node.body)
            except Leave as leave:
                if leave.args == ("continue",):
                    continue
                if leave.args == ("break",):
                    break
                raise

    def _apart(self, node: Group | Pipe) -> bool | None:
        """Commands in shells of their own: what they set ends with them."""
        held, status = dict(self.variables.held), None
        for item in node.items if isinstance(node, Pipe) else (node.inner,):
            try:
                status = self.run(item)
            except End:
                status = None
            self.variables.held = dict(held)
        return status

    def _fork(self, doubt: str, branches: list[Command | None]) -> None:
        """Follow each of some branches from here; one that ends the script is left out."""
        before, outer = dict(self.variables.held), self.variables.doubt
        ends: list[dict[str, Value]] = []
        given: list[Given] = []
        for branch in branches:
            self.variables.held, self.variables.doubt = dict(before), outer or doubt
            start = len(self.given)
            try:
                if branch is not None:
                    self.run(branch)
            except End:
                continue
            except Leave:
                self.variables.left = self.variables.left or doubt
            finally:
                self.variables.doubt = outer
            ends.append(self.variables.held)
            given = self.given[start:]
        if not ends:
            raise End
        if len(ends) == 1 and not outer:  # there is no other way on from here
            for command in given:
                self.given[self.given.index(command)] = command.sure(doubt)
            ends = [{name: sure(value, doubt) for name, value in ends[0].items()}]
        merged = ends[0]
        for other in ends[1:]:
            merged = {name: value for name in {**merged, **other}
                      if (value := either(merged.get(name), other.get(name), doubt)) is not None}
        self.variables.held = merged

    def _told(self, told: str, branch: Command) -> bool | None:
        """Follow a branch that is reached by a default."""
        outer = self.variables.told
        self.variables.told = outer or told
        try:
            return self.run(branch)
        finally:
            self.variables.told = outer

    def _pass(self, told: str, node: Command | None) -> None:
        """Note the options of a branch that a default leaves aside."""
        if told and node is not None:
            for option in re.findall(r"--([A-Za-z][A-Za-z0-9_-]{1,60})", repr(node)):
                self.passed.setdefault(option, told)

    def _while_told(self, condition: Command) -> str:
        """The defaults that the words of a condition are from."""
        if isinstance(condition, Chain):
            return "; ".join(filter(None, (self._while_told(item) for _, item in condition.items)))
        words = condition.words if isinstance(condition, (Simple, Test)) else ()
        with self.variables.looked_at():
            return told_of(p for word in words if word.kind == "word"
                           for p in self.variables.text(word))

    def _undecided(self, condition: Command | Token) -> str:
        """The variables of a condition that the script does not say, in brackets; else empty."""
        found: dict[str, None] = {}
        rest: list[Command | Token] = [condition]
        while rest:
            node = rest.pop(0)
            if isinstance(node, Token):
                with self.variables.looked_at():
                    found |= dict.fromkeys(self.variables.undecided(node))
            elif isinstance(node, Chain):
                rest += [item for _, item in node.items]
            elif isinstance(node, Not):
                rest.append(node.inner)
            elif isinstance(node, (Simple, Test)):
                rest += [word for word in node.words if word.kind == "word"]
        return f" ({', '.join(found)})" if found else ""

    def _condition(self, node: Test | Sum) -> bool | None:
        if isinstance(node, Sum):
            value = None
            with contextlib.suppress(NoNumber):
                value = value_of_sum(node.text, self.variables.number)
            setting = re.match(r"\s*([A-Za-z_]\w*)\s*(?:[-+*/%]?=[^=]|\+\+|--)", node.text)
            if value is None and setting is not None:
                self.in_doubt(setting[1], f"line {node.line}: (( )) is not followed")
            return None if value is None else value != 0
        words = []
        for token in node.words:
            words.append((Piece(token.text),) if token.kind == "sign" else
                         self.variables.text(token))
        if any(sign.kind == "sign" and sign.text in {"(", ")", "<", ">"} for sign in node.words):
            return None
        return holds(words, patterns=True)


def _of_arguments(node: Loop) -> bool:
    """Whether a loop goes over what the script is called with."""
    if node.name:
        return any(part.kind == "var" and part.text in {"@", "*"}
                   for word in node.words for part in word.parts)
    condition = node.body.items[0][1] if isinstance(node.body, Chain) else node.body
    while isinstance(condition, Chain) and condition.items:
        condition = condition.items[0][1]
    if isinstance(condition, Sum):
        return "$#" in condition.text
    return isinstance(condition, (Simple, Test)) and any(
        word.plain() == "getopts" or any(part.kind == "var" and part.text == "#"
                                         for part in word.parts) for word in condition.words)
