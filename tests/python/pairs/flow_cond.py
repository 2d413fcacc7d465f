"""Conditionals: what tf.cond, tf.case and tf.Assert build, return and raise."""

import collections

import numpy as np


def _p(tf, name="p"):
  return tf.placeholder(tf.bool, [], name=name)


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


def program_simple(tf):
  x, p = _x(tf), _p(tf)
  y = tf.cond(p, lambda: x + 1.0, lambda: x * 2.0)
  return [str(y.shape)] + _run(tf, y, {p: True, x: [1, 2]}, {p: False, x: [1, 2]})


def program_constants(tf):
  p = _p(tf)
  y = tf.cond(p, lambda: tf.constant(1.0), lambda: 2.0)
  return _run(tf, y, {p: True}, {p: False})


def program_outer_values(tf):
  x, p = _x(tf), _p(tf)
  y = tf.cond(p, lambda: x, lambda: [x][0], name="nm")
  z = tf.cond(p, lambda: x, lambda: -x, strict=True)
  return _run(tf, [y, z], {p: True, x: [1, 2]}, {p: False, x: [1, 2]})


def program_structures(tf):
  x, p = _x(tf), _p(tf)
  y = tf.cond(p, lambda: {"a": x, "b": (x + 1,)}, lambda: {"a": x * 2, "b": (x,)})
  one = tf.cond(p, lambda: [x + 1], lambda: [x])
  many = tf.cond(p, lambda: [x + 1], lambda: [x], strict=True)
  return [isinstance(one, list), isinstance(many, list), _run(tf, [y, one, many], {p: True, x: [1, 2]}, {p: False, x: [1, 2]})]


def program_old_arguments(tf):
  p = _p(tf)
  return _run(tf, tf.cond(p, fn1=lambda: 1.0, fn2=lambda: 2.0), {p: True}, {p: False})


def program_ref_variable(tf):
  v = tf.Variable(1.0, name="v", use_resource=False)
  p = _p(tf)
  y = tf.cond(p, lambda: tf.assign(v, 2.0), lambda: v + 10)
  z = tf.cond(p, lambda: v, lambda: v.read_value())
  return _run(tf, y, {p: False}, {p: True}, {p: False}) + _run(tf, z, {p: False}, {p: True})


def program_resource_variable(tf):
  v = tf.Variable(1.0, name="v", use_resource=True)
  p = _p(tf)
  y = tf.cond(p, lambda: v.assign(2.0), lambda: v + 10)
  z = tf.cond(p, lambda: v, lambda: v.read_value())
  return _run(tf, y, {p: False}, {p: True}, {p: False}) + _run(tf, z, {p: False}, {p: True})


def program_operations(tf):
  v = tf.Variable(1.0, name="v", use_resource=False)
  p = _p(tf)
  y = tf.cond(p, lambda: v.assign(2.0).op, tf.no_op)
  z = tf.cond(p, lambda: tf.group(v.assign_add(5.0)), lambda: tf.no_op())
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = [session.run(v)]
    for fetch, taken in ((y, False), (y, True), (z, False), (z, True)):
      session.run(fetch, {p: taken})
      values.append(session.run(v))
  return values


def program_nested(tf):
  x, p, q = _x(tf), _p(tf), _p(tf, "q")
  y = tf.cond(p, lambda: tf.cond(q, lambda: x + 1.0, lambda: tf.constant([3.0, 3.0])), lambda: x * 2.0)
  feeds = [{p: a, q: b, x: [1, 2]} for a in (True, False) for b in (True, False)]
  return _run(tf, y, *feeds)


def program_control_dependencies(tf):
  x, p = _x(tf), _p(tf)
  n = tf.no_op(name="n")

  def taken():
    a = x + 1
    m = tf.no_op(name="m")
    with tf.control_dependencies([a, n, m]):
      return tf.identity(x), tf.constant(1.0)

  with tf.control_dependencies([n]):
    y = tf.cond(p, taken, lambda: (x * 2.0, 0.0))
  with tf.control_dependencies([y[0]]):
    z = tf.identity(x, name="z")
  return _run(tf, [y, z], {p: True, x: [1, 2]}, {p: False, x: [1, 2]})


def program_devices(tf):
  x, p = _x(tf), _p(tf)
  y = tf.constant(1.0, name="y")

  def taken():
    with tf.colocate_with(y.op):
      z = x * 3
    with tf.device("/job:localhost"):
      z = z + y
    return z

  with tf.device("/cpu:0"):
    r = tf.cond(p, taken, lambda: x * 2.0)
  return [r.device] + _run(tf, r, {p: True, x: [1, 2]}, {p: False, x: [1, 2]})


