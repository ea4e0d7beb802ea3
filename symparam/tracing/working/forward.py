"""What a forward pass multiplies and keeps, recorded without numbers: a table of shapes.

Each product is recorded as torch dispatches it, with the shapes of both factors, under the weight
that it multiplies or under the module that made it; what is kept for later tokens is read from
the cache that comes out. The table has the form of a module's table of tensors, so that a search
over points finds expressions for these shapes as it does for weights.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

from symparam.traced.worked import PRODUCT, TIMES
from symparam.tracing.searching.tables import Table, Tensor

#: What a row of the table is: a product with a weight, one of what the model computes itself, what
#: is kept, or a weight that is used and multiplies nothing.
Kind: TypeAlias = Literal["weight", "product", "state", "used"]

Shape: TypeAlias = tuple[int, ...]
_aten = torch.ops.aten

#: Operations that multiply two tensors, with the places of these.
_PAIRS = {_aten.mm: (0, 1), _aten.addmm: (1, 2), _aten.bmm: (0, 1), _aten.baddbmm: (1, 2),
          _aten.mv: (0, 1), _aten.addmv: (1, 2), _aten.dot: (0, 1)}
#: Attention in one operation: two products each.
_FUSED = (_aten._scaled_dot_product_efficient_attention,
          _aten._scaled_dot_product_flash_attention,
          _aten._scaled_dot_product_flash_attention_for_cpu)
#: What turns numbers of a table of weights into numbers of a model's own.
_LOOKED_UP = (_aten.embedding, _aten._embedding_bag)


class Uncounted(Exception):
    """A forward pass multiplies by an operation whose shapes are not known here."""


class Recorder(TorchDispatchMode):  # type: ignore[misc]
    """Records the products of whatever runs in it.

    Attributes:
        products: the kind, the name and the shape of each, in their order.
        used: the names of weights that went into anything.
    """

    def __init__(self, module: Any) -> None:
        super().__init__()
        self.products: list[tuple[Kind, str, Shape]] = []
        self.used: set[str] = set()
        self._inside = [""]
        self._weights: dict[int, str] = {}
        self._own: dict[tuple[str, int], str] = {}
        for prefix, owner in module.named_modules():
            for leaf, value in owner._parameters.items():
                if value is not None:
                    name = f"{prefix}.{leaf}" if prefix else leaf
                    self._weights.setdefault(_storage(value), name)
                    self._own[prefix, _storage(value)] = name
        self._of: dict[int, str] = dict(self._weights)
        self._made: dict[int, str] = {}
        self._kept: list[Any] = []  # a storage that is gone may leave its place to another

    @contextmanager
    def inside(self, module: Any) -> Iterator[None]:
        """Know which module runs."""
        hooks = []
        for name, each in module.named_modules():
            hooks += [each.register_forward_pre_hook(self._enter(name), prepend=True),
                      each.register_forward_hook(self._leave, always_call=True)]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()

    def _enter(self, name: str) -> Any:
        def enter(*_: Any) -> None:
            self._inside.append(name)
        return enter

    def _leave(self, *_: Any) -> None:
        self._inside.pop()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        named = kwargs or {}
        out = func(*args, **named)
        self._kept.append(out)
        operation = func._overloadpacket
        given = [x for x in tree_leaves((args, named)) if isinstance(x, torch.Tensor)]
        for each in given:
            if (name := self._weights.get(_storage(each))) is not None:
                self.used.add(self._own.get((self._inside[-1], _storage(each)), name))
        before = len(self.products)
        if operation in _PAIRS:
            first, second = (args[place] for place in _PAIRS[operation])
            self._note(first, second, _pair(first, second))
        elif operation is _aten.convolution:
            self._note(args[0], args[1], _convolved(args, out))
        elif operation in _FUSED:
            self._fused(args)
        if operation in flop_registry:
            made = sum(2 * math.prod(shape) for _, _, shape in self.products[before:])
            if made != flop_registry[operation](*args, **named, out_val=out):
                raise Uncounted(f"{operation} is no product whose shapes are known here")
        self._follow(operation, given, out)
        return out

    def _note(self, first: Any, second: Any, shape: Shape) -> None:
        """A product, under the weight among its factors, or under the module that runs."""
        here = self._inside[-1]
        names = [self._of.get(_storage(each)) for each in (first, second)]
        own = [self._own.get((here, _storage(each))) for each in (first, second)]
        whole = [self._weights.get(_storage(each)) for each in (first, second)]
        name = next((n for n in (*own, *whole[::-1], *names[::-1]) if n is not None), None)
        if name is None:
            self.products.append(("product", here, shape))
        else:
            self.used.add(name)
            self.products.append(("weight", name, shape))

    def _fused(self, args: Any) -> None:
        """Scores and the weighted sum of attention in one operation."""
        (*batch, queries, width), keys = args[0].shape, args[1].shape[-2]
        count, values = math.prod(batch), args[2].shape[-1]
        self.products += [("product", self._inside[-1], (count, queries, width, keys)),
                          ("product", self._inside[-1], (count, queries, keys, values))]

    def _follow(self, operation: Any, given: list[Any], out: Any) -> None:
        """What is made of weights alone, or picked out of them, is still weights."""
        made = [x for x in tree_leaves(out) if isinstance(x, torch.Tensor)]
        names = [self._of.get(_storage(each)) for each in given]
        picked = operation in _PICKING and bool(names) and names[0] is not None
        still = operation not in _LOOKED_UP and (picked or (bool(names) and None not in names))
        for each in made:
            place = _storage(each)
            if still and place not in self._of:
                self._of[place] = str(names[0])
            elif not still and place not in self._weights:
                self._of.pop(place, None)
            self._made.setdefault(place, self._inside[-1])

    def maker(self, tensor: Any) -> str:
        """The module in which a tensor was made."""
        return self._made.get(_storage(tensor), "")


#: What picks rows out of a tensor by numbers that a model computes.
_PICKING = (_aten.index, _aten.index_select, _aten.gather)


def _storage(tensor: Any) -> int:
    """What views of the same numbers have alike."""
    return int(tensor.untyped_storage()._cdata)


def _pair(first: Any, second: Any) -> Shape:
    """The factors of a product's multiply-adds: copies, rows, what is summed over, columns."""
    *copies, rows, inner = first.shape if first.dim() > 1 else (1, *first.shape)
    columns = second.shape[-1] if second.dim() > 1 else 1
    return (*copies, rows, inner, columns) if copies else (1, rows, inner, columns)


