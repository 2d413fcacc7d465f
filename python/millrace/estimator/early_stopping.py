"""Hooks that end a training before its time, by what evaluations have found."""

import operator

import millrace as tf
from millrace.estimator import event_metrics
from millrace.estimator.estimator import Estimator


def make_early_stopping_hook(estimator, should_stop_fn, run_every_secs=60, run_every_steps=None):
  """A hook that ends the training of all workers when `should_stop_fn()` is true; the chief asks it every so often.

  Raises TypeError if `estimator` is none, ValueError for both times, or none.
  """
  if not isinstance(estimator, Estimator):
    raise TypeError(f"`estimator` must have type `tf.estimator.Estimator`. Got: {type(estimator)}")
  if run_every_secs is not None and run_every_steps is not None:
    raise ValueError("Only one of `run_every_secs` and `run_every_steps` must be set.")
  if estimator.config.is_chief:
    return _StopOnPredicateHook(should_stop_fn, run_every_secs, run_every_steps)
  return _CheckForStoppingHook()


def stop_if_higher_hook(estimator, metric_name, threshold, eval_dir=None, min_steps=0, run_every_secs=60, run_every_steps=None):
  """A hook that ends the training once a metric of an evaluation is above `threshold`, at the step `min_steps` or later."""
  return _threshold_hook(
    estimator, metric_name, threshold, operator.gt, "greater than", eval_dir, min_steps, run_every_secs, run_every_steps
  )


def stop_if_lower_hook(estimator, metric_name, threshold, eval_dir=None, min_steps=0, run_every_secs=60, run_every_steps=None):
  """A hook that ends the training once a metric of an evaluation is below `threshold`, at the step `min_steps` or later."""
  return _threshold_hook(
    estimator, metric_name, threshold, operator.lt, "less than", eval_dir, min_steps, run_every_secs, run_every_steps
  )


def stop_if_no_increase_hook(
  estimator, metric_name, max_steps_without_increase, eval_dir=None, min_steps=0, run_every_secs=60, run_every_steps=None
):
  """A hook that ends the training once a metric of evaluations has not become higher for so many steps."""
  return _no_better_hook(
    estimator,
    metric_name,
    max_steps_without_increase,
    operator.gt,
    "increase",
    eval_dir,
    min_steps,
    run_every_secs,
    run_every_steps,
  )


def stop_if_no_decrease_hook(
  estimator, metric_name, max_steps_without_decrease, eval_dir=None, min_steps=0, run_every_secs=60, run_every_steps=None
):
  """A hook that ends the training once a metric of evaluations has not become lower for so many steps."""
  return _no_better_hook(
    estimator,
    metric_name,
    max_steps_without_decrease,
    operator.lt,
    "decrease",
    eval_dir,
    min_steps,
    run_every_secs,
    run_every_steps,
  )


def _threshold_hook(estimator, metric_name, threshold, is_beyond, words, eval_dir, min_steps, run_every_secs, run_every_steps):
  eval_dir = eval_dir or estimator.eval_dir()

  def should_stop():
    for step, metrics in event_metrics.read_eval_metrics(eval_dir).items():
      if step < min_steps:
        continue
      value = metrics[metric_name]
      if is_beyond(value, threshold):
        tf.logging.info(
          'At step %s, metric "%s" has value %s which is %s the configured threshold (%s) for early stopping.',
          step,
          metric_name,
          value,
          words,
          threshold,
        )
        return True
    return False

  return make_early_stopping_hook(estimator, should_stop, run_every_secs, run_every_steps)


def _no_better_hook(estimator, metric_name, max_steps, is_better, words, eval_dir, min_steps, run_every_secs, run_every_steps):
  eval_dir = eval_dir or estimator.eval_dir()

  def should_stop():
    best, best_step = None, None
    for step, metrics in event_metrics.read_eval_metrics(eval_dir).items():
      if step < min_steps:
        continue
      value = metrics[metric_name]
      if best is None or is_better(value, best):
        best, best_step = value, step
      if step - best_step >= max_steps:
        tf.logging.info(
          'No %s in metric "%s" for %s steps, which is greater than or equal to max steps (%s) configured for early stopping.',
          words,
          metric_name,
          step - best_step,
          max_steps,
        )
        return True
    return False

  return make_early_stopping_hook(estimator, should_stop, run_every_secs, run_every_steps)


def _stop_variable():
  """The variable by which the chief tells the workers to stop."""
  with tf.variable_scope(name_or_scope="signal_early_stopping", values=[], reuse=tf.AUTO_REUSE):
    return tf.get_variable(
      name="STOP",
      shape=[],
      dtype=tf.bool,
      initializer=tf.constant_initializer(False),
      collections=[tf.GraphKeys.GLOBAL_VARIABLES],
      trainable=False,
    )


class _StopOnPredicateHook(tf.train.SessionRunHook):
  """The chief's: asks the function, and sets the variable."""

  def __init__(self, should_stop_fn, run_every_secs=60, run_every_steps=None):
    if not callable(should_stop_fn):
      raise TypeError("`should_stop_fn` must be callable.")
    self._should_stop_fn = should_stop_fn
    self._timer = tf.train.SecondOrStepTimer(every_secs=run_every_secs, every_steps=run_every_steps)

  def begin(self):
    self._global_step_tensor = tf.train.get_global_step()
    self._stop_op = tf.assign(_stop_variable(), True)

  def before_run(self, run_context):
    del run_context
    return tf.train.SessionRunArgs(self._global_step_tensor)

  def after_run(self, run_context, run_values):
    global_step = run_values.results
    if self._timer.should_trigger_for_step(global_step):
      self._timer.update_last_triggered_step(global_step)
      if self._should_stop_fn():
        tf.logging.info("Requesting early stopping at global step %d", global_step)
        run_context.session.run(self._stop_op)
        run_context.request_stop()


class _CheckForStoppingHook(tf.train.SessionRunHook):
  """A worker's: looks at the variable."""

  def begin(self):
    self._stop_var = _stop_variable()

  def before_run(self, run_context):
    del run_context
    return tf.train.SessionRunArgs(self._stop_var)

  def after_run(self, run_context, run_values):
    if run_values.results:
      tf.logging.info("Early stopping requested, suspending run.")
      run_context.request_stop()
