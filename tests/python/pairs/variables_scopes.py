"""variable_scope and get_variable: names, reuse, defaults, custom getters, partitions, templates."""

import numpy as np


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _enter(scope):
  with scope as entered:
    return entered.name


def _run(tf, *fetches):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(tf.local_variables_initializer())
    return [session.run(f) for f in fetches]


def _described(scope):
  return [scope.name, scope.original_name_scope, str(scope.reuse), str(scope.dtype), scope.use_resource]


def program_names(tf):
  found = []
  with tf.variable_scope("a") as a:
    tf.get_variable("w", [2, 3])
    with tf.variable_scope("b") as b:
      tf.get_variable("x", [2], initializer=tf.zeros_initializer())
      tf.constant(1.0)
      found.append(_described(b))
  with tf.variable_scope(b) as again:
    tf.get_variable("y", [], initializer=tf.constant_initializer(3.0))
    tf.constant(1.0)
    found.append(_described(again))
  with tf.variable_scope("a", reuse=True) as reused:
    found.append(tf.get_variable("w").name)
    tf.constant(1.0)
    found.append(_described(reused))
  with tf.variable_scope(b, auxiliary_name_scope=False):
    tf.constant(1.0)
  with tf.variable_scope(a, reuse=True):
    with tf.variable_scope("b"):
      found.append([tf.get_variable("x").name, tf.constant(1.0).name])
  return found + [v.name for v in tf.global_variables()]


def program_default_names(tf):
  found = []
  for _ in range(2):
    with tf.variable_scope(None, "a"):
      with tf.variable_scope(None, default_name="b") as scope:
        found.append([_described(scope), tf.get_variable("v", [1], initializer=tf.ones_initializer()).name])
  with tf.variable_scope("a") as scope:
    found.append(_described(scope))
    with tf.variable_scope(None, "b") as inner:
      found.append(_described(inner))
  with tf.variable_scope(None, "a", [tf.constant(1.0)]) as scope:
    found.append(_described(scope))
  with tf.variable_scope(None, "c"), tf.variable_scope(None, "c"):
    found.append(tf.constant(1.0).name)
  with tf.variable_scope(None, "c") as scope:
    found.append(_described(scope))
  return found


def program_reuse(tf):
  found = []
  with tf.variable_scope("x", reuse=tf.AUTO_REUSE, dtype=tf.float64, initializer=tf.ones_initializer()) as x:
    found.append(tf.get_variable("v", [1]) is tf.get_variable("v", [1]))
    with tf.variable_scope("y") as y:
      found.append(_described(y))
    with tf.variable_scope("y", reuse=False) as y:
      found.append(_described(y))
      y.reuse_variables()
      found.append(_described(y))
  with tf.variable_scope(x, reuse=True) as scope:
    found.append([_described(scope), tf.get_variable("v").name])
  with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE) as scope:
    found.append(_described(scope))
    tf.get_variable("root", [2], initializer=tf.zeros_initializer())
  with tf.variable_scope("") as scope:
    found.append(_described(scope))
  with tf.variable_scope("z") as scope:
    tf.get_variable("v", [1])
    tf.get_variable_scope().reuse_variables()
    found.append(tf.get_variable("v", [1]).name)
    with tf.variable_scope("inner") as inner:
      found.append(_described(inner))
  found.append(_described(tf.get_variable_scope()))
  return found


def program_scopes_and_names_of_ops(tf):
  found = []
  with tf.name_scope("outer"):
    with tf.variable_scope("vs") as scope:
      found.append([tf.get_variable("v", [], initializer=tf.zeros_initializer()).name, tf.constant(1.0).name, _described(scope)])
    with tf.variable_scope("vs", reuse=True, auxiliary_name_scope=False) as scope:
      found.append([tf.get_variable("v").name, tf.constant(1.0).name, _described(scope)])
    found.append(tf.get_variable("w", [], initializer=tf.zeros_initializer()).name)
    found.append(tf.Variable(1.0, name="v").name)
  with tf.variable_scope("vs"), tf.name_scope("inner"):
    found.append([tf.get_variable("u", [], initializer=tf.zeros_initializer()).name, tf.Variable(1.0, name="v").name])
  return found


