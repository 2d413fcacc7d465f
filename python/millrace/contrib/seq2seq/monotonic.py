"""Attention that only goes forward (Raffel and others, 2017)."""

import numpy as np

import millrace as tf
from millrace.contrib.seq2seq import attention
from millrace.contrib.seq2seq import attention_scores as scores
from millrace.framework import convert, dtypes


def safe_cumprod(x, *args, **kwargs):
  """The cumulative product of numbers of [0, 1], as the exponential of a sum of logarithms; arguments as for tf.cumsum."""
  with tf.name_scope(None, "SafeCumprod", [x]):
    x = convert.convert_to_tensor(x, name="x")
    tiny = np.finfo(x.dtype.as_numpy_dtype).tiny
    return tf.exp(tf.cumsum(tf.log(tf.clip_by_value(x, tiny, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i, previous_attention, mode):
  """The attention [batch, time] of a step, from the probabilities of stopping at each place and the attention of the step before.

  `mode` says how: "recursive" place after place, which is exact; "parallel" by cumulative products, which is fast and less exact for
  probabilities near 0 and 1; "hard" for probabilities that are 0 or 1. The first attention before all is [1, 0, 0, ...].
  Raises ValueError for another mode.
  """
  p = convert.convert_to_tensor(p_choose_i, name="p_choose_i")
  previous = convert.convert_to_tensor(previous_attention, name="previous_attention")
  if mode == "recursive":
    batch_size = p.shape.dims[0].value or tf.shape(p)[0]
    going_on = tf.concat([tf.ones((batch_size, 1), dtype=p.dtype), 1 - p[:, :-1]], 1)
    reached = tf.scan(
      lambda before, row: tf.reshape(row[0] * before + row[1], (batch_size,)),
      [tf.transpose(going_on), tf.transpose(previous)],
      tf.zeros((batch_size,), dtype=p.dtype),
    )
    return p * tf.transpose(reached)
  if mode == "parallel":
    passed = safe_cumprod(1 - p, axis=1, exclusive=True)
    return p * passed * tf.cumsum(previous / tf.clip_by_value(passed, 1e-10, 1.0), axis=1)
  if mode == "hard":
    # Nothing before the place of the step before can be chosen, and of what remains the first.
    p = p * tf.cumsum(previous, axis=1)
    return p * tf.cumprod(1 - p, axis=1, exclusive=True)
  raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")


def _monotonic_probability_fn(score, previous_alignments, sigmoid_noise, mode, seed=None):
  """Attention of scores: each is the logit of stopping at its place, with normal noise times `sigmoid_noise`."""
  if sigmoid_noise > 0:
    score = score + sigmoid_noise * tf.random_normal(tf.shape(score), dtype=score.dtype, seed=seed)
  p_choose_i = tf.cast(score > 0, score.dtype) if mode == "hard" else tf.sigmoid(score)
  return monotonic_attention(p_choose_i, previous_alignments, mode)


class _BaseMonotonicAttentionMechanism(attention._BaseAttentionMechanism):
  """A mechanism whose state begins at the first place."""

  def initial_alignments(self, batch_size, dtype):
    """Returns [1, 0, 0, ...] for each sequence."""
    return tf.one_hot(tf.zeros((batch_size,), dtype=dtypes.int32), self._alignments_size, dtype=dtype)


def _probability_fn(sigmoid_noise, mode, seed):
  return lambda score, previous: _monotonic_probability_fn(score, previous, sigmoid_noise, mode, seed)


def _biased(score, dtype, score_bias_init):
  """The score with a variable added to it."""
  initializer = tf.constant_initializer(score_bias_init, dtype=dtype)
  return score + tf.get_variable("attention_score_bias", dtype=dtype, initializer=initializer, shape=())


class BahdanauMonotonicAttention(_BaseMonotonicAttentionMechanism):
  """Monotonic attention with the score of BahdanauAttention.

  The variable "attention_score_bias" is added to scores; it begins as `score_bias_init`, which should be negative for long memories.
  `sigmoid_noise` is the deviation of noise on scores, with the seed `sigmoid_noise_seed`; `mode` is that of monotonic_attention. The
  other arguments are those of BahdanauAttention.
  """

  def __init__(
    self,
    num_units,
    memory,
    memory_sequence_length=None,
    normalize=False,
    score_mask_value=None,
    sigmoid_noise=0.0,
    sigmoid_noise_seed=None,
    score_bias_init=0.0,
    mode="parallel",
    dtype=None,
    name="BahdanauMonotonicAttention",
  ):
    dtype = dtype or dtypes.float32
    super().__init__(
      query_layer=attention.dense(num_units, "query_layer", dtype),
      memory_layer=attention.dense(num_units, "memory_layer", dtype),
      memory=memory,
      probability_fn=_probability_fn(sigmoid_noise, mode, sigmoid_noise_seed),
      memory_sequence_length=memory_sequence_length,
      score_mask_value=score_mask_value,
      name=name,
    )
    self._num_units = num_units
    self._normalize = normalize
    self._name = name
    self._score_bias_init = score_bias_init

  def __call__(self, query, state):
    """Returns (alignments, next state), both [batch, time of the memory], for a query [batch, ...]."""
    with tf.variable_scope(None, "bahdanau_monotonic_attention", [query]):
      processed = self.query_layer(query) if self.query_layer else query
      score = scores.bahdanau_score_with_variables(processed, self._keys, self._num_units, query.dtype, self._normalize)
      score = _biased(score, query.dtype, self._score_bias_init)
    alignments = self._probability_fn(score, state)
    return alignments, alignments


class LuongMonotonicAttention(_BaseMonotonicAttentionMechanism):
  """Monotonic attention with the score of LuongAttention. Further arguments: see BahdanauMonotonicAttention."""

  def __init__(
    self,
    num_units,
    memory,
    memory_sequence_length=None,
    scale=False,
    score_mask_value=None,
    sigmoid_noise=0.0,
    sigmoid_noise_seed=None,
    score_bias_init=0.0,
    mode="parallel",
    dtype=None,
    name="LuongMonotonicAttention",
  ):
    super().__init__(
      query_layer=None,
      memory_layer=attention.dense(num_units, "memory_layer", dtype or dtypes.float32),
      memory=memory,
      probability_fn=_probability_fn(sigmoid_noise, mode, sigmoid_noise_seed),
      memory_sequence_length=memory_sequence_length,
      score_mask_value=score_mask_value,
      name=name,
    )
    self._num_units = num_units
    self._scale = scale
    self._score_bias_init = score_bias_init
    self._name = name

  def __call__(self, query, state):
    """Returns (alignments, next state), both [batch, time of the memory], for a query [batch, units]."""
    with tf.variable_scope(None, "luong_monotonic_attention", [query]):
      score = scores.luong_score(query, self._keys, scores.luong_scale(query.dtype) if self._scale else None)
      score = _biased(score, query.dtype, self._score_bias_init)
    alignments = self._probability_fn(score, state)
    return alignments, alignments
