"""Gradients: values, functions of programs for them, clipping."""

import numpy as np


def _x(tf, name="x", shape=(2,)):
  return tf.placeholder(tf.float32, shape, name=name)


def _run(tf, fetches, *feeds):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [session.run(fetches, feed) for feed in feeds]


def _errors(tf, calls):
  found = []
  for call in calls:
    with tf.Graph().as_default():
      try:
        call()
        found.append("none")
      except Exception as error:
        found.append(error)
  return found


def program_simple(tf):
  x, w = _x(tf), tf.constant([[1.0, 2.0], [3.0, 4.0]])
  y = tf.reduce_sum(tf.tanh(tf.matmul(tf.expand_dims(x, 0), w)) ** 2)
  return _run(tf, tf.gradients(y, [x, w]), {x: [0.1, 0.2]})


program_simple.rtol = 1e-5


def program_arguments(tf):
  x, y, g = _x(tf), _x(tf, "y"), _x(tf, "g")
  z = x * y + x
  grads = tf.gradients([z, x], [x, y], grad_ys=[g, None], name="gg", colocate_gradients_with_ops=True, gate_gradients=True)
  stopped = tf.gradients(tf.square(z), [x, y], stop_gradients=[z])
  through = tf.gradients(tf.square(z) * x, [x], stop_gradients=[z])
  single = tf.gradients(z, x)
  tree = tf.gradients(z, x, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE)
  plus = tf.gradients(z, x, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_ACCUMULATE_N)
  zeros = tf.gradients(z, [g, x], unconnected_gradients=tf.UnconnectedGradients.ZERO)
  named = tf.gradients(z, [g], unconnected_gradients="zero")
  feed = {x: [1, 2], y: [3, 4], g: [5, 6]}
  return [stopped] + _run(tf, [grads, through, single, tree, plus, zeros, named], feed)


def program_variables(tf):
  v = tf.Variable([1.0, 2.0], use_resource=False)
  w = tf.Variable([3.0, 4.0], use_resource=True)
  table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], use_resource=True)
  y = tf.reduce_sum(v * w * w) + tf.reduce_sum(tf.gather(table, [2, 0, 2]))
  grads = tf.gradients(y, [v, w, table])
  rows = grads[2]
  return [type(rows).__name__] + _run(tf, [grads[:2], rows.values, rows.indices, tf.convert_to_tensor(rows)], {})


def program_none(tf):
  x, y = _x(tf), _x(tf, "y")
  return [
    tf.gradients(x, y),
    tf.gradients(tf.cast(x, tf.int32), [x]),
    tf.gradients(tf.stop_gradient(x), [x]),
    tf.gradients(tf.shape(x), x),
  ]


def program_conditionals(tf):
  x, p = _x(tf), tf.placeholder(tf.bool, [], name="p")
  v = tf.Variable(2.0, use_resource=True)
  y = tf.cond(p, lambda: x * x * v, lambda: tf.cond(x[0] > 1, lambda: x * 3.0, lambda: x * v))
  grads = tf.gradients(y, [x, v])
  inside = tf.cond(p, lambda: tf.gradients(x * x, x)[0], lambda: x)
  return _run(tf, [grads, inside], {p: True, x: [1, 2]}, {p: False, x: [1, 2]}, {p: False, x: [2, 3]})


def program_loops(tf):
  x, w = _x(tf), tf.Variable([0.5, 0.25], use_resource=True)
  power = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a * x + w), (0, x))[1]

  def body(i, a):
    _, b = tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, b * x + a), [0, a])
    return i + 1, tf.cond(i < 1, lambda: b * w, lambda: b + w)

  nested = tf.while_loop(lambda i, a: i < 3, body, (0, x))[1]
  limited = tf.while_loop(lambda i, a: i < 30, lambda i, a: (i + 1, a * x), (0, x), maximum_iterations=3)[1]
  inside = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a - 0.1 * tf.gradients(a * a * w, a)[0]), (0, x))[1]
  found = [tf.gradients(y, [x, w.handle if False else w]) for y in (power, nested)]
  found += [tf.gradients(limited, [x]), inside]
  return _run(tf, found, {x: [0.5, 2.0]})


program_loops.rtol = 1e-5


def program_loop_without_back_prop(tf):
  x = _x(tf)
  y = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a * x), (0, x), back_prop=False)[1]
  return [tf.gradients(y, x)]


