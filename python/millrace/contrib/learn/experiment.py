"""Experiment: an estimator with its inputs, and what each task of a cluster does with it."""

import math
import os

import millrace as tf
from millrace.contrib.learn import run_config as run_config_lib
from millrace.contrib.learn.evaluation_loops import EvaluationLoops
from millrace.contrib.learn.interfaces import Evaluable, Trainable
from millrace.contrib.learn.monitors import adapters
from millrace.contrib.learn.monitors.validation import ValidationMonitor
from millrace.estimator import clock, end_of_training, exit_codes, server_of_task
from millrace.estimator.estimator import Estimator as CoreEstimator

_STEPS_PER_WORKER = 8000.0


class Experiment(EvaluationLoops):
  """Trains, evaluates and exports an estimator of tf.contrib.learn or tf.estimator.

  `train_steps` is the step at which the training ends, `eval_steps` the batches of an evaluation (None for all). `train_monitors`
  are monitors or hooks. Evaluations within a training take place where there is a new checkpoint, every `min_eval_frequency` steps
  at most (1 by default, 1000 for a folder in Google's storage, never for 0).
  Evaluators begin after `eval_delay_secs` and wait `continuous_eval_throttle_secs` between two. Workers begin one after the other
  by time, or by the global step if `delay_workers_by_global_step`. `export_strategies` export after evaluations;
  `checkpoint_and_export` evaluates and exports at each checkpoint. `train_steps_per_iteration` are the steps between two
  evaluations of `continuous_train_and_eval`. `saving_listeners` are called around savings; a monitor looks for checkpoints every
  `check_interval_secs`. Raises ValueError for arguments that contradict each other.
  """

  def __init__(
    self,
    estimator,
    train_input_fn,
    eval_input_fn,
    eval_metrics=None,
    train_steps=None,
    eval_steps=100,
    train_monitors=None,
    eval_hooks=None,
    local_eval_frequency=None,
    eval_delay_secs=120,
    continuous_eval_throttle_secs=60,
    min_eval_frequency=None,
    delay_workers_by_global_step=False,
    export_strategies=None,
    train_steps_per_iteration=None,
    checkpoint_and_export=False,
    saving_listeners=None,
    check_interval_secs=5,
  ):
    if isinstance(estimator, CoreEstimator):
      self._core_estimator_used = True
      if eval_metrics is not None:
        raise ValueError("`eval_metrics` must be `None` with `tf.estimator.Estimator`, whose `EstimatorSpec` has them.")
    else:
      self._core_estimator_used = False
      if not isinstance(estimator, Evaluable):
        raise ValueError("`estimator` must implement `tf.contrib.learn.Evaluable` or `tf.estimator.Estimator`.")  # noqa: TRY004
      if not isinstance(estimator, Trainable):
        raise ValueError("`estimator` must implement `tf.contrib.learn.Trainable`or `tf.estimator.Estimator`.")  # noqa: TRY004
      if saving_listeners is not None:
        raise ValueError("`saving_listeners` must be `None` with `tf.contrib.learn.Estimator`.")
    if isinstance(estimator, CoreEstimator) and train_steps_per_iteration is not None and train_steps_per_iteration <= 0:
      raise ValueError("`train_steps_per_iteration` must be a positive number.")
    self._estimator = estimator
    self._train_input_fn = train_input_fn
    self._eval_input_fn = eval_input_fn
    self._eval_metrics = eval_metrics
    self._train_steps = train_steps
    self._eval_steps = eval_steps
    self._local_eval_frequency = local_eval_frequency
    self._eval_delay_secs = eval_delay_secs
    self._continuous_eval_throttle_secs = continuous_eval_throttle_secs
    self._checkpoint_and_export = checkpoint_and_export
    self._delay_workers_by_global_step = delay_workers_by_global_step
    self._train_monitors = list(train_monitors or [])
    self._eval_hooks = list(eval_hooks or [])
    if min_eval_frequency is None:
      min_eval_frequency = 1000 if str(estimator.model_dir or "").startswith("gs://") else 1
    self._min_eval_frequency = min_eval_frequency
    self._set_export_strategies(export_strategies)
    if train_steps_per_iteration is not None and not isinstance(train_steps_per_iteration, int):
      raise ValueError("`train_steps_per_iteration` must be an integer.")  # noqa: TRY004 (TensorFlow's class)
    self._train_steps_per_iteration = train_steps_per_iteration
    self._saving_listeners = list(saving_listeners or [])
    self._check_interval_secs = check_interval_secs

  @property
  def estimator(self):
    return self._estimator

  @property
  def eval_metrics(self):
    return self._eval_metrics

  @property
  def train_steps(self):
    return self._train_steps

  @property
  def eval_steps(self):
    return self._eval_steps

  def _set_export_strategies(self, values):
    from millrace.contrib.learn.export_strategy import ExportStrategy

    strategies = [] if values is None else [values] if isinstance(values, ExportStrategy) else list(values)
    for strategy in strategies:
      if not isinstance(strategy, ExportStrategy):
        raise ValueError(  # noqa: TRY004 (TensorFlow's class)
          f"`export_strategies` must be an ExportStrategy, an iterable of ExportStrategy, or `None`, found {values}."
        )
    self._export_strategies = tuple(strategies)

  def extend_train_hooks(self, additional_hooks):
    """Adds hooks or monitors to those of the training."""
    self._train_monitors.extend(additional_hooks)

  def reset_export_strategies(self, new_export_strategies=None):
    """Replaces the strategies of exports; returns the former ones."""
    old = self._export_strategies
    self._set_export_strategies(new_export_strategies)
    return old

  # Training.

  def train(self, delay_secs=None):
    """Trains to the step `train_steps`. On a cluster the task's server is started, and workers begin one after the other.

    `delay_secs` is how long to wait before; by default five seconds for each worker before.
    """
    config = self._estimator.config
    with exit_codes.worth_a_retry():
      self._start_server_if_needed()
      hooks = []
      if delay_secs is None:
        task_id = config.task_id or 0
        if self._delay_workers_by_global_step:
          wait_until = int(_STEPS_PER_WORKER * math.log(task_id + 1))
          hooks.append(tf.train.GlobalStepWaiterHook(wait_until))
          delay_secs = 0
        else:
          delay_secs = min(60, task_id * 5)
      if delay_secs > 0:
        tf.logging.info("Waiting %d secs before starting training.", delay_secs)
        clock.sleep(delay_secs)
      result = self._call_train(
        input_fn=self._train_input_fn,
        max_steps=self._train_steps,
        hooks=[*self._train_monitors, *hooks],
        saving_listeners=self._saving_listeners,
      )
      self._say_that_training_is_over()
      return result

  def _runs_on_cluster(self):
    config = self._estimator.config
    environment = getattr(config, "environment", run_config_lib.Environment.CLOUD)
    return bool(
      environment not in (run_config_lib.Environment.LOCAL, run_config_lib.Environment.GOOGLE)
      and config.cluster_spec
      and config.master
    )

  def _start_server_if_needed(self):
    if self._runs_on_cluster():
      config = self._estimator.config
      if config.is_chief:
        end_of_training.Marker(self._estimator.model_dir).remove()
      server_of_task.start(config)

  def _say_that_training_is_over(self):
    config = self._estimator.config
    if not self._runs_on_cluster():
      return
    if config.is_chief:
      end_of_training.Marker(self._estimator.model_dir).write(tf.train.latest_checkpoint(self._estimator.model_dir))
    end_of_training.report(config)

  def _call_train(self, input_fn=None, steps=None, hooks=None, max_steps=None, saving_listeners=None):
    if self._core_estimator_used:
      return self._estimator.train(
        input_fn=input_fn,
        steps=steps,
        max_steps=max_steps,
        hooks=adapters.replace_monitors_with_hooks(hooks, self._estimator),
        saving_listeners=saving_listeners,
      )
    return self._estimator.fit(input_fn=input_fn, steps=steps, max_steps=max_steps, monitors=hooks)

  def _call_evaluate(self, input_fn=None, steps=None, metrics=None, name=None, checkpoint_path=None, hooks=None):
    if self._core_estimator_used:
      if metrics is not None:
        raise ValueError("`eval_metrics` must be `None` with `tf.estimator.Estimator`")
      return self._estimator.evaluate(input_fn=input_fn, steps=steps, name=name, checkpoint_path=checkpoint_path, hooks=hooks)
    return self._estimator.evaluate(
      input_fn=input_fn, steps=steps, metrics=metrics, name=name, checkpoint_path=checkpoint_path, hooks=hooks
    )

  def train_and_evaluate(self):
    """Trains with evaluations in between, evaluates and exports; returns the metrics and what the exports returned."""
    with exit_codes.worth_a_retry():
      self._start_server_if_needed()
      listeners = []
      monitors = list(self._train_monitors)
      if self._checkpoint_and_export:
        listeners, monitors = self._checkpoint_and_export_parts(monitors)
      elif self._min_eval_frequency:
        monitors.append(
          ValidationMonitor(
            input_fn=self._eval_input_fn,
            eval_steps=self._eval_steps,
            metrics=self._eval_metrics,
            every_n_steps=self._min_eval_frequency,
            name=None,
            hooks=self._eval_hooks,
            check_interval_secs=self._check_interval_secs,
          )
        )
      self._call_train(
        input_fn=self._train_input_fn,
        max_steps=self._train_steps,
        hooks=monitors,
        saving_listeners=[*self._saving_listeners, *listeners],
      )
      result = self._evaluate_and_export(name=None)
      self._say_that_training_is_over()
      return result

  def _evaluate_and_export(self, name=None, checkpoint_path=None):
    """The metrics of a checkpoint, the newest by default, and what the exports returned."""
    metrics = self._call_evaluate(
      input_fn=self._eval_input_fn,
      steps=self._eval_steps,
      metrics=self._eval_metrics,
      name=name,
      checkpoint_path=checkpoint_path,
      hooks=self._eval_hooks,
    )
    return metrics, self._maybe_export(metrics, checkpoint_path)

  def _checkpoint_and_export_parts(self, monitors):
    """Listeners, and monitors, by which each checkpoint is evaluated and exported."""
    experiment = self

    class _Listener(tf.train.CheckpointSaverListener):
      def after_save(self, session, global_step_value):
        del session
        if global_step_value > 0:
          experiment._evaluate_and_export()

    if self._core_estimator_used:
      return [_Listener()], monitors
    config = self._estimator.config
    saver = tf.train.CheckpointSaverHook(
      self._estimator.model_dir,
      save_secs=config.save_checkpoints_secs,
      save_steps=config.save_checkpoints_steps,
      listeners=[_Listener()],
    )
    return [], [*monitors, saver]

  def _maybe_export(self, eval_result, checkpoint_path=None):
    """What the strategies of exports return, each into a folder of its name."""
    base = os.path.join(self._estimator.model_dir, "export")
    return [
      strategy.export(
        self._estimator, os.path.join(base, strategy.name), eval_result=eval_result, checkpoint_path=checkpoint_path
      )
      for strategy in self._export_strategies
    ]

  def local_run(self):
    """Trains and evaluates on this machine, every `local_eval_frequency` steps; returns as `train_and_evaluate` does."""
    if self._local_eval_frequency is not None:
      self._min_eval_frequency = self._local_eval_frequency
    return self.train_and_evaluate()

  def test(self):
    """Trains for a step, evaluates a batch and exports: whether everything works. Returns as `train_and_evaluate` does."""
    self._call_train(input_fn=self._train_input_fn, steps=1, hooks=self._train_monitors, saving_listeners=self._saving_listeners)
    metrics = self._call_evaluate(
      input_fn=self._eval_input_fn, steps=1, metrics=self._eval_metrics, name="one_pass", hooks=self._eval_hooks
    )
    return metrics, self._maybe_export(metrics)

  def run_std_server(self):
    """Keeps variables as a parameter server, until the training is over."""
    config = self._estimator.config
    server = server_of_task.start(config)
    if config.task_type == run_config_lib.TaskType.PS:
      end_of_training.wait_on_parameter_server(config)
      server.stop()
    else:
      server.join()
