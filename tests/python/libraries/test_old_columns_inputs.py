"""The feature columns of tf.contrib.layers as inputs of networks and of linear models."""

import itertools

import numpy as np
import pytest
from millrace.contrib.layers_columns import transform
from old_columns_parts import layers, run, words

import millrace as tf


def start(*shape):
  return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


def set_to(tensor_names):
  """Ops that give variables other values than 0: 1, 2, ..."""
  return [v.assign(start(*v.shape.as_list()) + 1) for v in tf.global_variables() if v.op.name in tensor_names]


def hashed(texts, size):
  return run(tf.string_to_hash_bucket_fast(texts, size))[0]


def test_numbers_and_buckets():
  price = layers.real_valued_column("price", dimension=2, normalizer=lambda x: x * 10.0)
  age = layers.real_valued_column("age", dtype=tf.int32)
  buckets = layers.bucketized_column(age, boundaries=[18, 18, 65])
  features = {"price": tf.constant([[1.0, 2.0], [3.0, 4.0]]), "age": tf.constant([17, 80])}
  outputs = {}
  value = layers.input_from_feature_columns(features, [price, buckets, age], cols_to_outs=outputs)
  # Kind goes before name: buckets, then numbers.
  (found, of_price) = run(value, outputs[price])
  np.testing.assert_array_equal(found, [[1, 0, 0, 17, 10, 20], [0, 0, 1, 80, 30, 40]])
  np.testing.assert_array_equal(of_price, [[10, 20], [30, 40]])
  assert value.shape.as_list() == [2, 6]


def test_one_hot_and_weights():
  column = layers.sparse_column_with_keys("word", keys=["a", "b"], default_value=1, combiner="mean")
  features = {"word": words(["a", "a"], ["zz"]), "w": words([0.5, 2.0], [3.0], dtype=tf.float32)}
  plain = layers.input_from_feature_columns(features, [layers.one_hot_column(column)])
  weighted = layers.weighted_sparse_column(column, "w")
  with_weights = layers.input_from_feature_columns(features, [layers.one_hot_column(weighted)])
  found = run(plain, with_weights)
  np.testing.assert_array_equal(found[0], [[2, 0], [0, 1]])
  np.testing.assert_array_equal(found[1], [[2.5, 0], [0, 3]])


def test_embeddings():
  ids = layers.sparse_column_with_integerized_feature("id", bucket_size=4)
  features = {"id": words([1, 7], [6], dtype=tf.int64)}
  table = start(4, 2)
  expected = {
    "mean": [(table[1] + table[3]) / 2, table[2]],
    "sum": [table[1] + table[3], table[2]],
    "sqrtn": [(table[1] + table[3]) / np.sqrt(2), table[2]],
  }
  for combiner, rows in expected.items():
    column = layers.embedding_column(ids, 2, combiner, tf.constant_initializer(table))
    (found,) = run(layers.input_from_feature_columns(features, [column], weight_collections=["mine"], scope="net"))
    np.testing.assert_allclose(found, rows, rtol=1e-6)
    tf.reset_default_graph()
    features = {"id": words([1, 7], [6], dtype=tf.int64)}
  column = layers.embedding_column(ids, 2, initializer=tf.constant_initializer(table), max_norm=0.5, trainable=False)
  (found,) = run(layers.input_from_feature_columns(features, [column], weight_collections=["mine"]))
  np.testing.assert_allclose(found[1], table[2] * 0.5 / np.linalg.norm(table[2]), rtol=1e-5)
  names = ["input_from_feature_columns/id_embedding/weights:0"]
  assert [v.name for v in tf.get_collection("mine")] == names
  assert [v.name for v in tf.model_variables()] == names
  assert not tf.trainable_variables()


def test_embedding_of_a_checkpoint(tmp_path):
  old = tf.get_variable("old", initializer=start(4, 2))
  with tf.Session() as session:
    session.run(old.initializer)
    path = tf.train.Saver().save(session, str(tmp_path / "model"))
  tf.reset_default_graph()
  ids = layers.sparse_column_with_integerized_feature("id", 4)
  column = layers.embedding_column(ids, 2, ckpt_to_load_from=path, tensor_name_in_ckpt="old")
  features = {"id": words([1], [3], dtype=tf.int64)}
  np.testing.assert_array_equal(run(layers.input_from_feature_columns(features, [column]))[0], start(4, 2)[[1, 3]])


