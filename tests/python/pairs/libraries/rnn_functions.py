"""Functions that run cells over sequences: graphs, values, gradients and errors."""

import numpy as np

GRAPHS = True


def _numbers(*shape):
  return np.random.RandomState(sum(shape) + len(shape)).uniform(-1, 1, shape).astype(np.float32)


def _weights(tf):
  """An initializer of different numbers for each shape, without seeds."""

  def initializer(shape, dtype=tf.float32, partition_info=None):
    return tf.constant(_numbers(*[int(d) for d in shape]), dtype=dtype)

  return initializer


def _flat(structure):
  """The tensors of nested lists, tuples and dictionaries."""
  if isinstance(structure, dict):
    structure = [structure[key] for key in sorted(structure)]
  if isinstance(structure, (list, tuple)):
    return [part for element in structure for part in _flat(element)]
  return [structure]


def _values(tf, result, inputs, feed):
  """Returns names and shapes, and the values of a result and of the gradients of its squares."""
  tensors = _flat(result)
  variables = tf.trainable_variables()
  loss = tf.add_n([tf.reduce_sum(tensor * tensor) for tensor in tensors])
  gradients = [g for g in tf.gradients(loss, variables + inputs) if g is not None]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = session.run([result, gradients], feed)
  return [[v.name for v in tf.global_variables()], [str(tensor.shape) for tensor in tensors], str(type(result))] + values


def _scope(tf):
  return tf.variable_scope("top", initializer=_weights(tf))


def program_dynamic(tf):
  x = tf.placeholder(tf.float32, [2, 3, 4], name="x")
  with _scope(tf):
    result = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(5), x, dtype=tf.float32)
  return _values(tf, result, [x], {x: _numbers(2, 3, 4)})


def program_dynamic_lengths(tf):
  x = tf.placeholder(tf.float32, [4, 3, 4], name="x")
  lengths = tf.placeholder(tf.int32, [4], name="lengths")
  with _scope(tf):
    result = tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(3), x, sequence_length=lengths, dtype=tf.float32)
  return _values(tf, result, [x], {x: _numbers(4, 3, 4), lengths: [1, 3, 0, 2]})


def program_dynamic_unknown_shapes(tf):
  x = tf.placeholder(tf.float32, [None, None, 4], name="x")
  lengths = tf.placeholder(tf.int64, [None], name="lengths")
  with _scope(tf):
    result = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(3), x, lengths, dtype=tf.float32)
  return _values(tf, result, [x], {x: _numbers(2, 5, 4), lengths: [5, 2]})


def program_dynamic_time_major(tf):
  x = tf.placeholder(tf.float32, [3, 2, 4], name="x")
  with _scope(tf):
    result = tf.nn.dynamic_rnn(
      tf.nn.rnn_cell.GRUCell(3),
      x,
      sequence_length=tf.constant([2, 3]),
      initial_state=tf.constant(_numbers(2, 3)),
      parallel_iterations=1,
      swap_memory=True,
      time_major=True,
      scope="mine",
    )
  return _values(tf, result, [x], {x: _numbers(3, 2, 4)})


def program_dynamic_stacked(tf):
  x = tf.placeholder(tf.float32, [2, None, 4], name="x")
  cells = [tf.nn.rnn_cell.LSTMCell(3, use_peepholes=True), tf.nn.rnn_cell.GRUCell(2), tf.nn.rnn_cell.BasicRNNCell(5)]
  with _scope(tf):
    result = tf.nn.dynamic_rnn(tf.nn.rnn_cell.MultiRNNCell(cells), x, sequence_length=[2, 1], dtype=tf.float32)
  return _values(tf, result, [x], {x: _numbers(2, 3, 4)})


def program_dynamic_dropout(tf):
  tf.set_random_seed(3)
  x = tf.placeholder(tf.float32, [2, 3, 4], name="x")
  cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicLSTMCell(4), 0.5, 0.5, 0.5, seed=1)
  # One step after the other, since each step draws numbers when it runs.
  outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, parallel_iterations=1)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run([outputs, state], {x: _numbers(2, 3, 4)})


