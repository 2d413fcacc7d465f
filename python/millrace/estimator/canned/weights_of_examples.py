"""Weights of examples, which are a feature."""

import millrace as tf
from millrace.ops.feature_column.inputs import Inputs
from millrace.ops.feature_column.column import DenseColumn


def checked_column(weight_column):
  """Returns a weight column as a dense column, or None; a name is the key of a number. Raises TypeError for other kinds."""
  if weight_column is None:
    return None
  if isinstance(weight_column, str):
    weight_column = tf.feature_column.numeric_column(key=weight_column, shape=(1,))
  if not isinstance(weight_column, DenseColumn):
    raise TypeError(f"Weight column must be either a string or _DenseColumn. Given type: {type(weight_column)}.")
  return weight_column


def read(features, weight_column, logits, per_logit=False):
  """Returns the weights of examples as floats of a shape that multiplies losses, or 1.0 without a column.

  Logits are [D0, ..., DN, classes], weights [D0, ..., DN, 1] or [D0, ..., DN], and like the logits if `per_logit`.

  Raises:
    TypeError: The column is neither a name nor a dense column.
    ValueError: Weights are no numbers, or their shape is known not to fit.
  """
  if weight_column is None:
    weights = 1.0
    return weights
  column = checked_column(weight_column)
  values = column._get_dense_tensor(Inputs(features))
  if not (values.dtype.is_floating or values.dtype.is_integer):
    raise ValueError(f"Weight column should be castable to float. Given dtype: {values.dtype}")
  return _fitted(tf.cast(values, tf.float32, name="weights"), logits, per_logit)


def _fitted(weights, logits, per_logit):
  known, of_logits = weights.get_shape(), logits.get_shape()
  with tf.name_scope(None, "weights", [weights, logits]) as scope:
    shape = tf.shape(weights, name="weights_shape")
    logits_shape = tf.shape(logits, name="logits_shape")
    if known.ndims is None or of_logits.ndims is None or known.ndims == of_logits.ndims:
      return _checked(weights, shape, logits_shape, per_logit, scope)
    # Weights of one dimension less: one for each example.
    if of_logits.ndims - known.ndims == 1:
      with tf.control_dependencies([_equal(logits_shape[:-1], shape, shape, logits_shape)]):
        return tf.expand_dims(weights, -1, name=scope)
    return _checked(weights, shape, logits_shape, per_logit, scope)


def _checked(weights, shape, logits_shape, per_logit, scope):
  expected = tf.concat([logits_shape[:-1], [1]], axis=0)
  if per_logit:
    fits = tf.logical_or(_same(expected, shape), _same(logits_shape, shape))
    check = tf.Assert(fits, [_WORDS_PER_LOGIT, "weights_shape: ", shape, "logits_shape: ", logits_shape])
  else:
    check = _equal(expected, shape, shape, logits_shape)
  with tf.control_dependencies([check]):
    return tf.identity(weights, name=scope)


_WORDS_PER_LOGIT = "weights shape must be [D0, D1, ... DN], [D0, D1, ... DN, 1] or [D0, D1, ... DN, logits_dimension]"


def _same(one, two):
  return tf.reduce_all(tf.equal(one, two))


def _equal(expected, actual, shape, logits_shape):
  return tf.assert_equal(
    expected,
    actual,
    message="weights shape must be [D0, D1, ... DN] or [D0, D1, ... DN, 1]",
    data=["weights_shape: ", shape, "logits_shape: ", logits_shape],
  )
