"""FLOPs of training for each token, as the field counts them, side by side.

The counts of one model differ by a fifth and more from convention to convention; each row carries
the name of its own. A backward pass costs twice a forward one, so that training is three times a
forward pass. A *view* reads this model's ledger; a *literal* is a paper's formula with what it
builds in (a network of two matrices of four times the width, heads that split the width).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from symparam.ledger import Number
from symparam.quantities import flops
from symparam.quantities.quantity import Quantity, Share, Subject
from symparam.quantities.setting import COUNTED, Attention

_NEEDS = ("s", "D")


def _run(subject: Subject, shares: Iterable[Share], factor: int = 1) -> Iterator[Share]:
    """Shares for one token, times a factor, and times the tokens of a run where they are known."""
    run = subject.setting.run.get("D")
    for path, factors in shares:
        first, *rest = factors
        yield Share(path, (factor * first, *rest, *(() if run is None else (run,))))


def _token(subject: Subject, attention: Attention = "full") -> Subject:
    return replace(subject, setting=replace(subject.setting, per_token=True, attention=attention))


def _in_layers(subject: Subject) -> frozenset[str]:
    """Paths of the matrices of repeated layers."""
    return frozenset(m.path for m in subject.ledger
                     if any(index.name == "layer" for index in m.indices))


def blocks(subject: Subject) -> Iterator[Share]:
    """Six for each matrix weight of the layers."""
    inside = _in_layers(subject)
    return _run(subject, (share for share in flops.of_weights(_token(subject))
                          if share.path in inside), 3)


def with_head(subject: Subject) -> Iterator[Share]:
    """Six for each matrix weight, the head's among them."""
    return _run(subject, flops.of_weights(_token(subject)), 3)


def all_parameters(subject: Subject) -> Iterator[Share]:
    """Six for each parameter that a token touches, whatever it is.

    Raises:
        BadValue: nobody knows which these are.
    """
    return _run(subject, (Share(m.path, (6, *(i.active for i in m.indices), *m.shape))
                          for m in subject.ledger.sent().stored()))


def _forward(attention: Attention) -> Callable[[Subject], Iterator[Share]]:
    """Three forward passes, with the pairs of query and key that a convention counts."""
    def shares(subject: Subject) -> Iterator[Share]:
        return _run(subject, flops.forward(_token(subject, attention)), 3)

    return shares


def palm(subject: Subject) -> Iterator[Share]:
    """Six for each parameter, and the products of attention with every score."""
    yield from all_parameters(subject)
    yield from _run(subject, flops.of_products(_token(subject, "all-pairs")), 3)


def selective(subject: Subject) -> Iterator[Share]:
    """What has no weight is computed once more."""
    yield from with_head(subject)
    yield from _run(subject, flops.of_products(_token(subject)), 4)


def recomputed(subject: Subject) -> Iterator[Share]:
    """The forward pass of the layers is computed once more; that of the head is not."""
    inside = _in_layers(subject)
    for share in flops.of_weights(_token(subject)):
        yield from _run(subject, (share,), 4 if share.path in inside else 3)
    yield from _run(subject, flops.of_products(_token(subject)), 4)


def _literal(*terms: tuple[str, int, str]) -> Callable[[Subject], Iterator[Share]]:
    """A formula as a sum of products: a name, a number, and dims with spaces between them."""
    def shares(subject: Subject) -> Iterator[Share]:
        names = {**subject.dims, "s": subject.setting["s"]}
        return _run(subject, (Share(name, (number, *_powers(names, dims.split())))
                              for name, number, dims in terms))

    return shares


def _powers(names: Mapping[str, Number], dims: list[str]) -> Iterator[Number]:
    """Each dim once, to the power of how often it stands there."""
    for dim in dict.fromkeys(dims):
        count = dims.count(dim)
        yield names[dim] if count == 1 else names[dim] ** count


def _view(name: str, title: str, shares: Callable[[Subject], Iterator[Share]], convention: str,
          source: str, needs: tuple[str, ...] = _NEEDS) -> Quantity:
    return Quantity(name=f"train_{name}", title=title, unit="FLOP", shares=shares, source=source,
                    convention=convention, needs=needs, symbol="c_train")


def _paper(name: str, title: str, convention: str, source: str, dims: str,
           *terms: tuple[str, int, str]) -> Quantity:
    return Quantity(name=f"train_{name}", title=title, unit="FLOP", shares=_literal(*terms),
                    kind="literal", dims=tuple(dims.split()), convention=convention, source=source,
                    needs=_NEEDS, symbol="c_train")


_KAPLAN = "Kaplan et al. 2020, arXiv:2001.08361, section 2.1 and table 1"
_PALM = "Chowdhery et al. 2022, arXiv:2204.02311, appendix B"
_NARAYANAN = "Narayanan et al. 2021, arXiv:2104.04473, section 5.1 and appendix"
_KORTHIKANTI = "Korthikanti et al. 2022, arXiv:2205.05198, appendix A"
_GPT = "d_ff = 4·d_model, heads that split the width and no experts are built in"

