"""The feature columns of tf.contrib.layers: parsing, what is refused, targets."""

import numpy as np
import pytest
from old_columns_parts import layers, run, words

import millrace as tf


def example(**values):
  made = tf.train.Example()
  for key, value in values.items():
    if isinstance(value[0], bytes):
      made.features.feature[key].bytes_list.value.extend(value)
    elif isinstance(value[0], float):
      made.features.feature[key].float_list.value.extend(value)
    else:
      made.features.feature[key].int64_list.value.extend(value)
  return made.SerializeToString()


def columns_to_parse():
  word = layers.sparse_column_with_keys("word", ["a", "b"])
  return [
    layers.real_valued_column("x", 2, default_value=[1.0, 2.0]),
    layers.bucketized_column(layers.real_valued_column("y", default_value=3), [4.0]),
    layers.weighted_sparse_column(word, "w"),
    layers.crossed_column([word, layers.sparse_column_with_hash_bucket("z", 5)], 5),
    layers.embedding_column(layers.sparse_column_with_integerized_feature("id", 5), 2),
    layers.scattered_embedding_column("s", 5, 2, 1, combiner="sum"),
  ]


def test_what_is_parsed():
  spec = layers.create_feature_spec_for_parsing(columns_to_parse())
  assert {key: str(value) for key, value in spec.items()} == {
    "x": "FixedLenFeature(shape=[2], dtype=tf.float32, default_value=[1.0, 2.0])",
    "y": "FixedLenFeature(shape=[1], dtype=tf.float32, default_value=[3.0])",
    "word": "VarLenFeature(dtype=tf.string)",
    "w": "VarLenFeature(dtype=tf.float32)",
    "z": "VarLenFeature(dtype=tf.string)",
    "id": "VarLenFeature(dtype=tf.int64)",
    "s": "VarLenFeature(dtype=tf.string)",
  }
  with pytest.raises(TypeError):
    layers.create_feature_spec_for_parsing([3])


def test_parsing():
  serialized = tf.constant([example(x=[5.0, 6.0], y=[9.0], word=[b"b"], w=[0.5]), example(word=[b"a", b"c"], w=[1.0, 2.0])])
  columns = columns_to_parse()[:3]
  tensors = layers.parse_feature_columns_from_examples(serialized, columns, name="parse", example_names=tf.constant(["n", "m"]))
  (ids, weights), x, buckets = tensors[columns[2]], tensors[columns[0]], tensors[columns[1]]
  found = run(x, buckets, ids.values, weights.values, tensors["y"])
  np.testing.assert_array_equal(found[0], [[5, 6], [1, 2]])
  np.testing.assert_array_equal(found[1], [[1], [0]])
  np.testing.assert_array_equal(found[2], [1, 0, -1])
  np.testing.assert_array_equal(found[3], [0.5, 1, 2])
  np.testing.assert_array_equal(found[4], [[9], [3]])
  # What has been parsed goes on as the input of layers.
  sums, _, _ = layers.weighted_sum_from_feature_columns(tensors, columns, 1)
  np.testing.assert_array_equal(run(sums)[0], [[0], [0]])


def test_parsing_of_sequences():
  made = tf.train.SequenceExample()
  made.context.feature["y"].float_list.value.append(4.0)
  for pair in ([1.0, 2.0], [3.0, 4.0]):
    made.feature_lists.feature_list["x"].feature.add().float_list.value.extend(pair)
    made.feature_lists.feature_list["word"].feature.add().bytes_list.value.append(b"a")
  context, sequences = layers.parse_feature_columns_from_sequence_examples(
    tf.constant(made.SerializeToString()),
    [layers.real_valued_column("y")],
    [layers.real_valued_column("x", 2), layers.sparse_column_with_keys("word", ["a"])],
    name="parse",
    example_name="one",
  )
  found = run(context["y"], sequences["x"], sequences["word"].values)
  np.testing.assert_array_equal(found[0], [4])
  np.testing.assert_array_equal(found[1], [[1, 2], [3, 4]])
  assert list(found[2]) == [b"a", b"a"]
  with pytest.raises(ValueError):
    layers.parse_feature_columns_from_sequence_examples(tf.constant(""), None, [])


