"""Checks of values, shapes and types."""
