"""Recurrent networks: what programs in pairs with TensorFlow cannot show."""

import importlib
import sys

import numpy as np
import pytest
from rnn_formulas import numbers, tf

KINDS = tf.nn.rnn_cell


def initialized(fetches, feed=None):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(fetches, feed)


def names():
  return [v.op.name for v in tf.global_variables()]


# Weights of cells that are made of others


def test_weights_of_wrappers_are_those_of_the_cell():
  cell = KINDS.DropoutWrapper(KINDS.ResidualWrapper(KINDS.GRUCell(2)), 0.5)
  cell(tf.zeros([1, 2]), tf.zeros([1, 2]))
  wanted = ["gru_cell/" + name for name in ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")]
  assert [v.op.name for v in cell.trainable_variables] == wanted
  assert [v.op.name for v in cell.wrapped_cell.weights] == wanted
  cell.trainable = False
  assert cell.trainable_variables == []
  assert [v.op.name for v in cell.non_trainable_variables] == wanted


def test_weights_of_a_stack():
  one = KINDS.GRUCell(2)
  twice = KINDS.MultiRNNCell([one, one])
  twice(tf.zeros([1, 2]), twice.zero_state(1, tf.float32))
  assert len(twice.weights) == 4 and twice.weights == one.weights
  tf.reset_default_graph()
  cell = KINDS.MultiRNNCell([KINDS.GRUCell(2), KINDS.BasicLSTMCell(3)])
  tf.nn.dynamic_rnn(cell, tf.zeros([1, 2, 2]), dtype=tf.float32)
  assert [v.op.name for v in cell.trainable_weights] == names()
  assert names()[-1] == "rnn/multi_rnn_cell/cell_1/basic_lstm_cell/bias"


def test_weights_in_parts():
  with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2)):
    cell = KINDS.LSTMCell(2)
    tf.nn.dynamic_rnn(cell, tf.zeros([1, 2, 2]), dtype=tf.float32)
  assert [v.op.name for v in cell.weights] == names() and len(names()) == 4


# Configurations


def multiplied(inputs, outputs):
  return inputs * outputs


@pytest.mark.parametrize("function", [multiplied, lambda inputs, outputs: inputs * outputs], ids=["function", "lambda"])
def test_configuration_of_a_residual_wrapper(function):
  wrapper = KINDS.ResidualWrapper(KINDS.BasicRNNCell(2, name="cell"), residual_fn=function)
  again = KINDS.ResidualWrapper.from_config(wrapper.get_config())
  x, state = tf.constant([[2.0, 3.0]]), tf.ones([1, 2])
  one, _ = wrapper(x, state)
  two, _ = again(x, state, scope=tf.VariableScope(True, "cell"))
  one, two = initialized([one, two])
  np.testing.assert_array_equal(one, two)


def test_configuration_of_other_wrappers():
  device = KINDS.DeviceWrapper(KINDS.GRUCell(2, name="g"), "/cpu:0")
  config = device.get_config()
  assert config["device"] == "/cpu:0" and config["cell"]["class_name"] == "GRUCell"
  assert KINDS.DeviceWrapper.from_config(config).wrapped_cell.name == "g"

  class Own(KINDS.BasicRNNCell):
    pass

  dropout = KINDS.DropoutWrapper(
    KINDS.ResidualWrapper(Own(2)), 0.5, 0.25, 0.75, seed=3, dropout_state_filter_visitor=lambda part: False
  )
  config = dropout.get_config()
  again = KINDS.DropoutWrapper.from_config(config, custom_objects={"Own": Own})
  assert type(again.wrapped_cell.wrapped_cell) is Own
  found = again.get_config()
  for key in ("input_keep_prob", "output_keep_prob", "state_keep_prob", "seed", "variational_recurrent", "input_size"):
    assert found[key] == config[key]
  assert again._dropout_state_filter(None) is False
  with pytest.raises(ValueError, match="Unknown layer: Own"):
    KINDS.DropoutWrapper.from_config(config)


