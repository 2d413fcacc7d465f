"""Reads that an update comes between: made before it, consumed after it."""

import program as p
from generate import CHAIN, statement
from program import Literal
from updates import update


@statement(14, CHAIN)
def across_update(g, scope):
  if scope.segment == "r":
    return False
  fit = g.variables(scope, lambda h: h.is_ref and h.dtype in ("float32", "float64", "int32", "int64"))
  if not fit:
    return False
  # Rows of 64 bytes lie so that ops can hand them on.
  rows = [h for h in fit if not h.is_loose and h.shape[1:] == (16,)]
  v = g.choose(rows if rows and g.chance(0.6) else fit)
  own = frozenset([v.name])
  views = dict(views=own, moved=own)
  x = p.variable_value(v)
  if v.is_loose or g.chance(0.5):
    (x,) = g.add(scope, "read", "{o0} = {h0}.read_value()", handles=[v], outs=[(v.dtype, x.shape, views)], task=v.task)
  row = g.rng.randrange(v.shape[0]) if v.shape and not v.is_loose else None
  x = _handed_on(g, scope, v, x, row, views)
  one = Literal(v.dtype, v.shape, 1)
  if v.is_loose:
    other = Literal(v.dtype, g.choose([s for s in ((2,), (5,), (7, 3)) if p.elements(s) != p.elements(v.shape)]), 1, 1)
    update(g, scope, v, "tf1.assign({h0}, {0}, validate_shape=False)", [other])
  elif row is not None and g.chance(0.4):
    ids = Literal("int32", (1,), data=str([row]))
    update(g, scope, v, "tf1.scatter_add({h0}, {0}, {1})", [ids, Literal(v.dtype, (1,) + v.shape[1:], 1)])
  else:
    update(
      g, scope, v, g.choose(["tf1.assign_add({h0}, {0})"] * 2 + ["tf1.assign_sub({h0}, {0})", "tf1.assign({h0}, {0})"]), [one]
    )
  g.add(scope, "compute", "{o0} = {0} + {1}", [x, Literal(v.dtype, (), 2)], outs=[(v.dtype, x.shape, {})], task=v.task)
  return True


def _handed_on(g, scope, v, x, row, views):
  """What is read, or what some op makes of it."""
  if g.chance(0.25):
    return x
  if row is not None and g.chance(0.6):
    text, shape, rest = g.choose(
      [(f"tf.gather({{0}}, [{row}])", (1,) + v.shape[1:], {})] * 2
      + [
        (f"tf.gather({{0}}, {row})", v.shape[1:], {}),
        (f"{{0}}[{row}]", v.shape[1:], views),
        (f"tf.slice({{0}}, {[row] + [0] * (len(v.shape) - 1)}, {[1] + [-1] * (len(v.shape) - 1)})", (1,) + v.shape[1:], views),
      ]
    )
    return g.add(scope, "rows", "{o0} = " + text, [x], outs=[(v.dtype, shape, rest)], task=v.task)[0]
  if g.chance(0.3):
    return g.add(scope, "hand on", "{o0} = tf.identity({0})", [x], outs=[(v.dtype, x.shape, views)], task=v.task)[0]
  # Behind a read of the same place the client makes no control edges, so that rewriting may take the op for its operand.
  text, y = g.choose([("read{n} * one{n}", 1), ("one{n} * read{n}", 1), ("read{n} - one{n}", 0)])
  lines = [
    "with tf.control_dependencies(None):",
    f"  one{{n}} = tf.constant({y}, tf.{v.dtype})",
    "read{n} = {h0}.read_value()",
    "{o0} = " + text,
  ]
  return g.add(scope, "neutral", lines, handles=[v], outs=[(v.dtype, x.shape, {})], task=v.task)[0]
