"""Seeded changes of a model's numbers, and what symparam says of each: numbers or a refusal."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from symparam import SymparamError, load
from symparam.quantities.quantity import Quantity

#: One of each kind: multi-head, grouped, tied, windows in some layers and in all, latent, hybrid,
#: recurrent, encoders, an encoder with a decoder, experts in some layers and in all, keys of
#: compressed sequences, towers of pictures.
MODELS = ("llama-2-7b", "llama-2-70b", "gpt2", "gemma-3-27b", "mistral-7b", "deepseek-v3",
          "jamba-v0.1", "mamba-130m", "bert-base", "t5-base", "mixtral-8x7b",
          "qwen3-next-80b-a3b", "gpt-oss-20b", "albert-base", "falcon-7b", "rwkv-4-169m",
          "recurrentgemma-2b", "whisper-tiny", "olmo-2-7b", "gemma-2-9b", "deepseek-v4-flash",
          "gemma-3-4b", "qwen2.5-vl-7b")
#: What is typed that is no number of the dim, or none at all.
ODD = ("0", "-1", "2.5", "1,000", "(L", "1/0", "2**60", "7 7", "nope", "1e13", "d_model",
       "nearest to 0", "max(1, 2/3)", "3*L - 3*L", "L*L*L*L*L", "d_model**(1/2)", "-2**2 + 8",
       "up(7/2)", ".5e1", "1_000", "12b", "1e400")


def changes(name: str, number: int, seed: int = 0) -> Iterator[dict[str, str]]:
    """So many changes of a model, each of one dim to three, as texts of the grammar."""
    drawn = random.Random(f"{seed} {name}")
    dims = load(name).explore().json()["dims"]
    for _ in range(number):
        names = drawn.sample(sorted(dims), drawn.choice((1, 1, 2, 3)))
        yield {each: _text(each, dims, drawn) for each in names}


def _text(name: str, dims: dict[str, Any], drawn: random.Random) -> str:
    dim, kind = dims[name], drawn.randrange(12)
    value, step = dim["value"], dim["step"]
    other = drawn.choice(sorted(set(dims) - {name}))
    if kind < 3:
        return str(max(1, value + drawn.randint(-6, 12) * step))
    if kind < 5:
        return str(max(1, value * drawn.choice((2, 3, 4)) // drawn.choice((1, 1, 2))))
    if kind == 5:
        return str(max(1, value + drawn.randint(-9, 9)))
    if kind == 6:
        return f"{drawn.choice((2, 8, 64, 128))}{drawn.choice(('', '', 'k', 'Ki'))}"
    if kind == 7:
        return f"{drawn.choice(('2', '4', '8/3', '1/2', '3/2'))}*{other}"
    if kind == 8:
        mode, multiple = drawn.choice(("up", "down", "nearest")), drawn.choice((1, 64, 256))
        return f"{drawn.choice(('8/3', '7/5', '0.3'))}*{other}, {mode} to {multiple}"
    if kind == 9:
        return f"{drawn.choice(('max', 'min'))}({value}, {other} + {step})"
    if kind == 10 and dims[other]["aliases"]:
        return f"{drawn.choice(dims[other]['aliases'])} + {step}"
    return drawn.choice(ODD)


def answers(name: str, given: dict[str, str]) -> dict[str, str | None]:
    """Every quantity of a page at a change, as exact text; None where it is refused."""
    model = load(name)
    found: dict[str, str | None] = {}
    for answer in model.explore().explored.answers:
        try:
            found[answer.quantity.name] = written(_asked(model, answer.quantity, given))
        except SymparamError:
            found[answer.quantity.name] = None
    return found


def _asked(model: Any, quantity: Quantity, given: dict[str, str]) -> Any:
    if quantity.at_work:
        return model.quantity(quantity.name, **given)
    return model.count(quantity.name, **given)


def written(value: Fraction | int) -> str:
    """A number as a page has it in data-value.

    >>> written(Fraction(3, 2)), written(Fraction(4, 2))
    ('3/2', '2')
    """
    exact = Fraction(value)
    return str(exact.numerator) if exact.denominator == 1 else str(exact)