def test_configuration_of_variational_dropout():
  wrapper = KINDS.DropoutWrapper(
    KINDS.GRUCell(2), 0.5, variational_recurrent=True, input_size=tf.TensorShape([3]), dtype=tf.float32, seed=4
  )
  again = KINDS.DropoutWrapper.from_config(wrapper.get_config())
  with tf.variable_scope("s", initializer=tf.constant_initializer(0.5)):
    one, _ = wrapper(tf.ones([1, 3]), tf.ones([1, 2]))
    two, _ = again(tf.ones([1, 3]), tf.ones([1, 2]))
  assert wrapper.dtype == again.dtype == "float32"
  one, two = initialized([one, two])
  np.testing.assert_array_equal(one, two)


def test_copies_of_cells():
  import copy

  cell = KINDS.MultiRNNCell([KINDS.GRUCell(2), KINDS.DropoutWrapper(KINDS.BasicLSTMCell(2), 0.5)])
  tf.nn.dynamic_rnn(copy.deepcopy(cell), tf.zeros([1, 2, 2]), dtype=tf.float32)
  assert cell.weights == [] and cell._cells[1]._cell is cell._cells[1].wrapped_cell


def test_layers_of_keras_style():
  with tf.layers.experimental.keras_style_scope():
    cells = [KINDS.GRUCell(2), KINDS.GRUCell(2)]
  x, state = tf.ones([1, 3]), tf.ones([1, 2])
  for _ in range(2):
    for cell in cells:
      cell(x, state)
  assert [len(cell.trainable_weights) for cell in cells] == [4, 4]
  assert len({id(v) for cell in cells for v in cell.weights}) == 8


# Stacks of both directions


def test_stack_of_both_directions():
  x = tf.placeholder(tf.float32, [2, 3, 4])
  cells = lambda: [KINDS.GRUCell(3), KINDS.LSTMCell(2)]
  with tf.variable_scope("s", initializer=tf.constant_initializer(0.3)):
    outputs, fw, bw = tf.contrib.rnn.stack_bidirectional_dynamic_rnn(
      cells(),
      cells(),
      x,
      initial_states_fw=[tf.ones([2, 3]), KINDS.LSTMStateTuple(tf.ones([2, 2]), tf.zeros([2, 2]))],
      initial_states_bw=[tf.zeros([2, 3]), KINDS.LSTMStateTuple(tf.zeros([2, 2]), tf.ones([2, 2]))],
      sequence_length=[3, 1],
      parallel_iterations=1,
      swap_memory=True,
      scope="mine",
    )
  assert names()[0] == "s/mine/cell_0/bidirectional_rnn/fw/gru_cell/gates/kernel"
  assert names()[-1] == "s/mine/cell_1/bidirectional_rnn/bw/lstm_cell/bias"
  with tf.variable_scope("t", initializer=tf.constant_initializer(0.3)):
    listed, list_fw, list_bw = tf.contrib.rnn.stack_bidirectional_rnn(
      cells(),
      cells(),
      tf.unstack(x, axis=1),
      initial_states_fw=[tf.ones([2, 3]), KINDS.LSTMStateTuple(tf.ones([2, 2]), tf.zeros([2, 2]))],
      initial_states_bw=[tf.zeros([2, 3]), KINDS.LSTMStateTuple(tf.zeros([2, 2]), tf.ones([2, 2]))],
      sequence_length=tf.constant([3, 1], tf.int64),
      scope="mine",
    )
  # Those of lists have no scope of their own within a layer's.
  assert [name for name in names() if name.startswith("t/")] == [
    "t" + name[1:].replace("bidirectional_rnn/", "") for name in names() if name.startswith("s/")
  ]
  with tf.variable_scope("s", reuse=True):
    turned, _, _ = tf.contrib.rnn.stack_bidirectional_dynamic_rnn(
      cells(), cells(), tf.transpose(x, [1, 0, 2]), dtype=tf.float32, time_major=True, scope="mine"
    )
  with tf.variable_scope("t", reuse=True):
    plain, _, _ = tf.contrib.rnn.stack_bidirectional_rnn(cells(), cells(), tf.unstack(x, axis=1), dtype=tf.float32, scope="mine")
  assert outputs.shape.as_list() == [2, 3, 4] and isinstance(fw, tuple) and isinstance(bw, tuple)
  got = initialized([outputs, fw, bw, tf.stack(listed, 1), list_fw, list_bw, turned, tf.stack(plain)], {x: numbers(2, 3, 4)})
  np.testing.assert_allclose(got[0], got[3], rtol=1e-5, atol=1e-6)
  for one, two in zip(got[1] + got[2], got[4] + got[5]):
    np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)
  np.testing.assert_allclose(got[6], got[7], rtol=1e-5, atol=1e-6)
  # What the layers do one after the other, without lengths.
  assert np.abs(got[0][1, 1:]).max() == 0


