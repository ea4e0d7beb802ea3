"""Models counted tensor by tensor from the real modules: exact, or refused, and never wrong."""

from __future__ import annotations

from typing import Any

import pytest

from symparam.descriptions.config import read_config
from symparam.descriptions.lookup import known_model_types
from symparam.errors import SymparamError
from symparam.model import Model
from symparam.quantities import counts
from tests.helpers import Rows, ledger, recorded, rows, together, total_of, truth
from tests.oracle.mutants import MUTANTS

#: Heads that published checkpoints hold, as their configurations say (tie_word_embeddings false),
#: and that this version of transformers ties all the same: there the published total is the truth.
UNTIED = {"pub-mt5-base": ["lm_head.weight", [250112, 768], 1],
          "pub-mt5-xl": ["lm_head.weight", [250112, 2048], 1]}


def as_published(record: dict[str, Any]) -> dict[str, Any]:
    """A record, with the head that its module leaves out and its checkpoint does not."""
    if record["id"] not in UNTIED:
        return record
    assert record["config"]["tie_word_embeddings"] is False
    total = record["published_total"]
    return {**record, "tensors": [*record["tensors"], UNTIED[record["id"]]], "total": total,
            "trainable": total}


RECORDS = [as_published(record) for record in truth()]

#: What the names of a language model begin with inside a composite's.
TEXT = ("model.language_model.", "language_model.", "lm_head.", "model.text_model.", "text_model.")


def of_text(record: dict[str, Any], model: Model) -> tuple[Rows, dict[str, int]]:
    """A record's tensors; of a composite those of its language model.

    Where one name stands for several shapes a record has only the number of its copies.
    """
    rows_of = [row for row in record["tensors"]
               if model.part != "text" or row[0].startswith(TEXT)]
    several = {name: copies for name, shape, copies in rows_of if shape is None}
    return recorded([row for row in rows_of if row[1] is not None]), several


def read(record: dict[str, Any]) -> Model:
    """The model of a record's configuration."""
    return read_config(record["id"], record["config"], record["id"])


@together("record", RECORDS, ids=lambda r: r["id"])
def test_a_record_is_exact_or_refused(record: dict[str, Any]) -> None:
    if record["model_type"] not in known_model_types():
        with pytest.raises(SymparamError, match=r"model_type|mtp|text_config"):
            read(record)
        return
    model = read(record)
    made, listed, (wanted, several) = ledger(model), rows(model), of_text(record, model)
    assert {key: n for key, n in listed.items() if key[0] not in several} == wanted
    for name, copies in several.items():
        assert sum(n for key, n in listed.items() if key[0] == name) == copies
    if not several:
        assert made.total() == total_of(wanted)
    if model.part == "text":
        return
    assert made.total() == record["total"]
    assert counts.value(made, "trainable") == record["trainable"]
    buffers = record["persistent_buffers"] or 0
    assert counts.value(made, "with_buffers") == record["total"] + buffers
    active = counts.active(made)
    if model.trace is not None:  # how many experts a token uses is not known of its rows
        assert not active
        return
    assert (active["all"] if active else None) == record["active"]


def differs(record: dict[str, Any], listed: Rows) -> bool:
    """Whether rows are not those of a record."""
    return listed != recorded([row for row in record["tensors"] if row[1] is not None])


@pytest.mark.parametrize("name", MUTANTS)
def test_the_comparison_notices_a_wrong_answer(name: str) -> None:
    """Each mistake in three models in which it can be made: the rows of a record, made wrong."""
    made = 0
    for record in RECORDS:
        if record["model_type"] not in known_model_types() or any(
                row[1] is None for row in record["tensors"]):
            continue
        model = read(record)
        if model.part == "text" or (wrong := MUTANTS[name](rows(model))) is None:
            continue
        assert not differs(record, rows(model))
        assert differs(record, wrong)
        made += 1
        if made == 3:
            return
    assert made, f"{name} can be made in no model"
