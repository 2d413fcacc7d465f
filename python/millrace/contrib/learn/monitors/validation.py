"""ValidationMonitor: evaluations during a training, which end it when they don't get better."""

import time

import millrace as tf
from millrace.contrib.learn.monitors.base import EveryN


class ValidationMonitor(EveryN):
  """Evaluates a new checkpoint every `every_n_steps` steps, at most every `check_interval_secs` seconds.

  The arguments before are those of `evaluate`. With `early_stopping_rounds` the training ends when a metric has not got better
  for so many steps. Raises ValueError without an input.
  """

  def __init__(
    self,
    x=None,
    y=None,
    input_fn=None,
    batch_size=None,
    eval_steps=None,
    every_n_steps=100,
    metrics=None,
    hooks=None,
    early_stopping_rounds=None,
    early_stopping_metric="loss",
    early_stopping_metric_minimize=True,
    name=None,
    check_interval_secs=5,
  ):
    super().__init__(every_n_steps=every_n_steps, first_n_steps=-1)
    if x is None and input_fn is None:
      raise ValueError("Either x or input_fn should be provided.")
    self.x = x
    self.y = y
    self.input_fn = input_fn
    self.batch_size = batch_size
    self.eval_steps = eval_steps
    self.metrics = metrics
    self.hooks = hooks
    self.early_stopping_rounds = early_stopping_rounds
    self.early_stopping_metric = early_stopping_metric
    self.early_stopping_metric_minimize = early_stopping_metric_minimize
    self.name = name
    self.check_interval_secs = check_interval_secs
    self._best_value_step = None
    self._best_value = None
    self._best_metrics = None
    self._early_stopped = False
    self._latest_path = None
    self._latest_path_step = None
    self._last_checkpoint_check_time = None

  @property
  def early_stopped(self):
    """Whether it ended the training."""
    return self._early_stopped

  @property
  def best_step(self):
    """The step of the best evaluation."""
    return self._best_value_step

  @property
  def best_value(self):
    """The best value of the metric."""
    return self._best_value

  @property
  def best_metrics(self):
    """All metrics of the best evaluation."""
    return self._best_metrics

  def set_estimator(self, estimator):
    super().set_estimator(estimator)
    if estimator.config.task_id != 0 and not estimator.config.is_chief:
      tf.logging.warning("ValidationMonitor is on a worker that is not the chief.")

  def _evaluate_estimator(self):
    """The metrics of the newest checkpoint."""
    from millrace.estimator.estimator import Estimator

    if isinstance(self._estimator, Estimator):
      if self.x is not None or self.y is not None or self.batch_size is not None or self.metrics is not None:
        raise ValueError(
          "tf.estimator.Estimator does not support following arguments: x, y, batch_size, metrics. Should set as `None` in "
          "ValidationMonitor"
        )
      return self._estimator.evaluate(input_fn=self.input_fn, steps=self.eval_steps, hooks=self.hooks, name=self.name)
    return self._estimator.evaluate(
      x=self.x,
      y=self.y,
      input_fn=self.input_fn,
      batch_size=self.batch_size,
      steps=self.eval_steps,
      metrics=self.metrics,
      hooks=self.hooks,
      name=self.name,
    )

  def every_n_step_end(self, step, outputs):
    super().every_n_step_end(step, outputs)
    if self._estimator is None:
      raise ValueError("Missing call to set_estimator.")
    now = time.time()
    if self._last_checkpoint_check_time is not None and now - self._last_checkpoint_check_time < self.check_interval_secs:
      tf.logging.debug("Skipping evaluation since less than %d seconds have passed since last check.", self.check_interval_secs)
      return False
    self._last_checkpoint_check_time = now
    latest_path = tf.train.latest_checkpoint(self._estimator.model_dir)
    if latest_path is None:
      tf.logging.debug("Skipping evaluation since model has not been saved yet at step %d.", step)
      return False
    if latest_path == self._latest_path:
      tf.logging.debug("Skipping evaluation due to same checkpoint %s for step %d.", latest_path, step)
      return False
    self._latest_path = latest_path
    self._latest_path_step = step
    results = self._evaluate_estimator()
    tf.logging.info("Validation (step %d): %s", step, ", ".join(f"{name} = {value!s}" for name, value in results.items()))
    return self._is_no_better(step, results)

  def _is_no_better(self, step, results):
    """Whether the metric has not got better for as many steps as it may."""
    if self.early_stopping_rounds is None:
      return False
    if self.early_stopping_metric not in results:
      raise ValueError(f"Metric {self.early_stopping_metric} missing from outputs {set(results)}.")
    value = results[self.early_stopping_metric]
    sign = -1 if self.early_stopping_metric_minimize else 1
    if self._best_value is None or sign * value > sign * self._best_value:
      self._best_value, self._best_metrics, self._best_value_step = value, dict(results), step
    if step - self._best_value_step < self.early_stopping_rounds:
      return False
    tf.logging.info("Stopping. Best step: %s with %s = %s.", self._best_value_step, self.early_stopping_metric, self._best_value)
    self._early_stopped = True
    return True
