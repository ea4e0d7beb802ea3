"""Reading the axes of a grid from text.

::

    axis = KEY "=" start ":" stop [":" step] | KEY "=" number ("," number)*

Both ends of a range belong to it. What has neither a colon nor a comma is no axis but a number or
a rule, and so is a rule with a rounding (``d_ff=8/3*d_model, up to 256``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from symparam.arithmetic import MODES
from symparam.dims import canonical
from symparam.errors import BadValue, Contradiction
from symparam.points.parsing import axis

#: Values that an axis may have.
MOST = 10_000_000

_AXIS = re.compile(r"\s*([A-Za-z_][\w.]*)\s*=(.*)", re.ASCII | re.DOTALL)
_ROUNDING = re.compile(rf",\s*(?:{'|'.join(MODES)})\b")


def parted(words: Iterable[str], extra: Collection[str] = (), always: Collection[str] = ()
           ) -> tuple[list[str], dict[str, Sequence[int]]]:
    """What a command line says besides axes, and the axes in order.

    Args:
        words: KEY=VALUE and others.
        extra: names of dims besides the known ones; a model's own.
        always: dims that are axes even where they have one value.

    Raises:
        SymparamError: a text that is no axis, or a dim that is given twice.

    >>> parted(["gpt2", "L=12:24:12", "n_embd=512,768", "d_ff=8/3*d_model, up to 256"])
    (['gpt2', 'd_ff=8/3*d_model, up to 256'], {'L': range(12, 25, 12), 'd_model': (512, 768)})
    """
    rest: list[str] = []
    axes: dict[str, Sequence[int]] = {}
    for word in words:
        match = _AXIS.fullmatch(word)
        if match is None or not (is_axis(match[2]) or (
                canonical(match[1], extra) in always and not _ROUNDING.search(match[2]))):
            rest.append(word)
            continue
        name = canonical(match[1], extra)
        if name in axes:
            raise Contradiction(f"{name} given twice", "itself", f"give {name} once")
        axes[name] = _values(name, match[2].strip())
    return rest, axes


def is_axis(value: str) -> bool:
    """Whether a value is a range or a list rather than a number or a rule.

    >>> is_axis("12:48:4"), is_axis("8,16"), is_axis("8/3*d_model, up to 256"), is_axis("4096")
    (True, True, False, False)
    """
    return bool(set(value) & {":", ","}) and not _ROUNDING.search(value)


def _values(name: str, text: str) -> Sequence[int]:
    """The values of an axis; those of a range are not listed. Whether one is too small for the dim
    is said by whoever knows the model."""
    values = axis(name, text, None).values({})
    if len(values) > MOST:
        raise BadValue(name, text, f"has {len(values):,} values; an axis may have {MOST:,}")
    return values
