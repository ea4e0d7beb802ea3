"""Quantities: named views of the ledger, over any kind of number."""
