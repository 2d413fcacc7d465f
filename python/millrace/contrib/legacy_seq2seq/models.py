"""Models: an encoder whose last state is where a decoder begins."""

import copy

import millrace as tf
from millrace.contrib.legacy_seq2seq import attention, decoders
from millrace.framework import dtypes, nest


def basic_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, dtype=dtypes.float32, scope=None):
  """A cell encodes one list of inputs [batch, depth], another like it decodes the other; returns (outputs, last state).

  `scope` is "basic_rnn_seq2seq" by default.
  """
  with tf.variable_scope(scope or "basic_rnn_seq2seq"):
    _, state = tf.nn.static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
    return decoders.rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, loop_function=None, dtype=dtypes.float32, scope=None):
  """A cell encodes one list of inputs [batch, depth] and decodes the other, with the same variables; returns (outputs, last state).

  `loop_function` is that of rnn_decoder; `scope` is "tied_rnn_seq2seq" by default.
  """
  with tf.variable_scope("combined_tied_rnn_seq2seq"):
    scope = scope or "tied_rnn_seq2seq"
    _, state = tf.nn.static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
    tf.get_variable_scope().reuse_variables()
    return decoders.rnn_decoder(decoder_inputs, state, cell, loop_function=loop_function, scope=scope)


def _with_dtype(scope, dtype):
  """Gives the variables of a scope a type, if there is one; returns the scope's type."""
  if dtype is not None:
    scope.set_dtype(dtype)
  return scope.dtype


def _encoded(cell, encoder_inputs, num_symbols, embedding_size, dtype):
  """(outputs, last state) of a copy of the cell over embedded symbols."""
  encoder = tf.contrib.rnn.EmbeddingWrapper(copy.deepcopy(cell), embedding_classes=num_symbols, embedding_size=embedding_size)
  return tf.nn.static_rnn(encoder, encoder_inputs, dtype=dtype)


def _by_feeding(feed_previous, decode, state_size):
  """decode(feed_previous) of a bool, or of a bool tensor the decoder that it says; both have the same variables."""
  if isinstance(feed_previous, bool):
    return decode(feed_previous)

  def branch(feeds):
    with tf.variable_scope(tf.get_variable_scope(), reuse=None if feeds else True):
      outputs, state = decode(feeds)
    return outputs + nest.flatten(state)

  both = tf.cond(feed_previous, lambda: branch(True), lambda: branch(False))
  count = len(both) - len(nest.flatten(state_size))
  return both[:count], nest.pack_sequence_as(state_size, both[count:])


def embedding_rnn_seq2seq(
  encoder_inputs,
  decoder_inputs,
  cell,
  num_encoder_symbols,
  num_decoder_symbols,
  embedding_size,
  output_projection=None,
  feed_previous=False,
  dtype=None,
  scope=None,
):
  """`basic_rnn_seq2seq` of symbols [batch] that variables embed; returns (outputs [batch, num_decoder_symbols], last state).

  With `output_projection` (weights, biases) outputs are the cell's, and the projection is only for `feed_previous`: a bool, or a scalar
  tensor, that says that all inputs of the decoder but the first are the most probable symbols of the outputs before. `scope` is
  "embedding_rnn_seq2seq" by default.
  """
  with tf.variable_scope(scope or "embedding_rnn_seq2seq") as opened:
    dtype = _with_dtype(opened, dtype)
    _, encoder_state = _encoded(cell, encoder_inputs, num_encoder_symbols, embedding_size, dtype)
    if output_projection is None:
      cell = tf.contrib.rnn.OutputProjectionWrapper(cell, num_decoder_symbols)

    def decode(feeds):
      return decoders.embedding_rnn_decoder(
        decoder_inputs,
        encoder_state,
        cell,
        num_decoder_symbols,
        embedding_size,
        output_projection=output_projection,
        feed_previous=feeds,
        update_embedding_for_previous=isinstance(feed_previous, bool),
      )

    return _by_feeding(feed_previous, decode, cell.state_size)


