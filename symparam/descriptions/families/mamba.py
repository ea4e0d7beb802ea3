"""Mamba, Mamba-2 and Falcon Mamba: state spaces alone, with neither attention nor FFN.

Source: Gu and Dao 2023, arXiv:2312.00752; Dao and Gu 2024, arXiv:2405.21060; Zuo et al. 2024,
arXiv:2410.05355; transformers, models/mamba, models/mamba2 and models/falcon_mamba.
"""

from __future__ import annotations

from symparam.components import find
from symparam.constraints import Equation
from symparam.descriptions.assembling.assemble import Places, classes, decoder_model, slot
from symparam.descriptions.config import Config
from symparam.descriptions.harmless import SCAN
from symparam.expression import Num, Sym
from symparam.model import Model
from symparam.stack import Slot

MODEL_TYPES = ("mamba", "mamba2", "falcon_mamba")
CLASSES = {"mamba": classes("Mamba"), "mamba2": classes("Mamba2"),
           "falcon_mamba": classes("FalconMamba")}
PLACES = Places(top="backbone.", token="embeddings.", final_norm="norm_f.")
COMMON = {"d_state": ("state_size", 16), "k_conv": ("conv_kernel", 4)}
DIMS = {
    "mamba": {"V": ("vocab_size", 50280), "L": ("num_hidden_layers", 32),
              "d_model": ("hidden_size", 768), **COMMON},
    "mamba2": {"V": ("vocab_size", 32768), "L": ("num_hidden_layers", 64),
               "d_model": ("hidden_size", 4096), **COMMON, "d_state": ("state_size", 128),
               "n_ssm_heads": ("num_heads", 128), "d_ssm_head": ("head_dim", 64),
               "n_groups": ("n_groups", 8)},
}
DIMS["falcon_mamba"] = DIMS["mamba"]
HARMLESS = SCAN | frozenset("""
    fused_add_norm mixer_rms_eps norm_before_gate pad_vocab_size_multiple time_step_init_scheme
    time_step_scale use_falcon_mambapy use_mambapy
""".split())


def inner_width(expand: int) -> Equation:
    """The rule for the inner width that a configuration with a factor alone has."""
    return Equation("d_inner", Num(expand) * Sym("d_model"), f"the expansion is {expand}")


def mamba_bias(projections: bool, convolution: bool) -> list[str]:
    """The bias sites of a state-space mixer."""
    return ["ssm-in", "ssm-out"] * projections + ["conv"] * convolution


def rank_or_auto(config: Config, key: str) -> dict[str, int]:
    """The rank of the time steps; it follows from the width where it is missing or ``auto``."""
    return {} if config.raw(key, "auto") == "auto" else {"dt_rank": config.count_of(key)}


def build(config: Config, name: str) -> Model:
    """A state-space model; an inner width that differs from the factor's outranks it."""
    kind = config.model_type
    task = config.task(CLASSES[kind], "causal")
    values = config.dims(DIMS[kind])
    bias = mamba_bias(config.flag("use_bias", False), config.flag("use_conv_bias", True))
    tied = config.flag("tie_word_embeddings", kind != "mamba2")
    expand = config.count_of("expand", default=2)
    width = expand * values["d_model"]
    rules = [inner_width(expand)]
    if kind == "mamba2":
        _heads_split(config, values, width)
        mixer = slot("mixer", "mamba2", bias=bias)
    else:
        values |= rank_or_auto(config, "time_step_rank")
        if "intermediate_size" in config and config.count_of("intermediate_size") != width:
            values["d_inner"], rules = config.count_of("intermediate_size"), []
        mixer = slot("mixer", "mamba", bias=bias)
    _repeated(config, values, values.get("d_inner", width))
    config.close(HARMLESS)
    norm = find("norm", "rmsnorm")()
    return decoder_model(config, name, task, values, (mixer, Slot("norms.input", norm, "norm.")),
                         final_norm=norm, tied=tied, positions=None, places=PLACES,
                         equations=rules)


def _heads_split(config: Config, values: dict[str, int], width: int) -> None:
    rank = config.raw("time_step_rank", "auto")  # read from Mamba's configurations, and unused
    if rank != "auto":
        config.count_of("time_step_rank")
    config.only("intermediate_size", width)
    if (heads := values["n_ssm_heads"] * values["d_ssm_head"]) != width:
        raise config.error("num_heads", f"num_heads * head_dim = {heads} is not expand * "
                           f"hidden_size = {width}")


def _repeated(config: Config, values: dict[str, int], width: int) -> None:
    """Keys of older configurations that say again what others say."""
    config.only("d_model", values["d_model"])
    config.only("n_layer", values["L"])
    config.only("d_inner", width)
    config.only("ssm_cfg", {})
    config.only("rms_norm", True)
