"""Exports: what is written means what was derived, fits the page, and nothing in it is live."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import pytest
from hypothesis import Phase, assume, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from symparam import expression as ex
from symparam.cli.main import run
from symparam.derivation.plan import derive
from symparam.descriptions.architecture.architecture_file import describe_model
from symparam.descriptions.load import load
from symparam.dims import describe, known_dims
from symparam.documents.count import count_document
from symparam.documents.count_data import count_model
from symparam.documents.derivations.document import derivation_document
from symparam.errors import UnknownName
from symparam.grammar import parse_expression
from symparam.notation.notation import PRESETS, LatexWriter, TextWriter, latex_of
from symparam.notation.notation_file import notation_of
from symparam.notation.numbers import decimal, grouped, percent, short
from symparam.templating.render import render
from symparam.writers import latex, markdown
from symparam.writers.document import (
    Braced,
    Code,
    Column,
    Display,
    Document,
    Equality,
    Heading,
    Items,
    Label,
    Math,
    Paragraph,
    Strong,
    Table,
    clean,
    plain_terms,
    spans,
)
from symparam.writers.latex import LatexFormat
from symparam.writers.text import WIDTH, TextFormat
from tests import helpers
from tests.formulas import sides
from tests.helpers import derived, published, together
from tests.strategies import Arch, Dims, decoders, engine, quick

NAMES = ("V", "L", "d_model", "d_ff", "n_heads", "P_final_norm", "L_sparse")
POINT = {name: Fraction(2 * i + 3, i + 2) for i, name in enumerate(NAMES)}
few = settings(quick, max_examples=40)

# --- reading back what was written ----------------------------------------------------------

_numbers = st.one_of(st.integers(-40, 40), st.integers(10**6, 10**8),
                     st.fractions(-9, 9, max_denominator=12)).map(ex.node)
_leaves = st.one_of(_numbers, st.sampled_from(NAMES).map(ex.Sym))


def _larger(trees: st.SearchStrategy[ex.Expr]) -> st.SearchStrategy[ex.Expr]:
    several = st.lists(trees, min_size=2, max_size=4).map(tuple)
    return st.one_of(several.map(ex.Sum), several.map(ex.Product), st.builds(ex.Quotient, trees,
                     trees), st.builds(ex.Power, trees, st.sampled_from((2, 3, -1, -2))))


TREES = st.recursive(_leaves, _larger, max_leaves=9)


def value(tree: ex.Expr, at: Mapping[str, Fraction] = POINT) -> Fraction:
    """A tree's value at a point, worked out by the tests' own means."""
    return helpers.value(tree, at)


def of_python(text: str, at: Mapping[str, Fraction] = POINT) -> Fraction:
    """The value of an expression as Python reads it, its numbers exact."""
    exact = re.sub(r"(?<!\w)(\d+)(?!\w)", r"F(\1)", text)
    return Fraction(eval(exact, {"F": Fraction, **at}))


def of_text(text: str, at: Mapping[str, Fraction] = POINT) -> Fraction:
    """The value of an expression in the text notation."""
    raised = re.sub("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda m: f"**({unicodedata.normalize('NFKC', m[0])})", text)
    plain = raised.replace("·", "*").replace("−", "-").replace("^", "**")
    return of_python(re.sub(r"(?<=\d),(?=\d{3})", "", plain), at)


def of_latex(text: str, at: Mapping[str, Fraction] = POINT) -> Fraction:
    """The value of an expression in LaTeX, paper notation."""
    written = {name: latex_of(describe(name).letter) for name in at if len(name) > 1}
    for name in sorted(written, key=lambda n: -len(written[n])):
        text = text.replace(written[name], name)
    for old, new in ((r"\bigl", ""), (r"\bigr", ""), ("{,}", ""), (r"\,", "*"), (r"\cdot", "*"),
                     (r"\thinspace", "*"), (r"\tfrac", r"\frac")):
        text = text.replace(old, new)
    while r"\frac" in text:
        before, _, rest = text.rpartition(r"\frac")
        top, rest = group(rest)
        bottom, rest = group(rest)
        text = f"{before}(({top})/({bottom})){rest}"
    return of_python(text.replace("^{", "**{").replace("{", "(").replace("}", ")"), at)


def group(text: str) -> tuple[str, str]:
    """What the braces at the beginning hold, and what follows."""
    assert text[0] == "{", text
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "{") - (c == "}")
        if not depth:
            return text[1:i], text[i + 1:]
    raise AssertionError(f"no end: {text}")


@settings(quick, max_examples=200)
@given(TREES)
def test_every_notation_reads_back_to_the_same_value(tree: ex.Expr) -> None:
    try:
        wanted = value(tree)
    except ZeroDivisionError:
        assume(False)
    assert of_python(str(tree)) == wanted
    assert of_text(TextWriter().write(tree)) == wanted
    assert of_latex(LatexWriter().write(tree)) == wanted
    assert of_latex(LatexWriter(thin=r" \thinspace ").write(tree)) == wanted


def test_the_readers_tell_a_wrong_text() -> None:
    at = {"x": Fraction(3), "d_model": Fraction(5)}
    assert of_text("2·x³ − 1,000/(4·x)", at) == 2 * 27 - Fraction(1000, 12)
    assert of_latex(r"2 \, d_{\text{model}}^{2} + \frac{x}{\tfrac{1}{2} \, x}", at) == 52
    assert of_text("2·x + 1", at) != of_text("2·(x + 1)", at)
    assert of_latex(r"\frac{1}{x} \, x", at) != of_latex(r"\frac{1}{x \, x}", at)


@together(("text", "latex_text", "tree"), [
    ("√(P/(12·L))", r"\sqrt{\frac{P}{12 \, L}}",
     ex.Power(ex.Sym("P") / (ex.Num(12) * ex.Sym("L")), Fraction(1, 2))),
    ("(√(x + 1))²", r"(\sqrt{x + 1})^{2}",
     ex.Power(ex.Power(ex.Sym("x") + 1, Fraction(1, 2)), 2)),
    ("x^(1/3)", "x^{1/3}", ex.Power(ex.Sym("x"), Fraction(1, 3))),
    ("−3·x", r"-3 \, x", ex.Num(-3) * ex.Sym("x")),
    ("8/3·d_model", r"\tfrac{8}{3} \, d_{\text{model}}",
     ex.Num(Fraction(8, 3)) * ex.Sym("d_model")),
    ("2·32000·4096", r"2 \cdot 32000 \cdot 4096", ex.Product((ex.Num(2), ex.Num(32000),
                                                              ex.Num(4096)))),
    ("6,738,415,616", "6{,}738{,}415{,}616", ex.Num(6738415616)),
])
def test_examples_of_notation(text: str, latex_text: str, tree: ex.Expr) -> None:
    assert TextWriter().write(tree) == text.replace("−3", "−3")
    assert LatexWriter().write(tree) == latex_text


@together("name", sorted(PRESETS))
def test_no_two_dims_look_alike_in_a_notation(name: str) -> None:
    notation = PRESETS[name]
    for write in (TextWriter(notation=notation).symbol, LatexWriter(notation=notation).symbol):
        shown = [write(dim.name) for dim in known_dims()]
        assert len(set(shown)) == len(shown)


def test_an_unknown_notation_or_format_is_named() -> None:
    with pytest.raises(UnknownName, match="palm"):
        notation_of("pam")
    with pytest.raises(UnknownName, match="markdown"):
        render(Document("x", ()), "markdwon")


# --- equations broken over lines ------------------------------------------------------------

def texts_of(equality: Equality) -> tuple[str, str]:
    """The right side as text and as LaTeX, lines joined and braces taken off."""
    text = " ".join(line.strip() for line in TextFormat().equality(equality))
    text = re.sub(r" \[[^\]]*\]", "", text).partition(" = ")[2]
    (rows,) = (side.partition("&=")[2] for side in sides(LatexFormat().rows(equality)))
    while r"\underbrace" in rows:
        before, _, rest = rows.partition(r"\underbrace")
        inside, rest = group(rest)
        rows = before + inside + group(rest.removeprefix("_"))[1]
    return text, re.sub(r"&|\\q?quad|\{\}", "", rows)


@few
@given(decoders(), st.sampled_from(((), ("none",), ("d_ff = 8/3*d_model",))), st.booleans())
def test_equations_mean_the_same_however_they_are_broken(
        case: tuple[Arch, Dims], texts: tuple[str, ...], with_numbers: bool) -> None:
    arch, dims = case
    if arch.get("ffn") == "moe" or arch.get("attention") == "mla":  # no d_ff, no d_head
        texts = ()
    d = derive(engine(arch, dims if with_numbers and not texts else {}), texts)
    at = {dim.name: Fraction(7 + 3 * i, 2 + i % 5) for i, dim in enumerate(known_dims())}
    shown = [(s.after, labels) for s in d.steps[1:] for labels in (False, True)]
    for line, labels in shown:
        terms = tuple(Braced(t.shown, t.label) for t in line.terms) if labels else plain_terms(
            line.expr)
        text, rows = texts_of(Equality(ex.Sym("P"), (("=", terms),)))
        wanted = value(line.expr, at)
        assert of_text(text, at) == wanted, text
        assert of_latex(rows, at) == wanted, rows


@few
@given(decoders())
def test_no_line_of_a_derivation_is_wider_than_the_page(case: tuple[Arch, Dims]) -> None:
    d = derive(engine(*case))
    wide = [line for line in TextFormat().document(derivation_document(d)).splitlines()
            if len(line) > WIDTH]
    assert not wide


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", published())
@pytest.mark.parametrize("what", ["count", "tensors", "derivation"])
def test_no_line_of_a_published_model_is_wider_than_the_page(name: str, what: str) -> None:
    model = load(name)
    if what == "derivation":
        document = derivation_document(derived(name))
    else:
        document = count_document(count_model(model), what == "tensors")
    wide = [line for line in TextFormat().document(document).splitlines() if len(line) > WIDTH]
    assert not wide


_cells = st.text(st.sampled_from("ab c-_/·²,12"), max_size=30)
_tables = st.integers(1, 5).flatmap(lambda n: st.tuples(
    st.lists(st.sampled_from(("left", "right")), min_size=n, max_size=n),
    st.lists(st.lists(_cells, min_size=n, max_size=n), min_size=1, max_size=5)))


@few
@given(_tables, st.booleans())
def test_a_table_loses_no_character(found: tuple[list[Any], list[list[str]]], total: bool) -> None:
    aligns, rows = found
    table = Table(tuple(Column(f"t{i}", a) for i, a in enumerate(aligns)),
                  tuple(map(tuple, rows)), total)
    wanted = "".join([*(c.title for c in table.columns), *(c for row in rows for c in row)])
    shown = TextFormat().table(table).replace("─", "")
    assert sorted("".join(shown.split())) == sorted("".join(wanted.split()))


# --- numbers --------------------------------------------------------------------------------

@few
@given(st.fractions(-10**6, 10**6), st.integers(0, 5))
@example(Fraction(1, 8), 2)
@example(Fraction(-5, 2), 0)
@example(Fraction(-1, 1000), 2)
def test_decimals_round_halves_away_from_zero(number: Fraction, places: int) -> None:
    text = decimal(number, places)
    unit = Fraction(1, 10**places)
    shown = Fraction(text)
    assert abs(shown - number) <= unit / 2
    if abs(shown - number) == unit / 2:
        assert abs(shown) > abs(number)
    assert len(text.partition(".")[2]) == places
    assert not text.startswith("-") or shown < 0


@together(("part", "of", "text"), [
    (1, 8, "12.5 %"), (1, 10**6, "<0.1 %"), (0, 5, "0.0 %"), (1, 2000, "0.1 %"),
    (1, 2001, "<0.1 %"), (5, 5, "100.0 %"), (1, 3, "33.3 %"), (0, 0, "0.0 %")])
def test_percentages(part: int, of: int, text: str) -> None:
    assert percent(part, of) == text


@given(st.integers(0, 9 * 10**14))
@example(999_995)
@example(999_999_999)
@example(999_994_999)
@few
def test_a_short_number_is_near_and_has_a_unit_that_fits(number: int) -> None:
    mantissa, _, unit = short(number).partition(" ")
    size = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12, "·10¹⁵": 10**15}[unit]
    assert abs(Fraction(mantissa) * size - number) <= Fraction(size, 200)
    assert Fraction(mantissa) < 1000
    assert Fraction(mantissa) >= 1 or not unit


@given(st.integers())
@few
def test_grouped_numbers_are_exact(number: int) -> None:
    assert int(grouped(number).replace(",", "")) == number
    assert all(len(part.lstrip("-")) == 3 for part in grouped(number).split(",")[1:])
    assert grouped(Fraction(number)) == grouped(number)


# --- nothing that somebody named is live ----------------------------------------------------

HOSTILE = ["$\\input{../secret}$", "<script>alert(1)</script>", "a | b || c", "`code` ``x``",
           "\\write18{rm -rf}", "^^M \\catcode`\\%=12", "two\nlines\r\nand\rmore", "😀 emoji",
           "\u202egnirts\u202c", "\x1b[31mred\x1b[0m", "\x00\x07\x9b", "_*[x](http://y)*_ ![z](w)",
           "# heading", "1. one", "- dash", "+ plus", "---", "===", "    indented", "&lt; &amp;",
           "%comment", "}{", "\\end{document}", "~~~", "[x] y", "* z", "\\", "$$", "<!--",
           "http://example.org", "x\u2028y\u2029z\x85", "{% raw %} << x >> <% y %> <# z #>",
           "!`?`", "| --- |", "\ufeff"]
ODD = st.text(st.sampled_from("ab $\\{}_^~%&#|<>`*[]()!-+=.1\n\r\t\x1b\u202e\u200fé😀'\""),
              max_size=24)


@lru_cache(64)
def named(name: str) -> Document:
    """Everything that a description's free texts reach, counted and derived."""
    model = describe_model("file", {
        "name": name, "source": name, "note": name, "claim": name,
        "dims": {"V": 10, "L": 2, "d_model": 8, "n_heads": 2, "d_ff": 16},
        "blocks": [{"attention": "mha", "ffn": "mlp", "norm": "rmsnorm"}]}, "x")
    counted, derived = count_document(count_model(model), True), derivation_document(derive(model))
    own = (Heading(spans(name)), Paragraph(spans(Strong(f"a{name}z"))), Items((spans(name),)),
           Table((Column("c"),), ((name,), (Code(name),))), Paragraph(spans(Code(name))))
    return Document(counted.title, (*counted.blocks, *derived.blocks, *own))


