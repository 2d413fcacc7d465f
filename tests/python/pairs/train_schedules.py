"""Learning rates by their schedules, moving averages and the global step."""

import numpy as np


def _say(function):
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def _rates(tf, rate, steps=(0, 1, 5, 9, 10, 11, 25, 100)):
  """The rate at several global steps."""
  step = tf.train.get_or_create_global_step()
  value = rate(step)
  new = tf.placeholder(tf.int64, [])
  assign = tf.assign(step, new)
  found = [value.name]
  with tf.Session() as session:
    for at in steps:
      session.run(assign, {new: at})
      found.append(session.run(value))
  return found


def program_exponential(tf):
  return _rates(tf, lambda step: tf.train.exponential_decay(0.1, step, 10, 0.9))


def program_exponential_staircase(tf):
  return _rates(tf, lambda step: tf.train.exponential_decay(0.1, step, 10, 0.9, staircase=True, name="rate"))


def program_exponential_tensors(tf):
  return _rates(tf, lambda step: tf.train.exponential_decay(tf.constant(0.1, tf.float64), step, tf.constant(10), 0.5))


def program_piecewise(tf):
  return _rates(tf, lambda step: tf.train.piecewise_constant(step, [5, 10, 20], [0.1, 0.2, 0.3, 0.4]))


def program_piecewise_two(tf):
  return _rates(tf, lambda step: tf.train.piecewise_constant_decay(step, [7], [1.0, 2.0], name="pieces"))


def program_piecewise_int(tf):
  with tf.Session() as session:
    return session.run(tf.train.piecewise_constant(6, [5, 10], [0.1, 0.2, 0.3]))


def program_piecewise_resource(tf):
  step = tf.get_variable("global_step", [], tf.int64, initializer=tf.zeros_initializer(), use_resource=True)
  rate = tf.train.piecewise_constant(step, [5, 10], [1, 2, 3])
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(rate)


def program_polynomial(tf):
  return _rates(tf, lambda step: tf.train.polynomial_decay(0.1, step, 10))


program_polynomial.rtol = 1e-6


def program_polynomial_cycle(tf):
  return _rates(tf, lambda step: tf.train.polynomial_decay(0.1, step, 10, 0.01, 0.5, cycle=True, name="rate"))


program_polynomial_cycle.rtol = 1e-5


def program_natural_exp(tf):
  return _rates(tf, lambda step: tf.train.natural_exp_decay(0.1, step, 10, 0.5))


program_natural_exp.rtol = 1e-5


def program_natural_exp_staircase(tf):
  return _rates(tf, lambda step: tf.train.natural_exp_decay(0.1, step, 10, 0.5, staircase=True, name="rate"))


program_natural_exp_staircase.rtol = 1e-5


def program_inverse_time(tf):
  return _rates(tf, lambda step: tf.train.inverse_time_decay(0.1, step, 10, 0.5))


program_inverse_time.rtol = 1e-6


def program_inverse_time_staircase(tf):
  return _rates(tf, lambda step: tf.train.inverse_time_decay(0.1, step, 10, 0.5, staircase=True, name="rate"))


program_inverse_time_staircase.rtol = 1e-6


def program_cosine(tf):
  return _rates(tf, lambda step: tf.train.cosine_decay(0.1, step, 10))


program_cosine.rtol = 1e-4


def program_cosine_alpha(tf):
  return _rates(tf, lambda step: tf.train.cosine_decay(0.1, step, 10, alpha=0.1, name="rate"))


program_cosine_alpha.rtol = 1e-4


def program_cosine_restarts(tf):
  return _rates(tf, lambda step: tf.train.cosine_decay_restarts(0.1, step, 10))


program_cosine_restarts.rtol = 1e-4


def program_cosine_restarts_options(tf):
  return _rates(tf, lambda step: tf.train.cosine_decay_restarts(0.1, step, 7, t_mul=1.0, m_mul=0.9, alpha=0.1, name="rate"))


program_cosine_restarts_options.rtol = 1e-4


def program_linear_cosine(tf):
  return _rates(tf, lambda step: tf.train.linear_cosine_decay(0.1, step, 10))


program_linear_cosine.rtol = 1e-4


def program_linear_cosine_options(tf):
  return _rates(tf, lambda step: tf.train.linear_cosine_decay(0.1, step, 10, num_periods=1.5, alpha=0.2, beta=0.01, name="rate"))


program_linear_cosine_options.rtol = 1e-4


