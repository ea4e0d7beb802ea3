"""``python -m symparam``."""

from symparam.cli.main import main

main()
