"""Tensors of one value and masks."""

import numpy as np


def run(tf, fetches, feed=None):
  with tf.Session() as session:
    return session.run(fetches, feed)


def caught(function):
  """Returns the error that a function raises, or what it returns."""
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def program_zeros_and_ones(tf):
  p = tf.placeholder(tf.int32, [2])
  scalar = tf.placeholder(tf.int32, [])
  results = []
  for make in (tf.zeros, tf.ones):
    results += [
      make([2, 3]),
      make((2,), tf.int32, name="named"),
      make([2], dtype=tf.bool),
      make([], tf.float64),
      make(3),
      make(np.array([2, 1])),
      make(tf.TensorShape([1, 2])),
      make([tf.Dimension(2)]),
      make([40, 50], tf.uint8),
      make(p),
      make([scalar, 2], tf.int64),
      make(scalar),
      make(tf.shape(p)),
      make([2], tf.complex64),
    ]
  results += [tf.zeros([2], tf.string)]
  errors = [
    caught(lambda: tf.ones([2], tf.string)),
    caught(lambda: tf.zeros([2, None])),
    caught(lambda: tf.zeros(tf.TensorShape([2, None]))),
    caught(lambda: tf.zeros(["a"])),
  ]
  return [str(result.shape) for result in results], errors, run(tf, results, {p: [2, 2], scalar: 3})


def program_like(tf):
  known = tf.constant([[1.0, 2.0]])
  p = tf.placeholder(tf.float32, [None, 2])
  text = tf.constant(["a", "b"])
  results = []
  for like in (tf.zeros_like, tf.ones_like):
    results += [
      like(known),
      like(known, dtype=tf.int32, name="ints"),
      like(known, optimize=False),
      like(known, tf.bool, optimize=False),
      like(p),
      like(p, tf.int64, name="longs"),
      like([1, 2]),
      like(tf.Variable([1.0, 2.0])),
    ]
  results += [tf.zeros_like(text), tf.zeros_like(tf.zeros([40, 30]))]
  return run(tf, results, {p: np.ones((3, 2))})


def program_fill(tf):
  p = tf.placeholder(tf.int32, [2])
  results = [
    tf.fill([2, 3], 9),
    tf.fill(p, 1.5, name="filled"),
    tf.fill(tf.TensorShape([2]), "a"),
    tf.fill([], True),
  ]
  return caught(lambda: tf.fill([2], [1, 2])), run(tf, results, {p: [1, 2]})


def program_one_hot(tf):
  indices = tf.placeholder(tf.uint8, [None])
  depth = tf.placeholder(tf.int32, [])
  results = [
    tf.one_hot([0, 2, -1, 5], 3),
    tf.one_hot([[0, 1]], 2, on_value=5, off_value=-1, axis=0, name="first"),
    tf.one_hot([1], 3, on_value=2.5),
    tf.one_hot([1], 3, off_value=7),
    tf.one_hot([1], 3, dtype=tf.int64),
    tf.one_hot([1, 0], 2, "yes", "no"),
    tf.one_hot([1, 0], 2, True, False, dtype=tf.bool),
    tf.one_hot(indices, depth, axis=-1, dtype=tf.float32),
    tf.one_hot([1], 2, 1, 0, dtype=tf.float64),
  ]
  errors = [
    caught(lambda: tf.one_hot([1], 2, 1.5, 0.5, dtype=tf.int32)),
    caught(lambda: tf.one_hot([1], 2, 1, 0.5)),
    caught(lambda: tf.one_hot([1.5], 2)),
    caught(lambda: tf.one_hot([1], -1)),
  ]
  return [str(result.shape) for result in results], errors, run(tf, results, {indices: [1, 2], depth: 3})


def program_sequence_mask(tf):
  lengths = tf.placeholder(tf.int64, [None])
  results = [
    tf.sequence_mask([1, 3, 2]),
    tf.sequence_mask([1, 3, 2], 5),
    tf.sequence_mask([[1], [2]], maxlen=3, dtype=tf.float32, name="weights"),
    tf.sequence_mask(lengths, tf.constant(4, tf.int64)),
    tf.sequence_mask(lengths, dtype=tf.int32),
    tf.sequence_mask(2, 3),
  ]
  return caught(lambda: tf.sequence_mask([1], [3])), run(tf, results, {lengths: [0, 2]})


def program_masked_mean(tf):
  """The mean over the valid steps of padded sequences, as losses of recurrent networks take it."""
  values = tf.placeholder(tf.float32, [None, None])
  lengths = tf.placeholder(tf.int32, [None])
  mask = tf.sequence_mask(lengths, tf.shape(values)[1], dtype=tf.float32)
  total = tf.reduce_sum(values * mask, 1) / tf.reduce_sum(mask, 1)
  return run(tf, [mask, total], {values: np.arange(12).reshape(3, 4), lengths: [1, 4, 2]})


def program_confusion(tf):
  """Counts pairs of labels and predictions by one-hot rows."""
  labels = tf.constant([0, 1, 2, 2, 1])
  predictions = tf.constant([0, 2, 2, 1, 1])
  rows = tf.one_hot(labels, 3)
  columns = tf.one_hot(predictions, 3)
  return run(tf, tf.matmul(rows, columns, transpose_a=True))
