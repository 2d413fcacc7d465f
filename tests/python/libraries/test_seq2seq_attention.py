"""tf.contrib.seq2seq: attention by its formulas in numpy, and cells with it."""

import numpy as np
import pytest

import millrace as tf

seq2seq = tf.contrib.seq2seq
BATCH, MEMORY, WIDTH, UNITS, DEPTH = 2, 4, 3, 5, 6
LENGTHS = np.array([3, 4], np.int32)


def random(*shape, seed=0):
  return np.random.RandomState(sum(shape) + seed).randn(*shape).astype(np.float32)


def close(made, wanted, rtol=1e-4):
  np.testing.assert_allclose(made, wanted, rtol=rtol, atol=1e-5)


def give_values(session, seed=5):
  source = np.random.RandomState(seed)
  for v in tf.global_variables():
    session.run(tf.assign(v, source.randn(*v.shape.as_list())))
  return {v.op.name: session.run(v).astype(np.float64) for v in tf.global_variables()}


def softmax(x):
  e = np.exp(x - x.max(-1, keepdims=True))
  return e / e.sum(-1, keepdims=True)


def masked(values):
  return values * (np.arange(MEMORY) < LENGTHS[:, None])[:, :, None]


def mask_scores(score, value=-np.inf):
  return np.where(np.arange(MEMORY) < LENGTHS[:, None], score, value)


def luong(values, query, keys, scale=False, scope="luong_attention"):
  score = (keys * query[:, None]).sum(-1)
  return values[scope + "/attention_g"] * score if scale else score


def bahdanau(values, query, keys, normalize=False, scope="bahdanau_attention"):
  q = (query @ values[scope + "/query_layer/kernel"])[:, None]
  v = values[scope + "/attention_v"]
  if not normalize:
    return (v * np.tanh(keys + q)).sum(-1)
  v = values[scope + "/attention_g"] * v / np.sqrt((v**2).sum())
  return (v * np.tanh(keys + q + values[scope + "/attention_b"])).sum(-1)


@pytest.mark.parametrize("scale", [False, True])
def test_luong(scale):
  memory, query = random(BATCH, MEMORY, WIDTH), random(BATCH, UNITS)
  mechanism = seq2seq.LuongAttention(UNITS, tf.constant(memory), LENGTHS, scale=scale, dtype=tf.float32, name="own")
  assert mechanism.alignments_size == MEMORY == mechanism.state_size and mechanism.batch_size == BATCH
  assert mechanism.query_layer is None and mechanism.memory_layer.name == "memory_layer"
  alignments, state = mechanism(tf.constant(query), mechanism.initial_state(BATCH, tf.float32))
  names = sorted(v.op.name for v in tf.trainable_variables())
  assert names == (["luong_attention/attention_g"] if scale else []) + ["memory_layer/kernel"]
  if scale:
    (g,) = [v for v in tf.trainable_variables() if v.op.name.endswith("_g")]
    with tf.Session() as session:
      session.run(g.initializer)
      assert session.run(g) == 1.0
  with tf.Session() as session:
    values = give_values(session)
    keys = masked(memory) @ values["memory_layer/kernel"]
    close(session.run(mechanism.values), masked(memory))
    close(session.run(mechanism.keys), keys)
    close(session.run([alignments, state])[1], softmax(mask_scores(luong(values, query, keys, scale))))


def test_luong_in_other_ways():
  memory, query = random(BATCH, MEMORY, WIDTH), random(BATCH, WIDTH)
  mechanism = seq2seq.LuongAttention(
    WIDTH,
    tf.constant(memory),
    memory_sequence_length=tf.constant(LENGTHS),
    probability_fn=tf.sigmoid,
    score_mask_value=-2.0,
    custom_key_value_fn=lambda keys, values: (values * 2.0, keys * 0.0 + 1.0),
  )
  alignments, _ = mechanism(tf.constant(query), None)
  hard = seq2seq.LuongAttention(WIDTH, tf.constant(memory), probability_fn=seq2seq.hardmax)
  one_hot, _ = hard(tf.constant(query), None)
  with tf.Session() as session:
    values = give_values(session)
    score = (masked(memory) * 2.0 * query[:, None]).sum(-1)
    close(session.run(alignments), 1 / (1 + np.exp(-mask_scores(score, -2.0))))
    close(session.run(mechanism.values), np.ones_like(memory))
    keys = memory @ values["memory_layer_1/kernel" if "memory_layer_1/kernel" in values else "memory_layer/kernel"]
    assert session.run(one_hot).argmax(1).tolist() == (keys * query[:, None]).sum(-1).argmax(1).tolist()
  with pytest.raises(ValueError, match="Incompatible or unknown inner dimensions"):
    mechanism(tf.zeros([BATCH, WIDTH + 1]), None)


