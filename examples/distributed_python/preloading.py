"""A data set that travels to the cluster once: a variable that is not trained, filled through a placeholder."""

import numpy as np
from local_cluster import LocalCluster, tf

cluster = LocalCluster(ps=1, worker=1)

random = np.random.RandomState(42)
features = random.rand(500, 4).astype(np.float32)
labels = features.dot(np.float32([[1], [-2], [3], [0.5]]))

with tf.device("/job:worker/task:0"):
  given = tf.placeholder(tf.float32, shape=features.shape)
  data = tf.Variable(given, trainable=False, collections=[], name="data")
  given_labels = tf.placeholder(tf.float32, shape=labels.shape)
  data_labels = tf.Variable(given_labels, trainable=False, collections=[], name="labels")
with tf.device("/job:ps/task:0"):
  weights = tf.Variable(tf.zeros([4, 1]), name="weights")
with tf.device("/job:worker/task:0"):
  error = tf.reduce_mean(tf.square(tf.matmul(data, weights) - data_labels))
  train = tf.train.GradientDescentOptimizer(0.5).minimize(error)

print("trained:", [v.op.name for v in tf.trainable_variables()], "saved:", [v.op.name for v in tf.global_variables()])
with tf.Session(cluster.target("worker")) as session:
  session.run(tf.global_variables_initializer())
  session.run([data.initializer, data_labels.initializer], {given: features, given_labels: labels})
  for step in range(301):
    if step % 100 == 0:
      print("step %3d  error %.4f" % (step, session.run(error)))
    session.run(train)
  print("weights", np.round(session.run(weights).ravel(), 1).tolist())