def test_default_initializer_of_embeddings():
  """A truncated normal one, whose standard deviation follows from the number of ids."""
  ids = layers.sparse_column_with_integerized_feature("id", 10000)
  layers.input_from_feature_columns({"id": words([1], dtype=tf.int64)}, [layers.embedding_column(ids, 3)])
  (table,) = run(tf.global_variables()[0])
  assert abs(table).max() <= 0.02
  assert table.std() == pytest.approx(0.01 * 0.88, rel=0.05)


def test_shared_embeddings():
  one, two = (layers.sparse_column_with_integerized_feature(key, 4) for key in ("one", "two"))
  start_values = tf.constant_initializer(start(4, 2))
  columns = layers.shared_embedding_columns([one, two], dimension=2, combiner="sum", initializer=start_values)
  named = layers.shared_embedding_columns([two], 2, "mean", "mine", start_values, max_norm=100.0, trainable=False)
  features = {"one": words([1], [2], dtype=tf.int64), "two": words([3, 0], [0], dtype=tf.int64)}
  (found,) = run(layers.input_from_feature_columns(features, columns))
  table = start(4, 2)
  np.testing.assert_allclose(found, [[*table[1], *(table[3] + table[0])], [*table[2], *table[0]]])
  assert [v.name for v in tf.global_variables()] == ["input_from_feature_columns/one_shared_embedding/one_two_shared_embedding:0"]
  (found,) = run(layers.input_from_feature_columns(features, named))
  np.testing.assert_allclose(found, [(table[3] + table[0]) / 2, table[0]])
  assert len(tf.trainable_variables()) == 1


def test_scattered_embeddings():
  values = start(7)
  column = layers.scattered_embedding_column("word", size=7, dimension=3, hash_key=5, initializer=tf.constant_initializer(values))
  features = {"word": words(["a", "b"], ["a"], ["b"])}
  (found,) = run(layers.input_from_feature_columns(features, [column]))
  np.testing.assert_allclose(found[0], (found[1] + found[2]) / 2, rtol=1e-6)
  # Each number stands at the hash of its place and the word.
  cross = tf.sparse.cross_hashed([tf.constant([[0], [1], [2]]), tf.constant([["a"]] * 3)], num_buckets=7, hash_key=5)
  np.testing.assert_array_equal(found[1], values[run(cross.values)[0]])
  # Whole and in parts, dense and sparse.
  parts = [tf.constant(values[:4]), tf.constant(values[4:])]
  dense = layers.scattered_embedding_lookup(parts, tf.constant([["a"], ["b"]]), dimension=3, hash_key=5, name="n")
  sparse = layers.scattered_embedding_lookup_sparse(
    parts, words(["a", "b"], ["a"]), 3, combiner="sum", default_value="a", name="m", hash_key=5
  )
  got = run(dense, sparse)
  np.testing.assert_array_equal(got[0], found[1:, None, :])
  np.testing.assert_allclose(got[1], [found[1] + found[2], found[1]], rtol=1e-6)


def test_sequences():
  """Numbers, embeddings and counts of each step."""
  ids = layers.sparse_column_with_integerized_feature("id", 4)
  embedded = layers.embedding_column(ids, 2, "sum", tf.constant_initializer(start(4, 2)))
  feature = tf.SparseTensor([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]], tf.constant([1, 3, 0, 2], tf.int64), [2, 2, 2])
  numbers = np.arange(8, dtype=np.float32).reshape(2, 2, 2)
  features = {"id": feature, "x": tf.constant(numbers)}
  columns = [embedded, layers.one_hot_column(ids), layers.real_valued_column("x", 2)]
  (found,) = run(
    layers.sequence_input_from_feature_columns(features, columns, weight_collections=["m"], trainable=False, scope="s")
  )
  table = start(4, 2)
  embeddings = np.array([[table[1] + table[3], table[0]], [table[2], [0, 0]]])
  counts = np.array([[[0, 1, 0, 1], [1, 0, 0, 0]], [[0, 0, 1, 0], [0, 0, 0, 0]]])
  np.testing.assert_array_equal(found, np.concatenate([embeddings, counts, numbers], 2))
  assert [v.name for v in tf.get_collection("m")] == ["s/id_embedding/weights:0"]
  with pytest.raises(ValueError, match="not currently supported for sequence data"):
    layers.sequence_input_from_feature_columns(features, [layers.bucketized_column(layers.real_valued_column("x"), [0.0])])