@pytest.mark.parametrize("normalize", [False, True])
def test_bahdanau(normalize):
  memory, query = random(BATCH, MEMORY, WIDTH), random(BATCH, DEPTH)
  mechanism = seq2seq.BahdanauAttention(
    UNITS, tf.constant(memory), LENGTHS, normalize=normalize, score_mask_value=-50.0, dtype=tf.float32, name="own"
  )
  alignments, state = mechanism(tf.constant(query), mechanism.initial_alignments(BATCH, tf.float32))
  names = sorted(v.op.name for v in tf.trainable_variables())
  more = ["bahdanau_attention/attention_b", "bahdanau_attention/attention_g"] if normalize else []
  assert names == [*more, "bahdanau_attention/attention_v", "bahdanau_attention/query_layer/kernel", "memory_layer/kernel"]
  if normalize:
    (g,) = [v for v in tf.trainable_variables() if v.op.name.endswith("_g")]
    with tf.Session() as session:
      session.run(g.initializer)
      close(session.run(g), np.sqrt(1 / UNITS))
  with tf.Session() as session:
    values = give_values(session)
    keys = masked(memory) @ values["memory_layer/kernel"]
    close(session.run(alignments), softmax(mask_scores(bahdanau(values, query, keys, normalize), -50.0)))
    assert not session.run(mechanism.initial_state(BATCH, tf.float32)).any()


def test_bahdanau_in_other_ways():
  memory, query = random(BATCH, MEMORY, UNITS), random(BATCH, DEPTH)
  mechanism = seq2seq.BahdanauAttention(
    UNITS,
    tf.constant(memory),
    probability_fn=lambda score: score,
    custom_key_value_fn=lambda keys, values: (values, keys),
  )
  score, _ = mechanism(tf.constant(query), None)
  with tf.Session() as session:
    values = give_values(session)
    close(session.run(score), bahdanau(values, query, memory))


def test_mechanisms_check_their_arguments():
  memory = tf.constant(random(BATCH, MEMORY, WIDTH))
  base = seq2seq.AttentionMechanism()
  for name in ("alignments_size", "state_size"):
    with pytest.raises(NotImplementedError):
      getattr(base, name)
  with pytest.raises(ValueError, match="fully defined inner dims"):
    seq2seq.LuongAttention(UNITS, tf.placeholder(tf.float32, [BATCH, MEMORY, None]))
  with pytest.raises(TypeError, match="must be callable"):
    _base(probability_fn=3)
  mechanism = seq2seq.LuongAttention(WIDTH, memory, tf.placeholder_with_default([0, 1], [BATCH]))
  alignments, _ = mechanism(tf.zeros([BATCH, WIDTH]), None)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    with pytest.raises(tf.errors.InvalidArgumentError, match="greater than zero"):
      session.run(alignments)
  for arguments, words in (
    ({"query_layer": 3}, "query_layer is not a Layer"),
    ({"memory_layer": 3}, "memory_layer is not a Layer"),
  ):
    with pytest.raises(TypeError, match=words):
      _base(**arguments)


def _base(query_layer=None, memory_layer=None, probability_fn=None):
  from millrace.contrib.seq2seq import attention

  return attention._BaseAttentionMechanism(
    query_layer, tf.zeros([BATCH, MEMORY, WIDTH]), probability_fn or (lambda score, _: score), memory_layer=memory_layer
  )


