"""Whole programs of TensorFlow 1: with a card and without one they print the same losses, and what computes is on the card."""

import pytest

HEAD = """
    import numpy as np, sys, tensorflow as tf
    tf.set_random_seed(7)
    random = np.random.RandomState(3)
"""

# Prints a line for each step: its losses are what is compared.
STEPS = """
    with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as session:
        session.run(tf.global_variables_initializer())
        for step in range(6):
            print(*("%.6f" % v for v in session.run([loss, train], feeds(step))[:1]))
"""

CONVOLUTIONS = """
    images = tf.placeholder(tf.float32, [None, 12, 12, 3])
    labels = tf.placeholder(tf.int64, [None])
    net = tf.layers.conv2d(images, 8, 3, padding="same", activation=tf.nn.relu)
    net = tf.layers.batch_normalization(net, training=True)
    net = tf.layers.max_pooling2d(net, 2, 2)
    net = tf.layers.separable_conv2d(net, 8, 3, activation=tf.nn.elu)
    net = tf.layers.dropout(tf.layers.flatten(net), 0.25, training=True)
    logits = tf.layers.dense(net, 5)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits) + 1e-3 * tf.add_n(
        [tf.nn.l2_loss(v) for v in tf.trainable_variables()])
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.AdamOptimizer(0.01).minimize(loss)
    x, y = random.rand(6, 8, 12, 12, 3), random.randint(5, size=(6, 8))
    feeds = lambda step: {images: x[step], labels: y[step]}
"""

RECURRENT = """
    words = tf.placeholder(tf.int32, [None, None])
    lengths = tf.placeholder(tf.int32, [None])
    with tf.device("/gpu:0"):
        table = tf.get_variable("table", [50, 12])
        cell = tf.nn.rnn_cell.MultiRNNCell(
            [tf.nn.rnn_cell.LSTMCell(9, use_peepholes=True), tf.nn.rnn_cell.GRUCell(7)])
        outputs, state = tf.nn.dynamic_rnn(cell, tf.nn.embedding_lookup(table, words), lengths, dtype=tf.float32)
        logits = tf.layers.dense(outputs, 50)
        loss = tf.contrib.seq2seq.sequence_loss(logits, words, tf.sequence_mask(lengths, dtype=tf.float32))
        optimizer = tf.train.MomentumOptimizer(0.5, 0.9)
        gradients, variables = zip(*optimizer.compute_gradients(loss))
        train = optimizer.apply_gradients(zip(tf.clip_by_global_norm(gradients, 1.0)[0], variables))
    x, n = random.randint(50, size=(6, 4, 8)), random.randint(1, 9, size=(6, 4))
    n[:, 0] = 8
    feeds = lambda step: {words: x[step], lengths: n[step]}
"""

WORD2VEC = """
    words = tf.placeholder(tf.int64, [None])
    near = tf.placeholder(tf.int64, [None, 1])
    table = tf.Variable(tf.random_uniform([40, 16], -1, 1), name="table")
    weights = tf.Variable(tf.truncated_normal([40, 16], stddev=0.25), name="weights")
    sampled = tf.random.log_uniform_candidate_sampler(near, 1, 8, True, 40, seed=5)
    loss = tf.reduce_mean(tf.nn.nce_loss(
        weights, tf.Variable(tf.zeros([40])), near, tf.nn.embedding_lookup(table, words), 8, 40, sampled_values=sampled))
    train = tf.train.AdagradOptimizer(0.5).minimize(loss)
    x, y = random.randint(40, size=(6, 20)), random.randint(40, size=(6, 20, 1))
    feeds = lambda step: {words: x[step], near: y[step]}
"""

