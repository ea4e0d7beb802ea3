"""HTML and the two kinds of Markdown: well formed, inert, and no step lost on the way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import html5lib
import pytest
from hypothesis import Phase, assume, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from symparam import expression as ex
from symparam.api import decoder, load
from symparam.cli.main import run
from symparam.derivation.plan import derive
from symparam.dims import describe, known_dims
from symparam.documents.count import count_document
from symparam.documents.count_data import count_model
from symparam.documents.derivations.document import derivation_document
from symparam.letters import ACCENTS, FONTS, GREEK, Letter, read
from symparam.notation.notation import PRESETS, Notation
from symparam.templating.render import render
from symparam.writers.document import (
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
from symparam.writers.html import HtmlFormat
from symparam.writers.latex import matrix
from symparam.writers.markdown import MarkdownFormat, MkdocsFormat
from symparam.writers.mathml import MathmlWriter, mathml_of, names_below
from symparam.writers.text import TextFormat
from tests import helpers
from tests.formulas import on_a_site, on_github, sides, site
from tests.helpers import together
from tests.strategies import Arch, Dims, decoders, engine, quick
from tests.test_export import (
    HOSTILE,
    ODD,
    POINT,
    TREES,
    group,
    named,
    of_latex,
    of_python,
    of_text,
    value,
)
from tests.test_rendering import lines_of

few = settings(quick, max_examples=25, phases=(Phase.explicit, Phase.generate))

#: Every element of MathML Core that is used here, and how many children it takes.
CHILDREN = {"math": None, "mrow": None, "mi": 0, "mn": 0, "mo": 0, "mspace": 0, "mstyle": None,
            "mpadded": None, "msub": 2, "msup": 2, "msubsup": 3, "mfrac": 2, "msqrt": None,
            "munder": 2, "mover": 2, "mtable": None, "mtr": 2, "mtd": None}
LINES = ("derive gpt2 --leading --assume none --assume d_ff=4*d_model --assume n_kv=n_heads "
         "--assume d_head=d_model/n_heads", "derive llama-2-7b --notation hf",
         "derive deepseek-v3 --notation megatron", "count deepseek-v3", "count gpt2 --tensors",
         "solve P=1e9 L=16", "align gpt2", "models qwen3", "components",
         "derive --attention mla --ffn moe --notation palm", "derive t5-base --notation "
         "scaling-book")


def reader(page: str) -> ET.Element:
    """The part of a page, or a fragment, that stands for the document, read as strictly as XML."""
    found = re.search(r"<(main|div) class=\"symparam.*</\1>", page, re.DOTALL)
    assert found, page[:200]
    return ET.fromstring(found[0])


def printed(line: str, kind: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints in a format."""
    assert run([*line.split(), "--format", kind]) in {0, 1}
    return capsys.readouterr().out


def words(element: ET.Element) -> str:
    """All text below an element."""
    return "".join(element.itertext())


# --- a page ---------------------------------------------------------------------------------

def faults(page: str) -> Iterator[str]:
    """What is wrong with a page."""
    try:
        html5lib.HTMLParser(strict=True).parse(page)
        root = reader(page)
    except (html5lib.html5parser.ParseError, ET.ParseError, AssertionError) as error:
        yield f"not well formed: {error!r}"
        return
    before = 0
    for element in root.iter():
        if re.fullmatch("h[1-6]", element.tag):
            level = int(element.tag[1])
            if level > before + 1:
                yield f"{element.tag} after h{before}"
            before = level
        if element.tag == "th" and element.get("scope") != "col":
            yield "a head without a scope"
        yield from (f"attribute {name}" for name in element.attrib if name not in ATTRIBUTES)
    yield from (fault for math in root.iter("math") for fault in wrong_math(math))
    for word in ("<script", "javascript:", "url(", "@import", "src=", "href=", "<link", "<img"):
        if word in page.lower():
            yield word


ATTRIBUTES = {"class", "scope", "display", "displaystyle", "form", "stretchy", "lspace", "rspace",
              "width", "height", "voffset", "accent", "mathvariant", "aria-hidden"}


