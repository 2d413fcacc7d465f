"""TrainSpec and EvalSpec: what `train_and_evaluate` does."""

import collections

import millrace as tf
from millrace.estimator import arguments
from millrace.estimator.exporters import Exporter


def _check_hooks(hooks):
  hooks = tuple(hooks or ())
  for hook in hooks:
    if not isinstance(hook, tf.train.SessionRunHook):
      raise TypeError(f"All hooks must be `SessionRunHook` instances, given: {hook}")
  return hooks


def _check_input_fn(input_fn):
  """Raises TypeError for what can't be called with a mode, parameters and a configuration, or some of them."""
  if not callable(input_fn):
    raise TypeError(f"`input_fn` must be callable, given: {input_fn}")
  arguments.names_of(input_fn)


class TrainSpec(collections.namedtuple("TrainSpec", ["input_fn", "max_steps", "hooks"])):
  """The training: its input, the step at which it ends (None for the end of the input), and its hooks.

  Raises TypeError and ValueError for values of other types and numbers.
  """

  def __new__(cls, input_fn, max_steps=None, hooks=None):
    _check_input_fn(input_fn)
    if max_steps is not None and max_steps <= 0:
      raise ValueError(f"Must specify max_steps > 0, given: {max_steps}")
    return super().__new__(cls, input_fn=input_fn, max_steps=max_steps, hooks=_check_hooks(hooks))


def _checked_exporters(exporters):
  """The exporters as a tuple, in the order of their names or their own. Raises ValueError and TypeError for what is none."""
  if not exporters:
    return ()
  if isinstance(exporters, Exporter):
    exporters = [exporters]
  try:
    exporters = tuple(exporters)
  except TypeError:
    exporters = (exporters,)
  for exporter in exporters:
    if not isinstance(exporter, Exporter):
      raise TypeError(f"`exporters` must be an Exporter, an iterable of Exporter, or `None`, found {exporter}.")
  names = [exporter.name for exporter in exporters]
  for i, name in enumerate(names):
    if not name:
      raise ValueError(f"An Exporter cannot have a name that is `None` or empty. All exporter names: {names}")
    if not isinstance(name, str):
      raise ValueError(f"An Exporter must have a string name. Given: {type(name)}")  # noqa: TRY004 (TensorFlow's class)
    if name in names[:i]:
      raise ValueError(f"`exporters` must have unique names. Such a name cannot be `None`. All exporter names: {names}")
  return exporters


class EvalSpec(
  collections.namedtuple("EvalSpec", ["input_fn", "steps", "name", "hooks", "exporters", "start_delay_secs", "throttle_secs"])
):
  """The evaluations: their input, number of batches (None for all), name, hooks and exporters.

  An evaluator begins after `start_delay_secs` seconds; between the beginnings of two evaluations are at least `throttle_secs`.
  Raises TypeError and ValueError for values of other types and numbers.
  """

  def __new__(cls, input_fn, steps=100, name=None, hooks=None, exporters=None, start_delay_secs=120, throttle_secs=600):
    _check_input_fn(input_fn)
    if steps is not None and steps <= 0:
      raise ValueError(f"Must specify steps > 0, given: {steps}")
    if name is not None and not isinstance(name, str):
      raise TypeError(f"`name` must be string, given: {name}")
    hooks = _check_hooks(hooks)
    exporters = _checked_exporters(exporters)
    if start_delay_secs < 0:
      raise ValueError(f"Must specify start_delay_secs >= 0, given: {start_delay_secs}")
    if throttle_secs < 0:
      raise ValueError(f"Must specify throttle_secs >= 0, given: {throttle_secs}")
    return super().__new__(
      cls,
      input_fn=input_fn,
      steps=steps,
      name=name,
      hooks=hooks,
      exporters=exporters,
      start_delay_secs=start_delay_secs,
      throttle_secs=throttle_secs,
    )
