"""The command, its documents in every format, its data, and the chain of nanochat."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import symparam
from symparam import expression as ex
from symparam.cli.main import run
from symparam.derivation.at_numbers import Numbers
from symparam.derivation.pipeline import Link, pipeline
from symparam.descriptions.architecture.architecture_file import describe_model
from symparam.descriptions.config import read_config
from symparam.descriptions.load import load
from symparam.documents.cost import CostView
from symparam.documents.cost_data import cost_named, names_of
from symparam.errors import BadValue, FalseStep, MissingDims, SymparamError, UnknownName
from symparam.notation.numbers import gibibytes, gigabytes
from symparam.quantities import find, training
from symparam.quantities.amounts import memory_of, quantity_of
from symparam.quantities.cost import SECTIONS, Asked, cost_of
from symparam.quantities.devices import DEVICES
from symparam.quantities.formats import FORMATS
from symparam.quantities.inputs import DataInputs
from symparam.quantities.quantity import Subject
from symparam.quantities.setting import COUNTED
from symparam.resolve import with_overrides
from tests.helpers import message, together
from tests.test_json import valid


def shown(capsys: pytest.CaptureFixture[str], line: str) -> str:
    """What a command line prints."""
    assert run(["cost", *shlex.split(line)]) == 0
    return capsys.readouterr().out


GOLDEN = {
    "cost-llama-2-7b.txt": "llama-2-7b --convention all --device a100-80gb",
    "cost-llama-2-7b.md": "llama-2-7b --convention all --device a100-80gb --format markdown",
    "cost-nanochat.txt": "nanochat-d20 --only data --shards 240 --dtype fp16",
    "cost-nanochat.tex": "nanochat-d20 --only data --shards 240 --dtype fp16 --latex",
    "cost-gemma-3-1b.json": "gemma-3-1b s=8192 b=4 --json",
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str, golden: Callable[[str, str], None],
                capsys: pytest.CaptureFixture[str]) -> None:
    golden(name, shown(capsys, GOLDEN[name]))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("line", [
    "llama-2-7b --convention all --device a100-80gb", "t5-base", "falcon-mamba-7b",
    "deepseek-v3 --dtype int4 --group 128 --tensor-parallel 7", "bert-base s=128 b=8",
    "gemma-3-1b D=1e12 --device 24GB n_devices=7", "whisper-tiny", "nanochat-d20 --shards 240",
    "V=100 L=2 d_model=8 n_heads=2 --only weights --only flops"])
def test_data_meets_its_schema_and_fits_the_terminal(
        line: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(shown(capsys, f"{line} --json"))
    valid("cost", data)
    for state_of, total in (("cache", "bytes"), ("flops", "total")):
        if state_of in data:
            rows = data[state_of]["states" if state_of == "cache" else "components"]
            parts = [Fraction(row["bytes"]) if state_of == "cache" else
                     Fraction(row["weights"]) + Fraction(row["products"]) for row in rows]
            assert sum(parts) == Fraction(data[state_of][total])
    text = shown(capsys, line)
    assert max(map(len, text.splitlines())) <= 80
    assert data["model"] in text


def test_a_schema_notices_a_wrong_answer(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(shown(capsys, "gpt2 --json"))
    for spoiled in ({**data, "more": 1}, {**data, "parameters": 1.5},
                    {k: v for k, v in data.items() if k != "run"},
                    {**data, "cache": {**data["cache"], "bytes": "many"}}):
        with pytest.raises(AssertionError):
            valid("cost", spoiled)


def test_the_table_of_all_conventions(capsys: pytest.CaptureFixture[str]) -> None:
    line = "llama-2-7b s=4096 --only training --convention all"
    text = shown(capsys, line)
    for gflop in ("38.856", "39.642", "40.430", "42.864", "46.085", "46.873", "45.884", "60.916"):
        assert gflop in text
    rows = json.loads(shown(capsys, f"{line} --json"))["training"]
    assert [row["name"] for row in rows] == [q.name for q in training.CONVENTIONS]
    assert {row["kind"] for row in rows} == {"view", "literal"}
    for row in rows:
        assert row["title"] in text
        assert f" {row['kind']} " in text
    one = json.loads(shown(capsys, "llama-2-7b --only training --convention palm --json"))
    assert [row["name"] for row in one["training"]] == ["train_palm"]


def test_what_is_not_defined_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, "gpt2 --only weights,cache --only flops --json") == shown(
        capsys, "gpt2 --only weights --only cache --only flops --json")
    text = shown(capsys, "mixtral-8x7b --only training --convention all")
    assert "Chinchilla: not here" in text
    assert "d_ff" in text
    assert "Not here" in shown(capsys, "t5-base --only activations")
    assert "sees all others at once" in " ".join(shown(capsys, "bert-base --only cache").split())


@together(("line", "words"), [
    ("llama-2-7b --only fit", "on what it is to fit"),
    ("llama-2-7b --device a100", "a100-40gb"),
    ("llama-2-7b --device 0GB", "more than 0"),
    ("llama-2-7b --device 0.3B", "whole number of bytes"),
    ("llama-2-7b --convention mfu", "full"),
    ("llama-2-7b --context 5 s=6", "s given twice"),
    ("llama-2-7b s=5 seq_len=6", "s given twice"),
    ("llama-2-7b --context 0", "at least 1"),
    ("llama-2-7b --context 1.5", "whole number"),
    ("llama-2-7b --context long", "long"),
    ("llama-2-7b --group 0 --dtype int4", "at least 1"),
    ("llama-2-7b --group 128", "bf16 has no groups"),
    ("llama-2-7b --group 128 --dtype fp8", "int8 or int4"),
    ("llama-2-7b --train-bytes 17", "17"),
    ("llama-2-7b --dtype fp64", "fp64"),
    ("llama-2-7b --shards 10", "2588"),
    ("llama-2-7b --characters-per-token 0", "more than 0"),
    ("llama-2-7b --characters-per-token many", "expected a number"),
    ("llama-2-7b --devices 0", "at least 1"),
    ("--ffn swiglu", "d_model"),
    ("gemma-3-1b L=3 L_window=4", "L_window"),
    ("llama-2-7b --only everything", "everything"),
    ("llama-2-7b --only cache,everything", "everything"),
])
def test_bad_input_is_one_line(line: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cost", *shlex.split(line)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert words in err
    assert "Traceback" not in err


def test_groups_are_those_of_quantised_formats(capsys: pytest.CaptureFixture[str]) -> None:
    line = "llama-2-7b --only weights --json --dtype int4"
    plain, grouped = (json.loads(shown(capsys, line + more))["weights"]["bytes"]
                      for more in ("", " --group 128"))
    same = [name for name in FORMATS if plain[name] == grouped[name]]
    assert same == ["fp32", "bf16", "fp16", "fp8"]
    assert grouped["fp32"] == 4 * 6_738_415_616
    assert run(["derive", "llama-2-7b", "--quantity", "weights", "--group", "128"]) == 2
    assert "bf16 has no groups" in capsys.readouterr().err


def test_an_option_and_a_dim_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    for option, dim in (("--context 8192", "s=8192"), ("--batch 4", "b=4"),
                        ("--tokens 1e12", "D=1e12"), ("--devices 64", "n_devices=64"),
                        ("--tensor-parallel 8", "t=8"), ("--context 8Ki", "seq_len=8192")):
        line = "llama-2-7b --only cache --only training --only memory --only activations --json"
        assert shown(capsys, f"{line} {option}") == shown(capsys, f"{line} {dim}"), option
    assert "s = n_ctx" not in shown(capsys, "gpt2 --only cache")
    assert json.loads(shown(capsys, "gpt2 s=n_ctx/2 --json"))["run"]["s"] == 512


@pytest.mark.parametrize(("name", "active"), [
    ("mixtral-8x7b", 12_879_925_248), ("deepseek-v3", 37_552_282_624)])
def test_a_token_computes_with_the_experts_that_it_is_sent_to(name: str, active: int) -> None:
    model = load(name)
    links = {link.symbol: link for link in pipeline(model, DataInputs(), FORMATS["fp16"])}
    total = int(links["P"].numbers.result)
    assert links["P_active"].numbers.result == active
    assert links["D"].numbers.result == 20 * total
    assert str(links["C"].numbers.symbolic) == "6*P_active*D"
    assert links["C"].numbers.result == 6 * active * 20 * total
    assert cost_of(model).value("optimal_compute") == 6 * active * 20 * total
    assert "every expert counted" in links["P"].why


def test_without_a_number_of_experts_in_use_there_is_no_compute(
        capsys: pytest.CaptureFixture[str]) -> None:
    assert "P_active" not in shown(capsys, "llama-2-7b --only data")
    model = read_config("here", {
        "model_type": "deepseek_v2", "vocab_size": 100, "hidden_size": 16, "num_hidden_layers": 2,
        "num_attention_heads": 2, "q_lora_rank": None, "kv_lora_rank": 4, "qk_nope_head_dim": 4,
        "qk_rope_head_dim": 2, "v_head_dim": 4, "intermediate_size": 32, "n_routed_experts": 4,
        "n_shared_experts": 1, "moe_intermediate_size": 8, "first_k_dense_replace": 1}, "here")
    assert "C" not in {link.symbol for link in pipeline(model, DataInputs(), FORMATS["fp16"])}
    with pytest.raises(BadValue, match="how many experts a token uses"):
        find("optimal_compute").value(Subject.of(model))


def test_the_chain_of_nanochat() -> None:
    links = {link.symbol: link for link in pipeline(
        load("nanochat-d20"), DataInputs(shards=240), FORMATS["fp16"])}
    assert {name: link.numbers.result for name, link in links.items()} == {
        "P": 560_988_160, "M_weights": 1_121_976_320, "D": 11_219_763_200,
        "n_chars": 53_854_863_360, "n_shards": 216, "n_taken": 240, "M_disk": 24_000_000_000,
        "C": 6 * 560_988_160 * 11_219_763_200}
    assert links["P"].status == "proved"
    assert str(links["P"].numbers.symbolic) == "12*L*d_model**2 + 2*V*d_model"
    nominal = pipeline(load("nanochat-d20"), DataInputs(), FORMATS["fp32"])
    assert [link.symbol for link in nominal] == [
        "P", "M_weights", "D", "n_chars", "n_shards", "M_disk", "C"]
    assert nominal[1].numbers.result == 2_243_952_640
    assert nominal[5].numbers.result == 21_600_000_000
    with pytest.raises(MissingDims):
        pipeline(symparam.decoder(), DataInputs(), FORMATS["fp16"])


def test_a_false_link_cannot_be_made() -> None:
    with pytest.raises(FalseStep):
        Link("D", Numbers(ex.Sym("P"), ex.Num(20) * ex.Num(3), 61), "tokens", "why")


def test_python() -> None:
    model = symparam.load("llama-2-7b")
    view = model.cost(convention="all", s=4096, device="80 GB")
    assert isinstance(view, CostView)
    assert view.value("train_palm") == model.quantity("train_palm", s=4096) == 46_872_944_640
    assert view.json()["fit"][0]["fits"] is True
    assert "46.873" in view.text()
    assert view.latex(standalone=True).startswith("\\documentclass")
    assert "<math" in view.html()
    assert "llama-2-7b" in repr(view)
    assert model.kv_cache(4096, b=2, kv_dtype="int8") == 2**31
    assert model.flops(4096, attention="causal") < model.flops(4096)
    assert model.quantity("weights", dtype="int4", group=128) == 3_864_010_752
    for wrong, error in ((lambda: model.quantity("nope"), UnknownName),
                         (lambda: model.cost(bits=4), UnknownName),
                         (lambda: model.flops(8, attention="half"), UnknownName),
                         (lambda: model.kv_cache(0), BadValue),
                         (lambda: model.cost(device=-5), BadValue)):
        with pytest.raises(error) as caught:
            wrong()
        message(caught.value)  # type: ignore[arg-type]


WINDOWED = {"dims": {"V": 11, "L": 6, "d_model": 8, "n_heads": 2, "n_kv": 1, "d_ff": 16, "near": 3},
            "blocks": [
                {"name": "sliding", "layers": [0, 1, 2, 3], "ffn": "mlp", "norm": "rmsnorm",
                 "attention": {"kind": "gqa", "window": "near"}},
                {"name": "full", "layers": "rest", "ffn": "mlp", "norm": "rmsnorm",
                 "attention": "gqa"}]}


def test_a_description_may_have_windows() -> None:
    model = describe_model("here.toml", WINDOWED, "mine")
    for s in (2, 3, 10):
        found = cost_of(with_overrides(model, {"s": s})).value("kv_cache")
        assert found == 2 * 2 * 4 * (4 * min(s, 3) + 2 * s)
    for wrong, words in ((True, "number of tokens"), ("a b", "name of a dim"),
                         ("P", "name of a dim")):
        spoiled = {**WINDOWED, "blocks": [
            {**block, "attention": {"kind": "gqa", "window": wrong}}
            for block in WINDOWED["blocks"]]}  # type: ignore[attr-defined]
        with pytest.raises(SymparamError) as caught:
            describe_model("here.toml", spoiled, "mine")
        assert words in message(caught.value)


def test_every_section_stands_alone() -> None:
    for section in SECTIONS:
        asked = Asked(sections=(section,), device="h100-80gb")
        found = CostView.wrap(cost_of(load("gpt2"), asked), CostView.notation)
        headings = [b for b in found.document().blocks if b.kind == "heading"]
        assert len(headings) == 2  # its own, and what it rests on
        valid("cost", found.json())


def test_what_costs_can_be_cited_beside_what_counts() -> None:
    """No number of the costs takes a name that a count of the same model has."""
    found = cost_named(cost_of(load("gpt2"), Asked(sections=("training",))))
    assert {each.name for each in found} > {"weights", "kv cache", "flops"}
    assert [each for each in found if each.counts] == []


def test_a_component_names_where_it_stands() -> None:
    found = cost_of(load("t5-base"))
    assert sum(row.value for row in found.work()) == found.value("flops")
    assert sum(row.value for row in found.cache()) == found.value("kv_cache")
    gemma = cost_of(load("gemma-3-1b"))
    assert len({row.path for row in gemma.work()}) == len(gemma.work()) == 3
    causal = cost_of(load("gemma-3-1b"), Asked(setting=gemma.subject.setting))
    assert causal.work() == gemma.work()


@pytest.mark.parametrize(("power", "letter"), list(enumerate("KMGT", 1)))
def test_an_amount_has_every_unit_of_bytes(power: int, letter: str) -> None:
    assert memory_of(f"3{letter}B") == 3 * 1000**power
    assert memory_of(f"3 {letter}iB") == 3 * 1024**power


@together(("text", "wanted"), [
    ("24GB", 24 * 10**9), ("80GiB", 80 * 2**30), ("1.5 GiB", 3 * 2**29), ("512MB", 512 * 10**6),
    ("7B", 7), ("a100-80gb", "a100-80gb"), ("GB", "GB")])
def test_amounts_of_memory(text: str, wanted: Any) -> None:
    assert memory_of(text) == wanted


def test_amounts_are_exact() -> None:
    assert quantity_of("x", "4.8") == Fraction(24, 5)
    assert quantity_of("x", "250e6") == 250_000_000
    for wrong in ("", "-1", "n", "1/0", "1e999999"):
        with pytest.raises(SymparamError) as caught:
            quantity_of("x", wrong)
        message(caught.value)
    assert (gigabytes(2_243_952_640), gibibytes(2_243_952_640)) == ("2.24 GB", "2.09 GiB")
    assert (gigabytes(0), gibibytes(1)) == ("0.00 GB", "0.00000000093 GiB")


@pytest.mark.parametrize("name", ["kv_cache", "flops", "train_full", "training_memory_18"])
def test_a_quantity_is_what_the_command_prints(
        name: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(shown(capsys, "llama-2-7b s=777 b=3 --json"))
    model = symparam.load("llama-2-7b")
    printed = {"kv_cache": data["cache"]["bytes"], "flops": data["flops"]["total"],
               **{row["name"]: row["value"] for row in (*data["training"], *data["memory"])}}
    assert printed[name] == model.quantity(name, s=777, b=3)
    assert find(name).unit in {"B", "FLOP"}


def test_a_run_of_many_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "llama-3-8b D=15T --only training --convention head")
    assert "15,000,000,000,000 tokens" in text
    assert "675.419" in text  # 6 × the matrices with the head, times the tokens
    assert "ZFLOP" in text
    assert run(["cost", "gpt2", "D=1e19"]) == 2
    assert "10^18" in capsys.readouterr().err


def test_what_is_not_run_needs_no_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    still = shown(capsys, "gpt2 --only weights --only memory")
    assert "tokens" not in still
    assert "assumed" not in still
    assert "1,024 tokens × 1" in shown(capsys, "gpt2 --only weights --only cache")


@pytest.mark.thinned(2)
@pytest.mark.parametrize("words", [
    "cost gemma-3-1b s=8192 --only flops", "derive gemma-3-1b s=8192 --quantity flops",
    "sensitivity gemma-3-1b s=8192 --quantity flops --wrt s", "sweep gemma-3-1b s=8192 --quantity "
    "flops", "check gemma-3-1b s=8192 --claim flops<=9e30",
    "solve gemma-3-1b s=? --target flops_per_token<=3e9"])
def test_every_answer_says_how_it_counts_attention(
        words: str, capsys: pytest.CaptureFixture[str]) -> None:
    for form in ((), ("--json",)):
        run([*words.split(), *form])
        assert COUNTED["full"] in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("attention", COUNTED)
def test_a_page_counts_attention_in_one_way(
        attention: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = f"gemma-3-1b s=8192 --attention-count {attention} --only flops --only training"
    data = json.loads(shown(capsys, f"{words} --json"))
    (training,) = data["training"]
    assert data["flops"]["counted"] in training["convention"]
    assert Fraction(training["value"]) == 3 * Fraction(data["flops"]["per_token"])
    page = " ".join(shown(capsys, words).split())
    assert page.count(COUNTED[attention]) == 2
    assert "counts attention otherwise" not in page
    assert ("generated after the others" in page) == (attention == "full")
    other = " ".join(shown(capsys, f"{words} --convention blocks").split())
    assert f"counts attention otherwise: {COUNTED[attention]}" in other


def test_parameters_in_use_and_all_of_them_are_told_apart(
        capsys: pytest.CaptureFixture[str]) -> None:
    page = " ".join(shown(capsys, "mixtral-8x7b --only data").split())
    assert "20 tokens a parameter, every expert counted" in page
    assert "6 for each active parameter and token; D is of all parameters" in page
    plain = " ".join(shown(capsys, "llama-2-7b --only data").split())
    assert "expert" not in plain
    assert "6 for each parameter and token (" in plain


def test_a_full_window_is_thought_of_whatever_its_dim_is_called() -> None:
    from symparam.documents.cost import cost_document
    from symparam.templating.render import render

    model = with_overrides(describe_model("here.toml", WINDOWED, "mine"), {"s": 10})
    assert ", while no window is full" in render(cost_document(cost_of(model)), "text")


#: Gigabytes, as the makers' data sheets have them.
GIGABYTES = {
    "rtx-3090": 24, "rtx-4090": 24, "rtx-5090": 32, "t4": 16, "l4": 24, "l40s": 48,
    "v100-32gb": 32, "a100-40gb": 40, "a100-80gb": 80, "h100-80gb": 80, "h200": 141, "b200": 180,
    "mi300x": 192}


def test_every_device_has_the_memory_of_its_data_sheet() -> None:
    assert {name: device.memory for name, device in DEVICES.items()} == {
        name: size * 10**9 for name, size in GIGABYTES.items()}
    assert all(device.source for device in DEVICES.values())


@pytest.mark.parametrize("name", ["gemma-3-4b", "jamba-v0.1", "gpt-oss-20b", "mimo-v2-flash"])
def test_rows_of_a_cache_have_names_that_tell_them_apart(name: str) -> None:
    kept = symparam.load(name).cost().cache()
    rows = list(zip(names_of(kept), (row.what for row in kept), strict=True))
    assert len(rows) > 1
    assert len({*rows}) == len(rows)
    assert not [word for word, _ in rows if re.search(r"\b(\w+) \1\b", word)]
