"""Positions of a picture: figures that papers print, what every verb makes of them, refusals.

That rules hold for pictures of every size is held against transformers in tests/differential; of
what it says there, ``tests/data/pictures.json`` has a sample.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from symparam import expression as ex
from symparam.api import Model, load
from symparam.cli.main import run
from symparam.descriptions.config import read_config
from symparam.descriptions.seeing import rules
from symparam.descriptions.seeing.rules import _DIMS
from symparam.errors import BadValue, Contradiction, NotDerivable, SymparamError
from symparam.procedures import PROCEDURES
from symparam.procedures.tiles import kept_small
from symparam.quantities.cost import Asked, cost_of
from symparam.resolve import with_overrides
from tests.differential import pictures
from tests.helpers import data, together

TEXT = {"vocab_size": 97, "hidden_size": 24, "intermediate_size": 48, "num_hidden_layers": 3,
        "num_attention_heads": 4, "num_key_value_heads": 2}
CLIP = {"model_type": "clip_vision_model", "hidden_size": 16, "intermediate_size": 32,
        "num_hidden_layers": 2, "num_attention_heads": 4, "image_size": 336, "patch_size": 14}
SIGLIP = CLIP | {"model_type": "siglip_vision_model", "vision_use_head": False}


def made(model_type: str, cls: str, text: str, vision: dict[str, Any], **keys: Any) -> Model:
    """A small model of a kind that is made of several."""
    config = {"model_type": model_type, "architectures": [f"{cls}ForConditionalGeneration"],
              "tie_word_embeddings": True, "text_config": {**TEXT, "model_type": text},
              "vision_config": vision, **keys}
    return Model.wrap(read_config("config.json", config, "small"))


@together("model_type", sorted(data("pictures.json")))
def test_drawn_pictures_take_what_transformers_says(model_type: str) -> None:
    models: dict[int, Model] = {}
    for seed, high, wide, said in data("pictures.json")[model_type]:
        if seed not in models:
            found = pictures.seeing(model_type, seed)
            assert found is not None
            models[seed] = found[1]
        assert pictures.positions(models[seed], high, wide) == said, (seed, high, wide)


#: Each with a picture, its positions, and where they are printed.
PRINTED = {
    "LLaVA-1.5, arXiv:2310.03744, section 3.3": (
        made("llava", "Llava", "llama", CLIP), {}, 576),
    "ViP-LLaVA, arXiv:2312.00784": (made("vipllava", "VipLlava", "llama", CLIP), {}, 576),
    "Video-LLaVA, arXiv:2311.10122, section 3": (
        made("video_llava", "VideoLlava", "llama", CLIP | {"image_size": 224}), {}, 256),
    "PaliGemma, arXiv:2407.07726, section 3.1": (made(
        "paligemma", "PaliGemma", "gemma", SIGLIP | {"image_size": 448},
        projection_dim=24), {}, 1024),
    "Idefics 3, arXiv:2408.12637: 169 a tile": (made(
        "idefics3", "Idefics3", "llama",
        CLIP | {"model_type": "idefics3_vision", "image_size": 364}),
        {"longest_edge": 364, "image_height": 364, "image_width": 364}, 169),
    "InternVL, arXiv:2404.16821, section 3.1: 256 a tile": (made(
        "internvl", "InternVL", "qwen2", {"model_type": "internvl_vision", "image_size": [448, 448],
                                          "patch_size": [14, 14]}),
        {"image_height": 448, "image_width": 896}, 3 * 256),
    "LLaVA-NeXT, blog of January 2024: five times 576, with ends of rows": (made(
        "llava_next", "LlavaNext", "llama", CLIP),
        {"image_height": 672, "image_width": 672}, 5 * 576 + 48),
    "Pixtral, arXiv:2410.07073, figure 3: a token behind each row": (made(
        "llava", "Llava", "mistral", {"model_type": "pixtral", "patch_size": 16}),
        {"image_height": 1024, "image_width": 1024}, 64 * 64 + 64),
}


@together("name", list(PRINTED))
def test_a_picture_takes_what_is_printed(name: str) -> None:
    model, picture, positions = PRINTED[name]
    assert model.quantity("image_tokens", **picture) == positions
    assert model.quantity("image_tokens", n_images=3, **picture) == 3 * positions


@together(("model", "picture", "positions"), [
    ("gemma-3-4b", {}, 256),  # arXiv:2503.19786, section 2.1: whatever the picture is
    ("gemma-3-27b", {"image_height": 99}, 256),
    ("qwen2.5-vl-7b", {"image_height": 28 * 5, "image_width": 28 * 7}, 35),  # arXiv:2502.13923
    ("qwen2.5-vl-7b", {"image_height": 768, "image_width": 1024}, 27 * 37),
    ("qwen3-vl-8b", {"image_height": 320, "image_width": 640}, 10 * 20),  # one for 32 × 32
    ("llama-4-scout", {"image_height": 336, "image_width": 336}, 144),
    ("llama-4-scout", {"image_height": 336, "image_width": 672}, 3 * 144 + 2),
    ("mistral-small-3.1", {"image_height": 280, "image_width": 280}, 10 * 10 + 10),
    ("gemma-4-31b", {"image_height": 768, "image_width": 1024}, 14 * 19),
    ("gemma-4-31b", {"image_height": 1024, "image_width": 768}, 14 * 19),
    ("kimi-k2.5", {"image_height": 280, "image_width": 280}, 100),
])
def test_a_model_of_the_catalogue(model: str, picture: dict[str, int], positions: int) -> None:
    assert load(model).quantity("image_tokens", **picture) == positions


def test_a_picture_that_is_larger_by_a_tenth_and_no_more_stays_as_it_is() -> None:
    """33 by 33 patches are 1.1 times 30 by 30."""
    assert kept_small(3696, 3696, 100, 3, 336, 3696, 3696) == (33, 33)
    assert kept_small(3696, 3696, 99, 3, 336, 3696, 3696) == (29, 29)


def test_every_verb_has_the_same_number() -> None:
    model = load("qwen2.5-vl-7b")
    picture = {"image_height": 280, "image_width": 560}
    assert model.quantity("image_tokens", **picture) == 200
    derived = model.derive("image_tokens", **picture)
    assert derived.value == 200
    assert str(derived.formula) == "image_columns*image_rows"
    assert model.check("image_tokens=999").rows[0].verdict == "exact"
    found = model.sweep("image_tokens", image_height=[280, 560], image_width=[560]).arrays()
    assert found["image_tokens"].tolist() == [200, 400]
    assert model.sensitivity("image_tokens", **picture).total.value == 200
    assert model.diff(load("gemma-3-4b"), "image_tokens").change == 256 - 999


@pytest.mark.parametrize("quantity", ["P", "kv_cache"])
def test_a_size_that_a_difference_does_not_read_is_refused(
        quantity: str, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = load("gemma-3-4b"), load("qwen2.5-vl-7b")
    for given in ({"image_width": 560}, {"image_height": 280}):
        with pytest.raises(Contradiction, match=f"{next(iter(given))} contradicts .*: it is read "
                                                r"by the quantity (\w+, )*image_tokens"):
            one.diff(two, quantity, **given)
        assert one.diff(two, "image_tokens", **given).change
    line = ["diff", "gemma-3-4b", "qwen2.5-vl-7b", "image_width=560", "--quantity"]
    assert run([*line, quantity if quantity != "P" else "total"]) == 2
    assert "image_width contradicts" in capsys.readouterr().err
    assert run([*line, "image_tokens"]) == 0


def test_the_formula_of_a_fixed_picture_is_in_dims_of_the_model() -> None:
    found = load("gemma-3-4b").derive("image_tokens")
    assert str(found.formula) == "down(down(d_image_vision/d_patch_vision)/n_pooled)**2"
    assert found.value == 256
    assert load("gemma-3-4b").quantity("image_tokens", d_image_vision=448) == 256
    assert load("gemma-3-4b").quantity("image_tokens", d_image_vision=14 * 20) == 400  # (not 16²)


def test_what_nobody_said_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cost", "qwen2.5-vl-7b", "--only", "pictures", "--images", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["pictures"]
    assert (found["number"], found["positions"]) == (4, 4 * 999)
    assert found["followed"]["image_height"] == {"value": 768, "reason": "nobody said"}
    assert "preprocessor_config.json" in found["followed"]["max_pixels"]["reason"]
    model = load("qwen2.5-vl-7b")
    assert found["cache"] == model.kv_cache(4 * 999)
    assert found["flops"] == model.flops(4 * 999)
    assert run(["cost", "qwen2.5-vl-7b", "max_pixels=1003520", "image_height=3000",
                "image_width=3000", "--only", "pictures"]) == 0
    told = capsys.readouterr().out
    assert "1,225" in told
    assert "1 picture of 3000 × 3000 pixels" in told
    assert max(map(len, told.splitlines())) <= 80


@together(("model", "said"), [
    (lambda: load("gpt2"), "has nothing that sees"),
    (lambda: load("llama-3.2-11b-vision"), "cross-attention"),
    (lambda: load("gemma-3-4b", part="text"), "its text alone"),
    (lambda: made("gemma3", "Gemma3", "gemma3_text", CLIP), "has a clip_vision_model for a tower"),
    (lambda: made("llava_next", "LlavaNext", "llama", CLIP,
                  vision_feature_select_strategy="full"), "keeps the class token"),
])
def test_what_is_not_known_is_refused_with_the_reason(model: Any, said: str) -> None:
    with pytest.raises(BadValue, match=said):
        model().quantity("image_tokens")


def test_a_picture_says_nothing_of_what_has_none() -> None:
    """No other quantity asks for its size; the section is there where something sees alone."""
    whole = load("gemma-3-4b")
    assert "pictures" in cost_of(whole, Asked()).sections
    assert "pictures" not in cost_of(load("gpt2"), Asked()).sections
    assert whole.picture is not None
    small = with_overrides(whole, {"d_image_vision": 14 * 3})  # (too few patches to average)
    assert Model.wrap(small).kv_cache(64) == whole.kv_cache(64)
    with pytest.raises(BadValue, match="no row or no column of positions is left of a picture"):
        Model.wrap(small).quantity("image_tokens")


def test_a_picture_that_no_model_reads_is_refused() -> None:
    with pytest.raises(SymparamError, match="200 times"):
        load("qwen2.5-vl-7b").quantity("image_tokens", image_height=10, image_width=3000)


def test_a_procedure_has_no_slope() -> None:
    model = load("qwen2.5-vl-7b")
    with pytest.raises((BadValue, NotDerivable)):
        model.sensitivity("image_tokens", wrt="image_height")


def test_procedures_give_whole_numbers_over_their_arguments_alone() -> None:
    assert set(PROCEDURES) >= {"within_area", "rows_of_shape", "columns_windows"}
    assert all(type(PROCEDURES[name](768, 1024, *more)) is int for name, more in {
        "within_area": (28, 1, 10**9), "filling": (48, 280), "within_edge": (500,),
        "rows_of_shape": (448, 1, 12), "columns_windows": (728, 504, 3024)}.items())


def test_two_models_are_shown_the_same_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    """Of the size, and as many, as are given; of one model they are what changes in it."""
    both = ["diff", "qwen2.5-vl-7b", "qwen3-vl-8b", "--quantity", "image_tokens"]
    size = ["image_width=1920", "image_height=1080"]
    for more, first, second in ((size, 2691, 2040), (["n_images=3"], 3 * 999, 3 * 768)):
        assert run([*both, *more, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["before"]["total"], found["after"]["total"]) == (first, second)
    assert run([both[0], both[1], *both[3:], *size, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["before"]["total"], found["after"]["total"]) == (999, 2691)


def test_a_picture_of_which_nothing_is_left_is_refused() -> None:
    thin = load("mistral-small-3.2")
    assert thin.quantity("image_tokens", image_width=1540, image_height=28) == 56
    with pytest.raises(BadValue, match="left of a picture of 20000 × 10 pixels"):
        thin.quantity("image_tokens", image_width=20_000, image_height=10)


def test_pictures_that_a_sequence_has_no_room_for_are_said(
        capsys: pytest.CaptureFixture[str]) -> None:
    line = ["cost", "qwen2.5-vl-7b", "--only", "pictures", "--images", "4"]
    assert run([*line, "s=3996"]) == 0
    assert "3,996 of the 3,996 positions" in capsys.readouterr().out
    assert run([*line, "s=3995"]) == 0
    assert "3,996 positions, more than the 3,995 of the sequence" in " ".join(
        capsys.readouterr().out.split())


@pytest.mark.parametrize(("said", "side"), [(256, 448), (64, 1024), (100, 320)])
def test_means_are_as_many_as_are_said_where_patches_go_into_them(said: int, side: int) -> None:
    tower = SIGLIP | {"image_size": side, "patch_size": 16 if side != 448 else 14}
    model = made("gemma3", "Gemma3", "gemma3_text", tower, mm_tokens_per_image=said)
    assert model.quantity("image_tokens") == said


def test_more_means_than_there_are_patches_are_refused() -> None:
    model = made("gemma3", "Gemma3", "gemma3_text", SIGLIP, mm_tokens_per_image=10**400)
    with pytest.raises(BadValue, match="no row or no column"):
        model.quantity("image_tokens")


def test_dims_of_pictures_are_known_by_the_names_that_rules_give_them() -> None:
    assert all(name.isidentifier() and "\\" in str(dim.latex) for name, dim in _DIMS.items())
    used = {name for rule in vars(rules).values() if isinstance(rule, ex.Sym)
            for name in ex.symbols_in(rule)}
    assert {name for name in used if name.startswith(("image_", "tile_"))} <= set(_DIMS)
