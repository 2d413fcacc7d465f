"""LSTMs through time and frequency with weights for both (Kalchbrenner et al., 2015; Sainath and Li, 2016)."""

import collections

import millrace as tf
from millrace.contrib.rnn import frequency_blocks
from millrace.contrib.rnn.grid_weights import GridWeights
from millrace.ops.rnn.cell import RNNCell
from millrace.ops.variables import scope as scopes


class GridLSTMCell(RNNCell):
  """Two LSTMs over pieces of `feature_size` columns of the inputs, `frequency_skip` apart: one goes through the pieces of a time
  (F), the other through time for each piece (T).

  `num_frequency_blocks` is a list of numbers of pieces: one for all the inputs, or one a block where `start_freqindex_list` and
  `end_freqindex_list` say the columns of the blocks, each of which has weights of its own. T takes the weights of F with
  `share_time_frequency_weights`. `use_peepholes` adds both cells times weights to the gates; `cell_clip` clips the cells;
  `couple_input_forget_gates` makes the forget gates 1 minus the input gates. The matrices are stored in `num_unit_shards`
  variables. `initializer` is that of all weights. With `reuse`, the variables are found in a scope that has them.

  The state is a tuple with a cell and an output of T for each piece, state_f00_b00_c, state_f00_b00_m, ..., or without
  `state_is_tuple` one tensor. The outputs are those of T and F for each piece, side by side. ValueError for numbers of pieces
  that do not fit the inputs.
  """

  _DIRECTIONS = ("state",)
  _TUPLE = "GridLSTMStateTuple"

  def __init__(
    self,
    num_units,
    use_peepholes=False,
    share_time_frequency_weights=False,
    cell_clip=None,
    initializer=None,
    num_unit_shards=1,
    forget_bias=1.0,
    feature_size=None,
    frequency_skip=None,
    num_frequency_blocks=None,
    start_freqindex_list=None,
    end_freqindex_list=None,
    couple_input_forget_gates=False,
    state_is_tuple=True,
    reuse=None,
  ):
    super().__init__(_reuse=reuse)
    if not state_is_tuple:
      tf.logging.warning("%s: Using a concatenated state is slower and will soon be deprecated.  Use state_is_tuple=True.", self)
    if num_frequency_blocks is None:
      raise ValueError("Must specify num_frequency_blocks")
    self._num_units = num_units
    self._use_peepholes = use_peepholes
    self._share_time_frequency_weights = share_time_frequency_weights
    self._cell_clip = cell_clip
    self._initializer = initializer
    self._num_unit_shards = num_unit_shards
    self._forget_bias = forget_bias
    self._feature_size = feature_size
    self._frequency_skip = frequency_skip
    self._num_frequency_blocks = num_frequency_blocks
    self._start_freqindex_list = start_freqindex_list
    self._end_freqindex_list = end_freqindex_list
    self._couple_input_forget_gates = couple_input_forget_gates
    self._state_is_tuple = state_is_tuple
    self._number_of_pieces = len(self._DIRECTIONS) * sum(int(number) for number in num_frequency_blocks)
    self._state_tuple_type = self._make_tuple_type() if state_is_tuple else None

  def _make_tuple_type(self):
    names = []
    for direction in self._DIRECTIONS:
      for block, number in enumerate(self._num_frequency_blocks):
        for place in range(int(number)):
          names += [f"{direction}_f{place:02d}_b{block:02d}_{part}" for part in "cm"]
    return collections.namedtuple(self._TUPLE, names)

  @property
  def state_size(self):
    if self._state_is_tuple:
      return self._state_tuple_type(*[self._num_units] * 2 * self._number_of_pieces)
    return self._num_units * 2 * self._number_of_pieces

  @property
  def output_size(self):
    return self._num_units * 2 * self._number_of_pieces

  @property
  def state_tuple_type(self):
    """The class of the state, None without `state_is_tuple`."""
    return self._state_tuple_type

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    outputs, states = self._run_blocks(self._blocks_of(inputs), self._DIRECTIONS[0], state)
    return tf.concat(outputs, 1), self._state_tuple_type(*states) if self._state_is_tuple else tf.concat(states, 1)

  def _run_blocks(self, blocks, direction, state):
    """Returns the outputs and the next states of all blocks, each as a list."""
    outputs, states = [], []
    before = 0
    with scopes.variable_scope(scopes.get_variable_scope(), initializer=self._initializer):
      for block, pieces in enumerate(blocks):
        own_outputs, own_states = self._run_block(pieces, block, direction, state, before)
        outputs += own_outputs
        states += own_states
        before += len(pieces)
    return outputs, states

  def _state_of(self, state, direction, block, place, before):
    """Returns the cell and the output of T for one piece at the time before."""
    if self._state_is_tuple:
      prefix = f"{direction}_f{place:02d}_b{block:02d}"
      return getattr(state, prefix + "_c"), getattr(state, prefix + "_m")
    first = 2 * (before + place) * self._num_units
    return [tf.slice(state, [0, first + part * self._num_units], [-1, self._num_units]) for part in (0, 1)]

  def _run_block(self, pieces, block, direction, state, before):
    weights = GridWeights(self, block, self._feature_size, pieces[0].dtype)
    c_f = h_f = tf.zeros([tf.shape(pieces[0])[0], self._num_units], pieces[0].dtype)
    outputs, states = [], []
    for place, piece in enumerate(pieces):
      c_t, h_t = self._state_of(state, direction, block, place, before)
      cells = (c_f, c_t)
      joined = tf.concat([piece, h_t, h_f], 1)
      gates_f = weights.gates("f", joined, cells)
      gates_t = weights.gates("t", joined, cells, like=gates_f)
      c_f = self._next_cell(gates_f, c_f)
      c_t = self._next_cell(gates_t, c_t)
      h_f = weights.output_gate("f", gates_f, (c_f, c_t)) * tf.tanh(c_f)
      h_t = weights.output_gate("t", gates_t, (c_f, c_t)) * tf.tanh(c_t)
      states += [c_t, h_t]
      outputs += [h_t, h_f]
    return outputs, states

  def _next_cell(self, gates, c):
    c = gates.forget * c + gates.input * tf.tanh(gates.new)
    return c if self._cell_clip is None else tf.clip_by_value(c, -self._cell_clip, self._cell_clip)

  def _blocks_of(self, inputs, offset=0):
    """Returns a list of pieces for each block. Pieces begin `offset` columns later, where zeros follow the inputs, or earlier."""
    width = frequency_blocks.width_of(inputs)
    if offset:
      inputs = tf.pad(inputs, [[0, 0], [max(-offset, 0), max(offset, 0)]])
      offset = max(offset, 0)
    numbers = self._num_frequency_blocks
    if not self._start_freqindex_list:
      if len(numbers) != 1:
        raise ValueError(f"Length of num_frequency_blocks is not 1, but instead is {len(numbers)}")
      ranges = [(0, width)]
    else:
      starts, ends = self._start_freqindex_list, self._end_freqindex_list
      if len(starts) != len(ends):
        raise ValueError(f"Length of start and end freqindex_list does not match {len(starts)} {len(ends)}")
      if len(numbers) != len(starts):
        raise ValueError(f"Length of num_frequency_blocks is not equal to start_freqindex_list {len(numbers)} {len(starts)}")
      ranges = list(zip(starts, ends))
    blocks = []
    for (start, end), number in zip(ranges, numbers):
      wanted = frequency_blocks.number_of_pieces(end - start, self._feature_size, self._frequency_skip)
      if wanted != number:
        raise ValueError(
          f"Invalid num_frequency_blocks, requires {wanted} but gets {number}, please check the input size and filter config are "
          "correct."
        )
      blocks.append(frequency_blocks.pieces(inputs, start + offset, number, self._feature_size, self._frequency_skip))
    return blocks


