"""Columns of sequences and tf.contrib.feature_column, by values written out."""

import numpy as np
import pytest

import millrace as tf

fc = tf.feature_column
sequences = tf.contrib.feature_column
TABLE = np.arange(8, dtype=np.float32).reshape(4, 2)


def ids(values=(1, 3, 2)):
  """Examples of 2, 0, 1 and 0 steps."""
  return tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant(list(values), tf.int64), [4, 2])


def run(*fetches):
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    return [session.run(f) for f in fetches]


def layer(features, *columns, **more):
  made, lengths = sequences.sequence_input_layer(features, list(columns), **more)
  return run(made, lengths)


def table_of(rows):
  """The rows of the table, a list of lists of ids with None for no id."""
  return np.array([[TABLE[i] if i is not None else [0, 0] for i in row] for row in rows], np.float32)


def test_embeddings_of_ids():
  column = fc.embedding_column(
    tf.feature_column.sequence_categorical_column_with_identity("id", 4), 2, initializer=tf.constant_initializer(TABLE)
  )
  value, lengths = layer({"id": ids()}, column)
  np.testing.assert_array_equal(value, table_of([[1, 3], [None, None], [2, None], [None, None]]))
  np.testing.assert_array_equal(lengths, [2, 0, 1, 0])
  assert lengths.dtype == np.int64
  assert [v.name for v in tf.global_variables()] == ["sequence_input_layer/id_embedding/embedding_weights:0"]


def test_several_ids_of_a_step():
  """Three dimensions: example, step, id."""
  column = fc.embedding_column(
    tf.feature_column.sequence_categorical_column_with_identity("id", 4, default_value=1),
    2,
    combiner="sum",
    initializer=tf.constant_initializer(TABLE),
  )
  feature = tf.SparseTensor([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]], tf.constant([1, 3, 0, 9], tf.int64), [2, 2, 2])
  value, lengths = layer({"id": feature}, column)
  np.testing.assert_array_equal(value, [[TABLE[1] + TABLE[3], TABLE[0]], [TABLE[1], [0, 0]]])
  np.testing.assert_array_equal(lengths, [2, 1])


def test_indicators_of_words(tmp_path):
  path = tmp_path / "words"
  path.write_text("a\nb\nc\n")
  feature = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["b", "zz", "a"], [2, 2])
  by_list = tf.feature_column.sequence_categorical_column_with_vocabulary_list("w", ("a", "b"), tf.string, -1, 1)
  by_file = tf.feature_column.sequence_categorical_column_with_vocabulary_file("w", str(path), 2, 0, 1, tf.string)
  value, lengths = layer({"w": feature}, fc.indicator_column(by_list))
  np.testing.assert_array_equal(value, [[[0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 0]]])
  np.testing.assert_array_equal(lengths, [2, 1])
  value, _ = layer({"w": feature}, fc.indicator_column(by_file))
  np.testing.assert_array_equal(value, [[[0, 1], [0, 1]], [[1, 0], [0, 0]]])


def test_vocabularies_of_numbers_and_defaults(tmp_path):
  path = tmp_path / "numbers"
  path.write_text("10\n20\n")
  feature = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([20, 30, 10], tf.int64), [2, 2])
  by_file = tf.feature_column.sequence_categorical_column_with_vocabulary_file("n", str(path), num_oov_buckets=1, dtype=tf.int64)
  by_list = tf.feature_column.sequence_categorical_column_with_vocabulary_list("n", [10, 20], default_value=0)
  value, lengths = layer({"n": feature}, fc.indicator_column(by_file))
  np.testing.assert_array_equal(value, [[[0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 0]]])
  np.testing.assert_array_equal(lengths, [2, 1])
  value, _ = layer({"n": feature}, fc.indicator_column(by_list))
  np.testing.assert_array_equal(value, [[[0, 1], [1, 0]], [[1, 0], [0, 0]]])


def test_hashes():
  feature = tf.SparseTensor([[0, 0], [0, 1]], tf.constant([7, 8]), [1, 2])
  column = tf.feature_column.sequence_categorical_column_with_hash_bucket("n", 5, dtype=tf.int32)
  value, _ = layer({"n": feature}, fc.indicator_column(column))
  expected = run(tf.string_to_hash_bucket_fast(["7", "8"], 5))[0]
  np.testing.assert_array_equal(value[0], np.eye(5)[expected])


def test_numbers():
  feature = tf.SparseTensor([[0, 0], [0, 1], [0, 2], [1, 0]], [1.0, 2.0, 3.0, 4.0], [2, 3])
  column = tf.feature_column.sequence_numeric_column("x", default_value=-1.0)
  value, lengths = layer({"x": feature}, column)
  np.testing.assert_array_equal(value, [[[1], [2], [3]], [[4], [-1], [-1]]])
  np.testing.assert_array_equal(lengths, [3, 1])


