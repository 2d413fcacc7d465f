"""Heads: losses, predictions, metrics and outputs of given logits, and models of a user's own that end in them."""

import tempfile

import numpy as np

X = np.array([[1.0, 0.5], [-1.0, 2.0], [0.0, -1.5], [2.0, 1.0]], np.float32)
WEIGHT = np.array([[1.0], [2.0], [0.0], [0.5]], np.float32)
BINARY = np.array([[1], [0], [1], [0]], np.int64)
CLASSES = np.array([[2], [0], [1], [2]], np.int64)
SEVERAL = np.array([[1, 0, 1], [0, 0, 1], [1, 1, 1], [0, 1, 0]], np.int64)
AMOUNTS = np.array([[1.5], [0.5], [2.0], [0.0]], np.float32)
SHARES = np.array([[0.5], [0.25], [1.0], [0.0]], np.float32)


def _run(tf, *fetches):
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
    return [session.run(f) for f in fetches]


def _logits(columns):
  return np.stack([X[:, 0] * (i + 1) - X[:, 1] for i in range(columns)], 1).astype(np.float32)


def _losses_and_predictions(tf, head, labels, columns, **more):
  logits = tf.constant(_logits(columns))
  features = {"weight": tf.constant(WEIGHT), "x": tf.constant(X)}
  loss = head.loss(labels=labels, logits=logits, features=features, mode=tf.estimator.ModeKeys.EVAL)
  more_loss = head.loss(labels, logits, features, tf.estimator.ModeKeys.TRAIN, [tf.constant(0.5), tf.constant(0.25)])
  predictions = head.predictions(logits)
  return [head.logits_dimension, head.name, str(head.loss_reduction), sorted(head.metrics())] + _run(
    tf, loss, more_loss, predictions, *more.values()
  )


def _model(tf, head, columns, labels, steps=6, regularized=False):
  """Returns metrics and predictions of a model of two weights an output that is trained for some steps."""

  def model_fn(features, labels, mode):
    weights = tf.get_variable("weights", initializer=tf.constant(_logits(columns)[:2]))
    logits = tf.matmul(features["x"], weights)
    return head.create_estimator_spec(
      features=features,
      mode=mode,
      logits=logits,
      labels=labels,
      train_op_fn=lambda loss: tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=tf.train.get_global_step()),
      regularization_losses=[0.01 * tf.nn.l2_loss(weights)] if regularized else None,
    )

  def read(with_labels, epochs):
    features = {"x": X, "weight": WEIGHT}
    data = tf.data.Dataset.from_tensor_slices((features, labels) if with_labels else features)
    return data.repeat(epochs).batch(4)

  estimator = tf.estimator.Estimator(model_fn, tempfile.mkdtemp(dir="."), tf.estimator.RunConfig(tf_random_seed=1))
  estimator.train(lambda: read(True, None), steps=steps)
  # One step and no second that finds the data at its end: what regularizes needs no data, so that such a step may or may not add to
  # its mean before it ends.
  found = estimator.evaluate(lambda: read(True, 1), steps=1)
  return [estimator.get_variable_value("weights"), found, list(estimator.predict(lambda: read(False, 1)))]


def program_binary(tf):
  return _losses_and_predictions(tf, tf.estimator.BinaryClassHead(), BINARY, 1)


program_binary.rtol = 1e-5


def program_binary_with_options(tf):
  head = tf.estimator.BinaryClassHead(
    weight_column="weight",
    thresholds=[0.25, 0.5],
    label_vocabulary=["no", "yes"],
    loss_reduction="sum",
    name="mine",
  )
  return _losses_and_predictions(tf, head, np.array(["no", "yes"])[BINARY], 1)


program_binary_with_options.rtol = 1e-5


def program_binary_loss_function(tf):
  seen = []

  def loss_fn(labels, logits, features):
    seen.append(sorted(features))
    return tf.abs(labels - logits) * tf.expand_dims(features["x"][:, 0], 1)

  head = tf.estimator.BinaryClassHead(loss_fn=loss_fn)
  return _losses_and_predictions(tf, head, BINARY, 1)


