"""Graphs and what they are made of: types, shapes, errors, tensors, ops, name scopes, conversion of Python's values."""
