"""Reductions of rows that belong together."""

import millrace as tf
from millrace import gen
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.ops.math.dispatch import other

segment_max = gen.segment_max
segment_mean = gen.segment_mean
segment_min = gen.segment_min
segment_prod = gen.segment_prod
segment_sum = gen.segment_sum
unsorted_segment_max = other(gen.unsorted_segment_max)
unsorted_segment_min = other(gen.unsorted_segment_min)
unsorted_segment_prod = other(gen.unsorted_segment_prod)
unsorted_segment_sum = other(gen.unsorted_segment_sum)


@other
def unsorted_segment_mean(data, segment_ids, num_segments, name=None):
  """The mean of the rows of each segment, 0 where it has none; rows with a negative number count nowhere."""
  with name_scope(name, "UnsortedSegmentMean"):
    data = convert_to_tensor(data)
    segment_ids = convert_to_tensor(segment_ids)
    count = _counts(data, segment_ids, num_segments)
    return gen.unsorted_segment_sum(data, segment_ids, num_segments) / count


@other
def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None):
  """The sum of the rows of each segment divided by the square root of their number, 0 where it has none."""
  with name_scope(name, "UnsortedSegmentSqrtN"):
    data = convert_to_tensor(data)
    segment_ids = convert_to_tensor(segment_ids)
    count = _counts(data, segment_ids, num_segments)
    return gen.unsorted_segment_sum(data, segment_ids, num_segments) / gen.sqrt(count)


def _counts(data, segment_ids, num_segments):
  """How many rows each segment has, at least 1, with as many dimensions as the segments' reductions."""
  num_segments = convert_to_tensor(num_segments)
  ones = tf.ones(_shape_of(segment_ids), dtype=data.dtype)
  count = gen.unsorted_segment_sum(ones, segment_ids, num_segments)
  rows = num_segments[tf.newaxis]
  extra = tf.ones([tf.rank(data) - tf.rank(segment_ids)], dtype=num_segments.dtype)
  count = tf.reshape(count, tf.concat([rows, extra], axis=0))
  return gen.maximum(count, 1)


def _shape_of(x):
  """The shape as a tensor: a constant named as such where it is known."""
  shape = x.get_shape()
  if not shape.is_fully_defined():
    return tf.shape(x)
  with name_scope("Shape"):
    return tf.constant(shape.as_list(), dtype="int32", name="shape_as_tensor")


@other
def sparse_segment_sum(data, indices, segment_ids, name=None, num_segments=None):
  """The sums of the rows `indices` of `data` by segment; `num_segments` says how many rows the result has."""
  if num_segments is not None:
    return gen.sparse_segment_sum_with_num_segments(data, indices, segment_ids, num_segments, name=name)
  return gen.sparse_segment_sum(data, indices, segment_ids, name=name)


@other
def sparse_segment_mean(data, indices, segment_ids, name=None, num_segments=None):
  """The means of the rows `indices` of `data` by segment; `num_segments` says how many rows the result has."""
  if num_segments is not None:
    return gen.sparse_segment_mean_with_num_segments(data, indices, segment_ids, num_segments, name=name)
  return gen.sparse_segment_mean(data, indices, segment_ids, name=name)


@other
def sparse_segment_sqrt_n(data, indices, segment_ids, name=None, num_segments=None):
  """As `sparse_segment_sum`, divided by the square root of the number of rows."""
  if num_segments is not None:
    return gen.sparse_segment_sqrt_n_with_num_segments(data, indices, segment_ids, num_segments, name=name)
  return gen.sparse_segment_sqrt_n(data, indices, segment_ids, name=name)
