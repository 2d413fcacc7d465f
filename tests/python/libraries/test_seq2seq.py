"""tf.contrib.seq2seq: helpers, decoders and losses by their formulas in numpy."""

import numpy as np
import pytest

import millrace as tf

seq2seq = tf.contrib.seq2seq
BATCH, TIME, DEPTH, UNITS = 3, 4, 2, 5
LENGTHS = np.array([4, 2, 3], np.int32)


def random(*shape, seed=0):
  return np.random.RandomState(sum(shape) + seed).randn(*shape).astype(np.float32)


def close(made, wanted, rtol=1e-4):
  np.testing.assert_allclose(made, wanted, rtol=rtol, atol=1e-5)


def give_values(session, seed=5):
  source = np.random.RandomState(seed)
  for v in tf.global_variables():
    session.run(tf.assign(v, source.randn(*v.shape.as_list())))
  return {v.op.name: session.run(v).astype(np.float64) for v in tf.global_variables()}


def rnn(values, x, h, name="decoder/basic_rnn_cell"):
  return np.tanh(np.concatenate([x, h], 1) @ values[name + "/kernel"] + values[name + "/bias"])


@pytest.mark.parametrize("time_major", [False, True])
def test_training(time_major):
  inputs = random(BATCH, TIME, DEPTH)
  given = tf.constant(inputs.transpose(1, 0, 2) if time_major else inputs)
  helper = seq2seq.TrainingHelper(given, LENGTHS, time_major=time_major, name="training")
  assert helper.inputs is given and helper.sample_ids_shape.as_list() == [] and helper.sample_ids_dtype == tf.int32
  cell = tf.nn.rnn_cell.BasicRNNCell(UNITS)
  layer = tf.layers.Dense(6, use_bias=False, name="out")
  decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(BATCH, tf.float32), output_layer=layer)
  assert decoder.output_size == (tf.TensorShape([6]), tf.TensorShape([])) and decoder.output_dtype == (tf.float32, tf.int32)
  outputs, state, lengths = seq2seq.dynamic_decode(
    decoder,
    output_time_major=time_major,
    impute_finished=True,
    maximum_iterations=None,
    parallel_iterations=2,
    swap_memory=True,
    scope="decoder",
  )
  assert isinstance(outputs, seq2seq.BasicDecoderOutput)
  assert outputs.rnn_output.shape.as_list() == ([None, BATCH, 6] if time_major else [BATCH, None, 6])
  with tf.Session() as session:
    values = give_values(session)
    made, ids, last, ended, size = session.run([*outputs, state, lengths, helper.batch_size])
    assert session.run(helper.sequence_length).tolist() == LENGTHS.tolist() and size == BATCH
  if time_major:
    made, ids = made.transpose(1, 0, 2), ids.T
  assert ended.tolist() == LENGTHS.tolist()
  h = np.zeros([BATCH, UNITS])
  for t in range(TIME):
    running = t < LENGTHS
    new = rnn(values, inputs[:, t], h)
    h = np.where(running[:, None], new, h)
    wanted = np.where(running[:, None], new @ values["decoder/out/kernel"], 0)
    close(made[:, t], wanted)
    assert (ids[:, t] == np.where(running, wanted.argmax(1), 0)).all()
  close(last, h)


def test_training_of_structures_and_at_most_so_many_steps():
  helper = seq2seq.TrainingHelper((tf.constant(random(BATCH, TIME, DEPTH)), tf.constant(random(BATCH, TIME, 1))), LENGTHS)
  finished, first = helper.initialize()
  cell = tf.nn.rnn_cell.BasicRNNCell(UNITS)
  wrapped = _Joining(cell)
  decoder = seq2seq.BasicDecoder(wrapped, helper, cell.zero_state(BATCH, tf.float32))
  outputs, _, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=2)
  none, _, none_lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=0, scope=tf.get_variable_scope())
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    assert not session.run(finished).any() and [f.shape for f in session.run(first)] == [(BATCH, DEPTH), (BATCH, 1)]
    made, ended = session.run([outputs.rnn_output, lengths])
    # The same inputs are read only once a step.
    empty, zeros = session.run([none.rnn_output, none_lengths])
  assert made.shape == (BATCH, 2, UNITS) and ended.tolist() == [2, 2, 2]
  assert empty.shape == (BATCH, 0, UNITS) and zeros.tolist() == [0, 0, 0]