def program_arguments(tf):
  v = tf.get_variable(
    "v",
    shape=[2],
    dtype=tf.float64,
    initializer=tf.ones_initializer(),
    regularizer=tf.nn.l2_loss,
    trainable=False,
    collections=["mine", tf.GraphKeys.GLOBAL_VARIABLES],
    caching_device="/cpu:0",
    validate_shape=True,
    use_resource=True,
    custom_getter=lambda getter, *args, **kwargs: getter(*args, **kwargs),
    constraint=tf.abs,
    synchronization=tf.VariableSynchronization.ON_WRITE,
    aggregation=tf.VariableAggregation.MEAN,
  )
  w = tf.get_variable("w", initializer=[[1.0, 2.0]], caching_device="/cpu:0", trainable=True)
  x = tf.get_variable("x", initializer=np.array([1, 2]))
  y = tf.get_variable("y", initializer=lambda: tf.zeros([3]))
  z = tf.get_variable("z", initializer=tf.placeholder_with_default([1.0], [None]), validate_shape=False)
  found = [[u.name, str(u.dtype), str(u.shape), u.trainable, u.constraint is tf.abs] for u in (v, w, x, y, z)]
  return (
    found + [[u.name for u in tf.get_collection("mine")], str(v.synchronization), str(v.aggregation)] + _run(tf, v, w, x, y, z)
  )


def program_default_initializers(tf):
  tf.set_random_seed(3)
  made = []
  for dtype in (tf.float16, tf.float32, tf.float64, tf.int32, tf.int64, tf.uint8, tf.bool, tf.string):
    made.append(tf.get_variable("v_" + dtype.name, [2, 3], dtype))
  return [_error(lambda: tf.get_variable("c", [2], tf.complex64))] + _run(tf, *made)


program_default_initializers.rtol = 1e-6


def program_initializers_of_scopes(tf):
  with tf.variable_scope("a", initializer=tf.constant_initializer(2.0)):
    a = tf.get_variable("a", [2])
    with tf.variable_scope("b", initializer=tf.ones_initializer()) as b:
      c = tf.get_variable("c", [2])
      d = tf.get_variable("d", [2], initializer=tf.zeros_initializer)
      b.set_initializer(tf.constant_initializer([5.0, 6.0]))
      e = tf.get_variable("e", [2])
  f = tf.get_variable("f", [2], initializer=lambda shape, dtype, partition_info: tf.fill(shape, tf.cast(7, dtype)))
  return _run(tf, a, c, d, e, f)


def program_regularizers(tf):
  def regularizer(w):
    return 0.1 * tf.nn.l2_loss(w)

  with tf.variable_scope("a", regularizer=regularizer):
    tf.get_variable("x", initializer=[1.0, 2.0])
    tf.get_variable("y", initializer=[1.0, 2.0], regularizer=tf.no_regularizer)
    tf.get_variable("z", initializer=[3.0], use_resource=True)
    with tf.variable_scope("b", regularizer=tf.nn.l2_loss):
      tf.get_variable("u", initializer=[4.0])
  with tf.variable_scope("a", reuse=True, regularizer=regularizer):
    tf.get_variable("x")
  losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
  return _run(tf, tf.add_n(losses))


program_regularizers.rtol = 1e-6


def program_settings_of_scopes(tf):
  found = []
  with tf.variable_scope("a", caching_device="/cpu:0", constraint=tf.abs, use_resource=True, dtype=tf.float64) as scope:
    v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
    found.append([str(v), scope.caching_device, scope.constraint is tf.abs, v.constraint is tf.abs, _described(scope)])
    scope.set_caching_device(None)
    scope.set_dtype(tf.float16)
    scope.set_use_resource(False)
    scope.set_regularizer(tf.nn.l2_loss)
    scope.set_partitioner(None)
    w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
    found.append([str(w), scope.caching_device, scope.partitioner, scope.regularizer is tf.nn.l2_loss, _described(scope)])
    local = tf.get_local_variable("l", [1], initializer=tf.zeros_initializer())
    found.append([x.name for x in scope.global_variables() + scope.local_variables() + scope.trainable_variables()])
    found.append([x.name for x in scope.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)])
  found.append([str(local), local.trainable, [x.name for x in tf.local_variables()]])
  return found + _run(tf, v, w, local)


