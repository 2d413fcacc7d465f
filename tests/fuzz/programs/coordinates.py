"""Ops by coordinates: tensors with other elements, coordinates of numbers, updates in place of what nobody else has."""

import itertools

import program as p
from computing import EVERYWHERE, compute, numbers
from generate import statement
from program import Literal

KINDS = ("float32", "float64", "int32", "int64")


def _shaped(g, scope, dtypes=KINDS):
  x = numbers(g, scope, dtypes, literals=0.05, want=lambda v: v.dtype in dtypes and bool(v.shape))
  return x if x.shape else g.literal(x.dtype, (4, 16))


@statement(2, *EVERYWHERE)
def tensor_scatter(g, scope):
  x = _shaped(g, scope)
  name = g.choose(["update", "add", "sub"])
  depth = g.choose([1, len(x.shape)])
  places = list(itertools.product(*(range(size) for size in x.shape[:depth])))
  count = min(g.choose([1, 2, 3]), len(places))
  # Of two elements for one place either may come last.
  chosen = g.rng.sample(places, count) if name == "update" else [g.choose(places) for _ in range(count)]
  ids = Literal(g.choose(["int32", "int64"]), (count, depth), data=str([list(place) for place in chosen]))
  y = g.pick(scope, x.dtype, (count,) + x.shape[depth:])
  if g.chance(0.3):
    compute(g, scope, f"tf.scatter_nd({{0}}, {{1}}, tf.constant({list(x.shape)}, tf.{ids.dtype}))", [ids, y], x.dtype, x.shape)
  else:
    compute(g, scope, f"tf.tensor_scatter_nd_{name}({{0}}, {{1}}, {{2}})", [x, ids, y], x.dtype, x.shape)
  return True


@statement(1, *EVERYWHERE)
def unravel_index(g, scope):
  x = numbers(g, scope, ("int32", "int64"), literals=0.1)
  if x.shape is None or len(x.shape) > 1:
    x = g.literal(x.dtype, (3,))
  sizes = g.choose([(2, 3), (4, 16), (2, 2, 3)])
  text = f"tf.unravel_index(tf.math.floormod({{0}}, {p.elements(sizes)}), tf.constant({list(sizes)}, tf.{x.dtype}))"
  compute(g, scope, text, [x], x.dtype, (len(sizes),) + x.shape)
  return True


@statement(1, *EVERYWHERE)
def in_place(g, scope):
  """Of a copy, which no rewriting takes for a constant."""
  x = _shaped(g, scope)
  rows = g.rng.sample(range(x.shape[0]), min(2, x.shape[0]))
  y = g.pick(scope, x.dtype, (len(rows),) + x.shape[1:])
  name = g.choose(["Update", "Add", "Sub"])
  text = f"tf.raw_ops.Inplace{name}(x=tf.raw_ops.DeepCopy(x={{0}}), i=tf.constant({rows}), v={{1}})"
  compute(g, scope, text, [x, y], x.dtype, x.shape)
  return True


@statement(0.5, *EVERYWHERE)
def edit_distance(g, scope):
  """Of two short texts of computed letters."""
  x, y = (
    numbers(g, scope, ("int32", "int64"), literals=0.1, want=lambda v: v.dtype in ("int32", "int64") and bool(v.shape))
    for _ in "xy"
  )
  x, y = (o if o.shape else g.literal(o.dtype, (4,)) for o in (x, y))
  sides = []
  for i, o in enumerate((x, y)):
    count = p.elements(o.shape)
    places = f"tf.constant({[[0, k] for k in range(count)]}, tf.int64)"
    letters = f"tf.cast(tf.math.floormod(tf.reshape({{{i}}}, [-1]), 3), tf.int64)"
    sides.append(f"tf.SparseTensor({places}, {letters}, tf.constant([1, {count}], tf.int64))")
  compute(g, scope, f"tf.edit_distance({sides[0]}, {sides[1]}, normalize={g.chance(0.5)})", [x, y], "float32", (1,))
  return True