def test_columns_of_tf_feature_column_go_as_well():
  fc = tf.feature_column
  features = {"x": tf.constant([[1.0], [2.0]]), "y": tf.constant([[3.0], [4.0]]), "id": tf.constant([[1], [0]], tf.int64)}
  columns = [
    fc.numeric_column("x"),
    layers.real_valued_column("y"),
    fc.indicator_column(fc.categorical_column_with_identity("id", 2)),
  ]
  (found,) = run(layers.input_from_feature_columns(features, columns))
  np.testing.assert_array_equal(sorted(found[0]), [0, 1, 1, 3])
  sums, variables, _ = layers.weighted_sum_from_feature_columns(
    features, [columns[0], fc.categorical_column_with_identity("id", 2)], num_outputs=1
  )
  assert sums.shape.as_list() == [2, 1]
  assert sorted(v.op.name for vs in variables.values() for v in vs) == [
    "weighted_sum_from_feature_columns/id/weights",
    "weighted_sum_from_feature_columns/x/weight",
  ]


def test_weighted_sums():
  word = layers.sparse_column_with_keys("word", ["a", "b", "c"], combiner="sum")
  age = layers.real_valued_column("age", dimension=2)
  features = {"word": words(["a", "c"], ["b", "zz"]), "age": tf.constant([[1.0, 2.0], [3.0, 4.0]])}
  sums, variables, bias = layers.weighted_sum_from_feature_columns(features, [word, age], num_outputs=2, weight_collections=["m"])
  names = ["weighted_sum_from_feature_columns/" + end for end in ("age/weight", "word/weights", "bias_weight")]
  assert [v.op.name for v in tf.global_variables()] == names
  assert [v.op.name for v in tf.get_collection("m")] == names
  assert {c.name: [v.op.name for v in vs] for c, vs in variables.items()} == {"age": names[:1], "word": names[1:2]}
  assert bias.op.name == names[2]
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    np.testing.assert_array_equal(session.run(sums), np.zeros([2, 2]))
    session.run(set_to(names))
    found = session.run(sums)
  of_age, of_word, of_bias = start(2, 2) + 1, start(3, 2) + 1, start(2) + 1
  expected = [[1, 2] @ of_age + of_word[0] + of_word[2] + of_bias, [3, 4] @ of_age + of_word[1] + of_bias]
  np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_combiners_and_weights(combiner):
  word = layers.sparse_column_with_keys("word", ["a", "b"], combiner=combiner)
  weighted = layers.weighted_sparse_column(word, "w", dtype=tf.int32)
  features = {"word": words(["a", "b"]), "w": words([2, 3], dtype=tf.int32)}
  sums, _, _ = layers.weighted_sum_from_feature_columns(features, [weighted, word], 1, scope="wide", trainable=False)
  assert not tf.trainable_variables()
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    session.run(set_to(["wide/word_weighted_by_w/weights"]))
    weighted_sum = session.run(sums)[0, 0]
    session.run(tf.global_variables_initializer())
    session.run(set_to(["wide/word/weights"]))
    plain = session.run(sums)[0, 0]
  divisor = {"sum": (1, 1), "mean": (5, 2), "sqrtn": (np.sqrt(13), np.sqrt(2))}[combiner]
  np.testing.assert_allclose(weighted_sum, (2 * 1 + 3 * 2) / divisor[0], rtol=1e-6)
  np.testing.assert_allclose(plain, 3 / divisor[1], rtol=1e-6)


def test_buckets_in_a_linear_model():
  buckets = layers.bucketized_column(layers.real_valued_column("x", dimension=2), [0.0, 1.0])
  features = {"x": tf.constant([[-1.0, 0.5], [1.0, 7.0]])}
  sums, _, _ = layers.weighted_sum_from_feature_columns(features, [buckets], 1)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(set_to(["weighted_sum_from_feature_columns/x_bucketized/weights"]))
    # Ids 0 and 3 + 1, then 2 and 3 + 2.
    np.testing.assert_array_equal(session.run(sums), [[1 + 5], [3 + 6]])


