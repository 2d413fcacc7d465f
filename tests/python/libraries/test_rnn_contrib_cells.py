"""Cells of tf.contrib.rnn, each by the formula of its paper, over sequences that end, with gradients and names of variables."""

import numpy as np
import pytest
from rnn_formulas import check, join, numbers, relu, sigmoid, softmax, split, tf

LSTM = tf.nn.rnn_cell.LSTMStateTuple
KINDS = tf.contrib.rnn


@pytest.fixture(autouse=True)
def new_graph():
  tf.reset_default_graph()
  yield
  tf.reset_default_graph()


def lstm(i, j, f, o, c, forget_bias=1.0, act=np.tanh):
  new_c = sigmoid(f + forget_bias) * c + sigmoid(i) * act(j)
  return new_c, sigmoid(o) * act(new_c)


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


# LSTMs


def normalized(x, p, name):
  x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
  return x * p[name + "/gamma"] + p[name + "/beta"]


GATES = ("input", "transform", "forget", "output")


def test_layer_norm_basic():
  def step(p, x, state):
    c, h = state
    gates = [normalized(g, p, name) for g, name in zip(split(join(x, h) @ p["kernel"], 4), GATES)]
    i, j, f, o = gates
    c = normalized(c * sigmoid(f + 0.5) + sigmoid(i) * np.tanh(j), p, "state")
    h = np.tanh(c) * sigmoid(o)
    return h, LSTM(c, h)

  names = {"layer_norm_basic_lstm_cell/kernel": [9, 20]}
  for name in GATES + ("state",):
    names["layer_norm_basic_lstm_cell/%s/gamma" % name] = [5]
    names["layer_norm_basic_lstm_cell/%s/beta" % name] = [5]
  check(KINDS.LayerNormBasicLSTMCell(5, forget_bias=0.5), step, names=names, tolerance=1e-4)


def test_layer_norm_basic_without_norm():
  def step(p, x, state):
    c, h = state
    i, j, f, o = split(join(x, h) @ p["kernel"] + p["bias"], 4)
    c = c * sigmoid(f + 1) + sigmoid(i) * relu(j)
    h = relu(c) * sigmoid(o)
    return h, LSTM(c, h)

  cell = KINDS.LayerNormBasicLSTMCell(5, input_size=4, activation=tf.nn.relu, layer_norm=False, reuse=tf.AUTO_REUSE)
  check(cell, step)


def test_layer_norm_basic_options():
  cell = KINDS.LayerNormBasicLSTMCell(
    6, norm_gain=2.0, norm_shift=0.5, dropout_keep_prob=0.5, dropout_prob_seed=3, activation=lambda x: x
  )
  with tf.variable_scope("s", initializer=tf.constant_initializer(0.25)):
    output, state = cell(tf.constant(numbers(4, 3)), LSTM(tf.constant(numbers(4, 6)), tf.zeros([4, 6])))
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = {v.op.name.split("/", 2)[-1]: session.run(v) for v in tf.global_variables()}
    one, two = session.run(output), session.run(output)
  assert (values["input/gamma"] == 2).all() and (values["state/beta"] == 0.5).all()
  assert not np.array_equal(one, two)


def full_lstm(p, x, state, gates, names, norm=lambda x, p, name: x, clip=None, proj_clip=None, projection=None, forget_bias=0.5):
  """An LSTM with peepholes, clipping and a projection, for gates i, j, f and o."""
  c, h = state
  i, j, f, o = [norm(g, p, name) for g, name in zip(gates, GATES)]
  f = f + forget_bias + p[names[0]] * c
  i = i + p[names[1]] * c
  c = norm(sigmoid(f) * c + sigmoid(i) * relu(j), p, "state")
  if clip is not None:
    c = np.clip(c, -clip, clip)
  h = sigmoid(o + p[names[2]] * c) * relu(c)
  if projection is not None:
    h = h @ projection
  if proj_clip is not None:
    h = np.clip(h, -proj_clip, proj_clip)
  return h, LSTM(c, h)


