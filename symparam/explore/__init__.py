"""A model as data that another program can count with, and a page in which it is changed.

What is handed out is what is there already: quantities as shares over trees, equations and checks
as text of the closed grammar, the lines of the derivation with what each of them holds under.
"""
