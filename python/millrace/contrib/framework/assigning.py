"""Values for variables, given or from checkpoints: (op, feeds) to run once, or functions of a session."""

import numpy as np

import millrace as tf
from millrace.contrib.framework.finding_variables import get_unique_variable, get_variable_full_name
from millrace.train.saver import reader as readers


def assign_from_values(var_names_to_values):
  """Returns (op, feed_dict) that write arrays to the variables of these names. ValueError for unknown names and other shapes."""
  feed_dict = {}
  assigns = []
  for name, value in var_names_to_values.items():
    if not tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, name):
      raise ValueError(f"Variable {name} wasn't found")
    var = get_unique_variable(name)
    placeholder = tf.placeholder(var.dtype.base_dtype, name="placeholder/" + var.op.name)
    assigns.append(var.assign(placeholder))
    feed_dict[placeholder] = np.reshape(value, var.get_shape().as_list())
  return tf.group(*assigns), feed_dict


def assign_from_values_fn(var_names_to_values):
  """Returns a function of a session that writes arrays to the variables of these names."""
  assign, feed_dict = assign_from_values(var_names_to_values)

  def run(session):
    return session.run(assign, feed_dict)

  return run


def assign_from_checkpoint(model_path, var_list, ignore_missing_vars=False):
  """Returns (op, feed_dict) that write the values of a checkpoint to variables.

  `var_list` is a list, or a dictionary from names in the checkpoint to variables or lists of parts of one. A value of another
  shape with as many elements is reshaped. ValueError for other sizes, and for names that the checkpoint lacks unless they are
  ignored.
  """
  groups = {}
  if isinstance(var_list, dict):
    for name, var in var_list.items():
      groups[name] = list(var) if isinstance(var, (list, tuple)) or not isinstance(var, tf.Variable) else [var]
  else:
    for var in var_list:
      groups.setdefault(get_variable_full_name(var), []).append(var)
  reader = readers.NewCheckpointReader(model_path)
  feed_dict = {}
  assigns = []
  for name, parts in groups.items():
    if not reader.has_tensor(name):
      message = f"Checkpoint is missing variable [{name}]"
      if not ignore_missing_vars:
        raise ValueError(message)
      tf.logging.warning(message)
      continue
    value = reader.get_tensor(name)
    for var in parts:
      placeholder = tf.placeholder(dtype=var.dtype.base_dtype, shape=var.get_shape(), name="placeholder/" + var.op.name)
      assigns.append(var.assign(placeholder))
      feed_dict[placeholder] = _part_of(value, var, name)
  return tf.group(*assigns), feed_dict


def _part_of(value, var, name):
  """Returns the part of a value that a variable holds, in its shape."""
  info = var._save_slice_info
  if info is not None:
    where = tuple(slice(offset, offset + size) for offset, size in zip(info.var_offset, info.var_shape))
    return value[where]
  shape = var.get_shape().as_list()
  if int(np.prod(shape, dtype=np.int64)) != value.size:
    raise ValueError(f"Total size of new array must be unchanged for {name} lh_shape: [{list(value.shape)}], rh_shape: [{shape}]")
  return value.reshape(shape)


def assign_from_checkpoint_fn(model_path, var_list, ignore_missing_vars=False, reshape_variables=False):
  """Returns a function of a session that restores variables from a checkpoint, or None where there is nothing to restore.

  `var_list`: see tf.train.Saver. Variables that the checkpoint lacks are left out with `ignore_missing_vars`; shapes may differ
  with `reshape_variables`. ValueError for an empty list.
  """
  if not var_list:
    raise ValueError("var_list cannot be empty")
  if ignore_missing_vars:
    reader = readers.NewCheckpointReader(model_path)
    named = var_list if isinstance(var_list, dict) else {var.op.name: var for var in var_list}
    var_list = {}
    for name, var in named.items():
      if reader.has_tensor(name):
        var_list[name] = var
      else:
        tf.logging.warning("Variable %s missing in checkpoint %s", name, model_path)
  if not var_list:
    tf.logging.warning("No Variables to restore")
    return None
  saver = tf.train.Saver(var_list, reshape=reshape_variables)

  def restore(session):
    saver.restore(session, model_path)

  return restore
