"""linear_model: weighted sums of feature columns."""

import numpy as np


def _run(tf, *fetches, feed=None):
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    return [session.run(f, feed) for f in fetches]


def _filled(tf):
  """Gives each variable other numbers, the same for the same name and shape."""
  return [
    v.assign(tf.reshape(tf.range(int(np.prod(v.shape.as_list())), dtype=tf.float32), v.shape) + len(v.op.name))
    for v in tf.global_variables()
  ]


def _run_filled(tf, *fetches):
  fill = _filled(tf)
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    session.run(fill)
    return [session.run(f) for f in fetches]


def _names(variables):
  found = {}
  for column, of_column in variables.items():
    of_column = of_column if isinstance(of_column, list) else [of_column]
    found[column if isinstance(column, str) else column.name] = [v.name for v in of_column]
  return found


def program_numbers(tf):
  fc = tf.feature_column
  features = {"a": tf.constant([[1.0], [2.0]]), "b": tf.constant([[1, 2], [3, 4]])}
  columns = [fc.numeric_column("b", shape=2, dtype=tf.int32), fc.numeric_column("a")]
  variables = {}
  made = fc.linear_model(features, columns, cols_to_vars=variables)
  return [str(made.shape), made.name, _names(variables)] + _run_filled(tf, made)


def program_categories(tf):
  fc = tf.feature_column
  features = {
    "word": tf.SparseTensor([[0, 0], [0, 1], [2, 0]], ["x", "y", "x"], [3, 2]),
    "id": tf.constant([[1, 2], [-1, 0], [3, 3]], tf.int64),
  }
  columns = [fc.categorical_column_with_hash_bucket("word", 5), fc.categorical_column_with_identity("id", 4)]
  made = []
  for combiner in ("sum", "mean", "sqrtn"):
    variables = {}
    made.append(fc.linear_model(features, columns, sparse_combiner=combiner, cols_to_vars=variables))
  return [[m.name for m in made], _names(variables)] + _run_filled(tf, *made)


program_categories.rtol = 1e-6


def program_units(tf):
  fc = tf.feature_column
  features = {"a": tf.constant([[1.0], [2.0]]), "word": tf.constant([["x", ""], ["y", "z"]])}
  columns = [fc.numeric_column("a"), fc.categorical_column_with_vocabulary_list("word", ["x", "y"], num_oov_buckets=2)]
  made = fc.linear_model(features, columns, units=3)
  return [str(made.shape)] + _run_filled(tf, made)


def program_weighted(tf):
  fc = tf.feature_column
  sparse = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 3, 2], tf.int64), [3, 2])
  features = {"id": sparse, "w": tf.SparseTensor(sparse.indices, [0.5, 2.0, -1.0], sparse.dense_shape)}
  ids = fc.categorical_column_with_identity("id", 4)
  made = [fc.linear_model(features, fc.weighted_categorical_column(ids, "w"), sparse_combiner=c) for c in ("sum", "mean")]
  return _run_filled(tf, *made)


program_weighted.rtol = 1e-6


def program_bucketized(tf):
  fc = tf.feature_column
  column = fc.bucketized_column(fc.numeric_column("price", shape=[2]), [0.0, 10.0])
  made = fc.linear_model({"price": tf.constant([[-1.0, 1.0], [10.0, 1000.0]])}, [column])
  return _run_filled(tf, made)


def program_crossed(tf):
  fc = tf.feature_column
  price = fc.bucketized_column(fc.numeric_column("price", shape=[2]), [0.0, 10.0])
  ids = fc.categorical_column_with_identity("id", 4)
  columns = [fc.crossed_column([price, "word", ids], 20), fc.crossed_column(["word", "id"], 10, hash_key=7)]
  features = {
    "price": tf.constant([[-1.0, 1.0], [10.0, 1000.0]]),
    "word": tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["x", "y", "x"], [2, 2]),
    "id": tf.constant([[1], [2]], tf.int64),
  }
  made = fc.linear_model(features, columns)
  return [[c.name for c in columns]] + _run_filled(tf, made)


def program_dense_columns(tf):
  """Embeddings and indicators go in as numbers."""
  fc = tf.feature_column
  ids = fc.categorical_column_with_identity("id", 4)
  columns = [fc.embedding_column(ids, 2, initializer=tf.ones_initializer()), fc.indicator_column(ids)]
  variables = {}
  made = fc.linear_model({"id": tf.constant([[1, 2], [3, 3]], tf.int64)}, columns, cols_to_vars=variables)
  return [_names(variables), [v.name for v in tf.global_variables()]] + _run_filled(tf, made)


def program_shared_embeddings(tf):
  fc = tf.feature_column
  one, two = (fc.categorical_column_with_identity(k, 4) for k in ("one", "two"))
  columns = fc.shared_embedding_columns([two, one], 2, initializer=tf.ones_initializer())
  variables = {}
  features = {"one": tf.constant([[1], [2]], tf.int64), "two": tf.constant([[3, 0], [0, 0]], tf.int64)}
  made = fc.linear_model(features, columns, cols_to_vars=variables)
  return [_names(variables), [v.name for v in tf.global_variables()]] + _run_filled(tf, made)


def program_scopes_and_collections(tf):
  fc = tf.feature_column
  features = {"a": tf.constant([[1.0], [2.0]]), "word": tf.constant([["x"], ["y"]])}
  columns = [fc.numeric_column("a"), fc.categorical_column_with_hash_bucket("word", 4)]
  with tf.variable_scope("linear"):
    made = [
      fc.linear_model(features, columns, weight_collections=["mine"]),
      fc.linear_model(features, columns, weight_collections=["mine"], trainable=False),
    ]
  keys = ["mine", tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES, tf.GraphKeys.MODEL_VARIABLES]
  return [[m.name for m in made], {key: [v.name for v in tf.get_collection(key)] for key in keys}]


def program_partitioned(tf):
  fc = tf.feature_column
  features = {"a": tf.constant([[1.0, 2.0, 3.0]]), "word": tf.constant([["x"]])}
  columns = [fc.numeric_column("a", shape=3), fc.categorical_column_with_hash_bucket("word", 4)]
  with tf.variable_scope("linear", partitioner=tf.fixed_size_partitioner(2)):
    variables = {}
    made = fc.linear_model(features, columns, cols_to_vars=variables)
  return [_names(variables)] + _run(tf, made)


def program_reuse(tf):
  fc = tf.feature_column
  features = {"a": tf.constant([[1.0], [2.0]])}
  for _ in range(2):
    with tf.variable_scope("linear", reuse=tf.AUTO_REUSE):
      fc.linear_model(features, [fc.numeric_column("a")])
  return [v.name for v in tf.global_variables()]


def program_training(tf):
  fc = tf.feature_column
  features = {"a": tf.constant([[1.0], [2.0], [4.0]]), "word": tf.constant([["x"], ["y"], ["x"]])}
  columns = [fc.numeric_column("a"), fc.categorical_column_with_vocabulary_list("word", ("x", "y"))]
  made = fc.linear_model(features, columns)
  loss = tf.reduce_mean(tf.square(made - [[1.0], [0.0], [2.0]]))
  step = tf.train.FtrlOptimizer(0.2).minimize(loss)
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    losses = [session.run([loss, step])[0] for _ in range(10)]
    return [np.array(losses)] + [(v.name, session.run(v)) for v in tf.trainable_variables()]


program_training.rtol = 1e-4
