"""Loops: what tf.while_loop builds, returns and raises."""

import collections


def _x(tf, name="x", shape=(2,)):
  return tf.placeholder(tf.float32, list(shape), name=name)


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


def program_captures(tf):
  x = _x(tf)
  n = tf.constant(3, name="n")
  r = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * x), (0, x))
  return [str(r[1].shape)] + _run(tf, r, {x: [1, 2]}, {x: [3, 0.5]})


def program_one_variable(tf):
  one = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)])
  same = tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [tf.constant(0)], return_same_structure=True)
  both = tf.while_loop(lambda i: i < 3, lambda i: i + 1, (tf.constant(0),))
  return [isinstance(same, list), _run(tf, [one, same, both], {})]


def program_options(tf):
  r = tf.while_loop(
    lambda i, j: i < 3,
    lambda i, j: (i + 1, j),
    [tf.constant(0), tf.constant(1.0)],
    parallel_iterations=1,
    back_prop=False,
    swap_memory=True,
    name="lp",
  )
  return [type(r).__name__, _run(tf, r, {})]


def program_maximum_iterations(tf):
  a = tf.while_loop(lambda i: i < 30, lambda i: i + 1, [tf.constant(0)], maximum_iterations=5)
  b = tf.while_loop(
    lambda i, j: i < 30,
    lambda i, j: [i + 1, j * 2.0],
    [tf.constant(0), tf.constant(2.0)],
    maximum_iterations=tf.constant(7, name="m"),
    return_same_structure=True,
  )
  return _run(tf, [a, b], {})


def program_shape_invariants(tf):
  x = _x(tf, shape=(1, 2))
  r = tf.while_loop(
    lambda i, a: i < 3,
    lambda i, a: (i + 1, tf.concat([a, a], 0)),
    (0, x),
    shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, 2])),
  )
  return [str(r[1].shape)] + _run(tf, r, {x: [[1, 2]]})


def program_constants_inside(tf):
  n = tf.no_op(name="n")

  def body(i):
    c = tf.constant(1)
    tf.zeros([2])
    with tf.control_dependencies([n]):
      tf.identity(i)
    y = tf.constant(2, name="y")
    with tf.control_dependencies([y]):
      e = tf.constant(3)
    return i + c + e

  return _run(tf, tf.while_loop(lambda i: i < 30, body, [0]), {})


def program_waits_for_outside(tf):
  a = tf.constant(1.0, name="a")
  o = _x(tf, "o")

  def body(i):
    with tf.control_dependencies([o]):
      d = tf.identity(i)
    with tf.control_dependencies([a]):
      d = d + 1
    return d

  with tf.control_dependencies([a]):
    r = tf.while_loop(lambda i: i < 3, body, [0])
  return _run(tf, r, {o: [1, 2]})


def program_waits_around(tf):
  k = tf.constant(1.0, name="k")
  y = _x(tf, "y", ())

  def body(i):
    with tf.control_dependencies([k]):
      return tf.while_loop(lambda j: j < 3, lambda j: j + 1, [y])

  with tf.control_dependencies([k]):
    z = _x(tf, "z", ())
    first = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [z])
    second = tf.while_loop(lambda i: i < 3, body, [y])
  return _run(tf, [first, second], {y: 1.0, z: 1.5})


def program_variables(tf):
  v = tf.Variable(1.5, name="v", use_resource=False)
  w = tf.Variable(2.0, name="w", use_resource=True)

  def body(i, x):
    step = w.assign_add(2.0)
    with tf.control_dependencies([step]):
      return i + 1, x * v * w

  r = tf.while_loop(lambda i, x: i < 3, body, [0, 1.0], parallel_iterations=1)
  return _run(tf, r, {}) + [1]


def program_changes_a_variable(tf):
  v = tf.Variable(1.0, use_resource=False, name="v")
  r = tf.while_loop(lambda i: i < 4.0, lambda i: tf.assign_add(v, 1.0), [v], parallel_iterations=1)
  s = tf.while_loop(lambda i: i < 30, lambda i: tf.cond(i < 20, lambda: v.assign_add(i), lambda: i + 7), [v], name="w")
  return _run(tf, r, {}) + [str(s.dtype)]


def program_nested(tf):
  x = _x(tf)

  def body(i, a):
    _, b = tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, b * x + a), [0, a])
    return i + 1, b

  return _run(tf, tf.while_loop(lambda i, x: i < 3, body, [0, x]), {x: [0.5, 2]})


def program_cond_inside(tf):
  x = _x(tf)

  def body(i, a):
    return i + 1, tf.cond(i < 2, lambda: a * x, lambda: a + tf.constant(1.0))

  return _run(tf, tf.while_loop(lambda i, x: i < 4, body, [0, x]), {x: [0.5, 2]})


def program_inside_cond(tf):
  x = _x(tf)
  p = tf.placeholder(tf.bool, [], name="p")
  y = tf.cond(p, lambda: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, x])[1], lambda: x)
  return _run(tf, y, {p: True, x: [1, 2]}, {p: False, x: [1, 2]})


def program_deep(tf):
  p = tf.placeholder(tf.bool, [], name="p")
  x = _x(tf)

  def inner(i, a):
    return i + 1, tf.cond(
      i < 1, lambda: tf.while_loop(lambda j, b: j < 2, lambda j, b: (j + 1, b + x), [0, a])[1], lambda: a * 2.0
    )

  y = tf.cond(p, lambda: tf.while_loop(lambda i, a: i < 2, inner, [0, x])[1], lambda: tf.constant([0.0, 0.0]))
  return _run(tf, y, {p: True, x: [1, 2]}, {p: False, x: [1, 2]})


