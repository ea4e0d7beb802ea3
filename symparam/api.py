"""The Python interface: load or describe a model, then count, derive, solve, evaluate it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from symparam import model as core
from symparam.dims import canonical
from symparam.errors import BadValue, Contradiction, UnknownName
from symparam.export.document import Document
from symparam.export.notation import Notation
from symparam.export.notation_file import notation_for
from symparam.export.view import View
from symparam.grammar import Rule, parse_expression, parse_rule
from symparam.layout import Tensor
from symparam.model import names_of
from symparam.quantities import ALIASES, counts, parameters
from symparam.resolve import numbers, with_overrides
from symparam.run import RUN
from symparam.spec.load import build
from symparam.spec.load import load as read
from symparam.spec.options import Options, bias_sites, with_known
from symparam.traced.switches import held_switch

if TYPE_CHECKING:
    from symparam.export.cost_document import CostView
    from symparam.export.derivation_view import DerivationView
    from symparam.export.diff_document import DifferenceView
    from symparam.export.review_document import ReviewView
    from symparam.export.sensitivity_document import SensitivityView
    from symparam.export.solve_document import SolutionView
    from symparam.export.suite_document import SuiteView
    from symparam.plot.picture import Picture
    from symparam.quantities.setting import Setting
    from symparam.solve import Wishes
    from symparam.sweep.sweep import Invalid, Sweep

_T = TypeVar("_T")
_OPTION_NAMES = frozenset(f.name for f in fields(Options))
_SWITCH = (bool, "True or False")
_OPTION_KINDS: dict[str, tuple[type, str]] = {
    "norms_per_block": (int, "1, 2 or 4"), "final_norm": _SWITCH, "qk_norm": _SWITCH,
    "tied": _SWITCH}


def _dim(name: str, value: Any, extra: Collection[str] = ()) -> int | Rule:
    """A dim's value as given from Python: an int, or a rule as text."""
    if isinstance(value, str):
        return parse_rule(value, extra)
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise BadValue(name, value, "give an int, or a rule as text such as '4*d_model'")
    return int(value)


def _split(changes: Mapping[str, Any], model: core.Model | None = None
           ) -> tuple[Options, dict[str, int | Rule]]:
    """Keyword arguments as architecture options and dims, by the names that a model has for them.
    """
    changes = _moved(changes, model)
    options = {k: _option(k, v) for k, v in changes.items() if k in _OPTION_NAMES}
    dims = {k: v for k, v in changes.items() if k not in _OPTION_NAMES}
    return Options(**options), _dims(dims, model.names if model else ())


def _moved(given: Mapping[str, Any], model: core.Model | None) -> dict[str, Any]:
    """What was given, less switches that are held as they are given."""
    trace = None if model is None else model.trace
    return {k: v for k, v in given.items() if not held_switch(trace, k, v)}


def _option(name: str, value: Any) -> Any:
    """An architecture option's value, of the kind that it takes; None changes nothing."""
    if value is None:
        return None
    if name == "bias":
        sites = [value] if isinstance(value, str) else value
        if not isinstance(sites, Collection) or not all(isinstance(s, str) for s in sites):
            raise BadValue(name, value, "expected text or a collection of sites")
        return bias_sites(value)
    kind, word = _OPTION_KINDS.get(name, (str, "a text"))
    if type(value) is not kind:
        raise BadValue(name, value, f"expected {word}")
    return value


def _dims(given: Mapping[str, Any], extra: Collection[str] = ()) -> dict[str, int | Rule]:
    """Dims under their standard names."""
    return {name: _dim(name, value, extra) for name, value in _named(given, extra).items()}


def _named(given: Mapping[str, Any], extra: Collection[str]) -> dict[str, Any]:
    """Values under standard names; one given twice is an error."""
    found: dict[str, Any] = {}
    for key, value in given.items():
        name = canonical(key, extra)
        if name in found:
            raise Contradiction(f"{name} given twice", "itself", f"give {name} once")
        found[name] = value
    return found


def _run(given: Mapping[str, Any]) -> tuple[Setting, dict[str, Any]]:
    """Keyword arguments as formats and ways to count, and the dims that are left."""
    from symparam.quantities.cost import setting_of

    names = setting_of.__kwdefaults__ or {}
    parts = {name: value for name, value in given.items() if name in names}
    return setting_of(**parts), {k: v for k, v in given.items() if k not in parts}


