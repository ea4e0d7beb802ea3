"""How much is said."""

from __future__ import annotations

verbosity = ["warning"]


def set_verbosity_error() -> None:
    """Say errors only."""
    verbosity.append("error")
