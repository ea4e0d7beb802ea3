(* gpt2 *)
Definition embedding_token_W_E : entry := Matrix V d_model 1.
Definition embedding_positions_W_P : entry := Matrix n_ctx d_model 1.
Definition P_embedding : Q := total [embedding_token_W_E; embedding_positions_W_P].
Definition layers_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition layers_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition layers_attention_b_Q : entry := Matrix (n_heads*d_head) 1 1.
Definition layers_attention_b_K : entry := Matrix (n_kv*d_head) 1 1.
Definition layers_attention_b_V : entry := Matrix (n_kv*d_head) 1 1.
Definition layers_attention_b_O : entry := Matrix d_model 1 1.
Definition P_attention : Q := total [layers_attention_W_Q; layers_attention_W_K;
    layers_attention_W_V; layers_attention_W_O; layers_attention_b_Q; layers_attention_b_K;
    layers_attention_b_V; layers_attention_b_O].
Definition layers_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition layers_ffn_b_up : entry := Matrix d_ff 1 1.
Definition layers_ffn_b_down : entry := Matrix d_model 1 1.
Definition P_ffn : Q := total [layers_ffn_W_up; layers_ffn_W_down; layers_ffn_b_up;
    layers_ffn_b_down].
Definition layers_norms_attention_gain : entry := Matrix d_model 1 1.
Definition layers_norms_attention_shift : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_shift : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_norms_attention_gain; layers_norms_attention_shift;
    layers_norms_ffn_gain; layers_norms_ffn_shift].
Definition final_norm_norm_gain : entry := Matrix d_model 1 1.
Definition final_norm_norm_shift : entry := Matrix d_model 1 1.
Definition P_final_norm : Q := total [final_norm_norm_gain; final_norm_norm_shift].
Definition P : Q := P_embedding + L * P_attention + L * P_ffn + L * P_norms + P_final_norm.
Definition line_5 : Q := 12*L*d_model^2 + (V + n_ctx)*d_model + 2*(2*L + 1)*d_model +
    9*L*d_model.
Theorem matrices_sum_to_formula : forall V d_model n_ctx L n_heads : Q, ~ n_heads == 0 -> let
    d_ff := 4*d_model in let d_head := d_model/n_heads in let n_kv := n_heads in
  (P V d_model n_ctx L n_heads d_head n_kv d_ff)
  == (line_5 V d_model n_ctx L).

(* llama-2-7b *)
Definition embedding_token_W_E : entry := Matrix V d_model 1.
Definition P_embedding : Q := total [embedding_token_W_E].
Definition layers_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition layers_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition P_attention : Q := total [layers_attention_W_Q; layers_attention_W_K;
    layers_attention_W_V; layers_attention_W_O].
Definition layers_ffn_W_gate : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition P_ffn : Q := total [layers_ffn_W_gate; layers_ffn_W_up; layers_ffn_W_down].
Definition layers_norms_attention_gain : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_norms_attention_gain; layers_norms_ffn_gain].
Definition final_norm_norm_gain : entry := Matrix d_model 1 1.
Definition P_final_norm : Q := total [final_norm_norm_gain].
Definition head_lm_W_U : entry := Matrix V d_model 1.
Definition P_head : Q := total [head_lm_W_U].
Definition P : Q := P_embedding + L * P_attention + L * P_ffn + L * P_norms + P_final_norm +
    P_head.
Definition line_3 : Q := 2*V*d_model + L*(4*d_model^2 + 3*d_model*d_ff + 2*d_model) + d_model.
Theorem matrices_sum_to_formula : forall V d_model L n_heads d_ff : Q, ~ n_heads == 0 -> let
    d_head := d_model/n_heads in let n_kv := n_heads in
  (P V d_model L n_heads d_head n_kv d_ff)
  == (line_3 V d_model L d_ff).

(* llama-3-8b *)
Definition embedding_token_W_E : entry := Matrix V d_model 1.
Definition P_embedding : Q := total [embedding_token_W_E].
Definition layers_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition layers_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition P_attention : Q := total [layers_attention_W_Q; layers_attention_W_K;
    layers_attention_W_V; layers_attention_W_O].
Definition layers_ffn_W_gate : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition P_ffn : Q := total [layers_ffn_W_gate; layers_ffn_W_up; layers_ffn_W_down].
Definition layers_norms_attention_gain : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_norms_attention_gain; layers_norms_ffn_gain].
Definition final_norm_norm_gain : entry := Matrix d_model 1 1.
Definition P_final_norm : Q := total [final_norm_norm_gain].
Definition head_lm_W_U : entry := Matrix V d_model 1.
Definition P_head : Q := total [head_lm_W_U].
Definition P : Q := P_embedding + L * P_attention + L * P_ffn + L * P_norms + P_final_norm +
    P_head.
Definition line_2 : Q := 2*V*d_model + L*(2*d_model^2*(1 + n_kv/n_heads) + 3*d_model*d_ff +
    2*d_model) + d_model.
Theorem matrices_sum_to_formula : forall V d_model L n_heads n_kv d_ff : Q, ~ n_heads == 0 ->
    let d_head := d_model/n_heads in
  (P V d_model L n_heads d_head n_kv d_ff)
  == (line_2 V d_model L n_heads n_kv d_ff).

(* mixtral-8x7b *)
Definition embedding_token_W_E : entry := Matrix V d_model 1.
Definition P_embedding : Q := total [embedding_token_W_E].
Definition layers_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition layers_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition P_attention : Q := total [layers_attention_W_Q; layers_attention_W_K;
    layers_attention_W_V; layers_attention_W_O].
Definition layers_ffn_W_router : entry := Matrix n_experts d_model 1.
Definition layers_ffn_X_gate : entry := Matrix d_expert d_model n_experts.
Definition layers_ffn_X_up : entry := Matrix d_expert d_model n_experts.
Definition layers_ffn_X_down : entry := Matrix d_model d_expert n_experts.
Definition P_ffn : Q := total [layers_ffn_W_router; layers_ffn_X_gate; layers_ffn_X_up;
    layers_ffn_X_down].
Definition layers_norms_attention_gain : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_norms_attention_gain; layers_norms_ffn_gain].
Definition final_norm_norm_gain : entry := Matrix d_model 1 1.
Definition P_final_norm : Q := total [final_norm_norm_gain].
Definition head_lm_W_U : entry := Matrix V d_model 1.
Definition P_head : Q := total [head_lm_W_U].
Definition P : Q := P_embedding + L * P_attention + L * P_ffn + L * P_norms + P_final_norm +
    P_head.
Definition line_2 : Q := 2*V*d_model + L*(2*d_model^2*(1 + n_kv/n_heads) +
    3*d_model*d_expert*n_experts + d_model*n_experts + 2*d_model) + d_model.
Theorem matrices_sum_to_formula : forall V d_model L n_heads n_kv n_experts d_expert : Q, ~
    n_heads == 0 -> let d_head := d_model/n_heads in
  (P V d_model L n_heads d_head n_kv n_experts d_expert)
  == (line_2 V d_model L n_heads n_kv n_experts d_expert).

