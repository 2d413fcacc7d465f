"""What feature columns refuse, and with which words."""

import numpy as np


def _errors(*calls):
  found = []
  for call in calls:
    try:
      found.append(call())
    except Exception as error:
      found.append(error)
  return found


def program_numeric(tf):
  number = tf.feature_column.numeric_column
  return _errors(
    lambda: number(3),
    lambda: number("a", shape=[0]),
    lambda: number("a", shape=[2.5]),
    lambda: number("a", shape=2.5),
    lambda: number("a", shape="2"),
    lambda: number("a", dtype=tf.string),
    lambda: number("a", default_value="x"),
    lambda: number("a", default_value=2.5, dtype=tf.int32),
    lambda: number("a", shape=2, default_value=[1.0]),
    lambda: number("a", shape=2, default_value=[1.0, "x"]),
    lambda: number("a", shape=(2, 2), default_value=[1.0, 2.0]),
    lambda: number("a", normalizer_fn=3),
    lambda: number("a", shape=2, default_value={1: 2}),
  )


def program_bucketized(tf):
  fc = tf.feature_column
  number = fc.numeric_column("a")
  return _errors(
    lambda: fc.bucketized_column("a", [0]),
    lambda: fc.bucketized_column(fc.numeric_column("a", shape=(2, 2)), [0]),
    lambda: fc.bucketized_column(number, None),
    lambda: fc.bucketized_column(number, []),
    lambda: fc.bucketized_column(number, 3),
    lambda: fc.bucketized_column(number, [1.0, 0.0]),
    lambda: fc.bucketized_column(number, [1.0, 1.0]),
  )


def program_categorical(tf):
  fc = tf.feature_column
  return _errors(
    lambda: fc.categorical_column_with_hash_bucket("a", None),
    lambda: fc.categorical_column_with_hash_bucket("a", 0),
    lambda: fc.categorical_column_with_hash_bucket(1, 5),
    lambda: fc.categorical_column_with_hash_bucket("a", 5, tf.float32),
    lambda: fc.categorical_column_with_identity("a", 0),
    lambda: fc.categorical_column_with_identity("a", 5, default_value=5),
    lambda: fc.categorical_column_with_identity("a", 5, default_value=-1),
    lambda: fc.categorical_column_with_identity(2, 5),
  )


def program_vocabularies(tf):
  fc = tf.feature_column
  listed, filed = fc.categorical_column_with_vocabulary_list, fc.categorical_column_with_vocabulary_file
  with open("some.txt", "w", encoding="utf-8") as file:
    file.write("a\nb\n")
  return _errors(
    lambda: listed("a", []),
    lambda: listed("a", None),
    lambda: listed("a", ["x", "x"]),
    lambda: listed("a", ["x", 1]),
    lambda: listed("a", [1.5, 2.5]),
    lambda: listed("a", ["x"], dtype=tf.int32),
    lambda: listed("a", [1], dtype=tf.string),
    lambda: listed("a", ["x"], dtype=tf.float32),
    lambda: listed("a", ["x"], num_oov_buckets=-1),
    lambda: listed("a", ["x"], num_oov_buckets=1, default_value=0),
    lambda: listed(5, ["x"]),
    lambda: filed("a", ""),
    lambda: filed("a", None),
    lambda: filed("a", "nowhere.txt"),
    lambda: filed("a", "some.txt", vocabulary_size=0),
    lambda: filed("a", "some.txt", vocabulary_size=2, num_oov_buckets=-1),
    lambda: filed("a", "some.txt", vocabulary_size=2, num_oov_buckets=1, default_value=0),
    lambda: filed("a", "some.txt", vocabulary_size=2, dtype=tf.float32),
  )


def program_crossed(tf):
  fc = tf.feature_column
  hashed = fc.categorical_column_with_hash_bucket("a", 5)
  return _errors(
    lambda: fc.crossed_column(["a", "b"], None),
    lambda: fc.crossed_column(["a", "b"], 0),
    lambda: fc.crossed_column(None, 5),
    lambda: fc.crossed_column(["a"], 5),
    lambda: fc.crossed_column(["a", 1], 5),
    lambda: fc.crossed_column(["a", hashed], 5),
    lambda: fc.crossed_column(["a", fc.numeric_column("b")], 5),
  )


