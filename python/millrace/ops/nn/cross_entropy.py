"""Cross entropies between labels and logits: losses of classifiers, one for each example."""

import millrace as tf
from millrace import gen
from millrace.framework import convert, dtypes
from millrace.framework import graph as ops
from millrace.framework.deprecation import deprecated_argument_lookup

# Types whose losses are computed as float32.
_HALVES = (dtypes.float16, dtypes.bfloat16)


def _check_arguments(function, sentinel, labels, logits):
  """Raises ValueError for arguments by position, which were in another order once, and for missing ones."""
  if sentinel is not None:
    raise ValueError(f"Only call `{function}` with named arguments (labels=..., logits=..., ...)")
  if labels is None or logits is None:
    raise ValueError(f"Both `labels` and `logits` must be provided for {function}Received: labels={labels} and logits={logits}")


def softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, dim=-1, name=None, axis=None):
  """Returns the cross entropy of softmax(logits) and the distributions `labels`, to which no gradient goes.

  The classes are along `dim`, or along `axis` where `dim` is None: ValueError where both say something.
  """
  dim = deprecated_argument_lookup("axis", axis, "dim", dim)
  _check_arguments("softmax_cross_entropy_with_logits", _sentinel, labels, logits)
  with ops.name_scope(name, "softmax_cross_entropy_with_logits_sg", [logits, labels]) as scope:
    labels = tf.stop_gradient(labels, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, axis=dim, name=scope)


def softmax_cross_entropy_with_logits_v2(labels, logits, axis=None, name=None, dim=None):
  """Returns the cross entropy of softmax(logits) and the distributions `labels` along `axis`, by default the last.

  The shape is that of the logits without `axis`. Gradients go to both.
  """
  axis = deprecated_argument_lookup("axis", axis, "dim", dim)
  if axis is None:
    axis = -1
  _check_arguments("softmax_cross_entropy_with_logits", None, labels, logits)
  with ops.name_scope(name, "softmax_cross_entropy_with_logits", [logits, labels]) as scope:
    logits = convert.convert_to_tensor(logits, name="logits")
    labels = convert.convert_to_tensor(labels, name="labels")
    half = logits.dtype in _HALVES
    precise = tf.cast(logits, dtypes.float32) if half else logits
    labels = tf.cast(labels, precise.dtype)
    rank = tf.rank(precise)
    shape = logits.get_shape()
    if axis != -1:
      precise = _moved_to_end(precise, axis, rank)
      labels = _moved_to_end(labels, axis, rank)
    input_shape = tf.shape(precise)
    precise = _as_matrix(precise)
    labels = _as_matrix(labels)
    cost = gen.softmax_cross_entropy_with_logits(precise, labels, name=scope)[0]
    cost = tf.reshape(cost, tf.slice(input_shape, [0], [tf.subtract(rank, 1)]))
    if shape.ndims is not None:
      static = shape.as_list()
      del static[axis]
      cost.set_shape(static)
    return tf.cast(cost, logits.dtype) if half else cost


def _moved_to_end(tensor, axis, rank):
  return tf.transpose(tensor, tf.concat([tf.range(axis), tf.range(axis + 1, rank), [axis]], 0))


def _as_matrix(tensor):
  """Returns the tensor with all dimensions but the last as one."""
  rank = tf.rank(tensor)
  last = tf.slice(tf.shape(tensor), [tf.subtract(rank, 1)], [1])
  result = tf.reshape(tensor, tf.concat([[-1], last], 0))
  static = tensor.get_shape()
  if static.ndims:
    rows = 1
    for size in static.as_list()[:-1]:
      rows = None if rows is None or size is None else rows * size
    result.set_shape([rows, static.as_list()[-1]])
  return result