(* deepseek-v3 *)
Definition embedding_token_W_E : entry := Matrix V d_model 1.
Definition P_embedding : Q := total [embedding_token_W_E].
Definition layers_dense_attention_W_DQ : entry := Matrix q_rank d_model 1.
Definition layers_dense_attention_g_Q : entry := Matrix q_rank 1 1.
Definition layers_dense_attention_W_UQ : entry := Matrix (n_heads*(d_nope + d_rope)) q_rank 1.
Definition layers_dense_attention_W_DKV : entry := Matrix (kv_rank + d_rope) d_model 1.
Definition layers_dense_attention_g_KV : entry := Matrix kv_rank 1 1.
Definition layers_dense_attention_W_UKV : entry := Matrix (n_heads*(d_nope + d_v)) kv_rank 1.
Definition layers_dense_attention_W_O : entry := Matrix d_model (n_heads*d_v) 1.
Definition P_attention : Q := total [layers_dense_attention_W_DQ; layers_dense_attention_g_Q;
    layers_dense_attention_W_UQ; layers_dense_attention_W_DKV; layers_dense_attention_g_KV;
    layers_dense_attention_W_UKV; layers_dense_attention_W_O].
Definition layers_sparse_attention_W_DQ : entry := Matrix q_rank d_model 1.
Definition layers_sparse_attention_g_Q : entry := Matrix q_rank 1 1.
Definition layers_sparse_attention_W_UQ : entry := Matrix (n_heads*(d_nope + d_rope)) q_rank 1.
Definition layers_sparse_attention_W_DKV : entry := Matrix (kv_rank + d_rope) d_model 1.
Definition layers_sparse_attention_g_KV : entry := Matrix kv_rank 1 1.
Definition layers_sparse_attention_W_UKV : entry := Matrix (n_heads*(d_nope + d_v)) kv_rank 1.
Definition layers_sparse_attention_W_O : entry := Matrix d_model (n_heads*d_v) 1.
Definition P_attention_ : Q := total [layers_sparse_attention_W_DQ; layers_sparse_attention_g_Q;
    layers_sparse_attention_W_UQ; layers_sparse_attention_W_DKV; layers_sparse_attention_g_KV;
    layers_sparse_attention_W_UKV; layers_sparse_attention_W_O].
Definition layers_dense_ffn_W_gate : entry := Matrix d_ff d_model 1.
Definition layers_dense_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition layers_dense_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition P_dense_ffn : Q := total [layers_dense_ffn_W_gate; layers_dense_ffn_W_up;
    layers_dense_ffn_W_down].
Definition layers_dense_norms_attention_gain : entry := Matrix d_model 1 1.
Definition layers_dense_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_dense_norms_attention_gain;
    layers_dense_norms_ffn_gain].
Definition layers_sparse_norms_attention_gain : entry := Matrix d_model 1 1.
Definition layers_sparse_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition P_norms_ : Q := total [layers_sparse_norms_attention_gain;
    layers_sparse_norms_ffn_gain].
Definition layers_sparse_ffn_W_router : entry := Matrix n_experts d_model 1.
Definition layers_sparse_ffn_X_gate : entry := Matrix d_expert d_model n_experts.
Definition layers_sparse_ffn_X_up : entry := Matrix d_expert d_model n_experts.
Definition layers_sparse_ffn_X_down : entry := Matrix d_model d_expert n_experts.
Definition layers_sparse_ffn_S_gate : entry := Matrix d_shared d_model 1.
Definition layers_sparse_ffn_S_up : entry := Matrix d_shared d_model 1.
Definition layers_sparse_ffn_S_down : entry := Matrix d_model d_shared 1.
Definition P_sparse_ffn : Q := total [layers_sparse_ffn_W_router; layers_sparse_ffn_X_gate;
    layers_sparse_ffn_X_up; layers_sparse_ffn_X_down; layers_sparse_ffn_S_gate;
    layers_sparse_ffn_S_up; layers_sparse_ffn_S_down].
Definition final_norm_norm_gain : entry := Matrix d_model 1 1.
Definition P_final_norm : Q := total [final_norm_norm_gain].
Definition head_lm_W_U : entry := Matrix V d_model 1.
Definition P_head : Q := total [head_lm_W_U].
Definition P : Q := P_embedding + L_dense * P_attention + L_sparse * P_attention_ + L_dense *
    P_dense_ffn + L_dense * P_norms + L_sparse * P_norms_ + L_sparse * P_sparse_ffn +
    P_final_norm + P_head.
Definition line_3 : Q := 2*V*d_model + L*(n_heads*(d_model*d_v + d_nope*kv_rank + d_nope*q_rank
    + d_rope*q_rank + d_v*kv_rank) + d_model*(d_rope + kv_rank + q_rank) + kv_rank + q_rank +
    2*d_model) + 3*L_dense*d_model*d_ff + (L - L_dense)*(3*d_model*d_expert*(n_experts +
    n_shared) + d_model*n_experts) + d_model.
Theorem matrices_sum_to_formula : forall V d_model L_dense q_rank n_heads d_nope d_rope kv_rank
    d_v d_ff n_experts d_expert L n_shared : Q, let d_shared := d_expert*n_shared in let
    L_sparse := L - L_dense in
  (P V d_model L_dense q_rank n_heads d_nope d_rope kv_rank d_v L_sparse d_ff n_experts d_expert
    d_shared)
  == (line_3 V d_model L_dense q_rank n_heads d_nope d_rope kv_rank d_v d_ff n_experts d_expert
    L n_shared).

(* gemma-3-27b *)
Definition embedding_token_W_E : entry := Matrix V d_model 1.
Definition P_embedding : Q := total [embedding_token_W_E].
Definition layers_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition layers_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition layers_attention_g_Q : entry := Matrix d_head 1 1.
Definition layers_attention_g_K : entry := Matrix d_head 1 1.
Definition P_attention : Q := total [layers_attention_W_Q; layers_attention_W_K;
    layers_attention_W_V; layers_attention_W_O; layers_attention_g_Q; layers_attention_g_K].
Definition layers_ffn_W_gate : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition P_ffn : Q := total [layers_ffn_W_gate; layers_ffn_W_up; layers_ffn_W_down].
Definition layers_norms_attention_gain : entry := Matrix d_model 1 1.
Definition layers_norms_attention_out_gain : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_out_gain : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_norms_attention_gain; layers_norms_attention_out_gain;
    layers_norms_ffn_gain; layers_norms_ffn_out_gain].
Definition final_norm_norm_gain : entry := Matrix d_model 1 1.
Definition P_final_norm : Q := total [final_norm_norm_gain].
Definition vision_embedding_patches_W_patch : entry := Matrix d_model_vision
    (n_channels_vision*d_patch_vision*d_patch_vision) 1.
Definition vision_embedding_patches_b_patch : entry := Matrix d_model_vision 1 1.
Definition vision_embedding_positions_W_P : entry := Matrix (n_side_vision*n_side_vision)
    d_model_vision 1.
