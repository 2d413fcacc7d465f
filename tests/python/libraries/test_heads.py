"""Heads with optimizers, their metrics as objects, and tf.contrib.estimator's functions; by formulas in numpy."""

import numpy as np
import pytest

import millrace as tf

heads = tf.contrib.estimator
LOGITS = np.array([[0.5], [-1.0], [2.0]], np.float32)
LABELS = np.array([[1], [1], [0]], np.int64)
WEIGHTS = np.array([[1.0], [3.0], [0.5]], np.float32)
SUM = tf.losses.Reduction.SUM


def run(fetches):
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
    return session.run(fetches)


def entropy(labels, logits):
  return np.log1p(np.exp(-np.abs(logits))) + np.maximum(logits, 0) - labels * logits


def softmax(x):
  e = np.exp(x - x.max(-1, keepdims=True))
  return e / e.sum(-1, keepdims=True)


def created(head, labels, logits, features=None):
  spec = head.create_loss(features or {}, tf.estimator.ModeKeys.EVAL, tf.constant(logits), tf.constant(labels))
  return run(spec._replace(weights=tf.convert_to_tensor(spec.weights)))


def test_binary_classification_head():
  loss, losses, weights, labels = created(heads.binary_classification_head(), LABELS, LOGITS)
  expected = entropy(LABELS, LOGITS)
  np.testing.assert_allclose(losses, expected, rtol=1e-5)
  np.testing.assert_allclose(loss, expected.mean(), rtol=1e-5)
  assert weights == 1.0
  np.testing.assert_array_equal(labels, LABELS)


def test_binary_classification_head_with_options():
  head = heads.binary_classification_head(
    weight_column="w",
    thresholds=[0.5],
    label_vocabulary=["n", "y"],
    loss_reduction=SUM,
    loss_fn=lambda labels, logits: tf.abs(labels - logits),
    name="h",
  )
  loss, losses, weights, _ = created(head, np.array(["n", "y"])[LABELS], LOGITS, {"w": tf.constant(WEIGHTS)})
  np.testing.assert_allclose(losses, np.abs(LABELS - LOGITS))
  np.testing.assert_allclose(loss, (np.abs(LABELS - LOGITS) * WEIGHTS).sum())
  np.testing.assert_array_equal(weights, WEIGHTS)
  assert "recall/positive_threshold_0.5/h" in head.metrics()


def test_multi_class_head():
  logits = np.concatenate([LOGITS, -LOGITS, LOGITS * 2], 1)
  labels = np.array([[2], [0], [1]])
  loss, losses, _, _ = created(heads.multi_class_head(3), labels, logits)
  expected = -np.log(softmax(logits)[np.arange(3), labels[:, 0]])[:, None]
  np.testing.assert_allclose(losses, expected, rtol=1e-5)
  np.testing.assert_allclose(loss, expected.mean(), rtol=1e-5)
  head = heads.multi_class_head(
    3, "w", ["a", "b", "c"], SUM, lambda labels, logits: tf.cast(labels, tf.float32) + logits[:, :1], "h"
  )
  loss, _, _, ids = created(head, np.array(["a", "b", "c"])[labels], logits, {"w": tf.constant(WEIGHTS)})
  np.testing.assert_array_equal(ids, labels)
  np.testing.assert_allclose(loss, ((labels + logits[:, :1]) * WEIGHTS).sum(), rtol=1e-5)
  assert sorted(head.metrics()) == ["accuracy/h", "average_loss/h"]


def test_multi_label_head():
  logits = np.concatenate([LOGITS, -LOGITS], 1)
  labels = np.array([[1, 0], [1, 1], [0, 0]])
  expected = entropy(labels, logits).mean(1, keepdims=True)
  loss, losses, _, _ = created(heads.multi_label_head(2), labels, logits)
  np.testing.assert_allclose(losses, expected, rtol=1e-5)
  np.testing.assert_allclose(loss, expected.mean(), rtol=1e-5)
  head = heads.multi_label_head(
    n_classes=2,
    weight_column="w",
    thresholds=[0.25],
    label_vocabulary=["a", "b"],
    loss_reduction=SUM,
    loss_fn=lambda labels, logits: tf.reduce_sum(logits, axis=1, keepdims=True),
    classes_for_class_based_metrics=["b"],
    name="h",
  )
  features = {"w": tf.constant(WEIGHTS)}
  words = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["a", "b", "a"], [3, 2])
  spec = run(head.create_loss(features, "eval", tf.constant(logits + 1), words))
  np.testing.assert_array_equal(spec.processed_labels, [[1, 0], [1, 1], [0, 0]])
  np.testing.assert_allclose(spec.training_loss, 2 * WEIGHTS.sum(), rtol=1e-6)
  assert "auc/b/h" in head.metrics()


