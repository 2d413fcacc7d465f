"""What tf.contrib.summary records: scalars, histograms, images, audio, tensors, graphs and events."""

import millrace as tf
from millrace import gen
from millrace.contrib.summary import writers
from millrace.summary import summary_ops


def _write(name, tensor, function, family=None):
  """Returns an op that writes by `function(tag, scope)` if summaries are recorded; its value says whether it did.

  Without a default writer it does nothing.
  """
  scope_around = tf.get_default_graph().get_name_scope()
  scope_around = scope_around + "/" if scope_around else scope_around

  def record():
    with (
      tf.name_scope(scope_around),
      summary_ops.summary_scope(name, family, values=[tensor]) as (tag, scope),
      tf.control_dependencies([function(tag, scope)]),
    ):
      return tf.constant(True)

  if writers.state.writer is None:
    return tf.no_op()
  with tf.device("cpu:0"):
    recorded = writers.should_record_summaries()
    if isinstance(recorded, bool):
      op = record() if recorded else tf.constant(False)
    else:
      op = tf.cond(recorded, record, lambda: tf.constant(False), name="")
    tf.add_to_collection(writers._SUMMARIES, op)
  return op


def _resource():
  return writers.state.writer._resource


def _step(step):
  if step is None:
    return tf.train.get_or_create_global_step()
  return step if isinstance(step, tf.Tensor) else tf.convert_to_tensor(step, tf.int64)


def scalar(name, tensor, family=None, step=None):
  """Writes a scalar at a step, by default the global one."""

  def function(tag, scope):
    return gen.write_scalar_summary(_resource(), _step(step), tag, tf.identity(tensor), name=scope)

  return _write(name, tensor, function, family=family)


def histogram(name, tensor, family=None, step=None):
  """Writes a histogram of a tensor's values."""

  def function(tag, scope):
    return gen.write_histogram_summary(_resource(), _step(step), tag, tf.identity(tensor), name=scope)

  return _write(name, tensor, function, family=family)


def image(name, tensor, bad_color=None, max_images=3, family=None, step=None):
  """Writes at most `max_images` images of a batch [images, height, width, channels].

  Pixels that are no numbers get `bad_color`, four bytes, by default red.
  """

  def function(tag, scope):
    color = tf.constant([255, 0, 0, 255], tf.uint8) if bad_color is None else bad_color
    return gen.write_image_summary(_resource(), _step(step), tag, tf.identity(tensor), color, max_images=max_images, name=scope)

  return _write(name, tensor, function, family=family)


def audio(name, tensor, sample_rate, max_outputs, family=None, step=None):
  """Writes at most `max_outputs` sounds of a batch [sounds, frames, channels] of numbers from -1 to 1; `sample_rate` in Hz."""

  def function(tag, scope):
    return gen.write_audio_summary(
      _resource(), _step(step), tag, tf.identity(tensor), sample_rate=sample_rate, max_outputs=max_outputs, name=scope
    )

  return _write(name, tensor, function, family=family)


def generic(name, tensor, metadata=None, family=None, step=None):
  """Writes a tensor of any type; `metadata`, a SummaryMetadata or its bytes, says which plugin of TensorBoard reads it."""

  def function(tag, scope):
    if metadata is None:
      serialized = tf.constant("")
    elif hasattr(metadata, "SerializeToString"):
      serialized = tf.constant(metadata.SerializeToString())
    else:
      serialized = metadata
    return gen.write_summary(_resource(), _step(step), tf.identity(tensor), tag, serialized, name=scope)

  return _write(name, tensor, function, family=family)


def graph(param, step=None, name=None):
  """Writes a graph: a string scalar, which is a serialized GraphDef. Raises TypeError for something else."""
  if not isinstance(param, tf.Tensor):
    raise TypeError(
      "graph() needs a argument `param` to be tf.Tensor (e.g. tf.placeholder) in graph mode, but received "
      f"param={param} of type {type(param).__name__}."
    )
  if param.dtype != tf.string:
    raise TypeError("graph() needs a tensor of strings")
  return write_graph(param, step, name)


def write_graph(param, step=None, name=None):
  """Writes a serialized GraphDef, whether or not summaries are recorded."""
  if writers.state.writer is None:
    return tf.no_op()
  with tf.device("cpu:0"):
    return gen.write_graph_summary(_resource(), _step(step), param, name=name)


def serialized_graph(arbitrary_graph):
  """Returns the bytes of a Graph (with shapes) or of a GraphDef."""
  if isinstance(arbitrary_graph, tf.Graph):
    return arbitrary_graph.as_graph_def(add_shapes=True).SerializeToString()
  return arbitrary_graph.SerializeToString()


def import_event(tensor, name=None):
  """Writes a serialized Event, a string scalar."""
  return gen.import_event(_resource(), tensor, name=name)
