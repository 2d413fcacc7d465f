"""tf.contrib.seq2seq: beam search, by a search in Python and by trying all sequences."""

import itertools

import numpy as np
import pytest

import millrace as tf

seq2seq = tf.contrib.seq2seq
BATCH, WORDS, DEPTH, UNITS, END = 2, 5, 3, 4, 1


def random(*shape, seed=0):
  return np.random.RandomState(sum(shape) + seed).randn(*shape).astype(np.float32)


def close(made, wanted, rtol=1e-4):
  np.testing.assert_allclose(made, wanted, rtol=rtol, atol=1e-5)


def give_values(session, seed=5):
  source = np.random.RandomState(seed)
  for v in tf.global_variables():
    session.run(tf.assign(v, source.randn(*v.shape.as_list())))
  return {v.op.name: session.run(v).astype(np.float64) for v in tf.global_variables()}


def log_softmax(x):
  x = x - x.max(-1, keepdims=True)
  return x - np.log(np.exp(x).sum(-1, keepdims=True))


def penalty(length, weight):
  return ((5 + length) / 6) ** weight


def search(step, state, width, steps, start, length_weight=0.0, coverage_weight=0.0):
  """The beams of one sequence, the best first, and the attention of each place of each step.

  A beam is (score, ids, log probability, state, sum of attention, length, finished, its places after each step).
  """
  beams = [(0.0, [], 0.0, state, 0.0, 0, False, [])]
  attention_of_places = []
  for _ in range(steps):
    found = []
    attention_of_places.append([])
    for _, ids, log_prob, state, coverage, length, finished, places in beams:
      logits, after, attention = step(ids[-1] if ids else start, state)
      attention_of_places[-1].append(attention)
      probs = log_softmax(logits)
      total = coverage if finished else coverage + attention
      for word in range(WORDS):
        if finished and word != END:
          continue
        new = log_prob if finished else log_prob + probs[word]
        for_score = length if finished or word == END else length + 1
        score = new / penalty(for_score, length_weight)
        if finished and coverage_weight:
          score += coverage_weight * np.log(np.minimum(total[total > 0], 1.0)).sum()
        new_length = length if finished else length + 1
        found.append((score, [*ids, word], new, after, total, new_length, finished or word == END, places))
    # Also when all are finished, since their scores change once more: the end counts for the length after it only.
    beams = sorted(found, key=lambda beam: -beam[0])[:width]
    beams = [(*beam[:-1], [*beam[-1], place]) for place, beam in enumerate(beams)]
  return beams, attention_of_places


def ids_of(beams):
  """The ids of beams with the end token behind their ends, [time, beam]."""
  columns = []
  for _, ids, *_ in beams:
    ended = ids.index(END) if END in ids else len(ids)
    columns.append(ids[:ended] + [END] * (len(ids) - ended))
  return np.array(columns).T


def rnn(values, x, h, name):
  return np.tanh(np.concatenate([x, h]) @ values[name + "/kernel"] + values[name + "/bias"])


@pytest.mark.parametrize("width,length_weight", [(1, 0.0), (3, 0.0), (3, 1.0)])
@pytest.mark.parametrize("time_major", [False, True])
def test_beam_search(width, length_weight, time_major):
  table = random(WORDS, DEPTH)
  cell = tf.nn.rnn_cell.BasicRNNCell(UNITS)
  start = random(BATCH, UNITS)
  decoder = seq2seq.BeamSearchDecoder(
    cell,
    (lambda ids: tf.gather(tf.constant(table), ids)) if width == 1 else tf.constant(table),
    start_tokens=[0, 2],
    end_token=END,
    initial_state=seq2seq.tile_batch(tf.constant(start), width),
    beam_width=width,
    output_layer=tf.layers.Dense(WORDS, name="out"),
    length_penalty_weight=length_weight,
  )
  assert decoder.tracks_own_finished and decoder.output_size.scores.as_list() == [width]
  assert decoder.output_dtype == (tf.float32, tf.int32, tf.int32)
  outputs, state, lengths = seq2seq.dynamic_decode(decoder, output_time_major=time_major, maximum_iterations=6)
  assert isinstance(outputs, seq2seq.FinalBeamSearchDecoderOutput) and isinstance(state, seq2seq.BeamSearchDecoderState)
  assert isinstance(outputs.beam_search_decoder_output, seq2seq.BeamSearchDecoderOutput)
  ended_early = 0
  with tf.Session() as session:
    assert session.run(decoder.batch_size) == BATCH
    for seed in range(5):
      values = give_values(session, seed)

      def step(word, h):
        h = rnn(values, table[word], h, "decoder/basic_rnn_cell")
        return h @ values["decoder/out/kernel"] + values["decoder/out/bias"], h, 0.0

      ids, scores, last, made_lengths, states, finished, of_loop = session.run(
        [
          outputs.predicted_ids,
          outputs.beam_search_decoder_output.scores,
          state.log_probs,
          state.lengths,
          state.cell_state,
          state.finished,
          lengths,
        ]
      )
      if not time_major:
        ids, scores = ids.transpose(1, 0, 2), scores.transpose(1, 0, 2)
      for b in range(BATCH):
        beams, _ = search(step, start[b], width, len(ids), [0, 2][b], length_weight)
        wanted = ids_of(beams)
        time = wanted.shape[0]
        assert ids[:time, b].tolist() == wanted.tolist() and (ids[time:, b] == END).all()
        close(last[b], [beam[2] for beam in beams])
        close(scores[-1, b], [beam[0] for beam in beams])
        assert made_lengths[b].tolist() == [beam[5] for beam in beams]
        assert finished[b].tolist() == [beam[6] for beam in beams]
        ended_early += sum(beam[6] for beam in beams)
        if time == ids.shape[0] and not any(beam[6] for beam in beams):
          close(states[b], [beam[3] for beam in beams])
      assert of_loop.shape == (BATCH, width)
  assert ended_early


