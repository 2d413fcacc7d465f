"""K-means as an estimator."""

import numpy as np

import millrace as tf
from millrace.contrib.factorization import kmeans
from millrace.contrib.factorization.clustering_hooks import InitializeClustersHook, RelativeChangeHook
from millrace.estimator.estimator import Estimator


class KMeansClustering(Estimator):
  """Clusters of points, each with a center.

  Features are a float matrix of points, or a dict of matrices that are put side by side in the order of their names.

  Args:
    num_clusters: Number of clusters.
    model_dir: Folder of checkpoints; None for that of `config`, or a temporary one.
    initial_clusters: RANDOM_INIT, KMEANS_PLUS_PLUS_INIT; a tensor or array of all centers; or a function of the list of inputs and
      the number of centers that are missing, which returns centers.
    distance_metric: SQUARED_EUCLIDEAN_DISTANCE or COSINE_DISTANCE.
    random_seed: Seed of what is random.
    use_mini_batch: Batches are parts of the points and move the centers; otherwise each batch has all points.
    mini_batch_steps_per_iteration: After how many batches their moves count.
    kmeans_plus_plus_num_retries: How many points more are tried for each center.
    relative_tolerance: Training ends when the loss changes by less than this share; None for never.
    config: A tf.estimator.RunConfig.
    feature_columns: Dense columns that make points of a dict of features; None for features that are points.

  Raises:
    ValueError: The way to begin or the metric is another one.
  """

  SQUARED_EUCLIDEAN_DISTANCE = kmeans.SQUARED_EUCLIDEAN_DISTANCE
  COSINE_DISTANCE = kmeans.COSINE_DISTANCE
  RANDOM_INIT = kmeans.RANDOM_INIT
  KMEANS_PLUS_PLUS_INIT = kmeans.KMEANS_PLUS_PLUS_INIT
  SCORE = "score"
  CLUSTER_INDEX = "cluster_index"
  CLUSTER_CENTERS_VAR_NAME = kmeans.CLUSTERS_VAR_NAME
  ALL_DISTANCES = "all_distances"

  def __init__(
    self,
    num_clusters,
    model_dir=None,
    initial_clusters=RANDOM_INIT,
    distance_metric=SQUARED_EUCLIDEAN_DISTANCE,
    random_seed=0,
    use_mini_batch=True,
    mini_batch_steps_per_iteration=1,
    kmeans_plus_plus_num_retries=2,
    relative_tolerance=None,
    config=None,
    feature_columns=None,
  ):
    if isinstance(initial_clusters, str) and initial_clusters not in (self.RANDOM_INIT, self.KMEANS_PLUS_PLUS_INIT):
      raise ValueError(f"Unsupported initialization algorithm '{initial_clusters}'")
    if distance_metric not in (self.SQUARED_EUCLIDEAN_DISTANCE, self.COSINE_DISTANCE):
      raise ValueError(f"Unsupported distance metric '{distance_metric}'")
    self._distance_metric = distance_metric

    def model_fn(features, mode, config):
      model = kmeans.KMeans(
        _points(features, feature_columns),
        num_clusters,
        initial_clusters,
        distance_metric,
        use_mini_batch,
        mini_batch_steps_per_iteration,
        random_seed,
        kmeans_plus_plus_num_retries,
      )
      return _spec(model, mode, config, relative_tolerance)

    super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)

  def _predicted(self, input_fn, key):
    for result in self.predict(input_fn=input_fn, predict_keys=[key]):
      yield result[key]

  def predict_cluster_index(self, input_fn):
    """Yields the number of the cluster of each point of `input_fn`."""
    yield from self._predicted(input_fn, self.CLUSTER_INDEX)

  def score(self, input_fn):
    """Returns the sum of the distances, squared if they are not of angles, of the points of one batch to their centers."""
    return self.evaluate(input_fn=input_fn, steps=1)[self.SCORE]

  def transform(self, input_fn):
    """Yields the distances of each point of `input_fn` to all centers."""
    for distances in self._predicted(input_fn, self.ALL_DISTANCES):
      yield np.sqrt(distances) if self._distance_metric == self.SQUARED_EUCLIDEAN_DISTANCE else distances

  def cluster_centers(self):
    """Returns the centers, a matrix."""
    return self.get_variable_value(self.CLUSTER_CENTERS_VAR_NAME)


class KMeansEstimator(KMeansClustering):
  """KMeansClustering as tf.estimator.experimental.KMeans: `seed` is None, which is 0, by default, and stands elsewhere."""

  def __init__(
    self,
    num_clusters,
    model_dir=None,
    initial_clusters=KMeansClustering.RANDOM_INIT,
    distance_metric=KMeansClustering.SQUARED_EUCLIDEAN_DISTANCE,
    seed=None,
    use_mini_batch=True,
    mini_batch_steps_per_iteration=1,
    kmeans_plus_plus_num_retries=2,
    relative_tolerance=None,
    config=None,
    feature_columns=None,
  ):
    super().__init__(
      num_clusters,
      model_dir=model_dir,
      initial_clusters=initial_clusters,
      distance_metric=distance_metric,
      random_seed=seed,
      use_mini_batch=use_mini_batch,
      mini_batch_steps_per_iteration=mini_batch_steps_per_iteration,
      kmeans_plus_plus_num_retries=kmeans_plus_plus_num_retries,
      relative_tolerance=relative_tolerance,
      config=config,
      feature_columns=feature_columns,
    )


KMeansEstimator.__name__ = KMeansEstimator.__qualname__ = "KMeans"


def _points(features, feature_columns):
  """Returns a matrix of points."""
  if feature_columns is not None:
    return tf.feature_column.input_layer(features, feature_columns)
  if isinstance(features, dict):
    return tf.concat([features[key] for key in sorted(features)], axis=1)
  return features


def _spec(model, mode, config, relative_tolerance):
  all_distances, indices, nearest, initialized, init_op, train_op = model.training_graph()
  loss = tf.reduce_sum(nearest[0])
  tf.summary.scalar("loss/raw", loss)
  count_step = tf.assign_add(tf.train.get_global_step(), 1)
  with tf.control_dependencies([train_op, count_step]):
    train = tf.identity(loss, name="control_dependency")
  hooks = [InitializeClustersHook(init_op, initialized, config)]
  if relative_tolerance is not None:
    hooks.append(RelativeChangeHook(loss, relative_tolerance))
  output = tf.estimator.export.PredictOutput
  return tf.estimator.EstimatorSpec(
    mode=mode,
    predictions={KMeansClustering.ALL_DISTANCES: all_distances[0], KMeansClustering.CLUSTER_INDEX: indices[0]},
    loss=loss,
    train_op=train,
    eval_metric_ops={KMeansClustering.SCORE: tf.metrics.mean(loss)},
    training_hooks=hooks,
    export_outputs={
      KMeansClustering.ALL_DISTANCES: output(all_distances[0]),
      KMeansClustering.CLUSTER_INDEX: output(indices[0]),
      "serving_default": output(indices[0]),
    },
  )
