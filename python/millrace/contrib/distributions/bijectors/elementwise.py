"""Bijectors of numbers, element by element."""

import math

import millrace as tf
from millrace.contrib.distributions.bijectors.base import Bijector
from millrace.contrib.distributions.numbers import softplus_inverse


class Identity(Bijector):
  """y = x."""

  def __init__(self, validate_args=False, name="identity"):
    super().__init__(forward_min_event_ndims=0, is_constant_jacobian=True, validate_args=validate_args, name=name)

  def _forward(self, x):
    return x

  def _inverse(self, y):
    return y

  def _forward_log_det_jacobian(self, x):
    return tf.constant(0.0, dtype=x.dtype)

  def _inverse_log_det_jacobian(self, y):
    return tf.constant(0.0, dtype=y.dtype)


class PowerTransform(Bijector):
  """y = (1 + power x)^(1 / power), for `power` = 0 its limit exp(x). ValueError for a negative power."""

  def __init__(self, power=0.0, validate_args=False, name="power_transform"):
    if power is None or power < 0:
      raise ValueError("`power` must be a non-negative TF constant.")
    self._power = power
    super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

  @property
  def power(self):
    """The power."""
    return self._power

  def _forward(self, x):
    if self._power == 0.0:
      return tf.exp(x)
    # Exact where power * x is near 0.
    return tf.exp(tf.log1p(x * self._power) / self._power)

  def _inverse(self, y):
    if self._power == 0.0:
      return tf.log(y)
    return tf.expm1(tf.log(y) * self._power) / self._power

  def _forward_log_det_jacobian(self, x):
    if self._power == 0.0:
      return x
    return (1.0 / self._power - 1.0) * tf.log1p(x * self._power)

  def _inverse_log_det_jacobian(self, y):
    return (self._power - 1.0) * tf.log(y)


class Exp(PowerTransform):
  """y = exp(x)."""

  def __init__(self, validate_args=False, name="exp"):
    super().__init__(validate_args=validate_args, name=name)


class Sigmoid(Bijector):
  """y = 1 / (1 + exp(-x))."""

  def __init__(self, validate_args=False, name="sigmoid"):
    super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

  def _forward(self, x):
    return tf.sigmoid(x)

  def _inverse(self, y):
    return tf.log(y) - tf.log1p(-y)

  def _forward_log_det_jacobian(self, x):
    return -tf.nn.softplus(-x) - tf.nn.softplus(x)

  def _inverse_log_det_jacobian(self, y):
    return -tf.log1p(-y) - tf.log(y)


class Softplus(Bijector):
  """y = c log(1 + exp(x / c)), with c the `hinge_softness`, 1 if not said."""

  def __init__(self, hinge_softness=None, validate_args=False, name="softplus"):
    self._hinge_softness = None if hinge_softness is None else tf.convert_to_tensor(hinge_softness, name="hinge_softness")
    super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

  @property
  def hinge_softness(self):
    """c, or None."""
    return self._hinge_softness

  def _forward(self, x):
    if self._hinge_softness is None:
      return tf.nn.softplus(x)
    softness = tf.cast(self._hinge_softness, x.dtype)
    return softness * tf.nn.softplus(x / softness)

  def _inverse(self, y):
    if self._hinge_softness is None:
      return softplus_inverse(y)
    softness = tf.cast(self._hinge_softness, y.dtype)
    return softness * softplus_inverse(y / softness)

  def _inverse_log_det_jacobian(self, y):
    if self._hinge_softness is not None:
      y = y / tf.cast(self._hinge_softness, y.dtype)
    return -tf.log(-tf.expm1(-y))

  def _forward_log_det_jacobian(self, x):
    if self._hinge_softness is not None:
      x = x / tf.cast(self._hinge_softness, x.dtype)
    return -tf.nn.softplus(-x)


class Tanh(Bijector):
  """y = tanh(x)."""

  def __init__(self, validate_args=False, name="tanh"):
    super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

  def _forward(self, x):
    return tf.tanh(x)

  def _inverse(self, y):
    return tf.atanh(y)

  def _forward_log_det_jacobian(self, x):
    # log(1 - tanh(x)^2), where tanh(x) may be rounded to 1.
    return 2.0 * (math.log(2.0) - x - tf.nn.softplus(-2.0 * x))


class Square(Bijector):
  """y = x^2 for numbers that are not negative."""

  def __init__(self, validate_args=False, name="square"):
    super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

  def _checked(self, value):
    if not self.validate_args:
      return value
    with tf.control_dependencies([tf.assert_non_negative(value, message="All elements must be non-negative.")]):
      return tf.identity(value)

  def _forward(self, x):
    return tf.square(self._checked(x))

  def _inverse(self, y):
    return tf.sqrt(self._checked(y))

  def _forward_log_det_jacobian(self, x):
    return math.log(2.0) + tf.log(self._checked(x))


class AffineScalar(Bijector):
  """y = scale x + shift, either of which may be missing."""

  def __init__(self, shift=None, scale=None, validate_args=False, name="affine_scalar"):
    with tf.name_scope(name, values=[shift, scale]):
      self._shift = None if shift is None else tf.convert_to_tensor(shift, name="shift")
      self._scale = None if scale is None else tf.convert_to_tensor(scale, name="scale")
      if self._scale is not None and validate_args:
        check = tf.assert_none_equal(self._scale, tf.zeros([], dtype=self._scale.dtype))
        with tf.control_dependencies([check]):
          self._scale = tf.identity(self._scale)
    super().__init__(forward_min_event_ndims=0, is_constant_jacobian=True, validate_args=validate_args, name=name)

  @property
  def shift(self):
    """What is added, or None."""
    return self._shift

  @property
  def scale(self):
    """The factor, or None."""
    return self._scale

  def _forward(self, x):
    y = tf.identity(x)
    if self.scale is not None:
      y *= self.scale
    return y if self.shift is None else y + self.shift

  def _inverse(self, y):
    x = tf.identity(y)
    if self.shift is not None:
      x -= self.shift
    return x if self.scale is None else x / self.scale

  def _forward_log_det_jacobian(self, x):
    return tf.zeros([], x.dtype) if self.scale is None else tf.log(tf.abs(self.scale))
