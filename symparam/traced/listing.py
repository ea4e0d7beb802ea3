"""What a slot lists: matrices under letters of the field, products and states under words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from symparam import expression as ex
from symparam.ledger import BANK, Product, Role, State
from symparam.traced.component import Listed, ListedWork
from symparam.traced.lifted import Given
from symparam.traced.names import letter
from symparam.traced.placed import Placed, identifier, tensors
from symparam.traced.tables import is_table
from symparam.traced.worked import TIMES, Entry

#: Letters of what stands once.
_LETTERS = {"token": "E", "positions": "P", "head": "U"}
def matrices_of(path: str, inside: list[Placed]) -> list[Listed]:
    """The matrices of one slot, each under a name that no other there has."""
    names = Given()
    return [_matrix(each, names.free(_matrix_name(each))) for each in tensors(inside)]


def _matrix(each: Placed, name: str) -> Listed:
    row, place = each.row, each.place
    shape, inner = row.shape, place.inner
    use = each.use
    if not inner and len(shape) > 1 and (use.active is not None or (
            _is_experts(shape[0]) and "expert" in row.pattern)):
        inner, shape = ((BANK, shape[0]),), shape[1:]  # all experts in one tensor
    tensor = ".".join(place.inside) if place.repeat is not None else row.pattern
    times, active = use.times, use.active
    bank = next((count for what, count in inner if what == BANK), None)
    if bank is not None and active is None and not use.unknown and each.known:
        times, active = ex.Num(1), ex.product_of(times, bank)  # each is multiplied with all
    return Listed(name, shape, tensor, _role(each, len(shape)), row.status, None, inner,
                  times, use.stream, active, use.unknown)


def _is_experts(extent: ex.Expr) -> bool:
    return isinstance(extent, ex.Sym) and extent.name.startswith("n_experts")


def _role(each: Placed, rank: int) -> Role:
    row, leaf = each.row, each.place.inside[-1]
    if (is_table(row) and rank == 2) or each.place.kind == "positions":
        return "embedding"
    if leaf.endswith("bias"):
        return "bias"
    if rank <= 1:
        return "gain"
    return "convolution" if "Conv" in row.module or rank > 2 else "matmul"


#: Matrices of a gated network, of which experts have one each.
_GATED = frozenset({"gate", "up", "down", "gate_up"})
_STEM = re.compile(r"^(?:(?P<stem>.+)_)?(?P<what>weight|bias)(?:_(?P<after>.+))?$")


def _matrix_name(each: Placed) -> str:
    """``W_Q`` for ``q_proj.weight``, ``b_up`` for ``fc1.bias``, a parameter by its own name."""
    place = each.place
    words = place.inside if place.repeat is not None else tuple(each.row.pattern.split("."))
    leaf = words[-1]
    if place.kind == "norm" and leaf in {"weight", "bias"}:
        return "gain" if leaf == "weight" else "shift"
    match = _STEM.match(leaf)
    if match is None or (match["stem"] and match["after"]):
        bank = letter(place.kind, leaf) if "expert" in each.row.pattern else ""
        return f"X_{bank}" if bank in _GATED else identifier(leaf)
    mark = "b" if match["what"] == "bias" else "W"
    module = match["stem"] or next((w for w in reversed(words[:-1]) if w != "*"),
                                      each.row.module.lower() or "own")
    module = "intermediate" if module == "dense" and "intermediate" in words else module
    own = _LETTERS.get(place.kind) or letter(place.kind, module)
    if own == "gate" and each.row.shape and _is_experts(each.row.shape[0]):
        own = "router"
    if "Norm" in each.row.module:
        mark = "g" if mark == "W" else "b"
    elif own in _GATED and any("expert" in word for word in words):
        mark = "S" if any("shared" in word for word in words) else "X"
    return "_".join(filter(None, (mark, own, identifier(match["after"]) if match["after"] else
                                  "")))


def work_of(path: str, inside: Iterable[Placed]) -> Iterator[ListedWork]:
    """The products and states of one slot, each under a name that no other there has."""
    names = Given()
    for each in inside:
        entry = each.entry
        if entry is None:
            continue
        words = [identifier(w.partition(TIMES)[0]) for w in each.place.inside if w != "*"]
        product = entry.row.kind == "product"
        name = names.free("_".join(words[-2:] if product else words[-1:]))
        shape = each.row.shape or (ex.Num(1),)
        made: State | Product = State(name, (), name, stream=entry.stream)
        if product:
            made = Product(name, (), _what(entry), stream=entry.stream, over=entry.over)
        yield ListedWork(made, shape, entry.window, entry.unknown)


def _what(entry: Entry) -> str:
    """What a product is, in a few words."""
    return {"keys": "of each token with those that it sees",
            "encoder": "of each token with those of the encoder",
            "nothing": "of each token alone"}[entry.over]
