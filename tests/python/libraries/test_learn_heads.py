"""Heads of tf.contrib.learn, against formulas of numpy."""

import functools

import numpy as np
import pytest

import millrace as tf

learn = tf.contrib.learn
X = np.array([[1.0, 2.0], [2.0, -1.0], [-1.0, 0.5], [0.0, 3.0]], np.float32)
TWO = np.array([1, 0, 0, 1])
THREE = np.array([1, 0, 2, 1])
Y = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
WEIGHTS = np.array([1.0, 2.0, 0.5, 1.0], np.float32)
ROWS = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 1], [0, 1, 0]])
LOGITS = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def sigmoid(z):
  return 1.0 / (1.0 + np.exp(-z))


def softmax(z):
  e = np.exp(z - z.max(1, keepdims=True))
  return e / e.sum(1, keepdims=True)


def _ops(head, mode, logits, labels, **kwargs):
  with tf.Graph().as_default(), tf.Session() as session:
    tf.train.create_global_step()
    features = {"w": tf.constant(WEIGHTS)}
    if isinstance(labels, tf.SparseTensorValue):
      labels = tf.SparseTensor(*labels)
    ops = head.create_model_fn_ops(features, mode, labels, logits=tf.constant(logits, tf.float32), **kwargs)
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
    metrics = {key: value[1] for key, value in ops.eval_metric_ops.items()}
    found = session.run(
      {"predictions": ops.predictions, "loss": ops.loss if ops.loss is not None else tf.constant(0.0), "metrics": metrics}
    )
    if ops.train_op is not None:
      session.run(ops.train_op)
    return found


def test_heads():
  logits = np.array([[1.0], [-2.0], [0.5], [3.0]])
  mean = _ops(learn.regression_head(link_fn=tf.exp), "eval", logits, np.array([1.0, 2.0, 3.0, 4.0], np.float32))
  assert mean["loss"] == pytest.approx(np.square(logits[:, 0] - [1, 2, 3, 4]).mean())
  np.testing.assert_allclose(mean["predictions"]["scores"], np.exp(logits[:, 0]), rtol=1e-5)
  counts = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
  poisson = _ops(learn.poisson_regression_head(head_name="p", weight_column_name="w"), "eval", logits, {"p": counts})
  stirling = np.where(counts > 1, counts * np.log(counts) - counts + 0.5 * np.log(2 * np.pi * counts), 0)
  losses = np.exp(logits[:, 0]) - counts * logits[:, 0] + stirling
  assert poisson["loss"] == pytest.approx((losses * WEIGHTS).mean(), rel=1e-4)
  assert poisson["metrics"]["loss/p"] == pytest.approx((losses * WEIGHTS).sum() / WEIGHTS.sum(), rel=1e-4)
  three = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
  found = _ops(learn.multi_class_head(3, metric_class_ids=[1], label_name="l"), "eval", three, {"l": THREE, "other": TWO})
  probabilities = softmax(three)
  assert found["loss"] == pytest.approx(-np.log(probabilities[range(4), THREE]).mean(), rel=1e-5)
  assert found["metrics"]["labels/probability_mean/class1"] == pytest.approx(probabilities[:, 1].mean(), rel=1e-5)
  assert found["metrics"]["labels/actual_label_mean/class1"] == pytest.approx(0.5)
  assert found["metrics"]["labels/logits_mean/class1"] == pytest.approx(0.25)
  assert found["metrics"]["labels/prediction_mean/class1"] == pytest.approx((three.argmax(1) == 1).mean())
  rows = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 1], [0, 1, 0]])
  several = _ops(learn.multi_label_head(3, metric_class_ids=[0]), "eval", three, rows)
  p = sigmoid(three)
  assert several["loss"] == pytest.approx(-(rows * np.log(p) + (1 - rows) * np.log(1 - p)).mean(), rel=1e-5)
  np.testing.assert_array_equal(several["predictions"]["classes"], three > 0)
  assert several["metrics"]["labels/actual_label_mean/class0"] == 0.5
  trained = []
  two = learn.multi_class_head(2, enable_centered_bias=True)
  _ops(two, "train", logits, TWO, train_op_fn=lambda loss: trained.append(loss) or tf.no_op())
  assert len(trained) == 1 and two.logits_dimension == 1
  inferred = _ops(two, "infer", logits, None)
  np.testing.assert_array_equal(inferred["predictions"]["classes"], logits[:, 0] > 0)
  with tf.Graph().as_default():
    made = two.create_model_fn_ops({}, "infer", logits_input=tf.constant(X), scope="own")
    assert made.predictions["logits"].shape.as_list() == [4, 1]
    assert [v.op.name for v in tf.global_variables()] == ["own/logits/weights", "own/logits/biases", "own/centered_bias_weight"]
    assert learn.no_op_train_fn(None).type == "NoOp" and isinstance(two, learn.Head)
    for arguments, words in [
      ({"logits": tf.constant(logits), "logits_input": tf.constant(X)}, "Both logits and logits_input supplied"),
      ({}, "Neither logits nor logits_input supplied"),
      ({"logits": tf.constant(logits, tf.float32)}, "No labels were given"),
      ({"logits": tf.constant(logits, tf.float32), "labels": TWO}, "train_op_fn can not be None"),
    ]:
      with pytest.raises(ValueError, match=words):
        two.create_model_fn_ops({}, "train", **arguments)
  for call, words in [
    (lambda: learn.multi_class_head(1), "n_classes must be > 1"),
    (lambda: learn.multi_class_head(2, metric_class_ids=[1]), "metric_class_ids invalid"),
    (lambda: learn.multi_class_head(2, label_keys=["a", "b"]), "label_keys is not supported for n_classes=2"),
    (lambda: learn.multi_class_head(3, label_keys=["a", "b"]), "Length of label_keys must equal n_classes"),
    (lambda: learn.multi_class_head(3, metric_class_ids=[3]), "Class ID 3 not in"),
    (lambda: learn.multi_class_head(3, loss_fn=lambda labels, logits: 0.0), "Argument weights not found in loss_fn"),
    (lambda: learn.multi_label_head(3, loss_fn=lambda logits, weights: 0.0), "Argument labels not found in loss_fn"),
    (lambda: learn.multi_label_head(1), "n_classes must be > 1"),
  ]:
    with pytest.raises(ValueError, match=words):
      call()