def _pair_cell(tf):
  """A cell of nested inputs, outputs and states."""

  class Pair(tf.nn.rnn_cell.RNNCell):
    @property
    def state_size(self):
      return (2, {"a": 3, "b": tf.TensorShape([2, 2])})

    @property
    def output_size(self):
      return (3, tf.TensorShape([2, 2]))

    def call(self, inputs, state):
      x, y = inputs
      one, rest = state
      w = tf.get_variable("w", [x.shape[1], 3])
      a = tf.tanh(tf.matmul(x, w) + rest["a"])
      b = rest["b"] * 0.5 + y
      return (a, b), (one + 1.0, {"a": a, "b": b})

  return Pair()


def program_dynamic_nested(tf):
  x = tf.placeholder(tf.float32, [2, 3, 4], name="x")
  y = tf.placeholder(tf.float32, [2, 3, 2, 2], name="y")
  with _scope(tf):
    result = tf.nn.dynamic_rnn(_pair_cell(tf), (x, y), sequence_length=[3, 1], dtype=tf.float32)
  return _values(tf, result, [x, y], {x: _numbers(2, 3, 4), y: _numbers(2, 3, 2, 2)})


def program_dynamic_twice(tf):
  """The same cell for two sequences, and a second cell in the scope of the first."""
  x = tf.placeholder(tf.float32, [2, 3, 4], name="x")
  with _scope(tf):
    cell = tf.nn.rnn_cell.GRUCell(3)
    one = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    two = tf.nn.dynamic_rnn(cell, x * 2.0, dtype=tf.float32)
  with tf.variable_scope("top", reuse=True):
    three = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(3), x, dtype=tf.float32)
  return _values(tf, [one, two, three], [x], {x: _numbers(2, 3, 4)})


def program_dynamic_scope_object(tf):
  x = tf.placeholder(tf.float32, [2, 3, 4], name="x")
  with tf.variable_scope("outer", initializer=_weights(tf)) as scope:
    pass
  result = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicRNNCell(3), x, dtype=tf.float32, scope=scope)
  return _values(tf, result, [x], {x: _numbers(2, 3, 4)})


def program_dynamic_caching(tf):
  x = tf.placeholder(tf.float32, [2, 3, 4], name="x")
  with tf.variable_scope("top", initializer=_weights(tf), caching_device="/cpu:0", use_resource=True):
    result = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicRNNCell(3), x, dtype=tf.float32)
  return _values(tf, result, [x], {x: _numbers(2, 3, 4)})


def program_wrong_lengths(tf):
  """The step that finds that there is not one length for each sequence says so."""
  x = tf.placeholder(tf.float32, [2, 3, 4], name="x")
  lengths = tf.placeholder(tf.int32, [None], name="lengths")
  outputs, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicRNNCell(3), x, lengths, dtype=tf.float32)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    try:
      return session.run(outputs, {x: _numbers(2, 3, 4), lengths: [1, 2, 3]})
    except tf.errors.InvalidArgumentError as error:
      return "Expected shape for Tensor" in str(error)


def program_bidirectional(tf):
  x = tf.placeholder(tf.float32, [2, 3, 4], name="x")
  cells = [tf.nn.rnn_cell.LSTMCell(3), tf.nn.rnn_cell.GRUCell(2)]
  with _scope(tf):
    result = tf.nn.bidirectional_dynamic_rnn(*cells, x, dtype=tf.float32)
  return _values(tf, result, [x], {x: _numbers(2, 3, 4)})


def program_bidirectional_arguments(tf):
  x = tf.placeholder(tf.float32, [None, None, 4], name="x")
  lengths = tf.placeholder(tf.int64, [None], name="lengths")
  cells = [tf.nn.rnn_cell.BasicRNNCell(3), tf.nn.rnn_cell.GRUCell(2)]
  with _scope(tf):
    result = tf.nn.bidirectional_dynamic_rnn(
      *cells,
      inputs=x,
      sequence_length=lengths,
      initial_state_fw=tf.constant(_numbers(2, 3)),
      initial_state_bw=tf.constant(_numbers(2, 2)),
      parallel_iterations=2,
      swap_memory=True,
      time_major=True,
      scope="both",
    )
  return _values(tf, result, [x], {x: _numbers(5, 2, 4), lengths: [5, 2]})


def _steps(tf, count=3, batch=2, depth=4):
  x = tf.placeholder(tf.float32, [count, batch, depth], name="x")
  return x, tf.unstack(x)


