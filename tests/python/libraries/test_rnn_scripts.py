"""Scripts of recurrent networks as programs of 2016 and 2017 have them, run unchanged."""

import package

OWN_CELLS = '''
"""Cells of a program: with _linear, without the constructor of the base, and with an own __call__."""
import numpy as np
import tensorflow as tf
from tensorflow.contrib.rnn.python.ops.core_rnn_cell import _Linear
from tensorflow.python.ops import rnn_cell_impl
from tensorflow.python.ops.rnn_cell_impl import RNNCell, _linear

class Gated(RNNCell):
  def __init__(self, num_units):
    self._num_units = num_units
  @property
  def state_size(self):
    return self._num_units
  @property
  def output_size(self):
    return self._num_units
  def __call__(self, inputs, state, scope=None):
    with tf.variable_scope(scope or type(self).__name__):
      with tf.variable_scope("Gates"):
        r, u = tf.split(value=tf.sigmoid(_linear([inputs, state], 2 * self._num_units, True)), num_or_size_splits=2, axis=1)
      with tf.variable_scope("Candidate"):
        c = tf.tanh(_linear([inputs, r * state], self._num_units, True))
      h = u * state + (1 - u) * c
    return h, h

class Layered(RNNCell):
  def __init__(self, num_units, reuse=None):
    super(Layered, self).__init__(_reuse=reuse)
    self._num_units = num_units
    self._linear = None
  @property
  def state_size(self):
    return rnn_cell_impl.LSTMStateTuple(self._num_units, self._num_units)
  @property
  def output_size(self):
    return self._num_units
  def call(self, inputs, state):
    c, h = state
    if self._linear is None:
      with tf.variable_scope("gates"):
        self._linear = _Linear([inputs, h], 4 * self._num_units, True)
    i, j, f, o = tf.split(self._linear([inputs, h]), 4, 1)
    c = c * tf.sigmoid(f) + tf.sigmoid(i) * tf.tanh(j)
    h = tf.tanh(c) * tf.sigmoid(o)
    return h, rnn_cell_impl.LSTMStateTuple(c, h)

x = tf.placeholder(tf.float32, [None, 5, 3])
cell = tf.contrib.rnn.MultiRNNCell([Gated(4), Layered(3)])
outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, sequence_length=tf.constant([5, 2]))
loss = tf.reduce_mean(tf.square(outputs - 0.3))
train = tf.train.RMSPropOptimizer(0.02).minimize(loss)
print([v.op.name for v in tf.trainable_variables()])
with tf.Session() as session:
  session.run(tf.global_variables_initializer())
  first = session.run(loss, {x: np.ones((2, 5, 3))})
  for _ in range(40):
    session.run(train, {x: np.ones((2, 5, 3))})
  print(session.run(loss, {x: np.ones((2, 5, 3))}) < first)
'''

OLD_NAMES = """
import numpy as np
import tensorflow as tf
from tensorflow.models.rnn import rnn as old_rnn
from tensorflow.python.ops import rnn, rnn_cell

x = tf.placeholder(tf.float32, [None, 6, 3])
inputs = tf.split(0, 6, tf.reshape(tf.transpose(x, [1, 0, 2]), [-1, 3]))
with tf.variable_scope("a"):
  one, _ = tf.nn.rnn(rnn_cell.BasicLSTMCell(8, forget_bias=1.0, state_is_tuple=True), inputs, dtype=tf.float32)
with tf.variable_scope("b"):
  two, _ = rnn.dynamic_rnn(tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(5)] * 1), x, dtype=tf.float32)
with tf.variable_scope("c"):
  three, _, _ = tf.nn.bidirectional_rnn(rnn_cell.GRUCell(4), rnn_cell.GRUCell(4), inputs, dtype=tf.float32)
with tf.variable_scope("d"):
  projected = tf.nn.rnn_cell.OutputProjectionWrapper(tf.nn.rnn_cell.GRUCell(4), 3)
  four, _ = old_rnn.rnn(projected, inputs, dtype=tf.float32)
with tf.Session() as session:
  session.run(tf.initialize_all_variables())
  values = session.run([tf.pack(one), two, tf.pack(three), tf.pack(four)], {x: np.ones((2, 6, 3))})
print([value.shape for value in values])
"""


def test_cells_of_programs(tmp_path):
  ran = package.script(tmp_path, OWN_CELLS)
  assert ran.returncode == 0, ran.stderr
  names, improved = ran.stdout.splitlines()
  prefix = "rnn/multi_rnn_cell/"
  wanted = [prefix + "cell_0/Gated/%s/%s" % (part, name) for part in ("Gates", "Candidate") for name in ("kernel", "bias")]
  assert names == str(wanted + [prefix + "cell_1/layered/gates/kernel", prefix + "cell_1/layered/gates/bias"])
  assert improved == "True"


def test_names_from_before_1_0(tmp_path):
  ran = package.script(tmp_path, OLD_NAMES, options=("--tf", "0.12"))
  assert ran.returncode == 0, ran.stderr
  assert ran.stdout.splitlines()[-1] == "[(6, 2, 8), (2, 6, 5), (6, 2, 8), (6, 2, 3)]"