@cache
def harmless(kind: str) -> str:
    """The same with a name that could hurt nobody."""
    return render(named("x"), kind)


SAFE_LATEX = re.compile(
    r"(?:\\text(?:backslash|asciicircum|asciitilde|less|greater|bar)\{\}|\\[{}$&#%_]|\\dots\{\}"
    r"|\$(?:\\(?:cdot|times|approx|partial|le|ge)|-|\^\{[0-9]+\}|\\sqrt\{\\ \})\$"
    r"|\\texttt\{U\+[0-9A-F]{4,6}\}|\\quad\{\}|\{[][*]\}|-\{\}-|[^\\{}$&#%_^~\x00-\x1f])*")


@settings(quick, max_examples=300)
@given(st.one_of(ODD, st.text(max_size=12), st.sampled_from(HOSTILE)))
def test_escaped_latex_is_plain_text(text: str) -> None:
    shown = latex.escape(text)
    assert SAFE_LATEX.fullmatch(shown), shown
    assert balanced(shown)


def balanced(text: str) -> bool:
    """Whether braces that LaTeX sees come in pairs."""
    depth = 0
    for c in re.sub(r"\\[\\{}]", "", text):
        depth += (c == "{") - (c == "}")
        if depth < 0:
            return False
    return depth == 0


