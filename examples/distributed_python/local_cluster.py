"""Servers on this machine, all in one script: what the examples of this folder run on.

With plain Python they are TensorFlow's, under `millrace run` they are Millrace's.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow.compat.v1 as tf  # noqa: E402

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
from free_ports import free_ports  # noqa: E402

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)


class LocalCluster:
  """`LocalCluster(ps=2, worker=2)`: as many tasks of each job, listening."""

  def __init__(self, **jobs):
    ports = iter(free_ports(sum(jobs.values())))
    self.spec = tf.train.ClusterSpec({job: ["127.0.0.1:%d" % next(ports) for _ in range(n)] for job, n in jobs.items()})
    self.servers = {
      (job, task): tf.train.Server(self.spec, job_name=job, task_index=task) for job, n in jobs.items() for task in range(n)
    }

  def target(self, job, task=0):
    return self.servers[job, task].target


def placement(session, fetches):
  """Where the nodes of a step ran: {name: device}, as the servers say."""
  options = tf.RunOptions(output_partition_graphs=True)
  metadata = tf.RunMetadata()
  session.run(fetches, options=options, run_metadata=metadata)
  return {node.name: node.device for graph in metadata.partition_graphs for node in graph.node}


def short(device):
  """/job:ps/replica:0/task:1/device:CPU:0 -> ps 1"""
  parts = dict(part.split(":", 1) for part in device.strip("/").split("/"))
  return "%s %s" % (parts["job"], parts["task"])
