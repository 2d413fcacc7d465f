"""CoupledInputForgetGateLSTMCell: an LSTM that forgets as much as it takes in (Greff et al., 2015)."""

import millrace as tf
from millrace.contrib.rnn.layer_norm_cells import layer_norm
from millrace.contrib.rnn.sharded_variables import input_depth, matrix_of_shards
from millrace.ops.rnn.cell import RNNCell
from millrace.ops.rnn.lstm_cells import LSTMStateTuple
from millrace.ops.variables import scope as scopes


class CoupledInputForgetGateLSTMCell(RNNCell):
  """An LSTM with c' = f c + (1 - f) act(j) and h' = sigmoid(o) act(c'), whose gates are [j, f, o] = [inputs, h] W + B.

  `forget_bias` is added to f, and with `use_peepholes` the cell times W_F_diag to f and the next cell times W_O_diag to o.
  With `num_proj`, h' is multiplied by W_P to as many columns and clipped to [-proj_clip, proj_clip]. W is stored in
  `num_unit_shards` variables and W_P in `num_proj_shards`. `initializer` is that of all weights. The state is an LSTMStateTuple,
  or without `state_is_tuple` one tensor. With `layer_norm`, the gates and the next cell are normalized; gains and shifts begin
  with `norm_gain` and `norm_shift`. With `reuse`, the variables are found in a scope that has them.
  """

  def __init__(
    self,
    num_units,
    use_peepholes=False,
    initializer=None,
    num_proj=None,
    proj_clip=None,
    num_unit_shards=1,
    num_proj_shards=1,
    forget_bias=1.0,
    state_is_tuple=True,
    activation=tf.tanh,
    reuse=None,
    layer_norm=False,
    norm_gain=1.0,
    norm_shift=0.0,
  ):
    super().__init__(_reuse=reuse)
    if not state_is_tuple:
      tf.logging.warning("%s: Using a concatenated state is slower and will soon be deprecated.  Use state_is_tuple=True.", self)
    self._num_units = num_units
    self._use_peepholes = use_peepholes
    self._initializer = initializer
    self._num_proj = num_proj
    self._proj_clip = proj_clip
    self._num_unit_shards = num_unit_shards
    self._num_proj_shards = num_proj_shards
    self._forget_bias = forget_bias
    self._state_is_tuple = state_is_tuple
    self._activation = activation
    self._layer_norm = layer_norm
    self._norm_gain = norm_gain
    self._norm_shift = norm_shift

  @property
  def state_size(self):
    sizes = LSTMStateTuple(self._num_units, self.output_size)
    return sizes if self._state_is_tuple else sum(sizes)

  @property
  def output_size(self):
    return self._num_proj if self._num_proj else self._num_units

  def _normalized(self, x, name):
    return layer_norm(x, name, self._norm_gain, self._norm_shift) if self._layer_norm else x

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    c, h = state if self._state_is_tuple else tf.split(state, [self._num_units, self.output_size], axis=1)
    rows = input_depth(inputs) + self.output_size
    dtype = inputs.dtype
    columns = 3 * self._num_units
    with scopes.variable_scope(scopes.get_variable_scope(), initializer=self._initializer):
      gates = tf.matmul(tf.concat([inputs, h], 1), matrix_of_shards("W", [rows, columns], dtype, self._num_unit_shards))
      # A layer that normalizes has one and does not add it: TensorFlow's checkpoints have it, too.
      bias = scopes.get_variable("B", shape=[columns], initializer=tf.zeros_initializer(), dtype=dtype)
      if not self._layer_norm:
        gates = tf.nn.bias_add(gates, bias)
      j, f, o = tf.split(value=gates, num_or_size_splits=3, axis=1)
      j, f, o = self._normalized(j, "transform"), self._normalized(f, "forget"), self._normalized(o, "output")
      f = f + self._forget_bias
      if self._use_peepholes:
        f = f + scopes.get_variable("W_F_diag", shape=[self._num_units], dtype=dtype) * c
      kept = tf.sigmoid(f)
      new_c = self._normalized(kept * c + (1 - kept) * self._activation(j), "state")
      if self._use_peepholes:
        o = o + scopes.get_variable("W_O_diag", shape=[self._num_units], dtype=dtype) * new_c
      new_h = tf.sigmoid(o) * self._activation(new_c)
      if self._num_proj is not None:
        new_h = tf.matmul(new_h, matrix_of_shards("W_P", [self._num_units, self._num_proj], dtype, self._num_proj_shards))
        if self._proj_clip is not None:
          new_h = tf.clip_by_value(new_h, -self._proj_clip, self._proj_clip)
    return new_h, LSTMStateTuple(new_c, new_h) if self._state_is_tuple else tf.concat([new_c, new_h], 1)
