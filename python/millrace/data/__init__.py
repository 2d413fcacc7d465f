"""Data sets and what iterates over them."""
