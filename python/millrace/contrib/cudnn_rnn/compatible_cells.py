"""Cells with the formulas of cuDNN: CudnnCompatibleLSTMCell and CudnnCompatibleGRUCell."""

import millrace as tf
from millrace.contrib.rnn.block_lstm import LSTMBlockCell
from millrace.ops.rnn.basic_cells import GRUCell
from millrace.ops.rnn.cell import depth_of


class CudnnCompatibleLSTMCell(LSTMBlockCell):
  """LSTMBlockCell without a bias of its own for the forget gate, as cuDNN has it.

  With `reuse`, the variables are found in a scope that has them.
  """

  def __init__(self, num_units, reuse=None):
    super().__init__(num_units, forget_bias=0, cell_clip=None, use_peephole=False, reuse=reuse, name="cudnn_compatible_lstm_cell")


class CudnnCompatibleGRUCell(GRUCell):
  """The GRU of cuDNN: as GRUCell with c = activation(inputs W + b + r (h U + d)).

  W and b are candidate/input_projection/kernel and bias, U and d candidate/hidden_projection/kernel and bias.
  `kernel_initializer` is that of all matrices. With `reuse`, the variables are found in a scope that has them.
  """

  def __init__(self, num_units, reuse=None, kernel_initializer=None):
    super().__init__(num_units, activation=None, reuse=reuse, kernel_initializer=kernel_initializer)

  def build(self, input_shape):
    depth, units = depth_of(input_shape), self._num_units
    self._gate_kernel = self._matrix("gates/kernel", depth + units, 2 * units)
    self._gate_bias = self.add_variable("gates/bias", shape=[2 * units], initializer=self._bias(1.0))
    self._candidate_input_kernel = self._matrix("candidate/input_projection/kernel", depth, units)
    self._candidate_hidden_kernel = self._matrix("candidate/hidden_projection/kernel", units, units)
    self._candidate_input_bias = self.add_variable("candidate/input_projection/bias", shape=[units], initializer=self._bias(0.0))
    self._candidate_hidden_bias = self.add_variable(
      "candidate/hidden_projection/bias", shape=[units], initializer=self._bias(0.0)
    )
    self.built = True

  def _matrix(self, name, rows, columns):
    return self.add_variable(name, shape=[rows, columns], initializer=self._kernel_initializer)

  def call(self, inputs, state):
    """Returns (outputs, next state), which are the same."""
    gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, state], 1), self._gate_kernel), self._gate_bias)
    r, u = tf.split(value=tf.sigmoid(gates), num_or_size_splits=2, axis=1)
    candidate = r * tf.nn.bias_add(tf.matmul(state, self._candidate_hidden_kernel), self._candidate_hidden_bias)
    candidate += tf.nn.bias_add(tf.matmul(inputs, self._candidate_input_kernel), self._candidate_input_bias)
    output = (1 - u) * self._activation(candidate) + u * state
    return output, output
