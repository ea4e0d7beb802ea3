"""Targets by name: files, packages, libraries, configurations of one's own; without torch."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

from symparam.errors import BadValue
from symparam.tracing import TraceError, trace
from symparam.tracing.searching.tables import Tensor, read_table
from symparam.tracing.sources.as_given import renamed
from symparam.tracing.sources.target import leaves, nested
from symparam.tracing.sources.targets import find_target
from symparam.tracing.sources.unnamed import unread
from tests.helpers import together

SOURCE = '''
from dataclasses import dataclass

@dataclass
class Config:
    width: int = 96
    layers: int = 4
    names: tuple = ("a", "b")
    sizes: tuple = (24, 48)

def of_config(config):
    return {**{f"h.{i}.w": (3 * config.width, config.width) for i in range(config.layers)},
            **{f"s.{i}": (size, config.width) for i, size in enumerate(config.sizes)}}

def plain(width, layers=3, gated=True):
    return {f"h.{i}.w": ((2 if gated else 1) * width, width) for i in range(layers)}

VALUE = 3
'''


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A file of somebody's own."""
    path = tmp_path / "own_module.py"
    path.write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield str(path)
    sys.modules.pop("own_module", None)


def shapes(text: str, **settings: Any) -> dict[str, list[str]]:
    """Each row's shape, as text."""
    return {row.pattern: [str(axis) for axis in row.shape]
            for row in trace(find_target(text, settings)).rows}


def test_a_function_of_a_file_takes_its_arguments(file: str) -> None:
    assert shapes(f"{file}:plain", width=64) == {"h.*.w": ["2*d_model", "d_model"]}
    assert shapes(f"{file}:plain", width=64, gated=False) == {"h.*.w": ["d_model", "d_model"]}


def test_a_dataclass_that_is_taken_gives_the_keys(file: str) -> None:
    found = trace(find_target(f"{file}:of_config", {"layers": 6}))
    assert {key.path: (key.base, key.kind) for key in found.keys} == {
        ("width",): (96, "size"), ("layers",): (6, "structure"), ("sizes", 0): (24, "size"),
        ("sizes", 1): (48, "size"), ("names",): ("('a', 'b')", "switch")}
    assert {row.pattern: [str(axis) for axis in row.shape] for row in found.rows} == {
        "h.*.w": ["3*d_model", "d_model"], "s.0": ["sizes_0", "d_model"],
        "s.1": ["sizes_1", "d_model"]}


@pytest.mark.parametrize(("member", "settings", "said"), [
    ("plain", {}, "needs a value: width=..."), ("plain", {"width": 8, "depth": 2}, "no such arg"),
    ("of_config", {"heads": 2}, "Config has no such field"), ("plane", {}, "did you mean plain?"),
    ("VALUE", {}, "is no class and no function")])
def test_what_a_file_does_not_take_is_refused(file: str, member: str, settings: dict[str, Any],
                                              said: str) -> None:
    with pytest.raises((BadValue, TraceError)) as caught:
        find_target(f"{file}:{member}", settings)
    assert said in str(caught.value)


@together(("text", "said"), [
    ("model", "write file.py:Model"), ("none.py:Model", "is no file"),
    ("no_such_package:Model", "cannot be imported"), ("none.json", "cannot be read"),
    ("json:loads2", "did you mean")])
def test_a_name_of_nothing_is_refused(text: str, said: str) -> None:
    with pytest.raises((BadValue, TraceError)) as caught:
        find_target(text, {})
    assert said in str(caught.value)


class Made:
    """A model class of a library."""

    def __new__(cls, dim: int = 96, depth: int = 2) -> Any:
        return {f"blocks.{i}.w": (4 * dim, dim) for i in range(depth)}

    def __init__(self, dim: int = 96, depth: int = 2) -> None:
        raise AssertionError("never called: something else is made")


def test_a_class_of_diffusers_is_named_by_its_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    library = ModuleType("diffusers")
    vars(library)["MadeModel"] = Made
    monkeypatch.setitem(sys.modules, "diffusers", library)
    assert shapes("diffusers:MadeModel") == {"blocks.*.w": ["4*d_model", "d_model"]}
    with pytest.raises(BadValue, match="did you mean MadeModel"):
        find_target("diffusers:MadModel", {})


def test_a_model_of_timm_is_its_class_with_the_arguments_of_its_name(
        monkeypatch: pytest.MonkeyPatch) -> None:
    models = ModuleType("timm_models")

    def build_model_with_cfg(*_args: Any, **_named: Any) -> Any:
        raise AssertionError("nothing is built by timm itself")

    def made_small(pretrained: bool = False, **_named: Any) -> Any:
        build = vars(models)["build_model_with_cfg"]
        return build(Made, "made_small", pretrained, dim=48, depth=5, unknown=True)
    made_small.__module__ = "timm_models"
    vars(models).update(build_model_with_cfg=build_model_with_cfg, made_small=made_small)
    library = SimpleNamespace(is_model=lambda name: name == "made_small",
                              list_models=lambda: ["made_small"],
                              model_entrypoint=lambda name: made_small)
    monkeypatch.setitem(sys.modules, "timm", library)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "timm_models", models)
    found = trace(find_target("timm:made_small", {}))
    assert {key.path[0]: key.base for key in found.keys} == {"dim": 48, "depth": 5}
    assert vars(models)["build_model_with_cfg"] is build_model_with_cfg
    with pytest.raises(BadValue, match="did you mean made_small"):
        find_target("timm:made_smal", {})


