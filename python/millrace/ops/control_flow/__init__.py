"""Conditionals, loops, dependencies between ops, and arrays of tensors."""
