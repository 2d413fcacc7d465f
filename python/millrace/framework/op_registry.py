"""The registry of ops as libraries look through it: messages of the schemas, by type."""

import collections.abc

from millrace.framework import op_defs


def get(name):
  """The OpDef message of an op, or None for a type that is not known."""
  return op_defs.proto(name) if op_defs.has(name) else None


class _Registered(collections.abc.Mapping):
  """The OpDef messages of all ops by type, each made when it is looked up."""

  def __getitem__(self, name):
    found = get(name)
    if found is None:
      raise KeyError(name)
    return found

  def __iter__(self):
    return iter(op_defs.names())

  def __len__(self):
    return len(op_defs.names())


def get_registered_ops():
  return _Registered()


def register_op_list(op_list):
  """Does nothing for ops that are there. Raises ValueError for another one: only the runtime has ops."""
  for op_def in op_list.op:
    if not op_defs.has(op_def.name):
      raise ValueError(f"Op {op_def.name} is not one of Millrace's, and ops cannot be added from Python.")


def sync():
  """Does nothing: what the runtime has is in the registry."""
