"""The ledger, its layouts, and the views that sum it."""

from __future__ import annotations

import pytest

from symparam.descriptions.load import build, load
from symparam.descriptions.options import Options
from symparam.errors import LayoutError
from symparam.layout import Layout, entry
from symparam.ledger import Index, Ledger, Matrix
from symparam.quantities import counts, parameters
from tests.helpers import ledger, message, rows, together, total_of

LAYER, EXPERT = Index("layer", 5, 5, 5), Index("expert", 7, 2, 2)
SHARED = Index("layer", 1, 12, 1)


def matrix(path: str, *shape: int, **more: object) -> Matrix:
    """A matrix with a checkpoint name like its path."""
    return Matrix(path, shape, "test", tensor=f"x.{path}", **more)  # type: ignore[arg-type]


SMALL = Ledger((
    matrix("embedding.token.W_E", 11, 3, part="token", role="embedding"),
    matrix("embedding.positions.W_P", 13, 3, part="positions", role="embedding", status="frozen"),
    matrix("layers.ffn.W_router", 7, 3, part="ffn", indices=(LAYER,)),
    matrix("layers.ffn.balance", 7, part="ffn", indices=(LAYER,), status="buffer"),
    matrix("layers.ffn.X_up", 2, 3, part="ffn", indices=(LAYER, EXPERT)),
    matrix("head.lm.W_U", 11, 3, part="head", tied_to="embedding.token.W_E")))


def test_every_view_of_a_small_mixture_by_hand() -> None:
    router, experts = 5 * 7 * 3, 5 * 7 * 2 * 3
    assert SMALL.total() == 33 + 39 + router + experts
    assert counts.value(SMALL, "trainable") == 33 + router + experts
    assert counts.value(SMALL, "with_buffers") == SMALL.total() + 5 * 7
    assert counts.non_embedding(SMALL) == {
        "without_input": 39 + router + experts, "without_embeddings": 39 + router + experts,
        "without_positions": router + experts}
    active = 5 * 2 * 2 * 3
    assert counts.active(SMALL) == {"all": 33 + 39 + router + active,
                                        "without_input": 39 + router + active,
                                        "without_embeddings": 39 + router + active}
    assert [(r.path, r.copies, r.per_copy, r.numel) for r in parameters.breakdown(SMALL)] == [
        ("embedding.token", 1, 33, 33), ("embedding.positions", 1, 39, 39),
        ("layers.ffn", 5, 21 + 42, router + experts), ("head.lm", 1, 0, 0)]


def test_a_tied_head_is_listed_and_not_stored() -> None:
    head = SMALL["head.lm.W_U"]
    assert head.size() == 33
    assert head not in list(SMALL.stored())
    assert not any("head" in tensor.name for tensor in Layout().tensors(SMALL))
    untied = ledger(build("gpt2", Options(tied=False), {}))
    assert untied.total() - ledger(load("gpt2")).total() == 50257 * 768


def test_three_extents() -> None:
    shared = matrix("layers.attention.W_Q", 3, 3, indices=(SHARED, EXPERT))
    assert [shared.copies(e) for e in ("stored", "applied", "active")] == [7, 24, 2]
    assert shared.size("applied") == 24 * 9
    assert (shared.name, shared.component) == ("W_Q", "layers.attention")


def test_a_path_stands_once() -> None:
    with pytest.raises(LayoutError) as caught:
        Ledger((matrix("a.W", 2), matrix("b.W", 2), matrix("a.W", 3)))
    assert "a.W" in message(caught.value)


def test_a_tie_leads_somewhere() -> None:
    with pytest.raises(LayoutError) as caught:
        Ledger((matrix("head.lm.W_U", 2, 3, tied_to="embedding.token.W_E"),))
    assert "embedding.token.W_E" in message(caught.value)


def test_a_ledger_is_asked_by_path() -> None:
    assert "head.lm.W_U" in SMALL
    assert "head.lm.b_U" not in SMALL
    assert len(SMALL) == len(list(SMALL)) == 6


@together("name", ["gpt2", "bert-base", "llama-2-70b", "gopher-44m", "perseid"])
def test_no_layout_loses_a_weight(name: str) -> None:
    assert total_of(rows(load(name))) == ledger(load(name)).total()


EXCHANGED = [Options(attention="gqa", qk_norm=True), Options(ffn="swiglu"),
             Options(bias=frozenset({"ffn"})), Options(bias=frozenset({"qkv"}), norm="rmsnorm"),
             Options(norms_per_block=4), Options(norms_per_block=1), Options(positions="relative"),
             Options(bias=frozenset(), norm="none"), Options(attention="mqa", ffn="geglu")]


@together("options", EXCHANGED, ids=lambda o: str(o.given()))
@together("name", ["gpt2", "bert-base", "llama-2-7b"])
def test_no_option_makes_a_layout_lose_a_weight(name: str, options: Options) -> None:
    model = build(name, options, {"n_kv": 4} if options.attention == "gqa" else {})
    assert total_of(rows(model)) == ledger(model).total()


@pytest.mark.parametrize("words", ["W_up W_nowhere", "b_up W_down", "W_up W_down"])
def test_a_layout_that_does_not_fit_is_refused(words: str) -> None:
    """An inner matrix that is not there; a first one that is not; two that cannot be joined."""
    made = ledger(load("llama-2-7b"))
    layout = Layout("wrong", (entry("layers.ffn", words, "model.layers.*.mlp.joined"),))
    with pytest.raises(LayoutError) as caught:
        layout.tensors(made)
    message(caught.value)


def test_a_layout_joins_stacks_and_transposes() -> None:
    layout = Layout("stacked", (entry("layers.ffn", "X_up", "y.*.experts", transposed=True),))
    found = {t.name: (t.shape, t.copies, t.numel) for t in layout.tensors(SMALL)}
    assert found["y.*.experts"] == ((7, 3, 2), 5, 5 * 42)
    apart = Layout("apart", (entry("layers.ffn", "X_up", "y.*.experts.*"),))
    found = {t.name: (t.shape, t.copies, t.numel) for t in apart.tensors(SMALL)}
    assert found["y.*.experts.*"] == ((2, 3), 35, 5 * 42)
    flat = Layout("flat", (entry("layers.ffn", "X_up", "y.*.w1", transposed=True, joined=True),))
    found = {t.name: (t.shape, t.copies, t.numel) for t in flat.tensors(SMALL)}
    assert found["y.*.w1"] == ((7 * 3, 2), 5, 5 * 42)
