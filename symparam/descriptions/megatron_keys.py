"""Options of Megatron-LM that change no weight, by how they begin; and those without a value.

Source: NVIDIA/Megatron-LM at d98e8a6, megatron/training/arguments.py, and the fields of
megatron-core 0.16.1's configurations; Megatron-DeepSpeed for its own.
"""

from __future__ import annotations

#: Options that take no value.
SWITCHES = frozenset("""
    swiglu disable-bias-linear add-qkv-bias qk-layernorm group-query-attention squared-relu
    untie-embeddings-and-output-weights use-rotary-position-embeddings multi-latent-attention
    moe-shared-expert-gate moe-router-enable-expert-bias no-position-embedding
""".split())

#: How a model is trained and where, what its numbers are stored in, what is written of it.
_RUN = """
    nproc nnodes node- master- rdzv- local-rank rank world-size max-restarts tee deepspeed ds- zero-
    lr min-lr decoupled-lr decoupled-min-lr head-lr warmup train- test- valid- data- num-workers
    dataloader- mock-data per-split-data per-dataset split seed eod-mask reset- mid-level
    num-dataset object-storage fim- save load no-load no-save no-initialization finetune
    pretrained-checkpoint ckpt- dist-ckpt use-dist-ckpt use-checkpoint override- non-persistent
    async-save auto-detect exit- eval full-validation multiple-validation skip-train
    log tensorboard wandb timing profile use-pytorch-profiler record- memory-snapshot app-tag
    one-logger enable-one-logger no-one-logger otel- config-logger result-rejected run-workload
    micro-batch global-batch batch-size rampup decrease-batch step-batch iter-per
    optimizer adam sgd- lion- muon- dist-muon weight-decay start-weight end-weight no-weight-decay
    apply-wd clip-grad check- exp-avg main- use-precision use-torch-optimizer loss- initial-loss
    min-loss hysteresis grad- accumulate- no-gradient no-pin pin- use-cpu cpu-
    recompute fine-grained-activation offload- checkpoint- partition-activations
    synchronize-each distribute-saved disable-mem
    distributed- use-distributed ddp- fsdp- use-fsdp use-torch-fsdp2 torch-fsdp2 megatron-fsdp
    use-megatron-fsdp init-model-with-meta overlap- no-overlap no-align align- no-scatter
    sequence-parallel context-parallel hierarchical-context cp- pipeline-model-parallel
    expert-model-parallel expert-tensor-parallel decoder-first decoder-last account-for
    num-layers-per-virtual num-virtual num-distributed num-ckpt microbatch-group no-barrier
    use-sharp sharp- nccl- use-nccl use-tp-pp use-ring tp-comm high-priority create-
    enable-gloo disable-gloo enable-msc disable-msc delay-wgrad defer-
    bf16 fp16 fp32 fp8 fp4 te- te_ keep-fp8 reuse-grad first-last-layers use-kitchen kitchen-
    transformer-impl use-mcore use-legacy legacy- no-use cuda-graph enable-cuda-graph
    external-cuda-graph manual-gc deterministic batch-invariant inference- max-tokens
    enable-experimental enable-ft ft- calc-ft inprocess- rerun- error-injection adlr- no-check
    no-async no-create no-mmap no-one onnx-safe output-logit disable-symmetric dump-param rl-
    perform-rl sft legacy-tokenizer tokenizer- vocab-file merge-file vocab-extra
    hf- trust-remote-code allow-ambiguous calculate-per-token-loss empty-unused-memory tiktoken-
    nvtx- grpo- langrl- out-seq-length top-k top-p temperature genfile sample- num-samples
    use-coordinator decode-only return-log-probs incoming-requests prompt-file output-path
    num-tokens-to greedy export-
"""
#: How weights begin, and how they are applied.
_APPLIED = """
    init-method perform-initialization embedding-init attention-dropout hidden-dropout
    rotary- mscale rope- use-rope no-rope yarn- no-yarn original-max norm-epsilon
    layernorm-epsilon apply-layernorm-1p apply-query-key apply-residual
    fp32-residual attention-softmax softmax-scale softmax-in no-masked masked- no-bias
    no-persist bias- use-flash use-fused use-te attention-backend flash- no-fp8
    qk-l2-norm qk-clip openai-gelu cross-entropy use-cross no-rope-fusion apply-rope mrope-
    seq-length encoder-seq-length decoder-seq-length cache-mla mla-down fused- normalize-attention
    moe-router moe-grouped-gemm moe-token-dispatcher moe-token-drop moe-aux-loss moe-z-loss
    moe-permute moe-pad moe-expert-capacity moe-per-layer moe-input-jitter moe-use-legacy
    moe-extended moe-enable moe-deepep moe-flex moe-hybridep moe-apply-probs
    moe-shared-expert-overlap moe-layer-recompute mtp-loss glu-linear-offset
    activation-func-clamp
"""
TRAINING = tuple((_RUN + _APPLIED).split())
