"""What is asked of a configuration besides what it says."""

from __future__ import annotations

from collections.abc import Iterator

from symparam.dataclass import dataclass
from symparam.errors import BadValue


@dataclass(frozen=True)
class ReadAs:
    """How a configuration is read.

    Attributes:
        task: one of :data:`symparam.descriptions.config.TASKS`; as its class says when None.
        mtp: whether multi-token-prediction layers are counted.
        ignored: keys that are not understood and to be passed over.
        text_alone: whether of a model that is made of several the language model alone is read.
    """

    task: str | None = None
    mtp: bool = False
    ignored: tuple[str, ...] = ()
    text_alone: bool = False

    def refuse(self, problem: str) -> None:
        """Raise BadValue for an option that says how a configuration is read, if one is given.

        >>> ReadAs().refuse("needs a MODEL")
        >>> ReadAs(mtp=True).refuse("needs a MODEL")
        Traceback (most recent call last):
        symparam.errors.BadValue: --mtp = on: needs a MODEL
        """
        for option, value in self._given():
            raise BadValue(option, value, problem)

    def _given(self) -> Iterator[tuple[str, str]]:
        """Options of the command line, each with its value."""
        if self.task:
            yield "--as", self.task
        if self.mtp:
            yield "--mtp", "on"
        if self.ignored:
            yield "--ignore-key", ", ".join(self.ignored)


#: As a configuration says by itself.
PLAIN = ReadAs()
