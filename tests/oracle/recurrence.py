"""What one token multiplies in mixers that keep a state, found by doing it.

Each function takes a token through one mixer on plain lists of numbers, as its paper writes the
recurrence, and counts every multiplication of two things that the model has computed. Decays and
gates, which scale what is there, are not counted where the papers count them with the scan alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

Vector = list[int]
Grid = list[Vector]


class Tally:
    """Counts multiplications."""

    def __init__(self) -> None:
        self.count = 0

    def times(self, a: int, b: int) -> int:
        """A product that counts."""
        self.count += 1
        return a * b

    def against(self, state: Grid, key: Vector) -> Vector:
        """Σ_i key_i · state_i: what a state answers to a key."""
        out = [0] * len(state[0])
        for row, k in zip(state, key, strict=True):
            for j, each in enumerate(row):
                out[j] += self.times(k, each)
        return out

    def write(self, state: Grid, key: Vector, value: Vector) -> None:
        """state_ij += key_i · value_j."""
        for row, k in zip(state, key, strict=True):
            for j, v in enumerate(value):
                row[j] += self.times(k, v)


def unit(size: int, at: int) -> Vector:
    """A vector with one 1 in it."""
    return [int(i == at % size) for i in range(size)]


def delta(t: Tally, key: Vector, value: Vector, query: Vector, state: Grid) -> Vector:
    """The delta rule (arXiv:2412.06464, eq. 10, without decay): recall, correct, read."""
    recalled = t.against(state, key)
    t.write(state, key, [v - r for v, r in zip(value, recalled, strict=True)])
    return t.against(state, query)


def additive(t: Tally, key: Vector, value: Vector, query: Vector, state: Grid) -> Vector:
    """Linear attention (arXiv:2006.16236, eq. 18 and 20): write, read."""
    t.write(state, key, value)
    return t.against(state, query)


def _heads(step: Callable[[Tally, Vector, Vector, Vector, Grid], Vector], heads: int, key: int,
           value: int) -> int:
    """A token through so many heads; each must give back what it was just told."""
    t = Tally()
    for head in range(heads):
        told, k = list(range(1, value + 1)), unit(key, head)
        state = [[0] * value for _ in range(key)]
        if step(t, k, told, k, state) != told:
            raise AssertionError("the recurrence does not remember")
    return t.count


def _selective(channels: int, size: int) -> int:
    """A selective state space (arXiv:2312.00752, algorithm 2): B̄x is written, C reads."""
    t = Tally()
    for channel in range(channels):
        state = [[0] for _ in range(size)]
        t.write(state, unit(size, channel), [1])
        t.against(state, unit(size, channel))
    return t.count


def _mixed(streams: int, width: int) -> int:
    """Every stream made anew as a weighted sum of all of them."""
    t = Tally()
    held = [[1] * width for _ in range(streams)]
    for stream in range(streams):
        t.against(held, unit(streams, stream))
    return t.count


def _pairs(heads: int, width: int) -> int:
    """One query with one key in each head."""
    t = Tally()
    for _ in range(heads):
        t.against([[1] for _ in range(width)], [1] * width)
    return t.count


def _gated(channels: int) -> int:
    """RG-LRU (arXiv:2402.19427, eq. 4): h = a·h + √(1 − a²)·x, channel by channel."""
    t = Tally()
    for _ in range(channels):
        t.times(2, 3)
        t.times(4, 5)
    return t.count


def _weighted(channels: int) -> int:
    """RWKV (arXiv:2305.13048, eq. 16 and appendix D): numerator and denominator, each decayed and
    added to, and each with the present token's bonus for the output: a multiply-add every time."""
    t = Tally()
    for _ in range(channels):
        for _ in ("numerator", "denominator"):
            t.times(2, 3)  # decayed, the present token added
            t.times(4, 5)  # with the bonus, for the output
    return t.count