def program_out_of_the_branch(tf):
  x, p = _x(tf), _p(tf)

  def taken():
    with tf.control_dependencies(None):
      c = tf.constant(1.0, name="c")
    with tf.init_scope():
      d = tf.constant(2.0, name="d")
    return c + d + x

  return _run(tf, tf.cond(p, taken, lambda: x), {p: True, x: [1, 2]})


def program_rows(tf):
  p = _p(tf)
  i = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([5, 1]))
  j = tf.IndexedSlices(tf.constant([[2.0]]), tf.constant([1]), tf.constant([5, 1]))
  r = tf.cond(p, lambda: i, lambda: j)
  k = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
  wide = tf.IndexedSlices(tf.constant([1.0]), tf.constant([4], tf.int64))
  mixed = tf.cond(p, lambda: k, lambda: wide)
  return _run(tf, [r.values, r.indices, r.dense_shape, mixed.indices], {p: True}, {p: False})


def program_sparse(tf):
  p = _p(tf)
  s = tf.sparse_placeholder(tf.float32, [3, 3])
  r = tf.cond(p, lambda: s, lambda: tf.SparseTensor(s.indices, s.values * 2, s.dense_shape))
  value = tf.SparseTensorValue([[0, 1]], [4.0], [3, 3])
  return [tuple(part) for part in _run(tf, r, {p: True, s: value}, {p: False, s: value})]


def program_array(tf):
  p = _p(tf)
  ta = tf.TensorArray(tf.float32, 3, name="in", clear_after_read=False, element_shape=[])
  ta = ta.scatter([0, 1, 2], tf.constant([1.0, 2.0, 3.0]))
  r = tf.cond(p, lambda: ta.read(1), lambda: ta.stack()[2])
  return _run(tf, r, {p: True}, {p: False})


def program_array_comes_out(tf):
  p = _p(tf)
  ta = tf.TensorArray(tf.float32, 1, name="in")
  r = tf.cond(p, lambda: ta.write(0, 1.0), lambda: ta.write(0, 2.0))
  return _run(tf, r.stack(), {p: True}, {p: False})


def program_not_fetchable(tf):
  x, p = _x(tf), _p(tf)
  kept = []

  def taken():
    kept.append(x + 1)
    return kept[0]

  y = tf.cond(p, taken, lambda: x)
  found = [tf.get_default_graph().is_fetchable(t) for t in (y, kept[0], x)]
  found += [tf.get_default_graph().is_feedable(t) for t in (y, kept[0], x)]
  with tf.Session() as session:
    for fetch, fed in ((kept[0], x), (y, kept[0])):
      try:
        session.run(fetch, {p: True, x: [1, 2], fed: [1, 2]})
        found.append("runs")
      except ValueError as error:
        found.append("has been marked as not fetchable" in str(error))
  return found


def program_numbers_and_arrays(tf):
  return _run(tf, tf.cond(np.array(True), lambda: 1.0, lambda: 2.0), {})


def program_errors(tf):
  return _errors(
    tf,
    [
      lambda: tf.cond(_p(tf)),
      lambda: tf.cond(_p(tf), lambda: 1.0),
      lambda: tf.cond(_p(tf), 3, lambda: 1.0),
      lambda: tf.cond(_p(tf), lambda: 1.0, 3),
      lambda: tf.cond(_p(tf), lambda: 1.0, lambda: 2.0, fn1=lambda: 1.0),
      lambda: tf.cond(True, lambda: 1.0, lambda: 2.0),
      lambda: tf.cond(_x(tf), lambda: 1.0, lambda: 2.0),
      lambda: tf.cond(tf.placeholder(tf.bool, [2]), lambda: 1.0, lambda: 2.0),
      lambda: tf.cond(_p(tf), lambda: [], lambda: []),
      lambda: tf.cond(_p(tf), lambda: None, lambda: None),
      lambda: tf.cond(_p(tf), lambda: 1.0, lambda: None),
      lambda: tf.cond(_p(tf), lambda: 1.0, lambda: 2),
      lambda: tf.cond(_p(tf), lambda: [1.0, 2.0], lambda: 2),
      lambda: tf.cond(_p(tf), lambda: (1.0, 2.0), lambda: [1.0, 2.0]),
      lambda: tf.cond(1, lambda: 1.0, lambda: 2.0),
    ],
  )


def program_case(tf):
  x, p, q = _x(tf), _p(tf), _p(tf, "q")
  y = tf.case([(p, lambda: x), (q, lambda: x + 1)], default=lambda: x * 2)
  feeds = [{p: a, q: b, x: [1, 2]} for a in (True, False) for b in (True, False)]
  return _run(tf, y, *feeds)


def program_case_exclusive(tf):
  x, p, q = _x(tf), _p(tf), _p(tf, "q")
  y = tf.case([(p, lambda: x), (q, lambda: x + 1)], default=lambda: x * 2, exclusive=True)
  feeds = [{p: a, q: b, x: [1, 2]} for a, b in ((True, False), (False, True), (False, False))]
  found = _run(tf, y, *feeds)
  try:
    _run(tf, y, {p: True, q: True, x: [1, 2]})
  except tf.errors.InvalidArgumentError as error:
    found.append(type(error).__name__)
  return found


