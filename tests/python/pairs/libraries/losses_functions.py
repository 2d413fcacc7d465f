"""tf.losses: each function with weights of all shapes, reductions, collections and scopes."""

import numpy as np

GRAPHS = True


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _data(*shape):
  return np.random.RandomState(len(shape) * 7 + sum(shape)).randn(*shape).astype(np.float32)


def _run(tf, made):
  with tf.Session() as session:
    return [session.run(made), [tensor.name for tensor in made], [str(tensor.shape) for tensor in made]]


def _weights():
  return [2, 0.0, np.ones([1, 1]), [[1.0], [0.0]], [[0.5, 0.0, 2.0]], [[1.0, 2.0, 3.0], [0.0, 0.0, 1.0]]]


def _reductions(tf):
  return [
    tf.losses.Reduction.NONE,
    tf.losses.Reduction.SUM,
    tf.losses.Reduction.MEAN,
    tf.losses.Reduction.SUM_OVER_BATCH_SIZE,
    tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS,
    tf.losses.Reduction.SUM_OVER_NONZERO_WEIGHTS,
  ]


def program_absolute_difference(tf):
  labels, predictions = tf.constant(_data(2, 3)), tf.constant(_data(2, 3) * 2)
  made = [tf.losses.absolute_difference(labels, predictions)]
  made += [tf.losses.absolute_difference(labels, predictions, weights) for weights in _weights()]
  made += [tf.losses.absolute_difference(labels, predictions, 2.0, "mine", "others", reduction) for reduction in _reductions(tf)]
  return _run(tf, made) + [[loss.name for loss in tf.get_collection("others")]]


program_absolute_difference.rtol = 1e-5


def program_mean_squared_error(tf):
  labels, predictions = tf.constant(_data(2, 3)), tf.constant(_data(2, 3) * 2)
  made = [tf.losses.mean_squared_error(labels, predictions)]
  for reduction in _reductions(tf):
    for weights in _weights():
      made.append(
        tf.losses.mean_squared_error(
          labels=labels, predictions=predictions, weights=weights, scope="s", loss_collection=None, reduction=reduction
        )
      )
  made.append(tf.losses.mean_squared_error([1, 2], np.array([1.5, 2.5])))
  return _run(tf, made)


program_mean_squared_error.rtol = 1e-5


def program_cosine_distance(tf):
  labels, predictions = tf.nn.l2_normalize(_data(2, 3), 1), tf.nn.l2_normalize(_data(3, 2).T, 1)
  made = [
    tf.losses.cosine_distance(labels, predictions, axis=1),
    tf.losses.cosine_distance(labels, predictions, dim=1),
    tf.losses.cosine_distance(labels, predictions, 0, [[1.0, 0.0, 2.0]], "named", "other", tf.losses.Reduction.SUM),
    tf.losses.cosine_distance(labels, predictions, axis=1, weights=[[2.0], [3.0]], reduction=tf.losses.Reduction.NONE),
  ]
  return _run(tf, made)


program_cosine_distance.rtol = 1e-5
program_cosine_distance.atol = 1e-6


def program_hinge_loss(tf):
  labels, logits = tf.constant([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]]), tf.constant(_data(2, 3))
  made = [tf.losses.hinge_loss(labels, logits)]
  made += [
    tf.losses.hinge_loss(labels, logits, [[1.0], [0.5]], scope="h", loss_collection="c", reduction=reduction)
    for reduction in _reductions(tf)
  ]
  return _run(tf, made)


program_hinge_loss.rtol = 1e-5


def program_huber_loss(tf):
  labels, predictions = tf.constant(_data(2, 3)), tf.constant(_data(2, 3) * 4)
  made = [tf.losses.huber_loss(labels, predictions)]
  made += [
    tf.losses.huber_loss(labels, predictions, [[1.0], [0.5]], 0.5, scope="h", loss_collection="c", reduction=reduction)
    for reduction in _reductions(tf)
  ]
  return _run(tf, made)


