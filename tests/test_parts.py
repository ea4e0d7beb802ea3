"""Models that are made of several: joined, counted part by part, and one part of them alone."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from symparam.api import Model, load
from symparam.checkpoints.compare import compare
from symparam.checkpoints.expected import expected
from symparam.cli.main import run
from symparam.derivation.plan import derive
from symparam.descriptions.assembling.joined import Part, joined
from symparam.descriptions.assembling.towered import ENCODERS
from symparam.descriptions.assembling.wholes import WHOLES
from symparam.descriptions.config import read_config
from symparam.descriptions.load import build
from symparam.descriptions.options import Options
from symparam.descriptions.read_as import ReadAs
from symparam.documents.derivations.by_part import by_part
from symparam.errors import BadValue, SpecError, UnknownName
from symparam.notation.notation import latex_of
from symparam.parts import one_part
from symparam.writers.document import Table
from tests.differential.drawn import DRAWN, drawn
from tests.helpers import rows, together
from tests.test_json import valid

TEXT = {"model_type": "gemma3_text", "hidden_size": 24, "intermediate_size": 48, "vocab_size": 97,
        "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6}
VISION = {"model_type": "siglip_vision_model", "hidden_size": 20, "intermediate_size": 28,
          "num_hidden_layers": 2, "num_attention_heads": 5, "image_size": 21, "patch_size": 7,
          "vision_use_head": False}
GEMMA = {"model_type": "gemma3", "architectures": ["Gemma3ForConditionalGeneration"],
         "tie_word_embeddings": True, "text_config": TEXT, "vision_config": VISION}
#: By hand: patches with a bias and nine positions, two layers, a norm.
OF_VISION = (20 * 3 * 49 + 20) + 9 * 20 + 2 * (
    4 * (400 + 20) + (2 * 20 * 28 + 28 + 20) + 4 * 20) + 2 * 20


def made(**changes: Any) -> Model:
    """A small Gemma 3."""
    return Model.wrap(read_config("config.json", {**GEMMA, **changes}, "small"))


def test_a_whole_is_the_sum_of_its_parts_and_each_is_named() -> None:
    whole = made()
    parts = {name: Model.wrap(one_part(whole, name)) for name in whole.parts}
    assert {name: part.count() for name, part in parts.items()} == {
        "text": whole.count() - OF_VISION - 20 - 20 * 24, "vision": OF_VISION,
        "projector": 20 + 20 * 24}
    assert {part.part for part in parts.values()} == {"text", "vision", "projector"}
    assert parts["text"].left_out == ("everything but the language model (vision, projector)",)
    assert parts["vision"].left_out == ("everything but the vision tower (text, projector)",)
    assert sum((rows(part).items() <= rows(whole).items()) for part in parts.values()) == 3


def test_a_text_alone_is_what_its_own_configuration_makes() -> None:
    """Numbers, rules and checks are those of the language model; only its names have a place."""
    text = one_part(made(), "text")
    own = read_config("text", {**TEXT, "tie_word_embeddings": True}, "small")
    assert text.values == own.values
    assert set(text.equations) == set(own.equations)
    assert text.declared == ()
    assert {(name.replace("model.language_model.", "model."), shape): n
            for (name, shape), n in rows(text).items()} == rows(own)


def test_dims_of_a_part_are_its_own() -> None:
    whole = made()
    assert whole.names["vision_config.hidden_size"] == "d_model_vision"
    assert whole.count(d_model_vision=40) > whole.count()
    assert one_part(whole, "text").dims == tuple(
        name for name in whole.dims if not name.endswith("_vision"))
    assert latex_of(whole.describe("d_model_vision").letter) == r"d_{\text{model,vision}}"
    assert whole.describe("L_vision").meaning == "number of layers (blocks) (vision)"
    assert whole.count(d_image_vision=28) - whole.count() == (16 - 9) * 20
    assert whole.count(d_image_vision=22) == whole.count()  # three whole patches still


def test_options_change_the_language_model_alone() -> None:
    plain = made()
    changed = Model.wrap(build(plain, Options(ffn="mlp"), {}))
    assert plain.count() - changed.count() == 3 * 24 * 48
    assert [s.slots for s in changed.stacks if s.part != "text"] == [
        s.slots for s in plain.stacks if s.part != "text"]


def test_what_there_is_not_is_refused() -> None:
    with pytest.raises(UnknownName, match="known: projector, text, vision"):
        one_part(made(), "audio")
    with pytest.raises(BadValue, match="its text alone"):
        one_part(one_part(made(), "text"), "vision")
    with pytest.raises(BadValue, match="--trace"):
        load("gpt2", part="text")


def test_a_tower_that_is_not_understood_is_refused_and_its_text_counted_where_asked(
        folder: Callable[[dict[str, Any]], str]) -> None:
    path = folder({**GEMMA, "vision_config": {**VISION, "frogs": 3}})
    with pytest.raises(SpecError, match=r"vision_config.frogs: .*--part text counts the language"):
        load(path)
    assert load(path, part="text").count() == one_part(made(), "text").ledger(
        one_part(made(), "text").values | {"n_heads": 4}).total()
    other = {"model_type": "a_tower_that_nobody_knows", "hidden_size": 8}
    unknown = load(folder({**GEMMA, "vision_config": other}))
    assert unknown.part == "text"
    assert unknown.left_out == ("everything but the language model (vision_config)",)


@together("model_type", sorted(name for name, whole in WHOLES.items() if whole.fixed))
def test_a_whole_whose_tower_is_of_one_kind_alone_takes_no_other(model_type: str) -> None:
    """What another encoder would count is not known: the text is counted, and that is said."""
    own, place = {WHOLES[model_type].tower, WHOLES[model_type].called}, WHOLES[model_type].place
    for number in range(12):
        config = drawn(model_type, f"parts {number}")
        with contextlib.suppress(SpecError):
            if isinstance(config.get(place), dict) and read_config("w", config, "w").parts:
                encoder = next(each for each in ENCODERS if each not in own)
                config[place] = {"model_type": encoder, "hidden_size": 20, "image_size": 21,
                                 "intermediate_size": 28, "num_hidden_layers": 2,
                                 "num_attention_heads": 5, "patch_size": 7}
                other = read_config("drawn", config, "drawn")
                assert not other.parts
                assert other.left_out
                return
    pytest.fail("no drawn configuration of it has a tower")


@pytest.mark.thinned(6)
@pytest.mark.parametrize("model_type", sorted(WHOLES))
def test_every_drawn_whole_has_its_text_as_a_part(model_type: str) -> None:
    seen = 0
    for number in range(12):
        config = drawn(model_type, f"parts {number}")
        try:
            whole = read_config("drawn", config, "drawn")
            alone = read_config("drawn", config, "drawn", ReadAs(text_alone=True))
        except SpecError:
            continue
        if not whole.parts:  # (a class that is the language model alone)
            continue
        text = one_part(whole, "text")
        assert (alone.part, rows(alone), text.values) == ("text", rows(text), alone.values)
        assert sum(Model.wrap(one_part(whole, part)).count() for part in whole.parts) == (
            Model.wrap(whole).count())
        seen += 1
    assert seen > 2
    assert model_type in DRAWN


def test_a_part_that_stands_elsewhere_is_another_whole() -> None:
    """The prefix and the word of a part are what tells its tensors and dims from the text's."""
    text, vision = (read_config("x", config, "x") for config in (
        {**TEXT, "tie_word_embeddings": True}, VISION))
    here, there = (joined(text, [Part(model=vision, name="vision", top=top)])
                   for top in ("model.vision_tower.", "vision."))
    assert rows(here) != rows(there)
    assert Model.wrap(here).count() == Model.wrap(there).count()
    mixed = replace(here, stacks=tuple(replace(s, slots=tuple(
        replace(slot, bound={}) if slot.path == "ffn" else slot for slot in s.slots))
        for s in here.stacks))
    assert rows(mixed) != rows(here)


