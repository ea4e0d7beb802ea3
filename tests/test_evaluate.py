"""Counts over arrays: the same integers as one by one, whatever the shape and the size."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symparam import SymparamError, decoder, load
from symparam import expression as ex
from symparam.grammar import parse_rule
from symparam.points.table import _bits
from tests.helpers import message, together
from tests.oracle import decoder as oracle
from tests.strategies import Arch, Dims, decoders, quick, switched

few = settings(quick, max_examples=40)
FREE = ("V", "L", "d_model", "d_ff", "n_ctx")


@few
@given(decoders(), st.sets(st.sampled_from(FREE), min_size=1, max_size=3), st.data())
def test_a_grid_is_its_points(case: tuple[Arch, Dims], axes: set[str], data: st.DataObject) -> None:
    arch, everything = case
    model = decoder(**arch, **switched(arch, everything))
    dims = {name: value for name, value in everything.items() if name in model.dims}
    names = sorted(axes & {*dims, "n_ctx"})
    assume(names)
    values = [data.draw(st.lists(st.integers(1, 50), min_size=1, max_size=3)) for _ in names]
    grid = np.meshgrid(*map(np.array, values), indexing="ij", sparse=True)
    found = model.evaluate(**{**dims, **dict(zip(names, grid, strict=True))})
    assert np.shape(found) == tuple(map(len, values))
    for index in product(*(range(len(v)) for v in values)):
        point = {n: v[i] for n, v, i in zip(names, values, index, strict=True)}
        assert int(found[index]) == oracle.total(arch, {**everything, **point})


@few
@given(st.lists(st.integers(1, 10**12), min_size=1, max_size=4), st.integers(1, 10**12))
def test_no_count_wraps(widths: list[int], vocabulary: int) -> None:
    """Past 2^63 the numbers are Python's own; no sign turns, no bit is lost."""
    model = decoder(positions="none", attention="mqa")
    dims = {"V": vocabulary, "L": 3, "n_heads": 5, "d_head": 7, "d_ff": 11}
    found = model.evaluate(d_model=np.array(widths), **dims)
    wanted = [model.count(d_model=width, **dims) for width in widths]
    assert [int(x) for x in found] == wanted
    assert (found.dtype == object) == (found.dtype != np.int64)
    if max(wanted) >= 2**63:
        assert found.dtype == object


@together("kind", [np.int8, np.uint8, np.int16, np.int32, np.uint64, object])
def test_small_integers_do_not_wrap_either(kind: Any) -> None:
    found = load("gpt2").evaluate(L=np.array([12, 127], dtype=kind))
    assert [int(x) for x in found] == [load("gpt2").count(), load("gpt2").count(L=127)]


@pytest.mark.parametrize("values", [[12, 24], (12, 24), range(12, 25, 12)])
def test_sequences_are_arrays(values: Any) -> None:
    assert load("gpt2").evaluate(L=values).tolist() == [
        load("gpt2").count(L=n) for n in (12, 24)]


def test_rules_follow_point_by_point() -> None:
    widths = np.array([[768, 1536], [2304, 3072]])
    found = load("gpt2").evaluate(d_model=widths)
    assert found.tolist() == [[load("gpt2").count(d_model=int(d)) for d in row] for row in widths]
    rounded = decoder(ffn="swiglu", V=100, L=2, n_heads=4, d_ff="8/3*d_model, up to 256")
    assert rounded.evaluate(d_model=widths.ravel()).tolist() == [
        rounded.count(d_model=int(d)) for d in widths.ravel()]
    assert parse_rule("8/3*d_model, up to 256").rounding is not None


def test_a_rule_may_be_given_beside_an_array() -> None:
    found = load("llama-2-7b").evaluate(d_ff="2*d_model", d_model=np.array([4096, 8192]))
    assert found.tolist() == [load("llama-2-7b").count(d_model=d, d_ff=2 * d)
                              for d in (4096, 8192)]


@pytest.mark.parametrize("dims", [{}, {"L": 3}, {"L": np.int64(3)}, {"d_ff": "2*d_model"}])
def test_without_arrays_it_is_an_int(dims: dict[str, Any]) -> None:
    found = load("llama-2-7b").evaluate(**dims)
    assert type(found) is int
    assert found == load("llama-2-7b").count(**dims)


@together("dims", [
    {"L": [2.0]}, {"L": 2.0}, {"L": [True]}, {"L": []}, {"L": [0, 1]}, {"L": [-1]}, {"L": None},
    {"L": ["3"]}, {"L": [None]}, {"L": [[1, 2], [3]]}, {"L": [10**13]}, {"L": [3 + 0j]},
    {"foo": [3]}, {"P": [3]}, {"P": 3}, {"L": [1, 2], "V": [1, 2, 3]},
    {"L": [3], "num_hidden_layers": 4}, {"d_model": [4096, 4097]}, {"d_ff": "8/3*d_model"}])
def test_what_is_no_grid_of_dims_is_refused(dims: dict[str, Any]) -> None:
    with pytest.raises(SymparamError) as caught:
        load("llama-2-7b").evaluate(**dims)
    message(caught.value)


@pytest.mark.parametrize("dims", [{"n_kv": 5}, {"d_head": 127}, {"n_heads": 33, "d_head": 128}])
def test_a_grid_is_held_to_the_same_checks_as_a_point(dims: dict[str, int]) -> None:
    """What a count refuses at a point is not counted in a sweep."""
    model = load("llama-2-70b")
    for grid in (dims, {name: np.array([value]) for name, value in dims.items()},
                 {name: np.array([model.values.get(name, 128), value])
                  for name, value in dims.items()}):
        with pytest.raises(SymparamError):
            model.evaluate(**grid)
    with pytest.raises(SymparamError):
        model.count(**dims)


def test_a_definition_holds_in_a_grid_too() -> None:
    dims = {"V": 9, "L": 2, "d_model": 8, "n_heads": 2}
    for attention in ("mha", "mqa"):
        with pytest.raises(SymparamError):
            decoder(attention=attention).evaluate(**dims, n_kv=np.array([1, 2]))
    assert decoder(attention="gqa").evaluate(**dims, n_kv=np.array([1, 2])).tolist() == [
        decoder(attention="gqa").count(**dims, n_kv=k) for k in (1, 2)]


def test_arrays_given_stay_as_they_were() -> None:
    given_array = np.array([1, 2, 3], dtype=np.int16)
    load("gpt2").evaluate(L=given_array)
    assert given_array.tolist() == [1, 2, 3]
    assert given_array.dtype == np.int16


@given(st.lists(st.fractions(min_value=0, max_denominator=99).filter(bool), min_size=1, max_size=4),
       st.booleans())
def test_numbers_have_no_more_bits_than_is_said(parts: list[Fraction], summed: bool) -> None:
    terms = tuple(ex.Num(part) for part in parts)
    top, bottom = (math.prod(p.numerator for p in parts), math.prod(p.denominator for p in parts))
    if summed:  # (over the product of all denominators, as it is worked out)
        top = sum(p.numerator * bottom // p.denominator for p in parts)
    most = _bits(ex.Sum(terms) if summed else ex.Product(terms), {})
    assert top.bit_length() <= most[0]
    assert bottom.bit_length() <= most[1]
