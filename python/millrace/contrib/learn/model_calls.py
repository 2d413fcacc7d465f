"""Calls of model functions: which arguments they may have, and both forms of what they return."""

import millrace as tf
from millrace.contrib.learn.model_fn_ops import ModelFnOps
from millrace.estimator import arguments
from millrace.estimator.spec import EstimatorSpec


def check(model_fn, params):
  """Raises ValueError if a model function has too few arguments, or none for parameters that are given."""
  names = arguments.names_of(model_fn)
  if len(names) < 2 and not arguments.takes_any(model_fn):
    raise ValueError(
      f"Model function (model_fn={model_fn}) should have at least two arguments, features and labels. It has {names}."
    )
  if params is not None and "params" not in names and not arguments.takes_any(model_fn):
    raise ValueError(
      f"Estimator's model_fn ({model_fn}) does not have a params argument, but params ({params}) were passed to the Estimator's "
      "constructor."
    )
  if params is None and "params" in names:
    tf.logging.warning("Estimator's model_fn (%s) includes params argument, but params are not passed to Estimator.", model_fn)


def call(model_fn, features, labels, mode, params, config, model_dir):
  """The ModelFnOps of a model function for one mode. Raises ValueError if it returns something else."""
  names = arguments.names_of(model_fn)
  given = {"mode": mode, "params": params, "config": config, "model_dir": model_dir}
  # Features and labels come in this order, whatever they are called.
  kwargs = {name: value for name, value in given.items() if name in names[2:]}
  made = model_fn(features, labels, **kwargs)
  if isinstance(made, ModelFnOps):
    return made
  if isinstance(made, EstimatorSpec):
    return ModelFnOps(
      mode,
      predictions=made.predictions,
      loss=made.loss,
      train_op=made.train_op,
      eval_metric_ops=made.eval_metric_ops,
      training_chief_hooks=made.training_chief_hooks,
      training_hooks=made.training_hooks,
      scaffold=made.scaffold,
    )
  if not isinstance(made, (tuple, list)) or len(made) != 3:
    raise ValueError("Unrecognized value returned by model_fn, please return ModelFnOps.")
  return ModelFnOps(mode=mode, predictions=made[0], loss=made[1], train_op=made[2])
