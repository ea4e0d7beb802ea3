"""Launch scripts of a shell, read and not run: what a program would be handed, what is in doubt.

:mod:`lexer` makes words and :mod:`tree` commands; :mod:`commands` follows single ones, :mod:`run`
what joins them, with the script's own plain variables; nothing else of the machine is looked at.
"""