class _Joining(tf.nn.rnn_cell.RNNCell):
  """A cell of two inputs."""

  def __init__(self, cell):
    super().__init__()
    self._cell = cell
    self.state_size = self.output_size = cell.output_size

  state_size = output_size = None

  def __call__(self, inputs, state, scope=None):
    return self._cell(tf.concat(inputs, -1), state)


def test_arguments_are_checked():
  inputs = tf.constant(random(BATCH, TIME, DEPTH))
  cell = tf.nn.rnn_cell.BasicRNNCell(UNITS)
  helper = seq2seq.TrainingHelper(inputs, LENGTHS)
  zero = cell.zero_state(BATCH, tf.float32)
  table = tf.zeros([4, DEPTH])
  decoder = seq2seq.BasicDecoder(cell, helper, zero)
  for error, words, call in (
    (ValueError, "to be a vector", lambda: seq2seq.TrainingHelper(inputs, 3)),
    (TypeError, "is not an RNNCell", lambda: seq2seq.BasicDecoder(3, helper, zero)),
    (TypeError, "helper must be a Helper", lambda: seq2seq.BasicDecoder(cell, 3, zero)),
    (TypeError, "output_layer must be a Layer", lambda: seq2seq.BasicDecoder(cell, helper, zero, 3)),
    (TypeError, "Expected decoder to be type Decoder", lambda: seq2seq.dynamic_decode(3)),
    (ValueError, "must be a scalar", lambda: seq2seq.dynamic_decode(decoder, maximum_iterations=[1])),
    (ValueError, "start_tokens must be a vector", lambda: seq2seq.GreedyEmbeddingHelper(table, 1, 0)),
    (ValueError, "end_token must be a scalar", lambda: seq2seq.GreedyEmbeddingHelper(table, [1], [0])),
    (TypeError, "single Tensor", lambda: seq2seq.GreedyEmbeddingHelper(table, [1], 0).sample(0, (inputs,), None)),
    (TypeError, "single Tensor", lambda: seq2seq.SampleEmbeddingHelper(table, [1], 0).sample(0, (inputs,), None)),
    (ValueError, "either a scalar or a vector", lambda: seq2seq.ScheduledOutputTrainingHelper(inputs, LENGTHS, [[0.5]])),
    (ValueError, "before initialize", lambda: seq2seq.CustomHelper(None, None, None).batch_size),
    (ValueError, "start_tokens must be a vector", lambda: seq2seq.BeamSearchDecoder(cell, table, 1, 0, zero, 1)),
    (ValueError, "end_token must be a scalar", lambda: seq2seq.BeamSearchDecoder(cell, table, [1], [0], zero, 1)),
    (TypeError, "output_layer must be a Layer", lambda: seq2seq.BeamSearchDecoder(cell, table, [1], 0, zero, 1, output_layer=3)),
    (ValueError, "perhaps you forgot to", lambda: seq2seq.BeamSearchDecoder(cell, table, [1, 1], 0, zero, 2)),
    (ValueError, "statically known rank", lambda: seq2seq.tile_batch(tf.constant(1.0), 2)),
  ):
    with pytest.raises(error, match="(?i)" + words):
      call()
  for name in ("batch_size", "sample_ids_shape", "sample_ids_dtype"):
    with pytest.raises(NotImplementedError):
      getattr(seq2seq.Helper(), name)
  for call in (
    lambda h: h.initialize(),
    lambda h: h.sample(0, inputs, zero),
    lambda h: h.next_inputs(0, inputs, zero, LENGTHS),
  ):
    with pytest.raises(NotImplementedError):
      call(seq2seq.Helper())
  base = seq2seq.Decoder()
  for name in ("batch_size", "output_size", "output_dtype"):
    with pytest.raises(NotImplementedError):
      getattr(base, name)
  for call in (base.initialize, lambda: base.step(0, 0, 0), lambda: base.finalize(0, 0, 0)):
    with pytest.raises(NotImplementedError):
      call()
  assert base.tracks_own_finished is False


def greedy_formula(values, table, start, end, steps, cell_name="decoder/basic_rnn_cell", width=None):
  """(ids, outputs, lengths): each sequence goes on until it has said `end`."""
  h = np.zeros([len(start), UNITS])
  ids, outputs, lengths = [], [], np.zeros(len(start), int)
  symbols, finished = np.array(start), np.zeros(len(start), bool)
  for t in range(steps):
    h = rnn(values, table[symbols], h, cell_name)
    outputs.append(h)
    symbols = h.argmax(1)
    ids.append(symbols)
    lengths[~finished] = t + 1
    finished = finished | (symbols == end)
    if finished.all():
      break
  return np.stack(ids, 1), np.stack(outputs, 1), lengths


