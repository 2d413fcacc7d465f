"""EstimatorSpec: what a model function returns."""

import collections

from millrace.estimator import spec_checks
from millrace.estimator.mode_keys import ModeKeys

_FIELDS = (
  "mode",
  "predictions",
  "loss",
  "train_op",
  "eval_metric_ops",
  "export_outputs",
  "training_chief_hooks",
  "training_hooks",
  "scaffold",
  "evaluation_hooks",
  "prediction_hooks",
)


class EstimatorSpec(collections.namedtuple("EstimatorSpec", _FIELDS)):
  """The tensors and ops of a model in one mode.

  Training needs `loss` and `train_op`, evaluation `loss`, prediction `predictions`. `eval_metric_ops` maps names to pairs of a
  value and an op that updates it. `export_outputs` maps names of signatures to outputs; one of several has to be called
  "serving_default". Raises ValueError for what is missing, for losses that are no scalars and for tensors of another graph;
  TypeError for values of other types.
  """

  __slots__ = ()

  def __new__(
    cls,
    mode,
    predictions=None,
    loss=None,
    train_op=None,
    eval_metric_ops=None,
    export_outputs=None,
    training_chief_hooks=None,
    training_hooks=None,
    scaffold=None,
    evaluation_hooks=None,
    prediction_hooks=None,
  ):
    train_op = spec_checks.checked_train_op(train_op, mode)
    loss = spec_checks.checked_loss(loss, mode)
    predictions = spec_checks.checked_predictions(predictions, mode)
    export_outputs = spec_checks.checked_export_outputs(export_outputs, predictions, mode)
    training_hooks = spec_checks.checked_hooks(training_hooks)
    evaluation_hooks = spec_checks.checked_hooks(evaluation_hooks)
    prediction_hooks = spec_checks.checked_hooks(prediction_hooks)
    training_chief_hooks = spec_checks.checked_hooks(training_chief_hooks)
    eval_metric_ops = spec_checks.checked_eval_metric_ops(eval_metric_ops)
    scaffold = spec_checks.checked_scaffold(scaffold)
    return super().__new__(
      cls,
      mode=mode,
      predictions=predictions,
      loss=loss,
      train_op=train_op,
      eval_metric_ops=eval_metric_ops,
      export_outputs=export_outputs,
      training_chief_hooks=training_chief_hooks,
      training_hooks=training_hooks,
      scaffold=scaffold,
      evaluation_hooks=evaluation_hooks,
      prediction_hooks=prediction_hooks,
    )

  def _replace(self, **kwds):
    """A copy with other values, which are checked as those of a new one are. Raises ValueError for another mode."""
    if "mode" in kwds and self.mode != kwds["mode"]:
      raise ValueError(f"mode of EstimatorSpec cannot be changed. Given {kwds['mode']!r}, it is {self.mode!r}.")
    fields = dict(zip(self._fields, self))
    fields.update(kwds)
    return type(self)(**fields)


__all__ = ["EstimatorSpec", "ModeKeys"]
