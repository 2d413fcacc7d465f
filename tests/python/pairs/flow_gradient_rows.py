"""Where gradients are rows (IndexedSlices) and where they are dense, op by op."""

import numpy as np


def _what(tf, grads, feed=None, dense_only=False):
  """Kinds, types and values of gradients; rows as dense values, too, where their shape is known."""
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for grad in grads:
      if grad is None:
        found.append(None)
      elif isinstance(grad, tf.IndexedSlices):
        values = None if dense_only else session.run([grad.values, grad.indices], feed)
        shape = None if grad.dense_shape is None else session.run(grad.dense_shape, feed)
        dense = None if shape is None else session.run(tf.convert_to_tensor(grad), feed)
        found.append(["rows", grad.dtype.name, grad.indices.dtype.name, values, shape, dense])
      else:
        found.append(["dense", grad.dtype.name, session.run(grad, feed)])
  return found


def _table(tf, rows=4, width=2, resource=True, name="table"):
  numbers = np.arange(rows * width, dtype=np.float32).reshape([rows, width])
  return tf.get_variable(name, initializer=numbers, use_resource=resource)


def _each(tf, calls):
  """What each call gives in a graph of its own, or the type of its error."""
  found = []
  for call in calls:
    with tf.Graph().as_default():
      try:
        found.append(call())
      except Exception as error:  # noqa: BLE001
        found.append(type(error).__name__)
  return found


def _of(tf, f, dense_only=False, unknown_rank=True):
  """Gradients of f(table), for a table that is a variable of each kind, a constant and a placeholder."""

  def variable(resource):
    def call():
      table = _table(tf, resource=resource)
      return _what(tf, tf.gradients(f(table), [table]), dense_only=dense_only)

    return call

  def tensor(unknown):
    def call():
      numbers = np.arange(8, dtype=np.float32).reshape([4, 2])
      table = tf.placeholder(tf.float32, None if unknown else [None, 2]) if unknown is not None else tf.constant(numbers)
      return _what(tf, tf.gradients(f(table), [table]), {} if unknown is None else {table: numbers}, dense_only)

    return call

  return _each(tf, [variable(True), variable(False), tensor(None), tensor(False)] + [tensor(True)] * unknown_rank)


def program_gather(tf):
  rows = lambda table: tf.gather(table, [2, 0, 2])
  matrix = lambda table: tf.gather(table, [[2, 0], [2, 1]])
  one = lambda table: tf.gather(table, 1)
  long = lambda table: tf.gather(table, tf.constant([1, 3], tf.int64))
  column = lambda table: tf.gather(table, [1, 1, 0], axis=1)
  first = lambda table: tf.gather(table, [1, 1, 0], axis=0)
  last = lambda table: tf.gather(table, [1, 0], axis=-2)
  fed = lambda table: tf.gather(table, [1, 0], axis=tf.placeholder_with_default(0, []))
  batches = lambda table: tf.gather(table, [[1], [0], [1], [1]], axis=1, batch_dims=1)
  return [_of(tf, f) for f in (rows, matrix, one, long, column, first, last, fed, batches)]


def program_lookups(tf):
  single = lambda table: tf.nn.embedding_lookup(table, [3, 3, 0])
  norm = lambda table: tf.nn.embedding_lookup(table, [3, 3, 0], max_norm=1.0)
  ids = lambda: tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 3, 3], tf.int64), [3, 2])
  weights = lambda: tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [0.5, 2.0, 1.0], [3, 2])
  sums = [lambda table, c=c: tf.nn.embedding_lookup_sparse(table, ids(), None, combiner=c) for c in ("sum", "mean", "sqrtn")]
  weighted = [
    lambda table, c=c: tf.nn.embedding_lookup_sparse(table, ids(), weights(), combiner=c) for c in ("sum", "mean", "sqrtn")
  ]
  safe = lambda table: tf.nn.safe_embedding_lookup_sparse(table, ids())
  return [_of(tf, f) for f in (single, norm, *sums, *weighted, safe)]


program_lookups.rtol = 1e-5