def wrong_math(math: ET.Element) -> Iterator[str]:
    """What is wrong with a formula."""
    for element in math.iter():
        if element.tag not in CHILDREN:
            yield f"no such element: {element.tag}"
        elif CHILDREN[element.tag] not in {None, len(element)}:
            yield f"{element.tag} with {len(element)} children"
        between = [element.text if len(element) else "", *(child.tail for child in element)]
        if any((text or "").strip() for text in between):
            yield f"words in {element.tag}"
        if element.tag in {"mi", "mn", "mo"} and not (element.text or "").strip():
            yield f"an empty {element.tag}"


@pytest.mark.thinned(2)
@pytest.mark.parametrize("line", LINES)
def test_a_page_is_right(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = printed(line, "html", capsys)
    assert list(faults(page)) == []
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">')
    assert "default-src 'none'" in page
    title = re.search("<title>(.*)</title>", page)
    assert title is not None
    assert f"<h1>{title[1]}</h1>" in page


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("old", "new"), [
    ("</math>", ""), ("<mi>V</mi>", "<mi>V"), ("<h2>", "<h4>"), ("<td", '<td onclick="x"'),
    ("<p>", "<p><script>x</script>"), ('<th scope="col"', "<th"), ("</table>", "</table></b>"),
    ("<mi>V</mi>", "<mi>V</mi>x"), ("<mi>V</mi>", "<mi></mi>"), ("<mi>V</mi>", "<b>V</b>"),
    ("<msub>", "<msubsup>"), (".symparam", ".x { background: url(x) } .symparam")])
def test_a_wrong_page_is_noticed(old: str, new: str) -> None:
    page = load("gpt2").derive().html()
    assert old in page
    page = page.replace(old, new, 1)
    if old == "<msub>":
        page = page.replace("</msub>", "</msubsup>", 1)
    if "<h4>" in new:
        page = page.replace("</h2>", "</h4>", 1)
    assert list(faults(page))


def test_a_fragment_is_no_page() -> None:
    page = load("gpt2").derive()._repr_html_()
    root = reader(page)
    assert not [f for math in root.iter("math") for f in wrong_math(math)]
    assert [e.tag for e in root.iter() if re.fullmatch("h[1-6]", e.tag)][:2] == ["h3", "h4"]
    assert "mathjax_ignore" in str(root.get("class"))
    assert not re.search(r"<(html|head|body|main|meta|title|script)\b", page)


def test_colours_and_type_belong_to_the_page_alone() -> None:
    page = load("gpt2").breakdown()
    assert "prefers-color-scheme" in page.html()
    fragment = page._repr_html_()
    assert "prefers-color-scheme" not in fragment
    rules = re.search("<style>(.*)</style>", fragment, re.DOTALL)
    assert rules
    for line in rules[1].splitlines():  # nothing outside the fragment changes its look
        assert not re.match(r"[a-z.#*:]", line) or line.startswith(".symparam"), line


# --- formulas read back ---------------------------------------------------------------------

SIGNS = {"−": "-", "⋅": "*", "\u2062": "*", "=": "=", "≈": "=", "⏟": ""}


def of_mathml(element: ET.Element, names: dict[str, str]) -> str:
    """A formula as Python reads it; ``names``: words to the symbol that they stand for."""
    if element.tag in {"mi", "msub"}:
        return names["_".join(words(child) for child in element) or words(element)]
    if element.tag == "msubsup":
        symbol = names[f"{words(element[0])}_{words(element[1])}"]
        return f"({symbol})**({of_mathml(element[2], names)})"
    if element.tag == "munder":  # what is below the brace is a remark
        return of_mathml(element[0], names)
    inside = [of_mathml(child, names) for child in element]
    match element.tag:
        case "mn":
            return (element.text or "").replace(",", "")
        case "mo":
            return SIGNS.get(element.text or "", element.text or "")
        case "msup":
            return f"({inside[0]})**({inside[1]})"
        case "mfrac":
            return f"(({inside[0]})/({inside[1]}))"
        case "mspace":
            return ""
        case "mtr":
            return f"{inside[0]}{inside[1]}\n"
    return "".join(inside)


def names_of(at: object) -> dict[str, str]:
    """The words of each symbol's MathML, which its letter has in plain text."""
    return {str(describe(name).letter): name for name in at}  # type: ignore[attr-defined]


def of_markup(text: str, at: dict[str, Fraction]) -> Fraction:
    """The value of an expression in MathML, paper notation."""
    return of_python(of_mathml(ET.fromstring(f"<math>{text}</math>"), names_of(at)), at)