def weighted(values, weights=WEIGHTS):
  return (values * weights).sum() / weights.sum()


def test_losses_with_weights():
  """Training has the mean of losses times weights, reports have their average by weights."""
  squares = np.square(X[:, 0] - Y)
  found = _ops(learn.regression_head(weight_column_name="w"), "eval", X[:, :1], Y)
  assert found["loss"] == pytest.approx((squares * WEIGHTS).mean(), rel=1e-5)
  assert found["metrics"]["loss"] == pytest.approx(weighted(squares), rel=1e-5)
  found = _ops(learn.multi_class_head(3, weight_column_name="w", metric_class_ids=[1]), "eval", LOGITS, THREE)
  losses = -np.log(softmax(LOGITS)[range(4), THREE])
  assert found["loss"] == pytest.approx((losses * WEIGHTS).mean(), rel=1e-5)
  assert found["metrics"]["loss"] == pytest.approx(weighted(losses), rel=1e-5)
  assert found["metrics"]["accuracy"] == pytest.approx(weighted(LOGITS.argmax(1) == THREE))
  assert found["metrics"]["labels/prediction_mean/class1"] == pytest.approx(weighted(LOGITS.argmax(1) == 1))
  assert found["metrics"]["labels/probability_mean/class1"] == pytest.approx(weighted(softmax(LOGITS)[:, 1]), rel=1e-5)
  with pytest.raises(ValueError, match="Weights v missing from features"):
    _ops(learn.regression_head(weight_column_name="v"), "eval", X[:, :1], Y)


def test_several_labels_with_weights():
  head = learn.multi_label_head(3, weight_column_name="w", metric_class_ids=[0])
  p, places = sigmoid(LOGITS), np.argwhere(ROWS)
  # A class may have any place of its row.
  sparse = tf.SparseTensorValue([[0, 0], [0, 1], [2, 0], [2, 1], [2, 2], [3, 0]], places[:, 1], [4, 3])
  for labels in (ROWS, sparse):
    found = _ops(head, "eval", LOGITS, labels)
    losses = -(ROWS * np.log(p) + (1 - ROWS) * np.log(1 - p))
    assert found["loss"] == pytest.approx((losses * WEIGHTS[:, None]).mean(), rel=1e-5)
    metrics = found["metrics"]
    assert metrics["loss"] == pytest.approx(weighted(losses.mean(1)), rel=1e-5)
    assert metrics["accuracy"] == pytest.approx(weighted(((LOGITS > 0) == ROWS).mean(1)))
    assert metrics["labels/prediction_mean/class0"] == pytest.approx(weighted(LOGITS[:, 0] > 0))
    assert metrics["labels/actual_label_mean/class0"] == pytest.approx(weighted(ROWS[:, 0]))
    assert metrics["labels/probability_mean/class0"] == pytest.approx(weighted(p[:, 0]), rel=1e-5)
    assert metrics["labels/logits_mean/class0"] == pytest.approx(weighted(LOGITS[:, 0]), rel=1e-5)
    assert {"auc", "auc_precision_recall", "auc/class0", "auc_precision_recall/class0"} <= set(metrics)
  # Each label above each that is none counts, and half where both are as likely.
  without = _ops(learn.multi_label_head(3, metric_class_ids=[1]), "eval", LOGITS, ROWS)["metrics"]
  yes, no = p[ROWS == 1], p[ROWS == 0]
  pairs = (yes[:, None] > no) + 0.5 * (yes[:, None] == no)
  assert without["auc"] == pytest.approx(pairs.mean(), abs=1e-3)
  for head in (learn.regression_head(), learn.multi_class_head(2), learn.multi_class_head(3)):
    with pytest.raises(ValueError, match="SparseTensor is not supported"):
      _ops(head, "eval", LOGITS[:, : head.logits_dimension], sparse)


