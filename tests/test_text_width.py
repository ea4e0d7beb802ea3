"""What is printed fits: 80 columns on a terminal, the width of a page in LaTeX."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symparam import expression as ex
from symparam.cli import terminal
from symparam.cli.main import run
from symparam.notation.notation import PRESETS, Notation
from symparam.writers.dims_in_words import with_dims
from symparam.writers.document import Code, Column, Document, Items, Math, Table, spans
from symparam.writers.latex import LatexFormat
from symparam.writers.text import TextFormat, _wrapped
from tests.helpers import Line
from tests.strategies import quick


def test_a_long_bracket_before_a_power_is_broken_inside(
        capsys: pytest.CaptureFixture[str]) -> None:
    ratios = {"d_nope": "1/56", "d_rope": "1/112", "d_v": "1/56", "d_ff": "18/7", "d_expert": "2/7"}
    assumed = [word for dim, ratio in ratios.items()
               for word in ("--assume", f"{dim}={ratio}*d_model")]
    assert run(["derive", "deepseek-v3", "--leading", *assumed]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_a_page_of_another_width(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["derive", "gpt2", "--latex", "--text-width", "8.4cm"]) == 0
    narrow = capsys.readouterr().out
    assert "a text width of about 8.4 cm" in narrow
    assert run(["derive", "gpt2", "--latex"]) == 0
    assert len(narrow.splitlines()) > len(capsys.readouterr().out.splitlines())


def test_a_document_that_stands_alone_has_the_width_that_was_asked_for(line: Line) -> None:
    """Prose as well as tables; and what stands in it is broken for that width."""
    for width, paper in (("7.7", "21"), ("8.25", "21"), ("30", "35")):
        shown = line(f"cost gpt2 --latex --standalone --text-width {width}")[1]
        assert f"[paperwidth={paper}cm,textwidth={width}cm," in shown
    assert "[margin=25mm]{geometry}" in line("cost gpt2 --latex --standalone")[1]


@pytest.mark.parametrize("words", [["--latex", "--text-width", "3"], ["--text-width", "8.4"],
                                   ["--latex", "--text-width", "1e9"], ["--text-width", ""]])
def test_no_such_page(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["derive", "gpt2", *words]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_terminal_is_written_for_as_wide_as_it_is_within_bounds(
        monkeypatch: pytest.MonkeyPatch) -> None:
    widths: list[int] = []

    def format_(notation: Notation, width: int) -> TextFormat:
        widths.append(width)
        return TextFormat(notation, width)

    monkeypatch.setattr(terminal, "TextFormat", format_)
    for columns in ("20", "40", "41", "99", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        terminal.show(Document("x", ()), PRESETS["paper"])
    assert widths == [40, 40, 41, 99, 100]


def test_every_table_of_models_fits(line: Line) -> None:
    for text in ("models", "components", "count deepseek-v3 --tensors"):
        assert max(map(len, line(text)[1].splitlines())) <= 80, text


def test_names_of_any_length_fit() -> None:
    long = "x" * 5000
    rows = (("extra", Code(f"model.{long}.weight"), "1×2", "1"), (long, Code("a-" * 90), "3", "20"))
    columns = (Column("difference"), Column("tensor"), Column("shape"), Column("copies", "right"))
    text = TextFormat().document(Document(f"a {long}", (
        Table(columns, rows), Items((spans("the prefix ", Code(long)),)))))
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("x") == 4 * 5000 + text.count("prefix") + text.count("extra")


def test_a_piece_that_is_wider_than_the_page_is_set_all_the_same() -> None:
    page = replace(PRESETS["paper"], page=200)
    table = Table((Column("dim"), Column("value", "right")), (("d", str(10**80)),))
    (found,) = LatexFormat(page).tables(table)
    assert str(10**80) in str(found.rows).replace("{,}", "")


@quick
@given(st.lists(st.text("abcdefgh_", min_size=1, max_size=8), min_size=1, max_size=12),
       st.sampled_from(".-/"), st.integers(12, 40))
def test_a_name_that_is_too_long_is_broken_behind_its_marks_alone(
        parts: list[str], mark: str, width: int) -> None:
    name = mark.join(parts)
    lines = _wrapped(name, width)
    assert "".join(line.removeprefix("  " if i else "") for i, line in enumerate(lines)) == name
    assert max(map(len, lines)) <= width
    assert all(line.endswith(mark) for line in lines[:-1])


@pytest.mark.parametrize("text", ["align llama-2-7b", "solve P=1e9 L=24", "diff gpt2 llama-2-7b",
                                  "sensitivity gpt2", "derive gpt2 --leading"])
def test_tables_and_headings_have_symbols_for_dims(text: str, line: Line) -> None:
    shown = line(f"{text} --latex")[1]
    rows = [row for row in shown.splitlines() if "tabularnewline" in row or "boldmath" in row]
    assert rows
    assert not [row for row in rows if re.search(r"(?<![\w{}])[dnkL]\\_\w+", row)]


def test_a_formula_has_a_line_of_its_own_before_it_is_broken(line: Line) -> None:
    """Words wrap instead: the case of a convention, not what it counts."""
    shown = line("cost llama-3-8b --only activations --latex --text-width 7.7")[1]
    formulas = [row for row in shown.splitlines() if r"\frac{5}{t}" in row]
    assert len(formulas) == 2
    assert all(row.startswith(r"\multicolumn{3}{@{\hspace*{10pt}}") for row in formulas)


def test_no_page_breaks_behind_the_first_or_before_the_last_row_of_a_display(line: Line) -> None:
    shown = line("derive deepseek-v3 --latex --text-width 7.7")[1]
    displays = re.findall(r"begin{align\*}\n(.*?)\n\\end", shown, re.DOTALL)
    ends = [re.findall(r"\\\\(\*?)\n", rows + "\n") for rows in displays]
    assert max(map(len, ends)) > 3
    for each in ends:
        assert [i for i, star in enumerate(each) if star] == sorted({0, len(each) - 1} - {-1})


def test_matrices_stand_below_their_part_where_shapes_have_no_room_beside_it(line: Line) -> None:
    """A table that is too long is parted where a part begins, and space is between parts alone."""
    for name, parts in (("deepseek-v3", [7]), ("jamba-v0.1", [3, 5])):
        shown = line(f"derive {name} --latex --text-width 7.7")[1]
        tables = shown[shown.index("The matrices of each part"):].split(r"\end{tabular}")
        for table, count in zip(tables, parts, strict=False):
            head, rows = table.split(r"\midrule")
            assert r"{@{}@{\hspace*{10pt}}l" in head
            assert rows.splitlines()[1].startswith(r"\multicolumn")
            assert rows.count(r"\multicolumn") == rows.count(r"\tabularnewline[2pt]") + 1 == count


def test_a_shape_below_another_has_no_empty_row_above_it(line: Line) -> None:
    shown = line("diff jamba-v0.1 llama-2-7b --latex --text-width 7.7")[1]
    rows = shown[shown.index("The matrices"):].split(r"\bottomrule")[0].splitlines()
    below = [i for i, row in enumerate(rows) if re.search(r"[{ ]\$L\$ of", row)]
    assert below
    assert all(r"\multicolumn" in rows[i - 1] and "[2pt]" not in rows[i - 1] for i in below)
    assert not [row for row in rows if re.fullmatch(r"[\s&]*\\tabularnewline.*", row)]


def test_a_power_in_words_is_one(line: Line) -> None:
    shown = line("solve qwen3-30b-a3b P=7e9 L=? --latex")[1]
    assert "from 1 to $10^{12}$" in shown
    assert "textasciicircum" not in shown
    assert LatexFormat(PRESETS["paper"]).text("x^2") == r"x\textasciicircum{}2"


def test_relations_in_lists_are_mathematics(line: Line) -> None:
    shown = line("solve deepseek-v3 P=1e12 n_experts=? --latex")[1]
    items = [row.strip() for row in shown.splitlines() if row.startswith(r"  \item")]
    assert r"\item $L_{\text{sparse}} = L - L_{\text{dense}}$" in items
    assert r"\item $d_{\text{shared}} = n_{\text{shared}} \, d_{\text{expert}}$" in items
    assert [row for row in items if r" $L_{\text{dense}} + L_{\text{sparse}} = L$ (" in row]
    assert not [row for row in items if "*" in row or r"L\_" in row]


@pytest.mark.parametrize("words", ["a - b", "gpt-2 - d_model*", "d_model - width",
                                   "1,000 - L_dense/2", "d_model*x.y",
                                   "d_model - L^2", "-d_model + L"])
def test_what_is_no_whole_formula_of_dims_is_not_read_as_one(words: str) -> None:
    found = with_dims(words)
    assert not [each for each in found if isinstance(each, Math) and not isinstance(
        each.left, ex.Sym)]
    assert "".join(each if isinstance(each, str) else str(each.left) for each in found) == words


def test_a_length_times_a_batch_is_not_broken(line: Line) -> None:
    shown = line("cost jamba-v0.1 --latex --text-width 7.7")[1]
    assert r"4,096~tokens~$\times$~1" in shown.splitlines()[0]
    assert "3 $\\times$ a forward pass" in shown


def test_a_kind_of_layer_in_words_has_no_mark_of_a_program(line: Line) -> None:
    for form in ("", " --latex"):
        shown = line(f"derive jamba-v0.1{form}")[1]
        kinds = re.findall(r"of kind (\S+ ?\S*)", shown)
        assert "mamba sparse" in kinds
        assert not [kind for kind in kinds if "mamba_" in kind or "mamba\\_" in kind]
