"""Premade linear estimators: trained on a few rows, evaluated, asked; their variables, metrics and predictions."""

import tempfile

import numpy as np

AGE = np.array([[20.0], [35.0], [50.0], [65.0], [40.0], [25.0]], np.float32)
JOB = np.array([["cook"], ["smith"], ["cook"], ["clerk"], ["smith"], ["clerk"]])
WEIGHT = np.array([[1.0], [2.0], [0.5], [1.0], [0.0], [3.0]], np.float32)


def _input(tf, labels=None, batch=6, epochs=None, **more):
  features = {"age": AGE / 10, "job": JOB, "weight": WEIGHT, **more}

  def read():
    parts = features if labels is None else (features, labels)
    data = tf.data.Dataset.from_tensor_slices(parts)
    return (data if epochs == 1 else data.repeat(epochs)).batch(batch)

  return read


def _columns(tf):
  fc = tf.feature_column
  age = fc.numeric_column("age")
  buckets = fc.bucketized_column(age, [3.0, 4.5])
  job = fc.categorical_column_with_vocabulary_list("job", ["cook", "smith"], num_oov_buckets=1)
  return [age, buckets, job, fc.crossed_column([buckets, "job"], 8)]


def _variables(estimator):
  return {name: estimator.get_variable_value(name) for name in sorted(estimator.get_variable_names())}


def _all(tf, estimator, labels, steps=20):
  """Returns all that an estimator gives after some steps."""
  estimator.train(_input(tf, labels), steps=steps)
  found = estimator.evaluate(_input(tf, labels, epochs=1, batch=4))
  predictions = list(estimator.predict(_input(tf, epochs=1)))
  return [_variables(estimator), found, predictions]


def _config(tf, name):
  return tf.estimator.RunConfig(model_dir="./" + name, tf_random_seed=3)


BINARY = np.array([[1], [0], [1], [0], [0], [1]], np.int64)
CLASSES = np.array([[2], [0], [1], [0], [2], [1]], np.int64)
AMOUNTS = np.array([[1.5], [0.5], [2.0], [-1.0], [0.0], [1.0]], np.float32)


def program_binary_classifier(tf):
  estimator = tf.estimator.LinearClassifier(_columns(tf), config=_config(tf, "binary"))
  return _all(tf, estimator, BINARY)


program_binary_classifier.rtol = 2e-4
program_binary_classifier.atol = 1e-5


def program_binary_classifier_with_options(tf):
  estimator = tf.estimator.LinearClassifier(
    _columns(tf),
    model_dir="./options",
    n_classes=2,
    weight_column="weight",
    label_vocabulary=["no", "yes"],
    optimizer=tf.train.GradientDescentOptimizer(0.05),
    partitioner=tf.fixed_size_partitioner(2),
    loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE,
    sparse_combiner="mean",
  )
  labels = np.array([["yes"], ["no"], ["yes"], ["no"], ["no"], ["yes"]])
  return _all(tf, estimator, labels)


program_binary_classifier_with_options.rtol = 2e-4
program_binary_classifier_with_options.atol = 1e-5


def program_multi_class_classifier(tf):
  estimator = tf.estimator.LinearClassifier(_columns(tf), n_classes=3, optimizer="Adagrad", config=_config(tf, "classes"))
  return _all(tf, estimator, CLASSES)


program_multi_class_classifier.rtol = 2e-4
program_multi_class_classifier.atol = 1e-5


def program_multi_class_classifier_with_vocabulary(tf):
  words = ["low", "middle", "high"]
  estimator = tf.estimator.LinearClassifier(
    _columns(tf),
    "./words",
    3,
    tf.feature_column.numeric_column("weight"),
    words,
    lambda: tf.train.AdamOptimizer(0.1),
    loss_reduction=tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS,
  )
  return _all(tf, estimator, np.array(words)[CLASSES])


program_multi_class_classifier_with_vocabulary.rtol = 2e-4
program_multi_class_classifier_with_vocabulary.atol = 1e-5


def program_regressor(tf):
  estimator = tf.estimator.LinearRegressor(_columns(tf), config=_config(tf, "regressor"))
  return _all(tf, estimator, AMOUNTS)


program_regressor.rtol = 2e-4
program_regressor.atol = 1e-5


def program_regressor_with_options(tf):
  estimator = tf.estimator.LinearRegressor(
    _columns(tf),
    "./regressor_options",
    label_dimension=2,
    weight_column="weight",
    optimizer="SGD",
    partitioner=tf.fixed_size_partitioner(1),
    loss_reduction="weighted_mean",
    sparse_combiner="sqrtn",
    config=_config(tf, "regressor_options"),
  )
  return _all(tf, estimator, np.concatenate([AMOUNTS, 1 - AMOUNTS], 1))


program_regressor_with_options.rtol = 2e-4
program_regressor_with_options.atol = 1e-5


def program_flat_labels(tf):
  """Labels of one dimension are taken as well."""
  classifier = tf.estimator.LinearClassifier(_columns(tf), config=_config(tf, "flat"))
  classifier.train(_input(tf, BINARY.reshape([-1])), steps=2)
  regressor = tf.estimator.LinearRegressor(_columns(tf), config=_config(tf, "flat_amounts"))
  regressor.train(_input(tf, AMOUNTS.reshape([-1])), steps=2)
  return [_variables(classifier), _variables(regressor)]


program_flat_labels.rtol = 2e-4
program_flat_labels.atol = 1e-5


