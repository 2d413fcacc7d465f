"""The first centers of clusters: chosen from the points of batches until there are enough, or given."""

import millrace as tf
from millrace import gen

RANDOM_INIT = "random"
KMEANS_PLUS_PLUS_INIT = "kmeans_plus_plus"
KMC2_INIT = "kmc2"
WAYS = (RANDOM_INIT, KMEANS_PLUS_PLUS_INIT, KMC2_INIT)


class FirstCenters:
  """How the centers of a model (see kmeans.py) get their first values, batch by batch.

  Args:
    inputs: List of float matrices, of which the first ones have the points to choose from.
    num_clusters: Number of centers, or a tensor of it.
    ways: One of WAYS; a tensor of all centers; or a function of inputs and the number of centers that are missing.
    is_cosine: Whether points are of length 1, for distances by angles.
    random_seed: Seed of what is random.
    num_retries: How many points more are tried for each center by "kmeans_plus_plus".
    chain_length: How many points are looked at for each center by "kmc2".
    centers: The variable of the centers.
    centers_updated: The variable that batches change, or the same one.
    initialized: The variable that says whether there are enough.
  """

  def __init__(
    self,
    inputs,
    num_clusters,
    ways,
    is_cosine,
    random_seed,
    num_retries,
    chain_length,
    centers,
    centers_updated,
    initialized,
  ):
    self._inputs = inputs
    self._num_clusters = num_clusters
    self._ways = ways
    self._is_cosine = is_cosine
    self._seed = random_seed
    self._num_retries = num_retries
    self._chain_length = chain_length
    self._centers = centers
    self._centers_updated = centers_updated
    self._initialized = initialized

  def op(self):
    """Returns the op that adds the centers of a batch; it fails if there are more than asked for."""
    num_selected = tf.shape(self._centers)[0]
    num_remaining = self._num_clusters - num_selected
    num_points = tf.shape(self._inputs[0])[0]
    return tf.cond(
      tf.equal(num_remaining, 0),
      lambda: tf.group(tf.assert_equal(self._initialized, True)),
      lambda: self._add(num_selected, num_remaining, num_points),
    )

  def _add(self, num_selected, num_remaining, num_points):
    with tf.control_dependencies([tf.assert_positive(num_remaining)]):
      new = self._chosen(num_selected, num_remaining, num_points)
    if self._is_cosine:
      new = tf.nn.l2_normalize(new, dim=1)
    old = self._centers
    all_centers = tf.cond(tf.equal(num_selected, 0), lambda: new, lambda: tf.concat([old, new], 0))
    written = tf.assign(self._centers, all_centers, validate_shape=False)
    if self._centers_updated is not self._centers:
      with tf.control_dependencies([written]):
        written = tf.assign(self._centers_updated, all_centers, validate_shape=False)
    missing = self._num_clusters - tf.shape(written)[0]
    return tf.group(
      tf.cond(
        tf.equal(missing, 0),
        lambda: tf.group(tf.assign(self._initialized, True)),
        lambda: tf.group(),
      )
    )

  def _chosen(self, num_selected, num_remaining, num_points):
    """Returns the centers that a batch adds: all points if there are no more than are missing."""
    if callable(self._ways):
      return self._ways(self._inputs, num_remaining)
    if not isinstance(self._ways, str):
      return tf.convert_to_tensor(self._ways)
    if self._ways == KMC2_INIT:
      sampled = lambda: self._by_chains(num_selected, num_remaining, num_points)  # noqa: E731
      return sampled()
    sampler = self._random_rows if self._ways == RANDOM_INIT else self._plus_plus
    return tf.cond(
      tf.less_equal(num_points, num_remaining),
      lambda: tf.concat(self._inputs, 0),
      lambda: sampler(num_remaining, num_points),
    )

  def _random_rows(self, num_remaining, num_points):
    rows = tf.random_uniform(
      tf.reshape(num_remaining, [-1]), minval=0, maxval=tf.cast(num_points, tf.int64), seed=self._seed, dtype=tf.int64
    )
    return tf.nn.embedding_lookup(self._inputs, rows, partition_strategy="div")

  def _plus_plus(self, num_remaining, num_points):
    del num_points
    points = self._inputs[0]
    if self._is_cosine:
      points = tf.nn.l2_normalize(points, dim=1)
    return gen.kmeans_plus_plus_initialization(points, tf.cast(num_remaining, tf.int64), self._seed or 0, self._num_retries)

  def _by_chains(self, num_selected, num_remaining, num_points):
    """Returns centers of which each is the end of a chain over points of its own, which rather takes far ones."""
    points = self._inputs[0]
    if self._is_cosine:
      points = tf.nn.l2_normalize(points, dim=1)
    count = tf.minimum(num_remaining, tf.maximum(num_points // self._chain_length, 1))

    def chain(number, found):
      """Adds a center: the first one is any point, if there are none yet."""
      start = number * self._chain_length
      part = points[start : tf.minimum(start + self._chain_length, num_points)]
      known = tf.concat([self._centers, found], 0) if self._centers.get_shape().ndims else self._known(found)

      def first():
        return tf.random_uniform([], minval=0, maxval=tf.cast(tf.shape(part)[0], tf.int64), dtype=tf.int64, seed=self._seed)

      def next_one():
        _, distances = gen.nearest_neighbors(part, known, tf.constant(1, tf.int64))
        return gen.kmc2_chain_initialization(tf.squeeze(distances, 1), self._seed or 0)

      index = tf.cond(tf.equal(tf.shape(known)[0], 0), first, next_one)
      return number + 1, tf.concat([found, tf.expand_dims(part[index], 0)], 0)

    _, found = tf.while_loop(
      lambda number, found: number < count,
      chain,
      [tf.constant(0), points[:0]],
      shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, points.get_shape()[1]])],
      parallel_iterations=1,
    )
    return found

  def _known(self, found):
    """Returns the centers that there are with those found; before the first batch the variable has no columns."""
    return tf.cond(tf.equal(tf.size(self._centers), 0), lambda: found, lambda: tf.concat([self._centers, found], 0))
