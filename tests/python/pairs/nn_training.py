"""Little trainings by hand: gradients, or updates that a program writes itself."""

import numpy as np


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _run(tf, *fetches, feed=None):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [session.run(f, feed) for f in fetches]


def _data(*shape):
  return np.random.RandomState(len(shape) * 7 + sum(shape)).randn(*shape).astype(np.float32)


def _points():
  random = np.random.RandomState(0)
  x = random.randn(64, 3).astype(np.float32)
  y = (x @ np.array([[1.0], [-2.0], [0.5]], np.float32) + 0.3).astype(np.float32)
  return x, y


def _train(tf, loss, updates, steps, feeds, also=()):
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(steps):
      found.append(session.run([loss] + list(updates), feeds(step))[0])
    return found + session.run(list(also) + tf.trainable_variables())


def _descend(tf, loss, variables, rate):
  """Returns updates that wait for all gradients: a buffer may change while others read it."""
  gradients = tf.gradients(loss, variables)
  with tf.control_dependencies([loss] + [getattr(g, "values", g) for g in gradients]):
    return [_descended(tf, v, g, rate) for v, g in zip(variables, gradients)]


def _descended(tf, variable, gradient, rate):
  if isinstance(gradient, tf.IndexedSlices):
    return tf.scatter_sub(variable, gradient.indices, rate * gradient.values)
  return tf.assign_sub(variable, rate * gradient)


def program_linear_regression(tf):
  x, y = _points()
  inputs, targets = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
  w = tf.Variable(tf.zeros([3, 1]), name="w")
  b = tf.Variable(tf.zeros([1]), name="b")
  loss = tf.reduce_mean(tf.square(tf.nn.xw_plus_b(inputs, w, b) - targets))
  return _train(tf, loss, _descend(tf, loss, [w, b], 0.1), 20, lambda i: {inputs: x, targets: y})


program_linear_regression.rtol = 1e-3
program_linear_regression.atol = 1e-5


def program_linear_regression_of_resources(tf):
  x, y = _points()
  inputs, targets = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
  with tf.variable_scope("model", use_resource=True):
    w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
  loss = tf.reduce_mean(tf.square(tf.matmul(inputs, w) + b - targets))
  gradients = tf.gradients(loss, [w, b])
  with tf.control_dependencies([loss] + gradients):
    updates = [v.assign_sub(0.1 * g, read_value=False) for v, g in zip([w, b], gradients)]
  return _train(tf, loss, updates, 20, lambda i: {inputs: x, targets: y})


program_linear_regression_of_resources.rtol = 1e-3
program_linear_regression_of_resources.atol = 1e-5


def program_gradients_by_hand(tf):
  x, y = _points()
  inputs, targets = tf.placeholder(tf.float32, [64, 3]), tf.placeholder(tf.float32, [64, 1])
  w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.5))
  error = tf.matmul(inputs, w) - targets
  loss = tf.nn.l2_loss(error)
  with tf.control_dependencies([loss]):
    update = w.assign_sub(0.01 * tf.matmul(inputs, error, transpose_a=True))
  return _train(tf, loss, [update], 10, lambda i: {inputs: x, targets: y})


program_gradients_by_hand.rtol = 1e-3
program_gradients_by_hand.atol = 1e-4


def program_logistic_regression(tf):
  x, y = _points()
  labels = (y > 0).astype(np.float32)
  inputs, targets = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
  w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer(), regularizer=lambda v: 0.01 * tf.nn.l2_loss(v))
  b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
  logits = tf.matmul(inputs, w) + b
  loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits))
  loss += tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
  accuracy = tf.reduce_mean(tf.cast(tf.equal(logits > 0, targets > 0.5), tf.float32))
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    updates = _descend(tf, loss, [w, b], 0.5)
    losses = [session.run([loss] + updates, {inputs: x, targets: labels})[0] for _ in range(15)]
    return losses + [session.run(accuracy, {inputs: x, targets: labels})]


program_logistic_regression.rtol = 1e-3
program_logistic_regression.atol = 1e-4


def program_two_layers(tf):
  x, y = _points()
  classes = (y[:, 0] > 0).astype(np.int32) + (y[:, 0] > 1).astype(np.int32)
  inputs, targets = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32, [None])

  def layer(value, units, name, activation):
    with tf.variable_scope(name):
      w = tf.get_variable("w", [value.shape[1], units], initializer=tf.truncated_normal_initializer(stddev=0.5, seed=units))
      b = tf.get_variable("b", [units], initializer=tf.constant_initializer(0.1))
      return activation(tf.nn.bias_add(tf.matmul(value, w), b))

  logits = layer(layer(inputs, 8, "hidden", tf.nn.relu), 3, "out", tf.identity)
  loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits))
  right = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, targets, 1), tf.float32))
  updates = _descend(tf, loss, tf.trainable_variables(), 0.3)
  return _train(tf, loss, updates, 20, lambda i: {inputs: x, targets: classes}) + [str(right.shape)]


program_two_layers.rtol = 2e-3
program_two_layers.atol = 1e-4


