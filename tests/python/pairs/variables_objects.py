"""Variables of both kinds: how they are made, their attributes, what reads and writes them."""

import numpy as np


def _both(tf):
  """Returns a variable that is a buffer and one that is a resource."""
  return (
    tf.Variable([1.0, 2.0, 3.0], name="buffer"),
    tf.Variable([1.0, 2.0, 3.0], name="resource", use_resource=True),
  )


def _run(tf, *fetches):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(tf.local_variables_initializer())
    return [session.run(f) for f in fetches]


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def program_initial_values(tf):
  a = tf.Variable([1.0, 2.0], name="a")
  b = tf.Variable(tf.zeros([2, 3]))
  c = tf.Variable(lambda: tf.constant([3, 4]), name="c")
  d = tf.Variable(lambda: [5, 6], dtype=tf.float64)
  e = tf.Variable(7, dtype=tf.float32, name="e")
  f = tf.Variable(np.arange(6).reshape(2, 3), expected_shape=[2, 3])
  g = tf.Variable("text", name="g")
  h = tf.Variable(True)
  made = [a, b, c, d, e, f, g, h]
  return [[str(v), v.name, str(v.dtype), str(v.shape), v.op.name, v.initializer.name, v.initial_value.name] for v in made] + _run(
    tf, made
  )


def program_initial_values_of_resources(tf):
  a = tf.Variable([1.0, 2.0], name="a", use_resource=True)
  b = tf.Variable(tf.zeros([2, 3]), use_resource=True)
  c = tf.Variable(lambda: tf.constant([3, 4]), name="c", use_resource=True)
  d = tf.Variable(lambda: [5, 6], dtype=tf.float64, use_resource=True)
  made = [a, b, c, d]
  return [[str(v), v.name, str(v.dtype), str(v.shape), v.op.name, v.initializer.name, v.handle.name] for v in made] + _run(
    tf, made
  )


def program_arguments(tf):
  v = tf.Variable(
    1.0,
    trainable=False,
    collections=[tf.GraphKeys.LOCAL_VARIABLES, "mine"],
    validate_shape=True,
    caching_device="/cpu:0",
    name="v",
    dtype=tf.float64,
    constraint=tf.abs,
    synchronization=tf.VariableSynchronization.ON_READ,
    aggregation=tf.VariableAggregation.SUM,
    shape=[],
  )
  w = tf.Variable(2.0, caching_device=lambda op: "/cpu:0", use_resource=True, aggregation=tf.VariableAggregation.MEAN)
  u = tf.Variable(2.0, synchronization=tf.VariableSynchronization.ON_WRITE)
  return [
    [v.trainable, v.constraint is tf.abs, str(v.synchronization), str(v.aggregation), w.trainable, str(w.aggregation)],
    [x.name for x in tf.get_collection("mine")],
    [x.name for x in tf.global_variables()],
    [x.name for x in tf.local_variables()],
    [x.name for x in tf.trainable_variables()],
    str(u.synchronization),
    [v.value().device, w.value().device, v.device, w.device],
  ] + _run(tf, [v, w, u])


def program_open_shapes(tf):
  p = tf.placeholder_with_default([1.0, 2.0], None)
  v = tf.Variable(p, validate_shape=False)
  r = tf.Variable(p, validate_shape=False, use_resource=True)
  w = tf.Variable([1.0], shape=tf.TensorShape([None]), use_resource=True)
  s = tf.Variable([1.0], shape=tf.TensorShape(None), use_resource=True)
  longer = tf.assign(v, [1.0, 2.0, 3.0], validate_shape=False)
  return [[str(x.shape) for x in (v, r, w, s, longer)]] + _run(tf, [v, r, w, s], longer)


def program_growing_resources(tf):
  """A variable whose shape is not known at first takes values of any that fit."""
  grown = []
  for shape in (None, [None, 3]):
    variable = tf.Variable(tf.placeholder_with_default(tf.zeros([2, 3]), shape), use_resource=True)
    twice = tf.concat([variable, tf.ones_like(variable)], axis=0)
    grown += [tf.assign(variable, twice, validate_shape=False), variable.assign(tf.ones([1, 3]))]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [session.run(value) for value in grown + grown]


