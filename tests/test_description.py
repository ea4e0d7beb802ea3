"""Architectures of one's own: what a description means, and how a wrong one is refused."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symparam.api import Model as View
from symparam.descriptions.architecture.architecture_file import describe_model
from symparam.descriptions.catalogue import names
from symparam.descriptions.load import load
from symparam.descriptions.reading.source import MAX_BYTES, read_file
from symparam.errors import SpecError, SymparamError
from symparam.grammar import parse_rule
from symparam.model import Model
from symparam.quantities import find
from symparam.quantities.quantity import Subject
from symparam.quantities.setting import Setting
from symparam.resolve import numbers, resolve, with_overrides
from tests.helpers import ledger, message, rows, together
from tests.oracle import decoder as oracle
from tests.strategies import quick

SAMPLE = '''
name = "ours-1b"
notation = "paper"

[dims]
V = 50304
L = 24
d_model = 2048
n_heads = 16
n_kv = 4
d_ff = "8/3*d_model, up to 256"

[model]
tied = true
positions = "rope"
final_norm = "rmsnorm"

[[blocks]]
layers = "L"
attention = { kind = "gqa", bias = ["qkv"], qk_norm = true }
ffn = { kind = "swiglu" }
norm = { kind = "rmsnorm", per_block = 2 }
'''
DIMS = {"V": 11, "L": 6, "d_model": 64, "n_heads": 4, "n_kv": 4, "d_ff": 96, "d_head": 16}


def block(**changes: Any) -> dict[str, Any]:
    """A kind of block; None takes a key away."""
    table = {"layers": "L", "attention": "mha", "ffn": "swiglu", "norm": "rmsnorm", **changes}
    return {k: v for k, v in table.items() if v is not None}


def description(**changes: Any) -> dict[str, Any]:
    """A description of one kind of block."""
    table = {"dims": dict(DIMS), "model": {}, "blocks": [block()], **changes}
    return {k: v for k, v in table.items() if v is not None}


def made(**changes: Any) -> Model:
    """The model of such a description."""
    return describe_model("here.toml", description(**changes), "here")


def two(first: Any, second: Any, **dims: Any) -> Model:
    """Two kinds of block that differ in their FFN."""
    return made(dims={**DIMS, **dims}, blocks=[
        block(name="a", layers=first), block(name="b", layers=second, ffn="mlp")])


def refusal(call: Callable[[], Any], error: type[SymparamError] = SpecError) -> Any:
    """The error of a call, its text one line."""
    with pytest.raises(error) as caught:
        call()
    message(caught.value)
    return caught.value


def test_the_sample_of_the_semantics() -> None:
    model = describe_model("sample.toml", tomllib.loads(SAMPLE), "sample")
    assert model.name == "ours-1b"
    dims = numbers(model).values
    assert dims["d_ff"] == 5632
    assert dims["d_head"] == 128
    arch = {"attention": "gqa", "ffn": "swiglu", "bias": ("qkv",), "qk_norm": True, "tied": True}
    assert rows(model) == oracle.tensors(arch, dims)
    assert ledger(model).total() == oracle.total(arch, dims)


@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_toml_and_json_say_the_same(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"ours{suffix}"
    path.write_text(SAMPLE if suffix == ".toml" else json.dumps(tomllib.loads(SAMPLE)))
    assert rows(load(str(path))) == rows(describe_model("", tomllib.loads(SAMPLE), ""))


def test_a_rule_follows_an_override() -> None:
    model = describe_model("sample.toml", tomllib.loads(SAMPLE), "sample")
    assert numbers(with_overrides(model, {"d_model": 4096})).values["d_ff"] == 11008
    assert numbers(with_overrides(model, {"d_ff": 999})).values["d_ff"] == 999


@together(("first", "second", "a"), [
    (2, 4, 2), ([0, 5], "rest", 2), ("rest", [1, 2, 3], 3), ({"every": 2}, "rest", 3),
    ({"every": 4, "from": 3}, "rest", 1), ({"every": 2, "from": 1, "to": 4}, "rest", 2),
    ({"to": 5}, "rest", 5), ([0, 1, 2], [3, 4, 5], 3), ([0, 1], 4, 2), ([4], "L - 1", 1),
    ("L - 2", 2, 4), ("L/2", "L/2", 3), ("L - L_b", 1, 5), (2, "L - L_a", 2), (2, "L - 2", 2),
    (2, "rest", 2), ("rest", 2, 4)])
def test_layers_of_two_kinds(first: Any, second: Any, a: int) -> None:
    model = two(first, second)
    found = numbers(model).values
    assert (found["L_a"], found["L_b"], found["L"]) == (a, 6 - a, 6)
    blocks = [{"layers": a, "ffn": "swiglu"}, {"layers": 6 - a, "ffn": "mlp"}]
    assert rows(model) == oracle.tensors({"blocks": blocks}, found)


def test_the_number_of_layers_follows_from_the_kinds() -> None:
    table = description(blocks=[block(name="a", layers=2), block(name="b", layers=5, ffn="mlp")])
    del table["dims"]["L"]
    assert resolve(describe_model("here", table, "here"), ["L"]).values["L"] == 7


def test_a_pattern_takes_its_layers() -> None:
    model = two({"every": 2, "from": 1}, "rest")
    found = numbers(model).values
    assert (found["L_a"], found["L_b"]) == (3, 3)
    assert numbers(two({"every": 3}, "rest")).values["L_b"] == 4


SLIDING = """
[dims]
V = 1000
L = 36
d_model = 64
n_heads = 4
[[blocks]]
attention = { kind = "mha", window = WINDOW }
ffn = "mlp"
norm = "rmsnorm"
"""
TWO = SLIDING.replace("[[blocks]]", """
[[blocks]]
name = "full"
layers = { every = 6, from = 5 }
attention = "mha"
ffn = "mlp"
norm = "rmsnorm"
[[blocks]]
name = "sliding"
layers = "rest"
""")


def from_text(text: str) -> Model:
    return describe_model("here.toml", tomllib.loads(text), "here")


@pytest.mark.parametrize("depth", [36, 72, 70, 7, 41])
def test_a_pattern_is_followed_when_the_depth_changes(depth: int) -> None:
    """As a file that has the depth itself: one kind with a pattern of windows, or two kinds."""
    entry, full, window = 2 * 2 * 64, depth // 6, 16
    for text in (SLIDING.replace("WINDOW", "{ size = 16, except = { every = 6, from = 5 } }"),
                 TWO.replace("WINDOW", "16")):
        changed = with_overrides(from_text(text), {"L": depth})
        written = from_text(text.replace("L = 36", f"L = {depth}"))
        cache = find("kv_cache")
        run = Setting(run={"s": 100})
        found = [sum(share.value for share in cache.shares(Subject.of(model, run)))
                 for model in (changed, written)]
        assert found == [entry * (full * 100 + (depth - full) * window)] * 2
        assert rows(changed) == rows(written)
    two_kinds = numbers(with_overrides(from_text(TWO.replace("WINDOW", "16")), {"L": depth})).values
    assert (two_kinds["L_full"], two_kinds["L_sliding"]) == (full, depth - full)


@together(("depth", "windowed"), [(10, 0), (11, 0), (12, 1), (23, 1), (24, 2)])
def test_a_pattern_may_give_a_window_to_none_of_the_layers(depth: int, windowed: int) -> None:
    model = View.wrap(describe_model("x", {
        "dims": {"V": 100, "L": 12, "d_model": 64, "n_heads": 4, "d_ff": 128},
        "blocks": [{"attention": {"kind": "mha", "window": {
            "size": 16, "layers": {"every": 12, "from": 11}}}, "ffn": {"kind": "swiglu"},
            "norm": {"kind": "rmsnorm"}}]}, "x"))
    kept = (depth - windowed) * 100 + windowed * 16
    assert model.quantity("kv_cache", L=depth, s=100) == kept * 2 * 64 * 2


def test_a_pattern_of_windows_is_known_as_far_as_it_is_stated() -> None:
    model = from_text(SLIDING.replace(
        "WINDOW", "{ size = 16, layers = { every = 6, from = 5, to = 40 } }"))
    numbers(with_overrides(model, {"L": 40}))
    with pytest.raises(SymparamError, match="stated up to layer 40"):
        numbers(with_overrides(model, {"L": 41}))


def test_a_window_may_stand_beside_its_attention() -> None:
    for window in ("8", "{ size = 8, except = { every = 6, from = 5 } }"):
        inside = SLIDING.replace("WINDOW", window)
        beside = inside.replace(f'{{ kind = "mha", window = {window} }}',
                                f'"mha"\nwindow = {window}')
        assert from_text(beside) == from_text(inside) != from_text(
            beside.replace(f"window = {window}", ""))


@pytest.mark.parametrize(("attention", "problem"), [
    ('"none"', "there is none"), ('{ kind = "none" }', "there is none"),
    ('{ kind = "mha", window = 8 }', "already")])
def test_a_window_beside_is_of_one_attention(attention: str, problem: str) -> None:
    text = SLIDING.replace('{ kind = "mha", window = WINDOW }', f"{attention}\nwindow = 8")
    with pytest.raises(SpecError, match=problem):
        from_text(text)


@together(("window", "problem"), [
    ("0", "at least 1"), ("true", "a number of tokens"), ("{ layers = [1] }", "size"),
    ("{ size = 8, layers = [1], except = [2] }", "which have not"),
    ("{ size = 8, layers = { every = 0 } }", "every >= 1"), ("{ size = 8, sides = 2 }", "sides"),
    ("{ size = 8, except = { every = 1 } }", "no layer of this kind has a window"),
    ("{ size = 8, layers = [40] }", "from 0 to 35")])
def test_a_window_that_cannot_be_is_refused(window: str, problem: str) -> None:
    with pytest.raises(SpecError) as caught:
        from_text(SLIDING.replace("WINDOW", window))
    assert problem in str(caught.value)
    assert "attention" in str(caught.value)


def test_layers_that_would_overlap_further_on_are_refused_there() -> None:
    text = TWO.replace('"rest"', "{ every = 6, from = 4 }").replace("WINDOW", "16")
    with pytest.raises(SpecError, match="layer 0 is of no kind"):
        from_text(text)
    model = two([0, 1], {"every": 1, "from": 2})
    assert numbers(with_overrides(model, {"L": 9})).values["L_b"] == 7
    with pytest.raises(SymparamError, match="L_b = -1: must be at least 0"):
        numbers(with_overrides(model, {"L": 1}))


MIXED = """
[dims]
V = 1000
L = 4
d_model = 64
n_experts = 4
top_k = 2
d_expert = 32
[[blocks]]
attention = "none"
ffn = "moe"
norm = "rmsnorm"
"""


def test_a_dim_of_an_option_turns_it_on_and_one_that_nothing_uses_is_refused() -> None:
    """n_shared is of shared experts: they are counted; against shared = false it is an error."""
    base, shared = from_text(MIXED), from_text(MIXED.replace("top_k", "n_shared = 1\ntop_k"))
    assert ledger(shared).total() - ledger(base).total() == 4 * 3 * 64 * 32
    with pytest.raises(SpecError, match="shared: is false"):
        from_text(MIXED.replace("top_k", "n_shared = 1\ntop_k").replace(
            '"moe"', '{ kind = "moe", shared = false }'))
    with pytest.raises(SpecError, match=r"dims\.d_ff"):
        from_text(MIXED.replace("top_k", "d_ff = 12\ntop_k"))


def test_a_block_may_have_a_mixer_in_place_of_attention() -> None:
    model = from_text("""
