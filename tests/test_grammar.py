"""The closed grammar: exact numbers, Python's precedence, bounds, and nothing evaluated."""

from __future__ import annotations

import builtins
import math
import time
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from symparam import expression as ex
from symparam.arithmetic import MODES, Rounding
from symparam.components import everything
from symparam.dims import AMBIGUOUS, declare_all
from symparam.errors import ParseError, SymparamError, UnknownName
from symparam.grammar import (
    constant,
    parse_assignment,
    parse_equation,
    parse_expression,
    parse_rule,
)
from symparam.lexer import MAX_LENGTH, SUFFIXES
from tests.helpers import message, together
from tests.strategies import quick

HERE = {"d_model": 6, "L": 35, "n_heads": 4}
LONG = MAX_LENGTH
READERS: list[Callable[[str], Any]] = [
    parse_expression, parse_rule, parse_equation, parse_assignment]


@together(("text", "value"), [
    ("0", 0), ("007", 7), ("7e9", 7_000_000_000), ("7E9", 7_000_000_000), ("7B", 7 * 10**9),
    ("6.7B", 6_700_000_000), ("560M", 560 * 10**6), ("128k", 128_000), ("128K", 128_000),
    ("128Ki", 131_072), ("1Mi", 2**20), ("3Gi", 3 * 2**30), ("2Ti", 2**41), ("1T", 10**12),
    ("1G", 10**9), ("1_000", 1000), ("50_257", 50257), ("2**16", 65536), ("2.5", Fraction(5, 2)),
    (".5", Fraction(1, 2)), ("0.1", Fraction(1, 10)), ("1e-3", Fraction(1, 1000)),
    ("1.5e3", 1500), ("1e3k", 10**6), ("8/3", Fraction(8, 3)), ("6/3", 2), ("-3", -3),
    ("2**-2", Fraction(1, 4)), ("(2/3)**2", Fraction(4, 9)), ("0.7B", 700_000_000),
])
def test_numbers_are_exact(text: str, value: int | Fraction) -> None:
    found = constant(parse_rule(text))
    assert found == value
    assert type(found) is type(value)


@quick
@given(st.integers(0, 10**9), st.integers(0, 999), st.sampled_from(["", *SUFFIXES]),
       st.sampled_from(["", "e0", "e7", "E+12", "e-5"]))
def test_a_number_is_mantissa_times_power_times_suffix(
        whole: int, part: int, suffix: str, power: str) -> None:
    text = f"{whole}.{part:03}{power}{suffix}"
    rank = {"k": 1, "K": 1, "M": 2, "B": 3, "G": 3, "T": 4}[suffix[0]] if suffix else 0
    base = 1024 if suffix.endswith("i") else 1000
    wanted = Fraction(f"{whole}.{part:03}{power}") * base**rank
    assert constant(parse_rule(text)) == wanted


def _binary(pair: tuple[tuple[str, str], str, tuple[str, str]]) -> tuple[str, str]:
    (a, x), op, (b, y) = pair
    return f"{a}{op}{b}", f"{x}{op}{y}"


#: Texts in the grammar, each with the same text for Python, its numbers wrapped as fractions.
LEAF = st.one_of(st.integers(1, 20).map(lambda n: (str(n), f"F({n})")),
                 st.sampled_from([(name, name) for name in HERE]))
TEXT = st.recursive(LEAF, lambda inner: st.one_of(
    st.tuples(inner, st.sampled_from(["+", "-", "*", "/", " + ", " - ", " * ", " / "]),
              inner).map(_binary),
    inner.map(lambda p: (f"({p[0]})", f"({p[1]})")),
    inner.map(lambda p: (f"-{p[0]}", f"-{p[1]}")),
    st.tuples(st.sampled_from(["max", "min"]), inner, inner).map(lambda p: (
        f"{p[0]}({p[1][0]}, {p[2][0]})", f"{p[0]}({p[1][1]}, {p[2][1]})")),
    st.tuples(inner, st.sampled_from(["0", "1", "2", "3", "-1", "-2", "(-2)"])).map(
        lambda p: (f"({p[0][0]})**{p[1]}", f"({p[0][1]})**{p[1]}"))), max_leaves=9)


