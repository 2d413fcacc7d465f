"""What get_shape() says of shapes that are made of other shapes, where batch sizes are not known."""


def _shape(tensor):
  shape = tensor.get_shape()
  return None if shape.ndims is None else shape.as_list()


def _each(calls):
  """The shape that each call gives, or the type of its error."""
  found = []
  for call in calls:
    try:
      found.append(_shape(call()))
    except Exception as error:  # noqa: BLE001
      found.append(type(error).__name__)
  return found


def program_tile(tf):
  x = tf.placeholder(tf.float32, [None, 3])
  y = tf.placeholder(tf.float32, [2, 3])
  z = tf.placeholder(tf.float32)
  n = tf.shape(x)[0]
  m = tf.placeholder(tf.int32, [], name="m")
  return _each(
    [
      lambda: tf.tile(x, [2, 2]),
      lambda: tf.tile(x, [1, 2]),
      lambda: tf.tile(y, [n, 1]),
      lambda: tf.tile(y, [m, 2]),
      lambda: tf.tile(y, tf.stack([n, 1])),
      lambda: tf.tile(y, tf.stack([2, m])),
      lambda: tf.tile(y, tf.shape(y)),
      lambda: tf.tile(y, tf.shape(x)),
      lambda: tf.tile(y, tf.concat([[n], [4]], 0)),
      lambda: tf.tile(y, tf.placeholder(tf.int32, [2])),
      lambda: tf.tile(y, tf.placeholder(tf.int32)),
      lambda: tf.tile(z, [1, 2]),
      lambda: tf.tile(z, tf.placeholder(tf.int32, [3])),
      lambda: tf.tile(tf.expand_dims(y, 0), [n, 1, 1]),
      lambda: tf.tile(tf.constant([[1.0]]), [n, 5]),
      lambda: tf.tile(y, [1, 2, 3]),
      lambda: tf.tile(y, [0, 2]),
      lambda: tf.tile(y, [-1, 2]),
      lambda: tf.tile(y, tf.cast(tf.stack([n, 2]), tf.int64)),
    ]
  )


def program_fill(tf):
  x = tf.placeholder(tf.float32, [None, 3])
  n = tf.shape(x)[0]
  return _each(
    [
      lambda: tf.fill([n, 2], 1.0),
      lambda: tf.fill(tf.stack([n, 2]), 1.0),
      lambda: tf.fill(tf.shape(x), 1.0),
      lambda: tf.fill(tf.concat([tf.shape(x), [4]], 0), 1.0),
      lambda: tf.fill(tf.placeholder(tf.int32, [3]), 1.0),
      lambda: tf.fill(tf.placeholder(tf.int32), 1.0),
      lambda: tf.fill([2, 3], 1.0),
      lambda: tf.fill([], 1.0),
      lambda: tf.zeros([n, 5]),
      lambda: tf.ones(tf.stack([n, 5, 1])),
      lambda: tf.zeros_like(x),
      lambda: tf.ones_like(x),
      lambda: tf.zeros(tf.shape(x)),
      lambda: tf.zeros([n]),
      lambda: tf.random_uniform([n, 4]),
      lambda: tf.random_normal(tf.shape(x)),
      lambda: tf.truncated_normal(tf.stack([n, 4])),
      lambda: tf.fill(tf.cast([n, 2], tf.int64), 1.0),
      lambda: tf.zeros(tf.TensorShape([2, 3])),
      lambda: tf.fill([2, -1], 0.0),
      lambda: tf.random.multinomial(x, n),
      lambda: tf.random.multinomial(x, 3),
      lambda: tf.random_gamma([n, 2], tf.ones([3])),
      lambda: tf.random.stateless_uniform([n, 2], [1, 2]),
      lambda: tf.random_shuffle(x),
    ]
  )