def test_numbers_of_a_shape():
  feature = tf.SparseTensor([[0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [1, 1]], tf.constant([1, 2, 3, 4, 5, 6], tf.int64), [2, 4])
  column = tf.feature_column.sequence_numeric_column(
    "x", shape=[2], dtype=tf.int64, default_value=0, normalizer_fn=lambda x: x * 10
  )
  value, lengths = layer({"x": feature}, column)
  np.testing.assert_array_equal(value, [[[10, 20], [30, 40]], [[50, 60], [0, 0]]])
  np.testing.assert_array_equal(lengths, [2, 1])
  assert str(column.parse_example_spec) == "{'x': VarLenFeature(dtype=tf.int64)}"


def test_several_columns_go_by_their_names():
  x = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1.0, 2.0, 3.0], [4, 2])
  shared = fc.shared_embedding_columns(
    [tf.feature_column.sequence_categorical_column_with_identity(key, 4) for key in ("b", "a")],
    2,
    initializer=tf.constant_initializer(TABLE),
  )
  features = {"x": x, "a": ids(), "b": ids((0, 0, 0))}
  value, lengths = layer(features, tf.feature_column.sequence_numeric_column("x"), *shared, weight_collections=["mine"])
  numbers = np.array([[[1], [2]], [[0], [0]], [[3], [0]], [[0], [0]]], np.float32)
  one, two = table_of([[1, 3], [None, None], [2, None], [None, None]]), table_of([[0, 0], [None, None], [0, None], [None, None]])
  np.testing.assert_array_equal(value, np.concatenate([one, two, numbers], 2))
  np.testing.assert_array_equal(lengths, [2, 0, 1, 0])
  assert [v.name for v in tf.get_collection("mine")] == ["sequence_input_layer/a_b_shared_embedding/embedding_weights:0"]


def test_not_trained():
  column = fc.embedding_column(tf.feature_column.sequence_categorical_column_with_identity("id", 4), 2)
  sequences.sequence_input_layer({"id": ids()}, [column], trainable=False)
  assert not tf.trainable_variables()


def test_sequences_of_other_lengths_fail():
  features = {
    "x": tf.SparseTensor([[0, 0], [0, 1]], [1.0, 2.0], [2, 2]),
    "y": tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [1.0, 2.0, 3.0], [2, 2]),
  }
  with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
    layer(features, tf.feature_column.sequence_numeric_column("x"), tf.feature_column.sequence_numeric_column("y"))


def test_what_is_no_sequence_is_refused():
  number = fc.numeric_column("x")
  plain = fc.embedding_column(fc.categorical_column_with_identity("id", 4), 2)
  for column, words in (
    (number, "All feature_columns must be of type _SequenceDenseColumn"),
    (plain, "In embedding_column: id_embedding. categorical_column must be of type _SequenceCategoricalColumn"),
    (
      fc.indicator_column(fc.categorical_column_with_identity("id", 4)),
      "In indicator_column: id_indicator. categorical_column must be of type _SequenceCategoricalColumn",
    ),
  ):
    with pytest.raises(ValueError, match=words):
      sequences.sequence_input_layer({"id": ids(), "x": tf.constant([[1.0]])}, [column])
  with pytest.raises(TypeError, match="sequence_column feature must be a SparseTensor"):
    sequences.sequence_input_layer({"x": tf.constant([[1.0]])}, [tf.feature_column.sequence_numeric_column("x")])
  for arguments, kind in (((3,), ValueError), (("x", 2.5), TypeError), (("x", 0), ValueError)):
    with pytest.raises(kind):
      tf.feature_column.sequence_numeric_column(*arguments)
  assert sequences.sequence_numeric_column is tf.feature_column.sequence_numeric_column
  with pytest.raises(ValueError, match="dtype must be convertible to float"):
    tf.feature_column.sequence_numeric_column("x", dtype=tf.string)
  with pytest.raises(TypeError, match="normalizer_fn must be a callable"):
    tf.feature_column.sequence_numeric_column("x", normalizer_fn=1)


def test_context_at_each_step():
  context = tf.constant([[1.0, 2.0], [3.0, 4.0]])
  sequence = tf.constant([[[5.0], [6.0]], [[7.0], [8.0]]])
  (value,) = run(sequences.concatenate_context_input(context, sequence))
  np.testing.assert_array_equal(value, [[[5, 1, 2], [6, 1, 2]], [[7, 3, 4], [8, 3, 4]]])
  with pytest.raises(ValueError):
    sequences.concatenate_context_input(context, context)
  with pytest.raises(TypeError):
    sequences.concatenate_context_input(tf.constant([[1]]), sequence)


def test_training_of_a_recurrent_model():
  """A sum over steps of embedded words learns which word counts."""
  words = tf.feature_column.sequence_categorical_column_with_vocabulary_list("w", ["good", "bad"])
  column = fc.embedding_column(words, 1, initializer=tf.zeros_initializer())
  feature = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [2, 0]], ["good", "good", "bad", "good"], [3, 2])
  value, lengths = sequences.sequence_input_layer({"w": feature}, [column])
  loss = tf.reduce_mean(tf.square(tf.reduce_sum(value, [1, 2]) - [2.0, -1.0, 1.0]))
  step = tf.train.GradientDescentOptimizer(0.2).minimize(loss)
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    for _ in range(60):
      session.run(step)
    np.testing.assert_allclose(session.run(tf.trainable_variables()[0]), [[1.0], [-1.0]], atol=1e-3)
    np.testing.assert_array_equal(session.run(lengths), [2, 1, 1])
