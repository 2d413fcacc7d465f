"""tf.contrib.factorization, by k-means, expectation maximization and least squares written out in numpy."""

import numpy as np
import pytest

import millrace as tf

factorization = tf.contrib.factorization
POINTS = (np.random.RandomState(0).randn(24, 2) + np.repeat([[0, 0], [5, 5]], 12, 0)).astype(np.float32)
CENTERS = np.array([[0.0, 1.0], [3.0, 3.0]], np.float32)


def variable(name):
  return next(v for v in tf.global_variables() if v.op.name == name)


# K-means.


def train(model, steps):
  """Returns (distances, indices, nearest distances, centers) after some steps."""
  distances, indices, nearest, initialized, begin, step = model.training_graph()
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    while not session.run(initialized):
      session.run(begin)
    for _ in range(steps):
      session.run(step)
    return session.run([distances, indices, nearest, variable("clusters")])


def length_1(x):
  return x / np.linalg.norm(x, axis=1, keepdims=True)


def assigned(points, centers):
  squares = ((points[:, None] - centers[None]) ** 2).sum(2)
  return squares, squares.argmin(1)


def moved(points, centers, counts):
  """One step of k-means by mini-batches: each center stays the mean of all points that it had."""
  _, index = assigned(points, centers)
  centers, counts = centers.copy(), counts.copy()
  for cluster in range(len(centers)):
    mine = points[index == cluster]
    if len(mine):
      centers[cluster] += (mine.sum(0) - len(mine) * centers[cluster]) / (counts[cluster] + len(mine))
      counts[cluster] += len(mine)
  return centers, counts


def test_all_points_at_once():
  model = factorization.KMeans(tf.constant(POINTS), 2, initial_clusters=CENTERS, use_mini_batch=False)
  distances, indices, nearest, centers = train(model, 3)
  expected = CENTERS
  for _ in range(3):
    _, index = assigned(POINTS, expected)
    expected = np.stack([POINTS[index == k].mean(0) for k in range(2)])
  np.testing.assert_allclose(centers, expected, rtol=1e-4)
  squares, index = assigned(POINTS, expected)
  np.testing.assert_allclose(distances[0], squares, rtol=1e-3, atol=1e-3)
  np.testing.assert_array_equal(indices[0], index)
  np.testing.assert_allclose(nearest[0], squares.min(1), rtol=1e-3, atol=1e-4)


def test_mini_batches():
  model = factorization.KMeans([tf.constant(POINTS)], 2, initial_clusters=tf.constant(CENTERS), use_mini_batch=True)
  expected, counts = CENTERS, np.ones(2)
  for _ in range(4):
    expected, counts = moved(POINTS, expected, counts)
  np.testing.assert_allclose(train(model, 4)[3], expected, rtol=1e-4)


@pytest.mark.parametrize("steps", [3, 4, 8])
def test_mini_batches_that_count_later(steps):
  """Moves count every third step, from the fourth on, and the means begin anew then."""
  model = factorization.KMeans(
    tf.constant(POINTS), 2, initial_clusters=CENTERS, use_mini_batch=True, mini_batch_steps_per_iteration=3
  )
  centers, updated, counts, left = CENTERS, CENTERS, np.zeros(2), 3
  for _ in range(steps):
    if left <= 0:
      centers, counts, left = updated, np.zeros(2), 2
    else:
      left -= 1
    _, index = assigned(POINTS, centers)
    updated, counts = updated.copy(), counts.copy()
    for cluster in range(2):
      mine = POINTS[index == cluster]
      if len(mine):
        updated[cluster] += (mine.sum(0) - len(mine) * updated[cluster]) / (counts[cluster] + len(mine))
        counts[cluster] += len(mine)
  np.testing.assert_allclose(train(model, steps)[3], centers, rtol=1e-4)


