"""The regularizers that layers know by name."""

import millrace as tf


class Regularizer:
  """The base of regularizers: functions from a variable to a loss, which know their arguments."""

  def __call__(self, x):
    """Returns the loss of a variable, 0 here."""
    return 0.0

  @classmethod
  def from_config(cls, config):
    """Returns the regularizer of these arguments, as get_config() gives them."""
    return cls(**config)

  def get_config(self):
    """Returns the arguments of the constructor."""
    raise NotImplementedError(str(self) + " does not implement get_config()")


class L1L2(Regularizer):
  """The loss l1 * sum(abs(x)) + l2 * sum(x^2)."""

  def __init__(self, l1=0.01, l2=0.01):
    self.l1 = float(l1)
    self.l2 = float(l2)

  def __call__(self, x):
    """Returns the loss of a variable."""
    loss = tf.constant(0.0, dtype=x.dtype.base_dtype)
    if self.l1:
      loss += tf.reduce_sum(self.l1 * tf.abs(x))
    if self.l2:
      loss += tf.reduce_sum(self.l2 * tf.square(x))
    return loss

  def get_config(self):
    """Returns the arguments of the constructor."""
    return {"l1": self.l1, "l2": self.l2}


class L1(L1L2):
  """The loss l1 * sum(abs(x))."""

  def __init__(self, l1=0.01):
    super().__init__(l1, 0.0)

  def get_config(self):
    return {"l1": self.l1}


class L2(L1L2):
  """The loss l2 * sum(x^2)."""

  def __init__(self, l2=0.01):
    super().__init__(0.0, l2)

  def get_config(self):
    return {"l2": self.l2}


class KerasL1L2(L1L2):
  """The loss l1 * sum(abs(x)) + l2 * sum(x^2), which is nothing unless one of them is given."""

  def __init__(self, l1=0.0, l2=0.0):
    super().__init__(l1, l2)


def l1(l=0.01):  # noqa: E741 - programs name the argument
  """Returns the regularizer l * sum(abs(x))."""
  return KerasL1L2(l1=l)


def l2(l=0.01):  # noqa: E741 - programs name the argument
  """Returns the regularizer l * sum(x^2)."""
  return KerasL1L2(l2=l)


def l1_l2(l1=0.01, l2=0.01):
  """Returns the regularizer l1 * sum(abs(x)) + l2 * sum(x^2)."""
  return KerasL1L2(l1, l2)
