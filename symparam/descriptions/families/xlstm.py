"""xLSTM 7B: mLSTM blocks, each with a SwiGLU.

Source: Beck et al. 2025, arXiv:2503.13427; transformers, models/xlstm.
"""

from __future__ import annotations

from symparam.components import find
from symparam.descriptions.assembling.assemble import Places, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.reading.source import shown
from symparam.layout import entry
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("xlstm",)
CLASSES = {"xLSTMForCausalLM": "causal", "xLSTMModel": "base"}
DIMS = {
    "V": ("vocab_size", 50304), "L": ("num_hidden_layers", "num_blocks", 32),
    "d_model": ("hidden_size", 4096),
    "n_heads": ("num_heads", 8),
}
HARMLESS = frozenset("""
    add_embedding_dropout add_forward_backend_padding autocast_kernel_dtype cell_norm_eps chunk_size
    chunkwise_kernel eps force_bos_token_insert forward_backend_name gate_soft_cap head_dim
    igate_bias_init_range inference_state_dtype max_inference_chunksize
    mlstm_round_up_to_multiple_of mode norm_reduction_force_float32 output_logit_soft_cap
    return_last_states sequence_kernel step_kernel
""".split())
FUSED = (entry("*.mixer", "W_Q W_K W_V W_G", ".qkv_opreact.weight"),
         entry("*.mixer", "W_i W_f", ".ifgate_preact.weight"),
         entry("*.mixer", "b_i b_f", ".ifgate_preact.bias"),
         entry("*.ffn", "W_gate W_up", ".proj_up_gate_z.weight"))
APART = (entry("*.ffn", "W_gate", ".proj_up_gate.weight"),
         entry("*.ffn", "W_up", ".proj_up.weight"))
PLACES = Places(top="backbone.", token="embeddings.", layers="blocks.*.", final_norm="out_norm.")


def build(config: Config, name: str) -> Model:
    """An xLSTM; its widths are factors of the model's, rounded as the code rounds them."""
    task = config.task(CLASSES, "causal")
    values = config.dims(DIMS)
    width = values["d_model"]
    multiple = config.count_of("ffn_round_up_to_multiple_of", default=64)
    wanted = width * _factor(config, "ffn_proj_factor", 2.667)
    values |= {"d_query": int(width * _factor(config, "qk_dim_factor", 0.5)),
               "d_memory": int(width * _factor(config, "v_dim_factor", 1.0)),
               "d_ff": int(((wanted + multiple - 1) // multiple) * multiple)}
    config.only("weight_mode", "single", "fused")
    fused = config.text("weight_mode", "single") == "fused"
    config.only("embedding_dim", width, None)
    config.only("add_qk_norm", False)
    config.only("add_post_norm", False)
    config.only("add_post_blocks_norm", True)
    config.only("use_bias", False)
    config.only("add_out_norm", True)
    config.only("tie_word_embeddings", False)
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    block = (slot("mixer", "mlstm"), slot("ffn", "swiglu", "ffn."),
             Slot("norms.mixer", norm, "norm_mlstm."), Slot("norms.ffn", norm, "norm_ffn."))
    return decoder_model(config, name, task, values, block, final_norm=norm, positions=None,
                         names=(*(FUSED if fused else APART),
                                entry("*.ffn", "W_down", ".proj_down.weight")), places=PLACES)


def _factor(config: Config, key: str, default: float) -> float:
    value = config.raw(key, default)
    if type(value) not in (int, float) or not 0 < value < 1000:
        raise config.error(key, f"expected a number, found {shown(value)}")
    return float(value)
