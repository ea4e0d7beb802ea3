"""What the quantities of a claim are run with: tokens, sequences, formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from symparam.errors import SymparamError
from symparam.expression import Expr, symbols_in
from symparam.model import Model
from symparam.quantities import everything
from symparam.quantities.cost import RUN, run_of, setting_from
from symparam.quantities.setting import Setting

#: How many settings of one quantity are told; rows of a table may differ.
TOLD = 4
_RUNS = {part: name for name, part in RUN.items()}
_WORDS: dict[str, Callable[[Setting], str]] = {
    "weights": lambda run: f"weights in {run.weights.name}",
    "cache": lambda run: f"the cache in {run.cache.name}",
    "attention": lambda run: "masked pairs of query and key " + (
        "counted" if run.attention == "full" else "not counted"),
    "training_bytes": lambda run: f"{run.training_bytes} bytes a parameter in training",
    "data": lambda run: f"{run.data.tokens_per_parameter} tokens a parameter, "
                        f"{run.data.characters_per_token} characters a token"}


def run_names(claimed: Expr) -> set[str]:
    """What the quantities of a claim are run with, by the names of dims.

    >>> from symparam.review.claim import read_claim
    >>> sorted(run_names(read_claim("kv_cache=1GB", {"kv_cache"}).left))
    ['b', 's', 's_encoder']
    """
    found = everything()
    return {_RUNS[part] for name in symbols_in(claimed) if name in found
            for part in found[name].needs if part in _RUNS}


def contexts(claims: Iterable[tuple[Model, Expr]]) -> Iterator[str]:
    """In words, what each quantity that is claimed was counted with.

    >>> from symparam.review.claim import read_claim
    >>> from symparam.spec.load import load
    >>> list(contexts([(load("gpt2"), read_claim("kv_cache=1GB", {"kv_cache"}).left)]))
    ['kv_cache: s = 1024 (as many as there are positions), b = 1 (one sequence), the cache in bf16']
    """
    found = everything()
    told: dict[str, dict[str, None]] = {}
    for model, left in claims:
        for name in (n for n in symbols_in(left) if n in found and found[n].needs):
            told.setdefault(name, {})[_told(model, found[name].needs)] = None
    for name, words in told.items():
        listed = [each for each in words if each]
        yield from (f"{name}: {each}" for each in listed[:TOLD])
        if len(listed) > TOLD:
            yield f"{name}: {len(listed) - TOLD} other settings in further rows"


def _told(model: Model, needs: Iterable[str]) -> str:
    try:
        run, assumed, _ = run_of(model, setting_from(None))
    except SymparamError:  # numbers of no model; that is its verdict
        return ""
    words = []
    for part in needs:
        if part in _WORDS:
            words.append(_WORDS[part](run))
        elif part == "training_tokens" and run.training_tokens is None:
            words.append("of one token")
        elif part in _RUNS and getattr(run, part) is not None:
            name = _RUNS[part]
            why = f" ({assumed[name]})" if name in assumed else ""
            words.append(f"{name} = {getattr(run, part)}{why}")
    return ", ".join(words)