[dims]
V = 100
L = 6
d_model = 32
n_heads = 4
d_state = 8
k_conv = 4
[[blocks]]
name = "mamba"
layers = "rest"
mixer = "mamba"
norm = { kind = "rmsnorm", per_block = 1 }
[[blocks]]
name = "attention"
layers = { every = 3, from = 2 }
attention = "mha"
ffn = "mlp"
norm = "rmsnorm"
""")
    found = ledger(model)
    assert {m.part for m in found} >= {"mixer", "attention"}
    assert numbers(with_overrides(model, {"L": 9})).values["L_attention"] == 3


@pytest.mark.parametrize("length", [1000, 1001])
def test_a_name_is_as_long_as_names_are(length: int, tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps({
        "name": "a" * length, "dims": {"V": 9, "L": 1, "d_model": 8, "d_ff": 8, "n_heads": 1},
        "blocks": [{"attention": {"kind": "mha"}, "ffn": {"kind": "mlp"},
                    "norm": {"kind": "rmsnorm"}}]}))
    if length == 1000:
        assert load(str(path)).name == "a" * 1000
        return
    with pytest.raises(SymparamError) as caught:
        load(str(path))
    assert message(caught.value).endswith("name: longer than 1,000 characters")


@pytest.mark.thinned(3)
def test_a_stated_rule_has_a_reason() -> None:
    """The component's where it is its usual rule; never the name of a file."""
    model = load("gpt3-350m")
    reasons = {eq.dim: eq.reason for eq in model.equations}
    assert reasons["d_ff"] == "the usual expansion of a two-matrix FFN"
    for name in names():
        for eq in load(name).equations:
            assert ".json" not in eq.reason
            assert eq.reason


