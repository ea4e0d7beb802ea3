"""``python -m symparam``."""

from symparam.cli.start import main

main()
