"""Cells of tf.nn.rnn_cell, one step or several: graphs, names of variables, values and gradients."""

import numpy as np

GRAPHS = True


def _numbers(*shape):
  return np.random.RandomState(sum(shape) + len(shape)).uniform(-1, 1, shape).astype(np.float32)


def _weights(tf):
  """An initializer of different numbers for each shape, without seeds."""

  def initializer(shape, dtype=tf.float32, partition_info=None):
    shape = [int(d) for d in shape]
    return tf.constant(_numbers(*shape), dtype=dtype)

  return initializer


def _run(tf, cell, steps=2, batch=3, depth=4, state=None, dtype=None, feed=None, weights=True):
  """Runs some steps of a cell; returns names, outputs, states and gradients.

  TensorFlow 2.15.1 does not count parts of variables among the weights of a cell, and those of a cell that is there twice as
  others: `weights` is False for such cells.
  """
  dtype = dtype or tf.float32
  x = tf.placeholder(dtype, [batch, depth], name="x")
  with tf.variable_scope("top", initializer=_weights(tf), dtype=dtype):
    state = cell.zero_state(batch, dtype) if state is None else state
    outputs = []
    for step in range(steps):
      output, state = cell(x * (step + 1.0), state)
      outputs.append(output)
  variables = tf.trainable_variables()
  loss = tf.add_n([tf.reduce_sum(output * output) for output in outputs])
  gradients = tf.gradients(loss, variables + [x])
  own = [v.name for v in cell.trainable_variables] if weights else None
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = session.run([outputs, state, gradients], {x: _numbers(batch, depth), **(feed or {})})
  return [[v.name for v in variables], own, str(cell.output_size), str(cell.state_size)] + values


def program_basic_rnn(tf):
  return _run(tf, tf.nn.rnn_cell.BasicRNNCell(5))


def program_basic_rnn_arguments(tf):
  cell = tf.nn.rnn_cell.BasicRNNCell(5, activation=tf.nn.relu, name="mine", dtype=tf.float64)
  return _run(tf, cell, dtype=tf.float64)


def program_activation_by_name(tf):
  return _run(tf, tf.nn.rnn_cell.BasicRNNCell(2, activation="sigmoid"))


def program_gru(tf):
  return _run(tf, tf.nn.rnn_cell.GRUCell(5))


def program_gru_arguments(tf):
  cell = tf.nn.rnn_cell.GRUCell(
    3,
    activation=tf.nn.softsign,
    kernel_initializer=tf.constant_initializer(0.25),
    bias_initializer=tf.constant_initializer(-0.5),
    name="gru",
  )
  return _run(tf, cell)


def program_basic_lstm(tf):
  return _run(tf, tf.nn.rnn_cell.BasicLSTMCell(5))


def program_basic_lstm_arguments(tf):
  cell = tf.nn.rnn_cell.BasicLSTMCell(3, forget_bias=0.5, state_is_tuple=False, activation=tf.nn.relu, name="l")
  return _run(tf, cell)


def program_lstm(tf):
  return _run(tf, tf.nn.rnn_cell.LSTMCell(5))


def program_lstm_peepholes(tf):
  return _run(tf, tf.nn.rnn_cell.LSTMCell(5, use_peepholes=True, initializer=tf.constant_initializer(0.3)))


def program_lstm_clipping_and_projection(tf):
  cell = tf.nn.rnn_cell.LSTMCell(
    5, use_peepholes=True, cell_clip=0.4, num_proj=3, proj_clip=0.3, forget_bias=0.5, activation=tf.nn.elu, name="big"
  )
  return _run(tf, cell, steps=3)


def program_lstm_joined_state(tf):
  return _run(tf, tf.nn.rnn_cell.LSTMCell(5, num_proj=2, state_is_tuple=False))


def program_lstm_shards(tf):
  return _run(tf, tf.nn.rnn_cell.LSTMCell(4, num_proj=4, num_unit_shards=3, num_proj_shards=2), steps=1, weights=False)


def program_lstm_partitioned_scope(tf):
  with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(2)):
    return _run(tf, tf.nn.rnn_cell.LSTMCell(4), steps=1, weights=False)


def program_multi(tf):
  cells = [tf.nn.rnn_cell.BasicLSTMCell(3), tf.nn.rnn_cell.GRUCell(2), tf.nn.rnn_cell.LSTMCell(5, num_proj=2)]
  return _run(tf, tf.nn.rnn_cell.MultiRNNCell(cells))


def program_multi_joined_state(tf):
  cells = [tf.nn.rnn_cell.BasicLSTMCell(3, state_is_tuple=False), tf.nn.rnn_cell.GRUCell(2)]
  return _run(tf, tf.nn.rnn_cell.MultiRNNCell(cells, state_is_tuple=False))


def program_multi_of_one_object(tf):
  cell = tf.nn.rnn_cell.GRUCell(4)
  return _run(tf, tf.nn.rnn_cell.MultiRNNCell([cell] * 2), weights=False)


def program_zero_states(tf):
  n = tf.placeholder(tf.int32, [], name="n")
  cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(2), tf.nn.rnn_cell.BasicRNNCell(3)])
  states = [
    cell.zero_state(2, tf.float32),
    cell.zero_state(n, tf.float64),
    tf.nn.rnn_cell.GRUCell(2).zero_state(tf.constant(3), tf.float32),
    tf.nn.rnn_cell.GRUCell(2).get_initial_state(inputs=tf.zeros([4, 3])),
    tf.nn.rnn_cell.GRUCell(2).get_initial_state(inputs=tf.placeholder_with_default(np.zeros((2, 3), np.float32), [None, 3])),
    tf.nn.rnn_cell.GRUCell(2).get_initial_state(batch_size=1, dtype=tf.float16),
  ]
  with tf.Session() as session:
    return [str(states)] + session.run(states, {n: 3})