@together("layers", ["L", "rest", 6, "6", [0, 1, 2, 3, 4, 5], {"every": 1}, None])
def test_one_kind_of_block_has_all_layers(layers: Any) -> None:
    assert rows(made(blocks=[block(layers=layers)])) == rows(made())


@together(("first", "second", "path", "words"), [
    ([0], [1], "blocks[1].layers", "layer 2 is of no kind"),
    ([0, 1], [1, 2], "blocks[1].layers", "layer 1 is taken twice"),
    ([0, 0], "rest", "blocks[0].layers", "layer 0 is taken twice"),
    ([0, 6], "rest", "blocks[0].layers", "from 0 to 5"),
    ([-1], "rest", "blocks[0].layers", "from 0 to 5"),
    ([True], "rest", "blocks[0].layers", "found true"),
    ([1.0], "rest", "blocks[0].layers", "found 1.0"),
    (["1"], "rest", "blocks[0].layers", 'found "1"'),
    ([[1]], "rest", "blocks[0].layers", "found a list"),
    ([], "rest", "blocks[0].layers", "no layer is of this kind"),
    ([0, 1, 2, 3, 4, 5], "rest", "blocks[1].layers", "no layer is of this kind"),
    ("rest", "rest", "blocks[1].layers", "no layer is of this kind"),
    ({"every": 0}, "rest", "blocks[0].layers", "every >= 1"),
    ({"from": -1}, "rest", "blocks[0].layers", "from >= 0"),
    ({"every": "2"}, "rest", "blocks[0].layers.every", "a whole number"),
    ({"each": 2}, "rest", "blocks[0].layers.each", "unknown key"),
    (True, 4, "blocks[0].layers", "found true"),
    (1.5, 4, "blocks[0].layers", "found 1.5"),
    (0, 6, "blocks[0].layers", "at least 1"),
    (-2, 6, "blocks[0].layers", "at least 1"),
    ("x", 4, "blocks[0].layers", "unknown symbol 'x'"),
    ("L -", 4, "blocks[0].layers", "cannot read"),
])
def test_layers_that_cannot_be(first: Any, second: Any, path: str, words: str) -> None:
    error = refusal(lambda: two(first, second))
    assert error.path == path
    assert words in error.problem
    assert str(error).startswith(f"here.toml: {path}: ")


