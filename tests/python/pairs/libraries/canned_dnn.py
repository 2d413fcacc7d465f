"""Premade estimators of deep networks, alone and with a linear part, that begin with given weights."""

import tempfile

import numpy as np

SIZE = np.array([[0.5], [1.5], [-1.0], [2.0], [0.0], [1.0]], np.float32)
COLOR = np.array([["red"], ["blue"], ["red"], ["green"], ["blue"], ["green"]])
WEIGHT = np.array([[1.0], [2.0], [0.5], [1.0], [0.0], [3.0]], np.float32)
BINARY = np.array([[1], [0], [1], [0], [0], [1]], np.int64)
CLASSES = np.array([[2], [0], [1], [0], [2], [1]], np.int64)
AMOUNTS = np.array([[1.5], [0.5], [2.0], [-1.0], [0.0], [1.0]], np.float32)


def _input(tf, labels=None, batch=6, epochs=None):
  features = {"size": SIZE, "color": COLOR, "weight": WEIGHT}

  def read():
    parts = features if labels is None else (features, labels)
    data = tf.data.Dataset.from_tensor_slices(parts)
    return (data if epochs == 1 else data.repeat(epochs)).batch(batch)

  return read


def _deep(tf):
  fc = tf.feature_column
  color = fc.categorical_column_with_vocabulary_list("color", ["red", "blue", "green"])
  return [fc.numeric_column("size"), fc.embedding_column(color, 2), fc.indicator_column(color)]


def _wide(tf):
  fc = tf.feature_column
  buckets = fc.bucketized_column(fc.numeric_column("size"), [0.0, 1.0])
  return [buckets, fc.categorical_column_with_vocabulary_list("color", ["red", "blue"]), fc.crossed_column([buckets, "color"], 5)]


def _config(tf, name=None):
  return tf.estimator.RunConfig(model_dir=name and "./" + name, tf_random_seed=3)


def _variables(estimator):
  return {name: estimator.get_variable_value(name) for name in sorted(estimator.get_variable_names())}


def _start(tf, make, name):
  """Returns the path of a checkpoint with other numbers for each variable of the network that `make` returns."""
  with tf.Graph().as_default():
    features = {"size": tf.constant(SIZE), "color": tf.constant(COLOR), "weight": tf.constant(WEIGHT)}
    estimator = make("./%s_shape" % name, _config(tf), None)
    tf.train.create_global_step()
    estimator.model_fn(features, None, tf.estimator.ModeKeys.PREDICT, estimator.config)
    shapes = [(v.op.name.replace("/part_0", ""), v.shape.as_list()) for v in tf.trainable_variables()]
  with tf.Graph().as_default(), tf.Session() as session:
    for variable, shape in shapes:
      numbers = np.random.RandomState(len(variable)).uniform(-0.7, 0.7, shape).astype(np.float32)
      tf.get_variable(variable, initializer=tf.constant(numbers))
    session.run(tf.global_variables_initializer())
    return tf.train.Saver().save(session, "./%s_start/model" % name)


def _all(tf, name, labels, make, steps=10):
  """Returns all that an estimator gives, made by make(model_dir, config, warm_start_from), after some steps."""
  estimator = make("./" + name, _config(tf), _start(tf, make, name))
  estimator.train(_input(tf, labels), steps=steps)
  found = estimator.evaluate(_input(tf, labels, epochs=1, batch=4))
  return [_variables(estimator), found, list(estimator.predict(_input(tf, epochs=1)))]


def program_dnn_classifier(tf):
  def make(folder, config, start):
    return tf.estimator.DNNClassifier([4, 3], _deep(tf), folder, config=config, warm_start_from=start)

  return _all(tf, "binary", BINARY, make)


program_dnn_classifier.rtol = 5e-4
program_dnn_classifier.atol = 2e-5


def program_dnn_classifier_with_options(tf):
  def make(folder, config, start):
    return tf.estimator.DNNClassifier(
      hidden_units=[4],
      feature_columns=_deep(tf),
      model_dir=folder,
      n_classes=3,
      weight_column="weight",
      label_vocabulary=["a", "b", "c"],
      optimizer=tf.train.AdamOptimizer(0.05),
      activation_fn=tf.nn.tanh,
      input_layer_partitioner=tf.fixed_size_partitioner(1),
      config=config,
      warm_start_from=start,
      loss_reduction=tf.losses.Reduction.MEAN,
      batch_norm=True,
    )

  return _all(tf, "options", np.array(["a", "b", "c"])[CLASSES], make)