Definition P_vision_embedding : Q := total [vision_embedding_patches_W_patch;
    vision_embedding_patches_b_patch; vision_embedding_positions_W_P].
Definition vision_attention_W_Q : entry := Matrix (n_heads_vision*d_head_vision) d_model_vision
    1.
Definition vision_attention_W_K : entry := Matrix (n_heads_vision*d_head_vision) d_model_vision
    1.
Definition vision_attention_W_V : entry := Matrix (n_heads_vision*d_head_vision) d_model_vision
    1.
Definition vision_attention_W_O : entry := Matrix d_model_vision (n_heads_vision*d_head_vision)
    1.
Definition vision_attention_b_Q : entry := Matrix (n_heads_vision*d_head_vision) 1 1.
Definition vision_attention_b_K : entry := Matrix (n_heads_vision*d_head_vision) 1 1.
Definition vision_attention_b_V : entry := Matrix (n_heads_vision*d_head_vision) 1 1.
Definition vision_attention_b_O : entry := Matrix d_model_vision 1 1.
Definition P_vision_attention : Q := total [vision_attention_W_Q; vision_attention_W_K;
    vision_attention_W_V; vision_attention_W_O; vision_attention_b_Q; vision_attention_b_K;
    vision_attention_b_V; vision_attention_b_O].
Definition vision_ffn_W_up : entry := Matrix d_ff_vision d_model_vision 1.
Definition vision_ffn_W_down : entry := Matrix d_model_vision d_ff_vision 1.
Definition vision_ffn_b_up : entry := Matrix d_ff_vision 1 1.
Definition vision_ffn_b_down : entry := Matrix d_model_vision 1 1.
Definition P_vision_ffn : Q := total [vision_ffn_W_up; vision_ffn_W_down; vision_ffn_b_up;
    vision_ffn_b_down].
Definition vision_norms_attention_gain : entry := Matrix d_model_vision 1 1.
Definition vision_norms_attention_shift : entry := Matrix d_model_vision 1 1.
Definition vision_norms_ffn_gain : entry := Matrix d_model_vision 1 1.
Definition vision_norms_ffn_shift : entry := Matrix d_model_vision 1 1.
Definition P_vision_norms : Q := total [vision_norms_attention_gain;
    vision_norms_attention_shift; vision_norms_ffn_gain; vision_norms_ffn_shift].
Definition vision_final_norm_norm_gain : entry := Matrix d_model_vision 1 1.
Definition vision_final_norm_norm_shift : entry := Matrix d_model_vision 1 1.
Definition P_vision_final_norm : Q := total [vision_final_norm_norm_gain;
    vision_final_norm_norm_shift].
Definition projector_norm_gain : entry := Matrix d_model_vision 1 1.
Definition projector_linear_W : entry := Matrix d_model d_model_vision 1.
Definition P_projector : Q := total [projector_norm_gain; projector_linear_W].
Definition P : Q := P_embedding + L * P_attention + L * P_ffn + L * P_norms + P_final_norm +
    P_vision_embedding + L_vision * P_vision_attention + L_vision * P_vision_ffn + L_vision *
    P_vision_norms + P_vision_final_norm + P_projector.
Definition line_2 : Q := V*d_model + L*(2*d_model*d_head*(n_heads + n_kv) + 2*d_head +
    3*d_model*d_ff + 4*d_model) + d_model + d_model_vision*d_patch_vision^2*n_channels_vision +
    d_model_vision*n_side_vision^2 + L_vision*(4*d_model_vision^2 + 2*d_model_vision*d_ff_vision
    + d_ff_vision + 9*d_model_vision) + 3*d_model_vision + d_model*d_model_vision +
    d_model_vision.
Theorem matrices_sum_to_formula : forall V d_model L n_heads d_head n_kv d_ff d_model_vision
    n_channels_vision d_patch_vision n_side_vision L_vision n_heads_vision d_ff_vision : Q, ~
    n_heads_vision == 0 -> let d_head_vision := d_model_vision/n_heads_vision in
  (P V d_model L n_heads d_head n_kv d_ff d_model_vision n_channels_vision d_patch_vision
    n_side_vision L_vision n_heads_vision d_head_vision d_ff_vision)
  == (line_2 V d_model L n_heads d_head n_kv d_ff d_model_vision n_channels_vision
    d_patch_vision n_side_vision L_vision d_ff_vision).

(* t5-small *)
Definition embedding_token_W_E : entry := Matrix V d_model 1.
Definition P_embedding : Q := total [embedding_token_W_E].
Definition encoder_input_positions_W_B : entry := Matrix n_buckets n_heads 1.
Definition P_encoder_input : Q := total [encoder_input_positions_W_B].
Definition encoder_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition encoder_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition encoder_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition encoder_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition P_encoder_attention : Q := total [encoder_attention_W_Q; encoder_attention_W_K;
    encoder_attention_W_V; encoder_attention_W_O].
Definition encoder_norms_attention_gain : entry := Matrix d_model 1 1.
Definition encoder_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition P_encoder_norms : Q := total [encoder_norms_attention_gain; encoder_norms_ffn_gain].
Definition encoder_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition encoder_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition P_encoder_ffn : Q := total [encoder_ffn_W_up; encoder_ffn_W_down].
Definition encoder_norm_norm_gain : entry := Matrix d_model 1 1.
Definition P_encoder_norm : Q := total [encoder_norm_norm_gain].
Definition decoder_input_positions_W_B : entry := Matrix n_buckets n_heads 1.
Definition P_decoder_input : Q := total [decoder_input_positions_W_B].
Definition decoder_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition decoder_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition decoder_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition decoder_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition P_decoder_attention : Q := total [decoder_attention_W_Q; decoder_attention_W_K;
    decoder_attention_W_V; decoder_attention_W_O].
Definition decoder_norms_attention_gain : entry := Matrix d_model 1 1.
Definition decoder_norms_cross_attention_gain : entry := Matrix d_model 1 1.
Definition decoder_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition P_decoder_norms : Q := total [decoder_norms_attention_gain;
    decoder_norms_cross_attention_gain; decoder_norms_ffn_gain].
Definition decoder_cross_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition decoder_cross_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition decoder_cross_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition decoder_cross_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition P_decoder_cross_attention : Q := total [decoder_cross_attention_W_Q;
    decoder_cross_attention_W_K; decoder_cross_attention_W_V; decoder_cross_attention_W_O].
Definition decoder_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition decoder_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition P_decoder_ffn : Q := total [decoder_ffn_W_up; decoder_ffn_W_down].
Definition decoder_norm_norm_gain : entry := Matrix d_model 1 1.
Definition P_decoder_norm : Q := total [decoder_norm_norm_gain].
Definition P : Q := P_embedding + P_encoder_input + L_encoder * P_encoder_attention + L_encoder
    * P_encoder_norms + L_encoder * P_encoder_ffn + P_encoder_norm + P_decoder_input + L_decoder
    * P_decoder_attention + L_decoder * P_decoder_norms + L_decoder * P_decoder_cross_attention
    + L_decoder * P_decoder_ffn + P_decoder_norm.