def test_angles():
  model = factorization.KMeans(
    tf.constant(POINTS), 2, initial_clusters=CENTERS, distance_metric=factorization.COSINE_DISTANCE, use_mini_batch=False
  )
  distances, indices, nearest, centers = train(model, 2)
  points, expected = length_1(POINTS), length_1(CENTERS)
  for _ in range(2):
    index = (points @ expected.T).argmax(1)
    expected = length_1(np.stack([points[index == k].mean(0) for k in range(2)]))
  np.testing.assert_allclose(centers, expected, rtol=1e-4)
  np.testing.assert_allclose(distances[0], 1 - points @ expected.T, atol=1e-5)
  np.testing.assert_array_equal(indices[0], (points @ expected.T).argmax(1))
  np.testing.assert_allclose(nearest[0], (1 - points @ expected.T).min(1), atol=1e-5)


@pytest.mark.parametrize("way", ["random", "kmeans_plus_plus", "kmc2"])
def test_first_centers_are_points(way):
  model = factorization.KMeans(
    tf.constant(POINTS), 4, initial_clusters=way, random_seed=3, kmeans_plus_plus_num_retries=1, kmc2_chain_length=5
  )
  centers = train(model, 0)[3]
  assert centers.shape == (4, 2)
  for center in centers:
    assert (POINTS == center).all(1).any()


def test_first_centers_of_small_batches():
  """A batch with fewer points than centers gives all of its points."""
  batch = tf.placeholder(tf.float32, [None, 2])
  model = factorization.KMeans(batch, 5, initial_clusters=factorization.RANDOM_INIT)
  _, _, _, initialized, begin, _ = model.training_graph()
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(begin, {batch: POINTS[:3]})
    assert not session.run(initialized)
    session.run(begin, {batch: POINTS[3:6]})
    assert session.run(initialized)
    centers = session.run(variable("clusters"))
  np.testing.assert_array_equal(centers[:3], POINTS[:3])
  assert centers.shape == (5, 2)


def test_other_ways_and_metrics_are_refused():
  with pytest.raises(ValueError, match="Unsupported initialization algorithm 'x'"):
    factorization.KMeans(POINTS, 2, initial_clusters="x")
  with pytest.raises(ValueError, match="Unsupported distance metric 'x'"):
    factorization.KMeans(POINTS, 2, distance_metric="x")


def test_kmeans_clustering(tmp_path):
  """The estimator, by batches, with the arguments of tf.contrib."""

  def read():
    return tf.data.Dataset.from_tensor_slices(POINTS).batch(24)

  kmeans = factorization.KMeansClustering(
    2,
    model_dir=str(tmp_path),
    initial_clusters=CENTERS,
    distance_metric=factorization.SQUARED_EUCLIDEAN_DISTANCE,
    random_seed=1,
    use_mini_batch=True,
    mini_batch_steps_per_iteration=1,
    kmeans_plus_plus_num_retries=3,
    relative_tolerance=None,
    config=tf.estimator.RunConfig(tf_random_seed=1),
    feature_columns=None,
  )
  kmeans.train(lambda: read().repeat(), steps=3)
  expected, counts = CENTERS, np.ones(2)
  for _ in range(3):
    expected, counts = moved(POINTS, expected, counts)
  np.testing.assert_allclose(kmeans.cluster_centers(), expected, rtol=1e-4)
  squares, index = assigned(POINTS, expected)
  assert kmeans.score(read) == pytest.approx(squares.min(1).sum(), rel=1e-4)
  np.testing.assert_array_equal(list(kmeans.predict_cluster_index(read)), index)
  np.testing.assert_allclose(list(kmeans.transform(read)), np.sqrt(squares), rtol=1e-3)


def test_ops_of_clusters():
  points = tf.constant(POINTS)
  chosen = factorization.kmeans_plus_plus_initialization(points, np.int64(2), np.int64(1), np.int64(2))
  nearest = factorization.nearest_neighbors(points, tf.constant(CENTERS), np.int64(1))
  chain = factorization.kmc2_chain_initialization(tf.constant([1.0, 2.0, 3.0]), np.int64(1))
  with tf.Session() as session:
    chosen, nearest, chain = session.run([chosen, nearest, chain])
  assert chosen.shape == (2, 2)
  squares, index = assigned(POINTS, CENTERS)
  np.testing.assert_array_equal(nearest[0][:, 0], index)
  np.testing.assert_allclose(nearest[1][:, 0], squares.min(1), rtol=1e-4)
  assert 0 <= chain < 3


