"""Mixtures of normal distributions, by expectation maximization."""

import math

import millrace as tf
from millrace.contrib.factorization.clustering_hooks import InitializeClustersHook
from millrace.estimator.estimator import Estimator

FULL_COVARIANCE = "full"
DIAGONAL_COVARIANCE = "diag"
_SMALL = 1e-3  # of variances, so that none is 0


def gmm(inp, initial_clusters, num_clusters, random_seed, covariance_type=FULL_COVARIANCE, params="wmc"):
  """Returns the graph of a mixture of normal distributions for a batch of points.

  Args:
    inp: A float matrix of points, or a list of them.
    initial_clusters: "random", or a matrix of the first means.
    num_clusters: Number of distributions.
    random_seed: Seed of the choice of the first means.
    covariance_type: "full" or "diag".
    params: Which parameters are learned: "w" weights, "m" means, "c" covariances.

  Returns:
    (loss: the logarithm of the sum of all points' likelihoods, which grows; the logarithms of the points' likelihoods [points, 1];
    list of the list of the numbers of the points' distributions, one tensor an input; the op that trains; the op that initializes;
    whether that was done)

  Raises:
    ValueError: The kind of covariances or of the beginning is another one.
  """
  if covariance_type not in (FULL_COVARIANCE, DIAGONAL_COVARIANCE):
    raise ValueError(f"Invalid covariance_type {covariance_type}; it is 'full' or 'diag'.")
  inputs = inp if isinstance(inp, list) else [inp]
  model = _Mixture(tf.concat(inputs, 0), num_clusters, covariance_type, params)
  scores = model.log_probabilities()
  total = tf.reduce_logsumexp(scores, axis=1, keepdims=True)
  sizes = [tf.shape(part)[0] for part in inputs]
  assignments = tf.argmax(scores, 1)
  return (
    tf.reduce_logsumexp(total),
    total,
    [tf.split(assignments, sizes) if len(sizes) > 1 else [assignments]],
    model.train(tf.exp(scores - total)),
    model.begin(initial_clusters, random_seed),
    model.initialized,
  )


class _Mixture:
  """The variables of a mixture, and what is computed of them for points."""

  def __init__(self, points, num_clusters, covariance_type, params):
    self._points = points
    self._count = num_clusters
    self._is_full = covariance_type == FULL_COVARIANCE
    self._params = params
    self._size = points.get_shape().as_list()[1]
    if self._size is None:
      raise ValueError(f"The number of columns of points has to be known; their shape is {points.get_shape()}.")
    square = [num_clusters, self._size, self._size]
    self._means = tf.Variable(tf.zeros([num_clusters, 1, self._size]), name="clusters", trainable=False)
    self._covariances = tf.Variable(tf.zeros(square if self._is_full else square[:2]), name="clusters_covs", trainable=False)
    self._weights = tf.Variable(tf.ones([num_clusters]) / num_clusters, name="alphas", trainable=False)
    self.initialized = tf.Variable(False, name="initialized", trainable=False)

  def begin(self, initial_clusters, random_seed):
    """Returns the op that gives means and covariances their first values: those of all points."""
    if isinstance(initial_clusters, str):
      if initial_clusters != "random":
        raise ValueError(f"Unsupported initialization algorithm '{initial_clusters}'")
      count = tf.shape(self._points)[0]
      chosen = tf.random_shuffle(tf.range(count), seed=random_seed)
      # Fewer points than means: some come twice.
      means = tf.gather(self._points, tf.gather(chosen, tf.range(self._count) % count))
    else:
      means = tf.convert_to_tensor(initial_clusters, dtype=tf.float32)
    centered = self._points - tf.reduce_mean(self._points, 0, keepdims=True)
    number = tf.cast(tf.maximum(tf.shape(self._points)[0] - 1, 1), tf.float32)
    if self._is_full:
      spread = tf.matmul(centered, centered, transpose_a=True) / number + _SMALL * tf.eye(self._size)
    else:
      spread = tf.reduce_sum(tf.square(centered), 0) / number + _SMALL
    covariances = tf.tile(tf.expand_dims(spread, 0), [self._count] + [1] * spread.get_shape().ndims)
    with tf.control_dependencies([tf.assign(self._means, tf.expand_dims(means, 1)), tf.assign(self._covariances, covariances)]):
      return tf.group(tf.assign(self.initialized, True))

  def log_probabilities(self):
    """Returns [points, num_clusters]: the logarithm of weight times density.

    The small number is in the variances twice: once as they are kept, once as they are used.
    """
    centered = tf.expand_dims(self._points, 0) - self._means
    if self._is_full:
      roots = tf.cholesky(self._covariances + _SMALL * tf.eye(self._size))
      scaled = tf.matrix_triangular_solve(roots, tf.transpose(centered, [0, 2, 1]), lower=True)
      squares = tf.reduce_sum(tf.square(scaled), 1)
      determinants = 2 * tf.reduce_sum(tf.log(tf.matrix_diag_part(roots)), 1)
    else:
      variances = self._covariances + _SMALL
      squares = tf.reduce_sum(tf.square(centered) / tf.expand_dims(variances, 1), 2)
      determinants = tf.reduce_sum(tf.log(variances), 1)
    densities = -0.5 * (squares + self._size * math.log(2 * math.pi) + tf.expand_dims(determinants, 1))
    return tf.transpose(densities + tf.expand_dims(tf.log(self._weights), 1))

  def train(self, shares):
    """Returns the op that fits the parameters to points of which each distribution has a share [points, num_clusters]."""
    per_cluster = tf.reduce_sum(shares, 0)
    divisor = tf.expand_dims(per_cluster + 1e-10, 1)
    means = tf.expand_dims(tf.matmul(shares, self._points, transpose_a=True) / divisor, 1)
    centered = tf.expand_dims(self._points, 0) - (means if "m" in self._params else self._means + 0.0)
    weighted = centered * tf.expand_dims(tf.transpose(shares), 2)
    if self._is_full:
      spread = tf.matmul(weighted, centered, transpose_a=True) / tf.expand_dims(divisor, 2) + _SMALL * tf.eye(self._size)
    else:
      spread = tf.reduce_sum(weighted * centered, 1) / divisor + _SMALL
    weights = per_cluster / tf.reduce_sum(per_cluster)
    updates = []
    # All is computed before anything changes.
    with tf.control_dependencies([means, spread, weights]):
      if "w" in self._params:
        updates.append(tf.assign(self._weights, weights))
      if "m" in self._params:
        updates.append(tf.assign(self._means, means))
      if "c" in self._params:
        updates.append(tf.assign(self._covariances, spread))
    return tf.group(*updates)