program_binary_loss_function.rtol = 1e-5


def program_binary_predictions_by_keys(tf):
  head = tf.estimator.BinaryClassHead()
  found = head.predictions(tf.constant(_logits(1)), keys=["logits", "probabilities"])
  return _run(tf, found)


program_binary_predictions_by_keys.rtol = 1e-5


def program_binary_model(tf):
  head = tf.estimator.BinaryClassHead(thresholds=(0.3, 0.9), weight_column=tf.feature_column.numeric_column("weight"), name="b")
  return _model(tf, head, 1, BINARY, regularized=True)


program_binary_model.rtol = 1e-4
program_binary_model.atol = 1e-5


def program_multi_class(tf):
  return _losses_and_predictions(tf, tf.estimator.MultiClassHead(3), CLASSES, 3)


program_multi_class.rtol = 1e-5


def program_multi_class_with_options(tf):
  head = tf.estimator.MultiClassHead(
    n_classes=3,
    weight_column="weight",
    label_vocabulary=["a", "b", "c"],
    loss_reduction="sum",
    loss_fn=lambda labels, logits: tf.expand_dims(tf.reduce_sum(logits, 1), 1) * tf.cast(labels, tf.float32),
    name="mine",
  )
  return _losses_and_predictions(tf, head, np.array(["a", "b", "c"])[CLASSES], 3)


program_multi_class_with_options.rtol = 1e-5


def program_multi_class_model(tf):
  return _model(tf, tf.estimator.MultiClassHead(3, name="m"), 3, CLASSES, regularized=True)


program_multi_class_model.rtol = 1e-4


def program_multi_label(tf):
  return _losses_and_predictions(tf, tf.estimator.MultiLabelHead(3), SEVERAL, 3)


program_multi_label.rtol = 1e-5


def program_multi_label_with_options(tf):
  head = tf.estimator.MultiLabelHead(
    n_classes=3,
    weight_column="weight",
    thresholds=[0.5],
    label_vocabulary=["a", "b", "c"],
    loss_reduction="sum",
    classes_for_class_based_metrics=["c", "a"],
    name="mine",
  )
  labels = tf.SparseTensor([[0, 0], [0, 1], [2, 0], [3, 0]], ["c", "a", "b", "b"], [4, 2])
  return _losses_and_predictions(tf, head, labels, 3)


program_multi_label_with_options.rtol = 1e-5


def program_multi_label_of_numbers(tf):
  """Labels as numbers of classes, and losses of a function."""
  head = tf.estimator.MultiLabelHead(
    3, loss_fn=lambda labels, logits: tf.reduce_sum(tf.cast(labels, tf.float32) * logits, axis=1, keepdims=True)
  )
  labels = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([2, 0, 1], tf.int64), [4, 2])
  return _losses_and_predictions(tf, head, labels, 3)


program_multi_label_of_numbers.rtol = 1e-5


def program_multi_label_model(tf):
  head = tf.estimator.MultiLabelHead(3, thresholds=[0.4], classes_for_class_based_metrics=[0, 2], weight_column="weight")
  return _model(tf, head, 3, SEVERAL, regularized=True)


program_multi_label_model.rtol = 1e-4
program_multi_label_model.atol = 1e-5


def program_regression(tf):
  return _losses_and_predictions(tf, tf.estimator.RegressionHead(), AMOUNTS, 1)


program_regression.rtol = 1e-5


def program_regression_with_options(tf):
  head = tf.estimator.RegressionHead(
    label_dimension=2,
    weight_column="weight",
    loss_reduction="sum",
    loss_fn=lambda labels, logits: tf.abs(labels - logits),
    inverse_link_fn=tf.square,
    name="mine",
  )
  return _losses_and_predictions(tf, head, np.concatenate([AMOUNTS, -AMOUNTS], 1), 2)