Definition line_6 : Q := 28*L_encoder*d_model^2 + V*d_model + (5*L_encoder + 2)*d_model +
    2*n_heads*n_buckets.
Theorem matrices_sum_to_formula : forall V d_model n_buckets n_heads L_encoder : Q, ~ n_heads ==
    0 -> let L_decoder := L_encoder in let d_ff := 4*d_model in let d_head := d_model/n_heads in
    let n_kv := n_heads in
  (P V d_model n_buckets n_heads L_encoder d_head n_kv d_ff L_decoder)
  == (line_6 V d_model n_buckets n_heads L_encoder).

(* bert-base *)
Definition embedding_token_W_E : entry := Matrix V d_model 1.
Definition embedding_positions_W_P : entry := Matrix n_ctx d_model 1.
Definition embedding_segments_W_S : entry := Matrix n_types d_model 1.
Definition embedding_norm_gain : entry := Matrix d_model 1 1.
Definition embedding_norm_shift : entry := Matrix d_model 1 1.
Definition P_embedding : Q := total [embedding_token_W_E; embedding_positions_W_P;
    embedding_segments_W_S; embedding_norm_gain; embedding_norm_shift].
Definition layers_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition layers_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition layers_attention_b_Q : entry := Matrix (n_heads*d_head) 1 1.
Definition layers_attention_b_K : entry := Matrix (n_kv*d_head) 1 1.
Definition layers_attention_b_V : entry := Matrix (n_kv*d_head) 1 1.
Definition layers_attention_b_O : entry := Matrix d_model 1 1.
Definition P_attention : Q := total [layers_attention_W_Q; layers_attention_W_K;
    layers_attention_W_V; layers_attention_W_O; layers_attention_b_Q; layers_attention_b_K;
    layers_attention_b_V; layers_attention_b_O].
Definition layers_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition layers_ffn_b_up : entry := Matrix d_ff 1 1.
Definition layers_ffn_b_down : entry := Matrix d_model 1 1.
Definition P_ffn : Q := total [layers_ffn_W_up; layers_ffn_W_down; layers_ffn_b_up;
    layers_ffn_b_down].
Definition layers_norms_attention_gain : entry := Matrix d_model 1 1.
Definition layers_norms_attention_shift : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_shift : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_norms_attention_gain; layers_norms_attention_shift;
    layers_norms_ffn_gain; layers_norms_ffn_shift].
Definition pooler_pooler_W : entry := Matrix d_model d_model 1.
Definition pooler_pooler_b : entry := Matrix d_model 1 1.
Definition P_pooler : Q := total [pooler_pooler_W; pooler_pooler_b].
Definition P : Q := P_embedding + L * P_attention + L * P_ffn + L * P_norms + P_pooler.
Definition line_5 : Q := (12*L + 1)*d_model^2 + (V + n_ctx + n_types)*d_model + 2*(2*L +
    1)*d_model + (9*L + 1)*d_model.
Theorem matrices_sum_to_formula : forall V d_model n_ctx n_types L n_heads : Q, ~ n_heads == 0
    -> let d_ff := 4*d_model in let d_head := d_model/n_heads in let n_kv := n_heads in
  (P V d_model n_ctx n_types L n_heads d_head n_kv d_ff)
  == (line_5 V d_model n_ctx n_types L).

(* mamba-130m *)
Definition embedding_token_W_E : entry := Matrix V d_model 1.
Definition P_embedding : Q := total [embedding_token_W_E].
Definition layers_mixer_W_in : entry := Matrix (2*d_inner) d_model 1.
Definition layers_mixer_W_conv : entry := Matrix d_inner k_conv 1.
Definition layers_mixer_b_conv : entry := Matrix d_inner 1 1.
Definition layers_mixer_W_x : entry := Matrix (dt_rank + 2*d_state) d_inner 1.
Definition layers_mixer_W_dt : entry := Matrix d_inner dt_rank 1.
Definition layers_mixer_b_dt : entry := Matrix d_inner 1 1.
Definition layers_mixer_A_log : entry := Matrix d_inner d_state 1.
Definition layers_mixer_D : entry := Matrix d_inner 1 1.
Definition layers_mixer_W_out : entry := Matrix d_model d_inner 1.
Definition P_mixer : Q := total [layers_mixer_W_in; layers_mixer_W_conv; layers_mixer_b_conv;
    layers_mixer_W_x; layers_mixer_W_dt; layers_mixer_b_dt; layers_mixer_A_log; layers_mixer_D;
    layers_mixer_W_out].
Definition layers_norms_input_gain : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_norms_input_gain].
Definition final_norm_norm_gain : entry := Matrix d_model 1 1.
Definition P_final_norm : Q := total [final_norm_norm_gain].
Definition P : Q := P_embedding + L * P_mixer + L * P_norms + P_final_norm.
Definition line_3 : Q := V*d_model + L*((1#4)*d_model*(25*d_model + 24*d_state + 8*k_conv) +
    7*d_model) + d_model.
Theorem matrices_sum_to_formula : forall V d_model L k_conv d_state : Q, let dt_rank :=
    (1#16)*d_model in let d_inner := 2*d_model in
  (P V d_model L d_inner k_conv dt_rank d_state)
  == (line_3 V d_model L k_conv d_state).

(* albert-base *)
Definition embedding_token_W_E : entry := Matrix V d_embed 1.
Definition embedding_positions_W_P : entry := Matrix n_ctx d_embed 1.
Definition embedding_segments_W_S : entry := Matrix n_types d_embed 1.
Definition embedding_norm_gain : entry := Matrix d_embed 1 1.
Definition embedding_norm_shift : entry := Matrix d_embed 1 1.
Definition P_embedding : Q := total [embedding_token_W_E; embedding_positions_W_P;
    embedding_segments_W_S; embedding_norm_gain; embedding_norm_shift].
Definition projection_linear_W : entry := Matrix d_model d_embed 1.
Definition projection_linear_b : entry := Matrix d_model 1 1.
Definition P_projection : Q := total [projection_linear_W; projection_linear_b].
Definition layers_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition layers_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition layers_attention_b_Q : entry := Matrix (n_heads*d_head) 1 1.
Definition layers_attention_b_K : entry := Matrix (n_kv*d_head) 1 1.
Definition layers_attention_b_V : entry := Matrix (n_kv*d_head) 1 1.
Definition layers_attention_b_O : entry := Matrix d_model 1 1.
Definition P_attention : Q := total [layers_attention_W_Q; layers_attention_W_K;
    layers_attention_W_V; layers_attention_W_O; layers_attention_b_Q; layers_attention_b_K;
    layers_attention_b_V; layers_attention_b_O].
Definition layers_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition layers_ffn_b_up : entry := Matrix d_ff 1 1.
Definition layers_ffn_b_down : entry := Matrix d_model 1 1.
Definition P_ffn : Q := total [layers_ffn_W_up; layers_ffn_W_down; layers_ffn_b_up;
    layers_ffn_b_down].
Definition layers_norms_attention_gain : entry := Matrix d_model 1 1.
Definition layers_norms_attention_shift : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_shift : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_norms_attention_gain; layers_norms_attention_shift;
    layers_norms_ffn_gain; layers_norms_ffn_shift].
Definition pooler_pooler_W : entry := Matrix d_model d_model 1.
Definition pooler_pooler_b : entry := Matrix d_model 1 1.
Definition P_pooler : Q := total [pooler_pooler_W; pooler_pooler_b].
Definition P : Q := P_embedding + P_projection + P_attention + P_ffn + P_norms + P_pooler.
Definition line_4 : Q := V*d_embed + n_ctx*d_embed + n_types*d_embed + d_model^2 +
    d_model*d_embed + (12*d_model^2 + 13*d_model) + 2*d_model + 2*d_embed.
Theorem matrices_sum_to_formula : forall V d_embed n_ctx n_types d_model n_heads : Q, ~ n_heads
    == 0 -> let d_ff := 4*d_model in let d_head := d_model/n_heads in let n_kv := n_heads in
  (P V d_embed n_ctx n_types d_model n_heads d_head n_kv d_ff)
  == (line_4 V d_embed n_ctx n_types d_model).

(* falcon-7b *)
Definition embedding_token_W_E : entry := Matrix V d_model 1.
Definition P_embedding : Q := total [embedding_token_W_E].
Definition layers_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition layers_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition P_attention : Q := total [layers_attention_W_Q; layers_attention_W_K;
    layers_attention_W_V; layers_attention_W_O].
Definition layers_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition P_ffn : Q := total [layers_ffn_W_up; layers_ffn_W_down].
Definition layers_norms_input_gain : entry := Matrix d_model 1 1.
Definition layers_norms_input_shift : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_norms_input_gain; layers_norms_input_shift].
Definition final_norm_norm_gain : entry := Matrix d_model 1 1.
Definition final_norm_norm_shift : entry := Matrix d_model 1 1.
Definition P_final_norm : Q := total [final_norm_norm_gain; final_norm_norm_shift].
Definition P : Q := P_embedding + L * P_attention + L * P_ffn + L * P_norms + P_final_norm.
Definition line_5 : Q := 2*L*(5 + 1/n_heads)*d_model^2 + V*d_model + 2*(L + 1)*d_model.
Theorem matrices_sum_to_formula : forall V d_model L n_heads : Q, ~ n_heads == 0 -> let d_ff :=
    4*d_model in let d_head := d_model/n_heads in let n_kv := 1 in
  (P V d_model L n_heads d_head n_kv d_ff)
  == (line_5 V d_model L n_heads).