def program_methods_of_buffers(tf):
  v = tf.Variable([1.0, 2.0, 3.0], name="v")
  slices = tf.IndexedSlices(tf.constant([10.0]), tf.constant([1]))
  made = [
    v.assign([3.0, 4.0, 5.0]),
    v.assign_add([1.0, 1.0, 1.0], use_locking=True, name="more"),
    v.assign_sub([0.5, 0.5, 0.5]),
    v.scatter_add(slices),
    v.scatter_sub(slices, use_locking=True, name="less"),
    v.scatter_mul(slices),
    v.scatter_div(slices),
    v.scatter_max(slices),
    v.scatter_min(slices),
    v.scatter_update(slices),
    v.scatter_nd_add([[0]], [1.0], name="nd"),
    v.scatter_nd_sub([[0], [2]], [1.0, 2.0]),
    v.scatter_nd_update([[1]], [7.0]),
    v.batch_scatter_update(slices),
    v[1:].assign([8.0, 9.0]),
    v[0].assign(4.0, name="one"),
    v.value(),
    v.read_value(),
    v.assign([1.0, 1.0, 1.0], read_value=False),
    v.assign_add([1.0, 1.0, 1.0], read_value=False),
  ]
  return [[str(m.name) for m in made]] + _run(tf, *made, v)


def program_methods_of_resources(tf):
  v = tf.Variable([1.0, 2.0, 3.0], name="v", use_resource=True)
  slices = tf.IndexedSlices(tf.constant([10.0]), tf.constant([1]))
  made = [
    v.assign([3.0, 4.0, 5.0]),
    v.assign_add([1.0, 1.0, 1.0], use_locking=True, name="more"),
    v.assign_sub([0.5, 0.5, 0.5]),
    v.scatter_add(slices),
    v.scatter_sub(slices, name="less"),
    v.scatter_mul(slices),
    v.scatter_div(slices),
    v.scatter_max(slices),
    v.scatter_min(slices),
    v.scatter_update(slices),
    v.scatter_nd_add([[0]], [1.0]),
    v.scatter_nd_sub([[0], [2]], [1.0, 2.0], name="nd"),
    v.scatter_nd_update([[1]], [7.0]),
    v.batch_scatter_update(slices),
    v[1:].assign([8.0, 9.0]),
    v[0].assign(4.0, name="one"),
    v.value(),
    v.read_value(),
    v.sparse_read([0, 2]),
    v.gather_nd([[1]], name="nd"),
    v.is_initialized(),
    v.assign([1.0, 1.0, 1.0], read_value=False),
  ]
  return [[str(m.name) for m in made]] + _run(tf, *made, v)


def program_unread_variables(tf):
  v = tf.Variable([1.0, 2.0], name="v", use_resource=True)
  a = v.assign([3.0, 4.0])
  b = a.assign_add([1.0, 1.0])
  c = b + 1.0
  d = tf.identity(b)
  e = b.scatter_sub(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))
  f = b.read_value()
  g = tf.gather(a, [1])
  return [a.name, a.op.name, b.name, str(b), str(b.dtype), str(e.shape)] + _run(tf, c, d, e, f, g, v)


def program_operators(tf):
  v, r = _both(tf)
  made = []
  for x in (v, r):
    made += [x + 1.0, 1.0 - x, x * x, x / 2.0, x // 2.0, x % 2.0, x**2.0, -x, abs(x), x < 2.0, x <= 2.0, x > 2.0, x >= 2.0]
    made += [2.0 + x, 2.0 * x, 6.0 / x, 7.0 // x, 7.0 % x, 2.0**x, x[0], x[1:], x[::-1], x[tf.newaxis, ...]]
  m = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
  b = tf.Variable([True, False])
  made += [m @ m, m @ tf.ones([2, 1]), tf.eye(2) @ m, b & True, b | False, b ^ True, ~b]
  x = v
  x += 1.0
  made.append(x)
  return _run(tf, made) + [v == v, v != v, v == r]


def program_count_up_to(tf):
  v = tf.Variable(0, name="v")
  r = tf.Variable(0, name="r", use_resource=True, dtype=tf.int64)
  a, b = v.count_up_to(2), r.count_up_to(2)
  c, d = tf.count_up_to(v, 3, name="c"), tf.count_up_to(r, 3)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    found = [session.run(x) for x in (a, b, a, b)]
    found += [type(_error(lambda x=x: session.run(x))).__name__ for x in (a, b)]
    return found + [session.run(c), session.run(d)]


def program_functions(tf):
  v, r = _both(tf)
  made = [
    tf.assign(v, [3.0, 4.0, 5.0]),
    tf.assign(v, [1.0, 2.0], validate_shape=False, use_locking=False, name="shorter"),
    tf.assign(v, [3.0, 4.0, 5.0], validate_shape=False),
    tf.assign_add(v, [1.0, 1.0, 1.0], use_locking=True, name="more"),
    tf.assign_sub(v, [1.0, 1.0, 1.0], use_locking=True, name="less"),
    tf.assign(r, [3.0, 4.0, 5.0], name="set"),
    tf.assign_add(r, [1.0, 1.0, 1.0]),
    tf.assign_sub(r, [1.0, 1.0, 1.0]),
  ]
  return _run(tf, *made)


def program_scatter_functions(tf):
  v, r = _both(tf)
  made = []
  for f in (tf.scatter_add, tf.scatter_sub, tf.scatter_mul, tf.scatter_div, tf.scatter_min, tf.scatter_max, tf.scatter_update):
    made += [f(v, [0, 2], [2.0, 3.0], use_locking=f is not tf.scatter_update, name="s"), f(r, [0, 2], [2.0, 3.0], name="s")]
  for f in (tf.scatter_nd_add, tf.scatter_nd_sub, tf.scatter_nd_update):
    made += [f(v, [[0], [2]], [2.0, 3.0], use_locking=f is not tf.scatter_nd_update), f(r, [[1]], [2.0], name="n")]
  return _run(tf, *made)


def program_batch_scatter_update(tf):
  made = []
  for use_resource in (False, True):
    v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], use_resource=use_resource)
    made.append(tf.batch_scatter_update(v, [[0, 2], [1, 0]], [[9.0, 8.0], [7.0, 6.0]], name="batch"))
    made.append(tf.batch_scatter_update(v, tf.constant([[1], [2]], tf.int64), [[0.5], [0.25]], use_locking=False))
  return _run(tf, *made)


