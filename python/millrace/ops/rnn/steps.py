"""One step of a cell over sequences of different lengths, and what the functions that run cells have in common."""

import millrace as tf
from millrace.framework import graph as ops
from millrace.framework import nest, tensor_values
from millrace.framework.tensor import Tensor
from millrace.framework.tensor_shape import Dimension, TensorShape, unknown_shape
from millrace.ops.control_flow.tensor_array import TensorArray


def cache_beside_reads(scope):
  """Lets variables of the scope be read once a step of the session, beside the op that reads them first."""
  if scope.caching_device is None:
    scope.set_caching_device(lambda op: op.device)


def transpose_batch_time(x):
  """Returns `x` with its first two dimensions exchanged, for a tensor of two dimensions or more; others as they are."""
  shape = x.get_shape()
  if shape.ndims is not None and shape.ndims < 2:
    return x
  turned = tf.transpose(x, tf.concat(([1, 0], tf.range(2, tf.rank(x))), axis=0))
  dims = None if shape.ndims is None else shape.as_list()
  turned.set_shape(unknown_shape() if dims is None else [dims[1], dims[0]] + dims[2:])
  return turned


def batch_size_of(flat_input):
  """Returns the batch size of time-major tensors: a number if one of them says it, otherwise a scalar tensor."""
  for value in flat_input:
    shape = value.shape
    if shape.ndims is None:
      continue
    if shape.ndims < 2:
      raise ValueError(f"Input tensor should have rank >= 2. Received input={value} of rank {shape.ndims}")
    size = shape.as_list()[1]
    if size is not None:
      return size
  return tf.shape(flat_input[0])[1]


def state_dtype(explicit, state):
  """Returns the type of outputs: the one said, otherwise the one that all parts of the state have.

  ValueError if the state is empty, or has several types.
  """
  if explicit is not None:
    return explicit
  if not nest.is_nested(state):
    return state.dtype
  found = [part.dtype for part in nest.flatten(state)]
  if not found:
    raise ValueError(f"Unable to infer dtype from argument state={state}.")
  if any(dtype != found[0] for dtype in found):
    raise ValueError(
      f"Argument state={state} has tensors of different inferred dtypes. Unable to infer a single representative dtype. "
      f"Dtypes received: {found}"
    )
  return found[0]


def as_static_shape(size):
  """Returns what is known of a size that may be a tensor, as a TensorShape."""
  if isinstance(size, Tensor):
    return tensor_values.constant_value_as_shape(size)
  return TensorShape(size)


def first_dimension(value):
  """Returns the first Dimension of a tensor, an unknown one where not even the rank is known."""
  dims = value.get_shape().with_rank_at_least(1).dims
  return Dimension(None) if dims is None else dims[0]


class MaskedStep:
  """Runs a cell for one time of sequences that end at `lengths`.

  Where a sequence has ended, its outputs are `zero_output` and its state stays. `shortest` and `longest` are the least and
  the greatest of the lengths.
  """

  def __init__(self, lengths, shortest, longest, zero_output):
    self._lengths = lengths
    self._shortest = shortest
    self._longest = longest
    self._zero_output = zero_output
    self._zeros = nest.flatten(zero_output)

  def run(self, time, state, call_cell, skip_conditionals=False):
    """Returns (outputs, next state). call_cell() runs the cell.

    With `skip_conditionals` the cell always runs, which in loops is cheaper than asking whether all sequences have ended.
    """
    self._has_ended = time >= self._lengths
    self._time = time
    self._state = state
    self._states = nest.flatten(state)
    if skip_conditionals:
      values = self._masked(*self._called(call_cell))
    else:
      values = tf.cond(time >= self._longest, lambda: self._zeros + self._states, lambda: self._computed(call_cell))
    outputs, states = values[: len(self._zeros)], values[len(self._zeros) :]
    for value, like in zip(outputs, self._zeros):
      value.set_shape(like.get_shape())
    for value, like in zip(states, self._states):
      if not isinstance(value, TensorArray):
        value.set_shape(like.get_shape())
    return nest.pack_sequence_as(self._zero_output, outputs), nest.pack_sequence_as(state, states)

  def _called(self, call_cell):
    """Returns the outputs and the next state as two lists. Errors where their structures are not as they should be."""
    output, next_state = call_cell()
    nest.assert_same_structure(self._zero_output, output)
    nest.assert_same_structure(self._state, next_state)
    return nest.flatten(output), nest.flatten(next_state)

  def _computed(self, call_cell):
    """Runs the cell and masks what comes out, unless no sequence has ended."""
    outputs, states = self._called(call_cell)
    return tf.cond(self._time < self._shortest, lambda: outputs + states, lambda: self._masked(outputs, states))

  def _masked(self, outputs, states):
    pairs = list(zip(self._zeros, outputs)) + list(zip(self._states, states))
    return [self._chosen(*pair) for pair in pairs]

  def _chosen(self, old, new):
    """Returns `old` where sequences have ended. Arrays and scalars, which are not of one sequence, are always new."""
    if isinstance(old, TensorArray) or old.shape.ndims == 0:
      return new
    with ops.colocate_with(new):
      return tf.where(self._has_ended, old, new)
