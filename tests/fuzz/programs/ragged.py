"""Ragged tensors, made and used up by one statement."""

from computing import EVERYWHERE, compute, numbers
from generate import statement
from program import Literal

KINDS = ("float32", "float64", "int32", "int64")


@statement(1, *EVERYWHERE)
def ragged_range(g, scope):
  x = numbers(
    g, scope, ("int32", "int64"), literals=0.1, want=lambda v: v.dtype in ("int32", "int64") and v.shape in ((3,), (4,))
  )
  if x.shape not in ((3,), (4,)):
    x = g.literal(x.dtype, (3,))
  step = Literal(x.dtype, (), g.choose([1, 2, 3]))
  made = f"tf.ragged.range(tf.math.floormod({{0}}, 7), deltas={{1}}, row_splits_dtype=tf.{g.choose(['int32', 'int64'])})"
  text, dtype, shape = g.choose(
    [
      (made + ".flat_values", x.dtype, None),
      (f"tf.cast({made}.row_splits, tf.int64)", "int64", (x.shape[0] + 1,)),
      (made + ".to_tensor(-1, shape=[None, 7])", x.dtype, (x.shape[0], 7)),
      (f"tf.reduce_sum({made}, 1)", x.dtype, x.shape),
      (f"tf.concat([{made}, {made}], 1).flat_values", x.dtype, None),
    ]
  )
  compute(g, scope, text, [x, step], dtype, shape)
  return True


@statement(2, *EVERYWHERE)
def ragged_rows(g, scope):
  """Rows of rows of what the program has."""
  x = numbers(
    g, scope, KINDS, literals=0.1, want=lambda v: not v.is_ref and v.dtype in KINDS and bool(v.shape) and v.shape[0] >= 3
  )
  if not x.shape or x.shape[0] < 3:
    x = g.literal(x.dtype, (4, 16))
  count, rest = x.shape[0], x.shape[1:]
  splits = [0, g.choose([0, 1, 2]), 2, count]
  ids = [g.rng.randrange(3) for _ in range(g.choose([0, 1, 3]))] + [2]  # the last row is never empty
  made = f"tf.RaggedTensor.from_row_splits({{0}}, tf.constant({splits}, tf.int64), validate=False)"
  lengths = [b - a for a, b in zip(splits, splits[1:])]
  longest = max(lengths)
  gathered = sum(lengths[i] for i in ids)
  text, dtype, shape = g.choose(
    [
      (f"tf.gather({made}, {ids}).flat_values * {{1}}", x.dtype, (gathered,) + rest),
      (f"{made}.to_tensor({{1}})", x.dtype, (3, longest) + rest),
      (f"{made}.to_tensor({{1}}, shape={[4, 2] + list(rest)})", x.dtype, (4, 2) + rest),
      (f"{made}.row_lengths()", "int64", (3,)),
      (f"tf.reduce_max({made}.with_values({made}.value_rowids()), 0)", "int64", None),
      (f"tf.concat([{made}, {made}], 0).row_splits", "int64", (7,)),
    ]
    + ([(f"tf.sparse.to_dense({made}.to_sparse())", x.dtype, (3, longest))] if not rest else [])
  )
  compute(g, scope, text, [x, Literal(x.dtype, (), 2)], dtype, shape)
  return True


@statement(0.5, *EVERYWHERE)
def ragged_variant(g, scope):
  x = numbers(
    g, scope, KINDS, literals=0.1, want=lambda v: not v.is_ref and v.dtype in KINDS and v.shape is not None and len(v.shape) == 1
  )
  if x.shape is None or len(x.shape) != 1:
    x = g.literal(x.dtype, (4,))
  cut = g.rng.randrange(x.shape[0] + 1)
  splits = f"tf.constant([0, {cut}, {x.shape[0]}], tf.int64)"
  text = (
    f"tf.raw_ops.RaggedTensorFromVariant(encoded_ragged=tf.raw_ops.RaggedTensorToVariant(rt_nested_splits=[{splits}], "
    f"rt_dense_values={{0}}, batched_input=True), input_ragged_rank=0, output_ragged_rank=1, Tvalues=tf.{x.dtype}, Tsplits=tf.int64)"
  )
  compute(g, scope, text + ".output_dense_values * {1}", [x, Literal(x.dtype, (), 2)], x.dtype, x.shape)
  return True
