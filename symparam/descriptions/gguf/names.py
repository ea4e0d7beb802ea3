"""What llama.cpp calls the tensors of a model, by the matrices of its ledger.

Source: llama.cpp, gguf-py/gguf/constants.py (TENSOR_NAMES) and tensor_mapping.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symparam.layout import Entry, entry

#: Component and matrix (its bias in brackets) to the tensor, ``blk.*.`` before those of layers.
_OUTSIDE = {"embedding.token.W_E": "token_embd.weight",
            "embedding.positions.W_P": "position_embd.weight",
            "final_norm.norm.gain": "output_norm.weight",
            "final_norm.norm.shift": "output_norm.bias",
            "head.lm.W_U": "output.weight", "head.lm.b_U": "output.bias"}
_PARTS = {"Q": "attn_q", "K": "attn_k", "V": "attn_v", "O": "attn_output",
          "gate": "ffn_gate", "up": "ffn_up", "down": "ffn_down"}
_LAYERS = {
    "attention.g_Q": "attn_q_norm.weight", "attention.g_K": "attn_k_norm.weight",
    "qk-norm.g_Q": "attn_q_norm.weight", "qk-norm.g_K": "attn_k_norm.weight",
    "norms.input.gain": "attn_norm.weight", "norms.input.shift": "attn_norm.bias",
    "norms.attention.gain": "attn_norm.weight", "norms.attention.shift": "attn_norm.bias",
    "norms.ffn.gain": "ffn_norm.weight", "norms.ffn.shift": "ffn_norm.bias",
    "norms.attention_out.gain": "post_attention_norm.weight",
    "norms.ffn_out.gain": "post_ffw_norm.weight",
    "attention.W_DQ": "attn_q_a.weight", "attention.W_UQ": "attn_q_b.weight",
    "attention.W_DKV": "attn_kv_a_mqa.weight", "attention.W_UKV": "attn_kv_b.weight",
    "attention.g_KV": "attn_kv_a_norm.weight",
    "ffn.W_router": "ffn_gate_inp.weight", "ffn.balance": "exp_probs_b.bias",
    "ffn.X_gate": "ffn_gate_exps.weight", "ffn.X_up": "ffn_up_exps.weight",
    "ffn.X_down": "ffn_down_exps.weight", "ffn.S_gate": "ffn_gate_shexp.weight",
    "ffn.S_up": "ffn_up_shexp.weight", "ffn.S_down": "ffn_down_shexp.weight",
    "ffn.w_shared": "ffn_gate_inp_shexp.weight",
    "mixer.W_in": "ssm_in.weight", "mixer.W_conv": "ssm_conv1d.weight",
    "mixer.b_conv": "ssm_conv1d.bias", "mixer.W_x": "ssm_x.weight", "mixer.W_dt": "ssm_dt.weight",
    "mixer.b_dt": "ssm_dt.bias", "mixer.A_log": "ssm_a", "mixer.D": "ssm_d",
    "mixer.W_out": "ssm_out.weight"}


def entries_of(joined: Mapping[str, str], own: Mapping[str, str]) -> Iterator[Entry]:
    """How a header's architecture stores the matrices of a ledger.

    Args:
        joined: matrices that are one tensor, by their letters, with its name:
            ``{"Q K V": "attn_qkv"}``.
        own: places whose tensors have other names than most architectures give them.
    """
    for path, name in _OUTSIDE.items():
        component, _, matrix = path.rpartition(".")
        yield entry(component, matrix, name)
    for letters, name in joined.items():
        place = "attention" if "Q" in letters else "ffn"
        for kind, ending in (("W", "weight"), ("b", "bias")):
            yield entry(f"*.{place}", " ".join(f"{kind}_{each}" for each in letters.split()),
                        f"blk.*.{name}.{ending}")
    parts = {each for letters in joined for each in letters.split()}
    for letter, stem in _PARTS.items():
        if letter not in parts:
            place = "attention" if letter in "QKVO" else "ffn"
            yield entry(f"*.{place}", f"W_{letter}", f"blk.*.{stem}.weight")
            yield entry(f"*.{place}", f"b_{letter}", f"blk.*.{stem}.bias")
    for path, name in (_LAYERS | dict(own)).items():
        component, _, matrix = path.rpartition(".")
        yield entry(f"*.{component}", matrix, f"blk.*.{name}")
