"""An ensemble in one graph (exercise 9): a network a worker, their predictions averaged on the first one."""

import numpy as np
from local_cluster import LocalCluster, tf
from network import accuracy, loss, network, spirals

WORKERS = 3

cluster = LocalCluster(worker=WORKERS)
train_x, train_y = spirals(seed=1)
test_x, test_y = spirals(seed=2)

# The input is cut out once, and every network's device gets its copy.
with tf.device("/job:worker/task:0/cpu:0"):
  x = tf.placeholder(tf.float32, [None, 2], name="x")
  y = tf.placeholder(tf.int32, [None], name="y")
logits, train_ops = [], []
for i in range(WORKERS):
  with tf.device("/job:worker/task:%d/cpu:0" % i), tf.variable_scope("network%d" % i):
    logits.append(network(x, seed=10 * i))
    train_ops.append(tf.train.AdamOptimizer(0.01 * (i + 1)).minimize(loss(logits[i], y)))
with tf.device("/job:worker/task:0/cpu:0"):
  mean = tf.add_n([tf.nn.softmax(each) for each in logits]) / WORKERS
  ensemble = accuracy(mean, y)

with tf.Session(cluster.target("worker")) as session:
  session.run(tf.global_variables_initializer())
  for _ in range(150):
    session.run(train_ops, {x: train_x, y: train_y})
  each = session.run([accuracy(one, y) for one in logits], {x: test_x, y: test_y})
  print("each:", ["%.2f" % a for a in each])
  together = session.run(ensemble, {x: test_x, y: test_y})
  print("together: %.2f" % together, "not worse than the mean:", bool(together >= np.mean(each) - 0.01))
