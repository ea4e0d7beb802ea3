"""Memory of activations that a backward pass needs, by Korthikanti's formulas.

They are literals: a GPT whose layers have two LayerNorms, heads that split the width, a network of
two matrices with d_ff = 4·d_model and GeLU; activations in 16 bits, dropout with masks of a byte;
every score of attention is kept (no fused attention). What stands outside the layers is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symparam.arithmetic import over
from symparam.ledger import Number
from symparam.quantities.quantity import Quantity, Share, Subject

#: What the formulas build in, for the output.
ASSUMED = ("layers of GPT: two LayerNorms, heads that split the width, d_ff = 4·d_model, GeLU",
           "activations in 16 bits, dropout masks of one byte",
           "every score of attention is kept: no fused attention",
           "embeddings and head are left out; activations of one pipeline stage that holds all "
           "layers")

#: Of each case: bytes for each s·b·d_model, then for each n_heads·s²·b; ``t`` divides what is
#: split among the devices of a tensor-parallel group.
_CASES: dict[str, tuple[str, Callable[[Number], tuple[Number, Number]], str]] = {
    "none": ("nothing split or recomputed", lambda t: (34, 5), "everything is kept"),
    "tensor": ("tensor parallel", lambda t: (10 + over(24, t), over(5, t)),
               "what stands outside attention and network is kept whole on each device"),
    "sequence": ("tensor and sequence parallel", lambda t: (over(34, t), over(5, t)),
                 "everything is split"),
    "selective": ("tensor parallel, selective recomputation", lambda t: (10 + over(24, t), 0),
                  "scores are computed again, the rest as with tensor parallelism"),
    "sequence_selective": ("tensor and sequence parallel, selective recomputation",
                           lambda t: (over(34, t), 0), "scores are computed again, all is split"),
    "full": ("full recomputation", lambda t: (2, 0), "only what enters a layer is kept"),
}


def _shares(case: str) -> Callable[[Subject], Iterator[Share]]:
    linear_and_scores = _CASES[case][1]

    def shares(subject: Subject) -> Iterator[Share]:
        setting, d = subject.setting, subject.dims
        linear, scores = linear_and_scores(setting["t"])
        yield Share("linear", (linear, d["L"], setting["s"], setting["b"], d["d_model"]))
        if not (isinstance(scores, int) and scores == 0):
            yield Share("scores", (scores, d["L"], d["n_heads"], setting["s"]**2,
                                   setting["b"]))

    return shares


GROUP = "Activations in training"
QUANTITIES = tuple(Quantity(
    name=f"activations_{case}", title=f"activations, {title}", unit="B", kind="literal",
    shares=_shares(case), needs=("s", "b", "t"),
    dims=("L", "d_model", "n_heads"), convention=f"{words}; of all layers", symbol="M_act",
    source="Korthikanti et al. 2022, arXiv:2205.05198, section 4 and table 2")
    for case, (title, _, words) in _CASES.items())