def program_case_without_default(tf):
  x, p, q = _x(tf), _p(tf), _p(tf, "q")
  y = tf.case([(p, lambda: x), (q, lambda: x + 1)])
  found = _run(tf, y, *[{p: a, q: b, x: [1, 2]} for a, b in ((True, False), (False, True))])
  try:
    _run(tf, y, {p: False, q: False, x: [1, 2]})
  except tf.errors.InvalidArgumentError as error:
    found.append(type(error).__name__)
  return found


def program_case_of_one(tf):
  x, p = _x(tf), _p(tf)
  y = tf.case([(p, lambda: x)])
  z = tf.case({p: lambda: [x]}, exclusive=True, strict=True, name="z")
  return [type(z).__name__, _run(tf, [y, z], {p: True, x: [1, 2]})]


def program_case_of_dict(tf):
  p, q = _p(tf), _p(tf, "q")
  y = tf.case({q: lambda: 1.0, p: lambda: 2.0}, default=lambda: 3.0, name="nm", strict=True)
  return _run(tf, y, *[{p: a, q: b} for a in (True, False) for b in (True, False)])


def program_case_errors(tf):
  return _errors(
    tf,
    [
      lambda: tf.case(3),
      lambda: tf.case([3]),
      lambda: tf.case([(3, lambda: 1)]),
      lambda: tf.case([(_x(tf), lambda: 1)]),
      lambda: tf.case([(_p(tf), 3)]),
      lambda: tf.case([]),
      lambda: tf.case([(_p(tf), lambda: 1.0)], default=3),
      lambda: tf.case([(True, lambda: 1.0), (_p(tf), lambda: 2.0)], default=lambda: 3.0),
    ],
  )


def program_assert(tf):
  x = _x(tf)
  checks = [tf.Assert(tf.reduce_all(x > 0), [x, "hi"]), tf.Assert(tf.reduce_all(x > 0), [x], summarize=2, name="my")]
  with tf.control_dependencies(checks):
    y = tf.identity(x)
  found = _run(tf, y, {x: [1, 2]})
  try:
    _run(tf, y, {x: [-1, 2]})
  except tf.errors.InvalidArgumentError as error:
    found.append(type(error).__name__)
  return found


def program_assert_of_text(tf):
  p = _p(tf)
  check = tf.Assert(p, ["a", 1])
  with tf.control_dependencies([check]):
    y = tf.constant(1.0)
  found = _run(tf, y, {p: True})
  try:
    _run(tf, y, {p: False})
  except tf.errors.InvalidArgumentError as error:
    found += [type(error).__name__, "assertion failed: [a] [1]" in error.message]
  return found


def program_assert_errors(tf):
  return _errors(tf, [lambda: tf.Assert(_p(tf), _x(tf)), lambda: tf.Assert(_x(tf), [_x(tf)])])


def program_group(tf):
  a, b, n = tf.constant(1.0), tf.constant(2.0), tf.no_op()
  with tf.device("/job:a"):
    c = tf.constant(3.0)
  tf.group(a, b, n, c, name="gg")
  tf.group()
  tf.group(a, b)
  tf.group([a, [n]], name="two")
  tf.no_op()
  tf.no_op("named")
  return [type(tf.group(a)).__name__]


def program_tuple(tf):
  a, b, n = tf.constant(1.0), tf.constant(2.0), tf.no_op()
  i = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([5, 1]))
  one = tf.tuple([a, b])
  two = tf.tuple([a, None, n], name="tt", control_inputs=[b, n])
  three = tf.tuple([i, a, 5])
  return _run(tf, [one, two[0], three[0].values, three[2]], {})


def program_group_errors(tf):
  return _errors(
    tf,
    [
      lambda: tf.group(1),
      lambda: tf.group(_x(tf), foo=3),
      lambda: tf.tuple([]),
      lambda: tf.tuple([None]),
      lambda: tf.tuple([_x(tf)], control_inputs=[3]),
    ],
  )


def program_case_of_an_ordered_dictionary(tf):
  """Keeps its order; that of a plain dictionary is by the names of the conditions."""
  b, a = tf.placeholder(tf.bool, [], name="b"), tf.placeholder(tf.bool, [], name="a")
  pairs = [(b, lambda: tf.constant(1)), (a, lambda: tf.constant(2))]
  y = tf.case(collections.OrderedDict(pairs), default=lambda: tf.constant(3))
  z = tf.case(dict(pairs), default=lambda: tf.constant(3))
  return _run(tf, [y, z], *({a: i, b: j} for i in (False, True) for j in (False, True)))