class BidirectionalGridLSTMCell(GridLSTMCell):
  """GridLSTMCell that goes through the pieces in both directions, with weights for each.

  The pieces of the second direction begin `backward_slice_offset` columns later. The state has the parts of the first direction,
  fwd_state_f00_b00_c, ..., and those of the second, bwd_state_f00_b00_c, ...; so do the outputs.
  """

  _DIRECTIONS = ("fwd_state", "bwd_state")
  _TUPLE = "BidirectionalGridLSTMStateTuple"

  def __init__(
    self,
    num_units,
    use_peepholes=False,
    share_time_frequency_weights=False,
    cell_clip=None,
    initializer=None,
    num_unit_shards=1,
    forget_bias=1.0,
    feature_size=None,
    frequency_skip=None,
    num_frequency_blocks=None,
    start_freqindex_list=None,
    end_freqindex_list=None,
    couple_input_forget_gates=False,
    backward_slice_offset=0,
    reuse=None,
  ):
    super().__init__(
      num_units,
      use_peepholes,
      share_time_frequency_weights,
      cell_clip,
      initializer,
      num_unit_shards,
      forget_bias,
      feature_size,
      frequency_skip,
      num_frequency_blocks,
      start_freqindex_list,
      end_freqindex_list,
      couple_input_forget_gates,
      True,
      reuse,
    )
    self._backward_slice_offset = int(backward_slice_offset)

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    forwards = self._blocks_of(inputs)
    backwards = self._blocks_of(inputs, self._backward_slice_offset) if self._backward_slice_offset else forwards
    with scopes.variable_scope("fwd"):
      outputs_fw, states_fw = self._run_blocks(forwards, "fwd_state", state)
    with scopes.variable_scope("bwd"):
      outputs_bw, states_bw = self._run_blocks([pieces[::-1] for pieces in backwards], "bwd_state", state)
    return tf.concat(outputs_fw + outputs_bw, 1), self._state_tuple_type(*(states_fw + states_bw))
