"""Baselines, estimators of heads, and what has to be parsed for premade estimators."""

import tempfile

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
  return _all(tf, tf.estimator.BaselineClassifier(tempfile.mkdtemp(dir=".")), BINARY)


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
  plain = tf.estimator.BaselineRegressor(tempfile.mkdtemp(dir="."))
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


def program_logit_builders(tf):
  fc = tf.feature_column
  features = {"size": tf.constant(SIZE), "word": tf.constant([["a"], ["b"], ["a"], ["c"], ["b"], ["a"]])}
  word = fc.categorical_column_with_vocabulary_list("word", ["a", "b"])
  linear = tf.estimator.experimental.linear_logit_fn_builder(2, [fc.numeric_column("size"), word], sparse_combiner="mean")
  deep = tf.estimator.experimental.dnn_logit_fn_builder(
    units=2,
    hidden_units=[3],
    feature_columns=[fc.numeric_column("size"), fc.indicator_column(word)],
    activation_fn=tf.nn.relu,
    dropout=None,
    input_layer_partitioner=None,
    batch_norm=False,
  )
  with tf.variable_scope("wide"):
    wide = linear(features=features)
  with tf.variable_scope("deep"):
    hidden = deep(features=features, mode=tf.estimator.ModeKeys.TRAIN)
  errors = []
  for call in (
    lambda: tf.estimator.experimental.linear_logit_fn_builder(2.0, []),
    lambda: tf.estimator.experimental.dnn_logit_fn_builder("2", [3], [], tf.nn.relu, None, None, False),
  ):
    try:
      call()
    except Exception as error:
      errors.append(error)
  fill = [v.assign(tf.fill(v.shape, 0.1 + 0.2 * i)) for i, v in enumerate(tf.trainable_variables())]
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    session.run(fill)
    return [session.run([wide, hidden]), [v.name for v in tf.global_variables()], errors]


program_logit_builders.rtol = 1e-5
