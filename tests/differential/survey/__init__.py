"""Model types of transformers, traced one by one, and held against what is built.

``python -m tests.differential.survey OUT.jsonl [TYPE ...]`` goes over every model type of the
transformers that is installed, in an order by their hashes: wherever it is stopped, what it has
done is a fair sample. What OUT has already is left out. ``--help`` says the rest.
"""
