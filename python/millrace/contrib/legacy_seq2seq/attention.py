"""Decoders of lists with attention (Vinyals and others, 2015)."""

import millrace as tf
from millrace.contrib.legacy_seq2seq import decoders
from millrace.contrib.rnn.linear import linear
from millrace.framework import nest


class _Heads:
  """The heads that read from the states [batch, length, size]: "AttnW_I" and "AttnV_I", and in each call "Attention_I"."""

  def __init__(self, attention_states, num_heads, dtype):
    self._dtype = dtype
    self._length = attention_states.get_shape().as_list()[1]
    if self._length is None:
      self._length = tf.shape(attention_states)[1]
    self.size = attention_states.get_shape().as_list()[2]
    # As images of one column, so that a convolution multiplies each state by a matrix.
    self._states = tf.reshape(attention_states, [-1, self._length, 1, self.size])
    self._features, self._vectors = [], []
    for i in range(num_heads):
      weights = tf.get_variable(f"AttnW_{i}", [1, 1, self.size, self.size], dtype=dtype)
      self._features.append(tf.nn.conv2d(self._states, weights, [1, 1, 1, 1], "SAME"))
      self._vectors.append(tf.get_variable(f"AttnV_{i}", [self.size], dtype=dtype))

  def zeros(self, batch_size):
    """What each head has read before the first step."""
    made = [tf.zeros(tf.stack([batch_size, self.size]), dtype=self._dtype) for _ in self._vectors]
    for one in made:
      one.set_shape([None, self.size])
    return made

  def read(self, query):
    """What each head reads, [batch, size], for a query: a cell's state."""
    if nest.is_nested(query):
      query = tf.concat(nest.flatten(query), 1)
    found = []
    for i, (features, vector) in enumerate(zip(self._features, self._vectors)):
      with tf.variable_scope(f"Attention_{i}"):
        y = tf.cast(tf.reshape(linear(query, self.size, True), [-1, 1, 1, self.size]), self._dtype)
        scores = tf.reduce_sum(vector * tf.tanh(features + y), [2, 3])
        mask = tf.cast(tf.nn.softmax(tf.cast(scores, tf.float32)), self._dtype)
        context = tf.reduce_sum(tf.reshape(mask, [-1, self._length, 1, 1]) * self._states, [1, 2])
        found.append(tf.reshape(context, [-1, self.size]))
    return found


def attention_decoder(
  decoder_inputs,
  initial_state,
  attention_states,
  cell,
  output_size=None,
  num_heads=1,
  loop_function=None,
  dtype=None,
  scope=None,
  initial_state_attention=False,
):
  """Runs a cell over a list of inputs [batch, depth] with attention to `attention_states` [batch, length, size].

  The cell takes a product of the input and what the heads have read before; the output, [batch, output_size], is one of what the cell
  gives and what the heads read then by its state. `output_size` is the cell's by default. With `loop_function(previous output, number of the
  step)` that makes all inputs but the first. With `initial_state_attention` the heads read before the first step as well. Returns (list of
  outputs, last state). `scope` is "attention_decoder" by default.

  Raises ValueError for no inputs or heads, or sizes that are not known.
  """
  if not decoder_inputs:
    raise ValueError("Must provide at least 1 input to attention decoder.")
  if num_heads < 1:
    raise ValueError("With less than 1 heads, use a non-attention decoder.")
  if attention_states.get_shape().as_list()[2] is None:
    raise ValueError(f"Shape[2] of attention_states must be known: {attention_states.get_shape()}")
  if output_size is None:
    output_size = cell.output_size
  with tf.variable_scope(scope or "attention_decoder", dtype=dtype) as opened:
    dtype = opened.dtype
    heads = _Heads(attention_states, num_heads, dtype)
    state = initial_state
    outputs = []
    reads = heads.read(initial_state) if initial_state_attention else heads.zeros(tf.shape(decoder_inputs[0])[0])
    for i, inputs in enumerate(decoder_inputs):
      if i > 0:
        tf.get_variable_scope().reuse_variables()
      if loop_function is not None and outputs:
        inputs = decoders.looped(loop_function, outputs[-1], i)
      depth = inputs.get_shape().with_rank(2).as_list()[1]
      if depth is None:
        raise ValueError(f"Could not infer input size from input: {inputs.name}")
      x = linear([tf.cast(part, dtype) for part in [inputs, *reads]], depth, True)
      output, state = cell(x, state)
      with tf.variable_scope(tf.get_variable_scope(), reuse=True if i == 0 and initial_state_attention else None):
        reads = heads.read(state)
      with tf.variable_scope("AttnOutputProjection"):
        outputs.append(linear([tf.cast(output, dtype), *reads], output_size, True))
  return outputs, state


def embedding_attention_decoder(
  decoder_inputs,
  initial_state,
  attention_states,
  cell,
  num_symbols,
  embedding_size,
  num_heads=1,
  output_size=None,
  output_projection=None,
  feed_previous=False,
  update_embedding_for_previous=True,
  dtype=None,
  scope=None,
  initial_state_attention=False,
):
  """`attention_decoder` of symbols [batch], which the variable "embedding" [num_symbols, embedding_size] embeds.

  `feed_previous`, `output_projection` and `update_embedding_for_previous` are those of embedding_rnn_decoder. Raises ValueError for a
  projection of another size.
  """
  if output_size is None:
    output_size = cell.output_size
  if output_projection is not None:
    decoders.check_projection(output_projection, num_symbols, dtype)
  with tf.variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
    embedding = tf.get_variable("embedding", [num_symbols, embedding_size])
    loop_function = None
    if feed_previous:
      loop_function = decoders.argmax_and_embed(embedding, output_projection, update_embedding_for_previous)
    embedded = [tf.nn.embedding_lookup(embedding, symbols) for symbols in decoder_inputs]
    return attention_decoder(
      embedded,
      initial_state,
      attention_states,
      cell,
      output_size=output_size,
      num_heads=num_heads,
      loop_function=loop_function,
      initial_state_attention=initial_state_attention,
    )
