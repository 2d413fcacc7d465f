"""Cells of tf.contrib.rnn, each by the formula of its paper, over sequences that end, with gradients and names of variables."""

import numpy as np
import pytest
from rnn_formulas import check, join, lstm, numbers, relu, sigmoid, softmax, split, tf

LSTM = tf.nn.rnn_cell.LSTMStateTuple
KINDS = tf.contrib.rnn


# tf.contrib.rnn.UGRNNCell and IntersectionRNNCell


def test_ugrnn():
  def step(p, x, h):
    g, c = split(join(x, h) @ p["kernel"] + p["bias"], 2)
    g = sigmoid(g + 0.5)
    h = g * h + (1 - g) * relu(c)
    return h, h

  cell = KINDS.UGRNNCell(5, initializer=tf.ones_initializer(), forget_bias=0.5, activation=tf.nn.relu)
  check(cell, step, names={"ugrnn_cell/kernel": [9, 10], "ugrnn_cell/bias": [10]})


def test_intersection():
  def step(p, x, h):
    if "in_projection/kernel" in p:
      x = x @ p["in_projection/kernel"] + p["in_projection/bias"]
    gh, h2, gy, y = split(join(x, h) @ p["kernel"] + p["bias"], 4)
    gh, gy = sigmoid(gh + 0.5), sigmoid(gy + 0.5)
    return gy * x + (1 - gy) * np.tanh(y), gh * h + (1 - gh) * np.tanh(h2)

  names = {"intersection_rnn_cell/kernel": [8, 16], "intersection_rnn_cell/bias": [16]}
  check(KINDS.IntersectionRNNCell(4, forget_bias=0.5, y_activation=tf.tanh), step, names=names)
  tf.reset_default_graph()
  cell = KINDS.IntersectionRNNCell(
    3, num_in_proj=3, initializer=tf.ones_initializer(), forget_bias=0.5, y_activation=tf.tanh, reuse=tf.AUTO_REUSE
  )
  check(cell, step)
  with pytest.raises(ValueError, match="Must have input size == output size"):
    KINDS.IntersectionRNNCell(3)(tf.zeros([1, 2]), tf.zeros([1, 3]))


def test_nas():
  def step(p, x, state):
    c, h = state
    m = h @ p["recurrent_kernel"] + p.get("bias", 0)
    x, m = split(x @ p["kernel"], 8), split(m, 8)
    first = [
      sigmoid(x[0] + m[0]),
      relu(x[1] + m[1]),
      sigmoid(x[2] + m[2]),
      relu(x[3] * m[3]),
      np.tanh(x[4] + m[4]),
      sigmoid(x[5] + m[5]),
      np.tanh(x[6] + m[6]),
      sigmoid(x[7] + m[7]),
    ]
    second = [
      np.tanh(first[0] * first[1]),
      np.tanh(first[2] + first[3]),
      np.tanh(first[4] * first[5]),
      sigmoid(first[6] + first[7]),
    ]
    c = np.tanh(second[0] + c) * second[1]
    h = np.tanh(c * np.tanh(second[2] + second[3]))
    if "projection_weights" in p:
      h = h @ p["projection_weights"]
    return h, LSTM(c, h)

  check(KINDS.NASCell(3), step, names={"nas_cell/kernel": [4, 24], "nas_cell/recurrent_kernel": [3, 24]})
  tf.reset_default_graph()
  names = {
    "nas_cell/kernel": [4, 24],
    "nas_cell/recurrent_kernel": [2, 24],
    "nas_cell/bias": [24],
    "nas_cell/projection_weights": [3, 2],
  }
  cell = KINDS.NASCell(3, num_proj=2, use_bias=True, reuse=tf.AUTO_REUSE)
  check(cell, step, names=names)
  assert KINDS.NASCell.from_config(cell.get_config()).state_size == LSTM(3, 2)


