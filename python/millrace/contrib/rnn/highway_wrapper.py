"""HighwayWrapper: a gate between a cell's inputs and its outputs (Srivastava et al., 2015)."""

import millrace as tf
from millrace.framework import graph as ops
from millrace.framework import nest
from millrace.ops.rnn.cell import RNNCell, assert_like_rnncell
from millrace.ops.variables import scope as scopes


class HighwayWrapper(RNNCell):
  """A cell whose outputs y become carry x + transform y, with carry = sigmoid(x W + b) of the inputs x.

  transform is 1 - carry, or without `couple_carry_transform_gates` a gate of its own, whose bias begins with -carry_bias_init;
  that of carry begins with `carry_bias_init`. The variables carry_w, carry_b, transform_w and transform_b are in the scope
  around the cell. Inputs and outputs have equal structures and shapes, otherwise there is a ValueError or a TypeError.
  """

  def __init__(self, cell, couple_carry_transform_gates=True, carry_bias_init=1.0):
    super().__init__()
    assert_like_rnncell("cell", cell)
    self._cell = cell
    self._couple_carry_transform_gates = couple_carry_transform_gates
    self._carry_bias_init = carry_bias_init

  @property
  def state_size(self):
    return self._cell.state_size

  @property
  def output_size(self):
    return self._cell.output_size

  def zero_state(self, batch_size, dtype):
    with ops.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
      return self._cell.zero_state(batch_size, dtype)

  def __call__(self, inputs, state, scope=None):
    """Returns (outputs, next state)."""
    outputs, next_state = self._cell(inputs, state, scope=scope)
    nest.assert_same_structure(inputs, outputs)
    nest.map_structure(lambda x, y: x.get_shape().assert_is_compatible_with(y.get_shape()), inputs, outputs)
    return nest.map_structure(self._highway, inputs, outputs), next_state

  def _highway(self, x, y):
    carry = self._gate("carry", x, self._carry_bias_init)
    if self._couple_carry_transform_gates:
      transform = 1 - carry
    else:
      transform = self._gate("transform", x, -self._carry_bias_init)
    return x * carry + y * transform

  def _gate(self, name, x, bias):
    size = x.get_shape().with_rank(2).dims[1].value
    w = scopes.get_variable(name + "_w", [size, size])
    b = scopes.get_variable(name + "_b", [size], initializer=tf.constant_initializer(bias))
    return tf.sigmoid(tf.nn.xw_plus_b(x, w, b))
