"""Targets of transformers, with a stand-in for it: what is a key, what is built, what is refused.

The stand-ins (tests/stand_ins) have the types of models that are hard to read, and refuse to make
real numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from symparam.checkpoints.module import build_module
from symparam.errors import BadValue, SymparamError
from symparam.tracing import Target, TraceError, trace
from symparam.tracing.sources import configurations, unnamed
from symparam.tracing.sources.targets import find_target
from tests.helpers import together
from tests.traces import faults, told

pytestmark = pytest.mark.usefixtures("library")
Shapes = dict[str, tuple[int, ...]]


def named(values: Mapping[tuple[str | int, ...], Any]) -> dict[str, Any]:
    """Values by path, with dots."""
    return {".".join(map(str, path)): value for path, value in values.items()}


def of_type(model_type: str, **settings: Any) -> Target:
    """The target of a type."""
    return find_target(f"transformers:{model_type}", settings)


def of_file(**data: Any) -> Target:
    """The target of a configuration."""
    return configurations.from_config(data, {}, "config.json")


def shapes(target: Target, **changes: Any) -> Shapes:
    """What a target has where keys of its own are changed; what is tied is left out."""
    paths = {".".join(map(str, path)): path for path in target.base}
    values = dict(target.base) | {paths.get(n.replace("__", "."), (n,)): v
                                  for n, v in changes.items()}
    return {name: tensor.shape for name, tensor in target.table(values).items()
            if tensor.tied_to is None}


def decoder(vocab: int = 512, d: int = 96, layers: int = 4, heads: int = 6, kv: int = 3,
            ff: int = 160, head: int = 16, before: str = "") -> Shapes:
    """What a decoder has."""
    found = {f"{before}embed.weight": (vocab, d)}
    for i in range(layers):
        found |= {f"{before}layers.{i}.q.weight": (heads * head, d),
                  f"{before}layers.{i}.k.weight": (kv * head, d)}
        found |= {f"{before}layers.{i}.up.weight": (ff, d)} if i % 2 else {}
    return found


def untied(target: Target) -> set[str]:
    """The tensors of a target that share no other's numbers."""
    return {n for n, t in target.table(target.base).items() if t.tied_to is None}


def same_as_built(target: Target, points: int = 4) -> dict[str, list[str]]:
    """The rows of a trace, which was held against what is built."""
    found = trace(target, points=points)

    def made(values: Mapping[tuple[str | int, ...], Any]) -> Any:
        return [(n, t.shape, t.status) for n, t in target.table(values).items()]
    sizes, both, wrong = faults(found, made, target.name, wanted=5)
    assert (wrong, sizes > 0, both > 0) == ([], True, True)
    assert {a.kind for a in told(found)} <= {"switch", "number"}
    return {row.pattern: [str(a) for a in row.shape] for row in found.rows} | {
        "rules": [str(each) for each in found.equations]}


# -- whole types --------------------------------------------------------------------------------


def test_a_type_is_what_its_configuration_takes_and_its_class_builds(library: Any) -> None:
    """Numbers, switches, notes, what follows others, and nothing that names tokens."""
    target = of_type("decoder")
    assert named(target.base) == {
        "vocab_size": 512, "hidden_size": 96, "num_hidden_layers": 4, "num_attention_heads": 6,
        "num_key_value_heads": 3, "intermediate_size": 160, "dropout": .5, "head_dim": 16}
    assert named(target.switches) == {"hidden_act": "silu", "tie_word_embeddings": True}
    assert target.opened == {("num_key_value_heads",), ("head_dim",)}
    assert (target.text, target.name, target.packages, target.strange) == (
        "transformers:decoder", "decoder", ("torch", "transformers"), ())
    assert target.notes == (
        "the class is DecoderForCausalLM",
        "where a vocabulary is too small for eos_token_id, its last token was taken: the target "
        "refuses such a number")
    assert [m.__name__ for m in target.modules] == [
        f"transformers.models.{name}" for name in (
            "auto.configuration_auto", "auto.modeling_auto", "ours.configuration_ours",
            "ours.modeling_ours")]
    assert shapes(target) == decoder()
    assert target.table(target.base)["lm_head.weight"].tied_to == "embed.weight"
    assert library.initialization.drawn == []
    assert library.utils.logging.verbosity[1:] == ["error"]


