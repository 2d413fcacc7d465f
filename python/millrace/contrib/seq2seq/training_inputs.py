"""Inputs for training: the sequences that shall come out, as they are or mixed with what the decoder samples."""

import millrace as tf
from millrace.contrib.seq2seq import next_inputs as base
from millrace.framework import convert, dtypes, nest, tensor_shape
from millrace.ops.rnn.steps import transpose_batch_time


def as_array(value):
  """A TensorArray of the rows of a time-major tensor."""
  array = tf.TensorArray(dtype=value.dtype, size=tf.shape(value)[0], element_shape=value.get_shape()[1:])
  return array.unstack(value)


class TrainingHelper(base.Helper):
  """Gives a decoder the inputs of every step, whatever it computes; samples are the greatest outputs.

  `inputs` is a tensor [batch, time, ...], or with `time_major` [time, batch, ...], or a structure of such tensors;
  `sequence_length` is an int32 vector. Raises ValueError if that is no vector.
  """

  def __init__(self, inputs, sequence_length, time_major=False, name=None):
    with tf.name_scope(name, "TrainingHelper", [*nest.flatten(inputs), sequence_length]):
      inputs = nest.map_structure(lambda value: convert.convert_to_tensor(value, name="inputs"), inputs)
      self._inputs = inputs
      if not time_major:
        inputs = nest.map_structure(transpose_batch_time, inputs)
      self._input_arrays = nest.map_structure(as_array, inputs)
      self._sequence_length = convert.convert_to_tensor(sequence_length, name="sequence_length")
      if self._sequence_length.get_shape().ndims != 1:
        raise ValueError(f"Expected sequence_length to be a vector, but received shape: {self._sequence_length.get_shape()}")
      self._zero_inputs = nest.map_structure(lambda value: tf.zeros_like(value[0, :]), inputs)
      self._batch_size = tf.size(self._sequence_length)

  @property
  def inputs(self):
    """The inputs, as they were given."""
    return self._inputs

  @property
  def sequence_length(self):
    return self._sequence_length

  @property
  def batch_size(self):
    return self._batch_size

  @property
  def sample_ids_shape(self):
    return tensor_shape.TensorShape([])

  @property
  def sample_ids_dtype(self):
    return dtypes.int32

  def _inputs_at(self, time, finished):
    """The inputs at `time`, zeros if all sequences are over."""
    return tf.cond(
      tf.reduce_all(finished),
      lambda: self._zero_inputs,
      lambda: nest.map_structure(lambda array: array.read(time), self._input_arrays),
    )

  def initialize(self, name=None):
    with tf.name_scope(name, "TrainingHelperInitialize"):
      finished = tf.equal(0, self._sequence_length)
      return finished, self._inputs_at(0, finished)

  def sample(self, time, outputs, state=None, name=None):
    with tf.name_scope(name, "TrainingHelperSample", [time, outputs]):
      return tf.cast(tf.argmax(outputs, axis=-1), dtypes.int32)

  def next_inputs(self, time, outputs, state, name=None, **unused_kwargs):
    with tf.name_scope(name, "TrainingHelperNextInputs", [time]):
      next_time = time + 1
      finished = next_time >= self._sequence_length
      return finished, self._inputs_at(next_time, finished), state


def _probability(sampling_probability):
  """The probability as a tensor. Raises ValueError unless it is a scalar or a vector."""
  probability = convert.convert_to_tensor(sampling_probability, name="sampling_probability")
  if probability.get_shape().ndims not in (0, 1):
    raise ValueError(f"sampling_probability must be either a scalar or a vector. saw shape: {probability.get_shape()}")
  return probability


