"""Activations that have weights: counted where a family knows them, refused everywhere else."""

from __future__ import annotations

from typing import Any

import pytest

from symparam.descriptions.config import read_config
from symparam.errors import SpecError
from symparam.quantities import counts
from tests.helpers import ledger, message

APERTUS: dict[str, Any] = {
    "model_type": "apertus", "vocab_size": 64, "num_hidden_layers": 3, "hidden_size": 8,
    "num_attention_heads": 2, "intermediate_size": 20}


@pytest.mark.parametrize("activation", ["prelu", "xielu"])
def test_a_family_that_does_not_know_it_refuses_it(activation: str) -> None:
    config = {"model_type": "llama", "hidden_act": activation}
    with pytest.raises(SpecError, match=rf"hidden_act: {activation} is an activation with"):
        read_config("here", config, "drawn")


def test_apertus_counts_its_own_and_refuses_another() -> None:
    made = ledger(read_config("here", APERTUS, "drawn"))
    plain = ledger(read_config("here", {**APERTUS, "hidden_act": "silu"}, "drawn"))
    assert made.total() - plain.total() == 3 * 2
    assert counts.value(made, "with_buffers") - made.total() == 3 * 2
    assert counts.value(plain, "with_buffers") == plain.total()
    with pytest.raises(SpecError) as caught:
        read_config("here", {**APERTUS, "hidden_act": "prelu"}, "drawn")
    assert "prelu" in message(caught.value)