# Mixtures.


def densities(means, covariances, weights):
  """[points, clusters]: the logarithm of weight times density. Variances have a small number more than is kept of them."""
  found = []
  for mean, covariance, weight in zip(means, covariances, weights):
    covariance = covariance + 1e-3 * np.eye(2)
    centered = POINTS - mean
    squares = np.einsum("ni,ij,nj->n", centered, np.linalg.inv(covariance), centered)
    found.append(np.log(weight) - 0.5 * (squares + 2 * np.log(2 * np.pi) + np.log(np.linalg.det(covariance))))
  return np.stack(found, 1)


def expectation_maximization(steps, is_full, params="wmc"):
  means, weights = CENTERS.astype(np.float64), np.full(2, 0.5)
  spread = np.cov(POINTS.T) if is_full else np.diag(POINTS.var(0, ddof=1))
  covariances = np.stack([spread + 1e-3 * np.eye(2)] * 2)
  for _ in range(steps):
    scores = densities(means, covariances, weights)
    shares = np.exp(scores - np.logaddexp.reduce(scores, 1, keepdims=True))
    total = shares.sum(0)
    if "m" in params:
      means = shares.T @ POINTS / total[:, None]
    centered = POINTS[None] - means[:, None]
    products = np.einsum("nk,kni,knj->kij", shares, centered, centered) / total[:, None, None]
    if not is_full:
      products = products * np.eye(2)
    if "c" in params:
      covariances = products + 1e-3 * np.eye(2)
    if "w" in params:
      weights = total / len(POINTS)
  return means, covariances, weights


@pytest.mark.parametrize("kind", ["full", "diag"])
def test_mixtures(tmp_path, kind):
  model = factorization.GMM(
    2,
    model_dir=str(tmp_path),
    random_seed=1,
    params="wmc",
    initial_clusters=CENTERS,
    covariance_type=kind,
    config=tf.estimator.RunConfig(tf_random_seed=1),
  )
  read = lambda: tf.data.Dataset.from_tensor_slices(POINTS).batch(24)  # noqa: E731
  assert model.fit(lambda: read().repeat(), steps=5) is model
  means, covariances, weights = expectation_maximization(5, kind == "full")
  np.testing.assert_allclose(model.clusters(), means, rtol=1e-3)
  np.testing.assert_allclose(model.weights(), weights, rtol=1e-3)
  if kind == "diag":
    covariances = np.stack([np.diag(c) for c in covariances])
  np.testing.assert_allclose(model.covariances(), covariances, rtol=2e-3, atol=1e-4)
  full = covariances if kind == "full" else np.stack([np.diag(c) for c in covariances])
  scores = densities(means, full, weights)
  np.testing.assert_array_equal(list(model.predict_assignments(read)), scores.argmax(1))
  of_points = np.logaddexp.reduce(scores, 1)
  assert model.score(read) == pytest.approx(np.logaddexp.reduce(of_points), rel=1e-3)
  predictions = list(model.predict(read))
  np.testing.assert_allclose([one["scores"] for one in predictions], of_points[:, None], rtol=1e-3)
  assert model.get_variable_value("clusters").shape == (2, 1, 2)


def test_a_mixture_whose_means_alone_are_learned():
  loss, scores, assignments, step, begin, initialized = factorization.gmm(
    [tf.constant(POINTS[:10]), tf.constant(POINTS[10:])], CENTERS, 2, 0, covariance_type="full", params="m"
  )
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    assert not session.run(initialized)
    session.run(begin)
    for _ in range(2):
      session.run(step)
    found = session.run([variable("clusters"), variable("alphas"), scores, assignments, loss])
  means, covariances, weights = expectation_maximization(2, True, "m")
  np.testing.assert_allclose(found[0][:, 0], means, rtol=1e-3)
  np.testing.assert_array_equal(found[1], [0.5, 0.5])
  expected = densities(means, covariances, weights)
  np.testing.assert_allclose(found[2], np.logaddexp.reduce(expected, 1)[:, None], rtol=1e-3)
  (parts,) = found[3]
  assert [len(part) for part in parts] == [10, 14]
  np.testing.assert_array_equal(np.concatenate(parts), expected.argmax(1))
  assert found[4] == pytest.approx(np.logaddexp.reduce(expected.ravel()), rel=1e-3)
  for arguments in ((POINTS, "random", 2, 0, "round"), (POINTS, "what", 2, 0)):
    with pytest.raises(ValueError):
      factorization.gmm(*arguments)