def embedding_tied_rnn_seq2seq(
  encoder_inputs,
  decoder_inputs,
  cell,
  num_symbols,
  embedding_size,
  num_decoder_symbols=None,
  output_projection=None,
  feed_previous=False,
  dtype=None,
  scope=None,
):
  """`tied_rnn_seq2seq` of symbols [batch] that one variable embeds; outputs are [batch, num_decoder_symbols or num_symbols].

  `output_projection` and `feed_previous` are those of embedding_rnn_seq2seq; `scope` is "embedding_tied_rnn_seq2seq" by default.
  """
  with tf.variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as opened:
    dtype = opened.dtype
    if output_projection is not None:
      decoders.check_projection(output_projection, num_symbols, dtype)
    embedding = tf.get_variable("embedding", [num_symbols, embedding_size], dtype=dtype)
    embedded = [tf.nn.embedding_lookup(embedding, symbols) for symbols in encoder_inputs]
    embedded_outputs = [tf.nn.embedding_lookup(embedding, symbols) for symbols in decoder_inputs]
    if output_projection is None:
      output_symbols = num_symbols if num_decoder_symbols is None else num_decoder_symbols
      cell = tf.contrib.rnn.OutputProjectionWrapper(cell, output_symbols)

    def decode(feeds):
      loop_function = None
      if feeds:
        # Where both decoders are in the graph, gradients are those of given inputs.
        loop_function = decoders.argmax_and_embed(embedding, output_projection, isinstance(feed_previous, bool))
      return tied_rnn_seq2seq(embedded, embedded_outputs, cell, loop_function=loop_function, dtype=dtype)

    return _by_feeding(feed_previous, decode, cell.state_size)


def embedding_attention_seq2seq(
  encoder_inputs,
  decoder_inputs,
  cell,
  num_encoder_symbols,
  num_decoder_symbols,
  embedding_size,
  num_heads=1,
  output_projection=None,
  feed_previous=False,
  dtype=None,
  scope=None,
  initial_state_attention=False,
):
  """`embedding_rnn_seq2seq` whose decoder has attention to the outputs of the encoder: see attention_decoder.

  `scope` is "embedding_attention_seq2seq" by default.
  """
  with tf.variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as opened:
    dtype = opened.dtype
    outputs, encoder_state = _encoded(cell, encoder_inputs, num_encoder_symbols, embedding_size, dtype)
    attention_states = tf.concat([tf.reshape(output, [-1, 1, cell.output_size]) for output in outputs], 1)
    output_size = None
    if output_projection is None:
      cell = tf.contrib.rnn.OutputProjectionWrapper(cell, num_decoder_symbols)
      output_size = num_decoder_symbols

    def decode(feeds):
      return attention.embedding_attention_decoder(
        decoder_inputs,
        encoder_state,
        attention_states,
        cell,
        num_decoder_symbols,
        embedding_size,
        num_heads=num_heads,
        output_size=output_size,
        output_projection=output_projection,
        feed_previous=feeds,
        update_embedding_for_previous=isinstance(feed_previous, bool),
        initial_state_attention=initial_state_attention,
      )

    return _by_feeding(feed_previous, decode, cell.state_size)


def one2many_rnn_seq2seq(
  encoder_inputs,
  decoder_inputs_dict,
  enc_cell,
  dec_cells_dict,
  num_encoder_symbols,
  num_decoder_symbols_dict,
  embedding_size,
  feed_previous=False,
  dtype=None,
  scope=None,
):
  """One encoder and several decoders by name, each with its inputs, cell and number of symbols; returns two maps, outputs and states.

  `feed_previous` is that of embedding_rnn_seq2seq; `scope` is "one2many_rnn_seq2seq" by default. The variables of a decoder are below
  "one2many_decoder_NAME".
  """
  outputs_dict, state_dict = {}, {}
  with tf.variable_scope(scope or "one2many_rnn_seq2seq", dtype=dtype) as opened:
    dtype = opened.dtype
    _, encoder_state = _encoded(enc_cell, encoder_inputs, num_encoder_symbols, embedding_size, dtype)
    for name, decoder_inputs in decoder_inputs_dict.items():
      num_symbols = num_decoder_symbols_dict[name]
      with tf.variable_scope("one2many_decoder_" + str(name)):
        cell = tf.contrib.rnn.OutputProjectionWrapper(dec_cells_dict[name], num_symbols)

        def decode(feeds, decoder_inputs=decoder_inputs, cell=cell, num_symbols=num_symbols):
          return decoders.embedding_rnn_decoder(
            decoder_inputs, encoder_state, cell, num_symbols, embedding_size, feed_previous=feeds
          )

        outputs_dict[name], state_dict[name] = _by_feeding(feed_previous, decode, cell.state_size)
  return outputs_dict, state_dict
