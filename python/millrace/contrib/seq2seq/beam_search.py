"""The decoder that keeps the best beams of each sequence."""

import collections

import numpy as np

import millrace as tf
from millrace.contrib.seq2seq import beam_scores, beam_tree, decoding
from millrace.contrib.seq2seq.basic_decoder import check_output_layer
from millrace.contrib.seq2seq.beam_shapes import BeamShapes
from millrace.contrib.seq2seq.next_inputs import embedding_function
from millrace.framework import convert, dtypes, nest, tensor_shape
from millrace.ops.control_flow.tensor_array import TensorArray
from millrace.ops.rnn.cell import assert_like_rnncell


class BeamSearchDecoderState(
  collections.namedtuple(
    "BeamSearchDecoderState", ("cell_state", "log_probs", "finished", "lengths", "accumulated_attention_probs")
  )
):
  """The state of a search, all [batch, beam, ...]: the cell's, log probabilities of the beams, which are finished, their lengths, and
  the sum of attention (or an empty tuple)."""

  __slots__ = ()


class BeamSearchDecoderOutput(collections.namedtuple("BeamSearchDecoderOutput", ("scores", "predicted_ids", "parent_ids"))):
  """What a step gives, [batch, beam]: scores, ids and the beams that they continue."""

  __slots__ = ()


class FinalBeamSearchDecoderOutput(
  collections.namedtuple("FinalBeamSearchDecoderOutput", ("predicted_ids", "beam_search_decoder_output"))
):
  """What the search ends with: ids along each beam, [batch, time, beam], the best beam first, and the outputs of all steps."""

  __slots__ = ()


