"""Shapes asked for, given and broadcast."""

import numpy as np


def run(tf, fetches, feed=None):
  with tf.Session() as session:
    return session.run(fetches, feed)


def caught(function):
  """Returns the error that a function raises, or what it returns."""
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def program_reshape(tf):
  x = tf.constant(np.arange(12, dtype=np.float32))
  p = tf.placeholder(tf.float32, [None, 4])
  rows = tf.shape(p)[0]
  results = [
    tf.reshape(x, [3, 4]),
    tf.reshape(x, (-1, 2, 3), name="named"),
    tf.reshape(tensor=[[1, 2], [3, 4]], shape=[4]),
    tf.reshape(p, [rows * 2, 2]),
    tf.reshape(p, [-1, tf.constant(2)]),
    tf.reshape(x, tf.TensorShape([2, 6])),
    tf.reshape(x, (tf.Dimension(4), 3)),
    tf.reshape([5], []),
    tf.manip.reshape(x, [12, 1]),
  ]
  shapes = [str(result.shape) for result in results]
  return shapes, run(tf, results, {p: np.ones((3, 4))})


def program_reshape_errors(tf):
  x = tf.zeros([2, 3])
  return [
    caught(lambda: tf.reshape(x, [4, 2])),
    caught(lambda: tf.reshape(x, 2.5)),
    caught(lambda: tf.reshape(x, [4, -1])),
  ]


def program_shape_size_rank(tf):
  known = tf.zeros([2, 3], name="known")
  partly = tf.placeholder(tf.float32, [None, 3])
  unknown = tf.placeholder(tf.float32)
  results = []
  for x in (known, partly, unknown):
    results += [
      tf.shape(x),
      tf.shape(x, name="s", out_type=tf.int64),
      tf.size(x),
      tf.size(x, name="z", out_type=tf.int64),
      tf.rank(x),
      tf.rank(x, name="r"),
    ]
  results += [tf.shape([[1, 2]]), tf.size([1, 2, 3]), tf.rank(5)]
  results += tf.shape_n([known, partly])
  results += tf.shape_n([known, [1]], out_type=tf.int64, name="n")
  return run(tf, results, {partly: np.ones((4, 3)), unknown: np.ones((2, 1, 5))})


def program_shape_of_sparse(tf):
  sparse = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 4])
  return run(tf, [tf.shape(sparse), tf.shape(sparse, out_type=tf.int64), tf.size(sparse), tf.rank(sparse)])


def program_expand_and_squeeze(tf):
  x = tf.placeholder(tf.float32, [2, None])
  results = [
    tf.expand_dims(x, 0),
    tf.expand_dims(x, axis=-1, name="last"),
    tf.expand_dims(x, dim=1),
    tf.expand_dims([1, 2], [1]),
    tf.squeeze(tf.expand_dims(x, 0)),
    tf.squeeze(tf.zeros([1, 2, 1]), axis=2),
    tf.squeeze(tf.zeros([1, 2, 1]), [0, 2], name="both"),
    tf.squeeze(tf.zeros([1, 2, 1]), squeeze_dims=[-1]),
  ]
  errors = [
    caught(lambda: tf.expand_dims(x)),
    caught(lambda: tf.expand_dims(x, axis=1, dim=1)),
    caught(lambda: tf.expand_dims(x, 5)),
    caught(lambda: tf.squeeze(x, axis=0)),
    caught(lambda: tf.squeeze(x, axis=0, squeeze_dims=0)),
  ]
  return [str(result.shape) for result in results], errors, run(tf, results, {x: np.ones((2, 3))})


def program_broadcast(tf):
  x = tf.constant([[1.0], [2.0]])
  static = tf.broadcast_static_shape(tf.TensorShape([1, 3]), tf.TensorShape([2, 1]))
  unknown = tf.broadcast_static_shape(tf.TensorShape([None, 3]), tf.TensorShape([2, 1]))
  nothing = tf.broadcast_static_shape(tf.TensorShape(None), tf.TensorShape([2, 1]))
  error = caught(lambda: tf.broadcast_static_shape(tf.TensorShape([2]), tf.TensorShape([3])))
  results = [
    tf.broadcast_to(x, [2, 3]),
    tf.broadcast_to(5, [2, 2], name="five"),
    tf.broadcast_dynamic_shape(tf.constant([1, 3]), tf.constant([2, 1])),
    tf.broadcast_dynamic_shape([4], [2, 4]),
  ]
  return str(static), str(unknown), str(nothing), error, run(tf, results)


