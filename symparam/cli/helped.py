"""Help of a command: its own options first, then those that commands share, under headings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from symparam.errors import BadValue, UnknownName

OWN = "Options"
#: What commands share, in the order in which help shows it, after a command's own options.
ARCHITECTURE = "Architecture"
SETTING = "What it is run with"
OUTPUT = "Output"
SHARED = (ARCHITECTURE, SETTING, OUTPUT)


class SharedOption(click.Option):
    """An option that several commands have.

    Args:
        heading: the one of :data:`SHARED` under which help shows it.
    """

    def __init__(self, *args: Any, heading: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.heading = heading


class Command(click.Command):
    """A command whose help begins with what is its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read what was typed.

        Raises:
            BadValue: an option has nothing behind it, as where a shell's variable is not set.
        """
        typed = {} if ctx.resilient_parsing else self.make_parser(ctx).parse_args(list(args))[0]
        for option in self.params:
            given = typed.get(option.name or "")
            if isinstance(option, click.Option) and (
                    given == "" or (isinstance(given, list) and "" in given)):
                raise BadValue(option.opts[-1], "nothing", "give it a value, or leave it out")
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by heading; those without one are the command's own."""
        found: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                found.setdefault(self._heading(param), []).append(record)
        for heading in (OWN, *SHARED):
            if heading in found:
                with formatter.section(heading):
                    formatter.write_dl(found[heading])

    def _heading(self, option: click.Option) -> str:
        """Where help shows an option; ``--help``, which click adds, stands last of all."""
        return str(getattr(option, "heading", OWN)) if option in self.params else OUTPUT


class Group(click.Group):
    """A group of commands whose help begins with them."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command that is meant.

        Raises:
            UnknownName: there is none of the name; the nearest are offered.
        """
        if args and self.get_command(ctx, args[0]) is None:
            raise UnknownName("command", args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then the options."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)


#: A decorator that makes a command of a function, as ``click.command`` does.
command = partial(click.command, cls=Command)


def shared(heading: str) -> Callable[..., Callable[[Any], Any]]:
    """What makes options under a heading, as ``click.option`` makes those of one command."""
    return partial(click.option, cls=SharedOption, heading=heading)
