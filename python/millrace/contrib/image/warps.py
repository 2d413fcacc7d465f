"""Images whose points come from anywhere."""

import numpy as np

import millrace as tf
from millrace.contrib.image.splines import interpolate_spline
from millrace.framework.graph import name_scope


def dense_image_warp(image, flow, name="dense_image_warp"):
  """Each point [y, x] of the result is that of the image at [y, x] - flow[y, x], bilinearly between points, at the edge outside.

  `image` is [batch, rows, columns, channels], `flow` [batch, rows, columns, 2].
  """
  with name_scope(name):
    image, flow = tf.convert_to_tensor(image), tf.convert_to_tensor(flow)
    shape = tf.shape(image)
    batch, height, width = shape[0], shape[1], shape[2]
    grid = tf.stack(tf.meshgrid(tf.range(height), tf.range(width), indexing="ij"), axis=2)
    queries = tf.reshape(tf.cast(grid, flow.dtype)[tf.newaxis] - flow, [batch, height * width, 2])
    result = tf.reshape(_bilinear(image, queries), shape)
    result.set_shape(image.get_shape())
    return result


def _bilinear(image, queries):
  """The values of images at points (y, x): [batch, points, channels]."""
  shape = tf.shape(image)
  corners, shares = [], []
  for place, size in ((0, shape[1]), (1, shape[2])):
    at = queries[..., place]
    low = tf.clip_by_value(tf.floor(at), 0.0, tf.cast(tf.maximum(size - 2, 0), at.dtype))
    corners.append(tf.cast(low, tf.int32))
    # Outside of the image it is the edge.
    shares.append(tf.cast(tf.clip_by_value(at - low, 0.0, 1.0), image.dtype)[..., tf.newaxis])
  flat = tf.reshape(image, [-1, shape[3]])
  first = (tf.range(shape[0]) * shape[1] * shape[2])[:, tf.newaxis]

  def at_corner(down, right):
    row, column = tf.minimum(corners[0] + down, shape[1] - 1), tf.minimum(corners[1] + right, shape[2] - 1)
    return tf.gather(flat, first + row * shape[2] + column)

  y, x = shares
  above = x * (at_corner(0, 1) - at_corner(0, 0)) + at_corner(0, 0)
  below = x * (at_corner(1, 1) - at_corner(1, 0)) + at_corner(1, 0)
  return y * (below - above) + above


def sparse_image_warp(
  image,
  source_control_point_locations,
  dest_control_point_locations,
  interpolation_order=2,
  regularization_weight=0.0,
  num_boundary_points=0,
  name="sparse_image_warp",
):
  """(the image bent so that its points at the sources come to the destinations, the flow of all points), by interpolate_spline().

  Points are [batch, count, 2] of (y, x). With `num_boundary_points` the corners stay, and that number less 1 of points along each edge.
  """
  with name_scope(name):
    image = tf.convert_to_tensor(image)
    sources = tf.convert_to_tensor(source_control_point_locations)
    destinations = tf.convert_to_tensor(dest_control_point_locations)
    flows = destinations - sources
    batch, height, width = image.get_shape()[0].value, image.get_shape()[1].value, image.get_shape()[2].value
    if None in (batch, height, width):
      raise ValueError(f"The batch size, height and width of the image have to be known, its shape is {image.get_shape()}.")
    if num_boundary_points > 0:
      edge = _points_of_edges(height, width, num_boundary_points).astype(destinations.dtype.as_numpy_dtype)
      edge = tf.tile(edge[np.newaxis], [batch, 1, 1])
      destinations = tf.concat([destinations, edge], 1)
      flows = tf.concat([flows, tf.zeros_like(edge)], 1)
    grid = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), -1).reshape(1, -1, 2)
    queries = tf.constant(np.broadcast_to(grid, [batch, height * width, 2]).astype(destinations.dtype.as_numpy_dtype))
    flat = interpolate_spline(destinations, flows, queries, interpolation_order, regularization_weight)
    flow = tf.reshape(flat, [batch, height, width, 2])
    return dense_image_warp(image, flow), flow


def _points_of_edges(height, width, count):
  """The corners, and `count` - 1 points at equal distances between them: (y, x)."""
  y, x = np.linspace(0, height - 1, count + 1), np.linspace(0, width - 1, count + 1)
  rows, columns = np.meshgrid(y, x, indexing="ij")
  is_edge = (rows == 0) | (rows == height - 1) | (columns == 0) | (columns == width - 1)
  return np.stack([rows[is_edge], columns[is_edge]], 1)