def by_python(text: str) -> Fraction:
    """What Python makes of the same text, over fractions."""
    try:
        value = eval(text, {"F": Fraction, **{k: Fraction(v) for k, v in HERE.items()}})
    except ZeroDivisionError:
        assume(False)
    assert isinstance(value, Fraction)
    return value


def read(text: str) -> ex.Expr:
    """The tree of a text, unless a number in it is beyond the bounds."""
    try:
        return parse_expression(text)
    except ParseError as error:
        assume("digits" not in error.problem)
        raise


@settings(quick, max_examples=400)
@given(TEXT)
def test_it_means_what_python_means(pair: tuple[str, str]) -> None:
    ours, pythons = pair
    assume(len(ours) < 300)
    wanted = by_python(pythons)
    assert ex.evaluate(read(ours), HERE) == wanted


@settings(quick, max_examples=400)
@given(TEXT)
def test_what_is_printed_reads_back_with_the_same_value(pair: tuple[str, str]) -> None:
    ours, pythons = pair
    assume(len(ours) < 200)
    wanted = by_python(pythons)
    assert ex.evaluate(read(str(read(ours))), HERE) == wanted


@settings(quick, max_examples=400)
@given(TEXT)
@example(("-(L/d_model*n_heads)", "-(L/d_model*n_heads)"))
def test_what_is_printed_reads_back_to_the_same_form(pair: tuple[str, str]) -> None:
    assume(len(pair[0]) < 200)
    by_python(pair[1])
    once = str(read(pair[0]))
    assert str(read(once)) == once


NODES = st.recursive(
    st.one_of(st.fractions(-9, 9, max_denominator=5).map(ex.node),
              st.sampled_from([ex.Sym(name) for name in HERE])),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: p[0] + p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] - p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] * p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] / p[1]),
        st.tuples(inner, st.integers(-2, 3)).map(lambda p: p[0] ** p[1]),
        st.tuples(inner, inner).map(lambda p: ex.Product((p[0], p[1]))),
        st.tuples(inner, inner).map(lambda p: ex.Sum((p[0], p[1]))),
        st.tuples(st.sampled_from(["max", "min"]), st.lists(inner, min_size=2, max_size=3)).map(
            lambda p: ex.Extreme(p[0], tuple(p[1]))),
        inner.map(lambda e: ex.substitute(e, {"L": ex.Sym("d_model") - 7})),
        inner.map(lambda e: -e)), max_leaves=8)


@settings(quick, max_examples=400)
@given(NODES)
def test_a_tree_made_any_way_is_printed_with_its_value(tree: ex.Expr) -> None:
    text = str(tree)
    assume(len(text) < 300)
    try:
        wanted = ex.evaluate(tree, HERE)
    except ZeroDivisionError:
        assume(False)
    try:
        found = ex.evaluate(read(text), HERE)
    except ParseError as error:
        assume("division" not in error.problem)
        raise
    assert found == wanted


@together(("text", "printed"), [
    ("8/3*hidden_size", "8/3*d_model"), ("2*(V+1)", "2*(V + 1)"), ("-d*L", "-d_model*L"),
    ("L - d*2", "L - d_model*2"), ("d**2", "d_model**2"), ("d/(L*2)", "d_model/(L*2)"),
    ("d_model/L/2", "d_model/L/2"), ("L**-1", "L**(-1)"), ("2**16 + 128Ki", "65536 + 131072"),
    ("d**(1/2)", "d_model**(1/2)"), ("(L)", "L"), ("V - (L + 1)", "V - (L + 1)"),
    ("L*(-2)", "L*(-2)"), ("1*L", "L"), ("L + 0", "L"), ("2*max( L,1 )", "2*max(L, 1)"),
    ("min(L, V - 1, 2)**2", "min(L, V - 1, 2)**2"),
])
def test_how_it_is_printed(text: str, printed: str) -> None:
    assert str(parse_expression(text)) == printed
    assert str(parse_expression(printed)) == printed


