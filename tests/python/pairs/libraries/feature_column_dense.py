"""Feature columns that make dense input: numbers, buckets, indicators, embeddings; with input_layer."""

import numpy as np


def _run(tf, *fetches, feed=None):
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    return [session.run(f, feed) for f in fetches]


def _names(variables):
  """Names of what input_layer reports for columns: lists of variables by column."""
  return {str(column.name): [v.name for v in found] for column, found in variables.items()}


def _rows(rows, columns):
  return np.arange(rows * columns, dtype=np.float32).reshape(rows, columns) / 8


def program_numeric(tf):
  features = {
    "price": [[1.0], [5.0]],
    "size": tf.constant([[1, 2], [3, 4]]),
    "weight": tf.constant([7.0, 8.0]),
    "deep": tf.placeholder_with_default(np.arange(12).reshape(2, 2, 3), [None, 2, 3]),
  }
  fc = tf.feature_column
  columns = [
    fc.numeric_column("price"),
    fc.numeric_column("size", shape=2, dtype=tf.int32),
    fc.numeric_column("weight", normalizer_fn=lambda x: (x - 7.0) / 2.0),
    fc.numeric_column("deep", shape=(2, 3), dtype=tf.int64, default_value=3),
  ]
  made = fc.input_layer(features, columns)
  return [str(made.shape), [c.name for c in columns]] + _run(tf, made)


def program_numeric_specs(tf):
  fc = tf.feature_column
  columns = [
    fc.numeric_column("a"),
    fc.numeric_column("b", shape=[2], default_value=[3.5, 4]),
    fc.numeric_column("c", shape=(2, 1), default_value=7, dtype=tf.int32),
    fc.numeric_column("d", default_value=((1.0,),), shape=(1, 1)),
  ]
  spec = fc.make_parse_example_spec(columns)
  return {key: [str(value.shape), str(value.dtype), str(value.default_value)] for key, value in spec.items()}


def program_bucketized(tf):
  fc = tf.feature_column
  price = fc.numeric_column("price", shape=[2])
  column = fc.bucketized_column(price, boundaries=[0.0, 10.0, 100.0])
  features = {"price": tf.constant([[-1.0, 1.0], [10.0, 1000.0]])}
  made = fc.input_layer(features, column)
  return [column.name, str(made.shape)] + _run(tf, made)


def program_indicator(tf):
  fc = tf.feature_column
  words = fc.categorical_column_with_vocabulary_list("word", ["a", "b", "c"])
  ids = fc.categorical_column_with_identity("id", num_buckets=4)
  features = {
    "word": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "a", "zz"], [3, 2]),
    "id": tf.constant([[3], [0], [1]], tf.int64),
  }
  outputs = {}
  made = fc.input_layer(features, [fc.indicator_column(words), fc.indicator_column(ids)], cols_to_output_tensors=outputs)
  found = {c.name: [str(t.shape), t.name] for c, t in outputs.items()}
  return [str(made.shape), found] + _run(tf, made)


def program_indicator_weighted(tf):
  fc = tf.feature_column
  ids = fc.weighted_categorical_column(fc.categorical_column_with_identity("id", num_buckets=4), "w")
  features = {
    "id": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 3, 2], tf.int64), [3, 2]),
    "w": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0.5, 2.0, -1.0], [3, 2]),
  }
  return _run(tf, fc.input_layer(features, [fc.indicator_column(ids)]))


def _ids(tf):
  return {"id": tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 3, 2], tf.int64), [3, 2])}


def program_embedding(tf):
  fc = tf.feature_column
  ids = fc.categorical_column_with_identity("id", num_buckets=4)
  results = []
  for combiner in ("mean", "sum", "sqrtn"):
    column = fc.embedding_column(ids, dimension=2, combiner=combiner, initializer=tf.constant_initializer(_rows(4, 2)))
    variables, outputs = {}, {}
    made = fc.input_layer(_ids(tf), [column], cols_to_vars=variables, cols_to_output_tensors=outputs)
    results += [column.name, str(made.shape), _names(variables), made, outputs[column]]
  plain = [r for r in results if not hasattr(r, "op")]
  return plain + _run(tf, *[r for r in results if hasattr(r, "op")])


program_embedding.rtol = 1e-6


def program_embedding_with_clipped_rows(tf):
  fc = tf.feature_column
  ids = fc.categorical_column_with_identity("id", num_buckets=4)
  column = fc.embedding_column(ids, 2, initializer=tf.constant_initializer(_rows(4, 2)), max_norm=0.5, trainable=False)
  made = fc.input_layer(_ids(tf), [column])
  return [len(tf.trainable_variables())] + _run(tf, made)


program_embedding_with_clipped_rows.rtol = 1e-5


def program_embedding_weighted(tf):
  fc = tf.feature_column
  ids = fc.categorical_column_with_identity("id", num_buckets=4)
  features = _ids(tf)
  features["w"] = tf.SparseTensor(features["id"].indices, [0.5, 1.5, 0.0], features["id"].dense_shape)
  weighted = fc.weighted_categorical_column(ids, weight_feature_key="w")
  made = [
    fc.input_layer(features, [fc.embedding_column(weighted, 2, c, tf.constant_initializer(_rows(4, 2)))])
    for c in ("sum", "mean", "sqrtn")
  ]
  return _run(tf, *made)


program_embedding_weighted.rtol = 1e-6


