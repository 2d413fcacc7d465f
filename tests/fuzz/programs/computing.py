"""Ops that compute: what they give is nobody's buffer."""

import math

import program as p
from generate import BRANCH, CHAIN, FREE, FUNCTION, PURE, statement
from program import Literal, Value

EVERYWHERE = (PURE, CHAIN, FREE, BRANCH, FUNCTION)


def task_of(g, scope, operands):
  tasks = [o.task for o in operands if isinstance(o, Value)]
  return g.task_for(scope, g.choose(tasks) if tasks else None)


def compute(g, scope, text, operands, dtype, shape, task=None, kind="compute"):
  return g.add(scope, kind, "{o0} = " + text, operands, outs=[(dtype, shape, {})], task=task or task_of(g, scope, operands))


def numbers(g, scope, dtypes=p.NUMBERS, **more):
  """A value of numbers, or a literal."""
  more.setdefault("want", lambda v: v.dtype in dtypes)
  operand = g.pick(scope, **more)
  if operand.dtype not in dtypes:
    operand = g.literal(g.choose(dtypes), operand.shape or ())
  return operand


def tame(gap, limit=2.0):
  """Text of an operand of floats without NaNs, infinities and large values."""
  return f"tf.clip_by_value(tf.where(tf.math.is_finite({gap}), {gap}, tf.zeros_like({gap})), {-limit}, {limit})"


def floats(g, scope, shape=None, dtypes=("float32", "float64")):
  """A value of floats whose shape is known, or a literal."""
  x = numbers(
    g, scope, dtypes, literals=0.05, want=lambda v: v.dtype in dtypes and v.shape is not None and shape in (None, v.shape)
  )
  return x if shape in (None, x.shape) else g.literal(x.dtype, shape)


@statement(8, *EVERYWHERE)
def binary(g, scope):
  x = numbers(g, scope, literals=0.05)
  if x.shape is None:
    y = g.literal(x.dtype, ())
  else:
    y = g.pick(scope, x.dtype, x.shape if g.chance(0.6) else ())
    if y.shape is None or y == x:
      y = g.literal(x.dtype, ())
  texts = ["{0} + {1}"] * 4 + ["{0} - {1}"] * 2 + ["tf.add({0}, {1})"]
  if x.dtype not in p.COMPLEX:
    texts += ["tf.maximum({0}, {1})", "tf.minimum({0}, {1})"]
  if isinstance(y, Literal):
    texts += ["{0} * {1}"] * 2
  compute(g, scope, g.choose(texts), [x, y], x.dtype, x.shape)
  return True


@statement(3, *EVERYWHERE)
def neutral(g, scope):
  """What rewriting takes for the operand itself: the result is a value of its own, bound when the op starts."""
  x = numbers(g, scope, dtypes=p.FLOATS + ("int32", "int64"), literals=0)
  one, zero = Literal(x.dtype, x.shape or (), 1), Literal(x.dtype, x.shape or (), 0)
  text, y = g.choose([("{0} * {1}", one), ("{0} - {1}", zero), ("{0} + {1}", zero), ("{1} * {0}", one), ("{0} / {1}", one)])
  if "/" in text and x.dtype not in p.FLOATS:
    return False
  compute(g, scope, text, [x, y], x.dtype, x.shape, kind="neutral")
  return True


@statement(4, *EVERYWHERE)
def unary(g, scope):
  x = numbers(g, scope, dtypes=p.FLOATS + p.COMPLEX + ("int32", "int64"), literals=0.05)
  texts = ["-{0}", "tf.negative({0})", "tf.square({0} * {1})"]
  if x.dtype in ("float32", "float64"):
    texts += ["tf.tanh({0})", "tf.sigmoid({0})", "tf.abs({0})", "tf.nn.relu({0})", "tf.sin({0})", "tf.exp(tf.minimum({0}, {1}))"]
  quarter = Literal(x.dtype, (), 0.5 if x.dtype in p.FLOATS + p.COMPLEX else 1)
  compute(g, scope, g.choose(texts), [x, quarter], x.dtype, x.shape)
  return True


