"""static_rnn and static_state_saving_rnn: a cell over a list of inputs, step after step in the graph."""

import millrace as tf
from millrace.framework import convert, nest
from millrace.framework import graph as ops
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.rnn import steps
from millrace.ops.rnn.cell import assert_like_rnncell
from millrace.ops.rnn.dynamic import initial_state_of
from millrace.ops.rnn.zero_states import joined_shape
from millrace.ops.variables import scope as scopes


def static_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
  """Runs a cell over a list of inputs, each [batch, depth...] or a structure of such; returns (list of outputs, last state).

  Where `sequence_length`, a vector of integers, says that a sequence has ended, its outputs are zeros and its state stays.
  `initial_state` is the state to begin with, otherwise zeros of type `dtype`. `scope`, a name or VariableScope, is "rnn" by
  default.

  TypeError for what is no cell or no list; ValueError for no inputs, for inputs whose depth is not known, where neither a state
  nor a type is given, and for a sequence_length that is no vector.
  """
  assert_like_rnncell("cell", cell)
  if not nest.is_nested(inputs):
    raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
  if not inputs:
    raise ValueError("Argument `inputs` must not be empty.")
  outputs = []
  with scopes.variable_scope(scope or "rnn") as opened:
    steps.cache_beside_reads(opened)
    first = nest.flatten(inputs)[0]
    known_batch = _batch_of(first, inputs)
    batch_size = known_batch if known_batch is not None else tf.shape(first)[0]
    state = initial_state
    if state is None:
      if not dtype:
        raise ValueError("If no initial_state is provided, argument `dtype` must be specified")
      state = initial_state_of(cell, batch_size, dtype)
    masked = None
    if sequence_length is not None:
      masked = _masked_step(cell, sequence_length, batch_size, known_batch, lambda: steps.state_dtype(dtype, state))
    for time, value in enumerate(inputs):
      if time > 0:
        opened.reuse_variables()
      call_cell = lambda value=value, state=state: cell(value, state)
      output, state = call_cell() if masked is None else masked.run(time, state, call_cell)
      outputs.append(output)
    return outputs, state


def _batch_of(first, inputs):
  """Returns the batch size as far as it is known. ValueError for a depth that is not known, or batches that differ."""
  if first.get_shape().ndims == 1:
    return first.get_shape().as_list()[0]
  batch = first.get_shape().with_rank_at_least(2).dims[0]
  for value in nest.flatten(inputs):
    shape = value.get_shape().with_rank_at_least(2)
    batch.assert_is_compatible_with(shape.dims[0])
    for number, size in enumerate(shape.dims[1:]):
      if size.value is None:
        raise ValueError(
          f"Input size (dimension {number} of input {value}) must be accessible via shape inference, but saw value None."
        )
  return batch.value


def _masked_step(cell, sequence_length, batch_size, known_batch, dtype):
  lengths = convert.convert_to_tensor(sequence_length, name="sequence_length")
  if lengths.get_shape().ndims not in (None, 1):
    raise ValueError(f"Argument `sequence_length` must be a vector of length {batch_size}. Received sequence_length={lengths}.")

  def zeros(size):
    made = tf.zeros(tf.stack(joined_shape(batch_size, size)), dtype())
    made.set_shape(TensorShape(joined_shape(known_batch, size, static=True)))
    return made

  zero_output = nest.pack_sequence_as(cell.output_size, [zeros(size) for size in nest.flatten(cell.output_size)])
  lengths = tf.cast(lengths, tf.int32)
  return steps.MaskedStep(lengths, tf.reduce_min(lengths), tf.reduce_max(lengths), zero_output)


def static_state_saving_rnn(cell, inputs, state_saver, state_name, sequence_length=None, scope=None):
  """Runs static_rnn() from a state that `state_saver` has kept, and gives it the last state.

  `state_saver` has the methods state(name) and save_state(name, value), which returns an op; the outputs of the last time and
  the state that are returned wait for that op. `state_name` is a name, or for cells whose state is a tuple, a tuple of names.
  ValueError where `state_name` is not as the cell's state.
  """
  state_size = cell.state_size
  is_tuple = nest.is_nested(state_size)
  if is_tuple != nest.is_nested(state_name):
    raise ValueError(
      "Argument `state_name` should be the same type as `cell.state_size`. Received: "
      f"state_name={state_name!s}, cell.state_size={state_size!s}."
    )
  names, sizes = nest.flatten(state_name), nest.flatten(state_size)
  if len(names) != len(sizes):
    raise ValueError(
      "Number of elements in argument `state_name` and `cell.state_size` are mismatched. Received "
      f"state_name={state_name} with {len(names)} elements and cell.state_size={state_size} with {len(sizes)} elements."
    )
  if is_tuple:
    initial_state = nest.pack_sequence_as(state_size, [state_saver.state(name) for name in names])
  else:
    initial_state = state_saver.state(state_name)
  outputs, state = static_rnn(cell, inputs, initial_state=initial_state, sequence_length=sequence_length, scope=scope)
  saved = [state_saver.save_state(name, part) for name, part in zip(names, nest.flatten(state))]
  with ops.control_dependencies(saved):
    outputs[-1] = nest.map_structure(tf.identity, outputs[-1])
    state = nest.map_structure(tf.identity, state)
  return outputs, state
