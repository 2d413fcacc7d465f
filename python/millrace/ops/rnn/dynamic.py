"""dynamic_rnn: a cell over sequences of any length, in a loop."""

import millrace as tf
from millrace.framework import convert, nest
from millrace.framework import graph as ops
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.rnn import steps
from millrace.ops.rnn.cell import assert_like_rnncell
from millrace.ops.rnn.zero_states import joined_shape
from millrace.ops.variables import scope as scopes


def dynamic_rnn(
  cell,
  inputs,
  sequence_length=None,
  initial_state=None,
  dtype=None,
  parallel_iterations=None,
  swap_memory=False,
  time_major=False,
  scope=None,
):
  """Runs a cell over `inputs` in a loop; returns (outputs of all times, last state).

  `inputs` is a tensor [batch, time, depth...], or with `time_major` [time, batch, depth...], or a structure of such tensors,
  and so are the outputs. Where `sequence_length`, a vector of integers, says that a sequence has ended, its outputs are zeros
  and its state stays. `initial_state` is the state to begin with, otherwise zeros of type `dtype`. At most
  `parallel_iterations` (32) steps run at once; `swap_memory` says that what gradients need may go to the host's memory.
  `scope`, a name or VariableScope, is "rnn" by default.

  TypeError for what is no cell. ValueError where neither a state nor a type is given, for inputs whose depth is not known or
  which disagree about batch or time, and for a sequence_length that is no vector.
  """
  assert_like_rnncell("cell", cell)
  with scopes.variable_scope(scope or "rnn") as opened:
    steps.cache_beside_reads(opened)
    flat_inputs = [convert.convert_to_tensor(value) for value in nest.flatten(inputs)]
    if not time_major:
      flat_inputs = [steps.transpose_batch_time(value) for value in flat_inputs]
    if sequence_length is not None:
      sequence_length = _lengths(sequence_length)
    batch_size = steps.batch_size_of(flat_inputs)
    state = initial_state
    if state is None:
      if not dtype:
        raise ValueError("If no initial_state is provided, argument `dtype` must be specified")
      state = initial_state_of(cell, batch_size, dtype)
    if sequence_length is not None:
      with ops.control_dependencies([_is_shaped(sequence_length, [batch_size])]):
        sequence_length = tf.identity(sequence_length, name="CheckSeqLen")
    loop = _Loop(cell, nest.pack_sequence_as(inputs, flat_inputs), state, sequence_length, dtype)
    outputs, final_state = loop.run(parallel_iterations or 32, swap_memory)
    if not time_major:
      outputs = nest.map_structure(steps.transpose_batch_time, outputs)
    return outputs, final_state


def initial_state_of(cell, batch_size, dtype):
  """Returns the state with which a cell begins where none is given."""
  if getattr(cell, "get_initial_state", None) is not None:
    return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
  return cell.zero_state(batch_size, dtype)


def _lengths(sequence_length):
  lengths = tf.cast(sequence_length, tf.int32)
  if lengths.get_shape().ndims not in (None, 1):
    raise ValueError(
      f"Argument sequence_length must be a vector of length batch_size. Received sequence_length={lengths} of shape: "
      f"{lengths.get_shape()}"
    )
  return tf.identity(lengths, name="sequence_length")


def _is_shaped(x, shape):
  """Returns an op that fails if `x` has another shape, and then says both."""
  own = tf.shape(x)
  wanted = tf.stack(shape)
  return tf.Assert(
    tf.reduce_all(tf.equal(own, wanted)), [f"Expected shape for Tensor {x.name} is ", wanted, " but saw shape: ", own]
  )


