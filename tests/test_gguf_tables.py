"""GGUF: parts of a split file are one model; the table of tensors decides what keys do not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from symparam.descriptions.gguf.blocks import KINDS
from symparam.descriptions.gguf.parts import read_model
from symparam.descriptions.load import load
from symparam.errors import SpecError
from symparam.resolve import numbers
from tests.helpers import message
from tests.test_gguf import KEYS, MODELS, header, key, number, tensor, written

Line = Callable[[str], tuple[int, str, str]]
Shapes = Mapping[str, tuple[int, ...]]


# --- parts ----------------------------------------------------------------------------------

QWEN = next(each for each in MODELS if each["name"] == "qwen3")


def split(folder: Path, **options: Any) -> int:
    """A model in parts, as the library splits it; bytes of all."""
    return written(folder / "m.gguf", QWEN, ("Q4_K", "Q6_K"), **options or {"split_max_tensors": 9})


@pytest.mark.thinned(3)
@pytest.mark.parametrize("options", [{"split_max_tensors": 9}, {"split_max_size": 300_000},
                                     {"split_max_tensors": 9, "small_first_shard": True}])
def test_all_parts_are_one_model_whichever_is_named(options: dict[str, Any], tmp_path: Path,
                                                    line: Line) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    written(whole / "m.gguf", QWEN, ("Q4_K", "Q6_K"))
    wanted = json.loads(line("count whole/m.gguf --json")[1])
    (tmp_path / "parts").mkdir()
    size = split(tmp_path / "parts", **options)
    names = sorted(each.name for each in (tmp_path / "parts").iterdir())
    assert len(names) > 2
    for name in ("", *names):
        found = json.loads(line(f"count parts/{name} --json")[1])
        assert (found["total"], found["model"]) == (wanted["total"], "m")
        code, out, _ = line(f"check parts/{name} parts/{name} --json")
        told = json.loads(out)
        assert (code, told["equal"]) == (0, True)
        assert told["file"]["bytes"] == told["file"]["expected"] == size
        assert told["matched"]["tensors"] == len(QWEN["tensors"])
    assert line("check whole/m.gguf parts")[0] == 0
    assert line("check whole parts/" + names[-1])[0] == 0


def test_a_part_without_the_others_is_refused_by_name(tmp_path: Path, line: Line) -> None:
    split(tmp_path)
    parts = sorted(tmp_path.glob("*.gguf"))
    parts[1].unlink()
    for part in (parts[0], parts[2]):
        for words in (f"count {part.name}", f"check gpt2 {part.name}", f"check {part.name} ."):
            code, out, err = line(words)
            assert (code, out) == (2, "")
            assert f"{parts[1].name} is not beside it" in err
            assert err.count("\n") == 1


def test_parts_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    split(tmp_path)
    parts = sorted(tmp_path.glob("*.gguf"))
    last = parts[-1].name
    for name, words in (("alone.gguf", "its name does not"),
                        (last.replace("m-", "n-"), "is not beside it"),
                        (last.replace(f"-of-{len(parts):05}", "-of-00009"), "its name does not")):
        shutil.copy(parts[-1], tmp_path / name)
        with pytest.raises(SpecError) as caught:
            read_model(tmp_path / name)
        assert words in message(caught.value)
    shutil.copy(parts[1], parts[2])
    with pytest.raises(SpecError) as caught:
        read_model(parts[0])
    assert "split.no: 1 where part 3" in message(caught.value)


def test_parts_have_as_many_tensors_as_they_say(tmp_path: Path) -> None:
    """The library writes the number of all of them as 32 bits behind its name."""
    split(tmp_path)
    for path in sorted(tmp_path.glob("*.gguf")):
        content = bytearray(path.read_bytes())
        at = content.index(b"split.tensors.count") + len(b"split.tensors.count") + 4
        content[at] += 1
        path.write_bytes(content)
    with pytest.raises(SpecError) as caught:
        read_model(path)
    assert f"split.tensors.count: {content[at]} where the parts have {content[at] - 1}" in message(
        caught.value)


@pytest.mark.parametrize("whose", [0, 1])
def test_parts_with_another_alignment_are_refused(whose: int, tmp_path: Path) -> None:
    """What one of them says and the other does not is no contradiction of keys."""
    for i in range(2):
        own = [key("split.count", 2), key("split.no", i)]
        aligned = [key("general.alignment", 64)] if i == whose else []
        (tmp_path / f"x-0000{i + 1}-of-00002.gguf").write_bytes(header(
            [*KEYS, *own, *aligned], []))
    with pytest.raises(SpecError) as caught:
        read_model(path := tmp_path / "x-00002-of-00002.gguf")
    found, first = ("64", "32") if whose else ("32", "64")
    assert message(caught.value).endswith(
        f"{path}: general.alignment: {found}, where the first part has {first}")


def test_several_models_in_a_folder_are_named(tmp_path: Path, line: Line) -> None:
    split(tmp_path)
    (tmp_path / "other.gguf").write_bytes(header(KEYS, []))
    code, _, err = line("count .")
    assert code == 2
    assert "has 2 GGUF files" in err
    assert "other.gguf" in err
    assert "00002-of" not in err


@pytest.mark.parametrize(("more", "words"), [
    ([key("split.count", 2), key("split.no", 0)], "its name does not"),
    ([key("split.count", 2**40)], "not a number of parts"),
    ([key("split.count", "2")], "not a number of parts")])
def test_a_header_that_says_it_is_a_part_is_no_model(more: list[bytes], words: str,
                                                     tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(header([*KEYS, *more], []))
    with pytest.raises(SpecError) as caught:
        load(str(path))
    assert words in message(caught.value)


# --- tables ---------------------------------------------------------------------------------

LAYER: dict[str, tuple[int, ...]] = {
    "attn_norm.weight": (32,), "attn_q.weight": (32, 32), "attn_k.weight": (32, 32),
    "attn_v.weight": (32, 32), "attn_output.weight": (32, 32), "ffn_norm.weight": (32,),
    "ffn_gate.weight": (64, 32), "ffn_up.weight": (64, 32), "ffn_down.weight": (32, 64)}
QKV = {"attn_q.bias": (32,), "attn_k.bias": (32,), "attn_v.bias": (32,)}
OUTSIDE: dict[str, tuple[int, ...]] = {
    "token_embd.weight": (96, 32), "output_norm.weight": (32,), "output.weight": (96, 32)}
PLAIN_KEYS = KEYS
MIXED_KEYS = [*KEYS, key("llama.expert_count", 4), key("llama.expert_used_count", 2)]


def table(path: Path, layer: Shapes, outside: Shapes = OUTSIDE, keys: list[bytes] | None = None,
          kind: int = 0) -> Path:
    """A llama of two layers with these tensors, vectors in F32 and the rest in a type."""
    rows, offset = [], 0
    names = {**outside, **{f"blk.{i}.{name}": shape for i in range(2)
                           for name, shape in layer.items()}}
    for name, shape in names.items():
        own = 0 if len(shape) == 1 else kind
        rows.append(tensor(name, shape, own, offset))
        size = KINDS[own].bytes_of(shape) or 0
        offset += -(-size // 32) * 32
    path.write_bytes(header(keys or PLAIN_KEYS, rows, data=offset))
    return path


def total(path: Path) -> int:
    """The number of parameters of a file."""
    model = load(str(path))
    return int(model.ledger(numbers(model).values).total())


def numbers_in(layer: Shapes, outside: Shapes = OUTSIDE) -> int:
    """The same, from the shapes alone."""
    return sum(map(number, outside.values())) + 2 * sum(map(number, layer.values()))


@pytest.mark.parametrize("more", [
    {}, QKV, {"attn_output.bias": (32,)}, {**QKV, "attn_output.bias": (32,)},
    {"ffn_gate.bias": (64,), "ffn_up.bias": (64,), "ffn_down.bias": (32,)}])
def test_biases_stand_where_the_table_has_them(more: Shapes, tmp_path: Path, line: Line) -> None:
    path = table(tmp_path / "x.gguf", {**LAYER, **more})
    assert total(path) == numbers_in({**LAYER, **more})
    assert line("check x.gguf x.gguf")[0] == 0


def test_a_tied_head_has_no_bias_and_none_that_is_not_there(tmp_path: Path) -> None:
    outside = {name: shape for name, shape in OUTSIDE.items() if name != "output.weight"}
    assert total(table(tmp_path / "x.gguf", LAYER, outside)) == numbers_in(LAYER, outside)


@pytest.mark.parametrize(("layer", "keys"), [
    ({"attn_norm.weight": (32,), "attn_qkv.weight": (96, 32), "attn_qkv.bias": (96,),
      **{name: shape for name, shape in LAYER.items() if not name.startswith(("attn_q", "attn_k",
                                                                              "attn_v"))}}, KEYS),
    ({**{name: shape for name, shape in LAYER.items() if name not in {
        "ffn_gate.weight", "ffn_up.weight", "ffn_down.weight"}}, "ffn_gate_inp.weight": (4, 32),
      **{f"ffn_{part}.{i}.weight": (32, 64) if part == "down" else (64, 32)
         for part in ("gate", "up", "down") for i in range(4)}}, MIXED_KEYS)],
    ids=["queries, keys and values in one", "experts one by one"])
def test_what_is_joined_is_as_the_table_has_it(layer: Shapes, keys: list[bytes], tmp_path: Path,
                                               line: Line) -> None:
    path = table(tmp_path / "x.gguf", layer, keys=keys, kind=8)
    assert total(path) == numbers_in(layer)
    code, out, _ = line("check x.gguf x.gguf --json")
    assert code == 0, out
    assert json.loads(out)["file"]["expected"] == path.stat().st_size


def test_latents_apart_are_those_of_the_model_to_the_byte(tmp_path: Path, line: Line,
                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    from tests import test_gguf

    def apart(record: dict[str, Any]) -> dict[str, tuple[int, ...]]:
        found = dict(joined(record))
        for name in [name for name in found if "attn_kv_b" in name]:
            del found[name]
            found |= {name.replace("kv_b", "k_b"): (4, 256, 64),
                      name.replace("kv_b", "v_b"): (4, 96, 256)}
        return found

    joined = test_gguf.renamed
    monkeypatch.setattr(test_gguf, "renamed", apart)
    record = next(each for each in MODELS if each["name"] == "deepseek v3")
    size = written(tmp_path / "x.gguf", record, ("Q8_0", "Q8_0"))
    code, out, _ = line("check x.gguf x.gguf --json")
    assert (code, json.loads(out)["file"]["expected"]) == (0, size)


@pytest.mark.parametrize(("layer", "outside", "keys", "words"), [
    ({name: shape for name, shape in LAYER.items() if name != "ffn_up.weight"}, OUTSIDE, KEYS,
     "blk.*.ffn_up.weight of 64×32: 0 in the table, 2 by the keys"),
    (LAYER, OUTSIDE, [key("llama.block_count", 3) if b"block_count" in each else each
                      for each in KEYS], "2 in the table, 3 by the keys"),
    (LAYER, OUTSIDE, [key("llama.vocab_size", 95) if b"vocab_size" in each else each
                      for each in KEYS], "output.weight of 95×32: 0 in the table"),
    ({**LAYER, "attn_q.bias": (32,)}, OUTSIDE, KEYS, "blk.*.attn_k.bias of 32: 0 in the table"),
    ({**LAYER, "ffn_up.weight": (60, 32)}, OUTSIDE, KEYS, "blk.*.ffn_up.weight of 60×32: 2 in"),
    (LAYER, {**OUTSIDE, "cls.weight": (2, 32)}, KEYS, "cls.weight of 2×32: 1 in the table, 0"),
    (LAYER, OUTSIDE, MIXED_KEYS, "ffn_down_exps")])
def test_keys_that_contradict_the_table_are_refused_by_every_command(
        layer: Shapes, outside: Shapes, keys: list[bytes], words: str, tmp_path: Path,
        line: Line) -> None:
    table(tmp_path / "x.gguf", layer, outside, keys)
    for command in ("count x.gguf", "check x.gguf x.gguf", "count x.gguf --as base"):
        code, out, err = line(command)
        assert (code, out) == (2, "")
        assert words in err
        assert err.count("\n") == 1


def test_layers_are_numbered_without_a_hole(tmp_path: Path, line: Line) -> None:
    layers = {f"blk.{i}.{name}": shape for i in (0, 7) for name, shape in LAYER.items()}
    table(tmp_path / "x.gguf", {}, {**OUTSIDE, **layers})
    code, out, err = line("count x.gguf")
    assert (code, out) == (2, "")
    assert "blk.7.attn_norm.weight: is of a layer beyond the 2 that the keys say" in err


@pytest.mark.parametrize("name", ["rope_freqs.weight", "rope_factors_long.weight",
                                  "rope_factors_short.weight", "blk.0.rope_freqs.weight",
                                  "blk.1.attn_rot_embd"])
def test_how_positions_turn_is_no_parameter(name: str, tmp_path: Path, line: Line) -> None:
    path = table(tmp_path / "x.gguf", LAYER, {**OUTSIDE, name: (8,)})
    assert total(path) == numbers_in(LAYER)
    code, out, _ = line("check x.gguf x.gguf --json")
    assert code == 0, out
    assert json.loads(out)["file"]["expected"] == path.stat().st_size


def test_a_key_that_is_not_understood_is_ignored_as_asked(tmp_path: Path, line: Line) -> None:
    (tmp_path / "x.gguf").write_bytes(header([*KEYS, key("llama.new_thing", 1)], []))
    code, _, err = line("count x.gguf")
    assert code == 2
    assert "--ignore-key llama.new_thing leaves it aside" in err
    code, out, err = line("count x.gguf --ignore-key llama.new_thing --json")
    assert code == 0
    assert "llama.new_thing of the header, which is not understood" in out + err
    code, _, err = line("count x.gguf --ignore-key llama.new_thing --ignore-key llama.other")
    assert code == 2
    assert "--ignore-key" in err
    assert line("count x.gguf --ignore-key llama.block_count")[0] == 2
