"""Keys of Hugging Face configurations by dim, for the notation ``hf``.

Where families call one thing differently, the key that most classes of transformers 5.23 have.
"""

from __future__ import annotations

HF_KEYS: dict[str, str] = {
    "V": "vocab_size", "L": "num_hidden_layers", "n_ctx": "max_position_embeddings",
    "n_types": "type_vocab_size", "d_model": "hidden_size", "d_ff": "intermediate_size",
    "n_heads": "num_attention_heads", "n_kv": "num_key_value_heads", "d_head": "head_dim",
    "g": "num_key_value_groups", "window": "sliding_window",
    # mixtures
    "n_experts": "num_experts", "top_k": "num_experts_per_tok", "n_shared": "n_shared_experts",
    "d_expert": "moe_intermediate_size", "d_shared": "shared_expert_intermediate_size",
    "d_latent": "moe_latent_size",
    # latent attention, indexers, grouped outputs
    "q_rank": "q_lora_rank", "kv_rank": "kv_lora_rank", "d_nope": "qk_nope_head_dim",
    "d_rope": "qk_rope_head_dim", "d_v": "v_head_dim", "n_index": "index_n_heads",
    "d_index": "index_head_dim", "top_index": "index_topk", "out_rank": "o_lora_rank",
    "n_out": "o_groups", "n_streams": "hc_mult",
    # recurrent layers
    "d_state": "mamba_d_state", "dt_rank": "time_step_rank", "k_conv": "conv_kernel",
    "n_ssm_heads": "mamba_n_heads", "d_ssm_head": "mamba_d_head", "n_groups": "mamba_n_groups",
    "n_key": "linear_num_key_heads", "d_key": "linear_key_head_dim",
    "n_value": "linear_num_value_heads", "d_value": "linear_value_head_dim",
    "n_linear": "linear_num_heads", "d_linear": "linear_head_dim", "d_rnn": "lru_width",
    "d_att": "attention_hidden_size",
    # encoder-decoders
    "L_encoder": "encoder_layers", "L_decoder": "decoder_layers",
    "n_heads_encoder": "encoder_attention_heads", "n_heads_decoder": "decoder_attention_heads",
    "d_ff_encoder": "encoder_ffn_dim", "d_ff_decoder": "decoder_ffn_dim",
    "V_encoder": "src_vocab_size", "V_decoder": "tgt_vocab_size",
    "n_ctx_encoder": "max_encoder_position_embeddings",
    "n_ctx_decoder": "max_decoder_position_embeddings",
    "d_encoder": "cross_attention_hidden_size", "n_buckets": "relative_attention_num_buckets",
    # others
    "d_embed": "embedding_size", "V_small": "vocab_size_per_layer_input",
    "d_small": "hidden_size_per_layer_input", "d_bottleneck": "intra_bottleneck_size",
    "n_rel": "position_buckets", "n_labels": "num_labels", "n_mels": "num_mel_bins",
    "r_laurel": "laurel_rank", "r_adapter": "adapter_rank", "norm_rank": "gated_norm_rank"}
