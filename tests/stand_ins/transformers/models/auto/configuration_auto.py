"""Configurations by the types of their models."""

from __future__ import annotations

from typing import Any

from transformers.models.ours import configuration_ours as ours

CONFIG_MAPPING: dict[str, Any] = {each.model_type: each for each in (
    ours.DecoderConfig, ours.TowerConfig, ours.PairConfig, ours.RenamedConfig, ours.ShownConfig,
    ours.StrangeConfig, ours.BesideConfig, ours.LonelyConfig, ours.BrokenConfig)}