@pytest.mark.parametrize(("first", "second"), [(2, 5), ([0, 1], 3), ("2*L", 2), ("L", "L")])
def test_kinds_that_do_not_add_up(first: Any, second: Any) -> None:
    error = refusal(lambda: numbers(two(first, second)), SymparamError)
    assert "L_a + L_b = L" in str(error)


def test_layer_numbers_need_a_depth() -> None:
    for error in (refusal(lambda: two([0], "rest", L="2*n_heads")),
                  refusal(lambda: two([0], "rest", L=10**6))):
        assert error.path == "blocks[0].layers"
        assert "number for L" in error.problem


def test_a_dim_under_another_name() -> None:
    dims = {name: number for name, number in DIMS.items() if name != "d_ff"}
    model = made(dims={**dims, "d_dense": 40},
                 blocks=[block(ffn={"kind": "swiglu", "dims": {"d_ff": "d_dense"}})])
    assert rows(model) == rows(made(dims={**DIMS, "d_ff": 40}))
    assert "d_ff" not in model.dims


def test_a_norm_under_another_name_is_bound_or_refused() -> None:
    """Not passed over: the key is either understood or an error."""
    norm = {"kind": "rmsnorm", "dims": {"d_model": "d_embed"}}
    found: str | tuple[int, ...]
    try:
        model = made(dims={**DIMS, "d_embed": 7}, blocks=[block(norm=norm)])
        found = ledger(model)["layers.norms.attention.gain"].shape
    except SpecError as error:
        found = error.path
    assert found in {(7,), "blocks[0].norm", "blocks[0].norm.dims"}


