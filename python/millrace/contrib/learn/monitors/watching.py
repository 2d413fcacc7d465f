"""Monitors that look at a variable, at the loss, and at the number of steps."""

import numpy as np

import millrace as tf
from millrace.contrib.learn.monitors.base import BaseMonitor, EveryN, output_of


class CaptureVariable(EveryN):
  """Keeps the values of a variable, by step in `values`."""

  def __init__(self, var_name, every_n=100, first_n=1):
    super().__init__(every_n, first_n)
    self._var_name = var_name
    self._var_values = {}

  @property
  def values(self):
    return self._var_values

  def every_n_step_begin(self, step):
    super().every_n_step_begin(step)
    return [self._var_name]

  def every_n_step_end(self, step, outputs):
    super().every_n_step_end(step, outputs)
    self._var_values[step] = output_of(outputs, self._var_name)
    return False


class NanLoss(EveryN):
  """Looks whether the loss is a number: else it raises, or ends the training if not `fail_on_nan_loss`."""

  def __init__(self, loss_tensor, every_n_steps=100, fail_on_nan_loss=True):
    super().__init__(every_n_steps=every_n_steps)
    self._loss_tensor = loss_tensor
    self._fail_on_nan_loss = fail_on_nan_loss

  def every_n_step_begin(self, step):
    super().every_n_step_begin(step)
    return [self._loss_tensor]

  def every_n_step_end(self, step, outputs):
    super().every_n_step_end(step, outputs)
    if not np.isnan(output_of(outputs, self._loss_tensor)):
      return False
    message = "Model diverged with loss = NaN."
    if self._fail_on_nan_loss:
      tf.logging.error(message)
      raise tf.train.NanLossDuringTrainingError
    tf.logging.warning(message)
    return True


class StopAtStep(BaseMonitor):
  """Ends the training after `num_steps` steps, or at the step `last_step`. Raises ValueError for both or none."""

  def __init__(self, num_steps=None, last_step=None):
    super().__init__()
    if num_steps is None and last_step is None:
      raise ValueError("One of num_steps or last_step must be specified.")
    if num_steps is not None and last_step is not None:
      raise ValueError("Only one of num_steps or last_step can be specified.")
    self._num_steps = num_steps
    self._last_step = last_step

  @property
  def run_on_all_workers(self):
    return True

  def step_begin(self, step):
    super().step_begin(step)
    if self._last_step is None:
      self._last_step = step + self._num_steps - 1
    return []

  def step_end(self, step, output):
    super().step_end(step, output)
    return step >= self._last_step