def test_a_wide_search_finds_the_best_of_all():
  table = random(WORDS, DEPTH)
  cell = tf.nn.rnn_cell.BasicRNNCell(WORDS)
  width = WORDS**2
  start = random(1, WORDS)
  decoder = seq2seq.BeamSearchDecoder(
    cell, tf.constant(table), [0], END, seq2seq.tile_batch(tf.constant(start), width), width, reorder_tensor_arrays=False
  )
  outputs, state, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=3)
  with tf.Session() as session:
    values = give_values(session)
    ids, log_probs = session.run([outputs.predicted_ids[0], state.log_probs[0]])
  best = {}
  for sequence in itertools.product(range(WORDS), repeat=3):
    ended = sequence.index(END) if END in sequence else 3
    kept = sequence[: ended + 1]
    h, word, total = start[0], 0, 0.0
    for symbol in kept:
      h = rnn(values, table[word], h, "decoder/basic_rnn_cell")
      total += log_softmax(h)[symbol]
      word = symbol
    best[kept] = total
  wanted = sorted(best.items(), key=lambda item: -item[1])[:width]
  close(log_probs, [value for _, value in wanted])
  assert [tuple(c) for c in ids.T[:5]] == [tuple(s) + (END,) * (3 - len(s)) for s, _ in wanted[:5]]


@pytest.mark.parametrize("coverage_weight", [0.0, 0.7])
def test_beam_search_with_attention(coverage_weight):
  width, memory_time = 3, 4
  table, memory = random(WORDS, DEPTH), random(BATCH, memory_time, 2)
  lengths = np.array([4, 2])
  mechanism = seq2seq.LuongAttention(
    UNITS, seq2seq.tile_batch(tf.constant(memory), width), memory_sequence_length=seq2seq.tile_batch(lengths, multiplier=width)
  )
  wrapped = seq2seq.AttentionWrapper(
    tf.nn.rnn_cell.BasicRNNCell(UNITS), mechanism, attention_layer_size=UNITS, alignment_history=True
  )
  start = random(BATCH, UNITS)
  state = wrapped.zero_state(BATCH * width, tf.float32).clone(cell_state=seq2seq.tile_batch(tf.constant(start), width))
  decoder = seq2seq.BeamSearchDecoder(
    wrapped,
    tf.constant(table),
    start_tokens=tf.fill([BATCH], 0),
    end_token=END,
    initial_state=state,
    beam_width=width,
    output_layer=tf.layers.Dense(WORDS, name="out"),
    coverage_penalty_weight=coverage_weight,
  )
  outputs, final, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=5)
  history = final.cell_state.alignment_history
  assert isinstance(history, tf.Tensor)  # in the order of the final beams
  with tf.Session() as session:
    for seed in range(4):
      values = give_values(session, seed)
      made, scores, log_probs, alignments = session.run(
        [outputs.predicted_ids, outputs.beam_search_decoder_output.scores, final.log_probs, history]
      )
      for b in range(BATCH):
        own = memory[b] * (np.arange(memory_time) < lengths[b])[:, None]
        keys = own @ values["memory_layer/kernel"]

        def step(word, state):
          h, attention = state
          x = np.concatenate([table[word], attention])
          h = rnn(values, x, h, "decoder/attention_wrapper/basic_rnn_cell")
          score = np.where(np.arange(memory_time) < lengths[b], keys @ h, -np.inf)
          weights = np.exp(log_softmax(score))
          attention = np.concatenate([h, weights @ own]) @ values["decoder/attention_wrapper/attention_layer/kernel"]
          logits = attention @ values["decoder/out/kernel"] + values["decoder/out/bias"]
          return logits, (h, attention), weights

        beams, attention = search(step, (start[b], np.zeros(UNITS)), width, made.shape[1], 0, coverage_weight=coverage_weight)
        wanted = ids_of(beams)
        time = wanted.shape[0]
        assert made[b, :time].tolist() == wanted.tolist()
        close(log_probs[b], [beam[2] for beam in beams])
        close(scores[b, -1], [beam[0] for beam in beams])
        # As TensorFlow, in the order of the beams' places after each step.
        for w, beam in enumerate(beams):
          for t in range(beam[5]):
            place = beam[7][t] if t else 0
            close(alignments[t].reshape(BATCH, width, memory_time)[b, w], attention[t][place])