def test_hardmax_and_products():
  logits = random(3, 4)
  x = np.abs(random(2, 5)) / 4
  fed = tf.placeholder(tf.float32, [None, None])
  made = [
    seq2seq.hardmax(logits, name="hard"),
    seq2seq.hardmax(fed),
    seq2seq.safe_cumprod(tf.constant(x), axis=1),
    seq2seq.safe_cumprod(tf.constant(x), axis=1, exclusive=True, reverse=True),
    seq2seq.safe_cumprod([0.0, 1.0]),
  ]
  with tf.Session() as session:
    hard, same, product, back, zero = session.run(made, {fed: logits})
  assert (hard == np.eye(4)[logits.argmax(1)]).all() and (hard == same).all()
  close(product, np.cumprod(x, 1))
  close(back, np.cumprod(np.concatenate([np.ones([2, 1]), x[:, :0:-1]], 1), 1)[:, ::-1])
  assert (zero < 1e-30).all()


def monotonic_formula(p, previous):
  """The chance of ending at each place: to come there, from any place before, without stopping, and to stop."""
  attention = np.zeros_like(p)
  for b in range(len(p)):
    for j in range(p.shape[1]):
      attention[b, j] = p[b, j] * sum(previous[b, k] * np.prod(1 - p[b, k:j]) for k in range(j + 1))
  return attention


@pytest.mark.parametrize("mode", ["recursive", "parallel", "hard"])
def test_monotonic_attention(mode):
  p = np.random.RandomState(0).uniform(0.1, 0.9, [3, 6])
  previous = np.eye(6)[[0, 2, 4]]
  if mode == "hard":
    p = np.round(p)
  else:
    previous = np.array([[0.5, 0.5, 0, 0, 0, 0], [0.1] * 6, [0, 0, 0, 0, 0, 1]])
  made = seq2seq.monotonic_attention(tf.constant(p), tf.constant(previous), mode)
  with tf.Session() as session:
    close(session.run(made), monotonic_formula(p, previous))


def test_monotonic_attention_has_three_modes():
  with pytest.raises(ValueError, match="mode must be 'recursive', 'parallel', or 'hard'"):
    seq2seq.monotonic_attention([[0.5]], [[1.0]], "soft")


@pytest.mark.parametrize("mode", ["recursive", "parallel", "hard"])
@pytest.mark.parametrize("kind", ["luong", "bahdanau"])
def test_monotonic_mechanisms(kind, mode):
  memory, query = random(BATCH, MEMORY, WIDTH), random(BATCH, UNITS)
  if kind == "luong":
    mechanism = seq2seq.LuongMonotonicAttention(
      UNITS, tf.constant(memory), LENGTHS, scale=True, score_mask_value=-9.0, score_bias_init=-0.5, mode=mode, name="own"
    )
  else:
    mechanism = seq2seq.BahdanauMonotonicAttention(
      UNITS, tf.constant(memory), LENGTHS, normalize=True, score_mask_value=-9.0, score_bias_init=-0.5, mode=mode, name="own"
    )
  before = mechanism.initial_state(BATCH, tf.float32)
  alignments, state = mechanism(tf.constant(query), before)
  scope = kind + "_monotonic_attention"
  (bias,) = [v for v in tf.trainable_variables() if v.op.name == scope + "/attention_score_bias"]
  with tf.Session() as session:
    session.run(bias.initializer)
    assert session.run(bias) == -0.5
    values = give_values(session)
    keys = masked(memory) @ values["memory_layer/kernel"]
    score = luong(values, query, keys, True, scope) if kind == "luong" else bahdanau(values, query, keys, True, scope)
    score = mask_scores(score + values[scope + "/attention_score_bias"], -9.0)
    p = (score > 0).astype(float) if mode == "hard" else 1 / (1 + np.exp(-score))
    assert session.run(before).tolist() == [[1, 0, 0, 0]] * 2
    close(session.run([alignments, state])[0], monotonic_formula(p, np.eye(MEMORY)[[0, 0]]), rtol=1e-3)


@pytest.mark.parametrize("make", [seq2seq.LuongMonotonicAttention, seq2seq.BahdanauMonotonicAttention])
def test_noise_on_scores(make):
  memory = tf.constant(random(BATCH, MEMORY, WIDTH).astype(np.float64))
  quiet = make(WIDTH, memory, dtype=tf.float64)
  noisy = make(WIDTH, memory, sigmoid_noise=1.0, sigmoid_noise_seed=3, dtype=tf.float64)
  query = tf.constant(random(BATCH, WIDTH).astype(np.float64))
  made = [m(query, m.initial_state(BATCH, tf.float64))[0] for m in (quiet, noisy)]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for v in tf.global_variables():
      session.run(tf.assign(v, tf.zeros_like(v)))
    one, two = session.run(made)
    close(one, [[0.5, 0.25, 0.125, 0.0625]] * 2)
    assert np.abs(two - one).max() > 1e-3 and (two != session.run(made[1])).any()


