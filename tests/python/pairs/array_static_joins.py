"""What get_shape() says of parts that are joined, taken and reduced, where sizes and axes are not known."""


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


def program_joining(tf):
  x = tf.placeholder(tf.float32, [None, 3])
  y = tf.placeholder(tf.float32, [2, None])
  u = tf.placeholder(tf.float32)
  axis = tf.placeholder(tf.int32, [])
  return _each(
    [
      lambda: tf.concat([x, x], 0),
      lambda: tf.concat([x, x], 1),
      lambda: tf.concat([x, y], 1),
      lambda: tf.concat([x, y], 0),
      lambda: tf.concat([x, u], 1),
      lambda: tf.concat([x, x], axis),
      lambda: tf.concat([x, x], tf.rank(x) - 1),
      lambda: tf.stack([x, x]),
      lambda: tf.stack([x, y]),
      lambda: tf.stack([x, y], -1),
      lambda: tf.split(x, 3, 1)[0],
      lambda: tf.split(x, 2)[0],
      lambda: tf.split(x, [1, 2], 1)[1],
      lambda: tf.split(x, [1, -1], 1)[1],
      lambda: tf.split(u, 2, 1)[0],
      lambda: tf.unstack(x, axis=1)[0],
      lambda: tf.transpose(x),
      lambda: tf.transpose(u, [1, 0]),
      lambda: tf.transpose(x, tf.placeholder(tf.int32, [2])),
      lambda: tf.transpose(x, tf.concat([[1], [0]], 0)),
      lambda: tf.expand_dims(x, -1),
      lambda: tf.squeeze(x),
      lambda: tf.squeeze(tf.placeholder(tf.float32, [None, 1, 3]), [1]),
      lambda: tf.squeeze(tf.placeholder(tf.float32, [None, 1, 3])),
      lambda: tf.squeeze(tf.placeholder(tf.float32, [2, 1, 3])),
      lambda: tf.gather(x, [0, 1]),
      lambda: tf.gather(x, [0, 1], axis=1),
      lambda: tf.gather(x, tf.placeholder(tf.int32, [None, 2])),
      lambda: tf.gather(x, [0, 1], axis=axis),
      lambda: tf.gather_nd(x, tf.placeholder(tf.int32, [None, 2])),
      lambda: tf.gather_nd(x, tf.placeholder(tf.int32, [None, None])),
      lambda: tf.boolean_mask(x, tf.placeholder(tf.bool, [None])),
      lambda: tf.reverse(x, [axis]),
      lambda: tf.reduce_sum(x, axis),
      lambda: tf.reduce_sum(x, axis, keepdims=True),
      lambda: tf.reduce_sum(x, tf.placeholder(tf.int32, [1])),
      lambda: tf.reduce_sum(x, [-1]),
      lambda: tf.reduce_sum(u, 1),
      lambda: tf.argmax(x, axis),
      lambda: tf.argmax(x, 1),
      lambda: tf.cumsum(x, axis),
      lambda: tf.scatter_nd([[0]], [1.0], tf.stack([axis])),
      lambda: tf.scatter_nd(tf.placeholder(tf.int32, [None, 1]), x, [7, 3]),
      lambda: tf.unsorted_segment_sum(x, tf.placeholder(tf.int32, [None]), 5),
      lambda: tf.unsorted_segment_sum(x, tf.placeholder(tf.int32, [None]), axis),
      lambda: tf.unsorted_segment_sum(x, tf.placeholder(tf.int32, [None]), tf.shape(x)[1]),
      lambda: tf.segment_sum(x, tf.placeholder(tf.int32, [None])),
      lambda: tf.sparse_to_dense([[0, 1]], [2, 3], 1.0),
      lambda: tf.sparse_to_dense([[0, 1]], tf.stack([tf.shape(x)[0], 3]), 1.0),
      lambda: tf.nn.top_k(x, 2)[0],
      lambda: tf.nn.top_k(x, axis)[0],
      lambda: tf.image.resize_bilinear(tf.zeros([2, 4, 4, 1]), [axis, 7]),
      lambda: tf.image.resize_bilinear(tf.zeros([2, 4, 4, 1]), tf.placeholder(tf.int32, [2])),
    ]
  )
