"""Whether a checkpoint, its tokenizer and its configuration have the same vocabulary.

Rows of an embedding that no token has are common (a vocabulary is rounded up for the hardware); a
token without a row is not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from symparam.checkpoints.header import Shape
from symparam.dataclass import dataclass
from symparam.descriptions.gguf.cursor import Many
from symparam.descriptions.gguf.reader import Gguf
from symparam.descriptions.reading.source import parse_json
from symparam.errors import FileError, SymparamError
from symparam.files.reading import read_text
from symparam.model import Model
from symparam.resolve import numbers

#: What holds a tokenizer, beside a checkpoint (tokenizers, its file format).
FILE = "tokenizer.json"
MAX_BYTES, MAX_VALUES = 64 * 2**20, 4_000_000

#: How the names of embeddings end, in published checkpoints and in GGUF.
_EMBEDDINGS = ("embed_tokens.weight", "wte.weight", "word_embeddings.weight", "embed_in.weight",
               "embeddings.weight", "tok_embeddings.weight", "token_embd.weight")


@dataclass(frozen=True)
class Tokens:
    """The tokens that a tokenizer has, and where it stands.

    Attributes:
        where: its name.
        numbers: the number of each token; there may be gaps between them.
        problem: why it could not be read; empty where it could.
    """

    where: str
    numbers: Collection[int]
    problem: str = ""

    def beside(self, what: str, rows: int) -> str:
        """A sentence on how they go with the rows of something; empty where each has one."""
        count, last = len(self.numbers), max(self.numbers, default=-1)
        upto = "" if last + 1 == count else f", the largest number {last:,}"
        said = f"{self.where} has {count:,} tokens{upto}, {what} {rows:,} rows"
        without = sum(number >= rows for number in self.numbers)
        more = rows - (count - without)
        words = [f"{without:,} tokens have none"] * bool(without) + [
            f"{more:,} of them are for no token"] * bool(more)
        return f"{said}: {', '.join(words)}" if words else ""


def tokens_of_folder(folder: Path | None) -> Tokens | None:
    """The tokens of the tokenizer in a folder; None without one."""
    path = None if folder is None else folder / FILE
    try:
        if path is None or not path.is_file():
            return None
        data = parse_json(read_text(path, "a tokenizer", MAX_BYTES), python=True, most=MAX_VALUES)
    except FileError as error:
        return Tokens(FILE, (), error.problem)
    except OSError as error:
        return Tokens(FILE, (), f"cannot be read: {error.strerror or 'an error'}")
    except ValueError as error:
        return Tokens(FILE, (), f"not JSON: {' '.join(str(error).split())[:120]}")
    found = frozenset(_numbers(data))
    return Tokens(FILE, found, "" if found else "no numbered tokens found in it")


def _numbers(data: Any) -> list[int]:
    """The numbers of all tokens in a tokenizer.json, those added later too."""
    if not isinstance(data, dict):
        return []
    model, added = data.get("model"), data.get("added_tokens")
    vocab = model.get("vocab") if isinstance(model, dict) else None
    found = list(vocab.values()) if isinstance(vocab, dict) else (
        list(range(len(vocab))) if isinstance(vocab, list) else [])
    found += [each.get("id") for each in added if isinstance(each, dict)] if isinstance(
        added, list) else []
    return [each for each in found if type(each) is int and 0 <= each < 2**32]


def tokens_of_file(file: Gguf) -> Tokens | None:
    """The tokens that a GGUF header lists."""
    found = file.keys.get("tokenizer.ggml.tokens")
    return Tokens("tokenizer.ggml.tokens", range(found.count)) if isinstance(found, Many) else None


def disagreements(model: Model, found: Mapping[str, Shape],
                  tokens: Tokens | None) -> tuple[str, ...]:
    """Where the vocabularies are not the same, a sentence each.

    Args:
        model: the model, its V from the configuration.
        found: the tensors of the checkpoint.
        tokens: those of its tokenizer.
    """
    try:
        stated = numbers(model).values.get("V")
    except SymparamError:  # said where it is counted
        return ()
    rows = next((shape[0] for name, shape in found.items()
                 if name.endswith(_EMBEDDINGS) and len(shape) == 2), None)
    said: list[str] = []
    if rows is not None and stated is not None and rows != stated:
        said.append(f"the checkpoint's embedding has {rows:,} rows, the configuration says "
                    f"{stated:,}")
    what, count = ("the embedding", rows) if rows is not None else ("the configuration", stated)
    if tokens is not None and tokens.problem:
        said.append(f"{tokens.where}: {tokens.problem}; the vocabulary is not held against it")
    elif tokens is not None and count is not None:
        said += filter(None, [tokens.beside(what, count)])
    return tuple(said)
