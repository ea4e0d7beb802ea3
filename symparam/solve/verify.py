"""The last check of a configuration: its matrices, states and products listed and added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symparam.align import LOOKED_AT, alignment_checks
from symparam.errors import FalseStep
from symparam.model import Model
from symparam.quantities.setting import Setting
from symparam.resolve import numbers, with_overrides
from symparam.solve.requests.goals import Goal
from symparam.solve.requests.targets import amount, is_run, setting_at
from symparam.solve.solution import Configuration


def verified(model: Model, sought: Sequence[Goal], found: Configuration,
              setting: Setting) -> Configuration:
    """The configuration, after its matrices were listed on integers and added up, and what else
    was wanted counted likewise.

    Raises:
        FalseStep: they add up to something else; nothing unproved is handed out.
    """
    run = {name: value for name, value in found.dims.items() if is_run(name)}
    whole = with_overrides(model, {n: v for n, v in found.dims.items() if n not in run})
    total = whole.ledger(numbers(whole).values).total()
    if total != found.total:
        raise FalseStep(f"P = {found.total} for {dict(found.dims)}", str(total - found.total))
    for goal in sought:
        counted = amount(whole, goal, setting_at(setting, run))
        if counted != found.counts[goal.name]:
            raise FalseStep(f"{goal.name} = {found.counts[goal.name]} for {dict(found.dims)}",
                            str(counted - found.counts[goal.name]))
    if run:
        return found
    seen = {name: value for name, value in numbers(whole).values.items() if name in LOOKED_AT}
    split = "d_head" in whole.dims_at_work
    return replace(found, checks=tuple(alignment_checks(seen, split=split)))
