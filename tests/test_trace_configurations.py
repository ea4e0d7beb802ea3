"""Configurations of transformers: what a class takes, what it shows, and what it works out."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import pytest

from symparam.traced.model import model_of
from symparam.traced.records import Trace
from symparam.tracing import Target, trace
from symparam.tracing.sources import configurations
from symparam.tracing.sources.as_given import numbers_taken
from tests.traces import allowed, fault, free, tensors, told

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")


def _class(fields: dict[str, Any], works_out: Any, names: Mapping[str, str]) -> Any:
    """A class of configurations, as transformers makes its own."""
    def after(self: Any, **named: Any) -> None:
        works_out(self)
        transformers.PreTrainedConfig.__post_init__(self, **named)
    return type("Made", (transformers.PreTrainedConfig,), {
        "model_type": "made", "attribute_map": dict(names), "__post_init__": after,
        "__annotations__": dict.fromkeys(fields, "int | None"), **fields})


class Attention(torch.nn.Module):  # type: ignore[misc, name-defined]
    """Reads the names that are tested here."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.q = torch.nn.Linear(config.hidden_size, config.linear_heads * config.linear_dim)
        self.k = torch.nn.Linear(config.hidden_size, config.num_key_value_heads * config.head_dim)
        self.e = torch.nn.Parameter(torch.empty(config.num_local_experts, config.hidden_size))

    def tie_weights(self) -> None:
        """As models of transformers have it."""


def _works_out(config: Any) -> None:
    config.linear_heads, config.linear_dim = config.num_attention_heads, config.head_dim
    if config.num_key_value_heads is None:
        config.num_key_value_heads = config.num_attention_heads
    config.head_dim = config.rope_dim


FIELDS: dict[str, int | None] = {
    "hidden_size": 96, "num_attention_heads": 6, "num_key_value_heads": 6,
    "rope_dim": 14, "head_dim": 40, "num_local_experts": 10}


def target(monkeypatch: pytest.MonkeyPatch, data: dict[str, Any], works_out: Any = _works_out,
           built: Any = Attention) -> Target:
    """What a file with these keys describes."""
    made = _class(FIELDS, works_out, {"num_local_experts": "num_experts"})
    monkeypatch.setattr(configurations, "class_of", lambda *_: built)
    return configurations._target("made", made, data, {}, "made")


def right(found: Trace, built: Target, moved: Mapping[str, int]) -> str:
    """What rows and the module disagree on where keys are moved and the rest follows or stays."""
    dims = {key.name: key.base for key in found.keys if type(key.base) is int} | moved
    for equation in found.equations:
        if equation.dim not in moved:
            dims[equation.dim] = equation.value(dims)  # type: ignore[arg-type]
    assert allowed(found, dims)  # type: ignore[arg-type]
    values = {key.path: dims[key.name] for key in found.keys if key.name in dims}
    with torch.device("meta"):
        return fault(found, dims, tensors(built.build(values)))  # type: ignore[arg-type]


def test_what_a_class_takes_is_where_a_trace_begins_not_what_it_shows(
        monkeypatch: pytest.MonkeyPatch) -> None:
    built = target(monkeypatch, {})
    assert built.base["head_dim",] == 40
    found = trace(built)
    shapes = {row.pattern: [str(axis) for axis in row.shape] for row in found.rows}
    assert shapes["q.weight"] == ["n_heads*d_head", "d_model"]
    assert shapes["k.weight"] == ["n_kv*rope_dim", "d_model"]
    assert [a.kind for a in told(found)] == ["switch"]


@pytest.mark.parametrize("data", [
    {"linear_heads": 5}, {"num_experts": 7}, {"num_key_value_heads": None},
    {"linear_heads": 5, "num_experts": 7, "num_key_value_heads": None, "head_dim": 31}],
    ids=lambda data: " ".join(data))
def test_every_number_of_a_file_is_a_key_or_follows_others(
        monkeypatch: pytest.MonkeyPatch, data: dict[str, Any]) -> None:
    built = target(monkeypatch, data)
    found = trace(built)
    movable = {key.name for key in free(found, structure=False)}
    if "linear_heads" in data:
        assert "linear_heads" in movable
    if "num_experts" in data:
        assert {"n_experts"} <= movable
    if "num_key_value_heads" in data:
        assert [str(e) for e in found.equations] == ["n_kv = n_heads"]
        assert model_of(found).values.get("n_kv") is None
    for name in movable:
        for new in (3, 8):
            assert right(found, built, {name: new}) == ""
    assert not any(axis == str(number) for row in found.rows for axis in map(str, row.shape)
                   for number in (5, 6, 7, 10, 31, 40))


