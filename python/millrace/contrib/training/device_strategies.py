"""Strategies for the task of each variable, for tf.train.replica_device_setter(ps_strategy=...)."""

import hashlib

import numpy as np

from millrace.framework import dtypes, tensor_shape


class RandomStrategy:
  """A task by a hash of the op's name and `seed`: where it is not changed, every process finds the same."""

  def __init__(self, num_ps_tasks, seed=0):
    self._num_tasks = num_ps_tasks
    self._seed = seed

  def __call__(self, op):
    """Returns the task of an op."""
    digest = hashlib.md5(f"{op.name}_{self._seed}".encode(), usedforsecurity=False).hexdigest()
    return int(digest, 16) % self._num_tasks


class GreedyLoadBalancingStrategy:
  """The task that has the least load so far; `load_fn(op)` says how much an op adds to its."""

  def __init__(self, num_tasks, load_fn):
    self._num_tasks = num_tasks
    self._load_fn = load_fn
    self._ps_loads = np.zeros(num_tasks)

  def __call__(self, op):
    """Returns the task of an op, and counts its load."""
    task = int(np.argmin(self._ps_loads))
    self._ps_loads[task] += self._load_fn(op)
    return task


def byte_size_load_fn(op):
  """The bytes of an op's output, or of a variable. Raises ValueError for several outputs and for shapes that are not known."""
  if len(op.outputs) != 1:
    raise ValueError(f"Op {op} must have a single output")
  output = op.outputs[0]
  if op.type == "VarHandleOp":
    dtype, shape = dtypes.as_dtype(op.get_attr("dtype")), tensor_shape.TensorShape(op.get_attr("shape"))
  else:
    dtype, shape = output.dtype, output.get_shape()
    if not shape.is_fully_defined() and op.type in ("Variable", "VariableV2"):
      shape = tensor_shape.TensorShape(op.get_attr("shape"))
  if not shape.is_fully_defined():
    raise ValueError(f"Op {op.name} has an output whose shape is not fully defined: {shape}")
  return shape.num_elements() * dtype.size