def program_momentum_by_hand(tf):
  x, y = _points()
  inputs, targets = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
  w = tf.Variable(tf.zeros([3, 1]), name="w")
  velocity = tf.Variable(tf.zeros_like(w.initialized_value()), trainable=False, name="velocity")
  loss = tf.reduce_mean(tf.square(tf.matmul(inputs, w) - targets))
  moved = tf.assign(velocity, 0.9 * velocity - 0.05 * tf.gradients(loss, w)[0])
  with tf.control_dependencies([loss]):
    update = tf.assign_add(w, moved)
  return _train(tf, loss, [update.op], 15, lambda i: {inputs: x, targets: y}, also=[velocity])


program_momentum_by_hand.rtol = 1e-3
program_momentum_by_hand.atol = 1e-4


def program_convolutional_network(tf):
  random = np.random.RandomState(1)
  images, labels = random.rand(16, 8, 8, 1).astype(np.float32), random.randint(0, 3, 16)
  x, y = tf.placeholder(tf.float32, [None, 8, 8, 1]), tf.placeholder(tf.int64, [None])

  def weights(shape, seed):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.3, seed=seed), name="weights")

  hidden = tf.nn.relu(tf.nn.conv2d(x, weights([3, 3, 1, 4], 1), [1, 1, 1, 1], "SAME") + tf.Variable(tf.zeros([4])))
  hidden = tf.nn.max_pool(hidden, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
  hidden = tf.nn.lrn(hidden, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75)
  hidden = tf.reshape(hidden, [-1, 4 * 4 * 4])
  logits = tf.matmul(hidden, weights([64, 3], 2)) + tf.Variable(tf.zeros([3]))
  loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
  updates = _descend(tf, loss, tf.trainable_variables(), 0.1)
  return _train(tf, loss, updates, 8, lambda i: {x: images, y: labels})


program_convolutional_network.rtol = 5e-3
program_convolutional_network.atol = 1e-4


def program_batch_norm_by_hand(tf):
  x, y = _points()
  inputs, targets = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
  training = tf.placeholder(tf.bool, [])
  gamma, beta = tf.Variable(tf.ones([3]), name="gamma"), tf.Variable(tf.zeros([3]), name="beta")
  mean, variance = tf.nn.moments(inputs, [0])
  moving_mean = tf.Variable(tf.zeros([3]), trainable=False, name="moving_mean")
  moving_variance = tf.Variable(tf.ones([3]), trainable=False, name="moving_variance")
  averages = [
    moving_mean.assign(moving_mean * 0.9 + mean * 0.1),
    moving_variance.assign(moving_variance * 0.9 + variance * 0.1),
  ]
  used = tf.cond(training, lambda: (mean, variance), lambda: (tf.identity(moving_mean), tf.identity(moving_variance)))
  normal = tf.nn.batch_normalization(inputs, used[0], used[1], beta, gamma, 1e-3)
  w = tf.Variable(tf.ones([3, 1]), name="w")
  loss = tf.reduce_mean(tf.square(tf.matmul(normal, w) - targets))
  updates = _descend(tf, loss, [gamma, beta, w], 0.1)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    found = [session.run([loss] + updates, {inputs: x, targets: y, training: True})[0] for _ in range(10)]
    session.run(averages, {inputs: x})
    return found + session.run([loss, moving_mean, moving_variance], {inputs: x, targets: y, training: False})


program_batch_norm_by_hand.rtol = 2e-3
program_batch_norm_by_hand.atol = 1e-4


def program_word_vectors(tf):
  tf.set_random_seed(11)
  words = np.array([0, 1, 2, 3, 4, 5, 6, 7] * 4, np.int32)
  inputs, labels = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [None, 1])
  embeddings = tf.Variable(tf.random_uniform([10, 4], -1.0, 1.0, seed=1), name="embeddings")
  weights = tf.Variable(tf.truncated_normal([10, 4], stddev=0.5, seed=2), name="weights")
  biases = tf.Variable(tf.zeros([10]), name="biases")
  embed = tf.nn.embedding_lookup(embeddings, inputs)
  loss = tf.reduce_mean(
    tf.nn.nce_loss(weights=weights, biases=biases, labels=labels, inputs=embed, num_sampled=3, num_classes=10)
  )
  updates = _descend(tf, loss, [embeddings, weights, biases], 0.5)
  norms = tf.nn.l2_normalize(embeddings, 1)
  similar = tf.nn.top_k(tf.matmul(norms, norms, transpose_b=True), k=3)
  feeds = {inputs: words[:-1], labels: words[1:, None]}
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    losses = [session.run([loss] + updates, feeds)[0] for _ in range(10)]
    return losses + [session.run(similar).indices.shape]


program_word_vectors.rtol = 5e-3
program_word_vectors.atol = 1e-3


