"""Keys of a ``config.json`` that change no weight, whatever the family."""

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

#: Keys of any family that change no weight's shape.
HARMLESS = frozenset((_LIBRARY + _TOOLS).split())

#: Keys that say how numbers are stored, in transformers and in MLX: the count is of what they
#: are stored for.
QUANTISATION = ("quantization_config", "quantization")

#: Activations with weights of their own, whatever the key that names them.
LEARNED_ACTIVATIONS = frozenset({"prelu", "xielu"})
