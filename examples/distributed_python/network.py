"""A small network and data for it, for the examples that train several."""

import numpy as np
from local_cluster import tf


def spirals(count=300, seed=0):
  """Two classes, wound around each other: (count, 2) floats and (count,) 0 or 1."""
  random = np.random.RandomState(seed)
  labels = np.arange(count) % 2
  angles = np.linspace(0.5, 3.0, count) * np.pi
  points = np.stack([np.cos(angles + labels * np.pi), np.sin(angles + labels * np.pi)], axis=1) * angles[:, None] / 10
  return (points + 0.01 * random.randn(count, 2)).astype(np.float32), labels.astype(np.int32)


def dense(x, units, name, seed, activation=None):
  size = int(x.shape[-1])
  random = np.random.RandomState(seed)
  with tf.variable_scope(name):
    weights = tf.get_variable("weights", initializer=(random.randn(size, units) / np.sqrt(size)).astype(np.float32))
    bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
  y = tf.matmul(x, weights) + bias
  return activation(y) if activation else y


def network(x, seed, hidden=20):
  """Logits of two classes."""
  first = dense(x, hidden, "first", seed, tf.nn.tanh)
  return dense(first, 2, "logits", seed + 1)


def loss(logits, labels):
  return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


def accuracy(logits, labels):
  return tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.float32))
