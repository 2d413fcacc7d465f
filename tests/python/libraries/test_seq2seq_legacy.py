"""tf.contrib.legacy_seq2seq by its formulas in numpy."""

import numpy as np
import pytest

import millrace as tf

legacy = tf.contrib.legacy_seq2seq
BATCH, UNITS, SYMBOLS, DEPTH = 2, 3, 5, 4
ENCODED = [np.array([1, 4]), np.array([0, 2]), np.array([3, 3])]
DECODED = [np.array([1, 1]), np.array([2, 4])]


def tensors(lists):
  return [tf.constant(values, tf.int32) for values in lists]


def cell():
  return tf.nn.rnn_cell.BasicRNNCell(UNITS)


def values_of(session, seed=5):
  """All variables by name, with values that differ."""
  random = np.random.RandomState(seed)
  for v in tf.global_variables():
    session.run(tf.assign(v, random.randn(*v.shape.as_list())))
  return {v.op.name: session.run(v).astype(np.float64) for v in tf.global_variables()}


class Variables:
  """Values of variables below a scope."""

  def __init__(self, values, scope=""):
    self._values = values
    self._scope = scope

  def __getitem__(self, name):
    return self._values[self._scope + name]

  def below(self, name):
    return Variables(self._values, self._scope + name + "/")

  def linear(self, *inputs):
    return np.concatenate(inputs, 1) @ self["kernel"] + self["bias"]

  def cell(self, x, h):
    return np.tanh(self.below("basic_rnn_cell").linear(x, h))


def arrays(count):
  random = np.random.RandomState(count)
  return [random.randn(BATCH, DEPTH).astype(np.float32) for _ in range(count)]


def close(made, wanted):
  for one, other in zip(made, wanted):
    np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_decoder_of_given_inputs_and_of_its_own():
  inputs = arrays(3)
  start = np.random.RandomState(0).randn(BATCH, UNITS).astype(np.float32)
  seen = []

  def loop(previous, i):
    seen.append(i)
    return tf.concat([previous, previous[:, :1]], 1)

  plain, state = legacy.rnn_decoder([tf.constant(x) for x in inputs], tf.constant(start), cell(), scope="d")
  looped, looped_state = legacy.rnn_decoder([tf.constant(x) for x in inputs], tf.constant(start), cell(), loop, scope="l")
  assert seen == [1, 2]
  with tf.Session() as session:
    variables = Variables(values_of(session))
    h = start
    wanted = []
    for x in inputs:
      h = variables.below("d").cell(x, h)
      wanted.append(h)
    close(session.run([*plain, state]), [*wanted, h])
    h, x, wanted = start, inputs[0], []
    for _ in inputs:
      h = variables.below("l").cell(x, h)
      wanted.append(h)
      x = np.concatenate([h, h[:, :1]], 1)
    close(session.run([*looped, looped_state]), [*wanted, h])


def test_basic_and_tied():
  encoded, decoded = arrays(2), arrays(3)
  basic, basic_state = legacy.basic_rnn_seq2seq(
    [tf.constant(x) for x in encoded], [tf.constant(x) for x in decoded], cell(), dtype=tf.float32, scope="b"
  )
  tied, tied_state = legacy.tied_rnn_seq2seq(
    [tf.constant(x) for x in encoded],
    [tf.constant(x) for x in decoded],
    cell(),
    loop_function=lambda previous, i: tf.concat([previous, previous[:, :1]], 1) * float(i),
    dtype=tf.float32,
    scope="t",
  )
  names = sorted(v.op.name for v in tf.trainable_variables())
  assert names == [
    "b/rnn/basic_rnn_cell/bias",
    "b/rnn/basic_rnn_cell/kernel",
    "b/rnn_decoder/basic_rnn_cell/bias",
    "b/rnn_decoder/basic_rnn_cell/kernel",
    "combined_tied_rnn_seq2seq/t/basic_rnn_cell/bias",
    "combined_tied_rnn_seq2seq/t/basic_rnn_cell/kernel",
  ]
  with tf.Session() as session:
    variables = Variables(values_of(session))
    h, wanted = np.zeros([BATCH, UNITS]), []
    for x in encoded:
      h = variables.below("b/rnn").cell(x, h)
    for x in decoded:
      h = variables.below("b/rnn_decoder").cell(x, h)
      wanted.append(h)
    close(session.run([*basic, basic_state]), [*wanted, h])
    own = variables.below("combined_tied_rnn_seq2seq/t")
    h, wanted = np.zeros([BATCH, UNITS]), []
    for x in encoded:
      h = own.cell(x, h)
    x = decoded[0]
    for i in range(1, 4):
      h = own.cell(x, h)
      wanted.append(h)
      x = np.concatenate([h, h[:, :1]], 1) * i
    close(session.run([*tied, tied_state]), [*wanted, h])