@statement(4, *EVERYWHERE)
def reduce(g, scope):
  x = numbers(g, scope, dtypes=("float32", "float64", "int32", "int64"), literals=0.05)
  if not x.shape:
    return False  # it would be handed on: reads.py has that
  if g.chance(0.4):
    axis = g.rng.randrange(len(x.shape))
    shape = x.shape[:axis] + x.shape[axis + 1 :]
    text = g.choose(["tf.reduce_sum({0}, %d)", "tf.reduce_max({0}, %d)", "tf.reduce_min({0}, %d)"]) % axis
  else:
    shape, text = (), g.choose(["tf.reduce_sum({0})"] * 3 + ["tf.reduce_max({0})", "tf.reduce_min({0})", "tf.reduce_mean({0})"])
    if "mean" in text and x.dtype not in p.FLOATS:
      text = "tf.reduce_sum({0})"
  operands = [x]
  if math.prod(shape) == math.prod(x.shape):
    # Over dimensions of one element it would be handed on: of a product it is a value of its own.
    text, operands = text.replace("{0}", "{0} * {1}"), [x, Literal(x.dtype, (), 2)]
  compute(g, scope, text, operands, x.dtype, shape)
  return True


@statement(3, *EVERYWHERE)
def convert(g, scope):
  x = numbers(g, scope, dtypes=("float32", "float64", "int32", "int64", "bool", "half", "bfloat16"), literals=0.05)
  dtype = g.choose(["float32", "float64", "int32", "int64", "bool"])
  if dtype == x.dtype or x.dtype in ("half", "bfloat16") and dtype not in ("float32", "float64"):
    return False
  # Of floats only a sign that rounding does not decide.
  text = f"tf.cast({{0}}, tf.{dtype})"
  if x.dtype in p.FLOATS and dtype in p.SIGNED:
    text = f"tf.cast(tf.minimum(tf.maximum(tf.round({{0}} * {{1}}), {{2}}), {{3}}), tf.{dtype})"
    operands = [x, Literal(x.dtype, (), 1.01), Literal(x.dtype, (), -1000), Literal(x.dtype, (), 1000)]
    if not g.chance(0.2):
      return False
  else:
    operands = [x]
  compute(g, scope, text, operands, dtype, x.shape)
  return True


@statement(2, *EVERYWHERE)
def compare(g, scope):
  x = numbers(g, scope, dtypes=("int32", "int64", "float32"), literals=0.05)
  if x.dtype == "float32" and not g.chance(0.3):
    return False
  y = Literal(x.dtype, (), 2 if x.dtype in p.SIGNED else 1.37)
  compute(g, scope, g.choose(["tf.less({0}, {1})", "tf.greater_equal({0}, {1})"]), [x, y], "bool", x.shape)
  return True


@statement(2, *EVERYWHERE)
def about_shape(g, scope):
  """Of values whose shape may change between runs."""
  x = g.pick(scope, literals=0.02, want=lambda v: v.shape is None)
  if x.shape is not None:
    return False
  text, dtype, shape = g.choose(
    [
      ("tf.shape({0})", "int32", None),
      ("tf.size({0})", "int32", ()),
      ("tf.rank({0})", "int32", ()),
      ("tf.reshape({0}, [-1])", x.dtype, None),
    ]
  )
  task = task_of(g, scope, [x])
  if "reshape" in text:
    g.add(scope, "hand on", "{o0} = " + text, [x], outs=[(dtype, shape, g.views([x], task))], task=task)
  else:
    compute(g, scope, text, [x], dtype, shape, task)
  return True


@statement(2, *EVERYWHERE)
def multiply(g, scope):
  x = g.pick(scope, "float32", (4, 16))
  y = g.pick(scope, "float32", (5, 16))
  compute(g, scope, "tf.matmul({0}, {1}, transpose_b=True) * 0.125", [x, y], "float32", (4, 5))
  return True


@statement(2, *EVERYWHERE)
def select(g, scope):
  x = numbers(g, scope, dtypes=("float32", "int32", "int64"), literals=0.05)
  if x.shape is None:
    return False
  y = g.pick(scope, x.dtype, x.shape)
  condition = g.pick(scope, "bool", x.shape)
  compute(g, scope, "tf1.where_v2({0}, {1}, {2})", [condition, x, y], x.dtype, x.shape)
  return True


@statement(1, *EVERYWHERE)
def clip(g, scope):
  x = g.pick(scope, "float32", g.choose([(4, 16), (2, 3), (5, 16)]))
  compute(
    g,
    scope,
    g.choose(
      ["tf.clip_by_norm({0}, 1.0, axes=[1])", "tf.clip_by_value({0}, -1.0, 1.0)", "tf.clip_by_global_norm([{0}], 2.0)[0][0]"]
    ),
    [x],
    x.dtype,
    x.shape,
  )
  return True