def program_made_under_control_inputs(tf):
  """What a block of control inputs reaches, and what is made outside of it."""
  with tf.control_dependencies([tf.no_op("before")]):
    for resource in (False, True):
      for parts in (1, 2):
        made = dict(partitioner=tf.fixed_size_partitioner(parts), use_resource=resource, initializer=tf.ones_initializer())
        v = tf.get_variable(f"v{resource}{parts}", [4, 2], **made)
        tf.identity(v)
        tf.nn.embedding_lookup(v, [1, 2])
      w = tf.get_variable(f"w{resource}", [2], initializer=tf.zeros_initializer(), use_resource=resource)
      x = tf.Variable(tf.ones([2]), use_resource=resource)
      y = tf.Variable(lambda: tf.ones([2]), use_resource=resource)
      tf.train.ExponentialMovingAverage(0.5).apply([w, x, y])
    tf.train.get_or_create_global_step()
    tf.metrics.mean(tf.ones([2]))
    tf.metrics.accuracy(tf.constant([1, 2]), tf.constant([1, 1]))
    queue = tf.FIFOQueue(3, tf.float32, shapes=[[]])
    queue.enqueue(1.0), queue.dequeue(), queue.close()
    tf.PriorityQueue(3, [tf.float32], [[]]).size()
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), 0)
    table.lookup(tf.constant(["a"]))
    tf.train.Saver([w, x])
    tf.ConditionalAccumulator(tf.float32, shape=[]).take_grad(1)
    tf.SparseConditionalAccumulator(tf.float32, shape=[2]).num_accumulated()
    tf.report_uninitialized_variables()
    tf.train.exponential_decay(0.5, tf.constant(3), 2, 0.5)
  return _run(tf, w, x, y)


def program_collections(tf):
  tf.get_variable("a", [1], collections=[tf.GraphKeys.MODEL_VARIABLES, tf.GraphKeys.GLOBAL_VARIABLES])
  tf.get_variable("b", [1], collections=[tf.GraphKeys.MOVING_AVERAGE_VARIABLES])
  tf.get_variable("c", [1], trainable=False)
  tf.get_local_variable("d", [1], collections=["mine"], regularizer=tf.no_regularizer)
  found = []
  for f in (tf.global_variables, tf.local_variables, tf.model_variables, tf.moving_average_variables, tf.trainable_variables):
    found.append([[v.name for v in f()], [v.name for v in f("a")], [v.name for v in f(scope="[bd]")]])
  return found + [[v.name for v in tf.all_variables()], sorted(tf.get_default_graph().get_all_collection_keys())]


def program_custom_getters(tf):
  calls = []

  def outer(getter, name, *args, **kwargs):
    calls.append(["outer", name, sorted(k for k, v in kwargs.items() if v is not None and not callable(v))])
    return getter(name, *args, **kwargs)

  def inner(getter, name, **kwargs):
    calls.append(["inner", name, str(kwargs["shape"]), str(kwargs["dtype"]), kwargs["trainable"]])
    return getter(name, **kwargs) * 2.0

  def old(
    getter, name, shape, dtype, initializer, regularizer, reuse, trainable, collections, caching_device, partitioner, **kwargs
  ):
    calls.append(["old", name, sorted(kwargs)])
    return getter(name, shape=shape, dtype=dtype, initializer=initializer, reuse=reuse)

  with tf.variable_scope("a", custom_getter=outer) as a:
    with tf.variable_scope("b", custom_getter=inner):
      x = tf.get_variable("x", [2], initializer=tf.ones_initializer())
    y = tf.get_variable("y", [2], custom_getter=old, initializer=tf.ones_initializer())
    a.set_custom_getter(inner)
    z = tf.get_variable("z", [2], initializer=tf.ones_initializer())
  return calls + [a.custom_getter is inner] + _run(tf, x, y, z)


def program_creators(tf):
  calls = []

  def creator(next_creator, **kwargs):
    calls.append([kwargs["name"], str(kwargs["dtype"]), kwargs["trainable"], kwargs["use_resource"], kwargs["validate_shape"]])
    kwargs["name"] = (kwargs["name"] or "unnamed") + "_renamed"
    return next_creator(**kwargs)

  def inner(next_creator, **kwargs):
    kwargs["use_resource"] = True
    return next_creator(**kwargs)

  with tf.variable_creator_scope(creator):
    v = tf.Variable(1.0)
    w = tf.get_variable("w", [1], initializer=tf.zeros_initializer())
    with tf.variable_creator_scope(inner):
      u = tf.Variable(2.0, name="u", trainable=False)
  return calls + [str(v), str(w), str(u)]