def program_reshape(tf):
  x = tf.placeholder(tf.float32, [None, 4, 6])
  u = tf.placeholder(tf.float32)
  y = tf.placeholder(tf.float32, [2, 4, 6])
  s = tf.shape(x)
  n = s[0]
  return _each(
    [
      lambda: tf.reshape(x, [-1, 24]),
      lambda: tf.reshape(x, [n, 24]),
      lambda: tf.reshape(x, tf.stack([n, 24])),
      lambda: tf.reshape(x, [n, -1]),
      lambda: tf.reshape(x, [n, 4, -1]),
      lambda: tf.reshape(x, tf.stack([n, s[1] * s[2]])),
      lambda: tf.reshape(x, [n * 4, 6]),
      lambda: tf.reshape(x, [n * s[1], s[2]]),
      lambda: tf.reshape(x, tf.concat([[n], [24]], 0)),
      lambda: tf.reshape(x, tf.concat([s[:1], [24]], 0)),
      lambda: tf.reshape(x, tf.concat([s[:2], [2, 3]], 0)),
      lambda: tf.reshape(x, tf.concat([s[:-1], [-1]], 0)),
      lambda: tf.reshape(x, s),
      lambda: tf.reshape(x, tf.shape(y)),
      lambda: tf.reshape(y, [-1, 6]),
      lambda: tf.reshape(y, [n, 6]),
      lambda: tf.reshape(y, [n, -1]),
      lambda: tf.reshape(y, tf.stack([-1, s[2]])),
      lambda: tf.reshape(u, [-1, 3]),
      lambda: tf.reshape(u, [n, 3]),
      lambda: tf.reshape(u, tf.shape(u)),
      lambda: tf.reshape(u, tf.placeholder(tf.int32, [3])),
      lambda: tf.reshape(x, tf.placeholder(tf.int32, [2])),
      lambda: tf.reshape(x, tf.placeholder(tf.int32)),
      lambda: tf.reshape(x, [-1]),
      lambda: tf.reshape(x, [n, 4, 6, 1]),
      lambda: tf.reshape(x, tf.unstack(s)),
      lambda: tf.reshape(x, [tf.unstack(s)[0], 24]),
      lambda: tf.reshape(x, [tf.shape(x, out_type=tf.int64)[0], 24]),
      lambda: tf.reshape(y, [5, -1]),
      lambda: tf.reshape(y, [-1, -1]),
      lambda: tf.reshape(x, [0, -1]),
      lambda: tf.reshape(tf.reshape(x, [-1, 6]), [n, 4, 6]),
      lambda: tf.reshape(x, tf.reverse(s, [0])),
      lambda: tf.reshape(x, tf.cast(tf.stack([n, 24]), tf.int64)),
    ]
  )


def program_slice(tf):
  x = tf.placeholder(tf.float32, [None, 5, 7])
  u = tf.placeholder(tf.float32)
  n = tf.shape(x)[0]
  m = tf.placeholder(tf.int32, [], name="m")
  return _each(
    [
      lambda: tf.slice(x, [0, 1, 2], [-1, 2, 3]),
      lambda: tf.slice(x, [0, 1, 2], [-1, -1, -1]),
      lambda: tf.slice(x, [0, m, 0], [-1, 2, 3]),
      lambda: tf.slice(x, [0, m, 0], [-1, -1, 3]),
      lambda: tf.slice(x, [0, 0, 0], [n, 2, 3]),
      lambda: tf.slice(x, [0, 0, 0], tf.stack([n, m, 3])),
      lambda: tf.slice(x, [0, 0, 0], tf.shape(x)),
      lambda: tf.slice(x, tf.placeholder(tf.int32, [3]), [1, 2, 3]),
      lambda: tf.slice(x, tf.placeholder(tf.int32, [3]), [-1, 2, 3]),
      lambda: tf.slice(x, [0, 0, 0], tf.placeholder(tf.int32, [3])),
      lambda: tf.slice(u, [0, 0], [2, 3]),
      lambda: tf.slice(u, [0, 0], [-1, 3]),
      lambda: tf.slice(u, tf.placeholder(tf.int32, [2]), tf.placeholder(tf.int32, [2])),
      lambda: tf.slice(x, [0, 0, 6], [1, 1, 2]),
      lambda: x[:, 1:3],
      lambda: x[:, :-1],
      lambda: x[:, m],
      lambda: x[:, m:],
      lambda: x[:, :m],
      lambda: x[m],
      lambda: x[0],
      lambda: x[-1, ..., 2:],
      lambda: x[:n],
      lambda: x[:2],
      lambda: x[:, tf.newaxis, ::2],
      lambda: x[..., tf.newaxis],
      lambda: x[:, ::-1],
      lambda: x[:, 1:1],
      lambda: x[1:],
      lambda: x[:, -2:],
      lambda: x[:, 7:],
      lambda: u[0],
      lambda: u[..., 0],
      lambda: u[:, 0],
      lambda: tf.strided_slice(x, [0, 0, 0], [2, 3, 4], [1, 2, 1]),
      lambda: tf.strided_slice(x, [0, m, 0], [2, 3, 4]),
      lambda: tf.strided_slice(x, tf.placeholder(tf.int32, [3]), [2, 3, 4]),
      lambda: tf.strided_slice(x, tf.placeholder(tf.int32, [2]), tf.placeholder(tf.int32, [2])),
      lambda: x[:, 9],
    ]
  )