def test_placeholders():
  found = layers.make_place_holder_tensors_for_base_features(columns_to_parse()[:3])
  assert sorted(found) == ["w", "word", "x", "y"]
  assert found["x"].op.name == "Placeholder_x"
  assert found["x"].shape.as_list() == [None, 2]
  assert isinstance(found["word"], tf.SparseTensor)
  column = layers.real_valued_column("x", 2)
  value = layers.input_from_feature_columns(found, [column])
  np.testing.assert_array_equal(run(value, feed={found["x"]: [[1.0, 2.0]]})[0], [[1, 2]])


def test_transform_features():
  age = layers.real_valued_column("age")
  buckets = layers.bucketized_column(age, [10.0])
  word = layers.sparse_column_with_keys("word", ["a", "b"])
  found = layers.transform_features({"age": tf.constant([[5.0], [15.0]]), "word": words(["b"], ["a"])}, [word, buckets])
  assert set(found) == {buckets, word}
  values = run(found[buckets], found[word].values)
  np.testing.assert_array_equal(values[0], [[0], [1]])
  np.testing.assert_array_equal(values[1], [1, 0])


def test_inferred_columns():
  (column,) = layers.infer_real_valued_columns(tf.zeros([4, 3], tf.int32))
  assert (column.name, column.dimension, column.dtype) == ("", 3, tf.int32)
  found = layers.infer_real_valued_columns({"a": tf.zeros([4, 1]), "b": tf.zeros([4, 2], tf.float64)})
  assert [(c.name, c.dimension, c.dtype) for c in found] == [("a", 1, tf.float32), ("b", 2, tf.float64)]
  for value, message in (
    (words(["a"]), "SparseTensor is not supported for auto detection"),
    (tf.constant([["a"]]), "Non integer or non floating types are not supported"),
    (tf.placeholder(tf.float32, [None, None]), "Could not infer shape"),
  ):
    with pytest.raises(ValueError, match=message):
      layers.infer_real_valued_columns({"x": value})


def test_columns_that_are_the_same():
  word = layers.sparse_column_with_keys("word", ["a"])
  with pytest.raises(ValueError, match="Duplicate feature column key found for column: word"):
    layers.check_feature_columns([word, layers.sparse_column_with_keys("word", ["a"])])
  layers.check_feature_columns([word, layers.sparse_column_with_keys("word", ["b"])])
  with pytest.raises(ValueError, match="Duplicate"):
    layers.input_from_feature_columns({"word": words(["a"])}, [layers.one_hot_column(word), layers.one_hot_column(word)])


def test_what_is_no_input_of_networks_and_sums():
  word = layers.sparse_column_with_keys("word", ["a"])
  features = {"word": words(["a"]), "x": tf.constant([[1.0]])}
  with pytest.raises(ValueError, match="Error creating input layer for column: word"):
    layers.input_from_feature_columns(features, [word])
  with pytest.raises(ValueError, match="Error creating weighted sum for column: word_embedding"):
    layers.weighted_sum_from_feature_columns(features, [layers.embedding_column(word, 2)], 1)
  with pytest.raises(ValueError, match="The feature y is not among the features"):
    layers.input_from_feature_columns(features, [layers.real_valued_column("y")])
  with pytest.raises(ValueError, match="cols_to_outs must be a dict"):
    layers.input_from_feature_columns(features, [layers.real_valued_column("x")], cols_to_outs=[])