(* opt-350m *)
Definition embedding_token_W_E : entry := Matrix V d_embed 1.
Definition embedding_projection_W : entry := Matrix d_model d_embed 1.
Definition embedding_positions_W_P : entry := Matrix n_rows d_model 1.
Definition P_embedding : Q := total [embedding_token_W_E; embedding_projection_W;
    embedding_positions_W_P].
Definition layers_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition layers_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition layers_attention_b_Q : entry := Matrix (n_heads*d_head) 1 1.
Definition layers_attention_b_K : entry := Matrix (n_kv*d_head) 1 1.
Definition layers_attention_b_V : entry := Matrix (n_kv*d_head) 1 1.
Definition layers_attention_b_O : entry := Matrix d_model 1 1.
Definition P_attention : Q := total [layers_attention_W_Q; layers_attention_W_K;
    layers_attention_W_V; layers_attention_W_O; layers_attention_b_Q; layers_attention_b_K;
    layers_attention_b_V; layers_attention_b_O].
Definition layers_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition layers_ffn_b_up : entry := Matrix d_ff 1 1.
Definition layers_ffn_b_down : entry := Matrix d_model 1 1.
Definition P_ffn : Q := total [layers_ffn_W_up; layers_ffn_W_down; layers_ffn_b_up;
    layers_ffn_b_down].
Definition layers_norms_attention_gain : entry := Matrix d_model 1 1.
Definition layers_norms_attention_shift : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_shift : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_norms_attention_gain; layers_norms_attention_shift;
    layers_norms_ffn_gain; layers_norms_ffn_shift].
Definition projection_projection_W : entry := Matrix d_embed d_model 1.
Definition P_projection : Q := total [projection_projection_W].
Definition P : Q := P_embedding + L * P_attention + L * P_ffn + L * P_norms + P_projection.
Definition line_5 : Q := V*d_embed + n_ctx*d_model + 2*d_model*d_embed + L*(12*d_model^2 +
    13*d_model) + 2*d_model.
Theorem matrices_sum_to_formula : forall V d_embed d_model L n_heads n_ctx : Q, ~ n_heads == 0
    -> let n_rows := n_ctx + 2 in let d_ff := 4*d_model in let d_head := d_model/n_heads in let
    n_kv := n_heads in
  (P V d_embed d_model n_rows L n_heads d_head n_kv d_ff)
  == (line_5 V d_embed d_model L n_ctx).

(* rwkv-4-430m *)
Definition embedding_token_W_E : entry := Matrix V d_model 1.
Definition embedding_norm_gain : entry := Matrix d_model 1 1.
Definition embedding_norm_shift : entry := Matrix d_model 1 1.
Definition P_embedding : Q := total [embedding_token_W_E; embedding_norm_gain;
    embedding_norm_shift].
Definition layers_mixer_decay : entry := Matrix d_att 1 1.
Definition layers_mixer_first : entry := Matrix d_att 1 1.
Definition layers_mixer_mu_K : entry := Matrix 1 d_model 1.
Definition layers_mixer_mu_V : entry := Matrix 1 d_model 1.
Definition layers_mixer_mu_R : entry := Matrix 1 d_model 1.
Definition layers_mixer_W_K : entry := Matrix d_att d_model 1.
Definition layers_mixer_W_V : entry := Matrix d_att d_model 1.
Definition layers_mixer_W_R : entry := Matrix d_att d_model 1.
Definition layers_mixer_W_O : entry := Matrix d_model d_att 1.
Definition P_mixer : Q := total [layers_mixer_decay; layers_mixer_first; layers_mixer_mu_K;
    layers_mixer_mu_V; layers_mixer_mu_R; layers_mixer_W_K; layers_mixer_W_V; layers_mixer_W_R;
    layers_mixer_W_O].
Definition layers_ffn_mu_K : entry := Matrix 1 d_model 1.
Definition layers_ffn_mu_R : entry := Matrix 1 d_model 1.
Definition layers_ffn_W_K : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_R : entry := Matrix d_model d_model 1.
Definition layers_ffn_W_V : entry := Matrix d_model d_ff 1.
Definition P_ffn : Q := total [layers_ffn_mu_K; layers_ffn_mu_R; layers_ffn_W_K; layers_ffn_W_R;
    layers_ffn_W_V].
Definition layers_norms_mixer_gain : entry := Matrix d_model 1 1.
Definition layers_norms_mixer_shift : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_shift : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_norms_mixer_gain; layers_norms_mixer_shift;
    layers_norms_ffn_gain; layers_norms_ffn_shift].