def program_in_devices_and_after_others(tf):
  with tf.device("/job:ps/task:1"):
    v = tf.Variable([1.0, 2.0], name="v")
    r = tf.Variable([1.0, 2.0], name="r", use_resource=True)
    u = tf.Variable(lambda: tf.ones([2]), name="u")
    q = tf.Variable(lambda: tf.ones([2]), name="q", use_resource=True)
  before = tf.no_op(name="before")
  with tf.control_dependencies([before]), tf.device("/job:worker"):
    made = [x.read_value() for x in (v, r)] + [v + u, r + q, v.assign(u), r.assign_add(q), tf.gather(r, [1]), r.sparse_read([0])]
    inside = tf.Variable(3.0, name="inside")
    made.append(tf.Variable(lambda: tf.ones([]), name="inside_resource", use_resource=True))
  return [x.device for x in made] + [inside.device, v.device, r.device]


def program_protos(tf):
  v, r = _both(tf)
  with tf.name_scope("scope"):
    s = tf.Variable(1.0, name="s", trainable=False)
    t = tf.Variable(1.0, name="t", use_resource=True, aggregation=tf.VariableAggregation.SUM)
  info = tf.Variable.SaveSliceInfo("whole", [4, 2], [2, 0], [2, 2])
  u = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
  u._set_save_slice_info(info)
  protos = [v.to_proto(), r.to_proto(), s.to_proto("scope"), t.to_proto("scope"), u.to_proto(), info.to_proto()]
  found = [str(p) for p in protos] + [v.to_proto("scope"), r.to_proto("scope"), info.spec, info.to_proto("other")]
  for p in (v.to_proto(), r.to_proto(), u.to_proto()):
    x = tf.Variable.from_proto(p)
    found.append([x.name, x.op.name, x.initializer.name, x.trainable, str(x.shape), x.initial_value.name, x.value().name])
    found.append(None if x._get_save_slice_info() is None else x._get_save_slice_info().spec)
  x = tf.Variable.from_proto(s.to_proto("scope"), import_scope="scope")
  found.append([x.name, x.trainable])
  x = tf.Variable(variable_def=t.to_proto("scope"), import_scope="scope", use_resource=True)
  found.append([x.name, x.trainable, x.aggregation.value])
  again = tf.Variable.SaveSliceInfo(save_slice_info_def=info.to_proto(), import_scope="above")
  return found + [again.full_name, list(again.full_shape), list(again.var_offset), list(again.var_shape)]


def program_eval_and_load(tf):
  v, r = _both(tf)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    v.load([4.0, 5.0, 6.0], session)
    r.load(np.array([7.0, 8.0, 9.0], np.float32))
    return [v.eval(), r.eval(), v.eval(session), v.initialized_value().eval(), session.run([v, r, v.initial_value])]


program_eval_and_load.values_only = True