DIAGONALS = ("w_f_diag", "w_i_diag", "w_o_diag")


@pytest.mark.parametrize("is_normalized", [False, True])
def test_layer_norm_lstm(is_normalized):
  def step(p, x, state):
    gates = join(x, state[1]) @ p["kernel"]
    if not is_normalized:
      gates = gates + p["bias"]
    return full_lstm(
      p,
      x,
      state,
      split(gates, 4),
      DIAGONALS,
      norm=normalized if is_normalized else lambda x, p, name: x,
      clip=0.8,
      proj_clip=0.6,
      projection=p["projection/kernel"],
    )

  cell = KINDS.LayerNormLSTMCell(
    5,
    use_peepholes=True,
    cell_clip=0.8,
    initializer=tf.ones_initializer(),
    num_proj=3,
    proj_clip=0.6,
    forget_bias=0.5,
    activation=tf.nn.relu,
    layer_norm=is_normalized,
    norm_gain=0.5,
    norm_shift=0.25,
    reuse=tf.AUTO_REUSE,
  )
  names = {"kernel": [7, 20], "bias": [20], "w_f_diag": [5], "w_i_diag": [5], "w_o_diag": [5], "projection/kernel": [5, 3]}
  if is_normalized:
    names.update({"%s/%s" % (gate, part): [5] for gate in GATES + ("state",) for part in ("gamma", "beta")})
  check(cell, step, names={"layer_norm_lstm_cell/" + name: shape for name, shape in names.items()}, tolerance=2e-4)


def test_layer_norm_lstm_defaults():
  def step(p, x, state):
    c, h = lstm(*split(join(x, state[1]) @ p["kernel"] + p["bias"], 4), state[0])
    return h, LSTM(c, h)

  check(KINDS.LayerNormLSTMCell(5), step)


def weight_normalized(kernel, p, depths):
  parts, begin = [], 0
  for number, depth in enumerate(depths):
    part = kernel[begin : begin + depth]
    parts.append(part / np.sqrt((part * part).sum(0)) * p["norm_%d" % number])
    begin += depth
  return np.concatenate(parts)


def test_weight_norm():
  def step(p, x, state):
    gates = join(x, state[1]) @ weight_normalized(p["kernel"], p, [4, 3]) + p["bias"]
    inner = {"norm_0": p["projection/norm_0"]}
    projection = weight_normalized(p["projection/kernel"], inner, [5])
    return full_lstm(p, x, state, split(gates, 4), DIAGONALS, clip=0.8, proj_clip=0.6, projection=projection)

  cell = KINDS.WeightNormLSTMCell(
    5,
    use_peepholes=True,
    cell_clip=0.8,
    initializer=tf.ones_initializer(),
    num_proj=3,
    proj_clip=0.6,
    forget_bias=0.5,
    activation=tf.nn.relu,
    reuse=tf.AUTO_REUSE,
  )
  names = {
    "kernel": [7, 20],
    "bias": [20],
    "norm_0": [20],
    "norm_1": [20],
    "w_f_diag": [5],
    "w_i_diag": [5],
    "w_o_diag": [5],
    "projection/kernel": [5, 3],
    "projection/norm_0": [3],
  }
  check(cell, step, names={"weight_norm_lstm_cell/" + name: shape for name, shape in names.items()})


def test_weight_norm_without_norm():
  def step(p, x, state):
    c, h = lstm(*split(join(x, state[1]) @ p["kernel"] + p["bias"], 4), state[0])
    return h, LSTM(c, h)

  check(KINDS.WeightNormLSTMCell(5, norm=False), step)