def test_regression_heads():
  labels = np.array([[1.0], [-2.0], [0.5]], np.float32)
  loss, losses, _, _ = created(heads.regression_head(), labels, LOGITS)
  np.testing.assert_allclose(losses, (labels - LOGITS) ** 2)
  np.testing.assert_allclose(loss, ((labels - LOGITS) ** 2).mean())
  head = heads.regression_head(
    weight_column="w",
    label_dimension=2,
    loss_reduction=SUM,
    loss_fn=lambda labels, logits: tf.abs(labels - logits),
    inverse_link_fn=tf.exp,
    name="h",
  )
  two, two_logits = np.concatenate([labels, labels * 2], 1), np.concatenate([LOGITS, LOGITS], 1)
  weights = np.array([[1.0, 0.0], [2.0, 0.5], [0.0, 1.0]], np.float32)
  loss, _, _, _ = created(head, two, two_logits, {"w": tf.constant(WEIGHTS)})
  np.testing.assert_allclose(loss, (np.abs(two - two_logits) * WEIGHTS).sum(), rtol=1e-6)
  # Weights of a value each.
  column = tf.feature_column.numeric_column("w", shape=2)
  head = heads.regression_head(weight_column=column, label_dimension=2, loss_reduction=SUM)
  loss, _, _, _ = created(head, two, two_logits, {"w": tf.constant(weights)})
  np.testing.assert_allclose(loss, ((two - two_logits) ** 2 * weights).sum(), rtol=1e-6)


def test_poisson_regression_head():
  labels = np.array([[1.0], [3.0], [0.0]], np.float32)
  plain = np.exp(LOGITS) - labels * LOGITS
  head = heads.poisson_regression_head("w", 1, SUM, False, "h")
  loss, _, _, _ = created(head, labels, LOGITS, {"w": tf.constant(WEIGHTS)})
  np.testing.assert_allclose(loss, (plain * WEIGHTS).sum(), rtol=1e-5)
  # Stirling's term is there for labels above 1.
  with np.errstate(all="ignore"):
    stirling = np.where(labels > 1, labels * np.log(labels) - labels + 0.5 * np.log(2 * np.pi * labels), 0)
  loss, losses, _, _ = created(heads.poisson_regression_head(), labels, LOGITS)
  np.testing.assert_allclose(losses, plain + stirling, rtol=1e-5)
  np.testing.assert_allclose(loss, (plain + stirling).mean(), rtol=1e-5)
  assert run(head.predictions(tf.constant(LOGITS)))["predictions"] == pytest.approx(np.exp(LOGITS))


def test_logistic_regression_head():
  labels = np.array([[0.25], [1.0], [0.0]], np.float32)
  loss, _, _, _ = created(heads.logistic_regression_head("w", SUM, "h"), labels, LOGITS, {"w": tf.constant(WEIGHTS)})
  np.testing.assert_allclose(loss, (entropy(labels, LOGITS) * WEIGHTS).sum(), rtol=1e-5)
  loss, _, _, _ = created(heads.logistic_regression_head(), labels, LOGITS)
  np.testing.assert_allclose(loss, entropy(labels, LOGITS).mean(), rtol=1e-5)
  with pytest.raises(tf.errors.InvalidArgumentError, match="Labels must be in range"):
    created(heads.logistic_regression_head(), labels + 1, LOGITS)


def test_multi_head():
  head = heads.multi_head([heads.binary_classification_head(name="a"), heads.regression_head(name="b")], head_weights=[2.0, 0.5])
  logits = tf.constant(np.concatenate([LOGITS, LOGITS], 1))
  labels = {"a": tf.constant(LABELS), "b": tf.constant(LOGITS + 1)}
  loss = run(head.create_loss({}, "eval", logits, labels).training_loss)
  np.testing.assert_allclose(loss, 2 * entropy(LABELS, LOGITS).mean() + 0.5 * 1.0, rtol=1e-5)
  assert head.name == "a_b"
  assert head.logits_dimension == 2


