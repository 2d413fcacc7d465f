"""Initial values that depend on other variables, and variables made inside of control flow."""


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def program_initialized_value(tf):
  v = tf.Variable([1.0, 2.0], name="v")
  w = tf.Variable(v.initialized_value() * 2.0, name="w")
  u = tf.Variable(w.initialized_value() + v.initialized_value(), name="u")
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run([v, w, u])


def program_initial_value_of_a_variable(tf):
  v = tf.Variable([1.0, 2.0], name="v")
  w = tf.Variable(v, name="w")
  x = tf.Variable(tf.multiply(v, 2.0) + tf.reduce_sum(v), name="x")
  u = tf.Variable(3.0, name="u")
  y = tf.Variable(tf.stack([tf.constant(1.0), u * u, tf.reduce_sum(v)]), name="y")
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run([v, w, x, u, y])


def program_initial_value_of_a_local_variable(tf):
  v = tf.Variable([1.0, 2.0], name="v", collections=[tf.GraphKeys.LOCAL_VARIABLES])
  w = tf.Variable(v + 1.0, name="w")
  u = tf.Variable(v * 3.0, name="u", collections=["neither"])
  z = tf.Variable(u + 1.0, name="z")
  with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    session.run(u.initializer)
    session.run(tf.global_variables_initializer())
    return session.run([v, w, u, z])


def program_initial_value_of_a_resource(tf):
  v = tf.Variable([1.0, 2.0], name="v", use_resource=True)
  w = tf.Variable(v * 2.0, name="w", use_resource=True)
  with tf.Session() as session:
    session.run(v.initializer)
    session.run(w.initializer)
    return session.run([v, w])


def program_made_in_a_conditional(tf):
  p = tf.placeholder(tf.bool, [])

  def branch():
    v = tf.Variable(1.0, name="v")
    w = tf.Variable(lambda: tf.ones([]), name="w")
    r = tf.Variable(lambda: tf.ones([]), name="r", use_resource=True)
    g = tf.get_variable("g", [], initializer=tf.ones_initializer())
    return v + w + r + g

  out = tf.cond(p, branch, lambda: tf.constant(0.0))
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [v.name for v in tf.global_variables()] + [session.run(out, {p: True}), session.run(out, {p: False})]


def program_made_in_a_loop(tf):
  def body(i, total):
    w = tf.Variable(lambda: tf.constant(2.0), name="w")
    g = tf.get_variable("g", [], initializer=tf.ones_initializer())
    r = tf.get_variable("r", [], initializer=tf.ones_initializer(), use_resource=True)
    return i + 1, total + w * g + r

  out = tf.while_loop(lambda i, total: i < 3, body, [0, 0.0])
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [v.name for v in tf.global_variables()] + list(session.run(out))


def program_initial_value_inside_of_a_loop(tf):
  found = []

  def body(i):
    found.append(_error(lambda: tf.Variable(tf.constant(1.0), name="v")))
    found.append(_error(lambda: tf.Variable(tf.constant(1.0), name="r", use_resource=True)))
    return i + 1

  tf.while_loop(lambda i: i < 3, body, [0])
  return found


program_initial_value_inside_of_a_loop.values_only = True


def program_written_in_a_conditional(tf):
  v = tf.Variable([1.0, 2.0], name="v")
  r = tf.Variable([1.0, 2.0], name="r", use_resource=True)
  p = tf.placeholder(tf.bool, [])
  a = tf.cond(p, lambda: tf.assign_add(v, [1.0, 1.0]), lambda: tf.identity(v))
  b = tf.cond(p, lambda: r.assign_add([1.0, 1.0]).value(), lambda: r.read_value())
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [session.run([a, b], {p: x}) for x in (True, False, True)]


def program_written_in_a_loop(tf):
  r = tf.Variable([1.0, 2.0], name="r", use_resource=True)

  def body(i):
    with tf.control_dependencies([r.assign_add([1.0, 2.0], read_value=False)]):
      return i + 1

  out = tf.while_loop(lambda i: i < 5, body, [0])
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [session.run(out), session.run(r)]