def program_static(tf):
  x, inputs = _steps(tf)
  with _scope(tf):
    result = tf.nn.static_rnn(tf.nn.rnn_cell.BasicLSTMCell(3), inputs, dtype=tf.float32)
  return _values(tf, result, [x], {x: _numbers(3, 2, 4)})


def program_static_lengths(tf):
  x, inputs = _steps(tf)
  lengths = tf.placeholder(tf.int32, [2], name="lengths")
  with _scope(tf):
    result = tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(3), inputs, sequence_length=lengths, dtype=tf.float32, scope="mine")
  return _values(tf, result, [x], {x: _numbers(3, 2, 4), lengths: [1, 2]})


def program_static_state(tf):
  x = tf.placeholder(tf.float32, [None, 4], name="x")
  state = tf.placeholder(tf.float32, [None, 3], name="state")
  with _scope(tf):
    result = tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(3), [x, x * 2.0], initial_state=state, sequence_length=[2, 1])
  return _values(tf, result, [x, state], {x: _numbers(2, 4), state: _numbers(2, 3)})


def program_static_own_cell(tf):
  """Variables of a cell's call() are shared by the steps."""
  x = tf.placeholder(tf.float32, [3, 2, 4], name="x")
  y = tf.placeholder(tf.float32, [3, 2, 2, 2], name="y")
  inputs = list(zip(tf.unstack(x), tf.unstack(y)))
  with _scope(tf):
    result = tf.nn.static_rnn(_pair_cell(tf), inputs, dtype=tf.float32, sequence_length=[3, 1])
  return _values(tf, result, [x, y], {x: _numbers(3, 2, 4), y: _numbers(3, 2, 2, 2)})


def program_static_bidirectional(tf):
  x, inputs = _steps(tf)
  cells = [tf.nn.rnn_cell.LSTMCell(3), tf.nn.rnn_cell.GRUCell(2)]
  with _scope(tf):
    result = tf.nn.static_bidirectional_rnn(*cells, inputs, dtype=tf.float32)
  return _values(tf, result, [x], {x: _numbers(3, 2, 4)})


def program_static_bidirectional_arguments(tf):
  x, inputs = _steps(tf)
  cells = [tf.nn.rnn_cell.BasicRNNCell(3), tf.nn.rnn_cell.GRUCell(2)]
  with _scope(tf):
    result = tf.nn.static_bidirectional_rnn(
      *cells,
      inputs,
      initial_state_fw=tf.constant(_numbers(2, 3)),
      initial_state_bw=tf.constant(_numbers(2, 2)),
      sequence_length=tf.constant([3, 1], tf.int64),
      scope="both",
    )
  return _values(tf, result, [x], {x: _numbers(3, 2, 4)})


class _Saver:
  def __init__(self, tf, sizes):
    self._tf = tf
    self._states = {name: tf.Variable(_numbers(2, size), trainable=False, name=name) for name, size in sizes.items()}

  def state(self, name):
    return self._states[name].read_value()

  def save_state(self, name, value):
    return self._states[name].assign(value).op


def program_static_saving(tf):
  x, inputs = _steps(tf)
  saver = _Saver(tf, {"c": 3, "h": 3})
  with _scope(tf):
    outputs, state = tf.nn.static_state_saving_rnn(
      tf.nn.rnn_cell.LSTMCell(3), inputs, saver, ("c", "h"), sequence_length=[3, 2], scope="saving"
    )
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    feed = {x: _numbers(3, 2, 4)}
    found = [session.run([outputs, state], feed) for _ in range(2)]
    return found + [[v.name for v in tf.global_variables()], session.run(saver._states)]


def program_static_saving_one_state(tf):
  x, inputs = _steps(tf)
  saver = _Saver(tf, {"s": 3})
  with _scope(tf):
    outputs, state = tf.nn.static_state_saving_rnn(tf.nn.rnn_cell.GRUCell(3), inputs, saver, "s")
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [session.run([outputs[-1], state], {x: _numbers(3, 2, 4)}) for _ in range(2)]


