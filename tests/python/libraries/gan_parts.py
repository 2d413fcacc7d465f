"""What tests of tf.contrib.gan share: small models, and losses in numpy."""

import numpy as np

import millrace as tf

gan = tf.contrib.gan


wargs = gan.losses.wargs


def run(tensors, feed=None):
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    return session.run(tensors, feed)


def softmax_cross_entropy(labels, logits):
  shifted = logits - logits.max(1, keepdims=True)
  return -np.sum(labels * (shifted - np.log(np.exp(shifted).sum(1, keepdims=True))), 1)


class _Normal:
  """A normal distribution of deviation one."""

  def __init__(self, mean):
    self.mean = mean
    self.batch_shape, self.event_shape = tf.TensorShape(mean.shape), tf.TensorShape([])

  def log_prob(self, value):
    return -0.5 * tf.square(value - self.mean) - 0.5 * np.log(2 * np.pi)


def generator(noise):
  noise = noise[0] if isinstance(noise, list) else noise
  w = tf.get_variable("w", initializer=np.array([[1.0, 2.0]], np.float32), regularizer=tf.contrib.layers.l2_regularizer(1.0))
  return tf.matmul(noise, w)


def discriminator(data, unused_conditioning):
  w = tf.get_variable("w", initializer=np.array([[1.0], [-1.0]], np.float32), regularizer=tf.contrib.layers.l2_regularizer(0.5))
  return tf.matmul(data, w)


NOISE = np.array([[1.0], [2.0]], np.float32)


DATA = np.array([[3.0, 5.0], [1.0, 1.0]], np.float32)


def model(**kwargs):
  return gan.gan_model(generator, discriminator, tf.constant(DATA), tf.constant(NOISE), **kwargs)


def tags():
  return [tensor.op.name for tensor in tf.get_collection("summaries")]
