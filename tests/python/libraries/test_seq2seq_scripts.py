"""Scripts of sequences as programs of 2016 to 2018 have them, run unchanged."""

import package

OWN_ATTENTION = '''
"""A mechanism, a helper and a decoder of the program's own, then a beam search over what was learned."""
import collections
import numpy as np
import tensorflow as tf
from tensorflow.contrib.seq2seq.python.ops import beam_search_decoder, decoder, helper as helper_py
from tensorflow.contrib.seq2seq.python.ops.attention_wrapper import BahdanauAttention, AttentionWrapper
from tensorflow.python.layers.core import Dense
from tensorflow.python.ops import variable_scope

WORDS, UNITS, BATCH, TIME, GO, END = 6, 12, 8, 3, 0, 1

class Additive(BahdanauAttention):
  def __call__(self, query, state):
    with variable_scope.variable_scope(None, "additive", [query]):
      v = tf.get_variable("v", [self._num_units])
      query = tf.expand_dims(self.query_layer(query), 1)
      score = tf.reduce_sum(v * tf.tanh(self.keys + query), 2)
    alignments = self._probability_fn(score, state)
    return alignments, alignments

class Shown(helper_py.Helper):
  def __init__(self, inputs, table):
    self._inputs, self._table = tf.nn.embedding_lookup(table, inputs), table
  batch_size = property(lambda self: tf.shape(self._inputs)[0])
  sample_ids_shape = property(lambda self: tf.TensorShape([]))
  sample_ids_dtype = property(lambda self: tf.int32)
  def initialize(self, name=None):
    return tf.tile([False], [self.batch_size]), tf.tile(self._table[GO:GO + 1], [self.batch_size, 1])
  def sample(self, time, outputs, state, name=None):
    return tf.argmax(outputs, -1, output_type=tf.int32)
  def next_inputs(self, time, outputs, state, sample_ids, name=None):
    return tf.tile([time + 1 >= TIME + 1], [self.batch_size]), self._inputs[:, time], state

Output = collections.namedtuple("Output", ("logits", "sample_id"))

class Own(decoder.Decoder):
  def __init__(self, cell, helper, state, layer):
    self._cell, self._helper, self._state, self._layer = cell, helper, state, layer
  batch_size = property(lambda self: self._helper.batch_size)
  output_size = property(lambda self: Output(tf.TensorShape([WORDS]), self._helper.sample_ids_shape))
  output_dtype = property(lambda self: Output(tf.float32, self._helper.sample_ids_dtype))
  def initialize(self, name=None):
    return self._helper.initialize() + (self._state,)
  def step(self, time, inputs, state, name=None):
    outputs, state = self._cell(inputs, state)
    logits = self._layer(outputs)
    ids = self._helper.sample(time=time, outputs=logits, state=state)
    finished, inputs, state = self._helper.next_inputs(time=time, outputs=logits, state=state, sample_ids=ids)
    return Output(logits, ids), state, inputs, finished

tf.set_random_seed(2)
source = tf.placeholder(tf.int32, [None, TIME])
target = tf.concat([tf.reverse(source, [1]), tf.fill([tf.shape(source)[0], 1], END)], 1)
table = tf.get_variable("table", [WORDS, UNITS])
memory, state = tf.nn.dynamic_rnn(tf.contrib.rnn.GRUCell(UNITS), tf.nn.embedding_lookup(table, source), dtype=tf.float32)
layer = Dense(WORDS, use_bias=False, name="words")

def attended(memory, state, reuse=None):
  with tf.variable_scope("attended", reuse=reuse):
    cell = AttentionWrapper(tf.contrib.rnn.GRUCell(UNITS), Additive(UNITS, memory), attention_layer_size=UNITS)
  return cell, cell.zero_state(tf.shape(memory)[0], tf.float32).clone(cell_state=state)

cell, start = attended(memory, state)
with tf.variable_scope("decode") as scope:
  outputs, _, lengths = tf.contrib.seq2seq.dynamic_decode(Own(cell, Shown(target, table), start, layer), scope=scope)
loss = tf.contrib.seq2seq.sequence_loss(outputs.logits, target, tf.ones_like(target, dtype=tf.float32))
train = tf.train.AdamOptimizer(0.02).minimize(loss)

cell, start = attended(*tf.contrib.seq2seq.tile_batch((memory, state), multiplier=2), reuse=True)
with tf.variable_scope(scope, reuse=True) as again:
  search = beam_search_decoder.BeamSearchDecoder(cell, table, tf.fill([BATCH], GO), END, start, 2, output_layer=layer)
  found, _, _ = tf.contrib.seq2seq.dynamic_decode(search, maximum_iterations=TIME + 3, scope=again)

random = np.random.RandomState(0)
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  for _ in range(250):
    sess.run(train, {source: random.randint(2, WORDS, [BATCH, TIME])})
  given = random.randint(2, WORDS, [BATCH, TIME])
  best = sess.run(found.predicted_ids, {source: given})[:, :TIME + 1, 0]
print((best == np.concatenate([given[:, ::-1], np.full([BATCH, 1], END)], 1)).mean() > 0.9)
print([v.op.name for v in tf.trainable_variables() if "decode" in v.name])
'''