class GMM(Estimator):
  """A mixture of normal distributions as an estimator; features are a float matrix of all points, or a dict of matrices.

  Args:
    num_clusters: Number of distributions.
    model_dir: Folder of checkpoints; None for that of `config`, or a temporary one.
    random_seed: Seed of the choice of the first means.
    params: Which parameters are learned: "w" weights, "m" means, "c" covariances.
    initial_clusters: "random", or a matrix of the first means.
    covariance_type: "full" or "diag".
    config: A tf.estimator.RunConfig.
  """

  SCORES = "scores"
  LOG_LIKELIHOOD = "loss"
  ASSIGNMENTS = "assignments"

  def __init__(
    self,
    num_clusters,
    model_dir=None,
    random_seed=0,
    params="wmc",
    initial_clusters="random",
    covariance_type=FULL_COVARIANCE,
    config=None,
  ):
    def model_fn(features, mode, config):
      points = features
      if isinstance(features, dict):
        points = tf.concat([features[key] for key in sorted(features)], axis=1)
      loss, scores, assignments, train, begin, initialized = gmm(
        points, initial_clusters, num_clusters, random_seed, covariance_type, params
      )
      tf.summary.scalar("loss", loss)
      with tf.control_dependencies([train, tf.assign_add(tf.train.get_global_step(), 1)]):
        train = tf.identity(loss)
      return tf.estimator.EstimatorSpec(
        mode=mode,
        predictions={GMM.ASSIGNMENTS: assignments[0][0], GMM.SCORES: scores},
        loss=loss,
        train_op=train,
        eval_metric_ops={GMM.SCORES: tf.metrics.mean(loss)},
        training_hooks=[InitializeClustersHook(begin, initialized, config)],
      )

    super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)

  def fit(self, input_fn, steps=None, max_steps=None):
    """Trains; returns itself. See Estimator.train."""
    return self.train(input_fn, steps=steps, max_steps=max_steps)

  def predict_assignments(self, input_fn=None):
    """Yields the number of the distribution that each point most likely is of."""
    for result in self.predict(input_fn=input_fn, predict_keys=[self.ASSIGNMENTS]):
      yield result[self.ASSIGNMENTS]

  def score(self, input_fn=None, steps=1):
    """Returns the logarithm of the sum of the points' likelihoods, the mean of `steps` batches."""
    return self.evaluate(input_fn=input_fn, steps=steps)[self.SCORES]

  def weights(self):
    """Returns the weights of the distributions."""
    return self.get_variable_value("alphas")

  def clusters(self):
    """Returns the means, a matrix."""
    return self.get_variable_value("clusters")[:, 0]

  def covariances(self):
    """Returns the covariances: matrices, or vectors of variances if they are diagonal."""
    return self.get_variable_value("clusters_covs")