@pytest.mark.thinned(5)
@pytest.mark.parametrize("kind", ["latex", "standalone"])
@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_name_changes_no_command_of_a_document(text: str, kind: str) -> None:
    def commands(source: str) -> list[str]:
        shown = re.sub(r"\\(?:allowbreak|text(?:backslash|ascii\w+|less|greater|bar))\{\}"
                       r"|\\[{}$&#%_ ]|\\texttt\{U\+\w+\}|\\dots\{\}|\{[][*]\}"
                       r"|(?<=-)\{\}(?=-)", "", source)
        return re.findall(r"\\\\|\\[a-zA-Z]+|[{}&]", shown)

    hostile, plain = render(named(text), kind), harmless(kind)
    assert commands(hostile) == commands(plain)
    assert len(hostile.splitlines()) == len(plain.splitlines())
    assert balanced(hostile)


#: What keeps a dollar or a backslash of a text apart from the next.
SPAN = ("<span>", "</span>")


def structure(source: str) -> list[tuple[str, str]]:
    """The kinds of everything that a Markdown reader sees, and the live parts' own text."""
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    found: list[tuple[str, str]] = []
    for token in reader.parse(source):
        found.append((token.type, token.tag))
        found += [(t.type, t.tag) for t in token.children or () if t.type not in {
            "text", "text_special", "softbreak"} and t.content not in SPAN]
    return found


