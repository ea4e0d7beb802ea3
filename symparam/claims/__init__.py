"""What others say of a model's size, held against what its matrices sum to.

Numbers as they are printed, tables as papers have them, a verdict for each, the smallest changes
that would make a false one true, and what a difference between two totals is made of.
"""
