"""The tensors of GPT-2 and BERT under their own names, listed one by one."""

from __future__ import annotations

from typing import Literal

from .decoder import Rows, State, fold


def gpt2_tensors(V: int, L: int, d_model: int, n_ctx: int, d_ff: int) -> Rows:
    """GPT2LMHeadModel: its matrices are Conv1D, stored (in, out), and its head is tied."""
    state: State = {}
    state["transformer.wte.weight"] = (V, d_model)
    state["transformer.wpe.weight"] = (n_ctx, d_model)
    for i in range(L):
        state[f"transformer.h.{i}.ln_1.weight"] = (d_model,)
        state[f"transformer.h.{i}.ln_1.bias"] = (d_model,)
        state[f"transformer.h.{i}.attn.c_attn.weight"] = (d_model, d_model + d_model + d_model)
        state[f"transformer.h.{i}.attn.c_attn.bias"] = (d_model + d_model + d_model,)
        state[f"transformer.h.{i}.attn.c_proj.weight"] = (d_model, d_model)
        state[f"transformer.h.{i}.attn.c_proj.bias"] = (d_model,)
        state[f"transformer.h.{i}.ln_2.weight"] = (d_model,)
        state[f"transformer.h.{i}.ln_2.bias"] = (d_model,)
        state[f"transformer.h.{i}.mlp.c_fc.weight"] = (d_model, d_ff)
        state[f"transformer.h.{i}.mlp.c_fc.bias"] = (d_ff,)
        state[f"transformer.h.{i}.mlp.c_proj.weight"] = (d_ff, d_model)
        state[f"transformer.h.{i}.mlp.c_proj.bias"] = (d_model,)
    state["transformer.ln_f.weight"] = (d_model,)
    state["transformer.ln_f.bias"] = (d_model,)
    return fold(state)


def bert_tensors(
    V: int,
    L: int,
    d_model: int,
    d_ff: int,
    n_ctx: int,
    n_types: int,
    head: Literal["base", "mlm"],
) -> Rows:
    """BertModel with its pooler ("base"), or BertForMaskedLM with its tied decoder ("mlm")."""
    if head not in ("base", "mlm"):
        raise ValueError(f"unknown head {head!r}")
    p = "bert." if head == "mlm" else ""
    state: State = {}
    state[f"{p}embeddings.word_embeddings.weight"] = (V, d_model)
    state[f"{p}embeddings.position_embeddings.weight"] = (n_ctx, d_model)
    state[f"{p}embeddings.token_type_embeddings.weight"] = (n_types, d_model)
    state[f"{p}embeddings.LayerNorm.weight"] = (d_model,)
    state[f"{p}embeddings.LayerNorm.bias"] = (d_model,)
    for i in range(L):
        state[f"{p}encoder.layer.{i}.attention.self.query.weight"] = (d_model, d_model)
        state[f"{p}encoder.layer.{i}.attention.self.query.bias"] = (d_model,)
        state[f"{p}encoder.layer.{i}.attention.self.key.weight"] = (d_model, d_model)
        state[f"{p}encoder.layer.{i}.attention.self.key.bias"] = (d_model,)
        state[f"{p}encoder.layer.{i}.attention.self.value.weight"] = (d_model, d_model)
        state[f"{p}encoder.layer.{i}.attention.self.value.bias"] = (d_model,)
        state[f"{p}encoder.layer.{i}.attention.output.dense.weight"] = (d_model, d_model)
        state[f"{p}encoder.layer.{i}.attention.output.dense.bias"] = (d_model,)
        state[f"{p}encoder.layer.{i}.attention.output.LayerNorm.weight"] = (d_model,)
        state[f"{p}encoder.layer.{i}.attention.output.LayerNorm.bias"] = (d_model,)
        state[f"{p}encoder.layer.{i}.intermediate.dense.weight"] = (d_ff, d_model)
        state[f"{p}encoder.layer.{i}.intermediate.dense.bias"] = (d_ff,)
        state[f"{p}encoder.layer.{i}.output.dense.weight"] = (d_model, d_ff)
        state[f"{p}encoder.layer.{i}.output.dense.bias"] = (d_model,)
        state[f"{p}encoder.layer.{i}.output.LayerNorm.weight"] = (d_model,)
        state[f"{p}encoder.layer.{i}.output.LayerNorm.bias"] = (d_model,)
    if head == "base":
        state["pooler.dense.weight"] = (d_model, d_model)
        state["pooler.dense.bias"] = (d_model,)
    else:
        state["cls.predictions.bias"] = (V,)
        state["cls.predictions.transform.dense.weight"] = (d_model, d_model)
        state["cls.predictions.transform.dense.bias"] = (d_model,)
        state["cls.predictions.transform.LayerNorm.weight"] = (d_model,)
        state["cls.predictions.transform.LayerNorm.bias"] = (d_model,)
    return fold(state)
