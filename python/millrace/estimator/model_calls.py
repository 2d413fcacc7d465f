"""Calls of users' functions: which arguments they may have, and what they return."""

import millrace as tf
from millrace.estimator import arguments
from millrace.estimator.spec import EstimatorSpec

_MODEL_ARGUMENTS = {"features", "labels", "mode", "params", "self", "config"}


def check_model_fn(model_fn, params):
  """Raises ValueError if a model function lacks an argument, or has one that it can't be given."""
  args = set(arguments.names_of(model_fn))
  if "features" not in args:
    raise ValueError(f"model_fn ({model_fn}) must include features argument.")
  if params is not None and "params" not in args:
    raise ValueError(f"model_fn ({model_fn}) does not include params argument, but params ({params}) is passed to Estimator.")
  if params is None and "params" in args:
    tf.logging.warning("Estimator's model_fn (%s) includes params argument, but params are not passed to Estimator.", model_fn)
  others = list(args - _MODEL_ARGUMENTS)
  if others:
    raise ValueError(f"model_fn ({model_fn}) has following not expected args: {others}")


def call_model_fn(model_fn, features, labels, mode, params, config):
  """The spec that a model function returns for one mode. Raises ValueError if it returns something else."""
  names = arguments.names_of(model_fn)
  kwargs = {}
  if "labels" in names:
    kwargs["labels"] = labels
  elif labels is not None:
    raise ValueError("model_fn does not take labels, but input_fn returns labels.")
  for name, value in (("mode", mode), ("params", params), ("config", config)):
    if name in names:
      kwargs[name] = value
  tf.logging.info("Calling model_fn.")
  spec = model_fn(features=features, **kwargs)
  tf.logging.info("Done calling model_fn.")
  if not isinstance(spec, EstimatorSpec):
    raise ValueError("model_fn should return an EstimatorSpec.")  # noqa: TRY004 (TensorFlow's class)
  return spec


def call_input_fn(input_fn, mode, params, config):
  """What an input function returns; its ops are on the CPU."""
  names = arguments.names_of(input_fn)
  kwargs = {name: value for name, value in (("mode", mode), ("params", params), ("config", config)) if name in names}
  with tf.device("/cpu:0"):
    return input_fn(**kwargs)
