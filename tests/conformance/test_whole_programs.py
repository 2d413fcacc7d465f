"""Programs as users write them, whole: what they print is the same on servers of ours and of stock."""

import os

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf
from tensorflow.python.framework import function

tf1 = tf.compat.v1
WORKER = "/job:worker/task:0"


@pytest.fixture(autouse=True)
def reference_variables():
  kept = tf1.resource_variables_enabled()
  tf1.disable_resource_variables()
  yield
  if kept:
    tf1.enable_resource_variables()


def before_update(cluster, update, step):
  """The step that a run fetched. On a busy machine stock sends it when the update has been made already."""
  return update if cluster.kind == "stock" and step == update + 1 else step


def test_a_classifier_in_a_monitored_session(on_both, tmp_path):
  """Dropout, clipped gradients, Adam with a decay, moving averages, summaries and checkpoints; the fetched step is the one before
  the update, as the master is a worker."""
  random = np.random.RandomState(0)
  examples = random.randn(600, 20).astype(np.float32)
  labels = (examples @ random.randn(20, 3).astype(np.float32)).argmax(1)

  def program(cluster):
    tf1.set_random_seed(7)
    with tf1.device(tf1.train.replica_device_setter(ps_tasks=1, worker_device=WORKER)):
      global_step = tf1.train.get_or_create_global_step()
      x, y = tf1.placeholder(tf.float32, [None, 20]), tf1.placeholder(tf.int64, [None])
      w1, w2 = tf1.get_variable("w1", [20, 32]), tf1.get_variable("w2", [32, 3])
      b1 = tf1.get_variable("b1", [32], initializer=tf1.zeros_initializer())
      hidden = tf1.nn.dropout(tf.nn.relu(x @ w1 + b1), rate=0.1, seed=3)
      loss = tf1.losses.sparse_softmax_cross_entropy(y, hidden @ w2) + 1e-3 * tf.nn.l2_loss(w1)
      optimizer = tf1.train.AdamOptimizer(tf1.train.exponential_decay(0.05, global_step, 50, 0.9))
      pairs = optimizer.compute_gradients(loss)
      clipped, _ = tf.clip_by_global_norm([g for g, _ in pairs], 1.0)
      train = optimizer.apply_gradients(zip(clipped, [v for _, v in pairs]), global_step=global_step)
      with tf.control_dependencies([train]):
        train = tf1.train.ExponentialMovingAverage(0.9, global_step).apply([w1, w2])
      tf1.summary.scalar("loss", loss)
    folder = str(tmp_path / cluster.kind)
    seen = []
    with tf1.train.MonitoredTrainingSession(
      cluster.target("worker"),
      checkpoint_dir=folder,
      save_checkpoint_steps=50,
      save_summaries_steps=20,
      hooks=[tf1.train.StopAtStepHook(last_step=120)],
    ) as session:
      for i in range(120):
        batch = np.arange(i * 50, i * 50 + 50) % 600
        seen.append(session.run([loss, train, global_step], {x: examples[batch], y: labels[batch]})[::2])
    return {
      "losses": np.array([loss for loss, _ in seen]),
      "steps": [before_update(cluster, i, int(step)) for i, (_, step) in enumerate(seen)],
      "checkpoints": sorted(f for f in os.listdir(folder) if f.endswith(".index")),
    }

  results = on_both(program)
  assert results["steps"] == list(range(120)) and results["losses"][-1] < 0.2


def test_sequences_of_a_recurrent_network(on_both):
  """Batches by length, an LSTM, a function called by its name, the CTC loss and its decoder, and edit distances."""
  random = np.random.RandomState(1)
  lengths = random.choice([6, 9, 12], 40)
  examples = np.stack([np.pad(random.randn(n, 6), ((0, 12 - n), (0, 0))) for n in lengths]).astype(np.float32)
  labels = np.stack([np.pad(random.randint(0, 4, size=n // 3), (0, 4 - n // 3), constant_values=-1) for n in lengths])

  @function.Defun(tf.float32)
  def squash(x):
    return tf.tanh(x) * 1.5

  def program(cluster):
    tf1.set_random_seed(3)
    with tf1.device(WORKER):
      parts = tf1.data.Dataset.from_tensor_slices((examples, lengths.astype(np.int64), labels.astype(np.int32))).repeat(5)
      batches = parts.apply(
        tf.data.experimental.group_by_window(lambda x, n, y: n, lambda key, window: window.batch(8), window_size=8)
      )
      iterator = tf1.data.make_initializable_iterator(batches)
      x, n, y = iterator.get_next()
    with tf1.device(tf1.train.replica_device_setter(ps_tasks=1, worker_device=WORKER)):
      global_step = tf1.train.get_or_create_global_step()
      w, v = tf1.get_variable("w", [6 + 16, 64]), tf1.get_variable("v", [16, 5])
      b = tf1.get_variable("b", [64], initializer=tf1.zeros_initializer())
      count = tf.shape(x)[0]
      begin, peephole = tf.zeros([count, 16]), tf.zeros([16])
      hidden = tf.raw_ops.BlockLSTM(
        seq_len_max=tf.constant(12, tf.int64),
        x=tf.transpose(x, [1, 0, 2]),
        cs_prev=begin,
        h_prev=begin,
        w=w,
        wci=peephole,
        wcf=peephole,
        wco=peephole,
        b=b,
        use_peephole=False,
      ).h
      logits = tf.reshape(tf.matmul(tf.reshape(squash(hidden), [-1, 16]), v), [12, count, 5])
      places = tf.where(tf.not_equal(y, -1))
      wanted = tf.SparseTensor(places, tf.gather_nd(y, places), tf.cast(tf.shape(y), tf.int64))
      steps = tf.cast(n, tf.int32)
      loss = tf.reduce_mean(tf1.nn.ctc_loss(wanted, logits, steps))
      train = tf1.train.MomentumOptimizer(0.05, 0.9).minimize(loss, global_step=global_step)
      decoded = tf1.nn.ctc_greedy_decoder(logits, steps)[0][0]
      distance = tf.reduce_mean(tf.edit_distance(tf.cast(decoded, tf.int32), wanted))
    seen = []
    with tf1.Session(cluster.target("worker")) as session:
      session.run(tf1.global_variables_initializer())
      session.run(iterator.initializer)
      while True:
        try:
          seen.append([float(value) for value in session.run([loss, distance, global_step, train])[:3]])
        except tf.errors.OutOfRangeError:
          return np.array(seen)

  assert len(on_both(program)) > 20