@pytest.mark.parametrize("function", [False, True])
def test_greedy(function):
  table = random(UNITS, DEPTH) * 2
  embedding = (lambda ids: tf.gather(tf.constant(table), ids)) if function else tf.constant(table)
  helper = seq2seq.GreedyEmbeddingHelper(embedding, start_tokens=[0, 1, 2], end_token=3)
  assert helper.sample_ids_shape.as_list() == [] and helper.sample_ids_dtype == tf.int32
  cell = tf.nn.rnn_cell.BasicRNNCell(UNITS)
  decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(BATCH, tf.float32))
  outputs, _, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=tf.constant(9))
  with tf.Session() as session:
    ended = set()
    for seed in range(6):
      values = give_values(session, seed)
      made, ids, found = session.run([*outputs, lengths])
      wanted_ids, wanted, wanted_lengths = greedy_formula(values, table, [0, 1, 2], 3, 9)
      assert ids.tolist() == wanted_ids.tolist() and found.tolist() == wanted_lengths.tolist()
      close(made, wanted)
      ended |= set(found.tolist())
    assert len(ended) > 1, "sequences of different lengths were not seen"


def test_sampling():
  table = tf.zeros([4, DEPTH])
  logits = np.log(np.array([0.1, 0.2, 0.3, 0.4], np.float32))
  tokens = tf.zeros([4000], tf.int32)
  plain = seq2seq.SampleEmbeddingHelper(table, tokens, 9, seed=7)
  hot = seq2seq.SampleEmbeddingHelper(table, tokens, 9, softmax_temperature=2.0, seed=7)
  outputs = tf.tile(tf.constant(logits[None]), [4000, 1])
  again = seq2seq.SampleEmbeddingHelper(table, tokens, 9, seed=7)
  with tf.Session() as session:
    samples = session.run([h.sample(0, outputs, None) for h in (plain, hot, again)])
    shares = [np.bincount(s, minlength=4) / 4000 for s in samples]
    np.testing.assert_allclose(shares[0], [0.1, 0.2, 0.3, 0.4], atol=0.04)
    root = np.sqrt([0.1, 0.2, 0.3, 0.4])
    np.testing.assert_allclose(shares[1], root / root.sum(), atol=0.04)
    assert (samples[0] == samples[2]).all() and samples[0].dtype == np.int32
    finished, inputs, state = hot.next_inputs(0, outputs, "state", tf.constant([9, 9]))
    assert session.run(finished).tolist() == [True, True] and state == "state"
    assert session.run(inputs).shape == (4000, DEPTH) and session.run(hot.batch_size) == 4000


def test_inference_by_functions():
  start = random(BATCH, UNITS)
  helper = seq2seq.InferenceHelper(
    sample_fn=lambda outputs: outputs * 0.5,
    sample_shape=[UNITS],
    sample_dtype=tf.float32,
    start_inputs=start,
    end_fn=lambda samples: samples[:, 0] > 0.1,
    next_inputs_fn=lambda samples: samples * 3.0,
  )
  plain = seq2seq.InferenceHelper(lambda outputs: outputs, [UNITS], tf.float32, start, lambda samples: samples[:, 0] > 2.0)
  assert helper.sample_ids_shape.as_list() == [UNITS] and helper.sample_ids_dtype == tf.float32
  cell = tf.nn.rnn_cell.BasicRNNCell(UNITS)
  decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(BATCH, tf.float32))
  outputs, _, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=4)
  finished, inputs, _ = plain.next_inputs(0, None, None, tf.constant(start))
  with tf.Session() as session:
    values = give_values(session)
    made, samples, ended = session.run([*outputs, lengths])
    assert session.run([finished, inputs])[1].tolist() == start.tolist() and session.run(plain.batch_size) == BATCH
  x, h = start, np.zeros([BATCH, UNITS])
  over, wanted = np.zeros(BATCH, bool), np.zeros(BATCH, int)
  for t in range(made.shape[1]):
    h = rnn(values, x, h)
    close(made[:, t], h)
    close(samples[:, t], h * 0.5)
    wanted[~over] = t + 1
    over = over | (h[:, 0] * 0.5 > 0.1)
    x = h * 1.5
  assert ended.tolist() == wanted.tolist() and (over.all() or made.shape[1] == 4)


