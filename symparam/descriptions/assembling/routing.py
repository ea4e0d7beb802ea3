"""What a router asks of the experts that it chooses from."""

from __future__ import annotations

from symparam.constraints import Divides
from symparam.descriptions.config import Config

#: Where a configuration says into how many groups the experts are parted.
KEYS = ("n_group", "num_expert_group")


def groups_of_experts(config: Config) -> tuple[Divides, ...]:
    """That the groups, from some of which alone a token takes its experts, are of equal size.

    Source: DeepSeek-AI 2024, arXiv:2412.19437, section 2.1.2 (node-limited routing); transformers,
    models/deepseek_v3: scores are viewed as (tokens, n_group, n_experts/n_group). V2 has groups
    unless its ``topk_method`` is ``greedy``.

    Args:
        config: the configuration, already read.
    """
    found = next((config.raw(key, None) for key in KEYS if key in config.data), None)
    if type(found) is not int or found < 2 or config.raw("topk_method", None) == "greedy":
        return ()
    return (Divides(found, "n_experts", f"the {found} groups that a router chooses from have as "
                    "many experts each"),)
