(* gpt2, L *)
Lemma kept_has_one_power : forall d_model L : Q,
  L*d_model*(12*d_model + 13)
  == (12*d_model^2 + 13*d_model)*L.
Lemma left_out_has_lower_powers_1 : forall V d_model n_ctx : Q,
  d_model*(V + n_ctx)
  == (1*V*d_model + 1*d_model*n_ctx).
Lemma left_out_has_lower_powers_2 : forall d_model : Q,
  2*d_model
  == (2*d_model).

(* gpt2, d_model *)
Lemma kept_has_one_power : forall d_model L : Q,
  12*L*d_model^2
  == (12*L)*d_model^2.
Lemma left_out_has_lower_powers_1 : forall V d_model n_ctx : Q,
  (V + n_ctx)*d_model
  == (1*V + 1*n_ctx)*d_model.
Lemma left_out_has_lower_powers_2 : forall d_model L : Q,
  2*(2*L + 1)*d_model
  == (4*L + 2)*d_model.
Lemma left_out_has_lower_powers_3 : forall d_model L : Q,
  9*L*d_model
  == (9*L)*d_model.

(* mixtral-8x7b, n_experts *)
Lemma kept_has_one_power : forall d_model L n_experts d_expert : Q,
  L*d_model*n_experts*(3*d_expert + 1)
  == (3*L*d_expert*d_model + 1*L*d_model)*n_experts.
Lemma left_out_has_lower_powers_1 : forall d_model L n_heads n_kv : Q, ~ n_heads == 0 ->
  2*L*d_model^2*(1 + n_kv/n_heads)
  == (2*L*d_model^2 + 2*L*d_model^2/n_heads*n_kv).
Lemma left_out_has_lower_powers_2 : forall V d_model : Q,
  2*V*d_model
  == (2*V*d_model).
Lemma left_out_has_lower_powers_3 : forall d_model L : Q,
  d_model*(2*L + 1)
  == (2*L*d_model + 1*d_model).

(* deepseek-v3, L *)
Lemma kept_has_one_power : forall d_model q_rank n_heads d_nope d_rope kv_rank d_v n_experts
    d_expert L n_shared : Q,
  L*(d_model*n_heads*d_v + 3*d_model*d_expert*n_experts + 3*d_model*d_expert*n_shared +
    n_heads*d_nope*kv_rank + n_heads*d_nope*q_rank + n_heads*d_rope*q_rank + n_heads*d_v*kv_rank
    + d_model*d_rope + d_model*kv_rank + d_model*n_experts + d_model*q_rank + 2*d_model +
    kv_rank + q_rank)
  == (1*d_model*d_v*n_heads + 3*d_expert*d_model*n_experts + 3*d_expert*d_model*n_shared +
    1*d_nope*kv_rank*n_heads + 1*d_nope*n_heads*q_rank + 1*d_rope*n_heads*q_rank +
    1*d_v*kv_rank*n_heads + 1*d_model*d_rope + 1*d_model*kv_rank + 1*d_model*n_experts +
    1*d_model*q_rank + 2*d_model + 1*kv_rank + 1*q_rank)*L.
Lemma left_out_has_lower_powers_1 : forall d_model L_dense d_ff n_experts d_expert n_shared : Q,
  L_dense*d_model*(-3*d_expert*n_experts - 3*d_expert*n_shared + 3*d_ff - n_experts)
  == ((-3)*L_dense*d_expert*d_model*n_experts + (-3)*L_dense*d_expert*d_model*n_shared +
    3*L_dense*d_ff*d_model + (-1)*L_dense*d_model*n_experts).
Lemma left_out_has_lower_powers_2 : forall V d_model : Q,
  2*V*d_model
  == (2*V*d_model).
Lemma left_out_has_lower_powers_3 : forall d_model : Q,
  d_model
  == (1*d_model).

(* t5-small, V *)
Lemma kept_has_one_power : forall V d_model : Q,
  V*d_model
  == (1*d_model)*V.
Lemma left_out_has_lower_powers_1 : forall d_model L_encoder : Q,
  28*L_encoder*d_model^2
  == (28*L_encoder*d_model^2).
Lemma left_out_has_lower_powers_2 : forall n_buckets n_heads : Q,
  2*n_heads*n_buckets
  == (2*n_buckets*n_heads).
Lemma left_out_has_lower_powers_3 : forall d_model L_encoder : Q,
  d_model*(5*L_encoder + 2)
  == (5*L_encoder*d_model + 2*d_model).
