"""Cells that leave most of the LSTM out: MinimalRNNCell (Chen, 2017) and CFNCell (Laurent and von Brecht, 2016)."""

import millrace as tf
from millrace.layers import named_values
from millrace.layers.base import InputSpec
from millrace.ops.rnn.cell import LayerRNNCell, check_floating, depth_of


class _SimpleCell(LayerRNNCell):
  """The base: the state is the output, and functions may be given by name."""

  def __init__(self, units, activation, kernel_initializer, bias_initializer, name, dtype, kwargs):
    super().__init__(name=name, dtype=dtype, **kwargs)
    self.input_spec = InputSpec(ndim=2)
    self.units = units
    self.activation = named_values.activation(activation)
    self.kernel_initializer = named_values.initializer(kernel_initializer)
    self.bias_initializer = named_values.initializer(bias_initializer)

  @property
  def state_size(self):
    return self.units

  @property
  def output_size(self):
    return self.units

  def get_config(self):
    config = {
      "units": self.units,
      "activation": named_values.described(self.activation),
      "kernel_initializer": named_values.described(self.kernel_initializer),
      "bias_initializer": named_values.described(self.bias_initializer),
    }
    return {**super().get_config(), **config}


class MinimalRNNCell(_SimpleCell):
  """The cell h' = u h + (1 - u) z with z = activation(inputs W) and u = sigmoid([z, h] U + b).

  The kernel has the rows of W, then those of U. The functions and initializers may be names.
  """

  def __init__(
    self,
    units,
    activation="tanh",
    kernel_initializer="glorot_uniform",
    bias_initializer="ones",
    name=None,
    dtype=None,
    **kwargs,
  ):
    super().__init__(units, activation, kernel_initializer, bias_initializer, name, dtype, kwargs)

  def build(self, input_shape):
    rows = depth_of(input_shape) + 2 * self.units
    self.kernel = self.add_variable(name="kernel", shape=[rows, self.units], initializer=self.kernel_initializer)
    self.bias = self.add_variable(name="bias", shape=[self.units], initializer=self.bias_initializer)
    self.built = True

  def call(self, inputs, state):
    """Returns (outputs, next state), which are the same."""
    check_floating([inputs, state])
    w, u = tf.split(value=self.kernel, num_or_size_splits=[inputs.get_shape().as_list()[1], 2 * self.units], axis=0)
    z = self.activation(tf.matmul(inputs, w))
    gate = tf.sigmoid(tf.nn.bias_add(tf.matmul(tf.concat([z, state], 1), u), self.bias))
    output = gate * state + (1 - gate) * z
    return output, output


class CFNCell(_SimpleCell):
  """The chaos free cell h' = t activation(h) + (1 - e) activation(inputs W), with gates [t, e] = sigmoid(inputs V + h U + b).

  The kernel has the columns of V, then those of W; recurrent_kernel is U. The functions and initializers may be names.
  """

  def __init__(
    self,
    units,
    activation="tanh",
    kernel_initializer="glorot_uniform",
    bias_initializer="ones",
    name=None,
    dtype=None,
    **kwargs,
  ):
    super().__init__(units, activation, kernel_initializer, bias_initializer, name, dtype, kwargs)

  def build(self, input_shape):
    columns = 2 * self.units
    self.kernel = self.add_variable(
      name="kernel", shape=[depth_of(input_shape), columns + self.units], initializer=self.kernel_initializer
    )
    self.recurrent_kernel = self.add_variable(
      name="recurrent_kernel", shape=[self.units, columns], initializer=self.kernel_initializer
    )
    self.bias = self.add_variable(name="bias", shape=[columns], initializer=self.bias_initializer)
    self.built = True

  def call(self, inputs, state):
    """Returns (outputs, next state), which are the same."""
    check_floating([inputs, state])
    of_inputs = tf.matmul(inputs, self.kernel)
    gates, proposed = tf.split(value=of_inputs, num_or_size_splits=[2 * self.units, self.units], axis=1)
    gates = tf.sigmoid(tf.nn.bias_add(gates + tf.matmul(state, self.recurrent_kernel), self.bias))
    t, e = tf.split(value=gates, num_or_size_splits=2, axis=1)
    output = t * self.activation(state) + (1 - e) * self.activation(proposed)
    return output, output
