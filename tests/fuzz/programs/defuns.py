"""Functions called by their name (Defun), and ops that call such."""

import dataclasses

import program as p
import rules
from branching import DEPTH, begin, block, changes, passes, result_of, type_of
from computing import EVERYWHERE, floats, numbers, task_of
from generate import BRANCH, CHAIN, FREE, FUNCTION, statement
from program import Block, Literal, Value

KINDS = ("float32", "float64", "int32", "int64")


def defun(name, types, arguments, body, options=""):
  """Lines of a function of one line."""
  declared = ", ".join([f"tf.{t}" for t in types] + ([options] if options else []))
  return [f"@function.Defun({declared})", f"def {name}({arguments}):", f"  return {body}"]


def argument(g, scope, kinds=KINDS):
  """What a function is given: no reference."""
  x = numbers(g, scope, kinds, literals=0.1, want=lambda v: v.dtype in kinds and v.shape is not None and not v.is_ref)
  return x if x.shape is not None else g.literal("float32", (3,))


@statement(4, CHAIN, FREE, BRANCH, FUNCTION)
def named_function(g, scope):
  """A function with arguments, what it captures, and statements of its own, called once or twice."""
  if scope.depth >= DEPTH:
    return False
  task = g.task_for(scope)
  arguments = [g.pick(scope, want=lambda v: passes(g, v, task)) for _ in range(g.rng.choice([0, 1, 2]))]
  n = g.count + 1
  g.count += 1
  here = frozenset(h.name for h in g.of_kind("variable") if h.is_ref and h.task == task)
  refs = frozenset(h.name for h in g.of_kind("variable") if h.is_ref)
  inner = [Value(f"a{n}_{i}", a.dtype, a.shape, task, here, refs) for i, a in enumerate(arguments)]
  inside = block(g, scope, FUNCTION, task, inner, named=True)
  for s in p.walk(inside.statements):
    s.operands = [dataclasses.replace(o, start=2) if rules.is_neutral(o) else o for o in s.operands]
  dtype, shape = type_of(g, inside)
  block_ = Block(inside.statements, result_of(g, inside, dtype, shape))
  if any(s.kind == "while" or "map_fn" in str(s.lines) for s in p.walk(inside.statements)):
    begin(g, scope, task)
  names = ", ".join(v.name for v in inner)
  declared = [f"tf.{v.dtype}" for v in inner] + (["noinline=True"] if g.chance(0.3) else [])
  gaps = ", ".join("{%d}" % i for i in range(len(arguments)))
  lines = [f"def inner{n}({names}):", 0, f"@function.Defun({', '.join(declared)})", f"def named{n}({names}):"]
  lines += [f"  {v.name}.set_shape({list(v.shape)})" for v in inner] + [f"  return inner{n}({names})"]
  lines += [f"{{o0}} = named{n}({gaps})", f"{{o0}}.set_shape({list(shape)})"]
  g.add(
    scope,
    "function",
    lines,
    arguments,
    outs=[(dtype, shape, dict(views=here, moved=refs))],
    task=task,
    blocks=[block_],
    changes=changes([block_]),
  )
  return True


BODIES = ["tf.identity(a)", "a + a", "-a", "a * 3", "tf.reverse(tf.reshape(a, [-1]), [0])", "tf.stop_gradient(a)"]


@statement(3, *EVERYWHERE[1:])
def named_call(g, scope):
  """One that calls another, by name or of no declared type, alone or as the elements of a map."""
  x = argument(g, scope)
  task = task_of(g, scope, [x])
  body = g.choose(BODIES)
  lines = defun("one{n}", [x.dtype] if g.chance(0.7) else [], "a", body, g.choose(["", "", "noinline=True"]))
  lines += defun("two{n}", [x.dtype], "a", g.choose(["one{n}(a)", "one{n}(one{n}(a))", "one{n}(a) - 3", "one{n}(a * 2)"]))
  name, rest = g.choose(["one{n}", "two{n}"]), g.views([x], task)
  if x.shape and "reshape" not in body and g.chance(0.3):
    call, rest = f"tf1.map_fn({name}, {{0}})", {}
    begin(g, scope, task)
  else:
    call = f"tf.reshape({name}({{0}}), {list(x.shape)})" if "reshape" in body else f"{name}({{0}})"
  lines += ["{o0} = " + call, "{o0}.set_shape(%s)" % list(x.shape)]
  g.add(scope, "named call", lines, [x], outs=[(x.dtype, x.shape, rest)], task=task)
  return True