def program_dense(tf):
  fc = tf.feature_column
  ids = fc.categorical_column_with_identity("id", 4)
  one = fc.categorical_column_with_identity("one", 4)
  five = fc.categorical_column_with_identity("five", 5)
  sequence = fc.sequence_categorical_column_with_identity("s", 4)
  return _errors(
    lambda: fc.embedding_column(ids, None),
    lambda: fc.embedding_column(ids, 0),
    lambda: fc.embedding_column(ids, 2, initializer=3),
    lambda: fc.embedding_column(ids, 2, ckpt_to_load_from="a"),
    lambda: fc.embedding_column(ids, 2, tensor_name_in_ckpt="a"),
    lambda: fc.shared_embedding_columns([ids, one], None),
    lambda: fc.shared_embedding_columns([ids, one], 0),
    lambda: fc.shared_embedding_columns([ids, one], 2, initializer="x"),
    lambda: fc.shared_embedding_columns([ids, one], 2, ckpt_to_load_from="a"),
    lambda: fc.shared_embedding_columns([ids, five], 2),
    lambda: fc.shared_embedding_columns([ids, fc.numeric_column("x")], 2),
    lambda: fc.shared_embedding_columns([ids, fc.categorical_column_with_hash_bucket("h", 4)], 2),
    lambda: len(fc.shared_embedding_columns([ids, sequence], 2)),
    lambda: fc.weighted_categorical_column(ids, None),
    lambda: fc.weighted_categorical_column(ids, 3),
    lambda: fc.weighted_categorical_column(ids, "w", tf.string),
  )


def program_input_layer(tf):
  fc = tf.feature_column
  ids = fc.categorical_column_with_identity("id", 4)
  number = fc.numeric_column("a", shape=2)
  features = {"a": tf.constant([[1.0, 2.0]]), "id": tf.constant([[1]], tf.int64)}
  layer = fc.input_layer
  sparse = tf.SparseTensor([[0, 0]], [1.0], [1, 2])
  embedded = fc.embedding_column(ids, 2)
  return _errors(
    lambda: layer(features, [ids]),
    lambda: layer(features, []),
    lambda: layer(features, {"a": number}),
    lambda: layer(features, [number, number]),
    lambda: layer(features, [fc.numeric_column("b")]),
    lambda: layer({"a": tf.constant(1.0)}, [number]),
    lambda: layer({"a": tf.constant([[1.0, 2.0, 3.0]])}, [number]),
    lambda: layer({"a": sparse}, [number]),
    lambda: layer({"a": sparse}, [fc.bucketized_column(fc.numeric_column("a"), [0.0])]),
    lambda: str(layer({"a": tf.constant([["x", "y"]])}, [number]).shape),
    lambda: layer({"id": tf.constant([["x"]])}, [fc.indicator_column(ids)]),
    lambda: layer({"id": tf.constant([[1.0]])}, [embedded]),
    lambda: layer({"id": tf.constant([[1.5]])}, [fc.indicator_column(fc.categorical_column_with_hash_bucket("id", 5))]),
    lambda: layer(
      {"id": tf.constant([[1]])}, [fc.indicator_column(fc.categorical_column_with_hash_bucket("id", 5, dtype=tf.string))]
    ),
    lambda: layer({"id": tf.constant([[1]])}, [fc.indicator_column(fc.categorical_column_with_vocabulary_list("id", ["x"]))]),
    lambda: layer({"id": tf.constant([["1"]])}, [fc.indicator_column(fc.categorical_column_with_vocabulary_list("id", [1, 2]))]),
    lambda: layer(features, [embedded], trainable=True, cols_to_vars={}, weight_collections="x").shape.as_list(),
    lambda: layer(features, "a"),
    lambda: layer(features, [5]),
    lambda: layer([1, 2], [number]),
    lambda: layer(
      {"w": features["id"], "a": features["a"], "id": features["id"]},
      [embedded, fc.indicator_column(fc.sequence_categorical_column_with_identity("id", 4))],
    ),
  )


