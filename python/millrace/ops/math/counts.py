"""How often values occur: counts, histograms, confusion matrices."""

import millrace as tf
from millrace import gen
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.ops.math.casts import cast
from millrace.ops.math.dispatch import other


@other
def bincount(arr, weights=None, minlength=None, maxlength=None, dtype=dtypes.int32):
  """How often each number from 0 to the largest occurs in a tensor of int32 or int64.

  With `weights` (of arr's shape) their sums, of their type. The result has at least `minlength` and at most `maxlength`
  elements; larger numbers are not counted.
  """
  with name_scope(None, "bincount", [arr, weights]):
    arr = convert_to_tensor(arr, name="arr")
    if weights is not None:
      weights = convert_to_tensor(weights, name="weights")
    is_nonempty = cast(tf.size(arr) > 0, arr.dtype)
    length = is_nonempty * (tf.reduce_max(arr) + 1)
    if minlength is not None:
      length = gen.maximum(convert_to_tensor(minlength, dtype=arr.dtype, name="minlength"), length)
    if maxlength is not None:
      length = gen.minimum(convert_to_tensor(maxlength, dtype=arr.dtype, name="maxlength"), length)
    if weights is not None:
      weights = tf.reshape(weights, [-1])
      return gen.dense_bincount(tf.reshape(arr, [-1]), length, weights)
    return gen.dense_bincount(tf.reshape(arr, [-1]), length, tf.constant([], dtype=dtype))


def histogram_fixed_width(values, value_range, nbins=100, dtype=dtypes.int32, name=None):
  """How many values are in each of `nbins` bins of equal width; the first and last take what is outside of `value_range`."""
  with name_scope(name, "histogram_fixed_width", [values, value_range, nbins]) as scope:
    return gen.histogram_fixed_width(values, value_range, nbins, dtype=dtype, name=scope)


def histogram_fixed_width_bins(values, value_range, nbins=100, dtype=dtypes.int32, name=None):
  """The number of the bin of `histogram_fixed_width` that each value is in."""
  with name_scope(name, "histogram_fixed_width_bins", [values, value_range, nbins]):
    values = convert_to_tensor(values, name="values")
    shape = tf.shape(values)
    values = tf.reshape(values, [-1])
    value_range = convert_to_tensor(value_range, name="value_range")
    nbins = convert_to_tensor(nbins, dtype=dtypes.int32, name="nbins")
    check = tf.Assert(gen.greater(nbins, 0), [f"nbins {nbins} must > 0"])
    from millrace.ops.control_flow.basics import with_dependencies

    nbins = with_dependencies([check], nbins)
    bins = cast(nbins, values.dtype)
    # The place of a value between the limits, from 0 to 1.
    scaled = tf.truediv(values - value_range[0], value_range[1] - value_range[0], name="scaled_values")
    indices = gen.floor(bins * scaled, name="indices")
    indices = cast(tf.clip_by_value(indices, 0, bins - 1), dtypes.int32)
    return tf.reshape(indices, shape)


def confusion_matrix(labels, predictions, num_classes=None, dtype=dtypes.int32, name=None, weights=None):
  """Counts by label (row) and prediction (column), or sums of `weights`, as `dtype`.

  `num_classes` is the number of rows and columns; without it, one more than the largest number that occurs.

  Raises:
    InvalidArgumentError: when it runs, for negative numbers and those that are not below `num_classes`.
  """
  from millrace.ops.control_flow.basics import with_dependencies

  with name_scope(name, "confusion_matrix", (predictions, labels, num_classes, weights)):
    labels, predictions = remove_squeezable_dimensions(
      convert_to_tensor(labels, name="labels"), convert_to_tensor(predictions, name="predictions")
    )
    predictions = cast(predictions, dtypes.int64)
    labels = cast(labels, dtypes.int64)
    labels = with_dependencies([tf.assert_non_negative(labels, message="`labels` contains negative values")], labels)
    predictions = with_dependencies(
      [tf.assert_non_negative(predictions, message="`predictions` contains negative values")], predictions
    )
    if num_classes is None:
      num_classes = gen.maximum(tf.reduce_max(predictions), tf.reduce_max(labels)) + 1
    else:
      limit = cast(num_classes, dtypes.int64)
      labels = with_dependencies([tf.assert_less(labels, limit, message="`labels` out of bound")], labels)
      predictions = with_dependencies([tf.assert_less(predictions, limit, message="`predictions` out of bound")], predictions)
    if weights is not None:
      weights = convert_to_tensor(weights, name="weights")
      predictions.get_shape().assert_is_compatible_with(weights.get_shape())
      weights = cast(weights, dtype)
    shape = tf.stack([num_classes, num_classes])
    indices = tf.stack([labels, predictions], axis=1)
    values = tf.ones_like(predictions, dtype) if weights is None else weights
    return gen.scatter_nd(indices, values, cast(shape, dtypes.int64))


def remove_squeezable_dimensions(labels, predictions, expected_rank_diff=0, name=None):
  """The two tensors, one without its last dimension of size 1 if it has that one more than expected.

  `expected_rank_diff` is how many dimensions more the predictions should have.
  """
  with name_scope(name, "remove_squeezable_dimensions", [labels, predictions]):
    predictions = convert_to_tensor(predictions)
    labels = convert_to_tensor(labels)
    predictions_rank = predictions.get_shape().ndims
    labels_rank = labels.get_shape().ndims
    if predictions_rank is not None and labels_rank is not None:
      difference = predictions_rank - labels_rank
      if difference == expected_rank_diff + 1 and predictions.get_shape().dims[-1].is_compatible_with(1):
        predictions = tf.squeeze(predictions, [-1])
      elif difference == expected_rank_diff - 1 and labels.get_shape().dims[-1].is_compatible_with(1):
        labels = tf.squeeze(labels, [-1])
      return labels, predictions
    difference = tf.rank(predictions) - tf.rank(labels)
    if predictions_rank is None or predictions.get_shape().dims[-1].is_compatible_with(1):
      is_longer = tf.equal(expected_rank_diff + 1, difference)
      predictions = tf.cond(is_longer, lambda: tf.squeeze(predictions, [-1]), lambda: predictions)
    if labels_rank is None or labels.get_shape().dims[-1].is_compatible_with(1):
      is_longer = tf.equal(expected_rank_diff - 1, difference)
      labels = tf.cond(is_longer, lambda: tf.squeeze(labels, [-1]), lambda: labels)
    return labels, predictions
