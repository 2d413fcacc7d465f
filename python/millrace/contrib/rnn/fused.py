"""Cells that take all steps at once: FusedRNNCell, and what makes one of a cell or turns time around."""

import abc

import millrace as tf
from millrace.ops.rnn.dynamic import dynamic_rnn
from millrace.ops.rnn.static import static_rnn


class FusedRNNCell(abc.ABC):
  """The base of cells that take all steps at once."""

  @abc.abstractmethod
  def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    """Returns (outputs of all times, last state).

    `inputs` is [time, batch, depth], or a list of [batch, depth], and so are the outputs. `initial_state` is the state to begin
    with, otherwise zeros of type `dtype`. After the end of a sequence, which the vector `sequence_length` says, its outputs are
    zeros and its state stays. `scope` is the scope of the variables.
    """


class FusedRNNCellAdaptor(FusedRNNCell):
  """A cell over all steps: by dynamic_rnn with `use_dynamic_rnn`, otherwise by static_rnn."""

  def __init__(self, cell, use_dynamic_rnn=False):
    self._cell = cell
    self._use_dynamic_rnn = use_dynamic_rnn

  def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    is_list = isinstance(inputs, list)
    options = {"sequence_length": sequence_length, "initial_state": initial_state, "dtype": dtype, "scope": scope}
    if self._use_dynamic_rnn:
      outputs, state = dynamic_rnn(self._cell, tf.stack(inputs) if is_list else inputs, time_major=True, **options)
      return (tf.unstack(outputs) if is_list else outputs), state
    outputs, state = static_rnn(self._cell, inputs if is_list else tf.unstack(inputs), **options)
    return (outputs if is_list else tf.stack(outputs)), state


class TimeReversedFusedRNN(FusedRNNCell):
  """A cell of all steps that gets its inputs in reverse order; its outputs are in the order of the inputs."""

  def __init__(self, cell):
    self._cell = cell

  def _reversed(self, values, lengths):
    is_list = isinstance(values, list)
    values = tf.stack(values) if is_list else values
    if lengths is None:
      values = tf.reverse(values, [0])
    else:
      values = tf.reverse_sequence(input=values, seq_lengths=lengths, seq_axis=0, batch_axis=1)
    return tf.unstack(values) if is_list else values

  def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    outputs, state = self._cell(
      self._reversed(inputs, sequence_length),
      initial_state=initial_state,
      dtype=dtype,
      sequence_length=sequence_length,
      scope=scope,
    )
    return self._reversed(outputs, sequence_length), state
