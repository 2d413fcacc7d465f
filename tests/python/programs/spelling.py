"""Letters to frames of sound: cells that wrap cells, a cell that keeps parts of its state, a helper that feeds outputs back."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.framework import nest
from tensorflow.contrib.rnn import GRUCell, MultiRNNCell, OutputProjectionWrapper, ResidualWrapper, RNNCell
from tensorflow.contrib.seq2seq import AttentionWrapper, BahdanauAttention, BasicDecoder, Helper, dynamic_decode

LETTERS, BANDS, AT_ONCE = 6, 3, 2


def narrow(inputs, is_training, scope):
  with tf.variable_scope(scope):
    for number, units in enumerate([8, 4]):
      inputs = tf.layers.dense(
        inputs, units, tf.nn.relu, name="dense_%d" % number, kernel_initializer=tf.glorot_uniform_initializer(seed=number)
      )
      inputs = tf.layers.dropout(inputs, rate=0.0, training=is_training)
    return inputs


class NarrowInputs(RNNCell):
  """Its cell sees what two layers make of the input."""

  def __init__(self, cell, is_training):
    super(NarrowInputs, self).__init__()
    self._cell = cell
    self._is_training = is_training

  @property
  def state_size(self):
    return self._cell.state_size

  @property
  def output_size(self):
    return self._cell.output_size

  def call(self, inputs, state):
    return self._cell(narrow(inputs, self._is_training, "narrow"), state)

  def zero_state(self, batch_size, dtype):
    return self._cell.zero_state(batch_size, dtype)


class WithAttention(RNNCell):
  """Outputs are those of an attention's cell beside the attention."""

  def __init__(self, cell):
    super(WithAttention, self).__init__()
    self._cell = cell

  @property
  def state_size(self):
    return self._cell.state_size

  @property
  def output_size(self):
    return self._cell.output_size + self._cell.state_size.attention

  def call(self, inputs, state):
    output, state = self._cell(inputs, state)
    return tf.concat([output, state.attention], axis=-1), state

  def zero_state(self, batch_size, dtype):
    return self._cell.zero_state(batch_size, dtype)


class SlowCell(RNNCell):
  """An LSTM whose state moves by nine tenths; it never calls the constructor of its base."""

  def __init__(self, units):
    self._cell = tf.nn.rnn_cell.LSTMCell(units, state_is_tuple=True)

  @property
  def state_size(self):
    return self._cell.state_size

  @property
  def output_size(self):
    return self._cell.output_size

  def __call__(self, inputs, state, scope=None):
    output, new = self._cell(inputs, state, scope)
    return output, tf.nn.rnn_cell.LSTMStateTuple(*[0.9 * n + 0.1 * o for n, o in zip(new, state)])


class FrameHelper(Helper):
  """Feeds the last of the frames that belong together: the wanted ones, or those that were made."""

  def __init__(self, batch_size, wanted=None):
    self._batch_size = batch_size
    self._wanted = wanted
    if wanted is not None:
      self._wanted = wanted[:, AT_ONCE - 1 :: AT_ONCE, :]
      self._steps = tf.tile([tf.shape(self._wanted)[1]], [batch_size])

  @property
  def batch_size(self):
    return self._batch_size

  @property
  def sample_ids_shape(self):
    return tf.TensorShape([])

  @property
  def sample_ids_dtype(self):
    return np.int32

  def initialize(self, name=None):
    return tf.tile([False], [self._batch_size]), tf.zeros([self._batch_size, BANDS])

  def sample(self, time, outputs, state, name=None):
    return tf.tile([0], [self._batch_size])

  def next_inputs(self, time, outputs, state, sample_ids, name=None):
    if self._wanted is not None:
      return time + 1 >= self._steps, self._wanted[:, time, :], state
    return tf.reduce_all(tf.equal(outputs, 0.0), axis=1), outputs[:, -BANDS:], state


text = tf.placeholder(tf.int32, [None, None], "text")
frames = tf.placeholder(tf.float32, [None, None, BANDS], "frames")
step = tf.Variable(0, name="global_step", trainable=False)


def speak(wanted, reuse=None):
  training = wanted is not None
  with tf.variable_scope("speak", reuse=reuse):
    size = tf.shape(text)[0]
    table = tf.get_variable("letters", [LETTERS, 8], initializer=tf.truncated_normal_initializer(stddev=0.5, seed=9))
    letters = narrow(tf.nn.embedding_lookup(table, text), training, "narrow_letters")
    memory, _ = tf.nn.dynamic_rnn(SlowCell(8), letters, dtype=tf.float32)
    attention = BahdanauAttention(8, memory)
    cell = AttentionWrapper(NarrowInputs(GRUCell(8), training), attention, alignment_history=True, output_attention=False)
    layers = [OutputProjectionWrapper(WithAttention(cell), 8), ResidualWrapper(GRUCell(8)), ResidualWrapper(GRUCell(8))]
    cell = OutputProjectionWrapper(MultiRNNCell(layers, state_is_tuple=True), BANDS * AT_ONCE)
    decoder = BasicDecoder(cell, FrameHelper(size, wanted), cell.zero_state(batch_size=size, dtype=tf.float32))
    (outputs, _), state, lengths = dynamic_decode(decoder, maximum_iterations=10)
    looks = tf.transpose(state[0].alignment_history.stack(), [1, 2, 0])
    return tf.reshape(outputs, [size, -1, BANDS]), looks, lengths


tf.set_random_seed(1)
made, _, _ = speak(frames)
loss = tf.reduce_mean(tf.abs(frames - made))
rate = 0.01 * tf.minimum(1.0, tf.cast(step + 1, tf.float32) / 10.0)
optimizer = tf.train.AdamOptimizer(rate)
gradients, variables = zip(*optimizer.compute_gradients(loss))
clipped, _ = tf.clip_by_global_norm(gradients, 1.0)
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
  train = optimizer.apply_gradients(zip(clipped, variables), global_step=step)
free, looks, lengths = speak(None, reuse=True)
for v in tf.trainable_variables():
  print(v.name, v.get_shape())
rng = np.random.RandomState(0)
letters = rng.randint(0, LETTERS, (8, 4))
sound = np.repeat(rng.rand(LETTERS, BANDS)[letters], AT_ONCE, axis=1)
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  losses = [sess.run([train, loss], {text: letters, frames: sound})[1] for _ in range(150)]
  print("the loss is halved:", np.mean(losses[-10:]) < 0.5 * losses[0])
  value, seen, taken = sess.run([free, looks, lengths], {text: letters})
  print(value.shape, seen.shape, taken.tolist(), "sums of 1:", np.allclose(seen.sum(1), 1.0, atol=1e-5))
  print("alone within 0.35:", np.abs(value[:, :8] - sound).mean() < 0.35, nest.flatten([1, (2, 3)]))