def test_first_means_are_points():
  *_, begin, _ = factorization.gmm(tf.constant(POINTS), "random", 3, 1)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(begin)
    means = session.run(variable("clusters"))[:, 0]
  assert all((POINTS == mean).all(1).any() for mean in means)


# Products of matrices.

A = np.array([[1.0, 0, 2, 0], [0, 3, 0, 0], [4, 0, 0, 5], [0, 0, 6, 0], [0, 7, 0, 8]], np.float32)
U = np.random.RandomState(1).randn(5, 2).astype(np.float32)
V = np.random.RandomState(2).randn(4, 2).astype(np.float32)
ROWS, COLS = [0.5, 1.0, 2.0, 1.5, 1.0], [1.0, 0.5, 2.0, 1.0]


def sparse(matrix):
  places = np.argwhere(matrix)
  return tf.SparseTensor(places, tf.constant(matrix[tuple(places.T)]), matrix.shape)


def least_squares(a, other, weights, regularization):
  """The factors of the rows of `a` that fit best."""
  found = []
  for row, weight in zip(a, weights):
    left = (other * weight[:, None]).T @ other + regularization * np.eye(2)
    found.append(np.linalg.solve(left, (other * (weight * row)[:, None]).sum(0)))
  return np.stack(found)


def all_weights(unobserved=0.1, rows=ROWS, cols=COLS):
  return unobserved + np.outer(rows, cols) * (A != 0)


@pytest.mark.parametrize("shards", [1, 2, 3])
def test_weighted_alternating_least_squares(shards):
  parts = lambda matrix: np.array_split(matrix, shards)  # noqa: E731
  model = factorization.WALSModel(
    5,
    4,
    2,
    unobserved_weight=0.1,
    regularization=0.05,
    row_init=lambda: parts(U),
    col_init=parts(V),
    num_row_shards=shards,
    num_col_shards=shards,
    row_weights=ROWS,
    col_weights=[list(part) for part in parts(np.array(COLS))] if shards > 1 else COLS,
    use_factors_weights_cache=False,
    use_gramian_cache=False,
  )
  _, rows_op, loss, regularization, total = model.update_row_factors(sp_input=sparse(A))
  _, cols_op, _, _, _ = model.update_col_factors(sp_input=sparse(A.T), transpose_input=True)
  u, v = U.astype(np.float64), V.astype(np.float64)
  with tf.Session() as session:
    session.run([model.initialize_op, model.worker_init])
    for _ in range(3):
      session.run(model.row_update_prep_gramian_op)
      session.run(model.initialize_row_update_op)
      found = session.run([loss, regularization, total, rows_op])
      u = least_squares(A, v, all_weights(), 0.05)
      np.testing.assert_allclose(found[0], (all_weights() * (A - u @ v.T) ** 2).sum(), rtol=1e-3)
      np.testing.assert_allclose(found[1], 0.05 * ((u**2).sum() + (v**2).sum()), rtol=1e-4)
      np.testing.assert_allclose(found[2], all_weights().sum(), rtol=1e-5)
      session.run(model.col_update_prep_gramian_op)
      session.run(model.initialize_col_update_op)
      session.run(cols_op)
      v = least_squares(A.T, u, all_weights().T, 0.05)
    rows, cols = session.run([model.row_factors, model.col_factors])
  for i in range(shards):
    np.testing.assert_allclose(rows[i], parts(u)[i], rtol=1e-3)
    np.testing.assert_allclose(cols[i], parts(v)[i], rtol=1e-3)


