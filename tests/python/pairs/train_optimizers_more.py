"""What optimizers do beside one variable: types, constraints, slots, names, errors, gradients of losses."""

import numpy as np


def _say(function):
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def program_float64(tf):
  x = tf.get_variable("x", initializer=np.array([1.0, 2.0]))
  y = tf.get_variable("y", initializer=np.array([1.0, 2.0]), use_resource=True)
  grads = [(tf.constant([0.1, 0.2], tf.float64), x), (tf.constant([0.1, 0.2], tf.float64), y)]
  ops = [
    tf.train.AdamOptimizer(0.1).apply_gradients(grads),
    tf.train.MomentumOptimizer(0.1, 0.9).apply_gradients(grads),
    tf.train.FtrlOptimizer(0.1).apply_gradients(grads),
    tf.train.RMSPropOptimizer(0.1).apply_gradients(grads),
    tf.train.GradientDescentOptimizer(lambda: 0.1).apply_gradients(grads),
  ]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for op in ops:
      session.run(op)
    return session.run(tf.global_variables())


program_float64.rtol = 1e-9


def program_float64_sparse(tf):
  x = tf.get_variable("x", initializer=np.array([1.0, 2.0]))
  y = tf.get_variable("y", initializer=np.array([1.0, 2.0]), use_resource=True)
  slices = tf.IndexedSlices(tf.constant([0.1, 0.2], tf.float64), tf.constant([1, 1], tf.int64))
  ops = [
    tf.train.AdamOptimizer(0.1).apply_gradients([(slices, x), (slices, y)]),
    tf.train.AdagradOptimizer(0.1).apply_gradients([(slices, x), (slices, y)]),
    tf.train.GradientDescentOptimizer(0.1).apply_gradients([(slices, x)]),
  ]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for op in ops:
      session.run(op)
    return session.run(tf.global_variables())


program_float64_sparse.rtol = 1e-9


def program_resource_step(tf):
  step = tf.get_variable("global_step", [], tf.int64, initializer=tf.zeros_initializer(), use_resource=True)
  x = tf.get_variable("x", initializer=[1.0, 2.0])
  op = tf.train.MomentumOptimizer(0.1, 0.9).apply_gradients([(tf.constant([1.0, 1.0]), x)], global_step=step, name="go")
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(op)
    return [op.name, op.type, session.run([x, step])]


def program_constraints(tf):
  x = tf.get_variable("x", initializer=[0.05, 2.0], constraint=tf.abs)
  y = tf.get_variable("y", initializer=[0.05, 2.0], constraint=tf.abs, use_resource=True)
  g = tf.constant([1.0, 1.0])
  op = tf.train.GradientDescentOptimizer(0.1).apply_gradients([(g, x), (g, y)])
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(op)
    return session.run([x, y])


def program_partitioned(tf):
  x = tf.get_variable("x", [4, 2], partitioner=tf.fixed_size_partitioner(2), initializer=tf.ones_initializer())
  optimizer = tf.train.AdamOptimizer(0.1)
  op = optimizer.apply_gradients([(tf.ones([2, 2]), v) for v in x])
  saver = tf.train.Saver()
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(op)
    return [saver.as_saver_def(), [v.name for v in optimizer.variables()], session.run(tf.global_variables())]


program_partitioned.rtol = 1e-6


def program_slots(tf):
  x = tf.get_variable("x", initializer=[1.0])
  y = tf.get_variable("y", initializer=[1.0])
  optimizer = tf.train.RMSPropOptimizer(0.1, centered=True)
  found = [optimizer.get_name(), optimizer.get_slot_names(), optimizer.get_slot(x, "rms"), optimizer.variables()]
  optimizer.apply_gradients([(tf.constant([1.0]), x), (None, y)])
  found += [optimizer.get_slot_names(), optimizer.get_slot(x, "rms").name, optimizer.get_slot(y, "rms")]
  found += [[v.name for v in optimizer.variables()], optimizer.get_slot(x, "zzz")]
  return found


def program_two_optimizers(tf):
  x = tf.get_variable("x", initializer=[1.0])
  g = tf.constant([1.0])
  a = tf.train.AdamOptimizer(name="adam").apply_gradients([(g, x)])
  b = tf.train.AdamOptimizer(name="adam").apply_gradients([(g, x)])
  with tf.name_scope("inner"):
    c = tf.train.AdamOptimizer().apply_gradients([(g, x)])
  return [a.name, b.name, c.name, [v.name for v in tf.global_variables()], [op.name for op in tf.get_collection("train_op")]]


def program_errors(tf):
  v = tf.get_variable("v", [2])
  c = tf.get_variable("c", [2], constraint=tf.abs)
  g = tf.ones([2])
  descent = tf.train.GradientDescentOptimizer
  sync = tf.train.SyncReplicasOptimizer
  loss = tf.reduce_sum(v)
  return [
    _say(lambda: descent(0.1).apply_gradients([])),
    _say(lambda: descent(0.1).apply_gradients([(None, v)])),
    _say(lambda: descent(0.1).apply_gradients([(g, g)])),
    _say(lambda: descent(0.1).minimize(loss, gate_gradients=7)),
    _say(lambda: descent(0.1).minimize(tf.constant(1))),
    _say(lambda: descent(0.1).compute_gradients(loss, var_list=[])),
    _say(lambda: descent(0.1).apply_gradients([(tf.IndexedSlices(tf.ones([1]), [0]), c)])),
    _say(lambda: tf.train.AdagradOptimizer(0.1, -1)),
    _say(lambda: tf.train.ProximalAdagradOptimizer(0.1, -1)),
    _say(lambda: tf.train.AdagradDAOptimizer(0.1, 1, -1)),
    _say(lambda: tf.train.FtrlOptimizer(0.1, learning_rate_power=1)),
    _say(lambda: tf.train.FtrlOptimizer(0.1, initial_accumulator_value=-1)),
    _say(lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=-1)),
    _say(lambda: tf.train.FtrlOptimizer(0.1, l2_regularization_strength=-1)),
    _say(lambda: tf.train.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=-1)),
    _say(lambda: tf.train.Optimizer(False, "")),
    _say(lambda: tf.train.Optimizer(False, "x").apply_gradients([(g, v)])),
    _say(lambda: sync(descent(0.1), 2).apply_gradients([(g, v)])),
    _say(lambda: sync(descent(0.1), 2).apply_gradients([])),
    _say(lambda: sync(descent(0.1), 2).get_chief_queue_runner()),
    _say(lambda: sync(descent(0.1), 2).get_init_tokens_op()),
  ]


