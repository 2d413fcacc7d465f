"""tf.contrib.learn's premade estimators, against formulas of numpy."""

import numpy as np
import pytest

import millrace as tf

learn, layers = tf.contrib.learn, tf.contrib.layers
X = np.array([[1.0, 2.0], [2.0, -1.0], [-1.0, 0.5], [0.0, 3.0]], np.float32)
TWO = np.array([1, 0, 0, 1])
THREE = np.array([1, 0, 2, 1])
WEIGHTS = np.array([1.0, 2.0, 0.5, 1.0], np.float32)


def numbers():
  return [layers.real_valued_column("x", dimension=2)]


def inputs(labels):
  return lambda: ({"x": tf.constant(X), "w": tf.constant(WEIGHTS)}, tf.constant(labels))


def sigmoid(z):
  return 1.0 / (1.0 + np.exp(-z))


def softmax(z):
  e = np.exp(z - z.max(1, keepdims=True))
  return e / e.sum(1, keepdims=True)


def test_linear_classifier_of_two(tmp_path):
  estimator = learn.LinearClassifier(
    numbers(),
    model_dir=str(tmp_path),
    n_classes=2,
    weight_column_name="w",
    optimizer=tf.train.GradientDescentOptimizer(0.5),
    gradient_clip_norm=None,
    enable_centered_bias=False,
    config=learn.RunConfig(tf_random_seed=1),
  )
  estimator.fit(input_fn=inputs(TWO), steps=3)
  w, b = np.zeros(2), 0.0
  for _ in range(3):
    error = (sigmoid(X @ w + b) - TWO) * WEIGHTS / len(X)
    w, b = w - 0.5 * X.T @ error, b - 0.5 * error.sum()
  np.testing.assert_allclose(estimator.get_variable_value("linear/x/weight")[:, 0], w, rtol=1e-5)
  np.testing.assert_allclose(estimator.get_variable_value("linear/bias_weight"), [b], rtol=1e-5)
  p = sigmoid(X @ w + b)
  results = estimator.evaluate(input_fn=inputs(TWO), steps=1)
  losses = -(TWO * np.log(p) + (1 - TWO) * np.log(1 - p))
  assert results["loss"] == pytest.approx((losses * WEIGHTS).sum() / WEIGHTS.sum(), rel=1e-4)
  assert results["accuracy"] == pytest.approx((((p > 0.5) == TWO) * WEIGHTS).sum() / WEIGHTS.sum())
  assert results["labels/prediction_mean"] == pytest.approx((p * WEIGHTS).sum() / WEIGHTS.sum(), rel=1e-4)
  assert results["labels/actual_label_mean"] == pytest.approx((TWO * WEIGHTS).sum() / WEIGHTS.sum())
  right = (p > 0.5) * TWO * WEIGHTS
  assert results["accuracy/threshold_0.500000_mean"] == pytest.approx(results["accuracy"])
  assert results["precision/positive_threshold_0.500000_mean"] == pytest.approx(right.sum() / ((p > 0.5) * WEIGHTS).sum())
  assert results["recall/positive_threshold_0.500000_mean"] == pytest.approx(right.sum() / (TWO * WEIGHTS).sum())

  def given():
    return {"x": tf.train.limit_epochs(tf.constant(X), num_epochs=1)}, None

  assert list(estimator.predict(input_fn=given)) == list(p > 0.5)
  assert list(estimator.predict_classes(input_fn=given, as_iterable=False)) == list(p > 0.5)
  np.testing.assert_allclose(list(estimator.predict_proba(input_fn=given)), np.stack([1 - p, p], 1), rtol=1e-4)
  np.testing.assert_allclose([r["logistic"][0] for r in estimator.predict(input_fn=given, outputs=["logistic"])], p, rtol=1e-4)