def test_stack_is_one_layer_on_the_other():
  x = tf.constant(numbers(2, 3, 4))
  with tf.variable_scope("s", initializer=tf.constant_initializer(0.3)):
    outputs, _, _ = tf.contrib.rnn.stack_bidirectional_dynamic_rnn(
      [KINDS.GRUCell(3), KINDS.GRUCell(2)], [KINDS.GRUCell(3), KINDS.GRUCell(2)], x, dtype=tf.float32
    )
    value = x
    for number, units in enumerate((3, 2)):
      scope = "layer_%d" % number
      pair, _ = tf.nn.bidirectional_dynamic_rnn(KINDS.GRUCell(units), KINDS.GRUCell(units), value, dtype=tf.float32, scope=scope)
      value = tf.concat(pair, 2)
  assert names()[0].startswith("s/stack_bidirectional_rnn/cell_0/bidirectional_rnn/fw/")
  one, two = initialized([outputs, value])
  np.testing.assert_allclose(one, two, rtol=1e-6)


def test_errors_of_stacks():
  gru = lambda: KINDS.GRUCell(2)
  x = tf.zeros([1, 2, 3])
  for run in (tf.contrib.rnn.stack_bidirectional_dynamic_rnn, tf.contrib.rnn.stack_bidirectional_rnn):
    for arguments, words in (
      (([], [gru()]), "at least one fw cell"),
      (([gru()], []), "at least one bw cell"),
      (((gru(),), [gru()]), "cells_fw must be a list"),
      (([gru()], (gru(),)), "cells_bw must be a list"),
      (([gru()], [gru(), gru()]), "must have the same depth"),
    ):
      with pytest.raises(ValueError, match=words):
        run(*arguments, x, dtype=tf.float32)
    with pytest.raises(ValueError, match="initial_states_fw must be a list"):
      run([gru()], [gru()], x, initial_states_fw=[None, None], dtype=tf.float32)
    with pytest.raises(ValueError, match="initial_states_bw must be a list"):
      run([gru()], [gru()], x, initial_states_bw=tf.zeros([1, 2]), dtype=tf.float32)


# Names


def test_small_functions():
  x = tf.placeholder(tf.float32, [None, 3, 4, 5])
  turned = tf.contrib.rnn.transpose_batch_time(x)
  assert turned.shape.as_list() == [3, None, 4, 5]
  assert tf.contrib.rnn.best_effort_input_batch_size([x, tf.zeros([2, 7])]) == 3
  dynamic = tf.contrib.rnn.best_effort_input_batch_size([tf.placeholder(tf.float32, [2, None])])
  vector = tf.zeros([3])
  assert tf.contrib.rnn.transpose_batch_time(vector) is vector
  with pytest.raises(ValueError, match="rank >= 2"):
    tf.contrib.rnn.best_effort_input_batch_size([vector])
  with tf.Session() as session:
    assert session.run(turned, {x: np.zeros((2, 3, 4, 5))}).shape == (3, 2, 4, 5)
    assert session.run(dynamic, {dynamic.op.inputs[0].op.inputs[0]: np.zeros((2, 6))}) == 6