def _memory(d: Mapping[str, int]) -> int:
    """mLSTM (arXiv:2405.04517, eq. 19 to 21): a memory a head written and read, a normaliser."""
    t = Tally()
    heads = d["d_query"] // d["d_query_head"]
    for _ in range(heads):
        key, value = [1] * d["d_query_head"], [1] * (d["d_memory"] // heads)
        memory = [[0] * len(value) for _ in key]
        additive(t, key, value, key, memory)
        t.against([[1] for _ in key], key)
    return t.count


#: Slot and name of a component, with the multiplications of one token, or of one pair of tokens.
COUNTS: dict[tuple[str, str], Callable[[Mapping[str, int]], int]] = {
    ("mixer", "gated-delta-net"): lambda d: _heads(delta, d["n_value"], d["d_key"], d["d_value"]),
    ("mixer", "kda"): lambda d: _heads(delta, d["n_linear"], d["d_linear"], d["d_linear"]),
    ("mixer", "lightning-attention"): lambda d: _heads(
        additive, d["n_heads"], d["d_head"], d["d_head"]),
    ("mixer", "mamba"): lambda d: _selective(d["d_inner"], d["d_state"]),
    ("mixer", "mamba2"): lambda d: _selective(d["d_inner"], d["d_state"]),
    ("mixer", "mamba-heads"): lambda d: _selective(
        d["n_ssm_heads"] * d["d_ssm_head"], d["d_state"]),
    ("mixer", "kda-gate"): lambda d: _heads(delta, d["n_linear"], d["d_linear"], d["d_linear"]),
    ("mixer", "kda-full"): lambda d: _heads(delta, d["n_linear"], d["d_linear"], d["d_linear"]),
    ("mixer", "rg-lru"): lambda d: _gated(d["d_rnn"]),
    ("mixer", "rwkv"): lambda d: _weighted(d["d_att"]),
    ("mixer", "mlstm"): _memory,
    ("streams", "altup"): lambda d: _mixed(d["n_streams"], d["d_model"]),
    ("residual", "hyper-connection"): lambda d: _mixed(d["n_streams"], d["d_model"]),
    ("indexer", "blocks"): lambda d: _pairs(d["n_index"], d["d_index"]),
    ("indexer", "lightning"): lambda d: _pairs(d["n_index"], d["d_index"]) + d["n_index"],
    ("positions", "relative"): lambda d: _pairs(d["n_heads"], d["d_head"]),
    ("differential", "lambda"): lambda d: _pairs(d["n_heads"], d["d_head"]),
}


def kept(shapes: list[tuple[int, ...]]) -> int:
    """The numbers in some arrays, counted one by one."""
    return sum(len(list(product(*map(range, shape)))) for shape in shapes)


#: What a mixer keeps of a sequence, array by array, as the published code holds them: the state of
#: each head or channel, the last inputs of a convolution channel by channel, the token before.
KEPT: dict[str, Callable[[Mapping[str, int]], list[tuple[int, ...]]]] = {
    "gated-delta-net": lambda d: [
        (d["n_value"], d["d_key"], d["d_value"]), *[(d["n_key"] * d["d_key"], d["k_conv"])] * 2,
        (d["n_value"] * d["d_value"], d["k_conv"])],
    "kda": lambda d: [(d["n_linear"], d["d_linear"], d["d_linear"]),
                      *[(d["n_linear"] * d["d_linear"], d["k_conv"])] * 3],
    "kda-gate": lambda d: [(d["n_linear"], d["d_linear"], d["d_linear"]),
                           *[(d["n_linear"] * d["d_linear"], d["k_conv"])] * 3],
    "kda-full": lambda d: [(d["n_linear"], d["d_linear"], d["d_linear"]),
                           *[(d["n_linear"] * d["d_linear"], d["k_conv"])] * 3],
    "lightning-attention": lambda d: [(d["n_heads"], d["d_head"], d["d_head"])],
    "mamba": lambda d: [(d["d_inner"], d["d_state"]), (d["d_inner"], d["k_conv"])],
    "mamba2": lambda d: [(d["d_inner"], d["d_state"]), (d["d_inner"], d["k_conv"]),
                         *[(d["n_groups"], d["d_state"], d["k_conv"])] * 2],
    "mamba-heads": lambda d: [(d["n_ssm_heads"], d["d_ssm_head"], d["d_state"]),
                              (d["d_inner"], d["k_conv"])],
    "mlstm": lambda d: [*[(d["d_query_head"], d["d_memory"] // d["n_heads"])] * d["n_heads"],
                        (d["d_query"],), (d["n_heads"],)],
    "rg-lru": lambda d: [(d["d_rnn"],), (d["d_rnn"], d["k_conv"])],
    "rwkv": lambda d: [(d["d_model"],), *[(d["d_att"],)] * 3],
    "short-convolution": lambda d: [(d["d_model"], d["k_conv"])],
}
