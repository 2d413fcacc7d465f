"""Cells of Collins et al., 2016: UGRNNCell and IntersectionRNNCell."""

import millrace as tf
from millrace.contrib.rnn.linear import Linear
from millrace.contrib.rnn.sharded_variables import input_depth
from millrace.ops.rnn.cell import RNNCell
from millrace.ops.variables import scope as scopes


class UGRNNCell(RNNCell):
  """The update gate cell: h' = g h + (1 - g) activation(c), with [g, c] = [inputs, h] W + b and g = sigmoid(g + forget_bias).

  `initializer` is that of the weights. With `reuse`, the variables are found in a scope that has them.
  """

  def __init__(self, num_units, initializer=None, forget_bias=1.0, activation=tf.tanh, reuse=None):
    super().__init__(_reuse=reuse)
    self._num_units = num_units
    self._initializer = initializer
    self._forget_bias = forget_bias
    self._activation = activation
    self._linear = None

  @property
  def state_size(self):
    return self._num_units

  @property
  def output_size(self):
    return self._num_units

  def call(self, inputs, state):
    """Returns (outputs, next state), which are the same."""
    input_depth(inputs)
    with scopes.variable_scope(scopes.get_variable_scope(), initializer=self._initializer):
      joined = tf.concat([inputs, state], 1)
      if self._linear is None:
        self._linear = Linear(joined, 2 * self._num_units, True)
      g, c = tf.split(axis=1, num_or_size_splits=2, value=self._linear(joined))
      c = self._activation(c)
      g = tf.sigmoid(g + self._forget_bias)
      output = g * state + (1.0 - g) * c
    return output, output


class IntersectionRNNCell(RNNCell):
  """The intersection cell, with gates between h and its update and between the inputs and the outputs y.

  [gh, h2, gy, y2] = [inputs, h] W + b; h' = gh h + (1 - gh) tanh(h2) and y = gy inputs + (1 - gy) y_activation(y2), with
  sigmoid(g + forget_bias) for both gates. Inputs of another size than `num_units` are first multiplied by a matrix to
  `num_in_proj` columns, which have to be as many. `initializer` is that of the weights. With `reuse`, the variables are found in
  a scope that has them. ValueError for inputs of another size without `num_in_proj`.
  """

  def __init__(self, num_units, num_in_proj=None, initializer=None, forget_bias=1.0, y_activation=tf.nn.relu, reuse=None):
    super().__init__(_reuse=reuse)
    self._num_units = num_units
    self._num_input_proj = num_in_proj
    self._initializer = initializer
    self._forget_bias = forget_bias
    self._y_activation = y_activation
    self._of_inputs = None
    self._linear = None

  @property
  def state_size(self):
    return self._num_units

  @property
  def output_size(self):
    return self._num_units

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    depth = input_depth(inputs)
    with scopes.variable_scope(scopes.get_variable_scope(), initializer=self._initializer):
      if depth != self._num_units:
        inputs = self._projected(inputs)
      joined = tf.concat([inputs, state], 1)
      if self._linear is None:
        self._linear = Linear(joined, 4 * self._num_units, True)
      gate_h, h, gate_y, y = tf.split(self._linear(joined), 4, axis=1)
      h, y = tf.tanh(h), self._y_activation(y)
      gate_h = tf.sigmoid(gate_h + self._forget_bias)
      gate_y = tf.sigmoid(gate_y + self._forget_bias)
      return gate_y * inputs + (1.0 - gate_y) * y, gate_h * state + (1.0 - gate_h) * h

  def _projected(self, inputs):
    if not self._num_input_proj:
      raise ValueError(
        "Must have input size == output size for Intersection RNN. To fix, num_in_proj should be set to num_units at cell init."
      )
    with scopes.variable_scope("in_projection"):
      if self._of_inputs is None:
        self._of_inputs = Linear(inputs, self._num_input_proj, True)
      return self._of_inputs(inputs)