def program_parts(tf):
  """Lookups in a list of tables, by both strategies, and in a partitioned variable."""

  def parts(strategy):
    def call():
      tables = [_table(tf, rows=2, name="table%d" % i, resource=i == 0) for i in range(2)]
      looked = tf.nn.embedding_lookup(tables, [3, 0, 1, 3], partition_strategy=strategy)
      return _what(tf, tf.gradients(looked, tables))

    return call

  def partitioned():
    whole = tf.get_variable("w", [4, 2], partitioner=tf.fixed_size_partitioner(2), initializer=tf.ones_initializer())
    looked = tf.nn.embedding_lookup(whole, [3, 0, 1, 3], partition_strategy="div")
    return _what(tf, tf.gradients(looked, list(whole)))

  return _each(tf, [parts("mod"), parts("div"), partitioned])


def program_concat(tf):
  """Rows behind a concat stay rows along the first axis and turn dense, or other rows, along others."""

  def joined(axis, ids=(1, 3)):
    return lambda table: tf.concat([tf.nn.embedding_lookup(table, ids)], axis)

  def of_table(axis, first=True):
    def f(table):
      other = tf.ones([4, 2])
      looked = tf.gather(tf.concat([table, other] if first else [other, table], axis), [1, 0, 3, 3])
      return looked

    return f

  return [
    _of(tf, f, unknown_rank=False)
    for f in (
      joined(0),
      joined(1),
      joined(-1),
      of_table(0),
      of_table(0, False),
      of_table(1),
      of_table(1, False),
      of_table(-1),
      of_table(-2),
      lambda table: tf.gather(tf.concat([table, table], 0), [1, 5, 5]),
    )
  ]


def program_concat_of_parts(tf):
  """A partitioned variable's gather goes through the concat of its parts."""

  def parts(axis):
    def call():
      tables = [_table(tf, rows=2, name="table%d" % i) for i in range(3)]
      looked = tf.gather(tf.concat(tables, axis), [3, 0, 1, 3])
      return _what(tf, tf.gradients(looked, tables))

    return call

  def wide(axis):
    def call():
      tables = [_table(tf, rows=4, name="table%d" % i) for i in range(2)]
      looked = tf.gather(tf.concat(tables, axis), [3, 0, 1, 3])
      return _what(tf, tf.gradients(looked, tables))

    return call

  return _each(tf, [parts(0), parts(-2), wide(1), wide(-1)])


def program_between(tf):
  """Ops between a table and the gather: which pass rows on.

  Sums with a number or with a tensor of the same shape are left out: TensorFlow 1.15 makes their rows dense, 2.21 does not.
  """
  ids = [1, 0, 1]
  betweens = [
    tf.identity,
    tf.stop_gradient,
    tf.negative,
    lambda x: x * 2.0,
    lambda x: 2.0 * x,
    lambda x: x / 2.0,
    lambda x: tf.cast(x, tf.float64),
    lambda x: tf.add_n([x, x]),
    lambda x: tf.add_n([x]),
    tf.tanh,
    tf.exp,
    tf.square,
    tf.nn.relu,
    lambda x: tf.reshape(x, [4, 2]),
    lambda x: tf.reshape(x, [8]),
    lambda x: tf.reshape(x, [-1, 1, 2]),
    tf.transpose,
    lambda x: tf.expand_dims(x, -1),
    lambda x: tf.expand_dims(x, 0),
    lambda x: tf.squeeze(tf.expand_dims(x, -1), -1),
    lambda x: tf.stack([x, x]),
    lambda x: tf.stack([x, x], axis=1),
    lambda x: tf.unstack(x, num=4)[0] if x.shape.ndims else x,
    lambda x: tf.split(x, 2)[0],
    lambda x: x[:2],
    lambda x: tf.slice(x, [0, 0], [2, 2]),
    lambda x: tf.pad(x, [[1, 1], [0, 0]]),
    lambda x: tf.tile(x, [2, 1]),
    lambda x: tf.gather(x, [0, 2, 1]),
    lambda x: tf.where([True, False, True, True], x, x),
    lambda x: tf.reverse(x, [0]),
    lambda x: tf.check_numerics(x, "bad"),
    lambda x: tf.tuple([x, x])[0],
    lambda x: tf.quantization.fake_quant_with_min_max_args(x),
    lambda x: tf.clip_by_value(x, 0.0, 1.0),
    lambda x: x + tf.ones([2, 4, 2]),
    lambda x: tf.placeholder_with_default(x, [None, 2]),
    lambda x: tf.broadcast_to(x, [2, 4, 2]),
    lambda x: tf.reduce_sum(x, 1, keepdims=True),
    lambda x: tf.matmul(x, [[1.0, 0.0], [0.0, 1.0]]),
    lambda x: tf.complex(x, x),
    lambda x: tf.nn.l2_normalize(x, 1),
  ]
  found = []
  for between in betweens:
    found.append(_of(tf, lambda table: tf.gather(between(table), ids) if table.dtype != tf.complex64 else None))  # noqa: B023
  return found