class Step:
  """What a wrapped cell computes, in numpy."""

  def __init__(self, values, memories, kinds, layers=True, lengths=True):
    self._values = values
    self._memories = [masked(m) if lengths else m for m in memories]
    self._kinds = kinds
    self._layers = layers
    self._lengths = lengths

  def run(self, x, h, attention, scope="attention_wrapper/"):
    cell = scope + "basic_rnn_cell"
    h = np.tanh(np.concatenate([x, attention, h], 1) @ self._values[cell + "/kernel"] + self._values[cell + "/bias"])
    attentions, alignments = [], []
    for i, (memory, kind) in enumerate(zip(self._memories, self._kinds)):
      number = f"_{i}" if i else ""
      keys = memory @ self._values[f"memory_layer{number}/kernel"]
      if kind == "luong":
        score = luong(self._values, h, keys)
      else:
        score = bahdanau(self._values, h, keys, scope=scope + "bahdanau_attention")
      alignments.append(softmax(mask_scores(score) if self._lengths else score))
      context = (alignments[-1][:, :, None] * memory).sum(1)
      if self._layers:
        context = np.concatenate([h, context], 1) @ self._values[f"{scope}attention_layer{number}/kernel"]
      attentions.append(context)
    return h, np.concatenate(attentions, 1), alignments


@pytest.mark.parametrize("output_attention", [False, True])
@pytest.mark.parametrize("layer", ["size", "layer", None])
def test_wrapper(layer, output_attention):
  memory = random(BATCH, MEMORY, WIDTH)
  mechanism = seq2seq.BahdanauAttention(UNITS, tf.constant(memory), LENGTHS)
  wrapped = seq2seq.AttentionWrapper(
    tf.nn.rnn_cell.BasicRNNCell(UNITS),
    mechanism,
    attention_layer_size=7 if layer == "size" else None,
    alignment_history=True,
    output_attention=output_attention,
    attention_layer=tf.layers.Dense(7, use_bias=False, name="attention_layer") if layer == "layer" else None,
    dtype=tf.float32,
  )
  size = 7 if layer else WIDTH
  assert wrapped.output_size == (size if output_attention else UNITS)
  sizes = wrapped.state_size
  assert isinstance(sizes, seq2seq.AttentionWrapperState)
  assert (sizes.cell_state, sizes.attention, sizes.alignments, sizes.attention_state) == (UNITS, size, MEMORY, MEMORY)
  state = wrapped.zero_state(BATCH, tf.float32)
  xs = [random(BATCH, DEPTH, seed=i) for i in range(3)]
  outputs = []
  for x in xs:
    output, state = wrapped(tf.constant(x), state)
    outputs.append(output)
  names = {v.op.name for v in tf.trainable_variables()}
  assert "memory_layer/kernel" in names and "attention_wrapper/bahdanau_attention/attention_v" in names
  assert ("attention_wrapper/attention_layer/kernel" in names) == (layer is not None)
  history = state.alignment_history.stack()
  with tf.Session() as session:
    values = give_values(session)
    step = Step(values, [memory], ["bahdanau"], layers=layer is not None)
    h, attention = np.zeros([BATCH, UNITS]), np.zeros([BATCH, size])
    found = session.run([outputs, history, state.time, state.cell_state, state.attention, state.alignments])
    for t, x in enumerate(xs):
      h, attention, alignments = step.run(x, h, attention)
      close(found[0][t], attention if output_attention else h)
      close(found[1][t], alignments[0])
    assert found[2] == 3
    close(found[3], h)
    close(found[4], attention)
    close(found[5], alignments[0])


