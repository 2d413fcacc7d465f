"""Wrappers of tf.contrib.rnn: projections, embeddings, attention, highways."""

import numpy as np
import pytest
from rnn_formulas import check, join, numbers, relu, sigmoid, softmax, tf

KINDS = tf.contrib.rnn


def rnn(p, name, x, h):
  return np.tanh(join(x, h) @ p[name + "/kernel"] + p[name + "/bias"])


def test_input_projection():
  def step(p, x, h):
    h = rnn(p, "basic_rnn_cell", relu(x @ p["kernel"] + p["bias"]), h)
    return h, h

  cell = KINDS.InputProjectionWrapper(KINDS.BasicRNNCell(5), 3, activation=tf.nn.relu, input_size=4, reuse=tf.AUTO_REUSE)
  names = {"kernel": [4, 3], "bias": [3], "basic_rnn_cell/kernel": [8, 5], "basic_rnn_cell/bias": [5]}
  assert cell.state_size == 5 and cell.output_size == 5
  check(cell, step, names={"input_projection_wrapper/" + name: shape for name, shape in names.items()})


def test_output_projection():
  def step(p, x, h):
    h = rnn(p, "basic_rnn_cell", x, h)
    return relu(h @ p["kernel"] + p["bias"]), h

  cell = KINDS.OutputProjectionWrapper(KINDS.BasicRNNCell(5), 3, activation=tf.nn.relu, reuse=tf.AUTO_REUSE)
  names = {"kernel": [5, 3], "bias": [3], "basic_rnn_cell/kernel": [9, 5], "basic_rnn_cell/bias": [5]}
  assert cell.state_size == 5 and cell.output_size == 3
  check(cell, step, names={"output_projection_wrapper/" + name: shape for name, shape in names.items()})
  with pytest.raises(ValueError, match="Parameter output_size must be > 0: 0"):
    KINDS.OutputProjectionWrapper(KINDS.BasicRNNCell(5), 0)
  with pytest.raises(TypeError, match="is not an RNNCell"):
    KINDS.OutputProjectionWrapper(3, 3)


def test_embedding():
  cell = KINDS.EmbeddingWrapper(
    KINDS.BasicLSTMCell(3), embedding_classes=6, embedding_size=4, initializer=tf.ones_initializer(), reuse=tf.AUTO_REUSE
  )
  words = tf.placeholder(tf.int32, [2, 5])
  outputs, _ = tf.nn.dynamic_rnn(cell, tf.expand_dims(words, 2), dtype=tf.float32)
  names = sorted(v.op.name for v in tf.global_variables())
  prefix = "rnn/embedding_wrapper/"
  assert names == [prefix + name for name in ("basic_lstm_cell/bias", "basic_lstm_cell/kernel", "embedding")]
  table = tf.get_default_graph().get_tensor_by_name(prefix + "embedding:0")
  rows = numbers(6, 4)
  plain = tf.nn.rnn_cell.BasicLSTMCell(3, name="embedding_wrapper/basic_lstm_cell", reuse=True)
  expected, _ = tf.nn.dynamic_rnn(plain, tf.nn.embedding_lookup(rows, words), dtype=tf.float32, scope="rnn")
  gradient = tf.gradients(outputs, tf.trainable_variables()[0])[0]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    assert (session.run(table) == 1).all()
    tf.global_variables()[0].load(rows, session)
    feed = {words: [[0, 1, 2, 3, 4], [4, 4, 4, 4, 5]]}
    one, two = session.run([outputs, expected], feed)
    touched = np.asarray(session.run(tf.convert_to_tensor(gradient), feed))
  np.testing.assert_array_equal(one, two)
  assert (np.abs(touched).sum(1) > 0).all()
  with pytest.raises(ValueError, match="Both embedding_classes and embedding_size must be > 0: 0, 3."):
    KINDS.EmbeddingWrapper(KINDS.BasicRNNCell(2), 0, 3)


def test_initial_embeddings():
  KINDS.EmbeddingWrapper(KINDS.BasicRNNCell(2), 100, 50)(tf.zeros([1, 1], tf.int32), tf.zeros([1, 2]))
  with tf.variable_scope("s", initializer=tf.constant_initializer(0.5)):
    KINDS.EmbeddingWrapper(KINDS.BasicRNNCell(2), 100, 50)(tf.zeros([1, 1], tf.int32), tf.zeros([1, 2]))
  one, two = [v for v in tf.global_variables() if "embedding:" in v.name]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = session.run(one)
    assert abs(values.var() - 1) < 0.05 and np.abs(values).max() <= 3**0.5
    assert (session.run(two) == 0.5).all()


def attention(p, x, own, average, last, length, size):
  """One step of the attention over the last outputs, for a cell of one state."""
  last = last.reshape(-1, length, size)
  h = rnn(p, "basic_rnn_cell", join(x, average) @ p["kernel"] + p["bias"], own)
  features = last @ p["attention/attn_w"][0, 0]
  query = h @ p["attention/kernel"] + p["attention/bias"]
  weights = softmax((p["attention/attn_v"] * np.tanh(features + query[:, None])).sum(2))
  average = (weights[:, :, None] * last).sum(1)
  output = join(h, average) @ p["attn_output_projection/kernel"] + p["attn_output_projection/bias"]
  last = np.concatenate([last[:, 1:], output[:, None]], 1).reshape(-1, length * size)
  return output, (h, average, last)


