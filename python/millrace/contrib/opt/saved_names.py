"""What a saver would save, by the names in the checkpoint, for savers that save other variables in their places."""

import millrace as tf
from millrace.train.saver import saveable


def variables_by_saved_name(var_list):
  """A map of names to variables, or to lists of the parts of one, for what tf.train.Saver takes as its `var_list`."""
  if isinstance(var_list, dict):
    found = var_list
  else:
    own = {v.op.name: v for v in var_list if isinstance(v, tf.Variable)}
    found = {key: own.get(key, v) for key, v in saveable.op_list_to_dict(var_list).items()}
  return {key: v if isinstance(v, (tf.Variable, tf.Tensor)) else _parts(v) for key, v in found.items()}


def _parts(v):
  return list(v) if hasattr(v, "__iter__") else v


def replaced(by_name, replacement_of):
  """The map with what `replacement_of` returns for each variable and each part."""
  return {key: [replacement_of(part) for part in v] if isinstance(v, list) else replacement_of(v) for key, v in by_name.items()}
