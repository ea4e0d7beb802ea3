"""The keys of a GGUF header, under the name of its architecture: each understood or refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from symparam.descriptions.gguf.cursor import Many
from symparam.descriptions.gguf.reader import Gguf
from symparam.descriptions.reading.source import DataTable, shown
from symparam.errors import BadValue, short

#: What begins with these says nothing of the weights.
_ELSEWHERE = ("general.", "tokenizer.", "split.", "quantize.", "imatrix.")
#: After the architecture's name: how positions turn, how long a context is, what is scaled.
HARMLESS = frozenset("""
    context_length tensor_data_layout pooling_type logit_scale residual_scale embedding_scale
    attn_logit_softcapping final_logit_softcapping attention.causal attention.clamp_kqv
    attention.layer_norm_epsilon attention.layer_norm_rms_epsilon attention.max_alibi_bias
    attention.scale attention.output_scale use_parallel_residual
    expert_weights_scale expert_weights_norm expert_gating_func expert_group_count
    expert_group_used_count
""".split())
_REQUIRED: Any = object()


def plain_keys(file: Gguf) -> dict[str, Any]:
    """The keys of a header without the name of its architecture, and the tensors that say how
    positions turn.

    Args:
        file: the header.
    """
    kind = f"{file.keys.get('general.architecture')}."
    return {key.removeprefix(kind): value for key, value in file.keys.items()} | {
        tensor.name: True for tensor in file.tensors if tensor.name.startswith("rope_")}


class Keys(DataTable):
    """The keys of a header.

    Attributes:
        file: the header.
        architecture: what ``general.architecture`` says.
        ignored: keys that are not understood and to be passed over, each with whether it was met.
        left_out: what is said of those that were.
    """

    def __init__(self, file: Gguf, ignored: Iterable[str] = ()) -> None:
        super().__init__(file.where, file.keys)
        self.ignored, self.left_out = dict.fromkeys(ignored, False), list[str]()
        self.file, self.architecture = file, self.text("general.architecture")
        self.shapes = {tensor.name: tensor.shape for tensor in file.tensors}

    def number(self, key: str, default: Any = _REQUIRED) -> Any:
        """A whole number; a list that has the same one for every layer is that number."""
        name = f"{self.architecture}.{key}"
        value = self.raw(name, *(() if default is _REQUIRED else (default,)))
        if isinstance(value, list) and value and all(each == value[0] for each in value):
            value = value[0]
        if name in self.data and (isinstance(value, bool) or not isinstance(value, int)):
            what = "a list with others in it" if isinstance(value, list) else (
                "a list" if isinstance(value, Many) else shown(value))
            raise self.error(name, f"expected a whole number, the same for every layer; found "
                             f"{what}")
        return value

    def has(self, *tensors: str) -> bool:
        """Whether the table has one of these tensors."""
        return any(name in self.shapes for name in tensors)

    def vocabulary(self) -> int:
        """The number of tokens: the key's, else the rows of the embedding, else the tokenizer's."""
        stated = self.number("vocab_size", None)
        rows = self.shapes.get("token_embd.weight", (None,))[0]
        tokens = self.data.get("tokenizer.ggml.tokens")
        counted = tokens.count if isinstance(tokens, Many) else None
        found = next((each for each in (stated, rows, counted) if each is not None), None)
        if found is None:
            raise self.error("", f"{self.architecture}.vocab_size is missing")
        return int(found)

    def decoder(self, model_type: str) -> dict[str, Any]:
        """What most decoders have, under the names of a ``config.json``."""
        found = {"model_type": model_type, "vocab_size": self.vocabulary(),
                 "num_hidden_layers": self.number("block_count"),
                 "hidden_size": self.number("embedding_length"),
                 "num_attention_heads": self.number("attention.head_count"),
                 "tie_word_embeddings": not self.has("output.weight")}
        found["num_key_value_heads"] = self.number("attention.head_count_kv",
                                                   found["num_attention_heads"])
        inner = self.number("feed_forward_length", None)
        return found if inner is None else found | {"intermediate_size": inner}

    def head_width(self) -> dict[str, Any]:
        """The width of a head, where the header says it; keys and values are of the same."""
        key = self.number("attention.key_length", None)
        value = self.number("attention.value_length", key)
        if key != value:
            raise self.error(f"{self.architecture}.attention.value_length",
                             f"keys of {key} and values of {value} are not understood here")
        return {} if key is None else {"head_dim": key}

    def only(self, key: str, *allowed: Any) -> None:
        """Refuse a key with a value that is not handled."""
        name = f"{self.architecture}.{key}"
        value = self.raw(name, allowed[0])
        if value not in allowed:
            raise self.error(name, f"{shown(value)} is not understood; handled: "
                             + " or ".join(map(shown, allowed)))

    def close(self, harmless: Iterable[str] = ()) -> None:
        """Refuse every key that is neither read nor known to change no weight, nor ignored.

        Raises:
            SpecError: such a key. BadValue: one that was to be ignored, and is none of these.
        """
        allowed = {f"{self.architecture}.{key}" for key in HARMLESS | set(harmless)}
        for key in self.data:
            if key in self.read or key in allowed or key.startswith(
                    (*_ELSEWHERE, f"{self.architecture}.rope.")):
                continue
            if key not in self.ignored:
                raise self.error(key[:80], f"a key that {self.architecture} is not known to have: "
                                 "whether it changes the weights is not understood; --ignore-key "
                                 f"{short(key)} leaves it aside")
            self.ignored[key] = True
            self.left_out.append(f"the key {short(key)} of the header, which is not understood: "
                                 "ignored as asked")
        for key, was_met in self.ignored.items():
            if not was_met:
                raise BadValue("--ignore-key", key, "is for a key of the header that is not "
                               "understood; this is none")
