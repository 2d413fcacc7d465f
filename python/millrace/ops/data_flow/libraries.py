"""Loading of shared libraries with ops and file systems, which this runtime does not do."""

__all__ = ["load_file_system_library", "load_library", "load_op_library"]


def _refuse(what, name):
  from millrace.framework import errors

  raise errors.UnimplementedError(
    None,
    None,
    "%s: Millrace does not load libraries made for TensorFlow. Ops are declared in millrace/ops and built in; a file system is "
    "mounted; small functions run by tf.py_func." % (name or what),
  )


def load_op_library(library_filename):
  """Raises UnimplementedError: libraries of ops made for TensorFlow cannot be loaded."""
  _refuse("load_op_library", library_filename)


def load_file_system_library(library_filename):
  """Raises UnimplementedError: libraries of file systems made for TensorFlow cannot be loaded."""
  _refuse("load_file_system_library", library_filename)


def load_library(library_location):
  """Raises UnimplementedError: libraries made for TensorFlow cannot be loaded."""
  _refuse("load_library", library_location)
