"""Keys of a ``config.json`` that change no weight, whatever the family, each set with why.

A family's own list has what no other family reads, or what another one counts. A key that is read
is read whether or not it stands here.
"""

from __future__ import annotations

#: What transformers itself writes, for any model.
_LIBRARY = """
    _attn_implementation _name_or_path attn_implementation bos_token_id eos_token_id pad_token_id
    sep_token_id cls_token_id mask_token_id unk_token_id decoder_start_token_id dtype torch_dtype
    id2label label2id num_labels initializer_range output_attentions output_hidden_states
    problem_type return_dict task_specific_params tokenizer_class transformers_version use_cache
    use_bfloat16 gradient_checkpointing finetuning_task prefix auto_map chunk_size_feed_forward
    torchscript tf_legacy_loss _commit_hash max_length min_length max_new_tokens do_sample
    early_stopping num_beams num_beam_groups diversity_penalty temperature top_k top_p typical_p
    repetition_penalty length_penalty no_repeat_ngram_size encoder_no_repeat_ngram_size
    bad_words_ids num_return_sequences output_scores return_dict_in_generate forced_bos_token_id
    forced_eos_token_id remove_invalid_values exponential_decay_length_penalty suppress_tokens
    begin_suppress_tokens
"""

#: What other tools leave behind: kernels for training and serving, exports, tokenizers.
_TOOLS = """
    _flash_attn_2_enabled model_max_length transformers.js_config unsloth_fixed unsloth_version
    use_flash_attention_2
"""

#: What training leaves out at random: nothing is stored for it.
_DROPOUT = """
    activation_dropout attention_dropout attention_probs_dropout_prob attn_pdrop classif_dropout
    classifier_dropout classifier_dropout_prob classifier_dropout_rate decoder_layerdrop dropout
    dropout_rate emb_pdrop embd_pdrop embed_dropout embedding_dropout encoder_layerdrop
    hidden_dropout hidden_dropout_prob layerdrop mlp_dropout pooler_dropout resid_dropout
    resid_pdrop residual_dropout
"""

#: What weights are before training: their values, not how many there are.
_BEGINNING = "init_std initializer_factor"

#: What a norm adds under its root.
_EPSILON = """
    layer_norm_eps layer_norm_epsilon layernorm_epsilon norm_eps norm_epsilon rms_norm_eps
"""

#: By which angles positions are turned: they are worked out, not learned.
_ANGLES = "rope_parameters rope_scaling rope_theta"

#: Which function is applied; one with weights of its own is refused by its value.
_FUNCTIONS = "activation_function hidden_act hidden_activation"

#: How a router's numbers are normed and cut, and what it is trained with. Whether it has a bias is
#: for a family to read (scoring_func, topk_method).
_ROUTING = """
    aux_loss_alpha ep_size n_group norm_topk_prob output_router_logits routed_scaling_factor
    router_aux_loss_coef router_jitter_noise seq_aux topk_group
"""

#: What a result is multiplied by, or kept within.
_SCALES = """
    attention_multiplier attn_logit_softcapping clip_qkv embedding_multiplier
    final_logit_softcapping logits_scaling query_pre_attn_scalar residual_multiplier
    scale_attn_weights scale_embedding swiglu_limit
"""

#: How the same numbers are worked out: in pieces, with more digits, of which positions.
_RUNNING = "attention_softmax_in_fp32 num_logits_to_keep output_past pretraining_tp"

#: Keys of any family that change no weight's shape.
HARMLESS = frozenset(" ".join((_LIBRARY, _TOOLS, _DROPOUT, _BEGINNING, _EPSILON, _ANGLES,
                               _FUNCTIONS, _ROUTING, _SCALES, _RUNNING)).split())

#: Of these, what says nothing of the function that the weights make.
OUTSIDE = frozenset(" ".join((_LIBRARY, _TOOLS, _BEGINNING, _RUNNING)).split())

#: Where positions have no table (they are turned, or sines, or not told): there is no length of
#: one to read.
NO_TABLE = frozenset({"max_position_embeddings", "partial_rotary_factor"})

#: What a scan begins with, is kept within and is cut into, and by which program it runs.
SCAN = frozenset("""
    chunk_size mamba_chunk_size rescale_prenorm_residual residual_in_fp32 time_step_floor
    time_step_limit time_step_max time_step_min use_associative_scan use_mamba_kernels
""".split())

#: What the heads of tasks take of a sequence; a model with such a head is another task.
SUMMARY = frozenset("""
    summary_activation summary_first_dropout summary_proj_to_labels summary_type summary_use_proj
""".split())

#: Keys that say how numbers are stored, in transformers and in MLX: the count is of what they
#: are stored for.
QUANTISATION = ("quantization_config", "quantization")

#: Activations with weights of their own, whatever the key that names them.
LEARNED_ACTIVATIONS = frozenset({"prelu", "xielu"})