def _texts(assume: str | Sequence[str]) -> Sequence[str]:
    """Equations as text."""
    texts = [assume] if isinstance(assume, str) else assume
    if not isinstance(texts, Sequence) or not all(isinstance(t, str) for t in texts):
        raise BadValue("assume", assume, "expected an equation or several, as text")
    return texts


def load(reference: str, *, task: str | None = None, keep_ratios: bool = False,
         mtp: bool = False, ignore_keys: Sequence[str] = (), **changes: Any) -> Model:
    """A model by its name in the catalogue, or from a config.json or a description.

    Args:
        reference: a name, or the path of a file or of a folder that holds a config.json.
        task: count a configuration as ``base``, ``causal``, ``mlm`` or ``seq2seq``.
        keep_ratios: whether n_heads, n_kv and d_ff scale with a new d_model.
        mtp: whether multi-token-prediction layers are counted.
        ignore_keys: keys of a configuration that are not understood and to be passed over.
        **changes: architecture options (``attention="gqa"``, ``tied=True``) and dims
            (``d_model=8192``, ``d_ff="4*d_model"``).

    Raises:
        SymparamError: one of its leaves says what was wrong.

    >>> load("gpt2").count(), load("gpt2", bias="attn-out,ffn").count()
    (124439808, 124412160)
    """
    ignored = [ignore_keys] if isinstance(ignore_keys, str) else ignore_keys
    model = read(str(reference), task, mtp, ignored)
    options, dims = _split(changes, model)
    return Model.wrap(build(model, options, dims, task, keep_ratios))


def decoder(**changes: Any) -> Model:
    """A decoder from options, starting from the plain one.

    Plain: untied head, two RMSNorms a block and a final one, no biases, rotary positions,
    multi-head attention, a two-matrix FFN.

    >>> str(decoder(ffn="swiglu").derive(leading="d_model").formula)
    '12*L*d_model**2'
    """
    options, dims = _split(changes)
    return Model.wrap(build(None, options, dims))