Definition final_norm_norm_gain : entry := Matrix d_model 1 1.
Definition final_norm_norm_shift : entry := Matrix d_model 1 1.
Definition P_final_norm : Q := total [final_norm_norm_gain; final_norm_norm_shift].
Definition head_lm_W_U : entry := Matrix V d_model 1.
Definition P_head : Q := total [head_lm_W_U].
Definition P : Q := P_embedding + L * P_mixer + L * P_ffn + L * P_norms + P_final_norm + P_head.
Definition line_4 : Q := 13*L*d_model^2 + 2*L*d_model + 2*V*d_model + (9*L + 4)*d_model.
Theorem matrices_sum_to_formula : forall V d_model L : Q, let d_att := d_model in let d_ff :=
    4*d_model in
  (P V d_model L d_att d_ff)
  == (line_4 V d_model L).

(* phi-2 *)
Definition embedding_token_W_E : entry := Matrix V d_model 1.
Definition P_embedding : Q := total [embedding_token_W_E].
Definition layers_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition layers_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition layers_attention_b_Q : entry := Matrix (n_heads*d_head) 1 1.
Definition layers_attention_b_K : entry := Matrix (n_kv*d_head) 1 1.
Definition layers_attention_b_V : entry := Matrix (n_kv*d_head) 1 1.
Definition layers_attention_b_O : entry := Matrix d_model 1 1.
Definition P_attention : Q := total [layers_attention_W_Q; layers_attention_W_K;
    layers_attention_W_V; layers_attention_W_O; layers_attention_b_Q; layers_attention_b_K;
    layers_attention_b_V; layers_attention_b_O].
Definition layers_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition layers_ffn_b_up : entry := Matrix d_ff 1 1.
Definition layers_ffn_b_down : entry := Matrix d_model 1 1.
Definition P_ffn : Q := total [layers_ffn_W_up; layers_ffn_W_down; layers_ffn_b_up;
    layers_ffn_b_down].
Definition layers_norms_input_gain : entry := Matrix d_model 1 1.
Definition layers_norms_input_shift : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_norms_input_gain; layers_norms_input_shift].
Definition final_norm_norm_gain : entry := Matrix d_model 1 1.
Definition final_norm_norm_shift : entry := Matrix d_model 1 1.
Definition P_final_norm : Q := total [final_norm_norm_gain; final_norm_norm_shift].
Definition head_lm_W_U : entry := Matrix V d_model 1.
Definition head_lm_b_U : entry := Matrix V 1 1.
Definition P_head : Q := total [head_lm_W_U; head_lm_b_U].
Definition P : Q := P_embedding + L * P_attention + L * P_ffn + L * P_norms + P_final_norm +
    P_head.
Definition line_5 : Q := 12*L*d_model^2 + 2*V*d_model + 2*(L + 1)*d_model + 9*L*d_model + V.
Theorem matrices_sum_to_formula : forall V d_model L n_heads : Q, ~ n_heads == 0 -> let d_ff :=
    4*d_model in let d_head := d_model/n_heads in let n_kv := n_heads in
  (P V d_model L n_heads d_head n_kv d_ff)
  == (line_5 V d_model L).

(* qwen3-30b-a3b *)
Definition embedding_token_W_E : entry := Matrix V d_model 1.
Definition P_embedding : Q := total [embedding_token_W_E].
Definition layers_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition layers_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition layers_attention_g_Q : entry := Matrix d_head 1 1.
Definition layers_attention_g_K : entry := Matrix d_head 1 1.
Definition P_attention : Q := total [layers_attention_W_Q; layers_attention_W_K;
    layers_attention_W_V; layers_attention_W_O; layers_attention_g_Q; layers_attention_g_K].
Definition layers_ffn_W_router : entry := Matrix n_experts d_model 1.
Definition layers_ffn_X_gate : entry := Matrix d_expert d_model n_experts.
Definition layers_ffn_X_up : entry := Matrix d_expert d_model n_experts.
Definition layers_ffn_X_down : entry := Matrix d_model d_expert n_experts.
Definition P_ffn : Q := total [layers_ffn_W_router; layers_ffn_X_gate; layers_ffn_X_up;
    layers_ffn_X_down].
Definition layers_norms_attention_gain : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_norms_attention_gain; layers_norms_ffn_gain].
Definition final_norm_norm_gain : entry := Matrix d_model 1 1.
Definition P_final_norm : Q := total [final_norm_norm_gain].
Definition head_lm_W_U : entry := Matrix V d_model 1.
Definition P_head : Q := total [head_lm_W_U].
Definition P : Q := P_embedding + L * P_attention + L * P_ffn + L * P_norms + P_final_norm +
    P_head.
Definition line_1 : Q := 2*V*d_model + L*(2*d_model*d_head*(n_heads + n_kv) + 2*d_head +
    3*d_model*d_expert*n_experts + d_model*n_experts + 2*d_model) + d_model.
Theorem matrices_sum_to_formula : forall V d_model L n_heads d_head n_kv n_experts d_expert : Q,
  (P V d_model L n_heads d_head n_kv n_experts d_expert)
  == (line_1 V d_model L n_heads d_head n_kv n_experts d_expert).

(* olmo-2-7b *)
Definition embedding_token_W_E : entry := Matrix V d_model 1.
Definition P_embedding : Q := total [embedding_token_W_E].
Definition layers_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition layers_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition P_attention : Q := total [layers_attention_W_Q; layers_attention_W_K;
    layers_attention_W_V; layers_attention_W_O].
Definition layers_qk_norm_g_Q : entry := Matrix (n_heads*d_head) 1 1.
Definition layers_qk_norm_g_K : entry := Matrix (n_kv*d_head) 1 1.
Definition P_qk_norm : Q := total [layers_qk_norm_g_Q; layers_qk_norm_g_K].
Definition layers_ffn_W_gate : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition P_ffn : Q := total [layers_ffn_W_gate; layers_ffn_W_up; layers_ffn_W_down].
Definition layers_norms_attention_out_gain : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_out_gain : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_norms_attention_out_gain; layers_norms_ffn_out_gain].
Definition final_norm_norm_gain : entry := Matrix d_model 1 1.
Definition P_final_norm : Q := total [final_norm_norm_gain].
Definition head_lm_W_U : entry := Matrix V d_model 1.
Definition P_head : Q := total [head_lm_W_U].
Definition P : Q := P_embedding + L * P_attention + L * P_qk_norm + L * P_ffn + L * P_norms +
    P_final_norm + P_head.
Definition line_3 : Q := 2*V*d_model + L*(4*d_model^2 + 3*d_model*d_ff + 4*d_model) + d_model.
Theorem matrices_sum_to_formula : forall V d_model L n_heads d_ff : Q, ~ n_heads == 0 -> let
    d_head := d_model/n_heads in let n_kv := n_heads in
  (P V d_model L n_heads d_head n_kv d_ff)
  == (line_3 V d_model L d_ff).