def coupled(p, x, state, w, projection=None, norm=lambda x, p, name: x, peepholes=True):
  c, h = state
  gates = join(x, h) @ w
  gates = gates + p["B"] if "B" in p else gates
  j, f, o = [norm(g, p, name) for g, name in zip(split(gates, 3), GATES[1:])]
  f = sigmoid(f + 0.5 + (p["W_F_diag"] * c if peepholes else 0))
  c = norm(f * c + (1 - f) * relu(j), p, "state")
  h = sigmoid(o + (p["W_O_diag"] * c if peepholes else 0)) * relu(c)
  if projection is not None:
    h = np.clip(h @ projection, -0.6, 0.6)
  return h, LSTM(c, h)


def test_coupled():
  def step(p, x, state):
    return coupled(p, x, state, p["W_0"], p["W_P_0"])

  cell = KINDS.CoupledInputForgetGateLSTMCell(
    5,
    use_peepholes=True,
    initializer=tf.ones_initializer(),
    num_proj=3,
    proj_clip=0.6,
    forget_bias=0.5,
    activation=tf.nn.relu,
    reuse=tf.AUTO_REUSE,
  )
  names = {"W_0": [7, 15], "B": [15], "W_F_diag": [5], "W_O_diag": [5], "W_P_0": [5, 3]}
  check(cell, step, names={"coupled_input_forget_gate_lstm_cell/" + name: shape for name, shape in names.items()})


def test_coupled_shards_and_norm():
  def step(p, x, state):
    w = np.concatenate([p["W_%d" % number] for number in range(3)])
    projection = np.concatenate([p["W_P_%d" % number] for number in range(2)])
    output, (c, h) = coupled(p, x, np.split(state, [5], axis=1), w, projection, normalized, peepholes=False)
    return output, join(c, h)

  cell = KINDS.CoupledInputForgetGateLSTMCell(
    5,
    num_proj=3,
    proj_clip=0.6,
    num_unit_shards=3,
    num_proj_shards=2,
    forget_bias=0.5,
    state_is_tuple=False,
    activation=tf.nn.relu,
    layer_norm=True,
    norm_gain=2.0,
    norm_shift=0.5,
  )
  names = {"W_0": [3, 15], "W_1": [2, 15], "W_2": [2, 15], "W_P_0": [3, 3], "W_P_1": [2, 3]}
  names.update({"%s/%s" % (gate, part): [5] for gate in GATES[1:] + ("state",) for part in ("gamma", "beta")})
  check(
    cell,
    step,
    names={"coupled_input_forget_gate_lstm_cell/" + name: shape for name, shape in names.items()},
    tolerance=2e-4,
  )
  with pytest.raises(ValueError, match="Too many shards"):
    KINDS.CoupledInputForgetGateLSTMCell(1, num_unit_shards=9)(tf.zeros([1, 1]), LSTM(tf.zeros([1, 1]), tf.zeros([1, 1])))


def test_groups():
  def step(p, x, state):
    c, h = state
    parts = [[], [], [], []]
    for number, (own_x, own_h) in enumerate(zip(split(x, 2), split(h, 2))):
      for place, gate in enumerate(split(join(own_x, own_h) @ p["group%d/kernel" % number], 4)):
        parts[place].append(gate)
    i, j, f, o = [join(*gate) + p["bias_" + name] for gate, name in zip(parts, "ijfo")]
    c = sigmoid(f + 0.5) * c + sigmoid(i) * np.tanh(j)
    h = sigmoid(o) * relu(c)
    if "projection/kernel" in p:
      h = h @ p["projection/kernel"]
    return h, LSTM(c, h)

  cell = KINDS.GLSTMCell(
    6,
    initializer=tf.ones_initializer(),
    num_proj=4,
    number_of_groups=2,
    forget_bias=0.5,
    activation=tf.nn.relu,
    reuse=tf.AUTO_REUSE,
  )
  names = {"group0/kernel": [4, 12], "group1/kernel": [4, 12], "projection/kernel": [6, 4]}
  names.update({"bias_" + name: [6] for name in "ijfo"})
  check(cell, step, names={"glstm_cell/" + name: shape for name, shape in names.items()})
  for arguments, words in (
    ({"num_units": 5, "number_of_groups": 2}, "num_units must be divisible"),
    ({"num_units": 4, "number_of_groups": 2, "num_proj": 3}, "num_proj must be divisible"),
  ):
    with pytest.raises(ValueError, match=words):
      KINDS.GLSTMCell(**arguments)
  with pytest.raises(ValueError, match="Input size 3 must be divisible by number of groups 2"):
    KINDS.GLSTMCell(4, number_of_groups=2)(tf.zeros([1, 3]), LSTM(tf.zeros([1, 4]), tf.zeros([1, 4])))


