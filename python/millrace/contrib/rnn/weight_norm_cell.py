"""WeightNormLSTMCell: an LSTM whose weights have a length of their own (Salimans and Kingma, 2016)."""

import millrace as tf
from millrace.contrib.rnn.linear import total_depth
from millrace.contrib.rnn.sharded_variables import input_depth
from millrace.framework import graph as ops
from millrace.ops.rnn.cell import RNNCell
from millrace.ops.rnn.lstm_cells import LSTMStateTuple
from millrace.ops.variables import scope as scopes


class WeightNormLSTMCell(RNNCell):
  """LSTMCell whose columns of weights, those of the inputs and those of h each by itself, have length 1 times the variables
  norm_0 and norm_1, unless `norm` is False.

  The other arguments: see tf.nn.rnn_cell.LSTMCell; `activation` is a function. With `reuse`, the variables are found in a scope
  that has them.
  """

  def __init__(
    self,
    num_units,
    norm=True,
    use_peepholes=False,
    cell_clip=None,
    initializer=None,
    num_proj=None,
    proj_clip=None,
    forget_bias=1,
    activation=None,
    reuse=None,
  ):
    super().__init__(_reuse=reuse)
    self._num_units = num_units
    self._norm = norm
    self._use_peepholes = use_peepholes
    self._cell_clip = cell_clip
    self._initializer = initializer
    self._num_proj = num_proj
    self._proj_clip = proj_clip
    self._forget_bias = forget_bias
    self._activation = activation or tf.tanh

  @property
  def state_size(self):
    return LSTMStateTuple(self._num_units, self.output_size)

  @property
  def output_size(self):
    return self._num_proj if self._num_proj else self._num_units

  def _linear(self, args, columns, has_bias):
    """Returns the product of the matrices `args` side by side with a kernel of normalized columns, and a bias."""
    rows = total_depth(args)
    dtype = args[0].dtype
    kernel = scopes.get_variable("kernel", [rows, columns], dtype=dtype)
    if self._norm:
      parts, begin = [], 0
      # Once a step of the session, not once a step of the loop.
      with ops.control_dependencies(None):
        for number, value in enumerate(args):
          end = begin + value.get_shape().as_list()[1]
          g = scopes.get_variable(f"norm_{number}", [columns], dtype=dtype)
          parts.append(tf.nn.l2_normalize(kernel[begin:end, :], axis=0) * g)
          begin = end
        kernel = tf.concat(parts, axis=0)
    result = tf.matmul(args[0] if len(args) == 1 else tf.concat(args, 1), kernel)
    if not has_bias:
      return result
    return tf.nn.bias_add(
      result, scopes.get_variable("bias", [columns], dtype=dtype, initializer=tf.constant_initializer(0.0, dtype=dtype))
    )

  def _peephole(self, name, c):
    return scopes.get_variable(name, shape=[self._num_units], dtype=c.dtype) * c

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    input_depth(inputs)
    c, h = state
    with scopes.variable_scope(scopes.get_variable_scope(), initializer=self._initializer):
      gates = self._linear([inputs, h], 4 * self._num_units, True)
      i, j, f, o = tf.split(value=gates, num_or_size_splits=4, axis=1)
      f = f + self._forget_bias
      if self._use_peepholes:
        f = f + self._peephole("w_f_diag", c)
        i = i + self._peephole("w_i_diag", c)
      new_c = c * tf.sigmoid(f) + tf.sigmoid(i) * self._activation(j)
      if self._cell_clip is not None:
        new_c = tf.clip_by_value(new_c, -self._cell_clip, self._cell_clip)
      if self._use_peepholes:
        o = o + self._peephole("w_o_diag", new_c)
      new_h = tf.sigmoid(o) * self._activation(new_c)
      if self._num_proj is not None:
        with scopes.variable_scope("projection"):
          new_h = self._linear([new_h], self._num_proj, False)
        if self._proj_clip is not None:
          new_h = tf.clip_by_value(new_h, -self._proj_clip, self._proj_clip)
    return new_h, LSTMStateTuple(new_c, new_h)