def program_noisy_linear_cosine(tf):
  tf.set_random_seed(3)
  return _rates(
    tf,
    lambda step: tf.train.noisy_linear_cosine_decay(
      0.1, step, 10, initial_variance=0.5, variance_decay=0.6, num_periods=1.0, alpha=0.1, beta=0.01, name="rate"
    ),
  )


program_noisy_linear_cosine.rtol = 1e-3


def program_errors(tf):
  train = tf.train
  return [
    _say(lambda: train.piecewise_constant(1, [1, 2], [0.1, 0.2])),
    _say(lambda: train.piecewise_constant(1, [1.5], [0.1, 0.2])),
    _say(lambda: train.piecewise_constant(1, [2], [0.1, 2])),
  ]


def _averaged(tf, resource, **options):
  x = tf.get_variable("x", initializer=[1.0, 2.0], use_resource=resource)
  t = tf.multiply(x, 2.0, name="t")
  averages = tf.train.ExponentialMovingAverage(0.9, **options)
  found = [averages.name, averages.average(x), averages.average_name(x)]
  op = averages.apply([x, t])
  found += [op.name, averages.average(x).name, averages.average(t).name, averages.average_name(t)]
  found += [sorted((k, v.name) for k, v in averages.variables_to_restore([x]).items())]
  found += [sorted((k, v.name) for k, v in averages.variables_to_restore().items())]
  add = tf.assign_add(x, [1.0, 1.0])
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
      session.run(add)
      session.run(op)
      found.append(session.run([averages.average(x), averages.average(t)]))
  return found


def program_average(tf):
  return _averaged(tf, False)


program_average.rtol = 1e-6


def program_average_resource(tf):
  return _averaged(tf, True, name="shadow")


program_average_resource.rtol = 1e-6


def program_average_debiased(tf):
  return _averaged(tf, False, zero_debias=True)


program_average_debiased.rtol = 1e-5


def program_average_updates(tf):
  return _averaged(tf, False, num_updates=tf.constant(3), name="shadow")


program_average_updates.rtol = 1e-6


def program_average_all(tf):
  tf.get_variable("x", initializer=[1.0])
  tf.get_variable("y", initializer=[1.0], trainable=False)
  averages = tf.train.ExponentialMovingAverage(0.5)
  averages.apply()
  averages.apply()
  other = tf.train.ExponentialMovingAverage(0.5)
  other.apply()
  return [[v.name for v in tf.global_variables()], [v.name for v in tf.moving_average_variables()]]


def program_average_errors(tf):
  averages = tf.train.ExponentialMovingAverage(0.5)
  return [_say(lambda: averages.apply([tf.constant(1)]))]


def program_global_step(tf):
  train = tf.train
  found = [train.get_global_step()]
  step = train.create_global_step()
  found += [step.name, step.dtype.name, train.get_global_step() is step, train.get_or_create_global_step() is step]
  found += [_say(train.create_global_step), [v.name for v in tf.get_collection(tf.GraphKeys.GLOBAL_STEP)]]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    found.append(train.global_step(session, step))
  graph = tf.Graph()
  other = train.get_or_create_global_step(graph)
  found.append(other.graph is graph)
  return found


def program_global_step_errors(tf):
  found = []
  for shape, dtype in (([], tf.float32), ([2], tf.int64)):
    with tf.Graph().as_default():
      tf.get_variable("global_step", shape, dtype, initializer=tf.zeros_initializer())
      found.append(_say(tf.train.get_global_step))
  found.append(_say(lambda: tf.train.assert_global_step(tf.zeros([2], dtype=tf.int64))))
  found.append(_say(lambda: tf.train.assert_global_step(tf.zeros([]))))
  found.append(_say(lambda: tf.train.assert_global_step(tf.zeros([], tf.int32))))
  return found


def program_schedule_in_training(tf):
  """A rate that falls while a variable is trained."""
  x = tf.get_variable("x", initializer=np.array([3.0, -2.0], np.float32))
  step = tf.train.get_or_create_global_step()
  rate = tf.train.exponential_decay(0.5, step, 2, 0.5, staircase=True)
  op = tf.train.GradientDescentOptimizer(rate).apply_gradients([(tf.identity(x), x)], global_step=step)
  averages = tf.train.ExponentialMovingAverage(0.9, step)
  with tf.control_dependencies([op]):
    train = averages.apply([x])
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(5):
      session.run(train)
      found.append(session.run([x, averages.average(x), rate]))
  return found


program_schedule_in_training.rtol = 1e-6