def program_partitions(tf):
  with tf.variable_scope("a", partitioner=tf.fixed_size_partitioner(3)):
    v = tf.get_variable("x", [4, 2], initializer=tf.ones_initializer())
    s = tf.get_variable("scalar", [], initializer=tf.ones_initializer())
  w = tf.get_variable("y", initializer=tf.constant([1.0, 2.0, 3.0]), partitioner=tf.fixed_size_partitioner(2))
  z = tf.get_variable(
    "z", [4, 2], partitioner=tf.fixed_size_partitioner(2, axis=1), use_resource=True, initializer=tf.zeros_initializer()
  )
  one = tf.get_variable("one", [2], partitioner=tf.fixed_size_partitioner(1), initializer=tf.constant_initializer([1.0, 2.0]))
  with tf.variable_scope("a", reuse=True):
    again = tf.get_variable("x", [4, 2], partitioner=tf.fixed_size_partitioner(3))
    found = [again is v, tf.get_variable("x") is v]
  for x in (v, w, z, one):
    found.append([x.name, str(x.dtype), str(x.shape), str(x.get_shape()), len(x), [str(part) for part in x]])
    found.append([part._get_save_slice_info().spec for part in x])
  return (
    found
    + [str(s)]
    + _run(tf, v.as_tensor(), tf.convert_to_tensor(w), tf.reduce_sum(z.as_tensor()), one.as_tensor(), v.as_tensor())
  )


def program_assigning_partitions(tf):
  v = tf.get_variable("v", [5, 2], initializer=tf.zeros_initializer(), partitioner=tf.fixed_size_partitioner(2))
  a = v.assign(tf.ones([5, 2]))
  b = v.assign_add(tf.ones([5, 2]), use_locking=True, name="more")
  c = v.assign_sub(tf.ones([5, 2]))
  return _run(tf, a, b, c, v.as_tensor())


program_assigning_partitions.values_only = True


def program_initializers_of_parts(tf):
  tf.set_random_seed(1)
  made = []
  for i, initializer in enumerate(
    [
      tf.initializers.identity(),
      tf.glorot_uniform_initializer(),
      tf.uniform_unit_scaling_initializer(),
      tf.variance_scaling_initializer(mode="fan_out"),
      tf.constant_initializer(3.0),
    ]
  ):
    made.append(tf.get_variable("v%d" % i, [4, 4], initializer=initializer, partitioner=tf.fixed_size_partitioner(2)).as_tensor())
  return _run(tf, *made)


program_initializers_of_parts.rtol = 1e-6


def program_created_partitions(tf):
  a = tf.create_partitioned_variables([4, 2], [2, 1], tf.zeros_initializer(), name="a")
  b = tf.create_partitioned_variables([4, 2], [1, 2], tf.ones([4, 2]), trainable=False, collections=["mine"])
  with tf.variable_scope("s"):
    c = tf.create_partitioned_variables([4], [4], tf.constant_initializer(2), dtype=tf.float64, name="c")
  return [[v.name for v in x] for x in (a, b, c)] + [[v.name for v in tf.trainable_variables()], len(tf.get_collection("mine"))]


def program_partitioners(tf):
  shape = tf.TensorShape([16, 16])
  found = []
  for p in (
    tf.variable_axis_size_partitioner(64),
    tf.variable_axis_size_partitioner(64, axis=1, max_shards=3),
    tf.variable_axis_size_partitioner(1, bytes_per_string_element=4),
    tf.min_max_variable_partitioner(4, 0, 64),
    tf.min_max_variable_partitioner(4, axis=1, min_slice_size=300, bytes_per_string_element=2),
    tf.min_max_variable_partitioner(),
  ):
    found.append([p(shape, tf.float32), p(tf.TensorShape([7, 3]), tf.string)])
  found.append(tf.fixed_size_partitioner(5, axis=1)(shape=shape, dtype=tf.float32))
  tries = [
    lambda: tf.variable_axis_size_partitioner(0),
    lambda: tf.variable_axis_size_partitioner(3, max_shards=-1),
    lambda: tf.variable_axis_size_partitioner(3, bytes_per_string_element=0),
    lambda: tf.variable_axis_size_partitioner(3)(tf.TensorShape([None, 2]), tf.float32),
    lambda: tf.variable_axis_size_partitioner(3)(3, tf.float32),
  ]
  return found + [_error(t) for t in tries]


