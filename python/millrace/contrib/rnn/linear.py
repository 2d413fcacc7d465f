"""Products of tensors side by side with one matrix, whose variables are `kernel` and `bias` of the current scope."""

import millrace as tf
from millrace.framework import nest
from millrace.ops.variables import scope as scopes


class Linear:
  """x W + b for x as made for it: a tensor [batch, depth], or a list of such, which are put side by side.

  The variables are made at once, with `output_size` columns, the bias where `build_bias` says so, by default of zeros.
  ValueError for arguments that are no matrices or whose depth is not known.
  """

  def __init__(self, args, output_size, build_bias, bias_initializer=None, kernel_initializer=None):
    self._build_bias = build_bias
    if args is None or (nest.is_nested(args) and not args):
      raise ValueError("`args` must be specified")
    if not nest.is_nested(args):
      args = [args]
      self._is_sequence = False
    else:
      self._is_sequence = True
    rows = total_depth(args)
    dtype = args[0].dtype
    around = scopes.get_variable_scope()
    with scopes.variable_scope(around):
      self._kernel = scopes.get_variable("kernel", [rows, output_size], dtype=dtype, initializer=kernel_initializer)
      if build_bias:
        with scopes.variable_scope(around) as inner:
          inner.set_partitioner(None)
          if bias_initializer is None:
            bias_initializer = tf.constant_initializer(0.0, dtype=dtype)
          self._bias = scopes.get_variable("bias", [output_size], dtype=dtype, initializer=bias_initializer)

  def __call__(self, args):
    """Returns the product for other tensors of the same depths."""
    if not self._is_sequence:
      args = [args]
    result = tf.matmul(args[0] if len(args) == 1 else tf.concat(args, 1), self._kernel)
    return tf.nn.bias_add(result, self._bias) if self._build_bias else result


def linear(args, output_size, bias, bias_initializer=None, kernel_initializer=None):
  """Returns the product of one or several tensors with variables of the current scope: see Linear."""
  return Linear(args, output_size, bias, bias_initializer, kernel_initializer)(args)


def total_depth(args):
  """Returns the sum of the depths of matrices. ValueError for what is no matrix, or has no known depth."""
  total = 0
  for shape in [value.get_shape() for value in args]:
    if shape.ndims != 2:
      raise ValueError(f"linear is expecting 2D arguments: {[value.get_shape() for value in args]}")
    if shape.dims[1].value is None:
      raise ValueError(f"linear expects shape[1] to be provided for shape {shape}, but saw {shape[1]}")
    total += shape.dims[1].value
  return total
