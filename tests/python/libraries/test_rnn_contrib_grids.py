"""Cells of tf.contrib.rnn that go through time and frequency, by their formulas."""

import collections

import numpy as np
import pytest
from rnn_formulas import check, join, numbers, sigmoid, split, tf

KINDS = tf.contrib.rnn


def time_frequency(p, x, state, units, size, skip, peepholes, clip):
  """One LSTM over pieces of x; the state has [c, h] for each piece."""
  before = np.zeros((len(x), units))
  outputs, states = [], []
  for place in range((x.shape[1] - size) // skip + 1):
    piece = x[:, place * skip : place * skip + size]
    c, h = state[:, 2 * place * units : (2 * place + 1) * units], state[:, (2 * place + 1) * units : (2 * place + 2) * units]
    i, j, f, o = split(join(piece, h, before) @ p["W"] + p["B"], 4)
    f = f + 0.5
    if peepholes:
      f, i = f + p["W_F_diag"] * c, i + p["W_I_diag"] * c
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(j)
    if clip:
      c = np.clip(c, -clip, clip)
    h = sigmoid(o + (p["W_O_diag"] * c if peepholes else 0)) * np.tanh(c)
    before = h
    outputs.append(h)
    states += [c, h]
  return join(*outputs), join(*states)


def test_time_frequency_of_one_piece():
  def step(p, x, state):
    return time_frequency({**p, "W": p["W_0"]}, x, state, 3, 4, 1, True, 0.4)

  cell = KINDS.TimeFreqLSTMCell(
    3,
    use_peepholes=True,
    cell_clip=0.4,
    initializer=tf.ones_initializer(),
    forget_bias=0.5,
    feature_size=4,
    reuse=tf.AUTO_REUSE,
  )
  names = {"W_0": [10, 12], "B": [12], "W_F_diag": [3], "W_I_diag": [3], "W_O_diag": [3]}
  check(cell, step, names={"time_freq_lstm_cell/" + name: shape for name, shape in names.items()})


def test_time_frequency_of_several_pieces():
  cell = KINDS.TimeFreqLSTMCell(3, num_unit_shards=2, forget_bias=0.5, feature_size=2, frequency_skip=2)
  assert cell.state_size == 6 and cell.output_size == 3
  x, state = numbers(2, 6), numbers(2, 18)
  output, following = cell(tf.constant(x), tf.constant(state))
  variables = {v.op.name.partition("/")[2]: v for v in tf.global_variables()}
  assert {name: v.shape.as_list() for name, v in variables.items()} == {"W_0": [4, 12], "W_1": [4, 12], "B": [12]}
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    p = session.run(variables)
    got = session.run([output, following])
  p["W"] = np.concatenate([p["W_0"], p["W_1"]])
  wanted = time_frequency(p, x, state, 3, 2, 2, False, None)
  for one, two in zip(got, wanted):
    np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)


def grid_block(p, pieces, block, states, units, share=False, couple=False, peepholes=False, clip=None):
  """Both LSTMs over the pieces of a block; `states` are pairs (c, h) of that through time."""
  batch = len(pieces[0])
  c_f = h_f = np.zeros((batch, units))
  outputs, following = [], []

  def diagonal(side, gate, cells):
    if not peepholes:
      return 0
    side = "freq" if share else side
    return sum(p["W_%s_diag_%s%s_%d" % (gate, side, other, block)] * c for other, c in zip("ft", cells))

  for piece, (c_t, h_t) in zip(pieces, states):
    joined = join(piece, h_t, h_f)
    cells = (c_f, c_t)
    gates = {}
    for side, letter in (("freq", "f"), ("time", "t")):
      own = "f" if share else letter
      w = p["W_%s_%d_0" % (own, block)]
      gates[side] = split(joined @ w + p["B_%s_%d" % (own, block)], 3 if couple else 4)
    new = {}
    for side, c in (("freq", c_f), ("time", c_t)):
      i = sigmoid(gates[side][0] + diagonal(side, "I", cells))
      f = 1 - i if couple else sigmoid(gates[side][2] + 0.5 + diagonal(side, "F", cells))
      new[side] = f * c + i * np.tanh(gates[side][1])
      if clip:
        new[side] = np.clip(new[side], -clip, clip)
    c_f, c_t = new["freq"], new["time"]
    h = {}
    for side, c in new.items():
      h[side] = sigmoid(gates[side][-1] + diagonal(side, "O", (c_f, c_t))) * np.tanh(c)
    h_f, h_t = h["freq"], h["time"]
    outputs += [h_t, h_f]
    following += [c_t, h_t]
  return outputs, following


