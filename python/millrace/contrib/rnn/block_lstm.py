"""LSTMs that one op computes: LSTMBlockCell for a step, LSTMBlockFusedCell for all steps."""

import abc

import millrace as tf
from millrace import gen
from millrace.layers.base import InputSpec, Layer
from millrace.ops.rnn.cell import LayerRNNCell
from millrace.ops.rnn.lstm_cells import LSTMStateTuple


class _Weights:
  """The part of both that has the variables: kernel, bias, and the peepholes w_i_diag, w_f_diag and w_o_diag."""

  def _make_weights(self, depth):
    if depth is None:
      raise ValueError("Expecting the depth of the inputs to be set.")
    units = self._num_units
    self._kernel = self.add_variable("kernel", [depth + units, 4 * units])
    self._bias = self.add_variable("bias", [4 * units], initializer=tf.constant_initializer(0.0))
    if self._use_peephole:
      self._w_i_diag = self.add_variable("w_i_diag", [units])
      self._w_f_diag = self.add_variable("w_f_diag", [units])
      self._w_o_diag = self.add_variable("w_o_diag", [units])

  def _peepholes(self, dtype):
    if self._use_peephole:
      return {"wci": self._w_i_diag, "wcf": self._w_f_diag, "wco": self._w_o_diag}
    none = tf.zeros([self._num_units], dtype=dtype)
    return {"wci": none, "wcf": none, "wco": none}

  def _options(self):
    clip = self._cell_clip if self._cell_clip is not None else -1
    return {"forget_bias": self._forget_bias, "cell_clip": clip, "use_peephole": self._use_peephole}


class LSTMBlockCell(_Weights, LayerRNNCell):
  """LSTMCell, without a projection, in one op, which is faster; its checkpoints are LSTMCell's.

  `forget_bias` is added to the forget gate; `cell_clip` clips the cell, None does not; `use_peephole` adds the cell times a
  weight to the gates. With `reuse`, the variables are found in a scope that has them.
  """

  def __init__(self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, dtype=None, reuse=None, name="lstm_cell"):
    super().__init__(_reuse=reuse, dtype=dtype, name=name)
    self.input_spec = InputSpec(ndim=2)
    self._num_units = num_units
    self._forget_bias = forget_bias
    self._cell_clip = cell_clip
    self._use_peephole = use_peephole

  @property
  def state_size(self):
    return LSTMStateTuple(self._num_units, self._num_units)

  @property
  def output_size(self):
    return self._num_units

  def build(self, input_shape):
    self._make_weights(input_shape.dims[1].value)
    self.built = True

  def call(self, inputs, state):
    """Returns (outputs, next state). ValueError for a state that is no pair."""
    if len(state) != 2:
      raise ValueError("Expecting state to be a tuple with length 2.")
    c, h = state
    _, c, _, _, _, _, h = gen.lstm_block_cell(
      inputs, c, h, self._kernel, b=self._bias, **self._peepholes(inputs.dtype), **self._options()
    )
    return h, LSTMStateTuple(c, h)


class LSTMBlockWrapper(Layer, abc.ABC):
  """The base of LSTMs that take all steps at once.

  A class below it has `num_units` and computes in `_call_cell` the cells and outputs of all times.
  """

  @property
  @abc.abstractmethod
  def num_units(self):
    """The number of units."""

  @abc.abstractmethod
  def _call_cell(self, inputs, initial_cell_state, initial_output, dtype, sequence_length):
    """Returns (cells, outputs) of all times, [time, batch, units]; what comes after the end of a sequence does not matter."""

  def call(self, inputs, initial_state=None, dtype=None, sequence_length=None):
    """Returns (outputs of all times, last state as an LSTMStateTuple).

    `inputs` is [time, batch, depth], or a list of [batch, depth], and so are the outputs. `initial_state` is a pair (c, h),
    otherwise zeros of type `dtype`. After the end of a sequence, which the vector `sequence_length` says, the outputs are zeros.
    ValueError where neither a state nor a type is given, or the state is no pair.
    """
    is_list = isinstance(inputs, (list, tuple))
    if is_list:
      inputs = tf.stack(inputs)
    shape = inputs.get_shape().with_rank(3)
    if not shape.dims[2].value:
      raise ValueError(f"Expecting input_shape[2] to be set: {shape}")
    batch_size = tf.shape(inputs)[1] if shape.dims[1].value is None else shape.dims[1].value
    time_steps = tf.shape(inputs)[0] if shape.dims[0].value is None else shape.dims[0].value
    c, h = self._first_state(initial_state, batch_size, dtype)
    dtype = dtype or c.dtype
    if sequence_length is not None:
      sequence_length = tf.identity(sequence_length)
    cells, outputs = self._call_cell(inputs, c, h, dtype, sequence_length)
    if sequence_length is None:
      final_state = LSTMStateTuple(cells[-1], outputs[-1])
    else:
      mask = tf.transpose(tf.sequence_mask(sequence_length, time_steps, dtype=dtype), [1, 0])
      outputs *= tf.expand_dims(mask, -1)
      final_state = LSTMStateTuple(
        _at_lengths(c, cells, sequence_length, batch_size), _at_lengths(h, outputs, sequence_length, batch_size)
      )
    return (tf.unstack(outputs) if is_list else outputs), final_state

  def _first_state(self, initial_state, batch_size, dtype):
    if initial_state is None:
      if dtype is None:
        raise ValueError("Either initial_state or dtype needs to be specified")
      zeros = tf.zeros(tf.stack([batch_size, self.num_units]), dtype=dtype)
      return zeros, zeros
    if len(initial_state) != 2:
      raise ValueError("Expecting initial_state to be a tuple with length 2 or None")
    return initial_state


def _at_lengths(first, values, lengths, batch_size):
  """Returns what each sequence had after its last step: one of `values`, or `first` where it has no step."""
  values = tf.concat([tf.expand_dims(first, 0), values], 0)
  return tf.gather_nd(values, tf.stack([tf.cast(lengths, tf.int32), tf.range(batch_size)], axis=1))


class LSTMBlockFusedCell(_Weights, LSTMBlockWrapper):
  """LSTMCell over all steps in one op: see LSTMBlockWrapper.call, and LSTMBlockCell for the arguments."""

  def __init__(
    self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, reuse=None, dtype=None, name="lstm_fused_cell"
  ):
    super().__init__(_reuse=reuse, name=name, dtype=dtype)
    self._num_units = num_units
    self._forget_bias = forget_bias
    self._cell_clip = cell_clip
    self._use_peephole = use_peephole

  @property
  def num_units(self):
    return self._num_units

  def build(self, input_shape):
    shape = input_shape[0] if isinstance(input_shape, (list, tuple)) else input_shape
    self._make_weights(shape.dims[-1].value)
    self.built = True

  def _call_cell(self, inputs, initial_cell_state, initial_output, dtype, sequence_length):
    steps = tf.shape(inputs)[0] if sequence_length is None else tf.reduce_max(sequence_length)
    _, cells, _, _, _, _, outputs = gen.block_lstm(
      tf.cast(steps, tf.int64),
      inputs,
      initial_cell_state,
      initial_output,
      self._kernel,
      b=self._bias,
      **self._peepholes(dtype),
      **self._options(),
    )
    return cells, outputs