def test_metrics_as_objects():
  head = tf.estimator.BinaryClassHead(weight_column="w")
  metrics = head.metrics(regularization_losses=[tf.constant(1.0)])
  with pytest.raises(ValueError, match="has no value yet"):
    metrics["auc"].result()
  features, logits = {"w": tf.constant(WEIGHTS)}, tf.constant(LOGITS)
  found = head.update_metrics(metrics, features, logits, LABELS, regularization_losses=[tf.constant(1.5), tf.constant(0.5)])
  assert found is metrics
  with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    for _ in range(2):
      session.run([metric.update_op for metric in found.values()])
    values = session.run({key: metric.result() for key, metric in found.items()})
  logistic, total = 1 / (1 + np.exp(-LOGITS)), WEIGHTS.sum()
  label_mean = (LABELS * WEIGHTS).sum() / total
  decided = LOGITS > 0
  np.testing.assert_allclose(values["average_loss"], (entropy(LABELS, LOGITS) * WEIGHTS).sum() / total, rtol=1e-5)
  np.testing.assert_allclose(values["accuracy"], (WEIGHTS * (decided == LABELS)).sum() / total, rtol=1e-5)
  np.testing.assert_allclose(values["precision"], 1.0 / 1.5, rtol=1e-5)
  np.testing.assert_allclose(values["recall"], 1.0 / 4.0, rtol=1e-5)
  np.testing.assert_allclose(values["label/mean"], label_mean, rtol=1e-5)
  np.testing.assert_allclose(values["prediction/mean"], (logistic * WEIGHTS).sum() / total, rtol=1e-5)
  np.testing.assert_allclose(values["accuracy_baseline"], max(label_mean, 1 - label_mean), rtol=1e-5)
  np.testing.assert_allclose(values["regularization_loss"], 2.0)
  # No pair of a positive and a negative is in order.
  np.testing.assert_allclose(values["auc"], 0.0, atol=1e-3)
  with pytest.raises(ValueError, match="has been updated already"):
    head.update_metrics(metrics, features, logits, LABELS)


def test_metrics_of_several_heads():
  head = tf.estimator.MultiHead([tf.estimator.RegressionHead(name="a"), tf.estimator.RegressionHead(name="b")])
  labels = {"a": LOGITS + 1, "b": LOGITS + 2}
  logits = tf.constant(np.concatenate([LOGITS, LOGITS], 1))
  found = head.update_metrics(
    head.metrics(regularization_losses=[1.0]), {}, logits, labels, regularization_losses=[tf.constant(1.0)]
  )
  with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    session.run([metric.update_op for metric in found.values()])
    values = session.run({key: metric.result() for key, metric in found.items()})
  np.testing.assert_allclose([values["loss/a"], values["loss/b"], values["average_loss/b"]], [1.0, 4.0, 4.0], rtol=1e-5)
  np.testing.assert_allclose(values["regularization_loss/a_b"], 1.0)


def test_create_estimator_spec_with_an_optimizer():
  step = tf.train.create_global_step()
  one, two = tf.get_variable("one", initializer=LOGITS), tf.get_variable("two", initializer=LOGITS)
  counter = tf.get_variable("counter", initializer=0)
  head = tf.estimator.RegressionHead(loss_reduction="sum")
  spec = head.create_estimator_spec(
    {},
    tf.estimator.ModeKeys.TRAIN,
    one + two,
    labels=np.zeros([3, 1], np.float32),
    optimizer=tf.train.GradientDescentOptimizer(0.25),
    trainable_variables=[one],
    update_ops=[tf.assign_add(counter, 1)],
    regularization_losses=[tf.reduce_sum(one)],
  )
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    loss = session.run(spec.loss)
    session.run(spec.train_op)
    values = session.run([one, two, step, counter])
  np.testing.assert_allclose(loss, (4 * LOGITS**2).sum() + LOGITS.sum(), rtol=1e-5)
  # The gradient of the sum of (one + two) ** 2 is 4 times the logits, that of the other loss 1.
  np.testing.assert_allclose(values[0], LOGITS - 0.25 * (4 * LOGITS + 1), rtol=1e-5)
  np.testing.assert_allclose(values[1], LOGITS)
  assert values[2:] == [1, 1]


def test_optimizer_and_function_exclude_each_other():
  tf.train.create_global_step()
  head, v = tf.estimator.RegressionHead(), tf.get_variable("v", initializer=LOGITS)
  arguments = {"features": {}, "mode": "train", "logits": v + 0.0, "labels": LOGITS}
  with pytest.raises(ValueError, match="train_op_fn and optimizer cannot both be set"):
    head.create_estimator_spec(optimizer=tf.train.GradientDescentOptimizer(1.0), train_op_fn=lambda loss: tf.no_op(), **arguments)
  with pytest.raises(ValueError, match="train_op_fn and optimizer cannot both be None"):
    head.create_estimator_spec(**arguments)


