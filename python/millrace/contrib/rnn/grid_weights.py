"""The weights of one block of a grid of LSTMs, and its gates."""

import collections

import millrace as tf
from millrace.contrib.rnn.sharded_variables import matrix_of_shards
from millrace.ops.variables import scope as scopes

Gates = collections.namedtuple("Gates", ("input", "new", "forget", "output", "before"))


class GridWeights:
  """The variables of block number `block`: W_f and B_f of the LSTM through frequencies, W_t and B_t of that through time, and
  the peepholes W_F_diag_freqf, ..., from both cells to the gates of both."""

  def __init__(self, cell, block, depth, dtype):
    self._cell = cell
    self._block = block
    self._dtype = dtype
    self._shared = cell._share_time_frequency_weights
    units = cell._num_units
    self._number_of_gates = 3 if cell._couple_input_forget_gates else 4
    shape = [depth + 2 * units, self._number_of_gates * units]
    self._matrices = {}
    for side in "f" if self._shared else "ft":
      w = matrix_of_shards(f"W_{side}_{block}", shape, dtype, cell._num_unit_shards)
      b = scopes.get_variable(f"B_{side}_{block}", shape=shape[1:], initializer=tf.zeros_initializer(), dtype=dtype)
      self._matrices[side] = (w, b)
    self._diagonals = {}
    if cell._use_peepholes:
      for side in ("freq",) if self._shared else ("freq", "time"):
        for gate in "IO" if cell._couple_input_forget_gates else "FIO":
          for other in "ft":
            name = f"W_{gate}_diag_{side}{other}_{block}"
            self._diagonals[side, gate, other] = scopes.get_variable(name, shape=[units], dtype=dtype)

  def _with_peepholes(self, side, gate, value, cells):
    """Adds both cells times their weights to a gate."""
    if not self._diagonals:
      return value
    side = "freq" if side == "f" or self._shared else "time"
    return value + self._diagonals[side, gate, "f"] * cells[0] + self._diagonals[side, gate, "t"] * cells[1]

  def gates(self, side, joined, cells, like=None):
    """Returns the gates of one LSTM, "f" or "t", for inputs and outputs side by side and the cells (of F, of T).

    The output gate is the value before what depends on the next cell. `like` are the gates of F, which T has where it takes its
    weights.
    """
    if side == "t" and self._shared:
      parts = like.before
    else:
      w, b = self._matrices[side]
      parts = tf.split(tf.nn.bias_add(tf.matmul(joined, w), b), self._number_of_gates, axis=1)
    i, new, *f, o = parts
    input_gate = tf.sigmoid(self._with_peepholes(side, "I", i, cells))
    if f:
      forget_gate = tf.sigmoid(self._with_peepholes(side, "F", f[0] + self._cell._forget_bias, cells))
    else:
      forget_gate = 1.0 - input_gate
    return Gates(input_gate, new, forget_gate, o, parts)

  def output_gate(self, side, gates, cells):
    """Returns the output gate of one LSTM for the next cells (of F, of T)."""
    return tf.sigmoid(self._with_peepholes(side, "O", gates.output, cells))
