"""raw_rnn: a loop over a cell in which a function of the program decides on inputs, outputs and the end."""

import millrace as tf
from millrace.framework import convert, nest
from millrace.framework import graph as ops
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.control_flow.tensor_array import TensorArray
from millrace.ops.rnn import steps
from millrace.ops.rnn.cell import assert_like_rnncell
from millrace.ops.rnn.zero_states import joined_shape
from millrace.ops.variables import scope as scopes


def raw_rnn(cell, loop_fn, parallel_iterations=None, swap_memory=False, scope=None):
  """Runs a cell in a loop over what loop_fn(time, cell_output, cell_state, loop_state) says.

  It returns (finished, next_input, next_cell_state, emit_output, next_loop_state): for each sequence whether it has ended, the
  next inputs of the cell, its next state, what is put out, and what the next call gets as `loop_state`, None for nothing. The
  first call gets time 0 and None for the rest; it says the first inputs and the first state, and its emit_output has the shapes
  and types of what is put out at each time, without the batch; None stands for the cell's outputs. What sequences that have
  ended put out is zeros, and their state stays.

  Returns (TensorArrays of what was put out, last state, last loop state or None). At most `parallel_iterations` (32) steps run
  at once; `swap_memory` says that what gradients need may go to the host's memory. `scope`, a name or VariableScope, is "rnn" by
  default. TypeError for what is no cell and for a loop_fn that is no function; ValueError for inputs whose batches differ.
  """
  assert_like_rnncell("cell", cell)
  if not callable(loop_fn):
    raise TypeError(f"Argument `loop_fn` must be a callable. Received: {loop_fn}.")
  with scopes.variable_scope(scope or "rnn") as opened:
    steps.cache_beside_reads(opened)
    return _RawLoop(cell, loop_fn).run(parallel_iterations or 32, swap_memory)


class _RawLoop:
  """One loop. The first call of the program's function has said how everything looks."""

  def __init__(self, cell, loop_fn):
    self._cell = cell
    self._loop_fn = loop_fn

  def run(self, parallel_iterations, swap_memory):
    time = tf.constant(0, dtype=tf.int32)
    finished, first_input, state, emitted, loop_state = self._loop_fn(time, None, None, None)
    has_loop_state = loop_state is not None
    if not has_loop_state:
      loop_state = tf.constant(0, dtype=tf.int32)  # a loop has no variable that is None
    batch_size, known_batch = _batch_of(nest.flatten(first_input))
    nest.assert_same_structure(state, self._cell.state_size)
    state = nest.map_structure(convert.convert_to_tensor, state)
    arrays = self._prepare_outputs(emitted, state, batch_size, known_batch)
    *_, arrays, state, loop_state = tf.while_loop(
      cond=lambda time, finished, *_: tf.logical_not(tf.reduce_all(finished)),
      body=self._step,
      loop_vars=[time, finished, first_input, arrays, state, loop_state],
      parallel_iterations=parallel_iterations,
      swap_memory=swap_memory,
    )
    return arrays, state, loop_state if has_loop_state else None

  def _prepare_outputs(self, emitted, state, batch_size, known_batch):
    """Returns the arrays of what is put out, and keeps what is put out of sequences that have ended."""
    if emitted is None:
      structure = self._cell.output_size
      sizes = nest.flatten(structure)
      dtypes = [nest.flatten(state)[0].dtype] * len(sizes)
    else:
      structure = emitted
      parts = nest.flatten(emitted)
      sizes = [part.shape if part.shape.is_fully_defined() else tf.shape(part) for part in parts]
      dtypes = [part.dtype for part in parts]
    arrays = [
      tf.TensorArray(
        dtype=dtype,
        dynamic_size=True,
        element_shape=TensorShape([known_batch]).concatenate(steps.as_static_shape(size)),
        size=0,
        name=f"rnn_output_{number}",
      )
      for number, (dtype, size) in enumerate(zip(dtypes, sizes))
    ]
    zeros = [tf.zeros(joined_shape(batch_size, size), dtype) for size, dtype in zip(sizes, dtypes)]
    self._zeros = nest.pack_sequence_as(structure, zeros)
    return nest.pack_sequence_as(structure, arrays)

  def _step(self, time, finished, values, arrays, state, loop_state):
    output, cell_state = self._cell(values, state)
    nest.assert_same_structure(state, cell_state)
    nest.assert_same_structure(self._cell.output_size, output)
    next_time = time + 1
    next_finished, next_values, next_state, emitted, next_loop_state = self._loop_fn(next_time, output, cell_state, loop_state)
    nest.assert_same_structure(state, next_state)
    nest.assert_same_structure(values, next_values)
    nest.assert_same_structure(arrays, emitted)
    if next_loop_state is None:
      next_loop_state = loop_state

    def chosen(old, new):
      if isinstance(old, TensorArray) or old.shape.ndims == 0:
        return new
      with ops.colocate_with(new):
        return tf.where(finished, old, new)

    emitted = nest.map_structure(chosen, self._zeros, emitted)
    next_state = nest.map_structure(chosen, state, next_state)
    arrays = nest.map_structure(lambda array, value: array.write(time, value), arrays, emitted)
    return next_time, tf.logical_or(finished, next_finished), next_values, arrays, next_state, next_loop_state


def _batch_of(inputs):
  """Returns (batch size as a number or a scalar tensor, the number or None). ValueError where the batches differ."""
  batch = steps.first_dimension(inputs[0])
  for value in inputs:
    batch.assert_is_compatible_with(steps.first_dimension(value))
  return tf.shape(inputs[0])[0] if batch.value is None else batch.value, batch.value