BY_HAND = """
    sequence = tf.placeholder(tf.float32, [7, None, 5])
    wanted = tf.placeholder(tf.float32, [None, 6])
    w = tf.Variable(tf.random_normal([11, 6], stddev=0.3), use_resource=True, name="w")
    parts = tf.TensorArray(tf.float32, 7).unstack(sequence)

    def step(i, state, kept):
        state = tf.tanh(tf.matmul(tf.concat([parts.read(i), state], 1), w))
        state = tf.cond(tf.reduce_mean(state) > 0, lambda: state * 0.9, lambda: tf.nn.softplus(state) - 0.5)
        return i + 1, state, kept.write(i, state)

    zeros = tf.zeros([tf.shape(sequence)[1], 6])
    _, last, kept = tf.while_loop(lambda i, *_: i < 7, step, [0, zeros, tf.TensorArray(tf.float32, 7)])
    loss = tf.reduce_mean(tf.squared_difference(last, wanted)) + 0.1 * tf.reduce_mean(kept.stack() ** 2)
    train = tf.train.RMSPropOptimizer(0.02, momentum=0.5).minimize(loss)
    x, y = random.randn(6, 7, 3, 5), random.randn(6, 3, 6)
    feeds = lambda step: {sequence: x[step], wanted: y[step]}
"""

# Programs, and ops of theirs that have to be on the card.
PROGRAMS = {
  "convolutions": (
    CONVOLUTIONS,
    ["conv2d/Conv2D", "max_pooling2d/MaxPool", "dense/MatMul", "conv2d/kernel", "Adam/update_dense/kernel/ApplyAdam"],
  ),
  "recurrent": (RECURRENT, ["table", "rnn/while/rnn/multi_rnn_cell/cell_0/lstm_cell/MatMul"]),
  "word2vec": (WORD2VEC, ["table", "embedding_lookup", "weights"]),
  "by_hand": (BY_HAND, ["w", "while/MatMul", "while/cond/Softplus"]),
}


def losses(out):
  return [float(line) for line in out.split()]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_training_has_the_losses_of_the_cpu(cards, name):
  text, on_card = PROGRAMS[name]
  machine = cards(memory_mb=1024)
  out, log = machine.run(HEAD + text + STEPS)
  without, _ = machine.run((HEAD + text + STEPS).replace("/gpu:0", "/cpu:0"), visible="")
  assert len(losses(out)) == 6
  assert losses(out) == pytest.approx(losses(without), rel=1e-4)
  for node in on_card:
    placed = [line for line in log.splitlines() if line.split("] ")[-1].startswith(node + ": (")]
    assert placed and all(line.endswith("/device:GPU:0") for line in placed), (node, placed or log)


PINNED = """
    a = tf.placeholder(tf.float32, [None, 4, 4])
    with tf.device("/gpu:0"):
        q, _ = tf.linalg.qr(a)
        inverse = tf.linalg.inv(a + 4 * tf.eye(4))
        spectrum = tf.abs(tf.signal.rfft(a))
        numbers, _ = tf.unique([3, 1, 3, 2])
        queue = tf.FIFOQueue(4, [tf.float32], [[2]])
        put, taken = queue.enqueue([tf.constant([1.0, 2.0])]), queue.dequeue_many(1)
        with tf.control_dependencies([tf.assert_greater(tf.reduce_max(spectrum), 0.0)]):
            total = tf.reduce_sum(tf.einsum("bij,bjk->bik", a, inverse)) + tf.reduce_sum(q)
        colors = tf.image.adjust_hue(tf.nn.sigmoid(tf.reshape(a[:, :3, :], [-1, 2, 2, 3])), 0.1)
    with tf.Session() as session:
        session.run(put)
        values = session.run(
            [total, numbers, tf.reduce_sum(colors), tf.gradients(total, a)[0], taken], {a: random.randn(3, 4, 4)})
        print(*("%.4f" % v for v in np.concatenate([np.ravel(v) for v in values])))
"""


def test_ops_of_the_host_run_where_a_gpu_is_asked_for(cards):
  machine = cards(memory_mb=1024)
  out, _ = machine.run(HEAD + PINNED)
  without, _ = machine.run((HEAD + PINNED).replace("/gpu:0", "/cpu:0"), visible="")
  assert losses(out) == pytest.approx(losses(without), rel=1e-3, abs=2e-3)
