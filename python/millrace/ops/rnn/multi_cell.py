"""MultiRNNCell: cells on top of each other."""

import millrace as tf
from millrace.framework import graph as ops
from millrace.framework import nest
from millrace.ops.rnn.cell import RNNCell, assert_like_rnncell
from millrace.ops.variables import scope as scopes


class MultiRNNCell(RNNCell):
  """The cell whose inputs go through `cells`, one after the other; its output is that of the last one.

  The state is a tuple of theirs, or without `state_is_tuple` one tensor with them side by side. The variables of cell number i
  are in the scope "cell_i". ValueError for no cells, or cells with tuples as their states without `state_is_tuple`; TypeError
  for what is no list or tuple of cells.
  """

  def __init__(self, cells, state_is_tuple=True):
    super().__init__()
    if not cells:
      raise ValueError("Must specify at least one cell for MultiRNNCell.")
    if not nest.is_nested(cells):
      raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
    for number, cell in enumerate(cells):
      assert_like_rnncell(f"cells[{number}]", cell)
    if len({id(cell) for cell in cells}) < len(cells):
      tf.logging.log_first_n(
        tf.logging.WARN, "At least two cells provided to MultiRNNCell are the same object and will share weights.", 1
      )
    self._cells = cells
    self._state_is_tuple = state_is_tuple
    if not state_is_tuple and any(nest.is_nested(cell.state_size) for cell in cells):
      raise ValueError(
        "Some cells return tuples of states, but the flag state_is_tuple is not set.  State sizes are: "
        f"{[cell.state_size for cell in cells]}"
      )

  @property
  def state_size(self):
    sizes = tuple(cell.state_size for cell in self._cells)
    return sizes if self._state_is_tuple else sum(sizes)

  @property
  def output_size(self):
    return self._cells[-1].output_size

  def zero_state(self, batch_size, dtype):
    """Returns the zero states of the cells."""
    with ops.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
      if self._state_is_tuple:
        return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
      return super().zero_state(batch_size, dtype)

  def call(self, inputs, state):
    """Returns (outputs, next state). ValueError for a state that is no tuple where one is needed."""
    position = 0
    states = []
    for number, cell in enumerate(self._cells):
      with scopes.variable_scope(f"cell_{number}"):
        if self._state_is_tuple:
          if not nest.is_nested(state):
            raise ValueError(f"Expected state to be a tuple of length {len(self.state_size)}, but received: {state}")
          own = state[number]
        else:
          own = tf.slice(state, [0, position], [-1, cell.state_size])
          position += cell.state_size
        inputs, next_own = cell(inputs, own)
        states.append(next_own)
    return inputs, tuple(states) if self._state_is_tuple else tf.concat(states, 1)
