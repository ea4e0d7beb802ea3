"""Derivations of architectures drawn from all options, in a fixed order of chance."""

from __future__ import annotations

import random
from collections.abc import Iterator

from symparam.api import decoder
from symparam.documents.derivations.view import DerivationView
from symparam.errors import NotDerivable
from symparam.notation.notation import PRESETS
from tests.strategies import OPTIONS, possible

#: Numbers that every architecture has enough of.
DIMS = {"V": 50_000, "L": 12, "d_model": 768, "n_heads": 12, "d_ff": 3072, "n_ctx": 1024,
        "q_rank": 128, "kv_rank": 64, "d_nope": 48, "d_rope": 16, "d_v": 48,
        "n_experts": 8, "top_k": 2, "d_expert": 512}


def sampled(count: int) -> Iterator[tuple[str, DerivationView]]:
    """So many derivations, each with what it was made from; the same ones on every run."""
    draw, found = random.Random(5), 0
    while found < count:
        arch = possible({name: draw.choice(values) for name, values in OPTIONS.items()})
        model, with_numbers = decoder(**arch), draw.random() < 0.5
        if with_numbers:
            model = decoder(**arch, **{name: DIMS[name] for name in DIMS if name in model.dims})
        notation = draw.choice(sorted(PRESETS))
        options = draw.choice(({}, {"assume": "none"}, {"leading": "d_model"}, {"leading": "L"},
                               {"detail": "full"}, {"sensitivity": True}))
        try:
            view = model.derive(notation=notation, **options)
        except NotDerivable:
            continue
        yield f"{found} {notation} {options} {arch}", view
        found += 1