@settings(quick, max_examples=100)
@given(TREES)
def test_mathml_reads_back_to_the_same_value(tree: ex.Expr) -> None:
    try:
        wanted = value(tree)
    except ZeroDivisionError:
        assume(False)
    shown = MathmlWriter().write(tree)
    assert of_markup(shown, POINT) == wanted
    assert not list(wrong_math(ET.fromstring(f"<math>{shown}</math>")))
    assert of_markup(MathmlWriter().factor(tree), POINT) == wanted


def test_the_reader_tells_a_wrong_formula() -> None:
    at = {"x": Fraction(3), "d_model": Fraction(5)}
    assert of_markup("<mn>2</mn><mo>&#x2062;</mo><msup><mi>x</mi><mn>3</mn></msup>", at) == 54
    assert of_markup("<mfrac><mn>1</mn><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow></mfrac>",
                     at) == Fraction(1, 4)
    with pytest.raises(SyntaxError):
        of_markup("<mn>2</mn><msub><mi>d</mi><mi>model</mi></msub>", at)
    assert list(wrong_math(ET.fromstring("<math><msup><mi>x</mi></msup></math>")))


@settings(quick, max_examples=50)
@given(lines_of)
def test_broken_lines_say_what_the_tree_says(tree: ex.Expr) -> None:
    at = {name: Fraction(3 * i + 2, 5) for i, name in enumerate([*ex.symbols_in(tree), "P"])}
    rows = HtmlFormat().rows(Equality(ex.Sym("P"), (("=", plain_terms(tree)),)))
    shown = of_mathml(ET.fromstring(f"<mtable>{''.join(rows)}</mtable>"), names_of(at))
    assert of_python(shown.replace("\n", "").partition("=")[2], at) == helpers.value(tree, at)


@together(("tree", "markup"), [
    (ex.Sym("d_model") ** 2, "<msubsup><mi>d</mi><mi>model</mi><mn>2</mn></msubsup>"),
    (ex.Sym("L") ** 2, "<msup><mi>L</mi><mn>2</mn></msup>"),
    (ex.Power(ex.Sym("L"), Fraction(1, 2)), "<msqrt><mi>L</mi></msqrt>"),
    (ex.Power(ex.Sym("L"), Fraction(-1, 3)), "<msup><mi>L</mi><mrow><mo>−</mo><mn>1</mn>"
     "<mo>/</mo><mn>3</mn></mrow></msup>"),
    (ex.Num(Fraction(8, 3)), '<mstyle displaystyle="false"><mfrac><mn>8</mn><mn>3</mn></mfrac>'
     "</mstyle>"),
    (ex.Num(-7_000_000), "<mo>−</mo><mn>7,000,000</mn>"),
    (ex.Num(2) * 3 * ex.Sym("L"), '<mn>6</mn><mo lspace="0em" rspace="0.17em">&#x2062;</mo>'
     "<mi>L</mi>"),
    (ex.Product((ex.Num(2), ex.Num(3))), "<mn>2</mn><mo>⋅</mo><mn>3</mn>"),
    (ex.Sym("L") / ex.Sym("V"), "<mfrac><mi>L</mi><mi>V</mi></mfrac>")])
def test_examples_of_mathml(tree: ex.Expr, markup: str) -> None:
    assert MathmlWriter().write(tree) == markup


def test_names_below_a_brace() -> None:
    one = "<msub><mi>W</mi><mi>Q</mi></msub>"
    assert names_below(["W_Q"]) == one
    assert names_below(["W_Q", "gate"]) == f"<mrow>{one}<mo>,</mo><mi>gate</mi></mrow>"
    assert names_below(["in_proj"]) == "<mi>in_proj</mi>"
    assert names_below(["<b>"]) == "<mi>&lt;b&gt;</mi>"


# --- letters --------------------------------------------------------------------------------

@together("notation", PRESETS.values(), ids=PRESETS)
def test_every_dim_has_a_symbol_of_its_own(notation: Notation) -> None:
    shown = [MathmlWriter(notation=notation).symbol(dim.name) for dim in known_dims()]
    assert not any(wrong_math(ET.fromstring(each)) for each in shown if "<mi></mi>" in each)
    assert len(set(shown)) == len(shown)