def program_errors(tf):
  tf.get_variable("w", [1])
  v = tf.get_variable("p", [4], partitioner=tf.fixed_size_partitioner(2))

  def reused(*args, **kwargs):
    with tf.variable_scope("", reuse=True):
      return tf.get_variable(*args, **kwargs)

  tries = [
    lambda: tf.get_variable("w", [1]),
    lambda: tf.get_variable("p", [4], partitioner=tf.fixed_size_partitioner(2)),
    lambda: tf.get_variable("p", [4]),
    lambda: tf.get_variable("w", [4], partitioner=tf.fixed_size_partitioner(2)),
    lambda: reused("v", [1]),
    lambda: reused("v", [2], partitioner=tf.fixed_size_partitioner(2)),
    lambda: reused("w", [2]),
    lambda: reused("w", [1], tf.int32),
    lambda: reused("p", [5], partitioner=tf.fixed_size_partitioner(2)),
    lambda: reused("p", [4], partitioner=tf.fixed_size_partitioner(3)),
    lambda: reused("p", [4], tf.float64, partitioner=tf.fixed_size_partitioner(2)),
    lambda: tf.get_variable("u"),
    lambda: tf.get_variable("u", [2], initializer=tf.constant([1.0, 2.0])),
    lambda: tf.get_variable("u", initializer=tf.constant([1.0, 2.0]), dtype=tf.int32),
    lambda: tf.get_variable("u", [None, 2]),
    lambda: tf.get_variable("u", [2], collections="text"),
    lambda: tf.get_variable("u", [2], custom_getter=3),
    lambda: tf.get_variable("u", [4, 2], partitioner=lambda shape, dtype: [2, 2]),
    lambda: tf.get_variable("u", [4, 2], partitioner=lambda shape, dtype: [2]),
    lambda: tf.get_variable("u", [4, 2], partitioner=lambda shape, dtype: None),
    lambda: tf.get_variable("u", [4, 2], partitioner=lambda shape, dtype: [0, 1]),
    lambda: tf.get_variable("u", [4, 2], partitioner=3),
    lambda: tf.create_partitioned_variables([4, 2], [2], tf.zeros_initializer()),
    lambda: tf.create_partitioned_variables([4, 2], [5, 1], tf.zeros_initializer()),
    lambda: _enter(tf.variable_scope("a", reuse="x")),
    lambda: tf.variable_scope(None),
    lambda: _enter(tf.variable_scope(3)),
    lambda: _enter(tf.variable_scope(None, "a", reuse=True)),
    lambda: _enter(tf.variable_scope("a", auxiliary_name_scope=3)),
  ]
  return [_error(t) for t in tries] + [v.name]


def program_templates(tf):
  def layer(x, scale=1.0):
    return x * tf.get_variable("w", [1], initializer=tf.ones_initializer()) * scale

  t = tf.make_template("layer", layer)
  found = [t.variable_scope, t.name, t.func is layer]
  a, b = t(tf.constant(1.0)), t(2.0, scale=3.0)
  found += [t.variable_scope.name, t.variable_scope_name, t.var_scope.name]
  for name in ("variables", "trainable_variables", "non_trainable_variables", "global_variables", "local_variables"):
    found.append([v.name for v in getattr(t, name)])
  found.append([[v.name for v in x] for x in (t.weights, t.trainable_weights, t.non_trainable_weights)])
  u = tf.make_template("layer", layer, scale=5.0)
  c = u(1.0)
  now = tf.make_template("layer", layer, create_scope_now_=True)
  d = now(1.0)
  unique = tf.make_template("layer", layer, unique_name_="mine")
  e = unique(1.0)
  doubled = tf.make_template("doubled", layer, custom_getter_=lambda getter, *args, **kwargs: getter(*args, **kwargs) * 2.0)
  f = doubled(1.0)
  with tf.variable_scope("outer"):
    inner, later = tf.make_template("inner", layer, create_scope_now_=True), tf.make_template("later", layer)
  for name in ("other", "third"):
    with tf.variable_scope(name):
      inner(1.0)
      later(1.0)
  return found + [v.name for v in tf.global_variables()] + _run(tf, a, b, c, d, e, f)


