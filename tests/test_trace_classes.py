"""Which class builds a configuration, what it takes, and whose code is run for it.

Classes are the stand-in's (tests/stand_ins), or of a folder of somebody's own.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

from symparam.checkpoints.module import build_module, module_tensors
from symparam.errors import BadValue, SpecError, SymparamError
from symparam.tracing import Target, TraceError, child
from symparam.tracing.searching.tables import Tensor
from symparam.tracing.sources import as_given, classes, trusted
from tests.helpers import together

pytestmark = pytest.mark.usefixtures("library")

CODE = {
    "configuration_tiny": "from transformers import PreTrainedConfig\n\n\n"
    "class TinyConfig(PreTrainedConfig):\n    width: int = 32\n    depth: int = 2\n"
    "    words: int = 100\n    pad_token_id: int = 3\n    kinds: object = None\n"
    "    tied: bool = False\n",
    "modeling_tiny": "from torch import nn\nfrom transformers import PreTrainedModel\n\n"
    "from .configuration_tiny import TinyConfig\n\n\n"
    "class Tiny(PreTrainedModel):\n    def __init__(self, config):\n"
    "        super().__init__(config)\n"
    "        self.embed = nn.Embedding(config.words, config.width, config.pad_token_id)\n"
    "        self.layers = [nn.Linear(config.width, 3 * config.width)\n"
    "                       for _ in range(config.depth)]\n\n"
    "    def tie_weights(self):\n"
    "        if self.config.tied:\n"
    "            self.layers[0].weight = self.embed.weight\n\n\n"
    "class TinyForMasks(Tiny):\n    pass\n",
    "broken_tiny": "raise RuntimeError('no\\nsuch thing' + 200 * 'x')\n"}
MAP = {"AutoConfig": "configuration_tiny.TinyConfig", "AutoModel": "modeling_tiny.Tiny"}


def candidates(library: Any, config: Any, model_type: str) -> list[str]:
    """The classes of a type, in order."""
    return [c.__name__ for c in classes._candidates(model_type, type(config), config)]


# -- classes --------------------------------------------------------------------------------------


def test_the_whole_of_a_model_is_looked_for_in_order(library: Any, ours: Any) -> None:
    """Of one part a language model first; of many the one with all of them; four at most, each
    once, and none that is not there."""
    assert candidates(library, ours.DecoderConfig(), "decoder") == [
        "DecoderForCausalLM", "DecoderForPictures", "DecoderModel"]
    assert candidates(library, ours.PairConfig(), "pair") == [
        "PairForPictures", "PairForCausalLM", "PairModel"]
    assert candidates(library, ours.BrokenConfig(), "broken") == ["BrokenModel", "BrokenOtherModel"]
    auto = sys.modules["transformers.models.auto.modeling_auto"]
    vars(auto)["MODEL_FOR_ALL_MAPPING_NAMES"] = {
        "decoder": ["TowerModel", "DecoderModel"], "tower": ("NotThere", "TowerModel", "Tower")}
    vars(auto)["CONFIG_MAPPING_NAMES"]["tower"] = "BesideModel"
    assert candidates(library, ours.DecoderConfig(), "decoder") == [
        "DecoderForCausalLM", "DecoderForPictures", "DecoderModel", "TowerModel"]
    assert candidates(library, ours.TowerConfig(), "tower") == ["TowerModel"]
    vars(auto)["MODEL_FOR_ALL_MAPPING_NAMES"] = {"decoder": ["TowerModel", "BrokenModel"]}
    assert len(candidates(library, ours.DecoderConfig(), "decoder")) == 4
    auto.MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES = {  # type: ignore[attr-defined]
        "decoder": "RenamedModel"}
    assert candidates(library, ours.DecoderConfig(), "decoder")[0] == "RenamedModel"


def test_classes_beside_a_configuration_are_those_made_of_it(library: Any, ours: Any) -> None:
    """Two at most; where there is no module, none."""
    models = sys.modules["transformers.models.ours.modeling_ours"]
    assert classes._of_module(ours.BesideConfig) == [models.BesideModel]
    for name in "ABC":
        setattr(models, name, type(f"{name}Model", (models.BesideModel,), {}))
    assert [c.__name__ for c in classes._of_module(ours.BesideConfig)] == ["BesideModel", "AModel"]
    vars(models)["Alone"] = type("Alone", (), {"config_class": ours.LonelyConfig})
    assert classes._of_module(ours.LonelyConfig) == []
    elsewhere = type("Elsewhere", (ours.LonelyConfig,), {"__module__": "no.configuration_such"})
    assert classes._of_module(elsewhere) == []


def test_a_class_that_a_file_names_is_the_only_one(library: Any, ours: Any) -> None:
    """The first of them; where this transformers has none of the name, those of the type."""
    def found(*names: str) -> str:
        made = classes.class_of("pair", ours.PairConfig, ours.PairConfig(),
                                {"architectures": list(names)}, "file")
        return str(made.__name__)
    assert found("PairModel", "PairForCausalLM") == "PairModel"
    assert found() == "PairForCausalLM"
    assert found("NotThere", "PairModel") == "PairForCausalLM"
    with pytest.raises(TraceError) as caught:
        found("PairForPictures")
    assert str(caught.value) == ("file: PairForPictures does not build: NotImplementedError: "
                                 "something is missing")
    assert library.initialization.drawn == []


def test_modules_of_models_are_those_that_are_loaded(library: Any, ours: Any) -> None:
    """Modelling code and configurations of transformers, and where a class is written."""
    sys.modules["transformers.models.fake.modeling_fake"] = ModuleType("fake")
    sys.modules["transformers.models.fake.processing_fake"] = ModuleType("fake")
    sys.modules["transformers.fake.modeling_fake"] = ModuleType("fake")
    importlib.import_module("transformers.models.auto.modeling_auto")
    own = type("Own", (), {"__module__": "not_loaded"})
    found = classes.modules_of(own, SimpleNamespace(__module__=__name__))
    names = ["auto.modeling_auto", "fake.modeling_fake",
             "ours.configuration_ours", "ours.modeling_ours"]
    assert found == tuple(sys.modules[name] for name in (
        __name__, *(f"transformers.models.{name}" for name in names)))


# -- what is taken --------------------------------------------------------------------------------


@dataclasses.dataclass
class Inner:
    """A configuration inside."""

    attribute_map: ClassVar = {"width": "size"}
    model_type: ClassVar = "inner"
    size: int = 8


@dataclasses.dataclass
class Plain:
    """No configuration, though it has fields."""

    size: int = 3

    def __post_init__(self) -> None:
        self.size = 4


@dataclasses.dataclass
class Outer:
    """Shows what it takes, but for what a test changes."""

    sub_configs: ClassVar = {"inner": Inner, "auto": "AutoConfig"}
    model_type: ClassVar = "outer"
    size: int = 8
    heads: int = 2
    ratio: float = .5
    wide: bool = True
    other: int | None = None
    inner: Any = None
    plain: Any = None


def test_settings_of_a_configuration_inside_go_to_its_own_fields() -> None:
    """Where it is known of which class it is."""
    given = {"inner": {"width": 3}, "auto": {"width": 3}, "width": 3}
    assert as_given.renamed(Outer, given) == given | {"inner": {"size": 3}}
    assert as_given.renamed(Outer, {"inner": 3}) == {"inner": 3}
    assert as_given.renamed(SimpleNamespace, given) == given


def test_numbers_that_are_taken_are_those_that_are_not_shown() -> None:
    """By default or as they were given, inside too; whole numbers alone."""
    config = Outer(size=9, heads=3, ratio=.7, wide=False, other=4, inner=Inner(size=5),
                   plain=Plain())
    assert as_given.numbers_taken(config, {}) == {
        ("size",): 8, ("heads",): 2, ("inner", "size"): 8}
    assert as_given.numbers_taken(config, {"size": 9, "heads": 7, "other": 6, "inner": {
        "size": 5}}) == {("heads",): 7, ("other",): 6}
    assert as_given.numbers_taken(config, {"size": 9, "heads": 3, "inner": 3}) == {
        ("inner",): 3, ("inner", "size"): 8}
    config.per_layer_attributes = ["size"]  # type: ignore[attr-defined]
    assert as_given.numbers_taken(config, {"heads": 3, "inner": {"size": 5}}) == {("size",): 8}
    del config.size
    assert as_given.numbers_taken(config, {"heads": 3, "size": 4, "inner": {"size": 5}}) == {}
    assert as_given.numbers_taken(SimpleNamespace(inner=3), {}) == {}


def given_back(shown: dict[str, int], taken: dict[str, int],
               made: Any = lambda d, h, k: {"q": (d, h + 2 * k)}) -> Target:
    """A target of which the default is built of 8, 2 and 3, and these numbers are shown."""
    def config(values: Mapping[Any, Any]) -> Any:
        numbers = [values[name,] for name in "dhk"]
        return SimpleNamespace(numbers=numbers, to_dict=lambda: {"all": numbers})
    default = SimpleNamespace(numbers=[8, 2, 3], to_dict=lambda: {"all": (8, 2, 3)})
    base = {(name,): value for name, value in shown.items()}
    target = Target("t", "t", lambda values: made(*config(values).numbers), base)
    return as_given.as_given(target, base, {(n,): v for n, v in taken.items()}, default, config,
                             lambda whole: made(*whole.numbers))


def test_a_trace_begins_with_numbers_that_build_what_none_builds() -> None:
    """Those that are shown, one that is taken in place of it, or all of these."""
    def base(shown: dict[str, int], taken: dict[str, int]) -> tuple[int, ...]:
        target = given_back(shown, taken)
        assert target.strange == ()
        return tuple(target.base[name,] for name in "dhk")
    right = {"d": 8, "h": 2, "k": 3}
    assert base(right, {"h": 9}) == (8, 2, 3)
    assert base({"d": 8, "h": 4, "k": 2}, {"h": 2}) == (8, 4, 2)
    assert base(right | {"h": 5}, {"d": 9, "h": 2}) == (8, 2, 3)
    assert base(right | {"h": 5, "k": 4}, {"h": 2, "k": 3}) == (8, 2, 3)
    assert given_back(right | {"h": 5}, {"k": 3}).strange == (
        "where no number is given for a key, the target has other tensors than with the numbers "
        "that it shows, such as k",)
    assert given_back(right | {"h": 5}, {}).base == {("d",): 8, ("h",): 5, ("k",): 3}


def test_what_refuses_the_numbers_that_it_shows_is_refused_where_a_trace_begins() -> None:
    """Nothing is said of it here."""
    def made(d: int, h: int, k: int) -> Any:
        raise ValueError("refused")
    assert given_back({"d": 8, "h": 5, "k": 3}, {"h": 2}, made).strange == ()


def test_configurations_are_alike_where_a_tuple_comes_back_as_a_list() -> None:
    """However deep; nothing else."""
    def alike(one: Any, other: Any) -> bool:
        return as_given.alike(SimpleNamespace(to_dict=lambda: one),
                              SimpleNamespace(to_dict=lambda: other))
    assert alike({"a": {"b": ((1, 2), "cd")}}, {"a": {"b": [[1, 2], "cd"]}})
    assert not alike({"a": (1, 2)}, {"a": [2, 1]})
    assert not alike({"a": "12"}, {"a": ["1", "2"]})


# -- code beside a configuration ------------------------------------------------------------------


def folder_of(path: Path, **changes: Any) -> dict[str, Any]:
    """A folder with code of its own; what its configuration holds."""
    for name, code in CODE.items():
        (path / f"{name}.py").write_text(code, encoding="utf-8")
    data = {"model_type": "tiny", "width": 16, "depth": 3, "words": 50, "pad_token_id": 3,
            "dtype": "bfloat16", "kinds": ["a"], "tied": False, "auto_map": MAP, **changes}
    (path / "config.json").write_text(json.dumps(data), encoding="utf-8")
    return data


def answer(path: Path, say: Any = None, **changes: Any) -> Any:
    """What the child process says of a request."""
    asked = {"target": str(path), "settings": {}, "trust": True, "configuration": None,
             "keys": True, "hold": [], "points": 3, "seed": 0, "seconds": None, "costs": False}
    return child._answer({**asked, **changes}, say)


def test_a_configuration_that_names_code_is_found(tmp_path: Path) -> None:
    """By its folder or its file; elsewhere the reading of targets says what is wrong."""
    data = folder_of(tmp_path)
    file = tmp_path / "config.json"
    assert trusted.code_named(str(tmp_path)) == trusted.code_named(str(file)) == data
    assert trusted.code_named("transformers:tiny") is None
    assert trusted.code_named(str(tmp_path / "modeling_tiny.py")) is None
    assert trusted.code_named(str(tmp_path / "none.json")) is None
    file.write_text('{"model_type": "tiny"}', encoding="utf-8")
    assert trusted.code_named(str(tmp_path)) is None


@pytest.mark.parametrize("whole", [True, False])
def test_code_beside_a_configuration_is_built_of_its_numbers(whole: bool, tmp_path: Path,
                                                             library: Any) -> None:
    """Its settings too; what says how it was saved or names tokens is no key."""
    data = folder_of(tmp_path, model_type="" if whole else "tiny")
    text = str(tmp_path if whole else tmp_path / "config.json")
    target = trusted.from_code(text, data, {"depth": 2, "tied": True})
    assert target.base == {("width",): 16, ("depth",): 2, ("words",): 50}
    assert target.switches == {("tied",): True}
    assert (target.text, target.name) == (text, tmp_path.name if whole else "tiny")
    assert target.packages == ("torch", "transformers")
    assert target.notes == ("the class is Tiny, of code beside the configuration",)
    assert [m.__name__ for m in target.modules] == [
        "transformers_modules.configuration_tiny", "transformers_modules.modeling_tiny"]
    assert target.table({**target.base, ("words",): 8}) == {
        "embed.weight": Tensor((8, 16), module="Embedding", role="token"),
        "layers.0.weight": Tensor((8, 16), tied_to="embed.weight", module="Linear"),
        "layers.1.weight": Tensor((48, 16), module="Linear")}
    assert library.initialization.drawn == []


def test_the_whole_of_a_model_is_taken_of_classes_that_are_named(tmp_path: Path) -> None:
    """One for causal language first, then for others, then any that is named."""
    def built(*names: str) -> str:
        named = {"AutoConfig": MAP["AutoConfig"]} | {
            name: f"modeling_tiny.{cls}" for name, cls in zip(
                names, ("TinyForMasks", "Tiny"), strict=False)}
        return trusted.from_code(str(tmp_path), {"auto_map": named}, {}).notes[0].split()[3]
    folder_of(tmp_path)
    assert built("AutoModelForMaskedLM", "AutoModel") == "TinyForMasks,"
    assert built("AutoModel", "AutoModelForCausalLM") == "Tiny,"
    assert built("AutoModelForImages") == "TinyForMasks,"


@together(("named", "said"), [
    ({"AutoModel": MAP["AutoModel"]}, "TARGET = code: auto_map names no AutoConfig, or no model"),
    ({"AutoConfig": MAP["AutoConfig"]},
     "TARGET = code: auto_map names no AutoConfig, or no model"),
    ({**MAP, "AutoModel": "a/b--modeling_tiny.Tiny"}, "TARGET = code: auto_map names "
     "'a/b--modeling_tiny.Tiny', which is not beside it; nothing is fetched"),
    ({**MAP, "AutoConfig": ["x"]},
     "TARGET = code: auto_map names ['x'], which is not beside it; nothing is fetched"),
    ({**MAP, "AutoModel": "broken_tiny.Tiny"}, "code: broken_tiny.Tiny cannot be loaded: "
     "RuntimeError: no such thing" + 147 * "x"),
    ({**MAP, "AutoModel": "modeling_tiny.Large"}, "code: modeling_tiny.Large cannot be loaded: "
     "AttributeError: module 'transformers_modules.modeling_tiny' has no attribute 'Large'")])
def test_code_that_is_not_there_is_refused(named: dict[str, Any], said: str, tmp_path: Path,
                                           monkeypatch: pytest.MonkeyPatch) -> None:
    """In a line."""
    monkeypatch.chdir(tmp_path)
    Path("code").mkdir(exist_ok=True)
    data = folder_of(Path("code"), auto_map=named)
    with pytest.raises(SymparamError) as caught:
        trusted.from_code("code", data, {})
    assert str(caught.value) == said


def test_the_child_runs_code_where_it_is_trusted_and_else_what_is_known(tmp_path: Path) -> None:
    """A configuration that was read already wins; keys are listed, or a trace is made."""
    folder_of(tmp_path)
    keys = answer(tmp_path, settings={"depth": 4})["keys"]
    assert keys == [
        {"key": "width", "dim": "d_model", "value": 16, "switch": False},
        {"key": "depth", "dim": "L", "value": 4, "switch": False},
        {"key": "words", "dim": "words", "value": 50, "switch": False},
        {"key": "tied", "dim": "tied", "value": False, "switch": True}]
    with pytest.raises(TraceError, match="model_type 'tiny' is none of this transformers"):
        answer(tmp_path, trust=False)
    asked = {"target": "transformers:beside", "settings": {"hidden_size": 30}}
    hidden = [{"key": "hidden_size", "dim": "d_model", "value": 30, "switch": False}]
    assert answer(tmp_path, trust=False, **asked) == {"keys": hidden}
    assert answer(tmp_path, **asked) == {"keys": hidden}
    read = {"model_type": "beside", "hidden_size": 5}
    assert answer(tmp_path, configuration=read)["keys"][0]["value"] == 5
    said: list[dict[str, Any]] = []
    found = answer(tmp_path, said.append, keys=False, hold=["depth"], seed=4)["trace"]
    assert said
    assert set(said[0]) == {"progress"}
    assert found["name"] == "tiny"


# -- modules to compare with ----------------------------------------------------------------------


def test_a_configuration_is_built_by_the_class_that_it_names(library: Any) -> None:
    """Unless it is asked for another; the head shares the table of tokens."""
    data = {"model_type": "decoder", "num_hidden_layers": 1, "vocab_size": 600,
            "architectures": ["DecoderForCausalLM", "DecoderModel"]}
    rows = {"embed.weight": (600, 96), "layers.0.q.weight": (96, 96),
            "layers.0.k.weight": (48, 96)}
    assert module_tensors(build_module(data, "f", "causal")) == rows
    data["tie_word_embeddings"] = False
    assert module_tensors(build_module(data, "f", "causal")) == rows | {
        "lm_head.weight": (600, 96)}
    library.AutoModel = SimpleNamespace(from_config=library.DecoderModel)
    assert module_tensors(build_module(data, "f", "base", asked=True)) == rows
    del data["architectures"]
    assert module_tensors(build_module(data, "f", "base")) == rows


@together(("changes", "task", "said"), [
    ({"architectures": ["NotThere"]}, "causal", "f: transformers cannot build it: AttributeError: "
     "module 'transformers' has no attribute 'NotThere'"),
    ({"model_type": "none"}, "causal", "f: transformers cannot build it: KeyError: 'none'"),
    ({"hidden_act": "none"}, "causal", "f: transformers cannot build it: ValueError: hidden_act is "
     "to be a function"),
    ({"model_type": "broken", "architectures": ["BrokenModel"]}, "base", "f: transformers cannot "
     "build it: TypeError: no such thing " + 186 * "x"),
    ({}, "causal", "f: model_type: transformers has no class for decoder counted as causal: name "
     "one in architectures"),
    ({}, "mlm", "f: transformers cannot build it: ValueError: broken")])
def test_what_transformers_does_not_build_is_said(
        changes: dict[str, Any], task: str, said: str, library: Any) -> None:
    """A class that does not know the configuration is passed over; whatever else is raised is its
    answer."""
    def unknown(config: Any) -> Any:
        raise ValueError(f"Unrecognized configuration class {type(config)}")

    def broken(config: Any) -> Any:
        raise ValueError("broken")
    library.AutoModelForCausalLM = SimpleNamespace(from_config=unknown)
    library.AutoModelForMaskedLM = SimpleNamespace(from_config=broken)
    with pytest.raises(SpecError) as caught:
        build_module({"model_type": "decoder", **changes}, "f", task)
    assert str(caught.value) == said


def test_an_automatic_class_that_does_not_know_a_configuration_is_passed_over(library: Any
                                                                              ) -> None:
    """The next one is asked."""
    def unknown(config: Any) -> Any:
        raise ValueError("Unrecognized configuration class")
    library.AutoModelForImageTextToText = SimpleNamespace(from_config=unknown)
    library.AutoModelForCausalLM = SimpleNamespace(from_config=library.BesideModel)
    assert module_tensors(build_module({"model_type": "beside"}, "f", "causal")) == {
        "scale": (24, 2)}


def test_a_module_is_read_by_its_names_once_each() -> None:
    """Or a mapping from names to shapes; anything else is refused."""
    assert module_tensors({"w": [3, 4.0]}) == {"w": (3, 4)}
    with pytest.raises(BadValue, match=r"module = int: has no named_parameters\(\)"):
        module_tensors(3)


def test_a_module_has_its_parameters_once_and_its_stored_buffers() -> None:
    weight, mask = SimpleNamespace(shape=(3, 4)), SimpleNamespace(shape=(5,))

    class Module:
        def named_parameters(self, remove_duplicate: bool = True) -> list[tuple[str, Any]]:
            return [("w", weight), *([] if remove_duplicate else [("tied", weight)])]

        def state_dict(self) -> dict[str, Any]:
            return {"w": weight, "tied": weight, "mask": mask}
    assert module_tensors(Module()) == {"w": (3, 4), "mask": (5,)}
