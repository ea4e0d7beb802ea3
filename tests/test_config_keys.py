"""Keys of a config.json: harmless ones, unknown ones, those that are left to the family."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import symparam as sp
from symparam.descriptions.config import read_config
from symparam.descriptions.lookup import known_model_types
from symparam.errors import SpecError
from symparam.resolve import numbers
from tests.helpers import LLAMA, Line, config_folder, message, together

TOOLS = {"unsloth_version": "2024.9", "unsloth_fixed": True, "transformers.js_config": {},
         "model_max_length": 4096, "use_flash_attention_2": True, "layer_types": None}


def test_what_tools_leave_behind_is_harmless() -> None:
    plain, full = (read_config("c", {**LLAMA, **more}, "c") for more in ({}, TOOLS))
    assert plain == full


@pytest.mark.parametrize("key", ["quantization", "quantization_config"])
def test_quantisation_is_left_out_and_said(key: str) -> None:
    model = read_config("c", {**LLAMA, key: {"bits": 4}}, "c")
    assert [key in words for words in model.left_out] == [True]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("key", ["layer_types", "architectures"])
def test_a_key_that_is_null_is_missing_in_every_family(key: str) -> None:
    for model_type in sorted(known_model_types()):
        texts = []
        for more in ({}, {key: None}):
            try:
                texts.append(read_config("c", {"model_type": model_type, **more}, "c"))
            except SpecError as error:
                texts.append(str(error))
        assert texts[0] == texts[1] or key not in str(texts[1]), model_type


def test_a_key_that_is_ignored_is_said(line: Line) -> None:
    config_folder("mine", LLAMA | {"num_experts": 8, "odd": 1})
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
    config_folder("mine", LLAMA)
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
    config_folder("mine", {k: v for k, v in LLAMA.items() if k != "tie_word_embeddings"})
    assert json.loads(line("count mine --json")[1])["defaulted"] == {"tie_word_embeddings": False}
    assert json.loads(line("count mine --json --as base")[1])["defaulted"] == {}


def test_numbers_that_do_not_go_together_are_told_with_file_and_keys(line: Line) -> None:
    config_folder("mine", LLAMA | {"num_key_value_heads": 3})
    code, _, err = line("count mine")
    assert code == 2
    assert err.startswith("symparam: mine/config.json: num_attention_heads, num_key_value_heads: ")


def test_defaults_that_a_configuration_leaves_to_its_family_are_told() -> None:
    model = read_config("c.json", {"model_type": "llama", "hidden_size": 64,
                                   "tie_word_embeddings": None}, "c")
    assert "num_hidden_layers = 32" in model.defaulted
    assert all("hidden_size" not in text for text in model.defaulted)


def test_a_number_beyond_any_model_is_refused_in_a_configuration_too() -> None:
    with pytest.raises(SpecError, match="beyond any model"):
        read_config("c.json", {"model_type": "gpt2", "vocab_size": 10**14}, "c")


def counted(config: dict[str, object], tmp_path: Path) -> sp.Model:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    return sp.load(path)


@pytest.mark.parametrize("model_type", [
    "ctrl", "electra", "gpt_neo", "gpt_bigcode", "xlnet", "xlm"])
def test_how_a_summary_is_made_changes_nothing(model_type: str, tmp_path: Path) -> None:
    plain = counted({"model_type": model_type}, tmp_path).count()
    keys = ("summary_activation", "summary_first_dropout", "summary_type")
    said = {"model_type": model_type, **dict.fromkeys(keys)}
    assert counted(said, tmp_path).count() == plain


def test_layers_with_other_numbers_of_heads_are_named_by_them(tmp_path: Path) -> None:
    found = counted({"model_type": "laguna", "num_hidden_layers": 3,
                     "num_attention_heads_per_layer": [64, 48, 72]}, tmp_path)
    heads = {n: v for n, v in numbers(found).values.items() if n.startswith("n_heads")}
    assert heads == {"n_heads": 48, "n_heads_64": 64, "n_heads_72": 72}


@together(("config", "words"), [
    ({"model_type": "recurrent_gemma", "num_hidden_layers": 301}, "block_types: repeats at most"),
    ({"model_type": "gemma4_text", "num_hidden_layers": 6, "per_layer_config": {"6": {}}},
     "per_layer_config.6: expected the number of a layer"),
    ({"model_type": "dots3_note_audio_encoder", "whisper_config": 3}, "whisper_config: expected"),
    ({"model_type": "minimax_m3_vl_text", "index_topk_blocks": 0}, "found 0"),
    ({"model_type": "minimax_m3_vl_text", "index_topk_blocks": 2**20}, "found 1048576"),
    ({"model_type": "minimax_m3_vl_text", "index_topk_blocks": "x"}, 'found "x"')])
def test_a_value_that_is_none_of_its_key_is_refused(config: dict[str, object], words: str) -> None:
    with pytest.raises(SpecError) as caught:
        read_config("c", config, "c")
    assert words in message(caught.value)


@together("config", [
    {"model_type": "recurrent_gemma", "num_hidden_layers": 300},
    {"model_type": "gemma4_text", "num_hidden_layers": 6, "per_layer_config": {"5": {}}},
    {"model_type": "minimax_m3_vl_text", "index_topk_blocks": 2**20 - 1}])
def test_the_last_value_of_a_key_is_taken(config: dict[str, object]) -> None:
    assert not read_config("c", config, "c").left_out


def test_experts_that_a_token_uses_are_not_guessed() -> None:
    model = read_config("c", {"model_type": "deepseek_v2", "num_experts_per_tok": None}, "c")
    assert model.left_out == ("active parameters: the configuration does not say how many experts "
                              "a token uses (num_experts_per_tok)",)
