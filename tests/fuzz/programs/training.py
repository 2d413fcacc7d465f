"""Optimizers, dense and by rows, moving averages, and what programs put behind them."""

from generate import CHAIN, statement
from program import Literal

OPTIMIZERS = ["GradientDescentOptimizer(0.25)"] * 3 + [
  "MomentumOptimizer(0.125, 0.5)",
  "MomentumOptimizer(0.125, 0.5, use_nesterov=True)",
  "AdamOptimizer(0.125)",
  "AdagradOptimizer(0.25)",
  "AdadeltaOptimizer(1.0)",
  "FtrlOptimizer(0.25, l1_regularization_strength=0.01)",
  "RMSPropOptimizer(0.0625, momentum=0.5)",
  "RMSPropOptimizer(0.0625, centered=True)",
  "ProximalGradientDescentOptimizer(0.125, 0.01, 0.01)",
  "ProximalAdagradOptimizer(0.125, 0.1, 0.01, 0.01)",
]


def optimizer(g, v):
  text = g.choose(OPTIMIZERS)
  # The parameters of these are float32 whatever the variable is.
  return OPTIMIZERS[0] if v.dtype != "float32" and "Proximal" in text else text


def trainable(g, scope, want=lambda h: True):
  if scope.segment == "r":
    return None
  fit = g.variables(scope, lambda h: h.dtype in ("float32", "float64") and not h.is_loose and want(h))
  return g.choose(fit) if fit else None


@statement(4, CHAIN)
def minimize(g, scope):
  """A loss of a variable, read whole or by rows on its task or, by what was read there, on another."""
  v = trainable(g, scope)
  if not v:
    return False
  x = g.pick(scope, v.dtype, ())
  reads = ["{h0}", "{h0}.read_value()"]
  if v.shape:
    rows = [g.rng.randrange(v.shape[0]) for _ in range(g.choose([1, 2, 3]))]
    reads += [f"tf.gather({{h0}}, {rows})", f"tf.nn.embedding_lookup({{h0}}, {rows})", f"{{h0}}[{rows[0]}]"]
  lines = [
    f"optimizer{{n}} = tf1.train.{optimizer(g, v)}",
    f"loss{{n}} = tf.reduce_sum(tf.square({g.choose(reads)} - {{0}})) * {Literal(v.dtype, (), 0.125).text()}",
    "pairs{n} = optimizer{n}.compute_gradients(loss{n}, [{h0}])",
    "with tf.control_dependencies([loss{n}] + [g for g, _ in pairs{n}]):",
    "  step{n} = optimizer{n}.apply_gradients(pairs{n})",
    "{o0} = tf.identity(loss{n})",
  ]
  g.add(scope, "optimizer", lines, [x], [v], outs=[(v.dtype, (), {})], task=v.task, changes=(v.name,), tail="step{n}, {o0}")
  return True


@statement(3, CHAIN)
def apply(g, scope):
  """Gradients that the program has computed."""
  v = trainable(g, scope)
  if not v:
    return False
  if v.shape and g.chance(0.4):
    rows = g.rng.sample(range(v.shape[0]), min(2, v.shape[0]))
    x = g.pick(scope, v.dtype, (len(rows),) + v.shape[1:], avoid=[v.name])
    gradient = f"tf.IndexedSlices({{0}}, tf.constant({rows}), tf.constant({list(v.shape)}))"
  else:
    x, gradient = g.pick(scope, v.dtype, v.shape, avoid=[v.name]), "{0}"
  lines = [f"step{{n}} = tf1.train.{optimizer(g, v)}.apply_gradients([({gradient}, {{h0}})])"]
  g.add(scope, "optimizer", lines, [x], [v], task=v.task, changes=(v.name,), tail="step{n}", apart=(0,))
  return True


@statement(2, CHAIN)
def average(g, scope):
  v = trainable(g, scope)
  if not v:
    return False
  lines = [
    "average{n} = tf1.train.ExponentialMovingAverage(0.5)",
    "step{n} = average{n}.apply([{h0}])",
    "with tf.control_dependencies([step{n}]):",
    f"  {{o0}} = average{{n}}.average({{h0}}) * {Literal(v.dtype, (), 2.0).text()}",
  ]
  g.add(scope, "average", lines, [], [v], outs=[(v.dtype, v.shape, {})], task=v.task, tail="step{n}, {o0}")
  return True


@statement(1, CHAIN)
def clip_variable(g, scope):
  v = trainable(g, scope, lambda h: h.shape and len(h.shape) == 2 and h.dtype == "float32")
  if not v:
    return False
  text = "tf1.assign({h0}, tf.clip_by_norm({h0}, 1.0, axes=[1]))"
  rest = dict(views=frozenset([v.name]), moved=frozenset([v.name]), is_ref=True) if v.is_ref else {}
  g.add(
    scope,
    "update",
    "{o0} = " + (text if v.is_ref else f"tf.convert_to_tensor({text})"),
    [],
    [v],
    task=v.task,
    changes=(v.name,),
    outs=[(v.dtype, v.shape, rest)],
  )
  return True
