"""Where a traced tensor stands: its block, its part, and what kind of part that is.

Names decide (``self_attn``, ``mlp``), and classes where they tell more (``Embedding``,
``LlamaRMSNorm``). What a place is called is for people: rows are counted whatever it is.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from symparam import expression as ex
from symparam.dataclass import dataclass
from symparam.ledger import BANK
from symparam.traced.names import letter
from symparam.traced.records import TracedRow

#: Words that every model has around its parts, and that tell nothing.
_FRAMES = frozenset(("model module transformer layers layer h blocks block base_model net "
                     "text_model language_model backbone stack units").split())
#: Words for the two halves of a model, and for what it sees and hears.
_SCOPES = {"vision_tower": "vision", "vision_model": "vision", "visual": "vision",
           "vision_encoder": "vision", "audio_tower": "audio", "audio_model": "audio"}

#: What a stack of blocks may be called: a matrix beside it needs a word more.
_HALVES = frozenset({"", "encoder", "decoder", "vision", "audio"})

_NORM = re.compile(r"norm|(^|_)ln(_|\d|$)|layernorm", re.I)
_KINDS = (
    ("cross_attention", re.compile(r"cross|encoder_attn|encdecattention|multihead_attn", re.I)),
    ("attention", re.compile(r"attn|attention", re.I)),
    ("ffn", re.compile(r"mlp|ffn|feed_?forward|moe|expert|^fc[_\d*]|^lin(ear)?[\d*]|intermediate|"
                       r"densereludense|^output$", re.I)),
)
#: Letters of matrices that stand in a block without a module around them.
_DIRECT = {"attention": {"Q", "K", "V", "O", "QKV", "KV"}, "ffn": {"gate", "up", "down"}}
_EXPERT = re.compile(r"expert", re.I)


#: Kinds that a row is told to be, and that no name makes it.
TOLD = frozenset({"token", "head", "positions"})


@dataclass(frozen=True)
class Place:
    """Where a row stands.

    Attributes:
        prefix: what the names of its block begin with.
        scope: words that tell its block from others: ``encoder``, ``vision``.
        inside: the modules below its block, and the tensor's own name last.
        kind: ``attention``, ``ffn``, ``norm``, ``token``, ``positions``, ``head`` ...
        repeat: how often its block stands; None for once.
        inner: how many of it there are in one block, by what is repeated.
    """

    prefix: str
    scope: str
    inside: tuple[str, ...]
    kind: str
    repeat: ex.Expr | None = None
    inner: tuple[tuple[str, ex.Expr], ...] = ()


def place_of(row: TracedRow, told: str = "", frame: str = "") -> Place:
    """Where a row stands.

    Args:
        row: a row of a trace.
        told: what kind of table it is (:class:`~symparam.traced.tables.Tables`), if it is one.
        frame: a word that most names begin with.
    """
    words = row.pattern.split(".")
    if frame and words[0] == frame and len(words) > 2:
        below = place_of(replace(row, pattern=".".join(words[1:])), told)
        return replace(below, prefix=f"{frame}.{below.prefix}")
    ends = _block_ends(words, row)
    start = ends[-1] + 1 if ends else 0
    inside = tuple(words[start:])
    if not ends:
        return _once(row, words, told)
    repeat, inner = _counts(row, words, ends)
    kind = told or _kind(inside, row)
    return Place("".join(f"{word}." for word in words[:start]), _scope(words[:start]), inside,
                 kind, repeat, inner)


def _block_ends(words: list[str], row: TracedRow) -> list[int]:
    """The places of the stars that number blocks; those of experts and of short lists inside a
    block number matrices."""
    stars = [i for i, word in enumerate(words) if word == "*"]
    if not row.copies or not stars:
        return []
    found = [i for i in stars if not _EXPERT.search(words[i - 1] if i else "")
             and len(words) - i > 3]
    return found or [i for i in stars[:1] if len(words) - i > 1]


def _counts(row: TracedRow, words: list[str],
            ends: list[int]) -> tuple[ex.Expr, tuple[tuple[str, ex.Expr], ...]]:
    """How often the block stands, and how many of the row there are in one."""
    stars = [i for i, word in enumerate(words) for _ in range(word.count("*"))]
    if len(row.copies) != len(stars):
        return ex.product_of(*row.copies), ()
    outer = [c for c, i in zip(row.copies, stars, strict=True) if i <= ends[-1]]
    inner = [(BANK if _EXPERT.search(words[i - 1]) else words[i - 1] if words[i] == "*" else
              words[i].rstrip("*"), c)
             for c, i in zip(row.copies, stars, strict=True) if i > ends[-1]]
    return ex.product_of(*outer), tuple(inner)


def _scope(words: list[str]) -> str:
    """What tells a block from others, in words: ``encoder``, ``vision_2``."""
    found = [_SCOPES.get(word, word) for word in words if word != "*" and word not in _FRAMES]
    return "_".join(dict.fromkeys(_clean(word) for word in found))


def _clean(word: str) -> str:
    return re.sub(r"\W+", "_", word, flags=re.ASCII).strip("_") or "part"


def _kind(inside: tuple[str, ...], row: TracedRow) -> str:
    """The kind of part that a row of a repeated block belongs to."""
    if len(inside) > 2 and inside[0].isdigit():
        inside = inside[1:]  # a number in a list says nothing; what is in it may
    first = inside[0] if len(inside) > 1 else ""
    if len(inside) == 2 and len(row.shape) <= 1 and (_NORM.search(first)
                                                      or "Norm" in row.module):
        return "norm"
    for kind, words in _KINDS:
        if words.search(first):
            return kind
    for kind, letters in _DIRECT.items():
        if letter("attention", first) in letters:
            return kind
    found = _clean(first or row.module.lower() or "own")
    return f"inner_{found}" if found in TOLD else found


def _once(row: TracedRow, words: list[str], kind: str) -> Place:
    """The place of a row that is no part of a repeated block."""
    *modules, leaf = words
    last = modules[-1] if modules else ""
    if not kind and len(row.shape) <= 1 and (_NORM.search(last) or "Norm" in row.module):
        kind = "norm"
    around = modules[:-1]
    scope = _scope([word for word in around if not (kind and word == "embeddings")])
    if not kind and scope in _HALVES:
        scope = _scope(modules)
    if not kind and scope in _HALVES:
        scope = _scope([*modules, leaf])
    prefix = "".join(f"{word}." for word in modules)
    return Place(prefix, scope, (leaf,), kind or "own",
                 ex.product_of(*row.copies) if row.copies else None)


def frame_of(rows: tuple[TracedRow, ...]) -> str:
    """The word that most names begin with, where it tells nothing: ``bert``."""
    first = Counter(row.pattern.partition(".")[0] for row in rows if "." in row.pattern)
    if not first:
        return ""
    word, count = first.most_common(1)[0]
    telling = word in _HALVES or word in _SCOPES or "*" in word
    return "" if telling or 2 * count < len(rows) else word