def test_predictions_of_constant_inputs(tmp_path):
  """An input that no queue runner ends gives one batch, and an array is one batch of any input."""
  estimator = learn.LinearClassifier(numbers(), str(tmp_path), optimizer=tf.train.GradientDescentOptimizer(0.5))
  estimator.fit(input_fn=inputs(TWO), steps=2)
  w, b = (estimator.get_variable_value(f"linear/{name}") for name in ("x/weight", "bias_weight"))
  expected = list(((X @ w + b)[:, 0] > 0).astype(int))
  constant = lambda: {"x": tf.constant(X)}  # noqa: E731
  assert list(estimator.predict(input_fn=constant)) == expected
  assert list(estimator.predict(input_fn=lambda: (constant(), None), as_iterable=False)) == expected
  batches = list(estimator.predict(input_fn=constant, outputs=["classes", "logits"], iterate_batches=True))
  assert [sorted(batch) for batch in batches] == [["classes", "logits"]]
  np.testing.assert_allclose(batches[0]["logits"], X @ w + b, rtol=1e-5)

  def queued():
    rows = tf.train.limit_epochs(tf.constant(X), num_epochs=3)
    return {"x": tf.train.batch([rows], 4, enqueue_many=True, allow_smaller_final_batch=True)}

  assert list(estimator.predict(input_fn=queued)) == expected * 3
  assert list(estimator.predict(input_fn=queued, as_iterable=False)) == expected


def test_linear_of_arrays_and_classes(tmp_path):
  """The first program of many: columns of what an array has."""
  columns = learn.infer_real_valued_columns_from_input(X)
  estimator = learn.LinearClassifier(columns, str(tmp_path), n_classes=3, optimizer="SGD", gradient_clip_norm=0.01)
  estimator.fit(X, THREE, steps=1)
  grad = X.T @ (np.full([4, 3], 1 / 3.0) - np.eye(3)[THREE]) / 4
  bias = (np.full([4, 3], 1 / 3.0) - np.eye(3)[THREE]).mean(0)
  scale = 0.01 / np.sqrt((grad**2).sum() + (bias**2).sum())
  (name,) = [name for name in estimator.get_variable_names() if name.endswith("weight") and "bias" not in name]
  np.testing.assert_allclose(estimator.get_variable_value(name), -0.2 * scale * grad, rtol=1e-4)
  expected = X @ estimator.get_variable_value(name) + estimator.get_variable_value("linear/bias_weight")
  assert list(estimator.predict(X)) == list(expected.argmax(1))
  np.testing.assert_allclose(list(estimator.predict_proba(X, batch_size=3)), softmax(expected), rtol=1e-4)
  assert estimator.evaluate(X, THREE)["accuracy"] == pytest.approx((expected.argmax(1) == THREE).mean())
  found = learn.SKCompat(estimator).predict(X, batch_size=3)
  assert sorted(found) == ["classes", "logits", "probabilities"]
  np.testing.assert_array_equal(found["classes"], expected.argmax(1))
  np.testing.assert_allclose(found["probabilities"], softmax(expected), rtol=1e-4)
  by_name = learn.infer_real_valued_columns_from_input_fn(inputs(THREE))
  assert sorted(column.name for column in by_name) == ["w", "x"]


def test_linear_regressor(tmp_path):
  y = (X @ np.array([2.0, -1.0]) + 0.5).astype(np.float32)
  estimator = learn.LinearRegressor(
    numbers(), str(tmp_path), weight_column_name=None, optimizer=lambda: tf.train.GradientDescentOptimizer(0.1), label_dimension=1
  )
  estimator.fit(input_fn=inputs(y), steps=200)
  scores = estimator.predict(x={"x": X}, as_iterable=False)
  np.testing.assert_allclose(scores, y, atol=0.05)
  assert list(estimator.predict_scores(x={"x": X})) == pytest.approx(list(scores))
  assert next(estimator.predict(x={"x": X}, outputs=["scores"]))["scores"] == pytest.approx(scores[0])
  assert estimator.evaluate(input_fn=inputs(y), steps=1)["loss"] < 0.01
  default = learn.LinearRegressor(numbers(), str(tmp_path / "ftrl"), enable_centered_bias=True)
  default.fit(input_fn=inputs(y), steps=2)
  assert "linear/regression_head/centered_bias_weight" in default.get_variable_names()


class Names(tf.train.SessionRunHook):
  """The names of all variables of a training."""

  def begin(self):
    self.found = {variable.op.name for variable in tf.global_variables()}


