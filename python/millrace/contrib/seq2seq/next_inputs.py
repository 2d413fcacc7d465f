"""What a decoder takes as its next input: the base class, and one of functions that a program gives."""

import millrace as tf
from millrace.framework import dtypes, tensor_shape


class Helper:
  """Base class: samples from what a decoder computed, and makes the inputs of the next step of that.

  A class below it says `batch_size`, a scalar, and `sample_ids_shape` and `sample_ids_dtype`, shape (without the batch) and type of
  what `sample` returns.
  """

  @property
  def batch_size(self):
    """The number of sequences, an int32 scalar."""
    raise NotImplementedError("batch_size has not been implemented")

  @property
  def sample_ids_shape(self):
    """The TensorShape of a sample, without the batch."""
    raise NotImplementedError("sample_ids_shape has not been implemented")

  @property
  def sample_ids_dtype(self):
    """The type of a sample."""
    raise NotImplementedError("sample_ids_dtype has not been implemented")

  def initialize(self, name=None):
    """Returns (finished, inputs) of the first step."""
    raise NotImplementedError("initialize has not been implemented")

  def sample(self, time, outputs, state, name=None):
    """Returns the samples of a step's outputs."""
    raise NotImplementedError("sample has not been implemented")

  def next_inputs(self, time, outputs, state, sample_ids, name=None):
    """Returns (finished, next inputs, next state)."""
    raise NotImplementedError("next_inputs has not been implemented")


class CustomHelper(Helper):
  """A helper of functions.

  `initialize_fn()` returns (finished, inputs), `sample_fn(time=, outputs=, state=)` samples, and
  `next_inputs_fn(time=, outputs=, state=, sample_ids=)` (finished, next inputs, next state). Samples are int32 scalars unless
  `sample_ids_shape`, a list or vector of numbers, and `sample_ids_dtype` say something else.
  """

  def __init__(self, initialize_fn, sample_fn, next_inputs_fn, sample_ids_shape=None, sample_ids_dtype=None):
    self._initialize_fn = initialize_fn
    self._sample_fn = sample_fn
    self._next_inputs_fn = next_inputs_fn
    self._batch_size = None
    self._sample_ids_shape = tensor_shape.TensorShape(sample_ids_shape or [])
    self._sample_ids_dtype = sample_ids_dtype or dtypes.int32

  @property
  def batch_size(self):
    """The number of sequences. Raises ValueError before `initialize`."""
    if self._batch_size is None:
      raise ValueError("batch_size accessed before initialize was called")
    return self._batch_size

  @property
  def sample_ids_shape(self):
    return self._sample_ids_shape

  @property
  def sample_ids_dtype(self):
    return self._sample_ids_dtype

  def initialize(self, name=None):
    with tf.name_scope(name, f"{type(self).__name__}Initialize"):
      finished, next_inputs = self._initialize_fn()
      if self._batch_size is None:
        self._batch_size = tf.size(finished)
    return finished, next_inputs

  def sample(self, time, outputs, state, name=None):
    with tf.name_scope(name, f"{type(self).__name__}Sample", _flat(time, outputs, state)):
      return self._sample_fn(time=time, outputs=outputs, state=state)

  def next_inputs(self, time, outputs, state, sample_ids, name=None):
    with tf.name_scope(name, f"{type(self).__name__}NextInputs", _flat(time, outputs, sample_ids, state)):
      return self._next_inputs_fn(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


def _flat(*values):
  from millrace.framework import nest

  return [part for part in nest.flatten(values) if isinstance(part, tf.Tensor)]


def embedding_function(embedding):
  """The function from ids to inputs: `embedding` itself if it is one, otherwise the lookup in it."""
  if callable(embedding):
    return embedding
  return lambda ids: tf.nn.embedding_lookup(embedding, ids)