def _input():
  features = {"x": np.array([[1.0], [2.0], [3.0]], np.float32), "w": WEIGHTS}
  return tf.data.Dataset.from_tensor_slices((features, np.array([[2.0], [4.0], [6.0]], np.float32))).repeat().batch(3)


@pytest.mark.parametrize("kind", ["linear", "deep", "both", "baseline"])
def test_estimators_of_heads(tmp_path, kind):
  head = tf.estimator.RegressionHead(loss_reduction="sum", weight_column="w")
  columns = [tf.feature_column.numeric_column("x")]
  config = tf.estimator.RunConfig(tf_random_seed=1)
  folder = str(tmp_path)
  if kind == "linear":
    estimator = tf.estimator.LinearEstimator(
      head,
      columns,
      model_dir=folder,
      optimizer=tf.train.AdagradOptimizer(1.0),
      config=config,
      partitioner=tf.fixed_size_partitioner(1),
      sparse_combiner="mean",
    )
  elif kind == "deep":
    estimator = tf.estimator.DNNEstimator(
      head,
      [4],
      columns,
      model_dir=folder,
      optimizer="Adam",
      activation_fn=None,
      dropout=None,
      input_layer_partitioner=tf.fixed_size_partitioner(1),
      config=config,
      warm_start_from=None,
      batch_norm=False,
    )
  elif kind == "both":
    estimator = tf.estimator.DNNLinearCombinedEstimator(
      head,
      model_dir=folder,
      linear_feature_columns=columns,
      linear_optimizer="SGD",
      dnn_feature_columns=columns,
      dnn_optimizer="RMSProp",
      dnn_hidden_units=[3],
      dnn_activation_fn=tf.nn.tanh,
      dnn_dropout=0.1,
      input_layer_partitioner=tf.fixed_size_partitioner(1),
      config=config,
      linear_sparse_combiner="mean",
    )
  else:
    estimator = tf.estimator.BaselineEstimator(head, model_dir=folder, optimizer="Adagrad", config=config)
  estimator.train(_input, steps=1)
  first = estimator.evaluate(_input, steps=1)["average_loss"]
  estimator.train(_input, steps=60)
  last = estimator.evaluate(_input, steps=1)
  assert last["global_step"] == 61
  assert last["average_loss"] < first
  if kind == "linear":
    assert last["average_loss"] < 0.2
  if kind == "deep":
    assert "dnn/hiddenlayer_0/kernel" in estimator.get_variable_names()


def test_a_network_of_a_head_goes_on_from_another(tmp_path):
  head = tf.estimator.RegressionHead(loss_reduction="sum", weight_column="w")
  columns = [tf.feature_column.numeric_column("x")]
  # Of other numbers all units may be dead.
  config = tf.estimator.RunConfig(tf_random_seed=1)
  one = tf.estimator.DNNEstimator(
    head, [4], columns, model_dir=str(tmp_path / "one"), dropout=0.1, batch_norm=True, config=config
  )
  one.train(_input, steps=3)
  two = tf.estimator.DNNEstimator(
    head,
    [4],
    columns,
    model_dir=str(tmp_path / "two"),
    optimizer=tf.train.GradientDescentOptimizer(0.0),
    dropout=0.5,
    warm_start_from=one.model_dir,
    batch_norm=True,
  )
  two.train(_input, steps=1)
  for name in ("dnn/hiddenlayer_0/kernel", "dnn/hiddenlayer_0/batchnorm_0/gamma", "dnn/logits/bias"):
    np.testing.assert_array_equal(one.get_variable_value(name), two.get_variable_value(name))
  # Moving averages follow the batches.
  name = "dnn/hiddenlayer_0/batchnorm_0/moving_mean"
  assert np.abs(one.get_variable_value(name)).max() > 0


def test_a_head_of_a_program():
  class Half(tf.estimator.Head):
    name = "half"
    logits_dimension = 1
    loss_reduction = "sum"

    def loss(self, labels, logits, features=None, mode=None, regularization_losses=None):
      return tf.reduce_sum(tf.abs(labels - logits)) / 2

    def predictions(self, logits, keys=None):
      return {"half": logits / 2}

    def metrics(self, regularization_losses=None):
      return {}

    def update_metrics(self, eval_metrics, features, logits, labels, mode=None, regularization_losses=None):
      return eval_metrics

  head = Half()
  assert run(head.loss(LOGITS + 2, tf.constant(LOGITS))) == 3.0
  with pytest.raises(NotImplementedError):
    head.create_estimator_spec({}, "train", tf.constant(LOGITS))
  with pytest.raises(TypeError):
    tf.estimator.Head()
