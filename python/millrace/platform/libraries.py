"""tf.load_library and others: libraries of ops that were compiled for TensorFlow. There is no interface that they could use here."""

import errno
import os

from millrace.framework import errors


def _refuse(path, what):
  """Raises NotFoundError if the file is not there, as TensorFlow does, otherwise an UnimplementedError that says what to do."""
  path = os.fspath(path)
  if not os.path.exists(path):
    raise errors.NotFoundError(None, None, "%s: cannot open shared object file: No such file or directory" % path)
  raise errors.UnimplementedError(
    None,
    None,
    "%s of %s: Millrace does not load what was compiled for TensorFlow; write it with ops, or as tf.py_func" % (what, path),
  )


def load_op_library(library_filename):
  """Always raises an error: ops of libraries compiled for TensorFlow cannot be used."""
  _refuse(library_filename, "ops")


def load_library(library_location):
  """Always raises an error, as load_op_library; for a folder, of its first library."""
  location = os.fspath(library_location)
  if not os.path.exists(location):
    raise FileNotFoundError(errno.ENOENT, "The file or folder to load kernel libraries from does not exist.", location)
  if os.path.isdir(location):
    found = sorted(name for name in os.listdir(location) if name.endswith(".so"))
    if not found:
      return
    location = os.path.join(location, found[0])
  _refuse(location, "ops")


def load_file_system_library(library_filename):
  """Always raises an error: file systems of libraries compiled for TensorFlow cannot be used."""
  _refuse(library_filename, "file systems")
