"""Training graphs of the C++ client, run by the stock runtime and compared with what stock's own library builds."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
tf1 = tf.compat.v1

BUILD = pathlib.Path(os.environ.get("MILLRACE_BUILD", "build/dev"))
PROGRAM = BUILD / "tests" / "training_graphs"
STEPS = 4
RATE = 0.25
L1_L2 = {"l1_regularization_strength": 0.1, "l2_regularization_strength": 0.3}
OPTIMIZERS = {
  "GradientDescent": lambda step: tf1.train.GradientDescentOptimizer(RATE),
  "Momentum": lambda step: tf1.train.MomentumOptimizer(RATE, 0.9),
  "Adam": lambda step: tf1.train.AdamOptimizer(RATE),
  "Adagrad": lambda step: tf1.train.AdagradOptimizer(RATE),
  "AdagradDA": lambda step: tf1.train.AdagradDAOptimizer(RATE, step, **L1_L2),
  "Adadelta": lambda step: tf1.train.AdadeltaOptimizer(RATE),
  "RMSProp": lambda step: tf1.train.RMSPropOptimizer(RATE, momentum=0.5),
  "CenteredRMSProp": lambda step: tf1.train.RMSPropOptimizer(RATE, momentum=0.5, centered=True),
  "Ftrl": lambda step: tf1.train.FtrlOptimizer(RATE, **L1_L2),
  "FtrlWithShrinkage": lambda step: tf1.train.FtrlOptimizer(RATE, l2_shrinkage_regularization_strength=0.2),
  "ProximalAdagrad": lambda step: tf1.train.ProximalAdagradOptimizer(RATE, **L1_L2),
  "ProximalGradientDescent": lambda step: tf1.train.ProximalGradientDescentOptimizer(RATE, **L1_L2),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
  if not PROGRAM.exists():
    pytest.skip(f"{PROGRAM} is not built")
  path = tmp_path_factory.mktemp("training")
  done = subprocess.run([PROGRAM, str(path)], capture_output=True, text=True)
  assert done.returncode == 0, done.stderr
  return path


def models(folder):
  return {line.split()[0]: line.split()[1:] for line in (folder / "models.txt").read_text().splitlines()}


def variables_of(graph):
  """{name: tensor of the value}"""
  values = {}
  for op in graph.get_operations():
    if op.type in ("VariableV2", "Variable"):
      values[op.name] = op.outputs[0]
    elif op.type == "VarHandleOp":
      values[op.name] = graph.get_tensor_by_name(op.name + "/Read/ReadVariableOp:0")
  return values


def run(session, graph, init, train, steps=STEPS):
  session.run(init)
  if train is not None:
    for _ in range(steps):
      session.run(train)
  return session.run(variables_of(graph))


def ours(folder, model, feeds=None):
  """Values of all variables by name, and of the fetches for each feed."""
  init, train, *fetches = models(folder)[model]
  with tf1.Graph().as_default() as graph, tf1.Session() as session:
    tf1.import_graph_def(tf1.GraphDef.FromString((folder / f"{model}.graph").read_bytes()), name="")
    variables = run(session, graph, init, None if train == "-" else train)
    fetched = [session.run(fetches, feed) for feed in feeds or [{}]]
  return variables, fetched


def assert_same(got, want, rtol=2e-6, atol=1e-6):
  assert sorted(got) == sorted(want)
  for name, value in want.items():
    np.testing.assert_allclose(got[name], value, rtol=rtol, atol=atol, err_msg=name)


def test_the_list_is_complete(folder):
  kinds = [f"{name}_{kind}_{form}" for name in OPTIMIZERS for kind in ("reference", "resource") for form in ("dense", "rows")]
  assert sorted(models(folder)) == sorted(
    kinds + ["schedules", "clips", "moving_averages", "random_values", "embeddings", "losses", "metrics", "noise", "dynamic_rnn"]
  )


@pytest.mark.parametrize("rows", [False, True], ids=["dense", "rows"])
@pytest.mark.parametrize("use_resource", [False, True], ids=["reference", "resource"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(folder, name, use_resource, rows):
  with tf1.Graph().as_default() as graph, tf1.Session() as session:
    step = tf1.train.create_global_step()
    w = tf1.Variable([[3.0, -2.0], [0.5, 1.0], [-0.25, 0.0]], name="w", use_resource=use_resource)
    x = tf.gather(w, [0, 2, 2]) if rows else w
    train = OPTIMIZERS[name](step).minimize(0.5 * tf.reduce_sum(tf.square(x)), global_step=step)
    want = run(session, graph, tf1.global_variables_initializer(), train)
  got, _ = ours(folder, f"{name}_{'resource' if use_resource else 'reference'}_{'rows' if rows else 'dense'}")
  assert_same(got, want)


class BasicCell:
  """BasicRNNCell with the names that it has in checkpoints."""

  output_size = state_size = 3

  def zero_state(self, batch_size, dtype):
    return tf.zeros([batch_size, 3], dtype)

  def __call__(self, inputs, state, scope=None):
    with tf1.variable_scope("basic_rnn_cell"):
      start = (np.arange(15, dtype=np.float32) % 7 - 3).reshape(5, 3) / 4
      kernel = tf1.get_variable("kernel", initializer=start, use_resource=False)
      bias = tf1.get_variable("bias", [3], initializer=tf1.zeros_initializer(), use_resource=False)
    new = tf.tanh(tf.nn.bias_add(tf.matmul(tf.concat([inputs, state], 1), kernel), bias))
    return new, new


def test_dynamic_rnn(folder):
  got, (fetched,) = ours(folder, "dynamic_rnn")
  with tf1.Graph().as_default() as graph, tf1.Session() as session:
    x = np.sin(np.arange(20, dtype=np.float32)).reshape(2, 5, 2)
    rnn = tf1.nn.dynamic_rnn(BasicCell(), x, sequence_length=[5, 3], dtype=tf.float32)
    loss = tf.reduce_sum(tf.square(rnn[0])) + tf.reduce_sum(rnn[1])
    train = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
    want = run(session, graph, tf1.global_variables_initializer(), train)
    values = session.run(rnn)
  assert sorted(got) == ["rnn/basic_rnn_cell/bias", "rnn/basic_rnn_cell/kernel"]
  assert_same(got, want, rtol=1e-4, atol=1e-5)
  for a, b in zip(fetched, values, strict=True):
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_schedules(folder):
  steps = [0, 1, 3, 4, 10, 11, 12, 13, 19, 20, 25, 31]
  _, got = ours(folder, "schedules", [{"step:0": step} for step in steps])
  train = tf1.train
  with tf1.Graph().as_default(), tf1.Session() as session:
    step = tf1.placeholder(tf.int64, [])
    want = [
      train.exponential_decay(0.5, step, 10, 0.9),
      train.exponential_decay(0.5, step, 10, 0.9, True),
      train.natural_exp_decay(0.5, step, 10, 0.9),
      train.natural_exp_decay(0.5, step, 10, 0.9, True),
      train.inverse_time_decay(0.5, step, 10, 0.9),
      train.inverse_time_decay(0.5, step, 10, 0.9, True),
      train.polynomial_decay(0.5, step, 10, 0.1, 2.0),
      train.polynomial_decay(0.5, step, 10, cycle=True),
      train.piecewise_constant(step, [tf.constant(3, tf.int64), tf.constant(12, tf.int64)], [1.0, 0.5, 0.25]),
      train.cosine_decay(0.5, step, 20, 0.1),
      train.cosine_decay_restarts(0.5, step, 10, m_mul=0.5),
      train.cosine_decay_restarts(0.5, step, 10, t_mul=1.0, alpha=0.1),
      train.linear_cosine_decay(0.5, step, 20),
    ]
    for values, at in zip(got, steps):
      np.testing.assert_allclose(values[: len(want)], session.run(want, {step: at}), rtol=1e-5, atol=1e-6, err_msg=str(at))
  # Without a formula: every step until the end has other noise, and there the rate is the least.
  noisy = np.array([values[len(want)] for values in got])
  assert np.isfinite(noisy).all() and len(set(noisy.tolist())) == 1 + sum(at < 20 for at in steps)


def test_clips(folder):
  _, (got,) = ours(folder, "clips")
  with tf1.Graph().as_default(), tf1.Session() as session:
    x, y = tf.constant([[3.0, -4.0], [0.0, 1.0]]), tf.constant([2.0, -12.0])
    clipped, norm = tf.clip_by_global_norm([x, y], 2.0)
    want = session.run(
      [
        tf.clip_by_value(x, -1.0, 2.0),
        tf.clip_by_norm(x, 2.0),
        tf.clip_by_norm(x, 2.0, [1]),
        tf1.clip_by_average_norm(x, 0.5),
        norm,
        *clipped,
      ]
    )
  for a, b in zip(got, want, strict=True):
    np.testing.assert_allclose(a, b, rtol=1e-6)


def test_moving_averages(folder):
  got, _ = ours(folder, "moving_averages")
  with tf1.Graph().as_default() as graph, tf1.Session() as session:
    step = tf1.train.create_global_step()
    w = tf1.Variable([1.0, 10.0], name="w", use_resource=True)  # whose reads follow control dependencies
    grown, count = tf1.assign_add(w, [1.0, 2.0]), tf1.assign_add(step, 1)
    tensor = tf.multiply(grown, 2.0, name="tensor")
    average = tf1.train.ExponentialMovingAverage
    with tf1.control_dependencies([grown, count]):
      applied = [average(0.9).apply(), average(0.9, count, name="Numbered").apply()]
    applied.append(average(0.5, zero_debias=True, name="Debiased").apply([tensor]))
    want = run(session, graph, tf1.global_variables_initializer(), applied)
  assert_same(got, want, rtol=1e-5)


def test_random_values_are_those_of_the_seeds(folder):
  got, _ = ours(folder, "random_values")
  make = tf1.initializers
  initializers = {
    "uniform": make.random_uniform(-0.5, 2, seed=1),
    "normal": make.random_normal(1, 0.5, seed=2),
    "truncated": make.truncated_normal(0, 0.1, seed=3),
    "scaled": make.variance_scaling(3, "fan_out", seed=4),
    "glorot_uniform": make.glorot_uniform(seed=5),
    "glorot_normal": make.glorot_normal(seed=6),
    "he_normal": make.he_normal(seed=7),
    "he_uniform": make.he_uniform(seed=8),
    "lecun_normal": make.lecun_normal(seed=9),
    "lecun_uniform": make.lecun_uniform(seed=10),
    "orthogonal": make.orthogonal(1.5, seed=11),
  }
  with tf1.Graph().as_default() as graph, tf1.Session() as session:
    for name, initializer in initializers.items():
      tf1.get_variable(name, [3, 5, 4], initializer=initializer)
      tf1.get_variable(name + "_double", [6, 7], tf.float64, initializer=initializer)
    want = run(session, graph, tf1.global_variables_initializer(), None)
  assert_same(got, want, rtol=1e-6, atol=1e-7)


def test_embeddings(folder):
  got_tables, (got,) = ours(folder, "embeddings")
  with tf1.Graph().as_default() as graph, tf1.Session() as session:
    want = []
    for strategy in ("mod", "div"):
      table = tf1.get_variable(
        strategy,
        [7, 3],
        use_resource=False,
        partitioner=tf1.fixed_size_partitioner(3),
        initializer=tf1.initializers.random_normal(0, 1, seed=1),
      )
      ids = tf.constant([[6, 0, 3], [3, 5, 4]])
      want.append(tf1.nn.embedding_lookup(table, ids, partition_strategy=strategy))
      want.append(tf1.nn.embedding_lookup(table, ids, partition_strategy=strategy, max_norm=1))
      sparse = [
        tf.SparseTensor([[0, 0], [0, 1], [0, 2], [2, 0]], values, [3, 3])
        for values in (tf.constant([2, 5, 2, 1], tf.int64), [1.0, 2.0, 3.0, 0.5])
      ]
      for combiner in ("sum", "mean", "sqrtn"):
        for weights in (None, sparse[1]):
          want.append(tf1.nn.embedding_lookup_sparse(table, sparse[0], weights, strategy, combiner=combiner))
    tables = run(session, graph, tf1.global_variables_initializer(), None)
    want = session.run(want)
  assert_same(got_tables, tables)
  for i, (a, b) in enumerate(zip(got, want, strict=True)):
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6, err_msg=str(i))


def test_losses(folder):
  _, (got,) = ours(folder, "losses")
  losses = tf1.losses
  with tf1.Graph().as_default(), tf1.Session() as session:
    y = tf.constant([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    x = tf.constant([[0.5, 0.25], [1.0, 3.0], [-2.0, 0.125]])
    p = tf.sigmoid(x)
    want = []
    for reduction in ("NONE", "SUM", "MEAN", "SUM_OVER_BATCH_SIZE", "SUM_BY_NONZERO_WEIGHTS"):
      each = {"weights": [[1.0], [0.0], [2.0]], "reduction": getattr(losses.Reduction, reduction)}
      row = {**each, "weights": [1.0, 0.0, 2.0]}
      want += [
        losses.absolute_difference(y, x, **each),
        losses.mean_squared_error(y, x, **each),
        losses.huber_loss(y, x, delta=1.5, **each),
        losses.hinge_loss(y, x, **each),
        losses.log_loss(y, p, **each),
        losses.cosine_distance(y, x, 1, **each),
        losses.sigmoid_cross_entropy(y, x, label_smoothing=0.1, **each),
        losses.softmax_cross_entropy(y, x, label_smoothing=0.1, **row),
        losses.sparse_softmax_cross_entropy([1, 0, 1], x, **row),
      ]
    want = session.run(want)
  for i, (a, b) in enumerate(zip(got, want, strict=True)):
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6, err_msg=str(i))


def test_metrics(folder):
  got_variables, (got,) = ours(folder, "metrics")
  with tf1.Graph().as_default() as graph, tf1.Session() as session:
    y = tf.constant([True, False, True, True, False])
    p = tf.constant([0.75, 0.25, 0.5, 0.25, 0.625])
    said = p > 0.4
    metrics = []
    for w in (None, [1.0, 2.0, 0.5, 0.0, 1.0]):
      metrics += [
        tf1.metrics.mean(p, w),
        tf1.metrics.accuracy(y, said, w),
        tf1.metrics.precision(y, said, w),
        tf1.metrics.recall(y, said, w),
        tf1.metrics.auc(y, p, w),
        tf1.metrics.auc(y, p, w, num_thresholds=10, curve="PR"),
      ]
    values, updates = zip(*metrics)
    variables = run(session, graph, tf1.local_variables_initializer(), list(updates))
    want = session.run(list(values))
  assert_same(got_variables, variables)
  np.testing.assert_allclose(got, want, rtol=1e-5)


def test_dropout_and_batch_normalization(folder):
  variables, (got,) = ours(folder, "noise")
  with tf1.Graph().as_default(), tf1.Session() as session:
    x = tf.reshape(tf.range(1.0, 121.0), [2, 3, 4, 5])
    dropped, (normal, mean, variance) = session.run(
      [tf1.nn.dropout(x, rate=0.4, seed=5), tf1.nn.fused_batch_norm(x, tf.ones([5]), tf.zeros([5]), epsilon=0.001)]
    )
    sample = 24 / 23
  np.testing.assert_allclose(got[0], dropped, rtol=1e-6)
  for values in got[1:]:
    np.testing.assert_allclose(values, normal, rtol=1e-4, atol=1e-5)
  # After STEPS updates with the same batch.
  kept = 0.75**STEPS
  for name, factor in (("fused", 1), ("composed", 1 / sample)):
    np.testing.assert_allclose(variables[name + "/moving_mean"], (1 - kept) * mean, rtol=1e-4)
    np.testing.assert_allclose(variables[name + "/moving_variance"], kept + (1 - kept) * variance * factor, rtol=1e-4)
