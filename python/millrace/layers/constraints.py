"""The constraints that layers know by name: functions from a variable's value to the value that it may have."""

import millrace as tf

_SMALL = 1e-7


def _norms(w, axis):
  return tf.sqrt(tf.reduce_sum(tf.square(w), axis=axis, keepdims=True))


class Constraint:
  """The base of constraints, which know their arguments."""

  def __call__(self, w):
    """Returns the value that `w` may have, any here."""
    return w

  def get_config(self):
    """Returns the arguments of the constructor."""
    return {}


class NonNeg(Constraint):
  """No element is less than zero."""

  def __call__(self, w):
    """Returns the value that `w` may have."""
    return w * tf.cast(tf.greater_equal(w, 0.0), w.dtype.base_dtype)


class MaxNorm(Constraint):
  """Vectors along `axis` are not longer than `max_value`."""

  def __init__(self, max_value=2, axis=0):
    self.max_value = max_value
    self.axis = axis

  def __call__(self, w):
    norms = _norms(w, self.axis)
    return w * (tf.clip_by_value(norms, 0.0, float(self.max_value)) / (_SMALL + norms))

  def get_config(self):
    return {"max_value": self.max_value, "axis": self.axis}


class UnitNorm(Constraint):
  """Vectors along `axis` have the length 1."""

  def __init__(self, axis=0):
    self.axis = axis

  def __call__(self, w):
    return w / (_SMALL + _norms(w, self.axis))

  def get_config(self):
    return {"axis": self.axis}


class MinMaxNorm(Constraint):
  """Vectors along `axis` come nearer to a length between two values, by the fraction `rate` of the way each time."""

  def __init__(self, min_value=0.0, max_value=1.0, rate=1.0, axis=0):
    self.min_value = min_value
    self.max_value = max_value
    self.rate = rate
    self.axis = axis

  def __call__(self, w):
    norms = _norms(w, self.axis)
    wanted = self.rate * tf.clip_by_value(norms, float(self.min_value), float(self.max_value)) + (1 - self.rate) * norms
    return w * (wanted / (_SMALL + norms))

  def get_config(self):
    return {"min_value": self.min_value, "max_value": self.max_value, "rate": self.rate, "axis": self.axis}
