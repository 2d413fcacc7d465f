"""Control flow by hand: If, While and calls as ops, and switches of references."""

from computing import task_of
from generate import BRANCH, CHAIN, FREE, statement
from program import Literal

BODIES = [
  "tf.identity(a)",
  "tf.reshape(a, tf.shape(a))",
  "a + a",
  "-a",
  "tf.stop_gradient(a)",
  "tf.reverse(tf.reshape(a, [-1]), [0])",
]


def _argument(g, scope):
  x = g.pick(
    scope,
    literals=0.1,
    want=lambda v: (
      v.shape is not None
      and not v.is_ref
      and v.dtype in ("float32", "int32", "float64", "int64")
      and not (g.is_variable(v) and not g.handle(v.name).is_ref)
    ),
  )
  if x.shape is None or x.dtype not in ("float32", "int32", "float64", "int64"):
    x = Literal("float32", (3,), 1.0, 0.5)
  return x


def _function(g, name, x, bodies, arguments="a", specs=""):
  body = g.choose(bodies)
  if "reverse" in body:
    body = f"tf.reshape({body}, {list(x.shape)})"
  return (
    f"{name}{{n}} = tf.function(lambda {arguments}: {body}, autograph=False).get_concrete_function("
    f"{specs}tf.TensorSpec({list(x.shape)}, tf.{x.dtype}))"
  )


@statement(2, CHAIN, FREE, BRANCH)
def raw_call(g, scope):
  """A node that calls functions, which are not built into the graph around it."""
  if not g.traces:
    return False
  x = _argument(g, scope)
  task = task_of(g, scope, [x])
  dtype = f"Tout=[tf.{x.dtype}]"
  operands = [x]
  lines = [_function(g, "yes", x, BODIES), _function(g, "no", x, BODIES)]
  kind = g.choose(["If", "StatelessIf", "Case", "PartitionedCall", "StatefulPartitionedCall", "While", "StatelessWhile"])
  if "If" in kind:
    operands.append(g.pick(scope, "bool", ()))
    call = f"tf.raw_ops.{kind}(cond=tf.convert_to_tensor({{1}}), input=[tf.identity({{0}})], {dtype}, then_branch=yes{{n}}, else_branch=no{{n}})[0]"
  elif kind == "Case":
    operands.append(g.pick(scope, "int32", ()))
    call = f"tf.raw_ops.Case(branch_index={{1}}, input=[tf.identity({{0}})], {dtype}, branches=[yes{{n}}, no{{n}}])[0]"
  elif "While" in kind:
    counter = "tf.TensorSpec([], tf.int32), "
    lines = [
      _function(g, "test", x, [f"i < {g.choose([0, 1, 3])}"], "i, a", counter),
      _function(g, "body", x, ["(i + 1, tf.identity(a))", "(i + 1, a + a)"], "i, a", counter),
    ]
    call = f"tf.raw_ops.{kind}(input=[tf.constant(0), tf.identity({{0}})], cond=test{{n}}, body=body{{n}})[1]"
  else:
    lines = lines[:1]
    call = f"tf.raw_ops.{kind}(args=[tf.identity({{0}})], {dtype}, f=yes{{n}})[0]"
  g.add(
    scope,
    "raw call",
    lines + ["{o0} = " + call, "{o0}.set_shape(%s)" % list(x.shape)],
    operands,
    outs=[(x.dtype, x.shape, g.views([x], task))],
    task=task,
  )
  return True


def _references(g, scope, count):
  """Reference variables of one type and shape on one task."""
  fit = g.variables(scope, lambda h: h.is_ref and not h.is_loose and h.dtype in ("float32", "float64", "int32", "int64"))
  if not fit:
    return None
  v = g.choose(fit)
  like = [h for h in fit if (h.dtype, h.shape, h.task) == (v.dtype, v.shape, v.task)]
  return [v] + [g.choose(like) for _ in range(count - 1)]


@statement(4, CHAIN, BRANCH)
def switched_reference(g, scope):
  """A reference that RefSwitch, RefMerge or RefSelect gives: read, or updated."""
  some = _references(g, scope, 2)
  if not some:
    return False
  v = some[0]
  if g.chance(0.5):
    index = g.pick(scope, "bool", ())
    lines = [
      "no{n}, yes{n} = tf.raw_ops.RefSwitch(data={h0}._ref(), pred={0})",
      "both{n} = tf.raw_ops.RefMerge(inputs=[no{n}, yes{n}])[0]",
    ]
    some = some[:1]
  else:
    index = Literal("int32", (), g.rng.randrange(2))
    lines = ["both{n} = tf.raw_ops.RefSelect(index={0}, inputs=[{h0}._ref(), {h1}._ref()])"]
  names, shaped = frozenset(h.name for h in some), f"both{{n}}.set_shape({list(v.shape)})"
  rest = dict(views=names, moved=names)
  if g.chance(0.5):
    g.add(
      scope, "read", lines + [shaped, "{o0} = tf.identity(both{n})"], [index], some, outs=[(v.dtype, v.shape, rest)], task=v.task
    )
    return True
  x = g.pick(scope, v.dtype, v.shape)
  op, name = g.choose([("AssignAdd", "value"), ("AssignSub", "value"), ("Assign", "value")])
  g.add(
    scope,
    "update",
    lines + [shaped, f"{{o0}} = tf.raw_ops.{op}(ref=both{{n}}, {name}={{1}})"],
    [index, x],
    some,
    task=v.task,
    changes=tuple(sorted(names)),
    outs=[(v.dtype, v.shape, dict(rest, is_ref=True))],
  )
  return True
