"""Bijectors made of others: one after the other, inverted, of functions."""

import millrace as tf
from millrace.contrib.distributions.bijectors.base import Bijector


class Chain(Bijector):
  """The functions of a list, the last one first: Chain([f, g]) is f(g(x)). An empty list is the identity."""

  def __init__(self, bijectors=None, validate_args=False, name=None):
    self._bijectors = tuple(bijectors or ())
    kinds = {bijector.dtype for bijector in self._bijectors if bijector.dtype is not None}
    if len(kinds) > 1:
      raise ValueError(f"incompatible dtypes: {[bijector.dtype for bijector in self._bijectors]}")
    # Dimensions that an argument needs so that each function gets enough.
    before = after = 0
    for bijector in reversed(self._bijectors):
      missing = max(bijector.forward_min_event_ndims - after, 0)
      before += missing
      after += missing + bijector.inverse_min_event_ndims - bijector.forward_min_event_ndims
    super().__init__(
      graph_parents=[parent for bijector in self._bijectors for parent in bijector.graph_parents],
      forward_min_event_ndims=before,
      inverse_min_event_ndims=after,
      is_constant_jacobian=all(bijector.is_constant_jacobian for bijector in self._bijectors),
      validate_args=validate_args,
      dtype=kinds.pop() if kinds else None,
      name=name or ("identity" if not self._bijectors else "_of_".join(["chain"] + [b.name for b in self._bijectors])),
    )

  @property
  def bijectors(self):
    """The functions, the last to be applied first."""
    return self._bijectors

  def _forward(self, x):
    for bijector in reversed(self._bijectors):
      x = bijector.forward(x)
    return x

  def _inverse(self, y):
    for bijector in self._bijectors:
      y = bijector.inverse(y)
    return y

  def _forward_log_det_jacobian(self, x):
    total, dimensions = tf.constant(0.0, dtype=x.dtype), self.forward_min_event_ndims
    for bijector in reversed(self._bijectors):
      total += bijector.forward_log_det_jacobian(x, event_ndims=dimensions)
      dimensions += bijector.inverse_min_event_ndims - bijector.forward_min_event_ndims
      x = bijector.forward(x)
    return total

  def _inverse_log_det_jacobian(self, y):
    total, dimensions = tf.constant(0.0, dtype=y.dtype), self.inverse_min_event_ndims
    for bijector in self._bijectors:
      total += bijector.inverse_log_det_jacobian(y, event_ndims=dimensions)
      dimensions += bijector.forward_min_event_ndims - bijector.inverse_min_event_ndims
      y = bijector.inverse(y)
    return total

  def _forward_event_shape(self, input_shape):
    for bijector in reversed(self._bijectors):
      input_shape = bijector.forward_event_shape(input_shape)
    return input_shape

  def _forward_event_shape_tensor(self, input_shape):
    for bijector in reversed(self._bijectors):
      input_shape = bijector.forward_event_shape_tensor(input_shape)
    return input_shape

  def _inverse_event_shape(self, output_shape):
    for bijector in self._bijectors:
      output_shape = bijector.inverse_event_shape(output_shape)
    return output_shape

  def _inverse_event_shape_tensor(self, output_shape):
    for bijector in self._bijectors:
      output_shape = bijector.inverse_event_shape_tensor(output_shape)
    return output_shape


class Invert(Bijector):
  """The inverse of another bijector."""

  def __init__(self, bijector, validate_args=False, name=None):
    self._bijector = bijector
    super().__init__(
      graph_parents=bijector.graph_parents,
      forward_min_event_ndims=bijector.inverse_min_event_ndims,
      inverse_min_event_ndims=bijector.forward_min_event_ndims,
      is_constant_jacobian=bijector.is_constant_jacobian,
      validate_args=validate_args,
      dtype=bijector.dtype,
      name=name or "invert_" + bijector.name,
    )

  @property
  def bijector(self):
    """The bijector whose inverse this is."""
    return self._bijector

  def _forward(self, x):
    return self.bijector.inverse(x)

  def _inverse(self, y):
    return self.bijector.forward(y)

  def _forward_log_det_jacobian(self, x):
    return self.bijector.inverse_log_det_jacobian(x, event_ndims=self.forward_min_event_ndims)

  def _inverse_log_det_jacobian(self, y):
    return self.bijector.forward_log_det_jacobian(y, event_ndims=self.inverse_min_event_ndims)

  def _forward_event_shape(self, input_shape):
    return self.bijector.inverse_event_shape(input_shape)

  def _forward_event_shape_tensor(self, input_shape):
    return self.bijector.inverse_event_shape_tensor(input_shape)

  def _inverse_event_shape(self, output_shape):
    return self.bijector.forward_event_shape(output_shape)

  def _inverse_event_shape_tensor(self, output_shape):
    return self.bijector.forward_event_shape_tensor(output_shape)


def _called(function, what):
  """A method that calls a function, or raises NotImplementedError if there is none."""

  def method(*args, **kwargs):
    if function is None:
      raise NotImplementedError(f"{what} is not a callable function.")
    return function(*args, **kwargs)

  return method


class Inline(Bijector):
  """A bijector of functions: of the value, of its inverse, of the logarithm of the determinant of one of both, and of shapes if these
  change."""

  def __init__(
    self,
    forward_fn=None,
    inverse_fn=None,
    inverse_log_det_jacobian_fn=None,
    forward_log_det_jacobian_fn=None,
    forward_event_shape_fn=None,
    forward_event_shape_tensor_fn=None,
    inverse_event_shape_fn=None,
    inverse_event_shape_tensor_fn=None,
    is_constant_jacobian=False,
    validate_args=False,
    forward_min_event_ndims=None,
    inverse_min_event_ndims=None,
    name="inline",
  ):
    super().__init__(
      forward_min_event_ndims=forward_min_event_ndims,
      inverse_min_event_ndims=inverse_min_event_ndims,
      is_constant_jacobian=is_constant_jacobian,
      validate_args=validate_args,
      name=name,
    )
    self._forward = _called(forward_fn, "forward_fn")
    self._inverse = _called(inverse_fn, "inverse_fn")
    self._inverse_log_det_jacobian = _called(inverse_log_det_jacobian_fn, "inverse_log_det_jacobian_fn")
    self._forward_log_det_jacobian = _called(forward_log_det_jacobian_fn, "forward_log_det_jacobian_fn")
    if forward_event_shape_fn is not None:
      self._forward_event_shape = forward_event_shape_fn
    if forward_event_shape_tensor_fn is not None:
      self._forward_event_shape_tensor = forward_event_shape_tensor_fn
    if inverse_event_shape_fn is not None:
      self._inverse_event_shape = inverse_event_shape_fn
    if inverse_event_shape_tensor_fn is not None:
      self._inverse_event_shape_tensor = inverse_event_shape_tensor_fn