def program_errors(tf):
  tries = [
    lambda: tf.Variable(),
    lambda: tf.Variable(use_resource=True),
    lambda: tf.Variable(1.0, collections="name"),
    lambda: tf.Variable(1.0, collections="name", use_resource=True),
    lambda: tf.Variable(1.0, constraint=3),
    lambda: tf.Variable(1.0, constraint=3, use_resource=True),
    lambda: tf.Variable(1.0, variable_def=tf.Variable(1.0).to_proto()),
    lambda: tf.Variable(tf.placeholder(tf.float32)),
    lambda: tf.Variable(lambda: tf.placeholder(tf.float32)),
    lambda: tf.Variable(1.0, aggregation=7),
    lambda: tf.Variable([1.0]).assign([1.0, 2.0]),
    lambda: tf.Variable([1.0], use_resource=True).assign([1.0, 2.0]),
    lambda: tf.Variable([1.0]).scatter_add(3),
    lambda: tf.Variable([1.0], use_resource=True).scatter_add(3),
    lambda: tf.Variable([1.0]).sparse_read([0]),
    lambda: tf.Variable([1.0]).gather_nd([[0]]),
    lambda: tf.Variable([1.0]).set_shape([2]),
    lambda: tf.Variable([1.0], use_resource=True).set_shape([2]),
    lambda: tf.convert_to_tensor(tf.Variable(1.0), dtype=tf.int32),
    lambda: tf.convert_to_tensor(tf.Variable(1.0, use_resource=True), dtype=tf.int32),
    lambda: len(tf.Variable([1.0])),
    lambda: tf.Variable(1.0).eval(),
    lambda: tf.Variable(1.0).load(1.0),
    lambda: tf.Variable([1.0], use_resource=True).assign_add([1.0, 2.0]),
  ]
  return [_error(t) for t in tries]


def program_iterating(tf):
  return [_error(lambda v=v: list(v)) for v in _both(tf)]


def program_uninitialized(tf):
  v, r = _both(tf)
  with tf.Session() as session:
    return [_error(lambda x=x: session.run(x)) for x in (v, r, v + 1.0, r.read_value(), v.assign_add([1.0, 1.0, 1.0]))]


def program_enums(tf):
  return [
    [(x.name, x.value) for x in tf.VariableSynchronization],
    [(x.name, x.value) for x in tf.VariableAggregation],
    str(tf.VariableAggregation.ONLY_FIRST_TOWER),
    repr(tf.AUTO_REUSE),
  ]


def program_resources_by_default(tf):
  found = [tf.resource_variables_enabled()]
  tf.enable_resource_variables()
  found += [str(tf.Variable(1.0)), str(tf.get_variable("g", [2])), tf.resource_variables_enabled()]
  tf.disable_resource_variables()
  return found + [str(tf.Variable(1.0)), tf.resource_variables_enabled()]


def program_references(tf):
  v, r = _both(tf)
  table = {v.experimental_ref(): "v", r.experimental_ref(): "r"}
  return [table[v.experimental_ref()], table[r.experimental_ref()], v.experimental_ref() == r.experimental_ref()]


def program_feeding_and_fetching(tf):
  v, r = _both(tf)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [
      session.run([v, {"r": r}, (v.op, r.value())])[:2],
      session.run(v + 1.0, {v: [5.0, 6.0, 7.0]}),
      session.run(v.value() * 2.0, {v.value(): [5.0, 6.0, 7.0]}),
    ]


def program_types(tf):
  types = [tf.float16, tf.bfloat16, tf.float64, tf.int8, tf.uint8, tf.int16, tf.int32, tf.int64, tf.complex64, tf.bool]
  made = []
  for dtype in types:
    for use_resource in (False, True):
      made.append(tf.Variable(tf.cast([1, 0], dtype), use_resource=use_resource))
  return _run(tf, made)


def program_devices_of_reads_behind_a_write(tf):
  """They are read where the program is when it takes the value; the variable's own value is read anywhere."""
  with tf.device("/job:ps/task:0"):
    variable = tf.Variable([1.0, 2.0], use_resource=True, name="v")
    other = tf.constant(1.0, name="other")
  devices = []
  for make in (
    lambda: tf.scatter_add(variable, [0], [1.0]),
    lambda: tf.assign_add(variable, [1.0, 1.0]),
    lambda: variable.assign([3.0, 4.0]),
    lambda: variable,
  ):
    written = make()
    with tf.device("/job:worker/task:1"):
      devices += [tf.convert_to_tensor(written).device, (written + 1.0).op.inputs[0].device]
      with tf.colocate_with(other):
        read = tf.convert_to_tensor(written)
        devices += [read.device, str(read.op.colocation_groups())]
    devices.append(tf.identity(written).op.inputs[0].device)
  return devices
