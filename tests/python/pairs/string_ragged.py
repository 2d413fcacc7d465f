"""Ragged tensors, and strings cut into them: values only, as 2.21 keeps more of the rows in its graphs than 1.15."""


def rows(value):
  """Returns nested lists of a ragged value."""
  return value.to_list() if hasattr(value, "to_list") else value


def run(tf, fetches, feed=None):
  with tf.Session() as session:
    return [rows(value) for value in session.run(fetches, feed)]


def caught(function):
  """Returns the error that a function raises, or what it returns."""
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def program_making(tf):
  make = tf.RaggedTensor
  p = tf.placeholder(tf.float32, [None, None])
  results = [
    tf.ragged.constant([[1, 2], [3], []]),
    tf.ragged.constant([[[1], [2, 3]], [[4]]], dtype=tf.int64, row_splits_dtype=tf.int32),
    tf.ragged.constant([[[1, 2], [2, 3]], [[4, 5]]], ragged_rank=1),
    make.from_row_splits([1, 2, 3], [0, 2, 2, 3]),
    make.from_row_lengths([1, 2, 3], [2, 0, 1]),
    make.from_row_starts([1, 2, 3], [0, 1]),
    make.from_row_limits(["a", "b", "c"], [1, 3]),
    make.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=4),
    make.from_nested_row_splits([1, 2, 3], [[0, 1, 2], [0, 2, 3]]),
    make.from_nested_row_lengths([1, 2, 3], [[1, 1], [2, 1]]),
    make.from_nested_value_rowids([1, 2, 3], [[0, 1], [0, 0, 1]]),
    make.from_tensor(p),
    make.from_tensor(p, lengths=[1, 2]),
    make.from_tensor(p, padding=0.0),
    make.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 2])),
    tf.ragged.range([3, 0, 2]),
    tf.ragged.range([1, 2], [6, 4], 2),
  ]
  return run(tf, results, {p: [[1.0, 0.0, 2.0], [3.0, 0.0, 0.0]]})


def program_properties(tf):
  x = tf.ragged.constant([[[1, 2], [3]], [], [[4]]])
  results = [x.nrows(), x.row_lengths(), x.row_lengths(axis=2), x.row_starts(), x.row_limits(), x.value_rowids()]
  results += [x.bounding_shape(), x.bounding_shape(axis=1), x.flat_values, x.row_splits, x.to_tensor(), x.to_tensor(9)]
  results += [*x.nested_row_lengths(), *x.nested_value_rowids(), *x.nested_row_splits, x.to_sparse().indices]
  results += [x.with_flat_values([5, 6, 7, 8]), x.with_row_splits_dtype(tf.int32)]
  return str(x.shape), x.dtype.name, x.ragged_rank, caught(x.to_list), run(tf, results)


def program_indexing(tf):
  x = tf.ragged.constant([[1, 2, 3], [], [4, 5]])
  y = tf.ragged.constant([[[1, 2], [3]], [[4]]])
  results = [
    x[0],
    x[-1],
    x[0, 1],
    x[1:],
    x[:, 1:],
    x[:, :-1],
    x[::2],
    x[0:1, ::2],
    y[0],
    y[0, 0],
    y[:, 1:],
    y[:, :, :1],
    y[1, 0, 0],
  ]
  return run(tf, results)


def program_functions(tf):
  x = tf.ragged.constant([[1, 2], [3]])
  results = [
    x + 1,
    x * x,
    -x,
    2 - x,
    tf.cast(x, tf.float32),
    tf.ragged.map_flat_values(tf.square, x),
    tf.ragged.boolean_mask(x, [False, True]),
    tf.ragged.boolean_mask(x, tf.ragged.constant([[True, False], [True]])),
    tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]),
    tf.ragged.stack([[1, 2], [3]]),
    tf.ragged.stack([x, tf.ragged.constant([[4]])]),
    tf.ragged.stack([x, tf.ragged.constant([[4], [5]])], axis=1),
    tf.ragged.stack_dynamic_partitions(["a", "b", "c"], [0, 2, 0], 3),
    tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3]),
    tf.ragged.segment_ids_to_row_splits([0, 0, 2]),
  ]
  return run(tf, results)


def program_placeholder(tf):
  p = tf.ragged.placeholder(tf.float32, 1)
  value = tf.ragged.constant_value([[1.0, 2.0], [], [3.0]], dtype="float32")
  return value.to_list(), value.shape, run(tf, [p, p.row_lengths()], {p: value})


def program_strings(tf):
  results = [
    tf.strings.split(["a b", "c"], result_type="RaggedTensor"),
    tf.strings.split([["a b", ""], ["c d e", "f"]], result_type="RaggedTensor"),
    tf.string_split(["a,b", "", "c"], ",", result_type="RaggedTensor"),
    tf.strings.bytes_split(["abc", ""]),
    tf.strings.bytes_split("abc"),
    tf.strings.unicode_decode(["Gr\u00fc", "a"], "UTF-8"),
    tf.strings.unicode_decode_with_offsets(["Gr\u00fc"], "UTF-8")[1],
    tf.strings.unicode_split(["Gr\u00fc", "ab"], "UTF-8"),
    tf.strings.unicode_encode(tf.ragged.constant([[71, 252], [97]]), "UTF-8"),
    tf.strings.ngrams(tf.ragged.constant([["a", "b", "c"], ["d"]]), 2),
    tf.strings.ngrams(["a", "b", "c"], [1, 2], separator="-", pad_values=("<", ">")),
  ]
  return run(tf, results)


program_making.values_only = True
program_properties.values_only = True
program_indexing.values_only = True
program_functions.values_only = True
program_placeholder.values_only = True
program_strings.values_only = True
