"""What is taken for dims that no column of a table says, and which changes are tried first."""

from __future__ import annotations

from pathlib import Path

import pytest

import symparam
from symparam.claims.judged import JudgedRow, Review
from symparam.claims.likely import called_after, likely
from symparam.claims.tables.table_file import read_table
from symparam.claims.tables.table_rows import Base, review_table
from symparam.cli.main import run
from symparam.descriptions import catalogue
from symparam.descriptions.load import load
from symparam.descriptions.options import Options

#: Sizes as memory has them: none says the vocabulary, the network or its width.
PLAIN = "model,layers,d_model,heads,params\n"
SWIGLU = Base(options=Options(ffn="swiglu"))


def reviewed(folder: Path, text: str, base: Base | None = None) -> Review:
    """A table's review."""
    table = folder / "sizes.csv"
    table.write_text(text, encoding="utf-8")
    return review_table(read_table(str(table)), base)


def row(folder: Path, text: str, base: Base | None = None) -> JudgedRow:
    """The verdict on the one row of a table."""
    (found,) = reviewed(folder, text, base).rows
    return found


def blocks(depth: int, width: int, inner: int, key_values: int | None = None) -> int:
    """A decoder of SwiGLU blocks with RMSNorms, an untied head and 32000 tokens, by hand."""
    return depth * (2 * width * width + 2 * width * (key_values or width) + 3 * width * inner
                    + 2 * width) + width + 2 * 32000 * width


def test_a_vocabulary_that_nothing_says_is_taken_and_told(tmp_path: Path) -> None:
    found = reviewed(tmp_path, PLAIN + "a,2,64,4,5\n")
    assert found.rows[0].computed == 2 * (12 * 64 * 64 + 2 * 64) + 64 + 2 * 32000 * 64
    assert "V = 32000 is taken: no column and no V=... says it" in found.assumed
    for text, base in ((PLAIN + "a,2,64,4,5\n", Base(given={"V": 100})),
                       ("model,layers,d_model,heads,V,params\na,2,64,4,100,5\n", None)):
        assert not [said for said in reviewed(tmp_path, text, base).assumed if "V = 32000" in said]


def test_a_vocabulary_that_one_row_does_not_say_is_not_taken(tmp_path: Path) -> None:
    text = "model,layers,d_model,heads,V,params\na,2,64,4,100,5\nb,2,64,4,,5\n"
    assert [each.verdict for each in reviewed(tmp_path, text).rows] == ["wrong", "incomplete"]


def test_a_width_that_its_rule_does_not_make_whole_is_rounded_and_told(tmp_path: Path) -> None:
    text = PLAIN + "a,32,4096,32,6738415616\nb,2,768,12,5\n"
    found = reviewed(tmp_path, text, SWIGLU)
    assert [each.computed for each in found.rows] == [blocks(32, 4096, 11008), blocks(2, 768, 2048)]
    assert found.rows[0].verdict == "exact"
    said = [words for words in found.assumed if words.startswith("d_ff")]
    assert said == ["d_ff = 8/3*d_model, up to 256 is taken where 8/3*d_model is not whole: no "
                    "column and no d_ff=... says it"]
    whole = reviewed(tmp_path, PLAIN + "b,2,768,12,5\n", SWIGLU)
    assert not [words for words in whole.assumed if words.startswith("d_ff")]


def test_a_model_of_as_many_key_value_heads_keeps_as_many_in_each_row(tmp_path: Path) -> None:
    text = "model,layers,d_model,heads,d_ff,params\na,32,4096,16,11008,5\nb,2,3584,28,999,5\n"
    found = reviewed(tmp_path, text, Base(load("llama-2-7b")))
    assert [each.computed for each in found.rows] == [blocks(32, 4096, 11008), blocks(2, 3584, 999)]
    assert [each.dims["n_kv"] for each in found.rows] == [16, 28]
    assert ("n_kv = n_heads in each row, as in llama-2-7b: no column and no n_kv=... says it"
            in found.assumed)
    assert "the architecture is that of llama-2-7b, with its V=32000" in found.assumed


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("base", "kept"), [
    (Base(load("llama-2-70b")), 8), (Base(load("llama-2-7b"), given={"n_kv": 4}), 4)])
def test_key_value_heads_that_are_said_stay(tmp_path: Path, base: Base, kept: int) -> None:
    found = row(tmp_path, "model,layers,d_model,heads,d_ff,params\na,32,4096,16,11008,5\n", base)
    assert found.dims["n_kv"] == kept


NAMES = "model,layers,d_model,heads,d_ff,vocab,params\n"


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("line", "option", "words"), [
    ("Mistral 7B,32,4096,32,14464,32000,7.24B", "mistral-7b", "(n_kv = 8, d_ff = 14336, SwiGLU"),
    ("Qwen2.5-7B,24,3584,28,18944,152064,7.62B", "qwen2.5-7b",
     "(L = 28, n_kv = 4, SwiGLU, biases"),
    ("Gemma-2 9B,30,3584,16,14336,256000,9.24B", "gemma-2-9b", "(L = 42, n_kv = 8")])
def test_the_published_model_of_its_name_is_said_first(tmp_path: Path, line: str, option: str,
                                                       words: str) -> None:
    first = row(tmp_path, f"{NAMES}{line}\n").mends[0]
    assert first.option == option
    assert first.total == symparam.load(option).count()
    assert words in first.what


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("line", "known"), [
    ("Mistral 7B,32,4096,32,14336,32000,7.24B", "mistral-7b"),
    ("Qwen2.5-7B,28,3584,28,18944,152064,7.62B", "qwen2.5-7b"),
    ("Gemma-2 9B,42,3584,16,14336,256000,9.24B", "gemma-2-9b"),
    ("Llama 2 70B,80,8192,64,,,69.0B", "llama-2-70b")])
