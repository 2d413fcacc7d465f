"""Monitors as hooks."""

import inspect

import millrace as tf
from millrace.contrib.learn.monitors.printing import PrintTensor
from millrace.contrib.learn.monitors.saving import SummarySaver
from millrace.train.session.hooks import as_graph_element


class RunHookAdapterForMonitors(tf.train.SessionRunHook):
  """A hook that calls monitors around each step."""

  def __init__(self, monitors):
    self._monitors = monitors

  def begin(self):
    self._last_step = None
    self._global_step_tensor = tf.train.get_global_step()
    for monitor in self._monitors:
      monitor.begin(max_steps=None)

  def before_run(self, run_context):
    if self._last_step is None:
      self._last_step = int(run_context.session.run(self._global_step_tensor)) + 1
    fetches = {"global_step": self._global_step_tensor, "monitors": {}}
    for monitor in self._monitors:
      wanted = monitor.step_begin(self._last_step)
      if wanted and not isinstance(wanted, list):
        raise ValueError("Monitor.step_begin should return a list.")  # noqa: TRY004 (TensorFlow's class)
      for element in wanted or ():
        fetches["monitors"][element] = as_graph_element(element)
    return tf.train.SessionRunArgs(fetches)

  def after_run(self, run_context, run_values):
    outputs = run_values.results["monitors"]
    for monitor in self._monitors:
      if monitor.step_end(self._last_step, outputs):
        run_context.request_stop()
    for monitor in self._monitors:
      monitor.post_step(self._last_step, run_context.session)
    self._last_step = int(run_values.results["global_step"]) + 1

  def end(self, session):
    self._last_step = None
    for monitor in self._monitors:
      if "session" in inspect.signature(monitor.end).parameters:
        monitor.end(session=session)
      else:
        monitor.end()


def replace_monitors_with_hooks(monitors_or_hooks, estimator):
  """A list of hooks that do what monitors and hooks do, for other tasks than the chief without monitors of the chief alone."""
  items = list(monitors_or_hooks or [])
  hooks = [item for item in items if isinstance(item, tf.train.SessionRunHook)]
  monitors = [item for item in items if not isinstance(item, tf.train.SessionRunHook)]
  if not estimator.config.is_chief:
    monitors = [monitor for monitor in monitors if monitor.run_on_all_workers]
  for monitor in monitors:
    monitor.set_estimator(estimator)
  if monitors:
    hooks.append(RunHookAdapterForMonitors(monitors))
  return hooks


def get_default_monitors(loss_op=None, summary_op=None, save_summary_steps=100, output_dir=None, summary_writer=None):
  """Monitors that print the loss and write the summaries, of which there are."""
  monitors = []
  if loss_op is not None:
    monitors.append(PrintTensor(tensor_names={"loss": loss_op.name}))
  if summary_op is not None:
    monitors.append(SummarySaver(summary_op, save_steps=save_summary_steps, output_dir=output_dir, summary_writer=summary_writer))
  return monitors
