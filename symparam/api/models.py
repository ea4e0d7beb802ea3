"""Models with all that can be asked of them: loaded, from options, or traced."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from symparam.api.costed import Costed
from symparam.api.given import options_and_dims
from symparam.api.renamed import Renamed
from symparam.api.solved import Solved
from symparam.descriptions.load import build
from symparam.descriptions.load import load as read


class Model(Renamed, Solved, Costed):
    """A model with what can be asked of it. Made by :func:`load` and :func:`decoder`."""


def load(reference: str, *, task: str | None = None, keep_ratios: bool = False,
         mtp: bool = False, ignore_keys: Sequence[str] = (), part: str | None = None,
         **changes: Any) -> Model:
    """A model by its name in the catalogue, or from a config.json or a description.

    Args:
        reference: a name, or the path of a file or of a folder that holds a config.json.
        task: count a configuration as ``base``, ``causal``, ``mlm`` or ``seq2seq``.
        keep_ratios: whether n_heads, n_kv and d_ff scale with a new d_model.
        mtp: whether multi-token-prediction layers are counted.
        ignore_keys: keys of a configuration that are not understood and to be passed over.
        part: of a model that is made of several, the one to count: ``text``, ``vision`` ...
        **changes: architecture options (``attention="gqa"``, ``tied=True``) and dims
            (``d_model=8192``, ``d_ff="4*d_model"``).

    Raises:
        SymparamError: one of its leaves says what was wrong.

    >>> from symparam import load
    >>> load("gpt2").count(), load("gpt2", bias="attn-out,ffn").count()
    (124439808, 124412160)
    >>> load("gemma-3-4b").count(), load("gemma-3-4b", part="vision").count()
    (4300079472, 416866032)
    """
    ignored = [ignore_keys] if isinstance(ignore_keys, str) else ignore_keys
    model = read(str(reference), task, mtp, ignored, part)
    options, dims = options_and_dims(changes, model)
    return Model.wrap(build(model, options, dims, task, keep_ratios))


def decoder(**changes: Any) -> Model:
    """A decoder from options, starting from the plain one.

    Plain: untied head, two RMSNorms a block and a final one, no biases, rotary positions,
    multi-head attention, a two-matrix FFN.

    >>> from symparam import decoder
    >>> str(decoder(ffn="swiglu").derive(leading="d_model").formula)
    '12*L*d_model**2'
    """
    options, dims = options_and_dims(changes)
    return Model.wrap(build(None, options, dims))


def trace(build: Callable[..., Any] | str | Path | Mapping[str, Any], *,
          hold: Collection[str] = (), points: int = 20, seed: int = 0,
          seconds: float | None = None, costs: bool = True, **settings: Any) -> Model:
    """A model from any PyTorch module, found by building it at points; it runs what it is given.

    Args:
        build: a class, or a function that returns a module, from keyword numbers; or text as for
            the command (``"transformers:qwen3"``, ``"mine.py:Model"``, a ``config.json``); or a
            configuration of transformers, as an object or as a mapping.
        hold: keys that are not moved.
        points: fresh points at which the rows are refuted.
        seed: of every drawing.
        seconds: after which nothing more is built.
        costs: whether forward passes are made too, for what it multiplies and keeps.
        **settings: values for its arguments, numbers and switches.

    Raises:
        SymparamError: it cannot be built, or a key is not its.

    >>> from symparam import trace
    >>> def layers(d_model=64, n_layers=2):
    ...     return {f"h.{i}.weight": (4 * d_model, d_model) for i in range(n_layers)}
    >>> found = trace(layers)
    >>> found.count(), found.count(n_layers=3), found.formula()
    (32768, 49152, 4*L*d_model**2)
    """
    from symparam.traced.model import model_of
    from symparam.tracing import trace as search

    target = _target(build, settings)
    base = settings if target is build else None
    return Model.wrap(model_of(search(target, base=base, hold=hold, points=points, seed=seed,
                                      seconds=seconds, costs=costs)))


def _target(build: Any, settings: Mapping[str, Any]) -> Any:
    """What is to be traced: a callable as it is, anything else as the target that it names."""
    if isinstance(build, (str, Path)):
        from symparam.tracing.sources.targets import find_target

        return find_target(str(build), settings)
    data = build if isinstance(build, Mapping) else (
        build.to_dict() if hasattr(build, "model_type") and hasattr(build, "to_dict") else None)
    if data is None:
        return build
    from symparam.tracing.sources.configurations import from_config

    return from_config(data, settings, str(data.get("model_type", "a configuration")))
