"""A model that counts: its parameters, components and tensors, as numbers and in symbols."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from numbers import Integral
from typing import Any, TypeVar

from symparam import model as core
from symparam.api.given import by_name, dim_of, dims_of, moved
from symparam.descriptions.load import build
from symparam.descriptions.options import Options, with_known
from symparam.documents.common.view import View
from symparam.errors import BadValue, UnknownName
from symparam.layout import Tensor
from symparam.notation.notation_file import notation_for
from symparam.quantities import ALIASES, counts, parameters
from symparam.resolve import numbers
from symparam.writers.document import Document

_T = TypeVar("_T")
_M = TypeVar("_M", bound="Counted")


class Counted(core.Model):
    """A model with its counts; what else can be asked builds on it."""

    @classmethod
    def wrap(cls: type[_M], model: core.Model) -> _M:
        """A composition with these methods."""
        return cls(**{f.name: getattr(model, f.name) for f in fields(core.Model)})

    def __repr__(self) -> str:
        dims = " ".join(f"{name}={value}" for name, value in self.values.items())
        return f"<symparam model {self.name}{': ' if dims else ''}{dims}>"

    def _with(self, dims: Mapping[str, Any]) -> core.Model:
        changes = dims_of(moved(dims, self), self.names)
        return build(self, Options(), changes) if changes else self

    def count(self, convention: str = "P", /, **dims: Any) -> int:
        """Every parameter, tied ones once; or those that another convention counts.

        Args:
            convention: ``P``, ``active``, ``without_embeddings``, ``trainable`` ...
            **dims: dims to give or override.

        Raises:
            MissingDims: a dim has no number. UnknownName: no such convention of counting.

        >>> from symparam import decoder, load
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

    def breakdown(self, **dims: Any) -> Listing[parameters.CountRow]:
        """The parameters component by component; the rows sum to the count."""
        model = self._with(dims)
        rows = parameters.breakdown(model.ledger(numbers(model).values))
        return Listing(rows, model, tensors=False, base=self)

    def tensors(self, **dims: Any) -> Listing[Tensor]:
        """The tensors as transformers' modules name them, one row a name pattern and shape."""
        model = self._with(dims)
        rows = model.layout.tensors(model.ledger(numbers(model).values))
        return Listing(rows, model, tensors=True, base=self)

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

        >>> from symparam import load
        >>> load("nanochat-d20").formula()
        2*L*d_ff*d_model + 2*L*d_head*d_model*n_heads + 2*L*d_head*d_model*n_kv + 2*V*d_model
        """
        from symparam.count import count

        return count(self).plain()

    def evaluate(self, **dims: Any) -> Any:
        """The count over integer arrays of dims, exactly; an ``int`` without arrays."""
        from symparam.evaluate import evaluate

        named = by_name(dims, self.names)
        return evaluate(with_known(self, named), {
            name: dim_of(name, value, self.names) if isinstance(value, (Integral, str)) else value
            for name, value in named.items()})


class Listing(list[_T], View):
    """The rows of a count, or the tensors: a list that can be written in every format."""

    def __init__(self, rows: Iterable[_T], model: core.Model, tensors: bool,
                 base: core.Model | None = None) -> None:
        super().__init__(rows)
        self.model, self.tensors, self.notation = model, tensors, notation_for(model)
        self.base = base if base is not model else None

    def document(self) -> Document:
        """The count as a tree with shares, or as the list of tensors."""
        from symparam.documents.count import count_document
        from symparam.documents.count_data import count_model

        return count_document(count_model(self.model, self.base), self.tensors)

    def json(self) -> dict[str, Any]:
        """The count as data, with the tensors where they are what was asked for."""
        from symparam.documents.count_data import count_json, count_model

        return count_json(count_model(self.model, self.base), self.tensors)
