"""Reads of the global step that are ordered before or after what else a step reads and computes."""

from millrace.parallel.tensorflow_in_use import tf

# What takes a variable and does not read its value.
_NO_READS = ("Assign", "AssignVariableOp", "IsVariableInitialized", "VarIsInitializedOp", "VariableShape")


def read_step(step, after=(), name=None):
  """An int64 scalar: the global step as it is when all of `after` have ended, read on its device.

  It is a copy. What reads a reference variable may get the variable's own memory, which later updates change.
  """
  api = tf()
  with api.control_dependencies(None), api.device(step.device):
    with api.control_dependencies(list(after)):
      # A cast copies in every case, also where a server would drop an addition of zero; and no step is beyond 2**53.
      copy = api.cast(step.read_value(), api.float64)
      return api.cast(copy, api.int64, name=name)


def on_one_task(device, other):
  """Whether two devices, by their names, are of one task."""
  if device == other:
    return True
  one, two = (tf().DeviceSpec.from_string(name) for name in (device, other))
  return (one.job, one.replica or 0, one.task) == (two.job, two.replica or 0, two.task)


def tie_reads(first, grads_and_vars):
  """Lets the reads of variables that the gradients are computed from begin after the op `first`, where they are on its task.

  A read is what takes a variable's handle or reference: ReadVariableOp, a gather of rows, the identity of a reference
  variable, or the entry of a loop that reads it inside. Those of initializers, and of all else that no gradient needs, stay
  as they are. Returns how many reads were tied.
  """
  handles = {variable.op.name for _, variable in grads_and_vars if on_one_task(variable.device, first.device)}
  tied = 0
  for op in _before([part for gradient, _ in grads_and_vars for part in parts_of(gradient)]):
    if op.type in _NO_READS or not any(tensor.op.name in handles for tensor in op.inputs):
      continue
    op._add_control_input(first)
    tied += 1
  return tied


def parts_of(gradient):
  """The tensors of a gradient, which is a tensor, IndexedSlices or None."""
  if gradient is None:
    return []
  return [gradient.values, gradient.indices] if isinstance(gradient, tf().IndexedSlices) else [gradient]


def _before(tensors):
  """The ops that `tensors` are computed by, each once."""
  pending = [tensor.op for tensor in tensors]
  seen = {op.name for op in pending}
  while pending:
    op = pending.pop()
    yield op
    for tensor in op.inputs:
      if tensor.op.name not in seen:
        seen.add(tensor.op.name)
        pending.append(tensor.op)
