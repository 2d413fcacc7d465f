"""SRUCell: the simple recurrent unit (Lei et al., 2017)."""

import millrace as tf
from millrace.layers.base import InputSpec
from millrace.ops.rnn.cell import LayerRNNCell, depth_of


class SRUCell(LayerRNNCell):
  """A cell whose products are of the inputs alone: c' = f c + (1 - f) x1, h' = r activation(c') + (1 - r) x2.

  [x1, f, r, x2] = inputs W, with sigmoid and a bias for the gates f and r. `activation` is a function, tanh by default. With
  `reuse`, the variables are found in a scope that has them.
  """

  def __init__(self, num_units, activation=None, reuse=None, name=None, **kwargs):
    super().__init__(_reuse=reuse, name=name, **kwargs)
    self.input_spec = InputSpec(ndim=2)
    self._num_units = num_units
    self._activation = activation or tf.tanh

  @property
  def state_size(self):
    return self._num_units

  @property
  def output_size(self):
    return self._num_units

  def build(self, input_shape):
    self._kernel = self.add_variable("kernel", shape=[depth_of(input_shape), 4 * self._num_units])
    self._bias = self.add_variable(
      "bias", shape=[2 * self._num_units], initializer=tf.constant_initializer(0.0, dtype=self.dtype)
    )
    self.built = True

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    x1, f, r, x2 = tf.split(value=tf.matmul(inputs, self._kernel), num_or_size_splits=4, axis=1)
    gates = tf.sigmoid(tf.nn.bias_add(tf.concat([f, r], 1), self._bias))
    f, r = tf.split(value=gates, num_or_size_splits=2, axis=1)
    c = f * state + (1.0 - f) * x1
    return r * self._activation(c) + (1.0 - r) * x2, c
