"""Names that code reads though no field has them, and such as nothing reads."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from symparam.errors import BadValue
from symparam.tracing.sources import unnamed
from tests.helpers import together

pytestmark = pytest.mark.usefixtures("library")


def test_names_that_code_reads_in_vain_are_seen(library: Any, ours: Any) -> None:
    """Those of modelling code, whatever it does afterwards; private ones and others' are none."""
    models = sys.modules["transformers.models.ours.modeling_ours"]
    config = ours.DecoderConfig()
    found = unnamed.read_by(models.DecoderForCausalLM, config)
    assert {(type(each), name) for each, name in found} == {
        (ours.DecoderConfig, "head_dim"), (ours.DecoderConfig, "attention_kind")}
    assert all(each is config for each, _ in found)
    assert not hasattr(library.PreTrainedConfig, "__getattr__")
    assert [name for _, name in unnamed.read_by(models.DecoderModel, ours.BesideConfig())] == [
        "vocab_size"]
    assert unnamed.read_by(lambda each: getattr(each, "head_dim", 3), config) == []
    assert library.initialization.drawn == []


def test_what_looks_for_names_is_taken_away_again(library: Any, ours: Any) -> None:
    """A class's own way stays, and errors are as they were."""
    def own(config: Any, name: str) -> Any:
        raise AttributeError(name)
    library.PreTrainedConfig.__getattr__ = own
    with unnamed._missing():
        assert library.PreTrainedConfig.__getattr__ is not own
        with pytest.raises(AttributeError, match=r"^'BesideConfig' object has no attribute 'x'$"):
            _ = ours.BesideConfig().x
    assert library.PreTrainedConfig.__getattr__ is own


def test_configurations_inside_have_paths(ours: Any) -> None:
    """Private ones are none."""
    pair = ours.PairConfig()
    pair._kept = pair.text_config.inner = ours.BesideConfig()
    assert [path for path, _ in unnamed.inside(pair)] == [
        (), ("text_config",), ("text_config", "inner"), ("vision_config",)]


@together(("name", "near"), [
    ("n_embd", None), ("hidden_size", None), ("num_local_experts", None), ("rope_theta", None),
    ("head_dim", None), ("table.any.thing", None), ("listed.thing", None), ("shown", None),
    ("to_dict", ""), ("_privat", ""), ("head_dims", ""), ("n_layr", ": did you mean n_layer?"),
    ("L", ": did you mean n_layer?"), ("n_layer.x", " configuration n_layer"),
    ("text.y", " configuration text"), ("inner.hiden_size", ": did you mean inner.hidden_size?"),
    ("inne.hidden_size", " configuration inne: did you mean inner?"), ("inner.hidden_size", None)])
def test_a_setting_is_one_of_what_a_configuration_has(name: str, near: str | None,
                                                      ours: Any) -> None:
    """Fields, names that they are known by, what is shown, entries of tables, and what code
    reads; no method."""
    config = ours.RenamedConfig(inner=ours.BesideConfig(), table={}, listed=(), _private=3)
    if near is None:
        unnamed.refuse_unknown(config, {name: 3}, {"head_dim"}, "T")
        return
    with pytest.raises(BadValue) as caught:
        unnamed.refuse_unknown(config, {"n_embd": 4, name: 3}, {"head_dim"}, "T")
    said = f"{name} = 3: T has no such key{near}"
    if near.startswith(" "):
        said = f"{name} = 3: T has no{near}"
    assert str(caught.value) == said


def test_numbers_of_a_file_that_nothing_reads_are_listed() -> None:
    """Eight of them; none that names a token, is known by another name or is a switch."""
    names = [f"n_{letter}" for letter in "abcdefghi"]
    data = dict.fromkeys(names, 3) | {"b_id": 3, "num_labels": 3, "use": True, "own": 3, "read": 3}
    config = SimpleNamespace(own=4)
    assert unnamed.unread(config, data, [(None, "read")]) == (
        f"nothing reads these keys of the file: {', '.join(names[:8])}",)
    assert unnamed.unread(config, {"own": 3}, []) == ()


BASE = {("hidden_size",): 96, ("num_attention_heads",): 6, ("num_key_value_heads",): 3,
        ("layers",): 2, ("ratio",): 2.0}


def of_heads(width: Any, refused: Callable[[int, int], bool] = lambda d, heads: False) -> Any:
    """Tensors that follow a width of heads, by a rule where it is not given."""
    def made(values: Mapping[tuple[str, ...], Any]) -> Any:
        d, heads = values["hidden_size",], values["num_attention_heads",]
        if refused(d, heads):
            raise ValueError("of no such shape")
        return {"q": (heads * values.get(("head_dim",), width(values)), d)}
    return made


def found_hidden(made: Any, ours: Any, read: tuple[str, ...] = ("head_dim",),
                 given: Mapping[str, Any] | None = None,
                 base: Mapping[Any, Any] = BASE) -> tuple[Any, Any]:
    """The keys that no field has, and their rules."""
    config = ours.BesideConfig()
    return unnamed.hidden(config, [(config, name) for name in read], base, given or {}, made)


