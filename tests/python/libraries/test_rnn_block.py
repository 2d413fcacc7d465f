"""Cells that are one op, cells that take all steps at once, and those with cuDNN's formulas."""

import numpy as np
import pytest
from rnn_formulas import by_formula, check, join, numbers, sigmoid, split, tf

LSTM = tf.nn.rnn_cell.LSTMStateTuple
KINDS = tf.contrib.rnn


def lstm_step(forget_bias=1.0, clip=None):
  def step(p, x, state):
    c, h = state
    i, j, f, o = split(join(x, h) @ p["kernel"] + p["bias"], 4)
    f = f + forget_bias + p.get("w_f_diag", 0) * c
    c = sigmoid(f) * c + sigmoid(i + p.get("w_i_diag", 0) * c) * np.tanh(j)
    if clip:
      c = np.clip(c, -clip, clip)
    h = sigmoid(o + p.get("w_o_diag", 0) * c) * np.tanh(c)
    return h, LSTM(c, h)

  return step


def gru_step(names):
  def step(p, x, h):
    r, u = split(sigmoid(join(x, h) @ p[names[0]] + p[names[1]]), 2)
    c = np.tanh(join(x, r * h) @ p[names[2]] + p[names[3]])
    h = u * h + (1 - u) * c
    return h, h

  return step


def test_lstm_block():
  check(KINDS.LSTMBlockCell(5), lstm_step(), names={"lstm_cell/kernel": [9, 20], "lstm_cell/bias": [20]})


def test_lstm_block_arguments():
  cell = KINDS.LSTMBlockCell(
    5, forget_bias=0.5, cell_clip=0.4, use_peephole=True, dtype=tf.float32, reuse=tf.AUTO_REUSE, name="mine"
  )
  names = {"kernel": [9, 20], "bias": [20], "w_i_diag": [5], "w_f_diag": [5], "w_o_diag": [5]}
  # The op's gradient lets the cell through where it was clipped.
  inputs = 0.1 * numbers(3, 3, 4)
  check(cell, lstm_step(0.5, 0.4), inputs=inputs, names={"mine/" + name: shape for name, shape in names.items()}, slopes=False)


def test_lstm_block_peepholes():
  check(KINDS.LSTMBlockCell(5, use_peephole=True), lstm_step())


def test_lstm_block_reads_what_lstm_cell_writes(tmp_path):
  x = tf.constant(numbers(2, 3, 4))
  path = str(tmp_path / "model")

  def built(cell):
    outputs, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    return outputs, tf.train.Saver()

  outputs, saver = built(tf.nn.rnn_cell.LSTMCell(5, use_peepholes=True))
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    wanted = session.run(outputs)
    saver.save(session, path)
  tf.reset_default_graph()
  x = tf.constant(numbers(2, 3, 4))
  outputs, saver = built(KINDS.LSTMBlockCell(5, use_peephole=True))
  with tf.Session() as session:
    saver.restore(session, path)
    np.testing.assert_allclose(session.run(outputs), wanted, rtol=1e-5, atol=1e-6)


def test_gru_block():
  names = ("w_ru", "b_ru", "w_c", "b_c")
  shapes = dict(zip(["gru_cell/" + name for name in names], ([9, 10], [10], [9, 5], [5])))
  check(KINDS.GRUBlockCell(5), gru_step(names), names=shapes)
  tf.reset_default_graph()
  check(KINDS.GRUBlockCell(cell_size=3, reuse=tf.AUTO_REUSE, name="g"), gru_step(names))


def test_gru_block_v2():
  names = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")
  shapes = dict(zip(["g/" + name for name in names], ([9, 10], [10], [9, 5], [5])))
  check(KINDS.GRUBlockCellV2(num_units=5, name="g", reuse=tf.AUTO_REUSE), gru_step(names), names=shapes)
  tf.reset_default_graph()
  cell = KINDS.GRUBlockCellV2(cell_size=2)
  cell(tf.zeros([1, 2]), tf.zeros([1, 2]))
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = {v.op.name: session.run(v) for v in tf.global_variables()}
  assert (values["gru_cell/gates/bias"] == 1).all() and (values["gru_cell/candidate/bias"] == 0).all()