def test_hashes():
  texts = layers.sparse_column_with_hash_bucket("word", hash_bucket_size=10, combiner="sum")
  numbers = layers.sparse_column_with_hash_bucket("id", 10, dtype=tf.int64)
  features = {"word": tf.constant([["a", ""], ["b", "c"]]), "id": words([5], [6, 7], dtype=tf.int64)}
  found = run(*[layers.input_from_feature_columns(features, [layers.one_hot_column(c)]) for c in (texts, numbers)])
  eye = np.eye(10)
  np.testing.assert_array_equal(found[0], [eye[hashed("a", 10)], eye[hashed(["b", "c"], 10)].sum(0)])
  np.testing.assert_array_equal(found[1], [eye[hashed("5", 10)], eye[hashed(["6", "7"], 10)].sum(0)])
  strong = layers.sparse_column_with_hash_bucket("word", 10, hash_keys=[[1, 2], [3, 4]])
  (counts,) = run(layers.input_from_feature_columns(features, [layers.one_hot_column(strong)]))
  expected = run(*[tf.string_to_hash_bucket_strong(["a"], 10, key) for key in ([1, 2], [3, 4])])
  np.testing.assert_array_equal(counts[0], eye[expected[0][0]] + eye[expected[1][0]])


def test_vocabulary_file(tmp_path):
  path = tmp_path / "words"
  path.write_text("a\nb\nc\n")
  column = layers.sparse_column_with_vocabulary_file("word", str(path), num_oov_buckets=1, vocab_size=2, combiner="sum")
  other = layers.sparse_column_with_vocabulary_file("word", str(path), vocab_size=3, default_value=0, dtype=tf.string)
  features = {"word": words(["a", "c"], ["b", "zz"])}
  found = run(*[layers.input_from_feature_columns(features, [layers.one_hot_column(c)]) for c in (column, other)])
  np.testing.assert_array_equal(found[0], [[1, 0, 1], [0, 1, 1]])
  np.testing.assert_array_equal(found[1], [[1, 0, 1], [1, 1, 0]])


def test_crosses(tmp_path):
  word = layers.sparse_column_with_hash_bucket("word", 100)
  buckets = layers.bucketized_column(layers.real_valued_column("x"), [0.0])
  cross = layers.crossed_column([word, buckets], hash_bucket_size=20, combiner="sum", hash_key=9)
  deep = layers.crossed_column({cross, layers.sparse_column_with_keys("other", ["k"])}, 20)
  assert cross.name == "word_X_x_bucketized"
  assert deep.name == "other_X_word_X_x_bucketized"
  features = {"word": words(["a"], ["b"]), "x": tf.constant([[-1.0], [1.0]]), "other": words(["k"], ["l"])}
  sums, variables, _ = layers.weighted_sum_from_feature_columns(features, [cross, deep], 1)
  ids = tf.sparse.cross_hashed([features["word"], tf.constant([[0], [1]])], num_buckets=20, hash_key=9).values
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    session.run(set_to(["weighted_sum_from_feature_columns/word_X_x_bucketized/weights"]))
    found, places = session.run([sums, ids])
    np.testing.assert_array_equal(found[:, 0], places + 1)
    saver = tf.train.Saver({"old": variables[cross][0]})
    path = saver.save(session, str(tmp_path / "model"))
  tf.reset_default_graph()
  features = {"word": words(["a"], ["b"]), "x": tf.constant([[-1.0], [1.0]])}
  again = layers.crossed_column([word, buckets], 20, "sum", path, "old", 9)
  sums, _, _ = layers.weighted_sum_from_feature_columns(features, [again], 1)
  np.testing.assert_array_equal(run(sums)[0], found)
  embedded = layers.embedding_column(again, 2)
  assert layers.input_from_feature_columns(features, [embedded]).shape.as_list()[1] == 2


def fingerprint(text):
  """All 64 bits, of two remainders."""
  low, rest = (int(hashed(text, size)) for size in (1 << 32, (1 << 32) - 1))
  return (rest - low) % ((1 << 32) - 1) << 32 | low


def keyless_hash(values, size):
  """The hash of a combination, in Python's integers."""
  mask = (1 << 64) - 1
  found = 0xDECAFCAFFE
  for value in values:
    signed = found - (1 << 64) if found >> 63 else found
    found = (signed ^ (value + 0x9E3779B97F4A7800 + (signed << 10) + (signed >> 4))) & mask
  return found % size