def program_no_variables(tf):
  return _say(lambda: tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0)))


def program_no_gradients(tf):
  tf.get_variable("v", [2])
  return _say(lambda: tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0)))


def _minimized(tf, optimizer, **options):
  """The losses and variables of a small regression."""
  rng = np.random.RandomState(3)
  data = rng.rand(8, 3).astype(np.float32)
  x = tf.placeholder(tf.float32, [None, 3])
  w = tf.get_variable("w", initializer=np.array([[0.1], [0.2], [0.3]], np.float32))
  b = tf.get_variable("b", initializer=[0.0])
  out = tf.matmul(x, w) + b
  loss = tf.reduce_mean(tf.square(out - tf.reduce_sum(x, 1, keepdims=True)))
  step = tf.train.get_or_create_global_step()
  train = optimizer.minimize(loss, global_step=step, **options)
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(4):
      found.append(session.run([loss, train], {x: data})[0])
    found.append(session.run(tf.global_variables()))
  return [train.name, found]


def program_minimize_descent(tf):
  return _minimized(tf, tf.train.GradientDescentOptimizer(0.1))


program_minimize_descent.rtol = 1e-4


def program_minimize_adam(tf):
  return _minimized(tf, tf.train.AdamOptimizer(0.1), name="train_it")


program_minimize_adam.rtol = 1e-4


def program_minimize_gate_none(tf):
  return _minimized(tf, tf.train.MomentumOptimizer(0.1, 0.5), gate_gradients=tf.train.Optimizer.GATE_NONE)


program_minimize_gate_none.rtol = 1e-4


def program_minimize_gate_graph(tf):
  return _minimized(
    tf,
    tf.train.RMSPropOptimizer(0.01),
    gate_gradients=tf.train.Optimizer.GATE_GRAPH,
    aggregation_method=tf.AggregationMethod.EXPERIMENTAL_ACCUMULATE_N,
    colocate_gradients_with_ops=True,
    grad_loss=tf.constant(0.5),
  )


program_minimize_gate_graph.rtol = 1e-4


def program_minimize_var_list(tf):
  rng = np.random.RandomState(1)
  w = tf.get_variable("w", initializer=rng.rand(5, 2).astype(np.float32))
  e = tf.get_variable("e", initializer=rng.rand(2).astype(np.float32), use_resource=True)
  rows = tf.nn.embedding_lookup(w, [1, 3, 1])
  loss = tf.reduce_sum(rows * e)
  optimizer = tf.train.AdagradOptimizer(0.1)
  grads = optimizer.compute_gradients(loss, var_list=[w])
  kinds = [type(g).__name__ for g, _ in grads]
  op = optimizer.apply_gradients(grads)
  other = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=e)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(op)
    session.run(other)
    return [kinds, session.run(tf.global_variables())]


program_minimize_var_list.rtol = 1e-5


def program_sync_replicas_graph(tf):
  with tf.device(tf.train.replica_device_setter(ps_tasks=2)):
    a = tf.get_variable("a", [4, 2])
    step = tf.train.get_or_create_global_step()
    b = tf.get_variable("b", [4, 2])
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), 3, total_num_replicas=4, name="sync")
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]), tf.constant([4, 2]))
    op = optimizer.apply_gradients([(tf.ones([4, 2]), a), (slices, b)], global_step=step)
  tokens = optimizer.get_init_tokens_op(2)
  runner = optimizer.get_chief_queue_runner()
  names = [optimizer.chief_init_op.name, optimizer.local_step_init_op.name, optimizer.ready_for_local_init_op.name]
  return [op.name, tokens.name, names, optimizer.get_slot_names(), [v.name for v in optimizer.variables()], runner.to_proto()]


def program_sync_replicas_averages(tf):
  a = tf.get_variable("a", initializer=[1.0, 2.0], use_resource=True)
  step = tf.train.get_or_create_global_step()
  averages = tf.train.ExponentialMovingAverage(0.9)
  optimizer = tf.train.SyncReplicasOptimizer(
    tf.train.GradientDescentOptimizer(0.1), 1, variable_averages=averages, variables_to_average=[a]
  )
  op = optimizer.apply_gradients([(tf.ones([2]), a)], global_step=step)
  hook = optimizer.make_session_run_hook(True, num_tokens=1)
  # The runner waits for a gradient until the session is closed.
  waits = dict(stop_grace_period_secs=1)
  with tf.train.SingularMonitoredSession(hooks=[hook, tf.train.StopAtStepHook(last_step=3)], **waits) as session:
    while not session.should_stop():
      session.run(op)
    value = session.raw_session().run([a, step])
  return value


program_sync_replicas_averages.rtol = 1e-6
program_sync_replicas_averages.values_only = True  # the hook has TensorFlow 1.15's second queue, and looks for a closed one
