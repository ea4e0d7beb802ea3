"""Every component on numbers that know + and * alone, and the contract of new ones."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import math
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from symparam import components, dims
from symparam.component import Component, Dims, equation
from symparam.constraints import Divides
from symparam.contract import check_contract
from symparam.descriptions.load import load
from symparam.dims import D_FF, D_MODEL, Dim
from symparam.errors import BadValue, ContractError, Contradiction, LayoutError, UnknownName
from symparam.layout import Layout
from symparam.ledger import Matrix, Product, State
from symparam.resolve import numbers as numbers_of
from tests.helpers import ledger, message, registry_kept, together
from tests.oracle import recurrence

FOLDER = Path(components.__file__).parent


def _id(component: object) -> str:
    """A component's test id: the same in every process, whatever the order of a set."""
    shown = {k: sorted(v) if isinstance(v, frozenset) else v for k, v in vars(component).items()}
    return f"{type(component).__name__}-{shown}"



class Strict:
    """A number that can be added and multiplied, and can be asked nothing."""

    def __init__(self, value: int) -> None:
        self.kept = value

    def __add__(self, other: Strict | int) -> Strict:
        return Strict(self.kept + (other.kept if isinstance(other, Strict) else other))

    def __mul__(self, other: Strict | int) -> Strict:
        return Strict(self.kept * (other.kept if isinstance(other, Strict) else other))

    __radd__, __rmul__ = __add__, __mul__

    def __hash__(self) -> int:
        return id(self)


def _refuse(*_: object) -> NoReturn:
    raise AssertionError("a component asked a dim for more than + and *")


REFUSED = """bool int index float complex eq ne lt le gt ge sub rsub truediv rtruediv floordiv
    rfloordiv mod rmod divmod rdivmod pow rpow neg pos abs round trunc floor ceil and or xor
    lshift rshift len iter contains getitem call""".split()
for operation in REFUSED:
    setattr(Strict, f"__{operation}__", _refuse)


def variants(cls: type[Component]) -> Iterator[Component]:
    """The component under every combination of its switches and bias sites."""
    choices: dict[str, list[Any]] = {}
    for name, default in cls.options().items():
        if name == "bias":
            subsets = product((False, True), repeat=len(cls.bias_sites))
            choices[name] = [frozenset(s for s, on in zip(cls.bias_sites, each, strict=True) if on)
                             for each in subsets]
        else:
            choices[name] = [False, True] if isinstance(default, bool) else [default]
    for values in product(*choices.values()):
        yield cls(**dict(zip(choices, values, strict=True)))


VARIANTS = [v for cls in components.everything() for v in variants(cls)]


@together("cls", components.everything(), ids=lambda cls: cls.__name__)
def test_every_component_keeps_the_contract(cls: type[Component]) -> None:
    """Those of other packages are checked when they are made, which a count does not wait for."""
    written = not (cls.__doc__ or "").startswith(f"{cls.__name__}(")
    check_contract(cls, documented=written or sys.flags.optimize > 1)


@together("operation", [
    lambda a, b: a == b, lambda a, b: a < b, lambda a, b: a % b, lambda a, b: a / b,
    lambda a, b: a // b, lambda a, b: a - b, lambda a, b: a ** b, lambda a, _: bool(a),
    lambda a, _: int(a), lambda a, _: range(a), lambda a, b: max(a, b), lambda a, _: -a,
    lambda a, _: math.isqrt(a), lambda a, b: a in [b]])
def test_the_strict_number_is_strict(operation: Callable[[Any, Any], object]) -> None:
    with pytest.raises(AssertionError, match="more than"):
        operation(Strict(6), Strict(3))
    numbers: list[Any] = [Strict(2), 3, Strict(5)]
    assert math.prod(numbers).kept == 30
    assert sum(numbers, 1).kept == 11


@together("component", VARIANTS, ids=_id)
def test_a_component_adds_and_multiplies_and_no_more(component: Component) -> None:
    plain = component.list_matrices(component.example)
    strict = component.list_matrices({n: Strict(v) for n, v in component.example.items()})
    assert [m.path for m in strict] == [m.path for m in plain]
    for ours, theirs in zip(strict, plain, strict=True):
        assert tuple(getattr(side, "kept", side) for side in ours.shape) == theirs.shape
        assert getattr(ours.numel(), "kept", ours.numel()) == theirs.numel()


def at_point(side: Any, i: int) -> int:
    """A side of a shape at one point of a grid; a plain number is the same everywhere."""
    return side if isinstance(side, int) else int(side[i])