def test_wrapper_of_several_mechanisms():
  memories = [random(BATCH, MEMORY, WIDTH), random(BATCH, MEMORY, WIDTH + 1)]
  with tf.variable_scope(tf.get_variable_scope()):
    mechanisms = [
      seq2seq.LuongAttention(UNITS, tf.constant(memories[0]), LENGTHS),
      seq2seq.BahdanauAttention(UNITS, tf.constant(memories[1]), LENGTHS),
    ]
  wrapped = seq2seq.AttentionWrapper(
    tf.nn.rnn_cell.BasicRNNCell(UNITS), mechanisms, attention_layer_size=[2, 3], alignment_history=True, name="several"
  )
  assert wrapped.output_size == 5 and wrapped.state_size.alignments == (MEMORY, MEMORY)
  state = wrapped.zero_state(BATCH, tf.float32)
  x = random(BATCH, DEPTH)
  output, state = wrapped(tf.constant(x), state)
  with tf.Session() as session:
    values = give_values(session)
    step = Step(values, memories, ["luong", "bahdanau"])
    h, attention, alignments = step.run(x, np.zeros([BATCH, UNITS]), np.zeros([BATCH, 5]), "several/")
    close(session.run(output), attention)
    found = session.run([state.alignments, [a.stack() for a in state.alignment_history], state.attention_state])
    for i in (0, 1):
      close(found[0][i], alignments[i])
      close(found[1][i][0], alignments[i])
      close(found[2][i], alignments[i])
  contexts = seq2seq.AttentionWrapper(tf.nn.rnn_cell.BasicRNNCell(UNITS), mechanisms)
  assert contexts.output_size == 2 * WIDTH + 1


def test_wrapper_in_other_ways():
  memory = random(BATCH, MEMORY, WIDTH)
  mechanism = seq2seq.LuongAttention(UNITS, tf.constant(memory))
  start = random(BATCH, UNITS, seed=4)

  def attention_fn(mechanism, cell_output, attention_state, attention_layer):
    assert attention_layer is None
    alignments, state = mechanism(cell_output, attention_state)
    return tf.concat([alignments, cell_output], 1), alignments * 2.0, state * 3.0

  wrapped = seq2seq.AttentionWrapper(
    tf.nn.rnn_cell.BasicRNNCell(UNITS),
    mechanism,
    cell_input_fn=lambda inputs, attention: inputs * 2.0,
    initial_cell_state=tf.constant(start),
    attention_fn=attention_fn,
  )
  state = wrapped.zero_state(BATCH, tf.float32)
  x = random(BATCH, DEPTH)
  output, after = wrapped(tf.constant(x), state)
  with tf.Session() as session:
    values = give_values(session)
    kernel, bias = (values["attention_wrapper/basic_rnn_cell/" + n] for n in ("kernel", "bias"))
    h = np.tanh(np.concatenate([2 * x, start], 1) @ kernel + bias)
    alignments = softmax(luong(values, h, memory @ values["memory_layer/kernel"]))
    close(session.run(output), np.concatenate([alignments, h], 1))
    close(session.run([after.alignments, after.attention_state]), [2 * alignments, 3 * alignments])
    close(session.run(state.cell_state), start)


def test_wrapper_checks_its_arguments():
  mechanism = seq2seq.LuongAttention(UNITS, tf.constant(random(BATCH, MEMORY, WIDTH)))
  cell = tf.nn.rnn_cell.BasicRNNCell(UNITS)
  make = seq2seq.AttentionWrapper
  for error, words, call in (
    (TypeError, "is not an RNNCell", lambda: make(3, mechanism)),
    (TypeError, "must contain only instances", lambda: make(cell, [mechanism, 3])),
    (TypeError, "must be an AttentionMechanism or list", lambda: make(cell, 3)),
    (TypeError, "cell_input_fn must be callable", lambda: make(cell, mechanism, cell_input_fn=3)),
    (ValueError, "Only one of attention_layer_size", lambda: make(cell, mechanism, 3, attention_layer=tf.layers.Dense(3))),
    (ValueError, "exactly one integer per", lambda: make(cell, [mechanism], [3, 4])),
    (ValueError, "exactly one layer per", lambda: make(cell, [mechanism], attention_layer=[tf.layers.Dense(3)] * 2)),
    (TypeError, "Expected state to be instance", lambda: make(cell, mechanism)(tf.zeros([BATCH, 1]), tf.zeros([BATCH, 1]))),
    (tf.errors.InvalidArgumentError, "Non-matching batch sizes", lambda: make(cell, mechanism).zero_state(BATCH + 1, tf.float32)),
    (
      tf.errors.InvalidArgumentError,
      "When constructing AttentionWrapper",
      lambda: make(cell, mechanism, initial_cell_state=tf.zeros([BATCH + 1, UNITS])),
    ),
  ):
    with pytest.raises(error, match=words):
      call()


