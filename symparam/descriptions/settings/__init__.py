"""What changes no weight and belongs to a configuration all the same, by one name of our own.

``places`` says what a place in a format is, ``rows`` where each format keeps each meaning and what
holds there where nothing is said, ``carried`` reads and writes by it.
"""
