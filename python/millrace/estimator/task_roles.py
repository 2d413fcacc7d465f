"""train_and_evaluate: what each task of a cluster does, and one machine alone."""

import millrace as tf
from millrace.estimator import clock, end_of_training, exit_codes, server_of_task
from millrace.estimator import evaluator as evaluator_lib
from millrace.estimator.cluster_environment import TaskType
from millrace.estimator.estimator import Estimator
from millrace.estimator.train_specs import EvalSpec, TrainSpec

_DELAY_SECS_PER_WORKER = 5
_MAX_DELAY_SECS = 60
_Status = evaluator_lib.EvalStatus


def train_and_evaluate(estimator, train_spec, eval_spec):
  """Trains and evaluates: on one machine after each checkpoint, on a cluster what this task of TF_CONFIG has to do.

  On one machine it returns the metrics of the last evaluation and the list of what exporters returned. A parameter server's call
  returns when the training is over, an evaluator's after the last checkpoint. Raises TypeError for arguments of other types,
  ValueError for tasks that make no sense.
  """
  return TrainingExecutor(estimator, train_spec, eval_spec).run()


class TrainingExecutor:
  """Does the part of a task. `train_hooks` are added to those of the training; the listener is called around evaluations."""

  def __init__(self, estimator, train_spec, eval_spec, train_hooks=None, continuous_eval_listener=None):
    for value, cls, name in (
      (estimator, Estimator, "estimator"),
      (train_spec, TrainSpec, "train_spec"),
      (eval_spec, EvalSpec, "eval_spec"),
    ):
      if not isinstance(value, cls):
        raise TypeError(f"`{name}` must have type `tf.estimator.{cls.__name__}`. Got: {type(value)}")
    self._estimator = estimator
    self._train_spec = train_spec
    self._eval_spec = eval_spec
    self._train_hooks = tuple(train_hooks or ())
    for hook in self._train_hooks:
      if not isinstance(hook, tf.train.SessionRunHook):
        raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook}")
    if continuous_eval_listener and not isinstance(continuous_eval_listener, evaluator_lib.ContinuousEvalListener):
      raise TypeError(f"`continuous_eval_listener` must have type `_ContinuousEvalListener`. Given: {continuous_eval_listener}")
    self._listener = continuous_eval_listener or evaluator_lib.ContinuousEvalListener()

  @property
  def estimator(self):
    return self._estimator

  def run(self):
    """Does what the estimator's configuration says. Raises ValueError for a type of task that there isn't."""
    config = self._estimator.config
    if not config.cluster_spec and config.task_type != TaskType.EVALUATOR:
      tf.logging.info("Running training and evaluation locally (non-distributed).")
      return self.run_local()
    if not config.task_type:
      raise ValueError(
        "`estimator.config` must have task_type set. This usually means TF_CONFIG environment is not set correctly."
      )
    roles = {
      TaskType.CHIEF: self.run_chief,
      TaskType.EVALUATOR: self.run_evaluator,
      TaskType.MASTER: self.run_master,
      TaskType.PS: self.run_ps,
      TaskType.WORKER: self.run_worker,
    }
    if config.task_type not in roles:
      raise ValueError(f"Task type {config.task_type} is not supported. Supported task types are {list(roles)}")
    with exit_codes.worth_a_retry():
      return roles[config.task_type]()

  def run_local(self):
    """Trains, and evaluates after checkpoints, in this process."""
    config = self._estimator.config
    tf.logging.info(
      "Start train and evaluate loop. The evaluate will happen after every checkpoint. Checkpoint frequency is determined based "
      "on RunConfig arguments: save_checkpoints_steps %s or save_checkpoints_secs %s.",
      config.save_checkpoints_steps,
      config.save_checkpoints_secs,
    )
    listener = self._checkpoint_listener()
    self._estimator.train(
      input_fn=self._train_spec.input_fn,
      max_steps=self._train_spec.max_steps,
      hooks=[*self._train_spec.hooks, *self._train_hooks],
      saving_listeners=[listener],
    )
    result = listener.eval_result or evaluator_lib.EvalResult(_Status.MISSING_CHECKPOINT)
    return result.metrics, listener.export_results

  def _checkpoint_listener(self):
    evaluator = evaluator_lib.Evaluator(self._estimator, self._eval_spec, self._train_spec.max_steps)
    return evaluator_lib.CheckpointListener(evaluator, self._eval_spec.throttle_secs, self._listener)

  def run_chief(self):
    """Trains, with the checkpoints and summaries."""
    self._train_in_cluster()

  def run_worker(self):
    """Trains what the chief has initialized."""
    self._train_in_cluster()

  def run_master(self):
    """Does what a chief does, and evaluates after checkpoints."""
    self._train_in_cluster([self._checkpoint_listener()])

  def _train_in_cluster(self, saving_listeners=None):
    config = self._estimator.config
    marker = end_of_training.Marker(self._estimator.model_dir)
    if config.is_chief:
      marker.remove()
    server_of_task.start(config)
    delay = _start_delay_secs(config)
    if delay > 0:
      tf.logging.info("Waiting %d secs before starting training.", delay)
      clock.sleep(delay)
    self._estimator.train(
      input_fn=self._train_spec.input_fn,
      max_steps=self._train_spec.max_steps,
      hooks=[*self._train_spec.hooks, *self._train_hooks],
      saving_listeners=saving_listeners,
    )
    if config.is_chief:
      marker.write(self._estimator.latest_checkpoint())
    end_of_training.report(config)

  def run_ps(self):
    """Keeps variables until the training is over."""
    server = server_of_task.start(self._estimator.config)
    end_of_training.wait_on_parameter_server(self._estimator.config)
    server.stop()

  def run_evaluator(self):
    """Evaluates each checkpoint, until that of the last step or the last one of a training that is over."""
    config = self._estimator.config
    if config.task_id > 0:
      raise ValueError(
        f"For distributed training, there can only be one `evaluator` task (with task id 0).  Given task id {config.task_id}"
      )
    delay = self._eval_spec.start_delay_secs
    marker = end_of_training.Marker(self._estimator.model_dir)
    if delay:
      tf.logging.info("Waiting %f secs before starting eval.", delay)
      clock.sleep(delay)
    evaluator = evaluator_lib.Evaluator(self._estimator, self._eval_spec, self._train_spec.max_steps)
    last = None
    while not self._has_ended(last):
      begun = clock.time()
      is_over = marker.is_there()  # asked first: the checkpoint that is found then is the last one
      if not self._listener.before_eval():
        tf.logging.info("Exiting evaluation, as requested by _ContinuousEvalListener.before_eval.")
        return
      result, _ = evaluator.evaluate_and_export(is_over)
      if result.status == _Status.EVALUATED:
        last = result
      if not self._listener.after_eval(result):
        tf.logging.info("Exiting evaluation, as requested by _ContinuousEvalListener.after_eval.")
        return
      if is_over:
        if last is not None and not evaluator.is_final_export_triggered:
          evaluator.export_finally(last)
        tf.logging.info("Exiting evaluation, as the training is over.")
        return
      if not self._has_ended(last):
        self._throttle(begun, result)

  def _has_ended(self, last):
    """Whether the checkpoint of the last step was evaluated."""
    max_steps = self._train_spec.max_steps
    if last is None or not max_steps or last.metrics[tf.GraphKeys.GLOBAL_STEP] < max_steps:
      return False
    tf.logging.info("Exiting evaluation, global_step=%s >= train max_steps=%s", last.metrics[tf.GraphKeys.GLOBAL_STEP], max_steps)
    return True

  def _throttle(self, begun, result):
    """Waits until the next evaluation may begin."""
    rest = self._eval_spec.throttle_secs - (clock.time() - begun)
    if rest > 0:
      tf.logging.info("Waiting %f secs before starting next eval run.", rest)
      clock.sleep(rest)
    elif result.status != _Status.EVALUATED:
      if self._eval_spec.throttle_secs == 0:
        tf.logging.warning(
          "EvalSpec.throttle_secs is set as 0. This might overload the job before finding (next) new checkpoint. Please consider "
          "to increase it."
        )
      clock.sleep(1)


def _start_delay_secs(config):
  """How long a worker lets the chief and the workers before it train alone, which is steadier in the beginning."""
  if config.task_type != TaskType.WORKER:
    return 0
  most = config.experimental_max_worker_delay_secs
  return min(_MAX_DELAY_SECS if most is None else int(most), (config.task_id + 1) * _DELAY_SECS_PER_WORKER)
