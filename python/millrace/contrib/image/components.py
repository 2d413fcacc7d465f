"""Connected regions of images."""

import millrace as tf
from millrace.framework.graph import name_scope


def connected_components(images):
  """The regions of equal values, connected by sides, of [rows, columns] or a batch: int64 of the same shape.

  They are numbered from 1 over all images, by their first points in row-major order; where an image is 0, so is the result.

  Raises:
    TypeError: for another number of dimensions.
  """
  with name_scope("connected_components"):
    images = tf.convert_to_tensor(images, name="images")
    rank = images.get_shape().ndims
    if rank not in (2, 3):
      raise TypeError(f"images should have rank 2 (HW) or 3 (NHW). Static shape is {images.get_shape()}")
    batch = images[tf.newaxis] if rank == 2 else images
    result = _numbered(_labels(batch), batch)
    result.set_shape(batch.get_shape())
    return result[0] if rank == 2 else result


def _zero(images):
  if images.dtype == tf.string:
    return tf.equal(images, "")
  return tf.logical_not(images) if images.dtype == tf.bool else tf.equal(images, tf.zeros([], images.dtype))


def _labels(images):
  """For each point that is not 0 the number of the first point of its region."""
  shape = tf.shape(images)
  count = tf.size(images)
  own = tf.reshape(tf.range(count), shape)
  is_nothing = _zero(images)

  def joins(axis):
    """Whether points and those behind them along an axis are of one region."""
    first, second = (images[:, :-1, :], images[:, 1:, :]) if axis == 1 else (images[:, :, :-1], images[:, :, 1:])
    nothing = is_nothing[:, :-1, :] if axis == 1 else is_nothing[:, :, :-1]
    return tf.logical_and(tf.equal(first, second), tf.logical_not(nothing))

  down, right = joins(1), joins(2)

  def lowest_of_neighbours(labels):
    """The lowest label of each point and those that it joins."""
    for is_joined, axis in ((down, 1), (right, 2)):
      first, second = (labels[:, :-1, :], labels[:, 1:, :]) if axis == 1 else (labels[:, :, :-1], labels[:, :, 1:])
      low = tf.minimum(first, second)
      ends = ((0, 0),) * axis + ((0, 1),) + ((0, 0),) * (2 - axis)
      starts = ((0, 0),) * axis + ((1, 0),) + ((0, 0),) * (2 - axis)
      after = tf.pad(tf.where(is_joined, low, first), ends, constant_values=count)
      before = tf.pad(tf.where(is_joined, low, second), starts, constant_values=count)
      labels = tf.minimum(after, before)
    return labels

  def spread(labels, _):
    lower = lowest_of_neighbours(labels)
    # A point takes the label of the point that its label names, so that labels go far at once.
    flat = tf.reshape(lower, [-1])
    lower = tf.reshape(tf.gather(flat, flat), shape)
    return lower, tf.reduce_any(tf.not_equal(lower, labels))

  labels, _ = tf.while_loop(lambda _, is_changed: is_changed, spread, (own, count > 0))
  return labels


def _numbered(labels, images):
  """Labels as consecutive numbers from 1, and 0 for points that are 0."""
  is_region = tf.logical_not(_zero(images))
  flat = tf.reshape(labels, [-1])
  is_first = tf.logical_and(tf.equal(flat, tf.range(tf.size(flat))), tf.reshape(is_region, [-1]))
  numbers = tf.gather(tf.cumsum(tf.cast(is_first, tf.int64)), flat)
  return tf.where(is_region, tf.reshape(numbers, tf.shape(labels)), tf.zeros_like(labels, tf.int64))
