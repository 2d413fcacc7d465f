"""Losses: cross entropies, norms, regression of counts."""

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


def program_softmax_cross_entropy(tf):
  logits, labels = tf.constant(_data(4, 3)), tf.nn.softmax(tf.constant(_data(4, 3) * 2))
  made = [
    tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits),
    tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=-1, name="first"),
    tf.nn.softmax_cross_entropy_with_logits_v2(labels, logits),
    tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, axis=0, name="rows"),
    tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=0, name="columns"),
    tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=None, axis=0),
    tf.nn.softmax_cross_entropy_with_logits_v2([[0, 1]], tf.constant([[1.0, 2.0]], tf.float16)),
    tf.nn.softmax_cross_entropy_with_logits_v2([[0.0, 1.0]], tf.constant([[1.0, 2.0]], tf.float64), dim=-1),
  ]
  return _run(tf, *made)


program_softmax_cross_entropy.rtol = 2e-3


def program_softmax_cross_entropy_of_images(tf):
  logits = tf.constant(_data(2, 3, 4, 5))
  labels = tf.one_hot(tf.argmax(_data(2, 3, 4, 5) * 3, axis=-1), 5)
  unknown = tf.placeholder_with_default(_data(2, 5), None)
  made = [
    tf.nn.softmax_cross_entropy_with_logits_v2(labels, logits),
    tf.nn.softmax_cross_entropy_with_logits_v2(labels, logits, axis=1),
    tf.nn.softmax_cross_entropy_with_logits_v2(tf.nn.softmax(unknown), unknown),
  ]
  return [str(m.shape) for m in made] + _run(tf, *made)


program_softmax_cross_entropy_of_images.rtol = 1e-5


def program_gradients_of_labels(tf):
  logits, labels = tf.constant(_data(4, 3)), tf.nn.softmax(tf.constant(_data(4, 3) * 2))
  old = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
  new = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
  return [tf.gradients(old, labels)] + _run(tf, tf.gradients(old, logits), tf.gradients(new, [labels, logits]))


program_gradients_of_labels.rtol = 1e-5


def program_sparse_softmax_cross_entropy(tf):
  logits = tf.constant(_data(4, 3))
  unknown = tf.placeholder_with_default(_data(2, 2, 3), None)
  open_labels = tf.placeholder_with_default(np.array([[0, 1], [2, 0]]), None)
  made = [
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1, 2, 0], logits=logits),
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.constant([0, 1, 2, 0], tf.int64), logits=logits, name="named"),
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[0, 1], [2, 0]], logits=tf.constant(_data(2, 2, 3))),
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=tf.constant([[1.0, 2.0]], tf.float16)),
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=1, logits=tf.constant([1.0, 2.0])),
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=open_labels, logits=unknown),
  ]
  return [str(m.shape) for m in made] + _run(tf, *made)


program_sparse_softmax_cross_entropy.rtol = 2e-3


def program_sigmoid_cross_entropy(tf):
  logits, labels = tf.constant(_data(4, 3)), tf.sigmoid(tf.constant(_data(4, 3) * 2))
  made = [
    tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits),
    tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="named"),
    tf.nn.weighted_cross_entropy_with_logits(labels, logits, 2.0),
    tf.nn.weighted_cross_entropy_with_logits(labels=labels, logits=logits, pos_weight=tf.constant(0.5), name="weighted"),
    tf.nn.weighted_cross_entropy_with_logits(targets=labels, logits=logits, pos_weight=3.0),
  ]
  return _run(tf, *made)


program_sigmoid_cross_entropy.rtol = 1e-5


def program_log_poisson(tf):
  targets, logs = tf.constant([0.0, 0.5, 3.0, 9.0]), tf.constant(_data(4))
  made = [
    tf.nn.log_poisson_loss(targets, logs),
    tf.nn.log_poisson_loss(targets=targets, log_input=logs, compute_full_loss=True, name="full"),
  ]
  return _run(tf, *made) + [_error(lambda: tf.nn.log_poisson_loss(targets, [1.0, 2.0]))]


program_log_poisson.rtol = 1e-5


def program_l2_loss(tf):
  x = _data(3, 4)
  return _run(tf, tf.nn.l2_loss(x), tf.nn.l2_loss(tf.constant(x, tf.float64), name="half"), tf.nn.l2_loss(t=[1.0, 2.0]))


program_l2_loss.rtol = 1e-6


def program_average_loss(tf):
  losses = tf.constant([1.0, 2.0, 3.0])
  made = [
    tf.nn.compute_average_loss(losses),
    tf.nn.compute_average_loss(losses, sample_weight=[1.0, 0.5, 0.0]),
    tf.nn.compute_average_loss(losses, global_batch_size=6),
    tf.nn.scale_regularization_loss(losses),
  ]
  return _run(tf, *made)


program_average_loss.values_only = True


def program_errors(tf):
  x, y = tf.zeros([2, 3]), tf.zeros([3, 2])
  tries = [
    lambda: tf.nn.softmax_cross_entropy_with_logits(labels=x),
    lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=x),
    lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=x),
    lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=y),
    lambda: tf.nn.weighted_cross_entropy_with_logits(x, y, 1.0),
    lambda: tf.nn.softmax_cross_entropy_with_logits_v2(x, y),
    lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[0], [1]], logits=x),
    lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1, 2], logits=x),
    lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=0, logits=tf.constant(1.0)),
    lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0.0, 1.0], logits=x),
  ]
  return [_error(t) for t in tries]