def test_arguments_that_cannot_be():
  word = layers.sparse_column_with_keys("word", ["a"])
  number = layers.real_valued_column("x")
  for call, kind in (
    (lambda: layers.real_valued_column("x", 0), ValueError),
    (lambda: layers.real_valued_column("x", 1.5), TypeError),
    (lambda: layers.real_valued_column("x", dtype=tf.string), ValueError),
    (lambda: layers.real_valued_column("x", 2, default_value=[1.0]), ValueError),
    (lambda: layers.real_valued_column("x", default_value="a"), TypeError),
    (lambda: layers.real_valued_column("x", normalizer=3), TypeError),
    (lambda: layers.bucketized_column(word, [1.0]), TypeError),
    (lambda: layers.bucketized_column(number, []), ValueError),
    (lambda: layers.bucketized_column(number, [2.0, 1.0]), ValueError),
    (lambda: layers.sparse_column_with_hash_bucket("w", 0), ValueError),
    (lambda: layers.sparse_column_with_hash_bucket("w", 5, dtype=tf.float32), ValueError),
    (lambda: layers.sparse_column_with_integerized_feature("w", 5, dtype=tf.string), ValueError),
    (lambda: layers.sparse_column_with_integerized_feature("w", 0), ValueError),
    (lambda: layers.sparse_column_with_keys("w", ["a"], combiner="max"), ValueError),
    (lambda: layers.sparse_column_with_vocabulary_file("w", ""), ValueError),
    (lambda: layers.sparse_column_with_vocabulary_file("w", "f"), ValueError),
    (lambda: layers.weighted_sparse_column(word, "w", tf.string), ValueError),
    (lambda: layers.one_hot_column(number), TypeError),
    (lambda: layers.embedding_column(word, 2, initializer=3), ValueError),
    (lambda: layers.embedding_column(word, 2, ckpt_to_load_from="a"), ValueError),
    (lambda: layers.shared_embedding_columns([], 2), ValueError),
    (lambda: layers.shared_embedding_columns(word, 2), TypeError),
    (lambda: layers.shared_embedding_columns([word, layers.sparse_column_with_keys("v", ["a", "b"])], 2), ValueError),
    (lambda: layers.scattered_embedding_column("w", 0, 1, 1), ValueError),
    (lambda: layers.scattered_embedding_column("w", 1, 1, 1, initializer=2), ValueError),
    (lambda: layers.crossed_column([word], 5), ValueError),
    (lambda: layers.crossed_column([word, number], 5), TypeError),
    (lambda: layers.crossed_column([word, layers.sparse_column_with_keys("v", ["a"])], 0), ValueError),
    (lambda: layers.scattered_embedding_lookup(tf.zeros([2, 2]), ["a"], 2), ValueError),
    (lambda: layers.scattered_embedding_lookup(tf.zeros([2]), ["a"], None), ValueError),
    (lambda: layers.scattered_embedding_lookup_sparse(tf.zeros([2]), ["a"], 2), TypeError),
    (lambda: layers.multi_class_target(1), ValueError),
  ):
    with pytest.raises(kind):
      call()


LOGITS = np.array([[0.5], [-1.0], [2.0]], np.float32)


WEIGHTS = np.array([1.0, 3.0, 0.5], np.float32)


def test_regression_target():
  target = layers.regression_target(label_name="y", weight_column_name="w", label_dimension=1)
  labels, features = {"y": tf.constant([1.0, 0.0, 2.0])}, {"w": tf.constant(WEIGHTS)}
  logits = tf.constant(LOGITS)
  squares = (LOGITS[:, 0] - [1, 0, 2]) ** 2
  found = run(
    target.loss(logits, labels, features), target.training_loss(logits, labels, features), target.logits_to_predictions(logits)
  )
  np.testing.assert_allclose(found[0], (squares * WEIGHTS).sum() / WEIGHTS.sum(), rtol=1e-6)
  np.testing.assert_allclose(found[1], (squares * WEIGHTS).mean(), rtol=1e-6)
  np.testing.assert_array_equal(found[2], LOGITS[:, 0])
  assert (target.num_label_columns, target.label_name, target.weight_column_name) == (1, "y", "w")
  two = layers.regression_target(label_dimension=2)
  pair = tf.constant(np.concatenate([LOGITS, LOGITS], 1))
  assert run(two.loss(pair, pair + 1.0, {}))[0] == pytest.approx(1.0)
  with pytest.raises(ValueError, match="no probabilities"):
    target.logits_to_predictions(logits, proba=True)