def test_names_of_linear_models(tmp_path):
  """The optimizer's variables are below the head, and it has no variable of a rate."""
  estimator = learn.LinearClassifier(numbers(), str(tmp_path), optimizer=tf.train.MomentumOptimizer(0.1, 0.9))
  names = Names()
  estimator.fit(input_fn=inputs(TWO), steps=1, monitors=[names])
  parts = ["linear/bias_weight/part_0", "linear/x/weight/part_0"]
  assert names.found == {"global_step", *parts, *[f"linear/binary_logistic_head/{part}/Momentum" for part in parts]}
  # Checkpoints have the parts as one, and as many letters less of a slot's name as its variable's has.
  slots = [f"linear/binary_logistic_head/{part}/Momentum"[len(part) + 1 :] for part in parts]
  whole = ["linear/bias_weight", "linear/x/weight"]
  assert set(estimator.get_variable_names()) == {"global_step", *whole, *[f"{w}/{slot}" for w, slot in zip(whole, slots)]}


def test_columns_of_both_kinds(tmp_path):
  """Those of tf.feature_column go into its own functions, which name the variables."""
  number = tf.feature_column.numeric_column("x", shape=[2])
  word = tf.feature_column.categorical_column_with_identity("id", 3)
  embedded = tf.feature_column.embedding_column(word, 2, initializer=tf.constant_initializer([[1.0, 2], [3, 4], [5, 6]]))

  def input_fn():
    return {"x": tf.constant(X), "id": tf.constant([[0], [1], [2], [0]])}, tf.constant(TWO)

  linear = learn.LinearClassifier([number, word], str(tmp_path / "l"), optimizer=tf.train.GradientDescentOptimizer(0.5))
  linear.fit(input_fn=input_fn, steps=1)
  names = [f"linear/linear_model/{name}" for name in ("bias_weights", "id/weights", "x/weights")]
  assert set(linear.get_variable_names()) == {"global_step", *names}
  error = (0.5 - TWO) / 4
  np.testing.assert_allclose(linear.get_variable_value(names[2])[:, 0], -0.5 * X.T @ error, rtol=1e-5)
  of_ids = np.array([error[0] + error[3], *error[1:3]])
  np.testing.assert_allclose(linear.get_variable_value(names[1])[:, 0], -0.5 * of_ids, rtol=1e-5)
  network = learn.DNNLinearCombinedRegressor(
    model_dir=str(tmp_path / "n"),
    linear_feature_columns=[number],
    dnn_feature_columns=[embedded, number],
    dnn_hidden_units=[3],
    dnn_optimizer=tf.train.GradientDescentOptimizer(0.0),
    fix_global_step_increment_bug=True,
  )
  network.fit(input_fn=input_fn, steps=1)
  table = "dnn/input_from_feature_columns/input_layer/id_embedding/embedding_weights"
  assert {table, "linear/linear_model/x/weights"} <= set(network.get_variable_names())
  np.testing.assert_array_equal(network.get_variable_value(table), [[1, 2], [3, 4], [5, 6]])


@pytest.mark.parametrize("name, function", [("tanh", np.tanh), ("sigmoid", sigmoid), (None, lambda x: x)])
def test_activations_by_name(tmp_path, name, function):
  estimator = learn.DNNRegressor([3], numbers(), str(tmp_path), activation_fn=name, config=learn.RunConfig(tf_random_seed=5))
  estimator.fit(input_fn=inputs(X.sum(1)), steps=1)
  value = estimator.get_variable_value
  hidden = function(X @ value("dnn/hiddenlayer_0/weights") + value("dnn/hiddenlayer_0/biases"))
  expected = hidden @ value("dnn/logits/weights") + value("dnn/logits/biases")
  np.testing.assert_allclose(list(estimator.predict(x={"x": X})), expected[:, 0], rtol=1e-4, atol=1e-5)


def test_what_is_trained(tmp_path):
  """A network's optimizer moves all variables, a linear model's its own."""

  def engineering(features, labels):
    return {"x": features["x"] * tf.get_variable("scale", initializer=1.0)}, labels

  y = X.sum(1)
  network = learn.DNNRegressor([3], numbers(), str(tmp_path / "n"), activation_fn=None, feature_engineering_fn=engineering)
  linear = learn.LinearRegressor(numbers(), str(tmp_path / "l"), feature_engineering_fn=engineering)
  for estimator in (network, linear):
    estimator.fit(input_fn=inputs(y), steps=2)
  assert network.get_variable_value("scale") != 1.0 and linear.get_variable_value("scale") == 1.0


