"""Stands in for torch: devices, modules, and parameters that are nothing but shapes."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any


class device:
    """Where tensors are made, as a context; real numbers are never made here."""

    entered = ["cpu"]

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        device.entered.append(self.name)

    def __exit__(self, *_: object) -> None:
        device.entered.pop()


class Parameter:
    """A shape."""

    requires_grad = True

    def __init__(self, *shape: int) -> None:
        if device.entered[-1] != "meta":
            raise RuntimeError("real numbers would be made")
        if any(extent < 0 for extent in shape):
            raise RuntimeError(f"a side of {shape} is below 0")
        self.shape = tuple(map(int, shape))


class Module:
    """What is set on it is found by name: parameters, modules, and lists of them."""

    def __init__(self) -> None:
        vars(self).update(_parameters={}, _buffers={}, _non_persistent_buffers_set=set(), inner={})

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            self._parameters[name] = value
        elif isinstance(value, Module):
            self.inner[name] = value
        elif isinstance(value, list) and value and all(isinstance(v, Module) for v in value):
            self.inner.update({f"{name}.{i}": each for i, each in enumerate(value)})
        super().__setattr__(name, value)

    def register_buffer(self, name: str, value: Parameter) -> None:
        """Keep what is not trained."""
        self._buffers[name] = value

    def named_modules(self, prefix: str = "", remove_duplicate: bool = False
                      ) -> Iterator[tuple[str, Module]]:
        """Itself and what is in it."""
        yield prefix, self
        for name, module in self.inner.items():
            yield from module.named_modules(f"{prefix}.{name}" if prefix else name)

    def named_parameters(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Parameter]]:
        """What is trained, shared ones once."""
        seen: set[int] = set()
        for prefix, module in self.named_modules():
            for name, value in module._parameters.items():
                if not remove_duplicate or id(value) not in seen:
                    yield f"{prefix}.{name}" if prefix else name, value
                seen.add(id(value))

    def state_dict(self) -> dict[str, Parameter]:
        """All that a checkpoint holds."""
        return {**dict(self.named_parameters(remove_duplicate=False)), **{
            f"{prefix}.{name}" if prefix else name: value for prefix, module in
            self.named_modules() for name, value in module._buffers.items()}}


class Linear(Module):
    """A matrix, with a bias if wanted."""

    def __init__(self, inside: int, outside: int, bias: bool = False) -> None:
        super().__init__()
        self.weight = Parameter(outside, inside)
        if bias:
            self.bias = Parameter(outside)


class Embedding(Module):
    """A table, one row of which may stand for nothing."""

    def __init__(self, count: int, width: int, padding_idx: int | None = None) -> None:
        super().__init__()
        if padding_idx is not None and padding_idx >= count:
            raise AssertionError("Padding_idx must be within num_embeddings")
        self.weight = Parameter(count, width)


class EmbeddingBag(Embedding):
    """Another table."""


nn = SimpleNamespace(Module=Module, Linear=Linear, Embedding=Embedding, EmbeddingBag=EmbeddingBag,
                     Parameter=Parameter, init=SimpleNamespace(normal_=lambda tensor: tensor))