def test_custom_helper():
  calls = []

  def initialize():
    return tf.constant([False, False]), tf.constant([[1.0], [2.0]])

  def sample(time, outputs, state):
    calls.append("sample")
    return tf.stack([outputs[:, 0], tf.cast(tf.fill([2], time), tf.float32)], 1)

  def next_inputs(time, outputs, state, sample_ids):
    calls.append("next")
    return tf.fill([2], time >= 2), sample_ids[:, :1], state

  helper = seq2seq.CustomHelper(initialize, sample, next_inputs, sample_ids_shape=[2], sample_ids_dtype=tf.float32)
  default = seq2seq.CustomHelper(initialize, sample, next_inputs)
  assert helper.sample_ids_shape.as_list() == [2] and helper.sample_ids_dtype == tf.float32
  assert default.sample_ids_shape.as_list() == [] and default.sample_ids_dtype == tf.int32
  cell = tf.nn.rnn_cell.BasicRNNCell(1)
  helper.initialize(name="begin")
  outputs, _, lengths = seq2seq.dynamic_decode(seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32)))
  with tf.Session() as session:
    values = give_values(session)
    made, ids, ended = session.run([*outputs, lengths])
  x, h = np.array([[1.0], [2.0]]), np.zeros([2, 1])
  for t in range(3):
    h = rnn(values, x, h)
    close(made[:, t], h)
    close(ids[:, t], np.concatenate([h, np.full([2, 1], t)], 1))
    x = h
  assert ended.tolist() == [3, 3] and calls == ["sample", "next"]


@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize("probability", [0.0, 0.5, 1.0])
def test_scheduled_embeddings(probability, time_major):
  inputs = random(BATCH, TIME, DEPTH)
  table = random(UNITS, DEPTH, seed=3)
  given = tf.constant(inputs.transpose(1, 0, 2) if time_major else inputs)
  fed = tf.placeholder_with_default([probability] * BATCH if time_major else probability, [BATCH] if time_major else [])
  helper = seq2seq.ScheduledEmbeddingTrainingHelper(
    given,
    LENGTHS,
    tf.constant(table),
    fed,
    time_major=time_major,
    seed=3,
    scheduling_seed=4,
    name="scheduled",
  )
  cell = tf.nn.rnn_cell.BasicRNNCell(UNITS)
  decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(BATCH, tf.float32))
  outputs, _, _ = seq2seq.dynamic_decode(decoder)
  with tf.Session() as session:
    values = give_values(session)
    made, ids = session.run(list(outputs))
  x, h = inputs[:, 0], np.zeros([BATCH, UNITS])
  for t in range(TIME):
    h = rnn(values, x, h)
    close(made[:, t], h)
    assert ((ids[:, t] >= -1) & (ids[:, t] < UNITS)).all()
    if t + 1 < TIME:
      x = np.where(ids[:, t, None] >= 0, table[ids[:, t]], inputs[:, t + 1])
      # Behind the end of a sequence inputs are still read, while others go on.
  if probability in (0.0, 1.0):
    assert ((ids >= 0) == (probability == 1.0)).all()


@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize("auxiliary", [False, True])
def test_scheduled_outputs(auxiliary, time_major):
  inputs, more = random(BATCH, TIME, UNITS), random(BATCH, TIME, 2, seed=1)
  turn = (lambda x: tf.constant(x.transpose(1, 0, 2))) if time_major else tf.constant
  helper = seq2seq.ScheduledOutputTrainingHelper(
    turn(inputs),
    LENGTHS,
    0.5,
    time_major=time_major,
    seed=11,
    next_inputs_fn=lambda outputs: outputs * 2.0,
    auxiliary_inputs=turn(more) if auxiliary else None,
    name="outputs",
  )
  cell = tf.nn.rnn_cell.BasicRNNCell(UNITS)
  outputs, _, _ = seq2seq.dynamic_decode(seq2seq.BasicDecoder(cell, helper, cell.zero_state(BATCH, tf.float32)))
  with tf.Session() as session:
    values = give_values(session)
    made, chosen = session.run(list(outputs))
  assert set(chosen.ravel().tolist()) == {0, 1} and chosen.dtype == np.int32
  whole = np.concatenate([inputs, more], 2) if auxiliary else inputs
  x, h = whole[:, 0], np.zeros([BATCH, UNITS])
  for t in range(TIME):
    h = rnn(values, x, h)
    close(made[:, t], h)
    if t + 1 < TIME:
      own = h * 2.0
      if auxiliary:
        own = np.concatenate([own, more[:, t + 1]], 1)
      x = np.where(chosen[:, t, None] > 0, own, whole[:, t + 1])