program_huber_loss.rtol = 1e-5


def program_log_loss(tf):
  labels, predictions = tf.constant([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]]), tf.sigmoid(_data(2, 3))
  made = [tf.losses.log_loss(labels, predictions), tf.losses.log_loss([0, 1], [0.0, 0.0])]
  made += [
    tf.losses.log_loss(labels, predictions, [[1.0], [0.5]], epsilon=0.01, scope="h", loss_collection="c", reduction=reduction)
    for reduction in _reductions(tf)
  ]
  return _run(tf, made)


program_log_loss.rtol = 1e-5


def program_mean_pairwise_squared_error(tf):
  labels, predictions = tf.constant(_data(2, 3)), tf.constant(_data(2, 3) * 2)
  made = [
    tf.losses.mean_pairwise_squared_error(labels, predictions),
    tf.losses.mean_pairwise_squared_error(labels, predictions, [[1.0], [0.0]], "pairs", "c"),
    tf.losses.mean_pairwise_squared_error(labels, predictions, weights=0.0, scope="none", loss_collection=None),
    tf.losses.mean_pairwise_squared_error(_data(2, 3, 2), _data(2, 3, 2) * 3),
    tf.losses.mean_pairwise_squared_error([[1.0]], [[2.0]]),
  ]
  return _run(tf, made)


program_mean_pairwise_squared_error.rtol = 1e-4


def program_sigmoid_cross_entropy(tf):
  labels, logits = tf.constant([[0, 1, 1], [1, 0, 0]]), tf.constant(_data(2, 3))
  made = [tf.losses.sigmoid_cross_entropy(labels, logits)]
  made += [
    tf.losses.sigmoid_cross_entropy(labels, logits, [[1.0], [0.5]], 0.2, scope="h", loss_collection="c", reduction=reduction)
    for reduction in _reductions(tf)
  ]
  return _run(tf, made)


program_sigmoid_cross_entropy.rtol = 1e-5


def program_softmax_cross_entropy(tf):
  labels, logits = tf.one_hot([0, 2], 3), tf.constant(_data(2, 3))
  made = [tf.losses.softmax_cross_entropy(labels, logits), tf.losses.softmax_cross_entropy([[0, 1, 0], [1, 0, 0]], logits)]
  made += [
    tf.losses.softmax_cross_entropy(labels, logits, [1.0, 0.5], 0.2, scope="h", loss_collection="c", reduction=reduction)
    for reduction in _reductions(tf)
  ]
  made.append(tf.losses.softmax_cross_entropy(onehot_labels=labels, logits=logits, weights=[0.0, 0.0]))
  return _run(tf, made)


program_softmax_cross_entropy.rtol = 1e-5


def program_sparse_softmax_cross_entropy(tf):
  logits = tf.constant(_data(2, 3))
  made = [
    tf.losses.sparse_softmax_cross_entropy([0, 2], logits),
    tf.losses.sparse_softmax_cross_entropy([[0], [2]], logits, weights=[[1.0], [0.5]]),
    tf.losses.sparse_softmax_cross_entropy(tf.constant([0, 2], tf.int64), logits, weights=tf.constant([[1.0], [0.5]])),
  ]
  made += [
    tf.losses.sparse_softmax_cross_entropy([0, 2], logits, [1.0, 0.5], scope="h", loss_collection="c", reduction=reduction)
    for reduction in _reductions(tf)
  ]
  return _run(tf, made)


program_sparse_softmax_cross_entropy.rtol = 1e-5


