"""Putting an encoder of pictures together: patches, vectors beside them, positions, layers.

What encoders of pictures share is here; a family says what its patches, its blocks and what
follows them are, and how they are called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from symparam import expression as ex
from symparam.constraints import Equation, Standing
from symparam.descriptions.assembling.assemble import Block, all_layers, slot
from symparam.descriptions.config import Config
from symparam.dims import Dim
from symparam.layout import Entry, Layout, entries
from symparam.model import Model
from symparam.stack import Slot, Stack

#: What a picture costs depends on how many patches and other vectors go through the layers.
UNSET = "is an encoder of pictures, and what it multiplies for one is not worked out"

#: Names of the layers of CLIP and of what follows it, below their prefix.
CLIP_NAMES = (*entries("*.attention", O="out_proj"), *entries("*.ffn", up="fc1", down="fc2"))

N_MERGE = Dim("n_merge", r"n_{\text{merge}}", "patches along a side that become one", (
    "spatial_merge_size",))
D_MERGED = Dim("d_merged", r"d_{\text{merged}}", "width of the patches that become one")
D_OUT = Dim("d_out", r"d_{\text{out}}", "width of what comes out")
D_ADAPTER = Dim("d_adapter", r"d_{\text{adapter}}", "width that the adapter puts out")
#: Patches that become one stand side by side.
MERGED = Equation("d_merged", ex.Sym("n_merge") ** 2 * ex.Sym("d_model"),
                  "patches that become one stand side by side", Standing.DEFINITION)


def linear(path: str, prefix: str, before: str, after: str, *, bias: bool = False) -> Slot:
    """A matrix from one width to another.

    Args:
        path: its place.
        prefix: what its names begin with.
        before, after: the dims that are the two widths.
        bias: whether it has one.
    """
    return slot(path, "linear", prefix, {"d_embed": before, "d_model": after}, kind="projection",
                bias=bias)


def merger(norm: str, normed: str = "d_model",
           names: tuple[str, str, str] = ("ln_q.", "mlp.0.", "mlp.2.")) -> Block:
    """A norm and two matrices, from patches that become one to the width of the language model.

    Args:
        norm: its kind.
        normed: the dim that it is as wide as: of each patch, or of those that become one.
        names: what the names of the norm and of both matrices begin with.
    """
    first, up, down = names
    return (slot("norm", norm, first, {"d_model": normed}),
            linear("up", up, "d_merged", "d_merged", bias=True),
            linear("down", down, "d_merged", "d_out", bias=True))


def sides(config: Config, keys: Mapping[str, tuple[str, int]]) -> dict[str, int]:
    """Sides in pixels, from ``{dim: (key, default)}``: a number, or the same for both sides.

    Raises:
        SpecError: a picture or a patch that is no square.
    """
    found = {}
    for dim, (key, default) in keys.items():
        value = config.data.get(key)
        if isinstance(value, list):
            if len(value) != 2 or value[0] != value[1] or type(value[0]) is not int or value[0] < 1:
                raise config.error(key, "expected a side in pixels, or the same for both sides: "
                                   "what is no square is not understood")
            config.read.add(key)
            config.keys[dim] = config.below(key)
            found[dim] = value[0]
        else:
            found |= config.dims({dim: (key, default)})
    return found


def encoder_block(*, bias: bool = True, qkv: bool | None = None, norm: str = "layernorm",
                  ffn: str = "mlp", ffn_bias: bool = True,
                  norms: tuple[str, str] = ("layer_norm1.", "layer_norm2."),
                  attention: str = "self_attn.", mlp: str = "mlp.",
                  more: Iterable[Slot] = ()) -> Block:
    """A layer: attention and a feed-forward network, a norm before each.

    Args:
        bias: whether attention has biases.
        qkv: whether queries, keys and values have them, where that is said apart.
        norm, ffn, ffn_bias: the norms; the network, and whether it has biases.
        norms, attention, mlp: what their names begin with.
        more: what stands beside them.
    """
    sites = (["qkv"] if (bias if qkv is None else qkv) else []) + (["attn-out"] if bias else [])
    return (slot("attention", "mha", attention, bias=sites),
            slot("ffn", ffn, mlp, bias=ffn_bias),
            slot("norms.attention", norm, norms[0]), slot("norms.ffn", norm, norms[1]), *more)


def picture_encoder(config: Config, name: str, values: Mapping[str, int],
                    block: Block | Mapping[str, Block], layers: str, *, before: Iterable[Slot],
                    embeddings: str = "embeddings.", pattern: Iterable[str] = (),
                    norm_before: Iterable[Slot] = (), after: Iterable[Slot] = (),
                    head: Iterable[Slot] = (), further: Iterable[Stack] = (),
                    names: Iterable[Entry] = (), equations: Iterable[Equation] = (),
                    declared: Iterable[Dim] = (), part: str = "encoder",
                    unset: str = UNSET) -> Model:
    """An encoder of pictures, or of sound.

    Args:
        config: the configuration, already read and closed.
        name: the model's name.
        values: numbers of dims; L among them unless there is a pattern.
        block: the block of every layer, or of each kind of layer.
        layers: what the layers' names begin with, their number written ``*``.
        before: patches, vectors beside them and positions.
        embeddings: what the names of these begin with.
        pattern: the kind of each layer, where there are kinds.
        norm_before, after: what stands between them and the layers, and after the layers.
        head: what makes one vector of all.
        further: what stands behind that.
        names: tensors that are named or joined otherwise than by default.
        equations, declared: rules and dims of this family alone.
        part: what of its class it is.
        unset: why it is not said what it multiplies.
    """
    made = all_layers(block, list(pattern), layers)
    stacks = (Stack("embedding", tuple(before), prefix=embeddings),
              Stack("first_norm", tuple(norm_before)), *made.stacks,
              Stack("final_norm", tuple(after)), Stack("pooler", tuple(head)), *further)
    return Model(name, tuple(multi_head(replace(s, causal=False)) for s in stacks if s.slots),
                 {**values, **made.values}, (*equations, *made.equations), made.checks,
                 Layout(f"transformers ({config.model_type})", tuple(names)), part=part,
                 declared=tuple(declared), unset=unset)


def multi_head(stack: Stack) -> Stack:
    """A stack whose attention has as many key-value heads as query heads: nothing in it has a
    number of its own of them.

    >>> stack = multi_head(Stack("layers", (slot("attention", "mha"),)))
    >>> dict(stack.slots[0].bound)
    {'n_kv': 'n_heads'}
    """
    same = any(eq.standing is Standing.DEFINITION and (eq.dim, eq.expr) == (
        "n_kv", ex.Sym("n_heads")) for place in stack.slots for eq in place.component.equations)
    return replace(stack, slots=tuple(
        replace(place, bound={"n_kv": "n_heads", **place.bound}) if any(
            dim.name == "n_kv" for dim in place.component.dims) else place
        for place in stack.slots)) if same else stack