(* whisper-tiny *)
Definition embedding_token_W_E : entry := Matrix V d_model 1.
Definition P_embedding : Q := total [embedding_token_W_E].
Definition encoder_input_front_end_W_1 : entry := Matrix d_model (n_mels*k_conv) 1.
Definition encoder_input_front_end_b_1 : entry := Matrix d_model 1 1.
Definition encoder_input_front_end_W_2 : entry := Matrix d_model (d_model*k_conv) 1.
Definition encoder_input_front_end_b_2 : entry := Matrix d_model 1 1.
Definition encoder_input_positions_W_P : entry := Matrix n_ctx_encoder d_model 1.
Definition P_encoder_input : Q := total [encoder_input_front_end_W_1;
    encoder_input_front_end_b_1; encoder_input_front_end_W_2; encoder_input_front_end_b_2;
    encoder_input_positions_W_P].
Definition encoder_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition encoder_attention_W_K : entry := Matrix (n_heads*d_head) d_model 1.
Definition encoder_attention_W_V : entry := Matrix (n_heads*d_head) d_model 1.
Definition encoder_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition encoder_attention_b_Q : entry := Matrix (n_heads*d_head) 1 1.
Definition encoder_attention_b_V : entry := Matrix (n_heads*d_head) 1 1.
Definition encoder_attention_b_O : entry := Matrix d_model 1 1.
Definition P_encoder_attention : Q := total [encoder_attention_W_Q; encoder_attention_W_K;
    encoder_attention_W_V; encoder_attention_W_O; encoder_attention_b_Q; encoder_attention_b_V;
    encoder_attention_b_O].
Definition encoder_norms_attention_gain : entry := Matrix d_model 1 1.
Definition encoder_norms_attention_shift : entry := Matrix d_model 1 1.
Definition encoder_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition encoder_norms_ffn_shift : entry := Matrix d_model 1 1.
Definition P_encoder_norms : Q := total [encoder_norms_attention_gain;
    encoder_norms_attention_shift; encoder_norms_ffn_gain; encoder_norms_ffn_shift].
Definition encoder_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition encoder_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition encoder_ffn_b_up : entry := Matrix d_ff 1 1.
Definition encoder_ffn_b_down : entry := Matrix d_model 1 1.
Definition P_encoder_ffn : Q := total [encoder_ffn_W_up; encoder_ffn_W_down; encoder_ffn_b_up;
    encoder_ffn_b_down].
Definition encoder_norm_norm_gain : entry := Matrix d_model 1 1.
Definition encoder_norm_norm_shift : entry := Matrix d_model 1 1.
Definition P_encoder_norm : Q := total [encoder_norm_norm_gain; encoder_norm_norm_shift].
Definition decoder_input_positions_W_P : entry := Matrix n_ctx_decoder d_model 1.
Definition P_decoder_input : Q := total [decoder_input_positions_W_P].
Definition decoder_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition decoder_attention_W_K : entry := Matrix (n_heads*d_head) d_model 1.
Definition decoder_attention_W_V : entry := Matrix (n_heads*d_head) d_model 1.
Definition decoder_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition decoder_attention_b_Q : entry := Matrix (n_heads*d_head) 1 1.
Definition decoder_attention_b_V : entry := Matrix (n_heads*d_head) 1 1.
Definition decoder_attention_b_O : entry := Matrix d_model 1 1.
Definition P_decoder_attention : Q := total [decoder_attention_W_Q; decoder_attention_W_K;
    decoder_attention_W_V; decoder_attention_W_O; decoder_attention_b_Q; decoder_attention_b_V;
    decoder_attention_b_O].
Definition decoder_norms_attention_gain : entry := Matrix d_model 1 1.
Definition decoder_norms_attention_shift : entry := Matrix d_model 1 1.
Definition decoder_norms_cross_attention_gain : entry := Matrix d_model 1 1.
Definition decoder_norms_cross_attention_shift : entry := Matrix d_model 1 1.
Definition decoder_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition decoder_norms_ffn_shift : entry := Matrix d_model 1 1.
Definition P_decoder_norms : Q := total [decoder_norms_attention_gain;
    decoder_norms_attention_shift; decoder_norms_cross_attention_gain;
    decoder_norms_cross_attention_shift; decoder_norms_ffn_gain; decoder_norms_ffn_shift].
Definition decoder_cross_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition decoder_cross_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition decoder_cross_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition decoder_cross_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition decoder_cross_attention_b_Q : entry := Matrix (n_heads*d_head) 1 1.
Definition decoder_cross_attention_b_V : entry := Matrix (n_kv*d_head) 1 1.
Definition decoder_cross_attention_b_O : entry := Matrix d_model 1 1.
Definition P_decoder_cross_attention : Q := total [decoder_cross_attention_W_Q;
    decoder_cross_attention_W_K; decoder_cross_attention_W_V; decoder_cross_attention_W_O;
    decoder_cross_attention_b_Q; decoder_cross_attention_b_V; decoder_cross_attention_b_O].
Definition decoder_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition decoder_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition decoder_ffn_b_up : entry := Matrix d_ff 1 1.
Definition decoder_ffn_b_down : entry := Matrix d_model 1 1.
Definition P_decoder_ffn : Q := total [decoder_ffn_W_up; decoder_ffn_W_down; decoder_ffn_b_up;
    decoder_ffn_b_down].
Definition decoder_norm_norm_gain : entry := Matrix d_model 1 1.
Definition decoder_norm_norm_shift : entry := Matrix d_model 1 1.
Definition P_decoder_norm : Q := total [decoder_norm_norm_gain; decoder_norm_norm_shift].
Definition P : Q := P_embedding + P_encoder_input + L_encoder * P_encoder_attention + L_encoder
    * P_encoder_norms + L_encoder * P_encoder_ffn + P_encoder_norm + P_decoder_input + L_decoder
    * P_decoder_attention + L_decoder * P_decoder_norms + L_decoder * P_decoder_cross_attention
    + L_decoder * P_decoder_ffn + P_decoder_norm.
Definition line_5 : Q := (16*L_decoder + 12*L_encoder + k_conv)*d_model^2 +
    d_model*k_conv*n_mels + (V + n_ctx_decoder + n_ctx_encoder)*d_model + 2*(3*L_decoder +
    2*L_encoder + 2)*d_model + (11*L_decoder + 8*L_encoder + 2)*d_model.
Theorem matrices_sum_to_formula : forall V d_model n_mels k_conv n_ctx_encoder L_encoder n_heads
    n_ctx_decoder L_decoder : Q, ~ n_heads == 0 -> let d_ff := 4*d_model in let d_head :=
    d_model/n_heads in let n_kv := n_heads in
  (P V d_model n_mels k_conv n_ctx_encoder L_encoder n_heads d_head d_ff n_ctx_decoder L_decoder
    n_kv)
  == (line_5 V d_model n_mels k_conv n_ctx_encoder L_encoder n_ctx_decoder L_decoder).

(* electra-small *)
Definition embedding_token_W_E : entry := Matrix V d_embed 1.
Definition embedding_positions_W_P : entry := Matrix n_ctx d_embed 1.
Definition embedding_segments_W_S : entry := Matrix n_types d_embed 1.
Definition embedding_norm_gain : entry := Matrix d_embed 1 1.
Definition embedding_norm_shift : entry := Matrix d_embed 1 1.
Definition P_embedding : Q := total [embedding_token_W_E; embedding_positions_W_P;
    embedding_segments_W_S; embedding_norm_gain; embedding_norm_shift].
