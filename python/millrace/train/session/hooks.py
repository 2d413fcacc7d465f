"""Hooks that stop, wait, count, log and check."""

import time

import numpy as np

import millrace as tf
from millrace.framework import errors
from millrace.train import steps
from millrace.train.session.hooks_base import SessionRunArgs, SessionRunHook

_HOOKS = "hooks"


class _HookTimer:
  """Base class of timers that say whether a hook is due."""

  def reset(self):
    """Begins anew: the next step is due."""

  def should_trigger_for_step(self, step):
    raise NotImplementedError

  def update_last_triggered_step(self, step):
    raise NotImplementedError

  def last_triggered_step(self):
    raise NotImplementedError


class SecondOrStepTimer(_HookTimer):
  """Is due every `every_secs` seconds or every `every_steps` steps: exactly one of both. The first step is always due."""

  def __init__(self, every_secs=None, every_steps=None):
    self.reset()
    self._every_secs = every_secs
    self._every_steps = every_steps
    if self._every_secs is None and self._every_steps is None:
      raise ValueError("Either every_secs or every_steps should be provided.")
    if (self._every_secs is not None) and (self._every_steps is not None):
      raise ValueError("Can not provide both every_secs and every_steps.")

  def reset(self):
    self._last_triggered_step = None
    self._last_triggered_time = None

  def should_trigger_for_step(self, step):
    """Whether something is due at `step`; one step is due only once."""
    if self._last_triggered_step is None:
      return True
    if self._last_triggered_step == step:
      return False
    if self._every_secs is not None and time.time() >= self._last_triggered_time + self._every_secs:
      return True
    return self._every_steps is not None and step >= self._last_triggered_step + self._every_steps

  def update_last_triggered_step(self, step):
    """Says that it was done at `step`; returns the seconds and steps since the last time, or (None, None)."""
    now = time.time()
    if self._last_triggered_time is None:
      elapsed = None, None
    else:
      elapsed = now - self._last_triggered_time, step - self._last_triggered_step
    self._last_triggered_time = now
    self._last_triggered_step = step
    return elapsed

  def last_triggered_step(self):
    return self._last_triggered_step


class NeverTriggerTimer(_HookTimer):
  """Is never due."""

  def should_trigger_for_step(self, step):
    _ = step
    return False

  def update_last_triggered_step(self, step):
    _ = step
    return (None, None)

  def last_triggered_step(self):
    return None


def as_graph_element(obj):
  """The element of the default graph that `obj` is or names."""
  graph = tf.get_default_graph()
  if not isinstance(obj, str):
    if not hasattr(obj, "graph") or obj.graph is not graph:
      raise ValueError(f"Passed {obj} should have graph attribute that is equal to current graph {graph}.")
    return obj
  if ":" in obj:
    return graph.as_graph_element(obj)
  element = graph.as_graph_element(obj + ":0")
  # A name without output is that of the op's only one.
  try:
    graph.as_graph_element(obj + ":1")
  except (KeyError, ValueError):
    return element
  raise ValueError(f"Name {obj} is ambiguous, as this `Operation` has multiple outputs (at least 2).")


class LoggingTensorHook(SessionRunHook):
  """Prints tensors every so many steps or seconds, or at the end.

  `tensors` is a map of tags to tensors or names, or a list of them. `formatter` makes a text of the map of tags to values.
  """

  def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False, formatter=None):
    only_at_end = at_end and (every_n_iter is None) and (every_n_secs is None)
    if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
      raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
    if every_n_iter is not None and every_n_iter <= 0:
      raise ValueError(f"invalid every_n_iter={every_n_iter}.")
    if not isinstance(tensors, dict):
      self._tag_order = tensors
      tensors = {item: item for item in tensors}
    else:
      self._tag_order = sorted(tensors.keys())
    self._tensors = tensors
    self._formatter = formatter
    self._timer = NeverTriggerTimer() if only_at_end else SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter)
    self._log_at_end = at_end

  def begin(self):
    self._timer.reset()
    self._iter_count = 0
    self._current_tensors = {tag: as_graph_element(tensor) for tag, tensor in self._tensors.items()}

  def before_run(self, run_context):
    self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
    return SessionRunArgs(self._current_tensors) if self._should_trigger else None

  def _log_tensors(self, tensor_values):
    original = np.get_printoptions()
    np.set_printoptions(suppress=True)
    elapsed_secs, _ = self._timer.update_last_triggered_step(self._iter_count)
    if self._formatter:
      tf.logging.info(self._formatter(tensor_values))
    else:
      # Numbers as their own type writes them: format() would show a float32 with the digits of a double.
      stats = ", ".join(f"{tag} = {tensor_values[tag]!s}" for tag in self._tag_order)
      if elapsed_secs is not None:
        tf.logging.info("%s (%.3f sec)", stats, elapsed_secs)
      else:
        tf.logging.info("%s", stats)
    np.set_printoptions(**original)

  def after_run(self, run_context, run_values):
    _ = run_context
    if self._should_trigger:
      self._log_tensors(run_values.results)
    self._iter_count += 1

  def end(self, session):
    if self._log_at_end:
      self._log_tensors(session.run(self._current_tensors))


