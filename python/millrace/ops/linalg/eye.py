"""Identity matrices."""

import numpy as np

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.tensor import Tensor
from millrace.framework.tensor_shape import TensorShape, dimension_value


def eye(num_rows, num_columns=None, batch_shape=None, dtype=dtypes.float32, name=None):
  """Matrices with ones on the main diagonal and zeros elsewhere; square ones where no `num_columns` is said."""
  with name_scope(name, default_name="eye", values=[num_rows, num_columns, batch_shape]):
    num_rows = dimension_value(num_rows)
    num_columns = num_rows if num_columns is None else dimension_value(num_columns)
    if any(isinstance(size, (float, np.floating, str, type(None))) for size in (num_rows, num_columns)):
      raise TypeError(
        "Arguments `num_rows` and `num_columns` must be positive integer values. "
        f"Received: num_rows={num_rows}, num_columns={num_columns}"
      )
    is_square = num_columns is num_rows or (not _has_tensor(num_rows, num_columns) and num_columns == num_rows)
    batch_shape = [] if batch_shape is None else batch_shape
    if isinstance(batch_shape, TensorShape):
      batch_shape = batch_shape.as_list()
    is_static = not _has_tensor(num_rows, num_columns)
    diagonal = min(num_rows, num_columns) if is_static else tf.minimum(num_rows, num_columns)
    if is_static and not _has_tensor(batch_shape):
      batch = [int(size) for size in np.reshape(batch_shape, [-1])]
      diagonal_shape, shape = batch + [int(diagonal)], batch + [int(num_rows), int(num_columns)]
    else:
      batch = convert_to_tensor(batch_shape, dtype=dtypes.int32, name="shape")
      diagonal_shape = tf.concat((batch, [diagonal]), axis=0)
      shape = None if is_square else tf.concat((batch, [num_rows, num_columns]), axis=0)
    ones = tf.ones(diagonal_shape, dtype=dtype)
    if is_square:
      return tf.matrix_diag(ones)
    return tf.matrix_set_diag(tf.zeros(shape, dtype=dtype), ones)


def _has_tensor(*values):
  return any(isinstance(value, Tensor) or (isinstance(value, (list, tuple)) and _has_tensor(*value)) for value in values)
