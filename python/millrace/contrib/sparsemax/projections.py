"""The nearest point of the simplex, and its loss: A. Martins and R. Astudillo, From softmax to sparsemax, 2016."""

import millrace as tf


def sparsemax(logits, name=None):
  """Returns for each row of a matrix the nearest vector of numbers that are not negative and sum to one.

  A row with infinities: -inf gives 0; with +inf or NaN, or with -inf alone, the row is NaN.
  """
  with tf.name_scope(name, "sparsemax", [logits]):
    logits = tf.convert_to_tensor(logits, name="logits")
    size = tf.shape(logits)[1]
    # A number that is added to a row changes nothing. What is infinitely small shall not make the mean so.
    finite = tf.is_finite(logits)
    count = tf.reduce_sum(tf.cast(finite, logits.dtype), 1, keepdims=True)
    mean = tf.reduce_sum(tf.where(finite, logits, tf.zeros_like(logits)), 1, keepdims=True) / tf.maximum(count, 1)
    z = logits - mean
    ordered, _ = tf.nn.top_k(z, k=size)
    sums = tf.cumsum(ordered, axis=1)
    places = tf.range(1, tf.cast(size, logits.dtype) + 1, dtype=logits.dtype)
    # The support: the largest k with 1 + k z_k above the sum of the k largest.
    inside = 1 + places * ordered > sums
    support = tf.reduce_sum(tf.cast(inside, tf.int32), 1)
    rows = tf.range(tf.shape(logits)[0])
    sum_of_support = tf.gather_nd(sums, tf.stack([rows, tf.maximum(support, 1) - 1], 1))
    threshold = (sum_of_support - 1) / tf.cast(support, logits.dtype)
    projected = tf.maximum(tf.cast(0, logits.dtype), z - threshold[:, tf.newaxis])
    refused = tf.logical_or(tf.equal(support, 0), tf.is_nan(sums[:, -1]))
    return tf.where(refused, tf.fill(tf.shape(logits), tf.constant(float("nan"), logits.dtype)), projected)


def sparsemax_loss(logits, sparsemax, labels, name=None):
  """Returns for each row of a matrix the loss of its sparsemax for labels, which are probabilities; it is convex and 0 where both are equal."""
  with tf.name_scope(name, "sparsemax_loss", [logits, sparsemax, labels]):
    logits = tf.convert_to_tensor(logits, name="logits")
    sparsemax = tf.convert_to_tensor(sparsemax, name="sparsemax")
    labels = tf.convert_to_tensor(labels, name="labels")
    z = logits - tf.reduce_mean(logits, 1, keepdims=True)
    # Outside of the support the product may be 0 times infinity.
    in_support = tf.logical_or(sparsemax > 0, tf.is_nan(sparsemax))
    of_support = tf.where(in_support, sparsemax * (z - 0.5 * sparsemax), tf.zeros_like(sparsemax))
    return tf.reduce_sum(of_support + labels * (0.5 * labels - z), 1)
