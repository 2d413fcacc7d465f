"""The evaluations of `train_and_evaluate`: of each new checkpoint, followed by exports."""

import os

import millrace as tf


class EvalStatus:
  """What came of an evaluation."""

  EVALUATED = "evaluated"
  MISSING_CHECKPOINT = "missing checkpoint"
  NO_NEW_CHECKPOINT = "no new checkpoint"


class EvalResult:
  """What came of an evaluation; `metrics` and `checkpoint_path` are there if it took place."""

  def __init__(self, status, metrics=None, checkpoint_path=None):
    if status == EvalStatus.EVALUATED:
      if not isinstance(metrics, dict) or not metrics:
        raise TypeError(f"`Estimator.evaluate` should return dict. Given {type(metrics)}.")
      if tf.GraphKeys.GLOBAL_STEP not in metrics:
        raise ValueError(f"Internal error: the output of `Estimator.evaluate` should contain `global_step`. Given: {metrics}.")
    self.status = status
    self.metrics = metrics
    self.checkpoint_path = checkpoint_path


class ContinuousEvalListener:
  """Is called around each evaluation; ends the evaluations (and the training, on one machine) by returning False."""

  def before_eval(self):
    """Whether to evaluate now."""
    return True

  def after_eval(self, eval_result):
    """Whether to go on."""
    del eval_result
    return True


class Evaluator:
  """Evaluates the newest checkpoint if it is another one than the last time."""

  def __init__(self, estimator, eval_spec, max_training_steps):
    self._estimator = estimator
    self._eval_spec = eval_spec
    self._max_training_steps = max_training_steps
    self._previous_checkpoint = None
    self._last_warning_time = 0
    self._is_final_export_triggered = False

  @property
  def is_final_export_triggered(self):
    """Whether exporters were told that the training is over."""
    return self._is_final_export_triggered

  def evaluate_and_export(self, is_over=False):
    """Returns an EvalResult and the list of what exporters returned. `is_over` says that there will be no other checkpoint."""
    checkpoint = self._estimator.latest_checkpoint()
    if not checkpoint:
      self._warn("Estimator is not trained yet. Will start an evaluation when a checkpoint is ready.")
      return EvalResult(EvalStatus.MISSING_CHECKPOINT), []
    if checkpoint == self._previous_checkpoint:
      self._warn(
        "No new checkpoint ready for evaluation. Skip the current evaluation pass as evaluation results are expected to be same "
        "for the same checkpoint."
      )
      return EvalResult(EvalStatus.NO_NEW_CHECKPOINT), []
    checkpoint, metrics = self._evaluated(checkpoint)
    result = EvalResult(EvalStatus.EVALUATED, metrics, checkpoint)
    step, last = metrics[tf.GraphKeys.GLOBAL_STEP], self._max_training_steps
    exports = self._export(result, is_the_final_export=bool(last and step >= last) or is_over)
    self._last_warning_time = 0
    self._previous_checkpoint = checkpoint
    return result, exports

  def _evaluated(self, checkpoint):
    """Returns the checkpoint that was evaluated, and its metrics: the newest one where the training has removed this one meanwhile."""
    while True:
      try:
        return checkpoint, self._estimator.evaluate(
          input_fn=self._eval_spec.input_fn,
          steps=self._eval_spec.steps,
          name=self._eval_spec.name,
          checkpoint_path=checkpoint,
          hooks=self._eval_spec.hooks,
        )
      except (ValueError, tf.errors.OpError):
        newest = self._estimator.latest_checkpoint()
        if not newest or newest == checkpoint or tf.train.checkpoint_exists(checkpoint):
          raise
        tf.logging.info("The training has removed %s before it was evaluated; %s is next.", checkpoint, newest)
        checkpoint = newest

  def export_finally(self, eval_result):
    """Tells exporters that the checkpoint which was evaluated is the last one."""
    return self._export(eval_result, is_the_final_export=True)

  def _warn(self, message):
    """Says something at most once in ten minutes."""
    from millrace.estimator import clock

    now = clock.time()
    if now - self._last_warning_time > 600:
      tf.logging.warning(message)
      self._last_warning_time = now

  def _export(self, eval_result, is_the_final_export):
    if is_the_final_export:
      self._is_final_export_triggered = True
    base = os.path.join(self._estimator.model_dir, "export")
    return [self._exported(exporter, base, eval_result, is_the_final_export) for exporter in self._eval_spec.exporters]

  def _exported(self, exporter, base, eval_result, is_the_final_export):
    """Returns what the exporter does; None where the training has removed the checkpoint meanwhile, and there will be another."""
    try:
      return exporter.export(
        estimator=self._estimator,
        export_path=os.path.join(base, exporter.name),
        checkpoint_path=eval_result.checkpoint_path,
        eval_result=eval_result.metrics,
        is_the_final_export=is_the_final_export,
      )
    except (ValueError, tf.errors.OpError):
      if is_the_final_export or tf.train.checkpoint_exists(eval_result.checkpoint_path):
        raise
      tf.logging.info("The training has removed %s before it was exported.", eval_result.checkpoint_path)
      return None


class CheckpointListener(tf.train.CheckpointSaverListener):
  """Evaluates after checkpoints of a training in this process, at most every so many seconds, and after the last one."""

  def __init__(self, evaluator, throttle_secs, continuous_eval_listener=None):
    self._evaluator = evaluator
    self._throttle_secs = throttle_secs
    self._listener = continuous_eval_listener or ContinuousEvalListener()
    self.eval_result = None
    self.export_results = None

  def begin(self):
    self._timer = tf.train.SecondOrStepTimer(every_secs=self._throttle_secs)
    self._is_first_run = True

  def after_save(self, session, global_step_value):
    del session
    if self._is_first_run:
      # The first checkpoint is that of a model which has not been trained in this run.
      self._is_first_run = False
      return None
    if not self._listener.before_eval():
      tf.logging.info("Exiting evaluation, as requested by _ContinuousEvalListener.before_eval.")
      return True
    if self._timer.should_trigger_for_step(global_step_value):
      self._evaluate(global_step_value)
      if not self._listener.after_eval(self.eval_result):
        tf.logging.info("Exiting evaluation, as requested by _ContinuousEvalListener.after_eval.")
        return True
    else:
      tf.logging.info("Skip the current checkpoint eval due to throttle secs (%s secs).", self._throttle_secs)
    return None

  def end(self, session, global_step_value):
    del session
    if global_step_value != self._timer.last_triggered_step() and self._listener.before_eval():
      self._evaluate(global_step_value)
      self._listener.after_eval(self.eval_result)

  def _evaluate(self, global_step_value):
    self._timer.update_last_triggered_step(global_step_value)
    self.eval_result, self.export_results = self._evaluator.evaluate_and_export()
    if self.eval_result.status != EvalStatus.EVALUATED:
      raise RuntimeError(f"There was no new checkpoint after the training. Eval status: {self.eval_result.status}")
