"""What users met at the command line: files, names and keys, each with the shortest input."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import symparam as sp
from symparam.cli.main import run
from symparam.errors import BadValue, SpecError
from symparam.export.document import Code, Column, Document, Items, Table, spans
from symparam.export.text import TextFormat
from symparam.review import markdown_table
from symparam.spec.config import read_config
from symparam.spec.lookup import known_model_types
from symparam.spec.source import no_content
from tests.helpers import message

Line = Callable[..., tuple[int, str, str]]
LLAMA = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 100,
         "hidden_size": 24, "intermediate_size": 31, "num_hidden_layers": 3,
         "num_attention_heads": 4, "num_key_value_heads": 2, "tie_word_embeddings": False}


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
         capsys: pytest.CaptureFixture[str]) -> Line:
    """Run a command line in an empty folder: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def ran(text: str) -> tuple[int, str, str]:
        code = run(shlex.split(text))
        out = capsys.readouterr()
        return code, out.out, out.err

    return ran


def folder(name: str, config: dict[str, Any]) -> None:
    """A folder with a config.json, in the working folder."""
    Path(name).mkdir()
    Path(name, "config.json").write_text(json.dumps(config))


# --- dims that a model does not have --------------------------------------------------------

@pytest.mark.parametrize("text", [
    "count t5-base L=3", "derive t5-base num_layers=3", "count bart-base num_hidden_layers=3",
    "count whisper-tiny n_layer=3", "diff t5-base t5-base L=3", "count t5-base L=3 --json"])
def test_a_number_of_layers_of_two_sides_is_asked_for_by_side(text: str, line: Line) -> None:
    code, out, err = line(text)
    assert (code, out) == (2, "")
    assert "say L_encoder=... or L_decoder=... instead of L" in err


def test_sides_with_a_number_of_their_own_are_counted(line: Line) -> None:
    code, out, _ = line("count t5-base L_encoder=3 --json")
    assert code == 0
    assert json.loads(out)["total"] < sp.load("t5-base").count()


@pytest.mark.parametrize("text", [
    "count llama-2-7b n_experts=4", "derive gpt2 n_experts=4", "count --ffn mlp d_state=3",
    "diff llama-2-7b gpt2 q_rank=3", "count llama-2-7b g=4"])
def test_a_dim_that_the_model_has_not_is_an_error(text: str, line: Line) -> None:
    code, out, err = line(text)
    assert (code, out) == (2, "")
    assert " has no " in err
    assert "its dims are" in err


@pytest.mark.parametrize("call", [
    lambda: sp.load("llama-2-7b", n_experts=4), lambda: sp.load("t5-base").count(L=3),
    lambda: sp.decoder(q_rank=3), lambda: sp.load("gpt2").evaluate(n_experts=3)])
def test_it_is_one_in_python_too(call: Callable[[], Any]) -> None:
    with pytest.raises(BadValue, match="has"):
        call()


@pytest.mark.parametrize("text", ["count llama-2-7b n_ctx=77", "count mistral-7b window=100"])
def test_a_length_that_is_stored_nowhere_is_a_remark(text: str, line: Line) -> None:
    code, _, err = line(text)
    assert (code, "does not enter the count" in err) == (0, True)


# --- names and folders ----------------------------------------------------------------------

def test_a_folder_that_a_name_of_the_catalogue_hides_is_told(line: Line) -> None:
    folder("gpt2", {"model_type": "gpt2", "n_layer": 3})
    code, out, err = line("count gpt2")
    assert (code, "124,439,808" in out) == (0, True)
    assert err == "note: gpt2 is the catalogue's; write ./gpt2 for your own\n"
    code, out, err = line("count ./gpt2")
    assert (code, "124,439,808" in out, err) == (0, False, "")
    assert line("count gpt2 --quiet")[2] == ""
    Path("bert-base").mkdir()  # holds no configuration: nothing is hidden
    assert line("count bert-base")[2] == ""


def test_names_are_found_in_capitals_unless_a_folder_has_them(line: Line) -> None:
    assert line("count Llama-2-7B")[:2] == line("count llama-2-7b")[:2]
    folder("Llama-2-7B", LLAMA)
    assert "16," in line("count Llama-2-7B")[1].splitlines()[0]