def program_errors_of_templates(tf):
  t = tf.make_template("bad", lambda x: x * tf.Variable(1.0))
  t(1.0)

  def failing():
    raise ValueError("text of the program")

  found = [
    _error(lambda: t(1.0)),
    _error(tf.make_template("failing", failing)),
    _error(lambda: tf.make_template(None, failing)(1)),
  ]
  return [[type(e).__name__, str(e).split("\n")[0]] for e in found]


def program_op_scopes(tf):
  found = []
  with tf.variable_op_scope([tf.constant(1.0)], None, "default") as scope:
    found.append(_described(scope))
  with tf.variable_op_scope(
    [tf.constant(1.0)],
    "named",
    "default",
    initializer=tf.ones_initializer(),
    regularizer=tf.nn.l2_loss,
    caching_device="/cpu:0",
    partitioner=tf.fixed_size_partitioner(1),
    custom_getter=lambda getter, *args, **kwargs: getter(*args, **kwargs),
    reuse=tf.AUTO_REUSE,
    dtype=tf.float64,
    use_resource=True,
    constraint=tf.abs,
  ) as scope:
    found.append(_described(scope) + [scope.caching_device, scope.constraint is tf.abs])
  return found


def program_scopes_as_objects(tf):
  scope = tf.VariableScope(
    tf.AUTO_REUSE,
    name="made",
    initializer=tf.ones_initializer(),
    regularizer=tf.nn.l2_loss,
    caching_device="/cpu:0",
    partitioner=None,
    custom_getter=lambda getter, *args, **kwargs: getter(*args, **kwargs),
    name_scope="named/",
    dtype=tf.float64,
    use_resource=True,
    constraint=tf.abs,
  )
  found = [_described(scope), scope.regularizer is tf.nn.l2_loss, scope.caching_device, scope.partitioner]
  with tf.variable_scope(scope) as entered:
    v = tf.get_variable("v", [2])
    found.append([_described(entered), str(v), v.constraint is tf.abs, tf.constant(1.0).name])
  return found + _run(tf, v)


def program_graphs(tf):
  found = []
  first = tf.Graph()
  with first.as_default():
    with tf.variable_scope("a"):
      tf.get_variable("v", [1])
  x = tf.placeholder(tf.float32, [1])
  with tf.variable_scope("a"):
    found.append(tf.get_variable("v", [1]).name)
  with first.as_default():
    found.append(_error(lambda: tf.get_variable("a/v", [1])))
    with tf.variable_scope("b", values=[x]):
      found.append(tf.get_variable("w", [1]).graph is x.graph)
  return found


def program_scopes_without_a_name(tf):
  """What is opened in a scope whose name is empty counts for the names that are made unique after it."""
  names = []

  def note():
    with tf.variable_scope(None, "a") as scope:
      names.append([scope.name, tf.get_variable("v", []).name])

  with tf.variable_scope(""):
    note()
    note()
  note()
  with tf.variable_scope(tf.get_variable_scope()):
    note()
  note()
  with tf.variable_scope("b"):
    note()
    with tf.variable_scope(""):
      note()
    note()
  names.append(tf.make_template("a", lambda: tf.get_variable_scope().name, create_scope_now_=True)())
  return names


def program_template_whose_scope_is_made_at_once(tf):
  """It uses up no name of ops."""
  t = tf.make_template(
    "layer", lambda x: tf.identity(x * tf.get_variable("w", [], initializer=tf.ones_initializer())), create_scope_now_=True
  )
  u = tf.make_template(
    "layer", lambda x: tf.identity(x * tf.get_variable("w", [], initializer=tf.ones_initializer())), create_scope_now_=True
  )
  results = [t(tf.constant(1.0)), t(tf.constant(2.0)), u(tf.constant(3.0))]
  return [r.name for r in results] + [v.name for v in tf.global_variables()]