def one(**changes: Any) -> Callable[[], Model]:
    """A call that makes a model whose only block is changed so."""
    return lambda: made(blocks=[block(**changes)])


@together(("call", "path", "words"), [
    (one(attention={"kind": "mhaa"}), "blocks[0].attention.kind", "did you mean mha"),
    (one(attention="flash"), "blocks[0].attention.kind", "unknown attention kind"),
    (one(attention={"kind": 3}), "blocks[0].attention.kind", "a text"),
    (one(attention={}), "blocks[0].attention", "kind is missing"),
    (one(attention=3), "blocks[0].attention", "a table"),
    (one(attention=None), "blocks[0]", "attention is missing"),
    (one(ffn=None), "blocks[0]", "ffn is missing"),
    (one(norm=None), "blocks[0]", "norm is missing"),
    (one(attention={"kind": "mha", "qknorm": True}), "blocks[0].attention", "qk_norm"),
    (one(attention={"kind": "mha", "qk_norm": 1}), "blocks[0].attention", "true or false"),
    (one(attention={"kind": "mha", "bias": "qkv"}), "blocks[0].attention", "list"),
    (one(attention={"kind": "mha", "bias": ["ffn"]}), "blocks[0].attention", "attn-out"),
    (one(attention={"kind": "mha", "bias": {"qkv": False}}), "blocks[0].attention", "list"),
    (one(attention={"kind": "mha", "per_block": 4}), "blocks[0].attention", "per_block"),
    (one(ffn={"kind": "swiglu", "per_block": 2}), "blocks[0].ffn", "per_block"),
    (one(ffn={"kind": "none", "bias": True}), "blocks[0].ffn.bias", "unknown key"),
    (one(ffn={"kind": "mlp", "dims": {"n_heads": "x"}}), "blocks[0].ffn.dims.n_heads", "d_ff"),
    (one(ffn={"kind": "mlp", "dims": {"d_ff": "1x"}}), "blocks[0].ffn.dims.d_ff", "name of a dim"),
    (one(ffn={"kind": "mlp", "dims": {"d_ff": 3}}), "blocks[0].ffn.dims.d_ff", "a text"),
    (one(ffn={"kind": "mlp", "dims": {"foo": "x"}}), "blocks[0].ffn.dims.foo", "unknown symbol"),
    (one(norm={"kind": "rmsnorm", "per_block": 3}), "blocks[0].norm.per_block", "1, 2 or 4"),
    (one(norm={"kind": "rmsnorm", "per_block": "2"}), "blocks[0].norm.per_block", "whole number"),
    (one(norm={"kind": "rmsnorm", "per_block": True}), "blocks[0].norm.per_block", "found true"),
    (one(norm={"kind": "rmsnorm", "eps": 1}), "blocks[0].norm", "eps"),
    (one(norms="rmsnorm"), "blocks[0].norms", "did you mean norm?"),
    (one(layers=5), "blocks[0].layers", "L = 6"),
    (one(layers="L - 1"), "blocks[0].layers", 'layers = "L"'),
    (one(layers=[0, 1]), "blocks[0].layers", "layer 2 is of no kind"),
    (lambda: made(blocks=None), "", "blocks is missing"),
    (lambda: made(blocks=[]), "blocks", "list of tables"),
    (lambda: made(blocks={}), "blocks", "list of tables"),
    (lambda: made(blocks=[3]), "blocks[0]", "a table"),
    (lambda: made(blocks=[block(), block()]), "blocks[0].name", "needs a name"),
    (lambda: made(blocks=[block(name="a b"), block(name="c")]), "blocks[0].name", "letters"),
    (lambda: made(blocks=[block(name="a", layers=3)] * 2), "blocks[0].name", "two kinds"),
    (lambda: made(block=1), "block", "did you mean blocks?"),
    (lambda: made(name=3), "name", "a text"),
    (lambda: made(note=[]), "note", "a text"),
    (lambda: made(dims=[]), "dims", "a table"),
    (lambda: made(dims={"h": 3}), "dims.h", "n_heads or d_model"),
    (lambda: made(dims={"d_modle": 3}), "dims.d_modle", "did you mean d_model"),
    (lambda: made(dims={"V": 3, "vocab_size": 3}), "dims.vocab_size", "given twice"),
    (lambda: made(dims={"L": True}), "dims.L", "found true"),
    (lambda: made(dims={"L": 1.0}), "dims.L", "found 1.0"),
    (lambda: made(dims={"L": float("nan")}), "dims.L", "whole number"),
    (lambda: made(dims={"L": None}), "dims.L", "found null"),
    (lambda: made(dims={"L": 0}), "dims.L", "at least 1"),
    (lambda: made(dims={"L": 10**13}), "dims.L", "beyond any model"),
    (lambda: made(dims={"L": 10**5000}), "dims.L", "beyond any model"),
    (lambda: made(dims={"L": "5/2"}), "dims.L", "whole number"),
    (lambda: made(dims={"L": "4*"}), "dims.L", "cannot read"),
    (lambda: made(dims={"L": "((9+9)**64)**64"}), "dims.L", ""),
    (lambda: made(dims={"d_ff": "8/3*h"}), "dims.d_ff", "n_heads or d_model"),
    (lambda: made(dims={"d_ff": "1,024"}), "dims.d_ff", "thousands"),
    (lambda: made(dims={**DIMS, "P": 7}), "dims.P", ""),
    (lambda: made(model={"tied": 1}), "model.tied", "true or false"),
    (lambda: made(model={"teid": True}), "model.teid", "did you mean tied?"),
    (lambda: made(model={"positions": "ropee"}), "model.positions", "did you mean rope?"),
    (lambda: made(model={"positions": 3}), "model.positions", "a text"),
    (lambda: made(model={"final_norm": "rms"}), "model.final_norm", "rmsnorm"),
    (lambda: made(model={"final_norm": True}), "model.final_norm", "found true"),
    (lambda: made(model={"embedding_norm": "l"}), "model.embedding_norm", "norm kind"),
    (lambda: made(model={"bias": ["qkv"]}), "model.bias", "head"),
    (lambda: made(model={"head": False, "tied": True}), "model.head", "no head"),
    (lambda: made(model=[]), "model", "a table"),
    (lambda: describe_model("here.toml", [], "n"), "", "a table"),  # type: ignore[arg-type]
    (lambda: made(**{"a\nb": 1}), "", "unknown key"),
])
def test_what_is_wrong_is_named_with_its_path(
        call: Callable[[], Model], path: str, words: str) -> None:
    error = refusal(call)
    assert error.where == "here.toml"
    assert error.path.startswith(path)
    assert words in str(error)


