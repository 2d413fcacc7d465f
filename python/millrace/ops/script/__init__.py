"""Functions of Python as ops."""