def _convolved(args: Any, out: Any) -> Shape:
    """The same of a convolution: sequences, places, inputs of one place, outputs."""
    weight, transposed = args[1], args[6]
    side = args[0] if transposed else out
    outputs, *inner = weight.shape
    return (side.shape[0], math.prod(side.shape[2:]), math.prod(inner), outputs)


def table_of(recorder: Recorder, cache: Mapping[str, Shape]) -> Table:
    """What was recorded as a table; products of one name are numbered in their order."""
    found: Table = {}
    number: Counter[tuple[Kind, str]] = Counter()
    for kind, name, shape in recorder.products:
        own = f"{name}{TIMES}" if kind == "weight" else f"{name}.{PRODUCT}".lstrip(".")
        found[f"{own}{number[kind, name]}"] = Tensor(shape, module=kind)
        number[kind, name] += 1
    multiplied = {name for kind, name, _ in recorder.products if kind == "weight"}
    found |= {name: Tensor((), module="used") for name in sorted(recorder.used - multiplied)}
    return found | {name: Tensor(shape, module="state") for name, shape in cache.items()}


def cached(out: Any, recorder: Recorder) -> dict[str, Shape]:
    """The tensors that a pass hands out for later tokens, by the module that made them and the
    class of what holds them: one that drops what is outside a window is none that keeps all."""
    cache = getattr(out, "past_key_values", None)
    parts = [part for of in ("self", "cross") if (part := getattr(
        cache, f"{of}_attention_cache", None)) is not None] or [cache]
    found: dict[str, Shape] = {}
    for layer in (layer for part in parts for layer in getattr(part, "layers", None) or ()):
        for leaf, value in vars(layer).items():
            if isinstance(value, torch.Tensor) and value.dim() > 1:
                name = f"{recorder.maker(value)}.{leaf}".lstrip(".")
                found[f"{name}{TIMES}{type(layer).__name__}"] = tuple(value.shape)
    return found


def record(module: Any, given: Mapping[str, Any]) -> Table:
    """The table of a forward pass.

    Args:
        module: in evaluation mode.
        given: what it is called with.

    Raises:
        Uncounted: it multiplies in a way that is not known here.
        Exception: whatever the module raises.
    """
    recorder = Recorder(module)
    with torch.no_grad(), recorder.inside(module), recorder:
        out = module(**given)
    return table_of(recorder, cached(out, recorder))

