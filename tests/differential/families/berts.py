"""Models that are BERT with something more, or something else in its layers."""

from __future__ import annotations

from tests.differential.draw import Config, Draw
from tests.differential.encoders import decoder_too, encoder


def ernie(draw: Draw) -> Config:
    """With a table of tasks or without."""
    config = encoder(draw, "ErnieModel", "ErnieForMaskedLM", "ErnieForCausalLM")
    draw.maybe(config, use_task_id=draw.flag(), task_type_vocab_size=draw.size())
    return decoder_too(draw, config)


def megatron_bert(draw: Draw) -> Config:
    """As BERT."""
    return decoder_too(draw, encoder(draw, "MegatronBertModel", "MegatronBertForMaskedLM",
                                     "MegatronBertForCausalLM"))


def rembert(draw: Draw) -> Config:
    """Two further widths."""
    config = encoder(draw, "RemBertModel", "RemBertForMaskedLM", "RemBertForCausalLM")
    draw.maybe(config, input_embedding_size=draw.size(), output_embedding_size=draw.size(),
               classifier_dropout_prob=0.1)
    return config


def big_bird(draw: Draw) -> Config:
    """With biases of the projections or without."""
    config = encoder(draw, "BigBirdModel", "BigBirdForMaskedLM", "BigBirdForCausalLM")
    draw.maybe(config, use_bias=draw.flag(), rescale_embeddings=draw.flag(), block_size=4,
               attention_type=draw.one_of("block_sparse", "original_full"))
    return config


def layoutlm(draw: Draw) -> Config:
    """A page of another size."""
    config = encoder(draw, "LayoutLMModel", "LayoutLMForMaskedLM")
    draw.maybe(config, max_2d_position_embeddings=draw.size())
    return config


def nystromformer(draw: Draw) -> Config:
    """A convolution of any length."""
    config = encoder(draw, "NystromformerModel", "NystromformerForMaskedLM")
    draw.maybe(config, conv_kernel_size=draw.one_of(3, 9), num_landmarks=8)
    return config


def roformer(draw: Draw) -> Config:
    """Embeddings as wide as the model, narrower, or of no stated width."""
    config = encoder(draw, "RoFormerModel", "RoFormerForMaskedLM", "RoFormerForCausalLM")
    draw.maybe(config, rotary_value=draw.flag(), embedding_size=draw.one_of(
        draw.size(), config["hidden_size"], None))
    return config


def mpnet(draw: Draw) -> Config:
    """Buckets of distances."""
    config = encoder(draw, "MPNetModel", "MPNetForMaskedLM")
    config.pop("type_vocab_size", None)
    draw.maybe(config, relative_attention_num_buckets=draw.size())
    return config


def longformer(draw: Draw) -> Config:
    """One window or one for each layer."""
    config = encoder(draw, "LongformerModel", "LongformerForMaskedLM")
    draw.maybe(config, attention_window=draw.one_of(8, [4] * config["num_hidden_layers"]))
    return config


def nomic_bert(draw: Draw) -> Config:
    """A head width of its own or none."""
    config = encoder(draw, "NomicBertModel", "NomicBertForMaskedLM")
    draw.maybe(config, head_dim=draw.one_of(draw.size(2), None))
    return config


def gte(draw: Draw) -> Config:
    """Segments or none, a head width of its own."""
    config = encoder(draw, "GteModel", "GteForMaskedLM")
    draw.maybe(config, type_vocab_size=draw.one_of(0, 1, 2), head_dim=draw.size(2))
    return config


def eurobert(draw: Draw) -> Config:
    """Grouped queries, biases, tied or not."""
    config = encoder(draw, "EuroBertModel", "EuroBertForMaskedLM")
    for key in ("type_vocab_size", "layer_norm_eps"):
        config.pop(key, None)
    n_heads = config["num_attention_heads"]
    config["pad_token_id"] = 0
    draw.maybe(config, num_key_value_heads=draw.one_of(1, n_heads, None), head_dim=draw.one_of(
        draw.size(2), None), attention_bias=draw.flag(), mlp_bias=draw.flag())
    return config


DRAWN = {"ernie": ernie, "megatron-bert": megatron_bert, "rembert": rembert,
         "big_bird": big_bird, "layoutlm": layoutlm, "nystromformer": nystromformer,
         "roformer": roformer, "mpnet": mpnet, "longformer": longformer,
         "nomic_bert": nomic_bert, "gte": gte, "eurobert": eurobert}
