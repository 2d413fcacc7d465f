"""Optimizers of premade estimators: by name, as they are, or made by a function."""

import millrace as tf

_CLASSES = {
  "Adagrad": "AdagradOptimizer",
  "Adam": "AdamOptimizer",
  "Ftrl": "FtrlOptimizer",
  "RMSProp": "RMSPropOptimizer",
  "SGD": "GradientDescentOptimizer",
}


def instance(optimizer, learning_rate=None):
  """Returns the optimizer of a name, with `learning_rate`; of a function, called; or the optimizer itself.

  Raises ValueError for other names, and for what is no optimizer.
  """
  if isinstance(optimizer, str):
    if optimizer not in _CLASSES:
      raise ValueError(f"Unsupported optimizer name: {optimizer}. Supported names are: {tuple(sorted(_CLASSES))}")
    return getattr(tf.train, _CLASSES[optimizer])(learning_rate=learning_rate)
  if callable(optimizer):
    optimizer = optimizer()
  if not isinstance(optimizer, tf.train.Optimizer):
    raise ValueError(f"The given object is not an Optimizer instance. Given: {optimizer}")  # noqa: TRY004
  return optimizer
