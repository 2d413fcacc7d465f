"""Polyharmonic splines: smooth functions through points in several dimensions."""

import millrace as tf
from millrace.framework.graph import name_scope

_SMALLEST = 1e-10


def _phi(squares, order):
  """The spline's function of the distance, whose squares are given: r^order, times log(r) for even orders."""
  with name_scope("phi"):
    safe = tf.maximum(squares, _SMALLEST)
    if order == 1:
      return tf.sqrt(safe)
    if order % 2:
      return tf.pow(safe, 0.5 * order)
    return 0.5 * tf.pow(squares, 0.5 * order) * tf.log(safe)


def _squared_distances(x, y):
  """Of all pairs of points: [batch, points of x, points of y]."""
  with name_scope("cross_squared_distance_matrix"):
    x_squares, y_squares = tf.reduce_sum(tf.square(x), 2), tf.reduce_sum(tf.square(y), 2)
    products = tf.matmul(x, y, adjoint_b=True)
    return tf.maximum(x_squares[:, :, tf.newaxis] - 2 * products + y_squares[:, tf.newaxis, :], 0.0)


def _with_ones(points):
  return tf.concat([points, tf.ones_like(points[..., :1])], 2)


def interpolate_spline(train_points, train_values, query_points, order, regularization_weight=0.0, name="interpolate_spline"):
  """The values at `query_points` of the spline that has `train_values` at `train_points`.

  Points are [batch, count, dimensions], values [batch, count, of a point]. `order` 2 is the thin plate spline.
  `regularization_weight` lets the spline miss the points by as much as makes it smoother.
  """
  with name_scope(name):
    train_points, train_values = tf.convert_to_tensor(train_points), tf.convert_to_tensor(train_values)
    query_points = tf.convert_to_tensor(query_points)
    weights, linear = _solved(train_points, train_values, order, regularization_weight)
    distances = _squared_distances(query_points, train_points)
    return tf.matmul(_phi(distances, order), weights) + tf.matmul(_with_ones(query_points), linear)


def _solved(points, values, order, regularization_weight):
  """The weights of the points and the linear part: what takes the values at the points, with weights that are orthogonal to all
  linear functions."""
  with name_scope("solve"):
    matrix = _phi(_squared_distances(points, points), order)
    count = tf.shape(points)[1]
    if regularization_weight:
      matrix += tf.cast(regularization_weight, points.dtype) * tf.eye(count, dtype=points.dtype)[tf.newaxis]
    affine = _with_ones(points)
    unknowns = tf.shape(affine)[2]
    batch = tf.shape(points)[0]
    zeros = tf.zeros([batch, unknowns, unknowns], points.dtype)
    left = tf.concat([tf.concat([matrix, affine], 2), tf.concat([tf.matrix_transpose(affine), zeros], 2)], 1)
    right = tf.concat([values, tf.zeros([batch, unknowns, tf.shape(values)[2]], values.dtype)], 1)
    solution = tf.matrix_solve(left, right)
    return solution[:, :count, :], solution[:, count:, :]
