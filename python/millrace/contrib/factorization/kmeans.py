"""K-means: centers of clusters of points, that batches of points move."""

import millrace as tf
from millrace import gen
from millrace.contrib.factorization import first_centers
from millrace.contrib.factorization.first_centers import KMC2_INIT, KMEANS_PLUS_PLUS_INIT, RANDOM_INIT
from millrace.framework import seeds

SQUARED_EUCLIDEAN_DISTANCE = "squared_euclidean"
COSINE_DISTANCE = "cosine"
CLUSTERS_VAR_NAME = "clusters"


class KMeans:
  """The graph of k-means.

  Args:
    inputs: A float matrix of points, or a list of them.
    num_clusters: Number of clusters.
    initial_clusters: "random", "kmeans_plus_plus", "kmc2"; a tensor of all centers; or a function of the list of inputs and the
      number of centers that are missing, which returns centers.
    distance_metric: "squared_euclidean" or "cosine".
    use_mini_batch: Batches are parts of the points and move the centers; otherwise each batch has all points.
    mini_batch_steps_per_iteration: After how many batches their moves count.
    random_seed: Seed of what is random.
    kmeans_plus_plus_num_retries: How many points more are tried for each center by "kmeans_plus_plus".
    kmc2_chain_length: How many points are looked at for each center by "kmc2".

  Raises:
    ValueError: The way to begin or the metric is another one.
  """

  def __init__(
    self,
    inputs,
    num_clusters,
    initial_clusters=RANDOM_INIT,
    distance_metric=SQUARED_EUCLIDEAN_DISTANCE,
    use_mini_batch=False,
    mini_batch_steps_per_iteration=1,
    random_seed=0,
    kmeans_plus_plus_num_retries=2,
    kmc2_chain_length=200,
  ):
    if isinstance(initial_clusters, str) and initial_clusters not in first_centers.WAYS:
      raise ValueError(f"Unsupported initialization algorithm '{initial_clusters}'")
    if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
      raise ValueError(f"Unsupported distance metric '{distance_metric}'")
    self._inputs = inputs if isinstance(inputs, list) else [inputs]
    self._num_clusters = num_clusters
    self._initial_clusters = initial_clusters
    self._is_cosine = distance_metric == COSINE_DISTANCE
    self._use_mini_batch = use_mini_batch
    self._steps = int(mini_batch_steps_per_iteration)
    # The graph's seed counts, where it has one.
    self._random_seed = seeds.get_seed(random_seed)[0]
    self._num_retries = kmeans_plus_plus_num_retries
    self._chain_length = kmc2_chain_length

  def training_graph(self):
    """Returns (distances of all points to all centers, numbers of their clusters, distances to those, whether there are enough
    centers, the op that adds centers, the op that trains).

    The first three are lists with a tensor for each matrix of inputs.
    """
    num_clusters = tf.convert_to_tensor(self._num_clusters)
    self._make_variables(num_clusters)
    begin = first_centers.FirstCenters(
      self._inputs,
      num_clusters,
      self._initial_clusters,
      self._is_cosine,
      self._random_seed,
      self._num_retries,
      self._chain_length,
      self._centers,
      self._updated,
      self._initialized,
    ).op()
    inputs = [tf.nn.l2_normalize(points, dim=1) for points in self._inputs] if self._is_cosine else self._inputs
    centers = self._centers
    if self._is_cosine and not self._centers_have_length_1():
      centers = tf.nn.l2_normalize(centers, dim=1)
    all_distances = [self._distances(points, centers) for points in inputs]
    indices, nearest = self._nearest(inputs, centers)
    train = self._train_by_parts(inputs, indices) if self._use_mini_batch else self._train_by_all(inputs, indices, num_clusters)
    return all_distances, indices, nearest, self._initialized, begin, train

  def _make_variables(self, num_clusters):
    nothing = tf.placeholder_with_default([], shape=None)
    self._centers = tf.Variable(nothing, name=CLUSTERS_VAR_NAME, validate_shape=False)
    self._initialized = tf.Variable(False, dtype=tf.bool, name="initialized")
    self._updated, self._update_in, self._counts = self._centers, None, None
    if not self._use_mini_batch:
      return
    if self._steps > 1:
      self._updated = tf.Variable(nothing, name="clusters_updated", validate_shape=False)
      self._update_in = tf.Variable(self._steps, dtype=tf.int64, name="update_in_steps")
      self._counts = tf.Variable(tf.zeros([num_clusters], dtype=tf.int64))
    else:
      self._counts = tf.Variable(tf.ones([num_clusters], dtype=tf.int64))

  def _centers_have_length_1(self):
    """Whether training leaves centers of length 1: moves by single batches do not."""
    return not self._use_mini_batch or self._steps > 1

  def _distances(self, points, centers):
    if self._is_cosine:
      return 1 - tf.matmul(points, centers, transpose_b=True)
    squares = tf.reduce_sum(tf.square(points), 1, keepdims=True)
    of_centers = tf.transpose(tf.reduce_sum(tf.square(centers), 1, keepdims=True))
    return squares - 2 * tf.matmul(points, centers, transpose_b=True) + of_centers

  def _nearest(self, inputs, centers):
    """Returns the lists of numbers of clusters and of distances to their centers."""
    if self._is_cosine and not self._centers_have_length_1():
      centers = tf.nn.l2_normalize(centers, dim=1)
    indices, nearest = [], []
    for points in inputs:
      found = gen.nearest_neighbors(points, centers, tf.constant(1, tf.int64))
      distances = found[1]
      if self._is_cosine:
        # Of vectors of length 1 the squared distance is twice that of angles.
        distances *= 0.5
      nearest.append(tf.squeeze(distances, [-1]))
      indices.append(tf.squeeze(found[0], [-1]))
    return indices, nearest

  def _train_by_all(self, inputs, indices, num_clusters):
    """Returns the op that makes the centers the means of their points."""
    sums, counts = [], []
    for points, index in zip(inputs, indices):
      sums.append(tf.unsorted_segment_sum(points, index, num_clusters))
      ones = tf.reshape(tf.ones(tf.reshape(tf.shape(points)[0], [-1])), [-1, 1])
      counts.append(tf.unsorted_segment_sum(ones, index, num_clusters))
    # A center without points does not become what is no number.
    small = tf.constant(1e-6, dtype=inputs[0].dtype)
    centers = tf.add_n(sums) / (tf.cast(tf.add_n(counts), inputs[0].dtype) + small)
    if self._is_cosine:
      centers = tf.nn.l2_normalize(centers, dim=1)
    return tf.assign(self._centers, centers)

  def _train_by_parts(self, inputs, indices):
    """Returns the op that moves the centers towards the points of a batch."""
    before = tf.group() if self._update_in is None else self._take_over()
    with tf.control_dependencies([before]):
      updates = [self._moved(points, tf.reshape(index, [-1])) for points, index in zip(inputs, indices)]
    return tf.group(*updates)

  def _take_over(self):
    """Returns the op that makes what batches have moved the centers, every so many steps."""

    def now():
      centers = self._updated
      if self._is_cosine:
        centers = tf.nn.l2_normalize(centers, dim=1)
      with tf.control_dependencies([tf.assign(self._update_in, self._steps - 1)]):
        with tf.control_dependencies([tf.assign(self._centers, centers, validate_shape=False)]):
          return tf.group(tf.assign(self._counts, tf.zeros_like(self._counts)))

    def later():
      return tf.group(tf.assign_sub(self._update_in, 1))

    return tf.cond(tf.less_equal(self._update_in, 0), now, later)

  def _moved(self, points, index):
    """Returns the op that moves the centers of a batch's points: each stays the mean of all points that it had."""
    clusters, places = tf.unique(index)
    size = tf.size(clusters)
    old_counts = tf.gather(self._counts, clusters)
    old = tf.gather(self._updated, clusters)
    new_counts = tf.unsorted_segment_sum(tf.ones_like(places, dtype=tf.int64), places, size)
    column = tf.concat([tf.reshape(size, [1]), [1]], 0)
    moves = tf.unsorted_segment_sum(points, places, size)
    moves -= tf.cast(tf.reshape(new_counts, column), points.dtype) * old
    rates = tf.reciprocal(tf.cast(old_counts + new_counts, points.dtype))
    moves *= tf.reshape(rates, column)
    # What is there is read before it changes.
    with tf.control_dependencies([moves]):
      return tf.group(tf.scatter_add(self._counts, clusters, new_counts), tf.scatter_add(self._updated, clusters, moves))


__all__ = ["COSINE_DISTANCE", "KMC2_INIT", "KMEANS_PLUS_PLUS_INIT", "KMeans", "RANDOM_INIT", "SQUARED_EUCLIDEAN_DISTANCE"]
