"""What answers about traced models rest on: one section of every document, one key of all data.

A model that somebody stated is its own premise and has neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from symparam.model import Model

if TYPE_CHECKING:
    from symparam.traced.records import Trace
    from symparam.writers.document import Block, Document


def resting(document: Document, *models: Model) -> Document:
    """A document with what its models rest on behind it."""
    return resting_on(document, _traces(models))


def resting_on(document: Document, traces: Mapping[str, Trace | None]) -> Document:
    """The same by the names of models, of which some were found by a trace."""
    found = _sentences(traces)
    if not found:
        return document
    from symparam.writers.document import Heading, Items, spans

    section: tuple[Block, ...] = (Heading(spans("What the rows rest on")),
                                  Items(tuple(spans(sentence) for sentence in found)))
    return replace(document, blocks=(*document.blocks, *section))


def _traces(models: tuple[Model, ...]) -> dict[str, Trace | None]:
    return {model.name: model.trace for model in models}


def resting_data(*models: Model) -> dict[str, Any]:
    """The key ``rests_on`` for data; nothing where every model was stated."""
    if not any(model.trace for model in models):
        return {}
    from symparam.traced.foundation import rests_on

    return rests_on(_traces(models))


def remarks_of(model: Model) -> tuple[str, ...]:
    """The same as remarks, beside what has no place for a section."""
    return _sentences(_traces((model,)))


def _sentences(traces: Mapping[str, Trace | None]) -> tuple[str, ...]:
    """The sentences on those models that were traced, by name."""
    if not any(traces.values()):
        return ()
    from symparam.traced.foundation import sentences_of

    return sentences_of(traces)
