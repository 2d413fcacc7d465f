"""Data sets from local files."""
