"""SparseTensor, IndexedSlices and what describes them."""


def _try(function):
  try:
    value = function()
    return value if isinstance(value, (bool, int, str, type(None))) else repr(value)
  except Exception as error:
    return error


def program_sparse_tensor(tf):
  sparse = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
  named = tf.SparseTensor(indices=[[0, 1]], values=tf.constant([1.0], name="v"), dense_shape=tf.placeholder(tf.int64, [2]))
  copied = tf.SparseTensor.from_value(tf.SparseTensorValue([[0, 1]], [1.0], [2, 3]))
  again = tf.SparseTensor.from_value(sparse)
  with tf.Session() as session:
    value = sparse.eval(session=session)
    fed = session.run(named, {named.dense_shape: [4, 4]})
    with session.as_default():
      by_default = copied.eval()
  return [
    str(sparse),
    repr(again),
    str(sparse.shape),
    str(named.get_shape()),
    str(sparse.dense_shape.shape),
    sparse.dtype.name,
    sparse.op.name,
    sparse.graph is tf.get_default_graph(),
    sparse.consumers(),
    list(value),
    list(fed),
    list(by_default),
    type(value).__name__,
    tf.SparseTensorValue(1, 2, 3),
    tf.SparseTensorValue(1, 2, 3)._fields,
  ]


def program_sparse_tensor_errors(tf):
  return [
    _try(function)
    for function in [
      lambda: tf.SparseTensor([[0, 1]], [1.0], [2]),
      lambda: tf.SparseTensor([0, 1], [1.0], [2]),
      lambda: tf.SparseTensor([[0, 1]], [[1.0]], [2, 3]),
      lambda: tf.SparseTensor([[0.0, 1.0]], [1.0], [2, 3]),
      lambda: tf.SparseTensor([[0, 1]], [1], [2, None]),
      lambda: tf.SparseTensor([[0, 1], [0, 2]], [1], [2, 3]),
      lambda: tf.SparseTensor.from_value(3),
    ]
  ]


def program_indexed_slices(tf):
  values, indices = tf.constant([[1.0], [2.0]], name="values"), tf.constant([0, 2], name="indices")
  slices = tf.IndexedSlices(values, indices)
  shaped = tf.IndexedSlices(values, indices, tf.constant([3, 1]))
  negative = -shaped
  dense = tf.convert_to_tensor(shaped, name="dense")
  with tf.Session() as session:
    value, array, minus = session.run([slices, dense, negative])
  return [
    str(slices),
    str(shaped),
    slices.name,
    slices.op.name,
    slices.dtype.name,
    slices.device,
    slices.dense_shape,
    str(shaped.dense_shape),
    slices.graph is tf.get_default_graph(),
    list(value),
    array,
    list(minus),
    sorted(op.name for op in slices.consumers()),
  ]


def program_specs(tf):
  sparse = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
  constant = tf.constant(1)
  return [
    _try(function)
    for function in [
      lambda: tf.TensorSpec([1, None], tf.float32),
      lambda: tf.TensorSpec([1, None], tf.float32, "n"),
      lambda: tf.TensorSpec.from_tensor(constant),
      lambda: tf.TensorSpec.from_tensor(constant, name="h"),
      lambda: tf.TensorSpec.from_spec(tf.TensorSpec([1], tf.int32, "q")),
      lambda: tf.TensorSpec.from_spec(tf.TensorSpec([1], tf.int32, "q"), name="r"),
      lambda: tf.TensorSpec([], tf.int32).is_compatible_with(constant),
      lambda: tf.TensorSpec([1], tf.int32).is_compatible_with(constant),
      lambda: tf.TensorSpec([1]) == tf.TensorSpec([1]),
      lambda: tf.TensorSpec([1]) == tf.TensorSpec([2]),
      lambda: hash(tf.TensorSpec([1])) == hash(tf.TensorSpec([1])),
      lambda: tf.TensorSpec([1]).most_specific_compatible_type(tf.TensorSpec([2])),
      lambda: tf.TensorSpec([1]).most_specific_compatible_type(tf.TensorSpec([2], tf.int32)),
      lambda: tf.TensorSpec([1]).value_type is tf.Tensor,
      lambda: tf.SparseTensorSpec([1, None], tf.int64),
      lambda: tf.SparseTensorSpec.from_value(sparse),
      lambda: tf.SparseTensorSpec([2, 3]).is_compatible_with(sparse),
      lambda: tf.SparseTensorSpec([2, 4]).is_compatible_with(sparse),
      lambda: tf.SparseTensorSpec([2, 3]).most_specific_compatible_type(tf.SparseTensorSpec([2, 4])),
      lambda: tf.SparseTensorSpec([2, 3]).value_type is tf.SparseTensor,
      lambda: tf.IndexedSlicesSpec([2], tf.float32),
      lambda: tf.IndexedSlicesSpec([2], tf.float32, tf.int32, tf.int64, [5]),
      lambda: tf.IndexedSlicesSpec([2]).value_type is tf.IndexedSlices,
      lambda: isinstance(tf.TensorSpec([1]), tf.TypeSpec),
    ]
  ]