def program_shapes_that_are_unknown(tf):
  labels = tf.placeholder_with_default(np.array([[0], [2]]), None)
  logits = tf.placeholder_with_default(_data(2, 3), [None, 3])
  column = tf.placeholder_with_default(np.float32([[1.0], [0.5]]), None)
  row = tf.placeholder_with_default(np.float32([1.0, 0.0]), [None])
  scalar = tf.placeholder_with_default(np.float32(2.0), None)
  values = tf.placeholder_with_default(_data(2, 3), None)
  made = [
    tf.losses.sparse_softmax_cross_entropy([[0], [2]], logits, column),
    tf.losses.sparse_softmax_cross_entropy([0, 2], logits, row),
    tf.losses.sparse_softmax_cross_entropy([0, 2], logits, scalar),
    tf.losses.mean_squared_error(values, values * 2, scalar),
    tf.losses.mean_squared_error(values, values * 2, column),
    tf.losses.mean_squared_error(values, values * 3, values, reduction=tf.losses.Reduction.MEAN),
    tf.losses.mean_squared_error(logits, logits * 3, column, reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE),
    tf.losses.mean_pairwise_squared_error(values, values * 2, column),
    tf.losses.compute_weighted_loss(values, column, reduction=tf.losses.Reduction.NONE),
  ]
  with tf.Session() as session:
    return session.run(made), session.run(
      tf.losses.sparse_softmax_cross_entropy(labels, tf.placeholder_with_default(_data(2, 3), [2, 3]), column)
    )


program_shapes_that_are_unknown.rtol = 1e-4


def program_shapes_that_do_not_fit(tf):
  values = tf.placeholder_with_default(_data(2, 3), None)
  weights = tf.placeholder_with_default(np.float32([1.0, 2.0, 3.0]), None)
  column = tf.placeholder_with_default(np.float32([[1.0, 2.0]]), None)
  loss, other = tf.losses.mean_squared_error(values, values, weights), tf.losses.mean_squared_error(values, values, column)
  with tf.Session() as session:
    return _error(lambda: session.run(loss)), _error(lambda: session.run(other))


program_shapes_that_do_not_fit.values_only = True


def program_compute_weighted_loss(tf):
  made = [
    tf.losses.compute_weighted_loss([1.0, 2.0, 3.0]),
    tf.losses.compute_weighted_loss(tf.constant([1.0, 2.0], tf.float64), 0.5),
    tf.losses.compute_weighted_loss(tf.constant([1, 2]), [3, 4], "integers", "c", tf.losses.Reduction.SUM),
    tf.losses.compute_weighted_loss(losses=tf.constant([1.0, 2.0], tf.float16), weights=[0.0, 0.0], scope="half"),
    tf.losses.compute_weighted_loss(3.0),
    tf.losses.compute_weighted_loss(np.zeros([0, 3], np.float32)),
  ]
  return _run(tf, made)


def program_collections(tf):
  first = tf.losses.mean_squared_error([1.0], [3.0], scope="a")
  with tf.name_scope("b"):
    tf.losses.absolute_difference([1.0], [3.0])
  tf.losses.add_loss(tf.constant(5.0, name="own"))
  tf.losses.add_loss(tf.constant(7.0, name="other"), "others")
  tf.losses.add_loss(first, None)
  none = tf.losses.get_regularization_loss()
  tf.get_variable("v", [2], initializer=tf.ones_initializer(), regularizer=lambda v: tf.reduce_sum(v) * 0.25)
  with tf.variable_scope("b"):
    tf.get_variable("w", [2], initializer=tf.ones_initializer(), regularizer=lambda v: tf.reduce_sum(v) * 0.5)
  made = [
    none,
    tf.losses.get_regularization_loss(),
    tf.losses.get_regularization_loss("b", "only_b"),
    tf.losses.get_total_loss(),
    tf.losses.get_total_loss(False, "without"),
    tf.losses.get_total_loss(add_regularization_losses=True, name="in_b", scope="b"),
  ]
  names = [
    [loss.name for loss in losses]
    for losses in [
      tf.losses.get_losses(),
      tf.losses.get_losses("b"),
      tf.losses.get_losses(loss_collection="others"),
      tf.losses.get_regularization_losses(),
      tf.losses.get_regularization_losses("b"),
    ]
  ]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(made), names, [tensor.name for tensor in made]