def test_a_derivation_goes_part_by_part(capsys: pytest.CaptureFixture[str]) -> None:
    d = derive(load("gemma-3-4b"))
    parts = by_part(d.exact, d)
    assert list(parts) == ["text", "vision", "projector"]
    assert sum(line.plain for line in parts.values()) - d.exact.plain == 0
    assert run(["derive", "gemma-3-4b"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "P = P_text + P_vision + P_projector" in shown
    assert "= 3,880,263,168 + 416,866,032 + 2,950,272 = 4,300,079,472" in shown
    assert "P_projector = P_projector" not in shown


def test_symbols_matrices_and_equations_stand_under_their_parts() -> None:
    shown = load("gemma-3-4b").derive().text()
    names = ("The language model", "The vision tower", "The projector")
    assert [shown.count(f"{name}\n") for name in names] == [3, 3, 2]
    for title, word in (("2. The symbols", " d_head_vision "),
                        ("3. The matrices", " vision norms "),
                        ("4. Multiply out", " P_vision_norms =")):
        text, _, vision = shown.partition(title)[2].partition("The vision tower")
        assert word not in text
        assert word in vision.partition(". ")[0]
    assert "(vision)" not in shown
    assert "The language model" not in load("gemma-3-1b").derive().text()


def test_a_tower_has_no_number_of_key_value_heads_unless_they_are_grouped() -> None:
    whole = load("gemma-3-4b")
    assert "n_kv" in whole.dims
    assert "n_kv_vision" not in whole.dims
    assert "n_kv_vision" not in whole.derive().text()
    grouped = load("gemma-4-31b")  # (its class has a key for it)
    assert "n_kv_vision" in grouped.dims


def test_a_part_alone_is_called_what_it_is_in_the_whole() -> None:
    shown = load("gemma-3-4b", part="vision").derive().text()
    assert shown.startswith("gemma-3-4b, vision tower: the number of parameters")
    assert "P = P_vision_embedding + L_vision·(P_vision_attention + " in " ".join(shown.split())
    assert load("gemma-3-4b").derive().text().startswith("gemma-3-4b: ")


def test_a_count_has_a_table_for_each_part() -> None:
    tables = [block for block in load("gemma-3-4b").breakdown().document().blocks
              if isinstance(block, Table) and block.total]
    assert [table.columns[0].title for table in tables] == [
        "part", "language model", "vision tower", "projector"]
    assert [table.rows[-1][-2] for table in tables] == [
        "4,300,079,472", "3,880,263,168", "416,866,032", "2,950,272"]


def test_a_sequence_of_text_goes_through_no_tower() -> None:
    whole, text = load("gemma-3-4b"), load("gemma-3-4b", part="text")
    for quantity in ("flops", "kv_cache"):
        assert whole.quantity(quantity, s=2048) == text.quantity(quantity, s=2048)
    assert "vision and projector are not counted: no token" in " ".join(
        whole.cost(s=2048).text().split())
    assert "are not counted: no token" not in text.cost(s=2048).text()
    with pytest.raises(BadValue, match="is not worked out"):
        load("gemma-3-4b", part="vision").quantity("flops", s=2048)


def test_what_hears_is_a_part_too() -> None:
    audio = {"model_type": "qwen2_audio_encoder", "d_model": 20, "encoder_layers": 2,
             "encoder_attention_heads": 5, "encoder_ffn_dim": 28, "num_mel_bins": 3,
             "max_source_positions": 11}
    text = {**TEXT, "model_type": "qwen2"}
    whole = Model.wrap(read_config("x", {"model_type": "qwen2_audio", "text_config": text,
                                         "audio_config": audio}, "x"))
    heard = Model.wrap(one_part(whole, "audio"))
    layer = 4 * 400 + 3 * 20 + 2 * 20 * 28 + 28 + 20 + 4 * 20
    assert heard.count() == 3 * 20 * 3 + 3 * 400 + 2 * 20 + 11 * 20 + 2 * layer + 2 * 20
    assert heard.count() - heard.count("trainable") == 11 * 20  # (positions are not trained)
    assert whole.names["audio_config.encoder_layers"] == "L_audio"
    assert whole.parts == ("text", "audio", "projector")


def test_what_looks_at_a_tower_is_idle_for_a_text() -> None:
    """A Q-Former attends to what was heard: no token of a text goes through it."""
    text = {**TEXT, "model_type": "granite"}
    model = Model.wrap(read_config("x", {
        "model_type": "granite_speech", "text_config": text, "tie_word_embeddings": True}, "x"))
    alone = one_part(model, "text")
    assert not model.encodes
    assert model.quantity("flops", s=64) == Model.wrap(alone).quantity("flops", s=64)
    qformer = [stack.name for stack in model.stacks if "qformer" in stack.name]
    assert qformer == ["qformer_first_norm", "qformer[crossed]", "qformer[plain]"]


def test_a_head_of_a_tower_is_there_where_the_class_has_one() -> None:
    text = {"model_type": "nemotron_h", "hidden_size": 16, "num_hidden_layers": 1,
            "hybrid_override_pattern": "*", "vocab_size": 20}
    whole, base = (Model.wrap(read_config("x", {
        "model_type": "nemo_speechlm", "text_config": text,
        "architectures": [f"Nemotron3_5Transcribe{tail}"]}, "x"))
        for tail in ("ForConditionalGeneration", "Model"))
    assert whole.count() - base.count() == 20 * 16 + 23863 * (1280 + 1)


def test_each_tower_is_there_where_it_is_configured() -> None:
    text = {**TEXT, "model_type": "gemma4_text", "hidden_size_per_layer_input": 0}
    config = {"model_type": "gemma4", "text_config": text}
    vision = {"vision_config": {"hidden_size": 20, "num_attention_heads": 5, "head_dim": 4,
                                "num_key_value_heads": 5, "num_hidden_layers": 2}}
    audio = {"audio_config": {"hidden_size": 24, "num_attention_heads": 3, "num_hidden_layers": 2,
                              "output_proj_dims": 28}}
    found = [Model.wrap(read_config("x", {**config, **more}, "x")) for more in (
        {}, vision, audio, {**vision, **audio}, {**vision, "audio_config": None})]
    assert [model.parts for model in found] == [
        ("text",), ("text", "vision", "projector"), ("text", "audio", "projector"),
        ("text", "vision", "audio", "projector"), ("text", "vision", "projector")]
    none, seen, heard, both, again = (model.count() for model in found)
    assert both - none == (seen - none) + (heard - none)
    assert seen == again
    assert Model.wrap(one_part(found[3], "projector")).count() == 24 * 20 + 24 * 28
    assert {model.part for model in found} == {"all"}


def test_a_command_names_each_part_with_its_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["count", "gemma-3-4b", "--json", "-q"]) == 0
    data = json.loads(capsys.readouterr().out)
    valid("count", data)
    assert data["part"] == "all"
    assert data["parts"] == {"text": 3880263168, "vision": 416866032, "projector": 2950272}
    assert sum(data["parts"].values()) == data["total"]
    assert run(["count", "gemma-3-4b", "--part", "projector", "--json", "-q"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["part"], data["total"], "parts" in data) == ("projector", 2950272, False)


OLDER = (("model.language_model.", "language_model.model."),
         ("model.vision_tower.", "vision_tower.vision_model."),
         ("model.multi_modal_projector.", "multi_modal_projector."))


@pytest.mark.parametrize("wrong", [0, 1])
def test_a_checkpoint_has_the_parts_under_older_names(wrong: int) -> None:
    model = made()
    own = expected(model)[0].tensors
    found = {}
    for name, shape in own.items():
        for new, old in OLDER:
            name = name.replace(new, old)
        found[name] = shape
    assert not found.keys() & own.keys()
    if wrong:
        name = next(n for n in found if n.startswith("vision_tower."))
        found[name] = (*found[name][:-1], found[name][-1] + 1)
    assert compare(expected(model), found, model.part).equal is not bool(wrong)


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[dict[str, Any]], str]:
    """Writes a config.json and gives its path."""
    def written(config: dict[str, Any]) -> str:
        path = tmp_path / "config.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        return str(path)

    return written
