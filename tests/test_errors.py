"""Errors: one line each, their parts kept, one root."""

from __future__ import annotations

import copy
import inspect
import pickle

import pytest

from symparam import errors
from symparam.errors import (
    BadValue,
    ConstraintViolated,
    ContractError,
    Contradiction,
    DocsError,
    FalseStep,
    MissingDims,
    ParseError,
    SpecError,
    SymparamError,
    TemplateError,
    UnknownName,
    nearest,
)
from tests.helpers import message

SAMPLES: list[SymparamError] = [
    ParseError("2^3", 1, "write **"), UnknownName("symbol", "d_modle", ["d_model", "V"]),
    MissingDims(["V", "L"], "the decoder"), BadValue("L", 0, "must be at least 1"),
    ConstraintViolated("a divides b", "why", {"a": 2, "b": 3}, "4 would do"),
    Contradiction("this", "that", "leave out one"), SpecError("f.toml", "dims.L", "is missing"),
    ContractError("Bad", "no docstring"), FalseStep("a = b", "1"),
    errors.LayoutError("no"), errors.BrokenPromise("a number", None),
    errors.NotDerivable("no"), errors.OutputError("no"),
    TemplateError("mine.tex", 3, "no"), errors.FileError("x.csv", "is a pipe"),
    DocsError("README.md", 0, "no")]


def test_every_error_is_sampled_and_has_one_root() -> None:
    defined = {cls for _, cls in inspect.getmembers(errors, inspect.isclass)
               if issubclass(cls, Exception) and cls.__module__ == errors.__name__}
    assert defined == {type(each) for each in SAMPLES} | {SymparamError}
    assert all(issubclass(cls, SymparamError) for cls in defined)


@pytest.mark.parametrize("error", SAMPLES, ids=lambda e: type(e).__name__)
def test_a_copy_says_the_same(error: SymparamError) -> None:
    """They travel between processes, as a sweep or a test run sends them."""
    assert str(copy.copy(error)) == message(error)
    assert str(pickle.loads(pickle.dumps(error))) == message(error)


@pytest.mark.parametrize("text", ["a\nb", "\x1b[31mred", "x" * 9000, "\u2028"], ids=repr)
@pytest.mark.parametrize("make", [
    lambda t: ParseError(t, 0, "problem"), lambda t: UnknownName("symbol", t, ["V"]),
    lambda t: BadValue("L", t, "problem"), lambda t: BadValue("bias", [t], "problem"),
    lambda t: SpecError("f", t[:60], "problem")])
def test_text_of_others_stays_in_its_line(make: type[SymparamError], text: str) -> None:
    shown = message(make(text))
    assert len(shown) < 200
    assert shown.isprintable()


def test_the_nearest_names_come_first() -> None:
    assert nearest("d_modle", ["d_model", "d_head", "V"]) == ["d_model"]
    assert nearest("LLAMA-2-7B", ["llama-2-7b", "gpt2"])[0] == "llama-2-7b"
    assert nearest("zzzz", ["d_model"]) == []
    assert len(nearest("gpt2", [f"gpt2-{n}" for n in range(9)])) == 3


@pytest.mark.parametrize(("known", "words"), [
    (["alpha", "beta"], "known: alpha, beta"), ([f"n{i}" for i in range(99)], "99 are known")])
def test_a_name_near_none_lists_what_there_is(known: list[str], words: str) -> None:
    assert words in message(UnknownName("model", "zzz", known))