def program_reductions(tf):
  found = [tf.losses.Reduction.all()]
  for key in tf.losses.Reduction.all():
    found.append(tf.losses.Reduction.validate(key))
  return found + [_error(lambda: tf.losses.Reduction.validate("mean")), tf.losses.Reduction.SUM_OVER_NONZERO_WEIGHTS]


def program_errors(tf):
  return [
    _error(lambda: tf.losses.mean_squared_error(None, [1.0])),
    _error(lambda: tf.losses.mean_squared_error([1.0], None)),
    _error(lambda: tf.losses.absolute_difference(None, [1.0])),
    _error(lambda: tf.losses.huber_loss([1.0], None)),
    _error(lambda: tf.losses.hinge_loss(None, [1.0])),
    _error(lambda: tf.losses.hinge_loss([1.0], None)),
    _error(lambda: tf.losses.log_loss([1.0], None)),
    _error(lambda: tf.losses.cosine_distance([1.0], [1.0])),
    _error(lambda: tf.losses.cosine_distance([1.0], [1.0], axis=0, dim=0)),
    _error(lambda: tf.losses.cosine_distance(None, [1.0], axis=0)),
    _error(lambda: tf.losses.mean_pairwise_squared_error(None, [[1.0]])),
    _error(lambda: tf.losses.sigmoid_cross_entropy(None, [1.0])),
    _error(lambda: tf.losses.softmax_cross_entropy(None, [1.0])),
    _error(lambda: tf.losses.softmax_cross_entropy([1.0], None)),
    _error(lambda: tf.losses.sparse_softmax_cross_entropy(None, [1.0])),
    _error(lambda: tf.losses.sparse_softmax_cross_entropy([1], [[1.0, 2.0]], weights=None)),
    _error(lambda: tf.losses.mean_squared_error([1.0], [1.0], weights=None)),
    _error(lambda: tf.losses.mean_squared_error([1.0], [1.0], reduction="mean")),
    _error(lambda: tf.losses.mean_squared_error([1.0], [1.0, 2.0])),
    _error(lambda: tf.losses.mean_squared_error([[1.0, 2.0]], [[1.0, 2.0]], weights=[1.0])),
    _error(lambda: tf.losses.mean_squared_error([[1.0, 2.0]], [[1.0, 2.0]], weights=[[1.0, 2.0, 3.0]])),
    _error(lambda: tf.losses.mean_pairwise_squared_error([[1.0, 2.0]], [[1.0, 2.0]], weights=[1.0])),
    _error(lambda: tf.losses.get_total_loss()),
  ]


program_errors.values_only = True


def program_gradients(tf):
  x, w = tf.Variable(_data(2, 3), name="x"), tf.Variable(_data(3, 3), name="w")
  logits = tf.matmul(x, w)
  labels = tf.one_hot([0, 2], 3)
  losses = [
    tf.losses.softmax_cross_entropy(labels, logits, [1.0, 0.5]),
    tf.losses.sparse_softmax_cross_entropy([0, 2], logits),
    tf.losses.sigmoid_cross_entropy(labels, logits),
    tf.losses.mean_squared_error(labels, logits, [[0.0], [1.0]]),
    tf.losses.huber_loss(labels, logits),
    tf.losses.mean_pairwise_squared_error(labels, logits),
    tf.losses.hinge_loss(labels, logits),
    tf.losses.absolute_difference(labels, logits),
  ]
  step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.losses.get_total_loss())
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    found = [session.run(tf.gradients(loss, [x, w])) for loss in losses]
    for _ in range(3):
      session.run(step)
    return found, session.run([x, w])


program_gradients.rtol = 1e-4
program_gradients.atol = 1e-5
program_gradients.values_only = True  # later attributes of MatMul