def test_losses_of_programs():
  """They are called with weights where there are any, and what they return is both losses."""
  calls = []

  def loss_fn(labels, logits, weights=None):
    calls.append(weights is not None)
    return tf.reduce_sum(logits) + (0.0 if weights is None else tf.reduce_sum(weights))

  found = _ops(learn.multi_class_head(3, loss_fn=loss_fn), "eval", LOGITS, THREE)
  assert found["loss"] == found["metrics"]["loss"] == LOGITS.sum()
  head = learn.multi_label_head(3, loss_fn=functools.partial(loss_fn), weight_column_name="w")
  assert _ops(head, "eval", LOGITS, ROWS)["metrics"]["loss"] == LOGITS.sum() + WEIGHTS.sum()
  assert calls == [False, True]


def test_texts_as_labels():
  words = np.array(["b", "a", "c", "b"])
  head = learn.multi_class_head(3, label_keys=["a", "b", "c"], metric_class_ids=[1])
  found = _ops(head, "eval", LOGITS, words)
  assert found["loss"] == pytest.approx(-np.log(softmax(LOGITS)[range(4), THREE]).mean(), rel=1e-5)
  assert found["predictions"]["classes"].tolist() == [b"c", b"b", b"a", b"c"]
  assert found["metrics"]["accuracy"] == (LOGITS.argmax(1) == THREE).mean()
  assert sorted(found["metrics"]) == ["accuracy", "loss"]


def test_what_heads_of_classes_export():
  """Probabilities and, for each, the text of its class."""
  for head, logits, texts in [
    (learn.multi_class_head(3, label_keys=["a", "b", "c"]), LOGITS, [b"a", b"b", b"c"]),
    (learn.multi_class_head(3), LOGITS, [b"0", b"1", b"2"]),
    (learn.multi_class_head(2), LOGITS[:, :1], [b"0", b"1"]),
    (learn.multi_label_head(3), LOGITS, [b"0", b"1", b"2"]),
  ]:
    with tf.Graph().as_default(), tf.Session() as session:
      made = head.create_model_fn_ops({}, "infer", logits=tf.constant(logits, tf.float32))
      ((_, exported),) = made.output_alternatives.values()
      session.run(tf.tables_initializer())
      found, predicted = session.run([exported, made.predictions["probabilities"]])
      examples = tf.placeholder(tf.string, [None])
      build = learn.utils.saved_model_export_utils.build_standardized_signature_def
      signature = build({"examples": examples}, exported, learn.ProblemType.CLASSIFICATION)
    assert found["classes"].tolist() == [texts] * 4
    np.testing.assert_array_equal(found["probabilities"], predicted)
    assert signature.method_name == "tensorflow/serving/classify" and sorted(signature.outputs) == ["classes", "scores"]


def test_scopes_of_heads():
  """`scope` replaces the head's own, and the layer of the logits is `logits`."""
  for head, scope, expected in [
    (learn.regression_head(), None, "regression_head"),
    (learn.regression_head(head_name="h"), None, "h"),
    (learn.multi_class_head(2), "S", "S"),
  ]:
    with tf.Graph().as_default():
      made = head.create_model_fn_ops({}, "infer", logits_input=tf.constant(X), scope=scope)
      assert [v.op.name for v in tf.global_variables()] == [f"{expected}/logits/weights", f"{expected}/logits/biases"]
      assert all(value.op.name.startswith(f"{expected}/") for value in made.predictions.values())


def test_centered_bias():
  """It is trained by the whole loss too, and its own steps are of the mean of both losses with the bias alone as logits."""
  head = learn.regression_head(weight_column_name="w", enable_centered_bias=True)
  with tf.Graph().as_default(), tf.Session() as session:
    tf.train.create_global_step()
    made = head.create_model_fn_ops(
      {"w": tf.constant(WEIGHTS)}, "train", tf.constant(Y), lambda loss: tf.no_op(), tf.constant(X[:, :1])
    )
    (bias,) = tf.trainable_variables()
    session.run(tf.global_variables_initializer())
    session.run(made.train_op)
    found = session.run(bias)
  assert bias.op.name == "regression_head/centered_bias_weight"
  # The gradients of both losses at 0.
  gradient = ((-2 * Y * WEIGHTS).mean() + weighted(-2 * Y)) / 2
  np.testing.assert_allclose(found, [-0.1 * gradient / np.sqrt(0.1 + gradient**2)], rtol=1e-5)