def test_crosses_without_a_key():
  assert (keyless_hash((3, 5), 1000), keyless_hash((0, 1), 20)) == (448, 8)
  one = layers.sparse_column_with_integerized_feature("one", 100)
  two = layers.sparse_column_with_integerized_feature("two", 100)
  word = layers.sparse_column_with_hash_bucket("word", 100)
  buckets = layers.bucketized_column(layers.real_valued_column("x"), [0.0])
  rows = {"one": [[3], [0], [1, 2], [4]], "two": [[5], [1], [7, 8, 9], []], "word": [["a"], ["bc"], ["a", "d"], ["e"]]}
  features = {name: words(*column, dtype=tf.string if name == "word" else tf.int64) for name, column in rows.items()}
  features["x"] = tf.constant([[-1.0], [1.0], [1.0], [-1.0]])
  numbers = {text: fingerprint(text) for text in ("a", "bc", "d", "e")}
  rows["word"] = [[numbers[text] for text in row] for row in rows["word"]]
  rows["x"] = [[0], [1], [1], [0]]
  crosses = [
    (layers.crossed_column([two, one], 1000), "one two", 1000),
    (layers.crossed_column([word, one], 20), "one word", 20),
    (layers.crossed_column([buckets, word, two], 7), "two word x", 7),
  ]
  builder = transform.Features(features)
  found = run(*[builder.get(cross) for cross, _, _ in crosses])
  for ids, (_, names, size) in zip(found, crosses):
    expected = [
      [keyless_hash(values, size) for values in itertools.product(*row)] for row in zip(*[rows[name] for name in names.split()])
    ]
    assert ids.values.tolist() == [number for row in expected for number in row]
    assert ids.indices.tolist() == [[i, j] for i, row in enumerate(expected) for j in range(len(row))]
    assert ids.dense_shape.tolist() == [4, max(len(row) for row in expected)]
  dense = {"one": features["one"], "word": tf.constant([["a", "bc"]] * 4)}
  (found,) = run(transform.Features(dense).get(layers.crossed_column([word, one], 20)))
  expected = [keyless_hash((i, numbers[text]), 20) for row in rows["one"] for i in row for text in ("a", "bc")]
  assert found.values.tolist() == expected
  inner = layers.crossed_column([word, layers.sparse_column_with_keys("z", ["a"])], 20)
  assert layers.crossed_column([inner, one, layers.sparse_column_with_keys("x", ["a"])], 20).name == "one_X_word_X_z_X_x"


def test_scattered_embeddings_without_a_key():
  values = start(7)
  found, of_numbers = run(
    layers.scattered_embedding_lookup(tf.constant(values), tf.constant(["a", "bc"]), dimension=3),
    layers.scattered_embedding_lookup(tf.constant(values), tf.constant([4, 9]), dimension=3),
  )
  expected = [[keyless_hash((place, fingerprint(text)), 7) for place in range(3)] for text in ("a", "bc")]
  np.testing.assert_array_equal(found, values[np.array(expected)])
  expected = [[keyless_hash((place, number), 7) for place in range(3)] for number in (4, 9)]
  np.testing.assert_array_equal(of_numbers, values[np.array(expected)])


def test_joint_sums():
  one, two = layers.sparse_column_with_keys("one", ["a", "b"]), layers.sparse_column_with_integerized_feature("two", 3)
  features = {"one": words(["a", "b"], ["b"]), "two": words([2], [0], dtype=tf.int64)}
  sums, variables, bias = layers.joint_weighted_sum_from_feature_columns(
    features, [one, two], num_outputs=1, weight_collections=["m"], trainable=True, scope="joint"
  )
  assert [v.op.name for v in variables] == ["joint/linear_weights/weights"]
  assert bias.op.name == "joint/bias_weight"
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    session.run(set_to(["joint/linear_weights/weights"]))
    # By kind and name the column `two` goes first, with the ids 0 to 2.
    np.testing.assert_array_equal(session.run(sums), [[3 + 4 + 5], [1 + 5]])
  number = layers.real_valued_column("x")
  with pytest.raises(NotImplementedError, match="Real-valued columns are not supported"):
    layers.joint_weighted_sum_from_feature_columns({"x": tf.constant([[1.0]])}, [number], 1)
  mean = layers.sparse_column_with_keys("one", ["a"], combiner="mean")
  with pytest.raises(ValueError, match="Combiners other than sum"):
    layers.joint_weighted_sum_from_feature_columns(features, [mean], 1)
  with pytest.raises(ValueError, match="At least one column"):
    layers.joint_weighted_sum_from_feature_columns(features, [], 1)
