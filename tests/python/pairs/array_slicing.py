"""Indexing of tensors and of variables."""

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


def program_constant_indices(tf):
  x = tf.constant(np.arange(60).reshape(3, 4, 5))
  results = [
    x[0],
    x[-1],
    x[1:],
    x[:2, 1],
    x[..., 2],
    x[:, tf.newaxis, 1:3],
    x[None, ..., None],
    x[::2, ::-1, 1::2],
    x[0, 1, 2],
    x[-2:, :-1],
    x[[1, 2]],
    x[np.int64(1), np.array(2)],
    x[...],
    x[()],
    x[slice(0, 2)],
    x[(slice(0, 2), Ellipsis, 1)],
    x[1:1],
  ]
  return [str(result.shape) for result in results], run(tf, results)


def program_tensor_indices(tf):
  x = tf.placeholder(tf.float32, [None, 5])
  i = tf.placeholder(tf.int32, [])
  j = tf.placeholder(tf.int64, [])
  v = tf.Variable(1)
  results = [
    x[i],
    x[i:],
    x[:i, 2],
    x[1:i:2],
    x[j],
    x[j:, 1],
    x[0:i, j:],
    x[tf.shape(x)[0] - 1],
    x[v],
    x[:v],
    x[i, ..., tf.newaxis],
    x[tf.constant([True, False, True, True])],
    x[x > 10],
  ]
  with tf.Session() as session:
    session.run(v.initializer)
    return session.run(results, {x: np.arange(20).reshape(4, 5), i: 3, j: 2})


def program_dimension_indices(tf):
  x = tf.zeros([4, 5])
  results = [x[: x.shape[0]], x[x.shape[0] - 1 :], x[0 : tf.Dimension(2), tf.Dimension(1)]]
  return [str(result.shape) for result in results], run(tf, results)


def program_wrong_indices(tf):
  x = tf.placeholder(tf.float32, [None, 3])
  return [
    caught(lambda: x[1.5]),
    caught(lambda: x["a"]),
    caught(lambda: x[tf.constant(1.0)]),
    caught(lambda: x[tf.constant([1, 2])]),
    caught(lambda: x[np.array([1, 2])]),
    caught(lambda: x[..., ...]),
    caught(lambda: x[0, 1, 2]),
    caught(lambda: x[1.0:]),
    caught(lambda: x[::0]),
    caught(lambda: x[True]),
    caught(lambda: tf.constant(1)[0]),
    caught(lambda: x[tf.constant(1, tf.int8)]),
    caught(lambda: tf.zeros([2])[5]),
    caught(lambda: len(x)),
  ]


def program_strided_slice(tf):
  x = tf.constant(np.arange(20).reshape(4, 5))
  p = tf.placeholder(tf.int32, [2])
  results = [
    tf.strided_slice(x, [0, 1], [2, 3]),
    tf.strided_slice(x, [3, 4], [0, 0], [-1, -2], name="back"),
    tf.strided_slice(x, [1, 1], [3, 3], [1, 1], begin_mask=1, end_mask=2),
    tf.strided_slice(x, [1, 1], [2, 3], [1, 1], shrink_axis_mask=1),
    tf.strided_slice(x, [0, 0, 2], [0, 0, 3], [1, 1, 1], ellipsis_mask=1, new_axis_mask=2),
    tf.strided_slice(x, p, [4, 4]),
    tf.strided_slice(input_=x, begin=p, end=[4, 4], strides=[2, 1]),
  ]
  return [str(result.shape) for result in results], run(tf, results, {p: [1, 2]})


def program_slice(tf):
  x = tf.constant(np.arange(20).reshape(4, 5))
  p = tf.placeholder(tf.int64, [2])
  n = tf.placeholder(tf.int32, [])
  results = [
    tf.slice(x, [0, 1], [2, 3]),
    tf.slice(x, begin=[1, 1], size=[-1, 2], name="rest"),
    tf.slice(x, p, [1, 2]),
    tf.slice([1, 2, 3], [1], [n]),
  ]
  wrong = caught(lambda: run(tf, tf.slice(x, p, [4, 4]), {p: [2, 2]}))
  return [str(result.shape) for result in results], wrong, run(tf, results, {p: [2, 0], n: 1})


def program_shapes_of_slices_that_begin_anywhere(tf):
  """In a loop, the begin is often the step in one dimension and zero in the others."""
  n, c, u = tf.placeholder(tf.int32, []), tf.zeros([3, 2, 4, 1]), tf.placeholder(tf.float32, [None, 2, 4])
  slices = [
    tf.slice(c, [n, 0, 0, 0], [1, -1, -1, -1]),
    tf.slice(c, [0, 1, n, 0], [-1, 1, -1, -1]),
    tf.slice(c, tf.stack([0, 1, n, 0]), tf.stack([-1, 1, -1, n])),
    tf.slice(u, [0, n, 1], [-1, -1, -1]),
    tf.slice(u, [n, n, n], [-1, -1, 2]),
    tf.slice(tf.placeholder(tf.float32), [n, 0], [-1, 3]),
  ]
  return [s.shape.as_list() for s in slices]


def program_assign_to_slices(tf):
  v = tf.Variable(np.zeros((3, 4), np.float32))
  ops = [
    v[0].assign([1.0, 2.0, 3.0, 4.0]),
    v[1:, 1].assign([5, 6]),
    v[::2, -1].assign([7.0, 8.0], name="ends"),
    tf.strided_slice(v, [1, 2], [2, 4], [1, 1], var=v).assign([[9.0, 9.0]], name="part"),
  ]
  column = tf.placeholder(tf.int32, [])
  ops.append(v[2, column].assign(-1.0))
  with tf.Session() as session:
    session.run(v.initializer)
    return [session.run(op, {column: 0}) for op in ops], session.run(v[1:3, ::2])


def program_assign_to_slices_of_resource_variables(tf):
  v = tf.Variable(np.zeros((2, 3), np.float32), use_resource=True)
  first = v[0].assign([1.0, 2.0, 3.0])
  second = v[:, 1:].assign([[4.0, 5.0], [6.0, 7.0]], name="right")
  with tf.Session() as session:
    session.run(v.initializer)
    session.run(first.op if hasattr(first, "op") else first)
    before = session.run(v.read_value())
    session.run(second.op if hasattr(second, "op") else second)
    return before, session.run([v.read_value(), v[1, -1]])


def program_names_in_scopes(tf):
  x = tf.constant([1, 2, 3])
  with tf.name_scope("outer"):
    a = x[0]
    with tf.name_scope("inner"):
      b = x[1:]
  c = x[a:]
  return [t.name for t in (a, b, c)]


def program_patches(tf):
  """Cuts an image into tiles and puts them together again by indexing."""
  image = tf.placeholder(tf.float32, [4, 4])
  tiles = [[image[r : r + 2, c : c + 2] for c in range(0, 4, 2)] for r in range(0, 4, 2)]
  rows = [tf.concat(row[::-1], 1) for row in tiles]
  whole = tf.concat(rows, 0)
  return run(tf, [whole, whole[::-1, ::-1], whole[1:-1, 1:-1]], {image: np.arange(16).reshape(4, 4)})
