"""The global step: the variable that counts the steps of training."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework import graph as graph_lib

# The collection of a graph with its one tensor of the step that is read by hooks.
_READ_CACHE = "global_step_read_op_cache"


def global_step(sess, global_step_tensor):
  """The value of the step in the session, as an int."""
  return int(sess.run(global_step_tensor))


def get_global_step(graph=None):
  """The variable or tensor of the global step, or None.

  It is the one of the collection GLOBAL_STEP, else what is called "global_step:0". Raises TypeError if it isn't a
  scalar integer.
  """
  graph = graph or tf.get_default_graph()
  found = graph.get_collection(tf.GraphKeys.GLOBAL_STEP)
  if len(found) == 1:
    step = found[0]
  elif not found:
    try:
      step = graph.get_tensor_by_name("global_step:0")
    except KeyError:
      return None
  else:
    tf.logging.error("Multiple tensors in global_step collection.")
    return None
  assert_global_step(step)
  return step


def create_global_step(graph=None):
  """Makes the global step variable, an int64 scalar. Raises ValueError if there is one already."""
  graph = graph or tf.get_default_graph()
  if get_global_step(graph) is not None:
    raise ValueError('"global_step" already exists.')
  with graph.as_default() as g, g.name_scope(None):
    return tf.get_variable(
      tf.GraphKeys.GLOBAL_STEP,
      shape=[],
      dtype=dtypes.int64,
      initializer=tf.zeros_initializer(),
      trainable=False,
      aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA,
      collections=[tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.GLOBAL_STEP],
    )


def get_or_create_global_step(graph=None):
  """The global step, which is made if there is none."""
  graph = graph or tf.get_default_graph()
  step = get_global_step(graph)
  if step is None:
    step = create_global_step(graph)
  return step


def assert_global_step(global_step_tensor):
  """Raises TypeError unless the tensor can be a global step: a scalar of an integer type."""
  is_tensor_like = isinstance(global_step_tensor, (tf.Variable, tf.Tensor)) or hasattr(global_step_tensor, "op")
  if not is_tensor_like:
    raise TypeError(f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.')
  if not global_step_tensor.dtype.base_dtype.is_integer:
    raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}')
  shape = global_step_tensor.get_shape()
  if shape.ndims != 0 and shape.is_fully_defined():
    raise TypeError(f'Existing "global_step" is not scalar: {shape}')


def _get_global_step_read(graph=None):
  """The tensor of the step that hooks fetch, or None."""
  graph = graph or tf.get_default_graph()
  found = graph.get_collection(_READ_CACHE)
  if len(found) > 1:
    raise RuntimeError(f"There are multiple items in collection {_READ_CACHE}. There should be only one.")
  return found[0] if len(found) == 1 else None


def _get_or_create_global_step_read(graph=None):
  """The tensor of the step that hooks fetch; it is made beside the step, with its initial value before it is initialized.

  Returns None if there is no global step.
  """
  graph = graph or tf.get_default_graph()
  read = _get_global_step_read(graph)
  if read is not None:
    return read
  step = get_global_step(graph)
  if step is None:
    return None
  with graph.as_default() as g, g.name_scope(None), g.name_scope(step.op.name + "/"):
    # With no op in between, a fetch of the variable could run after its update.
    value = step.initialized_value() if isinstance(step, tf.Variable) else step
    tensor = value + 0
    tf.add_to_collection(_READ_CACHE, tensor)
  return _get_global_step_read(graph)


def _increment_global_step(increment, graph=None):
  """The op or tensor of the step after `increment` is added. Raises ValueError if there is no step."""
  graph = graph or tf.get_default_graph()
  step = get_global_step(graph)
  if step is None:
    raise ValueError("Global step tensor should be created by tf.train.get_or_create_global_step before calling increment.")
  read = _get_or_create_global_step_read(graph)
  with graph.as_default() as g, g.name_scope(None), g.name_scope(step.op.name + "/"), graph_lib.control_dependencies([read]):
    return tf.assign_add(step, increment)


def write_graph(graph_or_graph_def, logdir, name, as_text=True):
  """Writes the graph as `logdir/name`, as text or bytes; returns the path. Directories are made."""
  import os

  from google.protobuf import text_format

  graph_def = graph_or_graph_def
  if isinstance(graph_def, tf.Graph):
    graph_def = graph_def.as_graph_def()
  if not logdir.startswith("gs:"):
    tf.gfile.MakeDirs(logdir)
  path = os.path.join(logdir, name)
  content = text_format.MessageToString(graph_def) if as_text else graph_def.SerializeToString()
  from millrace.train.saver import files

  files.write_atomically(path, content)
  return path