def test_what_is_not_given_follows_the_rest() -> None:
    """By the class's own rule, and by the quotient that code takes."""
    target = of_type("decoder")
    values = {**target.base, ("num_attention_heads",): 8, ("hidden_size",): 240,
              ("num_key_value_heads",): 99, ("head_dim",): 99}
    assert target.derived(values) == {("num_key_value_heads",): 4, ("head_dim",): 30}
    assert shapes(target, num_attention_heads=8, hidden_size=240, num_key_value_heads=5,
                  head_dim=7) == decoder(d=240, heads=8, kv=5, head=7)


def test_an_identifier_of_a_token_stays_inside_the_vocabulary(library: Any) -> None:
    """The table of tokens would refuse one that is not in it."""
    target = of_type("decoder")
    with sys.modules["torch"].device("meta"):
        ids = {size: target.build({**target.base, ("vocab_size",): size}).config.eos_token_id
               for size in (512, 501, 500, 80, 1)}
    assert ids == {512: 500, 501: 500, 500: 499, 80: 79, 1: 0}
    assert of_type("decoder", eos_token_id=64).notes == ("the class is DecoderForCausalLM",)
    assert len(of_type("decoder", eos_token_id=65).notes) == 2


def test_a_trace_of_a_type_is_what_is_built() -> None:
    """Layers of two kinds, a rule of the class's own, a quotient that no field has."""
    assert same_as_built(of_type("decoder")) == {
        "embed.weight": ["V", "d_model"], "layers.*.q.weight": ["n_heads*d_head", "d_model"],
        "layers.*.k.weight": ["n_kv*d_head", "d_model"], "layers.*.up.weight": ["d_ff", "d_model"],
        "lm_head.weight": ["V", "d_model"],
        "rules": ["d_head = down(d_model/n_heads)", "n_kv = down(n_heads/2)"]}


def test_a_configuration_inside_is_taken_with_what_the_outer_one_gives_it() -> None:
    """The whole for pictures does not build, so that the next class is taken; the name of a
    backbone is given on, though no number is."""
    target = of_type("pair")
    assert named(target.base) == {
        **{f"text_config.{name}": value for name, value in {
            "vocab_size": 512, "hidden_size": 48, "num_hidden_layers": 4, "num_attention_heads": 6,
            "num_key_value_heads": 3, "intermediate_size": 160, "dropout": .5,
            "head_dim": 8}.items()},
        "vision_config.hidden_size": 40, "vision_config.depths.0": 2, "vision_config.depths.1": 3,
        "vision_config.rank": 5, "projector_dim": 56}
    assert named(target.switches) == {
        "text_config.hidden_act": "silu", "text_config.tie_word_embeddings": True,
        "vision_config.backbone": "deep"}
    assert named(dict.fromkeys(target.opened)) == {
        "text_config.head_dim": None, "text_config.num_key_value_heads": None}
    assert (target.notes, target.strange) == (("the class is PairForCausalLM",), ())
    beside = {"vision.stages.0.weight": (30, 40), "vision.stages.1.weight": (45, 40),
              "projector.weight": (56, 40)}
    assert shapes(target) == beside | decoder(d=48, head=8, before="text.")
    assert shapes(target, text_config__num_attention_heads=4, vision_config__rank=1) == {
        **beside, "vision.stages.0.weight": (6, 40), "vision.stages.1.weight": (9, 40),
        **decoder(d=48, head=8, heads=4, before="text.")}
    rows = same_as_built(target)
    assert rows["vision.stages.1.weight"] == ["3*vision_rank*L_vision_1", "d_model_vision"]
    assert rows["rules"] == ["d_head = down(d_model/n_heads)", "n_kv = down(n_heads/2)"]


def test_a_field_is_given_by_the_name_that_its_class_takes() -> None:
    """Known by another name, and stored under another."""
    for target in (of_type("renamed", hidden_size=36, num_experts=5),
                   of_file(model_type="renamed", n_embd=36, num_local_experts=5)):
        assert named(target.base) == {"n_embd": 36, "n_layer": 3, "num_local_experts": 5}
        assert shapes(target, num_local_experts=9) == {
            f"layers.{i}.weight": (9, 36) for i in range(3)}
    assert same_as_built(of_type("renamed"))["layers.*.weight"] == ["n_experts", "d_model"]


