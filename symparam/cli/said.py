"""What is said on stderr, beside an answer that is as good where nobody can be told."""

from __future__ import annotations

import sys

import click

from symparam.files.streams import discard


def say(text: str, nl: bool = True) -> None:
    """Say something on stderr; where that cannot be written, no more is tried."""
    try:
        click.echo(text, err=True, nl=nl)
    except OSError:
        discard(sys.stderr)
