"""add_metrics: an estimator that evaluates more than another one."""

from millrace.estimator import arguments
from millrace.estimator.estimator import Estimator
from millrace.estimator.mode_keys import ModeKeys

_ARGUMENTS = ("features", "labels", "predictions", "config")


def add_metrics(estimator, metric_fn):
  """A copy of an estimator whose evaluations also have the metrics of a function.

  `metric_fn` returns a map of names to pairs of a value and an update, from those of the arguments features, labels, predictions
  and config that it has. Raises ValueError if it has others.
  """
  check_metric_fn(metric_fn)

  def model_fn(features, labels, mode, config):
    spec = estimator.model_fn(features, labels, mode, config)
    if mode != ModeKeys.EVAL:
      return spec
    more = call_metric_fn(metric_fn, features, labels, spec.predictions, config)
    return spec._replace(eval_metric_ops={**(spec.eval_metric_ops or {}), **more})

  return Estimator(
    model_fn=model_fn,
    model_dir=estimator.model_dir,
    config=estimator.config,
    warm_start_from=estimator._warm_start_settings,
  )


def check_metric_fn(metric_fn):
  """Raises ValueError if a function of metrics has arguments that it can't be given."""
  others = list(set(arguments.names_of(metric_fn)) - set(_ARGUMENTS))
  if others:
    raise ValueError(f"metric_fn ({metric_fn}) has following not expected args: {others}")


def call_metric_fn(metric_fn, features, labels, predictions, config):
  """The metrics of a function, which is given the arguments that it has."""
  given = {"features": features, "labels": labels, "predictions": predictions, "config": config}
  names = arguments.names_of(metric_fn)
  return metric_fn(**{name: value for name, value in given.items() if name in names})