@pytest.mark.thinned(3)
@settings(quick, max_examples=50, phases=(Phase.explicit, Phase.generate))
@given(st.one_of(ODD, st.sampled_from(HOSTILE)))
@example("1. one")
@example("--")
@example("+ plus")
@example("two\rlines")
def test_a_hostile_name_changes_nothing_in_markdown(text: str) -> None:
    assume(clean(text).strip())
    source = render(named(text), "markdown")
    assert structure(source) == structure(harmless("markdown"))


@few
@given(ODD)
def test_escaped_markdown_reads_as_it_was_written(text: str) -> None:
    (_, inline, *_) = MarkdownIt("commonmark", {"html": True}).parse(f"x{markdown.escape(text)}x")
    shown = "".join(t.content if t.type != "softbreak" else " " for t in inline.children or ()
                    if t.content not in SPAN)
    assert "".join(shown.split()) == "".join(f"x{clean(text)}x".split())


@few
@given(st.text(st.sampled_from("ab`|<*"), min_size=1, max_size=9))
@example("a `` b ` c ``` d")
@example("a|b")
def test_code_in_a_table_of_markdown_reads_as_it_was_written(text: str) -> None:
    table = f"| c |\n| --- |\n| {markdown.MarkdownFormat().cell(Code(text))} |\n"
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(table)
    (cell,) = [t for i, t in enumerate(tokens) if tokens[i - 1].type == "td_open"]
    assert [(t.type, t.content) for t in cell.children or ()] == [("code_inline", text)]


CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@pytest.mark.thinned(8)
@pytest.mark.parametrize("kind", ["text", "markdown", "mkdocs", "latex", "standalone"])
@pytest.mark.parametrize("text", HOSTILE)
def test_no_control_character_comes_through(text: str, kind: str) -> None:
    """Neither escape sequences for a terminal nor marks that turn a line around."""
    assert not CONTROL.search(render(named(text), kind))


@pytest.mark.thinned(3)
@pytest.mark.parametrize("text", HOSTILE)
def test_a_name_breaks_no_title(text: str) -> None:
    title = TextFormat().document(named(text)).partition("\n\n")[0]
    assert "1,224 parameters" in " ".join(title.split())
    assert title.count("\n") <= 1 + len(text) // 40


def test_every_kind_of_block_and_span_in_every_format() -> None:
    tree = ex.Num(12) * ex.Sym("L") * ex.Sym("d_model") ** 2
    document = Document("title", (
        Heading(spans("head ", Math(tree))), Paragraph(spans("see ", Strong("bold"), Code("a_b"))),
        Items((spans("item"), spans(Label(("W_Q", "gate"))))),
        Display((Equality(ex.Sym("P"), (("≈", (Braced(tree, ("matrices",)),)),)),)),
        Table((Column("a"), Column("b", "right")), (("x", (Math(tree, "=", tree), "!")),))))
    for kind in ("text", "markdown", "mkdocs", "latex", "standalone", "html", "notebook"):
        shown = render(document, kind)
        for word in ("title", "head", "bold", "item", "gate", "matrices"):
            assert word in shown, (kind, word)
        assert shown.endswith("\n")
        assert not shown.endswith("\n\n")


@pytest.mark.thinned(2)
@pytest.mark.parametrize("line", [
    "count gpt2", "count bert-base --tensors", "derive gpt2 --leading", "models", "components",
    "solve P=1e9 L=16", "align gpt2", "derive llama-2-7b --assume d_ff=8/3*d_model --leading"])