program_dnn_classifier_with_options.rtol = 5e-4
program_dnn_classifier_with_options.atol = 2e-5


def program_dnn_regressor(tf):
  def make(folder, config, start):
    return tf.estimator.DNNRegressor([3], _deep(tf), folder, config=config, warm_start_from=start)

  return _all(tf, "regressor", AMOUNTS, make)


program_dnn_regressor.rtol = 5e-4
program_dnn_regressor.atol = 2e-5


def program_dnn_regressor_with_options(tf):
  def make(folder, config, start):
    return tf.estimator.DNNRegressor(
      hidden_units=[3, 2],
      feature_columns=_deep(tf),
      model_dir=folder,
      label_dimension=2,
      weight_column="weight",
      optimizer="RMSProp",
      activation_fn=tf.nn.elu,
      input_layer_partitioner=tf.fixed_size_partitioner(1),
      config=config,
      warm_start_from=start,
      loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE,
      batch_norm=True,
    )

  return _all(tf, "regressor_options", np.concatenate([AMOUNTS, 1 - AMOUNTS], 1), make)


program_dnn_regressor_with_options.rtol = 5e-4
program_dnn_regressor_with_options.atol = 2e-5


def program_combined_classifier(tf):
  def make(folder, config, start):
    return tf.estimator.DNNLinearCombinedClassifier(
      folder,
      linear_feature_columns=_wide(tf),
      dnn_feature_columns=_deep(tf),
      dnn_hidden_units=[4, 2],
      config=config,
      warm_start_from=start,
    )

  return _all(tf, "combined", BINARY, make)


program_combined_classifier.rtol = 5e-4
program_combined_classifier.atol = 2e-5


def program_combined_classifier_with_options(tf):
  def make(folder, config, start):
    return tf.estimator.DNNLinearCombinedClassifier(
      model_dir=folder,
      linear_feature_columns=_wide(tf),
      linear_optimizer="Adagrad",
      dnn_feature_columns=_deep(tf),
      dnn_optimizer=lambda: tf.train.GradientDescentOptimizer(0.1),
      dnn_hidden_units=[4],
      dnn_activation_fn=tf.nn.sigmoid,
      n_classes=3,
      weight_column="weight",
      label_vocabulary=["a", "b", "c"],
      input_layer_partitioner=tf.fixed_size_partitioner(1),
      config=config,
      warm_start_from=start,
      loss_reduction=tf.losses.Reduction.MEAN,
      batch_norm=True,
      linear_sparse_combiner="mean",
    )

  return _all(tf, "combined_options", np.array(["a", "b", "c"])[CLASSES], make)


program_combined_classifier_with_options.rtol = 5e-4
program_combined_classifier_with_options.atol = 2e-5


def program_combined_regressor(tf):
  def make(folder, config, start):
    return tf.estimator.DNNLinearCombinedRegressor(
      model_dir=folder,
      linear_feature_columns=_wide(tf),
      linear_optimizer=tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
      dnn_feature_columns=_deep(tf),
      dnn_optimizer="Adam",
      dnn_hidden_units=[4, 2],
      dnn_activation_fn=tf.nn.tanh,
      label_dimension=2,
      weight_column="weight",
      input_layer_partitioner=tf.fixed_size_partitioner(1),
      config=config,
      warm_start_from=start,
      loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE,
      batch_norm=True,
      linear_sparse_combiner="sqrtn",
    )

  return _all(tf, "combined_regressor", np.concatenate([AMOUNTS, 1 - AMOUNTS], 1), make)


program_combined_regressor.rtol = 5e-4
program_combined_regressor.atol = 2e-5


def program_only_one_part(tf):
  def wide(folder, config, start):
    return tf.estimator.DNNLinearCombinedClassifier(
      folder, linear_feature_columns=_wide(tf), config=config, warm_start_from=start
    )

  def deep(folder, config, start):
    return tf.estimator.DNNLinearCombinedRegressor(
      folder, dnn_feature_columns=_deep(tf), dnn_hidden_units=[2], config=config, warm_start_from=start
    )

  return [_all(tf, "wide", BINARY, wide), _all(tf, "deep", AMOUNTS, deep)]


program_only_one_part.rtol = 5e-4
program_only_one_part.atol = 2e-5


