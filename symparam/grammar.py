"""The closed grammar: the only way in which text becomes numbers and expressions.

::

    assignment = NAME "=" rule
    equation   = expression "=" expression
    rule       = expression [","] [MODE ["to" "a" "multiple" "of"] number]
    MODE       = "nearest" | "up" | "down"
    expression = term (("+" | "-") term)*
    term       = unary (("*" | "/") unary)*
    unary      = ("-" | "+") unary | power
    power      = atom ["**" constant]
    atom       = NUMBER [SUFFIX] | NAME | [MODE] "(" expression ")"
               | ("max" | "min") "(" expression ("," expression)+ ")"

A number is exact: ``7e9``, ``6.7B``, ``128Ki`` and ``1_000`` are integers, ``2.5`` is 5/2.
Sizes are bounded, so reading always ends at once. Nothing is ever evaluated as Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction

from symparam import expression as ex
from symparam.arithmetic import EXTREMES, MODES, Rounding
from symparam.dataclass import dataclass
from symparam.dims import Names, canonical
from symparam.errors import ParseError
from symparam.lexer import MAX_DIGITS, tokenize
from symparam.renamed import moved

MAX_DEPTH = 32
MAX_EXPONENT = 64
MAX_TERMS = 200

__getattr__ = moved(__name__)


@dataclass(frozen=True)
class Rule:
    """A value given as an expression, with or without rounding to a multiple."""

    expr: ex.Expr
    rounding: Rounding | None = None

    def __str__(self) -> str:
        return f"{self.expr}, {self.rounding}" if self.rounding else str(self.expr)


class _Parser:
    """Recursive descent over the words of one text."""

    def __init__(self, text: str, resolve: Callable[[str], str]) -> None:
        self.text, self.resolve = text, resolve
        self.tokens, self.index, self.depth = tokenize(text), 0, 0

    def peek(self) -> str:
        return self.tokens[self.index].text if self.index < len(self.tokens) else ""

    def fail(self, problem: str) -> ParseError:
        here = self.tokens[self.index].position if self.index < len(self.tokens) else len(self.text)
        return ParseError(self.text, here, problem)

    def take(self, *texts: str) -> str:
        if self.index < len(self.tokens) and self.tokens[self.index].text in texts:
            self.index += 1
            return self.tokens[self.index - 1].text
        return ""

    def expression(self) -> ex.Expr:
        result = self.term()
        while op := self.take("+", "-"):
            right = self.term()
            result = result + right if op == "+" else result - right
        return result

    def term(self) -> ex.Expr:
        result, divisions = self.unary(), 0
        while op := self.take("*", "/"):
            divisions += op == "/"
            if divisions > MAX_DEPTH:
                raise self.fail(f"more than {MAX_DEPTH} divisions in one term")
            right = self.unary()
            if op == "/" and right == ex.Num(0):
                raise self.fail("division by zero")
            result = result * right if op == "*" else _divide(result, right)
            self.bound(result.factors[0] if isinstance(result, ex.Product) else result)
        return result

    def bound(self, expr: ex.Expr) -> None:
        """Refuse a number that was worked out and is too long."""
        if isinstance(expr, ex.Num):
            value = Fraction(expr.value)
            bits = value.numerator.bit_length() + value.denominator.bit_length()
            if bits > 4 * MAX_DIGITS:
                raise self.fail(f"a number of more than {MAX_DIGITS} digits")

    def unary(self) -> ex.Expr:
        negative = False
        while op := self.take("-", "+"):
            negative ^= op == "-"
        return -self.power() if negative else self.power()

    def power(self) -> ex.Expr:
        base = self.atom()
        if not self.take("**"):
            return base
        exponent = self.deeper(self.unary)
        if not isinstance(exponent, ex.Num) or not (
                -MAX_EXPONENT <= exponent.value <= MAX_EXPONENT):
            raise self.fail(f"an exponent must be a number of at most {MAX_EXPONENT}")
        if isinstance(base, ex.Num) and isinstance(exponent.value, int):
            if base.value == 0 and exponent.value < 0:
                raise self.fail("division by zero")
            result = ex.Num(ex.whole(Fraction(base.value) ** exponent.value))
            self.bound(result)
            return result
        return ex.Power(base, exponent.value)

    def atom(self) -> ex.Expr:
        if self.index >= len(self.tokens):
            raise self.fail("the text ends where a number or a symbol should stand")
        token = self.tokens[self.index]
        self.index += 1
        if token.kind == "number":
            return ex.Num(token.value)
        if token.text in MODES and self.take("("):
            return ex.Whole(self.deeper(self.parenthesis), token.text)
        if token.text in EXTREMES and self.take("("):
            return self.deeper(lambda: ex.Extreme(token.text, self.several()))
        if token.kind == "name":
            return ex.Sym(self.resolve(token.text))
        if token.text == "(":
            return self.deeper(self.parenthesis)
        self.index -= 1
        raise self.fail(f"{token.text!r} stands where a number or a symbol should")

    def deeper(self, inner: Callable[[], ex.Expr]) -> ex.Expr:
        """What stands one level further in."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.fail(f"nested more than {MAX_DEPTH} deep")
        result = inner()
        self.depth -= 1
        return result

    def parenthesis(self) -> ex.Expr:
        inner = self.expression()
        if not self.take(")"):
            raise self.fail("a parenthesis is not closed")
        return inner

    def several(self) -> tuple[ex.Expr, ...]:
        """Two expressions or more, up to the closing parenthesis."""
        found = [self.expression()]
        while self.take(","):
            found.append(self.expression())
        if not self.take(")"):
            raise self.fail("a parenthesis is not closed")
        if len(found) < 2:
            raise self.fail("max and min take two expressions or more: max(1, n_heads/4)")
        return tuple(found)

    def whole_expression(self) -> ex.Expr:
        """An expression, refused where multiplying it out would not end soon."""
        expr = self.expression()
        if ex.expanded_terms(expr) > MAX_TERMS:
            raise ParseError(self.text, 0, f"multiplied out it has more than {MAX_TERMS} terms")
        return expr

    def rule(self) -> Rule:
        expr = self.whole_expression()
        comma = self.take(",")
        if mode := self.take(*MODES):
            for word in ("to", "a", "multiple", "of"):
                self.take(word)
            multiple = self.atom()
            if not isinstance(multiple, ex.Num) or not _is_positive_int(multiple.value):
                raise self.fail(f"{mode} needs a whole positive number: '{mode} 256'")
            return Rule(expr, Rounding(mode, int(multiple.value)))
        if comma:
            raise self.fail("after the comma comes nearest, up or down and a multiple; "
                            "thousands are written without commas")
        return Rule(expr)

    def end(self) -> None:
        if self.index < len(self.tokens) and self.tokens[self.index].text == ",":
            raise self.fail("thousands are written without commas")
        if self.index < len(self.tokens):
            raise self.fail(f"{self.tokens[self.index].text!r} is left over")