def test_numbers_are_those_that_a_class_takes_not_those_that_it_shows() -> None:
    """``head_dim`` is shown as another number; with that, other tensors would be built."""
    target = of_type("shown")
    assert named(target.base) == {
        "hidden_size": 96, "rope_dim": 14, "head_dim": 40, "linear_dim": 40}
    assert (target.opened, target.strange) == ({("linear_dim",)}, ())
    assert shapes(target) == {"q.weight": (40, 96), "k.weight": (14, 96)}
    assert same_as_built(target) == {"q.weight": ["d_head", "d_model"], "rules": [
        "linear_dim = d_head"], "k.weight": ["rope_dim", "d_model"]}


def test_what_no_number_builds_is_said() -> None:
    """Where the numbers that are shown build something else, no answer passes for right."""
    said = ("where no number is given for a key, the target has other tensors than with the "
            "numbers that it shows")
    assert of_type("strange").strange == (said,)
    assert of_type("strange", shift=True).strange == (f"{said}, such as rank",)
    assert of_type("strange", head_dim=40).strange == ()


def test_a_class_is_found_beside_its_configuration_where_no_table_names_one() -> None:
    """Not what such classes have in common, which is no model."""
    target = of_type("beside")
    assert target.notes == ("the class is BesideModel",)
    assert shapes(target, hidden_size=7) == {"scale": (7, 2)}


@together(("text", "settings", "said"), [
    ("transformers:nothing", {}, "transformers:nothing: is no model type of this transformers"),
    ("transformers:lonely", {}, "transformers:lonely: transformers has no class for it"),
    ("transformers:broken", {}, "transformers:broken: BrokenModel does not build: TypeError: "
     "no such thing " + "x" * 146),
    ("transformers:decoder", {"hidden_act": "none"}, "transformers:decoder: its configuration is "
     "refused: ValueError: hidden_act is to be a function"),
    ("transformers:decoder", {"hiden_size": 3}, "hiden_size = 3: transformers:decoder has no such "
     "key: did you mean hidden_size?"),
    ("transformers:decoder", {"d_model": 3}, "d_model = 3: transformers:decoder has no such "
     "key: did you mean hidden_size?"),
    ("transformers:pair", {"text_config.hiden_size": 3}, "text_config.hiden_size = 3: "
     "transformers:pair has no such key: did you mean text_config.hidden_size?"),
    ("transformers:pair", {"d_ff": 3}, "d_ff = 3: transformers:pair has no such key: did you mean "
     "text_config.intermediate_size?"),
    ("transformers:pair", {"vison_config.rank": 3}, "vison_config.rank = 3: transformers:pair has "
     "no configuration vison_config: did you mean vision_config?"),
    ("transformers:renamed", {"zzz": 3}, "zzz = 3: transformers:renamed has no such key")])
def test_what_a_type_does_not_take_is_refused(text: str, settings: dict[str, Any],
                                              said: str) -> None:
    """In a line, with the nearest names."""
    with pytest.raises(SymparamError) as caught:
        find_target(text, settings)
    assert str(caught.value) == said


@together(("data", "said"), [
    ({"model_type": "x"}, "config.json: model_type 'x' is none of this transformers"),
    ({}, "config.json: model_type '' is none of this transformers")])
def test_a_file_of_no_type_is_refused(data: dict[str, Any], said: str) -> None:
    """With its name."""
    with pytest.raises(TraceError) as caught:
        of_file(**data)
    assert str(caught.value) == said


