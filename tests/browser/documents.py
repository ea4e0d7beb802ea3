"""What is tried: derivations and counts of all lineages, sampled options, every other command."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from symparam.api import load
from symparam.cli.main import run
from symparam.descriptions.catalogue import lineages
from symparam.documents.common.view import View
from symparam.notation.notation import PRESETS, Notation
from symparam.templating.render import render
from tests.sampled import sampled

#: The first model of each lineage.
FIRST = [names[0] for _, names in lineages()]

LINES = ("models", "components", "align gpt2", "align d_model=4096 n_heads=32 d_ff=11008",
         "count gpt2 llama-2-7b", "count deepseek-v3", "solve P=7e9 L=32",
         "solve llama-2-7b P=13e9",
         "solve P=7e9 --ffn swiglu --attention gqa --notation hf", "diff gpt2 llama-2-7b",
         "diff mistral-7b mixtral-8x7b --notation hf", "sensitivity llama-2-7b",
         "sensitivity mixtral-8x7b --notation megatron",
         "derive gemma-3-1b --quantity train_causal --sensitivity",
         "cost llama-2-7b --convention all --device 24GB")


_SHOWN: dict[tuple[str, str], str] = {}


@dataclass(frozen=True)
class Case:
    """One answer that can be asked for in any format."""

    name: str
    view: View | None = None
    notation: Notation | None = None
    line: str = ""

    def shown(self, kind: str) -> str:
        """The answer in a format; written once."""
        if (self.name, kind) not in _SHOWN:
            _SHOWN[self.name, kind] = self._written(kind)
        return _SHOWN[self.name, kind]

    def _written(self, kind: str) -> str:
        if self.view is not None:
            return render(self.view.document(), kind, self.notation or self.view.notation)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            assert run([*self.line.split(), "--format", kind, "--quiet"]) in {0, 1}
        return out.getvalue()


def models() -> Iterator[Case]:
    """Each lineage's first model, derived and counted."""
    for name in FIRST:
        model = load(name)
        yield Case(f"derive {name}", model.derive())
        yield Case(f"count {name}", model.breakdown())


def notations() -> Iterator[Case]:
    """Derivations in all notations, short and long."""
    for name in ("gpt2", "deepseek-v3", "jamba-v0.1", "t5-base", "bert-base"):
        for detail in ("brief", "full"):
            view = load(name).derive(detail=detail)
            for key, notation in PRESETS.items():
                yield Case(f"derive {name} {detail} {key}", view, notation)


@cache
def cases() -> tuple[Case, ...]:
    """All of them."""
    return (*models(), *notations(), *(Case(name, view) for name, view in sampled(40)),
            Case("count gpt2 --tensors", load("gpt2").tensors()),
            *(Case(line, line=line) for line in LINES))
