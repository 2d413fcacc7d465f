"""Cells whose units see only themselves in the state (Li et al., 2018): IndRNNCell, IndyGRUCell and IndyLSTMCell."""

import millrace as tf
from millrace.layers.base import InputSpec
from millrace.ops.rnn.cell import LayerRNNCell, depth_of
from millrace.ops.rnn.lstm_cells import LSTMStateTuple


class _IndependentCell(LayerRNNCell):
  """The base: variables kernel_w for the inputs, kernel_u, one weight a unit, for the state, and bias."""

  def __init__(self, num_units, activation, reuse, name, dtype):
    super().__init__(_reuse=reuse, name=name, dtype=dtype)
    self.input_spec = InputSpec(ndim=2)
    self._num_units = num_units
    self._activation = activation or tf.tanh

  @property
  def state_size(self):
    return self._num_units

  @property
  def output_size(self):
    return self._num_units

  def _make(self, prefix, depth, columns, kernel_initializer, bias_initializer):
    """Makes the variables of some gates; returns them."""
    uniform = tf.random_uniform_initializer(minval=-1, maxval=1, dtype=self.dtype)
    w = self.add_variable(prefix + "kernel_w", shape=[depth, columns], initializer=kernel_initializer)
    u = self.add_variable(prefix + "kernel_u", shape=[1, columns], initializer=uniform)
    b = self.add_variable(prefix + "bias", shape=[columns], initializer=bias_initializer)
    return w, u, b

  def _gates(self, variables, inputs, state):
    """Returns inputs W + u state + b, with the state once for each gate."""
    w, u, b = variables
    copies = u.get_shape().as_list()[1] // self._num_units
    own = tf.tile(state, [1, copies]) if copies > 1 else state
    return tf.nn.bias_add(tf.matmul(inputs, w) + u * own, b)


class IndRNNCell(_IndependentCell):
  """The cell whose output and next state are activation(inputs W + u state + b).

  `activation` is a function, tanh by default. With `reuse`, the variables are found in a scope that has them.
  """

  def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None):
    super().__init__(num_units, activation, reuse, name, dtype)

  def build(self, input_shape):
    self._variables = self._make("", depth_of(input_shape), self._num_units, None, tf.zeros_initializer(dtype=self.dtype))
    self.built = True

  def call(self, inputs, state):
    """Returns (outputs, next state), which are the same."""
    output = self._activation(self._gates(self._variables, inputs, state))
    return output, output


class IndyGRUCell(_IndependentCell):
  """GRUCell with products of one weight and one unit in the place of those of a matrix and the state.

  The biases are `bias_initializer`'s, or 1 for the gates and 0 for the candidate. The other arguments: see
  tf.nn.rnn_cell.GRUCell; `activation` is a function.
  """

  def __init__(
    self, num_units, activation=None, reuse=None, kernel_initializer=None, bias_initializer=None, name=None, dtype=None
  ):
    super().__init__(num_units, activation, reuse, name, dtype)
    self._kernel_initializer = kernel_initializer
    self._bias_initializer = bias_initializer

  def build(self, input_shape):
    depth = depth_of(input_shape)
    bias = self._bias_initializer
    ones = bias if bias is not None else tf.constant_initializer(1.0, dtype=self.dtype)
    zeros = bias if bias is not None else tf.zeros_initializer(dtype=self.dtype)
    self._of_gates = self._make("gates/", depth, 2 * self._num_units, self._kernel_initializer, ones)
    self._of_candidate = self._make("candidate/", depth, self._num_units, self._kernel_initializer, zeros)
    self.built = True

  def call(self, inputs, state):
    """Returns (outputs, next state), which are the same."""
    gates = tf.sigmoid(self._gates(self._of_gates, inputs, state))
    r, u = tf.split(value=gates, num_or_size_splits=2, axis=1)
    c = self._activation(self._gates(self._of_candidate, inputs, r * state))
    output = u * state + (1 - u) * c
    return output, output


class IndyLSTMCell(_IndependentCell):
  """BasicLSTMCell with products of one weight and one unit in the place of those of a matrix and h.

  The bias is `bias_initializer`'s, zeros by default. The other arguments: see tf.nn.rnn_cell.BasicLSTMCell; `activation` is a
  function.
  """

  def __init__(
    self,
    num_units,
    forget_bias=1.0,
    activation=None,
    reuse=None,
    kernel_initializer=None,
    bias_initializer=None,
    name=None,
    dtype=None,
  ):
    super().__init__(num_units, activation, reuse, name, dtype)
    self._forget_bias = forget_bias
    self._kernel_initializer = kernel_initializer
    self._bias_initializer = bias_initializer

  @property
  def state_size(self):
    return LSTMStateTuple(self._num_units, self._num_units)

  def build(self, input_shape):
    bias = self._bias_initializer
    zeros = bias if bias is not None else tf.zeros_initializer(dtype=self.dtype)
    self._variables = self._make("", depth_of(input_shape), 4 * self._num_units, self._kernel_initializer, zeros)
    self.built = True

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    c, h = state
    i, j, f, o = tf.split(value=self._gates(self._variables, inputs, h), num_or_size_splits=4, axis=1)
    new_c = c * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * self._activation(j)
    new_h = self._activation(new_c) * tf.sigmoid(o)
    return new_h, LSTMStateTuple(new_c, new_h)