def program_embedding_default_initializer(tf):
  tf.set_random_seed(5)
  fc = tf.feature_column
  column = fc.embedding_column(fc.categorical_column_with_hash_bucket("word", 7), 3)
  made = fc.input_layer({"word": tf.constant([["x"], ["y"]])}, [column])
  return [made.name] + _run(tf, made)


program_embedding_default_initializer.rtol = 1e-6


def program_shared_embeddings(tf):
  fc = tf.feature_column
  one = fc.categorical_column_with_identity("one", num_buckets=4)
  two = fc.categorical_column_with_identity("two", num_buckets=4)
  three = fc.weighted_categorical_column(fc.categorical_column_with_identity("three", num_buckets=4), "w")
  four = fc.categorical_column_with_identity("four", num_buckets=4)
  start = tf.constant_initializer(_rows(4, 2))
  shared = fc.shared_embedding_columns([one, two], 2, initializer=start)
  named = fc.shared_embedding_columns(
    [four, three], 2, "sum", start, shared_embedding_collection_name="mine", max_norm=1.5, trainable=False
  )
  features = {
    "one": tf.constant([[1], [2]], tf.int64),
    "two": tf.constant([[3, 0], [0, 0]], tf.int64),
    "four": tf.constant([[3, -1], [0, 0]], tf.int64),
    "three": tf.constant([[3, 1], [0, 2]], tf.int64),
    "w": tf.constant([[0.5, 1.0], [1.0, 0.25]]),
  }
  variables = {}
  made = fc.input_layer(features, shared + named, cols_to_vars=variables)
  return [
    [c.name for c in shared + named],
    _names(variables),
    [v.name for v in tf.trainable_variables()],
    [v.name for v in tf.get_collection("mine")],
  ] + _run(tf, made)


program_shared_embeddings.rtol = 1e-5


def program_order_and_duplicates(tf):
  """Columns go by their names, whatever the order in which they are given."""
  fc = tf.feature_column
  a, b, c = (fc.numeric_column(k) for k in "abc")
  features = {k: tf.constant([[float(i)]]) for i, k in enumerate("abc")}
  return _run(tf, fc.input_layer(features, [c, a, b]), fc.input_layer(features, {b, a}), fc.input_layer(features, (a, c)))


def program_collections_and_scopes(tf):
  fc = tf.feature_column
  ids = fc.categorical_column_with_identity("id", num_buckets=4)
  column = fc.embedding_column(ids, 2, initializer=tf.ones_initializer())
  with tf.variable_scope("net"):
    fc.input_layer(_ids(tf), [column], weight_collections=["mine"], trainable=False)
    fc.input_layer(_ids(tf), [column], weight_collections=["mine", tf.GraphKeys.GLOBAL_VARIABLES])
  keys = ["mine", tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES, tf.GraphKeys.MODEL_VARIABLES]
  return {key: [v.name for v in tf.get_collection(key)] for key in keys}


def program_reuse(tf):
  fc = tf.feature_column
  ids = fc.categorical_column_with_identity("id", num_buckets=4)
  column = fc.embedding_column(ids, 2, initializer=tf.ones_initializer())
  names = []
  for _ in range(2):
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
      variables = {}
      fc.input_layer(_ids(tf), [column], cols_to_vars=variables)
      names.append(_names(variables))
  return names + [[v.name for v in tf.global_variables()]]


def program_partitioned(tf):
  fc = tf.feature_column
  ids = fc.categorical_column_with_identity("id", num_buckets=4)
  column = fc.embedding_column(ids, 2, initializer=tf.constant_initializer(0.5))
  with tf.variable_scope("net", partitioner=tf.fixed_size_partitioner(2)):
    variables = {}
    made = fc.input_layer(_ids(tf), [column], cols_to_vars=variables)
  return [_names(variables)] + _run(tf, made)


def program_embedding_from_checkpoint(tf):
  fc = tf.feature_column
  with tf.Graph().as_default():
    table = tf.get_variable("old/table", initializer=tf.constant(_rows(4, 2)))
    with tf.Session() as session:
      session.run(table.initializer)
      path = tf.train.Saver().save(session, "./embedding")
  ids = fc.categorical_column_with_identity("id", num_buckets=4)
  column = fc.embedding_column(ids, 2, ckpt_to_load_from=path, tensor_name_in_ckpt="old/table")
  made = fc.input_layer(_ids(tf), [column])
  other = fc.categorical_column_with_identity("other", num_buckets=4)
  shared = fc.shared_embedding_columns([ids, other], 2, ckpt_to_load_from=path, tensor_name_in_ckpt="old/table")
  both = fc.input_layer(dict(_ids(tf), other=tf.constant([[1], [1], [0]], tf.int64)), shared)
  return _run(tf, made, both)


program_embedding_from_checkpoint.values_only = True


def program_training_of_embeddings(tf):
  fc = tf.feature_column
  ids = fc.categorical_column_with_identity("id", num_buckets=4)
  column = fc.embedding_column(ids, 2, initializer=tf.constant_initializer(_rows(4, 2)))
  made = fc.input_layer(_ids(tf), [column])
  loss = tf.reduce_sum(tf.square(made - 1.0))
  step = tf.train.AdagradOptimizer(0.5).minimize(loss)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
      session.run(step)
    return session.run(tf.trainable_variables())


program_training_of_embeddings.rtol = 1e-5