@statement(3, CHAIN, FREE, BRANCH)
def calls_of_functions(g, scope):
  """Ops that call named functions: For, While, If."""
  x, y = argument(g, scope), g.pick(scope, "int32", ())
  task = task_of(g, scope, [x])
  kind = g.choose(["For", "For", "For", "While", "If", "map"])
  turn = f"tf.cast(i, tf.{x.dtype})"
  if kind == "For":
    lines = defun("body{n}", ["int32", x.dtype], "i, a", g.choose([f"a + {turn}", "a * 3", "a + some{n}", "tf.identity(a)"]))
    # It captures what the graph around it has.
    lines = [f"some{{n}} = tf.constant(2, tf.{x.dtype})", *lines]
    limits = g.choose(["0, 3, 1", "5, 0, -2", "0, tf.math.floormod({1}, 4), 1", "tf.math.floormod({1}, 3), 5, 2"])
    again = g.choose(["", "", ", rewrite_with_while=True"])
    call = f"functional_ops.For({limits}, inputs=[tf.identity({{0}})], body=body{{n}}{again})[0]"
  elif kind == "While":
    lines = defun("test{n}", ["int32", x.dtype], "i, a", "i < 3")
    lines += defun("body{n}", ["int32", x.dtype], "i, a", g.choose(["(i + 1, a + a)", f"(i + 2, a - {turn})"]))
    call = "functional_ops.While([tf.math.floormod({1}, 4), tf.identity({0})], test{n}, body{n})[1]"
  elif kind == "If":
    lines = defun("yes{n}", [x.dtype], "a", "a + a") + defun("no{n}", [x.dtype], "a", g.choose(["-a", "tf.identity(a)"]))
    call = "functional_ops.If({1} > 1, [tf.identity({0})], yes{n}, no{n})[0]"
  else:
    if not x.shape:
      return False
    lines = defun("row{n}", [x.dtype], "a", g.choose(["a * 3", "-a", "a + a"]))
    call = "tf.raw_ops.MapDefun(arguments=[{0}], captured_inputs=[], output_types=[tf.%s], output_shapes=[%s], f=row{n})[0]" % (
      x.dtype,
      list(x.shape[1:]),
    )
  lines += ["{o0} = " + call, "{o0}.set_shape(%s)" % list(x.shape)]
  rest = {} if kind == "map" else g.views([x], task)
  g.add(scope, "named call", lines, [x, y], outs=[(x.dtype, x.shape, rest)], task=task)
  return True


@statement(2, CHAIN, FREE, BRANCH)
def remote_call(g, scope):
  """A function that a device calls by its name: the task's own, as stock waits for ever in some calls on other tasks."""
  x, y = argument(g, scope, ("float32", "float64")), floats(g, scope, ())
  y = y if y.dtype == x.dtype else Literal(x.dtype, (), 1.5)
  lines = defun("there{n}", [x.dtype] * 2, "a, b", "a * 0.5 + b, a - b")
  call = f"functional_ops.remote_call(args=[{{0}}, {{1}}], Tout=[tf.{x.dtype}] * 2, f=there{{n}}, target='/cpu:0')"
  lines += [f"{{o0}} = {call}[{g.rng.randrange(2)}]", "{o0}.set_shape(%s)" % list(x.shape)]
  g.add(scope, "remote call", lines, [x, y], outs=[(x.dtype, x.shape, {})], task=task_of(g, scope, [x]))
  return True