def program_devices(tf):
  x = _x(tf)

  def body(i, a):
    with tf.device("/job:localhost"):
      b = a * x
    with tf.colocate_with(x):
      b = b + x
    return i + 1, b

  with tf.device("/cpu:0"):
    r = tf.while_loop(lambda i, x: i < 3, body, [0, x])
  return _run(tf, r, {x: [1, 2]})


def program_structures(tf):
  x = _x(tf)
  r = tf.while_loop(
    lambda s, c: s["i"] < 3,
    lambda s, c: ({"i": s["i"] + 1, "x": s["x"] * 2}, c),
    ({"i": tf.constant(0), "x": x}, (x,)),
  )
  return _run(tf, r, {x: [1, 2]})


def program_sparse(tf):
  s = tf.sparse_placeholder(tf.float32, [3, 3])
  r = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.SparseTensor(s.indices, s.values * 2, s.dense_shape)), [0, s])
  value = tf.SparseTensorValue([[0, 1]], [4.0], [3, 3])
  return [tuple(_run(tf, r[1], {s: value})[0])]


def program_arrays(tf):
  x = _x(tf, shape=(3, 2))
  ta = tf.TensorArray(tf.float32, 3, name="in").unstack(x)
  out = tf.TensorArray(tf.float32, 3, name="out")
  _, out = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t.write(i, ta.read(i) * 2)), [0, out])
  y = out.stack()
  return [str(y.shape), str(out.element_shape)] + _run(tf, y, {x: [[1, 2], [3, 4], [5, 6]]})


def program_array_made_inside(tf):
  def body(i):
    ta = tf.TensorArray(tf.float32, size=3)
    ta = ta.write(0, 1.0)
    return i + tf.cast(ta.read(0), tf.int32)

  return _run(tf, tf.while_loop(lambda i: i < 3, body, [0]), {})


def program_collections(tf):
  x = _x(tf)
  p = tf.placeholder(tf.bool, [], name="p")
  tf.while_loop(lambda i: i < 3, lambda i: tf.cond(i < 2, lambda: i + 1, lambda: i + 2), [0])
  tf.cond(p, lambda: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, x])[1], lambda: x)
  graph = tf.get_default_graph()
  loop = graph.get_operation_by_name("while/add_1" if False else "while/cond/add")._get_control_flow_context()
  return [loop.name, loop.outer_context.name, type(loop).__name__, loop.pivot.name, loop.branch]


def program_waits_for_a_reference(tf):
  """What a loop waits for enters it, a reference where its variable is, whatever device the loop asks for."""
  with tf.device("/job:ps/task:0"):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=False)
    before = tf.raw_ops.RefIdentity(input=v._ref())
  with tf.control_dependencies([before]), tf.device("/job:worker/task:0"):
    tf.while_loop(lambda i, _: i < 3, lambda i, x: [i + 1, x * 2.0], [tf.constant(0), tf.constant(1.0)])
  return [(op.name, op.device, op.colocation_groups()) for op in tf.get_default_graph().get_operations() if "Enter" in op.type]


def program_errors(tf):
  kept = []

  def keep(i):
    kept.append(i + 1)
    return kept[-1]

  def use_outside():
    tf.while_loop(lambda i: i < 3, keep, [0])
    return kept[-1] + 1

  def use_in_other():
    tf.while_loop(lambda i: i < 3, keep, [0])
    return tf.while_loop(lambda i: i < 3, lambda i: i + kept[-1], [0])

  def bad_invariant():
    x = _x(tf, shape=(1, 2))
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.concat([a, a], 0)), (0, x))

  count = lambda i: i < 3
  grow = lambda i: i + 1
  return _errors(
    tf,
    [
      lambda: tf.while_loop(count, lambda i: (i + 1, i), [0]),
      lambda: tf.while_loop(count, grow, []),
      lambda: tf.while_loop(3, grow, [0]),
      lambda: tf.while_loop(count, 3, [0]),
      lambda: tf.while_loop(lambda i: i, grow, [0]),
      lambda: tf.while_loop(count, grow, [0], parallel_iterations=0),
      lambda: tf.while_loop(lambda i: tf.stack([i, i]) < 3, grow, [0]),
      lambda: tf.while_loop(lambda i, j: i < 3, lambda i, j: i, [0, 0]),
      lambda: tf.while_loop(count, lambda i: None, [0]),
      lambda: tf.while_loop(count, grow, [0], maximum_iterations=tf.constant([1])),
      lambda: tf.while_loop(count, grow, [0], shape_invariants=[tf.TensorShape([2])]),
      lambda: tf.while_loop(count, grow, [0], shape_invariants=[tf.TensorShape([]), tf.TensorShape([])]),
      bad_invariant,
      use_outside,
      use_in_other,
    ],
  )


def program_single_structures(tf):
  """A list of one structure stays a list unless there is one tensor in it, or the number of iterations is limited."""
  state = collections.namedtuple("state", "count total")
  start = state(tf.constant(0), tf.constant(1.0))

  def more(s):
    return [state(s.count + 1, s.total * 2.0)]

  free = tf.while_loop(lambda s: s.count < 3, more, [start])
  same = tf.while_loop(lambda s: s.count < 3, more, [start], return_same_structure=True)
  alone = tf.while_loop(lambda s: s[0] < 3, lambda s: [[s[0] + 1]], [[tf.constant(0)]])
  limited = tf.while_loop(lambda s: s.count < 3, lambda s: more(s)[0], [start], maximum_iterations=2)
  kinds = [type(free).__name__, type(free[0]).__name__, type(same).__name__, type(alone).__name__, type(limited).__name__]
  return kinds, _run(tf, [free[0].total, same[0].count, alone, limited.total], {})
