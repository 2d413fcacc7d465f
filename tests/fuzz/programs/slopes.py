"""Gradients of functions, branches and loops, and of ops: what they give is added up, so that it is nobody's buffer."""

from branching import begin
from computing import floats, tame, task_of
from defuns import defun
from generate import BRANCH, CHAIN, FREE, statement
from program import Literal

CURVES = ["tf.tanh(a) * b", "tf.sin(a) + b * b", "a * b + tf.sigmoid(b)", "tf.nn.relu(a) * b + a", "tf.reduce_sum(a * a) * b"]


def _slopes(g, scope, lines, x, y, task):
  lines = [f"a{{n}}, b{{n}} = {tame('{0}')}, {tame('{1}')}"] + lines
  lines += [
    "slopes{n} = tf1.gradients(curve{n}, [a{n}, b{n}])",
    "{o0} = slopes{n}[0] * 0.5 + slopes{n}[1] * 0.25",
    "{o0}.set_shape(%s)" % list(x.shape),
  ]
  g.add(scope, "slope", lines, [x, y], outs=[(x.dtype, x.shape, {})], task=task)
  return True


def _pair(g, scope):
  x = floats(g, scope)
  y = floats(g, scope, x.shape, (x.dtype,))
  return x, y if y.shape == x.shape else Literal(x.dtype, x.shape, 0.5, 0.25)


@statement(3, CHAIN, FREE, BRANCH)
def slope_of_function(g, scope):
  """By the server, by a function of the program's, by one of Python, or through the function's own nodes."""
  x, y = _pair(g, scope)
  types, curve = [x.dtype] * 2, g.choose(CURVES)
  how = g.choose(["symbolic", "symbolic", "nested", "named", "python", "function"])
  if how in ("symbolic", "nested"):
    lines = defun("named{n}", types, "a, b", curve, g.choose(["", "noinline=True"]))
    call = "named{n}(a{n}, b{n})" if how == "symbolic" else "named{n}(named{n}(a{n}, b{n}), b{n})"
    if g.chance(0.3):
      lines += defun("outer{n}", types, "a, b", "named{n}(a, b) * 0.5")
      call = "outer{n}(a{n}, b{n})"
  elif how == "named":
    lines = defun("slope{n}", [x.dtype] * 3, "a, b, d", "d * b + 0.5, d * 2.0 - a")
    lines += defun("named{n}", types, "a, b", curve, "grad_func=slope{n}")
    call = "named{n}(a{n}, b{n})"
  elif how == "python":
    made = "python_grad_func=lambda op, d: [d * tf.cos(op.inputs[1]), d * 0.5 + op.outputs[0]]"
    lines, call = defun("named{n}", types, "a, b", curve, made), "named{n}(a{n}, b{n})"
  elif not g.traces:
    return False
  else:
    lines, call = [f"named{{n}} = tf.function(lambda a, b: {curve}, autograph=False)"], "named{n}(a{n}, b{n})"
  return _slopes(g, scope, lines + ["curve{n} = " + call], x, y, task_of(g, scope, [x]))


@statement(2, CHAIN, FREE)
def slope_of_control_flow(g, scope):
  x, y = _pair(g, scope)
  task, turns = task_of(g, scope, [x]), g.choose([1, 2, 3])
  test = g.choose(["tf.reduce_sum(b{n}) < 1.0", "tf1.placeholder_with_default(True, [])"])
  text = g.choose(
    [
      f"tf1.cond({test}, lambda: tf.tanh(a{{n}}) * b{{n}}, lambda: a{{n}} * 0.5)",
      f"tf1.cond({test}, lambda: tf.sin(b{{n}}), lambda: a{{n}} * b{{n}})",
      f"tf1.while_loop(lambda i, c: i < {turns}, lambda i, c: (i + 1, tf.tanh(c) * b{{n}}), [tf.constant(0), a{{n}}])[1]",
    ]
    + (
      [
        "tf1.map_fn(lambda c: c[0] * tf.sin(c[1]), (a{n}, b{n}), a{n}.dtype)",
        "tf1.scan(lambda s, c: s * 0.5 + c, a{n} * b{n})",
        "tf1.foldl(lambda s, c: s * 0.5 + c, a{n} * b{n})",
      ]
      if x.shape
      else []
    )
  )
  begin(g, scope, task)
  return _slopes(g, scope, ["curve{n} = " + text], x, y, task)


OPS = [
  "tf.cumsum(a{n} * b{n}, -1)",
  "tf.nn.log_softmax(a{n}) * b{n}",
  "tf.nn.elu(a{n}) + tf.nn.softplus(b{n})",
  "tf.concat([a{n}, b{n} * a{n}], 0)[1:]",
  "tf.pad(a{n} * b{n}, [[1, 0]] * {rank})",
  "tf.gather(a{n} * b{n}, [0, 0])",
  "tf.math.squared_difference(a{n}, b{n})",
  "tf.norm(a{n} - b{n} + 5.0)",
  "tf.tensor_scatter_nd_add(a{n}, [[0]], b{n}[:1])",
]


@statement(2, CHAIN, FREE, BRANCH)
def slope_of_op(g, scope):
  x, y = _pair(g, scope)
  if not x.shape:
    return False
  return _slopes(g, scope, ["curve{n} = " + g.choose(OPS).replace("{rank}", str(len(x.shape)))], x, y, task_of(g, scope, [x]))