Definition projection_linear_W : entry := Matrix d_model d_embed 1.
Definition projection_linear_b : entry := Matrix d_model 1 1.
Definition P_projection : Q := total [projection_linear_W; projection_linear_b].
Definition layers_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition layers_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition layers_attention_b_Q : entry := Matrix (n_heads*d_head) 1 1.
Definition layers_attention_b_K : entry := Matrix (n_kv*d_head) 1 1.
Definition layers_attention_b_V : entry := Matrix (n_kv*d_head) 1 1.
Definition layers_attention_b_O : entry := Matrix d_model 1 1.
Definition P_attention : Q := total [layers_attention_W_Q; layers_attention_W_K;
    layers_attention_W_V; layers_attention_W_O; layers_attention_b_Q; layers_attention_b_K;
    layers_attention_b_V; layers_attention_b_O].
Definition layers_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition layers_ffn_b_up : entry := Matrix d_ff 1 1.
Definition layers_ffn_b_down : entry := Matrix d_model 1 1.
Definition P_ffn : Q := total [layers_ffn_W_up; layers_ffn_W_down; layers_ffn_b_up;
    layers_ffn_b_down].
Definition layers_norms_attention_gain : entry := Matrix d_model 1 1.
Definition layers_norms_attention_shift : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_shift : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_norms_attention_gain; layers_norms_attention_shift;
    layers_norms_ffn_gain; layers_norms_ffn_shift].
Definition discriminator_transform_W : entry := Matrix d_model d_model 1.
Definition discriminator_transform_b : entry := Matrix d_model 1 1.
Definition discriminator_scores_W_S : entry := Matrix n_labels d_model 1.
Definition discriminator_scores_b_S : entry := Matrix n_labels 1 1.
Definition P_discriminator : Q := total [discriminator_transform_W; discriminator_transform_b;
    discriminator_scores_W_S; discriminator_scores_b_S].
Definition P : Q := P_embedding + P_projection + L * P_attention + L * P_ffn + L * P_norms +
    P_discriminator.
Definition line_4 : Q := V*d_embed + n_ctx*d_embed + n_types*d_embed + d_model^2 +
    d_model*d_embed + d_model*n_labels + L*(12*d_model^2 + 13*d_model) + 2*d_model + 2*d_embed +
    n_labels.
Theorem matrices_sum_to_formula : forall V d_embed n_ctx n_types d_model L n_heads n_labels : Q,
    ~ n_heads == 0 -> let d_ff := 4*d_model in let d_head := d_model/n_heads in let n_kv :=
    n_heads in
  (P V d_embed n_ctx n_types d_model L n_heads d_head n_kv d_ff n_labels)
  == (line_4 V d_embed n_ctx n_types d_model L n_labels).

(* bloom-560m *)
Definition embedding_token_W_E : entry := Matrix V d_model 1.
Definition embedding_norm_gain : entry := Matrix d_model 1 1.
Definition embedding_norm_shift : entry := Matrix d_model 1 1.
Definition P_embedding : Q := total [embedding_token_W_E; embedding_norm_gain;
    embedding_norm_shift].
Definition layers_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition layers_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition layers_attention_b_Q : entry := Matrix (n_heads*d_head) 1 1.
Definition layers_attention_b_K : entry := Matrix (n_kv*d_head) 1 1.
Definition layers_attention_b_V : entry := Matrix (n_kv*d_head) 1 1.
Definition layers_attention_b_O : entry := Matrix d_model 1 1.
Definition P_attention : Q := total [layers_attention_W_Q; layers_attention_W_K;
    layers_attention_W_V; layers_attention_W_O; layers_attention_b_Q; layers_attention_b_K;
    layers_attention_b_V; layers_attention_b_O].
Definition layers_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition layers_ffn_b_up : entry := Matrix d_ff 1 1.
Definition layers_ffn_b_down : entry := Matrix d_model 1 1.
Definition P_ffn : Q := total [layers_ffn_W_up; layers_ffn_W_down; layers_ffn_b_up;
    layers_ffn_b_down].
Definition layers_norms_attention_gain : entry := Matrix d_model 1 1.
Definition layers_norms_attention_shift : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_shift : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_norms_attention_gain; layers_norms_attention_shift;
    layers_norms_ffn_gain; layers_norms_ffn_shift].
Definition final_norm_norm_gain : entry := Matrix d_model 1 1.
Definition final_norm_norm_shift : entry := Matrix d_model 1 1.
Definition P_final_norm : Q := total [final_norm_norm_gain; final_norm_norm_shift].
Definition P : Q := P_embedding + L * P_attention + L * P_ffn + L * P_norms + P_final_norm.
Definition line_5 : Q := 12*L*d_model^2 + V*d_model + 4*(L + 1)*d_model + 9*L*d_model.
Theorem matrices_sum_to_formula : forall V d_model L n_heads : Q, ~ n_heads == 0 -> let d_ff :=
    4*d_model in let d_head := d_model/n_heads in let n_kv := n_heads in
  (P V d_model L n_heads d_head n_kv d_ff)
  == (line_5 V d_model L).

(* mpt-7b *)
Definition embedding_token_W_E : entry := Matrix V d_model 1.
Definition P_embedding : Q := total [embedding_token_W_E].
Definition layers_attention_W_Q : entry := Matrix (n_heads*d_head) d_model 1.
Definition layers_attention_W_K : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_V : entry := Matrix (n_kv*d_head) d_model 1.
Definition layers_attention_W_O : entry := Matrix d_model (n_heads*d_head) 1.
Definition P_attention : Q := total [layers_attention_W_Q; layers_attention_W_K;
    layers_attention_W_V; layers_attention_W_O].
Definition layers_ffn_W_up : entry := Matrix d_ff d_model 1.
Definition layers_ffn_W_down : entry := Matrix d_model d_ff 1.
Definition P_ffn : Q := total [layers_ffn_W_up; layers_ffn_W_down].
Definition layers_norms_attention_gain : entry := Matrix d_model 1 1.
Definition layers_norms_ffn_gain : entry := Matrix d_model 1 1.
Definition P_norms : Q := total [layers_norms_attention_gain; layers_norms_ffn_gain].
Definition final_norm_norm_gain : entry := Matrix d_model 1 1.
Definition P_final_norm : Q := total [final_norm_norm_gain].
Definition P : Q := P_embedding + L * P_attention + L * P_ffn + L * P_norms + P_final_norm.
Definition line_5 : Q := 12*L*d_model^2 + V*d_model + (2*L + 1)*d_model.
Theorem matrices_sum_to_formula : forall V d_model L n_heads : Q, ~ n_heads == 0 -> let d_ff :=
    4*d_model in let d_head := d_model/n_heads in let n_kv := n_heads in
  (P V d_model L n_heads d_head n_kv d_ff)
  == (line_5 V d_model L).