@together(("latex", "markup"), [
    (r"h_{\text{ffn}}", "<msub><mi>h</mi><mi>ffn</mi></msub>"),
    (r"\mathtt{hidden\_size}", '<mi class="tt">hidden_size</mi>'),
    (r"L_{\text{a\ b}}", "<msub><mi>L</mi><mi>a b</mi></msub>"),
    (r"\tilde{d}_1", '<msub><mover accent="true"><mi>d</mi><mo>~</mo></mover><mn>1</mn></msub>'),
    (r"r_{\Delta}", '<msub><mi>r</mi><mi mathvariant="normal">Δ</mi></msub>'),
    (r"\lambda^{*}_{kv}",
     "<msubsup><mi>λ</mi><mrow><mi>k</mi><mi>v</mi></mrow><mo>*</mo></msubsup>"),
    (r"\lambda", "<mi>λ</mi>"), (r"\text{v}", '<mi mathvariant="normal">v</mi>'),
    (r"\mathit{dt}_x", '<msub><mi class="it">dt</mi><mi>x</mi></msub>'),
    (r"n_{12}", "<msub><mi>n</mi><mn>12</mn></msub>"),
    (r"n_{a+1}", "<msub><mi>n</mi><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow></msub>")])
def test_letters(latex: str, markup: str) -> None:
    assert mathml_of(read(latex)) == markup


PRIMED = ('<mpadded voffset="-0.3em" height="0.3em" lspace="0.1em"><mo class="prime">′</mo>'
          "</mpadded>")


@together(("name", "markup"), [
    ("L", "<mi>L</mi>"), ("L′", f"<msup><mi>L</mi>{PRIMED}</msup>"),
    ("L_a_b′", f"<msubsup><mi>L</mi><mi>a b</mi>{PRIMED}</msubsup>"),
    ("ΔL", '<mrow><mi mathvariant="normal">Δ</mi><mi>L</mi></mrow>'),
    ("∂ln L", "<mrow><mi>∂</mi><mi>ln</mi><mi>L</mi></mrow>"),
    ("ⅆL", '<mrow><mi mathvariant="normal">d</mi><mi>L</mi></mrow>'),
    ("V", "<msup><mi>v</mi><mo>*</mo></msup>"),
    ("V′", f"<msup><msup><mi>v</mi><mo>*</mo></msup>{PRIMED}</msup>")])
def test_symbols(name: str, markup: str) -> None:
    own = Notation("own", "", {"V": "v^*"})
    assert MathmlWriter(notation=own).symbol(name) == markup


WORDS = st.text(st.characters(min_codepoint=33, max_codepoint=0x3ff, exclude_categories=(
    "C", "M", "Z")), min_size=1, max_size=6)
ONE = st.one_of(
    st.builds(Letter, st.sampled_from([*GREEK.values(), *"dLx17+-*/,"]), accent=st.sampled_from(
        ["", *ACCENTS])), st.builds(Letter, WORDS, st.sampled_from(FONTS)))
SCRIPT = st.lists(ONE, max_size=3).map(tuple)
ANY_LETTER = st.builds(lambda core, below, above: Letter(core.base, core.font, below, above,
                                                         core.accent), ONE, SCRIPT, SCRIPT)


@settings(quick, max_examples=150)
@given(ANY_LETTER)
def test_any_letter_is_one_right_element_with_all_that_it_holds(letter: Letter) -> None:
    shown = ET.fromstring(mathml_of(letter))
    assert list(wrong_math(shown)) == []
    held = "".join(each.base for each in (letter, *letter.below, *letter.above))
    accents = sum(each.tag == "mover" for each in shown.iter())
    assert accents == sum(bool(e.accent) for e in (letter, *letter.below, *letter.above))
    for mover in [each for each in shown.iter() if each.tag == "mover"]:
        mover.remove(mover[1])
    assert "".join(shown.itertext()).replace("−", "-") == held


# --- nothing that somebody named is live ----------------------------------------------------

def tags(page: str) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """Every element of a page with its attributes, in order."""
    root = html5lib.parse(page, namespaceHTMLElements=False)
    return [(str(e.tag), tuple(sorted(e.attrib.items()))) for e in root.iter()]