def program_recurrence(tf):
  """A recurrent network by hand, trained for some steps."""
  inputs = np.random.RandomState(1).randn(5, 4, 3).astype(np.float32)
  kernel = tf.Variable(np.random.RandomState(2).randn(5, 2).astype(np.float32) * 0.3, use_resource=False)
  ta = tf.TensorArray(tf.float32, 5).unstack(tf.constant(inputs))
  out = tf.TensorArray(tf.float32, 5)

  def step(t, state, out):
    state = tf.tanh(tf.matmul(tf.concat([ta.read(t), state], 1), kernel))
    return t + 1, state, out.write(t, state)

  _, _, out = tf.while_loop(lambda t, *_: t < 5, step, (0, tf.zeros([4, 2]), out))
  loss = tf.reduce_mean(tf.square(out.stack() - 0.3))
  gradient = tf.gradients(loss, kernel)[0]
  train = tf.assign_sub(kernel, gradient * 0.5)
  losses = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(5):
      losses.append(session.run(loss))
      session.run(train)
    return losses + [session.run(kernel)]


program_recurrence.rtol = 1e-4


def program_hessians(tf):
  x, s = _x(tf), _x(tf, "s", [])
  return _run(tf, [tf.hessians(tf.reduce_sum(x**3) * x[0], x), tf.hessians(s * s * s, [s], name="h")], {x: [1, 2], s: 3.0})


program_hessians.rtol = 1e-5


def program_override(tf):
  @tf.RegisterGradient("FlowTimesTen")
  def times_ten(op, grad):
    return grad * 10.0 + 0.0 * op.inputs[0]

  @tf.RegisterGradient("FlowPair")
  def pair(op, grad):
    return [grad * op.inputs[1], None]

  tf.NotDifferentiable("FlowNone")
  x, y = _x(tf), _x(tf, "y")
  graph = tf.get_default_graph()
  with graph.gradient_override_map({"Square": "FlowTimesTen", "Mul": "FlowPair", "Tanh": "FlowNone"}):
    a, b, c = tf.square(x), tf.multiply(x, y), tf.tanh(x)
  loop = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, _square(tf, a)), (0, x))[1]
  found = [tf.gradients(a, x), tf.gradients(b, x), tf.gradients(loop, x)]
  return [tf.gradients(b, y), tf.gradients(c, x)] + _run(tf, found, {x: [1, 2], y: [3, 4]})


def _square(tf, value):
  with tf.get_default_graph().gradient_override_map({"Square": "FlowTimesTen"}):
    return tf.square(value)


def program_override_errors(tf):
  @tf.RegisterGradient("FlowTooMany")
  def too_many(op, grad):
    return [grad, grad, grad]

  @tf.RegisterGradient("FlowRaises")
  def raises(op, grad):
    raise KeyError("hu")

  @tf.RegisterGradient("FlowShape")
  def shape(op, grad):
    return tf.ones([3])

  def by(name):
    x = _x(tf)
    with tf.get_default_graph().gradient_override_map({"Square": name}):
      y = tf.square(x, name="s")
    return tf.gradients(y, x)

  return _errors(
    tf,
    [
      lambda: by("FlowTooMany"),
      lambda: by("FlowRaises"),
      lambda: by("FlowShape"),
      lambda: by("FlowNobody"),
      lambda: tf.RegisterGradient(3),
      lambda: tf.RegisterGradient("FlowShape")(shape),
      lambda: tf.NotDifferentiable("FlowShape"),
      lambda: tf.RegisterGradient("Relu")(shape),
      lambda: tf.NotDifferentiable("ZerosLike"),
      lambda: tf.NoGradient(4),
    ],
  )


def program_errors(tf):
  def other_graph():
    x = _x(tf)
    with tf.Graph().as_default():
      y = _x(tf)
    return tf.gradients(y, [x])

  def complex_y():
    x = _x(tf)
    return tf.gradients(tf.reduce_sum(tf.cast(x, tf.complex64)), [x])

  def unknown_sum():
    x = _x(tf)
    return tf.gradients(x * x, [x], aggregation_method=7)

  x = lambda: _x(tf)
  return _errors(
    tf,
    [
      lambda: tf.gradients(x(), x(), unconnected_gradients="z"),
      lambda: tf.gradients([x(), x()], [x()], grad_ys=[x()]),
      complex_y,
      unknown_sum,
      other_graph,
    ],
  )