program_regression_with_options.rtol = 1e-5


def program_regression_model(tf):
  return _model(tf, tf.estimator.RegressionHead(weight_column="weight", name="r"), 1, AMOUNTS, regularized=True)


program_regression_model.rtol = 1e-4


def program_poisson(tf):
  plain = _losses_and_predictions(tf, tf.estimator.PoissonRegressionHead(), AMOUNTS, 1)
  head = tf.estimator.PoissonRegressionHead(
    label_dimension=2, weight_column="weight", loss_reduction="sum", compute_full_loss=False, name="mine"
  )
  return [plain, _losses_and_predictions(tf, head, np.concatenate([AMOUNTS, AMOUNTS], 1), 2)]


program_poisson.rtol = 1e-5


def program_logistic(tf):
  plain = _losses_and_predictions(tf, tf.estimator.LogisticRegressionHead(), SHARES, 1)
  head = tf.estimator.LogisticRegressionHead(weight_column="weight", loss_reduction="sum", name="mine")
  return [plain, _losses_and_predictions(tf, head, SHARES, 1), _model(tf, head, 1, SHARES)]


program_logistic.rtol = 1e-4


def _heads(tf):
  return [
    tf.estimator.BinaryClassHead(name="one", weight_column="weight"),
    tf.estimator.RegressionHead(label_dimension=2, name="two"),
  ]


def _labels_of_heads():
  return {"one": BINARY, "two": np.concatenate([AMOUNTS, -AMOUNTS], 1)}


def program_multi_head(tf):
  head = tf.estimator.MultiHead(_heads(tf), head_weights=[1.0, 0.5])
  logits = tf.constant(_logits(3))
  features = {"weight": tf.constant(WEIGHT)}
  loss = head.loss(_labels_of_heads(), logits, features)
  apart = head.loss(
    _labels_of_heads(), {"one": logits[:, :1], "two": logits[:, 1:]}, features, regularization_losses=[tf.constant(0.5)]
  )
  predictions = head.predictions(logits)
  named = {"/".join(key): value for key, value in predictions.items()}
  return [head.logits_dimension, head.name, sorted(head.metrics())] + _run(tf, loss, apart, named)


program_multi_head.rtol = 1e-5


def program_multi_head_model(tf):
  head = tf.estimator.MultiHead(_heads(tf))

  def model_fn(features, labels, mode):
    weights = tf.get_variable("weights", initializer=tf.constant(_logits(3)[:2]))
    return head.create_estimator_spec(
      features=features,
      mode=mode,
      logits=tf.matmul(features["x"], weights),
      labels=labels,
      train_op_fn=lambda loss: tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=tf.train.get_global_step()),
      regularization_losses=[0.01 * tf.nn.l2_loss(weights)],
    )

  def read():
    return tf.data.Dataset.from_tensor_slices(({"x": X, "weight": WEIGHT}, _labels_of_heads())).batch(4)

  estimator = tf.estimator.Estimator(model_fn, tempfile.mkdtemp(dir="."))
  estimator.train(read)
  predicted = [
    {"/".join(key): value for key, value in one.items()}
    for one in estimator.predict(lambda: tf.data.Dataset.from_tensor_slices({"x": X}).batch(4))
  ]
  return [estimator.evaluate(read), predicted, estimator.get_variable_value("weights")]


program_multi_head_model.rtol = 1e-4
program_multi_head_model.atol = 1e-5


def program_export_outputs(tf):
  found = []
  for head, columns in (
    (tf.estimator.MultiLabelHead(3), 3),
    (tf.estimator.PoissonRegressionHead(), 1),
    (tf.estimator.MultiHead(_heads(tf)), 3),
  ):
    spec = head.create_estimator_spec({}, tf.estimator.ModeKeys.PREDICT, tf.constant(_logits(columns)))
    outputs = {}
    for key, output in spec.export_outputs.items():
      tensors = getattr(output, "outputs", None) or {k: getattr(output, k, None) for k in ("scores", "classes", "value")}
      outputs[key] = [type(output).__name__, {k: None if t is None else str(t.shape) for k, t in tensors.items()}]
    found.append(outputs)
  return found


