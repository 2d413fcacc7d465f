"""Pooling, normalization, moments and dropout."""

import numpy as np


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _run(tf, *fetches, feed=None):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [session.run(f, feed) for f in fetches]


def _data(*shape):
  return np.random.RandomState(len(shape) * 7 + sum(shape)).randn(*shape).astype(np.float32)


def program_pooling_of_images(tf):
  x = tf.constant(_data(2, 7, 8, 3))
  made = [
    tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
    tf.nn.max_pool(x, 2, 2, "VALID", name="max"),
    tf.nn.max_pool(value=x, ksize=[3, 2], strides=[2], padding="SAME", data_format="NHWC"),
    tf.nn.max_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], [[0, 0], [1, 1], [0, 1], [0, 0]]),
    tf.nn.max_pool2d(x, 2, 2, "SAME"),
    tf.nn.max_pool2d(x, [1, 2, 2, 1], [1, 1, 2, 1], "VALID", "NHWC", "named"),
    tf.nn.max_pool_v2(x, 2, 2, "SAME"),
    tf.nn.max_pool_v2(x, 2, 2, "SAME", data_format="NHWC", name="v2"),
    tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
    tf.nn.avg_pool(value=x, ksize=2, strides=2, padding="VALID", data_format="NHWC", name="avg"),
    tf.nn.avg_pool(x, 3, 1, "SAME"),
    tf.nn.avg_pool2d(x, 2, [1, 2], "SAME", name="avg2d"),
    tf.nn.avg_pool_v2(x, 2, 2, "SAME", data_format="NHWC", name="avg_v2"),
  ]
  return _run(tf, *made)


program_pooling_of_images.rtol = 1e-5
program_pooling_of_images.atol = 1e-6


def program_pooling_of_series_and_volumes(tf):
  s, v = tf.constant(_data(2, 9, 3)), tf.constant(_data(1, 4, 5, 6, 2))
  made = [
    tf.nn.max_pool1d(s, 2, 2, "SAME"),
    tf.nn.max_pool1d(s, [3], [2], "VALID", "NWC", "max1d"),
    tf.nn.avg_pool1d(s, 2, 2, "SAME"),
    tf.nn.avg_pool1d(s, ksize=3, strides=1, padding="VALID", data_format="NWC", name="avg1d"),
    tf.nn.max_pool3d(v, 2, 2, "SAME"),
    tf.nn.max_pool3d(v, [1, 2, 2, 2, 1], [1, 1, 2, 2, 1], "VALID", "NDHWC", "max3d"),
    tf.nn.avg_pool3d(v, 2, 2, "SAME"),
    tf.nn.avg_pool3d(v, [2, 2, 2], 1, "VALID", "NDHWC", "avg3d"),
    tf.nn.max_pool_v2(s, 2, 2, "SAME"),
    tf.nn.max_pool_v2(v, 2, 2, "SAME"),
    tf.nn.avg_pool_v2(s, 2, 2, "SAME"),
    tf.nn.avg_pool_v2(v, 2, 2, "SAME"),
  ]
  return _run(tf, *made)


program_pooling_of_series_and_volumes.rtol = 1e-5
program_pooling_of_series_and_volumes.atol = 1e-6


def program_pool(tf):
  x, s, v = tf.constant(_data(2, 8, 8, 3)), tf.constant(_data(2, 9, 3)), tf.constant(_data(1, 6, 6, 6, 2))
  made = [
    tf.nn.pool(x, [2, 2], "MAX", "SAME"),
    tf.nn.pool(x, [2, 3], "AVG", "VALID", strides=[2, 1], name="named"),
    tf.nn.pool(x, [2, 2], "AVG", "VALID", dilation_rate=[2, 2]),
    tf.nn.pool(s, [2], "MAX", "SAME"),
    tf.nn.pool(v, [2, 2, 2], "MAX", "VALID", dilations=[1, 2, 1], data_format="NDHWC"),
    tf.nn.pool(input=v, window_shape=[2, 2, 2], pooling_type="AVG", padding="SAME"),
  ]
  return _run(tf, *made)


program_pool.rtol = 1e-5
program_pool.atol = 1e-6


def program_max_pool_with_argmax(tf):
  x = tf.constant(_data(2, 6, 6, 2))
  made = [
    tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
    tf.nn.max_pool_with_argmax(x, [1, 3, 3, 1], [1, 2, 2, 1], "VALID", "NHWC", tf.int32, "argmax", include_batch_in_index=True),
    tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME", output_dtype=tf.int32),
  ]
  return [list(m._fields) for m in made] + _run(tf, *[list(m) for m in made])