def program_own_cell(tf):
  """A class of the program, with variables by get_variable."""

  class Scaled(tf.nn.rnn_cell.RNNCell):
    def __init__(self, units, **kwargs):
      super().__init__(**kwargs)
      self._units = units

    @property
    def state_size(self):
      return self._units

    @property
    def output_size(self):
      return self._units

    def call(self, inputs, state):
      w = tf.get_variable("w", [inputs.shape[1], self._units])
      frozen = tf.get_variable("frozen", [self._units], trainable=False, initializer=tf.ones_initializer())
      state = tf.tanh(tf.matmul(inputs, w) + state * frozen)
      return state * 2.0, state

  cell = Scaled(3)
  result = _run(tf, cell)
  return result + [[v.name for v in cell.weights], [v.name for v in cell.non_trainable_variables]]


# Sums of gradients that nearly cancel.
program_own_cell.atol = 1e-5


def program_scope_argument(tf):
  cell = tf.nn.rnn_cell.GRUCell(2)
  x, state = tf.zeros([1, 2]), tf.zeros([1, 2])
  cell(x, state, scope="given")
  cell(x, state, "other")
  with tf.variable_scope("outside"):
    tf.nn.rnn_cell.BasicRNNCell(2)(x, state)
    tf.nn.rnn_cell.BasicRNNCell(2)(x, state)
  with tf.variable_scope("outside", reuse=True):
    tf.nn.rnn_cell.BasicRNNCell(2)(x, state)
  tf.nn.rnn_cell.BasicRNNCell(2, reuse=True, name="basic_rnn_cell_1")
  return [v.name for v in tf.global_variables()]


def program_reuse(tf):
  x, state = tf.ones([1, 2]), tf.ones([1, 2])
  with tf.variable_scope("s", initializer=_weights(tf)):
    one, _ = tf.nn.rnn_cell.GRUCell(2, name="c")(x, state)
    two, _ = tf.nn.rnn_cell.GRUCell(2, name="c", reuse=True)(x, state)
  with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
    three, _ = tf.nn.rnn_cell.GRUCell(2, name="c")(x, state)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [[v.name for v in tf.global_variables()]] + session.run([one, two, three])


def program_state_tuple(tf):
  pair = tf.nn.rnn_cell.LSTMStateTuple(tf.zeros([1, 2]), h=tf.ones([1, 2]))
  c, h = pair
  mixed = tf.nn.rnn_cell.LSTMStateTuple(tf.zeros([1]), tf.zeros([1], tf.float64))
  try:
    error = mixed.dtype
  except Exception as raised:
    error = raised
  return [pair.dtype.name, c.name, h.name, pair._fields, len(pair), pair == (c, h), error]


def program_configs(tf):
  kinds = tf.nn.rnn_cell
  cells = [
    kinds.BasicRNNCell(2, activation=tf.nn.relu),
    kinds.GRUCell(2, name="g"),
    kinds.BasicLSTMCell(2, forget_bias=0.25),
    kinds.LSTMCell(2, use_peepholes=True, num_proj=3, cell_clip=1.0, proj_clip=2.0),
  ]
  configs = [cell.get_config() for cell in cells]
  again = [type(cell).from_config(config) for cell, config in zip(cells, configs)]
  return [{key: config[key] for key in sorted(config)} for config in configs] + [str(cell.state_size) for cell in again]


def program_errors(tf):
  kinds = tf.nn.rnn_cell
  x = tf.zeros([2, 3])
  gru = lambda: kinds.GRUCell(2)
  calls = [
    lambda: kinds.MultiRNNCell([]),
    lambda: kinds.MultiRNNCell(gru()),
    lambda: kinds.MultiRNNCell([kinds.BasicLSTMCell(2)], state_is_tuple=False),
    lambda: kinds.MultiRNNCell([gru(), gru()])(x, tf.zeros([2, 2])),
    lambda: kinds.RNNCell().zero_state(1, tf.float32),
    lambda: kinds.RNNCell().output_size,
    lambda: gru().get_initial_state(),
    lambda: gru().get_initial_state(inputs=x, batch_size=5),
    lambda: gru().get_initial_state(inputs=x, dtype=tf.float64),
    lambda: gru()(tf.placeholder(tf.float32, [2, None]), tf.zeros([2, 2])),
    lambda: gru()(tf.zeros([2, 3], tf.int32), tf.zeros([2, 2])),
    lambda: gru()(tf.zeros([2, 3, 4]), tf.zeros([2, 2])),
    lambda: kinds.BasicRNNCell(2, activation="no such thing"),
    lambda: kinds.BasicRNNCell(2, unknown=3),
    lambda: kinds.DropoutWrapper(3),
    lambda: kinds.DropoutWrapper(gru(), input_keep_prob=1.5),
    lambda: kinds.DropoutWrapper(gru(), output_keep_prob=-0.5),
    lambda: kinds.DropoutWrapper(gru(), variational_recurrent=True),
    lambda: kinds.DropoutWrapper(gru(), 0.5, variational_recurrent=True, dtype=tf.float32),
    lambda: kinds.DropoutWrapper(gru(), dropout_state_filter_visitor=3),
    lambda: kinds.ResidualWrapper(gru())(x, tf.zeros([2, 2])),
    lambda: kinds.GRUCell(2, reuse=True)(x, tf.zeros([2, 2])),
    lambda: gru().zero_state(None, tf.float32),
    lambda: gru().scope_name,
  ]
  found = []
  for call in calls:
    with tf.Graph().as_default():
      try:
        x = tf.zeros([2, 3])
        call()
        found.append("none")
      except Exception as error:
        found.append(error)
  return found