def trace(build: Callable[..., Any] | str | Path | Mapping[str, Any], *,
          hold: Collection[str] = (), points: int = 20, seed: int = 0,
          seconds: float | None = None, **settings: Any) -> Model:
    """A model from any PyTorch module, found by building it at points; it runs what it is given.

    Args:
        build: a class, or a function that returns a module, from keyword numbers; or text as for
            the command (``"transformers:qwen3"``, ``"mine.py:Model"``, a ``config.json``); or a
            configuration of transformers, as an object or as a mapping.
        hold: keys that are not moved.
        points: fresh points at which the rows are refuted.
        seed: of every drawing.
        seconds: after which nothing more is built.
        **settings: values for its arguments, numbers and switches.

    Raises:
        SymparamError: it cannot be built, or a key is not its.

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
                                      seconds=seconds)))


def _target(build: Any, settings: Mapping[str, Any]) -> Any:
    """What is to be traced: a callable as it is, anything else as the target that it names."""
    if isinstance(build, (str, Path)):
        from symparam.tracing.targets import find_target

        return find_target(str(build), settings)
    data = build if isinstance(build, Mapping) else (
        build.to_dict() if hasattr(build, "model_type") and hasattr(build, "to_dict") else None)
    if data is None:
        return build
    from symparam.tracing.configurations import from_config

    return from_config(data, settings, str(data.get("model_type", "a configuration")))


def check_table(path: str | Path, model: str | core.Model | None = None, *,
                columns: Mapping[str, str] | None = None, **changes: Any) -> ReviewView:
    """A verdict on every row of a table of models, and what would make the false ones true.

    Args:
        path: a CSV, a Markdown table or a LaTeX tabular; one model a row, or one a column.
        model: the architecture of its rows, and the numbers for which it has no column.
        columns: title of a column to what it is, where the title does not say it: a dim, an
            option, ``"name"``, an expression that is claimed, ``"-"`` for nothing.
        **changes: options and dims for all rows.

    Raises:
        TableError: the table cannot be read; row and column are named.
    """
    from symparam.export.review_document import ReviewView
    from symparam.review.rows import Base, review_table
    from symparam.review.table import read_table

    own = load(model) if isinstance(model, str) else model
    options, dims = _split(changes, own)
    base = Base(own, options, dims)
    return ReviewView([review_table(read_table(path), base, columns)],
                      own.notation if own is not None else "paper")


class Model(core.Model):
    """A model with what can be asked of it. Made by :func:`load` and :func:`decoder`."""

    @classmethod
    def wrap(cls, model: core.Model) -> Model:
        """A composition with these methods."""
        return cls(**{f.name: getattr(model, f.name) for f in fields(core.Model)})

    def __repr__(self) -> str:
        dims = " ".join(f"{name}={value}" for name, value in self.values.items())
        return f"<symparam model {self.name}{': ' if dims else ''}{dims}>"

    def _with(self, dims: Mapping[str, Any]) -> core.Model:
        changes = _dims(_moved(dims, self), self.names)
        return with_overrides(with_known(self, changes), changes) if changes else self

    def count(self, convention: str = "P", /, **dims: Any) -> int:
        """Every parameter, tied ones once; or those that another convention counts.

        Args:
            convention: ``P``, ``active``, ``without_embeddings``, ``trainable`` ...
            **dims: dims to give or override.

        Raises:
            MissingDims: a dim has no number. UnknownName: no such convention of counting.

        >>> decoder(ffn="swiglu").count(V=32000, L=32, d_model=4096, n_heads=32, d_ff=11008)
        6738415616
        >>> load("deepseek-v3").count("active")
        37552282624
        """
        name = ALIASES.get(convention, convention)
        if name not in counts.COUNTS:
            raise UnknownName("number of parameters", convention, counts.COUNTS)
        model = self._with(dims)
        return int(counts.value(model.ledger(numbers(model).values), name))

    def breakdown(self, **dims: Any) -> Listing[parameters.Row]:
        """The parameters component by component; the rows sum to the count."""
        model = self._with(dims)
        rows = parameters.breakdown(model.ledger(numbers(model).values))
        return Listing(rows, model, tensors=False)

    def tensors(self, **dims: Any) -> Listing[Tensor]:
        """The tensors as transformers' modules name them, one row a name pattern and shape."""
        model = self._with(dims)
        rows = model.layout.tensors(model.ledger(numbers(model).values))
        return Listing(rows, model, tensors=True)

    def toml(self) -> str:
        """The architecture file of a traced model, with the numbers that it has now.

        Raises:
            BadValue: the model was not traced.
        """
        from symparam.traced.written import toml_of

        if self.trace is None:
            raise BadValue("toml", self.name, "only a traced model has a file of its tensors")
        keys = tuple(replace(key, base=self.values.get(key.name, key.base))
                     for key in self.trace.keys)
        return toml_of(replace(self.trace, keys=keys))

    def formula(self) -> Any:
        """The count in its general form, a SymPy expression in positive symbols.

        No constraint is applied: widths are independent. :meth:`derive` applies them.

        >>> load("nanochat-d20").formula()
        2*L*d_ff*d_model + 2*L*d_head*d_model*n_heads + 2*L*d_head*d_model*n_kv + 2*V*d_model
        """
        from symparam.count import count

        return count(self).plain()

    def derive(self, quantity: str = "P", *, assume: str | Sequence[str] = (),
               leading: str | None = None, detail: str = "brief", sensitivity: bool = False,
               notation: str | Path | Notation | None = None, **given: Any) -> DerivationView:
        """The derivation of a quantity, every step proved; it shows itself in a notebook.

        Args:
            quantity: the number of parameters, or another name (:meth:`quantity`).
            assume: equations to use besides or instead of the defaults; ``"none"`` drops those.
            leading: keep only the highest power of this symbol.
            detail: ``brief``, or ``full`` with the steps inside each step.
            sensitivity: whether what it depends on is a last section.
            notation: how dims are written: a name, the path of a TOML file (docs/notation.md), or
                a notation.
            **given: dims to give or override; ``s`` tokens, ``b`` sequences, ``s_encoder``; and
                what :func:`symparam.quantities.cost.setting_of` takes: ``dtype``, ``kv_dtype``,
                ``group``, ``attention``, ``train_bytes``, ``data``.

        Raises:
            UnknownName: no such quantity. NotDerivable: it is 0 here, or no polynomial.

        >>> load("llama-2-70b").derive("kv_cache").formula
        4*L*b*d_head*n_kv*s
        >>> load("deepseek-v3").derive("active").value
        37552282624
        """
        from symparam.derivation.plan import derive
        from symparam.export.derivation_view import DerivationView

        run, dims = _run(given)
        texts, model = _texts(assume), self._with(dims)
        symbol = None if leading is None else canonical(leading, self.names)
        found = derive(model, texts, symbol, detail, quantity=quantity, setting=run)
        if sensitivity:
            from symparam.sensitivity.analysis import depends

        return DerivationView(found, notation_for(self, notation),
                              depends(found, texts) if sensitivity else None)

    def solve(self, *, P: int | str | None = None, unknown: Collection[str] = (), limit: int = 10,
              tolerance: Fraction = Fraction(1, 100), targets: Collection[str] = (),
              ranges: Collection[str] = (), multiples: Mapping[str, int] | None = None,
              weights: Mapping[str, int] | None = None, strategy: str | None = None,
              **dims: Any) -> SolutionView:
        """Configurations that have a number of parameters, or of another quantity, best first.

        Args:
            P: the target, an ``int`` or exact text (``"7B"``); None where ``targets`` say all.
            unknown: dims to search; one alone over all whole numbers, everything else as it is.
            limit: how many configurations to keep.
            tolerance: the relative error within which a configuration counts as found.
            targets: other quantities, met (``"active=3B"``) or not exceeded (``"active<=3B"``).
            ranges: values of dims (``"L=16:64:4"``, ``"n_kv=4,8"``) and of ratios
                (``"d_model/L=64:160"``) in place of the usual ones.
            multiples: dim to what it is a multiple of.
            weights: preference to its weight in the order.
            strategy: ``deep``, ``balanced`` or ``wide``.
            **dims: what is fixed, ``s`` and ``b`` (tokens and sequences) among it.

        >>> batch = load("llama-2-7b").solve(unknown=["b"], s=4096, targets=["memory<=80GB"])
        >>> batch.configurations[0].dims["b"]
        30
        >>> found = decoder(attention="gqa", ffn="moe").solve(P="30B", targets=["active=3B"], L=48)
        >>> found.configurations[0].counts["active"] // 10**8
        29
        """
        from symparam.export.solve_document import SolutionView
        from symparam.solve import solve
        from symparam.solve.said import read_target

        found = solve(self, None if P is None else target(P), given=_dims(dims, self.names),
                      wishes=self._wishes(unknown, ranges, multiples, weights, strategy),
                      wanted=[read_target(text) for text in targets], tolerance=tolerance,
                      limit=limit)
        return SolutionView.wrap(found, notation_for(self))

    def ladder(self, sizes: Collection[int | str], *, aspect: int | Fraction = 128,
               limit: int = 1, tolerance: Fraction = Fraction(1, 100),
               ranges: Collection[str] = (), multiples: Mapping[str, int] | None = None,
               weights: Mapping[str, int] | None = None, **dims: Any) -> SuiteView:
        """A suite of sizes with one aspect ratio, the best configuration of each.

        Args:
            sizes: the targets (``["125M", "1B"]``).
            aspect: d_model/L; each size is within a tenth of it.
            limit, tolerance, ranges, multiples, weights, dims: as for :meth:`solve`.

        >>> suite = decoder(ffn="swiglu").ladder(["1B", "3B"], d_head=128)
        >>> [s.configurations[0].dims["L"] for _, s in suite.rows]
        [17, 25]
        """
        from symparam.export.suite_document import SuiteView
        from symparam.solve.suite import ladder

        found = ladder(self, [target(size) for size in sizes], given=_dims(dims, self.names),
                       wishes=self._wishes((), ranges, multiples, weights, None),
                       aspect=Fraction(aspect), tolerance=tolerance, limit=limit)
        return SuiteView.wrap(found, notation_for(self))

    def strategies(self, *, P: int | str, limit: int = 3, tolerance: Fraction = Fraction(1, 100),
                   ranges: Collection[str] = (), multiples: Mapping[str, int] | None = None,
                   weights: Mapping[str, int] | None = None, **dims: Any) -> SuiteView:
        """The best configurations for one target that are deep, balanced and wide.

        Args:
            P, limit, tolerance, ranges, multiples, weights, dims: as for :meth:`solve`.
        """
        from symparam.export.suite_document import SuiteView
        from symparam.solve.suite import strategies

        found = strategies(self, target(P), given=_dims(dims, self.names), tolerance=tolerance,
                           wishes=self._wishes((), ranges, multiples, weights, None), limit=limit)
        return SuiteView.wrap(found, notation_for(self))

    def _wishes(self, unknown: Collection[str], ranges: Collection[str],
                multiples: Mapping[str, int] | None, weights: Mapping[str, int] | None,
                strategy: str | None) -> Wishes:
        from symparam.solve.said import read_wishes

        names = [canonical(name, self.names) for name in unknown]
        return read_wishes(unknown=names, ranges=ranges, strategy=strategy, extra=self.names,
                           multiples=[f"{k}={v}" for k, v in (multiples or {}).items()],
                           weights=[f"{k}={v}" for k, v in (weights or {}).items()])

    def diff(self, other: core.Model | str, quantity: str = "P", **given: Any) -> DifferenceView:
        """What changes from this model to another, as signed terms, each proved.

        Args:
            other: a model, or what :func:`load` takes.
            quantity: the number of parameters, or another name (:meth:`quantity`).
            **given: what both are run with: ``s`` tokens, ``b`` sequences, ``s_encoder``; and
                what :func:`symparam.quantities.cost.setting_of` takes: ``dtype``, ``kv_dtype``,
                ``group``, ``attention``, ``train_bytes``, ``data``.

        >>> decoder().diff(decoder(attention="gqa")).formula.factor()
        -2*L*d_head*d_model*(n_heads - n_kv)
        >>> [move.adds for move in load("gpt2").diff("gpt2-medium").moves]
        [85054464, 69788416, 50356224, 25184256]
        >>> load("llama-2-7b").diff("llama-2-70b", "kv_per_token").change
        -196608
        """
        from symparam.diff.difference import compare
        from symparam.export.diff_document import DifferenceView

        setting, run = _run(given)
        unknown = [name for name in run if canonical(name) not in RUN]
        if unknown:
            raise UnknownName("what models are run with", unknown[0], RUN)
        second = load(other) if isinstance(other, str) else other
        first, after = (with_overrides(each, _dims(run)) for each in (self, second))
        return DifferenceView(compare(first, after, quantity, setting),
                              notation_for(self, None, second))

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
                what :func:`symparam.quantities.cost.setting_of` takes: ``dtype``, ``kv_dtype``,
                ``group``, ``attention``, ``train_bytes``, ``data``.

        >>> load("llama-2-7b").sensitivity().total.row("d_model", "ratios kept").here
        3226177
        >>> load("llama-2-7b").sensitivity("flops_per_token", wrt="s").rows[0].here
        524288
        """
        from symparam.export.sensitivity_document import SensitivityView
        from symparam.sensitivity.analysis import analyse

        setting, dims = _run(given)
        names = [wrt] if isinstance(wrt, str) else list(wrt)
        found = analyse(self._with(dims), names, steps or {}, shares, _texts(assume),
                        quantity=quantity, setting=setting)
        return SensitivityView(found, notation_for(self))

    def quantity(self, name: str, **given: Any) -> int | Fraction:
        """A quantity by its name: ``kv_cache``, ``flops``, ``train_palm``, ``weights`` ...

        Args:
            name: one of :func:`symparam.quantities.everything`, each with its convention.
            **given: dims to give or override; ``s`` tokens, ``b`` sequences, ``s_encoder``; and
                what :func:`symparam.quantities.cost.setting_of` takes: ``dtype``, ``kv_dtype``,
                ``group``, ``attention``, ``train_bytes``, ``data``.

        Raises:
            UnknownName: no such quantity. BadValue: it is not defined for this model.

        >>> load("deepseek-v3").quantity("kv_per_token")
        70272
        >>> load("llama-2-7b").quantity("train_palm", s=4096)
        46872944640
        >>> load("llama-2-7b").quantity("weights", dtype="int8")
        6738415616
        """
        from symparam.quantities import find
        from symparam.quantities.cost import run_of

        setting, dims = _run(given)
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

        >>> load("llama-2-70b").kv_cache(131072), load("llama-2-70b").kv_cache(131072, n_kv=64)
        (42949672960, 343597383680)
        """
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

        >>> load("nanochat-d20").cost(s=2048).data().shards_needed
        216
        """
        from symparam.export.cost_document import CostView
        from symparam.quantities.amounts import memory_of
        from symparam.quantities.cost import Asked, cost_of

        setting, dims = _run(given)
        on = memory_of(device) if isinstance(device, str) else device
        asked = Asked(setting=setting, sections=tuple(sections),
                      convention=convention, device=on)
        return CostView.wrap(cost_of(self._with(dims), asked),
                             notation_for(self))

    def check(self, *claims: str, **dims: Any) -> ReviewView:
        """A verdict on each printed number, and what would make the false ones true.

        Args:
            *claims: ``"P=8B"``, ``"d_ff/d_model=2.67"``, ``"kv_cache<=1GB"``: an expression in
                dims, P, parts (``P_attention``), matrices (``W_Q``) and quantities; a relation; a
                number as it is printed, whose writing says how precise it is.
            **dims: dims to give or override.

        Raises:
            ParseError, UnknownName, BadValue: a claim that cannot be read.

        >>> found = load("gpt2").check("P=124M", "P=124412160", "P_attention=2,362,368")
        >>> [row.verdict for row in found.rows], found.rows[1].mends[0].option
        (['rounds', 'convention', 'exact'], '--bias attn-out,ffn')
        """
        from symparam.export.review_document import ReviewView
        from symparam.review.claim import read_claim
        from symparam.review.names import Names
        from symparam.review.review import judged, review_rows

        model = self._with(dims)
        names = Names(model).spelled()
        rows = [(model, judged(model, read_claim(text, names), model.name, 0)) for text in claims]
        return ReviewView([review_rows(model.name, "", rows)],
                          notation_for(self))

    def evaluate(self, **dims: Any) -> Any:
        """The count over integer arrays of dims, exactly; an ``int`` without arrays."""
        from symparam.evaluate import evaluate

        named = _named(dims, self.names)
        return evaluate(with_known(self, named), {
            name: _dim(name, value, self.names) if isinstance(value, (Integral, str)) else value
            for name, value in named.items()})


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

        >>> found = load("llama-2-7b").sweep(["P", "kv_cache"], L=[16, 32], s="4096:8192:4096")
        >>> found.arrays()["kv_cache"].tolist()
        [1073741824, 2147483648, 2147483648, 4294967296]
        """
        from symparam.sweep.said import is_axis, parted
        from symparam.sweep.sweep import sweep

        setting, dims = _run(given)
        named = _named(dims, self.names)
        axes: dict[str, Any] = {}
        for name, value in list(named.items()):
            if isinstance(value, str) and is_axis(value):
                axes |= parted([f"{name}={value}"], self.names)[1]
            elif not isinstance(value, (Integral, str)):
                axes[name] = value
        model = self._with({name: value for name, value in named.items() if name not in axes})
        names = [quantities] if isinstance(quantities, str) else quantities
        return sweep(with_known(model, axes), axes, names, setting=setting,
                     invalid=invalid, block=block)