def program_warm_start(tf):
  first = tf.estimator.LinearClassifier(_columns(tf), config=_config(tf, "first"))
  first.train(_input(tf, BINARY), steps=5)
  whole = tf.estimator.LinearClassifier(_columns(tf), config=_config(tf, "second"), warm_start_from="./first")
  whole.train(_input(tf, BINARY), steps=1)
  some = tf.estimator.WarmStartSettings("./first", vars_to_warm_start=".*job.*")
  part = tf.estimator.LinearRegressor(_columns(tf), config=_config(tf, "third"), warm_start_from=some)
  part.train(_input(tf, AMOUNTS), steps=1)
  return [_variables(whole), _variables(part)]


program_warm_start.rtol = 2e-4
program_warm_start.atol = 1e-5


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def program_errors(tf):
  def build(labels, make=tf.estimator.LinearClassifier, columns=None, **arguments):
    """Builds the graph of a training."""
    with tf.Graph().as_default():
      tf.train.create_global_step()
      features = {"age": tf.constant(AGE), "job": tf.constant(JOB), "weight": tf.constant(WEIGHT)}
      estimator = make(_columns(tf) if columns is None else columns, tempfile.mkdtemp(dir="."), **arguments)
      labels = None if labels is None else tf.constant(labels)
      estimator.model_fn(features, labels, tf.estimator.ModeKeys.TRAIN, estimator.config)

  def train(labels, **arguments):
    tf.estimator.LinearClassifier(_columns(tf), tempfile.mkdtemp(dir="."), **arguments).train(_input(tf, labels), steps=1)

  words = np.array([["a"], ["b"], ["a"], ["b"], ["a"], ["b"]])
  return [
    _error(lambda: tf.estimator.LinearClassifier(_columns(tf), n_classes=1)),
    _error(lambda: train(BINARY + 1)),
    _error(lambda: train(BINARY - 1)),
    _error(lambda: train(CLASSES + 1, n_classes=3)),
    _error(lambda: train(words, label_vocabulary=["a", "c"])),
    _error(lambda: build(words, n_classes=3)),
    _error(lambda: build(BINARY, label_vocabulary=["a", "c"])),
    _error(lambda: build(None)),
    _error(lambda: build(np.concatenate([BINARY, BINARY], 1))),
    _error(lambda: build(AMOUNTS, n_classes=3)),
    _error(lambda: build(BINARY, weight_column="nothing")),
    _error(lambda: build(BINARY, weight_column=3)),
    _error(lambda: build(BINARY, weight_column=tf.feature_column.numeric_column("weight", shape=2))),
    _error(lambda: build(BINARY, loss_reduction="none")),
    _error(lambda: build(BINARY, loss_reduction="what")),
    _error(lambda: build(BINARY, optimizer="what")),
    _error(lambda: build(BINARY, optimizer=3)),
    _error(lambda: build(BINARY, label_vocabulary=("a", "b"))),
    _error(lambda: build(BINARY, label_vocabulary=["a"])),
    _error(lambda: tf.estimator.LinearRegressor(_columns(tf), label_dimension=0)),
    _error(lambda: build(AMOUNTS, tf.estimator.LinearRegressor, [])),
  ]


def program_names_of_the_graph(tf):
  """Names of tensors that programs feed and fetch."""
  features = {"age": tf.constant(AGE), "job": tf.constant(JOB)}
  estimator = tf.estimator.LinearClassifier(_columns(tf), config=_config(tf, "graph"))
  spec = estimator.model_fn(features, tf.constant(BINARY), tf.estimator.ModeKeys.EVAL, estimator.config)
  named = {key: tensor.name for key, tensor in spec.predictions.items()}
  return [
    named,
    spec.loss.name,
    sorted(spec.eval_metric_ops),
    [v.name for v in tf.global_variables()],
    [v.name for v in tf.model_variables()],
    sorted(v.name for v in tf.local_variables()),
  ]


def program_export_outputs(tf):
  features = {"age": tf.constant(AGE), "job": tf.constant(JOB)}
  found = []
  for make in (
    lambda name: tf.estimator.LinearClassifier(_columns(tf), config=_config(tf, name)),
    lambda name: tf.estimator.LinearClassifier(_columns(tf), n_classes=3, config=_config(tf, name)),
    lambda name: tf.estimator.LinearClassifier(
      _columns(tf), n_classes=3, label_vocabulary=["a", "b", "c"], config=_config(tf, name)
    ),
    lambda name: tf.estimator.LinearRegressor(_columns(tf), config=_config(tf, name)),
    lambda name: tf.estimator.LinearRegressor(_columns(tf), label_dimension=2, config=_config(tf, name)),
  ):
    with tf.Graph().as_default():
      made = {"age": tf.constant(AGE), "job": tf.constant(JOB)}
      estimator = make("outputs_%d" % len(found))
      spec = estimator.model_fn(made, None, tf.estimator.ModeKeys.PREDICT, estimator.config)
      outputs = {}
      for key, output in spec.export_outputs.items():
        tensors = getattr(output, "outputs", None) or {k: getattr(output, k, None) for k in ("scores", "classes", "value")}
        outputs[key] = [
          type(output).__name__,
          {k: None if t is None else [t.name, str(t.shape), t.dtype.name] for k, t in tensors.items()},
        ]
      found.append(outputs)
  del features
  return found


def program_summaries(tf):
  features = {"age": tf.constant(AGE), "job": tf.constant(JOB)}
  estimator = tf.estimator.LinearClassifier(_columns(tf), config=_config(tf, "summaries"))
  estimator.model_fn(features, tf.constant(BINARY), tf.estimator.ModeKeys.TRAIN, estimator.config)
  return sorted(t.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES))
