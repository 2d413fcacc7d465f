"""What tests ask of the machine: GPUs, clusters of this process, equality of graphs."""

import re


def _gpus():
  from millrace.client import session as session_module
  from millrace.framework import graph

  with graph.Graph().as_default(), session_module.Session() as session:
    return [device for device in session.list_devices() if device.device_type == "GPU"]


def gpu_device_name():
  """Returns the name of a GPU of this process, or an empty text."""
  for device in _gpus():
    return device.name.replace("/job:localhost/replica:0/task:0", "")
  return ""


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
  """True if this process can run ops on a GPU, which is one of CUDA, of at least that compute capability, as (3, 5)."""
  del cuda_only
  return any(_compute_capability(device) >= tuple(min_cuda_compute_capability or (0, 0)) for device in _gpus())


def _compute_capability(device):
  """(major, minor), as the device's description has them: "device: 0, name: X, ..., compute capability: 8.0"."""
  found = re.search(r"compute capability: (\d+)\.(\d+)", device._physical_description)
  return (int(found.group(1)), int(found.group(2))) if found else (0, 0)


def is_built_with_cuda():
  """True where there is a GPU: no build needs CUDA, since kernels are compiled for the card that is there."""
  return bool(_gpus())


def is_built_with_rocm():
  return False


def is_built_with_gpu_support():
  return is_built_with_cuda() or is_built_with_rocm()


def create_local_cluster(num_workers, num_ps, protocol="grpc", worker_config=None, ps_config=None):
  """Starts servers in this process. Returns (list of workers, list of ps), each a tf.train.Server."""
  import millrace as tf

  ports = _free_ports(num_workers + num_ps)
  addresses = ["localhost:%d" % port for port in ports]
  spec = tf.train.ClusterSpec({"worker": addresses[:num_workers], "ps": addresses[num_workers:]})

  def start(job, count, config):
    return [
      tf.train.Server(spec, job_name=job, protocol=protocol, task_index=index, config=config, start=True)
      for index in range(count)
    ]

  return start("worker", num_workers, worker_config), start("ps", num_ps, ps_config)


def _free_ports(count):
  """Ports that nobody listens at now."""
  import socket

  sockets = []
  try:
    for _ in range(count):
      made = socket.socket()
      made.bind(("localhost", 0))
      sockets.append(made)
    return [made.getsockname()[1] for made in sockets]
  finally:
    for made in sockets:
      made.close()


def assert_equal_graph_def(actual, expected, checkpoint_v2=False, hash_table_shared_name=False):
  """Raises AssertionError unless two graphs have the same nodes, in whatever order.

  With `checkpoint_v2`, names of temporary files do not count; with `hash_table_shared_name`, names of tables do not.
  """
  from millrace.framework import protos

  if not protos.is_message(actual, "GraphDef"):
    raise TypeError("Expected tf.GraphDef for actual, got %s" % type(actual).__name__)
  if not protos.is_message(expected, "GraphDef"):
    raise TypeError("Expected tf.GraphDef for expected, got %s" % type(expected).__name__)
  one, two = (_nodes(graph_def, checkpoint_v2, hash_table_shared_name) for graph_def in (actual, expected))
  missing, more = sorted(set(two) - set(one)), sorted(set(one) - set(two))
  if missing or more:
    raise AssertionError("Nodes differ: missing %s, unexpected %s" % (missing, more))
  for name, node in one.items():
    if node != two[name]:
      raise AssertionError("Node %s differs:\n%s\nexpected:\n%s" % (name, node, two[name]))


def _nodes(graph_def, checkpoint_v2, hash_table_shared_name):
  found = {}
  for node in graph_def.node:
    copied = type(node)()
    copied.CopyFrom(node)
    if checkpoint_v2 and copied.op == "Const" and "_temp_" in str(copied.attr["value"]):
      del copied.attr["value"]
    if hash_table_shared_name and copied.op in ("HashTable", "HashTableV2") and "shared_name" in copied.attr:
      del copied.attr["shared_name"]
    # The order of control inputs does not count.
    data = [name for name in copied.input if not name.startswith("^")]
    control = sorted(name for name in copied.input if name.startswith("^"))
    del copied.input[:]
    copied.input.extend(data + control)
    if copied.name in found:
      raise AssertionError("Several nodes are called %s" % copied.name)
    found[copied.name] = copied
  return found
