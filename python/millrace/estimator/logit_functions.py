"""Functions that make logits, as parts of models of models."""

from millrace.estimator import arguments


def call_logit_fn(logit_fn, features, mode, params, config):
  """The logits that a function makes of features and those of the other arguments that it has: a tensor or a map of tensors.

  Raises ValueError if it returns something else.
  """
  import millrace as tf

  names = arguments.names_of(logit_fn)
  given = {"mode": mode, "params": params, "config": config}
  kwargs = {name: value for name, value in given.items() if name in names}
  result = logit_fn(features=features, **kwargs)
  if not isinstance(result, (tf.Tensor, dict)):
    raise ValueError("model_fn should return a Tensor or a dictionary of Tensors.  logit_fn: {}".format(logit_fn))
  return result