def labelled(text: str) -> Document:
    """A text at every place of a document."""
    return Document(text, (
        Heading(spans(text)), Heading(spans("a ", Strong(f"a{text}z")), 3),
        Paragraph(spans(text, Math(ex.Sym("L")))), Paragraph(spans(Code(text))),
        Items((spans(text), spans(Code(text), text))),
        Table((Column(text), Column("n", "right")), ((text, Code(text)), (Strong("s"), "1")))))


@cache
def harmless(kind: str) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """The elements with a text that could hurt nobody."""
    return tags(render(labelled("x"), kind))


@pytest.mark.thinned(4)
@pytest.mark.parametrize("kind", ["html", "notebook"])
@pytest.mark.parametrize("text", [*HOSTILE, "\u202e", "├─ x", "│", "</main>", "</style><b>",
                                  "\" onload=\"x", "&#x3c;script>", "]]>", "-->", "<![CDATA["])
def test_a_hostile_name_is_plain_text(text: str, kind: str) -> None:
    page = render(labelled(text), kind)
    found = [tag for tag in tags(page) if tag[0] != "span"]  # (a drawn branch is one)
    assert found == [tag for tag in harmless(kind) if tag[0] != "span"]
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]",
                         page)
    root = html5lib.parse(page, namespaceHTMLElements=False)
    shown = [" ".join("".join(e.itertext()).split()) for e in root.iter("code")]
    assert " ".join(clean(text).split()) in shown


@few
@given(ODD)
def test_any_text_reads_as_it_was_written(text: str) -> None:
    for write in (HtmlFormat().text, HtmlFormat().strong, HtmlFormat().code):
        assert words(ET.fromstring(f"<p>{write(text)}</p>")) == clean(text)


def plain_tags(source: str) -> list[str]:
    """The elements of a site's page, without the names of its headings."""
    root = html5lib.parse(site(source), namespaceHTMLElements=False)
    return [str(e.tag) for e in root.iter() if e.tag != "span" or e.attrib]


@cache
def harmless_site() -> list[str]:
    """The same with a text that could hurt nobody."""
    return plain_tags(render(labelled("x"), "mkdocs"))


@pytest.mark.thinned(4)
@pytest.mark.parametrize("text", [*HOSTILE, "\u202e", '--8<-- "pyproject.toml"', "!!! note",
                                  "??? x", ":smile:", "{: #x .y}", "==m== ^^i^^ ~~d~~ ++ctrl++",
                                  "{++x++} {--y--}", "[^1]", "[^1]: x", "*[x]: y", ": x",
                                  "/// note", "=== \"tab\"", "x { .y }", "- [ ] task",
                                  "$x$ \\(x\\) \\[x\\]"])
def test_a_hostile_name_changes_nothing_on_a_site(text: str) -> None:
    if clean(text).strip():
        source = render(labelled(text), "mkdocs")
        assert plain_tags(source) == harmless_site()
        assert len(source.splitlines()) == len(render(labelled("x"), "mkdocs").splitlines())


@pytest.mark.thinned(2)
@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "$\\input{../secret}$", "a | `b`"])
def test_a_hostile_model_changes_no_document(text: str) -> None:
    for kind in ("html", "notebook"):
        assert tags(render(named(text), kind)) == tags(render(named("x"), kind))
    assert plain_tags(render(named(text), "mkdocs")) == plain_tags(render(named("x"), "mkdocs"))


@few
@given(ODD)
def test_mkdocs_text_reads_as_it_was_written(text: str) -> None:
    shown = site(f"x{MkdocsFormat().text(text)}x")
    root = html5lib.parseFragment(shown, namespaceHTMLElements=False)
    assert "".join("".join(root.itertext()).split()) == "".join(f"x{clean(text)}x".split())


@few
@given(st.text(st.sampled_from("ab`|<*$\\_"), min_size=1, max_size=9))
@example("a `` b ` c ``` d")
def test_code_in_a_table_of_a_site_reads_as_it_was_written(text: str) -> None:
    source = f"| c |\n| --- |\n| {MkdocsFormat().cell(Code(text))} |\n"
    root = html5lib.parseFragment(site(source), namespaceHTMLElements=False)
    (code,) = root.iter("code")
    assert "".join(code.itertext()) == text
    assert len(list(root.iter("td"))) == 1


# --- no format loses a step -----------------------------------------------------------------

