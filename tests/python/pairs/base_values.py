"""Values as messages, as arrays, and known from the graph."""

import numpy as np


def _proto(message):
  return [message.dtype, [d.size for d in message.tensor_shape.dim], message.tensor_content, str(message)[:500]]


def _try(function, *args, **kwargs):
  try:
    return function(*args, **kwargs)
  except Exception as error:
    return error


def program_make_tensor_proto(tf):
  found = []
  for value in [
    1,
    1.5,
    True,
    "a",
    b"a",
    "é",
    [1, 2],
    [1, 2.5],
    [True, 1],
    [],
    [[]],
    2**40,
    [2**40, 1],
    2**63,
    -(2**63),
    1 + 2j,
    [1 + 2j, 3],
    ["a", b"b"],
    [[b"a"], ["b"]],
    [b"a\x00"],
    (1, 2),
    bytearray(b"ab"),
    np.int64(3),
    np.float16([1, 2]),
    np.array(["a", "bc"]),
    np.array(["a", b"bc"], object),
    np.uint16([1, 2]),
    np.uint32([1, 2]),
    np.uint64(3),
    np.complex64(1 + 2j),
    np.array([True, False]),
    [np.float64(1.5), 2],
    [np.int64(1), 2],
    np.str_("ab"),
    np.array([(3,)], np.dtype([("qint8", np.int8)])),
  ]:
    message = tf.make_tensor_proto(value)
    found.append((_proto(message), tf.make_ndarray(message)))
  return found


def program_make_tensor_proto_options(tf):
  make = tf.make_tensor_proto
  found = [
    _proto(message)
    for message in [
      make([1, 2], tf.float32),
      make(-1, tf.uint8),
      make(300, tf.uint8),
      make(1.5, tf.complex64),
      make(1, tf.float16),
      make([1, 2], tf.bfloat16),
      make(True, tf.int32),
      make([1e40], tf.float32),
      make(1, shape=[2, 3]),
      make([1, 2], shape=[2, 3]),
      make([1, 2], shape=[2], verify_shape=True),
      make([[1, 2], [3, 4]], tf.int64, shape=[4]),
      make(1, allow_broadcast=True, shape=[2]),
      make([], shape=[0, 3]),
      make([], tf.float32, shape=[2]),
      make([(3,), (4,)], tf.qint8),
      make(2**40, tf.int32),
      make(1, "float32"),
      make(1, np.float64),
    ]
  ]
  errors = [
    _try(make, *args, **kwargs)
    for args, kwargs in [
      (([1.5], tf.int32), {}),
      ((1, tf.bool), {}),
      (("a", tf.int32), {}),
      ((1, tf.string), {}),
      (([[1, 2], [3]],), {}),
      ((None,), {}),
      (([1, None],), {}),
      (([1, "a"],), {}),
      (([[1, 2], [3, "a"]], tf.int32), {}),
      (([1, 2],), {"shape": [1]}),
      (([1, 2],), {"shape": [3], "verify_shape": True}),
      (([1, 2],), {"shape": [2, 2], "allow_broadcast": True}),
      ((range(3),), {}),
      (({"a": 1},), {}),
      ((2**70,), {}),
      ((3, tf.qint8), {}),
      ((5, tf.resource), {}),
      ((1, "foo"), {}),
      ((tf.constant(1),), {}),
      (([tf.constant(1)],), {}),
      (([np.array([1, 2]), np.array([3, 4])],), {}),
    ]
  ]
  return [found, errors]


def program_static_values(tf):
  p = tf.placeholder(tf.float32, [2, None])
  zeros = tf.zeros([2, 3])
  tensors = [
    tf.constant([1, 2]),
    p,
    tf.shape(zeros),
    tf.shape(p),
    tf.shape(p)[0],
    tf.size(zeros),
    tf.rank(p),
    tf.range(3),
    tf.range(0, 6, 2),
    tf.cast(tf.constant([1, 2]), tf.float32),
    tf.concat([[1, 2], [3]], 0),
    tf.stack([1, 2]),
    tf.stack([1, tf.shape(p)[1]]),
    tf.fill([2], 7),
    tf.equal(1, 2),
    tf.not_equal(1, 2),
    tf.constant(1) + 1,
    tf.identity(tf.constant(1)),
    tf.stop_gradient(tf.constant(1)),
    tf.logical_not(True),
    tf.unstack([1, 2])[0],
    tf.split([1, 2], 2)[1],
    tf.reshape([1, 2], [2, 1]),
    tf.constant("a"),
    tf.placeholder_with_default(1, []),
    tf.zeros([2000, 2]),
  ]
  return [tf.get_static_value(tensor) for tensor in tensors] + [
    tf.get_static_value(tf.stack([1, tf.shape(p)[1]]), partial=True) is None
  ]