@pytest.mark.thinned(3)
@together("component", VARIANTS, ids=_id)
def test_a_component_over_arrays_is_itself_at_each_point(component: Component) -> None:
    points = [{n: v + shift for n, v in component.example.items()} for shift in (0, 1, 5)]
    arrays = {n: np.array([p[n] for p in points]) for n in component.example}
    for i, point in enumerate(points):
        at = component.list_matrices(point)
        over = component.list_matrices(arrays)
        assert [tuple(at_point(side, i) for side in m.shape) for m in over] == [m.shape for m in at]
        assert [at_point(m.numel(), i) for m in over] == [m.numel() for m in at]


AT_WORK = [v for v in VARIANTS if v.list_state(v.example) or v.list_products(v.example)]


def plain(each: Any) -> Any:
    """A number as an integer, whichever kind it is of."""
    return getattr(each, "kept", each)


@together("component", AT_WORK, ids=_id)
def test_state_and_products_add_and_multiply_and_no_more(component: Component) -> None:
    strict = {n: Strict(v) for n, v in component.example.items()}
    for listing in (component.list_state, component.list_products):
        for ours, theirs in zip(listing(strict), listing(component.example), strict=True):
            assert (ours.path, ours.what, ours.stream) == (theirs.path, theirs.what, theirs.stream)
            assert tuple(map(plain, ours.shape)) == theirs.shape
            assert (plain(ours.numel()), plain(ours.every)) == (theirs.numel(), theirs.every)


@together("component", AT_WORK, ids=_id)
def test_what_works_is_named_once_and_asks_for_declared_dims(component: Component) -> None:
    matrices = [m.path for m in component.list_matrices(component.example)]
    products = [p.path for p in component.list_products(component.example)]
    assert len({*matrices, *products}) == len(matrices) + len(products)
    needed = {name: component.example[name] for name in component.used_at_work}
    assert component.list_state(needed) == component.list_state(component.example)
    assert component.list_products(needed) == component.list_products(component.example)


def test_an_attention_keeps_what_it_looks_at() -> None:
    for cls in components.everything():
        if cls.slot in {"attention", "mixer"}:
            one = cls()
            kept, made = one.list_state(cls.example), one.list_products(cls.example)
            if cls.name not in {"shared-kv", "xlnet", "convolution"}:
                assert kept, f"{cls.name} keeps nothing"
            if cls.name not in {"short-convolution", "convolution"}:
                assert made, f"{cls.name} makes no product"


@together("name", ["gpt2", "bert-base", "llama-2-70b", "gopher-44m", "perseid"])
def test_a_whole_model_adds_and_multiplies_and_no_more(name: str) -> None:
    model = load(name)
    strict = model.ledger({n: Strict(v) for n, v in numbers_of(model).values.items()})
    assert strict.total().kept == ledger(model).total()
    assert len(Layout("as listed").tensors(strict)) == len(list(strict.stored()))


@together("cls", components.everything(), ids=lambda c: f"{c.slot} {c.name}")
def test_a_switch_changes_what_is_listed(cls: type[Component]) -> None:
    listed = {repr(v): [(m.path, m.tied_to, m.status, m.shape, m.indices, m.times)
                        for m in v.list_matrices(cls.example)]
              for v in variants(cls)}
    assert len({str(each) for each in listed.values()}) == len(listed)


def test_no_component_knows_sympy_or_numpy() -> None:
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else (
                [node.module or ""] if isinstance(node, ast.ImportFrom) else [])
            for name in names:
                assert name.partition(".")[0] not in {"sympy", "numpy"}, path.name


def test_every_file_is_discovered_and_every_choice_found() -> None:
    files = {p.stem for p in FOLDER.glob("*.py")} - {"__init__"}
    found = components.everything()
    assert {c.__module__.rpartition(".")[2] for c in found} == files
    for cls in found:
        assert components.find(cls.slot, cls.name) is cls
        assert cls.name in components.choices(cls.slot)
        assert cls.source
        assert cls.__doc__


def test_an_unknown_kind_offers_the_nearest() -> None:
    with pytest.raises(UnknownName) as caught:
        components.find("ffn", "swigluu")
    assert "did you mean swiglu" in message(caught.value)


def test_a_package_outside_adds_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    with registry_kept():
        class Outside(Component):
            """One square matrix."""

            name, slot, title, source = "square", "ffn", "square", "nowhere, section 1"
            dims, example, names = (D_MODEL,), {"d_model": 3}, {"W": "weight"}

            def matrices(self, d: Dims) -> Iterator[Matrix]:
                """The matrix."""
                yield Matrix("W", (d.d_model, d.d_model), "square")

    class Entry:
        def load(self) -> type[Component]:
            """What the entry point names."""
            return Outside

    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: (
        [Entry()] if group == "symparam.components" else []))
    components._with_plugins.cache_clear()
    try:
        assert components.find("ffn", "square") is Outside
        assert "square" in components.choices("ffn")
    finally:
        components._with_plugins.cache_clear()
    monkeypatch.undo()
    assert "square" not in components.choices("ffn")