def _drawn(probability, batch_size, seed):
  """For each sequence, whether it is one of those of which the sample is used."""
  return tf.random_uniform([batch_size], seed=seed, dtype=probability.dtype) < probability


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
  """A TrainingHelper that takes, by chance, the embedding of what the decoder samples instead of the input.

  Samples are drawn from the distribution of which `outputs` are the logits, for each sequence and step with
  `sampling_probability`, and are -1 otherwise. `embedding` is a function of ids or the parameters of embedding_lookup. `seed` is that
  of the samples, `scheduling_seed` that of the choice. Raises ValueError if the probability is no scalar or vector.
  """

  def __init__(
    self,
    inputs,
    sequence_length,
    embedding,
    sampling_probability,
    time_major=False,
    seed=None,
    scheduling_seed=None,
    name=None,
  ):
    with tf.name_scope(name, "ScheduledEmbeddingSamplingWrapper"):
      self._embedding_fn = base.embedding_function(embedding)
      self._sampling_probability = _probability(sampling_probability)
      self._seed = seed
      self._scheduling_seed = scheduling_seed
      super().__init__(inputs=inputs, sequence_length=sequence_length, time_major=time_major, name=name)

  def sample(self, time, outputs, state, name=None):
    with tf.name_scope(name, "ScheduledEmbeddingTrainingHelperSample", [time, outputs]):
      chosen = _drawn(self._sampling_probability, self.batch_size, self._scheduling_seed)
      ids = tf.multinomial(outputs, 1, seed=self._seed, output_dtype=dtypes.int32)[:, 0]
      return tf.where(chosen, ids, tf.fill([self.batch_size], -1))

  def next_inputs(self, time, outputs, state, sample_ids, name=None):
    with tf.name_scope(name, "ScheduledEmbeddingTrainingHelperNextInputs", [time, outputs, sample_ids]):
      finished, given, state = super().next_inputs(time=time, outputs=outputs, state=state, name=name)

      def mixed():
        embedded = self._embedding_fn(tf.maximum(sample_ids, 0))
        return tf.where(sample_ids >= 0, embedded, given)

      return finished, tf.cond(tf.reduce_all(finished), lambda: given, mixed), state


class ScheduledOutputTrainingHelper(TrainingHelper):
  """A TrainingHelper that takes, by chance, the decoder's output instead of the input.

  For each sequence and step that happens with `sampling_probability`; samples are 1 then, otherwise 0. `next_inputs_fn` makes inputs of
  the outputs. `auxiliary_inputs`, of the form of `inputs` but for the last dimension, are appended to inputs and outputs. Raises
  ValueError if the probability is no scalar or vector.
  """

  def __init__(
    self,
    inputs,
    sequence_length,
    sampling_probability,
    time_major=False,
    seed=None,
    next_inputs_fn=None,
    auxiliary_inputs=None,
    name=None,
  ):
    with tf.name_scope(name, "ScheduledOutputTrainingHelper", [*nest.flatten(inputs), sequence_length]):
      self._sampling_probability = _probability(sampling_probability)
      self._seed = seed
      self._next_inputs_fn = next_inputs_fn or (lambda outputs: outputs)
      self._auxiliary_arrays = None
      if auxiliary_inputs is not None:
        inputs = nest.map_structure(lambda x, y: tf.concat((x, y), -1), inputs, auxiliary_inputs)
        auxiliary = nest.map_structure(lambda value: convert.convert_to_tensor(value, name="inputs"), auxiliary_inputs)
        if not time_major:
          auxiliary = nest.map_structure(transpose_batch_time, auxiliary)
        self._auxiliary_arrays = nest.map_structure(as_array, auxiliary)
      super().__init__(inputs=inputs, sequence_length=sequence_length, time_major=time_major, name=name)

  def sample(self, time, outputs, state, name=None):
    with tf.name_scope(name, "ScheduledOutputTrainingHelperSample", [time]):
      return tf.cast(_drawn(self._sampling_probability, self.batch_size, self._seed), dtypes.int32)

  def next_inputs(self, time, outputs, state, sample_ids, name=None):
    with tf.name_scope(name, "ScheduledOutputTrainingHelperNextInputs", [time, sample_ids]):
      finished, given, state = super().next_inputs(time=time, outputs=outputs, state=state, name=name)
      chosen = tf.cast(sample_ids, dtypes.bool)

      def mixed():
        sampled = self._next_inputs_fn(outputs)
        if self._auxiliary_arrays is not None:
          auxiliary = nest.map_structure(lambda array: array.read(time + 1), self._auxiliary_arrays)
          sampled = nest.map_structure(lambda x, y: tf.concat((x, y), -1), sampled, auxiliary)
        return nest.map_structure(lambda own, other: tf.where(chosen, own, other), sampled, given)

      as_given = tf.logical_or(tf.reduce_all(finished), tf.logical_not(tf.reduce_any(chosen)))
      return finished, tf.cond(as_given, lambda: given, mixed), state
