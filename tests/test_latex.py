"""LaTeX that compiles: every document through pdflatex, with nothing sticking out of the page."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import symparam
from symparam.api import load
from symparam.cli.main import run
from symparam.descriptions import catalogue
from symparam.descriptions.architecture.architecture_file import describe_model
from symparam.descriptions.catalogue import lineages
from symparam.documents.count import count_document
from symparam.documents.count_data import count_model
from symparam.notation.notation import PRESETS
from symparam.templating.render import render
from symparam.writers.document import Document, Paragraph, spans
from tests.helpers import DATA
from tests.sampled import sampled
from tests.test_export import HOSTILE, named
from tests.typeset import COMMANDS, WIDTHS, lines, typeset, written

pytestmark = [pytest.mark.latex, pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="there is no pdflatex")]

#: The first model of each lineage.
FIRST = [names[0] for _, names in lineages()]

MOST = 1.0  # points of an overfull line
MINIMAL = (r"\documentclass{article}\usepackage{amsmath,booktabs}\begin{document}"
           "\n%s\n" r"\end{document}" "\n")


def compiled(place: Path, source: str) -> str:
    """What is wrong with a document; nothing where it compiles and fits."""
    place.mkdir()
    (place / "x.tex").write_text(source, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape", "x.tex"],
        cwd=place, capture_output=True, timeout=120, check=False)
    log = (place / "x.log").read_text(encoding="latin-1")
    if done.returncode:
        return log[log.find("\n!"):][:400]
    wide = [float(n) for n in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]
    return f"{max(wide)} pt too wide" if max(wide, default=0) > MOST else ""


def failures(folder: Path, documents: Mapping[str, str]) -> dict[str, str]:
    """What is wrong with each of several documents, two compiled at a time."""
    with ThreadPoolExecutor(2) as pool:
        places = [folder / str(i) for i in range(len(documents))]
        found = pool.map(compiled, places, documents.values())
        return {name: what for name, what in zip(documents, found, strict=True) if what}


def printed(capsys: pytest.CaptureFixture[str], lines: Iterable[str]) -> dict[str, str]:
    """What command lines print."""
    found = {}
    for line in lines:
        assert run(line.split()) in {0, 1}
        found[line] = capsys.readouterr().out
    return found


def test_the_compiler_tells_good_from_bad(tmp_path: Path) -> None:
    found = failures(tmp_path, {
        "good": MINIMAL % "$x$", "bad": MINIMAL % r"\nosuchcommand", "open": MINIMAL % "{$x",
        "wide": MINIMAL % (r"\noindent\hbox to 600pt{x}")})
    assert set(found) == {"bad", "open", "wide"}


def test_two_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = MINIMAL.replace("{article}", "[twocolumn]{article}").replace(
        r"\begin", r"\usepackage[a4paper,margin=1.9cm]{geometry}\begin", 1)
    lines = ("derive gpt2 --leading", "derive mixtral-8x7b --detail full", "derive deepseek-v3",
             "derive --ffn swiglu --leading --notation megatron", "count llama-2-7b", "align gpt2")
    documents = printed(capsys, (f"{line} --latex --text-width 8.4" for line in lines))
    assert failures(tmp_path, {line: page % text for line, text in documents.items()}) == {}


#: A fixed choice of models of all kinds, and a mixture of three kinds of layer.
FORTY = (
    "albert-base aria-text bart-base bitnet-b1.58-2b-4t byt5-small convbert-base ctrl deberta-base "
    "dots.llm1 ernie-4.5-0.3b eurobert-210m falcon-rw-1b glm-4-9b gopher-44m gpt3-125m "
    "gpt-neox-20b gpt-j-6b hunyuan-7b hy3-preview jamba-v0.1 kimi-k2 lfm2-350m smollm-135m "
    "m2m100-418m mimo-v2-flash minimax-m2.5 modernbert-base mpt-7b nanochat-d20 olmo-1b "
    "openai-gpt perseid phi-1 qwen3-next-80b-a3b recurrentgemma-2b roberta-base "
    "stablelm-3b-4e1t t5-small xglm-564m xlnet-base").split()


@pytest.mark.parametrize("width", ["7.7", "16"])
@pytest.mark.parametrize("form", ["appendix", "derive", "floats"])
def test_nothing_sticks_out_of_a_column(tmp_path: Path, form: str, width: str) -> None:
    """No box by more than a point, and no warning of labels or fonts: every model with
    SYMPARAM_MODELS=all."""
    every = catalogue.names() if os.environ.get("SYMPARAM_MODELS") == "all" else FORTY
    fragments = {name: written(line) for name, line in lines(
        [form], [*every, str(DATA / "hybrid.toml")], width)}
    assert all(fragments.values())
    found = typeset(tmp_path / "out", fragments, width)
    assert {name: each for name, each in found.items() if each} == {}


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"appendix", "derive", "floats"}))
def test_no_command_is_wider_than_its_column(tmp_path: Path, command: str) -> None:
    models = [*FORTY[::8], "deepseek-v3", "falcon-mamba-7b", str(DATA / "hybrid.toml")]
    for width in WIDTHS:
        fragments = {name: text for name, line in lines([command], models, width)
                     if (text := written(line))}
        assert fragments
        found = typeset(tmp_path / width, fragments, width)
        assert {name: each for name, each in found.items() if each} == {}


def test_what_sticks_out_is_seen(tmp_path: Path) -> None:
    found = typeset(tmp_path / "out", {
        "good": "x", "wide": r"\noindent\hbox to 300pt{x}", "bad": r"\nosuchcommand",
        "label": r"\ref{nothing}", "font": r"{\fontseries{zz}\selectfont x}"}, "7.7")
    assert {name for name, each in found.items() if each.wide} == {"wide"}
    assert {name for name, each in found.items() if each.error} == {"bad"}
    assert {name for name, each in found.items() if each.warnings} == {"label", "font"}


def test_every_published_model(tmp_path: Path) -> None:
    """The brief page of the first model of every lineage; of all with SYMPARAM_MODELS=all."""
    names = catalogue.names() if os.environ.get("SYMPARAM_MODELS") == "all" else FIRST
    pages = {f"{name}.tex": symparam.load(name).derive().latex(standalone=True) for name in names}
    assert failures(tmp_path, pages) == {}


@pytest.mark.parametrize("command", [
    "derive --detail full --sensitivity", "count", "count --tensors"])
def test_published_models(
        tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    documents = printed(capsys, (f"{command} {name} --latex --standalone" for name in FIRST))
    assert failures(tmp_path, documents) == {}


def test_every_notation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents = printed(capsys, (
        f"derive {what} --standalone --notation {notation}" for notation in PRESETS
        for what in ("gpt2 --leading", "llama-2-70b", "llama-2-7b --assume d_ff=8/3*d_model "
                     "--leading")))
    assert failures(tmp_path, documents) == {}


def test_the_other_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents = printed(capsys, (f"{line} --standalone" for line in (
        "models", "components", "align gpt2", "align d_model=4096 n_heads=32 d_ff=11008",
        "solve P=7e9 L=32", "solve llama-2-7b P=13e9", "solve gpt2 P=1e9 L=?",
        "solve P=7e9 --ffn swiglu --attention gqa --notation hf",
        "derive deepseek-v3 --leading --assume d_nope=1/56*d_model --assume d_rope=1/112*d_model "
        "--assume d_v=1/56*d_model --assume d_ff=18/7*d_model --assume d_expert=2/7*d_model",
        "sensitivity gpt2 --wrt all", "sensitivity deepseek-v3 --notation hf",
        "sensitivity --ffn swiglu --notation hf", "sensitivity --attention mla --ffn moe",
        "cost deepseek-v3 --convention all --device h200", "cost t5-base --notation hf",
        "derive gemma-3-1b --quantity train_causal --detail full",
        "derive deepseek-v3 --quantity flops --notation hf --sensitivity",
        "derive llama-2-7b --quantity training_memory_zero_1 --notation megatron --sensitivity",
        "derive t5-base --quantity flops --notation scaling-book --detail full",
        "derive falcon-mamba-7b --quantity kv_cache --notation palm",
        "sensitivity mixtral-8x7b --quantity flops_per_token --notation megatron")))
    assert failures(tmp_path, documents) == {}


def test_sampled_options(tmp_path: Path) -> None:
    documents = {name: view.latex(standalone=True) for name, view in sampled(60)}
    assert failures(tmp_path, documents) == {}


def test_several_kinds_of_layer_and_shared_ones(tmp_path: Path) -> None:
    from symparam.derivation.plan import derive
    from symparam.documents.derivations.document import derivation_document
    from tests.test_hard_models import albert, deepseek

    documents = {f"{model.name} {kind}": render(document, "standalone", PRESETS[kind])
                 for kind in PRESETS for model in (albert(), deepseek())
                 for document in (derivation_document(derive(model)),)}
    assert failures(tmp_path, documents) == {}


def test_fragments_need_amsmath_and_booktabs_alone(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ("derive gpt2 --leading --latex", "derive llama-2-70b --latex --notation hf",
             "derive --ffn swiglu --latex", "count gpt2 --latex", "count llama-2-7b --tensors "
             "--latex", "models --latex", "components --latex", "align gpt2 --latex")
    documents = {line: MINIMAL % text for line, text in printed(capsys, lines).items()}
    assert not [text for text in documents.values() if "documentclass" in text[20:]]
    found = failures(tmp_path, documents)
    assert [what for what in found.values() if "too wide" not in what] == []


def test_hostile_names(tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text(r"\typeout{SECRET READ}")
    documents = {f"{i}": render(named(text), "standalone") for i, text in enumerate(HOSTILE)}
    found = failures(tmp_path, documents)
    assert {n: what for n, what in found.items() if "too wide" not in what} == {}
    logs = [path.read_text(encoding="latin-1") for path in tmp_path.rglob("*.log")]
    assert len(logs) == len(HOSTILE)
    assert not any("SECRET READ" in log for log in logs)


def test_any_character_can_be_set(tmp_path: Path) -> None:
    """One document a block of characters; a letter without a glyph is written as its number."""
    blocks = {"latin": range(0x20, 0x250), "greek and cyrillic": range(0x370, 0x530),
              "punctuation and signs": range(0x2010, 0x2300), "others": (
                  *range(0x5D0, 0x5F0), *range(0x3040, 0x3100), *range(0x1F600, 0x1F620),
                  0xFEFF, 0xFFFD, 0x10FFFF, 0xD800)}
    documents = {name: render(Document("characters", tuple(
        Paragraph(spans(f"{chr(n)} {n}")) for n in codes)), "standalone")
        for name, codes in blocks.items()}
    assert failures(tmp_path, documents) == {}


def test_own_dims_and_large_numbers(tmp_path: Path) -> None:
    model = describe_model("file", {
        "dims": {"V": 10**6, "L": 3, "d_model": 10**5, "n_heads": 8, "f_a_b__c": 10**6, "x1": 5},
        "blocks": [
            {"name": "first_kind", "layers": 1, "attention": "mha", "norm": "rmsnorm",
             "ffn": {"kind": "mlp", "dims": {"d_ff": "f_a_b__c"}}},
            {"name": "b2", "layers": 2, "attention": "mha", "norm": "rmsnorm",
             "ffn": {"kind": "swiglu", "dims": {"d_ff": "x1"}}}]}, "own")
    wrapped = type(load("gpt2")).wrap(model)
    assert failures(tmp_path, {
        "derive": wrapped.derive().latex(standalone=True),
        "count": render(count_document(count_model(model), False), "standalone")}) == {}


def test_several_models_in_one_table(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draw = random.Random(7)
    groups = ["gpt2 llama-2-7b", "llama-2-7b mistral-7b gpt2", "t5-base mamba-130m deepseek-v3",
              *(" ".join(draw.sample(FIRST, n)) for n in (4, 7, 12))]
    documents = printed(capsys, (f"count {names} --standalone --notation {notation}"
                                 for names in groups for notation in ("paper", "hf")))
    assert failures(tmp_path, documents) == {}


def test_macros_are_cited_in_text_and_in_formulas(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents = {}
    for name in ("gpt2 llama-2-7b mixtral-8x7b", "deepseek-v3", "t5-base"):
        lines = [f"count {name} --format macros", *(
            f"derive {each} --format macros --notation {notation}"
            for each, notation in zip(name.split(), PRESETS, strict=False))]
        text = "".join(printed(capsys, lines).values())
        names = re.findall(r"newcommand\{(\\[A-Za-z]+)\}", text)
        assert len(names) > 30
        cited = " ".join(f"{each}{{}} and ${each}$, {each}\\par" for each in names)
        documents[name] = MINIMAL % f"{text}\n\\sloppy {cited}"
    found = failures(tmp_path, documents)
    assert {n: what for n, what in found.items() if "too wide" not in what} == {}


def test_a_notation_and_a_template_of_ones_own(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.test_notation import OURS
    from tests.test_templates import TEMPLATES

    notation, template = tmp_path / "ours.toml", tmp_path / "paper.tex.j2"
    notation.write_text(OURS + "d_ff = 'w'\n", encoding="utf-8")
    scripts = tmp_path / "scripts.toml"
    scripts.write_text("[latex]\nd_model = 'h^{*}'\nd_ff = '\\mathtt{f\\_f}_1^\\Delta'\n"
                       "n_heads = '\\ell'\n", encoding="utf-8")
    template.write_text(TEMPLATES["paper.tex.j2"], encoding="utf-8")
    lines = [f"derive {name} --standalone --notation {file}"
             for name in ("gpt2 --leading", "llama-2-70b") for file in (notation, scripts)]
    documents = printed(capsys, lines)
    own = printed(capsys, [f"derive gpt2 --template {template} --notation {notation}"])
    documents |= {line: (MINIMAL % text).replace("{article}", "{article}\\usepackage[margin=25mm]"
                                                 "{geometry}") for line, text in own.items()}
    (tmp_path / "out").mkdir()
    assert failures(tmp_path / "out", documents) == {}
