"""Vectors that are learned and stand beside what goes in: a class token, a mask, registers."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.component import Component, Dims
from symparam.dims import D_MODEL, Dim
from symparam.ledger import Matrix

N_REGISTERS = Dim("n_registers", r"n_{\text{reg}}", "registers: learned vectors beside the patches",
                  ("num_register_tokens",))
N_QUESTIONS = Dim("n_questions", r"n_{\text{questions}}", "learned vectors that ask a tower",
                  ("num_query_tokens",))


class LearnedVector(Component):
    """One vector of d_model: a class token, what stands for a patch that is masked, a line's end.

    ``axes`` is the number of axes of length one that stand in front of it where it is stored.
    """

    name = "vector"
    slot = "vector"
    title = "learned vector"
    source = "Dosovitskiy et al. 2020, arXiv:2010.11929, section 3.1"
    in_block = False
    prefix = "class_embedding"
    dims = (D_MODEL,)
    example = {"d_model": 5}
    names = {"v": ""}

    axes: int = 0

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The vector."""
        yield Matrix("v", (*(1,) * self.axes, d.d_model), "learned vector", "embedding")


class Registers(Component):
    """n_registers vectors of d_model that stand beside the patches and are thrown away."""

    name = "registers"
    slot = "vector"
    title = "registers"
    source = "Darcet et al. 2023, arXiv:2309.16588, section 2.2"
    in_block = False
    prefix = "register_tokens"
    dims = (N_REGISTERS, D_MODEL)
    example = {"n_registers": 3, "d_model": 5}
    names = {"R": ""}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The registers, under one axis of length one."""
        yield Matrix("R", (1, d.n_registers, d.d_model), "registers", "embedding")


class Questions(Component):
    """n_questions vectors of d_model that ask what a tower put out, through attention."""

    name = "questions"
    slot = "vector"
    title = "learned questions"
    source = "Li et al. 2023, arXiv:2301.12597, section 3.1"
    in_block = False
    prefix = "query_tokens"
    dims = (N_QUESTIONS, D_MODEL)
    example = {"n_questions": 3, "d_model": 5}
    names = {"Q": ""}

    def matrices(self, d: Dims) -> Iterator[Matrix]:
        """The questions, under one axis of length one."""
        yield Matrix("Q", (1, d.n_questions, d.d_model), "questions", "embedding")