def program_gradients_that_are_missing(tf):
  """Those that are prevented are a LookupError, and cases that nobody has written a NotImplementedError."""

  def prevented():
    x = _x(tf)
    return tf.gradients(tf.raw_ops.PreventGradient(input=x, message="for a reason"), x)

  def second_of_ctc():
    x = tf.placeholder(tf.float32, [3, 1, 4])
    labels = tf.SparseTensor([[0, 0]], tf.constant([1]), [1, 1])
    return tf.gradients(tf.gradients(tf.nn.ctc_loss(labels, x, [3]), x), x)

  def tall_qr():
    x = _x(tf, shape=(4, 2))
    return tf.gradients(tf.linalg.qr(x, full_matrices=True)[0], x)

  def tall_svd():
    x = _x(tf, shape=(5, 2))
    return tf.gradients(tf.linalg.svd(x, full_matrices=True)[1], x)

  # What follows the reason's colon is bytes in TensorFlow.
  disabled = [[type(error).__name__, str(error).split()[:4]] for error in _errors(tf, [prevented, second_of_ctc])]
  written = [tall_qr, tall_svd]
  return disabled + _errors(tf, written)


def program_custom(tf):
  @tf.custom_gradient
  def f(x):
    y = x * 2

    def grad(dy):
      return dy * 10

    return y, grad

  @tf.custom_gradient
  def g(x, y):
    def grad(a, b):
      return a * 5, b * 7

    return (x * 2, y * 3), grad

  x = _x(tf)
  a, b = f(x), g(x, 1.0)
  loop = tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, f(a)), (0, x))[1]
  return _run(tf, [a, b, tf.gradients(a, x), tf.gradients(b, x), tf.gradients(loop, x)], {x: [1, 2]})


program_custom.values_only = True  # the ops have a number of the process in an attribute


def program_custom_nested(tf):
  """Gradients may be nested, as those of a function that also returns those of no variables."""

  @tf.custom_gradient
  def f(x, y):
    def grad(dz):
      return [dz * 10, dz * y], ()

    return x * y, grad

  x = _x(tf)
  y = x + 1
  return _run(tf, [f(x, y), tf.gradients(f(x, y), [x, y])], {x: [1, 2]})


def program_custom_variables(tf):
  @tf.custom_gradient
  def f(x):
    v = tf.get_variable("v", [2], use_resource=True, initializer=tf.ones_initializer())

    def grad(dy, variables=None):
      return dy, [dy * 3 for _ in variables]

    return x * v, grad

  x = _x(tf)
  with tf.variable_scope("s", use_resource=True):
    y = f(x)
  return _run(tf, [y, tf.gradients(y, [x] + tf.trainable_variables())], {x: [1, 2]})


program_custom_variables.values_only = True  # as above


def program_tape(tf):
  x, o = _x(tf), _x(tf, "o")
  v = tf.Variable([1.0, 5.0], use_resource=True)
  with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x * x * v
    with tape.stop_recording():
      z = y * 2
  with tf.GradientTape() as other:
    w = x * x
  found = [
    tape.gradient(y, [x, v]),
    tape.gradient(y, {"a": x}, output_gradients=o),
    tape.jacobian(y, x, experimental_use_pfor=False),
  ]
  facts = [tape.gradient(z, x), other.gradient(w, x), len(tape.watched_variables())]
  return facts + _run(tf, found, {x: [1, 2], o: [3, 4]})


program_tape.values_only = True  # gradients of tapes are ours


def program_tape_rows(tf):
  x = _x(tf, "x", (3, 2))
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.stack([x[:, 0] * x[:, 1], x[:, 0]], 1)
  rows = tape.batch_jacobian(y, x, experimental_use_pfor=False)
  try:
    tape.gradient(y, x)
  except RuntimeError as error:
    return [error] + _run(tf, rows, {x: [[1, 2], [3, 4], [5, 6]]})


program_tape_rows.values_only = True  # as above