def program_scalars(tf):
  """Refused where the graph is made, and otherwise by the run."""
  fc = tf.feature_column
  ids = fc.categorical_column_with_hash_bucket("id", 4)
  empty = np.zeros([1, 0], np.int64), ["x"], np.zeros([0], np.int64)

  def run(features, column):
    with tf.Session() as session:
      return session.run(fc.input_layer(features, [column]))

  return _errors(
    lambda: run({"a": tf.placeholder_with_default(3.0, tf.TensorShape(None))}, fc.numeric_column("a")),
    lambda: run({"id": tf.SparseTensor(*empty)}, fc.indicator_column(ids)),
  )


def program_weights(tf):
  fc = tf.feature_column
  ids = fc.categorical_column_with_identity("id", 4)
  features = {"id": tf.constant([[1]], tf.int64), "w": tf.constant([["x"]])}
  column = fc.indicator_column(fc.weighted_categorical_column(ids, "w"))
  return _errors(
    lambda: fc.input_layer(features, [column]),
    lambda: fc.input_layer({"id": features["id"]}, [column]),
    lambda: fc.linear_model(features, [fc.weighted_categorical_column(ids, "w", tf.int64)]),
  )


def program_linear_model(tf):
  fc = tf.feature_column
  number = fc.numeric_column("a")
  features = {"a": tf.constant([[1.0]]), "b": tf.constant([[2.0], [3.0]])}
  return _errors(
    lambda: fc.linear_model(features, []),
    lambda: fc.linear_model(features, [3]),
    lambda: fc.linear_model(features, [number, number]),
    lambda: fc.linear_model(features, {"a": number}),
    lambda: fc.linear_model({"c": features["a"]}, [number]),
    lambda: fc.linear_model(features, [number, fc.numeric_column("b")]),
    lambda: fc.linear_model({"a": tf.constant(3.0)}, [number]),
    lambda: fc.linear_model(features, [fc.categorical_column_with_identity("a", 3)], sparse_combiner="max"),
  )


def program_parse_specs(tf):
  fc = tf.feature_column
  return _errors(
    lambda: fc.make_parse_example_spec([3]),
    lambda: fc.make_parse_example_spec([fc.numeric_column("a"), fc.numeric_column("a", shape=2)]),
    lambda: fc.make_parse_example_spec([fc.numeric_column("a"), fc.categorical_column_with_identity("a", 3)]),
    lambda: str(fc.make_parse_example_spec([fc.numeric_column("a"), fc.numeric_column("a")])),
    lambda: fc.make_parse_example_spec(fc.numeric_column("a")),
    lambda: fc.make_parse_example_spec([]),
  )


def program_crossing_floats(tf):
  fc = tf.feature_column
  column = fc.indicator_column(fc.crossed_column(["a", "b"], 5))
  return _errors(
    lambda: fc.input_layer({"a": tf.constant([[1.0]]), "b": tf.constant([[2]])}, [column]).shape.ndims,
    lambda: fc.input_layer({"a": tf.constant([[1]])}, [column]),
  )


def program_shared_variable_of_another_shape(tf):
  fc = tf.feature_column
  one, two = (fc.categorical_column_with_identity(k, 4) for k in ("one", "two"))
  features = {"one": tf.constant([[1]], tf.int64), "two": tf.constant([[1]], tf.int64)}
  columns = fc.shared_embedding_columns([one, two], 2, shared_embedding_collection_name="mine")
  tf.add_to_collection("mine", tf.get_variable("v", [3, 2]))
  found = _errors(lambda: fc.input_layer(features, columns))
  tf.add_to_collection("mine", tf.get_variable("w", [4, 2]))
  return found + _errors(lambda: fc.input_layer(features, columns))
