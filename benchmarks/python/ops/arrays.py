"""Ops that move elements."""

from ops.rows import MILLION, doubles, images, ints, longs, op, uniform

op("array/concat0", lambda tf, x, y: tf.concat([x, y], 0), uniform(500, 1000), uniform(500, 1000))
op("array/concat1", lambda tf, x, y: tf.concat([x, y], 1), uniform(1000, 500), uniform(1000, 500))
op("array/concat_many", lambda tf, x: tf.concat([x] * 50, 1), uniform(1000, 20))
op("array/split1", lambda tf, x: tf.split(x, 4, 1), uniform(1000, 1000))
op("array/split_many", lambda tf, x: tf.split(x, 100, 1), uniform(1000, 1000))
op("array/slice", lambda tf, x: tf.slice(x, [100, 100], [800, 800]), uniform(1000, 1000))
op("array/strided", lambda tf, x: x[::2, ::3], uniform(1000, 1000))
op("array/strided_neg", lambda tf, x: x[::-1, 5:-5], uniform(1000, 1000))
op("array/pad", lambda tf, x: tf.pad(x, [[1, 1], [2, 2]]), uniform(1000, 1000))
op("array/pad_nhwc", lambda tf, x: tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]]), uniform(32, 28, 28, 64))
op("array/mirror", lambda tf, x: tf.pad(x, [[5, 5], [5, 5]], "REFLECT"), uniform(1000, 1000))
op("array/tile", lambda tf, x: tf.tile(x, [10, 10]), uniform(100, 100))
op("array/tile_rows", lambda tf, x: tf.tile(x, [1000, 1]), uniform(1, 1000))
op("array/transpose", lambda tf, x: tf.transpose(x), uniform(1000, 1000))
op("array/nhwc_nchw", lambda tf, x: tf.transpose(x, [0, 3, 1, 2]), uniform(32, 28, 28, 64))
op("array/nchw_nhwc", lambda tf, x: tf.transpose(x, [0, 2, 3, 1]), uniform(32, 64, 28, 28))
op("array/perm_021", lambda tf, x: tf.transpose(x, [0, 2, 1]), uniform(100, 100, 100))
op("array/perm_102", lambda tf, x: tf.transpose(x, [1, 0, 2]), uniform(100, 100, 100))
op("array/perm_0213", lambda tf, x: tf.transpose(x, [0, 2, 1, 3]), uniform(16, 128, 8, 64))
op("array/transpose_u8", lambda tf, x: tf.transpose(x, [0, 3, 1, 2]), images(32, 64, 64, 3))
op("array/transpose_double", lambda tf, x: tf.transpose(x), doubles(1000, 1000))
op("array/reverse", lambda tf, x: tf.reverse(x, [1]), uniform(1000, 1000))
op("array/reverse0", lambda tf, x: tf.reverse(x, [0]), uniform(1000, 1000))
op(
  "array/reverse_sequence",
  lambda tf, x, s: tf.reverse_sequence(x, s, seq_axis=1, batch_axis=0),
  uniform(100, 100, 100),
  longs(100, 100),
)
op("array/roll", lambda tf, x: tf.roll(x, [3, 5], [0, 1]), uniform(1000, 1000))
op("array/one_hot", lambda tf, x: tf.one_hot(x, 1000), ints(1000, 1000))
op("array/stack", lambda tf, x: tf.stack([x] * 10, 1), uniform(1000, 100))
op("array/unstack", lambda tf, x: tf.unstack(x, axis=1), uniform(1000, 100))
op("array/broadcast_to", lambda tf, x: tf.broadcast_to(x, [1000, 1000]), uniform(1000, 1))
op("array/s2d", lambda tf, x: tf.nn.space_to_depth(x, 2), uniform(32, 28, 28, 64))
op("array/d2s", lambda tf, x: tf.nn.depth_to_space(x, 2), uniform(32, 28, 28, 64))
op("array/s2b", lambda tf, x: tf.space_to_batch_nd(x, [2, 2], [[0, 0], [0, 0]]), uniform(32, 28, 28, 64))
op("array/b2s", lambda tf, x: tf.batch_to_space_nd(x, [2, 2], [[0, 0], [0, 0]]), uniform(32, 28, 28, 64))
op("array/diag", lambda tf, x: tf.linalg.diag(x), uniform(10, 300))
op("array/diag_part", lambda tf, x: tf.linalg.diag_part(x), uniform(100, 100, 100))
op("array/band", lambda tf, x: tf.linalg.band_part(x, 10, 10), uniform(1000, 1000))
op("array/repeat", lambda tf, x: tf.repeat(x, 3, axis=0), uniform(1000, 300))
op("array/unique", lambda tf, x: list(tf.unique(x)), ints(1000, MILLION // 10))
op("array/unique_many", lambda tf, x: list(tf.unique(x)), longs(MILLION * 10, MILLION // 10))
op("array/unique_counts", lambda tf, x: list(tf.unique_with_counts(x)), ints(1000, MILLION // 10))
op("array/listdiff", lambda tf, x, y: list(tf.setdiff1d(x, y)), ints(MILLION, MILLION // 10), ints(MILLION, MILLION // 10))
op("array/dynamic_partition", lambda tf, x, p: tf.dynamic_partition(x, p, 4), uniform(10000, 64), ints(4, 10000))
op(
  "array/dynamic_stitch",
  lambda tf, x: tf.dynamic_stitch([tf.range(0, 10000, 2), tf.range(1, 10000, 2)], [x, x]),
  uniform(5000, 64),
)
op("array/fill", lambda tf, x: tf.fill([1000, 1000], x[0]), uniform(1))
op("array/range", lambda tf, x: tf.range(x[0] + MILLION), ints(5, 1))
op("array/sequence_mask", lambda tf, x: tf.sequence_mask(x, 1000), ints(1000, 1000))
op(
  "array/patches",
  lambda tf, x: tf.image.extract_patches(x, [1, 3, 3, 1], [1, 1, 1, 1], [1, 1, 1, 1], "SAME"),
  uniform(8, 56, 56, 16),
)
op("array/invert_perm", lambda tf, x: tf.math.invert_permutation(tf.argsort(x)), uniform(10000))
op("array/meshgrid", lambda tf, x: list(tf.meshgrid(x, x)), uniform(1000))
op("gather/rows", lambda tf, x, y: tf.gather(x, y), uniform(10000, 64), ints(10000, 10000))
op("gather/elements", lambda tf, x, y: tf.gather(x, y), uniform(MILLION), ints(MILLION, MILLION))
op("gather/axis1", lambda tf, x, y: tf.gather(x, y, axis=1), uniform(1000, 1000), ints(1000, 1000))
op("gather/batch", lambda tf, x, y: tf.gather(x, y, batch_dims=1), uniform(100, 1000, 16), ints(1000, 100, 500))
op("gather/nd", lambda tf, x, y: tf.gather_nd(x, y), uniform(1000, 1000), ints(1000, 100000, 2))
op("gather/nd_rows", lambda tf, x, y: tf.gather_nd(x, y), uniform(100, 100, 64), ints(100, 10000, 2))
op("scatter/nd", lambda tf, x, y: tf.scatter_nd(y, x, [1000, 1000]), uniform(100000), ints(1000, 100000, 2))
op("scatter/nd_rows", lambda tf, x, y: tf.scatter_nd(y, x, [10000, 64]), uniform(10000, 64), ints(10000, 10000, 1))
op(
  "scatter/tensor_update",
  lambda tf, x, y, z: tf.tensor_scatter_nd_update(z, y, x),
  uniform(10000, 64),
  ints(10000, 10000, 1),
  uniform(10000, 64),
)