def test_sru():
  def step(p, x, c):
    x1, f, r, x2 = split(x @ p["kernel"], 4)
    f, r = split(sigmoid(join(f, r) + p["bias"]), 2)
    c = f * c + (1 - f) * x1
    return r * relu(c) + (1 - r) * x2, c

  cell = KINDS.SRUCell(5, activation=tf.nn.relu, name="s", reuse=tf.AUTO_REUSE)
  check(cell, step, names={"s/kernel": [4, 20], "s/bias": [10]})


def test_independent_rnn():
  def step(p, x, h):
    h = relu(x @ p["kernel_w"] + p["kernel_u"] * h + p["bias"])
    return h, h

  names = {"ind/kernel_w": [4, 5], "ind/kernel_u": [1, 5], "ind/bias": [5]}
  cell = KINDS.IndRNNCell(5, activation=tf.nn.relu, name="ind", reuse=tf.AUTO_REUSE, dtype=tf.float32)
  check(cell, step, names=names)


def test_independent_gru():
  def step(p, x, h):
    gates = x @ p["gates/kernel_w"] + p["gates/kernel_u"] * join(h, h) + p["gates/bias"]
    r, u = split(sigmoid(gates), 2)
    c = np.tanh(x @ p["candidate/kernel_w"] + p["candidate/kernel_u"] * (r * h) + p["candidate/bias"])
    h = u * h + (1 - u) * c
    return h, h

  names = {
    "indy_gru_cell/gates/kernel_w": [4, 10],
    "indy_gru_cell/gates/kernel_u": [1, 10],
    "indy_gru_cell/gates/bias": [10],
    "indy_gru_cell/candidate/kernel_w": [4, 5],
    "indy_gru_cell/candidate/kernel_u": [1, 5],
    "indy_gru_cell/candidate/bias": [5],
  }
  check(KINDS.IndyGRUCell(5), step, names=names)


def test_independent_lstm():
  def step(p, x, state):
    c, h = state
    c, h = lstm(*split(x @ p["kernel_w"] + p["kernel_u"] * join(h, h, h, h) + p["bias"], 4), c, forget_bias=0.5)
    return h, LSTM(c, h)

  names = {"indy_lstm_cell/kernel_w": [4, 20], "indy_lstm_cell/kernel_u": [1, 20], "indy_lstm_cell/bias": [20]}
  check(KINDS.IndyLSTMCell(5, forget_bias=0.5), step, names=names)


def test_initial_values_of_independent_cells():
  half = tf.constant_initializer(0.5)
  zeros = tf.zeros([1, 2])
  gru = KINDS.IndyGRUCell(
    2, activation=tf.nn.relu, kernel_initializer=half, bias_initializer=half, name="g", dtype=tf.float32, reuse=tf.AUTO_REUSE
  )
  gru(zeros, zeros)
  KINDS.IndyGRUCell(2, name="plain")(zeros, zeros)
  lstm_cell = KINDS.IndyLSTMCell(
    2, activation=tf.nn.relu, kernel_initializer=half, bias_initializer=half, name="l", dtype=tf.float32, reuse=tf.AUTO_REUSE
  )
  lstm_cell(zeros, (zeros, zeros))
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = {v.op.name: session.run(v) for v in tf.global_variables()}
  for name in ("g/gates/kernel_w", "g/gates/bias", "g/candidate/bias", "l/kernel_w", "l/bias"):
    assert (values[name] == 0.5).all()
  assert (values["plain/gates/bias"] == 1).all() and (values["plain/candidate/bias"] == 0).all()
  assert np.abs(values["plain/gates/kernel_u"]).max() <= 1


def test_minimal():
  def step(p, x, h):
    w, u = p["kernel"][:4], p["kernel"][4:]
    z = relu(x @ w)
    gate = sigmoid(join(z, h) @ u + p["bias"])
    h = gate * h + (1 - gate) * z
    return h, h

  cell = KINDS.MinimalRNNCell(
    5, activation="relu", kernel_initializer="ones", bias_initializer="zeros", name="m", dtype=tf.float32
  )
  check(cell, step, names={"m/kernel": [14, 5], "m/bias": [5]})
  config = KINDS.MinimalRNNCell(3).get_config()
  assert config["activation"] == "tanh" and KINDS.MinimalRNNCell.from_config(config).output_size == 3


