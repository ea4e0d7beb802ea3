"""torchtitan's saved configurations: named tensors as its own modules have them."""

from __future__ import annotations

import copy
import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from symparam.cli.main import run
from symparam.descriptions.frameworks import framework_of, known, read_framework
from symparam.descriptions.frameworks.torchtitan import HARMLESS
from symparam.descriptions.load import load
from symparam.errors import SymparamError
from symparam.model import Model
from symparam.quantities import find
from symparam.quantities.quantity import Subject
from symparam.quantities.setting import Setting
from tests.helpers import DATA, ledger, message, recorded, rows, together

with lzma.open(DATA / "torchtitan.jsonl.xz", "rt", encoding="utf-8") as lines:
    TITAN: list[dict[str, Any]] = [json.loads(line) for line in lines]


def job(record: dict[str, Any]) -> dict[str, Any]:
    """The file that a run saves, in short."""
    return {"hf_assets_path": "x", "training": {"seq_len": 2048}, "model_spec": {
        "name": record["name"], "flavor": record["flavor"], "model": record["model"]}}


def read(record: dict[str, Any], data: dict[str, Any] | None = None) -> Model:
    """The model of a record."""
    data = job(record) if data is None else data
    framework = framework_of("config.json", data)
    assert framework is known()["torchtitan"]
    return read_framework(framework, "config.json", data, record["flavor"])


def named(name: str, flavor: str) -> dict[str, Any]:
    """A record."""
    return next(each for each in TITAN if (each["name"], each["flavor"]) == (name, flavor))