def test_leading_takes_a_folder_for_a_model(line: Line) -> None:
    folder("mine", LLAMA | {"intermediate_size": 64})
    code, out, _ = line("derive --leading mine")
    assert (code, "mine" in out.splitlines()[0]) == (0, True)
    folder("V", LLAMA)  # a symbol stays one
    assert "P ≈" in line("derive --leading V")[1]


# --- keys of configurations -----------------------------------------------------------------

TOOLS = {"unsloth_version": "2024.9", "unsloth_fixed": True, "transformers.js_config": {},
         "model_max_length": 4096, "use_flash_attention_2": True, "layer_types": None}


def test_what_tools_leave_behind_is_harmless() -> None:
    plain, full = (read_config("c", {**LLAMA, **more}, "c") for more in ({}, TOOLS))
    assert plain == full


@pytest.mark.parametrize("key", ["quantization", "quantization_config"])
def test_quantisation_is_left_out_and_said(key: str) -> None:
    model = read_config("c", {**LLAMA, key: {"bits": 4}}, "c")
    assert [key in words for words in model.left_out] == [True]


def test_kinds_of_layer_that_are_null_are_missing_in_every_family() -> None:
    for model_type in sorted(known_model_types()):
        texts = []
        for more in ({}, {"layer_types": None}):
            try:
                texts.append(read_config("c", {"model_type": model_type, **more}, "c"))
            except SpecError as error:
                texts.append(str(error))
        assert texts[0] == texts[1] or "layer_types" not in str(texts[1]), model_type


def test_a_key_that_is_ignored_is_said(line: Line) -> None:
    folder("mine", LLAMA | {"num_experts": 8, "odd": 1})
    code, _, err = line("count mine --ignore-key odd")
    assert (code, "num_experts" in err, "did you mean" in err) == (2, True, False)
    assert "--ignore-key num_experts" in err
    code, out, _ = line("count mine --ignore-key odd --ignore-key num_experts --json")
    assert code == 0
    found = json.loads(out)
    assert found["left_out"] == [
        f"the key {key} of the configuration, which is not understood: ignored as asked"
        for key in ("num_experts", "odd")]
    assert sp.load("mine", ignore_keys=["odd", "num_experts"]).count() == found["total"]


@pytest.mark.parametrize(("text", "words"), [
    ("count mine --ignore-key hidden_size", "is for a key"),
    ("count gpt2 --ignore-key x", "this is none"),
    ("count L=3 --ignore-key x", "needs a MODEL"), ("count a.toml --ignore-key x", "config.json")])
def test_only_what_is_not_understood_can_be_ignored(text: str, words: str, line: Line) -> None:
    folder("mine", LLAMA)
    Path("a.toml").write_text('[dims]\nL = 2\n[[blocks]]\nattention = "mha"\nffn = "mlp"\n')
    code, _, err = line(text)
    assert (code, words in err) == (2, True), err


@pytest.mark.parametrize(("key", "hint"), [
    ("layer_kinds", ""), ("num_experts", ""), ("hidden_sizes", "did you mean hidden_size?"),
    ("num_attention_head", "did you mean num_attention_heads?")])
def test_a_hint_is_given_for_a_slip_alone(key: str, hint: str) -> None:
    with pytest.raises(SpecError) as caught:
        read_config("c", {**LLAMA, key: 3}, "c")
    text = message(caught.value)
    assert (hint in text) if hint else ("did you mean" not in text)


def test_a_tie_that_is_the_familys_default_is_told(line: Line) -> None:
    found = json.loads(line("count falcon-7b --json")[1])
    assert found["defaulted"] == {"tie_word_embeddings": True}
    assert "tie_word_embeddings =" in line("count falcon-7b")[1]
    folder("mine", {k: v for k, v in LLAMA.items() if k != "tie_word_embeddings"})
    assert json.loads(line("count mine --json")[1])["defaulted"] == {"tie_word_embeddings": False}
    assert json.loads(line("count mine --json --as base")[1])["defaulted"] == {}


def test_numbers_that_do_not_go_together_are_told_with_file_and_keys(line: Line) -> None:
    folder("mine", LLAMA | {"num_key_value_heads": 3})
    code, _, err = line("count mine")
    assert code == 2
    assert err.startswith("symparam: mine/config.json: num_attention_heads, num_key_value_heads: ")


# --- files ----------------------------------------------------------------------------------

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


