"""K-means as an estimator: centers, distances, scores, and what ends a training."""

import tempfile

import numpy as np

POINTS = np.random.RandomState(0).randn(20, 2).astype(np.float32) + np.repeat([[0, 0], [4, 4]], 10, 0).astype(np.float32)


def _folder():
  return tempfile.mkdtemp(dir=".")


def _input(tf, points=POINTS, epochs=1, batch=20):
  return lambda: tf.train.limit_epochs(tf.convert_to_tensor(points, tf.float32), num_epochs=epochs)


def _many(tf, points=POINTS):
  return lambda: tf.convert_to_tensor(points, tf.float32)


def _all(tf, steps=3, points=POINTS, **arguments):
  kmeans = tf.estimator.experimental.KMeans(model_dir=_folder(), config=tf.estimator.RunConfig(tf_random_seed=4), **arguments)
  kmeans.train(_many(tf, points), steps=steps)
  return [
    kmeans.cluster_centers(),
    float(kmeans.score(_input(tf, points))),
    np.array(list(kmeans.predict_cluster_index(_input(tf, points)))),
    np.array(list(kmeans.transform(_input(tf, points)))),
    sorted(kmeans.get_variable_names()),
    int(kmeans.get_variable_value("global_step")),
  ]


def program_random_start(tf):
  return _all(tf, num_clusters=2, use_mini_batch=False, seed=1)


program_random_start.rtol = 1e-4
program_random_start.atol = 1e-5


def program_an_epoch_a_training(tf):
  """As the documentation shows it: the first epoch is over once the centers have their first values, which are saved."""
  found = []
  for input_fn in (_input(tf), lambda: tf.data.Dataset.from_tensors(POINTS)):
    config = tf.estimator.RunConfig(tf_random_seed=4)
    kmeans = tf.estimator.experimental.KMeans(2, _folder(), use_mini_batch=False, seed=1, config=config)
    for _ in range(3):
      kmeans.train(input_fn)
      found.append([kmeans.cluster_centers(), float(kmeans.score(input_fn))])
  return found


program_an_epoch_a_training.rtol = 1e-4
program_an_epoch_a_training.atol = 1e-5


def program_full_batches(tf):
  return _all(tf, num_clusters=3, use_mini_batch=False, seed=2)


program_full_batches.rtol = 1e-4
program_full_batches.atol = 1e-5


def program_plus_plus(tf):
  k = tf.estimator.experimental.KMeans
  return _all(
    tf, num_clusters=3, initial_clusters=k.KMEANS_PLUS_PLUS_INIT, use_mini_batch=False, seed=5, kmeans_plus_plus_num_retries=3
  )


program_plus_plus.rtol = 1e-4
program_plus_plus.atol = 1e-5


def program_given_centers(tf):
  centers = np.array([[0.0, 1.0], [3.0, 3.0]], np.float32)
  return [
    _all(tf, num_clusters=2, initial_clusters=centers, use_mini_batch=False, seed=1),
    _all(tf, num_clusters=2, initial_clusters=lambda inputs, num: tf.constant(centers)[:num], use_mini_batch=False, seed=1),
  ]


program_given_centers.rtol = 1e-4
program_given_centers.atol = 1e-5


def program_cosine(tf):
  k = tf.estimator.experimental.KMeans
  centers = np.array([[0.0, 1.0], [3.0, 3.0], [-1.0, 0.5]], np.float32)
  return [
    _all(tf, num_clusters=3, initial_clusters=centers, distance_metric=k.COSINE_DISTANCE, use_mini_batch=False, seed=1),
    _all(tf, num_clusters=2, distance_metric="cosine", use_mini_batch=False, seed=1),
  ]


program_cosine.rtol = 1e-3
program_cosine.atol = 1e-5


def program_relative_tolerance(tf):
  kmeans = tf.estimator.experimental.KMeans(2, _folder(), use_mini_batch=False, seed=3, relative_tolerance=0.5)
  kmeans.train(_many(tf), steps=50)
  return [kmeans.cluster_centers(), int(kmeans.get_variable_value("global_step"))]


program_relative_tolerance.rtol = 1e-4


def program_few_points_at_first(tf):
  """More clusters than a batch has points."""

  def read():
    data = tf.data.Dataset.from_tensor_slices(POINTS).repeat().batch(3)
    return data.make_one_shot_iterator().get_next()

  kmeans = tf.estimator.experimental.KMeans(5, _folder(), use_mini_batch=False, seed=3, initial_clusters="random")
  kmeans.train(read, steps=1)
  return [kmeans.cluster_centers().shape]


def program_feature_columns(tf):
  fc = tf.feature_column

  def read():
    return {"x": tf.constant(POINTS[:, :1]), "y": tf.constant(POINTS[:, 1:])}

  kmeans = tf.estimator.experimental.KMeans(
    num_clusters=2,
    model_dir="./columns",
    initial_clusters=np.array([[0.0, 1.0], [3.0, 3.0]], np.float32),
    use_mini_batch=False,
    mini_batch_steps_per_iteration=2,  # of no effect without mini-batches
    kmeans_plus_plus_num_retries=5,
    feature_columns=[fc.numeric_column("x"), fc.numeric_column("y")],
  )
  kmeans.train(read, steps=2)
  return [kmeans.cluster_centers(), kmeans.evaluate(read, steps=1)]


program_feature_columns.rtol = 1e-4


def program_names_and_errors(tf):
  k = tf.estimator.experimental.KMeans
  found = [k.SQUARED_EUCLIDEAN_DISTANCE, k.COSINE_DISTANCE, k.RANDOM_INIT, k.KMEANS_PLUS_PLUS_INIT]
  found += [k.SCORE, k.CLUSTER_INDEX, k.CLUSTER_CENTERS_VAR_NAME, k.ALL_DISTANCES]
  for call in (
    lambda: k(2, _folder(), initial_clusters="what"),
    lambda: k(2, _folder(), distance_metric="what"),
    lambda: k(2, _folder(), initial_clusters="kmc2").train(_many(tf), steps=1),
  ):
    try:
      found.append(call() and None)
    except Exception as error:
      found.append(error)
  return found


def program_evaluation(tf):
  kmeans = tf.estimator.experimental.KMeans(2, _folder(), seed=1, initial_clusters=POINTS[:2], use_mini_batch=False)
  kmeans.train(_many(tf), steps=2)
  return kmeans.evaluate(_input(tf))


program_evaluation.rtol = 1e-4