class Runs(tf.train.SessionRunHook):
  """Counts the runs of a training."""

  count = 0

  def after_run(self, run_context, run_values):
    self.count += 1


@pytest.mark.parametrize("is_fixed", [False, True])
def test_steps_of_both_together(tmp_path, is_fixed):
  """Each of the two optimizers counts the step, unless told otherwise."""
  estimator = learn.DNNLinearCombinedRegressor(
    model_dir=str(tmp_path),
    linear_feature_columns=numbers(),
    linear_optimizer="SGD",
    dnn_feature_columns=numbers(),
    dnn_hidden_units=[2],
    fix_global_step_increment_bug=is_fixed,
  )
  runs = Runs()
  estimator.fit(input_fn=inputs(X.sum(1)), steps=4, monitors=[runs])
  assert estimator.get_variable_value("global_step") == runs.count * (1 if is_fixed else 2)
  rates = {"dnn": 0.05, "linear": 0.2}
  for part, rate in rates.items():
    assert estimator.get_variable_value(f"regression_head/{part}/learning_rate") == np.float32(rate)


def test_rates_of_linear_models():
  from millrace.contrib.learn import canned_training

  assert [canned_training.linear_rate([None] * count) for count in (1, 25, 100)] == [0.2, 0.2, 0.1]


def test_network(tmp_path):
  y = np.stack([X.sum(1), X[:, 0]], 1).astype(np.float32)
  estimator = learn.DNNRegressor(
    hidden_units=[5, 3],
    feature_columns=numbers(),
    model_dir=str(tmp_path),
    optimizer=tf.train.AdamOptimizer(0.05),
    activation_fn=tf.nn.tanh,
    dropout=None,
    gradient_clip_norm=5.0,
    label_dimension=2,
    config=learn.RunConfig(tf_random_seed=2),
  )
  estimator.fit(input_fn=inputs(y), steps=1)
  value = estimator.get_variable_value
  hidden = X
  for number in range(2):
    hidden = np.tanh(hidden @ value(f"dnn/hiddenlayer_{number}/weights") + value(f"dnn/hiddenlayer_{number}/biases"))
  expected = hidden @ value("dnn/logits/weights") + value("dnn/logits/biases")
  np.testing.assert_allclose(list(estimator.predict(x={"x": X})), expected, rtol=1e-4, atol=1e-6)
  assert estimator.evaluate(input_fn=inputs(y), steps=1)["loss"] == pytest.approx(np.square(expected - y).mean(), rel=1e-4)
  estimator.fit(input_fn=inputs(y), steps=300)
  assert estimator.evaluate(input_fn=inputs(y), steps=1)["loss"] < 0.05


def test_network_of_classes(tmp_path):
  words = np.array(["a", "b", "c", "b"])
  estimator = learn.DNNClassifier(
    feature_columns=[layers.real_valued_column("", dimension=2)],
    hidden_units=[6],
    n_classes=3,
    model_dir=str(tmp_path),
    dropout=0.1,
    label_keys=["b", "a", "c"],
    input_layer_min_slice_size=1 << 20,
    enable_centered_bias=True,
    config=learn.RunConfig(tf_random_seed=3),
  )
  estimator.fit(x=X, y=words, steps=150)
  assert estimator.evaluate(x=X, y=words)["accuracy"] == 1.0
  assert list(estimator.predict(X)) == [b"a", b"b", b"c", b"b"]