def test_coverage_needs_attention():
  cell = tf.nn.rnn_cell.BasicRNNCell(WORDS)
  decoder = seq2seq.BeamSearchDecoder(
    cell, tf.zeros([WORDS, DEPTH]), [0], END, tf.zeros([2, WORDS]), 2, coverage_penalty_weight=0.5
  )
  with pytest.raises(ValueError, match="no cell is attentional"):
    decoder.initialize()


def test_coverage_of_several_mechanisms_is_the_mean():
  from millrace.contrib.seq2seq import beam_scores

  one, two = tf.constant(random(1, 2, 3)), tf.constant(random(1, 2, 3, seed=1))
  state = seq2seq.AttentionWrapperState(tf.zeros([1]), one, tf.constant(0), (one, two), ((), ()), (one, two))
  with tf.Session() as session:
    close(*session.run([beam_scores.attention_probs((tf.zeros([1]), state), 0.5), (one + two) / 2]))
  assert beam_scores.attention_probs(state, 0.0) is None


def test_scores():
  from millrace.contrib.seq2seq import beam_scores

  lengths = np.array([[3, 9]])
  with tf.Session() as session:
    close(session.run(beam_scores.length_penalty(tf.constant(lengths), 0.5)), penalty(lengths, 0.5))
    assert beam_scores.length_penalty(lengths, 0.0) == 1.0
    fed = tf.placeholder(tf.float32, [])
    close(session.run(beam_scores.length_penalty(tf.constant(lengths), fed), {fed: 2.0}), penalty(lengths, 2.0))
    attention = np.array([[[0.5, 2.0], [0.25, 0.25]]], np.float32)
    made = beam_scores.get_scores(
      tf.constant(np.full([1, 2, 2], -6.0, np.float32)),
      tf.constant(np.array([[[3, 3], [9, 9]]])),
      length_penalty_weight=1.0,
      coverage_penalty_weight=2.0,
      finished=tf.constant([[True, False]]),
      accumulated_attention_probs=tf.constant(attention),
    )
    wanted = np.array([[[-6 / penalty(3, 1)] * 2, [-6 / penalty(9, 1)] * 2]])
    wanted[0, 0] += 2 * np.log(0.5)
    close(session.run(made), wanted)
  with pytest.raises(ValueError, match="should be a scalar"):
    beam_scores.get_scores(tf.zeros([1, 1, 1]), lengths, 0.0, [0.5], None, None)


class SumCell(tf.nn.rnn_cell.RNNCell):
  """A cell without variables, of the type of its inputs."""

  @property
  def state_size(self):
    return DEPTH

  @property
  def output_size(self):
    return WORDS

  def __call__(self, inputs, state, scope=None):
    state = tf.tanh(inputs + state)
    return tf.matmul(state, tf.constant(random(DEPTH, WORDS), state.dtype)), state


def test_beams_of_other_types():
  """The penalty of the length takes the type of the logits."""
  made = []
  for dtype in (tf.float32, tf.float64, tf.float16):
    decoder = seq2seq.BeamSearchDecoder(
      SumCell(),
      tf.constant(random(WORDS, DEPTH), dtype),
      start_tokens=[0, 2],
      end_token=END,
      initial_state=seq2seq.tile_batch(tf.constant(random(BATCH, DEPTH), dtype), 3),
      beam_width=3,
      length_penalty_weight=1.0,
    )
    outputs, _, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=4)
    made.append((outputs.predicted_ids, outputs.beam_search_decoder_output.scores))
  with tf.Session() as session:
    (ids, scores), (wide_ids, wide_scores), (_, half_scores) = session.run(made)
  assert (scores.dtype, wide_scores.dtype, half_scores.dtype) == (np.float32, np.float64, np.float16)
  assert ids.tolist() == wide_ids.tolist()
  close(wide_scores, scores)
  np.testing.assert_allclose(half_scores[:, 0], scores[:, 0], rtol=0.02, atol=0.02)