@pytest.mark.parametrize("use_peepholes", [False, True])
def test_phased(use_peepholes):
  def step(p, inputs, state):
    time, x = inputs
    c, h = state
    extra = (c,) if use_peepholes else ()
    i, f = split(sigmoid(join(x, h, *extra) @ p["mask_gates/kernel"] + p["mask_gates/bias"]), 2)
    new_c = c * f + i * np.tanh(join(x, h) @ p["new_input/kernel"] + p["new_input/bias"])
    extra = (new_c,) if use_peepholes else ()
    new_h = np.tanh(new_c) * sigmoid(join(x, h, *extra) @ p["output_gate/kernel"] + p["output_gate/bias"])
    cycle = np.mod(time - p["phase"], p["period"]) / p["period"]
    ratio = p["ratio_on"]
    up = 2 * cycle / ratio
    k = np.where(cycle < 0.5 * ratio, up, np.where(cycle < ratio, 2 - up, 0.01 * cycle))
    new_c, new_h = k * new_c + (1 - k) * c, k * new_h + (1 - k) * h
    return new_h, LSTM(new_c, new_h)

  times = np.arange(9, dtype=np.float32).reshape(3, 3, 1) + 0.3
  values = {
    "phased_lstm_cell/period": np.array([3, 5, 7, 4, 6], np.float32),
    "phased_lstm_cell/phase": np.array([1, 2, 0.5, 3, 0.7], np.float32),
    "phased_lstm_cell/ratio_on": np.array([0.9, 0.8, 0.7, 0.6, 0.4], np.float32),
  }
  cell = KINDS.PhasedLSTMCell(5, use_peepholes=use_peepholes, leak=0.01, reuse=tf.AUTO_REUSE)
  rows = 14 if use_peepholes else 9
  names = {
    "mask_gates/kernel": [rows, 10],
    "mask_gates/bias": [10],
    "new_input/kernel": [9, 5],
    "new_input/bias": [5],
    "output_gate/kernel": [rows, 5],
    "output_gate/bias": [5],
    "period": [5],
    "phase": [5],
    "ratio_on": [5],
  }
  # The gradient takes the number of periods that are over for a constant, and the periods in them for none.
  check(
    cell,
    step,
    inputs=(times, numbers(3, 3, 4)),
    names={"phased_lstm_cell/" + name: shape for name, shape in names.items()},
    values=values,
    not_moved=("phased_lstm_cell/period",),
  )


def test_phased_initial_values():
  cell = KINDS.PhasedLSTMCell(50, ratio_on=0.25, trainable_ratio_on=False, period_init_min=4.0, period_init_max=16.0)
  zeros = tf.zeros([1, 50])
  cell((tf.zeros([1, 1], tf.float64), tf.zeros([1, 2])), LSTM(zeros, zeros))
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = {v.op.name.rpartition("/")[2]: session.run(v) for v in tf.global_variables()}
  assert values["period"].min() >= 4 and values["period"].max() <= 16
  assert (values["phase"] >= 0).all() and (values["phase"] <= 16).all() and values["phase"].std() > 0.1
  assert (values["ratio_on"] == 0.25).all()
  assert not any("ratio_on" in v.name for v in tf.trainable_variables())


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