@pytest.mark.parametrize(("content", "words"), [(POINTER, "Git-LFS pointer"), ("", "is empty")])
@pytest.mark.parametrize("name", ["a.json", "a.safetensors", "a.toml"])
def test_a_file_without_content_is_named_as_such(
        name: str, content: str, words: str, line: Line) -> None:
    Path(name).write_text(content)
    code, _, err = line(f"check gpt2 {name}" if "safe" in name else f"count {name}")
    assert (code, words in err, f"{name}: " in err) == (2, True, True)


def test_a_text_that_begins_like_a_pointer_is_none() -> None:
    assert no_content(b"version = 3") == no_content(b"v") == no_content(b"{}") == ""


def test_a_shape_is_refused_with_what_is_wrong_in_it(line: Line) -> None:
    head = json.dumps({"w": {"dtype": "F32", "shape": [2, "x"], "data_offsets": [0, 8]}}).encode()
    Path("a.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + b"\0" * 8)
    assert 'w.shape: expected a list of whole numbers, found "x" in it' in line(
        "check gpt2 a.safetensors")[2]


@pytest.mark.parametrize("text", [
    "count mine/config.json -o mine/config.json --force", "count mine -o mine/config.json --force",
    "count ./mine -o ./mine/../mine/config.json --force", "count mine -o link.json --force",
    "check gpt2 kept.txt.safetensors -o kept.txt.safetensors --force --format text"])
def test_what_is_read_is_never_replaced(text: str, line: Line) -> None:
    folder("mine", LLAMA)
    Path("link.json").symlink_to("mine/config.json")
    Path("kept.txt.safetensors").write_bytes(b"\2\0\0\0\0\0\0\0{}")
    before = Path("mine/config.json").read_bytes(), Path("kept.txt.safetensors").read_bytes()
    code, _, err = line(text)
    assert (code, "is what is read" in err) == (2, True), err
    assert before == (Path("mine/config.json").read_bytes(),
                      Path("kept.txt.safetensors").read_bytes())


def test_a_file_beside_it_is_written(line: Line) -> None:
    folder("mine", LLAMA)
    assert line("count mine -o mine/count.json")[0] == 0
    assert json.loads(Path("mine/count.json").read_text())["model"] == "mine"


@pytest.mark.parametrize(("name", "code"), [
    ("a.pdf", 2), ("a.ipynb", 2), ("llama-2.7b", 2), ("''", 2), ("a.txt", 0), ("a", 0), ("a.md", 0),
    ("a.JSON", 0), ("a.pdf --format text", 0), ("-", 0)])
def test_the_ending_of_a_file_says_its_format_or_is_refused(
        name: str, code: int, line: Line) -> None:
    found, out, err = line(f"count gpt2 -o {name}")
    assert found == code, err
    assert bool(out) == (name == "-")
    if name == "a.JSON":
        assert json.loads(Path("a.JSON").read_text())["total"] == 124_439_808


# --- words and widths -----------------------------------------------------------------------

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


def test_one_is_not_several(line: Line, tmp_path: Path) -> None:
    from tests.test_check import write

    folder("mine", LLAMA)
    file = write(tmp_path / "one.safetensors", {"model.embed_tokens.weight": (100, 24),
                                                "model.rotary_emb.inv_freq": (3,)})
    out = line(f"check mine {file}")[1]
    assert "1 tensor agrees in name and shape" in out
    assert "1 further tensor:" in out
    assert line("solve P=1 --max 1")[1].splitlines()[0].endswith("1 parameter wanted (1)")


def test_tables_of_positions_are_called_so(line: Line) -> None:
    for name in ("whisper-tiny", "t5-base"):  # sinusoids and relative biases: neither is learned
        assert "without embedding, head and positions" in line(f"count {name}")[1]


@pytest.mark.parametrize("name", ["llama-3-8b", "llama-3-70b", "llama-3.1-405b", "smollm-135m"])
def test_models_that_were_asked_for_are_published(name: str, line: Line) -> None:
    assert line(f"count {name}")[0] == 0


def test_marks_of_markdown_are_no_part_of_a_cell() -> None:
    table = markdown_table.read("t.md", "| model | a \\| b | note |\n|---|---|---|\n"
                                "| **gpt2** | [1](x) | `x`&nbsp;y |\n")
    assert table.header == ("model", "a | b", "note")
    assert table.rows == ((3, ("gpt2", "1", "x y")),)
