"""Where replicas put their nodes: variables on parameter servers, everything else on the worker."""

import millrace as tf
from millrace.framework import device_spec
from millrace.train import cluster as cluster_lib

STANDARD_PS_OPS = (
  "Variable",
  "VariableV2",
  "AutoReloadVariable",
  "MutableHashTable",
  "MutableHashTableV2",
  "MutableHashTableOfTensors",
  "MutableHashTableOfTensorsV2",
  "MutableDenseHashTable",
  "MutableDenseHashTableV2",
  "VarHandleOp",
  "BoostedTreesEnsembleResourceHandleOp",
  "BoostedTreesQuantileStreamResourceHandleOp",
  "ResourceConditionalAccumulator",
  "DecisionTreeResource",
)


class _RoundRobinStrategy:
  """Gives variables to the parameter servers in turn."""

  def __init__(self, num_tasks):
    self._num_tasks = num_tasks
    self._next_task = 0

  def __call__(self, unused_op):
    task = self._next_task
    self._next_task = (self._next_task + 1) % self._num_tasks
    return task


class _ReplicaDeviceChooser:
  """The device of each op, by its type."""

  def __init__(self, ps_tasks, ps_device, worker_device, merge_devices, ps_ops, ps_strategy):
    self._ps_tasks = ps_tasks
    self._ps_device = ps_device
    self._worker_device = worker_device
    self._merge_devices = merge_devices
    self._ps_ops = ps_ops
    self._ps_strategy = ps_strategy

  def device_function(self, op):
    # Without merging, a device that was said stays as it is.
    if not self._merge_devices and op.device:
      return op.device
    current = device_spec.DeviceSpec.from_string(op.device or "")
    node_type = op.type if hasattr(op, "type") else op.op
    if self._ps_tasks and self._ps_device and node_type in self._ps_ops:
      ps = device_spec.DeviceSpec.from_string(self._ps_device)
      if ps.job and (not current.job or current.job == ps.job):
        ps = ps.replace(task=self._ps_strategy(op))
      return _merged(ps, current)
    return _merged(device_spec.DeviceSpec.from_string(self._worker_device or ""), current)


def _merged(default, said):
  """`default` with what is said of the op."""
  return default.make_merged_spec(said).to_string()


def replica_device_setter(
  ps_tasks=0,
  ps_device="/job:ps",
  worker_device="/job:worker",
  merge_devices=True,
  cluster=None,
  ps_ops=None,
  ps_strategy=None,
):
  """A function for `tf.device` that puts variables on the tasks of `ps_device` in turn, and other ops on `worker_device`.

  The number of tasks is `ps_tasks`, or that of the job in `cluster`; without any it is None, which places nothing.
  `ps_strategy(op)` says the index of the task. Raises TypeError if the strategy can't be called or the cluster is none.
  """
  if cluster is not None:
    if isinstance(cluster, cluster_lib.ClusterSpec):
      cluster_spec = cluster.as_dict()
    else:
      cluster_spec = cluster_lib.ClusterSpec(cluster).as_dict()
    ps_job_name = device_spec.DeviceSpec.from_string(ps_device).job
    if ps_job_name not in cluster_spec or cluster_spec[ps_job_name] is None:
      return None
    ps_tasks = len(cluster_spec[ps_job_name])
  if ps_tasks == 0:
    return None
  if ps_ops is None:
    ps_ops = list(STANDARD_PS_OPS)
  if not merge_devices:
    tf.logging.warning("DEPRECATION: It is recommended to set merge_devices=true in replica_device_setter")
  if ps_strategy is None:
    ps_strategy = _RoundRobinStrategy(ps_tasks)
  if not callable(ps_strategy):
    raise TypeError("ps_strategy must be callable")
  chooser = _ReplicaDeviceChooser(ps_tasks, ps_device, worker_device, merge_devices, ps_ops, ps_strategy)
  return chooser.device_function