VIEWS = (
    _view("blocks", "6N, N the matrices of the layers", blocks,
          "6 × matrix weights of the layers; no embedding, no head, no norms, no attention scores",
          _KAPLAN),
    _view("head", "6N, N with the head", with_head,
          "6 × matrix weights of the layers and of the head, tied or not", _KAPLAN),
    _view("all", "6N, N all parameters", all_parameters,
          "6 × every parameter, embeddings and norms among them; of experts those in use",
          "Hoffmann et al. 2022, arXiv:2203.15556, section 3.3 (C ≈ 6·N·D)", ("D",)),
    _view("causal", "matrices and causal attention", _forward("causal"),
          f"3 × a forward pass, {COUNTED['causal']} (Megatron-LM and MaxText today)",
          "NVIDIA/Megatron-LM, megatron/training/training.py, "
          "num_floating_point_operations; AI-Hypercomputer/maxtext, maxtext_utils.py"),
    _view("full", "matrices and full attention", _forward("full"),
          f"3 × a forward pass, {COUNTED['full']}",
          _NARAYANAN + ", for this model's own matrices"),
    _view("all_pairs", "matrices and all pairs", _forward("all-pairs"),
          f"3 × a forward pass, {COUNTED['all-pairs']}",
          _NARAYANAN + ", for this model's own matrices"),
    _view("palm", "PaLM", palm,
          "6 × every parameter, and 12·L·n_heads·d_head·s for attention, "
          f"{COUNTED['all-pairs']}", _PALM),
    _view("selective", "selective recomputation", selective,
          "3 × a forward pass, and the products of attention once more, "
          f"{COUNTED['full']}",
          "Korthikanti et al. 2022, arXiv:2205.05198, section 5, for this model's own matrices"),
    _view("recomputed", "full recomputation", recomputed,
          "3 × a forward pass, and the forward pass of the layers once more, "
          f"{COUNTED['full']}",
          _NARAYANAN + ", for this model's own matrices"),
)
LITERALS = (
    _paper("kaplan", "Kaplan, with context",
           "6 × the matrices of the layers, whose network has two and no experts, and the scores "
           "without the weighted sums", _KAPLAN, "L d_model n_heads d_head d_ff",
           ("attention", 24, "L d_model n_heads d_head"), ("ffn", 12, "L d_model d_ff"),
           ("scores", 6, "L s n_heads d_head")),
    _paper("chinchilla", "Chinchilla",
           "3 × a forward pass with embeddings as products, full attention, 3 for each softmax "
           "score and a network of two matrices, no experts",
           "Hoffmann et al. 2022, arXiv:2203.15556, appendix F", "V L d_model n_heads d_head d_ff",
           ("embeddings", 6, "V d_model"), ("qkv", 18, "L d_model n_heads d_head"),
           ("scores", 6, "L s n_heads d_head"), ("softmax", 9, "L n_heads s"),
           ("sums", 6, "L s n_heads d_head"), ("output", 6, "L d_model n_heads d_head"),
           ("ffn", 12, "L d_model d_ff"), ("head", 6, "V d_model")),
    _paper("narayanan", "Narayanan, without recomputation",
           f"3 × a forward pass with full attention; {_GPT}", _NARAYANAN,
           "V L d_model", ("blocks", 72, "L d_model d_model"), ("attention", 12, "L d_model s"),
           ("head", 6, "V d_model")),
    _paper("narayanan_recomputed", "Narayanan, with recomputation",
           f"4 × a forward pass of the layers, 3 × that of the head; {_GPT}", _NARAYANAN,
           "V L d_model", ("blocks", 96, "L d_model d_model"), ("attention", 16, "L d_model s"),
           ("head", 6, "V d_model")),
    _paper("korthikanti", "Korthikanti, model",
           f"what a model needs, nothing recomputed: as Narayanan's; {_GPT}", _KORTHIKANTI,
           "V L d_model", ("blocks", 72, "L d_model d_model"), ("attention", 12, "L d_model s"),
           ("head", 6, "V d_model")),
    _paper("korthikanti_hardware", "Korthikanti, hardware",
           f"with selective recomputation, as the paper has it; {_GPT}", _KORTHIKANTI,
           "V L d_model", ("blocks", 72, "L d_model d_model"), ("attention", 24, "L d_model s"),
           ("head", 6, "V d_model")),
)


def training_pass(subject: Subject) -> Iterator[Share]:
    """A forward and a backward pass of the batch."""
    for path, factors in flops.forward(subject):
        yield Share(path, (3 * factors[0], *factors[1:]))


PASS = Quantity(
    name="flops_training", title="FLOPs of a training pass", unit="FLOP", shares=training_pass,
    needs=("s", "b", "s_encoder", "attention"), symbol="C_step",
    convention="3 × the matrix products of a forward pass of the batch, nothing recomputed; "
    "windows followed, pairs that a causal mask hides counted unless they are asked not to be",
    source=_NARAYANAN)

#: Every way of counting what training costs a token.
CONVENTIONS = (*VIEWS, *LITERALS)
GROUP = "Training, a token (times D for a run)"
QUANTITIES = (*CONVENTIONS, PASS)


def per_token(convention: Quantity, subject: Subject) -> Number:
    """A convention's count for one token."""
    return convention.value(replace(subject, setting=subject.setting.at(D=None)))