def program_pad(tf):
  x = tf.placeholder(tf.float32, [None, 5])
  u = tf.placeholder(tf.float32)
  n = tf.shape(x)[0]
  m = tf.placeholder(tf.int32, [], name="m")
  return _each(
    [
      lambda: tf.pad(x, [[0, 0], [1, 2]]),
      lambda: tf.pad(x, [[1, 2], [1, 2]]),
      lambda: tf.pad(x, [[0, m], [1, 2]]),
      lambda: tf.pad(x, [[0, 0], [m, 2]]),
      lambda: tf.pad(x, [[0, 4 - n], [0, 0]]),
      lambda: tf.pad(x, tf.stack([[0, 0], [m, 2]])),
      lambda: tf.pad(x, tf.placeholder(tf.int32, [2, 2])),
      lambda: tf.pad(x, tf.placeholder(tf.int32)),
      lambda: tf.pad(u, [[0, 0], [1, 2]]),
      lambda: tf.pad(u, tf.placeholder(tf.int32, [None, 2])),
      lambda: tf.pad(u, tf.placeholder(tf.int32, [3, 2])),
      lambda: tf.pad(x, [[0, 0], [1, 2]], mode="REFLECT"),
      lambda: tf.pad(x, [[0, 0], [1, 2]], mode="SYMMETRIC"),
      lambda: tf.pad(x, [[0, 0], [m, 2]], mode="REFLECT"),
      lambda: tf.pad(x, [[0, 0], [1, 2]], constant_values=3.0),
      lambda: tf.pad(x, [[0, 0], [m, 2]], constant_values=3.0),
      lambda: tf.pad(x, [[0, 0], [-1, 2]]),
      lambda: tf.pad(tf.zeros([2, 3]), [[m, m], [1, 1]]),
    ]
  )


def program_one_hot_and_range(tf):
  i = tf.placeholder(tf.int32, [None, 3])
  u = tf.placeholder(tf.int32)
  n = tf.shape(i)[0]
  m = tf.placeholder(tf.int32, [], name="m")
  return _each(
    [
      lambda: tf.one_hot(i, 5),
      lambda: tf.one_hot(i, 5, axis=0),
      lambda: tf.one_hot(i, 5, axis=1),
      lambda: tf.one_hot(i, m),
      lambda: tf.one_hot(i, n, axis=1),
      lambda: tf.one_hot(i, tf.shape(i)[1]),
      lambda: tf.one_hot(i, tf.constant(2) + 3),
      lambda: tf.one_hot(u, 5),
      lambda: tf.one_hot(1, 5),
      lambda: tf.one_hot(i[:, 0], 5),
      lambda: tf.range(5),
      lambda: tf.range(1, 7, 2),
      lambda: tf.range(n),
      lambda: tf.range(m, 5),
      lambda: tf.range(tf.shape(i)[1]),
      lambda: tf.range(0, tf.shape(i)[1], 2),
      lambda: tf.range(tf.constant(2) + 3),
      lambda: tf.range(0.0, 1.0, 0.3),
      lambda: tf.range(5, 0, -2),
      lambda: tf.range(5, 0, 2),
      lambda: tf.range(0),
      lambda: tf.range(tf.rank(i)),
      lambda: tf.range(tf.size(tf.zeros([2, 3]))),
      lambda: tf.linspace(0.0, 1.0, 5),
      lambda: tf.linspace(0.0, 1.0, m),
      lambda: tf.linspace(0.0, 1.0, tf.shape(i)[1]),
      lambda: tf.sequence_mask(i[:, 0]),
      lambda: tf.sequence_mask(i[:, 0], 6),
      lambda: tf.sequence_mask(i[:, 0], m),
      lambda: tf.eye(3, 4),
      lambda: tf.eye(n),
      lambda: tf.eye(m, 4),
    ]
  )


def program_placeholder_with_default(tf):
  calls = [
    lambda: tf.placeholder_with_default(tf.zeros([2, 3]), [None, 3]),
    lambda: tf.placeholder_with_default(tf.zeros([2, 3]), None),
    lambda: tf.placeholder_with_default(tf.zeros([2, 3]), [2, 3]),
    lambda: tf.placeholder_with_default(tf.zeros([2, 3]), [None, None]),
    lambda: tf.placeholder_with_default(tf.zeros([2, 3]), [4, 3]),
    lambda: tf.placeholder_with_default(tf.zeros([2, 3]), [2]),
    lambda: tf.placeholder_with_default([2, 3], [None]),
    lambda: tf.placeholder_with_default(3.0, []),
    lambda: tf.placeholder_with_default(tf.placeholder(tf.float32), [None, 2]),
    lambda: tf.fill(tf.placeholder_with_default([2, 3], [2]), 1.0),
    lambda: tf.zeros([tf.placeholder_with_default(4, []), 3]),
    lambda: tf.reshape(tf.zeros([2, 6]), [tf.placeholder_with_default(4, []), -1]),
    lambda: tf.range(tf.placeholder_with_default(4, [])),
    lambda: tf.placeholder(tf.float32, []),
    lambda: tf.placeholder(tf.float32, [None]),
    lambda: tf.placeholder(tf.float32, tf.TensorShape(None)),
    lambda: tf.sparse_placeholder(tf.float32, [None, 3]).dense_shape,
    lambda: tf.sparse_placeholder(tf.float32, [4, 3]),
  ]
  return _each(calls)


