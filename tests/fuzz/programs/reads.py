"""Reads: of variables in every form, and ops that may hand a buffer on, or a part of it."""

from computing import EVERYWHERE, task_of
from generate import BRANCH, CHAIN, FREE, FUNCTION, PURE, statement
from program import Literal, Value


def hand_on(g, scope, text, operands, dtype, shape, task=None):
  task = task or task_of(g, scope, operands)
  return g.add(scope, "hand on", "{o0} = " + text, operands, outs=[(dtype, shape, g.views(operands, task))], task=task)


@statement(5, CHAIN, FREE, BRANCH, FUNCTION)
def read(g, scope):
  fit = g.variables(scope)
  if not fit:
    return False
  v = g.choose(fit)
  texts = ["{h0}.read_value()"] * 3
  if scope.place != FUNCTION:
    if v.is_ref:
      # The client makes what it gives outside of the control dependencies.
      texts += ["tf.identity({h0}.initialized_value())", "tf.identity({h0}._ref())", "tf.raw_ops.RefIdentity(input={h0}._ref())"]
  elif v.is_ref:
    texts = ["tf.identity({h0})"]
  if v.is_loose:
    texts = [t for t in texts if "initialized" not in t]
  text = g.choose(texts)
  views = dict(views=frozenset([v.name]), moved=frozenset([v.name]), is_ref="RefIdentity" in text) if v.is_ref else {}
  g.add(scope, "read", "{o0} = " + text, handles=[v], outs=[(v.dtype, None if v.is_loose else v.shape, views)], task=v.task)
  return True


@statement(2, CHAIN, FREE, BRANCH)
def compute_on_reference(g, scope):
  fit = g.variables(scope, lambda h: h.is_ref and h.dtype in ("float32", "int32", "float64", "int64"))
  if not fit:
    return False
  v = g.choose(fit)
  shape = None if v.is_loose else v.shape
  y = g.literal(v.dtype, ())
  text = g.choose(["tf.add({h0}._ref(), {0})", "tf.subtract({h0}._ref(), {0})", "tf.maximum({h0}._ref(), {0})"])
  g.add(scope, "compute", "{o0} = " + text, [y], [v], outs=[(v.dtype, shape, {})], task=v.task)
  return True


def _source(g, scope, rank=0, **more):
  """A value of some rank at least, with a known shape; views rather than others."""

  def want(v):
    return v.shape is not None and len(v.shape) >= rank and 0 not in v.shape

  for _ in range(2):
    x = g.pick(scope, literals=0, want=lambda v: want(v) and (v.views or g.chance(0.3)), **more)
    if isinstance(x, Value):
      return x
  return None


def _pure_hand_on(g, x):
  """Outside of the chain a view may be handed on where it is, by an op that always does so."""
  return x.views and x.segment is None


