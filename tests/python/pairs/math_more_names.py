"""Segments, transforms, casts, checks and samplers by each of their names, with all of their arguments, one call a line."""

import numpy as np

_X = np.array([0.1, 0.4, 0.9], dtype=np.float32)
_Y = np.array([2.0, 0.5, -1.0], dtype=np.float32)


def _run(tf, tensors):
  with tf.Session() as session:
    return session.run(tensors)


def program_segments(tf):
  m = tf.constant([[1.0, 2.0], [0.25, 3.0], [2.0, 0.5]])
  results = [
    tf.segment_max(data=m, segment_ids=[0, 0, 2], name="n"),
    tf.segment_mean(data=m, segment_ids=[0, 0, 2], name="n"),
    tf.segment_min(data=m, segment_ids=[0, 0, 2], name="n"),
    tf.segment_prod(data=m, segment_ids=[0, 0, 2], name="n"),
    tf.segment_sum(data=m, segment_ids=[0, 0, 2], name="n"),
    tf.unsorted_segment_max(data=m, segment_ids=[1, 0, 1], num_segments=3, name="n"),
    tf.unsorted_segment_mean(data=m, segment_ids=[1, 0, 1], num_segments=3, name="n"),
    tf.unsorted_segment_min(data=m, segment_ids=[1, 0, 1], num_segments=3, name="n"),
    tf.unsorted_segment_prod(data=m, segment_ids=[1, 0, 1], num_segments=3, name="n"),
    tf.unsorted_segment_sqrt_n(data=m, segment_ids=[1, 0, 1], num_segments=3, name="n"),
    tf.unsorted_segment_sum(data=m, segment_ids=[1, 0, 1], num_segments=3, name="n"),
    tf.math.segment_max(data=m, segment_ids=[0, 0, 2], name="n"),
    tf.math.segment_mean(data=m, segment_ids=[0, 0, 2], name="n"),
    tf.math.segment_min(data=m, segment_ids=[0, 0, 2], name="n"),
    tf.math.segment_prod(data=m, segment_ids=[0, 0, 2], name="n"),
    tf.math.segment_sum(data=m, segment_ids=[0, 0, 2], name="n"),
    tf.math.unsorted_segment_max(data=m, segment_ids=[1, 0, 1], num_segments=3, name="n"),
    tf.math.unsorted_segment_mean(data=m, segment_ids=[1, 0, 1], num_segments=3, name="n"),
    tf.math.unsorted_segment_min(data=m, segment_ids=[1, 0, 1], num_segments=3, name="n"),
    tf.math.unsorted_segment_prod(data=m, segment_ids=[1, 0, 1], num_segments=3, name="n"),
    tf.math.unsorted_segment_sqrt_n(data=m, segment_ids=[1, 0, 1], num_segments=3, name="n"),
    tf.math.unsorted_segment_sum(data=m, segment_ids=[1, 0, 1], num_segments=3, name="n"),
    tf.sparse_segment_sum(data=m, indices=[0, 2], segment_ids=[0, 1], name="n", num_segments=3),
    tf.sparse_segment_mean(data=m, indices=[0, 2], segment_ids=[0, 1], name="n", num_segments=3),
    tf.sparse_segment_sqrt_n(data=m, indices=[0, 2], segment_ids=[0, 1], name="n", num_segments=3),
    tf.sparse.segment_sum(data=m, indices=[0, 2], segment_ids=[0, 1], name="n", num_segments=3),
    tf.sparse.segment_mean(data=m, indices=[0, 2], segment_ids=[0, 1], name="n", num_segments=3),
    tf.sparse.segment_sqrt_n(data=m, indices=[0, 2], segment_ids=[0, 1], name="n", num_segments=3),
  ]
  return _run(tf, results)


program_segments.rtol = 1e-5


