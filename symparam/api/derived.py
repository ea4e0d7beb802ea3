"""A model that is taken apart: derivations, sensitivities and differences, each proved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symparam import model as core
from symparam.api.counted import Counted
from symparam.api.given import dims_of, setting_and_dims, texts_of
from symparam.descriptions.load import load
from symparam.dims import canonical
from symparam.errors import UnknownName
from symparam.notation.notation import Notation
from symparam.notation.notation_file import notation_for
from symparam.quantities import find
from symparam.resolve import with_overrides
from symparam.run import RUN
from symparam.sight import sizes

if TYPE_CHECKING:
    from symparam.documents.derivations.view import DerivationView
    from symparam.documents.differences.document import DifferenceView
    from symparam.documents.sensitivities.document import SensitivityView


class Derived(Counted):
    """A model with its derivations."""

    def derive(self, quantity: str = "P", *, assume: str | Sequence[str] = (),
               leading: str | None = None, detail: str = "brief", sensitivity: bool = False,
               notation: str | Path | Notation | None = None, **given: Any) -> DerivationView:
        """The derivation of a quantity, every step proved; it shows itself in a notebook.

        Args:
            quantity: the number of parameters, or another name (:meth:`quantity`).
            assume: equations to use besides or instead of the defaults; ``"none"`` drops those.
            leading: keep only the highest power of this symbol.
            detail: ``brief``, ``full`` with the steps inside each step, or ``appendix``: what a
                paper prints of it.
            sensitivity: whether what it depends on is a last section.
            notation: how dims are written: a name, the path of a TOML file (docs/notation.md), or
                a notation.
            **given: dims to give or override; ``s`` tokens, ``b`` sequences, ``s_encoder``; and
                what :func:`symparam.quantities.plain.setting_of` takes: ``dtype``, ``kv_dtype``,
                ``group``, ``attention``, ``train_bytes``, ``data``.

        Raises:
            UnknownName: no such quantity. NotDerivable: it is 0 here, or no polynomial.

        >>> from symparam import load
        >>> load("llama-2-70b").derive("kv_cache").formula
        4*L*b*d_head*n_kv*s
        >>> load("deepseek-v3").derive("active").value
        37552282624
        """
        from symparam.derivation.plan import derive
        from symparam.documents.derivations.view import DerivationView

        run, dims = setting_and_dims(given)
        texts, model = texts_of(assume), self._with(dims)
        symbol = None if leading is None else canonical(leading, self.names)
        found = derive(model, texts, symbol, detail, quantity=quantity, setting=run)
        if sensitivity:
            from symparam.sensitivity.analysis import depends

        return DerivationView(found, notation_for(self, notation),
                              depends(found, texts) if sensitivity else None)

    def sensitivity(self, quantity: str = "P", *, wrt: str | Sequence[str] = (),
                    assume: str | Sequence[str] = (),
                    steps: Mapping[str, Sequence[int]] | None = None,
                    shares: Sequence[Fraction] | None = None, **given: Any) -> SensitivityView:
        """How a quantity changes with what it depends on: derivatives, each proved, and more.

        Args:
            quantity: the number of parameters, or another name (:meth:`quantity`).
            wrt: the dims to look at, ``"all"`` for every one; where none is named the usual ones,
                of another quantity than ``P`` all of its formula.
            assume: relations for where ratios are kept, in place of the model's own.
            steps: dim to whole steps to count, in place of the usual ones.
            shares: shares under which the embeddings are looked for, 5 and 10 per cent usually.
            **given: dims to give or override; ``s`` tokens, ``b`` sequences, ``s_encoder``; and
                what :func:`symparam.quantities.plain.setting_of` takes: ``dtype``, ``kv_dtype``,
                ``group``, ``attention``, ``train_bytes``, ``data``.

        >>> from symparam import load
        >>> load("llama-2-7b").sensitivity().total.row("d_model", "ratios kept").here
        3226177
        >>> load("llama-2-7b").sensitivity("flops_per_token", wrt="s").rows[0].here
        524288
        """
        from symparam.documents.sensitivities.document import SensitivityView
        from symparam.sensitivity.analysis import analyse

        setting, dims = setting_and_dims(given)
        names = [wrt] if isinstance(wrt, str) else list(wrt)
        found = analyse(self._with(dims), names, steps or {}, shares, texts_of(assume),
                        quantity=quantity, setting=setting)
        return SensitivityView(found, notation_for(self))

    def diff(self, other: core.Model | str, quantity: str = "P", **given: Any) -> DifferenceView:
        """What changes from this model to another, as signed terms, each proved.

        Args:
            other: a model, or what :func:`load` takes.
            quantity: the number of parameters, or another name (:meth:`quantity`).
            **given: what both are run with: ``s`` tokens, ``b`` sequences, ``s_encoder``,
                ``n_images`` pictures, ``image_width`` and ``image_height`` of each; and what
                :func:`symparam.quantities.plain.setting_of` takes: ``dtype``, ``kv_dtype``,
                ``group``, ``attention``, ``train_bytes``, ``data``.

        >>> from symparam import decoder, load
        >>> decoder().diff(decoder(attention="gqa")).formula.factor()
        -2*L*d_head*d_model*(n_heads - n_kv)
        >>> [move.adds for move in load("gpt2").diff("gpt2-medium").moves]
        [85054464, 69788416, 50356224, 25184256]
        >>> load("llama-2-7b").diff("llama-2-70b", "kv_per_token").change
        -196608
        """
        from symparam.diff.difference import compare
        from symparam.diff.sides import refuse_unread
        from symparam.documents.differences.document import DifferenceView

        setting, run = setting_and_dims(given)
        second = load(other) if isinstance(other, str) else other
        known = {*RUN, *sizes(self), *sizes(second)}
        if unknown := [name for name in run if canonical(name, {*self.names, *known}) not in known]:
            raise UnknownName("what models are run with", unknown[0], known)
        both = dims_of(run, known)
        refuse_unread(find(quantity), both)
        first, after = (with_overrides(each, {name: both[name] for name in both if name in RUN
                                              or name in sizes(each)}) for each in (self, second))
        return DifferenceView(compare(first, after, quantity, setting),
                              notation_for(self, None, second))
