"""Words in the cells of a table that stand for a choice of an architecture: GELU, MHA, tied.

A column is known by its title and by its cells: what they say decides which choice it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from symparam.components import choices
from symparam.descriptions.options import bias_sites
from symparam.errors import BadValue

#: What papers write for each choice, besides the names of components; the usual choices first.
_WORDS: dict[str, dict[str, str]] = {
    "attention": {
        "mha": "multi-head|multihead|multi head|full|standard|vanilla|softmax",
        "gqa": "grouped|grouped-query|group-query|grouped queries|grouped multi-query",
        "mqa": "multi-query|multiquery|multi queries|single kv head",
        "mla": "latent|multi-head latent|multihead latent"},
    "ffn": {
        "mlp": "ffn|dense|feed-forward|feedforward|standard|vanilla|two-matrix|non-gated|ungated"
               "|dense mlp|dense ffn|gelu mlp|relu mlp|gelu ffn|relu ffn",
        # What gates has three matrices, whatever the function of the gate.
        "swiglu": "swi-glu|silu glu|swish glu|gated silu|gated swish|silu gated|glu|gated|gated mlp"
                  "|gated linear unit|gated linear units|reglu|glu variant|siglu|gated relu"
                  "|swiglu mlp|swiglu ffn",
        "geglu": "ge-glu|gelu glu|gated gelu|gelu gated|geglu mlp|geglu ffn|gelu-glu tanh",
        "moe": "mixture of experts|mixture-of-experts|sparse|sparse moe|experts|moe ffn"},
    "norm": {
        "rmsnorm": "rms|rms norm|root mean square|pre-rmsnorm|post-rmsnorm|pre rms|pre-rms norm",
        "layernorm": "layer norm|ln|pre-ln|post-ln|pre-layernorm|post-layernorm|pre layer norm"
                     "|post layer norm|standard layernorm",
        "layernorm-gain": "layernorm without bias|ln without bias|bias-free layernorm"
                          "|layernorm no bias|layernorm without shift",
        "none": "non-parametric|non-parametric ln|non-parametric layernorm|nonparametric"
                "|without weights"},
    "positions": {
        "rope": "rotary|yarn|ntk rope|rope scaling",
        "learned": "learnt|learnable|trained|absolute|learned absolute|absolute learned",
        "sinusoidal": "sine|sin|sinusoids|fixed|sin/cos|fixed sinusoidal",
        "alibi": "linear biases|attention with linear biases",
        "relative-bias": "t5|t5 bias|t5 relative|relative bias|bucketed relative",
        "relative": "transformer-xl",
        "none": "nope"},
}
#: Functions between two matrices; they have no weights, and say which network it is only beside
#: names of gated ones.
_FUNCTIONS = ("relu|gelu|silu|swish|tanh|sigmoid|relu2|relu squared|squared relu|relu^2|relu²|elu"
              "|leaky relu|selu|mish|quick gelu|gelu new|gelu tanh|gelu fast|gelu approximate"
              "|softplus|identity|hardswish|xielu")
YES = frozenset("yes true on 1 ✓ ✔ tied x y shared tie".split())
NO = frozenset("no false off 0 ✗ ✘ × untied n none separate".split()) | {"not tied", "not shared"}
SWITCHES = frozenset({"tied", "final_norm", "qk_norm"})
#: Words that are yes or no of one choice alone.
_OWN = {"tied": frozenset({"tied", "untied", "not tied"})}
#: What stands beside such a word and changes nothing.
_FILLERS = {"attention": "attention|self|attn", "positions":
            "position|positions|positional|embedding|embeddings|encoding|encodings|pe",
            "ffn": "activation|activations|network|layer|layers|function"}
#: Words that papers use for other things too: alone they do not say what a column is.
_COMMON = ("full|standard|vanilla|softmax|dense|sparse|experts|fixed|trained|absolute|latent|gated"
           "|learned|learnable|none|mixed|bottleneck|concatenated|single|identity|linear|sin")
#: Options of which two columns may speak: the kind of network, and what stands in it.
COMBINED = frozenset({"ffn"})
#: A column of numbers above which a choice is written, and the dim that they are then.
NUMBERED = {"ffn": "d_ff", "positions": "n_ctx"}


def _bare(text: str) -> str:
    """A word as it is looked up: small letters, one space for what parts words, no marks."""
    marks = text.strip().lower()
    marks = re.sub(r"\s*\[[0-9a-z]{1,2}\]$", "", marks) if marks.endswith("]") else (
        marks.rstrip("*†‡§"))
    marks = re.sub(r"normali[sz]ation", "norm", marks)
    return " ".join(re.sub(r"[-_/\s‐‑–]+", " ", marks).split())


def _forms(option: str, cell: str) -> Iterator[str]:
    """A cell as it may be looked up: whole, without or as what stands in brackets, without what
    only says of what it is a choice."""
    fillers = _FILLERS.get(option, "").split("|")
    inside = re.findall(r"[(\[]([^()\[\]]+)[)\]]", cell)
    for text in (cell, re.sub(r"\s*[(\[][^()\[\]]*[)\]]", "", cell), *inside):
        word = _bare(text)
        yield word
        yield " ".join(part for part in word.split() if part not in fillers)


@cache
def _known(option: str) -> dict[str, str]:
    """Each word that stands for a choice of an option."""
    slot = "positions" if option == "positions" else option
    found = {_bare(name): name for name in choices(slot)} if option in _WORDS else {}
    for value, words in _WORDS.get(option, {}).items():
        found.update({_bare(word): value for word in words.split("|")})
    return found


def is_function(cell: str) -> bool:
    """Whether a cell names a function between two matrices, which has no weights.

    >>> is_function("GELU"), is_function("GeGLU")
    (True, False)
    """
    functions = {_bare(each) for each in _FUNCTIONS.split("|")}
    known = _known("ffn")
    for word in _forms("ffn", cell):
        if word in known or word in functions:
            return word in functions
    return False


def chosen(option: str, cell: str) -> Any:
    """The choice that a cell stands for.

    Args:
        option: of which option.
        cell: the word; a function between two matrices is that of a plain network.

    Raises:
        BadValue: it is no choice that is known.

    >>> chosen("ffn", "SwiGLU"), chosen("attention", "Grouped-query attention")
    ('swiglu', 'gqa')
    >>> chosen("tied", "untied"), chosen("norms_per_block", "2")
    (False, 2)
    """
    word = _bare(cell)
    if option in SWITCHES:
        if word not in YES | NO:
            raise BadValue(option, cell, "yes or no is expected")
        return word in YES
    if option == "bias":
        return bias_sites({"yes": "all", "with": "all", "true": "all", "✓": "all", "no": "none",
                           "without": "none", "false": "none", "✗": "none"}.get(
                               word, cell.strip().lower()))
    if option == "norms_per_block":
        if word not in {"1", "2", "4"}:
            raise BadValue(option, cell, "a block has 1, 2 or 4 norms")
        return int(word)
    known = _known(option)
    for form in _forms(option, cell):
        if form in known:
            return known[form]
    if option == "ffn" and is_function(cell):
        return "mlp"
    named = [name for name in known.values() if name in _WORDS[option]]
    raise BadValue(option, cell, f"no {option} that is known: {', '.join(dict.fromkeys(named))} "
                   "and other names of 'symparam components'; --map 'COLUMN=-' passes over it")


def is_choice(option: str, cell: str) -> bool:
    """Whether a cell stands for a choice of an option."""
    try:
        chosen(option, cell)
    except BadValue:
        return False
    return True


def choice_of(cells: Iterable[str]) -> str | None:
    """The one option of which all of some cells are choices; None where there is none or several.

    >>> choice_of(["SwiGLU", "GELU"]), choice_of(["tied", "untied"]), choice_of(["yes", "no"])
    ('ffn', 'tied', None)
    """
    words = dict.fromkeys(cells)
    fitting = [option for option in _WORDS if words and all(is_choice(option, w) for w in words)]
    fitting += [option for option, own in _OWN.items()
                if words and all(_bare(w) in own for w in words)]
    return fitting[0] if len(fitting) == 1 else None


def is_common(cell: str) -> bool:
    """Whether a cell is a word that is no more of one choice than of anything else."""
    return _bare(cell) in _COMMON.split("|")


def usual_first(option: str, name: str) -> tuple[bool, int, str]:
    """Where a choice stands among those of an option: first what papers have words for, the usual
    before the rare, then what is a form of these, then the rest.

    >>> sorted(["geglu-down-bias", "bottleneck", "geglu", "swiglu"],
    ...        key=lambda name: usual_first("ffn", name))
    ['swiglu', 'geglu', 'geglu-down-bias', 'bottleneck']
    """
    listed = list(_WORDS.get(option, ()))
    stem = name.partition("-")[0]
    return name not in listed, listed.index(stem) if stem in listed else len(listed), name


def combined(option: str, values: Iterable[Any]) -> Any:
    """The choice of a row whose columns say several: experts over a gated network over a plain one.

    Raises:
        BadValue: they contradict each other.

    >>> combined("ffn", ["moe", "swiglu"]), combined("ffn", ["mlp", "geglu"])
    ('moe', 'geglu')
    """
    def rank(value: Any) -> int:
        return {"mlp": 0, "swiglu": 1, "geglu": 1}.get(value, 2) if option == "ffn" else 0

    listed = list(dict.fromkeys(values))
    best = [value for value in listed if rank(value) == max(map(rank, listed))]
    if len(best) > 1:
        raise BadValue(option, " and ".join(map(str, best)), "two columns of a row say different "
                       "things: --map 'COLUMN=-' passes over one")
    return best[0]
