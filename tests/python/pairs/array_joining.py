"""Tensors put together and taken apart."""

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


def program_stack(tf):
  x = tf.constant([1.0, 2.0])
  p = tf.placeholder(tf.float32)
  results = [
    tf.stack([x, x + 1]),
    tf.stack([x, [5.0, 6.0]], axis=1, name="columns"),
    tf.stack([1, 2, 3]),
    tf.stack([[1, 2], [3, 4]], axis=-1),
    tf.stack([np.zeros(2), np.ones(2)], axis=1),
    tf.stack([p, p], axis=1),
    tf.stack(x),
  ]
  errors = [
    caught(lambda: tf.stack([x, x], axis=3)),
    caught(lambda: tf.stack([x, tf.constant([1, 2])])),
  ]
  return errors, run(tf, results, {p: np.ones((2, 2))})


def program_unstack(tf):
  x = tf.constant(np.arange(6).reshape(2, 3))
  p = tf.placeholder(tf.float32, [None, 2])
  results = [
    tf.unstack(x),
    tf.unstack(x, axis=1, name="columns"),
    tf.unstack(x, num=3, axis=-1),
    tf.unstack(p, num=4),
    tf.unstack([1, 2]),
  ]
  errors = [
    caught(lambda: tf.unstack(p)),
    caught(lambda: tf.unstack(tf.placeholder(tf.float32))),
    caught(lambda: tf.unstack(x, axis=2)),
  ]
  return errors, run(tf, results, {p: np.ones((4, 2))})


def program_parallel_stack(tf):
  x = tf.constant([1.0, 2.0])
  results = [tf.parallel_stack([x, x * 2]), tf.parallel_stack([1, 2], name="numbers")]
  return caught(lambda: tf.parallel_stack([tf.placeholder(tf.float32)] * 2)), run(tf, results)


def program_concat(tf):
  x = tf.constant([[1, 2], [3, 4]])
  p = tf.placeholder(tf.int32, [None, 2])
  results = [
    tf.concat([x, x], 0),
    tf.concat([x, [[5], [6]]], axis=1, name="wide"),
    tf.concat([p, x], -2),
    tf.concat([x], 1),
    tf.concat(x, 0, name="alone"),
    tf.concat([x, x], tf.constant(1)),
    tf.concat(values=[["a"], ["b"]], axis=0),
  ]
  errors = [
    caught(lambda: tf.concat([1, 2], 0)),
    caught(lambda: tf.concat([x], [0])),
    caught(lambda: tf.concat([x, x], 3)),
    caught(lambda: tf.concat([x, tf.zeros([2, 2])], 0)),
  ]
  return [str(result.shape) for result in results], errors, run(tf, results, {p: np.ones((1, 2))})


def program_split(tf):
  x = tf.constant(np.arange(24).reshape(4, 6))
  sizes = tf.placeholder(tf.int32, [None])
  results = [
    tf.split(x, 2),
    tf.split(x, 3, axis=1, name="three"),
    tf.split(x, [1, 3]),
    tf.split(x, [2, -1, 1], 1, name="rest"),
    tf.split(value=x, num_or_size_splits=np.array([4, 2]), axis=-1),
    tf.split(x, sizes, 1, num=2),
    tf.split(x, tf.Dimension(4)),
    tf.split(x, [tf.constant(1), 3]),
  ]
  errors = [
    caught(lambda: tf.split(x, sizes)),
    caught(lambda: tf.split(x, tf.constant(2))),
    caught(lambda: tf.split(x, 5, 1)),
    caught(lambda: tf.split(x, [1, 2])),
  ]
  return errors, run(tf, results, {sizes: [1, 5]})


def program_meshgrid(tf):
  x, y = [1, 2], tf.constant([3, 4, 5])
  z = tf.placeholder(tf.int32, [None])
  results = [
    tf.meshgrid(x, y),
    tf.meshgrid(x, y, indexing="ij", name="grid"),
    tf.meshgrid(x, y, z),
    tf.meshgrid([1.5]),
    tf.meshgrid(),
    tf.meshgrid(1, 2),
  ]
  errors = [
    caught(lambda: tf.meshgrid(x, y, indexing="x")),
    caught(lambda: tf.meshgrid(x, y, other=1)),
  ]
  return errors, run(tf, results, {z: [6, 7]})


def program_lists_become_tensors(tf):
  x = tf.constant(1.0)
  y = tf.placeholder(tf.int32, [])
  v = tf.Variable(2.0)
  results = [
    tf.convert_to_tensor([x, 2.0, x]),
    tf.convert_to_tensor([[x, 1.0], [2.0, 3.0]], name="matrix"),
    tf.convert_to_tensor((y, 3)),
    tf.convert_to_tensor([y, 3], dtype=tf.float32),
    tf.convert_to_tensor([[1, 2], tf.stack([y, y])]),
    tf.convert_to_tensor([np.float32(1), x]),
    tf.convert_to_tensor([v, 1.0]),
    tf.constant([1.0, 2.0]) + [x, 5.0],
    tf.fill([2, y], 1),
    tf.zeros([y, 2]),
    tf.reshape(tf.range(6), [y, -1]),
  ]
  errors = [
    caught(lambda: tf.convert_to_tensor([x, "a"])),
    caught(lambda: tf.convert_to_tensor([x, y])),
    caught(lambda: tf.convert_to_tensor([x, [1.0]])),
    caught(lambda: tf.convert_to_tensor([y, 2.5])),
  ]
  with tf.Session() as session:
    session.run(v.initializer)
    return errors[:2], session.run(results, {y: 3})


def program_windows_of_a_series(tf):
  """Slides a window over a series, as programs prepare data for recurrent networks."""
  series = tf.placeholder(tf.float32, [None])
  count = tf.size(series) - 3
  index = tf.expand_dims(tf.range(count), 1) + tf.expand_dims(tf.range(3), 0)
  windows = tf.gather(series, index)
  target = series[3:]
  first, rest = tf.split(tf.transpose(windows), [1, 2])
  joined = tf.concat([rest, first, tf.expand_dims(target, 0)], axis=0)
  return run(tf, [windows, target, joined, tf.shape(joined)], {series: np.arange(8)})