def test_contrib_has_the_names_of_the_core():
  contrib = tf.contrib.rnn
  for name in ("RNNCell", "BasicRNNCell", "GRUCell", "BasicLSTMCell", "LSTMCell", "LSTMStateTuple", "MultiRNNCell"):
    assert getattr(contrib, name) is getattr(KINDS, name)
  for name in ("DropoutWrapper", "ResidualWrapper", "DeviceWrapper"):
    assert getattr(contrib, name) is getattr(KINDS, name)
  for name in ("static_rnn", "static_state_saving_rnn", "static_bidirectional_rnn"):
    assert getattr(contrib, name) is getattr(tf.nn, name)
  assert issubclass(contrib.LayerRNNCell, KINDS.RNNCell) and issubclass(KINDS.GRUCell, contrib.LayerRNNCell)


@pytest.fixture
def as_tensorflow():
  """`import tensorflow` is this package, as in scripts that are run unchanged."""
  from millrace.scripts import hook

  def loaded():
    return {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "tensorflow"}

  # Other tests of this process may have TensorFlow's own package.
  others, finders = loaded(), list(sys.meta_path)
  for name in others:
    del sys.modules[name]
  hook.install()
  yield importlib.import_module
  sys.meta_path[:] = finders
  for name in loaded():
    del sys.modules[name]
  sys.modules.update(others)


def test_internals(as_tensorflow):
  rnn_cell_impl = as_tensorflow("tensorflow.python.ops.rnn_cell_impl")
  assert rnn_cell_impl.RNNCell is KINDS.RNNCell and rnn_cell_impl.LSTMStateTuple is KINDS.LSTMStateTuple
  rnn_cell_impl.assert_like_rnncell("cell", KINDS.GRUCell(2))
  with pytest.raises(TypeError, match="is not an RNNCell"):
    rnn_cell_impl.assert_like_rnncell("cell", 3)
  assert rnn_cell_impl._WEIGHTS_VARIABLE_NAME == "kernel" and rnn_cell_impl._BIAS_VARIABLE_NAME == "bias"
  core = as_tensorflow("tensorflow.contrib.rnn.python.ops.core_rnn_cell")
  assert core._linear([tf.zeros([1, 2]), tf.zeros([1, 3])], 4, True).shape.as_list() == [1, 4]
  assert core._Linear is core._Linear and core.EmbeddingWrapper is tf.contrib.rnn.EmbeddingWrapper
  assert rnn_cell_impl._linear is core._linear
  with tf.variable_scope("old"):
    assert rnn_cell_impl._Linear(tf.zeros([1, 2]), 3, False)(tf.zeros([2, 2])).shape.as_list() == [2, 3]
  rnn = as_tensorflow("tensorflow.python.ops.rnn")
  assert rnn.dynamic_rnn is tf.nn.dynamic_rnn and rnn.static_rnn is tf.nn.static_rnn
  assert rnn._transpose_batch_time is tf.contrib.rnn.transpose_batch_time
  assert rnn._best_effort_input_batch_size is tf.contrib.rnn.best_effort_input_batch_size
  assert rnn._concat(2, 3, static=True) == [2, 3]
  assert as_tensorflow("tensorflow.python.ops.rnn_cell").GRUCell is KINDS.GRUCell
  assert as_tensorflow("tensorflow.contrib.rnn.python.ops.rnn_cell").NASCell is tf.contrib.rnn.NASCell
  assert as_tensorflow("tensorflow.contrib.rnn.python.ops.lstm_ops").LSTMBlockCell is tf.contrib.rnn.LSTMBlockCell
  assert as_tensorflow("tensorflow.contrib.rnn.python.ops.gru_ops").GRUBlockCell is tf.contrib.rnn.GRUBlockCell
  fused = as_tensorflow("tensorflow.contrib.rnn.python.ops.fused_rnn_cell")
  assert fused.TimeReversedFusedRNN is tf.contrib.rnn.TimeReversedFusedRNN
  contrib_rnn = as_tensorflow("tensorflow.contrib.rnn.python.ops.rnn")
  assert contrib_rnn.stack_bidirectional_rnn is tf.contrib.rnn.stack_bidirectional_rnn
  assert as_tensorflow("tensorflow.contrib.rnn").BasicLSTMCell is KINDS.BasicLSTMCell
  assert as_tensorflow("tensorflow.contrib").rnn.GRUCell is KINDS.GRUCell