def program_fractional_pooling(tf):
  x = tf.constant(_data(2, 9, 9, 2))
  made = []
  for f in (tf.nn.fractional_max_pool, tf.nn.fractional_avg_pool):
    made.append(f(x, [1.0, 1.5, 1.4, 1.0], True, True, True, 3, 4, "named"))
    made.append(
      f(x, pooling_ratio=[1.0, 1.44, 1.73, 1.0], pseudo_random=False, overlapping=False, deterministic=True, seed=1, seed2=2)
    )
  return [list(m._fields) for m in made] + _run(tf, *[list(m) for m in made])


program_fractional_pooling.rtol = 1e-5


def program_lrn(tf):
  x = tf.constant(_data(2, 3, 3, 7))
  made = [
    tf.nn.lrn(x),
    tf.nn.lrn(x, 2, 1.5, 0.5, 0.75, "named"),
    tf.nn.local_response_normalization(x, depth_radius=1, bias=2.0, alpha=0.1, beta=0.7),
  ]
  return _run(tf, *made)


program_lrn.rtol = 1e-4


def program_l2_normalize(tf):
  x = tf.constant(_data(3, 4))
  c = tf.complex(x, x * 2.0)
  made = [
    tf.nn.l2_normalize(x),
    tf.nn.l2_normalize(x, 1),
    tf.nn.l2_normalize(x, axis=[0, 1], epsilon=100.0, name="named"),
    tf.nn.l2_normalize(x, dim=0),
    tf.nn.l2_normalize([1.0, 2.0], -1),
    tf.nn.l2_normalize(c, 1),
  ]
  return _run(tf, *made) + [_error(lambda: tf.nn.l2_normalize(x, 1, dim=1))]


program_l2_normalize.rtol = 1e-5


def program_moments(tf):
  x = tf.constant(_data(3, 4, 5))
  unknown = tf.placeholder_with_default(_data(3, 4), [None, 4])
  made = [
    tf.nn.moments(x, [0]),
    tf.nn.moments(x, axes=[0, 2], keep_dims=True, name="named"),
    tf.nn.moments(x, [1], shift=1.0, keepdims=True),
    tf.nn.moments(tf.cast(x, tf.float16), 0),
    tf.nn.moments(unknown, [0, 1]),
    tf.nn.weighted_moments(x, [0], [1.0, 2.0, 3.0, 4.0, 5.0]),
    tf.nn.weighted_moments(x, axes=[1, 2], frequency_weights=2.0, name="weighted", keep_dims=True),
    tf.nn.weighted_moments(tf.cast(x, tf.float16), [0], 1.0, keepdims=True),
    tf.nn.weighted_moments(x, [2], [1, 0, 1, 0, 1]),
  ]
  return _run(tf, *made) + [_error(lambda: tf.nn.moments(x, [0], keep_dims=True, keepdims=True))]


program_moments.rtol = 2e-3
program_moments.atol = 1e-5


def program_statistics_in_parts(tf):
  x = tf.constant(_data(3, 4))
  unknown = tf.placeholder_with_default(_data(3, 4), [None, 4])
  made = []
  for counts, mean_ss, var_ss, shift in (
    tf.nn.sufficient_statistics(x, [0]),
    tf.nn.sufficient_statistics(x, [0, 1], shift=0.5, keep_dims=True, name="named"),
    tf.nn.sufficient_statistics(unknown, [0], keepdims=True),
    tf.nn.sufficient_statistics(unknown, [-2]),
  ):
    made.append([counts, mean_ss, var_ss])
    made.append(tf.nn.normalize_moments(counts, mean_ss, var_ss, shift))
    made.append(tf.nn.normalize_moments(counts, mean_ss, var_ss, shift=tf.constant(1.0), name="shifted"))
  return _run(tf, *made)


program_statistics_in_parts.rtol = 1e-4
program_statistics_in_parts.atol = 1e-5


def program_batch_normalization(tf):
  x, m, v, o, s = (tf.constant(_data(*shape)) for shape in ((5, 3), (3,), (3,), (3,), (3,)))
  v = tf.abs(v)
  made = [
    tf.nn.batch_normalization(x, m, v, o, s, 0.1),
    tf.nn.batch_normalization(x, mean=m, variance=v, offset=None, scale=None, variance_epsilon=0.001, name="named"),
    tf.nn.batch_normalization(x, m, v, o, None, 0.1),
    tf.nn.batch_normalization(x, m, v, None, s, 0.1),
    tf.nn.batch_normalization(tf.cast(x, tf.float16), m, v, o, s, 0.1),
    tf.nn.batch_norm_with_global_normalization(x, m, v, o, s, 0.1, True),
    tf.nn.batch_norm_with_global_normalization(
      input=x, mean=m, variance=v, beta=o, gamma=s, variance_epsilon=0.1, scale_after_normalization=False, name="global"
    ),
  ]
  return _run(tf, *made)


program_batch_normalization.rtol = 2e-3
program_batch_normalization.atol = 1e-4


