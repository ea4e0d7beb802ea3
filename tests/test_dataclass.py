"""The package's dataclasses against the standard library's, which they are to be the same as."""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import pickle
import pkgutil
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import pytest

import symparam
from symparam import dataclass as module
from symparam.dataclass import dataclass

BOTH = pytest.mark.parametrize("make", [dataclass, dataclasses.dataclass],
                               ids=["own", "standard"])


@dataclass(frozen=True)
class Kept:
    """At the top of a module, where a pickle finds it."""

    name: str
    sizes: tuple[int, ...] = ()


def made(make: Callable[..., Any]) -> tuple[type[Any], type[Any], type[Any]]:
    """A frozen class with every kind of field, one below it, and one that is not frozen."""

    @make(frozen=True)
    class Base:
        first: int
        second: str = "two"
        third: list[int] = field(default_factory=list, compare=False)
        hidden: int = field(default=7, repr=False)
        later: int = field(init=False, compare=False)
        kind: ClassVar[str] = "base"

        def __post_init__(self) -> None:
            object.__setattr__(self, "later", self.first * 10)

        @cached_property
        def double(self) -> int:
            return 2 * self.first

    @make(frozen=True, kw_only=True)
    class Below(Base):
        fourth: int
        second: str = "other"

    @make
    class Open:
        first: int
        rest: dict[str, int] = field(default_factory=dict)

    return Base, Below, Open


@BOTH
def test_what_is_made_is_told_apart_shown_and_changed(make: Callable[..., Any]) -> None:
    Base, Below, Open = made(make)
    one = Base(1)
    assert (one, one.second, one.third, one.later, one.double) == (Base(1, "two"), "two", [], 10, 2)
    assert one == Base(1, third=[5]) != Base(2)
    assert one != Base(1, hidden=8)
    assert hash(one) == hash(Base(1))
    assert {one: 5}[Base(1, third=[1])] == 5
    assert repr(one).endswith("Base(first=1, second='two', third=[], later=10)")
    assert dataclasses.replace(one, first=3) == Base(3)
    assert one.third is not Base(1).third
    below = Below(1, fourth=4)
    assert (below.second, below.later, Base.kind) == ("other", 10, "base")
    assert below != one
    assert one != below
    assert one.__eq__(5) is NotImplemented
    assert [f.name for f in dataclasses.fields(Below)] == [
        "first", "second", "third", "hidden", "later", "fourth"]
    opened = Open(1)
    opened.first, opened.rest["a"] = 2, 3
    assert opened == Open(2, {"a": 3})
    assert Open(1).rest == {}
    with pytest.raises(TypeError, match="unhashable"):
        hash(opened)
    match one:
        case Base(first, second):
            assert (first, second) == (1, "two")
        case _:
            pytest.fail("no match")


@BOTH
@pytest.mark.parametrize("change", [
    lambda one: setattr(one, "first", 2), lambda one: setattr(one, "new", 2),
    lambda one: delattr(one, "first")])
def test_what_is_frozen_stays(make: Callable[..., Any], change: Callable[[Any], object]) -> None:
    one = made(make)[0](1)
    with pytest.raises(FrozenInstanceError):
        change(one)
    assert one == made(make)[0](1) or one.first == 1


@BOTH
def test_a_plain_class_below_may_have_attributes_of_its_own(make: Callable[..., Any]) -> None:
    class Plain(made(make)[0]):  # type: ignore[misc]
        pass

    one = Plain(1)
    one.own = 5
    assert one.own == 5
    with pytest.raises(FrozenInstanceError):
        one.first = 2


@BOTH
@pytest.mark.parametrize("arguments", [((), {}), ((1, 2, 3, 4, 5), {}), ((1,), {"nope": 2}),
                                       ((1,), {"first": 2})])
def test_wrong_arguments_are_refused(make: Callable[..., Any], arguments: Any) -> None:
    with pytest.raises(TypeError):
        made(make)[0](*arguments[0], **arguments[1])


@BOTH
def test_what_cannot_be_a_dataclass_is_refused(make: Callable[..., Any]) -> None:
    Base, _, Open = made(make)
    with pytest.raises(TypeError):
        make(type("Mixed", (Base,), {"__annotations__": {"x": "int"}, "x": 0}))
    with pytest.raises(TypeError):
        make(frozen=True)(type("Mixed", (Open,), {}))
    with pytest.raises(TypeError, match="default"):
        make(type("Wrong", (), {"__annotations__": {"a": "int", "b": "int"}, "a": 0}))
    assert Base(1) == Base(1)  # a class that was refused changes nothing of those above it
    with pytest.raises(FrozenInstanceError):
        Base(1).first = 2


@BOTH
def test_methods_of_a_class_s_own_are_kept(make: Callable[..., Any]) -> None:
    @make(frozen=True)
    class Own:
        x: int

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 3

        def __repr__(self) -> str:
            return "own"

    assert Own(1) == Own(2)
    assert hash(Own(1)) == 3
    assert repr(Own(1)) == "own"


def test_its_signature_is_that_of_the_standard_one() -> None:
    def shown(make: Callable[..., Any]) -> list[tuple[str, object, str]]:
        found = inspect.signature(made(make)[1]).parameters.values()
        return [(p.name, p.kind, repr(p.default)) for p in found]

    assert shown(dataclass) == shown(dataclasses.dataclass)
    assert [name for name, *_ in shown(dataclass)] == ["first", "third", "hidden", "second",
                                                       "fourth"]


def test_a_standard_class_inherits_from_one_of_these() -> None:
    @dataclasses.dataclass(frozen=True)
    class Outside(Kept):
        more: int = 3

    assert Outside("a", (1,), 4) == Outside("a", (1,), 4) != Outside("a", (1,))
    with pytest.raises(FrozenInstanceError):
        Outside("a").more = 5  # type: ignore[misc]


def test_copies_and_pickles_are_equal() -> None:
    kept = Kept("a", (1, 2))
    assert pickle.loads(pickle.dumps(kept)) == copy.copy(kept) == copy.deepcopy(kept) == kept
    none = dataclass(frozen=True)(type("None_", (), {"__annotations__": {}}))
    assert none() == none()
    assert hash(none()) == hash(none())


def test_one_that_holds_itself_is_shown() -> None:
    @dataclass
    class Ring:
        next: Any = None

    ring = Ring()
    ring.next = ring
    assert repr(ring).endswith("Ring(next=...)")


def test_every_module_takes_its_dataclasses_from_here() -> None:
    """One of the standard library's would be as right, and five times as slow to import."""
    root = Path(symparam.__file__).parent
    taken = [path.relative_to(root) for path in root.rglob("*.py")
             if path != Path(module.__file__)
             and "dataclasses" in (source := path.read_text(encoding="utf-8"))
             for node in ast.walk(ast.parse(source))
             if isinstance(node, ast.ImportFrom) and node.module == "dataclasses"
             and any(alias.name == "dataclass" for alias in node.names)]
    assert not taken
    assert len(list(pkgutil.iter_modules([str(root)]))) > 20


def test_a_field_without_a_default_behind_one_that_has_it_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match="second has no default and stands behind first"):
        @module.dataclass
        class Wrong:
            first: int = 1
            second: int


def test_a_class_of_which_nothing_is_made_is_not_compiled() -> None:
    @module.dataclass(frozen=True)
    class One:
        number: int

    class Below(One):
        pass

    assert not inspect.isfunction(vars(One)["__init__"])
    assert Below(3).number == 3
    assert inspect.isfunction(vars(One)["__init__"])
    assert "__init__" not in vars(Below)
    assert list(inspect.signature(Below).parameters) == ["number"]