def tree_formula(step_ids, parent_ids, lengths, end):
  beams = np.full_like(step_ids, end)
  for b in range(step_ids.shape[1]):
    for w in range(step_ids.shape[2]):
      length = min(len(step_ids), lengths[b])
      beam = w
      for t in range(length - 1, -1, -1):
        beams[t, b, w] = step_ids[t, b, beam]
        beam = parent_ids[t, b, beam]
      ended = np.flatnonzero(beams[:, b, w] == end)
      if len(ended):
        beams[ended[0] :, b, w] = end
  return beams


@pytest.mark.parametrize("known", [False, True])
def test_tree(known):
  source = np.random.RandomState(0)
  step_ids = source.randint(0, 6, [5, 3, 4]).astype(np.int32)
  parent_ids = source.randint(0, 4, [5, 3, 4]).astype(np.int32)
  lengths = np.array([5, 3, 0], np.int32)
  shape = [5, 3, 4] if known else None
  ids, parents = tf.placeholder(tf.int32, shape), tf.placeholder(tf.int32, shape)
  made = seq2seq.gather_tree(ids, parents, max_sequence_lengths=lengths, end_token=2, name="tree")
  with tf.Session() as session:
    feed = {ids: step_ids, parents: parent_ids}
    assert session.run(made, feed).tolist() == tree_formula(step_ids, parent_ids, lengths, 2).tolist()
    feed[parents] = np.full_like(parent_ids, 4)
    with pytest.raises(tf.errors.InvalidArgumentError):
      session.run(made, feed)


@pytest.mark.parametrize("merged", [False, True])
def test_tree_of_arrays(merged):
  from millrace.contrib.seq2seq import beam_tree

  array = random(4, 2, 3, 5)
  parent_ids = np.random.RandomState(3).randint(0, 3, [4, 2, 3]).astype(np.int32)
  lengths = np.array([[4, 2, 3], [1, 4, 4]])
  given = array.reshape(4, 6, 5) if merged else array
  made = beam_tree.gather_tree_from_array(tf.constant(given), tf.constant(parent_ids), tf.constant(lengths))
  wanted = array.copy()
  for b in range(2):
    longest = lengths[b].max()
    for w in range(3):
      beam = w
      for t in range(longest - 1, -1, -1):
        if t < lengths[b, w]:
          wanted[t, b, w] = array[t, b, beam]
        beam = parent_ids[t, b, beam]
  with tf.Session() as session:
    assert session.run(made).shape == given.shape
    close(session.run(made).reshape(array.shape), wanted)


def test_arrays_that_are_not_of_beams_stay():
  class Counting(tf.nn.rnn_cell.BasicRNNCell):
    """A cell whose state has arrays beside it."""

    @property
    def state_size(self):
      return (UNITS, (), ())

    def __call__(self, inputs, state, scope=None):
      h, scalars, rows = state
      output, h = super().__call__(inputs, h, scope)
      return output, (h, scalars.write(scalars.size(), 1.0), rows.write(rows.size(), tf.zeros([7])))

  state = (
    tf.zeros([4, UNITS]),
    tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[]),
    tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[7]),
  )
  decoder = seq2seq.BeamSearchDecoder(Counting(UNITS), tf.zeros([UNITS, DEPTH]), tf.constant([0, 0]), END, state, 2)
  _, final, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=3)
  assert [isinstance(part, tf.TensorArray) for part in final.cell_state] == [False, True, True]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    assert session.run(final.cell_state[1].size()) == 3


def test_tiling():
  t = random(2, 3)
  fed = tf.placeholder(tf.float32, [None, 3])
  made = seq2seq.tile_batch((tf.constant(t), {"x": fed}), multiplier=2, name="tile")
  assert made[0].shape.as_list() == [4, 3] and made[1]["x"].shape.as_list() == [None, 3]
  with tf.Session() as session:
    one, other = session.run([made[0], made[1]["x"]], {fed: t})
  assert one.tolist() == np.repeat(t, 2, axis=0).tolist() == other.tolist()


def test_forms_of_outputs():
  assert seq2seq.BasicDecoderOutput(1, sample_id=2) == (1, 2) and seq2seq.BasicDecoderOutput(3, 4).rnn_output == 3
  output = seq2seq.BeamSearchDecoderOutput(scores=1, predicted_ids=2, parent_ids=3)
  assert output == (1, 2, 3) and output._replace(scores=5).scores == 5
  final = seq2seq.FinalBeamSearchDecoderOutput(predicted_ids=1, beam_search_decoder_output=output)
  assert final == (1, output)
  state = seq2seq.BeamSearchDecoderState(cell_state=1, log_probs=2, finished=3, lengths=4, accumulated_attention_probs=())
  assert state == (1, 2, 3, 4, ())