def sparse_softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
  """Returns the cross entropy of softmax(logits) and the class numbers `labels`, which have one dimension less.

  A label that is no class gives NaN or an error. Raises ValueError where the shapes do not fit.
  """
  _check_arguments("sparse_softmax_cross_entropy_with_logits", _sentinel, labels, logits)
  with ops.name_scope(name, "SparseSoftmaxCrossEntropyWithLogits", [labels, logits]):
    labels = convert.convert_to_tensor(labels)
    logits = convert.convert_to_tensor(logits)
    half = logits.dtype in _HALVES
    precise = tf.cast(logits, dtypes.float32) if half else logits
    labels_static = labels.get_shape()
    labels_shape = tf.shape(labels)
    known = _check_shapes(labels, logits)
    if logits.get_shape().ndims == 2:
      cost = gen.sparse_softmax_cross_entropy_with_logits(precise, labels, name=name)[0]
      return tf.cast(cost, logits.dtype) if half else cost
    checks = []
    if not known:
      checks.append(tf.assert_equal(tf.shape(labels), tf.shape(logits)[:-1]))
    with ops.control_dependencies(checks):
      classes = tf.shape(logits)[tf.rank(logits) - 1]
      precise = tf.reshape(precise, [-1, classes])
      labels = tf.reshape(labels, [-1])
      cost = gen.sparse_softmax_cross_entropy_with_logits(precise, labels, name=name)[0]
      cost = tf.reshape(cost, labels_shape)
      cost.set_shape(labels_static)
      return tf.cast(cost, logits.dtype) if half else cost


def _check_shapes(labels, logits):
  """Raises ValueError where the labels cannot be those of the logits. Returns whether both shapes are known."""
  label_shape, shape = labels.get_shape(), logits.get_shape()
  known = label_shape.is_fully_defined() and shape.ndims is not None and shape[:-1].is_fully_defined()
  if shape.ndims == 0:
    raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}`")
  if shape.ndims is not None and label_shape.ndims is not None and label_shape.ndims != shape.ndims - 1:
    raise ValueError(
      f"`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape={label_shape} of rank {label_shape.ndims} "
      f"and logits.shape={shape} of rank {shape.ndims}"
    )
  if known and label_shape != shape[:-1]:
    raise ValueError(
      "`labels.shape` must equal `logits.shape` except for the last dimension. "
      f"Received: labels.shape={label_shape} and logits.shape={shape}"
    )
  return known


def _check_same_shape(labels, logits):
  try:
    labels.get_shape().merge_with(logits.get_shape())
  except ValueError:
    raise ValueError(
      f"`logits` and `labels` must have the same shape, received ({logits.get_shape()} vs {labels.get_shape()})."
    ) from None


def sigmoid_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
  """Returns the cross entropy of sigmoid(logits) and the probabilities `labels`, element by element."""
  _check_arguments("sigmoid_cross_entropy_with_logits", _sentinel, labels, logits)
  with ops.name_scope(name, "logistic_loss", [logits, labels]) as scope:
    logits = convert.convert_to_tensor(logits, name="logits")
    labels = convert.convert_to_tensor(labels, name="labels")
    _check_same_shape(labels, logits)
    # max(x, 0) - x * z + log(1 + exp(-|x|)), where nothing overflows.
    zeros = tf.zeros_like(logits, dtype=logits.dtype)
    positive = logits >= zeros
    relu = tf.where(positive, logits, zeros)
    negative_abs = tf.where(positive, -logits, logits)
    return tf.add(relu - logits * labels, gen.log1p(gen.exp(negative_abs)), name=scope)


def weighted_cross_entropy_with_logits(labels=None, logits=None, pos_weight=None, name=None, targets=None):
  """Returns sigmoid_cross_entropy_with_logits with the loss of positive labels times `pos_weight`."""
  labels = deprecated_argument_lookup("labels", labels, "targets", targets)
  with ops.name_scope(name, "logistic_loss", [logits, labels]) as scope:
    logits = convert.convert_to_tensor(logits, name="logits")
    labels = convert.convert_to_tensor(labels, name="labels")
    _check_same_shape(labels, logits)
    weight = 1 + (pos_weight - 1) * labels
    return tf.add((1 - labels) * logits, weight * (gen.log1p(gen.exp(-tf.abs(logits))) + gen.relu(-logits)), name=scope)