def test_attention_of_a_program(tmp_path):
  made = package.script(tmp_path, OWN_ATTENTION)
  assert made.returncode == 0, made.stderr
  names = [
    "decode/attention_wrapper/gru_cell/gates/kernel",
    "decode/attention_wrapper/gru_cell/gates/bias",
    "decode/attention_wrapper/gru_cell/candidate/kernel",
    "decode/attention_wrapper/gru_cell/candidate/bias",
    "decode/attention_wrapper/additive/v",
    "decode/attention_wrapper/additive/query_layer/kernel",
    "decode/attention_wrapper/attention_layer/kernel",
    "decode/words/kernel",
  ]
  assert made.stdout.splitlines()[-2:] == ["True", str(names)]


TAGGER = '''
"""Tags by a linear chain, hyperparameters of a text, and decoupled weight decay."""
import numpy as np
import tensorflow as tf
from tensorflow.contrib import crf
from tensorflow.contrib.opt.python.training.weight_decay_optimizers import AdamWOptimizer
from tensorflow.contrib.training.python.training import hparam

tf.flags.DEFINE_string("hparams", "", "Hyperparameters, such as units=8.")
FLAGS = tf.flags.FLAGS
TAGS, WORDS, TIME = 3, 8, 6

def main(_):
  params = hparam.HParams(units=4, rate=0.1, decay=0.0).parse(FLAGS.hparams)
  words = tf.placeholder(tf.int32, [None, TIME])
  tags = tf.placeholder(tf.int32, [None, TIME])
  lengths = tf.placeholder(tf.int32, [None])
  embedded = tf.contrib.layers.embed_sequence(words, WORDS, params.units)
  scores = tf.layers.dense(embedded, TAGS)
  likelihood, transitions = crf.crf_log_likelihood(scores, tags, lengths)
  train = AdamWOptimizer(params.decay, params.rate).minimize(tf.reduce_mean(-likelihood))
  random = np.random.RandomState(1)
  def examples():
    found = random.randint(0, WORDS, [20, TIME])
    marked = np.where(found < 4, 0, 1)
    marked[:, 1:] += (marked[:, 1:] == 1) & (marked[:, :-1] >= 1)  # a second such word in a row is tagged 2
    return found, marked, random.randint(1, TIME + 1, 20)
  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(150):
      w, t, n = examples()
      sess.run(train, {words: w, tags: t, lengths: n})
    w, t, n = examples()
    s, chain = sess.run([scores, transitions], {words: w})
  right = [crf.viterbi_decode(s[i][:n[i]], chain)[0] == t[i][:n[i]].tolist() for i in range(20)]
  print(params.to_json(), sum(right) >= 18)

if __name__ == "__main__":
  tf.app.run()
'''


def test_tagger(tmp_path):
  made = package.script(tmp_path, TAGGER, "--hparams=units=8,decay=1e-4")
  assert made.returncode == 0, made.stderr
  assert made.stdout.splitlines()[-1] == '{"units": 8, "rate": 0.1, "decay": 0.0001} True'
