"""How a module is called: tokens in, and for a pair of encoder and decoder tokens on both sides.

Only what a forward pass says that it takes is given. The length of a sequence, their number and
the length of what an encoder reads are keys like those of the module, so that expressions for what
a pass multiplies have them too.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from symparam.tracing.recording.terms import Path, Term, key, number
from symparam.tracing.sources.target import Target

#: Keys of a call, by what they are when a model is run (:data:`symparam.run.RUN`).
CALL = "call"
KEYS: dict[str, Path] = {name: (CALL, name) for name in ("s", "b", "s_encoder")}
#: Where a search begins: longer than every window, so that what bounds a cache is seen; or, where
#: that is more than there are positions, short. No dim has these numbers.
LENGTHS = ({"s": 20011, "s_encoder": 20021}, {"s": 67, "s_encoder": 79})
SEQUENCES = 3


def sizes_of_call(module: Any) -> list[dict[Path, int]]:
    """The keys with which a module is called, and where they may begin; none where nobody knows
    how to call it."""
    taken = takes(module)
    if "input_ids" not in taken:
        return []
    names = ("s", "s_encoder") if "decoder_input_ids" in taken else ("s",)
    return [{KEYS["b"]: SEQUENCES, **{KEYS[name]: lengths[name] for name in names}}
            for lengths in LENGTHS]


def takes(module: Any) -> frozenset[str]:
    """The names of what a forward pass takes."""
    call = getattr(module, "forward", None)
    return frozenset() if call is None else frozenset(inspect.signature(call).parameters)


def given_to(module: Any, values: Mapping[Path, Any], masked: bool) -> dict[str, Any]:
    """What a module is called with at a point."""
    import torch

    taken, count, length = takes(module), values[KEYS["b"]], values[KEYS["s"]]
    tokens = torch.zeros(count, length, dtype=torch.long)
    given: dict[str, Any] = {"input_ids": tokens}
    if "decoder_input_ids" in taken:
        length = values[KEYS["s_encoder"]]
        given = {"input_ids": torch.zeros(count, length, dtype=torch.long),
                 "decoder_input_ids": tokens}
    if "use_cache" in taken:
        given["use_cache"] = True
    if masked and "attention_mask" in taken:
        given["attention_mask"] = torch.ones(count, length, dtype=torch.long)
    return given


def ready(module: Any) -> Any:
    """A module that multiplies all it multiplies openly: attention and experts as products."""
    for each in module.modules():
        config = getattr(each, "config", None)
        for name, way in (("_attn_implementation", "eager"),
                          ("_experts_implementation", "batched_mm")):
            if hasattr(config, "model_type"):
                setattr(config, name, way)
    return module.eval()


def following(target: Target, path: Path) -> Target:
    """A target with one key fewer: what it works out of others where it is not given."""
    return replace(target, base={p: v for p, v in target.base.items() if p != path},
                   opened=target.opened - {path})


def called(target: Target, sizes: Mapping[Path, int], masked: bool) -> Target:
    """What a target multiplies and keeps, as a target of its own.

    Args:
        target: what builds the module.
        sizes: the keys of the call.
        masked: whether a mask is given.
    """
    from symparam.tracing.working.forward import record

    def build(values: Mapping[Path, Any]) -> Any:
        module = ready(target.build({p: v for p, v in values.items() if p[0] != CALL}))
        return record(module, given_to(module, values, masked))

    return replace(target, build=build, base={**target.base, **sizes}, opened=frozenset(),
                   notes=(), strange=(), supposed=tuple(_bounded(target)))


def _bounded(target: Target) -> Iterator[Term]:
    """What a cache may hold: the last tokens, as many as a key says, or one less."""
    for path, value in target.base.items():
        if type(value) is int and value > 0:
            for most in (key(path), ("-", key(path), number(1))):
                yield ("min", key(KEYS["s"]), most)
