"""Decoders of lists: a cell that takes given inputs, or what it has said before."""

import millrace as tf
from millrace.framework import convert


def rnn_decoder(decoder_inputs, initial_state, cell, loop_function=None, scope=None):
  """Runs a cell over a list of inputs [batch, depth] from `initial_state`; returns (list of outputs, last state).

  With `loop_function(previous output, number of the step)` that makes all inputs but the first. `scope` is "rnn_decoder" by default.
  """
  with tf.variable_scope(scope or "rnn_decoder"):
    state = initial_state
    outputs = []
    for i, inputs in enumerate(decoder_inputs):
      if loop_function is not None and outputs:
        inputs = looped(loop_function, outputs[-1], i)
      if i > 0:
        tf.get_variable_scope().reuse_variables()
      output, state = cell(inputs, state)
      outputs.append(output)
  return outputs, state


def looped(loop_function, previous, i):
  """The next input by a function that finds its variables in the scope."""
  with tf.variable_scope("loop_function", reuse=True):
    return loop_function(previous, i)


def argmax_and_embed(embedding, output_projection=None, update_embedding=True):
  """The loop function that embeds the most probable symbol of the output before.

  `output_projection` (weights, biases) is applied to that first; gradients go into the embedding if `update_embedding`.
  """

  def loop_function(previous, _):
    if output_projection is not None:
      previous = tf.nn.xw_plus_b(previous, output_projection[0], output_projection[1])
    embedded = tf.nn.embedding_lookup(embedding, tf.argmax(previous, 1))
    return embedded if update_embedding else tf.stop_gradient(embedded)

  return loop_function


def check_projection(output_projection, num_symbols, dtype=None):
  """Raises ValueError unless the projection is to `num_symbols` columns."""
  weights = convert.convert_to_tensor(output_projection[0], dtype=dtype)
  weights.get_shape().assert_is_compatible_with([None, num_symbols])
  biases = convert.convert_to_tensor(output_projection[1], dtype=dtype)
  biases.get_shape().assert_is_compatible_with([num_symbols])


def embedding_rnn_decoder(
  decoder_inputs,
  initial_state,
  cell,
  num_symbols,
  embedding_size,
  output_projection=None,
  feed_previous=False,
  update_embedding_for_previous=True,
  scope=None,
):
  """`rnn_decoder` of symbols [batch], which the variable "embedding" [num_symbols, embedding_size] embeds.

  With `feed_previous` only the first input is used, and each next one is the most probable symbol of the output before, by
  `output_projection` (weights, biases) if that is given; gradients go through these embeddings if `update_embedding_for_previous`.
  Raises ValueError for a projection of another size.
  """
  with tf.variable_scope(scope or "embedding_rnn_decoder") as opened:
    if output_projection is not None:
      check_projection(output_projection, num_symbols, opened.dtype)
    embedding = tf.get_variable("embedding", [num_symbols, embedding_size])
    loop_function = None
    if feed_previous:
      loop_function = argmax_and_embed(embedding, output_projection, update_embedding_for_previous)
    embedded = [tf.nn.embedding_lookup(embedding, symbols) for symbols in decoder_inputs]
    return rnn_decoder(embedded, initial_state, cell, loop_function=loop_function)
