"""Small mistakes put into the package one by one: which of them does the everyday suite notice?

    python -m tests.mutants --count 100 --seed 1
"""