def test_a_name_that_no_field_has_is_a_key_where_tensors_follow_it(ours: Any) -> None:
    """With the quotient that changes nothing, here and elsewhere, heads and widths first."""
    by_heads = of_heads(lambda v: v["hidden_size",] // v["num_attention_heads",])
    head, rule = ("head_dim",), (("hidden_size",), ("num_attention_heads",))
    assert found_hidden(by_heads, ours) == ({head: 16}, {head: rule})
    by_kv = of_heads(lambda v: v["hidden_size",] // v["num_key_value_heads",])
    assert found_hidden(by_kv, ours) == (
        {head: 32}, {head: (("hidden_size",), ("num_key_value_heads",))})
    assert found_hidden(of_heads(lambda v: 7), ours) == ({}, {})
    assert found_hidden(of_heads(lambda v: 16), ours) == ({}, {})
    assert found_hidden(by_heads, ours, given={"head_dim": 20}) == ({head: 20}, {})
    assert found_hidden(by_heads, ours, given={"head_dim": "20"}) == ({}, {})
    assert found_hidden(by_heads, ours, base={**BASE, head: 16}) == ({}, {})
    assert found_hidden(lambda v: {"q": (v["hidden_size",],)}, ours) == ({}, {})


def test_a_name_is_looked_at_where_shapes_may_follow_it(ours: Any) -> None:
    """Four names at most, in order, in each configuration of the class that was read."""
    def made(values: Mapping[tuple[str, ...], Any]) -> Any:
        return {str(path): (value,) for path, value in values.items()}
    names = ("e_dim", "d_dim", "c_dim", "b_dim", "a_dim", "theta", "a_dim")
    given = dict.fromkeys(names, 3)
    assert found_hidden(made, ours, names, given) == (
        {(f"{letter}_dim",): 3 for letter in "abcd"}, {})
    pair = ours.PairConfig(other=ours.DecoderConfig())
    read = [(ours.DecoderConfig(), "rank")]
    assert unnamed.hidden(pair, read, {}, {"text_config": {"rank": 3}, "other": 4}, made) == (
        {("text_config", "rank"): 3}, {})
    assert unnamed.hidden(pair, [], {}, {}, lambda _: pytest.fail("nothing is to be built")) == (
        {}, {})


def test_a_width_follows_a_name_where_one_of_two_numbers_is_another() -> None:
    """Where both are refused, or change nothing, it is no key."""
    path, tried = ("head_dim",), list[int]()

    def made(values: Mapping[tuple[str, ...], Any]) -> Any:
        number = values[path]
        tried.append(number)
        if number < 30:
            raise ValueError("refused")
        return {"q": (number,)}
    assert unnamed._moves(path, BASE, {"q": (24,)}, made)  # type: ignore[dict-item]
    assert tried == [24, 40]
    assert not unnamed._moves(path, BASE, {"q": (40,)}, made)  # type: ignore[dict-item]


def test_quotients_are_of_whole_numbers_beside_a_name() -> None:
    """Those that are whole and above 1, over heads first, then of widths; ten at most."""
    base = {("t", "layers"): 2, ("t", "hidden_size"): 48, ("t", "num_key_value_heads"): 4,
            ("t", "num_heads"): 8, ("t", "one"): 1, ("t", "none"): 0, ("t", "fraction"): 24.0,
            ("t", "odd"): 7, ("vision", "hidden_size"): 96, ("t", "flag"): True}
    found = [(top[-1], bottom[-1]) for top, bottom in unnamed._quotients(("t", "x"), base)]
    assert found == [
        ("hidden_size", "num_heads"), ("hidden_size", "num_key_value_heads"),
        ("num_heads", "num_key_value_heads"), ("hidden_size", "layers"),
        ("num_key_value_heads", "layers"), ("num_heads", "layers")]
    base = {("total",): 96, ("embed_dim",): 48, ("num_heads",): 8}
    assert [(top[-1], bottom[-1]) for top, bottom in unnamed._quotients(("x",), base)] == [
        ("embed_dim", "num_heads"), ("total", "num_heads"), ("total", "embed_dim")]
    assert len(unnamed._quotients(("x",), {(f"n{i}",): 2 ** i for i in range(1, 9)})) == 10


def test_a_rule_holds_where_nothing_changes_here_and_elsewhere() -> None:
    """It has to be built here; where it is refused elsewhere, that says nothing."""
    path, rule = ("head_dim",), (("hidden_size",), ("num_attention_heads",))

    def by(rule_of: Any, refused: Callable[[int, int], bool] = lambda d, heads: False) -> bool:
        return unnamed._holds(path, rule, BASE, of_heads(rule_of, refused))

    def quotient(values: Mapping[tuple[str, ...], Any]) -> int:
        return int(values["hidden_size",] // values["num_attention_heads",])
    assert by(quotient)
    assert not by(quotient, lambda d, heads: d < 97)
    assert not by(lambda v: 16)
    assert not by(lambda v: v["hidden_size",] // 6)
    assert not by(lambda v: 96 // v["num_attention_heads",], lambda d, heads: heads < 6)
    for refused in (lambda d, heads: False, lambda d, heads: d > 96):
        assert not by(lambda v: v["hidden_size",] // max(v["num_attention_heads",], 6), refused)

    def narrow(values: Mapping[tuple[str, ...], Any]) -> Any:
        if values["hidden_size",] > 96 and path not in values:
            raise ValueError("too wide")
        return of_heads(quotient)(values)
    assert unnamed._holds(path, rule, BASE, narrow)
