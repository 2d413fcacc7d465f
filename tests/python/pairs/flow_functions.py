"""Functions: Defun, and functions of Python as ops."""

import numpy as np


def _x(tf, name="x", shape=(2,)):
  return tf.placeholder(tf.float32, shape, name=name)


def _run(tf, fetches, *feeds):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [session.run(fetches, feed) for feed in feeds]


def _defun(tf):
  if tf.__name__ == "millrace":
    from millrace.ops.gradients.defun import Defun
  else:
    from tensorflow.python.framework.function import Defun
  return Defun


def _library(tf):
  """What the functions of the graph are, without how their constants are written."""
  library = tf.get_default_graph().as_graph_def().library
  found = []
  for function in sorted(library.function, key=lambda f: f.signature.name):
    found.append([str(function.signature), sorted(function.ret.items()), sorted(function.attr), sorted(function.arg_attr)])
    for node in function.node_def:
      found.append([node.name, node.op, list(node.input), sorted(node.attr)])
  return found + [str(gradient) for gradient in library.gradient]


def program_defun(tf):
  Defun = _defun(tf)

  @Defun(tf.float32, tf.float32)
  def foo(a, b):
    return a * b + 1.0

  x, y = _x(tf), _x(tf, "y")
  r, s = foo(x, y, name="call"), foo(x, 3.0)
  facts = [foo.name, foo.definition.signature.name, [t.name for t in foo.declared_input_types], foo.grad_func_name]
  return facts + _library(tf) + _run(tf, [r, s], {x: [1, 2], y: [3, 4]})


def program_defun_names(tf):
  Defun = _defun(tf)

  @Defun(tf.float32, func_name="Nm", out_names=["o1", "o2"])
  def foo(a):
    return a * 2, a

  x = _x(tf)
  return _library(tf) + _run(tf, foo(x), {x: [1, 2]})


def program_defun_captures(tf):
  Defun = _defun(tf)
  cap = _x(tf, "cap")

  @Defun(tf.float32)
  def foo(a):
    return a * cap

  k = tf.constant([5.0, 6.0], name="k")

  @Defun(tf.float32, capture_by_value=True)
  def bar(a):
    return a * k

  x = _x(tf)
  return [[t.name for t in foo.captured_inputs]] + _library(tf) + _run(tf, [foo(x), bar(x)], {x: [1, 2], cap: [3, 4]})


def program_defun_overloads(tf):
  Defun = _defun(tf)

  @Defun()
  def foo(a):
    return a * 2

  x = _x(tf)
  return _run(tf, [foo(x), foo(tf.constant(1))], {x: [1, 2]}) + _library(tf)


def program_defun_gradients(tf):
  Defun = _defun(tf)

  def python_gradient(op, grad):
    return grad * 7

  @Defun(tf.float32, python_grad_func=python_gradient)
  def foo(a):
    return a * 2

  @Defun(tf.float32, tf.float32)
  def g(a, dy):
    return dy * 9

  @Defun(tf.float32, grad_func=g)
  def bar(a):
    return a * 3

  @Defun(tf.float32)
  def plain(a):
    return a * a

  x = _x(tf)
  names = [bar.name, foo.name, bar.grad_func_name]
  return names + _run(tf, [tf.gradients(f(x), x) for f in (foo, bar, plain)], {x: [1, 2]})


def program_defun_nested(tf):
  Defun = _defun(tf)

  @Defun(tf.float32)
  def inner(a):
    return a + 1

  @Defun(tf.float32)
  def outer(a):
    c = tf.constant([1.0, 2.0])
    with tf.control_dependencies([c]):
      return inner(a) * tf.identity(c)

  x = _x(tf)
  return _run(tf, outer(x), {x: [1, 2]}) + _library(tf)


def program_defun_variables(tf):
  Defun = _defun(tf)
  v = tf.Variable(2.0, use_resource=True, name="v")

  @Defun(tf.float32)
  def foo(a):
    return a * v

  with tf.variable_scope("s"):

    @Defun(tf.float32)
    def bar(a):
      w = tf.get_variable("w", [2], use_resource=True, initializer=tf.ones_initializer())
      return a + w

    x = _x(tf)
    found = [foo(x), bar(x)]
  return _run(tf, found, {"s/x:0": [1, 2]}) + [[w.name for w in tf.global_variables()], foo.stateful_ops]


def program_defun_shapes(tf):
  Defun = _defun(tf)

  @Defun(tf.float32, shape_func=lambda op: [op.inputs[0].get_shape()], noinline=True)
  def foo(a):
    return tf.identity(a)

  x = _x(tf)
  y = foo(x)
  return [str(y.shape)] + _run(tf, y, {x: [1, 2]})


def program_defun_errors(tf):
  Defun = _defun(tf)

  @Defun(tf.float32)
  def one(a):
    return a

  def wrong_count():
    @Defun(tf.float32)
    def foo(a, b):
      return a

  found = []
  for call in (wrong_count, lambda: one(_x(tf), _x(tf)), lambda: Defun(tf.float32)(3)):
    try:
      call()
      found.append("none")
    except Exception as error:
      found.append(error)
  return found


