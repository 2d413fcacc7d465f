"""Whole files read, written and found by ops."""

from millrace import gen


def read_file(filename, name=None):
  """Returns the content of a file."""
  return gen.read_file(filename, name=name)


def write_file(filename, contents, name=None):
  """Returns an op that writes a file, and the folders above it."""
  return gen.write_file(filename, contents, name=name)


def matching_files(pattern, name=None):
  """Returns the names of files that match a pattern, or any of several, in order."""
  return gen.matching_files(pattern, name=name)