def picture(kind: str, *models: core.Model | str, kv_dtype: str = "bf16", quantity: str = "P",
            **axes: Sequence[int]) -> Picture:
    """A picture with its numbers, which shows itself in a notebook.

    Args:
        kind: ``shapes``, ``depth``, ``heads``, ``cache``, ``parts``, ``shares``, ``pie``,
            ``contours`` or ``flow``.
        *models: models, or what :func:`load` takes; the usual ones if none is named.
        kv_dtype: how a cache is stored.
        quantity: what ``depth`` and ``contours`` show.
        **axes: values of the picture's axes, in place of the usual ones.

    >>> print(picture("heads", d_model=[1024]).csv(), end="")
    d_model,n_heads,d_head
    1024,4,256
    1024,8,128
    1024,16,64
    1024,32,32
    """
    from symparam.plot.data import USUAL
    from symparam.plot.data import picture as made
    from symparam.quantities.formats import number_format
    from symparam.quantities.setting import Setting

    chosen = [load(each) if isinstance(each, str) else each
              for each in models or USUAL.get(kind, ())]
    names = names_of(chosen)
    return made(kind, chosen, {canonical(name, names): list(v) for name, v in axes.items()},
                setting=Setting(cache=number_format(kv_dtype)), quantity=quantity)


def target(value: int | str | float) -> int:
    """A target as a whole number; text is read exactly, a float only if it is whole.

    >>> target("6.7B"), target(7e9)
    (6700000000, 7000000000)
    """
    number: Any = value
    if isinstance(value, str):
        from symparam.expression import evaluate

        number = evaluate(parse_expression(value), {})
    elif isinstance(value, float) and value.is_integer():
        number = int(value)
    if isinstance(number, bool) or not isinstance(number, Integral) or number < 1:
        raise BadValue("P", value, "must be a whole number of parameters, at least 1")
    return int(number)


class Listing(list[_T], View):
    """The rows of a count, or the tensors: a list that can be written in every format."""

    def __init__(self, rows: Iterable[_T], model: core.Model, tensors: bool) -> None:
        super().__init__(rows)
        self.model, self.tensors, self.notation = model, tensors, notation_for(model)

    def document(self) -> Document:
        """The count as a tree with shares, or as the list of tensors."""
        from symparam.export.count_document import count_document, count_model

        return count_document(count_model(self.model), self.tensors)

    def json(self) -> dict[str, Any]:
        """The count as data, with the tensors where they are what was asked for."""
        from symparam.export.count_document import count_json, count_model

        return count_json(count_model(self.model), self.tensors)
