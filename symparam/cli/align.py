"""``symparam align``."""
import click


@click.command()
def align() -> None:
    """x"""