@together("text", [
    "9" * 41, "0." + "1" * 41, "1e41", "1e-41", "1e99999", "2**65", "2**-65", "d**65", "2**2**7",
    "99**32", "L" * (LONG + 1), " " * (LONG + 1), "(" * 33 + "1" + ")" * 33,
    "1+" * (LONG // 2) + "11", "2**1.5e9", "1e40*" * 200 + "1", "1/3*" * 200 + "1",
], ids=lambda text: f"{text[:9]}({len(text)})")
def test_sizes_are_bounded(text: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_rule(text)
    assert "more than" in message(caught.value) or "beyond" in message(caught.value) or (
        "longer than" in message(caught.value)) or "at most" in message(caught.value)
    assert len(message(caught.value)) < 200


@pytest.mark.thinned(3)
@pytest.mark.parametrize("text", [
    "9" * 40, "1e40", "2**64", "d**64", "2**-64", "(" * 32 + "1" + ")" * 32,
    "1+" * (LONG // 2 - 1) + "11", "-" * (LONG - 1) + "1"],
    ids=lambda text: f"{text[:9]}({len(text)})")
def test_what_is_just_within_the_bounds_is_read(text: str) -> None:
    assert len(text) <= LONG
    assert len(str(parse_rule(text))) <= 2 * LONG


@pytest.mark.thinned(5)
@pytest.mark.parametrize("part", [
    "(", "-", "2**", "L**", "1e40*", "9e39+", "9", "1_", "d*", "d+", "d-", "/", "d/", "1/", ".",
    ",", "=", "L=", "(d+", "d**2*", "(d/L)*", "8**40*", "up ", "x", "h ", "1/3+", "\n", "\u00a0"])
def test_reading_and_printing_always_end_at_once(part: str) -> None:
    text = (part * LONG)[:LONG - 1] + "1"
    began = time.process_time()
    for reader in READERS:
        try:
            str(reader(text))
        except SymparamError as error:
            message(error)
    assert time.process_time() - began < 10


def test_working_out_always_ends_at_once() -> None:
    """Degree 64·1000 in a width of 10^12 is 2.5 million bits, grown factor by factor."""
    began = time.process_time()
    try:
        ex.evaluate(parse_expression("d**64*" * 1000 + "1"), {"d_model": 10**12})
    except SymparamError as error:
        message(error)
    assert time.process_time() - began < 5


@pytest.mark.parametrize("text", [
    "((9+9)**64)**64",                # 5,141 digits
    "(((9+9)**64)**64)**32",          # 165,000 digits; one level more would not end
    "(-2)**(1/2), up to 2", "(-2)**(1/2)", "(2e39)**(63/2)", "(2e39)**(63/2), up to 256"])
def test_a_number_beyond_the_bounds_is_refused_when_it_is_worked_out(text: str) -> None:
    with pytest.raises(SymparamError) as caught:
        constant(parse_rule(text))
    message(caught.value)


@pytest.mark.parametrize(("text", "value"), [("4**(1/2)", 2), ("2**(1/2)", None),
                                             ("2**0.5, up to 2", 2)])
def test_a_root_is_exact_or_refused_and_never_a_float(text: str, value: int | None) -> None:
    try:
        found = constant(parse_rule(text))
    except SymparamError as error:
        message(error)
    else:
        assert isinstance(found, (int, Fraction)), found
        assert found == value


HOSTILE = [
    "__import__('os').system('true')", "__import__", "d_model.bit_length", "().__class__",
    "[1,2][0]", "{1}", "d[0]", "lambda: 0", "lambda", "1 if 1 else 2", "print(1)", "abs(-1)",
    "d_model(2)", "2(3)", "f'{1}'", "'1'", '"1"', "`1`", "1;2", "1\nimport os", "L=1\nV=2", "1#2",
    "1 # note", "1 // 2", "7 % 2", "1 << 40", "1 & 1", "1 | 1", "~1", "!1", "1 @ 2", "1 < 2",
    "1 == 1", "1 and 1", "not 1", "True", "None", "inf", "nan", "1j", "0x10", "0b1", "1e", "1e+",
    "1 := 2", "*L", "**L", "L**", "L L", "1 2", "\u0663", "\u00b2", "\u2460", "\uff11", "L\u200b",
    "x\u0301", "\u212a", "1\u00d72", "1\u22122", "\x00", "L\x00", "1\\\n2", "$HOME", "%s", "\\d",
    "\U0001f600", "", " ", "\n", "\t",
]


@together(("reader", "text"), product(READERS, HOSTILE))
def test_nothing_is_evaluated(
        reader: Callable[[str], Any], text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("text of a user was evaluated")

    everything()
    declare_all()  # modules that are imported are executed: not now
    with pytest.raises((ParseError, UnknownName)):
        reader(text)  # (a class compiles how its first instance is made)
    with monkeypatch.context() as patch:
        for name in ("eval", "exec"):
            patch.setattr(builtins, name, refuse)
        with pytest.raises((ParseError, UnknownName)) as caught:
            reader(text)
    message(caught.value)


SOUP = st.lists(st.one_of(
    st.sampled_from(["d_model", "L", "h", "x", "1", "2.5", "7B", "1e9", "**", "*", "/", "+", "-",
                     "(", ")", "=", ",", "up", "to", "nearest", "256", "?", " ", "\n", "^", "1_0",
                     "e", ".", "0", "K", "__", "\u00a0", "²"]), st.text(max_size=3)),
    max_size=14).map("".join)


@settings(quick, max_examples=500)
@given(SOUP, st.sampled_from(READERS))
def test_any_text_is_read_or_refused_in_one_line(text: str, reader: Callable[[str], Any]) -> None:
    refused: ParseError | UnknownName | None = None
    try:
        reader(text)
    except (ParseError, UnknownName) as error:
        refused = error
    if isinstance(refused, ParseError):
        assert 0 <= refused.position <= len(text)
        assert f"at character {refused.position + 1}: " in message(refused)
    elif refused is not None:
        assert refused.name in text
        message(refused)


@together(("text", "position", "words"), [
    ("4*$", 2, "no meaning"), ("2^3", 1, "**"), ("4 × 3", 2, "write * "), ("4 − 3", 2, "write - "),
    ("d[0]", 1, "parentheses"), ("1:9:2", 1, "sweep"), ("(2", 2, "not closed"), ("2)", 1, "left"),
    ("7b", 1, "7B"), ("3m", 1, "3M"), ("2x", 1, "suffix"), ("", 0, "ends"), ("4*", 2, "ends"),
    ("d**L", 4, "exponent"), ("1/0", 3, "division by zero"), ("1\u00a02", 1, "no meaning"),
    ("d_ff + 4 4", 9, "left over"),
])
def test_an_error_says_where_and_what(text: str, position: int, words: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_expression(text)
    assert words in message(caught.value)
    assert caught.value.position == position


@together("name", AMBIGUOUS)
@together("form", ["{}", "4*{} + 1", "{}=3", "V=2*{}", "{} = V"])
def test_an_ambiguous_letter_is_explained(name: str, form: str) -> None:
    reader = parse_assignment if form in {"{}=3", "V=2*{}"} else (
        parse_equation if "=" in form else parse_expression)
    with pytest.raises(UnknownName) as caught:
        reader(form.format(name))
    assert AMBIGUOUS[name] in message(caught.value)
    assert "write" in message(caught.value)


def test_h_is_refused_with_both_of_its_meanings() -> None:
    with pytest.raises(UnknownName) as caught:
        parse_assignment("h=32")
    assert {"heads", "width", "n_heads", "d_model"} <= set(message(caught.value).split())


@together(("reader", "text"), [
    (parse_assignment, "V=50,257"), (parse_rule, "50,257"), (parse_rule, "7,000,000,000"),
    (parse_assignment, "d_ff=4*1,024"), (parse_equation, "V = 50,257"),
    (parse_expression, "50,257")])
def test_commas_in_thousands_are_refused_helpfully(
        reader: Callable[[str], Any], text: str) -> None:
    with pytest.raises(ParseError) as caught:
        reader(text)
    assert "thousands" in message(caught.value)


@together(("text", "key", "value"), [
    ("L=32", "L", "32"), (" L = 32 ", "L", "32"), ("vocab_size=128Ki", "V", "131072"),
    ("hidden_size=4096", "d_model", "4096"), ("n_kv_groups=8", "n_kv", "8"), ("L=?", "L", "None"),
    ("L= ? ", "L", "None"), ("d_ff=8/3*d", "d_ff", "8/3*d_model"), ("P=7e9", "P", "7000000000"),
    ("d_ff=8/3*d, up to 256", "d_ff", "8/3*d_model, up to 256"),
    ("emb_dim=2**10", "d_model", "1024"),
])
def test_key_equals_value(text: str, key: str, value: str) -> None:
    found, rule = parse_assignment(text)
    assert (found, str(rule)) == (key, value)


@together(("text", "position"), [
    ("L", 0), ("=3", 0), ("1=2", 0), ("L=", 2), ("L==3", 2), ("L=3=4", 3), (".b=3", 0),
    ("d_model=4 $ 3", 10), ("V = 3 ^ 2", 6), ("L =? ?", 3), ("\u0141=3", 0), ("L\n=$", 3)])
def test_a_bad_assignment_names_its_character(text: str, position: int) -> None:
    with pytest.raises(ParseError) as caught:
        parse_assignment(text)
    message(caught.value)
    assert caught.value.position == position
    assert caught.value.text == text


def test_an_equation_has_one_equals_sign() -> None:
    left, right = parse_equation("n_heads*d_head = hidden_size")
    assert (str(left), str(right)) == ("n_heads*d_head", "d_model")
    for text in ("d_ff", "d_ff = 4 = 4", "= 4", "d_ff =", "d_ff == 4"):
        with pytest.raises(ParseError):
            parse_equation(text)


def test_names_of_ones_own_are_read_where_they_are_allowed() -> None:
    assert str(parse_expression("L - L_dense", {"L_dense"})) == "L - L_dense"
    with pytest.raises(UnknownName):
        parse_expression("L - L_dense")


@together(("text", "value"), [
    ("8/3*4096, up to 256", 11008), ("8/3*4096 up 256", 11008), ("8/3*4096, down to 256", 10752),
    ("8/3*4096, nearest 256", 11008), ("10, nearest to a multiple of 4", 12), ("9, nearest 4", 8),
    ("8, up 4", 8), ("8, down 4", 8), ("8, nearest 4", 8), ("1/3, up to 64", 64),
    ("1/3, down to 64", 0), ("5461, nearest to 256", 5376), ("-3, up to 2", -2),
    ("-3, down to 2", -4), ("3 nearest 1Ki", 0),
])
def test_a_rule_rounds(text: str, value: int) -> None:
    assert constant(parse_rule(text)) == value
    assert constant(parse_rule(str(parse_rule(text)))) == value


@together("text", [
    "5, sideways 4", "5,", "5, up", "5, up to", "5 up 0", "5 up -4", "5 up 2.5", "5 up d_model",
    "5 up 4 4", "up 4", "5 up to to 4", "5, up to 4, up to 8", "5 up (2+2)"])
def test_a_bad_rounding_is_refused(text: str) -> None:
    with pytest.raises((ParseError, UnknownName)) as caught:
        parse_rule(text)
    message(caught.value)


@quick
@given(st.fractions(-999, 9999, max_denominator=12), st.integers(1, 300), st.sampled_from(MODES))
def test_rounding_gives_the_right_multiple(value: Fraction, multiple: int, mode: str) -> None:
    found = Rounding(mode, multiple).apply(value)
    assert isinstance(found, int)
    assert found % multiple == 0
    away = found - value
    assert {"up": 0 <= away < multiple, "down": -multiple < away <= 0,
            "nearest": -multiple < 2 * away <= multiple}[mode]
    floor = math.floor(value)
    assert Rounding(mode, multiple).apply(np.array([floor, 7]))[0] == (
        Rounding(mode, multiple).apply(floor))


def test_a_rule_with_symbols_is_no_constant() -> None:
    assert constant(parse_rule("4*d_model")) is None
    assert constant(parse_rule("0*L")) is None


@pytest.mark.parametrize("text", ["1/(2-2)", "(0)**(-1/2)", "5/(1-1), up to 4"])
def test_a_hidden_division_by_zero_is_named(text: str) -> None:
    with pytest.raises(ParseError, match="division by zero"):
        constant(parse_rule(text))