def _is_positive_int(value: ex.Rational) -> bool:
    return isinstance(value, int) and value > 0


def _divide(top: ex.Expr, bottom: ex.Expr) -> ex.Expr:
    if isinstance(top, ex.Num) and isinstance(bottom, ex.Num):
        return ex.Num(ex.whole(Fraction(top.value) / Fraction(bottom.value)))
    return ex.Quotient(top, bottom)


def _resolver(extra: Iterable[str]) -> Callable[[str], str]:
    names = extra if isinstance(extra, Names) else frozenset(extra)
    return lambda name: canonical(name, names)


def parse_expression(text: str, extra: Iterable[str] = ()) -> ex.Expr:
    """An expression in known symbols; aliases become standard names.

    Args:
        text: what to read.
        extra: names besides the known dims.

    Raises:
        ParseError: not in the grammar. UnknownName: a symbol that is not known.

    >>> str(parse_expression("8/3*hidden_size")), str(parse_expression("2**16 + 128Ki"))
    ('8/3*d_model', '65536 + 131072')
    """
    parser = _Parser(text, _resolver(extra))
    result = parser.whole_expression()
    parser.end()
    return result


def parse_rule(text: str, extra: Iterable[str] = ()) -> Rule:
    """An expression that may be rounded to a multiple.

    >>> str(parse_rule("8/3*d_model, up to 256"))
    '8/3*d_model, up to 256'
    """
    parser = _Parser(text, _resolver(extra))
    result = parser.rule()
    parser.end()
    return result


def parse_equation(text: str, extra: Iterable[str] = ()) -> tuple[ex.Expr, ex.Expr]:
    """Two sides of an equation.

    >>> [str(side) for side in parse_equation("n_heads*d_head = d_model")]
    ['n_heads*d_head', 'd_model']
    """
    left, right = parse_relation(text, extra)
    if right.rounding:
        raise ParseError(text, 0, "an equation of two expressions is expected, without rounding")
    return left, right.expr


def parse_relation(text: str, extra: Iterable[str] = ()) -> tuple[ex.Expr, Rule]:
    """Two sides of an equation, the right one perhaps rounded to a multiple.

    >>> str(parse_relation("d_ff = 8/3*d_model, up to 256")[1])
    '8/3*d_model, up to 256'
    """
    parser = _Parser(text, _resolver(extra))
    left = parser.whole_expression()
    if not parser.take("="):
        raise parser.fail("an equation has one '=': d_ff = 4*d_model")
    right = parser.rule()
    parser.end()
    return left, right


def parse_assignment(text: str, extra: Iterable[str] = ()) -> tuple[str, Rule | None]:
    """``KEY=VALUE``: the standard name and the value; ``KEY=?`` (an unknown) gives None.

    >>> key, value = parse_assignment("vocab_size=128Ki"); key, str(value)
    ('V', '131072')
    """
    key, equals, value = text.partition("=")
    if not equals:
        raise ParseError(text, 0, "expected KEY=VALUE, for instance L=32")
    name = key.strip()
    if not re.fullmatch(r"[A-Za-z_][\w.]*", name, re.ASCII):
        raise ParseError(text, 0, "the part before '=' must be the name of a symbol")
    name = canonical(name, extra)
    if value.strip() == "?":
        return name, None
    try:
        return name, parse_rule(value, extra)
    except ParseError as error:
        raise ParseError(text, error.position + len(key) + 1, error.problem) from None


def constant(rule: Rule) -> ex.Rational | None:
    """The number that a rule without symbols is; None when it has symbols.

    >>> constant(parse_rule("2**20/8"))
    131072
    """
    if ex.symbols_in(rule.expr):
        return None
    try:
        value = ex.evaluate(rule.expr, {})
    except ZeroDivisionError:
        raise ParseError(str(rule), 0, "division by zero") from None
    rounded: ex.Rational = rule.rounding.apply(value) if rule.rounding else value
    return rounded