def test_errors_of_blocks():
  for arguments in ({}, {"num_units": 2, "cell_size": 2}):
    with pytest.raises(ValueError, match="num_units or cell_size"):
      KINDS.GRUBlockCell(**arguments)
  with pytest.raises(ValueError, match="Expecting input_size to be set"):
    KINDS.GRUBlockCell(2)(tf.placeholder(tf.float32, [1, None]), tf.zeros([1, 2]))
  with pytest.raises(ValueError, match="tuple with length 2"):
    KINDS.LSTMBlockCell(2)(tf.zeros([1, 2]), (tf.zeros([1, 2]),))
  with pytest.raises(ValueError, match="to be set"):
    KINDS.LSTMBlockCell(2)(tf.placeholder(tf.float32, [1, None]), (tf.zeros([1, 2]), tf.zeros([1, 2])))


# All steps at once


def check_fused(cell, step, lengths=None, initial=None, as_list=False, prefix="lstm_fused_cell/", turned=False, **arguments):
  """Compares a fused cell over [time, batch, depth] with a formula; `turned` says that it goes backwards."""
  x = numbers(4, 3, 5)
  placed = tf.placeholder(tf.float32, [4, 3, 5])
  inputs = tf.unstack(placed) if as_list else placed
  state = None if initial is None else LSTM(*[tf.constant(part) for part in initial])
  if lengths is not None:
    arguments["sequence_length"] = tf.constant(lengths, tf.int32)
  outputs, final = cell(inputs, initial_state=state, **arguments)
  assert isinstance(outputs, list) == as_list
  if as_list:
    outputs = tf.stack(outputs)
  variables = {v.op.name: v for v in tf.global_variables()}
  assert all(name.startswith(prefix) for name in variables)
  gradients = tf.gradients([outputs, *final], list(variables.values()) + [placed])
  known = [3 * [4], lengths][lengths is not None]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for name, variable in variables.items():
      variable.load(numbers(*variable.shape.as_list(), seed=len(name)), session)
    p, got, slopes = session.run([variables, [outputs, final], gradients], {placed: x})
  p = {name[len(prefix) :]: np.asarray(value, np.float64) for name, value in p.items()}
  zero = initial or (np.zeros((3, 2)), np.zeros((3, 2)))

  def run(p, x):
    wide = np.swapaxes(x, 0, 1)
    if turned:
      wide = np.stack([join_reversed(row, length) for row, length in zip(wide, known)])
    values, state = by_formula(step, p, wide, LSTM(*zero), known)
    if turned:
      values = np.stack([join_reversed(row, length) for row, length in zip(values, known)])
    return np.swapaxes(values, 0, 1), state

  wanted = run(p, x.astype(np.float64))
  np.testing.assert_allclose(got[0], wanted[0], rtol=1e-5, atol=1e-6)
  for one, two in zip(got[1], wanted[1]):
    np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)
  total = lambda result: result[0].sum() + sum(part.sum() for part in result[1])
  turns = {name: numbers(*value.shape, seed=3).astype(np.float64) for name, value in p.items()}
  turn = numbers(4, 3, 5, seed=9).astype(np.float64)
  moved = lambda amount: total(run({name: value + amount * turns[name] for name, value in p.items()}, x + amount * turn))
  difference = (moved(1e-6) - moved(-1e-6)) / 2e-6
  got_slope = sum(float((slope * part).sum()) for slope, part in zip(slopes, list(turns.values()) + [turn]))
  np.testing.assert_allclose(got_slope, difference, rtol=2e-3, atol=1e-3)


def join_reversed(row, length):
  return np.concatenate([row[:length][::-1], row[length:]])


def test_fused_lstm():
  check_fused(KINDS.LSTMBlockFusedCell(2), lstm_step(), dtype=tf.float32)


def test_fused_lstm_arguments():
  cell = KINDS.LSTMBlockFusedCell(
    2, forget_bias=0.5, cell_clip=10.0, use_peephole=True, reuse=tf.AUTO_REUSE, dtype=tf.float32, name="mine"
  )
  initial = (numbers(3, 2), numbers(3, 2, seed=1))
  check_fused(cell, lstm_step(0.5), lengths=[4, 2, 0], initial=initial, prefix="mine/")


def test_fused_lstm_clips():
  cell = KINDS.LSTMBlockFusedCell(2, cell_clip=0.1)
  x = numbers(4, 3, 5)
  outputs, state = cell(tf.constant(x), dtype=tf.float32)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    assert np.abs(session.run(state.c)).max() <= 0.1


def test_fused_lstm_of_a_list():
  check_fused(KINDS.LSTMBlockFusedCell(2), lstm_step(), as_list=True, lengths=[1, 2, 3], dtype=tf.float32)


