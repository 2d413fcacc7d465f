"""tf.compat.v2 in graphs: TensorFlow 2's order of arguments."""

import numpy as np


def run(tf, fetches, feed=None):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(fetches, feed)


def caught(function):
  """Returns the error that a function raises, or what it returns."""
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def program_positions(tf):
  second = tf.compat.v2
  rows = tf.constant([[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]])
  results = [
    second.argmax(rows, 1, tf.int32),
    second.math.argmin(rows, 0, tf.int64, "least"),
    second.convert_to_tensor(3, None, tf.float32),
    second.gather(rows, [1], None, 1, 0),
    second.boolean_mask(rows, [True, False, True], 1),
    second.pad(rows, [[0, 0], [1, 0]], "CONSTANT", 7.0),
    second.transpose(tf.cast(rows, tf.complex64), [1, 0], True),
    second.zeros_like(rows, tf.int32),
    second.ones_like(input=rows),
    second.shape(rows, tf.int64),
    second.size(input=rows),
    second.norm(rows, 1, 1, True),
    second.reduce_sum(rows, 1, True, "sum"),
    second.reduce_max(rows, axis=0, keepdims=True),
    second.math.count_nonzero(rows, 0),
    second.nn.crelu(rows, 0),
    second.nn.in_top_k([1, 2], rows, 1),
    second.nn.softmax(rows, 0),
    second.random.poisson([2, 3], 0.0),
    second.strings.length(["ä"], "UTF8_CHAR"),
    second.strings.substr(["abc"], 1, 1, "BYTE"),
    *second.nn.moments(rows, [1], None, True),
    *second.tuple([rows, rows], [rows]),
  ]
  return [str(result.shape) for result in results], run(tf, results)


def program_where_and_loops(tf):
  second = tf.compat.v2
  rows = tf.constant([[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]])
  results = [
    second.where(rows > 2.5, rows, 0.0),
    second.where([[True], [False]], rows, -rows),
    second.where(rows > 2.5),
    second.while_loop(lambda i: i < 3, lambda i: (i + 1,), (tf.constant(0),))[0],
    second.cond(tf.constant(True), lambda: rows, lambda: -rows, "choice"),
    second.strings.split(["a b", "c"]).values,
  ]
  return run(tf, results)


def program_variables(tf):
  second = tf.compat.v2
  made = second.Variable([1.0, 2.0], False, name="made", dtype=tf.float64)
  grown = second.Variable(lambda: tf.ones([2]), constraint=tf.nn.relu)
  old = tf.Variable(0.0)
  kinds = [isinstance(variable, second.Variable) for variable in (made, grown, old, tf.constant(1.0))]
  kinds += [made in tf.trainable_variables(), grown in tf.trainable_variables()]
  return kinds, made.op.type, made.name, run(tf, [made, grown, made.assign_add([1.0, 1.0])])


def program_initializers(tf):
  second = tf.compat.v2
  made = [
    second.zeros_initializer()([2], tf.int32),
    second.ones_initializer()([2]),
    second.constant_initializer(3.0)([2]),
    second.random_uniform_initializer(seed=1)([1000]),
    second.random_normal_initializer(seed=1)([1000]),
  ]
  found = run(tf, made)
  return [value.tolist() for value in found[:3]], [bool(np.all(abs(value) < 0.25)) for value in found[3:]]


def program_layers(tf):
  second = tf.compat.v2
  image = tf.constant(np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2))
  kernel = tf.constant(np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2))
  return run(
    tf,
    [
      second.nn.conv2d(image, kernel, 1, "SAME", "NHWC", 2),
      second.nn.conv2d(image, filters=kernel, strides=[1, 2, 2, 1], padding="VALID"),
      second.nn.max_pool(image, 2, 2, "VALID"),
      second.nn.space_to_depth(image, 2),
      second.nn.embedding_lookup(tf.constant([[1.0], [2.0]]), [1, 0]),
      second.nn.softmax_cross_entropy_with_logits([[1.0, 0.0]], [[2.0, 1.0]], -1),
      second.nn.dropout(image, 0.0),
    ],
  )


def program_checks(tf):
  second = tf.compat.v2
  x = tf.placeholder(tf.int32, [])
  equal = second.debugging.assert_equal(x, 1, "that was all", None, "check")
  wrong = [
    caught(lambda: second.argmax([1], dimension=0)),
    caught(lambda: second.debugging.assert_positive(tf.constant(-1), "not that")),
    caught(lambda: second.reduce_sum([1], 0, keep_dims=True)),
    caught(lambda: run(tf, equal, {x: 2})),
  ]
  return equal.name, [type(error).__name__ for error in wrong], "that was all" in str(wrong[-1])


def program_names(tf):
  second = tf.compat.v2
  with second.name_scope("outer") as scope:
    inner = second.constant(1.0, tf.float64, [2])
  return scope, inner.name, inner.shape.as_list()