def test_arrays_as_inputs():
  x = numbers(2, 3, 4)
  one, _ = tf.nn.dynamic_rnn(KINDS.GRUCell(2), x, dtype=tf.float32)
  two, _ = tf.nn.dynamic_rnn(
    KINDS.GRUCell(2), x.swapaxes(0, 1), dtype=tf.float32, time_major=True, scope=tf.VariableScope(True, "rnn")
  )
  one, two = initialized([one, two])
  np.testing.assert_allclose(one, two.swapaxes(0, 1), rtol=1e-6)


# Sequences of one step, of no steps, and of states that are not matrices


def test_no_steps():
  x = tf.placeholder(tf.float32, [2, None, 3])
  outputs, state = tf.nn.dynamic_rnn(KINDS.GRUCell(4), x, initial_state=tf.ones([2, 4]))
  values, last = initialized([outputs, state], {x: np.zeros((2, 0, 3))})
  assert values.shape == (2, 0, 4) and (last == 1).all()


def test_scalar_state_is_not_masked():
  class Counter(KINDS.RNNCell):
    @property
    def state_size(self):
      return tf.TensorShape([])

    @property
    def output_size(self):
      return 1

    def zero_state(self, batch_size, dtype):
      return tf.constant(0.0)

    def call(self, inputs, state):
      return inputs * 0.0 + state, state + 1.0

  for run in (
    lambda: tf.nn.dynamic_rnn(Counter(), tf.zeros([2, 3, 1]), sequence_length=[1, 0], dtype=tf.float32)[1],
    lambda: tf.nn.static_rnn(Counter(), [tf.zeros([2, 1])] * 3, sequence_length=[1, 0], dtype=tf.float32)[1],
  ):
    state = run()
    with tf.Session() as session:
      assert session.run(state) == 1.0


def test_half_and_double():
  for dtype, tolerance in ((tf.float16, 1e-2), (tf.float64, 1e-6)):
    tf.reset_default_graph()
    with tf.variable_scope("s", initializer=tf.constant_initializer(0.25, dtype=dtype), dtype=dtype):
      outputs, _ = tf.nn.dynamic_rnn(KINDS.LSTMCell(2), tf.ones([1, 3, 2], dtype), dtype=dtype)
    with tf.variable_scope("t", initializer=tf.constant_initializer(0.25)):
      wanted, _ = tf.nn.dynamic_rnn(KINDS.LSTMCell(2), tf.ones([1, 3, 2]), dtype=tf.float32)
    one, two = initialized([outputs, wanted])
    assert one.dtype == dtype.as_numpy_dtype
    np.testing.assert_allclose(one, two, rtol=tolerance)


def test_training():
  """A network that learns to say which of its inputs was the greatest."""
  generator = np.random.RandomState(0)
  x = tf.placeholder(tf.float32, [None, 8, 1])
  y = tf.placeholder(tf.int64, [None])
  tf.set_random_seed(1)
  cell = KINDS.MultiRNNCell([KINDS.BasicLSTMCell(16) for _ in range(2)])
  outputs, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
  w = tf.get_variable("w", [16, 2])
  logits = tf.matmul(outputs[:, -1], w)
  loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
  step = tf.train.AdamOptimizer(0.02).minimize(loss)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    losses = []
    for _ in range(60):
      values = generator.rand(32, 8, 1)
      feed = {x: values, y: (values.sum((1, 2)) > 4).astype(np.int64)}
      losses.append(session.run([loss, step], feed)[0])
  assert losses[0] > 0.6 and np.mean(losses[-5:]) < 0.35