def test_every_configuration_of_torchtitan_is_what_torchtitan_builds() -> None:
    """Of those with a vision encoder the text model is counted, which is said."""
    different, without = [], []
    for record in TITAN:
        model = read(record)
        of_text = [row for row in record["tensors"] if not row[0].startswith("vision_")]
        said = [text for text in model.left_out if "the text model alone is counted" in text]
        assert bool(said) == (of_text != record["tensors"])
        without += [record["flavor"]] * bool(said)
        buffers = {(t.name, t.shape): t.copies for t in model.layout.tensors(
            ledger(model), buffers=True)}
        if rows(model) != recorded(of_text) or buffers != recorded(of_text + record["buffers"]):
            different.append((record["name"], record["flavor"]))
    assert not different
    assert without == ["debugmodel", "Kimi-VL-A3B", "Kimi-K2.5", "debugmodel_mm", "30B_mm"]
    assert len(TITAN) == 32


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the numbers and switches of a table stand that may change a weight."""
    pairs = value.items() if isinstance(value, dict) else (
        enumerate(value[:2]) if isinstance(value, list) else ())
    for key, inner in pairs:
        if key not in HARMLESS:
            yield from places(inner, (*path, key))
    if isinstance(value, (bool, int)):
        yield path


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("name", "flavor"), [
    ("llama3", "debugmodel"), ("qwen3", "debugmodel_non_fused_qkv"), ("qwen3", "debugmodel_moe"),
    ("deepseek_v3", "debugmodel"), ("gpt_oss", "debugmodel"),
    ("muse_glimmer", "debugmodel")])
def test_a_number_that_changes_alone_is_refused_or_counts(name: str, flavor: str) -> None:
    record = named(name, flavor)
    before, silent = ledger(read(record)), []
    for path in places(record["model"]):
        data = copy.deepcopy(job(record))
        inner: Any = data["model_spec"]["model"]
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = not inner[path[-1]] if isinstance(
            inner[path[-1]], bool) else inner[path[-1]] + 1
        try:
            if list(ledger(read(record, data))) == list(before):
                silent.append(path)
        except SymparamError:
            continue
    # (a norm that is stated and not built; a window, which has no weight)
    quiet = {"q_norm", "sliding_window_size", "window_size"}
    assert not [path for path in silent if not quiet & set(path)]


def test_windows_of_gpt_oss_are_followed() -> None:
    model = read(named("gpt_oss", "20b"))
    ours = load("gpt-oss-20b")
    setting = Setting(run={"s": 1000})
    found = [find("kv_cache").value(Subject.of(each, setting)) for each in (model, ours)]
    assert found[0] == found[1]


def test_a_saved_file_is_a_model_of_every_command(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, record = tmp_path / "job.json", named("llama3", "8B")
    path.write_text(json.dumps(job(record)))
    assert run(["count", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"] == 8_030_261_248 == record["total"]
    assert run(["convert", str(path), "--to", "hf"]) == 2
    assert "not carried over" in capsys.readouterr().err


@together(("change", "words"), [
    ({"mtp_layers": [{}]}, "mtp_layers"), ({"layers": []}, "a list of layers"),
    ({"layers": [3]}, "expected a table"), ({"layers": {}}, "a list of layers"),
    ({"lm_head": {"in_features": 9, "out_features": 2048, "bias": False}}, "where 256 follows"),
    ({"post_norm": {}}, "post_norm"), ({"norm": {"normalized_shape": 256,
                                                 "elementwise_affine": False}}, "norm")])
def test_what_is_not_understood_is_refused(change: dict[str, Any], words: str) -> None:
    record = named("llama3", "debugmodel")
    with pytest.raises(SymparamError) as caught:
        read(record, {"model_spec": {"model": record["model"] | change}})
    assert words in message(caught.value)


def test_layers_that_differ_are_refused() -> None:
    record = copy.deepcopy(named("llama3", "debugmodel"))
    for width in (768, 512):
        network = record["model"]["layers"][2]["feed_forward"]
        network["w1"]["out_features"] = network["w3"]["out_features"] = width
        network["w2"]["in_features"] = width
        if width == 768:
            read(record)
    with pytest.raises(SymparamError, match="several widths"):
        read(record)


def test_the_sample_of_the_documentation_is_read(tmp_path: Path) -> None:
    text = (DATA.parents[1] / "docs" / "models-as-you-have-them.md").read_text(encoding="utf-8")
    path = tmp_path / "job.json"
    path.write_text(text.split("```json\n")[1].split("```")[0])
    record = named("llama3", "debugmodel")
    model = load(str(path))
    assert {name for name, _ in rows(model)} == {name for name, _, _ in record["tensors"]}
    assert sum(t.numel for t in model.layout.tensors(ledger(model))) == (
        2 * 2048 * 256 + 256 + 2 * 256 + (256 + 2 * 128 + 256) * 256 + 3 * 256 * 768)


@pytest.mark.parametrize(("name", "flavor", "path", "words"), [
    ("deepseek_v3", "debugmodel", "attention.wkv_b.bias", "attention.wkv_b.bias: of latent"),
    ("llama3", "debugmodel", "feed_forward.w2.bias", "feed_forward.w2.bias: unlike that of w1"),
    ("llama3", "debugmodel", "attention.wo.bias", "layers[2]: attention: unlike"),
    ("qwen3", "debugmodel_moe", "moe.router.gate.bias", "layers[2]: ffn: unlike")])
def test_a_bias_that_is_not_understood_is_named(name: str, flavor: str, path: str,
                                                words: str) -> None:
    record = copy.deepcopy(named(name, flavor))
    inner: Any = record["model"]["layers"][2]
    *outer, last = path.split(".")
    for key in outer:
        inner = inner[key]
    inner[last] = True
    with pytest.raises(SymparamError) as caught:
        read(record)
    assert words in message(caught.value)


def test_a_job_that_names_a_flavor_says_what_writes_its_numbers(tmp_path: Path) -> None:
    path = tmp_path / "llama3_8b.toml"
    path.write_text('[job]\ndump_folder = "x"\n[model]\nname = "llama3"\nflavor = "8B"\n')
    with pytest.raises(SymparamError, match="save_config_file"):
        load(str(path))
