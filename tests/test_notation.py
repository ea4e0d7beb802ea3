"""Notations: the presets against their sources, and files in which nothing but letters can be."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symparam.api import load
from symparam.cli.main import run
from symparam.components import everything
from symparam.dims import NOTATIONS, describe, known_dims
from symparam.errors import ParseError, SpecError, UnknownName
from symparam.expression import Sym
from symparam.letters import ACCENTS, FONTS, GREEK, MAX_LENGTH, Letter, of_matrix, read, spelled
from symparam.notation.notation import PRESETS, LatexWriter, Notation, TextWriter, latex_of
from symparam.notation.notation_file import notation_of, read_notation, twins
from tests.helpers import message, together
from tests.strategies import quick

PAGE = (Path(__file__).parent.parent / "docs" / "notation.md").read_text(encoding="utf-8")
OURS = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)[1]  # type: ignore[index]

#: Letters as the sources print them, typed from those sources.
SOURCES = {
    "megatron": "V=v L=l n_ctx=s d_model=h n_heads=a D=T",
    "scaling-book": "V=V L=L n_ctx=T d_model=D d_ff=F n_heads=N n_kv=K d_head=H g=G b=B "
                    "n_experts=E top_k=k",
    "palm": "V=V L=L n_ctx=T n_heads=H d_head=Q",
    "hf": "V=vocab_size L=num_hidden_layers n_ctx=max_position_embeddings d_model=hidden_size "
          "d_ff=intermediate_size n_heads=num_attention_heads n_kv=num_key_value_heads "
          "d_head=head_dim n_experts=num_experts top_k=num_experts_per_tok "
          "d_expert=moe_intermediate_size q_rank=q_lora_rank kv_rank=kv_lora_rank",
    "paper": ""}


def file(folder: Path, text: str) -> Path:
    """A file of a notation."""
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


# --- presets --------------------------------------------------------------------------------

@together("name", NOTATIONS)
def test_a_preset_has_the_letters_of_its_source(name: str) -> None:
    preset = PRESETS[name]
    for pair in SOURCES[name].split():
        dim, shown = pair.split("=")
        assert TextWriter(notation=preset).write(Sym(dim)) == shown
    assert set(SOURCES) == set(NOTATIONS) == set(PRESETS)
    assert preset.source


@together("name", NOTATIONS)
def test_no_two_dims_look_alike_in_a_preset(name: str) -> None:
    names = [dim.name for dim in known_dims()]
    assert set(PRESETS[name].letters) <= set(names)
    for writer in (LatexWriter(notation=PRESETS[name]), TextWriter(notation=PRESETS[name])):
        written = [writer.write(Sym(dim)) for dim in names]
        assert len(set(written)) == len(written)
    assert twins({dim: latex_of(describe(dim).letter) for dim in names}, names) is None


@together("name", NOTATIONS)
def test_a_preset_could_stand_in_a_file(name: str, tmp_path: Path) -> None:
    preset = PRESETS[name]
    lines = ["[latex]", *(f"{dim} = '{latex_of(preset.letter(dim))}'" for dim in preset.letters)]
    found = read_notation(file(tmp_path, "\n".join(lines)))
    assert found.letters == preset.letters
    assert found.text == preset.text
    assert found.line == 80


def test_the_page_shows_the_presets() -> None:
    rows = [row.strip("| \n").split(" | ") for row in re.findall(r"^\|.*\|$", PAGE, re.MULTILINE)]
    head, body = rows[0], rows[2:rows.index(["key", "what it is"])]
    assert [name.strip("`") for name in head[1:]] == list(NOTATIONS)
    assert len(body) == 11
    for dim, *letters in body:
        for name, shown in zip(NOTATIONS, letters, strict=True):
            assert TextWriter(notation=PRESETS[name]).write(Sym(dim)) == shown


# --- letters --------------------------------------------------------------------------------

@together(("text", "written", "plain"), [
    ("h", "h", "h"), (r"h_{\text{ffn}}", r"h_{\text{ffn}}", "h_ffn"), ("n_{k}", "n_k", "n_k"),
    (r"\lambda", r"\lambda", "λ"), (r"\mathtt{hidden\_size}", r"\mathtt{hidden\_size}",
                                    "hidden_size"),
    ("d^*", "{d^{*}}", "d^*"), ("d^{*}_1", "{d_1^{*}}", "d_1^*"), (r"r_{\Delta x}",
                                                                  r"r_{\Delta x}", "r_Δx"),
    (r"\mathrm{dim}", r"\mathrm{dim}", "dim"), (r"N_{ h , e }", "N_{h,e}", "N_h,e"),
    (r"n_{12}", "n_{12}", "n_12"), (r"\mathtt{a b}", r"\mathtt{a\ b}", "a b"),
    (r"\text{a\ b}", r"\text{a\ b}", "a b"), (r"\tilde{d}_1", r"\tilde{d}_1", "d\u0303_1"),
    (r"\hat\lambda", r"\hat{\lambda}", "λ\u0302"), (r"\epsilon", r"\epsilon", "ε")])
def test_letters_are_written_anew(text: str, written: str, plain: str) -> None:
    found = read(text)
    assert (latex_of(found), str(found)) == (written, plain)
    if not found.above:  # a brace before the letter is for the power of it
        assert read(written) == found


WORDS = st.text("aZ9 ,.+*/_", min_size=1, max_size=5).filter(str.strip)
GIVEN = st.one_of(
    st.builds(Letter, st.sampled_from([*GREEK.values(), *"dLx"]),
              accent=st.sampled_from(["", *ACCENTS])),
    st.builds(Letter, WORDS, st.sampled_from(FONTS)))
SCRIPT = st.lists(GIVEN | st.sampled_from([Letter("+"), Letter(","), Letter("12")]), max_size=2)


@settings(quick, max_examples=150)
@given(GIVEN, SCRIPT)
def test_what_can_be_given_is_read_from_what_is_written(core: Letter, below: list[Letter]) -> None:
    if below == [Letter("12")] * 2:
        below = below[:1]  # digits that stand together are one number
    letter = replace(core, below=tuple(below))
    if len(latex_of(letter)) <= MAX_LENGTH:
        assert read(latex_of(letter)) == letter


def test_one_letter_is_one_value_however_it_is_given() -> None:
    assert read("n_k") == read("n_{k}") == read("n_{ k }") == Letter("n", below=(Letter("k"),))
    assert read(r"d_{\text{model}}") == spelled("d_model") == of_matrix("d_model")
    assert read(r"h_{ab}") != read(r"h_{\text{ab}}")
    assert of_matrix("%_x") == Letter("%_x", "text")


@together("name", ["W_Q", "gate", "in_proj", "b_up", "W_1", "x", "1", "", "_", "W_",
                                  "%", "$_x", "W_%", r"\input{x}", "a b", "é", "W_Q\n"])
def test_a_name_of_a_matrix_is_no_command(name: str) -> None:
    assert re.sub(SAFE, "", re.sub(r"\\%|\\\$|\\textbackslash\{\}|\\\{|\\\}|\\texttt\{U\+\w+\}|é",
                                   "", latex_of(of_matrix(name)))) == ""


@together("text", [
    "", " ", "2", "hd", "h d", "h_", "h^", "h_{", "h_{}", "h}", "{h}", "h_a_b", "h_{a_b}", "h'",
    "é", "h%", "h$", "h&", "h~", "#1", "^^41", "\\", "\\\\",
    r"\input{x}", r"\input x", r"\write18{ls}",
    r"\immediate\write18{ls}", r"\text{\input{x}}", r"\text{$x$}", r"\text{}", r"\text{ }",
    r"\text x", r"\text{a^b}", r"\text{a\\b}", r"h_{\input{x}}", r"h_\def", r"\csname x\endcsname",
    r"\mathtt{a_b}", r"\catcode", r"\left(", r"h_{\text{a}", r"\alphax", "h" * 61, r"\text{" + "a" *
    60 + "}", "h\n", "h\0", r"\begin{x}", "<b>", "|", "`", r"\unicode{x}", r"\href{x}{y}",
    r"\hat", r"\hat{", r"\hat{hd}", r"\hat{h_1}", r"\hat\hat h", r"\hat{}", r"h_\hat", "h_12"])
def test_what_is_no_letter_is_refused(text: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(text)
    message(caught.value)


COMMANDS = "|".join((*GREEK, *FONTS, *ACCENTS))
SAFE = re.compile(rf"\\(?:{COMMANDS})(?![A-Za-z])|\\[_ ]|[A-Za-z0-9{{}}_^,+\-*/. ]")


@settings(quick, max_examples=600)
@given(st.one_of(st.text(max_size=12), st.lists(st.sampled_from((
    "h", "d", "2", "_", "^", "{", "}", r"\text{", r"\lambda", r"\mathtt{", r"\input", r"\_", " ",
    r"\hat",
    r"\\", "$", ",", "a b", r"\write18", "%")), max_size=7).map("".join)))
@example(r"h_{\alpha\beta c}")
@example("A0\x1e")
def test_any_text_is_a_letter_or_refused(text: str) -> None:
    try:
        found = read(text)
    except ParseError as error:
        message(error)
        return
    written = latex_of(found)
    assert re.sub(SAFE, "", written) == ""
    assert written.count("{") == written.count("}")
    assert str(found).isprintable()
    if not found.above:  # a brace before the letter is for the power of it
        assert read(written) == found


def test_the_measure_of_safe_text_can_fail() -> None:
    for live in (r"\input{x}", r"\write18{x}", "$", "%", r"\alphax", "#", "~", "&"):
        assert re.sub(SAFE, "", live)


# --- files ----------------------------------------------------------------------------------

def test_a_file_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                            capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ours.toml").write_text(OURS, encoding="utf-8")
    (command,) = re.findall(r"```console\n\$ symparam ([^\n]+)\n```", PAGE)
    assert run([*shlex.split(command), "--assume", "d_head=d_model/n_heads"]) == 0
    out = capsys.readouterr().out
    assert "P ≈ 12·L·m²" in out
    assert "heads" in out
    assert "d_model" not in out
    paper, ours = (re.findall(r"Formula\}\{(.*)\}%", load("gpt2").derive(notation=name).macros())
                   for name in ("paper", Path("ours.toml")))
    usual = {"m": r"d_{\text{model}}", r"m_{\text{ff}}": r"d_{\text{ff}}",
             r"\eta": r"n_{\text{heads}}"}
    letters = r"(?<![A-Za-z{\\])m_\{\\text\{ff\}\}|(?<![A-Za-z{\\])m(?![A-Za-z_])|\\eta"
    assert len(ours) > 4
    assert [re.sub(letters, lambda found: usual[found[0]], line) for line in ours] == paper
    assert notation_of("ours.toml").name == "ours"


@together(("text", "path", "part"), [
    ("[latex]\nd_modle = 'h'", "latex.d_modle", "d_model"),
    ("[latex]\nh = 'h'", "latex.h", "width to others"), ("[latex]\nP = 'N'", "latex.P", "total"),
    ("[latex]\nd_model = 'P'", "latex.d_model", "d_model and P would both be written P"),
    ("[latex]\nd_ff = 'm'\nd_model = 'm'", "latex.d_model", "d_model and d_ff would both"),
    ("[latex]\nd_ff = 'L'", "latex.d_ff", "L and d_ff would both be written L"),
    ("[latex]\nd_ff = 'n_{\\text{kv}}'", "latex.d_ff", "d_ff"),
    ("[text]\nd_ff = 'V'", "text.d_ff", "V and d_ff would both be written V"),
    ("[latex]\nd_model = 'm'\nhidden_size = 'm'", "latex.hidden_size", "twice"),
    ("[latex]\nd_model = '\\input{x}'", "latex.d_model", "no Greek letter"),
    ("[latex]\nd_model = 5", "latex.d_model", "a text"), ("[latex]\nd_model = []", "latex", "text"),
    ("[text]\nd_model = 'a b'", "text.d_model", "a word"), ("[text]\nd_model='·'", "text", "word"),
    ("[text]\nd_model = '<b>'", "text.d_model", "a word"), ("letters = 1", "letters", "latex"),
    ("line = 5", "line", "30"), ("line = 'x'", "line", "number"), ("latex = 1", "latex", "table"),
    ("name = 1", "name", "text"), ("[latex", "", "TOML"), ("[latex]\n[latex]", "", "TOML")])
def test_a_wrong_file_is_an_error_with_its_place(text: str, path: str, part: str, tmp_path: Path,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SpecError) as caught:
        read_notation(file(tmp_path, text))
    assert caught.value.path.startswith(path)
    assert part in message(caught.value)
    assert run(["derive", "gpt2", "--notation", str(tmp_path / "mine.toml")]) == 2
    assert part in capsys.readouterr().err


def test_twins_name_both(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="d_model and d_ff would both be written m"):
        read_notation(file(tmp_path, "[latex]\nd_ff = 'm'\nd_model = 'm'"))
    assert read_notation(file(tmp_path, "[latex]\nd_ff = 'm_f'\nd_model = 'm'")).letters


@pytest.mark.parametrize("value", ["nope", "mine.json", "", "paper.tom"])
def test_a_name_that_is_none(value: str) -> None:
    with pytest.raises(UnknownName):
        load("gpt2").derive(notation=value or "x")
    assert run(["count", "gpt2", "--notation", value]) == 2


def test_own_dims_can_have_letters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    described = tmp_path / "model.toml"
    described.write_text("""