def test_attention():
  def step(p, x, state):
    return attention(p, x, *state, 3, 2)

  cell = KINDS.AttentionCellWrapper(KINDS.BasicRNNCell(5), 3, attn_size=2, attn_vec_size=6, input_size=7, reuse=tf.AUTO_REUSE)
  names = {
    "kernel": [6, 7],
    "bias": [7],
    "basic_rnn_cell/kernel": [12, 5],
    "basic_rnn_cell/bias": [5],
    "attention/attn_w": [1, 1, 2, 6],
    "attention/attn_v": [6],
    "attention/kernel": [5, 6],
    "attention/bias": [6],
    "attn_output_projection/kernel": [7, 2],
    "attn_output_projection/bias": [2],
  }
  assert cell.state_size == (5, 2, 6) and cell.output_size == 2
  check(cell, step, names={"attention_cell_wrapper/" + name: shape for name, shape in names.items()})


def test_attention_with_joined_state():
  def step(p, x, state):
    output, parts = attention(p, x, *np.split(state, [5, 10], axis=1), 2, 5)
    return output, join(*parts)

  cell = KINDS.AttentionCellWrapper(KINDS.BasicRNNCell(5), 2, state_is_tuple=False)
  assert cell.state_size == 20 and cell.output_size == 5
  check(cell, step)


def test_attention_errors():
  with pytest.raises(ValueError, match="attn_length should be greater than zero, got 0"):
    KINDS.AttentionCellWrapper(KINDS.BasicRNNCell(2), 0)
  with pytest.raises(ValueError, match="Cell returns tuple of states"):
    KINDS.AttentionCellWrapper(KINDS.BasicLSTMCell(2), 1, state_is_tuple=False)
  with pytest.raises(TypeError, match="is not an RNNCell"):
    KINDS.AttentionCellWrapper(None, 1)


@pytest.mark.parametrize("couple", [True, False])
def test_highway(couple):
  def step(p, x, h):
    h = np.tanh(join(x, h) @ p["basic_rnn_cell/kernel"] + p["basic_rnn_cell/bias"])
    carry = sigmoid(x @ p["carry_w"] + p["carry_b"])
    transform = 1 - carry if couple else sigmoid(x @ p["transform_w"] + p["transform_b"])
    return x * carry + h * transform, h

  cell = KINDS.HighwayWrapper(KINDS.BasicRNNCell(4), couple_carry_transform_gates=couple, carry_bias_init=0.5)
  names = {"basic_rnn_cell/kernel": [8, 4], "basic_rnn_cell/bias": [4], "carry_w": [4, 4], "carry_b": [4]}
  if not couple:
    names.update({"transform_w": [4, 4], "transform_b": [4]})
  assert cell.state_size == 4 and cell.output_size == 4
  check(cell, step, names=names)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for v in tf.global_variables():
      if v.op.name in ("rnn/carry_b", "rnn/transform_b"):
        assert (session.run(v) == (0.5 if "carry" in v.name else -0.5)).all()
  with pytest.raises(ValueError, match="are incompatible"):
    KINDS.HighwayWrapper(KINDS.BasicRNNCell(3))(tf.zeros([1, 4]), tf.zeros([1, 3]), scope="other")


def test_compiled_wrapper_says_what_to_use():
  with pytest.raises(NotImplementedError, match="CompiledWrapper is not part of Millrace.*use the cell itself"):
    KINDS.CompiledWrapper(KINDS.BasicRNNCell(2))


def test_linear():
  from millrace.contrib.rnn import linear

  one, two = tf.constant(numbers(2, 3)), tf.constant(numbers(2, 4))
  with tf.variable_scope("s", initializer=tf.ones_initializer()):
    product = linear.linear([one, two], 5, True, bias_initializer=tf.constant_initializer(0.25))
  with tf.variable_scope("t"):
    of_one = linear.Linear(one, 2, False, kernel_initializer=tf.constant_initializer(2.0))
    again = of_one(tf.ones([3, 3]))
  assert [v.op.name for v in tf.global_variables()] == ["s/kernel", "s/bias", "t/kernel"]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    got = session.run(product)
    np.testing.assert_allclose(got, np.tile(join(numbers(2, 3), numbers(2, 4)).sum(1, keepdims=True) + 0.25, 5), rtol=1e-5)
    assert (session.run(again) == 6).all()
  for arguments, words in ((None, "`args` must be specified"), ([], "`args` must be specified"), (tf.zeros([2]), "2D")):
    with pytest.raises(ValueError, match=words):
      linear.linear(arguments, 2, False)
  with pytest.raises(ValueError, match="to be provided"):
    linear.linear(tf.placeholder(tf.float32, [2, None]), 2, False)
