"""Encoders of pictures, by themselves and as what composites see with; those of sound stand beside.
"""

from __future__ import annotations

from tests.differential.draw import Config, Draw, Drawing
from tests.differential.families import (
    gated_towers,
    gemma4_towers,
    later_towers,
    single_towers,
    sounds,
)

#: Classes of encoders that transformers has at its top.
CLASSES = {
    "clip_vision_model": "CLIPVisionModel", "siglip_vision_model": "SiglipVisionModel",
    "siglip2_vision_model": "Siglip2VisionModel", "dinov3_vit": "DINOv3ViTModel",
    "idefics3_vision": "Idefics3VisionTransformer", "smolvlm_vision": "SmolVLMVisionTransformer",
    "vit": "ViTModel", "dinov2": "Dinov2Model",
    "dinov2_with_registers": "Dinov2WithRegistersModel", "pixtral": "PixtralVisionModel",
    "internvl_vision": "InternVLVisionModel",
    "qwen2_5_vl_vision": "Qwen2_5_VisionTransformerPretrainedModel",
    "qwen3_vl_vision": "Qwen3VLVisionModel", "qwen3_vl_moe_vision": "Qwen3VLMoeVisionModel",
    "qwen3_5_vision": "Qwen3_5VisionModel", "qwen3_5_moe_vision": "Qwen3_5MoeVisionModel",
    "exaone4_5_vision": "Exaone4_5_VisionModel",
    "blip_2_vision_model": "Blip2VisionModel",
    "dots3_note_vision_encoder": "Dots3NoteVisionModel",
    "dots3_note_audio_encoder": "Dots3NoteAudioModel", "inkling_vision": "InklingVisionModel",
    "inkling_audio": "InklingAudioModel", "inkling2_vision": "Inkling2VisionModel",
    "gemma3n_audio": "Gemma3nAudioEncoder",
    "gemma4_vision": "Gemma4VisionModel", "gemma4_audio": "Gemma4AudioModel",
}
#: Those that have a class with a classifier.
CLASSIFIED = ("vit", "dinov2", "dinov2_with_registers")
#: Those that stand inside composites alone.
INSIDE = ("llama4_vision_model", "qwen2_vl_vision", "mllama_vision_model",
          "gemma4_unified_vision", "kimi_k25_vision", "minimax_m3_vl_vision", "got_ocr2_vision",
          "step3p5_vision", "gemma3n_vision")


#: Those that have nothing in common with others.
OWN = (gated_towers.TOWERS | gemma4_towers.TOWERS | later_towers.TOWERS | sounds.TOWERS
       | single_towers.TOWERS)


def tower(draw: Draw, model_type: str) -> Config:
    """The configuration of an encoder, without its class."""
    if model_type in OWN:
        return {"model_type": model_type, **OWN[model_type](draw)}
    if model_type.startswith(("qwen", "exaone")):
        return _qwen(draw, model_type)
    heads = draw.between(1, 3) * 2
    config: Config = {"model_type": model_type, "hidden_size": draw.size(4 * heads, 19),
                      "num_attention_heads": heads, "num_hidden_layers": draw.depth()}
    if "dino" not in model_type:
        config["intermediate_size"] = draw.size(2)
    patch = draw.prime(13)
    draw.maybe(config, num_channels=draw.one_of(1, 3, 4), patch_size=patch)
    config["image_size"] = config.get("patch_size", 32) * draw.between(1, 7) + draw.between(0, 2)
    _own(draw, model_type, config)
    return config


def _own(draw: Draw, model_type: str, config: Config) -> None:
    """The keys that one kind has."""
    flags = {"siglip_vision_model": ("vision_use_head",), "vit": ("qkv_bias",),
             "dinov2": ("qkv_bias", "use_swiglu_ffn", "use_mask_token"),
             "dinov2_with_registers": ("qkv_bias", "use_swiglu_ffn"),
             "internvl_vision": ("attention_bias", "use_qk_norm", "use_mask_token",
                                 "use_absolute_position_embeddings", "use_mean_pooling")}
    draw.maybe(config, **{flag: draw.flag() for flag in flags.get(model_type, ())})
    if "dino" in model_type:
        draw.maybe(config, mlp_ratio=draw.between(1, 6), num_register_tokens=draw.prime())
        if model_type == "dinov2":
            config.pop("num_register_tokens", None)
    if model_type == "internvl_vision":
        draw.maybe(config, norm_type=draw.one_of("layer_norm", "rms_norm"))
        if draw.flag():
            config["image_size"] = [config["image_size"]] * 2
    if model_type == "mllama_vision_model":
        config["attention_heads"] = config.pop("num_attention_heads")
        config |= {"num_global_layers": draw.depth(), "vision_output_dim": draw.size(2)}
        if draw.flag():
            ratios = draw.between(1, 5)
            config |= {"max_num_tiles": draw.between(1, 5),
                       "supported_aspect_ratios": [[1, n + 1] for n in range(ratios)]}
    if model_type == "llama4_vision_model":
        config |= {"projector_input_dim": draw.size(2), "projector_output_dim": draw.size(2),
                   "vision_output_dim": draw.size(2)}


def _qwen(draw: Draw, model_type: str) -> Config:
    heads = draw.between(1, 3) * 2
    width = draw.size(4 * heads, 19)
    config: Config = {"model_type": model_type, "depth": draw.depth(), "num_heads": heads}
    draw.maybe(config, in_channels=draw.one_of(1, 3), patch_size=draw.prime(17),
               temporal_patch_size=draw.between(1, 4), spatial_merge_size=draw.between(1, 3))
    if model_type == "qwen2_vl_vision":
        config |= {"embed_dim": width, "hidden_size": draw.size(2)}
        draw.maybe(config, mlp_ratio=draw.between(1, 5))
        return config
    config |= {"hidden_size": width, "intermediate_size": draw.size(2),
               "out_hidden_size": draw.size(2)}
    if model_type == "exaone4_5_vision":
        config["num_key_value_heads"] = draw.one_of(1, 2)
    if "qwen3" in model_type:
        draw.maybe(config, num_position_embeddings=draw.prime(13) ** 2)
    if "qwen3_vl" in model_type:
        draw.maybe(config, deepstack_visual_indexes=list(range(draw.between(0, 4))))
    return config


def _drawing(model_type: str, cls: str) -> Drawing:
    def drawn(draw: Draw) -> Config:
        config = tower(draw, model_type)
        del config["model_type"]
        if model_type in CLASSIFIED and draw.flag():
            names = {str(i): f"class {i}" for i in range(draw.between(1, 6))}
            draw.maybe(config, num_labels=draw.prime())
            draw.maybe(config, id2label=names)
            return {"architectures": [cls.replace("Model", "ForImageClassification")], **config}
        return {"architectures": [cls], **config}
    return drawn


DRAWN = {model_type: _drawing(model_type, cls) for model_type, cls in CLASSES.items()}
