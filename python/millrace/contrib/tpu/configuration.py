"""Configurations of estimators that could also run on TPUs. What only concerns those is checked and kept."""

import collections
import copy
import re

from millrace.estimator import run_config

_CORES = (1, 2, 4, 8, 16, 32, 64, 128)
_DURATION = re.compile(r"[1-9]\d*[smh]")
_FIELDS = (
  "iterations_per_loop",
  "num_shards",
  "num_cores_per_replica",
  "per_host_input_for_training",
  "tpu_job_name",
  "initial_infeed_sleep_secs",
  "input_partition_dims",
  "eval_training_input_configuration",
  "experimental_host_call_every_n_steps",
)


class InputPipelineConfig:
  """How inputs are spread over the hosts of TPUs."""

  PER_SHARD_V1 = 1
  PER_HOST_V1 = 2
  PER_HOST_V2 = 3
  BROADCAST = 4
  SLICED = 5


def _check_positive(value, name):
  if not isinstance(value, int):
    raise TypeError(f"{name} must be int, got {type(value)}")
  if value <= 0:
    raise ValueError(f"{name} must be positive, got {value}")


def _check_iterations(value):
  if isinstance(value, int) and value > 0 or isinstance(value, str) and _DURATION.fullmatch(value):
    return
  raise ValueError(
    "Invalid TPUConfig `iterations_per_loop` value. Value must be positive integer value or a time such as `3600s`, `60m` or `1h`."
  )


def _check_partition(dims, num_cores_per_replica, per_host):
  """Raises ValueError if inputs can't be cut so."""
  if len(dims) not in (1, 2):
    raise ValueError("input_partition_dims must be a list/tuple with one or two elements.")
  if per_host != InputPipelineConfig.PER_HOST_V2:
    raise ValueError("input_partition_dims is only supported in PER_HOST_V2 mode.")
  if num_cores_per_replica is None:
    raise ValueError("input_partition_dims requires setting num_cores_per_replica.")


class TPUConfig(collections.namedtuple("TPUConfig", _FIELDS)):
  """What concerns TPUs. Without them only `iterations_per_loop` counts: the speed of the training is logged less often by it.

  Raises ValueError for values that TensorFlow doesn't take.
  """

  __slots__ = ()

  def __new__(
    cls,
    iterations_per_loop=2,
    num_shards=None,
    num_cores_per_replica=None,
    per_host_input_for_training=True,
    tpu_job_name=None,
    initial_infeed_sleep_secs=None,
    input_partition_dims=None,
    eval_training_input_configuration=InputPipelineConfig.PER_HOST_V1,
    experimental_host_call_every_n_steps=1,
  ):
    _check_iterations(iterations_per_loop)
    if num_shards is not None:
      _check_positive(num_shards, "TPUConfig num_shards")
    if input_partition_dims is not None:
      _check_partition(input_partition_dims, num_cores_per_replica, per_host_input_for_training)
    if num_cores_per_replica is not None and num_cores_per_replica not in _CORES:
      raise ValueError(
        f"num_cores_per_replica must be {', '.join(str(number) for number in _CORES)}; got {num_cores_per_replica}"
      )
    if eval_training_input_configuration not in (InputPipelineConfig.PER_HOST_V1, InputPipelineConfig.SLICED):
      raise ValueError(
        f"eval_training_input_configuration must be PER_HOST_V1 or SLICED; got {eval_training_input_configuration}"
      )
    if per_host_input_for_training is True:
      per_host_input_for_training = InputPipelineConfig.PER_HOST_V1
    elif per_host_input_for_training is False:
      per_host_input_for_training = InputPipelineConfig.PER_SHARD_V1
    if initial_infeed_sleep_secs:
      _check_positive(initial_infeed_sleep_secs, "TPUConfig initial_infeed_sleep_secs")
    return super().__new__(
      cls,
      iterations_per_loop,
      num_shards,
      num_cores_per_replica,
      per_host_input_for_training,
      tpu_job_name or None,
      initial_infeed_sleep_secs,
      input_partition_dims,
      eval_training_input_configuration,
      experimental_host_call_every_n_steps,
    )


class RunConfig(run_config.RunConfig):
  """A tf.estimator.RunConfig with a TPUConfig, and with targets of sessions that take the place of those of TF_CONFIG.

  `cluster` has methods `master` and `cluster_spec`. Raises ValueError for a cluster and a target.
  """

  def __init__(self, tpu_config=None, evaluation_master=None, master=None, cluster=None, **kwargs):
    super().__init__(**kwargs)
    self._tpu_config = tpu_config or TPUConfig()
    self._cluster = cluster
    if cluster is not None:
      if master is not None:
        raise ValueError("Both master and cluster are set.")
      self._cluster_spec = cluster.cluster_spec()
      master = cluster.master()
    if master is not None:
      self._master = self._evaluation_master = master
    if evaluation_master is not None:
      self._evaluation_master = evaluation_master

  @property
  def tpu_config(self):
    return self._tpu_config

  @property
  def cluster(self):
    return self._cluster

  def replace(self, **kwargs):
    """A copy with other properties, of which `tpu_config` may be one."""
    given = "tpu_config" in kwargs
    tpu_config = kwargs.pop("tpu_config", None)
    replaced = run_config.RunConfig._replace(copy.deepcopy(self), run_config._REPLACEABLE, **kwargs)
    if given:
      replaced._tpu_config = tpu_config
    return replaced
