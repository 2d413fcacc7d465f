"""LSTMs whose gates are normalized over their units (Ba et al., 2016): LayerNormBasicLSTMCell and LayerNormLSTMCell."""

import millrace as tf
from millrace.contrib.rnn.sharded_variables import input_depth
from millrace.ops.rnn.cell import RNNCell
from millrace.ops.rnn.lstm_cells import LSTMStateTuple
from millrace.ops.variables import scope as scopes


def layer_norm(x, name, gain, shift):
  """Returns gamma (x - mean) / sqrt(variance) + beta, with the moments of each row of the matrix `x`.

  gamma and beta are variables of the scope `name`, which begin with `gain` and `shift`.
  """
  shape = x.get_shape()[-1:]
  with scopes.variable_scope(name):
    gamma = scopes.get_variable("gamma", shape=shape, initializer=tf.constant_initializer(gain), dtype=x.dtype)
    beta = scopes.get_variable("beta", shape=shape, initializer=tf.constant_initializer(shift), dtype=x.dtype)
    mean, variance = tf.nn.moments(x, [1], keep_dims=True)
    epsilon = 1e-3 if x.dtype == tf.float16 else 1e-12
    return tf.nn.batch_normalization(x, mean, variance, beta, gamma, epsilon)


class LayerNormBasicLSTMCell(RNNCell):
  """BasicLSTMCell with layer normalization and dropout without loss of memory (Semeniuta et al., 2016).

  The gates input, transform, forget and output, and the next cell, `state`, are normalized, unless `layer_norm` is False;
  their gains and shifts begin with `norm_gain` and `norm_shift`. What is written to the cell is kept with probability
  `dropout_keep_prob`, a number or scalar tensor, by the seed `dropout_prob_seed`. `input_size` is not used. With `reuse`, the
  variables are found in a scope that has them.
  """

  def __init__(
    self,
    num_units,
    forget_bias=1.0,
    input_size=None,
    activation=tf.tanh,
    layer_norm=True,
    norm_gain=1.0,
    norm_shift=0.0,
    dropout_keep_prob=1.0,
    dropout_prob_seed=None,
    reuse=None,
  ):
    super().__init__(_reuse=reuse)
    if input_size is not None:
      tf.logging.warning("%s: The input_size parameter is deprecated.", self)
    self._num_units = num_units
    self._forget_bias = forget_bias
    self._activation = activation
    self._layer_norm = layer_norm
    self._norm_gain = norm_gain
    self._norm_shift = norm_shift
    self._keep_prob = dropout_keep_prob
    self._seed = dropout_prob_seed

  @property
  def state_size(self):
    return LSTMStateTuple(self._num_units, self._num_units)

  @property
  def output_size(self):
    return self._num_units

  def _normalized(self, x, name):
    return layer_norm(x, name, self._norm_gain, self._norm_shift) if self._layer_norm else x

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    c, h = state
    joined = tf.concat([inputs, h], 1)
    columns = 4 * self._num_units
    gates = tf.matmul(joined, scopes.get_variable("kernel", [joined.get_shape().dims[-1], columns], dtype=joined.dtype))
    if not self._layer_norm:
      gates = tf.nn.bias_add(gates, scopes.get_variable("bias", [columns], dtype=joined.dtype))
    i, j, f, o = tf.split(value=gates, num_or_size_splits=4, axis=1)
    i, j = self._normalized(i, "input"), self._normalized(j, "transform")
    f, o = self._normalized(f, "forget"), self._normalized(o, "output")
    g = self._activation(j)
    if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
      g = tf.nn.dropout(g, rate=1 - self._keep_prob, seed=self._seed)
    new_c = c * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * g
    new_c = self._normalized(new_c, "state")
    new_h = self._activation(new_c) * tf.sigmoid(o)
    return new_h, LSTMStateTuple(new_c, new_h)


class LayerNormLSTMCell(RNNCell):
  """LSTMCell whose gates and next cell are normalized where `layer_norm` says so.

  Their gains and shifts begin with `norm_gain` and `norm_shift`. The other arguments: see tf.nn.rnn_cell.LSTMCell; `activation`
  is a function. With `reuse`, the variables are found in a scope that has them.
  """

  def __init__(
    self,
    num_units,
    use_peepholes=False,
    cell_clip=None,
    initializer=None,
    num_proj=None,
    proj_clip=None,
    forget_bias=1.0,
    activation=None,
    layer_norm=False,
    norm_gain=1.0,
    norm_shift=0.0,
    reuse=None,
  ):
    super().__init__(_reuse=reuse)
    self._num_units = num_units
    self._use_peepholes = use_peepholes
    self._cell_clip = cell_clip
    self._initializer = initializer
    self._num_proj = num_proj
    self._proj_clip = proj_clip
    self._forget_bias = forget_bias
    self._activation = activation or tf.tanh
    self._layer_norm = layer_norm
    self._norm_gain = norm_gain
    self._norm_shift = norm_shift

  @property
  def state_size(self):
    return LSTMStateTuple(self._num_units, self.output_size)

  @property
  def output_size(self):
    return self._num_proj if self._num_proj else self._num_units

  def _normalized(self, x, name):
    return layer_norm(x, name, self._norm_gain, self._norm_shift) if self._layer_norm else x

  def _peephole(self, name, c, dtype):
    return scopes.get_variable(name, shape=[self._num_units], dtype=dtype) * c

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    c, h = state
    rows = input_depth(inputs) + h.get_shape().as_list()[1]
    dtype = inputs.dtype
    with scopes.variable_scope(scopes.get_variable_scope(), initializer=self._initializer):
      columns = 4 * self._num_units
      gates = tf.matmul(tf.concat([inputs, h], 1), scopes.get_variable("kernel", [rows, columns], dtype=dtype))
      bias = scopes.get_variable("bias", [columns], dtype=dtype, initializer=tf.zeros_initializer())
      if not self._layer_norm:
        gates = tf.nn.bias_add(gates, bias)
      i, j, f, o = tf.split(value=gates, num_or_size_splits=4, axis=1)
      i, j = self._normalized(i, "input"), self._normalized(j, "transform")
      f, o = self._normalized(f, "forget"), self._normalized(o, "output")
      f = f + self._forget_bias
      if self._use_peepholes:
        f = f + self._peephole("w_f_diag", c, dtype)
        i = i + self._peephole("w_i_diag", c, dtype)
      new_c = self._normalized(tf.sigmoid(f) * c + tf.sigmoid(i) * self._activation(j), "state")
      if self._cell_clip is not None:
        new_c = tf.clip_by_value(new_c, -self._cell_clip, self._cell_clip)
      if self._use_peepholes:
        o = o + self._peephole("w_o_diag", new_c, dtype)
      new_h = tf.sigmoid(o) * self._activation(new_c)
      if self._num_proj is not None:
        with scopes.variable_scope("projection"):
          new_h = tf.matmul(new_h, scopes.get_variable("kernel", [self._num_units, self._num_proj], dtype=dtype))
        if self._proj_clip is not None:
          new_h = tf.clip_by_value(new_h, -self._proj_clip, self._proj_clip)
    return new_h, LSTMStateTuple(new_c, new_h)
