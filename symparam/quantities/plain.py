"""A setting from plain values, as options and keywords give them."""

from __future__ import annotations

from symparam.errors import BadValue, UnknownName
from symparam.quantities.formats import FORMATS, Groups, number_format
from symparam.quantities.inputs import USUAL, DataInputs
from symparam.quantities.setting import COUNTED, Setting
from symparam.quantities.training_memory import scheme


def setting_of(*, dtype: str = "bf16", kv_dtype: str = "bf16", group: int | None = None,
               attention: str = "full", train_bytes: int = 16,
               data: DataInputs | None = None) -> Setting:
    """A setting from plain values.

    Args:
        dtype, kv_dtype: how weights and the cache are stored.
        group: inputs that share a scale, for weights in int8 or int4.
        attention: ``full`` follows windows and counts the pairs that a causal mask hides,
            ``causal`` does not count these, ``all-pairs`` counts every pair, windows or not.
        train_bytes: bytes a parameter in training: 12, 16, 18 or 20.
        data: what turns parameters into data.

    Raises:
        UnknownName, BadValue: a value that there is not.
    """
    if str(attention) not in COUNTED:
        raise UnknownName("way to count attention", str(attention), COUNTED)
    scheme(train_bytes)
    if not isinstance(data, DataInputs | None):
        raise BadValue("data", data, "expected DataInputs(tokens_per_parameter=...) of "
                       "symparam.quantities.inputs, or None")
    stored = number_format(dtype)
    if group is not None and not stored.quantised:
        fitting = " or ".join(name for name, form in FORMATS.items() if form.quantised)
        raise BadValue("group", group, f"{dtype} has no groups of weights that share a scale: "
                       f"give the dtype {fitting} as well")
    return Setting(weights=stored, cache=number_format(kv_dtype),
                   groups=None if group is None else Groups(group),
                   attention=next(each for each in COUNTED if each == str(attention)),
                   training_bytes=train_bytes, data=data or USUAL)
