"""Baselines, estimators of heads, and what has to be parsed for premade estimators."""

import numpy as np

SIZE = np.array([[0.5], [1.5], [-1.0], [2.0], [0.0], [1.0]], np.float32)
WEIGHT = np.array([[1.0], [2.0], [0.5], [1.0], [0.0], [3.0]], np.float32)
BINARY = np.array([[1], [0], [1], [0], [1], [1]], np.int64)
CLASSES = np.array([[2], [0], [1], [2], [2], [1]], np.int64)
AMOUNTS = np.array([[1.5], [0.5], [2.0], [-1.0], [0.0], [1.0]], np.float32)


def _input(tf, labels=None, epochs=None):
  features = {"size": SIZE, "weight": WEIGHT}

  def read():
    parts = features if labels is None else (features, labels)
    return tf.data.Dataset.from_tensor_slices(parts).repeat(epochs).batch(6)

  return read


def _all(tf, estimator, labels, steps=8):
  estimator.train(_input(tf, labels), steps=steps)
  found = estimator.evaluate(_input(tf, labels, 1))
  variables = {name: estimator.get_variable_value(name) for name in sorted(estimator.get_variable_names())}
  return [variables, found, list(estimator.predict(_input(tf, None, 1)))]


def program_baseline_classifier(tf):
  return _all(tf, tf.estimator.BaselineClassifier(), BINARY)


program_baseline_classifier.rtol = 1e-4
program_baseline_classifier.atol = 1e-5


def program_baseline_classifier_with_options(tf):
  estimator = tf.estimator.BaselineClassifier(
    model_dir="./baseline",
    n_classes=3,
    weight_column="weight",
    label_vocabulary=["a", "b", "c"],
    optimizer=tf.train.AdamOptimizer(0.1),
    config=tf.estimator.RunConfig(tf_random_seed=2),
    loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE,
  )
  return _all(tf, estimator, np.array(["a", "b", "c"])[CLASSES])


program_baseline_classifier_with_options.rtol = 1e-4
program_baseline_classifier_with_options.atol = 1e-5


def program_baseline_regressor(tf):
  plain = tf.estimator.BaselineRegressor()
  other = tf.estimator.BaselineRegressor(
    "./regressor",
    label_dimension=2,
    weight_column="weight",
    optimizer="SGD",
    config=tf.estimator.RunConfig(tf_random_seed=2),
    loss_reduction=tf.losses.Reduction.MEAN,
  )
  return [_all(tf, plain, AMOUNTS), _all(tf, other, np.concatenate([AMOUNTS, -AMOUNTS], 1))]


program_baseline_regressor.rtol = 1e-4
program_baseline_regressor.atol = 1e-5


def program_parse_example_specs(tf):
  fc = tf.feature_column
  columns = [fc.numeric_column("a"), fc.embedding_column(fc.categorical_column_with_hash_bucket("b", 10), 3)]
  e = tf.estimator
  specs = [
    e.classifier_parse_example_spec(columns, "y"),
    e.classifier_parse_example_spec(columns, label_key="y", label_dtype=tf.string, label_default="none", weight_column="w"),
    e.regressor_parse_example_spec(columns, "y"),
    e.regressor_parse_example_spec(
      columns,
      label_key="y",
      label_dtype=tf.float64,
      label_default=(0.0, 1.0),
      label_dimension=2,
      weight_column=fc.numeric_column("w", default_value=1.0),
    ),
  ]
  return [{key: str(value) for key, value in spec.items()} for spec in specs]


def program_parse_example_errors(tf):
  fc = tf.feature_column
  columns = [fc.numeric_column("a")]
  found = []
  for call in (
    lambda: tf.estimator.classifier_parse_example_spec(columns, "a"),
    lambda: tf.estimator.classifier_parse_example_spec(columns, "y", weight_column="a"),
    lambda: tf.estimator.classifier_parse_example_spec(columns, "y", weight_column="y"),
    lambda: tf.estimator.classifier_parse_example_spec(columns, "y", weight_column=3),
    lambda: tf.estimator.regressor_parse_example_spec(columns, "a"),
    lambda: tf.estimator.classifier_parse_example_spec([3], "a"),
  ):
    try:
      found.append(call())
    except Exception as error:
      found.append(error)
  return found


def program_baseline_of_a_head(tf):
  head = tf.estimator.RegressionHead(loss_reduction="sum")
  return _all(tf, tf.estimator.BaselineEstimator(head, model_dir="./head", optimizer="Adagrad"), AMOUNTS)


program_baseline_of_a_head.rtol = 1e-4
program_baseline_of_a_head.atol = 1e-5
