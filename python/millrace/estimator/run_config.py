"""RunConfig: how an estimator runs: where it keeps its files, how often it saves, and its place in a cluster."""

import copy
import os

import millrace as tf
from millrace.estimator import arguments, cluster_environment
from millrace.estimator.cluster_environment import TaskType
from millrace.framework import protos

_USE_DEFAULT = object()
_SAVE_CHECKPOINTS_SECS = 600
_REPLACEABLE = [
  "model_dir",
  "tf_random_seed",
  "save_summary_steps",
  "save_checkpoints_steps",
  "save_checkpoints_secs",
  "session_config",
  "keep_checkpoint_max",
  "keep_checkpoint_every_n_hours",
  "log_step_count_steps",
  "train_distribute",
  "device_fn",
  "protocol",
  "eval_distribute",
  "experimental_distribute",
  "experimental_max_worker_delay_secs",
  "session_creation_timeout_secs",
]
_BOTH_SET = "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."


def default_session_config():
  """The configuration of sessions for a training on one machine."""
  config = protos.ConfigProto(allow_soft_placement=True)
  config.graph_options.rewrite_options.meta_optimizer_iterations = protos.RewriterConfig.ONE
  return config


def _device_filters(task_type, task_id):
  """The devices that sessions of a task use, or None for all: workers don't wait for each other."""
  if task_type in (TaskType.MASTER, TaskType.CHIEF):
    return ["/job:ps", f"/job:{task_type}"]
  if task_type == TaskType.WORKER:
    return ["/job:ps", f"/job:worker/task:{task_id}"]
  if task_type == TaskType.PS:
    return ["/job:ps", "/job:worker", "/job:chief", "/job:master"]
  return None


def _model_dir_of(tf_config, model_dir):
  """The folder that the argument or TF_CONFIG names. Raises ValueError if they name two."""
  if model_dir is not None:
    model_dir = os.fspath(model_dir)
  if model_dir == "":
    raise ValueError("model_dir should be non-empty.")
  environment = tf_config.get("model_dir")
  if environment == "":
    raise ValueError("model_dir in TF_CONFIG should be non-empty.")
  if environment is None:
    return model_dir
  if model_dir is not None and model_dir != environment:
    raise ValueError(
      "`model_dir` provided in RunConfig construct, if set, must have the same value as the model_dir in TF_CONFIG. "
      f'model_dir: {model_dir}\nTF_CONFIG["model_dir"]: {environment}.\n'
    )
  tf.logging.info("Using model_dir in TF_CONFIG: %s", environment)
  return environment


def _is_int(value):
  return isinstance(value, int) or type(value).__module__ == "numpy" and value.dtype.kind in "iu"


def _check(name, value):
  """Raises ValueError if a property can't have a value that isn't None."""
  if name in ("save_summary_steps", "save_checkpoints_steps", "save_checkpoints_secs", "keep_checkpoint_max"):
    good, words = value >= 0, f"{name} should be >= 0"
  elif name in ("keep_checkpoint_every_n_hours", "log_step_count_steps", "session_creation_timeout_secs"):
    good, words = value > 0, f"{name} should be > 0"
  elif name == "session_config":
    good, words = protos.is_message(value, "ConfigProto"), "session_config must be instance of ConfigProto"
  elif name == "tf_random_seed":
    good, words = _is_int(value), "tf_random_seed must be integer."
  elif name == "experimental_max_worker_delay_secs":
    good, words = _is_int(value), "experimental_max_worker_delay_secs must be an integer if set."
  elif name == "device_fn":
    good = callable(value) and set(arguments.names_of(value)) == {"op"}
    words = 'device_fn must be callable with exactly one argument "op".'
  elif name == "protocol":
    good, words = value in ("grpc", "grpc+verbs"), "protocol should be grpc or grpc+verbs"
  elif name in ("train_distribute", "eval_distribute", "experimental_distribute"):
    good = False
    words = (
      f"{name} has to be None: tf.distribute is not part of Millrace. A cluster in TF_CONFIG trains one model by several workers."
    )
  else:
    return
  if not good:
    raise ValueError(words)


