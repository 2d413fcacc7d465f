"""A classifier of images by dense layers: in a graph, and in NumPy, which tells how good its values are while others train them."""

import numpy as np
import tensorflow.compat.v1 as tf
from images import CLASSES, PIXELS

# Images are taken in steps of this prime, so that each pass over them has the same order, and batches have images of all kinds.
_STRIDE = 7919


class Classifier:
  """Layers of `hidden` units and one of ten. The same seed gives the same initial values: `initial` is weights and biases in turn."""

  def __init__(self, hidden, seed=0):
    random = np.random.RandomState(seed)
    self.hidden = list(hidden)
    self.initial = []
    for inputs, units in zip([PIXELS, *hidden], [*hidden, CLASSES]):
      self.initial.append((random.standard_normal([inputs, units]) * np.sqrt(2 / inputs)).astype(np.float32))
      self.initial.append(np.zeros([units], np.float32))

  @property
  def bytes(self):
    """Of all variables."""
    return sum(value.nbytes for value in self.initial)

  def variables(self):
    """The variables in the current graph, on the devices of the current scope."""
    names = [name % (i // 2) for i in range(0, len(self.initial), 2) for name in ("layer%d/weights", "layer%d/biases")]
    return [tf.get_variable(name, initializer=value) for name, value in zip(names, self.initial)]


def placeholders():
  """Of a batch: uint8 [n, 784] and int32 [n]."""
  return tf.placeholder(tf.uint8, [None, PIXELS], name="images"), tf.placeholder(tf.int32, [None], name="labels")


def logits(variables, images):
  x = tf.cast(images, tf.float32) / 255.0
  for i in range(0, len(variables), 2):
    x = tf.matmul(x, variables[i]) + variables[i + 1]
    if i + 2 < len(variables):
      x = tf.nn.relu(x)
  return x


def loss(variables, images, labels):
  """The mean cross entropy of a batch."""
  return cross_entropy(logits(variables, images), labels)


def cross_entropy(logits_of_batch, labels):
  return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits_of_batch))


def batch_of(images, number, size):
  """The images and labels of a batch: the examples are numbered through all batches."""
  rows = (number * size + np.arange(size)) * _STRIDE % len(images.train)
  return images.train[rows], images.train_labels[rows]


def scores(values, images, labels):
  """(share of right answers, mean cross entropy) of the variables' values, in NumPy."""
  x = images.astype(np.float32) / 255
  for i in range(0, len(values), 2):
    x = x @ values[i] + values[i + 1]
    if i + 2 < len(values):
      x = np.maximum(x, 0)
  x -= x.max(1, keepdims=True)
  entropy = np.log(np.exp(x).sum(1)) - x[np.arange(len(labels)), labels]
  return float(np.mean(x.argmax(1) == labels)), float(entropy.mean(dtype=np.float64))


def accuracy(values, images, labels):
  return scores(values, images, labels)[0]
