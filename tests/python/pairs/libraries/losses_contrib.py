"""tf.contrib.losses beside tf_slim's."""

import numpy as np


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _losses(tf):
  """The functions of each side."""
  if tf.__name__ == "millrace":
    return tf.contrib.losses
  import tf_slim

  return tf_slim.losses


def _data(*shape, seed=0):
  return np.random.RandomState(len(shape) * 7 + sum(shape) + seed).randn(*shape).astype(np.float32)


def _run(tf, made):
  with tf.Session() as session:
    values = session.run(made)
  return values, [tensor.name.rpartition("/")[0] for tensor in made], [loss.name for loss in tf.get_collection("losses")]


WEIGHTS = [1.0, 0.0, 2, [1.0, 0.0], [[1.0], [0.5]], [[1.0, 0.0, 1.0], [1.0, 2.0, 1.0]]]


def program_regression(tf):
  losses = _losses(tf)
  predictions, labels = tf.constant(_data(2, 3)), tf.constant(_data(2, 3, seed=1))
  made = [losses.absolute_difference(predictions, labels), losses.mean_squared_error(predictions, labels)]
  for weights in WEIGHTS:
    made.append(losses.absolute_difference(predictions, labels, weights, "a"))
    made.append(losses.mean_squared_error(predictions=predictions, labels=labels, weights=weights, scope="m"))
    made.append(losses.compute_weighted_loss(predictions, weights, scope="w"))
  made.append(losses.absolute_difference(tf.constant([1, 2]), tf.constant([3.0, 5.0]), scope="integers"))
  made.append(losses.compute_weighted_loss(tf.constant([1, 2]), 3))
  made += [
    losses.cosine_distance(predictions, labels, axis=1),
    losses.cosine_distance(predictions, labels, weights=[1.0, 0.5], scope="c", dim=1),
    losses.mean_pairwise_squared_error(predictions, labels),
    losses.mean_pairwise_squared_error(predictions, labels, [1.0, 0.0], "p"),
    losses.mean_pairwise_squared_error(predictions, labels, 0.0),
    losses.mean_pairwise_squared_error(predictions[..., None], labels[..., None], [1.0, 0.5]),
  ]
  return _run(tf, made)


program_regression.rtol = 1e-5
program_regression.atol = 1e-6


def program_classification(tf):
  losses = _losses(tf)
  logits, labels = tf.constant(_data(2, 3)), tf.constant([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
  made = [
    losses.hinge_loss(logits, labels),
    losses.hinge_loss(logits=logits, labels=tf.cast(labels, tf.int32), scope="h"),
    losses.log_loss(tf.sigmoid(logits), labels),
    losses.log_loss(tf.sigmoid(logits), labels, [1.0, 0.5], 0.01, "l"),
    losses.sigmoid_cross_entropy(logits, labels),
    losses.sigmoid_cross_entropy(logits, labels, [1.0, 0.5], 0.1, "s"),
    losses.softmax_cross_entropy(logits, labels),
    losses.softmax_cross_entropy(logits, labels, [1.0, 0.5], 0.1, "s"),
    losses.softmax_cross_entropy(logits, tf.cast(labels, tf.int32), weights=0.5, scope="t"),
    losses.sparse_softmax_cross_entropy(logits, [1, 2]),
    losses.sparse_softmax_cross_entropy(logits, tf.constant([[1], [2]]), [[1.0], [0.5]], "s"),
  ]
  return _run(tf, made)


program_classification.rtol = 1e-5


def program_collections(tf):
  losses = _losses(tf)
  losses.mean_squared_error(tf.constant([1.0]), tf.constant([3.0]))
  losses.add_loss(tf.constant(5.0, name="own"))
  losses.add_loss(tf.constant(7.0, name="other"), "others")
  tf.add_to_collection("regularization_losses", tf.constant(0.5, name="r"))
  made = [losses.get_total_loss(), losses.get_total_loss(False, "without")]
  names = [
    [loss.name for loss in found]
    for found in [
      losses.get_losses(),
      losses.get_losses("own"),
      losses.get_losses(loss_collection="others"),
      losses.get_regularization_losses(),
      losses.get_regularization_losses("x"),
    ]
  ]
  return _run(tf, made), names, [tensor.name for tensor in made]


def program_errors(tf):
  losses = _losses(tf)
  one, other = tf.constant([[1.0, 2.0, 3.0]]), tf.constant([1.0])
  unknown = tf.placeholder_with_default(np.float32([1.0]), None)
  return [
    _error(lambda: losses.absolute_difference(one, other)),
    _error(lambda: losses.absolute_difference(one, one, None)),
    _error(lambda: losses.cosine_distance(one, one)),
    _error(lambda: losses.cosine_distance(one, one, axis=1, dim=1)),
    _error(lambda: losses.softmax_cross_entropy(one, other)),
    _error(lambda: losses.sigmoid_cross_entropy(one, other)),
    _error(lambda: losses.hinge_loss(one, other)),
    _error(lambda: losses.compute_weighted_loss(unknown)),
    _error(lambda: losses.compute_weighted_loss(one, unknown)),
    _error(lambda: losses.get_total_loss()),
  ]


def program_metric_learning(tf):
  learning = _losses(tf).metric_learning
  one, two = tf.constant(_data(6, 4)), tf.constant(_data(6, 4, seed=1))
  labels = tf.constant([0, 1, 0, 1, 2, 2])
  sparse = [tf.SparseTensor([[0]], [1], [3])] * 3 + [tf.SparseTensor([[0], [1]], [1, 1], [3])] * 3
  made = [
    learning.contrastive_loss(tf.constant([0, 1, 0, 1, 1, 0]), one, two),
    learning.contrastive_loss(tf.constant([0, 1, 0, 1, 1, 0]), one, two, margin=2.0),
    learning.triplet_semihard_loss(labels, one),
    learning.triplet_semihard_loss(labels, one, margin=0.3),
    learning.triplet_semihard_loss(tf.constant([0, 0, 0, 1, 1, 1]), two * 3.0, margin=5.0),
    learning.npairs_loss(labels, one, two),
    learning.npairs_loss(labels, one, two, reg_lambda=0.1, print_losses=True),
    learning.npairs_loss_multilabel(sparse, one, two),
    learning.npairs_loss_multilabel(sparse, one, two, reg_lambda=0.1, print_losses=True),
    learning.lifted_struct_loss(labels, one),
    learning.lifted_struct_loss(labels, one, margin=0.3),
  ]
  gradients = [tf.gradients(loss, one)[0] for loss in made]
  with tf.Session() as session:
    return session.run(made), session.run(gradients)


program_metric_learning.rtol = 1e-4
program_metric_learning.atol = 1e-5
