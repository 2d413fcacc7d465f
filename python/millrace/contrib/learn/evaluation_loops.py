"""The evaluations of an Experiment, once or of each new checkpoint."""

import time

import millrace as tf
from millrace.contrib.learn.sklearn_form import NotFittedError
from millrace.estimator import clock, end_of_training


class EvaluationLoops:
  """What evaluators do. Experiment derives from it."""

  def evaluate(self, delay_secs=None, name=None):
    """Evaluates the newest checkpoint after `delay_secs` seconds (the experiment's by default); returns the metrics."""
    if delay_secs is None:
      delay_secs = self._eval_delay_secs
    if delay_secs:
      tf.logging.info("Waiting %d secs before starting eval.", delay_secs)
      clock.sleep(delay_secs)
    return self._call_evaluate(
      input_fn=self._eval_input_fn,
      steps=self._eval_steps,
      metrics=self._eval_metrics,
      name=name or "one_pass",
      hooks=self._eval_hooks,
    )

  def continuous_eval(
    self,
    delay_secs=None,
    throttle_delay_secs=None,
    evaluate_checkpoint_only_once=True,
    continuous_eval_predicate_fn=None,
    name="continuous",
  ):
    """Evaluates new checkpoints (all, again and again, if not `evaluate_checkpoint_only_once`) and exports them.

    It ends after the checkpoint of the step `train_steps`, after the last checkpoint of a training on a cluster, or when
    `continuous_eval_predicate_fn(metrics)` is false; it is asked before the first one with None.
    """
    return self._continuous_eval(
      self._eval_input_fn,
      name=name,
      delay_secs=delay_secs,
      throttle_delay_secs=throttle_delay_secs,
      evaluate_checkpoint_only_once=evaluate_checkpoint_only_once,
      continuous_eval_predicate_fn=continuous_eval_predicate_fn,
    )

  def continuous_eval_on_train_data(
    self, delay_secs=None, throttle_delay_secs=None, continuous_eval_predicate_fn=None, name="continuous_on_train_data"
  ):
    """Does the same on the input of the training, without exports."""
    return self._continuous_eval(
      self._train_input_fn,
      name=name,
      delay_secs=delay_secs,
      throttle_delay_secs=throttle_delay_secs,
      continuous_eval_predicate_fn=continuous_eval_predicate_fn,
      export=False,
    )

  def _continuous_eval(
    self,
    input_fn,
    name,
    delay_secs,
    throttle_delay_secs,
    evaluate_checkpoint_only_once=True,
    continuous_eval_predicate_fn=None,
    export=True,
  ):
    if continuous_eval_predicate_fn is not None and not callable(continuous_eval_predicate_fn):
      raise ValueError("`continuous_eval_predicate_fn` must be a callable, or None.")
    delay_secs = self._eval_delay_secs if delay_secs is None else delay_secs
    throttle_delay_secs = self._continuous_eval_throttle_secs if throttle_delay_secs is None else throttle_delay_secs
    marker = end_of_training.Marker(self._estimator.model_dir)
    if delay_secs:
      tf.logging.info("Waiting %f secs before starting eval.", delay_secs)
      clock.sleep(delay_secs)
    previous, eval_result = None, None
    predicate = continuous_eval_predicate_fn or (lambda result: True)
    while predicate(eval_result):
      if self._has_training_stopped(eval_result):
        tf.logging.info("Exiting evaluation, global_step=%s >= train_steps=%s", eval_result["global_step"], self._train_steps)
        return
      begun = clock.time()
      is_over = marker.is_there()  # asked first: the checkpoint that is found then is the last one
      checkpoint = tf.train.latest_checkpoint(self._estimator.model_dir)
      if not checkpoint:
        tf.logging.warning("Estimator is not fitted yet. Will start an evaluation when a checkpoint will be ready.")
      elif evaluate_checkpoint_only_once and checkpoint == previous:
        tf.logging.warning("No new checkpoint ready for evaluation.")
      else:
        eval_result = self._evaluate_checkpoint(input_fn, checkpoint, name, export)
        previous = checkpoint
      if is_over:
        tf.logging.info("Exiting evaluation, as the training is over.")
        return
      if self._has_training_stopped(eval_result):
        continue
      rest = throttle_delay_secs - (clock.time() - begun)
      if rest > 0:
        tf.logging.info("Waiting %f secs before starting next eval run.", rest)
        clock.sleep(rest)

  def _evaluate_checkpoint(self, input_fn, checkpoint, name, export):
    try:
      result = self._call_evaluate(
        input_fn=input_fn,
        steps=self._eval_steps,
        metrics=self._eval_metrics,
        name=name,
        checkpoint_path=checkpoint,
        hooks=self._eval_hooks,
      )
    except NotFittedError:
      return None
    if export:
      self._maybe_export(result, checkpoint)
    return result

  def _has_training_stopped(self, eval_result):
    """Whether the checkpoint that was evaluated is that of the last step."""
    if not eval_result:
      return False
    step = eval_result.get(tf.GraphKeys.GLOBAL_STEP)
    return bool(step and self._train_steps and step >= self._train_steps)

  def continuous_train_and_eval(self, continuous_eval_predicate_fn=None):
    """Trains and evaluates in turn in this process, `train_steps_per_iteration` steps at a time (all of `train_steps` at once, or
    1000 without an end), until the step `train_steps` or until the function is false; exports after each. Returns the last
    metrics and what the exports returned."""
    if continuous_eval_predicate_fn is not None and not callable(continuous_eval_predicate_fn):
      raise ValueError("`continuous_eval_predicate_fn` must be a callable, or None.")
    predicate = continuous_eval_predicate_fn or (lambda result: True)
    steps = self._train_steps_per_iteration or self._train_steps or 1000
    eval_result, export_results = None, []
    while predicate(eval_result):
      if self._has_training_stopped(eval_result):
        break
      begun = time.time()
      reached = int(eval_result[tf.GraphKeys.GLOBAL_STEP]) if eval_result else self._reached_step()
      target = reached + steps
      if self._train_steps:
        target = min(target, self._train_steps)
      self._call_train(
        input_fn=self._train_input_fn,
        max_steps=target,
        hooks=self._train_monitors,
        saving_listeners=self._saving_listeners,
      )
      tf.logging.info("Training to step %d took %f secs.", target, time.time() - begun)
      eval_result, export_results = self._evaluate_and_export(name=None)
    return eval_result, export_results

  def _reached_step(self):
    checkpoint = tf.train.latest_checkpoint(self._estimator.model_dir)
    return int(tf.train.load_variable(checkpoint, tf.GraphKeys.GLOBAL_STEP)) if checkpoint else 0
