"""TPUEstimatorSpec: what a model function returns whose program could also run on TPUs."""

import collections
import inspect

import millrace as tf
from millrace.contrib.summary import writers
from millrace.estimator import arguments, spec_checks
from millrace.estimator.spec import EstimatorSpec

_FIELDS = (
  "mode",
  "predictions",
  "loss",
  "train_op",
  "eval_metrics",
  "export_outputs",
  "scaffold_fn",
  "host_call",
  "training_hooks",
  "evaluation_hooks",
  "prediction_hooks",
)


def _check_call(name, call):
  """Raises if a value is no pair of a function and its tensors: ValueError, TypeError or RuntimeError as TensorFlow does."""
  if not isinstance(call, (tuple, list)):
    raise ValueError(f"{name} should be tuple or list")  # noqa: TRY004 (TensorFlow's class)
  if len(call) != 2:
    raise ValueError(f"{name} should have two elements.")
  function, tensors = call
  if not callable(function):
    raise TypeError(f"{name}[0] should be callable.")
  if not isinstance(tensors, (tuple, list, dict)):
    raise ValueError(f"{name}[1] should be tuple or list, or dict.")  # noqa: TRY004 (TensorFlow's class)
  if isinstance(tensors, dict) or _takes_any_number(function):
    return
  count = len(arguments.names_of(function))
  if count != len(tensors):
    raise RuntimeError(
      f"In TPUEstimatorSpec.{name}, length of tensors {len(tensors)} does not match method args of the function, which takes {count}."
    )


def _takes_any_number(function):
  return any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in inspect.signature(function).parameters.values())


def _called(call):
  """What the function of a pair returns for its tensors, or None for no pair."""
  if call is None:
    return None
  function, tensors = call
  return function(**tensors) if isinstance(tensors, dict) else function(*tensors)


class _HostCallHook(tf.train.SessionRunHook):
  """Runs tensors with every step, and keeps the graph's writers of tf.contrib.summary open."""

  def __init__(self, tensors):
    self._tensors = tensors

  def begin(self):
    self._open = writers.summary_writer_initializer_op()
    self._flush = [writers.flush(writer) for writer in _writers_of(self._open)]

  def after_create_session(self, session, coord):
    session.run(self._open)

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self._tensors)

  def end(self, session):
    session.run(self._flush)


def _writers_of(ops):
  """The writers' resources, which are the first inputs of the ops that open them."""
  return [op.inputs[0] for op in ops if op is not None and op.inputs]


class TPUEstimatorSpec(collections.namedtuple("TPUEstimatorSpec", _FIELDS)):
  """The tensors and ops of a model in one mode, as tf.estimator.EstimatorSpec has them, with functions instead of some.

  `eval_metrics` is a pair of a function and its tensors, a list or a map of arguments; the function returns metrics. What the
  function of `host_call` returns runs with every step. `scaffold_fn` makes the scaffold. Raises ValueError, TypeError or
  RuntimeError for what is missing or doesn't fit.
  """

  __slots__ = ()

  def __new__(
    cls,
    mode,
    predictions=None,
    loss=None,
    train_op=None,
    eval_metrics=None,
    export_outputs=None,
    scaffold_fn=None,
    host_call=None,
    training_hooks=None,
    evaluation_hooks=None,
    prediction_hooks=None,
  ):
    for name, call in (("eval_metrics", eval_metrics), ("host_call", host_call)):
      if call is not None:
        _check_call(name, call)
    training_hooks = spec_checks.checked_hooks(training_hooks)
    evaluation_hooks = spec_checks.checked_hooks(evaluation_hooks)
    prediction_hooks = spec_checks.checked_hooks(prediction_hooks)
    train_op = spec_checks.checked_train_op(train_op, mode)
    loss = spec_checks.checked_loss(loss, mode)
    predictions = spec_checks.checked_predictions(predictions, mode)
    export_outputs = spec_checks.checked_export_outputs(export_outputs, predictions, mode)
    return super().__new__(
      cls,
      mode=mode,
      predictions=predictions,
      loss=loss,
      train_op=train_op,
      eval_metrics=eval_metrics,
      export_outputs=export_outputs,
      scaffold_fn=scaffold_fn,
      host_call=host_call,
      training_hooks=training_hooks,
      evaluation_hooks=evaluation_hooks,
      prediction_hooks=prediction_hooks,
    )

  def as_estimator_spec(self):
    """The EstimatorSpec of the same model, whose functions are called."""
    metrics = _called(self.eval_metrics)
    hooks = () if self.host_call is None else (_HostCallHook(_called(self.host_call)),)
    return EstimatorSpec(
      mode=self.mode,
      predictions=self.predictions,
      loss=self.loss,
      train_op=self.train_op,
      eval_metric_ops=metrics,
      export_outputs=self.export_outputs,
      scaffold=self.scaffold_fn() if self.scaffold_fn else None,
      training_hooks=tuple(self.training_hooks) + hooks,
      evaluation_hooks=tuple(self.evaluation_hooks) + hooks,
      prediction_hooks=tuple(self.prediction_hooks) + hooks,
    )