def program_shapes_of_values(tf):
  """The static shape that a tensor as a shape gives, by the ops that take one."""
  p = tf.placeholder(tf.float32, [2, None])
  shapes = [
    tf.constant([1, 2]),
    tf.shape(p),
    tf.shape(p)[:1],
    tf.shape(p)[1:],
    tf.shape(p)[-1:],
    tf.stack([3, tf.shape(p)[1]]),
    tf.concat([[3], tf.shape(p)], 0),
    tf.placeholder(tf.int32, [3]),
    tf.placeholder(tf.int32),
    tf.cast(tf.shape(p, out_type=tf.int64), tf.int32),
  ]
  found = [str(tf.zeros(shape).shape) for shape in shapes]
  found += [str(tf.random_uniform(shape).shape) for shape in shapes]
  return found


def program_is_tensor(tf):
  p = tf.placeholder(tf.float32)
  return [
    tf.is_tensor(x)
    for x in [1, "a", np.zeros(2), p, p.op, tf.Variable(1), tf.SparseTensor([[0]], [1], [1]), tf.IndexedSlices(p, p), [p], None]
  ]


def program_seeds(tf):
  found = [tf.get_seed(None), tf.get_seed(3), tf.get_seed(0)]
  tf.set_random_seed(5)
  found += [tf.get_seed(None), tf.get_seed(3), tf.get_seed(2**31 - 1)]
  tf.constant(1)
  found += [tf.get_seed(None), tf.random.get_seed(7)]
  tf.random.set_random_seed(0)
  found += [tf.get_seed(0), tf.get_default_graph().seed]
  return found


def program_audio(tf):
  samples = np.linspace(-1, 1, 20).reshape(10, 2).astype(np.float32)
  encoded = tf.audio.encode_wav(tf.constant(samples), 8000, name="enc")
  whole = tf.audio.decode_wav(encoded)
  part = tf.audio.decode_wav(contents=encoded, desired_channels=2, desired_samples=4, name="dec")
  with tf.Session() as session:
    return [session.run(encoded), list(session.run(whole)), list(session.run(part))]


def program_complex(tf):
  with tf.Session() as session:
    return session.run([tf.dtypes.complex([1.0, 2.0], [3.0, 4.0], name="c"), tf.complex(np.float64(1), np.float64(2))])


def program_constants_of_one_number(tf):
  """Readers of graphs look for one number in the field of its type."""
  made = [
    tf.constant(7),
    tf.constant(-7),
    tf.constant(1.5),
    tf.constant([True]),
    tf.constant([[2]], tf.int64),
    tf.constant(3, tf.uint8),
  ]
  made += [
    tf.constant(0.25, tf.float64),
    tf.constant(0.5, tf.half),
    tf.constant(1 + 2j),
    tf.constant(-3, tf.int8),
    tf.constant(5, tf.uint64),
  ]
  found = []
  for tensor in made:
    proto = tensor.op.node_def.attr["value"].tensor
    found.append(sorted(field.name for field, _ in proto.ListFields()))
  proto = made[1].op.node_def.attr["value"].tensor
  return found, list(proto.int_val), list(tf.constant(-2.5).op.node_def.attr["value"].tensor.float_val)


def program_operations_are_no_values(tf):
  """The mistake of a train op in the place of a loss."""
  op = tf.no_op(name="op")
  calls = [
    lambda: tf.convert_to_tensor(op),
    lambda: tf.convert_to_tensor(op, tf.float32),
    lambda: tf.constant(1.0) + op,
    lambda: tf.stack([op, op]),
    lambda: tf.reduce_sum(op),
    lambda: tf.concat([[1.0], op], 0),
    lambda: tf.summary.scalar("loss", op),
    lambda: tf.gradients(op, tf.constant(1.0)),
    lambda: tf.Variable(1.0, use_resource=False).assign(op),
    lambda: tf.while_loop(lambda i: i < 3, lambda i: op, [0]),
  ]
  return [_try(call) for call in calls]