def test_targets_of_classes():
  features, labels = {"w": tf.constant(WEIGHTS)}, tf.constant([1, 1, 0])
  entropy = np.log1p(np.exp(-np.abs(LOGITS[:, 0]))) + np.maximum(LOGITS[:, 0], 0) - LOGITS[:, 0] * [1, 1, 0]
  binary = layers.multi_class_target(2, weight_column_name="w")
  logits = tf.constant(LOGITS)
  found = run(
    binary.loss(logits, labels, features),
    binary.logits_to_predictions(logits),
    binary.logits_to_predictions(logits, proba=True),
  )
  np.testing.assert_allclose(found[0], (entropy * WEIGHTS).sum() / WEIGHTS.sum(), rtol=1e-6)
  np.testing.assert_array_equal(found[1], [1, 0, 1])
  np.testing.assert_allclose(found[2][:, 1], 1 / (1 + np.exp(-LOGITS[:, 0])), rtol=1e-6)
  three = layers.multi_class_target(n_classes=3, label_name="y")
  many = np.concatenate([LOGITS, -LOGITS, LOGITS * 0], 1)
  exponents = np.exp(many)
  probabilities = exponents / exponents.sum(1, keepdims=True)
  loss = three.training_loss(tf.constant(many), {"y": tf.constant([[2], [1], [0]])}, {}, name="n")
  np.testing.assert_allclose(run(loss)[0], -np.log(probabilities[[0, 1, 2], [2, 1, 0]]).mean(), rtol=1e-6)
  svm = layers.binary_svm_target(label_name=None, weight_column_name="w")
  hinge = np.maximum(0, 1 - (2 * np.array([1, 1, 0]) - 1) * LOGITS[:, 0])
  np.testing.assert_allclose(run(svm.training_loss(logits, labels, features))[0], (hinge * WEIGHTS).mean(), rtol=1e-6)
  with pytest.raises(ValueError, match="not supported"):
    svm.logits_to_predictions(logits, proba=True)


def test_metrics_of_targets():
  target = layers.multi_class_target(2, weight_column_name="w")
  features, labels = {"w": tf.constant(WEIGHTS)}, tf.constant([1, 1, 0])
  found = target.get_eval_ops(
    features,
    tf.constant(LOGITS),
    labels,
    metrics={
      ("mean of ones", "probabilities"): lambda predictions, labels: tf.metrics.mean(predictions[:, 1]),
      "right": lambda predictions, labels, weights: tf.metrics.accuracy(labels, predictions, weights),
    },
  )
  with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    session.run({key: pair[1] for key, pair in found.items()})
    values = session.run({key: pair[0] for key, pair in found.items()})
  np.testing.assert_allclose(values["accuracy"], 1.0 / 4.5, rtol=1e-6)
  np.testing.assert_allclose(values["right"], 1.0 / 4.5, rtol=1e-6)
  np.testing.assert_allclose(values["mean of ones"], (1 / (1 + np.exp(-LOGITS))).mean(), rtol=1e-6)
  with pytest.raises(ValueError, match="asks for what"):
    target.get_eval_ops(features, tf.constant(LOGITS), labels, metrics={("a", "what"): None})


def test_training_of_a_wide_and_deep_model():
  """A whole small model, as programs of 2016 built it."""
  word = layers.sparse_column_with_keys("word", ["a", "b", "c"])
  age = layers.real_valued_column("age")
  features = {"word": words(["a"], ["b"], ["c"], ["a"]), "age": tf.constant([[0.1], [0.9], [0.4], [0.7]])}
  wide, _, _ = layers.weighted_sum_from_feature_columns(features, [word, layers.bucketized_column(age, [0.5])], 1, scope="wide")
  net = layers.input_from_feature_columns(features, [layers.embedding_column(word, 2), age], scope="deep")
  logits = wide + layers.fully_connected(net, 1, activation_fn=None)
  loss = layers.multi_class_target(2).training_loss(logits, tf.constant([1, 0, 1, 0]), features)
  step = tf.train.AdamOptimizer(0.1).minimize(loss)
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    first = session.run(loss)
    for _ in range(60):
      session.run(step)
    assert session.run(loss) < 0.1 * first