def program_transforms(tf):
  x = tf.constant(np.sin(np.arange(27)).reshape(3, 3, 3).astype(np.float32))
  z = tf.complex(x, x[::-1])
  results = [
    tf.fft(z, name="n"),
    tf.fft2d(z, name="n"),
    tf.fft3d(z, name="n"),
    tf.ifft(z, name="n"),
    tf.ifft2d(z, name="n"),
    tf.ifft3d(z, name="n"),
    tf.signal.fft(z, name="n"),
    tf.signal.fft2d(z, name="n"),
    tf.signal.fft3d(z, name="n"),
    tf.signal.ifft(z, name="n"),
    tf.signal.ifft2d(z, name="n"),
    tf.signal.ifft3d(z, name="n"),
    tf.spectral.fft(z, name="n"),
    tf.spectral.fft2d(z, name="n"),
    tf.spectral.fft3d(z, name="n"),
    tf.spectral.ifft(z, name="n"),
    tf.spectral.ifft2d(z, name="n"),
    tf.spectral.ifft3d(z, name="n"),
    tf.signal.rfft(x, fft_length=[4], name="n"),
    tf.signal.rfft2d(x, fft_length=[4, 4], name="n"),
    tf.signal.rfft3d(x, fft_length=[4, 4, 4], name="n"),
    tf.signal.irfft(z, fft_length=[4], name="n"),
    tf.signal.irfft2d(z, fft_length=[4, 4], name="n"),
    tf.signal.irfft3d(z, fft_length=[4, 4, 4], name="n"),
    tf.signal.dct(x, type=3, n=4, axis=-1, norm="ortho", name="n"),
    tf.signal.idct(x, type=3, n=4, axis=-1, norm="ortho", name="n"),
    tf.spectral.rfft(x, fft_length=[4], name="n"),
    tf.spectral.rfft2d(x, fft_length=[4, 4], name="n"),
    tf.spectral.rfft3d(x, fft_length=[4, 4, 4], name="n"),
    tf.spectral.irfft(z, fft_length=[4], name="n"),
    tf.spectral.irfft2d(z, fft_length=[4, 4], name="n"),
    tf.spectral.irfft3d(z, fft_length=[4, 4, 4], name="n"),
    tf.spectral.dct(x, type=3, n=4, axis=-1, norm="ortho", name="n"),
    tf.spectral.idct(x, type=3, n=4, axis=-1, norm="ortho", name="n"),
  ]
  return _run(tf, results)


program_transforms.rtol = 1e-4
program_transforms.atol = 1e-4


def program_casts(tf):
  results = [
    tf.to_int32(x=_X, name="n"),
    tf.to_int64(x=_X, name="n"),
    tf.to_double(x=_X, name="n"),
    tf.to_float(x=np.array([1]), name="n"),
    tf.to_complex64(x=_X, name="n"),
    tf.to_complex128(x=_X, name="n"),
    tf.cast(tf.to_bfloat16(x=_X, name="n"), tf.float32),
    tf.cast(x=_X, dtype=tf.int32, name="n"),
    tf.dtypes.cast(x=_X, dtype=tf.int32, name="n"),
    tf.saturate_cast(value=_X * 1000, dtype=tf.uint8, name="n"),
    tf.dtypes.saturate_cast(value=_X * 1000, dtype=tf.uint8, name="n"),
  ]
  return _run(tf, results)


def program_checks(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  checks = [
    tf.assert_equal(x=x, y=x + 0, data=["d", x], summarize=2, message="m", name="n"),
    tf.assert_less(x=x, y=x + 1, data=["d", x], summarize=2, message="m", name="n"),
    tf.assert_positive(x=x, data=["d", x], summarize=2, message="m", name="n"),
    tf.assert_rank(x=x, rank=1, data=["d", x], summarize=2, message="m", name="n"),
  ]
  with tf.Session() as session:
    session.run(checks, {x: [1.0, 2.0]})
  return [check.name for check in checks]


def program_samplers(tf):
  classes = tf.constant([[1], [2]], tf.int64)
  results = [
    tf.random.uniform_candidate_sampler(classes, 1, 3, True, 10, seed=3, name="n"),
    tf.random.log_uniform_candidate_sampler(classes, 1, 3, True, 10, seed=3, name="n"),
    tf.random.learned_unigram_candidate_sampler(classes, 1, 3, True, 10, seed=3, name="n"),
    tf.random.fixed_unigram_candidate_sampler(classes, 1, 3, False, 3, unigrams=[0.1, 0.2, 0.7], seed=3, name="n"),
    tf.random.all_candidate_sampler(classes, 1, 3, True, seed=3, name="n"),
  ]
  return [len(result) for result in results] + _run(tf, [next(iter(results[4]))])


def program_network_functions_in_math(tf):
  m = tf.constant([[1.0, 2.0, 0.5], [0.25, 3.0, 1.5]])
  results = [
    tf.math.softmax(m, axis=1, name="n"),
    tf.math.log_softmax(m, axis=-1, name="n"),
    tf.math.softplus(features=m, name="n"),
    tf.math.softsign(features=m, name="n"),
    tf.math.top_k(input=m, k=2, sorted=True, name="n"),
    tf.math.in_top_k(predictions=m, targets=[0, 1], k=1, name="n"),
    tf.math.zero_fraction(m, name="n"),
    tf.math.l2_normalize(m, axis=1, epsilon=1e-6, name="n"),
    tf.linalg.l2_normalize(m, axis=1, epsilon=1e-6, name="n"),
    tf.linalg.global_norm([m, m], name="n"),
  ]
  return _run(tf, results)


program_network_functions_in_math.rtol = 1e-5


def program_timestamp(tf):
  """It is another each time."""
  now = _run(tf, tf.timestamp(name="n"))
  return bool(now > 1e9)


program_timestamp.values_only = True
