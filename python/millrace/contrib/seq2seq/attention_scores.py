"""Scores of keys by a query, masks of memories, and hardmax."""

import math

import millrace as tf
from millrace.framework import convert, nest


def masked_memory(memory, memory_sequence_length=None, check_inner_dims_defined=True):
  """The memory [batch, time, ...], or a structure of such, with zeros behind `memory_sequence_length`.

  Raises ValueError if `check_inner_dims_defined` and a dimension behind the first two is not known.
  """
  memory = nest.map_structure(lambda m: convert.convert_to_tensor(m, name="memory"), memory)
  if check_inner_dims_defined:
    for m in nest.flatten(memory):
      if not m.get_shape()[2:].is_fully_defined():
        raise ValueError(f"Expected memory {m.name} to have fully defined inner dims, but saw shape: {m.get_shape()}")
  if memory_sequence_length is None:
    return memory
  lengths = convert.convert_to_tensor(memory_sequence_length, name="memory_sequence_length")
  first = nest.flatten(memory)[0]
  mask = tf.sequence_mask(lengths, maxlen=tf.shape(first)[1], dtype=first.dtype)
  size = lengths.shape.dims[0].value or tf.shape(lengths)[0]

  def masked(m):
    rank = m.get_shape().ndims if m.get_shape().ndims is not None else tf.rank(m)
    ones = tf.ones(tf.expand_dims(rank - 2, 0), dtype=tf.int32)
    batch = m.shape.dims[0].value or tf.shape(m)[0]
    same = tf.assert_equal(size, batch, message="The memory_sequence_length tensor batch size must match that of the memory.")
    with tf.control_dependencies([same]):
      return m * tf.reshape(mask, tf.concat((tf.shape(mask), ones), 0))

  return nest.map_structure(masked, memory)


def masked_score(score, memory_sequence_length, score_mask_value):
  """Scores [batch, time] with `score_mask_value` behind the lengths, each of which has to be positive."""
  if memory_sequence_length is None:
    return score
  message = "All values in memory_sequence_length must greater than zero."
  with tf.control_dependencies([tf.assert_positive(memory_sequence_length, message=message)]):
    inside = tf.sequence_mask(memory_sequence_length, maxlen=tf.shape(score)[1])
    return tf.where(inside, score, score_mask_value * tf.ones_like(score))


def luong_scale(dtype):
  """The variable that scores are multiplied by."""
  return tf.get_variable("attention_g", dtype=dtype, initializer=tf.ones_initializer(), shape=())


def luong_score(query, keys, scale):
  """scale * query . keys. Raises ValueError if the depths differ or are not known."""
  depth = query.get_shape().as_list()[-1]
  units = keys.get_shape().as_list()[-1]
  if depth is None or depth != units:
    raise ValueError(
      f"Incompatible or unknown inner dimensions between query and keys.  Query ({query}) has units: {depth}.  Keys ({keys}) have "
      f"units: {units}.  Perhaps you need to set num_units to the keys' dimension ({units})?"
    )
  score = tf.squeeze(tf.matmul(tf.expand_dims(query, 1), keys, transpose_b=True), [1])
  return score if scale is None else scale * score


def bahdanau_score(processed_query, keys, attention_v, attention_g=None, attention_b=None):
  """attention_v . tanh(keys + query), with the norm `attention_g` of attention_v and `attention_b` inside of tanh if given."""
  query = tf.expand_dims(processed_query, 1)
  if attention_g is None:
    return tf.reduce_sum(attention_v * tf.tanh(keys + query), [2])
  normed = attention_g * attention_v * tf.rsqrt(tf.reduce_sum(tf.square(attention_v)))
  return tf.reduce_sum(normed * tf.tanh(keys + query + attention_b), [2])


def bahdanau_score_with_variables(processed_query, keys, num_units, dtype, normalize):
  """`bahdanau_score` with the variables "attention_v", and to `normalize` "attention_g" and "attention_b", of the scope."""
  v = tf.get_variable("attention_v", [num_units], dtype=dtype)
  if not normalize:
    return bahdanau_score(processed_query, keys, v)
  g = tf.get_variable("attention_g", dtype=dtype, initializer=tf.constant_initializer(math.sqrt(1.0 / num_units)), shape=())
  b = tf.get_variable("attention_b", [num_units], dtype=dtype, initializer=tf.zeros_initializer())
  return bahdanau_score(processed_query, keys, v, g, b)


def hardmax(logits, name=None):
  """One-hot vectors of the greatest elements along the last dimension."""
  with tf.name_scope(name, "Hardmax", [logits]):
    logits = convert.convert_to_tensor(logits, name="logits")
    depth = logits.get_shape().as_list()[-1] if logits.get_shape().ndims is not None else None
    if depth is None:
      depth = tf.shape(logits)[-1]
    return tf.one_hot(tf.argmax(logits, -1), depth, dtype=logits.dtype)
