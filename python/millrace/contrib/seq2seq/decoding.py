"""Decoders, and the loop that runs one until all sequences are at their end."""

import millrace as tf
from millrace.framework import convert, dtypes, nest, tensor_shape, tensor_values
from millrace.ops.control_flow.tensor_array import TensorArray
from millrace.ops.rnn.steps import cache_beside_reads, transpose_batch_time
from millrace.ops.rnn.zero_states import joined_shape


class Decoder:
  """Base class of decoders: what dynamic_decode runs.

  Inputs, states and outputs are tensors or structures of them; states may have TensorArrays. A class below it says `batch_size`,
  `output_size` (numbers or TensorShapes without the batch) and `output_dtype`, in structures like its outputs.
  """

  @property
  def batch_size(self):
    """The number of sequences, a scalar."""
    raise NotImplementedError

  @property
  def output_size(self):
    """Shapes of the outputs, without the batch."""
    raise NotImplementedError

  @property
  def output_dtype(self):
    """Types of the outputs."""
    raise NotImplementedError

  def initialize(self, name=None):
    """Returns (finished, inputs, state) to begin with."""
    raise NotImplementedError

  def step(self, time, inputs, state, name=None):
    """Returns (outputs, next state, next inputs, finished) of one step; `time` is an int32 scalar."""
    raise NotImplementedError

  def finalize(self, outputs, final_state, sequence_lengths):
    """Returns (outputs, final state) as they shall be for all steps together; NotImplementedError says that they are that."""
    raise NotImplementedError

  @property
  def tracks_own_finished(self):
    """Whether `finished` of a step says all that are finished, since sequences change places; else it says those that end."""
    return False


def zero_outputs(size, dtype, batch_size):
  """Returns zeros as outputs of a step: `size` and `dtype` are structures of shapes without the batch and of types."""
  return nest.map_structure(lambda one, kind: tf.zeros(joined_shape(batch_size, one), kind), size, dtype)


def dynamic_decode(
  decoder,
  output_time_major=False,
  impute_finished=False,
  maximum_iterations=None,
  parallel_iterations=32,
  swap_memory=False,
  scope=None,
):
  """Runs a decoder until all sequences are finished, at most `maximum_iterations` steps.

  Returns (outputs, final state, sequence lengths), outputs as [batch, time, ...], or with `output_time_major` as [time, batch, ...].
  With `impute_finished` the outputs of sequences that have ended are zeros and their states stay. `parallel_iterations` and
  `swap_memory` are those of while_loop. `scope`, a name or VariableScope, is "decoder" by default.

  Raises TypeError for what is no Decoder, ValueError if `maximum_iterations` is no scalar.
  """
  if not isinstance(decoder, Decoder):
    raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
  with tf.variable_scope(scope, "decoder") as opened:
    cache_beside_reads(opened)
    if maximum_iterations is not None:
      maximum_iterations = convert.convert_to_tensor(maximum_iterations, dtype=dtypes.int32, name="maximum_iterations")
      if maximum_iterations.get_shape().ndims != 0:
        raise ValueError("maximum_iterations must be a scalar")
    loop = _Loop(decoder, impute_finished, maximum_iterations)
    outputs, state, lengths = loop.run(parallel_iterations, swap_memory)
    try:
      outputs, state = decoder.finalize(outputs, state, lengths)
    except NotImplementedError:
      pass
    if not output_time_major:
      outputs = nest.map_structure(transpose_batch_time, outputs)
  return outputs, state, lengths


class _Loop:
  """One loop over the steps of a decoder."""

  def __init__(self, decoder, impute_finished, maximum_iterations):
    self._decoder = decoder
    self._impute_finished = impute_finished
    self._limit = maximum_iterations

  def run(self, parallel_iterations, swap_memory):
    """Returns (time-major outputs, final state, sequence lengths)."""
    decoder = self._decoder
    finished, inputs, state = decoder.initialize()
    if self._impute_finished:
      self._zeros = zero_outputs(decoder.output_size, decoder.output_dtype, decoder.batch_size)
    arrays = nest.map_structure(self._output_array, decoder.output_size, decoder.output_dtype)
    if self._limit is not None:
      finished = tf.logical_or(finished, 0 >= self._limit)
    lengths = tf.zeros_like(finished, dtype=dtypes.int32)
    ended = tf.while_loop(
      lambda time, arrays, state, inputs, finished, lengths: tf.logical_not(tf.reduce_all(finished)),
      self._step,
      loop_vars=(tf.constant(0, dtype=dtypes.int32), arrays, state, inputs, finished, lengths),
      parallel_iterations=parallel_iterations,
      maximum_iterations=self._limit,
      swap_memory=swap_memory,
    )
    _, arrays, state, _, _, lengths = ended
    return nest.map_structure(lambda array: array.stack(), arrays), state, lengths

  def _output_array(self, size, dtype):
    batch_size = self._decoder.batch_size
    if isinstance(batch_size, tf.Tensor):
      batch_size = tensor_values.constant_value(batch_size)
    shape = tensor_shape.TensorShape(size)
    if shape.ndims is not None:
      shape = tensor_shape.TensorShape([None if batch_size is None else int(batch_size)]).concatenate(shape)
    return tf.TensorArray(dtype=dtype, size=0, dynamic_size=True, element_shape=shape)

  def _step(self, time, arrays, state, inputs, finished, lengths):
    outputs, next_state, next_inputs, now_finished = self._decoder.step(time, inputs, state)
    if self._decoder.tracks_own_finished:
      next_finished = now_finished
    else:
      next_finished = tf.logical_or(now_finished, finished)
    next_lengths = tf.where(tf.logical_not(finished), tf.fill(tf.shape(lengths), time + 1), lengths)
    nest.assert_same_structure(state, next_state)
    nest.assert_same_structure(arrays, outputs)
    nest.assert_same_structure(inputs, next_inputs)
    if self._impute_finished:
      outputs = nest.map_structure(lambda output, zero: tf.where(finished, zero, output), outputs, self._zeros)
      next_state = nest.map_structure(lambda new, old: self._kept_if_finished(new, old, finished), next_state, state)
    arrays = nest.map_structure(lambda array, output: array.write(time, output), arrays, outputs)
    return time + 1, arrays, next_state, next_inputs, next_finished, next_lengths

  @staticmethod
  def _kept_if_finished(new, old, finished):
    """The old state of sequences that are finished. Arrays and scalars are of all sequences, and so always new."""
    if isinstance(old, TensorArray) or new.shape.ndims == 0:
      return new
    new.set_shape(old.shape)
    return tf.where(finished, old, new)