def _errors(*calls):
  found = []
  for call in calls:
    try:
      found.append(call())
    except Exception as error:
      found.append(error)
  return found


def program_errors(tf):
  e = tf.estimator
  logits = tf.constant(_logits(3))
  return _errors(
    lambda: e.BinaryClassHead(thresholds=[0.0]),
    lambda: e.BinaryClassHead(thresholds=[1.5]),
    lambda: e.BinaryClassHead(label_vocabulary="ab"),
    lambda: e.BinaryClassHead(loss_reduction="what"),
    lambda: e.BinaryClassHead(loss_reduction="none"),
    lambda: e.BinaryClassHead(loss_fn=lambda labels: labels),
    lambda: e.BinaryClassHead(loss_fn=lambda labels, logits, other: labels),
    lambda: e.MultiClassHead(2),
    lambda: e.MultiClassHead(None),
    lambda: e.MultiClassHead(3, label_vocabulary="abc"),
    lambda: e.MultiLabelHead(1),
    lambda: e.MultiLabelHead(3, thresholds=[2.0]),
    lambda: e.MultiLabelHead(3, label_vocabulary=["a"]),
    lambda: e.MultiLabelHead(3, label_vocabulary="abc"),
    lambda: e.MultiLabelHead(3, classes_for_class_based_metrics=[3]),
    lambda: e.MultiLabelHead(3, classes_for_class_based_metrics=["a"]),
    lambda: e.MultiLabelHead(2, label_vocabulary=["a", "b"], classes_for_class_based_metrics=["c"]),
    lambda: e.RegressionHead(0),
    lambda: e.RegressionHead(loss_fn=lambda logits: logits),
    lambda: e.MultiHead([]),
    lambda: e.MultiHead([e.BinaryClassHead()]),
    lambda: e.MultiHead([e.BinaryClassHead(name="a"), e.RegressionHead(name="a")]).name,
    lambda: e.MultiHead([e.BinaryClassHead(name="a")], head_weights=[1.0, 2.0]),
    lambda: e.MultiHead([e.BinaryClassHead(name="a"), e.RegressionHead(name="b", loss_reduction="sum")]).loss_reduction,
    lambda: e.BinaryClassHead().loss(BINARY, logits),
    lambda: e.BinaryClassHead().loss(None, logits[:, :1]),
    lambda: e.MultiClassHead(3).loss(SEVERAL, logits),
    lambda: e.MultiClassHead(3).loss(AMOUNTS, logits),
    lambda: e.MultiClassHead(3).loss(np.array([["a"]] * 4), logits),
    lambda: e.MultiClassHead(3, label_vocabulary=["a", "b", "c"]).loss(CLASSES, logits),
    lambda: e.MultiLabelHead(3).loss(tf.SparseTensor([[0, 0]], ["a"], [4, 1]), logits),
    lambda: e.RegressionHead(2).loss(AMOUNTS, logits[:, :2]),
    lambda: e.RegressionHead().loss(tf.SparseTensor([[0, 0]], [1.0], [4, 1]), logits[:, :1]),
    lambda: e.BinaryClassHead().predictions(logits[:, :1], keys=["what"]),
    lambda: e.BinaryClassHead().create_estimator_spec({}, "train", logits[:, :1], BINARY),
    lambda: e.MultiHead(_heads(tf)).loss({"one": BINARY}, logits, {"weight": WEIGHT}),
    lambda: e.MultiHead(_heads(tf)).loss(BINARY, logits, {"weight": WEIGHT}),
    lambda: e.MultiHead(_heads(tf)).loss(_labels_of_heads(), {"one": logits}, {"weight": WEIGHT}),
    lambda: e.Head(),
  )
