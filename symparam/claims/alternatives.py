"""Single changes of an architecture, each with what to write for it and the model that it makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Literal, TypeAlias

from symparam.claims.tables.choices import usual_first
from symparam.components import choices
from symparam.descriptions import catalogue
from symparam.descriptions.config import TASKS
from symparam.descriptions.load import load
from symparam.descriptions.options import SITES, Options, apply
from symparam.descriptions.references import published_name
from symparam.dims import N_CTX
from symparam.model import Model
from symparam.resolve import with_overrides

Kind: TypeAlias = Literal["convention", "option", "dim"]
Alternative: TypeAlias = tuple[Kind, str, str, Callable[[], Model]]

#: Vocabularies are padded to a multiple of one of these.
PADDED = (8, 16, 32, 64, 128, 256, 512, 1024)
#: Lengths that a table of positions has.
LENGTHS = (512, 1024, 2048, 4096, 8192)
#: Key-value heads that are tried at most: no model has more, and a printed number may be anything.
MOST_KV = 1024


def alternatives(model: Model) -> Iterator[Alternative]:
    """Single changes of the architecture: its kind, in words, as an option, and what makes it."""
    for kind, what, option, chosen in _switches():
        yield kind, what, option, lambda chosen=chosen: apply(model, chosen)  # type: ignore[misc]
    yield from _longer(model)
    yield from _tasks(model)
    for slot, flag in (("ffn", "--ffn"), ("attention", "--attention")):
        for name in sorted(choices(slot), key=lambda name: usual_first(slot, name)):
            yield ("option", f"{name} in place of its {'FFN' if slot == 'ffn' else slot}",
                   f"{flag} {name}",
                   lambda slot=slot, name=name: apply(model, Options(**{slot: name})))  # type: ignore[misc]
    yield from _grouped(model)


def _switches() -> Iterator[tuple[Kind, str, str, Options]]:
    for tied, word in ((True, "tied"), (False, "untied")):
        yield "convention", f"the head is {word}", f"--{word}", Options(tied=tied)
    for size in range(len(SITES) + 1):
        for sites in combinations(SITES, size):
            words = ",".join(sites) or "none"
            what = f"biases: {words}" if sites else "no biases"
            yield "convention", what, f"--bias {words}", Options(bias=frozenset(sites))
    for norm, what in (("none", "norms without weights"), ("rmsnorm", "norms are RMSNorms"),
                       ("layernorm", "norms are LayerNorms with shifts"),
                       ("layernorm-gain", "LayerNorms without shifts")):
        yield "convention", what, f"--norm {norm}", Options(norm=norm)
    yield "convention", "no final norm", "--no-final-norm", Options(final_norm=False)
    yield "convention", "a final norm", "--final-norm", Options(final_norm=True)
    for norms in (1, 2, 4):
        what = f"{norms} norm{'s' * (norms > 1)} in a block"
        yield "option", what, f"--norms-per-block {norms}", Options(norms_per_block=norms)
    yield "option", "without QK-norm", "--no-qk-norm", Options(qk_norm=False)
    yield "option", "with QK-norm", "--qk-norm", Options(qk_norm=True)
    yield "convention", "no table of positions", "--positions none", Options(positions="none")
    yield "option", "relative positions", "--positions relative", Options(positions="relative")


def _tasks(model: Model) -> Iterator[Alternative]:
    """A published configuration counted as another class, or with its prediction layers."""
    name = published_name(model.name)
    if name is None or catalogue.configuration(name) is None:
        return
    own = load(name, model.task or None)
    if (own.stacks, own.values, own.equations) != (model.stacks, model.values, model.equations):
        return  # what was changed would be lost
    for task in ("mlm", *TASKS):
        if task != model.task:
            yield ("convention", f"counted as {task}", f"--as {task}",
                   lambda task=task: load(name, task))  # type: ignore[misc]
    yield "convention", "prediction layers counted", "--mtp", lambda: load(name, None, True)


def _longer(model: Model) -> Iterator[Alternative]:
    """What needs a number as well: a padded vocabulary, a table of positions."""
    size = model.values.get("V")
    padded = {-(-size // step) * step: step for step in reversed(PADDED)} if size else {}
    for value, step in sorted(padded.items()):
        yield ("convention", f"the vocabulary padded to a multiple of {step}", f"V={value}",
               lambda value=value: with_overrides(model, {"V": value}))  # type: ignore[misc]
    if N_CTX.name in model.dims:
        return
    given = model.values.get(N_CTX.name)
    for length in (given,) if given else LENGTHS:
        yield ("option", f"with a table of {length} positions",
               f"--positions learned n_ctx={length}",
               lambda length=length: with_overrides(  # type: ignore[misc]
                   apply(model, Options(positions="learned")), {N_CTX.name: length}))


def _grouped(model: Model) -> Iterator[Alternative]:
    """Key-value heads for a model that has one for each query head."""
    heads = model.values.get("n_heads")
    if heads is None or "n_kv" in model.values:
        return
    for kv in (k for k in range(2, min(heads, MOST_KV + 1)) if heads % k == 0):
        yield ("option", f"{kv} key-value heads", f"--attention gqa n_kv={kv}",
               lambda kv=kv: with_overrides(  # type: ignore[misc]
                   apply(model, Options(attention="gqa")), {"n_kv": kv}))
