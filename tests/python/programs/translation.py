"""Translation by attention: words from tables, batches of like lengths, a training graph and one that searches with beams."""

from __future__ import print_function

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.contrib import rnn, seq2seq
from tensorflow.python.layers import core as layers_core
from tensorflow.python.ops import lookup_ops

ModeKeys = tf.contrib.learn.ModeKeys
UNITS, BATCH, BEAMS = 24, 32, 3
folder = tempfile.mkdtemp()
rng = np.random.RandomState(0)
words = ["w%d" % i for i in range(8)]
sentences = [" ".join(rng.choice(words, rng.randint(1, 6))) for _ in range(256)]


def write(name, lines):
  path = os.path.join(folder, name)
  with tf.gfile.GFile(path, "w") as f:
    f.write("".join(line + "\n" for line in lines))
  return path


vocabulary = write("vocabulary", ["<unk>", "<s>", "</s>"] + words)
sources = write("train.from", sentences)
targets = write("train.to", [" ".join(reversed(s.split())) for s in sentences])


def training_input(table):
  """Batches of (source, target after <s>, target before </s>, both lengths), of sentences that are about equally long."""
  begin, end = [tf.to_int32(table.lookup(tf.constant(word))) for word in ("<s>", "</s>")]

  def ids(line):
    return tf.to_int32(table.lookup(tf.string_split([line]).values))

  data = tf.data.Dataset.zip((tf.data.TextLineDataset(sources), tf.data.TextLineDataset(targets)))
  data = data.shuffle(1000, seed=3, reshuffle_each_iteration=True)
  data = data.map(lambda a, b: (ids(a), ids(b)), num_parallel_calls=2).prefetch(100)
  data = data.filter(lambda a, b: tf.logical_and(tf.size(a) > 0, tf.size(b) > 0))
  data = data.map(lambda a, b: (a, tf.concat([[begin], b], 0), tf.concat([b, [end]], 0), tf.size(a), tf.size(b) + 1))
  shapes = ([None], [None], [None], [], [])

  def batches(key, some):
    del key
    return some.padded_batch(BATCH, shapes, padding_values=(end, end, end, 0, 0))

  def bucket(a, b, c, length, d):
    del a, b, c, d
    return tf.to_int64(tf.minimum(length // 3, 2))

  data = data.apply(tf.contrib.data.group_by_window(bucket, batches, window_size=BATCH))
  return data.make_initializable_iterator()


def cell_of(mode):
  cells = []
  for layer in range(2):
    cell = rnn.BasicLSTMCell(UNITS, forget_bias=1.0)
    if mode == ModeKeys.TRAIN:
      cell = rnn.DropoutWrapper(cell=cell, input_keep_prob=0.95)
    if layer:
      cell = rnn.ResidualWrapper(cell)
    cells.append(rnn.DeviceWrapper(cell, "/cpu:0"))
  return rnn.MultiRNNCell(cells)


class Model(object):
  def __init__(self, mode, table, source, source_length, target_in=None, target_out=None, target_length=None):
    tf.get_variable_scope().set_initializer(tf.random_uniform_initializer(-0.2, 0.2, seed=5))
    self.embedding = tf.get_variable("embedding", [len(words) + 3, UNITS])
    self.projection = layers_core.Dense(len(words) + 3, use_bias=False, name="projection")
    with tf.variable_scope("encoder"):
      embedded = tf.nn.embedding_lookup(self.embedding, tf.transpose(source))
      outputs, state = tf.nn.dynamic_rnn(
        cell_of(mode), embedded, sequence_length=source_length, dtype=tf.float32, time_major=True, swap_memory=True
      )
    with tf.variable_scope("decoder") as scope:
      memory, lengths, size = tf.transpose(outputs, [1, 0, 2]), source_length, tf.size(source_length)
      beams = BEAMS if mode == ModeKeys.INFER else 1
      if beams > 1:
        memory, lengths, state = [seq2seq.tile_batch(t, multiplier=beams) for t in (memory, lengths, state)]
      attention = seq2seq.BahdanauAttention(UNITS, memory, memory_sequence_length=lengths, normalize=True)
      cell = seq2seq.AttentionWrapper(cell_of(mode), attention, attention_layer_size=UNITS, name="attention")
      start = cell.zero_state(size * beams, tf.float32).clone(cell_state=state)
      if mode == ModeKeys.TRAIN:
        inputs = tf.nn.embedding_lookup(self.embedding, tf.transpose(target_in))
        helper = seq2seq.TrainingHelper(inputs, target_length, time_major=True)
        found, _, _ = seq2seq.dynamic_decode(seq2seq.BasicDecoder(cell, helper, start), output_time_major=True, scope=scope)
        self.add_training(self.projection(found.rnn_output), tf.transpose(target_out), target_length)
      else:
        begin, end = [tf.to_int32(table.lookup(tf.constant(word))) for word in ("<s>", "</s>")]
        decoder = seq2seq.BeamSearchDecoder(
          cell, self.embedding, tf.fill([size], begin), end, start, beams, output_layer=self.projection, length_penalty_weight=0.2
        )
        longest = 2 * tf.reduce_max(source_length)
        self.found, _, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=longest, scope=scope)
    self.saver = tf.train.Saver(tf.trainable_variables(), max_to_keep=2)

  def add_training(self, logits, target, length):
    crossent = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=logits)
    weights = tf.transpose(tf.sequence_mask(length, tf.shape(target)[0], dtype=tf.float32))
    self.loss = tf.reduce_sum(crossent * weights) / tf.to_float(tf.size(length))
    variables = tf.trainable_variables()
    grads, norm = tf.clip_by_global_norm(tf.gradients(self.loss, variables, colocate_gradients_with_ops=True), 5.0)
    self.summary = tf.summary.merge([tf.summary.scalar("norm", norm), tf.summary.scalar("clipped", tf.global_norm(grads))])
    self.update = tf.train.AdamOptimizer(0.01).apply_gradients(zip(grads, variables))