PLACES: list[Callable[[dict[str, Any]], dict[str, Any]]] = [
    lambda d: d, lambda d: d["dims"], lambda d: d["model"], lambda d: d["blocks"][0],
    lambda d: d["blocks"][0]["attention"], lambda d: d["blocks"][0]["ffn"],
    lambda d: d["blocks"][0]["norm"]]


@together("place", range(len(PLACES)))
@together("key", ["zzz", "kinds", "dim", "stride", "Kind"])
def test_an_unknown_key_is_an_error_everywhere(place: int, key: str) -> None:
    data = description(blocks=[block(attention={"kind": "mha"}, ffn={"kind": "mlp"},
                                     norm={"kind": "rmsnorm"})])
    describe_model("here", data, "here")
    PLACES[place](data)[key] = 1
    assert key in str(refusal(lambda: describe_model("here", data, "here")))


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 9), st.floats(), st.text(max_size=4),
              st.sampled_from(["rest", "L", "mha", "none", "2*L", 10**20])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(
        st.sampled_from(["kind", "bias", "dims", "per_block", "every", "x"]), inner, max_size=3)),
    max_leaves=4)
KEYS = [(0, k) for k in ("name", "dims", "model", "blocks", "note", "x")] + [
    (1, k) for k in ("L", "d_ff", "x", "d_head")] + [
    (2, k) for k in ("tied", "positions", "final_norm", "bias", "head", "pooler")] + [
    (3, k) for k in ("layers", "attention", "ffn", "norm", "name")] + [
    (4, k) for k in ("kind", "bias", "qk_norm", "dims")] + [(6, k) for k in ("kind", "per_block")]


