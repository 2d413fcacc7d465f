"""Weights that fit values: a scalar, or a tensor of the same rank whose dimensions are 1 or as long as those of the values."""

import millrace as tf
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import control_dependencies, name_scope
from millrace.framework.tensor_values import constant_value

_WRONG = "weights can not be broadcast to values."


def assert_broadcastable(weights, values):
  """An op that fails, when it runs, unless `weights` fit `values`.

  Raises:
    ValueError: at once if the shapes are known not to fit.
  """
  with name_scope(None, "assert_broadcastable", (values, weights)) as scope:
    with name_scope(None, "weights", (weights,)) as inner:
      weights = convert_to_tensor(weights, name=inner)
      weights_shape = tf.shape(weights, name="shape")
      weights_rank = tf.rank(weights, name="rank")
    known_weights_rank = constant_value(weights_rank)
    with name_scope(None, "values", (values,)) as inner:
      values = convert_to_tensor(values, name=inner)
      values_shape = tf.shape(values, name="shape")
      values_rank = tf.rank(values, name="rank")
    known_values_rank = constant_value(values_rank)
    if known_weights_rank is not None and known_values_rank is not None:
      if known_weights_rank == 0:
        return tf.no_op(name="static_scalar_check_success")
      if known_weights_rank != known_values_rank:
        raise ValueError(
          f"{_WRONG} values.rank={known_values_rank}. weights.rank={known_weights_rank}. values.shape={values.get_shape()}. "
          f"weights.shape={weights.get_shape()}. Received weights={weights}, values={values}"
        )
      sizes_of_weights, sizes_of_values = constant_value(weights_shape), constant_value(values_shape)
      if sizes_of_weights is not None and sizes_of_values is not None:
        _check_sizes(sizes_of_weights, sizes_of_values, weights, values)
        return tf.no_op(name="static_dims_check_success")
    return _dynamic_check(weights, weights_shape, weights_rank, values, values_shape, values_rank, scope)


def _check_sizes(sizes_of_weights, sizes_of_values, weights, values):
  for axis, (size, wanted) in enumerate(zip(sizes_of_weights, sizes_of_values)):
    if size not in (1, wanted):
      raise ValueError(
        f"{_WRONG} Mismatch at dim {axis}. values.shape={sizes_of_values}, weights.shape={sizes_of_weights}. "
        f"Received weights={weights}, values={values}"
      )


def _dynamic_check(weights, weights_shape, weights_rank, values, values_shape, values_rank, scope):
  is_scalar = tf.equal(0, weights_rank, name="is_scalar")
  fits = tf.cond(
    is_scalar,
    lambda: is_scalar,
    lambda: _has_fitting_dimensions(weights_rank, weights_shape, values_rank, values_shape),
    name="is_valid_shape",
  )
  said = [_WRONG, "weights.shape=", weights.name, weights_shape, "values.shape=", values.name, values_shape]
  said += ["is_scalar=", is_scalar]
  return tf.Assert(fits, said, name=scope)


def _has_fitting_dimensions(weights_rank, weights_shape, values_rank, values_shape):
  with name_scope(None, "has_valid_nonscalar_shape", [weights_rank, weights_shape, values_rank, values_shape]) as scope:
    is_same_rank = tf.equal(values_rank, weights_rank, name="is_same_rank")
    return tf.cond(is_same_rank, lambda: _has_fitting_sizes(weights_shape, values_shape), lambda: is_same_rank, name=scope)


def _has_fitting_sizes(weights_shape, values_shape):
  """Whether each size of the weights is in the set of what is allowed there, as a column: the size of the values, and 1."""
  with name_scope(None, "has_invalid_dims", [weights_shape, values_shape]) as scope:
    sizes = tf.expand_dims(values_shape, -1)
    allowed = tf.concat([sizes, tf.ones_like(sizes)], 1)
    present = tf.expand_dims(weights_shape, -1)
    wrong = tf.sets.difference(present, allowed)
    count = tf.size(wrong.values, name="num_invalid_dims")
    return tf.equal(0, count, name=scope)


def broadcast_weights(weights, values):
  """`weights` with the shape of `values`.

  Raises:
    ValueError: at once if the shapes are known not to fit.
    InvalidArgumentError: when it runs.
  """
  with name_scope(None, "broadcast_weights", (weights, values)) as scope:
    values = convert_to_tensor(values, name="values")
    weights = convert_to_tensor(weights, dtype=values.dtype.base_dtype, name="weights")
    wanted, shape = values.get_shape(), weights.get_shape()
    if shape.is_fully_defined() and wanted.is_fully_defined() and shape.is_compatible_with(wanted):
      return weights
    with control_dependencies((assert_broadcastable(weights, values),)):
      return tf.multiply(weights, tf.ones_like(values), name=scope)
