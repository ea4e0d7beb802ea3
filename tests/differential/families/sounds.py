"""Encoders of sound, and what asks them, by themselves and as what composites hear with."""

from __future__ import annotations

from tests.differential.draw import Config, Draw, Drawing

#: What the sizes of an encoder are called by Whisper and by what follows it.
OLDER = {"hidden_size": "d_model", "num_attention_heads": "encoder_attention_heads",
         "num_hidden_layers": "encoder_layers", "intermediate_size": "encoder_ffn_dim"}


def _sizes(draw: Draw) -> Config:
    heads = draw.between(1, 3) * 2
    return {"hidden_size": draw.size(4 * heads, 19), "num_attention_heads": heads,
            "num_hidden_layers": draw.depth(), "intermediate_size": draw.size(2)}


def whisper_like(draw: Draw) -> Config:
    """Bands and a table of positions, or what they are without a key."""
    config = _sizes(draw)
    draw.maybe(config, max_source_positions=draw.prime())
    draw.maybe(config, num_mel_bins=draw.prime())
    return config


def qwen2_audio(draw: Draw) -> Config:
    """The older names."""
    return {OLDER.get(key, key): value for key, value in whisper_like(draw).items()}


def glmasr(draw: Draw) -> Config:
    """Positions that are turned; as many key-value heads as heads."""
    config = _sizes(draw)
    config["num_key_value_heads"] = config["num_attention_heads"]
    draw.maybe(config, num_mel_bins=draw.prime())
    return config


def granite_speech(draw: Draw) -> Config:
    """Names of either age; any width of a head, filters, and what its networks multiply."""
    heads = draw.between(1, 3)
    names = ("hidden_dim", "num_heads", "num_layers") if draw.flag() else (
        "hidden_size", "num_attention_heads", "num_hidden_layers")
    config: Config = dict(zip(names, (draw.size(heads), heads, draw.depth()), strict=True))
    draw.maybe(config, input_dim=draw.prime(), dim_head=draw.one_of(None, draw.prime(19)),
               output_dim=draw.prime(), feedforward_mult=draw.between(1, 5),
               conv_expansion_factor=draw.between(1, 4), conv_kernel_size=draw.prime(31),
               max_pos_emb=draw.between(200, 260), context_size=draw.between(5, 200))
    return config


def qwen3_asr(draw: Draw) -> Config:
    """The older names; channels of the convolutions, any number of bands."""
    config = {OLDER[key]: value for key, value in _sizes(draw).items()}
    draw.maybe(config, num_mel_bins=draw.prime(), downsample_hidden_size=draw.prime(),
               output_dim=draw.size(2))
    return config


def voxtral_realtime(draw: Draw) -> Config:
    """A head of any width."""
    config = _sizes(draw)
    draw.maybe(config, num_mel_bins=draw.prime(), head_dim=draw.size(2),
               sliding_window=draw.prime())
    return config


def vibevoice(draw: Draw) -> Config:
    """Any number of stages, each of any depth and of so many moments less than the one before."""
    stages = draw.between(1, 4)
    config: Config = {"downsampling_ratios": [draw.between(2, 5) for _ in range(stages)],
                      "depths": [draw.depth(3) for _ in range(stages + 1)]}
    draw.maybe(config, hidden_size=draw.prime(), kernel_size=draw.prime(19),
               num_filters=draw.prime(13), ffn_expansion=draw.between(1, 5),
               channels=draw.between(1, 3))
    return config


def qformer(draw: Draw) -> Config:
    """Layers that look at the tower, every so many; a network for texts or none."""
    config = _sizes(draw)
    draw.maybe(config, encoder_hidden_size=draw.size(2), use_qformer_text_input=draw.flag(),
               cross_attention_frequency=draw.between(1, 4), vocab_size=draw.prime())
    return config


def questions(draw: Draw) -> Config:
    """How many frames a question of Granite Speech is for, and how many questions a window has."""
    config: Config = {}
    draw.maybe(config, window_size=draw.between(6, 40), downsample_rate=draw.between(1, 6))
    return config


def frames(draw: Draw) -> Config:
    """How many frames become one; biases or none."""
    config: Config = {}
    draw.maybe(config, audio_merge_size=draw.between(1, 6), projector_bias=draw.flag())
    return config


def fewer(draw: Draw) -> Config:
    """How many frames become one, by its other name."""
    config: Config = {}
    draw.maybe(config, downsample_factor=draw.between(1, 6))
    return config


def _frames(draw: Draw) -> Config:
    config = _sizes(draw)
    if draw.flag():
        config["num_key_value_heads"] = draw.one_of(None, config["num_attention_heads"])
    return config


