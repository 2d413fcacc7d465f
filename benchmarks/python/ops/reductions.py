"""Reductions, searches, running sums and segments."""

from ops.rows import MILLION, bools, doubles, halves, ints, longs, op, uniform


def reduction(name, axis):
  return lambda tf, x: getattr(tf, "reduce_" + name)(x, axis)


for name in ("sum", "mean", "max", "min", "prod"):
  for axis in (None, 0, 1):
    op("reduce_%s/%s" % (name, axis), reduction(name, axis), uniform(1000, 1000))
op("reduce/mid", lambda tf, x: tf.reduce_sum(x, 1), uniform(100, 100, 100))
op("reduce/nhwc", lambda tf, x: tf.reduce_mean(x, [1, 2]), uniform(32, 28, 28, 64))
op("reduce/nhw_c", lambda tf, x: tf.reduce_sum(x, [0, 1, 2]), uniform(32, 28, 28, 64))
op("reduce/0_2", lambda tf, x: tf.reduce_sum(x, [0, 2]), uniform(100, 100, 100))
op("reduce/any", lambda tf, x: tf.reduce_any(x, 1), bools(1000, 1000))
op("reduce/logsumexp", lambda tf, x: tf.reduce_logsumexp(x, 1), uniform(1000, 1000))
op("reduce/int32", lambda tf, x: tf.reduce_sum(x, 0), ints(9, 1000, 1000))
op("reduce/int64", lambda tf, x: tf.reduce_sum(x), longs(9, MILLION))
op("reduce/double", lambda tf, x: tf.reduce_sum(x, 1), doubles(1000, 1000))
op("reduce/half", lambda tf, x: tf.reduce_sum(x, 1), halves(1000, 1000))
op("reduce/std", lambda tf, x: tf.math.reduce_std(x, 0), uniform(1000, 1000))
op("reduce/moments", lambda tf, x: list(tf.nn.moments(x, [0])), uniform(1000, 1000))
op("reduce/norm", lambda tf, x: tf.norm(x, axis=1), uniform(1000, 1000))
op("reduce/euclidean", lambda tf, x: tf.math.reduce_euclidean_norm(x, 1), uniform(1000, 1000))
op("arg/max1", lambda tf, x: tf.argmax(x, 1), uniform(1000, 1000))
op("arg/max0", lambda tf, x: tf.argmax(x, 0), uniform(1000, 1000))
op("arg/topk", lambda tf, x: list(tf.nn.top_k(x, 10)), uniform(1000, 1000))
op("arg/topk_large", lambda tf, x: list(tf.nn.top_k(x, 1000)), uniform(10, 10000))
op("arg/sort", lambda tf, x: tf.sort(x), uniform(100, 10000))
op("arg/argsort", lambda tf, x: tf.argsort(x), uniform(MILLION // 10))
op("arg/in_top_k", lambda tf, x, y: tf.nn.in_top_k(x, y, 5), uniform(1000, 1000), ints(1000, 1000))
op("arg/nth", lambda tf, x: tf.raw_ops.NthElement(input=x, n=500), uniform(1000, 1000))
op("arg/searchsorted", lambda tf, x: tf.searchsorted(tf.cumsum(x, 1), x * 500), uniform(100, 1000))
op("scan/cumsum1", lambda tf, x: tf.cumsum(x, 1), uniform(1000, 1000))
op("scan/cumsum0", lambda tf, x: tf.cumsum(x, 0), uniform(1000, 1000))
op("scan/cumprod", lambda tf, x: tf.math.cumprod(x, 1), uniform(1000, 1000))
op("scan/cumlogsumexp", lambda tf, x: tf.math.cumulative_logsumexp(x, 1), uniform(1000, 1000))
op("segment/sum", lambda tf, x, y: tf.math.segment_sum(x, tf.sort(y)), uniform(10000, 64), ints(1000, 10000))
op("segment/unsorted_sum", lambda tf, x, y: tf.math.unsorted_segment_sum(x, y, 1000), uniform(10000, 64), ints(1000, 10000))
op("segment/unsorted_max", lambda tf, x, y: tf.math.unsorted_segment_max(x, y, 1000), uniform(10000, 64), ints(1000, 10000))
op("segment/unsorted_1d", lambda tf, x, y: tf.math.unsorted_segment_sum(x, y, 1000), uniform(MILLION), ints(1000, MILLION))
op("segment/mean", lambda tf, x, y: tf.math.segment_mean(x, tf.sort(y)), uniform(10000, 64), ints(1000, 10000))
op(
  "segment/sparse_mean",
  lambda tf, x, ii, y: tf.sparse.segment_mean(x, ii, tf.sort(y)),
  uniform(10000, 64),
  ints(10000, 20000),
  ints(1000, 20000),
)
op("segment/bincount", lambda tf, x: tf.math.bincount(x), ints(1000, MILLION))
op("segment/histogram", lambda tf, x: tf.histogram_fixed_width(x, [0.0, 1.0], 100), uniform(MILLION))
op(
  "segment/bucketize",
  lambda tf, x: tf.raw_ops.Bucketize(input=x, boundaries=[ints / 50.0 for ints in range(50)]),
  uniform(MILLION),
)
op("segment/confusion", lambda tf, x, y: tf.math.confusion_matrix(x, y, num_classes=10), ints(10, 100000), ints(10, 100000))