def at_for(document: Document) -> dict[str, Fraction]:
    """A number for every symbol of a document, no two alike."""
    found: dict[str, None] = {}
    for block in document.blocks:
        if isinstance(block, Display):
            for equality in block.equalities:
                parts = [equality.left, *(t.expr for _, side in equality.sides for t in side)]
                found |= {name: None for part in parts for name in ex.symbols_in(part)}
    return {name: Fraction(11 * i + 7, i + 3) for i, name in enumerate(found)}


Sides = list[tuple[Fraction | None, Fraction]]


def sides_of(document: Document, at: dict[str, Fraction]) -> Sides:
    """Every side of every equation: the value of what stands left of it, and its own."""
    return [(None if i else helpers.value(equality.left, at),
             sum((helpers.value(t.expr, at) for t in side), Fraction(0)))
            for block in document.blocks if isinstance(block, Display)
            for equality in block.equalities for i, (_, side) in enumerate(equality.sides)]


def sides_of_text(source: str, at: dict[str, Fraction]) -> Sides:
    found: list[tuple[str, str]] = []
    within = False
    for line in source.splitlines():
        parts = re.match(r"   (\S*) +[=≈] (.*)", line)
        within = bool(line) and (within or parts is not None)
        if parts:
            found.append((parts[1], parts[2]))
        elif within:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
    return [(at[left] if left else None, of_text(re.sub(r" ?\[[^\]]*\]", "", right), at))
            for left, right in found]


def sides_of_rows(rows: list[str], at: dict[str, Fraction]) -> Sides:
    """From the rows of aligned equations in LaTeX."""
    found: Sides = []
    for row in sides(rows):
        left, _, right = re.sub(r"&(=|\\approx)", "&", row).partition("&")
        right = re.sub(r"\{\}", "", unbraced(right))
        found.append((of_latex(left, at) if left.strip() else None, of_latex(right, at)))
    return found


def unbraced(rows: str) -> str:
    """Terms without the braces under them."""
    while r"\underbrace" in rows:
        before, _, rest = rows.partition(r"\underbrace")
        inside, rest = group(rest)
        rows = before + inside + group(rest.removeprefix("_"))[1]
    return rows


def displayed(source: str, kind: str) -> list[str]:
    """The rows of all displayed equations of a document in LaTeX or Markdown."""
    pattern, end = {
        "latex": (r"\\begin\{align\*\}\n(.*?)\\end\{align\*\}", r"\\"),
        "markdown": (r"(?:\$\$|```math)\n\\begin\{aligned\}\n(.*?)\\end\{aligned\}\n", r"\cr"),
        "mkdocs": (r"\$\$\n\\begin\{aligned\}\n(.*?)\\end\{aligned\}\n\$\$", r"\\")}[kind]
    return [re.sub(rf"{re.escape(end)}\*?$", "", line.strip())
            for body in re.findall(pattern, source, re.DOTALL) for line in body.splitlines()]


def sides_of_html(source: str, at: dict[str, Fraction]) -> Sides:
    found: Sides = []
    names = names_of(at)
    for table in reader(source).iter("mtable"):
        rows = [(of_mathml(row[0], names), of_mathml(row[1], names)) for row in table]
        joined: list[tuple[str, str]] = []
        for left, right in rows:
            if right.startswith("="):
                joined.append((left, right[1:]))
            else:
                joined[-1] = (joined[-1][0], joined[-1][1] + right)
        found += [(of_python(left, at) if left else None, of_python(right, at))
                  for left, right in joined]
    return found


@pytest.mark.thinned(3)
@settings(few, max_examples=12)
@given(decoders(), st.sampled_from(((), ("none",), ("d_ff = 8/3*d_model",))), st.booleans())
def test_no_format_loses_a_step(case: tuple[Arch, Dims], texts: tuple[str, ...],
                                with_numbers: bool) -> None:
    arch, dims = case
    if arch.get("ffn") == "moe" or arch.get("attention") == "mla":  # no d_ff, no d_head
        texts = ()
    d = derive(engine(arch, dims if with_numbers and not texts else {}), texts)
    document = derivation_document(d)
    at = at_for(document)
    wanted = sides_of(document, at)
    assert len(wanted) >= len(d.steps)
    assert sides_of_text(render(document, "text"), at) == wanted
    for kind in ("latex", "markdown", "mkdocs"):
        assert sides_of_rows(displayed(render(document, kind), kind), at) == wanted
    for kind in ("html", "notebook"):
        assert sides_of_html(render(document, kind), at) == wanted


