"""Functions that make logits, as parts of models of models."""

import millrace as tf
from millrace.estimator import arguments


def call_logit_fn(logit_fn, features, mode, params, config):
  """The logits that a function makes of features and those of the other arguments that it has: a tensor or a map of tensors.

  Raises ValueError if it returns something else.
  """
  names = arguments.names_of(logit_fn)
  given = {"mode": mode, "params": params, "config": config}
  kwargs = {name: value for name, value in given.items() if name in names}
  result = logit_fn(features=features, **kwargs)
  parts = result.items() if isinstance(result, dict) else [("", result)]
  if not all(isinstance(name, str) and isinstance(part, tf.Tensor) for name, part in parts):
    raise ValueError(f"logit_fn should return a Tensor or a dictionary mapping strings to Tensors.  logit_fn returned: {result}")
  return result
