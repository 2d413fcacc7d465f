"""What the networks of this folder share: a cluster, batches, steps and printed lines as those of the C++ programs with
one worker.

With plain Python the servers are TensorFlow's, under `millrace run` they are Millrace's.
"""

import argparse
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "distributed_python"))
from local_cluster import LocalCluster, tf  # noqa: E402

PS = 2


def options(steps, small_steps, batch, small_batch=None):
  parser = argparse.ArgumentParser()
  parser.add_argument("--small", action="store_true")
  parser.add_argument("--steps", type=int)
  parser.add_argument("--batch", type=int)
  parser.add_argument("--rows", type=int)
  parser.add_argument("--data")
  args = parser.parse_args()
  args.steps = args.steps or (small_steps if args.small else steps)
  args.batch = args.batch or (small_batch if args.small and small_batch else batch)
  return args


def placement():
  """Variables on the ps in turn, all else on the worker."""
  return tf.device(tf.train.replica_device_setter(ps_tasks=PS, worker_device="/job:worker/task:0"))


def batch_of(batch, size, examples):
  """The numbers of the examples of a batch, as BatchOf of training.cc gives them."""
  return (batch * size + np.arange(size)) % examples * 7919 % examples


def train(steps, loss, train_op, step, feed, test_name, test, test_feeds):
  cluster = LocalCluster(ps=PS, worker=1)
  with tf.Session(cluster.target("worker")) as session:
    session.run(tf.global_variables_initializer())
    next_line = 0
    for batch in range(steps):
      value, _ = session.run([loss, train_op], feed(batch))
      at = batch + 1
      if at >= next_line:
        print(f"step {at}: loss {value:.4f}", flush=True)
        next_line += max(1, steps // 10)
    assert session.run(step) == steps
    results = [session.run(test, f) for f in test_feeds]
    print(f"{test_name}: {np.mean(results):.4f}")