GOOD: dict[str, Any] = {
    "__doc__": "A square matrix.", "name": "square", "slot": "ffn", "title": "square",
    "source": "nowhere", "dims": (D_MODEL,), "example": {"d_model": 3}, "names": {"W": "weight"},
    "matrices": lambda _, d: [Matrix("W", (d.d_model, d.d_model), "square")],
}


def made(**changes: Any) -> type[Component]:
    """A component class like GOOD but for some attributes; None takes one away."""
    body = {k: v for k, v in {**GOOD, **changes}.items() if v is not None}
    cls: type[Component] = type("Bad", (Component,), {"__module__": __name__, **body})
    return cls


def test_the_good_class_is_accepted() -> None:
    with registry_kept():
        assert made().make({}).list_matrices({"d_model": 4})[0].numel() == 16


@together(("changes", "problem"), [
    ({"name": ""}, "name is not set"),
    ({"slot": ""}, "slot is not set"),
    ({"title": ""}, "title is not set"),
    ({"source": ""}, "source is not set"),
    ({"__doc__": None}, "no docstring"),
    ({"__doc__": "  "}, "no docstring"),
    ({"example": {}}, "example gives"),
    ({"example": {"d_model": 3, "d_ff": 5}}, "example gives"),
    ({"example": {"d_model": 4}}, "distinct primes"),
    ({"example": {"d_model": 1}}, "distinct primes"),
    ({"dims": (D_MODEL, D_FF), "example": {"d_model": 3, "d_ff": 3}}, "distinct primes"),
    ({"dims": (Dim("d_none", r"\input{x}", "none"),), "example": {"d_none": 3}},
     "the letter of d_none: cannot read '\\\\input{x}'"),
    ({"dims": (Dim("d_none", r"d_{\text{ff}}", "none"),), "example": {"d_none": 3}},
     "the letter of d_none is that of d_ff (inner width of the feed-forward network)"),
    ({"constraints": (Divides("d_model", "d_model", "why"),)}, "unknown attribute 'constraints'"),
    ({"chekcs": (Divides("d_model", "d_model", "why"),)},
     "unknown attribute 'chekcs'; did you mean checks?"),
    ({"equation": ()}, "unknown attribute 'equation'; did you mean equations?"),
    ({"product": lambda _, d: [Product("S", (d.d_model,), "scores")]},
     "its method product is asked by nobody: did you mean products?"),
    ({"equations": (equation("d_ff", "4*d_model", "why"),)}, "not declared"),
    ({"equations": (equation("d_model", "4*d_ff", "why"),)}, "not declared"),
    ({"matrices": None}, "cannot be listed"),
    ({"matrices": lambda _, d: [Matrix("W", (d.d_ff,), "square")]}, "d_ff is used but not"),
    ({"matrices": lambda _, d: [Matrix("W", (d.d_model.bits,), "x")]}, "cannot be listed"),
    ({"matrices": lambda _, d: [Matrix("W", (d.d_model + "1",), "x")]}, "cannot be listed"),
    ({"matrices": lambda _, d: [Matrix("W", (d.d_model,), "x")] * 2}, "share a path"),
    ({"matrices": lambda _, d: [Matrix("U", (d.d_model,), "x")]}, "no checkpoint name for U"),
    ({"matrices": lambda _, d: [Matrix("W", (), "x")]}, "no shape"),
    ({"matrices": lambda _, d: [Matrix("W", (d.d_model,), "")]}, "no purpose"),
    ({"matrices": lambda self, d: [Matrix("U" if self.wide else "W", (d.d_model,), "x")],
      "wide": False, "__annotations__": {"wide": "bool"}}, "no checkpoint name for U"),
    ({"matrices": lambda self, d: [Matrix("U" if self.bias else "W", (d.d_model,), "x")],
      "bias": frozenset(), "bias_sites": ("ffn",), "__annotations__": {"bias": "frozenset[str]"}},
     "no checkpoint name for U"),
    ({"__annotations__": {"wide": "bool"}}, "default"),
    ({"state": lambda _, d: [State("K", (d.d_ff,), "keys")]}, "state cannot be listed"),
    ({"state": lambda _, d: [State("K", (d.d_model,), "keys")] * 2}, "two states share a path"),
    ({"state": lambda _, d: [State("K", (), "keys")]}, "K has no shape"),
    ({"products": lambda _, d: [Product("S", (d.d_ff,), "scores")]}, "products cannot be listed"),
    ({"products": lambda _, d: [Product("S", (d.d_model,), "")]}, "S has no shape or no purpose"),
])
def test_a_class_that_breaks_the_contract_is_refused(
        changes: dict[str, Any], problem: str) -> None:
    with registry_kept():
        before = dict(dims._registry), dict(dims._aliases)
        with pytest.raises(ContractError) as caught:
            made(**changes)
        assert (dims._registry, dims._aliases) == before
    assert problem in message(caught.value)
    assert caught.value.component == "Bad"