def test_rows_of_a_batch():
  """Rows that a batch does not have stay as they are, and so do losses as if the batch were all rows."""
  model = factorization.WALSModel(5, 4, 2, row_init=U, col_init=V, row_weights=1, col_weights=1)
  batch = np.where(np.arange(5)[:, None] < 2, A, 0)
  new, write, loss, regularization, _ = model.update_row_factors(sparse(batch))
  with tf.Session() as session:
    session.run(model.initialize_op)
    session.run(model.row_update_prep_gramian_op)
    found = session.run([new, loss, regularization])
    session.run(write)
    rows = session.run(model.row_factors[0])
  weights = all_weights(0.1, np.ones(5), np.ones(4))
  expected = least_squares(A[:2], V, weights[:2], 0.0)
  np.testing.assert_allclose(found[0], expected, rtol=1e-3)
  np.testing.assert_allclose(rows, np.concatenate([expected, U[2:]]), rtol=1e-3)
  np.testing.assert_allclose(found[1], (weights[:2] * (A[:2] - expected @ V.T) ** 2).sum() * 5 / 2, rtol=1e-3)
  assert found[2] == 0


def test_equal_weights_everywhere():
  model = factorization.WALSModel(5, 4, 2, regularization=0.1, row_init=U, col_init=V, row_weights=None, col_weights=None)
  assert model.row_weights is None
  assert model.col_weights is None
  new = model.update_col_factors(sparse(A))[0]
  with tf.Session() as session:
    session.run(model.initialize_op)
    session.run(model.col_update_prep_gramian_op)
    found = session.run(new)
  # Columns in the order in which the elements name them.
  np.testing.assert_allclose(found, least_squares(A.T, U, np.ones([4, 5]), 0.1)[[0, 2, 1, 3]], rtol=1e-3)


def test_projections_of_new_rows_and_columns():
  model = factorization.WALSModel(5, 4, 2, regularization=0.1, row_init=U, col_init=V, row_weights=ROWS, col_weights=COLS)
  rows = model.project_row_factors(sparse(A[:3]), projection_weights=ROWS[:3])
  same = model.project_row_factors(sparse(A[:3].T), transpose_input=True, projection_weights=2.0)
  cols = model.project_col_factors(sparse(A), transpose_input=False, projection_weights=None)
  with tf.Session() as session:
    session.run(model.initialize_op)
    session.run([model.row_update_prep_gramian_op, model.col_update_prep_gramian_op])
    found = session.run([rows, same, cols, model.row_weights[0]])
  np.testing.assert_allclose(found[0], least_squares(A[:3], V, all_weights()[:3], 0.1), rtol=1e-3)
  np.testing.assert_allclose(found[1], least_squares(A[:3], V, all_weights(rows=[2.0] * 5)[:3], 0.1), rtol=1e-3)
  np.testing.assert_allclose(found[2], least_squares(A.T, U, all_weights(cols=[1.0] * 4).T, 0.1), rtol=1e-3)
  np.testing.assert_allclose(found[3], ROWS)


def test_factors_begin_random_or_given():
  model = factorization.WALSModel(5, 4, 3)
  with tf.Session() as session:
    session.run(model.initialize_op)
    rows, cols = session.run([model.row_factors[0], model.col_factors[0]])
  assert (rows.shape, cols.shape) == ((5, 3), (4, 3))
  assert rows.std() > 0
  with pytest.raises(ValueError, match='"random" or with given values'):
    factorization.WALSModel(5, 4, 3, row_init="zeros")
  with pytest.raises(ValueError, match="row_weights of shard 0 have to be 5"):
    factorization.WALSModel(5, 4, 3, row_weights=[1.0])


def test_what_is_not_there_is_said():
  for name in ("WALSMatrixFactorization", "GmmAlgorithm", "masked_matmul"):
    with pytest.raises(AttributeError, match="is not part of Millrace. Use tf"):
      getattr(factorization, name)
  for name in ("timeseries", "boosted_trees", "linear_optimizer", "tensor_forest"):
    with pytest.raises(AttributeError, match="is not part of Millrace"):
      getattr(tf.contrib, name)