@statement(5, *EVERYWHERE)
def same_buffer(g, scope):
  """Ops that always hand on the buffer, with another shape."""
  if scope.place == PURE:
    fit = [
      v
      for v in g.values
      if v.segment is None and v.shape is not None and not v.is_ref and not (g.is_variable(v) and not g.handle(v.name).is_ref)
    ]
    x = g.choose(fit) if fit else None
  else:
    x = _source(g, scope)
  if x is None:
    return False
  count = 1
  for size in x.shape:
    count *= size
  texts = [("tf.identity({0})", x.shape)] * 3 + [("tf.reshape({0}, [-1])", (count,)), ("tf.expand_dims({0}, 0)", (1,) + x.shape)]
  if x.dtype not in ("bool", "string"):
    texts += [("tf.stop_gradient({0})", x.shape)]
  if x.shape and x.shape[0] == 1:
    texts += [("tf.squeeze({0}, [0])", x.shape[1:])] * 3
  if count % 2 == 0 and count:
    texts += [("tf.reshape({0}, [%d, 2])" % (count // 2), (count // 2, 2))]
  text, shape = g.choose(texts)
  hand_on(g, scope, text, [x], x.dtype, shape, x.task if scope.place == PURE and x.views else None)
  return True


@statement(7, CHAIN, FREE, BRANCH, FUNCTION)
def part_of_buffer(g, scope):
  """Ops that hand on the buffer, or a part, if values and places in memory allow it."""
  x = _source(g, scope, 1)
  if x is None:
    return False
  rows, rest = x.shape[0], x.shape[1:]
  start = g.rng.randrange(rows)
  end = g.rng.randrange(start + 1, rows + 1)
  zeros = [[0, 0]] * len(x.shape)
  order = list(range(len(x.shape)))
  texts = [(f"tf.slice({{0}}, {[start] + [0] * len(rest)}, {[end - start] + [-1] * len(rest)})", (end - start,) + rest)] * 2
  texts += [(f"{{0}}[{start}:{end}]", (end - start,) + rest)] * 2
  texts += [(f"{{0}}[{start}]", rest)]
  if rows % 2 == 0:
    texts += [(f"tf.split({{0}}, 2)[{g.rng.randrange(2)}]", (rows // 2,) + rest)] * 2
  if rows > 1:
    texts += [(f"tf.split({{0}}, [1, {rows - 1}])[1]", (rows - 1,) + rest)]
  texts += [(f"tf.unstack({{0}}, {rows})[{start}]", rest)]
  texts += [("tf.tile({0}, %s)" % ([1] * len(x.shape)), x.shape)]
  if x.dtype not in ("string",):
    texts += [(f"tf.pad({{0}}, {zeros})", x.shape)]
  texts += [(f"tf.transpose({{0}}, {order})", x.shape), ("tf.stack([{0}])", (1,) + x.shape), ("tf.concat([{0}], 0)", x.shape)]
  if x.dtype in ("float32", "float64", "int32", "int64"):
    texts += [
      ("tf.reduce_sum({0}, [])", x.shape),
      ("tf.raw_ops.AddN(inputs=[{0}])", x.shape),
      (f"tf.raw_ops.Cast(x={{0}}, DstT=tf.{x.dtype})", x.shape),
    ]
  if x.dtype != "string":
    texts += [("tf.raw_ops.Snapshot(input={0})", x.shape), ("tf.raw_ops.DeepCopy(x={0})", x.shape)]
  text, shape = g.choose(texts)
  hand_on(g, scope, text, [x], x.dtype, shape)
  return True


@statement(6, CHAIN, FREE, BRANCH, FUNCTION)
def rows(g, scope):
  """Lookups of rows."""
  x = _source(g, scope, 1)
  if x is None:
    return False
  count = g.choose([1, 2, 3])
  ids = Literal("int32", (count,), data=str([g.rng.randrange(x.shape[0]) for _ in range(count)]))
  texts = [("tf.gather({0}, {1})", (count,) + x.shape[1:])] * 3
  texts += [("tf.gather_nd({0}, tf.expand_dims({1}, 1))", (count,) + x.shape[1:])]
  texts += [("tf.nn.embedding_lookup({0}, {1})", (count,) + x.shape[1:])]
  texts += [("tf.gather({0}, {1}[0])", x.shape[1:])]
  text, shape = g.choose(texts)
  if "embedding" in text and g.is_variable(x):
    pass  # colocated with the variable
  g.add(
    scope,
    "rows",
    "{o0} = " + text,
    [x, ids],
    outs=[(x.dtype, shape, {})],
    task=x.task if g.is_variable(x) else task_of(g, scope, [x]),
  )
  return True


@statement(2, CHAIN, FREE, BRANCH, FUNCTION)
def join(g, scope):
  x = _source(g, scope, 1)
  if x is None:
    return False
  y = g.pick(scope, x.dtype, x.shape)
  g.add(
    scope,
    "compute",
    "{o0} = tf.concat([{0}, {1}], 0)",
    [x, y],
    outs=[(x.dtype, (2 * x.shape[0],) + x.shape[1:], {})],
    task=task_of(g, scope, [x, y]),
  )
  return True
