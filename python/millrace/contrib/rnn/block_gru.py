"""GRUs that one op computes: GRUBlockCell and GRUBlockCellV2."""

import millrace as tf
from millrace import gen
from millrace.layers.base import InputSpec
from millrace.ops.rnn.cell import LayerRNNCell


class GRUBlockCell(LayerRNNCell):
  """GRUCell in one op, which is faster. Its variables are w_ru, b_ru, w_c and b_c; those of GRUBlockCellV2 are GRUCell's.

  `cell_size` is an older name of `num_units`. With `reuse`, the variables are found in a scope that has them. ValueError where
  none or both are given.
  """

  _NAMES = ("w_ru", "b_ru", "w_c", "b_c")

  def __init__(self, num_units=None, cell_size=None, reuse=None, name="gru_cell"):
    super().__init__(_reuse=reuse, name=name)
    if (num_units is None) == (cell_size is None):
      raise ValueError("Exactly one of num_units or cell_size must be provided.")
    self.input_spec = InputSpec(ndim=2)
    self._cell_size = cell_size if num_units is None else num_units

  @property
  def state_size(self):
    return self._cell_size

  @property
  def output_size(self):
    return self._cell_size

  def build(self, input_shape):
    depth = input_shape.dims[1].value
    if depth is None:
      raise ValueError("Expecting input_size to be set.")
    rows, units = depth + self._cell_size, self._cell_size
    gate_kernel, gate_bias, candidate_kernel, candidate_bias = self._NAMES
    self._gate_kernel = self.add_variable(gate_kernel, [rows, 2 * units])
    self._gate_bias = self.add_variable(gate_bias, [2 * units], initializer=tf.constant_initializer(1.0))
    self._candidate_kernel = self.add_variable(candidate_kernel, [rows, units])
    self._candidate_bias = self.add_variable(candidate_bias, [units], initializer=tf.constant_initializer(0.0))
    self.built = True

  def call(self, inputs, state):
    """Returns (outputs, next state), which are the same."""
    _, _, _, output = gen.gru_block_cell(
      x=inputs,
      h_prev=state,
      w_ru=self._gate_kernel,
      w_c=self._candidate_kernel,
      b_ru=self._gate_bias,
      b_c=self._candidate_bias,
    )
    return output, output


class GRUBlockCellV2(GRUBlockCell):
  """GRUBlockCell with the names of GRUCell's variables, so that each can be restored from the other's checkpoints."""

  _NAMES = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")