def program_fused_batch_norm(tf):
  x, s, o = tf.placeholder_with_default(_data(4, 3, 3, 2), [4, 3, 3, 2]), tf.constant([1.0, 2.0]), tf.constant([0.5, -0.5])
  made = [
    tf.nn.fused_batch_norm(x, s, o),
    tf.nn.fused_batch_norm(x, s, o, tf.constant([0.1, 0.2]), tf.constant([1.0, 2.0]), 0.01, "NHWC", False, "inference"),
    tf.nn.fused_batch_norm(x, [1.0, 2.0], [1.0, 1.0], epsilon=0.1),
    tf.nn.fused_batch_norm(tf.cast(x, tf.float16), s, o, is_training=True),
  ]
  return _run(tf, *[list(m) for m in made[:1] + made[2:]], made[1][0]) + [
    _error(lambda: tf.nn.fused_batch_norm(x, s, o, is_training=False))
  ]


def program_fused_batch_norm_with_channels_first(tf):
  """Only built: CPUs have no kernel of it in TensorFlow."""
  x = tf.placeholder(tf.float32, [4, 2, 3, 3])
  made = tf.nn.fused_batch_norm(x, tf.ones([2]), tf.zeros([2]), data_format="NCHW", name="first")
  return [[m.name, str(m.shape)] for m in made]


program_fused_batch_norm.rtol = 2e-3
program_fused_batch_norm.atol = 1e-4


def program_dropout(tf):
  x = tf.constant(np.ones([4, 5], np.float32))
  unknown = tf.placeholder_with_default(np.ones([4, 5], np.float32), [None, 5])
  made = [
    tf.nn.dropout(x, 0.5, seed=1),
    tf.nn.dropout(x, keep_prob=0.3, noise_shape=[4, 1], seed=2, name="rows"),
    tf.nn.dropout(x, rate=0.3, noise_shape=tf.constant([1, 5]), seed=3),
    tf.nn.dropout(unknown, rate=0.5, seed=4),
    tf.nn.dropout(x, noise_shape=[None, 1], rate=0.5, seed=5),
    tf.nn.dropout(x, keep_prob=tf.placeholder_with_default(0.5, []), seed=6),
    tf.nn.dropout(x, rate=tf.placeholder_with_default(0.5, []), seed=7),
    tf.nn.dropout(tf.cast(x, tf.float64), 0.5, seed=8),
    tf.nn.dropout(x, keep_prob=1.0),
    tf.nn.dropout(x, rate=0),
  ]
  return [m.name for m in made] + _run(tf, *made)


program_dropout.rtol = 1e-6


def program_dropout_of_a_seeded_graph(tf):
  tf.set_random_seed(5)
  x = tf.constant(np.ones([4, 5], np.float32))
  a = tf.nn.dropout(x, 0.5)
  b = tf.nn.dropout(x, keep_prob=1.0)
  c = tf.nn.dropout(x, rate=0.2)
  d = tf.nn.dropout(x, rate=0.2, seed=3)
  return _run(tf, a, b, c, d)


program_dropout_of_a_seeded_graph.rtol = 1e-6


def program_errors(tf):
  x = tf.zeros([1, 8, 8, 2])
  tries = [
    lambda: tf.nn.dropout(x),
    lambda: tf.nn.dropout(x, 0.5, rate=0.4),
    lambda: tf.nn.dropout(x, 0.0),
    lambda: tf.nn.dropout(x, rate=1.0),
    lambda: tf.nn.dropout(x, rate=-0.1),
    lambda: tf.nn.dropout(x, rate="a"),
    lambda: tf.nn.dropout(tf.zeros([2], tf.int32), 0.5),
    lambda: tf.nn.dropout(tf.zeros([2], tf.float16), rate=tf.constant(0.5)),
    lambda: tf.nn.max_pool(x, 0, 1, "SAME"),
    lambda: tf.nn.max_pool(x, [1, 2, 2], 1, "SAME"),
    lambda: tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 1, 1, 1], "SAME", data_format="NCHW"),
    lambda: tf.nn.pool(x, [2, 2], "FOO", "SAME"),
    lambda: tf.nn.pool(x, [2], "MAX", "SAME"),
    lambda: tf.nn.pool(x, [2, 2], "MAX", "SAME", strides=[3, 3]),
    lambda: tf.nn.pool(x, [2, 2], "MAX", "SAME", strides=[2, 2], dilation_rate=[2, 2]),
    lambda: tf.nn.pool(x, [2, 2], "MAX", "SAME", dilation_rate=[2, 2]),
    lambda: tf.nn.pool(x, [2] * 4, "MAX", "SAME"),
    lambda: tf.nn.max_pool_v2(tf.zeros([2, 2]), 2, 2, "SAME"),
    lambda: tf.nn.max_pool_v2(tf.placeholder(tf.float32), 2, 2, "SAME"),
  ]
  return [_error(t) for t in tries]
