"""What the titles of columns stand for: dims, options, names and claimed numbers."""

from __future__ import annotations

import re

from symparam.dims import canonical
from symparam.errors import UnknownName

#: What papers write above a column, besides the names and aliases of dims.
WORDS: dict[str, str] = {word: name for name, words in {
    "L": "layers|n layers|num layers|number layers|depth|blocks|transformer layers",
    "d_model": "model dimension|model dim|dimension|hidden size|hidden dim|hidden dimension|hidden"
               "|embedding dim|embedding dimension|embedding size|width|model width|dmodel|d model"
               "|model size d|embed dim",
    "d_ff": "ffn dimension|ffn hidden dim|ffn dim|ffn size|ffn hidden|ffn hidden size|ffn width"
            "|feed-forward size|feed-forward dimension|feed forward dimension|feedforward dimension"
            "|mlp size|mlp dimension|mlp dim|mlp width|intermediate|intermediate size|ffw size|ffw"
            "|dff|d ff|hidden layer size|ffn",
    "n_heads": "heads|attention heads|query heads|q heads|n heads|num heads|number heads|nheads"
               "|attn heads",
    "n_kv": "kv heads|key/value heads|key-value heads|key value heads|n kv heads|kv|n kv"
            "|num kv heads|kv groups",
    "d_head": "head dim|head size|head dimension|key/value size|kv size|d head|dhead|head width",
    "V": "vocab|vocabulary|vocabulary size|vocab size|vocab.",
    "n_ctx": "context|context length|context size|sequence length|max positions|positions length"
             "|max sequence length|n ctx|nctx",
    "name": "name|model|variant|config|configuration|model name|architecture",
    "P": "params|parameters|n params|nparams|num params|number parameters|size|model size|total"
         "|total params|total parameters|parameter count|param count|param.|claimed|count|p",
    "without_embeddings": "non-embedding|non-embedding params|non-embedding parameters"
                          "|non embedding"
                          "|non-emb params|params without embeddings",
    "active": "active params|active parameters|activated params|activated parameters|active"
              "|activated",
    "tied": "tied|tied embeddings|tie embeddings|tie word embeddings|weight tying|tied embedding"
            "|tied weights|tied head|shared embeddings|embedding tying|weight sharing",
    "attention": "attention|attention type|attn|attention mechanism|attention variant|attn type"
                 "|attention kind|self-attention",
    "ffn": "ffn type|feed-forward|feed-forward type|mlp type|activation|activation function|act"
           "|act fn|hidden act|activations|nonlinearity|non-linearity|ffn activation|ffn kind"
           "|mlp activation|ffn variant|feed-forward network|feed-forward layer|mlp",
    "norm": "norm|normalisation|normalization|norm type|layer norm|layernorm|norm layer"
            "|normalization layer|normalisation layer",
    "norms_per_block": "norms per block|norms", "final_norm": "final norm",
    "bias": "bias|biases|use bias|bias terms|linear bias",
    "qk_norm": "qk norm|qk-norm|qk norms|query-key norm",
    "positions": "positions|position|positional encoding|position encoding|position embedding"
                 "|positional embedding|position embeddings|positional embeddings|pos emb|pos enc"
                 "|positional encodings|position encodings|pos. emb.|pos. enc.",
}.items() for word in words.split("|")}
OPTIONS = frozenset({"tied", "attention", "ffn", "norm", "norms_per_block", "final_norm", "bias",
                     "qk_norm", "positions"})
NAME, IGNORED = "name", "-"
_UNIT = re.compile(r"\s*[(\[]\s*(?:in\s+)?(k|m|b|t|millions?|billions?|trillions?|bn)\s*[)\]]\s*$",
                   re.I)
_OPENING = re.compile(r"[(\[]")
_FILLER = re.compile(r"^(?:#|no\.?|nr\.?|number|num\.?)\s*(?:of\s+)?", re.I)


def meaning(title: str) -> str | None:
    """What the title of a column stands for; None where it is not known.

    >>> meaning("# Layers"), meaning("FFN Dimension"), meaning("n_embd"), meaning("Params (B)")
    ('L', 'd_ff', 'd_model', 'P')
    >>> meaning("Learning rate")
    """
    bare = _unbracketed(title)
    for text in (bare, _FILLER.sub("", bare)):
        low = text.lower().replace("_", " ").strip(" :*")
        if low in WORDS:
            return WORDS[low]
        for name in (text, text.replace(" ", "_"), text.lower().replace(" ", "_")):
            if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) or name == "N":
                continue
            try:
                return canonical(name)
            except UnknownName:
                continue
    return None


def _unbracketed(title: str) -> str:
    """A title without what stands in brackets at its end; in as many steps as it has letters."""
    text = title.strip()
    if not text.endswith((")", "]")):
        return text
    closed = max(text.rfind(")", 0, -1), text.rfind("]", 0, -1)) + 1
    opened = _OPENING.search(text, closed)
    return text[:opened.start()].strip() if opened else text


def unit(title: str) -> str:
    """What stands behind the numbers of a column, where its title says it: K, M, B or in words."""
    match = _UNIT.search(title)
    return "" if match is None else match[1]