@settings(quick, max_examples=500)
@given(st.sampled_from(KEYS), VALUES)
def test_any_value_anywhere_is_understood_or_refused(where: tuple[int, str], value: Any) -> None:
    place, key = where
    data = description(blocks=[block(attention={"kind": "mha"}, ffn={"kind": "mlp"},
                                     norm={"kind": "rmsnorm"})])
    PLACES[place](data)[key] = value
    try:
        numbers(describe_model("here", data, "here"))
    except SymparamError as error:
        message(error)


GOOD = json.dumps(description())


def nested(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


@together(("name", "raw", "words"), [
    ("a.json", b"", "is empty"),
    ("a.toml", b"", "is empty"),
    ("a.json", GOOD[:-7].encode(), "not JSON"),
    ("a.toml", SAMPLE[:-9].encode(), "not TOML"),
    ("a.json", b"[1, 2]", "a table"),
    ("a.json", b'"blocks"', "a table"),
    ("a.json", b"null", "a table"),
    ("a.json", b"{}", "no [[blocks]]"),
    ("a.json", GOOD.replace('"L": 6', '"L": NaN').encode(), "found NaN"),
    ("a.json", GOOD.replace('"L": 6', '"L": -Infinity').encode(), "found -Infinity"),
    ("a.json", GOOD.replace('"layers": "L"', '"layers": Infinity').encode(), "Infinity"),
    ("a.json", b'{"dims": {"L": 1e999}, "blocks": 1}', "blocks"),
    ("a.json", b'{"dims": {"L": 1, "L": 1}}', "'L' stands twice"),
    ("a.toml", b"[dims]\nL = 1\nL = 1\n", "not TOML"),
    ("a.json", b'{"dims": {"L": ' + b"9" * 5000 + b"}}", "digits"),
    ("a.toml", b"[dims]\nL = " + b"9" * 5000, "digits"),
    ("a.json", nested(10_000).encode(), "nested too deeply"),
    ("a.json", b"[" * 10_000, "nested too deeply"),
    ("a.json", b'{"dims": {"L": -' + b"9" * 5_000 + b"}}", "not JSON: a number of 5,000 digits"),
    ("a.toml", b"a = " + b"[" * 10_000, "nested too deeply"),
    ("a.toml", b"a" + b".a" * 2_000 + b" = 1", "a key of more than 16 parts"),
    ("a.toml", b"a = " + b"1" * 100_000, "a number of more than 200 digits"),
    ("a.toml", b"a = 1\n" * 50_000, "larger than 256 KiB"),
    ("a.json", b" " * 5_000_000 + b"{}", "larger than 4 MiB"),
    ("a.toml", b"#" * 5_000_000, "larger than 4 MiB"),
    ("a.json", b'{"name": "\xe9"}', "UTF-8"),
    ("a.toml", b'name = "\xff"', "UTF-8"),
    ("a.json", '{"name": "x"}'.encode("utf-16"), "UTF-8"),
    ("a.json", b"{'dims': {}}", "not JSON"),
    ("a.json", b'{"dims": {}} // note', "not JSON"),
    ("a.json", b'{"dims": {},}', "not JSON"),
    ("a.toml", b"\x00", "not TOML"),
])
def test_a_hostile_file_is_refused_with_its_name(
        tmp_path: Path, name: str, raw: bytes, words: str) -> None:
    path = tmp_path / name
    path.write_bytes(raw)
    error = refusal(lambda: load(str(path)))
    assert error.where == str(path)
    assert words in str(error)


def test_a_number_of_many_digits_in_hexadecimal_is_refused_too(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(SAMPLE.replace("24", "0x" + "f" * 5000))
    assert refusal(lambda: load(str(path))).path == "dims.L"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_byte_order_mark_is_passed_over(tmp_path: Path, mark: bytes) -> None:
    for name, text in (("a.json", GOOD), ("a.toml", SAMPLE)):
        (tmp_path / name).write_bytes(mark + text.encode())
        assert numbers(load(str(tmp_path / name))).values["V"] in {11, 50304}


def test_a_file_up_to_the_bound_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(" " * (MAX_BYTES - len(GOOD)) + GOOD)
    assert read_file(path)["dims"]["V"] == 11


def test_rules_may_follow_from_one_another() -> None:
    dims = {"V": 11, "L": 6, "d_model": "16*n_heads", "n_heads": 4, "d_ff": "2*d_model"}
    assert numbers(made(dims=dims)).values["d_ff"] == 128


def test_rules_may_follow_through_dims_that_no_matrix_has() -> None:
    dims = {**DIMS, "d_ff": "n_types", "n_types": "n_ctx", "n_ctx": "16*L"}
    assert numbers(made(dims=dims)).values["d_ff"] == 96


def test_a_rule_comes_before_the_components_default() -> None:
    dims = {k: v for k, v in DIMS.items() if k != "d_head"} | {"d_ff": "3*d_head"}
    assert numbers(made(dims=dims)).values["d_ff"] == 48


def test_a_rule_of_the_file_can_be_overridden_by_a_rule() -> None:
    model = with_overrides(made(dims={**DIMS, "d_ff": "4*d_model"}),
                           {"d_ff": parse_rule("2*d_model")})
    assert numbers(model).values["d_ff"] == 128