@pytest.mark.parametrize("missing", ["transformers", "torch"])
def test_what_is_not_installed_is_said_with_how_to_install_it(
        missing: str, library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever of the two it is."""
    for name in [n for n in sys.modules if n.partition(".")[0] == "transformers"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    said = f"transformers: {missing} is not installed: pip install 'symparam[torch]'"
    with pytest.raises(BadValue) as caught:
        of_type("decoder")
    assert str(caught.value) == f"TARGET = {said}"
    with pytest.raises(BadValue) as caught:
        build_module({"model_type": "decoder"}, "config.json", "causal")
    assert str(caught.value) == f"AGAINST = {said}"


# -- what a file holds --------------------------------------------------------------------------


def test_a_file_gives_the_numbers_and_the_class() -> None:
    """A list that the class makes by itself fixes no number of layers; another does; what was saved
    beside it is no key, and a number that nothing reads is said."""
    kinds = ["narrow", "wide", "narrow"]
    target = of_file(model_type="decoder", architectures=["DecoderModel", "DecoderForPictures"],
                     num_hidden_layers=3, layer_types=kinds, n_widgets=4, n_frogs=5, ratio=.5,
                     sep_token_id=3, num_key_value_heads=2, torch_dtype="x", head_dim=12,
                     tie_word_embeddings=False)
    assert named(target.base) == {
        "vocab_size": 512, "hidden_size": 96, "num_hidden_layers": 3, "num_attention_heads": 6,
        "num_key_value_heads": 2, "intermediate_size": 160, "dropout": .5, "n_widgets": 4,
        "n_frogs": 5, "head_dim": 12}
    assert target.opened == set()
    assert target.text == "config.json"
    assert target.notes[:2] == ("the class is DecoderModel",
                                "nothing reads these keys of the file: n_widgets, n_frogs")
    assert shapes(target, num_hidden_layers=5) == decoder(layers=5, kv=2, head=12)
    assert ("layer_types",) not in target.switches
    other = of_file(model_type="decoder", num_hidden_layers=3, layer_types=[*kinds[:2], "wide"],
                    gate_types=[], architectures=["NotThere"])
    assert named(other.switches) == {"hidden_act": "silu", "tie_word_embeddings": True,
                                     "layer_types": ["narrow", "wide", "wide"]}
    assert other.notes[0] == "the class is DecoderForCausalLM"
    assert shapes(other)["layers.2.up.weight"] == (160, 96)


def test_a_setting_wins_over_a_file_and_goes_inside_by_a_dot() -> None:
    """What the file holds of the same configuration stays."""
    data = {"model_type": "pair", "projector_dim": 8, "text_config": {
        "hidden_size": 60, "tie_word_embeddings": False, "gate_types": ["a"]}}
    target = configurations.from_config(data, {"text_config.num_attention_heads": 4,
                                               "projector_dim": 9}, "f")
    numbers = named(target.base)
    assert (numbers["text_config.hidden_size"], numbers["text_config.num_attention_heads"],
            numbers["text_config.head_dim"], numbers["projector_dim"]) == (60, 4, 15, 9)
    assert "text.lm_head.weight" in untied(target)
    assert target.switches["text_config", "gate_types"] == ["a"]
    assert data["text_config"] == {
        "hidden_size": 60, "tie_word_embeddings": False, "gate_types": ["a"]}


def test_a_name_that_only_code_reads_is_taken_from_a_file_and_a_setting() -> None:
    """It is then no rule of others."""
    for target in (of_file(model_type="decoder", head_dim=24), of_type("decoder", head_dim=24)):
        assert target.base["head_dim",] == 24
        assert target.opened == {("num_key_value_heads",)}
        assert shapes(target) == decoder(head=24)


def test_a_configuration_that_needs_values_is_traced_with_those_of_its_file(
        library: Any, ours: Any) -> None:
    """What it has by itself cannot be seen then; with none of both, it is what was given."""
    class Needs(library.PreTrainedConfig):  # type: ignore[misc, name-defined]
        """Takes no width but one that is given."""

        model_type = "needs"
        width: int | None = None
        depth: int = 2

        def __post_init__(self, **given: Any) -> None:
            if not self.width:
                raise ValueError("width is needed")
            super().__post_init__(**given)
    plain = configurations._plain(Needs, {"width": 4, "extra": 3}, "default")
    assert (plain.width, plain.extra) == (4, 3)
    assert configurations._plain(Needs, {}, "default") == "default"
    assert not hasattr(configurations._plain(ours.BesideConfig, {"extra": 3}, None), "extra")
    with pytest.raises(BadValue, match="wdth = 3: Needs has no such key: did you mean width"):
        unnamed.refuse_unknown(plain, {"wdth": 3}, (), "Needs")


def test_what_numbers_alone_do_not_give_is_given_besides(ours: Any, library: Any) -> None:
    """Only where the same configuration comes of it."""
    class Moody(library.PreTrainedConfig):  # type: ignore[misc, name-defined]
        """Never the same twice, and refuses some."""

        model_type = "moody"
        width: int = 4

        def __post_init__(self, **given: Any) -> None:
            if self.width == 5:
                raise ValueError("5 is refused")
            super().__post_init__(**given)
            self.made = object()
    found = configurations._Gathered(numbers={("width",): 4})
    assert configurations._enough(Moody, {"a": 1}, found, Moody(), {}) == {"a": 1}
    found.numbers["width",] = 5
    assert configurations._enough(Moody, {"a": 1}, found, Moody(), {}) == {"a": 1}
    pair = ours.PairConfig()
    assert configurations._beside(pair, {}) == {
        "text_config": {"hidden_size": 48, "eos_token_id": None, "model_type": "decoder"},
        "vision_config": {"backbone": "deep", "model_type": "tower"}}
    assert list(configurations._beside(pair, {"text_config": {}})) == ["vision_config"]


def test_lists_that_a_class_makes_are_left_out(ours: Any) -> None:
    """One that it cannot do without stays, and so does one that is another."""
    kinds = ["narrow", "wide"]
    data = {"num_hidden_layers": 2, "layer_types": kinds, "gate_types": ["a"]}
    assert configurations._without_lists(ours.DecoderConfig, data) == {
        "num_hidden_layers": 2, "gate_types": ["a"]}
    assert data["layer_types"] is kinds
    data = {"num_hidden_layers": 3, "layer_types": kinds, "gate_types": ["a"]}
    assert configurations._without_lists(ours.DecoderConfig, data) == data

    def needs(**given: Any) -> SimpleNamespace:
        return SimpleNamespace(**{"kinds": [], **given, "a": given["needed"]})
    data = {"needed": [1], "kinds": []}
    assert configurations._without_lists(needs, data) == {"needed": [1]}


def test_values_are_put_over_others(ours: Any) -> None:
    """Tables into tables; nothing that was given is changed."""
    low = {"a": {"b": 1, "c": 2}, "d": {"e": 1}, "f": 3}
    assert configurations._merged(low, {"a": {"b": 5}, "d": 4, "f": {"g": 6}}) == {
        "a": {"b": 5, "c": 2}, "d": 4, "f": {"g": 6}}
    assert configurations._with(low, {"a.b": 7, "x.y.z": 8, "f": 9}) == {
        "a": {"b": 7, "c": 2}, "d": {"e": 1}, "f": 9, "x": {"y": {"z": 8}}}
    assert low == {"a": {"b": 1, "c": 2}, "d": {"e": 1}, "f": 3}
    assert configurations._own({"model_type": 1, "auto_map": 2, "dtype": 3, "n": 4}) == {"n": 4}
    ids = {("eos_token_id",): 8, ("text_config", "eos_token_id"): 70, ("other", "a_token_id"): 3,
           ("text_config", "bos_token_id"): 0}
    tree = {"vocab_size": 9, "text_config": {"vocab_size": 70}}
    assert configurations._inside(tree, ids) == {
        "vocab_size": 9, "text_config": {"vocab_size": 70, "eos_token_id": 69}}
    assert configurations._ids(ours.PairConfig(sep_token_id=4, pad_token_id=None)) == {
        ("sep_token_id",): 4, ("text_config", "bos_token_id"): 1}
    high = {("a", i): 65 + i for i in range(5)} | {("low",): 64}
    assert configurations._moved(high) == (
        "where a vocabulary is too small for a.0, a.1, a.2, a.3, its last token was taken: the "
        "target refuses such a number",)


def test_fields_are_read_as_their_class_shows_them() -> None:
    """Stored under another name or worked out; what it has taken away is none of them."""
    class Shows:
        """Works one out."""

        worked_out = 4

        def __init__(self) -> None:
            self.kept, self._private = 3, 5
    assert dict(configurations._stored(Shows(), dict.fromkeys(["kept", "worked_out", "gone"]))) == {
        "kept": 3, "worked_out": 4}


def test_a_configuration_inside_is_known_by_its_type(ours: Any) -> None:
    """Which says of what class it is made again; one that has no type is made by the outer one."""
    found = configurations._Gathered()
    nameless = ours.BesideConfig()
    nameless.model_type = ""
    configurations._gather(ours.PairConfig(other=nameless), (), found, {})
    assert found.kinds == {("text_config", "model_type"): "decoder",
                           ("vision_config", "model_type"): "tower"}
    assert found.numbers["vision_config", "rank"] == 5
