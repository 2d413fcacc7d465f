"""NASCell: the cell that a search for architectures found (Zoph and Le, 2016)."""

import millrace as tf
from millrace.layers.base import InputSpec
from millrace.ops.rnn.cell import LayerRNNCell, depth_of
from millrace.ops.rnn.lstm_cells import LSTMStateTuple


class NASCell(LayerRNNCell):
  """A tree of sums, products and activations of eight products of the inputs and of h.

  With `num_proj`, h is multiplied by projection_weights to as many columns. `use_bias` adds a bias to the products of h. With
  `reuse`, the variables are found in a scope that has them.
  """

  def __init__(self, num_units, num_proj=None, use_bias=False, reuse=None, **kwargs):
    super().__init__(_reuse=reuse, **kwargs)
    self.input_spec = InputSpec(ndim=2)
    self._num_units = num_units
    self._num_proj = num_proj
    self._use_bias = use_bias

  @property
  def state_size(self):
    return LSTMStateTuple(self._num_units, self.output_size)

  @property
  def output_size(self):
    return self._num_units if self._num_proj is None else self._num_proj

  def build(self, input_shape):
    columns = 8 * self._num_units
    self._recurrent_kernel = self.add_variable("recurrent_kernel", [self.output_size, columns])
    self._kernel = self.add_variable("kernel", [depth_of(input_shape), columns])
    if self._use_bias:
      self._bias = self.add_variable("bias", shape=[columns], initializer=tf.zeros_initializer())
    if self._num_proj is not None:
      self._projection = self.add_variable("projection_weights", [self._num_units, self._num_proj])
    self.built = True

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    c, h = state
    of_h = tf.matmul(h, self._recurrent_kernel)
    if self._use_bias:
      of_h = tf.nn.bias_add(of_h, self._bias)
    x = tf.split(axis=1, num_or_size_splits=8, value=tf.matmul(inputs, self._kernel))
    h = tf.split(axis=1, num_or_size_splits=8, value=of_h)
    a = tf.tanh(tf.sigmoid(x[0] + h[0]) * tf.nn.relu(x[1] + h[1]))
    b = tf.tanh(tf.sigmoid(x[2] + h[2]) + tf.nn.relu(x[3] * h[3]))
    d = tf.tanh(tf.tanh(x[4] + h[4]) * tf.sigmoid(x[5] + h[5]))
    e = tf.sigmoid(tf.tanh(x[6] + h[6]) + tf.sigmoid(x[7] + h[7]))
    new_c = tf.tanh(a + c) * b
    new_h = tf.tanh(new_c * tf.tanh(d + e))
    if self._num_proj is not None:
      new_h = tf.matmul(new_h, self._projection)
    return new_h, LSTMStateTuple(new_c, new_h)

  def get_config(self):
    config = {"num_units": self._num_units, "num_proj": self._num_proj, "use_bias": self._use_bias, "reuse": self._reuse}
    return {**super().get_config(), **config}