notation = "mine.toml"
[dims]
d_wide = 128
[[blocks]]
attention = "mha"
ffn = { kind = "mlp", dims = { d_ff = "d_wide" } }
norm = { kind = "rmsnorm" }
""", encoding="utf-8")
    file(tmp_path, "[latex]\nd_wide = 'w_1'\n")
    assert run(["derive", str(described)]) == 0
    assert "w_1" in capsys.readouterr().out
    assert "w_1" in load(str(described)).derive().latex()
    assert run(["count", "gpt2", "--notation", str(tmp_path / "mine.toml")]) == 2
    assert "d_wide" in capsys.readouterr().err
    for outside in ("../mine.toml", "/mine.toml", "mine", "~/mine.toml", "a\\\\..\\\\mine.toml"):
        described.write_text(f'notation = "{outside}"\n[dims]\n[[blocks]]\nattention = "mha"\n'
                             'ffn = "mlp"\nnorm = { kind = "rmsnorm" }\n', encoding="utf-8")
        assert run(["count", str(described)]) == 2
        assert "same folder" in capsys.readouterr().err


def test_a_notation_can_be_handed_over() -> None:
    own = Notation("mine", "here", {"d_model": "m"}, {"d_model": "m"})
    assert "2·V·m" in load("gpt2", tied=False).derive(notation=own).text()
    assert notation_of(own) is own


def test_the_former_name_of_letters_is_kept_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="letters"):
        assert PRESETS["megatron"].latex["d_ff"] == r"h_{\text{ffn}}"


def test_every_dim_has_a_name_to_type_a_letter_to_print_and_a_meaning_to_read() -> None:
    everything()
    for dim in known_dims():
        for name in (dim.name, *dim.aliases):
            assert re.fullmatch(r"[A-Za-z]\w*", name), dim
        assert re.match(r"[a-z]", dim.meaning), dim
        assert not re.search(r"[\\_{}]", dim.meaning), dim
        assert re.search(r"\\|^\w(_|$)", latex_of(dim.letter)), dim
