"""Cells whose state is their output: BasicRNNCell and GRUCell."""

import millrace as tf
from millrace.layers import named_values
from millrace.layers.base import InputSpec
from millrace.ops.rnn.cell import LayerRNNCell, check_floating, depth_of


class BasicRNNCell(LayerRNNCell):
  """The cell whose output and next state are activation([inputs, state] W + b).

  `activation` is a function or its name, tanh by default. With `reuse`, the variables are found in a scope that has them.
  """

  def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs):
    super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
    self.input_spec = InputSpec(ndim=2)
    self._num_units = num_units
    self._activation = named_values.activation(activation) if activation else tf.tanh

  @property
  def state_size(self):
    return self._num_units

  @property
  def output_size(self):
    return self._num_units

  def build(self, input_shape):
    depth = depth_of(input_shape)
    check_floating(self)
    self._kernel = self.add_variable("kernel", shape=[depth + self._num_units, self._num_units])
    self._bias = self.add_variable("bias", shape=[self._num_units], initializer=tf.zeros_initializer(dtype=self.dtype))
    self.built = True

  def call(self, inputs, state):
    """Returns (outputs, next state), which are the same."""
    check_floating([inputs, state])
    output = self._activation(tf.nn.bias_add(tf.matmul(tf.concat([inputs, state], 1), self._kernel), self._bias))
    return output, output

  def get_config(self):
    config = {"num_units": self._num_units, "activation": named_values.described(self._activation), "reuse": self._reuse}
    return {**super().get_config(), **config}


class GRUCell(LayerRNNCell):
  """Gated recurrent unit (Cho et al., 2014): h' = u h + (1 - u) c.

  The gates [r, u] are sigmoid([inputs, h] W + b), and c = activation([inputs, r h] W_c + b_c). `activation` is a function or
  its name, tanh by default. The biases are `bias_initializer`'s, or 1 for the gates and 0 for c. With `reuse`, the variables
  are found in a scope that has them.
  """

  def __init__(
    self,
    num_units,
    activation=None,
    reuse=None,
    kernel_initializer=None,
    bias_initializer=None,
    name=None,
    dtype=None,
    **kwargs,
  ):
    super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
    self.input_spec = InputSpec(ndim=2)
    self._num_units = num_units
    self._activation = named_values.activation(activation) if activation else tf.tanh
    self._kernel_initializer = named_values.initializer(kernel_initializer)
    self._bias_initializer = named_values.initializer(bias_initializer)

  @property
  def state_size(self):
    return self._num_units

  @property
  def output_size(self):
    return self._num_units

  def build(self, input_shape):
    rows = depth_of(input_shape) + self._num_units
    check_floating(self)
    self._gate_kernel = self.add_variable("gates/kernel", shape=[rows, 2 * self._num_units], initializer=self._kernel_initializer)
    self._gate_bias = self.add_variable("gates/bias", shape=[2 * self._num_units], initializer=self._bias(1.0))
    self._candidate_kernel = self.add_variable(
      "candidate/kernel", shape=[rows, self._num_units], initializer=self._kernel_initializer
    )
    self._candidate_bias = self.add_variable("candidate/bias", shape=[self._num_units], initializer=self._bias(0.0))
    self.built = True

  def _bias(self, value):
    if self._bias_initializer is not None:
      return self._bias_initializer
    return tf.constant_initializer(value, dtype=self.dtype) if value else tf.zeros_initializer(dtype=self.dtype)

  def call(self, inputs, state):
    """Returns (outputs, next state), which are the same."""
    check_floating([inputs, state])
    gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, state], 1), self._gate_kernel), self._gate_bias)
    r, u = tf.split(value=tf.sigmoid(gates), num_or_size_splits=2, axis=1)
    reset = r * state
    candidate = tf.nn.bias_add(tf.matmul(tf.concat([inputs, reset], 1), self._candidate_kernel), self._candidate_bias)
    c = self._activation(candidate)
    output = u * state + (1 - u) * c
    return output, output

  def get_config(self):
    config = {
      "num_units": self._num_units,
      "kernel_initializer": named_values.described(self._kernel_initializer),
      "bias_initializer": named_values.described(self._bias_initializer),
      "activation": named_values.described(self._activation),
      "reuse": self._reuse,
    }
    return {**super().get_config(), **config}
