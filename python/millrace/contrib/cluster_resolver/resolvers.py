"""Objects that know a cluster's tasks and the target of its sessions."""

import abc
import collections
import json
import os

import millrace as tf


def _target(address, rpc_layer):
  """The target of sessions at an address, "protocol://host:port" if there is a protocol."""
  return f"{rpc_layer}://{address}" if rpc_layer and address else address


class ClusterResolver(abc.ABC):
  """Base of resolvers: `task_type`, `task_id`, `rpc_layer` and `environment` are what is known of this task, or None."""

  task_type = None
  task_id = None
  rpc_layer = None
  environment = ""

  @abc.abstractmethod
  def cluster_spec(self):
    """Returns the ClusterSpec."""

  @abc.abstractmethod
  def master(self, task_type=None, task_id=None, rpc_layer=None):
    """Returns the target of sessions, of a task if both its parts are given. ValueError for a task that there is not."""

  def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
    """Returns how many devices of each type but CPUs there are at a task, {"GPU": 2}."""
    target = self.master(task_type, task_id)
    with tf.Session(target, graph=tf.Graph(), config=config_proto) as session:
      types = [device.device_type for device in session.list_devices()]
    return dict(collections.Counter(kind for kind in types if kind != "CPU"))


class SimpleClusterResolver(ClusterResolver):
  """Says what it was told. TypeError for a cluster that is no ClusterSpec."""

  def __init__(
    self, cluster_spec, master="", task_type=None, task_id=None, environment="", num_accelerators=None, rpc_layer=None
  ):
    if not isinstance(cluster_spec, tf.train.ClusterSpec):
      raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
    self._cluster_spec = cluster_spec
    self._master = master
    self._num_accelerators = num_accelerators
    self.task_type = task_type
    self.task_id = task_id
    self.environment = environment
    self.rpc_layer = rpc_layer

  def cluster_spec(self):
    return self._cluster_spec

  def master(self, task_type=None, task_id=None, rpc_layer=None):
    is_task = task_type is not None and task_id is not None
    address = self._cluster_spec.task_address(task_type, task_id) if is_task else self._master
    return _target(address, rpc_layer or self.rpc_layer)

  def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
    if self._num_accelerators is None:
      return super().num_accelerators(task_type, task_id, config_proto)
    return self._num_accelerators


class TFConfigClusterResolver(ClusterResolver):
  """Reads the variable TF_CONFIG of the process whenever it is asked; arguments stand in place of what that says."""

  def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None):
    self._given = {"type": task_type, "index": task_id, "rpc_layer": rpc_layer}
    self.environment = environment

  @staticmethod
  def _config():
    return json.loads(os.environ.get("TF_CONFIG") or "{}")

  def _of_task(self, key):
    given = self._given[key]
    return self._config().get("task", {}).get(key) if given is None else given

  @property
  def task_type(self):
    found = self._of_task("type")
    return None if found is None else str(found)

  @task_type.setter
  def task_type(self, value):
    self._given["type"] = value

  @property
  def task_id(self):
    found = self._of_task("index")
    return None if found is None else int(found)

  @task_id.setter
  def task_id(self, value):
    self._given["index"] = value

  @property
  def rpc_layer(self):
    given = self._given["rpc_layer"]
    return self._config().get("rpc_layer") if given is None else given

  @rpc_layer.setter
  def rpc_layer(self, value):
    self._given["rpc_layer"] = value

  def cluster_spec(self):
    return tf.train.ClusterSpec(self._config().get("cluster", {}))

  def master(self, task_type=None, task_id=None, rpc_layer=None):
    """As of all resolvers; "" for a cluster of one task, or none, whose sessions are in this process."""
    cluster = self.cluster_spec()
    if sum(cluster.num_tasks(job) for job in cluster.jobs) <= 1:
      return ""
    kind = self.task_type if task_type is None else task_type
    index = self.task_id if task_id is None else task_id
    return _target(cluster.task_address(kind, index), rpc_layer or self.rpc_layer)