def program_matrix_factorization_over_parts(tf):
  users = tf.get_variable(
    "users", [6, 2], initializer=tf.random_normal_initializer(seed=1), partitioner=tf.fixed_size_partitioner(2)
  )
  items = tf.get_variable(
    "items", [4, 2], initializer=tf.random_normal_initializer(seed=2), partitioner=tf.fixed_size_partitioner(2)
  )
  u, i, r = np.array([0, 1, 2, 3, 4, 5, 0]), np.array([0, 1, 2, 3, 0, 1, 2]), np.arange(7, dtype=np.float32) / 7
  rows = tf.nn.embedding_lookup(users, u, partition_strategy="div")
  columns = tf.nn.embedding_lookup(items, i, partition_strategy="div")
  loss = tf.reduce_mean(tf.squared_difference(tf.reduce_sum(rows * columns, 1), r))
  updates = _descend(tf, loss, list(users) + list(items), 0.2)
  return _train(tf, loss, updates, 12, lambda step: None)


program_matrix_factorization_over_parts.rtol = 2e-3
program_matrix_factorization_over_parts.atol = 1e-4


def program_k_means(tf):
  points = np.random.RandomState(3).randn(40, 2).astype(np.float32)
  x = tf.constant(points)
  centers = tf.Variable(tf.slice(x, [0, 0], [3, -1]), name="centers")
  distances = tf.reduce_sum(tf.square(tf.expand_dims(x, 1) - tf.expand_dims(centers, 0)), 2)
  nearest = tf.argmin(distances, 1)
  sums = tf.unsorted_segment_sum(x, nearest, 3)
  counts = tf.unsorted_segment_sum(tf.ones([40, 1]), nearest, 3)
  update = tf.assign(centers, sums / tf.maximum(counts, 1.0))
  loss = tf.reduce_mean(tf.reduce_min(distances, 1))
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(6):
      found.append(session.run(loss))
      session.run(update)
    return found + [session.run(centers)]


program_k_means.rtol = 1e-3
program_k_means.atol = 1e-4


def program_recurrent_network_by_while_loop(tf):
  inputs = np.random.RandomState(5).randn(4, 6, 3).astype(np.float32)
  targets = inputs.sum(axis=(1, 2)).astype(np.float32)[:, None]
  x, y = tf.placeholder(tf.float32, [4, 6, 3]), tf.placeholder(tf.float32, [4, 1])
  w = tf.get_variable("w", [8, 5], initializer=tf.glorot_uniform_initializer(seed=1))
  out = tf.get_variable("out", [5, 1], initializer=tf.glorot_uniform_initializer(seed=2))

  def body(i, state):
    return i + 1, tf.tanh(tf.matmul(tf.concat([x[:, i], state], 1), w))

  _, state = tf.while_loop(lambda i, state: i < 6, body, [0, tf.zeros([4, 5])])
  loss = tf.reduce_mean(tf.square(tf.matmul(state, out) - y))
  updates = _descend(tf, loss, [w, out], 0.05)
  return _train(tf, loss, updates, 8, lambda i: {x: inputs, y: targets})


program_recurrent_network_by_while_loop.rtol = 2e-3
program_recurrent_network_by_while_loop.atol = 1e-4


def program_decaying_rate(tf):
  step = tf.Variable(0, trainable=False, name="step")
  w = tf.Variable(5.0, name="w")
  rate = 0.4 * tf.pow(0.9, tf.cast(step, tf.float32))
  with tf.control_dependencies([tf.assign_sub(w, rate * 2.0 * w.read_value())]):
    update = tf.assign_add(step, 1)
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(8):
      session.run(update)
      found.append(session.run([w, step]))
  return found


program_decaying_rate.rtol = 1e-4


def program_autoencoder_with_shared_weights(tf):
  data = np.random.RandomState(6).rand(12, 6).astype(np.float32)
  x = tf.placeholder(tf.float32, [None, 6])
  w = tf.get_variable("w", [6, 3], initializer=tf.random_normal_initializer(stddev=0.3, seed=1))
  encode = tf.make_template(
    "code", lambda v: tf.sigmoid(tf.nn.bias_add(v, tf.get_variable("b", [3], initializer=tf.zeros_initializer())))
  )
  code = encode(tf.matmul(x, w))
  again = encode(tf.matmul(tf.nn.dropout(x, 1.0), w))
  loss = tf.reduce_mean(tf.square(tf.matmul(code, w, transpose_b=True) - x)) + 0.0 * tf.reduce_sum(again)
  updates = _descend(tf, loss, tf.trainable_variables(), 0.5)
  return _train(tf, loss, updates, 10, lambda i: {x: data})


program_autoencoder_with_shared_weights.rtol = 2e-3
program_autoencoder_with_shared_weights.atol = 1e-4


def program_counting_of_words(tf):
  words = tf.placeholder(tf.int32, [None])
  counts = tf.Variable(tf.zeros([5], tf.int64), name="counts", trainable=False)
  seen = tf.Variable(tf.zeros([], tf.int64), name="seen", trainable=False, use_resource=True)
  update = tf.group(
    tf.scatter_add(counts, words, tf.ones_like(words, tf.int64)), seen.assign_add(tf.size(words, out_type=tf.int64)).op
  )
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for batch in ([0, 1, 1], [4], [2, 2, 2, 0]):
      session.run(update, {words: batch})
      found.append(session.run([counts, seen]))
  return found
