"""The mistakes that can be made at one place of a source: operators, numbers, statements, order."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is"}
COMPUTED: dict[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Div: "*", ast.Mod: "//",
    ast.Pow: "*", ast.BitOr: "&", ast.BitAnd: "|"}
WRITTEN: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Div: "/", ast.Mod: "%",
    ast.Pow: "**", ast.BitOr: "|", ast.BitAnd: "&"}
COMPARISON: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not"}

#: Which of two arguments comes first makes no difference to these.
COMMUTATIVE = {"max", "min", "maximum", "minimum", "gcd", "lcm"}


@dataclass(frozen=True, order=True)
class Mutation:
    """A piece of a source replaced.

    Attributes:
        start: where the piece begins, in bytes.
        end: where it ends.
        line: its line, from 1.
        text: what stands there instead.
        kind: what sort of mistake it is.
    """

    start: int
    end: int
    line: int
    text: str
    kind: str

    def apply(self, source: bytes) -> bytes:
        """The source with the mistake in it."""
        return source[:self.start] + self.text.encode() + source[self.end:]


def mutations(source: bytes) -> list[Mutation]:
    """Every mistake that is known of, in the order of the source.

    >>> source = b"a = g(x, y) < 1"
    >>> for each in mutations(source):
    ...     print(each.kind, "|", each.apply(source).decode())
    order | a = g(y, x) < 1
    comparison | a = g(x, y) <= 1
    number | a = g(x, y) < 2
    """
    tree = ast.parse(source)
    finder = _Finder(source)
    left_out = set(_unmutated(tree))
    return sorted({found for node in _walk(tree, left_out) for found in finder.at(node)})


def in_function(source: bytes, line: int) -> bool:
    """Whether a line is run when something is called, and not once when its module is loaded.

    >>> [in_function(b"A = 1\\ndef f(x=2):\\n    return x", line) for line in (1, 2, 3)]
    [False, False, True]
    """
    return any(node.body[0].lineno <= line <= (node.end_lineno or 0)
               for node in ast.walk(ast.parse(source))
               if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _walk(node: ast.AST, left_out: set[int]) -> Iterator[ast.AST]:
    if id(node) in left_out:
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, left_out)


def _unmutated(tree: ast.AST) -> Iterator[int]:
    """Annotations, decorators and what only a type checker reads; pieces in texts have no place;
    ``strict=True`` is an assertion, without which nothing differs where it holds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "strict":
            yield id(node)
        if isinstance(node, ast.JoinedStr):
            yield id(node)
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield id(node.annotation)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.returns is not None:
                yield id(node.returns)
            yield from map(id, node.decorator_list)
        if isinstance(node, ast.ClassDef):
            yield from map(id, (*node.bases, *node.decorator_list))
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield id(node)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            yield id(node)


class _Finder:
    """Finds the mistakes at a node of one source."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        lines = source.split(b"\n")
        self.starts = [0]
        for line in lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Where a node stands, in bytes."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (self.starts[node.lineno - 1] + node.col_offset,
                self.starts[node.end_lineno - 1] + node.end_col_offset)

    def text(self, node: ast.expr | ast.stmt) -> str:
        """A node as it is written."""
        start, end = self.span(node)
        return self.source[start:end].decode()

    def whole(self, node: ast.expr | ast.stmt, text: str, kind: str) -> Mutation:
        """A node replaced."""
        return Mutation(*self.span(node), node.lineno, text, kind)

    def either_way(self, call: ast.Call) -> bool:
        """Whether a function of numbers says the same of them in either order."""
        return not call.keywords and (
            self.text(call.func).rpartition(".")[2] in COMMUTATIVE)

    def between(self, left: ast.expr, right: ast.expr, old: str, new: str,
                kind: str) -> Iterator[Mutation]:
        """An operator between two nodes replaced, where it stands there once."""
        start, end = self.span(left)[1], self.span(right)[0]
        gap = self.source[start:end].decode()
        if gap.count(old) == 1:
            at = start + len(gap[:gap.index(old)].encode())
            line = self.source.count(b"\n", 0, at) + 1
            yield Mutation(at, at + len(old), line, new, kind)

    def at(self, node: ast.AST) -> Iterator[Mutation]:
        """What can be made wrong at a node itself."""
        match node:
            case ast.Compare(left, [op], [right]):
                yield from self.between(left, right, COMPARISON[type(op)], COMPARED[type(op)],
                                        "comparison")
            case ast.BinOp(left, op, right) if type(op) in COMPUTED:
                if not _is_text(left) and not _is_text(right):
                    yield from self.between(left, right, WRITTEN[type(op)], COMPUTED[type(op)],
                                            "arithmetic")
            case ast.BoolOp(op, [left, right, *_]):
                old, new = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
                yield from self.between(left, right, old, new, "logic")
            case ast.UnaryOp(ast.Not(), operand):
                yield self.whole(node, f"({self.text(operand)})", "negation")
            case ast.Constant(bool(value)):
                yield self.whole(node, str(not value), "truth")
            case ast.Constant(int(value)):
                yield self.whole(node, str(value + 1), "number")
            case ast.If(test) | ast.IfExp(test) | ast.While(test):
                yield self.whole(test, f"(not ({self.text(test)}))", "condition")
            case ast.Call(_, [first, second, *_]) if not any(
                    isinstance(a, ast.Starred) for a in (first, second)):
                if self.text(first) != self.text(second) and not self.either_way(node):
                    start, end = self.span(first)[0], self.span(second)[1]
                    gap = self.source[self.span(first)[1]:self.span(second)[0]].decode()
                    yield Mutation(start, end, first.lineno,
                                   self.text(second) + gap + self.text(first), "order")
            case ast.Expr(ast.Call() | ast.Yield() | ast.YieldFrom()) | ast.Raise() | (
                    ast.AugAssign()):
                yield self.whole(node, "pass", "statement")


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str))