class BeamSearchDecoder(decoding.Decoder):
  """Decodes with the `beam_width` best beams of each sequence, by the sum of log probabilities of the outputs as logits.

  `embedding` is a function of ids or the parameters of embedding_lookup, `start_tokens` an int32 vector [batch], `end_token` an int32
  scalar. `initial_state` and the memory of attention have each sequence `beam_width` times: use tile_batch. `output_layer`, a
  tf.layers.Layer, is applied to the cell's outputs. Scores are divided by ((5 + length) / 6) ** `length_penalty_weight`;
  `coverage_penalty_weight` counts how much of the memory got attention, and needs a cell with attention. With `reorder_tensor_arrays`
  arrays in the final state (histories of attention) become tensors along the final beams.

  Raises TypeError for a cell or layer that is none, ValueError for tokens that are no vector and no scalar.
  """

  def __init__(
    self,
    cell,
    embedding,
    start_tokens,
    end_token,
    initial_state,
    beam_width,
    output_layer=None,
    length_penalty_weight=0.0,
    coverage_penalty_weight=0.0,
    reorder_tensor_arrays=True,
  ):
    assert_like_rnncell("cell", cell)
    check_output_layer(output_layer)
    self._cell = cell
    self._output_layer = output_layer
    self._reorder_tensor_arrays = reorder_tensor_arrays
    self._embedding_fn = embedding_function(embedding)
    self._start_tokens = convert.convert_to_tensor(start_tokens, dtype=dtypes.int32, name="start_tokens")
    if self._start_tokens.get_shape().ndims != 1:
      raise ValueError("start_tokens must be a vector")
    self._end_token = convert.convert_to_tensor(end_token, dtype=dtypes.int32, name="end_token")
    if self._end_token.get_shape().ndims != 0:
      raise ValueError("end_token must be a scalar")
    self._batch_size = tf.size(self._start_tokens)
    self._beam_width = beam_width
    self._length_penalty_weight = length_penalty_weight
    self._coverage_penalty_weight = coverage_penalty_weight
    self._shapes = BeamShapes(self._batch_size, beam_width)
    self._initial_cell_state = self._shapes.split_state(initial_state)
    self._start_inputs = self._embedding_fn(tf.tile(tf.expand_dims(self._start_tokens, 1), [1, beam_width]))

  @property
  def batch_size(self):
    return self._batch_size

  @property
  def tracks_own_finished(self):
    """True: beams change places."""
    return True

  @property
  def output_size(self):
    beams = tensor_shape.TensorShape([self._beam_width])
    return BeamSearchDecoderOutput(scores=beams, predicted_ids=beams, parent_ids=beams)

  def _dtype(self):
    return nest.flatten(self._initial_cell_state)[0].dtype

  @property
  def output_dtype(self):
    return BeamSearchDecoderOutput(scores=self._dtype(), predicted_ids=dtypes.int32, parent_ids=dtypes.int32)

  def _one_beam(self, on_value, off_value, dtype):
    """[batch, beam] with `on_value` for the first beam: all begin alike, so only one of them counts at first."""
    return tf.one_hot(
      tf.zeros([self._batch_size], dtype=dtypes.int32),
      depth=self._beam_width,
      on_value=on_value,
      off_value=off_value,
      dtype=dtype,
    )

  def initialize(self, name=None):
    """Returns (finished, inputs, BeamSearchDecoderState): all beams but the first of each sequence are finished."""
    with tf.name_scope(name, "BeamSearchDecoderInitialize"):
      finished = self._one_beam(False, True, dtypes.bool)
      dtype = self._dtype()
      log_probs = self._one_beam(
        convert.convert_to_tensor(0.0, dtype=dtype), convert.convert_to_tensor(-np.inf, dtype=dtype), dtype
      )
      attention = beam_scores.attention_probs(self._initial_cell_state, self._coverage_penalty_weight)
      state = BeamSearchDecoderState(
        cell_state=self._initial_cell_state,
        log_probs=log_probs,
        finished=finished,
        lengths=tf.zeros([self._batch_size, self._beam_width], dtype=dtypes.int64),
        accumulated_attention_probs=() if attention is None else attention,
      )
    return finished, self._start_inputs, state

  def step(self, time, inputs, state, name=None):
    """Returns (BeamSearchDecoderOutput, next state, next inputs, finished)."""
    with tf.name_scope(name, "BeamSearchDecoderStep", [time]):
      inputs = nest.map_structure(self._shapes.merged, inputs)
      outputs, cell_state = self._cell(inputs, self._shapes.merged_state(state.cell_state))
      outputs = nest.map_structure(self._shapes.split, outputs)
      cell_state = self._shapes.split_state(cell_state)
      if self._output_layer is not None:
        outputs = self._output_layer(outputs)
      output, next_state = self._search(outputs, cell_state, state)
      next_inputs = tf.cond(
        tf.reduce_all(next_state.finished),
        lambda: self._start_inputs,
        lambda: self._embedding_fn(output.predicted_ids),
      )
    return output, next_state, next_inputs, next_state.finished

  def _search(self, logits, cell_state, state):
    """Chooses the best continuations of all beams of a sequence; returns (output, next state)."""
    words = tf.shape(logits)[2] if logits.shape.dims[2].value is None else logits.shape.dims[2].value
    step_probs = beam_scores.only_end_of_finished(tf.nn.log_softmax(logits), self._end_token, state.finished)
    total_probs = tf.expand_dims(state.log_probs, 2) + step_probs
    unfinished = tf.logical_not(state.finished)
    # A word makes a beam longer, but for the end token and what finished beams have.
    grows = tf.one_hot(
      tf.fill([self._batch_size, self._beam_width], self._end_token),
      depth=words,
      on_value=np.int64(0),
      off_value=np.int64(1),
      dtype=dtypes.int64,
    )
    new_lengths = tf.expand_dims(state.lengths, 2) + grows * tf.expand_dims(tf.cast(unfinished, dtypes.int64), 2)
    attention = beam_scores.attention_probs(cell_state, self._coverage_penalty_weight)
    if attention is not None:
      attention = attention * tf.expand_dims(tf.cast(unfinished, attention.dtype), 2)
      attention = state.accumulated_attention_probs + attention
    scores = beam_scores.get_scores(
      log_probs=total_probs,
      sequence_lengths=new_lengths,
      length_penalty_weight=self._length_penalty_weight,
      coverage_penalty_weight=self._coverage_penalty_weight,
      finished=state.finished,
      accumulated_attention_probs=attention,
    )
    flat_scores = tf.reshape(scores, tf.stack([self._batch_size, -1]))
    best_scores, chosen = tf.nn.top_k(flat_scores, k=self._beam_width)
    best_scores.set_shape([self._shapes.known_batch_size, self._beam_width])
    chosen.set_shape([self._shapes.known_batch_size, self._beam_width])
    word_ids = tf.floormod(chosen, words, name="next_beam_word_ids")
    parents = tf.floordiv(chosen, words, name="next_beam_parent_ids")
    flat_probs = tf.reshape(total_probs, tf.stack([self._batch_size, -1]))
    parent_finished = self._shapes.gathered(state.finished, parents)
    lengths = self._shapes.gathered(state.lengths, parents)
    next_state = BeamSearchDecoderState(
      cell_state=self._shapes.gathered_state(cell_state, parents),
      log_probs=self._shapes.gathered(flat_probs, chosen),
      finished=tf.logical_or(parent_finished, tf.equal(word_ids, self._end_token), name="next_beam_finished"),
      lengths=lengths + tf.cast(tf.logical_not(parent_finished), dtypes.int64),
      accumulated_attention_probs=() if attention is None else self._shapes.gathered(attention, parents),
    )
    return BeamSearchDecoderOutput(scores=best_scores, predicted_ids=word_ids, parent_ids=parents), next_state

  def finalize(self, outputs, final_state, sequence_lengths):
    """Returns (FinalBeamSearchDecoderOutput, final state), the ids along the final beams."""
    longest = tf.cast(tf.reduce_max(final_state.lengths, axis=1), dtypes.int32)
    predicted_ids = beam_tree.gather_tree(
      outputs.predicted_ids, outputs.parent_ids, max_sequence_lengths=longest, end_token=self._end_token
    )
    if self._reorder_tensor_arrays:
      reordered = nest.map_structure(
        lambda t: self._along_beams(t, outputs.parent_ids, final_state.lengths), final_state.cell_state
      )
      final_state = final_state._replace(cell_state=reordered)
    return FinalBeamSearchDecoderOutput(predicted_ids, outputs), final_state

  def _along_beams(self, t, parent_ids, sequence_length):
    """A TensorArray as a tensor along the final beams, if its elements are of batch and beams; else `t`."""
    if not isinstance(t, TensorArray):
      return t
    shape = t.element_shape
    if not t._infer_shape or shape.ndims is None or shape.ndims < 1:
      tf.logging.warning(
        "The TensorArray %s in the cell state is not amenable to sorting based on the beam search result. For a TensorArray to be "
        "sorted, its elements shape must be defined and have at least a rank of 1, but saw shape: %s",
        t.handle.name,
        shape,
      )
      return t
    if not self._shapes.could_be_array(shape):
      return t
    return beam_tree.gather_tree_from_array(t.stack(), parent_ids, sequence_length)
