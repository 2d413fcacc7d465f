"""AttentionCellWrapper: a cell that looks at its own last outputs (Bahdanau et al., 2014; Rocktaschel et al., 2015)."""

import millrace as tf
from millrace.contrib.rnn.linear import Linear
from millrace.framework import nest
from millrace.ops.rnn.cell import RNNCell, assert_like_rnncell
from millrace.ops.variables import scope as scopes


class AttentionCellWrapper(RNNCell):
  """A cell whose inputs are mixed with an average of its last `attn_length` outputs.

  The average has `attn_size` columns (by default as many as the cell's output), and so have the outputs of the wrapper. Its
  weights are the softmax of v tanh(states W + query), with `attn_vec_size` columns inside (by default attn_size). The inputs
  become `input_size` columns, by default as many as they have. The state is (state of the cell, last average, last outputs), or
  without `state_is_tuple` one tensor with all of them side by side. With `reuse`, the variables are found in a scope that has
  them.

  ValueError for a length that is not positive, and for a cell with a tuple as its state without `state_is_tuple`.
  """

  def __init__(self, cell, attn_length, attn_size=None, attn_vec_size=None, input_size=None, state_is_tuple=True, reuse=None):
    super().__init__(_reuse=reuse)
    assert_like_rnncell("cell", cell)
    if nest.is_nested(cell.state_size) and not state_is_tuple:
      raise ValueError(f"Cell returns tuple of states, but the flag state_is_tuple is not set. State size is: {cell.state_size}")
    if attn_length <= 0:
      raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
    if not state_is_tuple:
      tf.logging.warning("%s: Using a concatenated state is slower and will soon be deprecated.  Use state_is_tuple=True.", self)
    self._cell = cell
    self._attn_length = attn_length
    self._attn_size = cell.output_size if attn_size is None else attn_size
    self._attn_vec_size = self._attn_size if attn_vec_size is None else attn_vec_size
    self._input_size = input_size
    self._state_is_tuple = state_is_tuple
    self._of_inputs = None
    self._of_outputs = None
    self._of_query = None

  @property
  def state_size(self):
    sizes = (self._cell.state_size, self._attn_size, self._attn_size * self._attn_length)
    return sizes if self._state_is_tuple else sum(sizes)

  @property
  def output_size(self):
    return self._attn_size

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    if self._state_is_tuple:
      own, average, last = state
    else:
      own, average, last = tf.split(state, [self._cell.state_size, self._attn_size, self._attn_size * self._attn_length], axis=1)
    last = tf.reshape(last, [-1, self._attn_length, self._attn_size])
    size = self._input_size
    if size is None:
      size = inputs.get_shape().as_list()[1]
    if self._of_inputs is None:
      self._of_inputs = Linear([inputs, average], size, True)
    output, next_own = self._cell(self._of_inputs([inputs, average]), own)
    query = tf.concat(nest.flatten(next_own), 1) if self._state_is_tuple else next_own
    average = self._attention(query, last)
    with scopes.variable_scope("attn_output_projection"):
      if self._of_outputs is None:
        self._of_outputs = Linear([output, average], self._attn_size, True)
      output = self._of_outputs([output, average])
    last = tf.concat([tf.slice(last, [0, 1, 0], [-1, -1, -1]), tf.expand_dims(output, 1)], 1)
    last = tf.reshape(last, [-1, self._attn_length * self._attn_size])
    next_state = (next_own, average, last)
    return output, next_state if self._state_is_tuple else tf.concat(list(next_state), 1)

  def _attention(self, query, last):
    """Returns the average of the last outputs."""
    with scopes.variable_scope("attention"):
      w = scopes.get_variable("attn_w", [1, 1, self._attn_size, self._attn_vec_size])
      v = scopes.get_variable("attn_v", [self._attn_vec_size])
      hidden = tf.reshape(last, [-1, self._attn_length, 1, self._attn_size])
      features = tf.nn.conv2d(hidden, w, [1, 1, 1, 1], "SAME")
      if self._of_query is None:
        self._of_query = Linear(query, self._attn_vec_size, True)
      asked = tf.reshape(self._of_query(query), [-1, 1, 1, self._attn_vec_size])
      weights = tf.nn.softmax(tf.reduce_sum(v * tf.tanh(features + asked), [2, 3]))
      average = tf.reduce_sum(tf.reshape(weights, [-1, self._attn_length, 1, 1]) * hidden, [1, 2])
      return tf.reshape(average, [-1, self._attn_size])