def outline(document: Document) -> list[tuple[str, int]]:
    """The blocks in order, each with how many rows, items or equations it has."""
    found = [("heading", 1)]
    for block in document.blocks:
        match block:
            case Heading():
                found.append(("heading", block.level))
            case Paragraph(parts) if parts:
                found.append(("paragraph", 1))
            case Items(items):
                found.append(("items", len(items)))
            case Display(equalities):
                found.append(("display", len(equalities)))
            case Table():
                found.append(("table", len(block.rows)))
    return found


def outline_of_html(source: str) -> list[tuple[str, int]]:
    found = []
    for element in reader(source):
        if re.fullmatch("h[1-6]", element.tag):
            found.append(("heading", int(element.tag[1])))
        elif element.tag == "p":
            found.append(("paragraph", 1))
        elif element.tag == "ul":
            found.append(("items", len(element)))
        elif element.find("table") is not None:
            rows = [row for row in element.iter("tr") if row.find("td") is not None]
            found.append(("table", len(rows)))
        else:
            rows = list(element.iter("mtr"))
            found.append(("display", sum(bool(words(row[0])) for row in rows)))
    return found


def outline_of_markdown(source: str) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    tokens = MarkdownIt("commonmark").enable("table").parse(source)
    for token, following in zip(tokens, [*tokens[1:], tokens[-1]], strict=True):
        if token.type == "heading_open":
            found.append(("heading", int(token.tag[1])))
        elif token.type == "paragraph_open" and token.level == 0:
            text = following.content
            found.append(("display", len(re.findall(r"(?m)^\S.*?&", text)))
                         if text.startswith("$$") else ("paragraph", 1))
        elif token.type == "fence":
            found.append(("display", len(re.findall(r"(?m)^\S.*?&", token.content))))
        elif token.type == "bullet_list_open":
            found.append(("items", 0))
        elif token.type == "list_item_open":
            found[-1] = ("items", found[-1][1] + 1)
        elif token.type == "table_open":
            found.append(("table", -1))
        elif token.type == "tr_open":
            found[-1] = ("table", found[-1][1] + 1)
    return found


@cache
def documents() -> tuple[Document, ...]:
    """Documents of several commands."""
    models = [load(name) for name in ("gpt2", "mixtral-8x7b", "t5-base")]
    return (*(derivation_document(derive(model)) for model in models),
            *(count_document(count_model(model), False) for model in models),
            count_document(count_model(models[0]), True),
            decoder(ffn="swiglu").solve(P="7B", L=32).document())


@pytest.mark.thinned(3)
def test_every_format_has_the_same_outline() -> None:
    for document in documents():
        wanted = outline(document)
        assert outline_of_html(render(document, "html")) == wanted
        for kind in ("markdown", "mkdocs"):
            for notation in ("paper", "hf"):
                shown = render(document, kind, PRESETS[notation])
                found = outline_of_markdown(shown)
                assert [f for f in found if f[0] != "display"] == [
                    w for w in wanted if w[0] != "display"]
                assert [f[0] for f in found] == [w[0] for w in wanted]


@pytest.mark.thinned(3)
def test_every_cell_of_words_is_in_every_format() -> None:
    for document in documents():
        page = reader(render(document, "html"))
        cells = [words(cell) for cell in page.iter("td")]
        built = html5lib.parseFragment(site(render(document, "mkdocs")),
                                      namespaceHTMLElements=False)
        others = ["".join(cell.itertext()) for cell in built.iter("td")]
        wanted = [cell for block in document.blocks if isinstance(block, Table)
                  for row in block.rows for cell in row]
        assert len(cells) == len(others) == len(wanted)
        for cell, one, other in zip(wanted, cells, others, strict=True):
            if isinstance(cell, (str, Code)):
                text = cell if isinstance(cell, str) else cell.text
                assert clean(text) == one
                assert clean(text).strip() == other.strip()


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", ["markdown", "mkdocs"])
@pytest.mark.parametrize("notation", ["paper", "hf"])
def test_a_reader_finds_every_formula_as_it_was_written(kind: str, notation: str) -> None:
    """Also one that reads Markdown first: nothing of a formula is taken for markup."""
    out = {"markdown": MarkdownFormat, "mkdocs": MkdocsFormat}[kind](PRESETS[notation])
    find = {"markdown": on_github, "mkdocs": on_a_site}[kind]
    for document in documents():
        found = find(render(document, kind, PRESETS[notation]))
        displays = [block for block in document.blocks if isinstance(block, Display)]
        shown = [text for text, display in found if display]
        assert len(shown) == len(displays)
        for text, display in zip(shown, displays, strict=True):
            rows = [row for equality in display.equalities for row in out.rows(equality)]
            inside = text.partition("{aligned}\n")[2].partition("\n\\end")[0]
            assert [line.removesuffix(f" {out.newline}").strip()
                    for line in inside.split("\n")] == [row.strip() for row in rows]
        inline = [text for text, display in found if not display]
        assert inline == [text.strip("$`") for text in formulas_in(document, out)]