def test_states_are_cloned():
  mechanism = seq2seq.LuongAttention(UNITS, tf.constant(random(BATCH, MEMORY, WIDTH)))
  wrapped = seq2seq.AttentionWrapper(tf.nn.rnn_cell.BasicLSTMCell(UNITS), mechanism, alignment_history=True)
  state = wrapped.zero_state(BATCH, tf.float32)
  new = tf.nn.rnn_cell.LSTMStateTuple(tf.ones([BATCH, UNITS]), tf.placeholder_with_default(np.full([2, 5], 2, np.float32), None))
  cloned = state.clone(cell_state=new, time=tf.constant(7))
  assert isinstance(cloned, seq2seq.AttentionWrapperState) and cloned.alignment_history is state.alignment_history
  assert cloned.cell_state.h.shape.as_list() == [BATCH, UNITS]
  with tf.Session() as session:
    c, h, time = session.run([*cloned.cell_state, cloned.time])
    assert (c == 1).all() and (h == 2).all() and time == 7
  with pytest.raises(ValueError):
    state.clone(cell_state=tf.nn.rnn_cell.LSTMStateTuple(tf.ones([BATCH, UNITS + 1]), tf.ones([BATCH, UNITS])))
  built = seq2seq.AttentionWrapperState(1, 2, 3, 4, 5, 6)
  assert built._fields == ("cell_state", "attention", "time", "alignments", "alignment_history", "attention_state")


def test_decoding_with_attention():
  """Names of variables, and the history of attention, as programs of translation have them."""
  memory = tf.constant(random(BATCH, MEMORY, WIDTH))
  inputs = random(BATCH, 3, DEPTH)

  def decode(reuse):
    with tf.variable_scope("model", reuse=reuse):
      mechanism = seq2seq.BahdanauAttention(UNITS, memory, LENGTHS)
      wrapped = seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.BasicRNNCell(UNITS), mechanism, attention_layer_size=UNITS, alignment_history=True
      )
      helper = seq2seq.TrainingHelper(tf.constant(inputs), [3, 3])
      decoder = seq2seq.BasicDecoder(wrapped, helper, wrapped.zero_state(BATCH, tf.float32), tf.layers.Dense(9, name="out"))
      return seq2seq.dynamic_decode(decoder, impute_finished=True)

  outputs, state, _ = decode(False)
  again, _, _ = decode(True)
  assert sorted(v.op.name for v in tf.trainable_variables()) == [
    "model/decoder/attention_wrapper/attention_layer/kernel",
    "model/decoder/attention_wrapper/bahdanau_attention/attention_v",
    "model/decoder/attention_wrapper/bahdanau_attention/query_layer/kernel",
    "model/decoder/attention_wrapper/basic_rnn_cell/bias",
    "model/decoder/attention_wrapper/basic_rnn_cell/kernel",
    "model/decoder/out/bias",
    "model/decoder/out/kernel",
    "model/memory_layer/kernel",
  ]
  gradients = tf.gradients(tf.reduce_sum(outputs.rnn_output), tf.trainable_variables())
  assert all(g is not None for g in gradients)
  with tf.Session() as session:
    values = give_values(session)
    values = {name.replace("model/decoder/", "").replace("model/", ""): value for name, value in values.items()}
    step = Step(values, [session.run(memory)], ["bahdanau"])
    made, history, same = session.run([outputs.rnn_output, state.alignment_history.stack(), again.rnn_output])
    h, attention = np.zeros([BATCH, UNITS]), np.zeros([BATCH, UNITS])
    for t in range(3):
      h, attention, alignments = step.run(inputs[:, t], h, attention)
      close(made[:, t], attention @ values["out/kernel"] + values["out/bias"])
      close(history[t], alignments[0])
    close(made, same)