def program_clip(tf):
  x, a, b = _x(tf), _x(tf, "a"), _x(tf, "b")
  rows = tf.IndexedSlices(tf.constant([[3.0], [-1.0]]), tf.constant([0, 2]), tf.constant([5, 1]))
  fetches = [
    tf.clip_by_value(x, 0.0, 1.0),
    tf.clip_by_value(x, a, b, name="cc"),
    tf.clip_by_value(5, 1, 3),
    tf.clip_by_value(rows, 0.0, 1.0).values,
    tf.clip_by_norm(x, 2.0),
    tf.clip_by_norm(tf.stack([x, a]), 2.0, axes=[1], name="cn"),
    tf.clip_by_norm(rows, 1.0).values,
    tf.clip_by_average_norm(x, 0.2),
    tf.clip_by_average_norm(x, 2.0, name="ca"),
  ]
  return _run(tf, fetches, {x: [-1.0, 5.0], a: [0, 1], b: [1, 2]})


program_clip.rtol = 1e-6


def program_clip_global(tf):
  x, y = _x(tf), _x(tf, "y")
  rows = tf.IndexedSlices(tf.constant([[3.0], [-1.0]]), tf.constant([0, 2]), tf.constant([5, 1]))
  one, norm = tf.clip_by_global_norm([x, None, y], 5.0)
  two, given = tf.clip_by_global_norm((x, rows), 5.0, use_norm=tf.constant(30.0), name="cg")
  fetches = [
    tf.global_norm([x, None, y, rows]),
    tf.global_norm([x], name="gn"),
    one[0],
    one[2],
    norm,
    two[0],
    two[1].values,
    given,
  ]
  return [one[1]] + _run(tf, fetches, {x: [3.0, 4.0], y: [12.0, 0.0]}, {x: [np.inf, 4.0], y: [12.0, 0.0]})


program_clip_global.rtol = 1e-6


def program_clip_errors(tf):
  return _errors(
    tf,
    [
      lambda: tf.clip_by_global_norm(_x(tf), 5.0),
      lambda: tf.global_norm(_x(tf)),
      lambda: tf.clip_by_value(_x(tf), _x(tf, "y", [3]), 1.0),
    ],
  )


def program_loop_in_a_body(tf):
  """The gradient of a loop, built in the body of another one."""
  w = tf.constant([2.0, 3.0])

  def body(i, a):
    inner = tf.while_loop(lambda j, b: j < 3, lambda j, b: (j + 1, b * w), (0, a))[1]
    return i + 1, a + 0.1 * tf.gradients(inner * inner, a)[0]

  return _run(tf, tf.while_loop(lambda i, a: i < 2, body, (0, tf.constant([0.01, 0.02])))[1], {})


program_loop_in_a_body.rtol = 1e-5


def program_requested_in_nested_loops(tf):
  """Gradients of what is outside of all loops, requested in a body inside of others."""
  variable, constant = tf.Variable(2.0), tf.constant(3.0)
  squared = tf.square(constant)

  def looped(depth, build):
    if depth == 0:
      return build()
    return tf.while_loop(lambda i, _: i < 2, lambda i, total: (i + 1, total + looped(depth - 1, build)), [0, 0.0])[1]

  builders = [
    lambda: tf.gradients(tf.square(variable) * constant, variable)[0],
    lambda: tf.gradients(squared * squared, constant)[0],
    lambda: tf.gradients(tf.square(constant * 2.0), constant)[0],
  ]
  return _run(tf, [looped(depth, build) for depth in (1, 2, 3) for build in builders], {})


def program_custom_gradient_with_variables_that_were_there(tf):
  """One that is not trained is no variable of the function, of whatever kind it is; a trained one is given to its gradient."""
  scale = tf.Variable(4.0, trainable=False, use_resource=False, name="scale")
  weight = tf.get_variable("weight", initializer=2.0, use_resource=True)

  @tf.custom_gradient
  def rounded(x):
    return tf.round(x * scale) / scale, lambda dy: dy

  @tf.custom_gradient
  def weighted(x):
    def grad(dy, variables):
      return dy * 5.0, [dy * 7.0 for _ in variables]

    return x * weight * scale, grad

  x = _x(tf)
  y = rounded(x)
  z = weighted(x)
  return _run(tf, [y, z, tf.gradients(y, x)[0], *tf.gradients(z, [x, weight])], {x: [0.3, 0.6]})


program_custom_gradient_with_variables_that_were_there.values_only = True
