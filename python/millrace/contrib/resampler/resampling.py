"""Values of images at points between their own."""

import millrace as tf
from millrace.framework.graph import name_scope


def resampler(data, warp, name="resampler"):
  """The values of images at points (x, y), bilinearly between their own points; around an image all is 0.

  `data` is [batch, rows, columns, channels], `warp` [batch, ..., 2] in points of the image. The result is [batch, ..., channels].
  A point a whole step or more outside gives 0, without gradients, also where it is not a number.
  """
  with name_scope(name):
    data = tf.convert_to_tensor(data, name="data")
    warp = tf.convert_to_tensor(warp, name="warp")
    data.get_shape().assert_has_rank(4)
    warp.get_shape()[-1:].assert_is_compatible_with([2])
    shape = tf.shape(data)
    points = tf.reshape(warp, [shape[0], -1, 2])
    limit = tf.cast(tf.stack([shape[2], shape[1]]), warp.dtype)
    inside = tf.reduce_all(tf.logical_and(points > -1, points < limit), axis=2)
    at = tf.where(tf.tile(inside[..., tf.newaxis], [1, 1, 2]), points, tf.zeros_like(points))
    values = _bilinear(tf.pad(data, [[0, 0], [1, 1], [1, 1], [0, 0]]), at + 1)
    values = tf.where(tf.tile(inside[..., tf.newaxis], [1, 1, shape[3]]), values, tf.zeros_like(values))
    result = tf.reshape(values, tf.concat([tf.shape(warp)[:-1], shape[3:]], 0))
    result.set_shape(warp.get_shape()[:-1].concatenate(data.get_shape()[3:]))
    return result


def _bilinear(images, points):
  """The values at points (x, y), each of which has four points of the images around it."""
  shape = tf.shape(images)
  low = tf.floor(points)
  share = tf.cast(points - low, images.dtype)[..., tf.newaxis]
  x_share, y_share = share[:, :, 0], share[:, :, 1]
  column, row = tf.unstack(tf.cast(low, tf.int32), axis=2)
  flat = tf.reshape(images, [-1, shape[3]])
  first = (tf.range(shape[0])[:, tf.newaxis] * shape[1] + row) * shape[2] + column

  def across(start):
    left = tf.gather(flat, start)
    return left + x_share * (tf.gather(flat, start + 1) - left)

  above = across(first)
  return above + y_share * (across(first + shape[2]) - above)