def test_a_row_with_the_name_and_the_numbers_of_a_published_model_is_counted_as_that(
        tmp_path: Path, line: str, known: str) -> None:
    """What it does not say (a gated network, fewer key-value heads) is the model's; under another
    name it is as in a plain decoder, and false."""
    found = reviewed(tmp_path, f"{NAMES}{line}\n")
    assert (found.rows[0].verdict, found.rows[0].computed) == (
        "rounds", symparam.load(known).count())
    assert any(f"({known})" in words for words in found.assumed)
    other = row(tmp_path, f"{NAMES}{line.replace(line.partition(',')[0], 'ours')}\n")
    assert other.verdict in ("wrong", "incomplete")


TWO = "model,layers,d_model,heads,d_head,d_ff,params\n"


@pytest.mark.parametrize(("line", "known"), [
    ("T5-11B,24,1024,128,128,65536,11B", "t5-11b"), ("T5 base,12,768,12,64,3072,223M", "t5-base"),
    ("BART large,24,1024,16,,4096,406M", "bart-large"),
    ("Whisper-small,12,768,12,64,3072,242M", "whisper-small")])
def test_a_published_row_with_an_encoder_and_a_decoder_is_that_model(
        tmp_path: Path, line: str, known: str) -> None:
    """Its layers are those of each of the two, or of both together."""
    found = reviewed(tmp_path, f"{TWO}{line}\n")
    assert found.rows[0].computed == symparam.load(known).count()
    assert found.rows[0].verdict in {"rounds", "label"}
    assert any(known in words for words in found.assumed)


def test_a_row_with_an_encoder_and_a_decoder_of_other_numbers_is_unknown(tmp_path: Path) -> None:
    found = reviewed(tmp_path, f"{TWO}T5-11B,24,1024,128,128,16384,11B\n"
                               "ours,12,768,12,64,3072,134M\n")
    assert [(r.verdict, r.computed is None) for r in found.rows] == [
        ("incomplete", True), ("rounds", False)]
    assert "other numbers (d_ff = 65536)" in str(found.rows[0].findings[0].what)


def test_a_false_row_is_not_true_by_what_nobody_said(tmp_path: Path) -> None:
    """A plain network and as many key-value heads would make 64,950,116,352."""
    text = "model,layers,d_model,heads,params\n{},80,8192,64,65.0B\n"
    assert row(tmp_path, text.format("Llama 2 70B")).verdict == "wrong"
    assert row(tmp_path, text.format("ours")).verdict == "rounds"


def test_a_name_whose_model_has_another_size_is_not_said(tmp_path: Path) -> None:
    found = row(tmp_path, f"{NAMES}Mistral 7B,32,4096,32,14336,32000,9.99B\n")
    assert "mistral-7b" not in [mend.option for mend in found.mends]


def test_every_published_model_is_found_by_its_name_and_no_two_have_one() -> None:
    for name in catalogue.names():
        for spelled in (name, name.replace("-", " ").upper()):
            assert called_after(spelled) == name


@pytest.mark.parametrize(("line", "option", "total"), [
    ("a,32,4096,32,11008,32000,6.74B", "--ffn swiglu", blocks(32, 4096, 11008)),
    ("a,32,4096,32,14336,32000,7.24B", "--ffn swiglu --attention gqa n_kv=8",
     blocks(32, 4096, 14336, 1024))])
def test_usual_changes_come_first_and_together_where_one_does_not_do(
        tmp_path: Path, line: str, option: str, total: int,
        capsys: pytest.CaptureFixture[str]) -> None:
    found = row(tmp_path, f"{NAMES}{line}\n")
    assert (found.mends[0].option, found.mends[0].total) == (option, total)
    run(["check", str(tmp_path / "sizes.csv"), *option.split()])
    assert "1 claim, 1 rounds" in " ".join(capsys.readouterr().out.split())


def test_no_more_changes_go_together_than_it_takes(tmp_path: Path) -> None:
    """With biases of queries it would round to 7.24B as well."""
    found = row(tmp_path, f"{NAMES}a,32,4096,32,14336,32000,7.24B\n")
    assert [mend.option for mend in found.mends if "gqa" in mend.option] == [
        "--ffn swiglu --attention gqa n_kv=8"]
    exact = blocks(32, 4096, 14336, 1024) + 32 * (4096 + 2 * 1024)
    found = row(tmp_path, f"{NAMES}a,32,4096,32,14336,32000,{exact}\n")
    assert [mend.option for mend in found.mends if "gqa" in mend.option] == [
        "--ffn swiglu --attention gqa n_kv=8 --bias qkv"]


def test_the_width_of_a_gated_network_is_that_of_its_rule_or_a_published_one(
        tmp_path: Path) -> None:
    for said, option in (("6.74B", "--ffn swiglu d_ff=11008"),
                         ("7.24B", "--ffn swiglu d_ff=14336 --attention gqa n_kv=8")):
        assert row(tmp_path, f"{PLAIN}a,32,4096,32,{said}\n").mends[0].option == option


def test_of_a_published_model_nothing_usual_is_tried() -> None:
    for many in (1, 2, 3):
        assert not list(likely(load("gpt2"), many))