def program_ensure_shape(tf):
  x = tf.placeholder(tf.float32)
  y = tf.ensure_shape(x, [2, None], name="checked")
  wrong = caught(lambda: run(tf, y, {x: np.ones((3, 1))}))
  return str(y.shape), run(tf, y, {x: np.ones((2, 3))}), wrong


def program_identities(tf):
  x = tf.constant([1.0, 2.0])
  sparse = tf.identity(tf.SparseTensor([[0]], [1.0], [2]))
  slices = tf.identity(tf.IndexedSlices(x, tf.constant([0, 1]), tf.constant([4])))
  results = [
    tf.identity(x),
    tf.identity([3], name="three"),
    tf.identity_n([x, tf.constant(1)]),
    tf.identity_n([1, 2.5], name="two"),
    tf.stop_gradient(x, name="stopped"),
    tf.guarantee_const(x, name="same"),
    tf.bitcast(x, tf.uint8, name="bytes"),
    tf.bitcast(tf.constant([[1, 2]], tf.int32), type=tf.int64),
    sparse,
    [slices.values, slices.indices, slices.dense_shape],
    tf.fingerprint([b"abc", b"d"], name="hash"),
  ]
  return run(tf, results)


def program_placeholders(tf):
  plain = tf.placeholder(tf.float32)
  shaped = tf.placeholder(tf.int32, [None, 2], name="shaped")
  text = tf.placeholder("string", ())
  default = tf.placeholder_with_default([1.0, 2.0], [None], name="default")
  constant = tf.placeholder_with_default(3, shape=[])
  fetches = [plain * 2, shaped + 1, tf.identity(text), default, constant + 0]
  first = {plain: [1.0], shaped: [[1, 2]], text: "a"}
  second = {plain: 4.0, shaped: np.zeros((0, 2)), text: b"b", default: [5.0], constant: 7}
  return run(tf, fetches, first), run(tf, fetches, second), caught(lambda: run(tf, plain)), caught(lambda: run(tf, shaped + 0))


def program_shapes_of_placeholders_that_are_none(tf):
  shapes = [[2, "a"], "a", [-3], [2.5], 2.5]
  return [
    [caught(lambda shape=shape: tf.placeholder(tf.float32, shape)) for shape in shapes],
    [caught(lambda shape=shape: tf.placeholder_with_default([1.0], shape)) for shape in shapes],
  ]


def program_sparse_placeholder(tf):
  unknown = tf.sparse_placeholder(tf.float32)
  named = tf.sparse_placeholder(tf.float32, [3, None], name="named")
  known = tf.sparse.placeholder(tf.int64, shape=np.array([2, 2]))
  value = tf.SparseTensorValue([[0, 1]], [5.0], [3, 4])
  fetches = [tf.sparse.to_dense(unknown), tf.sparse.to_dense(named), tf.sparse.to_dense(known)]
  feed = {unknown: value, named: value, known: (np.array([[1, 1]]), np.array([7]), np.array([2, 2]))}
  return str(unknown.shape), str(named.shape), str(known.shape), run(tf, fetches, feed)


def program_scalars_of_unknown_rank(tf):
  """A number of unknown rank among known ones is a scalar: the others give the shape."""
  number, ones = tf.placeholder(tf.int32), tf.ones([1, 5, 2])
  results = [
    tf.tile(ones, [number, 1, 1]),
    tf.reshape(ones, [number, 5, 2]),
    tf.zeros([number, 3]),
    tf.fill(tf.stack([2, number]), 1.0),
    tf.zeros(tf.stack([number, number])),
  ]
  return [str(result.shape) for result in results]