class RunConfig:
  """The configuration of an estimator. It isn't changed; `replace` makes another one.

  Checkpoints are saved every `save_checkpoints_steps` steps or `save_checkpoints_secs` seconds (600 if neither is given; None
  switches it off). The place in a cluster is read from TF_CONFIG. Raises ValueError for values that make no sense.
  """

  def __init__(
    self,
    model_dir=None,
    tf_random_seed=None,
    save_summary_steps=100,
    save_checkpoints_steps=_USE_DEFAULT,
    save_checkpoints_secs=_USE_DEFAULT,
    session_config=None,
    keep_checkpoint_max=5,
    keep_checkpoint_every_n_hours=10000,
    log_step_count_steps=100,
    train_distribute=None,
    device_fn=None,
    protocol=None,
    eval_distribute=None,
    experimental_distribute=None,
    experimental_max_worker_delay_secs=None,
    session_creation_timeout_secs=7200,
  ):
    if save_checkpoints_steps is _USE_DEFAULT and save_checkpoints_secs is _USE_DEFAULT:
      save_checkpoints_steps, save_checkpoints_secs = None, _SAVE_CHECKPOINTS_SECS
    elif save_checkpoints_secs is _USE_DEFAULT:
      save_checkpoints_secs = None
    elif save_checkpoints_steps is _USE_DEFAULT:
      save_checkpoints_steps = None
    elif save_checkpoints_steps is not None and save_checkpoints_secs is not None:
      raise ValueError(_BOTH_SET)
    tf_config = cluster_environment.read()
    if tf_config:
      tf.logging.info("TF_CONFIG environment variable: %s", tf_config)
    model_dir = _model_dir_of(tf_config, model_dir)
    self._set(
      {
        "model_dir": model_dir,
        "tf_random_seed": tf_random_seed,
        "save_summary_steps": save_summary_steps,
        "save_checkpoints_steps": save_checkpoints_steps,
        "save_checkpoints_secs": save_checkpoints_secs,
        "session_config": session_config,
        "keep_checkpoint_max": keep_checkpoint_max,
        "keep_checkpoint_every_n_hours": keep_checkpoint_every_n_hours,
        "log_step_count_steps": log_step_count_steps,
        "train_distribute": train_distribute,
        "device_fn": device_fn,
        "protocol": protocol,
        "eval_distribute": eval_distribute,
        "experimental_distribute": experimental_distribute,
        "experimental_max_worker_delay_secs": experimental_max_worker_delay_secs,
        "session_creation_timeout_secs": session_creation_timeout_secs,
      }
    )
    for name, value in cluster_environment.setting_of(tf_config)._asdict().items():
      setattr(self, "_" + name, value)
    self._use_device_filters(tf_config)

  def _use_device_filters(self, tf_config):
    """Without a configuration of sessions, those of a cluster see only the devices that their task uses."""
    if self._session_config is not None or not tf_config.get("cluster"):
      return
    filters = _device_filters(self._task_type, self._task_id)
    if filters is not None:
      self._session_config = default_session_config()
      self._session_config.device_filters.extend(filters)

  def _set(self, properties):
    for name, value in properties.items():
      if name == "session_config" and protos.is_message(value, "ConfigProto"):
        value = protos.coerce(protos.ConfigProto, value)
      if value is not None:
        _check(name, value)
      setattr(self, "_" + name, value)

  def replace(self, **kwargs):
    """A copy with other properties. Raises ValueError for those that can't be replaced."""
    return RunConfig._replace(copy.deepcopy(self), allowed_properties_list=_REPLACEABLE, **kwargs)

  @staticmethod
  def _replace(config, allowed_properties_list=None, **kwargs):
    """Changes a configuration and returns it: saving by steps ends that by seconds, and the other way round."""
    allowed = allowed_properties_list or []
    for name in kwargs:
      if name not in allowed:
        raise ValueError(f"Replacing {name} is not supported. Allowed properties are {allowed}.")
    steps, secs = kwargs.get("save_checkpoints_steps"), kwargs.get("save_checkpoints_secs")
    if steps is not None and secs is not None:
      raise ValueError(_BOTH_SET)
    if steps is not None:
      kwargs["save_checkpoints_secs"] = None
    elif secs is not None:
      kwargs["save_checkpoints_steps"] = None
    config._set(kwargs)
    return config

  @property
  def model_dir(self):
    return self._model_dir

  @property
  def tf_random_seed(self):
    return self._tf_random_seed

  @property
  def save_summary_steps(self):
    return self._save_summary_steps

  @property
  def save_checkpoints_steps(self):
    return self._save_checkpoints_steps

  @property
  def save_checkpoints_secs(self):
    return self._save_checkpoints_secs

  @property
  def session_config(self):
    return self._session_config

  @property
  def keep_checkpoint_max(self):
    return self._keep_checkpoint_max

  @property
  def keep_checkpoint_every_n_hours(self):
    return self._keep_checkpoint_every_n_hours

  @property
  def log_step_count_steps(self):
    return self._log_step_count_steps

  @property
  def train_distribute(self):
    return self._train_distribute

  @property
  def eval_distribute(self):
    return self._eval_distribute

  @property
  def device_fn(self):
    """The function of devices, or None, which puts variables on the parameter servers in turn."""
    return self._device_fn

  @property
  def protocol(self):
    return self._protocol

  @property
  def experimental_max_worker_delay_secs(self):
    """The most seconds that a worker waits before it begins to train."""
    return self._experimental_max_worker_delay_secs

  @property
  def session_creation_timeout_secs(self):
    """The most seconds that a worker waits for the chief to initialize the model."""
    return self._session_creation_timeout_secs

  @property
  def service(self):
    """The object "service" of TF_CONFIG."""
    return self._service

  @property
  def cluster_spec(self):
    return self._cluster_spec

  @property
  def task_type(self):
    return self._task_type

  @property
  def task_id(self):
    return self._task_id

  @property
  def global_id_in_cluster(self):
    """The index of this task among all of the cluster, or None for an evaluator."""
    return self._global_id_in_cluster

  @property
  def master(self):
    """The target of the sessions that train."""
    return self._master

  @property
  def evaluation_master(self):
    return self._evaluation_master

  @property
  def is_chief(self):
    return self._is_chief

  @property
  def num_ps_replicas(self):
    return self._num_ps_replicas

  @property
  def num_worker_replicas(self):
    """The number of workers, the chief among them."""
    return self._num_worker_replicas
