"""Random descriptions, command lines and calls against the enumerator; the enumerator's mutants."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fuzzed import Tally, fuzz
from tests.oracle import enumerated as oracle
from tests.strategies import SEED


def checked(tally: Tally) -> None:
    assert tally.wrong == []
    assert tally.broken == []
    assert tally.slow == []
    assert 2 * tally.answered >= tally.calls


@pytest.mark.thinned(3)
def test_a_sample_of_calls_is_answered_as_the_enumerator_counts() -> None:
    checked(fuzz(150, SEED))


@pytest.mark.long
def test_many_calls_are_answered_as_the_enumerator_counts() -> None:
    """``python -m tests.fuzzed 100000`` is the long run."""
    checked(fuzz(5000, SEED))


def _shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache whose windows keep their number of layers, whatever the depth."""
    true = oracle.belongs
    monkeypatch.setattr(oracle, "belongs", lambda pattern, layer: true(pattern, layer % 24))


def _shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mixtures without their shared experts."""
    true = oracle.feed_forward

    def wrong(block: Any, d: Any, active: bool) -> int:
        return true(block, {k: v for k, v in d.items() if k != "n_shared"}, active)

    monkeypatch.setattr(oracle, "feed_forward", wrong)


def _active(monkeypatch: pytest.MonkeyPatch) -> None:
    """All experts active."""
    true = oracle.feed_forward
    monkeypatch.setattr(oracle, "feed_forward", lambda block, d, active: true(block, d, False))


@pytest.mark.slow
@pytest.mark.parametrize("mutant", [_shares, _shared, _active])
def test_a_wrong_enumerator_is_noticed(mutant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mutant(monkeypatch)
    assert fuzz(200, 5).wrong