def pieces_of(x, start, number, size, skip):
  return [x[:, start + skip * place : start + skip * place + size] for place in range(number)]


def pairs(states):
  return list(zip(states[::2], states[1::2]))


@pytest.mark.parametrize("share", [False, True])
@pytest.mark.parametrize("couple", [False, True])
def test_grid(share, couple):
  cell = KINDS.GridLSTMCell(
    3,
    use_peepholes=True,
    share_time_frequency_weights=share,
    cell_clip=0.5,
    initializer=tf.ones_initializer(),
    forget_bias=0.5,
    feature_size=2,
    frequency_skip=1,
    num_frequency_blocks=[3],
    couple_input_forget_gates=couple,
    reuse=tf.AUTO_REUSE,
  )

  def step(p, x, state):
    options = {"share": share, "couple": couple, "peepholes": True, "clip": 0.5}
    outputs, states = grid_block(p, pieces_of(x, 0, 3, 2, 1), 0, pairs(state), 3, **options)
    return join(*outputs), cell.state_tuple_type(*states)

  columns = 9 if couple else 12
  sides = ["f"] if share else ["f", "t"]
  names = {"W_%s_0_0" % side: [8, columns] for side in sides}
  names.update({"B_%s_0" % side: [columns] for side in sides})
  for side in ["freq"] if share else ["freq", "time"]:
    for gate in "IO" if couple else "FIO":
      names.update({"W_%s_diag_%s%s_0" % (gate, side, other): [3] for other in "ft"})
  assert cell.state_tuple_type._fields[:2] == ("state_f00_b00_c", "state_f00_b00_m")
  assert cell.output_size == 18
  check(cell, step, names={"grid_lstm_cell/" + name: shape for name, shape in names.items()})


def test_grid_of_blocks_with_joined_state():
  def step(p, x, state):
    parts = np.split(state, 6, axis=1)
    outputs, states = [], []
    for block, (start, number) in enumerate([(0, 1), (2, 2)]):
      own = parts[:2] if block == 0 else parts[2:]
      more = grid_block(p, pieces_of(x, start, number, 2, 2), block, pairs(own), 3)
      outputs += more[0]
      states += more[1]
    return join(*outputs), join(*states)

  cell = KINDS.GridLSTMCell(
    3,
    forget_bias=0.5,
    feature_size=2,
    frequency_skip=2,
    num_frequency_blocks=[1, 2],
    start_freqindex_list=[0, 2],
    end_freqindex_list=[2, 6],
    state_is_tuple=False,
  )
  assert cell.state_size == 18 and cell.state_tuple_type is None
  check(cell, step, inputs=numbers(3, 3, 6))


def test_grid_shards():
  cell = KINDS.GridLSTMCell(3, num_unit_shards=2, feature_size=4, frequency_skip=1, num_frequency_blocks=[1])
  zeros = tf.zeros([1, 3])
  cell(tf.zeros([1, 4]), cell.state_tuple_type(zeros, zeros))
  names = sorted(v.op.name for v in tf.global_variables() if "W_f" in v.name)
  assert names == ["grid_lstm_cell/W_f_0_0", "grid_lstm_cell/W_f_0_1"]