def test_values_go_into_tables_and_lists_and_come_out() -> None:
    values = {("text", "d"): 8, ("depths", 0): 2, ("depths", 1): 6}
    assert nested(values) == {"text": {"d": 8}, "depths": [2, 6]}
    assert leaves(("depths",), [2, 6])[0] == {("depths", 0): 2, ("depths", 1): 6}
    assert leaves(("kinds",), ["a", "b"]) == ({}, {("kinds",): ["a", "b"]})


class Owner:
    """A module as torch has them: parameters, buffers, and modules inside."""

    def __init__(self, parameters: dict[str, Any] | None = None,
                 buffers: dict[str, Any] | None = None, passing: set[str] | None = None,
                 inside: dict[str, Owner] | None = None) -> None:
        self._parameters, self._buffers = parameters or {}, buffers or {}
        self._non_persistent_buffers_set, self.inside = passing or set(), inside or {}

    def named_modules(self, *, remove_duplicate: bool) -> list[tuple[str, Owner]]:
        """Itself, and what is in it."""
        assert not remove_duplicate
        return [("", self), *self.inside.items()]

    def get_input_embeddings(self) -> Owner:
        """As models of transformers have it."""
        return self.inside["wte"]

    def get_output_embeddings(self) -> Owner:
        """As those with a head have it."""
        return self.inside["head"]


class Lookup(Owner):
    """What is looked up in: torch.nn.Embedding."""


def value(*shape: int, trained: bool = True) -> SimpleNamespace:
    """A parameter."""
    return SimpleNamespace(shape=shape, requires_grad=trained)


def test_a_module_is_a_table_of_its_tensors_with_what_each_is_for(
        monkeypatch: pytest.MonkeyPatch) -> None:
    """Frozen and shared ones, buffers that are saved, the table of tokens, the head and others."""
    nn = SimpleNamespace(Embedding=Lookup, EmbeddingBag=Lookup)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(nn=nn))  # type: ignore[arg-type]
    shared = value(50, 8)
    whole = Owner({"scale": value(), "none": None}, inside={
        "wte": Lookup({"weight": shared}), "wpe": Lookup({"weight": value(9, 8, trained=False)}),
        "norm": Owner({"gain": value(8)}, {"mean": value(8), "seen": value(3), "no": None},
                      {"seen"}), "head": Owner({"weight": shared, "bias": value(50)})})
    assert read_table(whole) == {
        "scale": Tensor((), module="Owner"),
        "wte.weight": Tensor((50, 8), module="Lookup", role="token"),
        "wpe.weight": Tensor((9, 8), "frozen", module="Lookup", role="table"),
        "norm.gain": Tensor((8,), module="Owner"),
        "norm.mean": Tensor((8,), "buffer", module="Owner"),
        "head.weight": Tensor((50, 8), tied_to="wte.weight", module="Owner", role="head"),
        "head.bias": Tensor((50,), module="Owner", role="head")}


def test_what_is_no_module_and_no_table_is_refused() -> None:
    with pytest.raises(BadValue, match=r"builds no torch\.nn\.Module"):
        read_table(3)


@dataclasses.dataclass
class Stored:
    """A configuration that is asked for a width and for heads under names that are no fields, and
    for a third number under two that are."""

    attribute_map: ClassVar = {"hidden_size": "n_embd", "n_head": "heads", "both": "n_both"}
    n_embd: int = 8
    n_head: int = 2
    both: int = 3
    n_both: int = 4


def test_a_setting_goes_to_the_field_that_it_is_stored_in() -> None:
    assert renamed(Stored, {"hidden_size": 16, "heads": 4, "both": 5, "n_both": 6, "other": 7}) == {
        "n_embd": 16, "n_head": 4, "both": 5, "n_both": 6, "other": 7}
    assert renamed(Stored, {"hidden_size": 16, "n_embd": 32}) == {"n_embd": 16}


def test_a_number_that_nothing_reads_is_said() -> None:
    config = SimpleNamespace(hidden_size=64)
    data = {"hidden_size": 64, "n_widgets": 3, "n_read": 4, "ratio": 0.5, "use": True, "eos_id": 2}
    assert unread(config, data, [(None, "n_read")]) == (
        "nothing reads these keys of the file: n_widgets",)
    assert unread(config, {"ratio": 0.5, "hidden_size": 1}, []) == ()