def encode(variables, embedding_size=DEPTH):
  """(all states, the last one) of the encoder."""
  own = variables.below("rnn/embedding_wrapper")
  h, states = np.zeros([BATCH, UNITS]), []
  for symbols in ENCODED:
    h = own.cell(own["embedding"][symbols], h)
    states.append(h)
  return states, h


def decode(decoder, projection, embedding, h, feeds, own_cell):
  """Outputs and last state: `own_cell(x, h)` and `projection(h)`."""
  outputs, symbols = [], DECODED[0]
  for i, given in enumerate(DECODED):
    x = embedding[symbols if feeds else given]
    h = own_cell(x, h)
    outputs.append(projection(h))
    symbols = outputs[-1].argmax(1)
  return outputs, h


@pytest.mark.parametrize("feeds", [False, True, "fed"])
def test_embedding_rnn(feeds):
  feed = tf.placeholder(tf.bool, []) if feeds == "fed" else feeds
  outputs, state = legacy.embedding_rnn_seq2seq(
    tensors(ENCODED), tensors(DECODED), cell(), SYMBOLS, SYMBOLS + 1, DEPTH, feed_previous=feed, dtype=tf.float32, scope="e"
  )
  with tf.Session() as session:
    variables = Variables(values_of(session)).below("e")
    own = variables.below("embedding_rnn_decoder/rnn_decoder/output_projection_wrapper")
    for fed in [False, True] if feeds == "fed" else [feeds]:
      _, h = encode(variables)
      wanted, h = decode(None, own.linear, variables["embedding_rnn_decoder/embedding"], h, fed, own.cell)
      made = session.run([*outputs, state], {feed: fed} if feeds == "fed" else None)
      close(made, [*wanted, h])
  assert outputs[0].shape.as_list()[1] == SYMBOLS + 1


@pytest.mark.parametrize("feeds", [False, True, "fed"])
def test_embedding_tied_rnn(feeds):
  feed = tf.placeholder(tf.bool, []) if feeds == "fed" else feeds
  outputs, state = legacy.embedding_tied_rnn_seq2seq(
    tensors(ENCODED),
    tensors(DECODED),
    cell(),
    SYMBOLS,
    DEPTH,
    num_decoder_symbols=SYMBOLS - 1,
    feed_previous=feed,
    dtype=tf.float32,
    scope="e",
  )
  with tf.Session() as session:
    variables = Variables(values_of(session)).below("e")
    own = variables.below("combined_tied_rnn_seq2seq/tied_rnn_seq2seq/output_projection_wrapper")
    for fed in [False, True] if feeds == "fed" else [feeds]:
      h = np.zeros([BATCH, UNITS])
      for symbols in ENCODED:
        h = own.cell(variables["embedding"][symbols], h)
      wanted, h = decode(None, own.linear, variables["embedding"], h, fed, own.cell)
      made = session.run([*outputs, state], {feed: fed} if feeds == "fed" else None)
      close(made, [*wanted, h])


def attend(decoder, heads, memory, query):
  found = []
  for i in range(heads):
    y = decoder.below(f"Attention_{i}").linear(query)
    features = memory @ decoder[f"AttnW_{i}"][0, 0]
    scores = (decoder[f"AttnV_{i}"] * np.tanh(features + y[:, None])).sum(-1)
    mask = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    found.append((mask[:, :, None] * memory).sum(1))
  return found


def attention_formula(decoder, inputs, memory, h, heads, from_initial, own_cell, project=None, feeds=None):
  reads = attend(decoder, heads, memory, h) if from_initial else [np.zeros([BATCH, memory.shape[2]])] * heads
  outputs = []
  for i, x in enumerate(inputs):
    if feeds is not None and i:
      x = feeds(outputs[-1])
    x = decoder.linear(x, *reads)
    h = own_cell(x, h)
    reads = attend(decoder, heads, memory, h)
    given = h if project is None else project(h)
    outputs.append(decoder.below("AttnOutputProjection").linear(given, *reads))
  return outputs, h


