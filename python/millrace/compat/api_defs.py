"""The schemas of all ops by their names, as tools that convert graphs look them up."""

from millrace.framework import op_defs


class ApiDefMap:
  """`op_names()` are the names of all ops, `get_op_def(name)` is the schema of one."""

  def op_names(self):
    """Returns the names of all ops."""
    return op_defs.names()

  def get_op_def(self, op_name):
    """Returns the schema of an op as a message. Raises ValueError for an unknown one."""
    if not op_defs.has(op_name):
      raise ValueError(f"No entry found for {op_name}.")
    return op_defs.proto(op_name)
