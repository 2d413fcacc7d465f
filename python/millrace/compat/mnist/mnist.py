"""The network of the tutorial on feeding: two hidden layers of rectifiers over flat images."""

import math

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def _layer(tf, scope, inputs, size, units, function=None):
  with tf.name_scope(scope):
    initial = tf.truncated_normal([size, units], stddev=1.0 / math.sqrt(float(size)))
    weights = tf.Variable(initial, name="weights")
    biases = tf.Variable(tf.zeros([units]), name="biases")
    outputs = tf.matmul(inputs, weights) + biases
    return outputs if function is None else function(outputs)


def inference(images, hidden1_units, hidden2_units):
  """Returns the logits [batch, 10] of images [batch, 784]."""
  import millrace as tf

  hidden1 = _layer(tf, "hidden1", images, IMAGE_PIXELS, hidden1_units, tf.nn.relu)
  hidden2 = _layer(tf, "hidden2", hidden1, hidden1_units, hidden2_units, tf.nn.relu)
  return _layer(tf, "softmax_linear", hidden2, hidden2_units, NUM_CLASSES)


def loss(logits, labels):
  """Returns the mean cross entropy for labels [batch] of integers."""
  import millrace as tf

  return tf.losses.sparse_softmax_cross_entropy(labels=tf.cast(labels, tf.int64), logits=logits)


def training(loss, learning_rate):
  """Returns the op of a step of gradient descent, which counts steps and has a summary of the loss."""
  import millrace as tf

  tf.summary.scalar("loss", loss)
  global_step = tf.Variable(0, name="global_step", trainable=False)
  return tf.train.GradientDescentOptimizer(learning_rate).minimize(loss, global_step=global_step)


def evaluation(logits, labels):
  """Returns how many of the batch are right."""
  import millrace as tf

  return tf.reduce_sum(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.int32))
