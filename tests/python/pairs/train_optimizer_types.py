"""Every optimizer over variables of other types than float32, of both kinds, with dense and sparse gradients."""

NAMES = ["GradientDescent", "Momentum", "Adam", "Adagrad", "Adadelta", "RMSProp", "Ftrl", "AdagradDA"]


def _trained(tf, name, dtype, use_resource, is_sparse):
  with tf.Graph().as_default():
    step = tf.train.get_or_create_global_step()
    v = tf.get_variable("v", initializer=tf.ones([4, 2], dtype), use_resource=use_resource)
    loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(v, [1, 3]) if is_sparse else v))
    made = getattr(tf.train, name + "Optimizer")
    more = {"Momentum": [0.9], "AdagradDA": [step]}.get(name, [])
    update = made(0.1, *more).minimize(loss, global_step=step)
    with tf.Session() as session:
      session.run(tf.global_variables_initializer())
      session.run(update)
      session.run(update)
      return session.run(v)


def _all(tf, dtype, names):
  return [_trained(tf, name, dtype, kind, sparse) for name in names for kind in (False, True) for sparse in (False, True)]


def program_doubles(tf):
  return _all(tf, tf.float64, NAMES)


def program_halves(tf):
  return _all(tf, tf.half, NAMES[:-1])


program_doubles.rtol = 1e-9
program_halves.rtol = 1e-3
