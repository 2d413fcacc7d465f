"""Random numbers: graphs, seeds, shapes; values where the generators are the same as TensorFlow has them."""

import numpy as np


def _run(tf, tensors, feeds=None):
  with tf.Session() as session:
    return session.run(tensors, feeds)


def _raised(call):
  try:
    return call()
  except Exception as error:  # noqa: BLE001 - the other side has to raise the same
    return error


def program_normal(tf):
  n = tf.placeholder(tf.int32, [1], name="n")
  results = [
    tf.random_normal([2, 3], seed=1),
    tf.random.normal([4], 1.0, 2.0, tf.float64, seed=3, name="named"),
    tf.random_normal(n, mean=tf.constant(5.0), stddev=0.5, seed=4),
    tf.random_normal([n[0], 2], seed=5),
    tf.random_normal([], seed=6),
    tf.random_normal(tf.TensorShape([2]), seed=7),
    tf.truncated_normal([5], seed=8),
    tf.random.truncated_normal([2, 2], 1.0, 0.5, tf.float64, 9, "cut"),
  ]
  return _run(tf, results, {n: [3]}) + [str(r.get_shape()) for r in results]


program_normal.rtol = 1e-5
program_normal.atol = 1e-6


def program_uniform(tf):
  results = [
    tf.random_uniform([3], seed=1),
    tf.random.uniform([3], -1, 1, seed=2),
    tf.random_uniform([3], -1.0, 1.0, tf.float64, seed=3, name="named"),
    tf.random_uniform([3], 0, 10, tf.int32, seed=4),
    tf.random_uniform([3], maxval=10, dtype=tf.int64, seed=5),
    tf.random_uniform([3], 0, 5.0, seed=6),
    tf.random_uniform([3], minval=2, maxval=3, seed=7),
    tf.random_uniform([3], 0.0, 1.0, seed=8),
    tf.random_uniform([3], maxval=tf.constant(4.0), seed=9),
    tf.random_uniform([3], dtype=tf.float16, seed=10),
    tf.random_uniform((2, 2), seed=11),
  ]
  return _run(tf, results)


program_uniform.rtol = 1e-5


def program_graph_seed(tf):
  tf.set_random_seed(42)
  a = tf.random_uniform([2])
  b = tf.random_normal([2])
  c = tf.random_uniform([2], seed=5)
  d = tf.truncated_normal([2])
  e = tf.random_shuffle([1, 2, 3, 4])
  return _run(tf, [a, b, c, d, e])


program_graph_seed.rtol = 1e-5


def program_seeds(tf):
  found = [tf.get_seed(None), tf.get_seed(3), tf.random.get_seed(0)]
  tf.set_random_seed(5)
  found += [tf.get_seed(None), tf.constant(1).name, tf.get_seed(None), tf.get_seed(3), tf.get_seed(None)]
  tf.random.set_random_seed(0)
  found += [tf.get_seed(0), tf.get_seed(None)]
  tf.set_random_seed(2**31)
  return found + [tf.get_seed(2**31 + 5), tf.get_seed(-4)]


def program_shuffle_and_crop(tf):
  x = tf.placeholder(tf.float32, [5, 4], name="x")
  size = tf.placeholder(tf.int32, [2], name="size")
  results = [
    tf.random_shuffle(x, seed=1),
    tf.random.shuffle([1, 2, 3, 4, 5], seed=2, name="named"),
    tf.random_crop(x, [2, 2], seed=3),
    tf.image.random_crop(x, [3, 1], seed=4, name="crop"),
    tf.random_crop(x, size, seed=5),
    tf.random_crop([1, 2, 3], [2], 6),
  ]
  return _run(tf, results, {x: np.arange(20).reshape(5, 4), size: [1, 3]})


def program_crop_too_large(tf):
  x = tf.placeholder(tf.float32, [None], name="x")
  return _raised(lambda: _run(tf, tf.random_crop(x, [5], seed=1), {x: [1.0, 2.0]}))


def program_categories(tf):
  logits = tf.placeholder(tf.float32, [2, 3], name="logits")
  results = [
    tf.multinomial(logits, 4, seed=1),
    tf.random.multinomial(logits, 4, seed=2, name="named", output_dtype=tf.int32),
    tf.random.categorical(logits, 5, seed=3),
    tf.random.categorical([[0.0, 1.0]], 5, dtype=tf.int32, seed=4, name="c"),
  ]
  return _run(tf, results, {logits: np.log([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])})


def program_gamma_and_poisson(tf):
  results = [
    tf.random_gamma([3], 2.0, seed=1),
    tf.random.gamma([2], [0.5, 3.0], beta=2.0, dtype=tf.float64, seed=2, name="named"),
    tf.random_gamma([2], [1.0, 2.0], [[1.0], [2.0]], seed=3),
    tf.random_poisson(3.0, [4], seed=4),
    tf.random.poisson([1.0, 20.0], [3], dtype=tf.int32, seed=5, name="p"),
    tf.random_poisson(tf.constant(4.0, tf.float64), [2], seed=6),
  ]
  return _run(tf, results) + [str(r.get_shape()) for r in results]


program_gamma_and_poisson.rtol = 1e-5


def program_stateless(tf):
  seed = tf.placeholder(tf.int32, [2], name="seed")
  results = [
    tf.random.stateless_uniform([3], [1, 2]),
    tf.random.stateless_uniform([3], seed, -1.0, 1.0, tf.float64, "named"),
    tf.random.stateless_uniform([3], [1, 2], 0, 10, tf.int32),
    tf.random.stateless_uniform([3], [1, 2], minval=None, maxval=None, dtype=tf.int32),
    tf.random.stateless_normal([3], [3, 4]),
    tf.random.stateless_normal([2, 2], seed, 1.0, 2.0, tf.float64, name="n"),
    tf.random.stateless_truncated_normal([3], [5, 6]),
    tf.random.stateless_truncated_normal([3], seed, mean=1.0, stddev=0.5, dtype=tf.float64, name="t"),
    tf.random.stateless_multinomial([[0.0, 1.0, 2.0]], 5, [7, 8]),
    tf.random.stateless_multinomial([[0.0, 1.0, 2.0]], 5, seed, output_dtype=tf.int32, name="m"),
    tf.random.stateless_categorical([[0.0, 1.0, 2.0]], 5, [7, 8]),
    tf.random.stateless_categorical([[0.0, 1.0, 2.0]], 5, seed, dtype=tf.int32, name="c"),
  ]
  return _run(tf, results, {seed: [9, 10]})


program_stateless.rtol = 1e-5


def program_wrong_arguments(tf):
  return [
    _raised(lambda: tf.random_uniform([2], dtype=tf.int32)),
    _raised(lambda: tf.random_uniform([2], dtype=tf.string)),
    _raised(lambda: tf.random_normal(3)),
    _raised(lambda: tf.random.stateless_uniform([2], [1, 2], dtype=tf.int32, minval=1)),
    _raised(lambda: tf.random.stateless_uniform([2], [1, 2], dtype=tf.string)),
    _raised(lambda: tf.random.stateless_uniform([2], [1, 2, 3])),
  ]


def program_runs_differ(tf):
  x = tf.random_uniform([4])
  y = tf.random_uniform([4], seed=1)
  with tf.Session() as session:
    a, b = session.run([x, y])
    c, d = session.run([x, y])
  return [bool(np.any(a != c)), bool(np.any(b != d)), b, d]


program_runs_differ.rtol = 1e-6