def stacking(draw: Draw) -> Config:
    """Any number of bands and frames."""
    config = _frames(draw)
    draw.maybe(config, num_mel_bins=draw.prime(), subsampling_factor=draw.between(1, 9))
    return config


def word_times(draw: Draw) -> Config:
    """Any number of pieces of words, and frames for one."""
    config = _frames(draw)
    draw.maybe(config, upsampling_factor=draw.between(1, 5))
    if draw.flag():
        config |= {"vocab_size": 40 + draw.prime(), "blank_token_id": 7}
    return config


def speakers(draw: Draw) -> Config:
    """An encoder and a head that know of each other, or none."""
    config: Config = {}
    if draw.flag():
        audio = stacking(draw)
        frames, number = audio.get("subsampling_factor", 8), draw.between(2, 9)
        config = {"audio_config": audio, "head_config": {
            "audio_hidden_size": audio["hidden_size"], "subsampling_factor": frames,
            "num_speakers": number, "hidden_size": draw.size()},
            "streaming_config": {"num_speakers": number, "subsampling_factor": frames}}
    return config


def transcribed(draw: Draw) -> Config:
    """What is said and who speaks, with equally many frames."""
    config: Config = {"asr_config": stacking(draw), "diarization_config": speakers(draw)}
    inner = config["diarization_config"].get("audio_config", {})
    config["asr_config"]["subsampling_factor"] = inner.get("subsampling_factor", 8)
    draw.maybe(config, speaker_activity_threshold=0.4)
    return config


def seconds(draw: Draw) -> Config:
    """A length of sound that every drawn tokenizer divides."""
    return {"acoustic_tokenizer_chunk_size": 3600 ** 2 * draw.between(1, 3)}


#: The keys of what stands between a tower and the language model.
BETWEEN: dict[str, Drawing] = {"granite_speech": questions, "granite_speech_plus": questions,
                               "moss_transcribe_diarize": frames, "voxtral_realtime": fewer,
                               "vibevoice_asr": seconds}
TOWERS: dict[str, Drawing] = {
    "qwen2_audio_encoder": qwen2_audio, "voxtral_encoder": whisper_like,
    "audioflamingo3_encoder": whisper_like, "glmasr_encoder": glmasr,
    "granite_speech_encoder": granite_speech, "granite_speech_plus_encoder": granite_speech,
    "nemotron3_5_transcribe_asr_audio": stacking, "nemotron3_diarization_audio": stacking,
    "nemotron3_5_transcribe_word_timestamp": word_times, "nemotron3_diarization": speakers,
    "nemotron3_5_transcribe_audio": transcribed,
    "blip_2_qformer": qformer, "qwen3_asr_encoder": qwen3_asr,
    "vibevoice_acoustic_tokenizer_encoder": vibevoice,
    "voxtral_realtime_encoder": voxtral_realtime, "moss_transcribe_diarize_audio": whisper_like,
}
#: Their classes.
CLASSES = {
    "qwen2_audio_encoder": "Qwen2AudioEncoder", "voxtral_encoder": "VoxtralEncoder",
    "audioflamingo3_encoder": "AudioFlamingo3Encoder", "glmasr_encoder": "GlmAsrEncoder",
    "granite_speech_encoder": "GraniteSpeechCTCEncoder",
    "granite_speech_plus_encoder": "GraniteSpeechPlusCTCEncoder",
    "nemotron3_5_transcribe_asr_audio": "Nemotron3_5TranscribeAsrAudioModel",
    "nemotron3_diarization_audio": "Nemotron3DiarizationAudioModel",
    "nemotron3_5_transcribe_word_timestamp": "Nemotron3_5TranscribeWordTimestampModel",
    "nemotron3_diarization": "Nemotron3DiarizationForAudioFrameClassification",
    "nemotron3_5_transcribe_audio": "Nemotron3_5TranscribeAudioModel",
    "blip_2_qformer": "Blip2QFormerModel", "qwen3_asr_encoder": "Qwen3ASREncoder",
    "vibevoice_acoustic_tokenizer_encoder": "VibeVoiceAcousticTokenizerEncoderModel",
    "voxtral_realtime_encoder": "VoxtralRealtimeEncoder",
    "moss_transcribe_diarize_audio": "MossTranscribeDiarizeAudioModel",
}


def _drawing(model_type: str, cls: str) -> Drawing:
    def drawn(draw: Draw) -> Config:
        return {"architectures": [cls], **TOWERS[model_type](draw)}
    return drawn


DRAWN = {model_type: _drawing(model_type, cls) for model_type, cls in CLASSES.items()}
