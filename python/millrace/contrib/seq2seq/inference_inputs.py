"""Inputs for inference: what the decoder itself has said at the step before."""

import millrace as tf
from millrace.contrib.seq2seq import next_inputs as base
from millrace.framework import convert, dtypes, tensor_shape


class GreedyEmbeddingHelper(base.Helper):
  """Takes the most probable id of each step, and gives its embedding to the next.

  `embedding` is a function of ids or the parameters of embedding_lookup; `start_tokens` is an int32 vector, a token each sequence
  begins with, and `end_token` the int32 scalar at which it ends. Raises ValueError for tokens that are no vector and no scalar.
  """

  def __init__(self, embedding, start_tokens, end_token):
    self._embedding_fn = base.embedding_function(embedding)
    self._start_tokens = convert.convert_to_tensor(start_tokens, dtype=dtypes.int32, name="start_tokens")
    self._end_token = convert.convert_to_tensor(end_token, dtype=dtypes.int32, name="end_token")
    if self._start_tokens.get_shape().ndims != 1:
      raise ValueError("start_tokens must be a vector")
    if self._end_token.get_shape().ndims != 0:
      raise ValueError("end_token must be a scalar")
    self._batch_size = tf.size(self._start_tokens)
    self._start_inputs = self._embedding_fn(self._start_tokens)

  @property
  def batch_size(self):
    return self._batch_size

  @property
  def sample_ids_shape(self):
    return tensor_shape.TensorShape([])

  @property
  def sample_ids_dtype(self):
    return dtypes.int32

  def initialize(self, name=None):
    return tf.tile([False], [self._batch_size]), self._start_inputs

  def sample(self, time, outputs, state, name=None):
    """The ids of the greatest outputs. Raises TypeError if these are no tensor."""
    return tf.argmax(_one_tensor(outputs), axis=-1, output_type=dtypes.int32)

  def next_inputs(self, time, outputs, state, sample_ids, name=None):
    finished = tf.equal(sample_ids, self._end_token)
    # What follows the last step is not looked at.
    inputs = tf.cond(tf.reduce_all(finished), lambda: self._start_inputs, lambda: self._embedding_fn(sample_ids))
    return finished, inputs, state


def _one_tensor(outputs):
  if not isinstance(outputs, tf.Tensor):
    raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
  return outputs


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
  """A GreedyEmbeddingHelper that draws the ids from the distribution of which the outputs are the logits.

  `softmax_temperature` divides the logits: above 1.0, samples differ more; towards 0, they become the most probable ids.
  """

  def __init__(self, embedding, start_tokens, end_token, softmax_temperature=None, seed=None):
    super().__init__(embedding, start_tokens, end_token)
    self._softmax_temperature = softmax_temperature
    self._seed = seed

  def sample(self, time, outputs, state, name=None):
    """The drawn ids. Raises TypeError if the outputs are no tensor."""
    logits = _one_tensor(outputs)
    if self._softmax_temperature is not None:
      logits = logits / self._softmax_temperature
    return tf.multinomial(logits, 1, seed=self._seed, output_dtype=dtypes.int32)[:, 0]


class InferenceHelper(base.Helper):
  """Samples by functions.

  `sample_fn(outputs)` returns samples of `sample_shape` (without the batch) and `sample_dtype`, `end_fn(samples)` a bool vector, the
  sequences that end, and `next_inputs_fn(samples)` the next inputs, which without it are the samples. `start_inputs` are the first.
  """

  def __init__(self, sample_fn, sample_shape, sample_dtype, start_inputs, end_fn, next_inputs_fn=None):
    self._sample_fn = sample_fn
    self._end_fn = end_fn
    self._sample_shape = tensor_shape.TensorShape(sample_shape)
    self._sample_dtype = sample_dtype
    self._next_inputs_fn = next_inputs_fn
    self._start_inputs = convert.convert_to_tensor(start_inputs, name="start_inputs")
    self._batch_size = tf.shape(self._start_inputs)[0]

  @property
  def batch_size(self):
    return self._batch_size

  @property
  def sample_ids_shape(self):
    return self._sample_shape

  @property
  def sample_ids_dtype(self):
    return self._sample_dtype

  def initialize(self, name=None):
    return tf.tile([False], [self._batch_size]), self._start_inputs

  def sample(self, time, outputs, state, name=None):
    return self._sample_fn(outputs)

  def next_inputs(self, time, outputs, state, sample_ids, name=None):
    inputs = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
    return self._end_fn(sample_ids), inputs, state