@pytest.mark.parametrize("offset", [0, 1, -1])
def test_bidirectional_grid(offset):
  cell = KINDS.BidirectionalGridLSTMCell(
    3,
    use_peepholes=True,
    share_time_frequency_weights=True,
    cell_clip=0.5,
    initializer=tf.ones_initializer(),
    forget_bias=0.5,
    feature_size=2,
    frequency_skip=1,
    num_frequency_blocks=[2],
    start_freqindex_list=[0],
    end_freqindex_list=[3],
    couple_input_forget_gates=True,
    backward_slice_offset=offset,
    reuse=tf.AUTO_REUSE,
  )

  def step(p, x, state):
    options = {"share": True, "couple": True, "peepholes": True, "clip": 0.5}
    shifted = np.pad(x, [(0, 0), (max(-offset, 0), max(offset, 0))])
    forwards = pieces_of(x, 0, 2, 2, 1)
    backwards = pieces_of(shifted, max(offset, 0), 2, 2, 1)[::-1]
    results = []
    for direction, pieces, own in (("fwd", forwards, state[:4]), ("bwd", backwards, state[4:])):
      inner = {name[len(direction) + 1 :]: value for name, value in p.items() if name.startswith(direction)}
      results.append(grid_block(inner, pieces, 0, pairs(own), 3, **options))
    return join(*results[0][0], *results[1][0]), cell.state_tuple_type(*results[0][1], *results[1][1])

  assert cell.state_tuple_type._fields[0] == "fwd_state_f00_b00_c"
  assert cell.state_tuple_type._fields[-1] == "bwd_state_f01_b00_m"
  names = {"%s/W_f_0_0" % side: [8, 9] for side in ("fwd", "bwd")}
  names.update({"%s/B_f_0" % side: [9] for side in ("fwd", "bwd")})
  names.update({"%s/W_%s_diag_freq%s_0" % (side, gate, other): [3] for side in ("fwd", "bwd") for gate in "IO" for other in "ft"})
  check(
    cell,
    step,
    inputs=numbers(3, 3, 3),
    names={"bidirectional_grid_lstm_cell/" + name: shape for name, shape in names.items()},
  )


def test_bidirectional_grid_shards():
  cell = KINDS.BidirectionalGridLSTMCell(2, num_unit_shards=2, feature_size=3, frequency_skip=1, num_frequency_blocks=[1])
  cell(tf.zeros([1, 3]), cell.zero_state(1, tf.float32))
  counts = collections.Counter(v.op.name.split("/")[1] for v in tf.global_variables())
  assert counts == {"fwd": 6, "bwd": 6}


def test_errors():
  def run(depth, **arguments):
    cell = KINDS.GridLSTMCell(3, feature_size=2, frequency_skip=1, **arguments)
    cell(tf.placeholder(tf.float32, [1, depth]), cell.zero_state(1, tf.float32))

  for words, depth, arguments in (
    ("Must specify num_frequency_blocks", 4, {}),
    ("Invalid num_frequency_blocks, requires 3 but gets 2", 4, {"num_frequency_blocks": [2]}),
    ("Length of num_frequency_blocks is not 1, but instead is 2", 4, {"num_frequency_blocks": [2, 2]}),
    ("Cannot infer input_size", None, {"num_frequency_blocks": [2]}),
    (
      "Length of start and end freqindex_list does not match 1 2",
      4,
      {"num_frequency_blocks": [1], "start_freqindex_list": [0], "end_freqindex_list": [2, 4]},
    ),
    (
      "Length of num_frequency_blocks is not equal to start_freqindex_list 2 1",
      4,
      {"num_frequency_blocks": [1, 1], "start_freqindex_list": [0], "end_freqindex_list": [2]},
    ),
    (
      "Invalid num_frequency_blocks, requires 1 but gets 2",
      4,
      {"num_frequency_blocks": [2], "start_freqindex_list": [0], "end_freqindex_list": [2]},
    ),
  ):
    with pytest.raises(ValueError, match=words):
      run(depth, **arguments)
