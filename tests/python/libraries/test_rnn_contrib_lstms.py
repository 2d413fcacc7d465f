"""LSTMs of tf.contrib.rnn, each by the formula of its paper, over sequences that end, with gradients and names of variables."""

import numpy as np
import pytest
from rnn_formulas import check, join, lstm, numbers, relu, sigmoid, split, tf

LSTM = tf.nn.rnn_cell.LSTMStateTuple
KINDS = tf.contrib.rnn


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
    p = dict(p)
    del p["B"]  # which is there for checkpoints, and not added
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
  names = {"W_0": [3, 15], "W_1": [2, 15], "W_2": [2, 15], "W_P_0": [3, 3], "W_P_1": [2, 3], "B": [15]}
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
