"""What several test modules share: rows of a model, and a registry that forgets."""

from __future__ import annotations

import ast
import inspect
import json
import lzma
import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import pytest

from symparam import dims
from symparam import expression as ex
from symparam.derivation.plan import Derivation, derive
from symparam.descriptions import catalogue
from symparam.descriptions.load import load
from symparam.errors import SymparamError
from symparam.layout import pattern
from symparam.ledger import Ledger
from symparam.model import Model
from symparam.resolve import numbers
from symparam.run import RUN

Rows = dict[tuple[str, tuple[int, ...]], int]

#: The fixture ``line`` (tests/conftest.py): exit code, stdout and stderr of a command line.
Line = Callable[[str], tuple[int, str, str]]

#: A small configuration of the llama family.
LLAMA = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 100,
         "hidden_size": 24, "intermediate_size": 31, "num_hidden_layers": 3,
         "num_attention_heads": 4, "num_key_value_heads": 2, "tie_word_embeddings": False}

DATA = Path(__file__).parent / "data"


def together(names: str | tuple[str, ...], cases: Iterable[Any],
             ids: Callable[[Any], object] | Iterable[object] | None = None) -> Callable[
        [Callable[..., None]], Callable[..., None]]:
    """In place of ``pytest.mark.parametrize`` where a case takes no longer than what pytest does
    around each test: one test, which tries every case and names all that fail.

    Fixtures are made once for all cases. No case has a mark of its own.

    Args:
        names: as for parametrize, with those below.
        cases: of several names, tuples.
        ids: what the cases are called; each as it is written where there is none.
    """
    keys = (names,) if isinstance(names, str) else names
    listed = list(cases)
    named = ids if ids is None or callable(ids) else [*ids]

    def called(i: int) -> str:
        try:
            return str(named[i] if isinstance(named, list) else (named or repr)(listed[i]))[:200]
        except ValueError:  # a number of too many digits
            return f"case {i}"

    def of(check: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(check)
        assert set(keys) <= set(own.parameters)
        assert not hasattr(check, "pytestmark"), "marks stand above"

        def test(**fixtures: Any) -> None:
            failed: dict[str, Exception] = {}
            for i, case in enumerate(listed):
                try:
                    check(**fixtures, **dict(zip(keys, (case,) if len(keys) == 1 else case,
                                                 strict=True)))
                except Exception as error:
                    failed[f"{i}: {called(i)}"] = error
            if failed:
                raise ExceptionGroup(f"of {len(listed)} cases {len(failed)} fail: "
                                     f"{'; '.join(failed)}", [*failed.values()][:3])

        test.__name__, test.__qualname__ = check.__name__, check.__qualname__
        test.__module__, test.__doc__ = check.__module__, check.__doc__
        left = [each for name, each in own.parameters.items() if name not in keys]
        vars(test)["__signature__"] = own.replace(parameters=left)
        return test

    return of


def data(name: str) -> Any:
    """What a file of tests/data holds."""
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def config_folder(name: str, config: dict[str, Any]) -> None:
    """A folder with a config.json, in the working folder."""
    Path(name).mkdir()
    Path(name, "config.json").write_text(json.dumps(config), encoding="utf-8")


def ledger(model: Model) -> Ledger:
    """The model's ledger over its own integers."""
    return model.ledger(numbers(model).values)


def rows(model: Model) -> Rows:
    """Name and shape of every stored tensor, with the number of copies."""
    return {(t.name, t.shape): t.copies for t in model.layout.tensors(ledger(model))}


def recorded(tensors: list[list[Any]]) -> Rows:
    """The same from rows of a data file, those alike but for an expert's number joined."""
    found: Counter[tuple[str, tuple[int, ...]]] = Counter()
    for name, shape, copies in tensors:
        found[pattern(name), tuple(shape)] += copies
    return dict(found)


def total_of(wanted: Rows) -> int:
    """Copies times elements, summed."""
    count = 0
    for (_, shape), copies in wanted.items():
        for side in shape:
            copies *= side
        count += copies
    return count


def message(error: SymparamError) -> str:
    """The text of an error, which has to be one line that somebody wrote."""
    text = str(error)
    assert text
    assert len(text.splitlines()) == 1, text
    assert "Traceback" not in text
    return text


@contextmanager
def registry_kept() -> Iterator[None]:
    """Dims registered inside are forgotten afterwards, so that one test cannot help another."""
    from symparam.components import everything

    everything()  # the built-in ones first: what they declare stays
    tables = dims._registry, dims._aliases, RUN
    kept: tuple[Mapping[str, Any], ...] = tuple(dict(each) for each in tables)
    try:
        yield
    finally:
        for live, old in zip(tables, kept, strict=True):
            live.clear()  # type: ignore[attr-defined]
            live.update(old)  # type: ignore[attr-defined]


def value(tree: ex.Expr, at: Mapping[str, Fraction]) -> Fraction:
    """A tree's value, worked out here: sums, products and powers of fractions, nothing else."""
    match tree:
        case ex.Num(number):
            return Fraction(number)
        case ex.Sym(name):
            return at[name]
        case ex.Sum(terms):
            return sum((value(t, at) for t in terms), Fraction(0))
        case ex.Product(factors):
            result = Fraction(1)
            for factor in factors:
                result *= value(factor, at)
            return result
        case ex.Quotient(top, bottom):
            return value(top, at) / value(bottom, at)
        case ex.Power(base, int(exponent)):
            return value(base, at) ** exponent
        case ex.Whole(inner, mode):
            return rounded(mode, value(inner, at))
        case ex.Extreme(mode, parts):
            found = sorted(value(part, at) for part in parts)
            return found[-1] if mode == "max" else found[0]
    raise TypeError(tree)


def rounded(mode: str, number: Fraction) -> Fraction:
    """A number brought to a whole one; a tie of nearest goes up."""
    whole = {"up": math.ceil(number), "down": math.floor(number),
             "nearest": math.floor(number + Fraction(1, 2))}
    return Fraction(whole[mode])


#: Models of several kinds of layer, whose formulas are the longest.
MIXED = {"deepseek-v3", "jamba-v0.1", "mimo-v2-flash", "qwen3-next-80b-a3b", "nemotron-nano-9b-v2",
         "gemma-3-1b", "t5-base", "zamba2-2.7b"}


@cache
def truth() -> list[dict[str, Any]]:
    """The models counted from the real modules, one record each (tests/data/README.md)."""
    with lzma.open(DATA / "truth.jsonl.xz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def published() -> list[Any]:
    """Names of the catalogue: the first of every eighth lineage, and those that have most kinds of
    layer, every day; the first of every lineage when all run; with SYMPARAM_MODELS=all, all."""
    first = [models[0] for _, models in catalogue.lineages()]
    every_day = {*first[::8], *MIXED}
    found = catalogue.names() if os.environ.get("SYMPARAM_MODELS") == "all" else first
    return [name if name in every_day else pytest.param(name, marks=pytest.mark.slow)
            for name in dict.fromkeys([*found, *sorted(MIXED)])]


def rarer(cases: list[Any]) -> list[Any]:
    """Names, of those of every day each second one with the slow ones."""
    every_day = [case for case in cases if isinstance(case, str)]
    return [pytest.param(case, marks=pytest.mark.slow) if case in every_day[1::2] else case
            for case in cases]


def alternating(cases: list[Any]) -> list[Any]:
    """Names that are both led by a dim and not; of those of every day each is one in turn, and the
    other with the slow ones."""
    found = []
    for i, case in enumerate(sorted(cases, key=lambda case: not isinstance(case, str))):
        (name,), marks = getattr(case, "values", (case,)), getattr(case, "marks", ())
        for led in (False, True):
            other = () if marks or led == bool(i % 2) else (pytest.mark.slow,)
            found.append(pytest.param(name, led, marks=[*marks, *other]))
    return found


@lru_cache(96)
def derived(name: str, leading: str | None = None) -> Derivation:
    """The derivation of a published model, made once for the tests that follow each other."""
    return derive(load(name), (), leading)


def dotted(node: ast.AST) -> str:
    """What a name or an attribute is written as, ``os.replace``; of what else it is, nothing."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def depth(model: Model) -> str:
    """A dim that counts layers of a model; the vocabulary where it stores none by number."""
    stored = (name for stack in model.stacks if stack.repeat
              for name in ex.symbols_in(stack.repeat.stored))
    return next(stored, "V")
