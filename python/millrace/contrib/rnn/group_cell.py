"""GLSTMCell: an LSTM in groups that do not see each other (Kuchaiev and Ginsburg, 2017)."""

import millrace as tf
from millrace.contrib.rnn.linear import Linear
from millrace.ops.rnn.cell import RNNCell
from millrace.ops.rnn.lstm_cells import LSTMStateTuple
from millrace.ops.variables import scope as scopes


class GLSTMCell(RNNCell):
  """An LSTM whose inputs, outputs and gates are cut into `number_of_groups` parts, each with a matrix of its own.

  The biases are bias_i, bias_j, bias_f and bias_o. `forget_bias` is added to f, and `activation` is that of the outputs. With `num_proj`, the outputs of all groups are
  multiplied by one matrix to as many columns. `initializer` is that of the weights. With `reuse`, the variables are found in a
  scope that has them. ValueError for numbers of units, columns or inputs that the groups do not divide.
  """

  def __init__(
    self,
    num_units,
    initializer=None,
    num_proj=None,
    number_of_groups=1,
    forget_bias=1.0,
    activation=tf.tanh,
    reuse=None,
  ):
    super().__init__(_reuse=reuse)
    if num_units % number_of_groups:
      raise ValueError("num_units must be divisible by number_of_groups")
    if (num_proj or 0) % number_of_groups:
      raise ValueError("num_proj must be divisible by number_of_groups")
    self._num_units = num_units
    self._initializer = initializer
    self._num_proj = num_proj
    self._number_of_groups = number_of_groups
    self._forget_bias = forget_bias
    self._activation = activation
    self._linears = None
    self._of_outputs = None

  @property
  def state_size(self):
    return LSTMStateTuple(self._num_units, self.output_size)

  @property
  def output_size(self):
    return self._num_proj if self._num_proj else self._num_units

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    c, h = state
    depth = inputs.get_shape().as_list()[1]
    if depth is None:
      raise ValueError("input size must be statically known")
    groups = self._number_of_groups
    if depth % groups:
      raise ValueError(f"Input size {depth} must be divisible by number of groups {groups}")
    with scopes.variable_scope(scopes.get_variable_scope(), initializer=self._initializer):
      joined = [tf.concat(parts, axis=1) for parts in zip(tf.split(inputs, groups, 1), tf.split(h, groups, 1))]
      i, j, f, o = self._gates(joined, inputs.dtype)
      new_c = tf.sigmoid(f + self._forget_bias) * c + tf.sigmoid(i) * tf.tanh(j)
      new_h = tf.sigmoid(o) * self._activation(new_c)
      if self._num_proj is not None:
        with scopes.variable_scope("projection"):
          if self._of_outputs is None:
            self._of_outputs = Linear(new_h, self._num_proj, False)
          new_h = self._of_outputs(new_h)
    return new_h, LSTMStateTuple(new_c, new_h)

  def _gates(self, joined, dtype):
    """Returns the gates i, j, f and o of all groups."""
    columns = 4 * self._num_units // self._number_of_groups
    products = []
    if self._linears is None:
      self._linears = []
    for number, part in enumerate(joined):
      with scopes.variable_scope(f"group{number}"):
        if len(self._linears) == number:
          self._linears.append(Linear(part, columns, False))
        products.append(tf.split(value=self._linears[number](part), num_or_size_splits=4, axis=1))
    gates = []
    for name, parts in zip("ijfo", zip(*products)):
      zero = tf.constant_initializer(0.0, dtype=dtype)
      bias = scopes.get_variable(f"bias_{name}", [self._num_units], dtype=dtype, initializer=zero)
      gates.append(tf.nn.bias_add(tf.concat(parts, axis=1), bias))
    return gates