class _Loop:
  """One loop over time-major inputs."""

  def __init__(self, cell, inputs, state, lengths, dtype):
    self._cell = cell
    self._inputs = inputs
    self._flat_inputs = nest.flatten(inputs)
    self._state = state
    self._lengths = lengths
    self._output_sizes = nest.flatten(cell.output_size)
    self._time_steps = tf.shape(self._flat_inputs[0])[0]
    self._batch_size = steps.batch_size_of(self._flat_inputs)
    self._shapes = [value.get_shape().with_rank_at_least(3) for value in self._flat_inputs]
    self._known_steps, self._known_batch = self._shapes[0].as_list()[:2]
    self._check_shapes()
    self._output_dtype = lambda: steps.state_dtype(dtype, state)

  def _check_shapes(self):
    for value, shape in zip(self._flat_inputs, self._shapes):
      if not shape[2:].is_fully_defined():
        raise ValueError(
          f"Input size (depth of inputs) must be accessible via shape inference, but saw value None for input={value}."
        )
      own_steps, own_batch = shape.as_list()[:2]
      if own_steps != self._known_steps:
        raise ValueError(
          "Time steps is not the same for all the elements in the input in a batch. Received time steps="
          f"{own_steps} for input={value}, and {self._known_steps} for others."
        )
      if own_batch != self._known_batch:
        raise ValueError(
          "Batch_size is not the same for all the elements in the input. Received batch size="
          f"{own_batch} for input={value}, and {self._known_batch} for others."
        )

  def run(self, parallel_iterations, swap_memory):
    """Returns (outputs, last state)."""
    zero_output = nest.pack_sequence_as(self._cell.output_size, [self._zeros(size) for size in self._output_sizes])
    longest = self._time_steps
    if self._lengths is not None:
      shortest = tf.reduce_min(self._lengths)
      longest = tf.reduce_max(self._lengths)
      self._masked = steps.MaskedStep(self._lengths, shortest, longest, zero_output)
    time = tf.constant(0, dtype=tf.int32, name="time")
    output_arrays = self._make_arrays()
    # One step at least, from which the arrays of outputs learn the shape of their elements.
    bound = tf.minimum(self._time_steps, tf.maximum(1, longest))
    _, output_arrays, final_state = tf.while_loop(
      cond=lambda time, *_: time < bound,
      body=self._step,
      loop_vars=(time, output_arrays, self._state),
      parallel_iterations=parallel_iterations,
      maximum_iterations=self._time_steps,
      swap_memory=swap_memory,
    )
    outputs = [array.stack() for array in output_arrays]
    for output, size in zip(outputs, self._output_sizes):
      output.set_shape(joined_shape([self._known_steps, self._known_batch], size, static=True))
    return nest.pack_sequence_as(self._cell.output_size, outputs), final_state

  def _zeros(self, size):
    return tf.zeros(tf.stack(joined_shape(self._batch_size, size)), self._output_dtype())

  def _make_arrays(self):
    """Makes the arrays of inputs, which are filled, and returns those of outputs."""
    with ops.name_scope("dynamic_rnn") as prefix:
      pass

    def array(name, shape, dtype):
      return tf.TensorArray(dtype=dtype, size=self._time_steps, element_shape=shape, tensor_array_name=prefix + name)

    outputs = tuple(
      array(
        f"output_{number}",
        TensorShape([self._known_batch]).concatenate(steps.as_static_shape(size)),
        self._output_dtype(),
      )
      for number, size in enumerate(self._output_sizes)
    )
    arrays = [array(f"input_{number}", value.shape[1:], value.dtype) for number, value in enumerate(self._flat_inputs)]
    self._input_arrays = [one.unstack(value) for one, value in zip(arrays, self._flat_inputs)]
    return outputs

  def _step(self, time, output_arrays, state):
    values = [array.read(time) for array in self._input_arrays]
    for value, shape in zip(values, self._shapes):
      value.set_shape(shape[1:])
    values = nest.pack_sequence_as(self._inputs, values)
    call_cell = lambda: self._cell(values, state)
    if self._lengths is not None:
      output, next_state = self._masked.run(time, state, call_cell, skip_conditionals=True)
    else:
      output, next_state = call_cell()
    written = tuple(array.write(time, value) for array, value in zip(output_arrays, nest.flatten(output)))
    return time + 1, written, next_state