def program_py_func(tf):
  x = _x(tf)
  fetches = [
    tf.py_func(lambda a, b: a * b, [x, 3.0], tf.float32),
    tf.py_func(lambda a: (a + 1, np.int32(7)), [x], [tf.float32, tf.int32], stateful=False, name="pf"),
    tf.py_func(lambda a: a + b"x", [tf.constant("a")], tf.string),
    tf.py_func(lambda a: np.array([t + b"!" for t in a], dtype=object), [tf.constant(["a", "bc"])], tf.string),
    tf.py_func(lambda a: not a, [tf.constant(True)], tf.bool),
    tf.numpy_function(lambda a: a.sum(), [x], tf.float32, name="np"),
    tf.py_func(lambda a: str((type(a).__name__, a.dtype.name, a.shape)), [x], tf.string),
  ]
  return [str(f.shape) for f in fetches if hasattr(f, "shape")] + _run(tf, fetches, {x: [1, 2]})


program_py_func.values_only = True  # the tokens are numbers of the process


def program_py_func_effects(tf):
  seen = []
  op = tf.py_func(lambda a: seen.append(float(a)), [tf.constant(4.0)], [])
  with tf.control_dependencies([op]):
    y = tf.constant(1.0)
  return [getattr(op, "type", "list")] + _run(tf, y, {}, {}) + seen


program_py_func_effects.values_only = True  # as above


class Numbered(Exception):
  def __init__(self, error_code):
    super().__init__("numbered")
    self.error_code = error_code


def program_py_func_errors(tf):
  def raises(error):
    def f(a):
      raise error

    return tf.py_func(f, [tf.constant(1.0)], tf.float32)

  one = [tf.constant(1.0)]
  cases = [
    tf.py_func(lambda a: None, one, tf.float32),
    tf.py_func(lambda a: 3, one, tf.float32),
    tf.py_func(lambda a: 3.5, one, tf.float32),
    tf.py_func(lambda a: (a, a), one, tf.float32),
    tf.py_func(lambda a: (a, a, a), one, [tf.float32, tf.float32]),
    raises(ValueError("v")),
    raises(TypeError("t")),
    raises(StopIteration()),
    raises(MemoryError("m")),
    raises(NotImplementedError("n")),
    raises(KeyError("k")),
    raises(ZeroDivisionError("z")),
    raises(Numbered(0)),
    raises(Numbered(1045)),
  ]
  found = []
  with tf.Session() as session:
    for case in cases:
      try:
        found.append(session.run(case))
      except tf.errors.OpError as error:
        found.append(type(error).__name__)
  try:
    tf.py_func(3, one, tf.float32)
  except ValueError as error:
    found.append(error)
  return found


program_py_func_errors.values_only = True  # as above


def program_py_func_gradients(tf):
  @tf.RegisterGradient("FlowPyTimesFive")
  def times_five(op, grad):
    return [grad * 5.0]

  x = _x(tf)
  with tf.get_default_graph().gradient_override_map({"PyFunc": "FlowPyTimesFive"}):
    y = tf.py_func(lambda a: a * 2, [x], tf.float32)
  y.set_shape([2])
  plain = tf.py_func(lambda a: a * 2, [x], tf.float32)
  return [tf.gradients(plain, x)] + _run(tf, tf.gradients(y * y, x), {x: [1, 2]})


program_py_func_gradients.values_only = True  # as above


def program_py_function(tf):
  x = _x(tf)

  def branches(a):
    return a * 2 if a[0].numpy() > 1 else tf.exp(a)

  fetches = [
    tf.py_function(lambda a: a * 2, [x], tf.float32),
    tf.py_function(lambda a: a.numpy() * 3, [x], tf.float32),
    tf.py_function(lambda a: [a, tf.reduce_sum(a)], inp=[x], Tout=[tf.float32, tf.float32], name="pf"),
    tf.py_function(branches, [x], tf.float32),
    tf.py_function(lambda a: 3, [x], tf.float32),
  ]
  grads = tf.gradients(tf.py_function(lambda a: a * a * a, [x], tf.float32), x)
  return _run(tf, [fetches, grads], {x: [1, 2]}, {x: [3, 4]})


program_py_function.values_only = True  # as above
program_py_function.rtol = 1e-6


def program_py_func_in_loop(tf):
  r = tf.while_loop(
    lambda i, a: i < 3, lambda i, a: (i + 1, tf.reshape(tf.py_func(lambda v: v + 1, [a], tf.float32), [])), (0, 1.0)
  )
  p = tf.placeholder(tf.bool, [])
  calls = []
  c = tf.cond(p, lambda: tf.py_func(lambda: calls.append(1) or np.float32(2), [], tf.float32), lambda: 3.0)
  return _run(tf, [r, c], {p: True}, {p: False}) + [len(calls)]


program_py_func_in_loop.values_only = True  # as above