def test_a_refused_class_registers_none_of_its_dims() -> None:
    own = Dim("d_nowhere", "n", "a width of a refused class")
    with registry_kept():
        with pytest.raises(ContractError):
            made(dims=(own,), example={"d_nowhere": 3})
        assert own.name not in dims._registry


@pytest.mark.parametrize("clash", [
    Dim("d_model", "d", "something else"),
    Dim("d_mine", "m", "mine", ("d_other", "hidden_size")),
    Dim("hidden_size", "h", "a name that is an alias already"),
    Dim("d_mine", "m", "an alias that is a name already", ("V",))], ids=str)
def test_a_dim_that_clashes_is_refused_and_leaves_no_trace(clash: Dim) -> None:
    with registry_kept():
        before = dict(dims._registry), dict(dims._aliases)
        with pytest.raises(Contradiction) as caught:
            dims.register([clash])
        message(caught.value)
        assert (dims._registry, dims._aliases) == before


def test_registering_an_equal_dim_again_changes_nothing() -> None:
    before = dims.known_dims()
    dims.register([Dim(D_MODEL.name, D_MODEL.latex, D_MODEL.meaning, D_MODEL.aliases)])
    assert dims.known_dims() == before


def test_a_component_sees_the_dims_it_declares_and_no_others() -> None:
    seen = Dims({"d_dense": 5, "d_ff": 7}, {"d_ff": "d_dense"}, frozenset({"d_ff"}))
    assert seen.d_ff == 5
    with pytest.raises(LayoutError, match="d_dense"):
        seen.d_dense  # noqa: B018


@together(("options", "error", "words"), [
    ({"qknorm": True}, UnknownName, "did you mean qk_norm"),
    ({"qk_norm": 1}, BadValue, "true or false"),
    ({"qk_norm": "yes"}, BadValue, "true or false"),
    ({"bias": "qkv"}, BadValue, "a list of the sites qkv, attn-out"),
    ({"bias": ["ffn"]}, BadValue, "the sites qkv, attn-out"),
    ({"bias": [["qkv"]]}, BadValue, "the sites"),
    ({"bias": {"qkv": False}}, BadValue, "list"),
    ({"bias": 1}, BadValue, "list"),
])
def test_plain_data_makes_a_component_or_says_why_not(
        options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        components.find("attention", "gqa").make(options)
    assert words in message(caught.value)  # type: ignore[arg-type]


def test_bias_as_true_means_every_site() -> None:
    for cls in components.everything():
        if cls.bias_sites:
            assert cls.make({"bias": True}) == cls.make({"bias": list(cls.bias_sites)})
            assert cls.make({"bias": False}) == cls()


#: Dims of a component that go together, where those of its example do not.
TOGETHER = {("mixer", "mlstm"): {"d_query": 15, "d_query_head": 5, "d_memory": 21, "n_heads": 3}}


@together("key", recurrence.COUNTS, ids="-".join)
def test_a_token_multiplies_what_doing_it_multiplies(key: tuple[str, str]) -> None:
    component = components.find(*key)()
    dims = {**component.example, **TOGETHER.get(key, {})}
    assert sum(p.numel() for p in component.list_products(dims)) == recurrence.COUNTS[key](dims)


def test_every_mixer_with_products_is_done_once() -> None:
    made = [(cls.slot, cls.name) for cls in components.everything()
            if cls.slot == "mixer" and cls().list_products(cls.example)]
    assert set(made) <= set(recurrence.COUNTS)


@together("name", sorted(recurrence.KEPT))
def test_a_mixer_keeps_what_its_arrays_hold(name: str) -> None:
    component = components.find("mixer", name)()
    dims = {**component.example, **TOGETHER.get(("mixer", name), {})}
    assert sum(s.numel() for s in component.list_state(dims)) == recurrence.kept(
        recurrence.KEPT[name](dims))


def test_the_arrays_of_every_mixer_with_a_state_are_known() -> None:
    made = {cls.name for cls in components.everything()
            if cls.slot == "mixer" and cls().list_state(cls.example)}
    assert made == set(recurrence.KEPT)