def test_own_wrapper():
  """A class of the program below LSTMBlockWrapper."""

  class Sums(KINDS.LSTMBlockWrapper):
    @property
    def num_units(self):
      return 2

    def _call_cell(self, inputs, initial_cell_state, initial_output, dtype, sequence_length):
      sums = tf.cumsum(inputs) + initial_cell_state
      return sums, sums * 2.0

  x = numbers(3, 2, 2)
  outputs, state = Sums()(tf.constant(x), dtype=tf.float32, sequence_length=[3, 1])
  with tf.Session() as session:
    outputs, state = session.run([outputs, state])
  sums = x.cumsum(0)
  np.testing.assert_allclose(outputs[:, 0], 2 * sums[:, 0], rtol=1e-6)
  np.testing.assert_allclose(outputs[:, 1], [2 * sums[0, 1], [0, 0], [0, 0]], rtol=1e-6)
  np.testing.assert_allclose(state.c, [sums[2, 0], sums[0, 1]], rtol=1e-6)


def test_errors_of_fused_cells():
  cell = KINDS.LSTMBlockFusedCell(2)
  for arguments, words in (
    ({}, "Either initial_state or dtype needs to be specified"),
    ({"initial_state": (tf.zeros([1, 2]),)}, "Expecting initial_state to be a tuple with length 2 or None"),
  ):
    with pytest.raises(ValueError, match=words):
      cell(tf.zeros([2, 1, 3]), **arguments)


@pytest.mark.parametrize("use_dynamic_rnn", [False, True])
@pytest.mark.parametrize("as_list", [False, True])
def test_adaptor(use_dynamic_rnn, as_list):
  cell = KINDS.FusedRNNCellAdaptor(tf.nn.rnn_cell.LSTMCell(2), use_dynamic_rnn=use_dynamic_rnn)
  assert isinstance(cell, KINDS.FusedRNNCell)
  check_fused(cell, lstm_step(), lengths=[4, 1, 2], as_list=as_list, prefix="s/lstm_cell/", dtype=tf.float32, scope="s")


@pytest.mark.parametrize("lengths", [None, [4, 1, 2]])
@pytest.mark.parametrize("as_list", [False, True])
def test_reversed(lengths, as_list):
  cell = KINDS.TimeReversedFusedRNN(KINDS.LSTMBlockFusedCell(2))
  assert isinstance(cell, KINDS.FusedRNNCell)
  check_fused(cell, lstm_step(), lengths=lengths, as_list=as_list, turned=True, dtype=tf.float32)


# cuDNN


def test_cudnn_lstm():
  cell = tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell(5, reuse=tf.AUTO_REUSE)
  names = {"cudnn_compatible_lstm_cell/kernel": [9, 20], "cudnn_compatible_lstm_cell/bias": [20]}
  check(cell, lstm_step(0.0), names=names)


def test_cudnn_gru():
  def step(p, x, h):
    r, u = split(sigmoid(join(x, h) @ p["gates/kernel"] + p["gates/bias"]), 2)
    of_h = h @ p["candidate/hidden_projection/kernel"] + p["candidate/hidden_projection/bias"]
    c = np.tanh(x @ p["candidate/input_projection/kernel"] + p["candidate/input_projection/bias"] + r * of_h)
    h = u * h + (1 - u) * c
    return h, h

  names = {
    "gates/kernel": [9, 10],
    "gates/bias": [10],
    "candidate/input_projection/kernel": [4, 5],
    "candidate/input_projection/bias": [5],
    "candidate/hidden_projection/kernel": [5, 5],
    "candidate/hidden_projection/bias": [5],
  }
  cell = tf.contrib.cudnn_rnn.CudnnCompatibleGRUCell(5, reuse=tf.AUTO_REUSE, kernel_initializer=tf.ones_initializer())
  check(cell, step, names={"cudnn_compatible_gru_cell/" + name: shape for name, shape in names.items()})


def test_cudnn_layers_say_what_to_use():
  for kind, instead in (
    (tf.contrib.cudnn_rnn.CudnnLSTM, "LSTMBlockFusedCell"),
    (tf.contrib.cudnn_rnn.CudnnGRU, "CudnnCompatibleGRUCell"),
    (tf.contrib.cudnn_rnn.CudnnRNNTanh, "BasicRNNCell"),
    (tf.contrib.cudnn_rnn.CudnnRNNRelu, "activation=tf.nn.relu"),
  ):
    with pytest.raises(NotImplementedError, match="is not part of Millrace.*" + instead):
      kind(1, 5)
