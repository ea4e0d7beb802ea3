"""TeX macros: each number under a name of letters that nothing else has."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symparam import expression as ex
from symparam.api import load
from symparam.cli.main import run
from symparam.derivation.plan import derive
from symparam.descriptions.catalogue import names
from symparam.documents.count import count_document
from symparam.documents.count_data import count_model
from symparam.documents.derivations.named import derivation_named
from symparam.errors import BadValue
from symparam.templating.render import render
from symparam.writers import macros
from symparam.writers.document import Document, Named
from symparam.writers.macros import MacroFormat, letters
from tests.helpers import together
from tests.strategies import quick
from tests.test_export import HOSTILE

LINE = re.compile(r"\\newcommand\{\\([A-Za-z]+)\}\{(.*)\}% (.*)")


def printed(line: str, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """The macros that a command line prints, by name; every other line is a remark."""
    assert run([*line.split(), "--format", "macros"]) == 0
    lines = capsys.readouterr().out.splitlines()
    found = [LINE.fullmatch(each) for each in lines if not each.startswith("% ")]
    assert all(found)
    named = {match[1]: match[2] for match in found if match}
    assert len(named) == len(found)
    return named


def number(text: str) -> int:
    """The number that a macro writes."""
    assert re.fullmatch(r"\d{1,3}(\{,\}\d{3})*", text)
    return int(text.replace("{,}", ""))


@pytest.mark.parametrize(("name", "prefix"), [
    ("llama-2-7b", "LlamaTwoSevenB"), ("gpt2", "GptTwo"), ("mixtral-8x7b", "MixtralEightXSevenB"),
    ("deepseek-v3", "DeepseekVThree"), ("bert-base", "BertBase")])
def test_numbers_are_those_of_the_count(name: str, prefix: str,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    found = printed(f"count {name}", capsys)
    assert run(["count", name, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    wanted = {"Total": data["total"], "Trainable": data["trainable"],
              "WithBuffers": data["with_buffers"]}
    for key, value in data["non_embedding"].items():
        wanted["".join(word.capitalize() for word in key.split("_"))] = value
    for key, value in (data["active"] or {}).items():
        ends = "" if key == "all" else "".join(word.capitalize() for word in key.split("_"))
        wanted[f"Active{ends}"] = value
    for row in data["components"]:
        words = "".join(word[0].upper() + word[1:] for word in re.findall("[a-z]+", row["path"]))
        wanted |= {words: row["numel"], f"{words}Each": row["per_copy"]}
        share = Fraction(100 * row["numel"], data["total"])
        nothing = 0 < share < Fraction(1, 20)
        assert found[f"{prefix}{words}Share"] == (
            r"\ensuremath{<}0.1\,\%" if nothing else rf"{float(share):.1f}\,\%")
    for dim, value in data["dims"].items():
        wanted["".join(word[0].upper() + word[1:] for word in dim.split("_"))] = value
    exact = {key.removeprefix(prefix): value for key, value in found.items()
             if not key.endswith(("Short", "Share"))}
    assert {key: number(value) for key, value in exact.items()} == wanted
    assert {key.removesuffix("Short") for key in found if key.endswith("Short")} == {
        prefix + key for key in wanted
        if key not in {"".join(w[0].upper() + w[1:] for w in dim.split("_"))
                       for dim in data["dims"]}}


def test_short_forms_and_formulas(capsys: pytest.CaptureFixture[str]) -> None:
    found = printed("count llama-2-7b", capsys)
    assert found["LlamaTwoSevenBTotal"] == "6{,}738{,}415{,}616"
    assert found["LlamaTwoSevenBTotalShort"] == r"6.74\,B"
    assert found["LlamaTwoSevenBLayersNormsShare"] == r"\ensuremath{<}0.1\,\%"
    derived = printed("derive gpt2 --leading", capsys)
    assert derived["GptTwoLeadingFormula"] == r"\ensuremath{12 \, L \, d_{\text{model}}^{2}}"
    assert number(derived["GptTwoLeftOut"]) == 124_439_808 - 12 * 12 * 768**2
    assert derived["GptTwoAttentionFormula"].startswith(r"\ensuremath{2 \, d_{\text{model}}")
    megatron = printed("derive gpt2 --leading --notation megatron", capsys)
    assert megatron["GptTwoLeadingFormula"] == r"\ensuremath{12 \, l \, h^{2}}"
    solved = printed("solve P=7e9 L=32", capsys)
    assert number(solved["DecoderMhaMlpTarget"]) == 7 * 10**9
    assert solved["DecoderMhaMlpDModelFormula"].startswith(r"\ensuremath{\frac{\sqrt")


def test_what_is_less_has_a_minus_in_text_too(capsys: pytest.CaptureFixture[str]) -> None:
    changed = printed("diff llama-2-7b gpt2", capsys)
    minus = r"\ensuremath{-}"
    exact = [text for text in changed.values() if text.startswith(minus) and r"\," not in text]
    assert max(number(text.removeprefix(minus)) for text in exact) == 6_738_415_616 - 124_439_808
    assert minus + r"6.61\,B" in changed.values()


def test_a_count_and_a_derivation_can_stand_in_one_text(
        capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("llama-2-7b", "t5-base", "deepseek-v3"):
        assert not set(printed(f"count {name}", capsys)) & set(printed(f"derive {name}", capsys))


def test_names_do_not_change_with_the_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    small = printed("count gpt2 L=1 d_model=12 V=7", capsys)
    assert set(printed("count gpt2", capsys)) == set(small)


def test_several_models_have_a_prefix_each(capsys: pytest.CaptureFixture[str]) -> None:
    found = printed("count gpt2 llama-2-7b", capsys)
    both = [{name.removeprefix(prefix) for name in found if name.startswith(prefix)}
            for prefix in ("GptTwo", "LlamaTwoSevenB")]
    assert both[0] == both[1] > {"P", "PShort", "KvPerToken"}
    assert sum(map(len, both)) == len(found)


def test_prefixes_of_the_catalogue_differ() -> None:
    assert len({letters(name) for name in names()}) == len(names())


@together(("name", "wanted"), [
    ("x-27", "XTwoseven"), ("x-2-7", "XTwoSeven"),
    ("qwen2.5-0.5b", "QwenTwoPointFiveZeroPointFiveB"), ("é", "E"),
    ("模型", "UgkcbUfhil"), ("", ""), ("%$_", ""), ("a.b", "AB")])
def test_names_in_letters(name: str, wanted: str) -> None:
    found = letters(name)
    assert found == wanted or (not name.isascii() and re.fullmatch("[A-Za-z]+", found))


def document(*of: str) -> Document:
    """A document with two numbers of each model."""
    return Document("numbers", (), tuple(Named(name, key, 5, f"{key} of {name}") for name in of
                                         for key in ("total", "layers.ffn")))


@settings(quick, max_examples=200)
@given(st.lists(st.one_of(st.text(max_size=8), st.text("a-1.A ", max_size=5),
                          st.sampled_from(HOSTILE)), min_size=1, max_size=6, unique=True))
@example(["", " ", "\x1f"])  # told apart by what is not printed alone
@example(["", "\ud800", "\ud801"])
def test_no_two_macros_have_one_name(models: list[str]) -> None:
    found = MacroFormat().macros(document(*models))
    assert len(found) == 4 * len(models) == len({macro.name for macro in found})
    assert all(re.fullmatch(r"[A-Z][A-Za-z]*", macro.name) for macro in found)
    lines = render(document(*models), "macros").splitlines()
    written = [each for each in lines if not each.startswith("% ")]
    assert len(written) == len(found)
    assert all(map(LINE.fullmatch, written))


def test_marks_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(macros, "_mark", lambda name: "")
    found = MacroFormat().macros(document("a-b", "a.b"))
    assert len(found) < 8


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_inert(name: str) -> None:
    result = count_model(replace(load("gpt2"), name=name))
    text = render(count_document(result, False), "macros")
    for line in text.splitlines():
        assert line.startswith("% ") or LINE.fullmatch(line)
    live = re.sub(r"\\newcommand|\\ensuremath|\\,|\\%|\\_|\\[A-Za-z]+(?=\}\{)|(?m:%.*$)", "", text)
    assert "\\" not in live


@pytest.mark.parametrize("line", ["align gpt2", "models gpt", "components"])
def test_answers_without_names_are_refused(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*line.split(), "--format", "macros"]) == 2
    assert "macros" in capsys.readouterr().err
    with pytest.raises(BadValue):
        MacroFormat().macros(Document("empty", ()))


def test_what_it_looks_like(capsys: pytest.CaptureFixture[str],
                            golden: Callable[[str, str], None]) -> None:
    assert run("count llama-2-7b --format macros".split()) == 0
    golden("count-llama-2-7b-macros.tex", capsys.readouterr().out)
    assert load("gpt2").derive().macros().startswith("% gpt2")


@pytest.mark.parametrize("leading", [None, "d_model"])
def test_the_formula_to_cite_as_exact_is_exact(leading: str | None) -> None:
    found = derive(load("llama-2-7b"), ["d_ff = 8/3*d_model"], leading)
    (exact,) = [each.value for each in derivation_named(found)
                if each.meaning == "the exact number of parameters"]
    assert isinstance(exact, ex.Expr)
    assert ex.evaluate(exact, found.resolution.values) == 6_738_415_616
