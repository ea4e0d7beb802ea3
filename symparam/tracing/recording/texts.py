"""Texts that were made of numbers: whatever is asked of one is asked of the number.

``str(d).endswith("7")`` decides by a number without comparing it. A text that is only printed, or
put into a longer one, decides nothing, and says nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: What tells one text from another.
ASKING = ("__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ __contains__ __getitem__ __len__ "
          "__iter__ count endswith startswith find index rfind rindex removeprefix removesuffix "
          "replace split rsplit partition rpartition strip lstrip rstrip isdigit isnumeric").split()


class RecordedText(str):
    """A text that says when something is asked of it.

    >>> asked = []
    >>> text = RecordedText.of("64", lambda: asked.append(1))
    >>> f"d={text}", len(asked), text.endswith("4"), len(asked)
    ('d=64', 0, True, 1)
    """

    asked: Callable[[], None]

    @classmethod
    def of(cls, text: str, asked: Callable[[], None]) -> RecordedText:
        """The text, and what is called when something is asked of it."""
        made = cls(text)
        made.asked = asked
        return made

    def __reduce__(self) -> Any:
        return str, (str.__str__(self),)


def _asking(name: str) -> Callable[..., Any]:
    plain = getattr(str, name)

    def ask(self: RecordedText, *args: Any, **named: Any) -> Any:
        getattr(self, "asked", _nobody)()
        return plain(self, *args, **named)
    ask.__name__ = name
    return ask


def _nobody() -> None:
    """Of a text that was made elsewhere."""


for _name in ASKING:
    setattr(RecordedText, _name, _asking(_name))
