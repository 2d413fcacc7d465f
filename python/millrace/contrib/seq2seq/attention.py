"""Attention: scores of a memory by a query, as probabilities (Luong's and Bahdanau's)."""

import numpy as np

import millrace as tf
from millrace.contrib.seq2seq import attention_scores as scores
from millrace.framework import dtypes, nest
from millrace.ops.rnn.zero_states import zero_states


class AttentionMechanism:
  """Base class of mechanisms: called with (query, state), it returns (alignments, next state)."""

  @property
  def alignments_size(self):
    """The number of places in the memory, an int or scalar."""
    raise NotImplementedError

  @property
  def state_size(self):
    """The sizes of the state between steps."""
    raise NotImplementedError


class _BaseAttentionMechanism(AttentionMechanism):
  """What the mechanisms have in common: the memory, its keys, and the mask of what is behind the end of a sequence.

  `memory` is [batch, time, ...], `memory_sequence_length` an int vector. `probability_fn(score, previous state)` makes
  probabilities of scores, which are `score_mask_value` behind the end. `custom_key_value_fn(keys, values)` replaces both.
  """

  def __init__(
    self,
    query_layer,
    memory,
    probability_fn,
    memory_sequence_length=None,
    memory_layer=None,
    check_inner_dims_defined=True,
    score_mask_value=None,
    custom_key_value_fn=None,
    name=None,
  ):
    for layer, what in ((query_layer, "query_layer"), (memory_layer, "memory_layer")):
      if layer is not None and not isinstance(layer, tf.layers.Layer):
        raise TypeError(f"{what} is not a Layer: {type(layer).__name__}")
    self._query_layer = query_layer
    self._memory_layer = memory_layer
    layer = memory_layer or query_layer
    self.dtype = dtypes.as_dtype(dtypes.float32 if layer is None or layer.dtype is None else layer.dtype)
    if not callable(probability_fn):
      raise TypeError(f"probability_fn must be callable, saw type: {type(probability_fn).__name__}")
    if score_mask_value is None:
      score_mask_value = self.dtype.as_numpy_dtype(-np.inf)
    self._probability_fn = lambda score, previous: probability_fn(
      scores.masked_score(score, memory_sequence_length, score_mask_value), previous
    )
    with tf.name_scope(name, "BaseAttentionMechanismInit", [m for m in nest.flatten(memory) if isinstance(m, tf.Tensor)]):
      self._values = scores.masked_memory(memory, memory_sequence_length, check_inner_dims_defined)
      self._keys = self._memory_layer(self._values) if self._memory_layer else self._values
      if custom_key_value_fn is not None:
        self._keys, self._values = custom_key_value_fn(self._keys, self._values)
      first = nest.flatten(self._keys)[0]
      shape = tf.shape(first)
      self._batch_size = first.shape.dims[0].value or shape[0]
      self._alignments_size = first.shape.dims[1].value or shape[1]

  @property
  def memory_layer(self):
    return self._memory_layer

  @property
  def query_layer(self):
    return self._query_layer

  @property
  def values(self):
    """The memory, with zeros behind the ends of sequences."""
    return self._values

  @property
  def keys(self):
    """What queries are compared with."""
    return self._keys

  @property
  def batch_size(self):
    return self._batch_size

  @property
  def alignments_size(self):
    return self._alignments_size

  @property
  def state_size(self):
    return self._alignments_size

  def initial_alignments(self, batch_size, dtype):
    """Returns the alignments before the first step, zeros."""
    return zero_states(self._alignments_size, batch_size, dtype)

  def initial_state(self, batch_size, dtype):
    """Returns the state before the first step: the initial alignments."""
    return self.initial_alignments(batch_size, dtype)


def dense(num_units, name, dtype):
  """The layer that makes keys of a memory, or of a query what is compared with them."""
  return tf.layers.Dense(num_units, name=name, use_bias=False, dtype=dtype)


def _of_score(probability_fn):
  """A function of score and state that looks at the score alone."""
  if probability_fn is None:
    probability_fn = tf.nn.softmax
  return lambda score, _: probability_fn(score)


class LuongAttention(_BaseAttentionMechanism):
  """Multiplicative attention (Luong, Pham and Manning, 2015): score = query . memory_layer(memory).

  `num_units` is the depth of query and keys; with `scale` the score is multiplied by a variable, "attention_g". `memory` is [batch,
  time, ...], and behind `memory_sequence_length` it is zeros and gets the score `score_mask_value`, minus infinity by default.
  `probability_fn` makes probabilities of scores, softmax by default; `dtype` is that of the memory layer.
  `custom_key_value_fn(keys, values)` replaces keys and values. Variables: "memory_layer/kernel".
  """

  def __init__(
    self,
    num_units,
    memory,
    memory_sequence_length=None,
    scale=False,
    probability_fn=None,
    score_mask_value=None,
    dtype=None,
    custom_key_value_fn=None,
    name="LuongAttention",
  ):
    super().__init__(
      query_layer=None,
      memory_layer=dense(num_units, "memory_layer", dtype or dtypes.float32),
      memory=memory,
      probability_fn=_of_score(probability_fn),
      memory_sequence_length=memory_sequence_length,
      score_mask_value=score_mask_value,
      custom_key_value_fn=custom_key_value_fn,
      name=name,
    )
    self._num_units = num_units
    self._scale = scale
    self._name = name

  def __call__(self, query, state):
    """Returns (alignments, next state), both [batch, time of the memory], for a query [batch, units]."""
    with tf.variable_scope(None, "luong_attention", [query]):
      score = scores.luong_score(query, self._keys, scores.luong_scale(query.dtype) if self._scale else None)
    alignments = self._probability_fn(score, state)
    return alignments, alignments


class BahdanauAttention(_BaseAttentionMechanism):
  """Additive attention (Bahdanau, Cho and Bengio, 2015): score = attention_v . tanh(memory_layer(memory) + query_layer(query)).

  With `normalize` attention_v has the norm "attention_g", and "attention_b" is added inside of tanh. `num_units` is the depth; `dtype`
  is that of both layers. The other arguments are those of LuongAttention. Variables: "memory_layer/kernel", and where it is called
  "bahdanau_attention/query_layer/kernel" and "bahdanau_attention/attention_v".
  """

  def __init__(
    self,
    num_units,
    memory,
    memory_sequence_length=None,
    normalize=False,
    probability_fn=None,
    score_mask_value=None,
    dtype=None,
    custom_key_value_fn=None,
    name="BahdanauAttention",
  ):
    dtype = dtype or dtypes.float32
    super().__init__(
      query_layer=dense(num_units, "query_layer", dtype),
      memory_layer=dense(num_units, "memory_layer", dtype),
      memory=memory,
      probability_fn=_of_score(probability_fn),
      memory_sequence_length=memory_sequence_length,
      score_mask_value=score_mask_value,
      custom_key_value_fn=custom_key_value_fn,
      name=name,
    )
    self._num_units = num_units
    self._normalize = normalize
    self._name = name

  def __call__(self, query, state):
    """Returns (alignments, next state), both [batch, time of the memory], for a query [batch, ...]."""
    with tf.variable_scope(None, "bahdanau_attention", [query]):
      processed = self.query_layer(query) if self.query_layer else query
      score = scores.bahdanau_score_with_variables(processed, self._keys, self._num_units, query.dtype, self._normalize)
    alignments = self._probability_fn(score, state)
    return alignments, alignments