def program_raw(tf):
  x = tf.placeholder(tf.float32, [5, 2, 4], name="x")
  lengths = tf.placeholder(tf.int32, [2], name="lengths")
  rows = tf.TensorArray(tf.float32, size=5).unstack(x)
  cell = tf.nn.rnn_cell.LSTMCell(3)

  def loop_fn(time, output, state, loop_state):
    if output is None:
      state = cell.zero_state(2, tf.float32)
    finished = time >= lengths
    following = tf.cond(tf.reduce_all(finished), lambda: tf.zeros([2, 4]), lambda: rows.read(time))
    return finished, following, state, output, None

  with _scope(tf):
    arrays, state, loop_state = tf.nn.raw_rnn(cell, loop_fn)
  outputs = arrays.stack()
  return [loop_state] + _values(tf, [outputs, state], [x], {x: _numbers(5, 2, 4), lengths: [3, 4]})


def program_raw_arguments(tf):
  """Outputs of other shapes than the cell's, and a state of the loop."""
  cell = tf.nn.rnn_cell.GRUCell(3)

  def loop_fn(time, output, state, loop_state):
    if output is None:
      emitted = (tf.zeros([2], tf.int32), tf.zeros([3, 1]))
      return time >= [2, 4], tf.ones([2, 4]), tf.ones([2, 3]), emitted, tf.constant([0.0])
    emitted = (tf.fill([2, 2], time), tf.expand_dims(output, 2))
    return time >= [2, 4], tf.ones([2, 4]) * output[0, 0], state, emitted, loop_state + output[:1, 0]

  with _scope(tf):
    arrays, state, loop_state = tf.nn.raw_rnn(cell, loop_fn, parallel_iterations=2, swap_memory=True, scope="mine")
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run([[array.stack() for array in arrays], state, loop_state])


def program_errors(tf):
  kinds = tf.nn.rnn_cell
  cell = lambda: kinds.GRUCell(2)
  x = lambda *shape: tf.placeholder(tf.float32, list(shape) if shape else None)
  zero = lambda: tf.zeros([2, 2])
  calls = [
    lambda: tf.nn.dynamic_rnn(3, x(2, 3, 4), dtype=tf.float32),
    lambda: tf.nn.dynamic_rnn(cell(), x(2, 3, 4)),
    lambda: tf.nn.dynamic_rnn(cell(), x(2, 3, None), dtype=tf.float32),
    lambda: tf.nn.dynamic_rnn(cell(), x(2, 3), dtype=tf.float32),
    lambda: tf.nn.dynamic_rnn(cell(), x(2, 3, 4), [[1, 2]], dtype=tf.float32),
    lambda: tf.nn.dynamic_rnn(cell(), (x(2, 3, 4), x(2, 5, 4)), dtype=tf.float32),
    lambda: tf.nn.dynamic_rnn(cell(), (x(2, 3, 4), x(3, 3, 4)), dtype=tf.float32),
    lambda: tf.nn.static_rnn(3, [zero()], dtype=tf.float32),
    lambda: tf.nn.static_rnn(cell(), zero(), dtype=tf.float32),
    lambda: tf.nn.static_rnn(cell(), [], dtype=tf.float32),
    lambda: tf.nn.static_rnn(cell(), [zero()]),
    lambda: tf.nn.static_rnn(cell(), [x(2, None)], dtype=tf.float32),
    lambda: tf.nn.static_rnn(cell(), [zero()], dtype=tf.float32, sequence_length=[[1]]),
    lambda: tf.nn.static_rnn(cell(), [zero(), tf.zeros([3, 2])], dtype=tf.float32),
    lambda: tf.nn.static_state_saving_rnn(cell(), [zero()], None, ("a", "b")),
    lambda: tf.nn.static_state_saving_rnn(kinds.LSTMCell(2), [zero()], None, ("a", "b", "c")),
    lambda: tf.nn.static_bidirectional_rnn(cell(), 3, [zero()], dtype=tf.float32),
    lambda: tf.nn.static_bidirectional_rnn(cell(), cell(), zero(), dtype=tf.float32),
    lambda: tf.nn.static_bidirectional_rnn(cell(), cell(), [], dtype=tf.float32),
    lambda: tf.nn.bidirectional_dynamic_rnn(3, cell(), x(2, 3, 4), dtype=tf.float32),
    lambda: tf.nn.bidirectional_dynamic_rnn(cell(), 3, x(2, 3, 4), dtype=tf.float32),
    lambda: tf.nn.raw_rnn(cell(), 3),
    lambda: tf.nn.raw_rnn(3, lambda *_: None),
  ]
  found = []
  for call in calls:
    with tf.Graph().as_default():
      try:
        call()
        found.append("none")
      except Exception as error:
        found.append(error)
  return found
