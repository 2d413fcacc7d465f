"""Gradients."""

import numpy as np

from ops.rows import gradients_of, ints, normal, op, uniform

op("grad/gather", gradients_of(lambda tf, x: tf.gather(x, tf.range(0, 9000, 3))), uniform(10000, 64))
op("grad/softmax", gradients_of(lambda tf, x: tf.nn.softmax(x) * x), uniform(1000, 100))
op("grad/tile", gradients_of(lambda tf, x: tf.tile(x, [10, 10])), uniform(100, 100))
op("grad/concat", gradients_of(lambda tf, x, y: tf.concat([x, y], 1) ** 2), uniform(1000, 100), uniform(1000, 100))
op("grad/strided", gradients_of(lambda tf, x: x[::2, ::3]), uniform(1000, 1000))
op("grad/cumsum", gradients_of(lambda tf, x: tf.cumsum(x, 1) ** 2), uniform(1000, 1000))
op("grad/reduce_max", gradients_of(lambda tf, x: tf.reduce_max(x, 1)), uniform(1000, 1000))
op("grad/reduce_prod", gradients_of(lambda tf, x: tf.reduce_prod(x, 1)), uniform(1000, 100))
op("grad/top_k", gradients_of(lambda tf, x: tf.nn.top_k(x, 10)[0]), uniform(1000, 1000))
op("grad/matmul", gradients_of(lambda tf, x, y: tf.matmul(x, y)), uniform(256, 256), uniform(256, 256))
op("grad/pow", gradients_of(lambda tf, x, y: x**y), uniform(1000, 1000), uniform(1000, 1000))
op("grad/where", gradients_of(lambda tf, x, y: tf.where(x > y, x, y)), uniform(1000, 1000), uniform(1000, 1000))
op("grad/einsum", gradients_of(lambda tf, x, y: tf.einsum("bhqd,bhkd->bhqk", x, y)), uniform(8, 8, 64, 64), uniform(8, 8, 64, 64))
op("grad/norm", gradients_of(lambda tf, x: tf.math.l2_normalize(x, 1) * x), uniform(1000, 1000))
op("grad/bn", gradients_of(lambda tf, x, s: tf.nn.fused_batch_norm(x, s, s)[0]), uniform(16, 28, 28, 64), uniform(64))
op("grad/svd", gradients_of(lambda tf, x: tf.linalg.svd(x, compute_uv=False)), uniform(32, 32))
op("grad/fft", gradients_of(lambda tf, x: tf.abs(tf.signal.fft(tf.cast(x, tf.complex64)))), uniform(100, 512))
op("grad/segment", gradients_of(lambda tf, x: tf.math.unsorted_segment_sum(x, tf.range(10000) % 100, 100)), uniform(10000, 64))
op("grad/resize_nn", gradients_of(lambda tf, x: tf.image.resize_nearest_neighbor(x, [56, 56])), uniform(8, 28, 28, 16))
op(
  "grad/ctc",
  lambda tf, x, y: tf.gradients(tf.nn.ctc_loss(tf.sparse.from_dense(y + 1), x, tf.fill([16], 100)), [x]),
  normal(100, 16, 30),
  ints(28, 16, 20),
)
op(
  "grad/cholesky", gradients_of(lambda tf, x: tf.linalg.cholesky(x)), lambda: np.eye(128, dtype=np.float32) * 4 + np.float32(0.01)
)