def test_scheduled_outputs_are_the_outputs_themselves():
  inputs = random(BATCH, TIME, UNITS)
  helper = seq2seq.ScheduledOutputTrainingHelper(tf.constant(inputs), LENGTHS, 1.0)
  outputs = tf.constant(random(BATCH, UNITS, seed=2))
  chosen = helper.sample(0, outputs, None)
  finished, following, _ = helper.next_inputs(0, outputs, None, chosen)
  with tf.Session() as session:
    assert session.run(chosen).tolist() == [1, 1, 1] and session.run(following).tolist() == session.run(outputs).tolist()
    assert not session.run(finished).any()


def cross_entropy(logits, targets):
  return np.log(np.exp(logits).sum(-1)) - np.take_along_axis(logits, targets[..., None], -1)[..., 0]


def test_sequence_loss():
  logits = random(BATCH, TIME, 6)
  targets = np.random.RandomState(1).randint(0, 6, [BATCH, TIME])
  weights = np.array([[1, 1, 0.5, 0], [1, 0, 0, 0], [2, 1, 1, 1]], np.float32)
  losses = cross_entropy(logits, targets) * weights
  used = (weights > 0).astype(float)
  tensors = [tf.constant(logits), tf.constant(targets), tf.constant(weights)]

  def other(labels, logits):
    return tf.cast(labels, tf.float32) + 0.0 * logits[:, 0]

  loss = seq2seq.sequence_loss
  made = [
    loss(*tensors),
    loss(*tensors, average_across_timesteps=False),
    loss(*tensors, average_across_batch=False, name="by_sequence"),
    loss(*tensors, average_across_timesteps=False, average_across_batch=False),
    loss(*tensors, False, False, sum_over_timesteps=True, sum_over_batch=True),
    loss(*tensors, False, False, sum_over_timesteps=True),
    loss(*tensors, False, False, sum_over_batch=True),
    loss(*tensors, softmax_loss_function=other),
    loss(tensors[0], tensors[1], tf.zeros_like(tensors[2])),
  ]
  wanted = [
    losses.sum() / weights.sum(),
    np.divide(losses.sum(0), weights.sum(0)),
    losses.sum(1) / weights.sum(1),
    losses,
    losses.sum() / used.sum(),
    losses.sum(1) / used.sum(1),
    losses.sum(0) / used.sum(0),
    (targets * weights).sum() / weights.sum(),
    0.0,
  ]
  with tf.Session() as session:
    for one, other_one in zip(session.run(made), wanted):
      close(one, other_one)
  for place, words in enumerate(("Logits must be a", "Targets must be a", "Weights must be a")):
    wrong = list(tensors)
    wrong[place] = tf.zeros([3])
    with pytest.raises(ValueError, match=words):
      loss(*wrong)
  for arguments in ({"sum_over_timesteps": True}, {"sum_over_batch": True}):
    with pytest.raises(ValueError, match="cannot be set to True at same time"):
      loss(*tensors, **arguments)


def test_training_goes_down():
  """A model that copies its input, with the loss of sequences."""
  symbols = np.random.RandomState(2).randint(1, 5, [6, 4])
  table = tf.get_variable("table", [5, 8], initializer=tf.constant_initializer(np.random.RandomState(3).randn(5, 8)))
  lengths = tf.placeholder(tf.int32, [None])
  helper = seq2seq.TrainingHelper(tf.nn.embedding_lookup(table, symbols), lengths)
  cell = tf.nn.rnn_cell.BasicLSTMCell(16)
  decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(6, tf.float32), tf.layers.Dense(5))
  outputs, state, _ = seq2seq.dynamic_decode(decoder, impute_finished=True)
  assert isinstance(state, tf.nn.rnn_cell.LSTMStateTuple)
  mask = tf.sequence_mask(lengths, 4, dtype=tf.float32)
  loss = seq2seq.sequence_loss(outputs.rnn_output, tf.constant(symbols), mask)
  train = tf.train.AdamOptimizer(0.05).minimize(loss)
  with tf.Session() as session:
    tf.set_random_seed(0)
    session.run(tf.global_variables_initializer())
    feed = {lengths: [4, 4, 3, 4, 1, 2]}
    before = session.run(loss, feed)
    for _ in range(40):
      session.run(train, feed)
    assert session.run(loss, feed) < 0.2 * before
