"""A model at work: quantities, what it costs, claims about it, and sweeps over grids."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symparam.api.counted import Counted
from symparam.api.given import by_name, instead, setting_and_dims
from symparam.descriptions.options import with_known
from symparam.notation.notation import Notation
from symparam.notation.notation_file import notation_for

if TYPE_CHECKING:
    from symparam.documents.claims import ReviewView
    from symparam.documents.cost import CostView
    from symparam.explore.view import ExploreView
    from symparam.sweep.sweep import Invalid, Sweep


class Costed(Counted):
    """A model with its quantities."""

    def quantity(self, name: str, **given: Any) -> int | Fraction:
        """A quantity by its name: ``kv_cache``, ``flops``, ``train_palm``, ``weights`` ...

        Args:
            name: one of :func:`symparam.quantities.everything`, each with its convention.
            **given: dims to give or override; ``s`` tokens, ``b`` sequences, ``s_encoder``; and
                what :func:`symparam.quantities.plain.setting_of` takes: ``dtype``, ``kv_dtype``,
                ``group``, ``attention``, ``train_bytes``, ``data``.

        Raises:
            UnknownName: no such quantity. BadValue: it is not defined for this model.

        >>> from symparam import load
        >>> load("deepseek-v3").quantity("kv_per_token")
        70272
        >>> load("llama-2-7b").quantity("train_palm", s=4096)
        46872944640
        >>> load("llama-2-7b").quantity("weights", dtype="int8")
        6738415616
        """
        from symparam.quantities import find
        from symparam.quantities.cost import run_of

        setting, dims = setting_and_dims(given)
        quantity, model = find(name), self._with(dims)
        found: int | Fraction = quantity.of(model, run_of(model, setting)[0])
        return found

    def kv_cache(self, s: int, *, b: int = 1, kv_dtype: str = "bf16", **dims: Any) -> int:
        """Bytes that the model keeps of ``b`` sequences of ``s`` tokens.

        Keys and values, latents, recurrent states; windows bound them.

        Args:
            s: tokens of a sequence.
            b: sequences.
            kv_dtype: how a number is stored: fp32, bf16, fp16, fp8, int8 or int4.
            **dims: dims to give or override.

        >>> from symparam import load
        >>> load("llama-2-70b").kv_cache(131072), load("llama-2-70b").kv_cache(131072, n_kv=64)
        (42949672960, 343597383680)
        """
        if "dtype" in dims:
            instead("kv_cache(dtype=...)", "kv_dtype=...")
            kv_dtype = dims.pop("dtype")
        value = self.quantity("kv_cache", kv_dtype=kv_dtype, s=s, b=b, **dims)
        return -(-value.numerator // value.denominator)

    def flops(self, s: int, *, b: int = 1, attention: str = "full", **dims: Any) -> int:
        """Operations of matrix products in a forward pass of ``b`` sequences of ``s`` tokens.

        Args:
            s: tokens of a sequence.
            b: sequences.
            attention: ``full`` follows windows and counts the pairs that a causal mask hides,
                ``causal`` does not count these, ``all-pairs`` every pair, windows or not.
            **dims: dims to give or override.

        >>> from symparam import load
        >>> load("llama-2-7b").flops(128)
        1700001742848
        """
        return int(self.quantity("flops", attention=attention, s=s, b=b, **dims))

    def cost(self, *, convention: str | None = None, sections: Collection[str] = (),
             device: str | int | None = None, **given: Any) -> CostView:
        """Weights, cache, FLOPs, training, memory and data, which shows itself in a notebook.

        Args:
            convention: how training is counted; ``"all"`` for a table of every way; attention as
                in the forward pass if None.
            sections: parts of the answer; all that there is something to say in if empty.
            device: what it is to fit on: a name, text such as ``"24GB"``, or a number of bytes.
            **given: dims to give or override; ``s`` tokens, ``b`` sequences, ``D`` of a run; and
                ``dtype`` and the like, as for :meth:`quantity`.

        >>> from symparam import load
        >>> load("nanochat-d20").cost(s=2048).data().shards_needed
        216
        """
        from symparam.documents.cost import CostView
        from symparam.quantities.amounts import memory_of
        from symparam.quantities.cost import Asked, cost_of

        setting, dims = setting_and_dims(given)
        on = memory_of(device) if isinstance(device, str) else device
        asked = Asked(setting=setting, sections=tuple(sections),
                      convention=convention, device=on)
        return CostView.wrap(cost_of(self._with(dims), asked),
                             notation_for(self))

    def explore(self, *quantities: str, notation: str | Path | Notation | None = None,
                **given: Any) -> ExploreView:
        """The model as data that can be counted with other numbers, and a page for that.

        ``json()`` is the data, ``html()`` the page (docs/explore.md).

        Args:
            *quantities: names of further quantities besides the usual ones.
            notation: how dims are written.
            **given: dims to give or override; ``s`` tokens, ``b`` sequences; and ``dtype`` and the
                like, as for :meth:`quantity`.

        Raises:
            MissingDims: a dim has no number.

        >>> from symparam import load
        >>> load("mistral-7b").explore().json()["quantities"][2]["shares"][0]["factors"]
        ['2', 'b', 'L', 'n_kv', 'd_head', 'min(s, window)']
        """
        from symparam.explore.explored import explore
        from symparam.explore.view import ExploreView

        setting, dims = setting_and_dims(given)
        found = explore(self._with(dims), setting, quantities)
        return ExploreView(found, notation_for(self, notation))

    def check(self, *claims: str, **dims: Any) -> ReviewView:
        """A verdict on each printed number, and what would make the false ones true.

        Args:
            *claims: ``"P=8B"``, ``"d_ff/d_model=2.67"``, ``"kv_cache<=1GB"``: an expression in
                dims, P, parts (``P_attention``), matrices (``W_Q``) and quantities; a relation; a
                number as it is printed, whose writing says how precise it is.
            **dims: dims to give or override.

        Raises:
            ParseError, UnknownName, BadValue: a claim that cannot be read.

        >>> from symparam import load
        >>> found = load("gpt2").check("P=124M", "P=124412160", "P_attention=2,362,368")
        >>> [row.verdict for row in found.rows], found.rows[1].mends[0].option
        (['rounds', 'convention', 'exact'], '--bias attn-out,ffn')
        """
        from symparam.claims.claims import read_claims, review_claims
        from symparam.documents.claims import ReviewView

        model = self._with(dims)
        return ReviewView([review_claims(model, read_claims(model, claims))], notation_for(self))

    def sweep(self, quantities: str | Sequence[str] = ("P",), *, invalid: Invalid = "skip",
              block: int | None = None, **given: Any) -> Sweep:
        """Quantities over a grid, exactly; as arrays, block by block, or written to a file.

        Args:
            quantities: names: ``P``, ``active``, ``kv_cache``, ``flops`` ...
            invalid: whether points that the model cannot have are left out (``skip``) or kept,
                with what is wrong in a column (``mark``).
            block: points that are worked out at a time.
            **given: axes as ranges, lists, arrays or text (``"12:48:4"``), the last one running
                fastest; other dims to give or override.

        >>> from symparam import load
        >>> found = load("llama-2-7b").sweep(["P", "kv_cache"], L=[16, 32], s="4096:8192:4096")
        >>> found.arrays()["kv_cache"].tolist()
        [1073741824, 2147483648, 2147483648, 4294967296]
        """
        from symparam.api.swept import Swept
        from symparam.sweep.parsing import is_axis, parted
        from symparam.sweep.sweep import sweep

        setting, dims = setting_and_dims(given)
        named = by_name(dims, self.names)
        axes: dict[str, Any] = {}
        for name, value in list(named.items()):
            if isinstance(value, str) and is_axis(value):
                axes |= parted([f"{name}={value}"], self.names)[1]
            elif not isinstance(value, (Integral, str)):
                axes[name] = value
        model = self._with({name: value for name, value in named.items() if name not in axes})
        names = [quantities] if isinstance(quantities, str) else quantities
        found = sweep(with_known(model, axes), axes, names, setting=setting,
                      invalid=invalid, block=block)
        return Swept.wrap(found)
