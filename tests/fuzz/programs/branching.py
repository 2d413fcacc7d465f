"""Branches, loops and functions, with statements of their own inside."""

import dataclasses

import program as p
import rules
from generate import BRANCH, CHAIN, FREE, FUNCTION, Scope, statement
from program import Block, Literal, Value

DEPTH = 2


def block(g, scope, place, task, arguments=(), count=None, named=False):
  """A scope for what stands inside. Values that are visible outside are so inside. `named`: of a function called by its name."""
  values = list(scope.values) + list(arguments)
  if scope.task:
    task = scope.task
  inside = Scope(
    place, [], scope.segment or "r", values, task if place == FUNCTION else None, scope.depth + 1, scope.named or named
  )
  for _ in range(count if count is not None else g.rng.choice([1, 1, 2, 3])):
    g.one(inside)
  return inside


def place_inside(g, scope, functions=None):
  functions = g.functions if functions is None else functions
  return FUNCTION if functions or scope.place == FUNCTION else BRANCH


def result_of(g, inside, dtype, shape):
  """What a block gives: something of this type that it made, if there is such."""
  fit = [v for v in inside.values if (v.dtype, v.shape) == (dtype, shape) and not v.is_ref]
  return fit[-1] if fit and g.chance(0.9) else g.pick(inside, dtype, shape)


def changes(blocks):
  return tuple(sorted({name for b in blocks for s in p.walk(b.statements) for name in s.changes}))


def condition(g, scope):
  """A scalar operand of booleans."""
  x = g.pick(scope, "bool", (), want=lambda v: not v.is_ref)  # the client takes no reference
  return x


def type_of(g, scope):
  """The type and shape of what a block gives: mostly those of something that there is."""
  fit = [v for v in g.visible(scope) if v.shape is not None and v.dtype not in ("string",)]
  if fit and g.chance(0.8):
    v = g.choose(fit)
    return v.dtype, v.shape
  return "float32", g.shape()


def add(g, scope, kind, lines, operands, blocks, dtype, shape, task):
  """The statement with its blocks. What it gives may be a view of whatever its blocks see."""
  refs = frozenset(h.name for h in g.of_kind("variable") if h.is_ref)
  here = frozenset(h.name for h in g.of_kind("variable") if h.is_ref and h.task == task)
  rest = dict(views=here, moved=refs)
  return g.add(scope, kind, lines, operands, outs=[(dtype, shape, rest)], task=task, blocks=blocks, changes=changes(blocks))


@statement(5, CHAIN, BRANCH, FUNCTION)
def cond(g, scope):
  if scope.depth >= DEPTH:
    return False
  task = g.task_for(scope)
  dtype, shape = type_of(g, scope)
  place = place_inside(g, scope)
  blocks = []
  for _ in range(2):
    inside = block(g, scope, place, task)
    blocks.append(Block(inside.statements, result_of(g, inside, dtype, shape)))
  test = condition(g, scope)
  add(
    g,
    scope,
    "cond",
    ["def yes{n}():", 0, "def no{n}():", 1, "{o0} = tf1.cond(tf.convert_to_tensor({0}), yes{n}, no{n})"],
    [test],
    blocks,
    dtype,
    shape,
    task,
  )
  return True


@statement(2, CHAIN, BRANCH, FUNCTION)
def case(g, scope):
  if scope.depth >= DEPTH:
    return False
  task = g.task_for(scope)
  dtype, shape = type_of(g, scope)
  place = place_inside(g, scope)
  blocks = []
  for _ in range(3):
    inside = block(g, scope, place, task, count=1)
    blocks.append(Block(inside.statements, result_of(g, inside, dtype, shape)))
  tests = [condition(g, scope), condition(g, scope)]
  add(
    g,
    scope,
    "case",
    [
      "def first{n}():",
      0,
      "def second{n}():",
      1,
      "def other{n}():",
      2,
      "{o0} = tf1.case([(tf.convert_to_tensor({0}), first{n}), (tf.convert_to_tensor({1}), second{n})], default=other{n})",
    ],
    tests,
    blocks,
    dtype,
    shape,
    task,
  )
  return True