def test_both_together(tmp_path):
  sparse = layers.sparse_column_with_keys("word", ["a", "b", "c"])
  wide = [sparse]
  deep = [layers.embedding_column(sparse, dimension=2), layers.real_valued_column("x", dimension=2)]

  def input_fn():
    return {"x": tf.constant(X), "word": tf.constant([["a"], ["b"], ["a"], ["c"]])}, tf.constant(TWO)

  estimator = learn.DNNLinearCombinedClassifier(
    model_dir=str(tmp_path),
    linear_feature_columns=wide,
    linear_optimizer=tf.train.FtrlOptimizer(0.2),
    dnn_feature_columns=deep,
    dnn_optimizer=tf.train.AdagradOptimizer(0.3),
    dnn_hidden_units=[4],
    dnn_activation_fn=tf.nn.relu,
    dnn_dropout=None,
    gradient_clip_norm=10.0,
    embedding_lr_multipliers={deep[0]: 0.0},
    config=learn.RunConfig(tf_random_seed=4),
    fix_global_step_increment_bug=True,
  )
  estimator.fit(input_fn=input_fn, steps=1)
  names = estimator.get_variable_names()
  embedding = next(name for name in names if "embedding" in name and not name.endswith("Adagrad"))
  before = estimator.get_variable_value(embedding)
  estimator.fit(input_fn=input_fn, steps=60)
  assert estimator.get_variable_value("global_step") == 61
  np.testing.assert_array_equal(estimator.get_variable_value(embedding), before)  # whose gradient counts nothing
  assert estimator.evaluate(input_fn=input_fn, steps=1)["accuracy"] == 1.0
  y = X.sum(1)
  regressor = learn.DNNLinearCombinedRegressor(
    model_dir=str(tmp_path / "r"),
    linear_feature_columns=numbers(),
    dnn_feature_columns=numbers(),
    dnn_hidden_units=[3],
    label_dimension=1,
  )
  regressor.fit(input_fn=inputs(y), steps=3)
  assert len(list(regressor.predict(x={"x": X}))) == 4
  with pytest.raises(ValueError, match="Either linear_feature_columns or dnn_feature_columns"):
    learn.DNNLinearCombinedClassifier(model_dir=str(tmp_path / "c"))


def test_estimators_with_heads(tmp_path):
  head = learn.multi_class_head(2, head_name="h", thresholds=[0.5], weight_column_name="w")
  made = [
    learn.DNNEstimator(
      head, [3], numbers(), str(tmp_path / "a"), optimizer="Adam", activation_fn=tf.nn.relu, gradient_clip_norm=1.0
    ),
    learn.LinearEstimator(numbers(), head, str(tmp_path / "b"), optimizer="Ftrl", gradient_clip_norm=1.0),
    learn.DNNLinearCombinedEstimator(
      head, str(tmp_path / "c"), linear_feature_columns=numbers(), dnn_feature_columns=numbers(), dnn_hidden_units=[2]
    ),
  ]
  for estimator in made:
    estimator.fit(input_fn=inputs(TWO), steps=2)
    results = estimator.evaluate(input_fn=inputs(TWO), steps=1)
    assert {"accuracy/h", "auc/h", "precision/positive_threshold_0.500000_mean/h", "loss/h", "loss"} <= set(results)
    assert results["accuracy/h"] == pytest.approx(results["accuracy/threshold_0.500000_mean/h"])


def test_logistic_regressor(tmp_path):
  def model_fn(features, labels, mode):
    w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
    logits = tf.matmul(features, w)
    predictions = tf.sigmoid(logits)
    if mode == learn.ModeKeys.INFER:
      return predictions, None, None
    loss = tf.losses.sigmoid_cross_entropy(tf.reshape(labels, [-1, 1]), logits)
    train_op = tf.train.GradientDescentOptimizer(0.5).minimize(loss, global_step=tf.train.get_global_step())
    return {"logistic": predictions}, loss, train_op

  estimator = learn.LogisticRegressor(model_fn, thresholds=[0.3], model_dir=str(tmp_path), config=learn.RunConfig())
  estimator.fit(X, TWO, steps=30)
  results = estimator.evaluate(X, TWO)
  p = sigmoid(X @ estimator.get_variable_value("w"))[:, 0]
  assert results["accuracy"] == ((p > 0.5) == TWO).mean()
  assert results["accuracy/threshold_0.300000_mean"] == pytest.approx(((p > 0.3) == TWO).mean())
  assert "accuracy/threshold_0.500000_mean" not in results
  assert results["labels/prediction_mean"] == pytest.approx(p.mean(), rel=1e-4)
