"""Sparse Adam on a reference variable by two workers that nobody orders: how far the table goes, on servers of ours and of stock.

    python tests/conformance/sparse_adam_races.py --runs 50 --kind millrace --kind stock

The client's Adam is a composition for rows: m = assign(m, m * beta1), scatter_add(m, rows), v likewise, and from the variable goes
rate * m / (sqrt(v) + epsilon), over the whole table. Two workers interleave; where one sees the other's addition to m and not that to
v, a row makes a step of 1e7 times its gradient. So it may, on stock too, and the figures say how often it does.
"""

import argparse
import threading

import numpy as np
import tensorflow as tf

import task_servers

tf1 = tf.compat.v1
# Without races no value leaves the targets' range by more than some steps of the rate.
RATE, TARGET, RANGE = 0.01, 1.0, 2.0
PATIENCE_S = 300


def parse():
  parser = argparse.ArgumentParser()
  parser.add_argument("--runs", type=int, default=50)
  parser.add_argument("--steps", type=int, default=150, help="of each worker")
  parser.add_argument("--rows", type=int, default=2000)
  parser.add_argument("--width", type=int, default=16)
  parser.add_argument("--batch", type=int, default=32)
  parser.add_argument("--workers", type=int, default=2)
  parser.add_argument("--resources", action="store_true")
  parser.add_argument("--kind", action="append", choices=["millrace", "stock"])
  return parser.parse_args()


class Worker:
  """A worker's graph and session."""

  def __init__(self, cluster, index, flags):
    self.flags = flags
    self.random = np.random.RandomState(index)
    self.graph = tf1.Graph()
    setter = tf1.train.replica_device_setter(
      cluster=tf.train.ClusterSpec(cluster.spec()), worker_device=f"/job:worker/task:{index}"
    )
    with self.graph.as_default(), tf1.device(setter), tf1.variable_scope("", use_resource=flags.resources):
      self.ids = tf1.placeholder(tf.int32, [flags.batch])
      goal = tf1.placeholder(tf.float32, [flags.batch, flags.width])
      self.goal = goal
      self.table = tf1.get_variable("table", [flags.rows, flags.width], initializer=tf1.zeros_initializer())
      loss = 0.5 * tf.reduce_sum(tf.square(tf1.nn.embedding_lookup(self.table, self.ids) - goal))
      self.update = tf1.train.AdamOptimizer(RATE).minimize(loss)
      self.initialize = tf1.global_variables_initializer()
    self.session = tf1.Session(cluster.target("worker", index), graph=self.graph)

  def train(self, goals):
    for _ in range(self.flags.steps):
      ids = self.random.choice(self.flags.rows, self.flags.batch, replace=False)
      self.session.run(self.update, {self.ids: ids, self.goal: goals[ids]})


def largest_of_runs(cluster, flags):
  """Of each run: the largest absolute value of the table."""
  goals = np.random.RandomState(99).uniform(-TARGET, TARGET, [flags.rows, flags.width]).astype(np.float32)
  workers = [Worker(cluster, i, flags) for i in range(flags.workers)]
  for _ in range(flags.runs):
    workers[0].session.run(workers[0].initialize)
    threads = [threading.Thread(target=w.train, args=(goals,), daemon=True) for w in workers]
    for thread in threads:
      thread.start()
    for thread in threads:
      thread.join(PATIENCE_S)
      assert not thread.is_alive()
    yield float(np.abs(workers[0].session.run(workers[0].table)).max())


def main():
  flags = parse()
  for kind in flags.kind or ["millrace", "stock"]:
    with task_servers.Cluster({"ps": 1, "worker": flags.workers}, kind=kind) as cluster:
      found = np.array(list(largest_of_runs(cluster, flags)))
    print(
      f"{kind}: {np.sum(found > RANGE)} of {flags.runs} runs above {RANGE}; median {np.median(found):.3f}, largest "
      + ", ".join(f"{v:.4g}" for v in sorted(found)[-5:][::-1]),
      flush=True,
    )


if __name__ == "__main__":
  main()
