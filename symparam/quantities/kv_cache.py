"""The cache: what a model keeps of the past, in numbers and in bytes.

Keys and values, latents of latent attention, an indexer's keys; windows bound them. What does not
grow with the sequence (recurrent states, tails of convolutions) is counted once a sequence.
"""

from __future__ import annotations

from collections.abc import Iterator

from symparam.arithmetic import over
from symparam.ledger import State
from symparam.quantities.quantity import Quantity, Share, Subject

_SOURCE = ("Pope et al. 2022, arXiv:2211.05102, section 3.3; Ainslie et al. 2023, arXiv:2305.13245 "
           "(grouped queries); DeepSeek-AI 2024, arXiv:2405.04434, section 2.1.4 (latents)")


def _copies(state: State) -> tuple[object, ...]:
    return tuple(index.applied for index in state.indices)


def elements(subject: Subject) -> Iterator[Share]:
    """Numbers that each state keeps for all sequences of a batch."""
    setting = subject.setting
    for state in subject.ledger.at_work().states:
        yield Share(state.path, (setting["b"], *_copies(state), *state.shape,
                                 setting.entries(state)))


def cache(subject: Subject) -> Iterator[Share]:
    """The same in bytes."""
    stored = subject.setting.cache.bytes
    return (Share(path, (stored, *factors)) for path, factors in elements(subject))


def elements_per_token(subject: Subject) -> Iterator[Share]:
    """Numbers that one more token adds, while no window is full."""
    for state in subject.ledger.at_work().states:
        if state.stream == "token":
            last = () if isinstance(state.every, int) and state.every == 1 else (
                over(1, state.every),)
            yield Share(state.path, (*_copies(state), *state.shape, *last))


def per_token(subject: Subject) -> Iterator[Share]:
    """The same in bytes."""
    stored = subject.setting.cache.bytes
    return (Share(path, (stored, *factors)) for path, factors in elements_per_token(subject))


def fixed(subject: Subject) -> Iterator[Share]:
    """Bytes that one sequence takes whatever its length: recurrent states and tails."""
    stored = subject.setting.cache.bytes
    for state in subject.ledger.at_work().states:
        if state.stream == "sequence":
            yield Share(state.path, (stored, *_copies(state), *state.shape))


KV_CACHE = Quantity(
    name="kv_cache", title="key-value cache", unit="B", shares=cache, symbol="M_cache",
    needs=("s", "b", "s_encoder", "cache"), source=_SOURCE,
    convention="what all layers keep for every sequence of the batch; a window bounds its layers; "
    "recurrent states are counted once a sequence")
KV_PER_TOKEN = Quantity(
    name="kv_per_token", title="key-value cache per token", unit="B", shares=per_token,
    needs=("cache",), source=_SOURCE, symbol="m_token",
    convention="what one more token adds in all layers, while no window is full")
KV_ELEMENTS = Quantity(
    name="kv_elements", title="cached numbers per token", unit="numbers",
    shares=elements_per_token, source=_SOURCE, symbol="k_token",
    convention="numbers that one more token adds in all layers, while no window is full")
STATE = Quantity(
    name="state", title="recurrent state of a sequence", unit="B", shares=fixed,
    needs=("cache",), source="Gu and Dao 2023, arXiv:2312.00752, section 3.3",
    symbol="M_state",
    convention="what one sequence keeps whatever its length: states of recurrences, last inputs of "
    "convolutions (k_conv of them, as the implementations keep them)")

GROUP = "Cache"
QUANTITIES = (KV_CACHE, KV_PER_TOKEN, KV_ELEMENTS, STATE)