@statement(2, CHAIN, FUNCTION)
def switch_case(g, scope):
  if scope.depth >= DEPTH:
    return False
  task = g.task_for(scope)
  dtype, shape = type_of(g, scope)
  blocks = []
  for _ in range(3):
    inside = block(g, scope, FUNCTION, task, count=1)
    blocks.append(Block(inside.statements, result_of(g, inside, dtype, shape)))
  index = g.pick(scope, "int32", ())
  add(
    g,
    scope,
    "function",
    [
      "def first{n}():",
      0,
      "def second{n}():",
      1,
      "def other{n}():",
      2,
      "{o0} = tf.switch_case(tf.identity({0}), [first{n}, second{n}], default=other{n})",
    ],
    [index],
    blocks,
    dtype,
    shape,
    task,
  )
  return True


def begin(g, scope, task):
  """Comes before a loop of the first generation: stock waits for ever in one that a control edge leads to from an update of a reference
  on another task."""
  if not g.functions and scope.place in (CHAIN, BRANCH):
    g.add(scope, "begin", "{o0} = tf.constant(0)", outs=[("int32", (), {})], task=task)


@statement(6, CHAIN, BRANCH, FUNCTION)
def while_loop(g, scope):
  if scope.depth >= DEPTH:
    return False
  task = g.task_for(scope)
  place = place_inside(g, scope)
  start = g.pick(
    scope,
    None,
    None,
    literals=0.2,
    want=lambda v: v.shape is not None and not v.is_ref and v.dtype in ("float32", "int32", "int64", "float64"),
  )
  if start.shape is None or start.dtype not in p.NUMBERS or start.dtype in p.COMPLEX:
    start = Literal("float32", (3,), 1.0, 0.5)
  turns = g.rng.choice([0, 1, 2, 3, 3])
  if place == BRANCH:
    begin(g, scope, task)
  n = g.count + 1  # the statement's number comes after those of its body
  g.count += 1
  refs = frozenset(h.name for h in g.of_kind("variable") if h.is_ref)
  here = frozenset(h.name for h in g.of_kind("variable") if h.is_ref and h.task == task)
  turn = Value(f"i{n}", "int32", (), task)
  carried = Value(f"c{n}", start.dtype, start.shape, task, here, refs)
  inside = block(g, scope, place, task, [turn, carried])
  result = result_of(g, inside, start.dtype, start.shape)
  blocks = [Block(inside.statements, result, f"i{n}")]
  parallel = g.choose(["", "", ", parallel_iterations=1"])
  lines = [
    f"def body{n}(i{n}, c{n}):",
    0,
    f"loop{n} = tf1.while_loop(lambda i, _: i < {turns}, body{n}, [tf.constant(0), {{0}}]{parallel})",
    f"{{o0}} = loop{n}[1]",
  ]
  rest = dict(views=here, moved=refs)
  g.add(
    scope,
    "while",
    lines,
    [start],
    outs=[(start.dtype, start.shape, rest)],
    task=task,
    blocks=blocks,
    changes=changes(blocks),
    tail=f"loop{n}[0], loop{n}[1]",
  )
  return True


def passes(g, v, task):
  """Whether a value can be a function's argument. A resource variable is passed as such, to its own task."""
  return v.shape is not None and not v.is_ref and v.dtype != "string" and (v.task == task or not g.is_variable(v))


@statement(4, CHAIN, FREE, FUNCTION)
def function(g, scope):
  """A function that a node calls, with arguments and what it captures."""
  if scope.depth >= DEPTH or scope.named or not g.traces:
    return False
  task = g.task_for(scope)
  arguments = [g.pick(scope, want=lambda v: passes(g, v, task)) for _ in range(g.rng.choice([0, 1, 2]))]
  n = g.count + 1
  g.count += 1
  here = frozenset(h.name for h in g.of_kind("variable") if h.is_ref and h.task == task)
  refs = frozenset(h.name for h in g.of_kind("variable") if h.is_ref)
  inner = [Value(f"a{n}_{i}", a.dtype, a.shape, task, here, refs) for i, a in enumerate(arguments)]
  inside = block(g, scope, FUNCTION, task, inner)
  for s in p.walk(inside.statements):
    s.operands = [dataclasses.replace(o, start=2) if rules.is_neutral(o) else o for o in s.operands]
  dtype, shape = type_of(g, inside)
  names = ", ".join(v.name for v in inner)
  block_ = Block(inside.statements, result_of(g, inside, dtype, shape))
  lines = [
    "@tf.function(autograph=False)",
    f"def function{n}({names}):",
    0,
    f"{{o0}} = function{n}({', '.join('{%d}' % i for i in range(len(arguments)))})",
  ]
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
