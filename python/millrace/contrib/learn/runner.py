"""learn_runner: runs what an Experiment has to do in this task."""

import millrace as tf
from millrace.contrib.learn.experiment import Experiment
from millrace.contrib.learn.run_config import TaskType


def _is_distributed(config):
  if not config.cluster_spec:
    return False
  jobs = config.cluster_spec.jobs
  return len(jobs) > 1 or any(config.cluster_spec.num_tasks(job) > 1 for job in jobs)


def _default_schedule(config):
  """The method of a task's type. Raises ValueError for a type that has none."""
  if not config or not _is_distributed(config):
    return "train_and_evaluate"
  if not config.task_type:
    raise ValueError("Must specify a schedule")
  schedule = {
    TaskType.MASTER: "train_and_evaluate",
    "chief": "train",
    TaskType.PS: "run_std_server",
    TaskType.WORKER: "train",
    "evaluator": "continuous_eval",
  }.get(config.task_type)
  if schedule is None:
    raise ValueError(f"No default schedule for task type: {config.task_type}")
  return schedule


def _execute_schedule(experiment, schedule):
  """Calls a method of an experiment. Raises ValueError if there is none of that name, TypeError if it is no method."""
  if not hasattr(experiment, schedule):
    tf.logging.error("Schedule references non-existent task %s", schedule)
    valid = [name for name in dir(experiment) if not name.startswith("_") and callable(getattr(experiment, name))]
    tf.logging.error("Allowed values for this experiment are: %s", valid)
    raise ValueError(f"Schedule references non-existent task {schedule}")
  task = getattr(experiment, schedule)
  if not callable(task):
    tf.logging.error("Schedule references non-callable member %s", schedule)
    raise TypeError(f"Schedule references non-callable member {schedule}")
  return task()


def _experiment_of(experiment_fn, *args):
  if not callable(experiment_fn):
    raise TypeError(f'Experiment builder "{experiment_fn}" is not callable.')
  experiment = experiment_fn(*args)
  if not isinstance(experiment, Experiment):
    raise TypeError(f"Experiment builder did not return an Experiment instance, got {type(experiment)} instead.")
  return experiment


def run(experiment_fn, output_dir=None, schedule=None, run_config=None, hparams=None):
  """Makes an experiment and calls its method `schedule`, by default the one of the task in TF_CONFIG; returns what that does.

  `experiment_fn` is called with `output_dir`, or with `run_config` and `hparams`. Raises ValueError for both or neither, and
  for a configuration without a folder.
  """
  if output_dir is not None and run_config is not None:
    raise ValueError("Cannot provide both `output_dir` and `run_config`")
  if output_dir is None and run_config is None:
    raise ValueError("Must set value for `output_dir` or `run_config`")
  if run_config is not None:
    if not run_config.model_dir:
      raise ValueError("Must have non-empty value in `run_config`'s `model_dir`")
    experiment = _experiment_of(experiment_fn, run_config, hparams)
    config = experiment.estimator.config
    if run_config.model_dir != config.model_dir:
      raise RuntimeError(
        "`RunConfig` instance is expected to be used by the `Estimator` inside the `Experiment`. expected folder: "
        + str(run_config.model_dir)
      )
  else:
    if not output_dir:
      raise ValueError("Must have non-empty value in `output_dir`")
    if hparams is not None:
      raise ValueError("Must set `run_config` when `hparams` is set")
    experiment = _experiment_of(experiment_fn, output_dir)
    config = experiment.estimator.config
  return _execute_schedule(experiment, schedule or _default_schedule(config))


def tune(experiment_fn, tuner):
  """Runs an experiment for each trial that a tuner has."""
  while tuner.next_trial():
    tuner.run_experiment(experiment_fn)
