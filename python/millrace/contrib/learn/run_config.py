"""RunConfig of tf.contrib.learn: reads TF_CONFIG as it was before tf.estimator, and serves both kinds of estimators."""

import copy

import millrace as tf
from millrace.estimator import cluster_environment
from millrace.estimator import run_config as core
from millrace.framework import protos
from millrace.train.cluster import ClusterSpec

_USE_DEFAULT = object()
_SAVE_CHECKPOINTS_SECS = 600
_REPLACEABLE = ["model_dir", "session_config", "save_checkpoints_secs", "save_checkpoints_steps", "tf_random_seed"]


class Environment:
  """Where a program runs: anything but LOCAL means that a server is started for the cluster."""

  CLOUD = "cloud"
  GOOGLE = "google"
  LOCAL = "local"


class TaskType:
  """The names of jobs."""

  MASTER = "master"
  PS = "ps"
  WORKER = "worker"


class ClusterConfig:
  """The place of a task in a cluster, as TF_CONFIG says it; `master` and `evaluation_master` are targets of sessions.

  The chief is the task `master`, or the first worker where there is none.
  """

  def __init__(self, master=None, evaluation_master=None):
    config = cluster_environment.read()
    environment_cluster = config.get("cluster", {})
    task = config.get("task", {})
    self._task_type = task.get("type")
    self._task_id = self.get_task_id()
    self._cluster_spec = ClusterSpec(environment_cluster)
    self._master = master if master is not None else _master(self._cluster_spec, self._task_type, self._task_id)
    self._num_ps_replicas = _count(self._cluster_spec, TaskType.PS)
    self._num_worker_replicas = _count(self._cluster_spec, TaskType.WORKER)
    self._evaluation_master = evaluation_master or ""
    self._environment = config.get("environment", Environment.LOCAL)
    self._is_chief = self._is_first(environment_cluster)

  def _is_first(self, cluster):
    if not self._task_type:
      return self._task_id == 0
    chiefs = [job for job in ("chief", TaskType.MASTER) if job in cluster] or [TaskType.WORKER]
    return self._task_type in chiefs and self._task_id == 0

  @property
  def cluster_spec(self):
    return self._cluster_spec

  @property
  def environment(self):
    return self._environment

  @property
  def evaluation_master(self):
    return self._evaluation_master

  @property
  def is_chief(self):
    return self._is_chief

  @property
  def master(self):
    return self._master

  @property
  def num_ps_replicas(self):
    return self._num_ps_replicas

  @property
  def num_worker_replicas(self):
    return self._num_worker_replicas

  @property
  def task_id(self):
    return self._task_id

  @property
  def task_type(self):
    return self._task_type

  @staticmethod
  def get_task_id():
    """The index of the task in TF_CONFIG, 0 without one."""
    index = cluster_environment.read().get("task", {}).get("index")
    return int(index) if index else 0


def _count(cluster_spec, job):
  return cluster_spec.num_tasks(job) if job in cluster_spec.jobs else 0


def _master(cluster_spec, task_type, task_id):
  """The target of sessions: this task's own server, or this process for a cluster of one task or none."""
  if not cluster_spec:
    return ""
  jobs = cluster_spec.jobs
  if len(jobs) == 1 and cluster_spec.num_tasks(jobs[0]) == 1:
    return ""
  # A task without type is no part of the cluster.
  if task_type is None or task_type not in jobs:
    if task_type not in (None, "evaluator"):
      raise ValueError(f"{task_type} is not a valid task_type in the cluster_spec:\n{cluster_spec}")
    return ""
  if task_id not in cluster_spec.task_indices(task_type):
    raise ValueError(f"{task_id} is not a valid task_id for task_type {task_type} in the cluster_spec:\n{cluster_spec}")
  return "grpc://" + cluster_spec.task_address(task_type, task_id)


class RunConfig(ClusterConfig, core.RunConfig):
  """The configuration of an estimator of tf.contrib.learn or tf.estimator. Raises ValueError for values that make no sense."""

  def __init__(
    self,
    master=None,
    num_cores=0,
    log_device_placement=False,
    gpu_memory_fraction=1,
    tf_random_seed=None,
    save_summary_steps=100,
    save_checkpoints_secs=_USE_DEFAULT,
    save_checkpoints_steps=None,
    keep_checkpoint_max=5,
    keep_checkpoint_every_n_hours=10000,
    log_step_count_steps=100,
    protocol=None,
    evaluation_master="",
    model_dir=None,
    session_config=None,
    session_creation_timeout_secs=7200,
  ):
    ClusterConfig.__init__(self, master=master, evaluation_master=evaluation_master)
    self._tf_config = protos.ConfigProto(
      log_device_placement=log_device_placement,
      inter_op_parallelism_threads=num_cores,
      intra_op_parallelism_threads=num_cores,
      gpu_options=protos.GPUOptions(per_process_gpu_memory_fraction=gpu_memory_fraction),
    )
    if save_checkpoints_secs is _USE_DEFAULT:
      save_checkpoints_secs = _SAVE_CHECKPOINTS_SECS if save_checkpoints_steps is None else None
    if save_checkpoints_secs is not None and save_checkpoints_steps is not None:
      raise ValueError("`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set.")
    self._set(
      {
        "model_dir": core._model_dir_of(cluster_environment.read(), model_dir),
        "tf_random_seed": tf_random_seed,
        "save_summary_steps": save_summary_steps,
        "save_checkpoints_secs": save_checkpoints_secs,
        "save_checkpoints_steps": save_checkpoints_steps,
        "session_config": session_config,
        "keep_checkpoint_max": keep_checkpoint_max,
        "keep_checkpoint_every_n_hours": keep_checkpoint_every_n_hours,
        "log_step_count_steps": log_step_count_steps,
        "protocol": protocol,
        "session_creation_timeout_secs": session_creation_timeout_secs,
        "train_distribute": None,
        "eval_distribute": None,
        "experimental_distribute": None,
        "device_fn": None,
        "experimental_max_worker_delay_secs": None,
      }
    )
    self._service = None
    self._global_id_in_cluster = None

  def uid(self, whitelist=None):
    """A text that is the same for configurations whose properties agree, without those of a task and `whitelist`."""
    left_out = {"_" + name for name in whitelist or ("master", "task_id", "is_chief", "cluster_spec", "task_type")}
    state = {key: str(value) for key, value in vars(self).items() if key not in left_out}
    return ", ".join(f"{key}={value!r}" for key, value in sorted(state.items()))

  def replace(self, **kwargs):
    """A copy with other properties. Raises ValueError for those that can't be replaced."""
    return core.RunConfig._replace(copy.deepcopy(self), allowed_properties_list=_REPLACEABLE, **kwargs)

  @property
  def tf_config(self):
    """The ConfigProto of the arguments about cores and memory."""
    return self._tf_config


def tf_config_of(config):
  """The configuration of sessions: the one that is given, or that of the arguments about cores and memory."""
  if config.session_config is not None:
    return config.session_config
  return getattr(config, "tf_config", None) or tf.ConfigProto()