def test_chaos_free():
  def step(p, x, h):
    v, w = p["kernel"][:, :10], p["kernel"][:, 10:]
    t, e = split(sigmoid(x @ v + h @ p["recurrent_kernel"] + p["bias"]), 2)
    h = t * np.tanh(h) + (1 - e) * np.tanh(x @ w)
    return h, h

  names = {"cfn_cell/kernel": [4, 15], "cfn_cell/recurrent_kernel": [5, 10], "cfn_cell/bias": [10]}
  check(KINDS.CFNCell(5), step, names=names)
  tf.reset_default_graph()
  cell = KINDS.CFNCell(
    2, activation=tf.nn.relu, kernel_initializer=tf.ones_initializer(), bias_initializer="zeros", name="c", dtype=tf.float64
  )
  output, _ = cell(tf.ones([1, 2], tf.float64), tf.ones([1, 2], tf.float64))
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    gate = sigmoid(4.0)
    np.testing.assert_allclose(session.run(output), np.full((1, 2), gate + (1 - gate) * 2), rtol=1e-6)


# Convolutions


def convolved(x, kernel):
  """Convolution with zeros around, for any number of dimensions of positions."""
  sizes = kernel.shape[:-2]
  pads = [(0, 0)] + [((size - 1) // 2, size // 2) for size in sizes] + [(0, 0)]
  padded = np.pad(x, pads)
  result = np.zeros(x.shape[:-1] + kernel.shape[-1:])
  for offset in np.ndindex(*sizes):
    window = padded[(slice(None), *[slice(o, o + n) for o, n in zip(offset, x.shape[1:-1])])]
    result += window @ kernel[offset]
  return result


@pytest.mark.parametrize("skip_connection", [False, True])
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_convolutions(dims, skip_connection):
  def step(p, x, state):
    c, h = state
    gates = convolved(join(x, h), p["kernel"])
    if "biases" in p:
      gates = gates + p["biases"]
    c, h = lstm(*split(gates, 4), c, forget_bias=0.5)
    if skip_connection:
      h = join(h, x)
    return h, LSTM(c, h)

  kind = {1: KINDS.Conv1DLSTMCell, 2: KINDS.Conv2DLSTMCell, 3: KINDS.Conv3DLSTMCell}[dims]
  positions = [4, 3, 2][:dims]
  filters = [3, 2, 1][:dims]
  cell = kind(
    input_shape=positions + [2],
    output_channels=3,
    kernel_shape=filters,
    use_bias=not skip_connection,
    skip_connection=skip_connection,
    forget_bias=0.5,
  )
  name = "conv_%dd_lstm_cell" % dims
  channels = 2 + 3 + (2 if skip_connection else 0)
  names = {name + "/kernel": filters + [channels, 12]}
  if not skip_connection:
    names[name + "/biases"] = [12]
  check(cell, step, inputs=numbers(3, 3, *positions, 2), names=names)


def test_convolution_arguments():
  cell = KINDS.ConvLSTMCell(conv_ndims=1, input_shape=[4, 2], output_channels=3, kernel_shape=[1], initializers=None, name="mine")
  assert cell.output_size.as_list() == [4, 3] and cell.name == "mine"
  assert [size.as_list() for size in cell.state_size] == [[4, 3], [4, 3]]
  with pytest.raises(ValueError, match="Invalid input_shape"):
    KINDS.ConvLSTMCell(conv_ndims=2, input_shape=[4, 2], output_channels=3, kernel_shape=[1])


# Memory


def test_turing_machine():
  size, width, heads, reach = 6, 3, 3, 1
  state_kind = type(KINDS.NTMCell(tf.nn.rnn_cell.BasicRNNCell(5), size, width, 2, 1).state_size)

  def addressed(p, head, memory, before):
    key, strength, gate, shifts, sharp = np.split(head, [width, width + 1, width + 2, width + 5], axis=1)
    key = np.tanh(key)
    norms = np.sqrt((memory**2).sum(2)) * np.sqrt((key**2).sum(1, keepdims=True))
    cosine = np.einsum("bnd,bd->bn", memory, key) / (norms + 1e-8)
    found = softmax(np.log1p(np.exp(strength)) * cosine)
    gate = sigmoid(gate)
    mixed = gate * found + (1 - gate) * before
    shifts = softmax(shifts)
    moved = shifts[:, :1] * mixed + shifts[:, 1:2] * np.roll(mixed, 1, 1) + shifts[:, 2:] * np.roll(mixed, -1, 1)
    sharpened = moved ** (np.log1p(np.exp(sharp)) + 1)
    return sharpened / sharpened.sum(1, keepdims=True)

  def step(p, x, state):
    batch = len(x)
    if state.time == 0:
      vectors = [np.repeat(np.tanh(p["initial_read_vector_%d" % n]), batch, 0) for n in range(2)]
      weights = [np.repeat(softmax(p["initial_address_weights_%d" % n]), batch, 0) for n in range(heads)]
      memory = np.repeat(p["memory"][None], batch, 0)
    else:
      vectors, weights, memory = state.read_vector_list, state.w_list, state.M
    h = np.tanh(join(x, *vectors, state.controller_state) @ p["basic_rnn_cell/kernel"] + p["basic_rnn_cell/bias"])
    said = np.clip(h @ p["parameters_kernel"] + p["parameters_bias"], -2, 2)
    per_head = width + 2 * reach + 4
    weights = [addressed(p, said[:, n * per_head : (n + 1) * per_head], memory, before) for n, before in enumerate(weights)]
    vectors = [np.einsum("bn,bnd->bd", w, memory) for w in weights[:2]]
    erased, added = split(said[:, heads * per_head :], 2)
    w = weights[2][:, :, None]
    memory = memory * (1 - w * sigmoid(erased)[:, None]) + w * np.tanh(added)[:, None]
    output = np.clip(join(h, *vectors) @ p["output_kernel"] + p["output_bias"], -2, 2)
    return output, state_kind(h, vectors, weights, memory, state.time + 1)

  cell = KINDS.NTMCell(
    controller=tf.nn.rnn_cell.BasicRNNCell(5),
    memory_size=size,
    memory_vector_dim=width,
    read_head_num=2,
    write_head_num=1,
    shift_range=reach,
    output_dim=4,
    clip_value=2,
    dtype=tf.float32,
    reuse=tf.AUTO_REUSE,
  )
  names = {
    "parameters_kernel": [5, 33],
    "parameters_bias": [33],
    "output_kernel": [11, 4],
    "output_bias": [4],
    "initial_read_vector_0": [1, 3],
    "initial_read_vector_1": [1, 3],
    "initial_address_weights_0": [1, 6],
    "initial_address_weights_1": [1, 6],
    "initial_address_weights_2": [1, 6],
    "memory": [6, 3],
    "basic_rnn_cell/kernel": [15, 5],
    "basic_rnn_cell/bias": [5],
  }
  check(cell, step, names={"ntm_cell/" + name: shape for name, shape in names.items()}, lengths=(3, 3, 3), tolerance=1e-4)


def test_turing_machine_defaults():
  cell = KINDS.NTMCell(tf.nn.rnn_cell.BasicRNNCell(5), 8, 3, 1, 1)
  outputs, state = tf.nn.static_rnn(cell, [tf.ones([2, 7])] * 3, dtype=tf.float32)
  assert outputs[0].shape.as_list() == [2, 7] and cell.output_size == 7
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    value, memory = session.run([outputs[-1], state.M])
  assert np.isfinite(value).all() and memory.shape == (2, 8, 3)
  with pytest.raises(TypeError, match="'NTM RNN cell'"):
    KINDS.NTMCell(3, 8, 3, 1, 1)
