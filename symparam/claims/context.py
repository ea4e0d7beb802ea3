"""What the quantities of a claim are run with: tokens, sequences, formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from symparam.errors import SymparamError
from symparam.expression import Expr, symbols_in
from symparam.model import Model
from symparam.quantities import everything
from symparam.quantities.cost import run_of
from symparam.quantities.setting import Setting, setting_in_words
from symparam.run import RUN

#: How many settings of one quantity are told; rows of a table may differ.
TOLD = 4


def run_names(claimed: Expr) -> set[str]:
    """What the quantities of a claim are run with, by the names of dims.

    >>> from symparam.claims.claim import read_claim
    >>> sorted(run_names(read_claim("kv_cache=1GB", {"kv_cache"}).left))
    ['b', 's', 's_encoder']
    """
    found = everything()
    return {need for name in symbols_in(claimed) if name in found
            for need in found[name].needs if need in RUN}


def contexts(claims: Iterable[tuple[Model, Expr]]) -> Iterator[str]:
    """In words, what each quantity that is claimed was counted with.

    >>> from symparam.claims.claim import read_claim
    >>> from symparam.descriptions.load import load
    >>> list(contexts([(load("gpt2"), read_claim("train_full=1", {"train_full"}).left)]))
    ['train_full: s = 1024 (as many as there are positions), of one token']
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
        run, assumed, _ = run_of(model, Setting())
    except SymparamError:  # numbers of no model; that is its verdict
        return ""
    words: list[str] = []
    for part in needs:
        words += setting_in_words(run, (part,))
        if part in run.run:
            why = f" ({assumed[part]})" if part in assumed else ""
            words.append(f"{part} = {run[part]}{why}")
        elif part == "D":
            words.append("of one token")
    return ", ".join(words)
