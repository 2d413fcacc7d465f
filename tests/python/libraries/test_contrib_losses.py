"""What of tf.contrib.losses is not offered says so; losses of a script as of 2016."""

import numpy as np
import package
import pytest

import millrace as tf


def test_cluster_loss_says_what_to_use():
  with pytest.raises(AttributeError, match="cluster_loss is not part of Millrace. Use .*triplet_semihard_loss"):
    tf.contrib.losses.metric_learning.cluster_loss
  with pytest.raises(AttributeError, match="not part of Millrace"):
    tf.contrib.slim.losses.metric_learning.cluster_loss


def test_values_by_formulas():
  tf.reset_default_graph()
  p, y = np.float32([[0.2, 0.7], [0.9, 0.4]]), np.float32([[0, 1], [1, 1]])
  with tf.Session() as session:
    made = [
      tf.contrib.losses.log_loss(p, y, weights=[1.0, 0.5]),
      tf.contrib.losses.mean_squared_error(p, y, weights=[1.0, 0.0]),
      tf.contrib.losses.hinge_loss(p, y),
    ]
    log, squares, hinge = session.run(made)
  entropy = -(y * np.log(p) + (1 - y) * np.log(1 - p)).sum(1)
  np.testing.assert_allclose(log, (entropy[0] + 0.5 * entropy[1]) / 4, rtol=1e-5)
  np.testing.assert_allclose(squares, (0.2**2 + 0.3**2) / 2, rtol=1e-5)
  np.testing.assert_allclose(hinge, np.maximum(0, 1 - (2 * y - 1) * p), rtol=1e-5)


SCRIPT = """
import numpy as np
import tensorflow as tf
from tensorflow.contrib import losses
from tensorflow.contrib.metrics import streaming_accuracy

state = np.random.RandomState(0)
data = state.randn(200, 2).astype(np.float32)
truth = (data[:, 0] > data[:, 1]).astype(np.int64)
x = tf.placeholder(tf.float32, [None, 2])
y = tf.placeholder(tf.int64, [None])
w = tf.Variable(tf.zeros([2, 2]), name="w")
b = tf.Variable(tf.zeros([2]), name="b")
logits = tf.matmul(x, w) + b
losses.softmax_cross_entropy(logits, tf.one_hot(y, 2))
tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, 1e-4 * tf.nn.l2_loss(w))
total = losses.get_total_loss()
step = tf.train.GradientDescentOptimizer(0.5).minimize(total)
accuracy, update = streaming_accuracy(tf.argmax(logits, 1), y)
with tf.Session() as sess:
  sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
  first = sess.run(total, {x: data, y: truth})
  for _ in range(60):
    _, last = sess.run([step, total], {x: data, y: truth})
  for i in range(0, 200, 50):
    sess.run(update, {x: data[i:i + 50], y: truth[i:i + 50]})
  print("%.4f" % first, last < 0.3, sess.run(accuracy) > 0.97)
"""


def test_a_script_of_2016(tmp_path):
  ran = package.script(tmp_path, SCRIPT)
  assert ran.returncode == 0, ran.stderr
  assert ran.stdout.split() == ["0.6931", "True", "True"]
