"""``symparam solve``."""
import click


@click.command()
def solve() -> None:
    """x"""