program_between.rtol = 1e-4


def program_after(tf):
  """Ops behind a gather: the gradient that comes to the gather makes the same rows."""
  ids = [1, 0, 1, 3]
  afters = [
    lambda x: tf.segment_sum(x, [0, 0, 1, 1]),
    lambda x: tf.unsorted_segment_sum(x, [1, 0, 1, 1], 3),
    lambda x: tf.segment_mean(x, [0, 0, 1, 1]),
    lambda x: tf.stack([x, x]),
    lambda x: tf.concat([x, x], 1),
    lambda x: tf.reshape(x, [2, 4]),
    lambda x: tf.reduce_sum(x, 0),
    lambda x: tf.dynamic_stitch([[0, 2, 1, 3]], [x]),
    lambda x: tf.dynamic_partition(x, [1, 0, 1, 0], 2)[0],
    lambda x: tf.gather(x, [0, 1]),
    lambda x: tf.gather_nd(x, [[0, 1]]),
    lambda x: tf.boolean_mask(x, [True, False, True, True]),
    lambda x: tf.nn.embedding_lookup(x, [0, 2]),
  ]
  return [_of(tf, lambda table: after(tf.gather(table, ids))) for after in afters]  # noqa: B023


def program_sums(tf):
  """Several ways to one table: rows if all are rows, else dense."""

  def sums(f):
    return _of(tf, f)

  return [
    sums(lambda t: tf.gather(t, [0]) + tf.gather(t, [1])),
    sums(lambda t: tf.reduce_sum(tf.gather(t, [0])) + tf.reduce_sum(t)),
    sums(lambda t: [tf.gather(t, [0, 1]), tf.gather(t, tf.constant([1], tf.int64))]),
    sums(lambda t: [tf.gather(t, [0, 1]), t]),
    sums(lambda t: [tf.gather(t, 2), tf.gather(t, [[1, 2]])]),
    sums(lambda t: tf.gather(tf.add_n([t, t * 2.0]), [0])),
    sums(lambda t: tf.gather(tf.add_n([t, tf.identity(t)]), [0])),
  ]


def program_conditionals(tf):
  def cond(f, g):
    return lambda t: tf.cond(tf.placeholder_with_default(True, []), lambda: f(t), lambda: g(t))

  gather = lambda t: tf.gather(t, [1, 0, 1])
  return [
    _of(tf, cond(gather, gather)),
    _of(tf, cond(gather, lambda t: tf.zeros([3, 2]))),
    _of(tf, cond(gather, lambda t: t[:3] * 2.0)),
    _of(tf, cond(lambda t: tf.zeros([3, 2]), gather)),
    _of(tf, lambda t: tf.gather(tf.cond(tf.placeholder_with_default(True, []), lambda: tf.identity(t), lambda: t * 2.0), [1, 1])),
  ]


