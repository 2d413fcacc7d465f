"""Wrappers of cells: dropout, residual connections, devices."""

import numpy as np

GRAPHS = True


def _numbers(*shape):
  return np.random.RandomState(sum(shape) + len(shape)).uniform(-1, 1, shape).astype(np.float32)


def _run(tf, cell, steps=2, depth=4, fetch=lambda outputs, state: [outputs, state], feed=None):
  x = tf.placeholder(tf.float32, [3, depth], name="x")
  state = cell.zero_state(3, tf.float32)
  with tf.variable_scope("top", initializer=tf.constant_initializer(0.5)):
    outputs = []
    for step in range(steps):
      output, state = cell(x * (step + 1.0), state)
      outputs.append(output)
  fetches = fetch(outputs, state)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = session.run(fetches, {x: _numbers(3, depth), **(feed or {})})
  return [
    [v.name for v in tf.global_variables()],
    str(cell.state_size),
    str(cell.output_size),
    values,
  ]


def program_dropout_of_all(tf):
  cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicLSTMCell(4), 0.5, 0.6, state_keep_prob=0.7, seed=3)
  return _run(tf, cell)


def program_dropout_of_nothing(tf):
  return _run(tf, tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(4)))


def program_dropout_by_tensors(tf):
  keep = tf.placeholder(tf.float32, [], name="keep")
  cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(4), input_keep_prob=keep, output_keep_prob=keep, seed=5)
  return _run(tf, cell, feed={keep: 0.25})


def program_dropout_variational(tf):
  inner = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(4), tf.nn.rnn_cell.GRUCell(3)])
  cell = tf.nn.rnn_cell.DropoutWrapper(inner, 0.5, 0.5, 0.5, variational_recurrent=True, input_size=4, dtype=tf.float32, seed=7)
  return _run(tf, cell)


def program_dropout_variational_of_state(tf):
  cell = tf.nn.rnn_cell.DropoutWrapper(
    tf.nn.rnn_cell.LSTMCell(4), state_keep_prob=0.5, variational_recurrent=True, dtype=tf.float32, seed=8
  )
  return _run(tf, cell, steps=3)


def program_dropout_filter(tf):
  def wanted(part):
    if isinstance(part, tf.nn.rnn_cell.LSTMStateTuple):
      return tf.nn.rnn_cell.LSTMStateTuple(c=True, h=False)
    return True

  inner = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(4), tf.nn.rnn_cell.GRUCell(3)])
  cell = tf.nn.rnn_cell.DropoutWrapper(inner, state_keep_prob=0.5, seed=9, dropout_state_filter_visitor=wanted)
  return _run(tf, cell)


def program_dropout_without_seeds(tf):
  """Numbers that agree only if the graphs do, op by op."""
  tf.set_random_seed(4)
  x = tf.ones([3, 4])
  cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicLSTMCell(4), 0.5, 0.5, 0.5)
  output, state = cell(x, cell.zero_state(3, tf.float32))
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run([output, state, tf.trainable_variables()])


def program_residual(tf):
  return _run(tf, tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.GRUCell(4)))


def program_residual_function(tf):
  cell = tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.GRUCell(2), residual_fn=lambda i, o: tf.concat([i, o], 1))
  return _run(tf, cell)


def program_device(tf):
  return _run(tf, tf.nn.rnn_cell.DeviceWrapper(tf.nn.rnn_cell.BasicLSTMCell(2), "/cpu:0"))


def program_wrapped_twice(tf):
  kinds = tf.nn.rnn_cell
  layers = [kinds.ResidualWrapper(kinds.DropoutWrapper(kinds.LSTMCell(4), output_keep_prob=0.5, seed=2)) for _ in range(2)]
  return _run(tf, kinds.MultiRNNCell(layers))