@pytest.mark.parametrize("heads,from_initial", [(1, False), (2, True)])
def test_attention_decoder(heads, from_initial):
  inputs = arrays(3)
  memory = np.random.RandomState(1).randn(BATCH, 4, 5).astype(np.float32)
  start = np.random.RandomState(2).randn(BATCH, UNITS).astype(np.float32)
  outputs, state = legacy.attention_decoder(
    [tf.constant(x) for x in inputs],
    tf.constant(start),
    tf.constant(memory),
    cell(),
    output_size=6,
    num_heads=heads,
    loop_function=lambda previous, i: previous[:, :DEPTH] * float(i),
    dtype=tf.float32,
    scope="a",
    initial_state_attention=from_initial,
  )
  names = {v.op.name for v in tf.trainable_variables()}
  assert {"a/AttnW_0", "a/AttnV_0", "a/kernel", "a/bias", "a/Attention_0/kernel", "a/AttnOutputProjection/bias"} <= names
  assert len(names) == 6 + 4 * heads
  with tf.Session() as session:
    decoder = Variables(values_of(session)).below("a")
    step = iter([1, 2])
    wanted = attention_formula(
      decoder, inputs, memory, start, heads, from_initial, decoder.cell, feeds=lambda out: out[:, :DEPTH] * next(step)
    )
    close(session.run([*outputs, state]), [*wanted[0], wanted[1]])


def test_attention_decoder_of_states_that_are_tuples():
  memory = tf.constant(np.ones([BATCH, 4, 5], np.float32))
  lstm = tf.nn.rnn_cell.BasicLSTMCell(UNITS)
  outputs, state = legacy.attention_decoder([tf.constant(x) for x in arrays(2)], lstm.zero_state(BATCH, tf.float32), memory, lstm)
  assert isinstance(state, tf.nn.rnn_cell.LSTMStateTuple) and outputs[0].shape.as_list() == [BATCH, UNITS]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    assert np.isfinite(session.run(outputs)).all()


def test_attention_decoder_checks_its_arguments():
  memory = tf.placeholder(tf.float32, [BATCH, 4, None])
  start = tf.zeros([BATCH, UNITS])
  known = tf.zeros([BATCH, 4, 5])
  for arguments, words in (
    (([], start, known, cell()), "at least 1 input"),
    (([start], start, known, cell(), None, 0), "less than 1 heads"),
    (([start], start, memory, cell()), "must be known"),
    (([tf.placeholder(tf.float32, [BATCH, None])], start, known, cell()), "Could not infer input size"),
  ):
    with pytest.raises(ValueError, match=words):
      legacy.attention_decoder(*arguments)


@pytest.mark.parametrize("feeds", [False, True, "fed"])
def test_embedding_attention(feeds):
  feed = tf.placeholder(tf.bool, []) if feeds == "fed" else feeds
  outputs, state = legacy.embedding_attention_seq2seq(
    tensors(ENCODED),
    tensors(DECODED),
    cell(),
    SYMBOLS,
    SYMBOLS + 1,
    DEPTH,
    num_heads=2,
    feed_previous=feed,
    dtype=tf.float32,
    scope="e",
    initial_state_attention=True,
  )
  with tf.Session() as session:
    variables = Variables(values_of(session)).below("e")
    decoder = variables.below("embedding_attention_decoder/attention_decoder")
    embedding = variables["embedding_attention_decoder/embedding"]
    own = decoder.below("output_projection_wrapper")
    for fed in [False, True] if feeds == "fed" else [feeds]:
      states, h = encode(variables)
      memory = np.stack(states, 1)
      wanted = attention_formula(
        decoder,
        [embedding[symbols] for symbols in DECODED],
        memory,
        h,
        2,
        True,
        own.cell,
        project=own.linear,
        feeds=(lambda out: embedding[out.argmax(1)]) if fed else None,
      )
      made = session.run([*outputs, state], {feed: fed} if feeds == "fed" else None)
      close(made, [*wanted[0], wanted[1]])


def projection():
  random = np.random.RandomState(9)
  return random.randn(UNITS, SYMBOLS).astype(np.float32), random.randn(SYMBOLS).astype(np.float32)