def program_loops(tf):
  def outside(t):
    return tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, s + tf.gather(t, [i, 0])), [0, tf.zeros([2, 2])])[1]

  def kept(t):
    first = tf.gather(t, [1, 1])
    return tf.while_loop(lambda i, _: i < 2, lambda i, s: (i + 1, s * s), [0, first])[1]

  def mapped(t):
    return tf.map_fn(lambda i: tf.gather(t, i), tf.constant([1, 1, 3]), dtype=tf.float32)

  # The rows of a loop begin with one of zeros in TensorFlow.
  return [_of(tf, f, dense_only=True) for f in (outside, kept, mapped)]


def _defun(tf):
  if tf.__name__ == "millrace":
    from millrace.ops.gradients.defun import Defun
  else:
    from tensorflow.python.framework.function import Defun
  return Defun


def program_functions(tf):
  defun = _defun(tf)

  def call(f):
    def go():
      table = _table(tf, resource=False)
      return _what(tf, tf.gradients(f(table), [table]))

    return go

  @defun(tf.float32)
  def passes(x):
    return tf.identity(x)

  def custom(table):
    @tf.custom_gradient
    def looked(x):
      def grad(dy):
        return tf.IndexedSlices(dy, tf.constant([1, 0]), tf.constant([4, 2]))

      return tf.gather(x, [1, 0]), grad

    return looked(tf.identity(table))

  return _each(tf, [call(custom), call(lambda x: tf.gather(passes(x), [1, 1]))])


def program_stitches(tf):
  def stitched(t):
    return tf.gather(tf.dynamic_stitch([[0, 2], [1, 3]], [t[:2], t[2:]]), [1, 1])

  def partitioned(t):
    return tf.gather(tf.dynamic_partition(t, [0, 1, 0, 1], 2)[0], [1, 1])

  def stitch_of_gathers(t):
    return tf.dynamic_stitch([[0, 2], [1]], [tf.gather(t, [3, 3]), tf.gather(t, [0])])

  return [_of(tf, f) for f in (stitched, partitioned, stitch_of_gathers)]


def program_sparse(tf):
  def product(t):
    s = tf.SparseTensor([[0, 1], [1, 3]], [1.0, 2.0], [2, 4])
    return tf.sparse_tensor_dense_matmul(s, t)

  def reshaped(t):
    values = tf.gather(t, [0, 1])[:, 0]
    s = tf.sparse_reshape(tf.SparseTensor([[0, 1], [1, 3]], values, [2, 4]), [4, 2])
    return tf.sparse_tensor_to_dense(s)

  def sums(t):
    values = tf.gather(t, [0, 1])[:, 0]
    return tf.sparse_reduce_sum(tf.SparseTensor([[0, 1], [1, 3]], values, [2, 4]), 1)

  def segments(t):
    return [tf.sparse_segment_sum(t, [0, 2, 2], [0, 0, 1]), tf.sparse_segment_mean(t, [0, 2, 2], [0, 0, 1])]

  return [_of(tf, f) for f in (product, reshaped, sums, segments)]


def program_variables(tf):
  """Reads of variables between: sparse_read, read_value, initialized_value, several kinds of handles."""

  def sparse_read(t):
    return t.sparse_read([1, 1]) if hasattr(t, "sparse_read") else tf.gather(t, [1, 1])

  def read(t):
    return tf.gather(t.read_value() if hasattr(t, "read_value") else t, [1, 1])

  def gather_nd(t):
    return tf.gather_nd(t, [[1], [1], [0]])

  def colocated(t):
    with tf.control_dependencies([tf.no_op()]):
      return tf.gather(t, [1, 1])

  return [_of(tf, f) for f in (sparse_read, read, gather_nd, colocated)]


def program_optimizers(tf):
  """What an optimizer does with the rows of lookups behind a concat of parts."""
  tables = [_table(tf, rows=2, name="table%d" % i, resource=i > 0) for i in range(2)]
  looked = tf.gather(tf.concat(tables, 0), [3, 0, 3])
  optimizer = tf.train.AdagradOptimizer(0.5)
  pairs = optimizer.compute_gradients(tf.reduce_sum(looked * looked))
  train = optimizer.apply_gradients(pairs)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train)
    return [[type(grad).__name__ for grad, _ in pairs], session.run(tables)]


program_optimizers.rtol = 1e-5