def program_broadcasts(tf):
  x = tf.placeholder(tf.float32, [None, 1, 4])
  y = tf.placeholder(tf.float32, [3, 1])
  u = tf.placeholder(tf.float32)
  n = tf.shape(x)[0]
  m = tf.placeholder(tf.int32, [], name="m")
  return _each(
    [
      lambda: tf.broadcast_to(x, [5, 3, 4]),
      lambda: tf.broadcast_to(x, [n, 3, 4]),
      lambda: tf.broadcast_to(y, [n, 3, 4]),
      lambda: tf.broadcast_to(y, tf.stack([n, 3, m])),
      lambda: tf.broadcast_to(y, tf.shape(x)),
      lambda: tf.broadcast_to(y, tf.placeholder(tf.int32, [3])),
      lambda: tf.broadcast_to(y, tf.placeholder(tf.int32)),
      lambda: tf.broadcast_to(u, [2, 3]),
      lambda: tf.broadcast_to(1.0, [n, 2]),
      lambda: tf.broadcast_to(y, [4, 4]),
      lambda: x + y,
      lambda: x * u,
      lambda: x[:, 0] - y[0],
      lambda: x + tf.zeros([n, 3, 1]),
      lambda: tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y)),
      lambda: tf.fill(tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y)), 1.0),
      lambda: tf.zeros(tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3]))),
      lambda: tf.where(x > 0, x, x),
      lambda: tf.where(tf.placeholder(tf.bool, [None]), x, x),
      lambda: tf.maximum(x, 0.0),
      lambda: tf.equal(x, y),
      lambda: tf.meshgrid(tf.range(3), tf.range(n))[0],
    ]
  )


def program_shapes_of_shapes(tf):
  x = tf.placeholder(tf.float32, [None, 3, 4])
  u = tf.placeholder(tf.float32)
  s = tf.shape(x)
  n = s[0]
  fill = lambda shape: tf.fill(shape, 1.0)
  return _each(
    [
      lambda: s,
      lambda: tf.shape(u),
      lambda: tf.concat([s, s], 0),
      lambda: fill(tf.concat([s, s], 0)),
      lambda: fill(tf.concat([s[:1], [7]], 0)),
      lambda: fill(tf.concat([[2], s[1:]], 0)),
      lambda: fill(tf.concat([s[1:], tf.shape(u)], 0)),
      lambda: fill(tf.concat([tf.shape(u)[:1], [3]], 0)),
      lambda: fill(s[1:]),
      lambda: fill(s[:2]),
      lambda: fill(s[-2:]),
      lambda: fill(s[::2]),
      lambda: fill(s[1:2]),
      lambda: fill([s[1], s[2]]),
      lambda: fill([s[1] * s[2]]),
      lambda: fill([s[1] + 1, n]),
      lambda: fill([s[1] - 1, 2 * s[2], s[2] // 2]),
      lambda: fill([tf.maximum(s[1], s[2])]),
      lambda: fill([tf.size(x)]),
      lambda: fill([tf.rank(x)]),
      lambda: fill(tf.cast(s, tf.int64)),
      lambda: fill(tf.shape_n([x, x])[1]),
      lambda: fill(tf.stack(tf.unstack(s))),
      lambda: fill(tf.squeeze(tf.expand_dims(s, 0), 0)),
      lambda: fill(tf.expand_dims(s[1], 0)),
      lambda: fill(tf.reshape(s[1], [1])),
      lambda: fill(tf.split(s, 3)[1]),
      lambda: fill(tf.split(s, [1, 2])[1]),
      lambda: fill(tf.strided_slice(s, [0], [2])),
      lambda: fill(tf.tile([2], [3])),
      lambda: fill(tf.where([True, False], [2, 3], [4, 5])),
      lambda: fill(tf.zeros([2], tf.int32)),
      lambda: fill(tf.ones([2], tf.int32) * 3),
      lambda: fill(tf.range(2, 4)),
      lambda: fill(tf.convert_to_tensor([n, 2])),
      lambda: fill(tf.convert_to_tensor(x.get_shape()[1:])),
      lambda: fill(tf.stack([n] + x.get_shape().as_list()[1:])),
      lambda: fill(tf.concat([[n], x.get_shape().as_list()[1:]], axis=0)),
      lambda: fill(tf.to_int32([2.0, 3.0])),
      lambda: fill(tf.Variable([2, 3], use_resource=False)),
      lambda: fill(tf.constant([2, 3]) + 0),
      lambda: fill(tf.cond(tf.placeholder(tf.bool, []), lambda: s, lambda: s)),
    ]
  )
