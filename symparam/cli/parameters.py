"""What arguments and options take: kinds, words, notations, widths and files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from symparam import formats
from symparam.cli.helped import SharedOption
from symparam.dims import NOTATION_SUFFIX, NOTATIONS, known_dims
from symparam.errors import UnknownName, remarks

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    TextType = click.ParamType[str]
    FractionType = click.ParamType[Fraction]
else:  # older versions of click take no parameter here
    TextType = FractionType = click.ParamType


def _items(words: Iterable[str], incomplete: str, kind: str = "plain") -> list[CompletionItem]:
    """What a shell is offered: the words that begin so."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(word, type=kind) for word in words if word.startswith(incomplete)]


class KindOption(SharedOption):
    """The option of a slot; its choices are found when help is asked for."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """What help says: the meaning, and the choices."""
        from symparam import components

        names, meaning = super().get_help_record(ctx) or ("", "")
        return names, f"{meaning}: {', '.join(components.choices(str(self.name)))}."


class Kind(TextType):
    """A choice of a slot's components, found when it is needed."""

    name = "kind"

    def __init__(self, slot: str) -> None:
        self.slot = slot

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if there is such a component."""
        from symparam import components

        try:
            components.find(self.slot, str(value))
        except UnknownName as error:
            self.fail(str(error), param, ctx)
        return str(value)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """What stands for it in help, which lists the choices beside it."""
        return "KIND"

    def shell_complete(self, ctx: click.Context, param: click.Parameter,
                       incomplete: str) -> list[CompletionItem]:
        """The choices that begin so."""
        from symparam import components

        return _items(components.choices(self.slot), incomplete)


class Choices(TextType):
    """Some of several words, commas between them.

    Args:
        words: those that there are.
    """

    name = "choices"

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text, where each of its words is one of those."""
        one = click.Choice(self.words)
        return ",".join(str(one.convert(each.strip(), param, ctx))
                        for each in str(value).split(","))

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """What stands for it in help."""
        return f"[{'|'.join(self.words)}]"

    def shell_complete(self, ctx: click.Context, param: click.Parameter,
                       incomplete: str) -> list[CompletionItem]:
        """The words that the last one may be."""
        before, comma, last = incomplete.rpartition(",")
        return _items((before + comma + word for word in self.words), before + comma + last)


class Words(TextType):
    """A MODEL or a KEY=VALUE; completes both."""

    name = "words"

    def shell_complete(self, ctx: click.Context, param: click.Parameter,
                       incomplete: str) -> list[CompletionItem]:
        """Names in the catalogue, then symbols with an equals sign."""
        from symparam.descriptions.catalogue import names

        words = [*names(), *(f"{dim.name}=" for dim in known_dims())]
        return _items(words, incomplete)


class FormatName(TextType):
    """A format by its name, known when it is asked for.

    Args:
        more: formats of one command besides those of documents.
    """

    name = "format"

    def __init__(self, more: tuple[str, ...] = ()) -> None:
        self.more = more

    def names(self) -> list[str]:
        """Those that can be named."""
        return [*formats.offered(), *self.more]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if there is such a format."""
        try:
            return str(click.Choice(self.names()).convert(value, param, ctx))
        except click.BadParameter as error:  # which says what there is, and of no package
            self.fail(error.message + remarks("symparam.formats"), param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter,
                       incomplete: str) -> list[CompletionItem]:
        """The names that begin so."""
        return _items(self.names(), incomplete)


class FormatOption(SharedOption):
    """The option of a format; its choices are found when help is asked for."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """What help says: the names, and what some are."""
        names, _ = super().get_help_record(ctx) or ("", "")
        first, *others = self.type.names() if isinstance(self.type, FormatName) else [""]
        told = "".join(f" {each.name}: {each.remark}." for each in formats.everything().values()
                       if each.remark)
        return names, f"{first} (the default), {', '.join(others)}.{told}"


class FileOption(SharedOption):
    """The option of a file to write to, with the endings that say a format."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """What help says: the meaning, and the first ending of each format."""
        names, meaning = super().get_help_record(ctx) or ("", "")
        firsts = dict.fromkeys(formats.endings().values())
        ends = (next(end for end, name in formats.endings().items() if name == each)
                for each in firsts)
        return names, f"{meaning} {' '.join(ends)}."


class NotationName(TextType):
    """A notation by its name, or a file with one."""

    name = "notation"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name or the path, if it can be one; the file is read with the model's own dims."""
        if value not in NOTATIONS and not str(value).endswith(NOTATION_SUFFIX):
            hint = f"it is one of {', '.join(NOTATIONS)}, or the path of a {NOTATION_SUFFIX} file"
            self.fail(str(UnknownName("notation", str(value), NOTATIONS, hint)), param, ctx)
        return str(value)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """The choices, as help shows them."""
        return "|".join((*NOTATIONS, f"FILE{NOTATION_SUFFIX}"))

    def shell_complete(self, ctx: click.Context, param: click.Parameter,
                       incomplete: str) -> list[CompletionItem]:
        """The names that begin so, and files."""
        return _items(NOTATIONS, incomplete) or _items([incomplete], "", "file")


class DeviceName(TextType):
    """A device by its name, or an amount of memory; completes the names."""

    name = "device"

    def shell_complete(self, ctx: click.Context, param: click.Parameter,
                       incomplete: str) -> list[CompletionItem]:
        """The names that begin so."""
        from symparam.quantities.devices import DEVICES

        return _items(DEVICES, incomplete)


class Width(FractionType):
    """The width of a page's text in cm."""

    name = "cm"

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> Fraction:
        """The number, a decimal one, exactly."""
        text = str(value).removesuffix("cm").strip()
        if not re.fullmatch(r"\d{1,4}(\.\d{1,4})?", text):
            self.fail(f"{value!r} is no width in cm, such as 8.4", param, ctx)
        if not Fraction(text):
            self.fail(f"{value!r} is no width: it must be above 0", param, ctx)
        return Fraction(text)


class OutFile(click.Path):
    """A file to write to."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; an empty text is none."""
        if value == "":
            self.fail("the name of a file is expected, or - for stdout", param, ctx)
        return super().convert(value, param, ctx)


class Beside(click.Path):
    """A file or folder to write beside the answer, which has stdout for itself."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        if value == "-":
            self.fail("- is stdout, where the answer goes; for a file of that name write ./-",
                      param, ctx)
        return super().convert(value, param, ctx)