@together(("source", "right"), [
    (r"$\text{a}_{b} + \text{c}_{d}$", False), (r"$a\_b$", False), ("$a_{b} + c_{d}$", True),
    (r"$`\text{a}_{b} + \text{c}_{d}`$", True), ("```math\na\\_b\n```", True),
    ("$a*b*c$", False), ("$a < b$", True)])
def test_the_reader_notices_what_markdown_takes(source: str, right: bool) -> None:
    (found,) = on_github(source)
    assert (found[0] == source.strip("$`").removeprefix("math\n")) == right


def formulas_in(document: Document, out: MarkdownFormat) -> Iterator[str]:
    """Every formula, and every name of a matrix, that stands in words, as it is written."""
    for block in document.blocks:
        cells: list[object] = []
        match block:
            case Heading(parts) | Paragraph(parts):
                cells = [*parts]
            case Items(items):
                cells = [part for item in items for part in item]
            case Table():
                titles = [column.title for column in block.columns]
                cells = [part for row in (titles, *block.rows) for cell in row
                         for part in (cell if isinstance(cell, tuple) else (cell,))]
        for part in cells:
            if isinstance(part, Math):
                yield out.formula(part)
            elif isinstance(part, Label):
                yield from (out.names([name]) for name in part.names)


def test_every_kind_of_piece() -> None:
    tree = ex.Num(12) * ex.Sym("L") * ex.Sym("d_model") ** 2
    document = Document("a < b", (
        Heading(spans("head ", Math(tree))), Paragraph(spans("see ", Strong("bold"), Code("a_b"))),
        Paragraph(()), Items((spans("item"), spans(Label(("W_Q", "gate"))))),
        Table((Column("a"), Column("b", "right")), (("├─ x", (Math(tree, "=", tree), "!")),
                                                   ("sum", "2")), total=True),
        Table((Column("c"),), (("all",),), total=True), Table((Column("none"),), ())))
    page = render(document, "html")
    assert list(faults(page)) == []
    root = reader(page)
    assert root.find("h1") is not None
    assert words(root.find("h1")) == "a < b"  # type: ignore[arg-type]
    assert [words(p) for p in root.iter("p")] == ["see bolda_b"]
    assert [words(row) for row in root.iter("tfoot")] == ["\nsum2\n", "\nall\n"]
    assert ['<span class="branch" aria-hidden="true">├─ </span>x' in page] == [True]
    assert page.count("<tbody>") == page.count("</tbody>") == 1


def test_a_file_named_so_is_html(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("x.html", "x.htm"):
        path = tmp_path / name
        assert run(["count", "gpt2", "-o", str(path), "--quiet"]) == 0
        assert path.read_text(encoding="utf-8") == printed("count gpt2", "html", capsys)


def test_matrix_names_are_read_alike_in_latex_and_mathml() -> None:
    for name in ("W_Q", "b_up", "gate", "A", "in_proj", "X_gate", "W_UKV", "a_b_c"):
        shown = words(ET.fromstring(names_below([name])))
        assert shown.replace("_", "") == re.sub(r"\\text|[\\{}_]", "", matrix(name)), name


def test_text_of_a_formula_in_every_notation() -> None:
    tree = ex.Sym("d_model") * ex.Sym("n_heads")
    for notation in PRESETS.values():
        shown = words(ET.fromstring(f"<p>{HtmlFormat(notation).formula(Math(tree))}</p>"))
        plain = TextFormat(notation).writer.write(tree)
        assert re.sub("[\u2062·_]", "", shown) == re.sub("[·_]", "", plain)