def test_what_follows_others_by_no_rule_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def works_out(config: Any) -> None:
        config.linear_heads, config.linear_dim = config.num_attention_heads, config.head_dim
        if config.num_key_value_heads is None:
            heads = operator.index(config.num_attention_heads)
            config.num_key_value_heads = 1 + heads * 7919 % 97
    found = trace(target(monkeypatch, {"num_key_value_heads": None}, works_out))
    assert [a.keys for a in found.assumptions if a.kind == "stays"] == [("n_kv",)]


def test_what_a_class_works_out_is_its_own_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    def works_out(config: Any) -> None:
        config.linear_heads, config.linear_dim = config.num_attention_heads, config.head_dim
        if config.num_key_value_heads is None:
            config.num_key_value_heads = 1 + config.num_attention_heads * 7919 % 97
    found = trace(target(monkeypatch, {"num_key_value_heads": None}, works_out))
    rule = next(each for each in found.equations if each.dim == "n_kv")
    assert [rule.value({"n_heads": n}) for n in range(1, 90)] == [
        1 + n * 7919 % 97 for n in range(1, 90)]


def test_a_class_that_no_numbers_build_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def works_out(config: Any) -> None:
        given, config.head_dim = config.head_dim, config.head_dim or 40
        _works_out(config)
        config.linear_dim = given or 64
        config.head_dim = 40
    monkeypatch.setitem(FIELDS, "head_dim", None)
    found = trace(target(monkeypatch, {}, works_out))
    assert "disagrees" in {a.kind for a in found.assumptions}
    assert "disagrees" not in {a.kind for a in trace(target(
        monkeypatch, {"head_dim": 40}, works_out)).assumptions}


def test_what_layers_have_one_each_of_is_read_as_it_is_held() -> None:
    config = transformers.AutoConfig.for_model("llama", num_hidden_layers=3, head_dim=64,
                                               per_layer_config={1: {"head_dim": 32}})
    with pytest.raises(RuntimeError, match="head_dim"):
        _ = config.head_dim
    assert numbers_taken(config, {"num_hidden_layers": 3, "head_dim": 64}) == {}
    assert ("head_dim",) in numbers_taken(config, {"head_dim": 48})


def test_lists_that_a_class_inside_makes_by_itself_fix_no_number_of_layers() -> None:
    config = transformers.LlavaOnevisionConfig()
    assert "layer_types" in config.text_config.to_diff_dict()
    inside = configurations._beside(config, {})["text_config"]
    assert "layer_types" not in inside
    assert inside.keys() == config.text_config.to_diff_dict().keys() - {
        "layer_types", "transformers_version"}


def test_a_name_that_a_field_is_known_by_is_the_field() -> None:
    data = {"model_type": "gpt2", "hidden_size": 48, "num_hidden_layers": 3, "vocab_size": 300,
            "num_attention_heads": 4, "n_positions": 20}
    found = trace(configurations.from_config(data, {}, "gpt2"), points=5)
    keys = {key.name: (key.base, key.kind) for key in found.keys}
    assert (keys["d_model"], keys["L"]) == ((48, "size"), (3, "structure"))
    assert keys["n_heads"][0] == 4
    assert {a.kind for a in told(found)} <= {"switch"}


def test_how_many_numbers_arange_makes_is_put_down() -> None:
    class Angles(torch.nn.Module):  # type: ignore[misc, name-defined]
        """Buffers of every second and every third."""

        def __init__(self, d_model: int = 96, head: int = 16) -> None:
            super().__init__()
            self.register_buffer("halfs", torch.arange(0, head, 2))
            self.register_buffer("thirds", torch.arange(1, end=head, step=3))
            self.register_buffer("fixeds", torch.arange(5.))
            self.proj = torch.nn.Linear(d_model, head, bias=False)
    arange = torch.arange
    found = trace(Angles)
    assert torch.arange is arange
    assert {row.pattern: [*map(str, row.shape)] for row in found.rows} == {
        "halfs": ["up(head/2)"], "thirds": ["up((head - 1)/3)"], "fixeds": ["5"],
        "proj.weight": ["head", "d_model"]}
    assert told(found) == []
