"""Feature columns of categories: how each makes ids of what it is given, seen by indicators and embeddings."""

import numpy as np


def _run(tf, *fetches, feed=None):
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    return [session.run(f, feed) for f in fetches]


def _counts(tf, features, *columns):
  """Returns how often each id comes in each row, one array a column."""
  fc = tf.feature_column
  return _run(tf, *[fc.input_layer(features, [fc.indicator_column(c)]) for c in columns])


def _words(tf):
  return {
    "sparse": tf.SparseTensor([[0, 0], [0, 1], [1, 0], [2, 1]], ["red", "blue", "green", ""], [3, 2]),
    "dense": tf.constant([["red", ""], ["blue", "red"], ["pink", ""]]),
    "flat": tf.constant(["red", "blue", ""]),
    "list": [["red"], ["green"], ["blue"]],
    "late": tf.placeholder_with_default([["red"], ["blue"], [""]], [None, 1]),
  }


def program_hash_buckets(tf):
  fc = tf.feature_column
  columns = [fc.categorical_column_with_hash_bucket(key, 6) for key in _words(tf)]
  return _counts(tf, _words(tf), *columns)


def program_vectors(tf):
  """A vector, sparse or not, is a column of a matrix, also where only a run knows that it is one."""
  fc = tf.feature_column

  def sparse(indices, shape, late):
    keep = tf.placeholder_with_default if late else lambda value, shape: value
    indices, shape = np.array(indices, np.int64), np.array(shape, np.int64)
    return tf.SparseTensor(keep(indices, [None, None]), tf.constant(["red", "blue"]), keep(shape, [None]))

  features = {
    "known": sparse([[0], [2]], [4], False),
    "late": sparse([[0], [2]], [4], True),
    "late_matrix": sparse([[0, 0], [2, 1]], [4, 2], True),
    "late_dense": tf.placeholder_with_default(["red", "", "blue", "red"], tf.TensorShape(None)),
  }
  return _counts(tf, features, *[fc.categorical_column_with_hash_bucket(key, 6) for key in features])


def program_hash_buckets_of_numbers(tf):
  fc = tf.feature_column
  features = {
    "a": tf.constant([[1, -1], [2, 3]]),
    "b": tf.SparseTensor([[0, 0], [1, 0]], tf.constant([7, -1], tf.int64), [2, 1]),
  }
  columns = [
    fc.categorical_column_with_hash_bucket("a", 6, dtype=tf.int32),
    fc.categorical_column_with_hash_bucket("b", hash_bucket_size=5, dtype=tf.int64),
  ]
  return [[c.name for c in columns]] + _counts(tf, features, *columns)


def program_vocabulary_lists(tf):
  fc = tf.feature_column
  columns = [fc.categorical_column_with_vocabulary_list(key, ["red", "green", "blue"]) for key in _words(tf)]
  columns += [
    fc.categorical_column_with_vocabulary_list("dense", np.array(["red", "blue"]), dtype=tf.string, default_value=1),
    fc.categorical_column_with_vocabulary_list("dense", ("red", "blue"), num_oov_buckets=3),
  ]
  return [[c.name for c in columns]] + _counts(tf, _words(tf), *columns)


def program_vocabulary_lists_of_numbers(tf):
  fc = tf.feature_column
  features = {"a": tf.constant([[10, 20], [-1, 30]]), "b": tf.constant([[5], [6]], tf.int64)}
  columns = [
    fc.categorical_column_with_vocabulary_list("a", (10, 20)),
    fc.categorical_column_with_vocabulary_list("a", (10, 20), dtype=tf.int32, num_oov_buckets=2),
    fc.categorical_column_with_vocabulary_list("b", vocabulary_list=[6, 7], dtype=tf.int64, default_value=1),
  ]
  return _counts(tf, features, *columns)


def _file(words, name="words.txt"):
  with open(name, "w", encoding="utf-8") as file:
    file.write("".join(word + "\n" for word in words))
  return name


def program_vocabulary_files(tf):
  fc = tf.feature_column
  path = _file(["red", "green", "blue"])
  columns = [fc.categorical_column_with_vocabulary_file(key, path) for key in ("sparse", "dense")]
  columns += [
    fc.categorical_column_with_vocabulary_file("dense", vocabulary_file=path, vocabulary_size=2),
    fc.categorical_column_with_vocabulary_file("dense", path, vocabulary_size=2, num_oov_buckets=2, dtype=tf.string),
    fc.categorical_column_with_vocabulary_file("dense", path, default_value=0),
  ]
  found = _counts(tf, _words(tf), *columns)
  return [[c.name for c in columns], [str(a) for a in tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)]] + found


def program_vocabulary_files_of_numbers(tf):
  fc = tf.feature_column
  column = fc.categorical_column_with_vocabulary_file("a", _file(["10", "20", "30"]), dtype=tf.int64, num_oov_buckets=1)
  return _counts(tf, {"a": tf.constant([[10, 5], [-1, 30]], tf.int64)}, column)


