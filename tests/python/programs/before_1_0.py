"""A program from before 1.0, by names and orders of arguments that changed: run it with `--tf 0.12`."""

from __future__ import print_function

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers

folder = tempfile.mkdtemp()
rng = np.random.RandomState(1)
points = rng.randn(200, 4).astype("float32")
sides = (points[:, 0] * points[:, 1] > 0).astype("int32")


def weights(shape, name):
  with tf.name_scope("init"):
    value = tf.Variable(tf.truncated_normal(shape, stddev=0.5, seed=3), name=name)
  mean = tf.reduce_mean(value)
  tf.scalar_summary("mean/" + name, mean)
  tf.scalar_summary("spread/" + name, tf.sqrt(tf.reduce_sum(tf.square(tf.sub(value, mean)))))
  tf.histogram_summary(name, value)
  return value


x = tf.placeholder("float", [None, 4], name="x")
y = tf.placeholder(tf.int32, [None], name="y")
keep = tf.placeholder(tf.float32)
with tf.variable_scope("net"):
  hidden = layers.fully_connected(
    x, 16, activation_fn=tf.nn.relu, weights_initializer=tf.truncated_normal_initializer(stddev=0.5, seed=1), scope="first"
  )
  hidden = layers.batch_norm(hidden, is_training=True, updates_collections=None, scope="norm")
  left, right = tf.split(1, 2, hidden)
  hidden = tf.concat(1, [left, right, tf.mul(left, right)])
  last = weights([24, 2], "last")
  logits = tf.matmul(tf.nn.dropout(hidden, keep), last)
print([v.name for v in tf.all_variables()])
logits, _ = tf.unpack(tf.pack([logits, logits]))
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits, y))
loss = tf.add(loss, tf.mul(1e-4, tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])))
tf.scalar_summary("loss", loss)
tf.image_summary("last", tf.reshape(last, [1, 24, 2, 1]))
step = tf.Variable(0, trainable=False)
train = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=step)
right = tf.reduce_mean(tf.cast(tf.equal(tf.cast(tf.argmax(logits, 1), tf.int32), y), "float"))
summaries = tf.merge_all_summaries()
saver = tf.train.Saver(tf.all_variables())

with tf.Session() as sess:
  writer = tf.train.SummaryWriter(folder, sess.graph)
  sess.run(tf.initialize_all_variables())
  feed = {x: points, y: sides, keep: 1.0}
  for i in range(100):
    if i % 50 == 0:
      text, value = sess.run([summaries, loss], feed_dict=feed)
      writer.add_summary(text, i)
      print("step %d loss %.3f" % (i, value))
    sess.run(train, feed)
  writer.flush()
  print("right above 0.95:", sess.run(right, feed) > 0.95)
  print(os.path.basename(saver.save(sess, os.path.join(folder, "model.ckpt"), global_step=step)))
  product = tf.batch_matmul(tf.ones([2, 3, 4]), tf.ones([2, 4, 5]))
  chosen = tf.select(tf.greater([1.0, -1.0], 0.0), [1.0, 1.0], tf.neg([2.0, 3.0]))
  print(sess.run(chosen).tolist(), sess.run(product).shape)
  cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(8, state_is_tuple=True)], state_is_tuple=True)
  words = tf.unpack(tf.transpose(tf.ones([2, 5, 3]), [1, 0, 2]))
  outputs, state = tf.nn.rnn(cell, words, dtype=tf.float32)
  sums = [tf.matmul(outputs[-1], tf.zeros([8, 4]))]
  each = tf.nn.seq2seq.sequence_loss_by_example(sums, [tf.constant([0, 1])], [tf.ones([2])])
  sess.run(tf.initialize_variables([v for v in tf.all_variables() if "rnn" in v.name]))
  print(len(outputs), len(state), ["%.3f" % value for value in sess.run(each)])
