"""Rows and columns of a matrix of distances, joined in pairs."""

import millrace as tf
from millrace.framework.graph import name_scope


def bipartite_match(distance_mat, num_valid_rows, top_k=-1, name="bipartite_match"):
  """Joins rows and columns greedily: the pair of the least distance first, then that of those which are left, and so on.

  Only the first `num_valid_rows` rows are joined, all of them where it is negative, and `top_k` pairs are made, as many as there
  can be where it is negative. Returns (for each row the number of its column, for each column that of its row), int32, -1 where
  there is none.
  """
  with name_scope(name):
    distances = tf.convert_to_tensor(distance_mat, dtype=tf.float32, name="distance_mat")
    distances.get_shape().assert_has_rank(2)
    valid = tf.cast(tf.reshape(num_valid_rows, []), tf.int32)
    rows, columns = tf.unstack(tf.shape(distances))
    valid = tf.where(valid < 0, rows, tf.minimum(valid, rows))
    most = tf.minimum(valid, columns)
    pairs = tf.where(tf.cast(top_k, tf.int32) < 0, most, tf.minimum(tf.cast(top_k, tf.int32), most))

    def join(step, row_is_free, column_of_row, column_is_free, row_of_column):
      free = tf.logical_and(row_is_free[:, tf.newaxis], column_is_free[tf.newaxis])
      # Pairs that are free come before all others, also those of endless distance.
      nearest = tf.reduce_min(tf.boolean_mask(distances, free))
      place = tf.where(tf.logical_and(free, tf.equal(distances, nearest)))[0]
      row, column = tf.unstack(tf.cast(place, tf.int32))
      in_row, in_column = tf.equal(tf.range(rows), row), tf.equal(tf.range(columns), column)
      return (
        step + 1,
        tf.logical_and(row_is_free, tf.logical_not(in_row)),
        tf.where(in_row, tf.fill([rows], column), column_of_row),
        tf.logical_and(column_is_free, tf.logical_not(in_column)),
        tf.where(in_column, tf.fill([columns], row), row_of_column),
      )

    start = (0, tf.range(rows) < valid, tf.fill([rows], -1), tf.fill([columns], True), tf.fill([columns], -1))
    unknown = tf.TensorShape([None])
    shapes = (tf.TensorShape([]), unknown, unknown, unknown, unknown)
    _, _, column_of_row, _, row_of_column = tf.while_loop(lambda step, *_: step < pairs, join, start, shapes, back_prop=False)
    column_of_row.set_shape(distances.get_shape()[:1])
    row_of_column.set_shape(distances.get_shape()[1:])
    return column_of_row, row_of_column