def program_identities(tf):
  fc = tf.feature_column
  features = {
    "a": tf.constant([[1, -1], [2, 3]]),
    "b": tf.SparseTensor([[0, 0], [1, 0]], tf.constant([7, -1], tf.int64), [2, 1]),
  }
  columns = [
    fc.categorical_column_with_identity("a", 4),
    fc.categorical_column_with_identity("b", num_buckets=5, default_value=2),
    fc.categorical_column_with_identity("a", 3, default_value=0),
  ]
  return [[c.name for c in columns]] + _counts(tf, features, *columns)


def program_identity_out_of_range(tf):
  fc = tf.feature_column
  column = fc.indicator_column(fc.categorical_column_with_identity("a", 3))
  return _run(tf, fc.input_layer({"a": tf.constant([[1], [3]])}, [column]))


program_identity_out_of_range.values_only = True


def program_identity_below_zero(tf):
  fc = tf.feature_column
  column = fc.indicator_column(fc.categorical_column_with_identity("a", 3))
  return _run(tf, fc.input_layer({"a": tf.SparseTensor([[0, 0]], [-7], [1, 1])}, [column]))


program_identity_below_zero.values_only = True


def program_buckets_as_categories(tf):
  fc = tf.feature_column
  buckets = fc.bucketized_column(fc.numeric_column("x", shape=2), [0.0, 1.0])
  table = tf.constant_initializer(np.arange(12, dtype=np.float32).reshape(6, 2))
  features = {"x": tf.constant([[-1.0, 0.5], [2.0, 2.0]])}
  columns = [fc.embedding_column(buckets, 2, initializer=table), fc.indicator_column(buckets)]
  return _run(tf, *[fc.input_layer(features, [c]) for c in columns])


def program_crosses(tf):
  fc = tf.feature_column
  buckets = fc.bucketized_column(fc.numeric_column("x", shape=2), [0.0, 1.0])
  features = {
    "x": tf.constant([[-1.0, 0.5], [2.0, 2.0]]),
    "word": tf.constant([["a", ""], ["b", "c"]]),
    "id": tf.constant([[3], [4]], tf.int64),
  }
  ids = fc.categorical_column_with_identity("id", 5)
  listed = fc.categorical_column_with_vocabulary_list("word", ["a", "b", "c"])
  columns = [
    fc.crossed_column(["word", "id"], 7),
    fc.crossed_column([buckets, "word"], hash_bucket_size=11),
    fc.crossed_column([listed, ids, buckets], 13, hash_key=3),
    fc.crossed_column([fc.crossed_column(["word", ids], 5), buckets], 9),
  ]
  return [[c.name for c in columns]] + _counts(tf, features, *columns)


def program_weights(tf):
  fc = tf.feature_column
  features = {
    "id": tf.constant([[3, 1], [4, -1]], tf.int64),
    "w": tf.constant([[0.5, 2.0], [3.0, 0.0]]),
    "word": tf.SparseTensor([[0, 0], [1, 0]], ["a", "b"], [2, 1]),
    "v": tf.SparseTensor([[0, 0], [1, 0]], tf.constant([2, 3], tf.int64), [2, 1]),
  }
  columns = [
    fc.weighted_categorical_column(fc.categorical_column_with_identity("id", 5), "w"),
    fc.weighted_categorical_column(fc.categorical_column_with_vocabulary_list("word", ["a", "b"]), "v", dtype=tf.int64),
  ]
  return [[c.name for c in columns]] + _counts(tf, features, *columns)


def program_specs(tf):
  fc = tf.feature_column
  ids = fc.categorical_column_with_identity("id", 5)
  words = fc.categorical_column_with_hash_bucket("word", 5)
  number = fc.numeric_column("x", shape=2)
  buckets = fc.bucketized_column(number, [0.0])
  columns = [
    fc.indicator_column(ids),
    fc.embedding_column(words, 2),
    fc.crossed_column([buckets, "other"], 5),
    fc.weighted_categorical_column(fc.categorical_column_with_vocabulary_list("listed", [1, 2]), "w", tf.float32),
    buckets,
    number,
  ] + fc.shared_embedding_columns(
    [fc.categorical_column_with_hash_bucket("a", 5), fc.categorical_column_with_hash_bucket("b", 5)], 2
  )
  return {key: str(value) for key, value in fc.make_parse_example_spec(columns).items()}


def program_parsed_examples(tf):
  """The specification parses examples into what the columns take."""
  fc = tf.feature_column
  columns = [
    fc.numeric_column("x", shape=2, default_value=[1.0, 2.0]),
    fc.indicator_column(fc.categorical_column_with_vocabulary_list("word", ["a", "b"])),
  ]

  def example(**features):
    made = tf.train.Example()
    for key, values in features.items():
      if isinstance(values[0], bytes):
        made.features.feature[key].bytes_list.value.extend(values)
      else:
        made.features.feature[key].float_list.value.extend(values)
    return made.SerializeToString()

  serialized = tf.constant([example(x=[5.0, 6.0], word=[b"b", b"b"]), example(word=[b"a"]), example(x=[0.0, 1.0])])
  features = tf.parse_example(serialized, fc.make_parse_example_spec(columns))
  return _run(tf, fc.input_layer(features, columns))
