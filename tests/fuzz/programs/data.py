"""Iterators of data sets, each of which gives its elements in one order."""

from generate import CHAIN, statement
from storing import new, place

RANGE = "tf.data.Dataset.range"

DATA = [
  (f"{RANGE}(100).map(lambda x: x * 3)", "int64", ()),
  (f"{RANGE}(100).shuffle(10, seed=3).batch(2)", "int64", (2,)),
  ("tf.data.Dataset.from_tensor_slices(np.reshape(0.5 * np.arange(12.0), [4, 3])).repeat()", "float64", (3,)),
  (f"{RANGE}(3).flat_map(lambda x: tf.data.Dataset.from_tensors(x).repeat(x + 1)).repeat()", "int64", ()),
  (f"{RANGE}(4).filter(lambda x: x > 1)", "int64", ()),
  (f"{RANGE}(50).map(lambda x: tf.strings.as_string(x))", "string", ()),
]
# What chains, joins and cuts data sets.
DATA += [
  (f"{RANGE}(9).apply(tf.data.experimental.take_while(lambda x: x < 5))", "int64", ()),
  (f"{RANGE}(60).apply(tf.data.experimental.scan(tf.constant(1, tf.int64), lambda s, x: (s + x, s * 2 - x)))", "int64", ()),
  (f"{RANGE}(40).map(lambda x: x % 4).apply(tf.data.experimental.unique())", "int64", ()),
  (f"{RANGE}(40).map(lambda x: tf.strings.as_string(x % 5)).apply(tf.data.experimental.unique())", "string", ()),
  (f"{RANGE}(60).window(3, 2, drop_remainder=True).flat_map(lambda w: w.batch(3))", "int64", (3,)),
  (f"{RANGE}(30).batch(3, drop_remainder=True).unbatch()", "int64", ()),
  (f"{RANGE}(20).interleave(lambda x: {RANGE}(x, x + 3), cycle_length=2, block_length=2)", "int64", ()),
  (f"{RANGE}(20).map(lambda x: x * x, num_parallel_calls=2).prefetch(2)", "int64", ()),
  (f"tf.data.Dataset.zip(({RANGE}(50), {RANGE}(7).repeat())).map(lambda x, y: x * 10 + y)", "int64", ()),
  (f"{RANGE}(4).concatenate({RANGE}(10, 30)).skip(2)", "int64", ()),
  (f"{RANGE}(5).cache().repeat()", "int64", ()),
  (f"{RANGE}(60).shard(3, 1).enumerate().map(lambda i, x: i * 100 + x)", "int64", ()),
  (f"{RANGE}(1, 20).map(lambda x: tf.fill([x % 3 + 1], x)).padded_batch(2, padded_shapes=[4])", "int64", (2, 4)),
  (f"{RANGE}(20).repeat(2).apply(tf.data.experimental.ignore_errors())", "int64", ()),
]
# Groups, and those of tf.data.experimental.
DATA += [
  (
    f"{RANGE}(60).apply(tf.data.experimental.group_by_window("
    "lambda x: x % 3, lambda k, w: w.batch(4, drop_remainder=True), window_size=4))",
    "int64",
    (4,),
  ),
  (
    f"{RANGE}(60).apply(tf.data.experimental.group_by_reducer(lambda x: x % 4, tf.data.experimental.Reducer("
    "lambda k: tf.constant(0, tf.int64), lambda s, x: s + x, lambda s: s * 2))).repeat()",
    "int64",
    (),
  ),
  (
    f"tf.data.experimental.choose_from_datasets([{RANGE}(50), {RANGE}(100, 150)], {RANGE}(50).map(lambda x: x * x % 2))",
    "int64",
    (),
  ),
  (f"tf.data.experimental.sample_from_datasets([{RANGE}(50), {RANGE}(100, 150)], [0.5, 0.5], seed=5)", "int64", ()),
  (f"{RANGE}(20).apply(tf.data.experimental.map_and_batch(lambda x: x * 2, 3, drop_remainder=True))", "int64", (3,)),
  (f"{RANGE}(12).apply(tf.data.experimental.shuffle_and_repeat(5, seed=3))", "int64", ()),
  (
    f"{RANGE}(20).map(lambda x: tf.fill([x % 3 + 1], x)).apply(tf.data.experimental.dense_to_sparse_batch(2, [4]))"
    ".map(lambda s: tf.sparse.to_dense(s)).filter(lambda x: tf.shape(x)[0] > 1)",
    "int64",
    (2, 4),
  ),
]


def _of_op(op, source, arguments, shape):
  """Of an op that the client has no function for."""
  types = f"output_types=[tf.int64], output_shapes=[{list(shape)}]"
  return (
    f"tf.data.experimental.from_variant(tf.raw_ops.{op}(input_dataset=tf.data.experimental.to_variant({source}), {arguments}{types}), "
    f"tf.TensorSpec({list(shape)}, tf.int64))"
  )


BIG = "tf.constant({}, tf.int64)".format
DATA += [
  (
    _of_op(
      "SlidingWindowDataset", f"{RANGE}(30)", f"window_size={BIG(3)}, window_shift={BIG(2)}, window_stride={BIG(1)}, ", (3,)
    ),
    "int64",
    (3,),
  ),
  (_of_op("SamplingDataset", f"{RANGE}(90)", f"rate=0.5, seed={BIG(3)}, seed2={BIG(7)}, ", ()), "int64", ()),
  (_of_op("ExperimentalUniqueDataset", f"{RANGE}(40).map(lambda x: x % 6)", "", ()), "int64", ()),
  (_of_op("ExperimentalUnbatchDataset", f"{RANGE}(40).batch(3)", "", ()), "int64", ()),
  (_of_op("ExperimentalIgnoreErrorsDataset", f"{RANGE}(12)", "", ()), "int64", ()),
]


@statement(4, CHAIN)
def iterator(g, scope):
  """The next element of an iterator. It has a name, or it would be each session's own, and only the first one initializes it."""
  fit = g.of_kind("iterator")
  if not fit or g.chance(0.4):
    text, dtype, shape = g.choose(DATA)
    q = new(
      g,
      "iterator",
      [
        f'NAME = tf1.data.make_initializable_iterator({text}, shared_name="NAME")',
        "tf1.add_to_collection(tf1.GraphKeys.TABLE_INITIALIZERS, NAME.initializer)",
      ],
      place(g),
      dtype,
      shape,
    )
  else:
    q = g.choose(fit)
  g.blocking.add(scope.segment)
  g.add(
    scope,
    "iterator",
    "{o0} = tf.reshape({h0}.get_next(), %s)" % list(q.shape),
    [],
    [q],
    outs=[(q.dtype, q.shape, {})],
    task=q.task,
  )
  return True