def train():
  with tf.Graph().as_default(), tf.container("train"), tf.Session() as sess:
    tf.set_random_seed(1)
    table = lookup_ops.index_table_from_file(vocabulary, default_value=0)
    iterator = training_input(table)
    source, target_in, target_out, source_length, target_length = iterator.get_next()
    model = Model(ModeKeys.TRAIN, table, source, source_length, target_in, target_out, target_length)
    for variable in tf.trainable_variables():
      print(variable.name, variable.get_shape())
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    losses = []
    for _ in range(40):
      sess.run(iterator.initializer)
      while True:
        try:
          losses.append(sess.run([model.update, model.loss, model.summary])[1])
        except tf.errors.OutOfRangeError:
          break
    print("loss at first above 5:", losses[0] > 5, "at last below 1:", np.mean(losses[-8:]) < 1)
    return model.saver.save(sess, os.path.join(folder, "translate.ckpt"), global_step=len(losses))


def translate(path):
  with tf.Graph().as_default(), tf.Session() as sess:
    table = lookup_ops.index_table_from_file(vocabulary, default_value=0)
    reverse = lookup_ops.index_to_string_table_from_file(vocabulary, default_value="<unk>")
    lines, size = tf.placeholder(tf.string, [None]), tf.placeholder(tf.int64, [])
    data = tf.data.Dataset.from_tensor_slices(lines).map(lambda line: tf.to_int32(table.lookup(tf.string_split([line]).values)))
    data = data.map(lambda ids: (ids, tf.size(ids))).padded_batch(size, ([None], []))
    iterator = data.make_initializable_iterator()
    source, length = iterator.get_next()
    model = Model(ModeKeys.INFER, table, source, length)
    found = reverse.lookup(tf.to_int64(model.found.predicted_ids))
    model.saver.restore(sess, path)
    sess.run([tf.tables_initializer(), tf.local_variables_initializer()])
    sess.run(iterator.initializer, {lines: sentences[:20], size: 10})
    right = 0
    for batch in (sentences[:10], sentences[10:20]):
      value = sess.run(found)
      print(value.shape[0], value.shape[2])
      for row, line in zip(value[:, :, 0], batch):
        row = [word.decode() for word in row]
        row = row[: row.index("</s>")] if "</s>" in row else row
        right += row == line.split()[::-1]
    print("of 20 at least 15 are right:", right >= 15)


translate(train())
