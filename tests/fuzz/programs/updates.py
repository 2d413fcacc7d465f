"""Updates of variables, each at its place in the chain."""

import itertools

import program as p
from generate import BRANCH, CHAIN, FUNCTION, statement
from program import Literal


def update(g, scope, v, text, operands, shape="same", apart=()):
  """`text` gives a reference, or the resource variable after the update."""
  if v.is_ref:
    rest = dict(views=frozenset([v.name]), moved=frozenset([v.name]), is_ref=True)
  else:
    rest, text = {}, f"tf.convert_to_tensor({text})"
  keeps = (0,) if not v.is_ref and "assign(" in text and "]" not in text else ()
  g.add(
    scope,
    "update",
    "{o0} = " + text,
    operands,
    [v],
    task=v.task,
    changes=(v.name,),
    keeps=keeps,
    apart=apart,
    outs=[(v.dtype, (None if v.is_loose else v.shape) if shape == "same" else shape, rest)],
  )
  return True


def updatable(g, scope, want=lambda h: True):
  if scope.segment == "r":
    return None
  fit = g.variables(scope, lambda h: want(h) and not (h.is_ref and scope.place == FUNCTION))
  return g.choose(fit) if fit else None


def locking(g, v):
  return g.choose(["", ", use_locking=True", ", use_locking=False"]) if v.is_ref else ""


@statement(6, CHAIN, BRANCH, FUNCTION)
def assign(g, scope):
  v = updatable(g, scope)
  if not v:
    return False
  # A resource variable would keep the buffer.
  x = g.pick(scope, v.dtype, v.shape, computed=not v.is_ref)
  if v.is_loose:
    shape = g.choose([v.shape, v.shape, g.shape(), _same_count(g, v.shape)])
    x = g.pick(scope, v.dtype, shape, computed=not v.is_ref)
    return update(g, scope, v, "tf1.assign({h0}, {0}, validate_shape=False" + locking(g, v) + ")", [x])
  return update(g, scope, v, g.choose(["tf1.assign({h0}, {0}%s)" % locking(g, v), "{h0}.assign({0})"]), [x])


def _same_count(g, shape):
  count = p.elements(shape)
  return g.choose([(count,), (1, count), (count, 1)] + ([(2, count // 2)] if count % 2 == 0 else []))


@statement(12, CHAIN, BRANCH, FUNCTION)
def add(g, scope):
  v = updatable(g, scope, lambda h: h.dtype in p.NUMBERS and not h.is_loose)
  if not v:
    return False
  x = g.pick(scope, v.dtype, v.shape)
  name = g.choose(["add", "add", "sub"])
  return update(g, scope, v, g.choose([f"tf1.assign_{name}({{h0}}, {{0}}{locking(g, v)})", f"{{h0}}.assign_{name}({{0}})"]), [x])


@statement(8, CHAIN, BRANCH, FUNCTION)
def scatter(g, scope):
  v = updatable(g, scope, lambda h: h.shape and not h.is_loose and h.dtype != "string")
  if not v:
    return False
  names = ["update"] * 2
  if v.dtype in p.NUMBERS:
    names += ["add"] * 3 + ["sub"] * 2 + ["mul", "div"]
    if v.dtype in p.FLOATS + ("int32", "int64"):
      names += ["min", "max"]
  name = g.choose(names)
  count = g.choose([1, 2, 3])
  if name in ("update", "div", "mul") or v.dtype in ("half", "bfloat16"):
    rows = g.rng.sample(range(v.shape[0]), min(count, v.shape[0]))
  else:
    rows = [g.rng.randrange(v.shape[0]) for _ in range(count)]
  ids = Literal(g.choose(["int32", "int64"]), (len(rows),), data=str(rows))
  if name in ("mul", "div"):
    x = g.positive(v.dtype, (len(rows),) + v.shape[1:])
  else:
    x = g.pick(scope, v.dtype, (len(rows),) + v.shape[1:], avoid=[v.name])
  if v.is_ref:
    text = g.choose(
      [f"tf1.scatter_{name}({{h0}}, {{0}}, {{1}}{locking(g, v)})", f"{{h0}}.scatter_{name}(tf.IndexedSlices({{1}}, {{0}}))"]
    )
  else:
    text = f"tf1.scatter_{name}({{h0}}, {{0}}, {{1}})"
  return update(g, scope, v, text, [ids, x], apart=(1,))


@statement(4, CHAIN, BRANCH, FUNCTION)
def scatter_nd(g, scope):
  """Rows or elements by coordinates."""
  v = updatable(g, scope, lambda h: h.shape and not h.is_loose and h.dtype != "string")
  if not v:
    return False
  name = g.choose(["update"] + (["add", "sub"] if v.dtype in p.NUMBERS else []))
  depth = g.choose([1, len(v.shape)])
  places = list(itertools.product(*(range(size) for size in v.shape[:depth])))
  count = min(g.choose([1, 2, 3]), len(places))
  if name == "update" or v.dtype in ("half", "bfloat16"):
    chosen = g.rng.sample(places, count)
  else:
    chosen = [g.choose(places) for _ in range(count)]
  ids = Literal(g.choose(["int32", "int64"]), (count, depth), data=str([list(place) for place in chosen]))
  x = g.pick(scope, v.dtype, (count,) + v.shape[depth:], avoid=[v.name])
  return update(g, scope, v, f"tf1.scatter_nd_{name}({{h0}}, {{0}}, {{1}}{locking(g, v)})", [ids, x], apart=(1,))


@statement(5, CHAIN, BRANCH)
def assign_slice(g, scope):
  v = updatable(g, scope, lambda h: h.shape and not h.is_loose)
  if not v:
    return False
  start = g.rng.randrange(v.shape[0])
  end = g.rng.randrange(start + 1, v.shape[0] + 1)
  x = g.pick(scope, v.dtype, (end - start,) + v.shape[1:], avoid=[v.name])
  return update(g, scope, v, f"{{h0}}[{start}:{end}].assign({{0}})", [x], apart=(0,))


@statement(2, CHAIN)
def count_up_to(g, scope):
  v = updatable(g, scope, lambda h: h.shape == () and not h.is_loose and h.dtype in ("int32", "int64"))
  if not v:
    return False
  g.add(
    scope,
    "update",
    "{o0} = {h0}.count_up_to(%d)" % g.choose([4, 20, 100]),
    [],
    [v],
    task=v.task,
    changes=(v.name,),
    outs=[(v.dtype, (), {})],
  )
  return True