def test_projections_of_outputs_are_for_feeding_alone():
  weights, biases = projection()
  made = [
    legacy.embedding_rnn_seq2seq(
      tensors(ENCODED),
      tensors(DECODED),
      cell(),
      SYMBOLS,
      SYMBOLS,
      DEPTH,
      output_projection=(weights, biases),
      feed_previous=True,
      scope="e",
    ),
    legacy.embedding_attention_seq2seq(
      tensors(ENCODED),
      tensors(DECODED),
      cell(),
      SYMBOLS,
      SYMBOLS,
      DEPTH,
      output_projection=(weights, biases),
      feed_previous=True,
      scope="a",
    ),
    legacy.embedding_tied_rnn_seq2seq(
      tensors(ENCODED),
      tensors(DECODED),
      cell(),
      SYMBOLS,
      DEPTH,
      output_projection=(weights, biases),
      feed_previous=True,
      scope="t",
    ),
  ]
  for outputs, _ in made:
    assert outputs[0].shape.as_list()[1] == UNITS
  with tf.Session() as session:
    variables = Variables(values_of(session))
    own = variables.below("e")
    _, h = encode(own)
    embedding, symbols, wanted = own["embedding_rnn_decoder/embedding"], DECODED[0], []
    for _ in DECODED:
      h = own.below("embedding_rnn_decoder/rnn_decoder").cell(embedding[symbols], h)
      wanted.append(h)
      symbols = (h @ weights + biases).argmax(1)
    close(session.run(made[0][0]), wanted)
  with pytest.raises(ValueError):
    legacy.embedding_rnn_decoder(DECODED, tf.zeros([BATCH, UNITS]), cell(), SYMBOLS + 1, DEPTH, (weights, biases), True)
  with pytest.raises(ValueError):
    legacy.embedding_attention_decoder(
      DECODED, tf.zeros([BATCH, UNITS]), tf.zeros([BATCH, 2, 3]), cell(), SYMBOLS + 1, DEPTH, output_projection=(weights, biases)
    )


def gradients_of_what_was_fed_back(decoder, updates):
  """The gradients of the embeddings of symbols that were only fed back."""
  outputs, _ = decoder(updates)
  (embedding,) = [v for v in tf.trainable_variables() if v.op.name.endswith("embedding")]
  gradient = tf.convert_to_tensor(tf.gradients(tf.reduce_sum(outputs[-1][:, 0]), embedding)[0])
  with tf.Session() as session:
    for seed in range(20):
      values_of(session, seed)
      made, symbols = session.run([gradient, tf.argmax(outputs[0], 1)])
      fed_back = [s for s in symbols if s not in DECODED[0]]
      if fed_back:
        return made[fed_back]
  raise AssertionError("nothing was fed back")


@pytest.mark.parametrize("attention", [False, True])
def test_gradients_of_what_is_fed_back(attention):
  def decoder(updates):
    start = tf.ones([BATCH, UNITS])
    if attention:
      memory = tf.ones([BATCH, 2, 3])
      return legacy.embedding_attention_decoder(
        DECODED,
        start,
        memory,
        cell(),
        SYMBOLS,
        DEPTH,
        num_heads=2,
        output_size=SYMBOLS,
        feed_previous=True,
        update_embedding_for_previous=updates,
        dtype=tf.float32,
        scope="d",
        initial_state_attention=True,
      )
    wrapped = tf.contrib.rnn.OutputProjectionWrapper(cell(), SYMBOLS)
    return legacy.embedding_rnn_decoder(
      DECODED, start, wrapped, SYMBOLS, DEPTH, feed_previous=True, update_embedding_for_previous=updates, scope="d"
    )

  assert gradients_of_what_was_fed_back(decoder, True).any()
  tf.reset_default_graph()
  assert not gradients_of_what_was_fed_back(decoder, False).any()


@pytest.mark.parametrize("feeds", [False, "fed"])
def test_one_encoder_for_many(feeds):
  feed = tf.placeholder(tf.bool, []) if feeds == "fed" else False
  outputs, states = legacy.one2many_rnn_seq2seq(
    tensors(ENCODED),
    {"x": tensors(DECODED), "y": tensors(DECODED[:1])},
    cell(),
    {"x": cell(), "y": cell()},
    SYMBOLS,
    {"x": SYMBOLS, "y": SYMBOLS + 2},
    DEPTH,
    feed_previous=feed,
    dtype=tf.float32,
    scope="m",
  )
  assert {name: [o.shape.as_list()[1] for o in made] for name, made in outputs.items()} == {"x": [5, 5], "y": [7]}
  with tf.Session() as session:
    variables = Variables(values_of(session)).below("m")
    for fed in [False, True] if feeds == "fed" else [False]:
      made = session.run([outputs, states], {feed: fed} if feeds == "fed" else None)
      for name in "xy":
        own = variables.below(f"one2many_decoder_{name}/embedding_rnn_decoder")
        wrapped = own.below("rnn_decoder/output_projection_wrapper")
        _, h = encode(variables)
        wanted, h = decode(None, wrapped.linear, own["embedding"], h, fed, wrapped.cell)
        close(made[0][name], wanted[: len(made[0][name])])
        if name == "x":
          np.testing.assert_allclose(made[1][name], h, rtol=1e-4, atol=1e-5)
