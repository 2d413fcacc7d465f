"""A hook that ends all workers' trainings at a step, when it is saved."""

import os

import millrace as tf
from millrace.estimator import clock
from millrace.train import steps as steps_lib


class _StopAtCheckpointStepHook(tf.train.SessionRunHook):
  """Ends a worker's training only when there is a checkpoint of the last step."""

  def __init__(self, model_dir, last_step, wait_after_file_check_secs=30):
    if last_step is None:
      raise ValueError("last_step must be specified.")
    if model_dir is None:
      raise ValueError("model_dir must be specified.")
    self._model_dir = model_dir
    self._last_step = last_step
    self._wait_after_file_check_secs = wait_after_file_check_secs

  def begin(self):
    self._global_step_tensor = steps_lib._get_or_create_global_step_read()
    if self._global_step_tensor is None:
      raise RuntimeError("Global step should be created to use StopAtCheckpointStepHook.")

  def before_run(self, run_context):
    del run_context
    return tf.train.SessionRunArgs(self._global_step_tensor)

  def after_run(self, run_context, run_values):
    if run_values.results + 1 < self._last_step:
      return
    step = run_context.session.run(self._global_step_tensor)
    if step < self._last_step:
      return
    while self._checkpoint_step() < self._last_step:
      tf.logging.info("Waiting for a checkpoint of step %d.", self._last_step)
      clock.sleep(self._wait_after_file_check_secs)
    run_context.request_stop()

  def _checkpoint_step(self):
    path = tf.train.latest_checkpoint(self._model_dir)
    step = os.path.basename(path).rpartition("-")[2] if path else ""
    return int(step) if step.isdigit() else -1


def make_stop_at_checkpoint_step_hook(estimator, last_step, wait_after_file_check_secs=30):
  """A hook that ends the training at a step: workers wait until the chief has saved it, so that its checkpoint is whole."""
  if estimator.config.is_chief:
    return tf.train.StopAtStepHook(last_step=last_step)
  return _StopAtCheckpointStepHook(
    model_dir=estimator.model_dir, last_step=last_step, wait_after_file_check_secs=wait_after_file_check_secs
  )
