"""The entry point: commands, and every error as one line on stderr with exit code 2."""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module
from typing import Any

import click

from symparam import __version__
from symparam.begun import INTERRUPTED
from symparam.cli.helped import Group
from symparam.cli.said import say
from symparam.dims import COMMON, TOTAL
from symparam.errors import FileError, SymparamError
from symparam.files.reading import noting
from symparam.files.streams import discard, nowhere, whole
from symparam.showable import line

#: Each command with what it is for, by which it is known before it is loaded.
COMMANDS = {
    "derive": "Derive a parameter count, every step proved.",
    "count": "Count parameters to the last one.",
    "solve": "Find configurations with a number of parameters.",
    "sensitivity": "How the count changes with the dims.",
    "compare": "Models side by side, in anything that can be asked.",
    "cost": "Memory, cache, FLOPs, training and data.",
    "sweep": "Quantities over a grid of dims, to CSV, JSON lines or Parquet.",
    "plot": "Pictures: svg, png, pdf, pgf; each with its table.",
    "explore": "A page in which a model's numbers are changed.",
    "align": "Head configurations of a width; hardware alignment.",
    "check": "A model against a checkpoint; printed sizes, tables of them.",
    "diff": "What changes between two architectures, term by term.",
    "trace": "The ledger of any PyTorch module, with what it rests on.",
    "convert": "A configuration as another framework writes it.",
    "bundle": "A folder for a paper: fragments, macros, bibliography, figures.",
    "docs": "Marked blocks of Markdown and TeX files, kept true.",
    "models": "List the published models.",
    "components": "List the components.",
}
#: Their modules, where the name is another one.
MODULES = {"models": "catalogue", "components": "catalogue"}

EPILOG = """\b
symparam derive --ffn swiglu --latex
symparam count gpt2
symparam solve P=7e9 L=32

MODEL is a name (see 'symparam models'), org/name[@revision] of a hub or its address, a config.json
or a folder with one, a .gguf file, a TOML or JSON description, or - for either of them on standard
input. KEY is a symbol (V L d_model n_heads d_head n_kv d_ff n_ctx) or an alias; VALUE is an exact
number (7e9, 6.7B, 2**16, 128Ki) or an expression (d_ff=4*d_model)."""


#: What people write with two dashes before it, though it is KEY=VALUE.
DIM_NAMES = {dim.name for dim in (*COMMON, TOTAL)}

#: Options of other commands, with what is to be written where a command has not got them.
INSTEAD = {"--quantity": "one alone is 'symparam derive MODEL --quantity NAME', and sought by "
                         "'symparam solve MODEL --target NAME=NUMBER'",
           "--align": "solve takes multiples by --multiple d_model=256 (its usual widths are ones "
                      "of 128), and 'symparam align MODEL' shows those of a model"}

#: By this a shell asks for completions.
COMPLETION = "_SYMPARAM_COMPLETE"

#: No message needs to be longer.
LONGEST = 400


class Interrupted(Exception):
    """Ctrl-C, kept from click, which would add a line of its own."""


class Commands(Group):
    """The commands, in the order in which a newcomer meets them."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            with noting():
                return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise Interrupted(*error.args) from None

    def make_context(self, *given: Any, **settings: Any) -> click.Context:
        """Read the command line as far as the command."""
        try:
            return super().make_context(*given, **settings)
        except KeyboardInterrupt as error:
            raise Interrupted(*error.args) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each is for; none is loaded for that."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name; None when there is none."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"symparam.cli.commands.{MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, cmd_name)
        return command


@click.group(cls=Commands, epilog=EPILOG, invoke_without_command=True,
             subcommand_metavar="COMMAND [ARGS]...",
             context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 96})
@click.version_option(__version__, prog_name="symparam")
@click.pass_context
def cli(ctx: click.Context) -> int:
    """Transformer parameter counts: derived symbolically, counted exactly, solved for."""
    if ctx.invoked_subcommand is not None:
        return 0
    click.echo(ctx.get_help(), err=True)
    return 2


#: What click raises for a group without a command; older ones print the help themselves.
_NO_ARGUMENTS: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())


def main() -> None:
    """As :func:`symparam.cli.start.main`, which begins before this is loaded."""
    sys.exit(run())


def run(arguments: list[str] | None = None) -> int:
    """Run a command line; the exit code."""
    _open_streams()
    try:
        result: Any = cli.main(arguments, prog_name="symparam", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.NoSuchOption as error:
        if error.option_name in INSTEAD:
            return _fail(f"{error.message.rstrip('.')}; {INSTEAD[error.option_name]}")
        name = error.option_name.lstrip("-").replace("-", "_")
        hint = f"; a dim is written {name}=..." if name in DIM_NAMES else ""
        return _fail(error.format_message().rstrip(".") + hint)
    except _NO_ARGUMENTS as error:  # (its message is the whole help of the group)
        own = error.ctx.command
        return _fail(f"{own.name} needs a command: {', '.join(own.list_commands(error.ctx))}")
    except click.ClickException as error:
        return _fail(error.format_message())
    except SymparamError as error:
        return _fail(str(error))
    except (Interrupted, KeyboardInterrupt, click.Abort) as error:
        _fail("; ".join(["interrupted", *map(str, error.args)]))
        return INTERRUPTED
    except BrokenPipeError:
        discard(sys.stdout)
        return 0
    except SystemExit:  # what click makes of a reader that is gone, and of nothing else here
        discard(sys.stdout)
        return 0
    except OSError as error:
        discard(sys.stdout)
        if isinstance(error.filename, (str, bytes)):
            return _fail(str(FileError(os.fsdecode(error.filename),
                                       f"cannot be reached: {error.strerror}")))
        return _fail(f"the output cannot be written: {error.strerror or error}")
    except (KeyError, ValueError):
        if COMPLETION not in os.environ:
            raise
        return _fail(f"{COMPLETION} is for shells, which also say COMP_WORDS and COMP_CWORD")
    except (RecursionError, MemoryError):
        return _fail("the input is too large or too deeply nested to work on")


def _open_streams() -> None:
    """Make the output take any character, shown as well as its encoding can."""
    if sys.stdout is None:
        sys.stdout = nowhere()
        raise SystemExit(_fail("the output cannot be written: stdout is closed"))
    sys.stdout = whole(sys.stdout)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _fail(message: str) -> int:
    said = line(" ".join(message.split()))
    said = said if len(said) <= LONGEST else f"{said[:LONGEST - 3]}..."
    say(f"symparam: {said}")  # where that cannot be read, the exit code says that it is wrong
    return 2