def program_errors(tf):
  def error(call):
    try:
      return call()
    except Exception as found:
      return found

  classifier = tf.estimator.DNNLinearCombinedClassifier
  return [
    error(lambda: classifier()),
    error(lambda: classifier(dnn_feature_columns=_deep(tf), config=_config(tf, "e0")).train(_input(tf, BINARY), steps=1)),
    error(lambda: tf.estimator.DNNClassifier([3], _wide(tf), config=_config(tf, "e1")).train(_input(tf, BINARY), steps=1)),
    error(lambda: tf.estimator.DNNClassifier([3], _deep(tf), n_classes=0)),
    error(
      lambda: tf.estimator.DNNClassifier([3], _deep(tf), optimizer="no", config=_config(tf, "e2")).train(
        _input(tf, BINARY), steps=1
      )
    ),
  ]


def program_names_of_the_graph(tf):
  features = {"size": tf.constant(SIZE), "color": tf.constant(COLOR)}
  estimator = tf.estimator.DNNLinearCombinedClassifier(
    linear_feature_columns=_wide(tf),
    dnn_feature_columns=_deep(tf),
    dnn_hidden_units=[4, 2],
    dnn_dropout=0.5,
    batch_norm=True,
    config=_config(tf, "graph"),
  )
  tf.train.create_global_step()
  spec = estimator.model_fn(features, tf.constant(BINARY), tf.estimator.ModeKeys.TRAIN, estimator.config)
  return [
    spec.loss.name,
    spec.train_op.name,
    [v.name for v in tf.global_variables()],
    [v.name for v in tf.trainable_variables()],
    sorted(v.name for v in tf.model_variables()),
    sorted(t.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)),
    len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)),
    sorted({o.name.rsplit("/", 1)[0] for o in tf.get_default_graph().get_operations() if o.type == "RandomUniform"}),
  ]


def program_dropout(tf):
  """With a rate of almost 1 nothing of a network is left in training, and all when it is asked."""
  return _all(
    tf,
    "dropout",
    AMOUNTS,
    lambda folder, config, start: tf.estimator.DNNRegressor(
      [3], _deep(tf), folder, optimizer="SGD", dropout=0.999999, config=config, warm_start_from=start
    ),
    steps=1,
  )


program_dropout.rtol = 5e-4
program_dropout.atol = 2e-5


def program_where_dropout_is(tf):
  """The random numbers of dropout are there in training alone."""
  found = []
  for make in (
    lambda: tf.estimator.DNNClassifier([3], _deep(tf), tempfile.mkdtemp(dir="."), dropout=0.25),
    lambda: tf.estimator.DNNLinearCombinedRegressor(
      tempfile.mkdtemp(dir="."), dnn_feature_columns=_deep(tf), dnn_hidden_units=[3, 2], dnn_dropout=0.5
    ),
    lambda: tf.estimator.DNNLinearCombinedClassifier(
      tempfile.mkdtemp(dir="."), dnn_feature_columns=_deep(tf), dnn_hidden_units=[3], dnn_dropout=0.75
    ),
  ):
    for mode in (tf.estimator.ModeKeys.TRAIN, tf.estimator.ModeKeys.EVAL):
      with tf.Graph().as_default() as graph:
        tf.train.create_global_step()
        features = {"size": tf.constant(SIZE), "color": tf.constant(COLOR)}
        estimator = make()
        estimator.model_fn(features, tf.constant(BINARY), mode, estimator.config)
        random = [o.name for o in graph.get_operations() if o.type == "RandomUniform" and "dropout" in o.name]
        scales = [graph.get_tensor_by_name(name.split("random")[0] + "Const:0") for name in random]
        with tf.Session() as session:
          found.append([random, session.run(scales)])
  return found


def program_seeds(tf):
  """The seed of a configuration gives the same first weights."""
  found = []
  for name, make in (
    ("deep", lambda config: tf.estimator.DNNClassifier([4, 3], _deep(tf), config=config)),
    (
      "both",
      lambda config: tf.estimator.DNNLinearCombinedRegressor(
        linear_feature_columns=_wide(tf), dnn_feature_columns=_deep(tf), dnn_hidden_units=[3], config=config
      ),
    ),
  ):
    estimator = make(tf.estimator.RunConfig(model_dir="./seeds_" + name, tf_random_seed=7))
    estimator.train(_input(tf, BINARY if name == "deep" else AMOUNTS), steps=2)
    found.append(_variables(estimator))
  return found


program_seeds.rtol = 1e-4
program_seeds.atol = 1e-5