def test_what_the_package_says_itself_can_be_set_in_latex(
        line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A character that LaTeX lacks is written as its number: for names of others, not for ours."""
    assert run([*line.split(), "--latex"]) == 0
    assert r"\texttt{U+" not in capsys.readouterr().out


# --- golden files ---------------------------------------------------------------------------

GOLDEN = {
    "derive-llama-2-7b.txt": ["derive", "llama-2-7b"],
    "derive-llama-2-7b.md": ["derive", "llama-2-7b", "--format", "markdown"],
    "derive-llama-2-7b.tex": ["derive", "llama-2-7b", "--latex"],
    "derive-llama-2-7b.json": ["derive", "llama-2-7b", "--json"],
    "derive-swiglu-leading.txt": ["derive", "--ffn", "swiglu", "--leading"],
    "diff-llama-2-7b-mlp.txt": ["diff", "llama-2-7b", "--ffn", "mlp"],
    "diff-llama-2-7b-mlp.md": ["diff", "llama-2-7b", "--ffn", "mlp", "--format", "markdown"],
    "diff-llama-2-7b-mlp.json": ["diff", "llama-2-7b", "--ffn", "mlp", "--json"],
    "diff-llama-2-7b-words.txt": ["diff", "llama-2-7b", "V=32001"],
    "sensitivity-kv-cache.txt": ["sensitivity", "llama-2-7b", "--quantity", "kv_cache"],
    "sensitivity-kv-cache.tex": ["sensitivity", "llama-2-7b", "--quantity", "kv_cache", "--latex"],
    "sensitivity-flops.json": ["sensitivity", "gpt2", "--quantity", "flops", "--json"],
    "derive-sensitivity.txt": ["derive", "llama-2-70b", "--sensitivity"],
    "derive-kv-sensitivity.txt": ["derive", "llama-2-70b", "--quantity", "kv_per_token",
                                  "--sensitivity"],
    "derive-joined-entries.txt": ["derive", "deepseek-v4-flash", "--quantity", "kv_per_token"],
    "diff-mixtral-flops.txt": ["diff", "mixtral-8x7b", "llama-2-7b", "--quantity",
                               "flops_per_token", "s=4096"],
    "diff-mixtral-qwen3.txt": ["diff", "mixtral-8x7b", "qwen3-30b-a3b"],
    "solve-swiglu.txt": ["solve", "P=7e9", "L=32", "--ffn", "swiglu"],
    "align-deepseek-v3.txt": ["align", "deepseek-v3"],
    "count-gpt2.txt": ["count", "gpt2"],
    "count-gpt2.json": ["count", "gpt2", "--json"],
    "count-gpt2.html": ["count", "gpt2", "--format", "html"],
}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str, golden: Callable[[str, str], None],
                capsys: pytest.CaptureFixture[str]) -> None:
    assert run(GOLDEN[name]) == 0
    golden(name, capsys.readouterr().out)


@pytest.mark.slow
def test_output_does_not_depend_on_the_order_of_hashing() -> None:
    commands = [*GOLDEN.values(), ["components", "--format", "mkdocs"], ["components"],
                ["solve", "P=1e9", "L=16"], ["sensitivity", "mixtral-8x7b"],
                ["diff", "gpt2", "llama-2-7b"],
                ["derive", "deepseek-v3", "--detail", "full", "--format", "html"],
                ["derive", "gpt2", "--leading", "--assume", "none", "--assume",
                 "d_ff=4*d_model", "--assume", "n_kv=n_heads", "--assume",
                 "d_head=d_model/n_heads", "--latex"],
                ["derive", "--attention", "gqa", "--bias", "all", "--positions", "learned"]]
    program = ("import json, sys\nfrom symparam.cli.main import run\n"
               "sys.exit(max(run(c) for c in json.loads(sys.argv[1])))")
    running = [subprocess.Popen([sys.executable, "-c", program, json.dumps(commands)],
                                env={**os.environ, "PYTHONHASHSEED": seed},
                                stdout=subprocess.PIPE) for seed in "0123"]
    found = [process.communicate()[0] for process in running]
    assert [process.returncode for process in running] == [0] * 4
    assert len(set(found)) == 1
    assert found[0].count(b"6,738,415,616") >= 3


def test_fractions_are_written_as_other_numbers() -> None:
    assert grouped(parse_value("-132120576/5")) == "−132,120,576/5"


def parse_value(text: str) -> ex.Rational:
    """A fraction of the grammar."""
    return ex.evaluate(parse_expression(text), {})