class StopAtStepHook(SessionRunHook):
  """Ends the training after `num_steps` steps, or at the step `last_step`: exactly one of both."""

  def __init__(self, num_steps=None, last_step=None):
    if num_steps is None and last_step is None:
      raise ValueError("One of num_steps or last_step must be specified.")
    if num_steps is not None and last_step is not None:
      raise ValueError("Only one of num_steps or last_step can be specified.")
    self._num_steps = num_steps
    self._last_step = last_step

  def begin(self):
    self._global_step_tensor = steps._get_or_create_global_step_read()
    if self._global_step_tensor is None:
      raise RuntimeError("Global step should be created to use StopAtStepHook.")

  def after_create_session(self, session, coord):
    if self._last_step is None:
      self._last_step = session.run(self._global_step_tensor) + self._num_steps

  def before_run(self, run_context):
    return SessionRunArgs(self._global_step_tensor)

  def after_run(self, run_context, run_values):
    step = run_values.results + 1
    if step >= self._last_step:
      # The value was read in the run, maybe before its update.
      step = run_context.session.run(self._global_step_tensor)
      if step >= self._last_step:
        run_context.request_stop()


class NanLossDuringTrainingError(RuntimeError):
  """The loss is not a number."""

  def __str__(self):
    return "NaN loss during training."


class NanTensorHook(SessionRunHook):
  """Looks whether the loss is a number: else it raises, or ends the training if not `fail_on_nan_loss`."""

  def __init__(self, loss_tensor, fail_on_nan_loss=True):
    self._loss_tensor = loss_tensor
    self._fail_on_nan_loss = fail_on_nan_loss

  def before_run(self, run_context):
    return SessionRunArgs(self._loss_tensor)

  def after_run(self, run_context, run_values):
    if np.isnan(run_values.results):
      failure_message = "Model diverged with loss = NaN."
      if self._fail_on_nan_loss:
        tf.logging.error(failure_message)
        raise NanLossDuringTrainingError
      tf.logging.warning(failure_message)
      # No error: the training ends as if it were done.
      run_context.request_stop()


class GlobalStepWaiterHook(SessionRunHook):
  """Holds a worker's first run back until the global step is `wait_until_step`."""

  def __init__(self, wait_until_step):
    self._wait_until_step = wait_until_step

  def begin(self):
    self._worker_is_started = False
    self._global_step_tensor = steps._get_or_create_global_step_read()
    if self._global_step_tensor is None:
      raise RuntimeError("Global step should be created to use _GlobalStepWaiterHook.")

  def before_run(self, run_context):
    if self._worker_is_started:
      return
    if self._wait_until_step <= 0:
      self._worker_is_started = True
      return
    tf.logging.info("Waiting for global step %d before starting training.", self._wait_until_step)
    last_logged_step = 0
    while True:
      current_step = run_context.session.run(self._global_step_tensor)
      if current_step >= self._wait_until_step:
        tf.logging.info("Starting training.")
        self._worker_is_started = True
        return
      if current_step - last_logged_step > 1000:
        tf.logging.info(
          "Waiting for global step %d before starting training. Current step is %d.", self._wait_until_step, current_step
        )
        last_logged_step = current_step
      time.sleep(0.5)


class FinalOpsHook(SessionRunHook):
  """Runs ops at the end; `final_ops_values` are their results."""

  def __init__(self, final_ops, final_ops_feed_dict=None):
    self._final_ops = final_ops
    self._final_ops_feed_dict = final_ops_feed_dict
    self._final_ops_values = None

  @property
  def final_ops_values(self):
    return self._final_ops_values

  def end(self, session):
    if self._final_ops is None:
      return
    try:
      self._final_ops_values = session.run(self._final_ops, feed_dict=self._final_ops_feed_dict)
    except (errors.OutOfRangeError, StopIteration):
      tf.logging.warning(
        "The ops of FinalOpsHook have reached the end of an input. They should only read what the runs before have "
        "left in variables, not take another batch."
      )
      raise


class FeedFnHook(SessionRunHook):
  """Feeds each run with what a function returns."""

  def __init__(self, feed_fn):
    self.feed_fn = feed_fn

  def before_run(self, run_context):
    return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
