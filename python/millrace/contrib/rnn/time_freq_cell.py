"""TimeFreqLSTMCell: an LSTM that goes through time and, at each time, through frequencies (Sainath and Li, 2016)."""

import millrace as tf
from millrace.contrib.rnn import frequency_blocks
from millrace.contrib.rnn.sharded_variables import matrix_of_shards
from millrace.ops.rnn.cell import RNNCell
from millrace.ops.variables import scope as scopes


class TimeFreqLSTMCell(RNNCell):
  """One LSTM over pieces of `feature_size` columns of the inputs, `frequency_skip` apart.

  For each piece the gates [i, j, f, o] are [piece, h of the time before, h of the piece before] W + B. The state and the outputs
  have the cells and outputs of all pieces side by side: [c, h] for each piece, and h for each. `use_peepholes` adds the cell
  times W_F_diag and W_I_diag to f and i, and the next cell times W_O_diag to o. `cell_clip` clips the cell. W is stored in
  `num_unit_shards` variables. `initializer` is that of all weights. With `reuse`, the variables are found in a scope that has
  them.
  """

  def __init__(
    self,
    num_units,
    use_peepholes=False,
    cell_clip=None,
    initializer=None,
    num_unit_shards=1,
    forget_bias=1.0,
    feature_size=None,
    frequency_skip=1,
    reuse=None,
  ):
    super().__init__(_reuse=reuse)
    self._num_units = num_units
    self._use_peepholes = use_peepholes
    self._cell_clip = cell_clip
    self._initializer = initializer
    self._num_unit_shards = num_unit_shards
    self._forget_bias = forget_bias
    self._feature_size = feature_size
    self._frequency_skip = frequency_skip

  @property
  def state_size(self):
    """The size of one piece's state."""
    return 2 * self._num_units

  @property
  def output_size(self):
    """The size of one piece's outputs."""
    return self._num_units

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    width = frequency_blocks.width_of(inputs)
    number = frequency_blocks.number_of_pieces(width, self._feature_size, self._frequency_skip)
    pieces = frequency_blocks.pieces(inputs, 0, number, self._feature_size, self._frequency_skip)
    units, dtype = self._num_units, inputs.dtype
    with scopes.variable_scope(scopes.get_variable_scope(), initializer=self._initializer):
      w = matrix_of_shards("W", [self._feature_size + 2 * units, 4 * units], dtype, self._num_unit_shards)
      b = scopes.get_variable("B", shape=[4 * units], initializer=tf.zeros_initializer(), dtype=dtype)
      if self._use_peepholes:
        w_f, w_i, w_o = [scopes.get_variable(name, shape=[units], dtype=dtype) for name in ("W_F_diag", "W_I_diag", "W_O_diag")]
    h_of_piece_before = tf.zeros([tf.shape(inputs)[0], units], dtype)
    outputs, states = [], []
    for place, piece in enumerate(pieces):
      c = tf.slice(state, [0, 2 * place * units], [-1, units])
      h = tf.slice(state, [0, (2 * place + 1) * units], [-1, units])
      gates = tf.nn.bias_add(tf.matmul(tf.concat([piece, h, h_of_piece_before], 1), w), b)
      i, j, f, o = tf.split(value=gates, num_or_size_splits=4, axis=1)
      f = f + self._forget_bias
      if self._use_peepholes:
        f, i = f + w_f * c, i + w_i * c
      c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(j)
      if self._cell_clip is not None:
        c = tf.clip_by_value(c, -self._cell_clip, self._cell_clip)
      if self._use_peepholes:
        o = o + w_o * c
      h = tf.sigmoid(o) * tf.tanh(c)
      h_of_piece_before = h
      outputs.append(h)
      states += [c, h]
    return tf.concat(outputs, 1), tf.concat(states, 1)
