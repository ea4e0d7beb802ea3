"""Launch scripts of a shell, read and not run: what a program would be handed, what is in doubt.

:mod:`lexer` makes words, :mod:`tree` commands, :mod:`run` follows them with the script's own plain
variables; nothing else of the machine is looked at.
"""
