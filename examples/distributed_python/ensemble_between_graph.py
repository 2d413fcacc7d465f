"""An ensemble of clients that know nothing of each other (exercise 9): queues between them, an aggregator with patience.

Each client has its own graph and session. An input client puts instances into a queue of every network; the networks put
their predictions into a queue of the aggregator, with a number; the aggregator averages what has come when its time is
over, so a network that is slow or gone delays nobody.
"""

import threading

import numpy as np
from local_cluster import LocalCluster, tf
from numpy.random import RandomState  # np.random is imported when first used, which threads do not survive together

NETWORKS, INSTANCES = 3, 12
PATIENCE_MS = 3000

cluster = LocalCluster(ps=1, worker=2)


def queue(name, shapes, types):
  with tf.device("/job:ps/task:0"):
    return tf.FIFOQueue(100, types, shapes=shapes, shared_name=name, name=name)


def inputs_of(i):
  return queue("inputs_%d" % i, [[], [4]], [tf.int32, tf.float32])


def estimates_of(i):
  return queue("estimates_%d" % i, [[], [2]], [tf.int32, tf.float32])


def input_client():
  with tf.Graph().as_default(), tf.Session(cluster.target("worker", 0)) as session:
    instances = RandomState(3).rand(INSTANCES, 4).astype(np.float32)
    for i in range(NETWORKS):
      q = inputs_of(i)
      session.run([q.enqueue_many([np.arange(INSTANCES, dtype=np.int32), instances])])
      session.run(q.close())


def network_client(i, answers):
  """Answers the first `answers` instances, and is gone then."""
  with tf.Graph().as_default(), tf.Session(cluster.target("worker", i % 2)) as session:
    number, x = inputs_of(i).dequeue()
    with tf.device("/job:worker/task:%d" % (i % 2)):
      weights = tf.constant(RandomState(i).rand(4, 2).astype(np.float32))
      estimate = tf.nn.softmax(tf.squeeze(tf.matmul(tf.expand_dims(x, 0), weights), 0))
    put = estimates_of(i).enqueue([number, estimate])
    for _ in range(answers):
      session.run(put)


def aggregator():
  """The number of networks behind each mean."""
  behind = []
  with tf.Graph().as_default(), tf.Session(cluster.target("worker", 1)) as session:
    takes = [estimates_of(i).dequeue() for i in range(NETWORKS)]
    patience = tf.RunOptions(timeout_in_ms=PATIENCE_MS)
    given_up = set()
    for expected in range(INSTANCES):
      estimates = []
      for i, take in enumerate(takes):
        if i in given_up:
          continue
        try:
          number, estimate = session.run(take, options=patience)
          assert number == expected
          estimates.append(estimate)
        except tf.errors.DeadlineExceededError:
          given_up.add(i)
      mean = np.mean(estimates, axis=0)
      assert abs(mean.sum() - 1) < 1e-5
      behind.append(len(estimates))
  return behind


threads = [threading.Thread(target=input_client)]
threads += [threading.Thread(target=network_client, args=(i, 5 if i == 2 else INSTANCES)) for i in range(NETWORKS)]
for thread in threads:
  thread.start()
print("networks behind each prediction:", aggregator())
for thread in threads:
  thread.join()
