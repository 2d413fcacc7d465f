"""Initializers of values, and ops that initialize variables or tell which are not."""

import numpy as np


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _values(tf, tensors):
  with tf.Session() as session:
    return session.run(tensors)


def _made(tf):
  """Initializers with their arguments set to others than the defaults."""
  return [
    tf.zeros_initializer(dtype=tf.float64),
    tf.ones_initializer(dtype=tf.int32),
    tf.constant_initializer([1, 2, 3, 4, 5, 6], dtype=tf.float64, verify_shape=False),
    tf.constant_initializer(7),
    tf.constant_initializer(np.arange(4)),
    tf.random_normal_initializer(1.0, 2.0, seed=3, dtype=tf.float64),
    tf.truncated_normal_initializer(0.5, 0.5, seed=4, dtype=tf.float64),
    tf.random_uniform_initializer(-1.0, 2.0, seed=5),
    tf.random_uniform_initializer(0, 9, seed=6, dtype=tf.int32),
    tf.random_uniform_initializer(0, 1, seed=6),
    tf.glorot_uniform_initializer(seed=7),
    tf.glorot_normal_initializer(seed=8),
    tf.variance_scaling_initializer(2.0, mode="fan_avg", distribution="uniform", seed=9, dtype=tf.float64),
    tf.variance_scaling_initializer(2.0, mode="fan_out", distribution="untruncated_normal", seed=10),
    tf.variance_scaling_initializer(2.0, distribution="normal", seed=11),
    tf.uniform_unit_scaling_initializer(1.4, seed=12),
    tf.initializers.lecun_normal(seed=13),
    tf.initializers.lecun_uniform(seed=14),
    tf.initializers.he_normal(seed=15),
    tf.initializers.he_uniform(seed=16),
  ]


def program_values(tf):
  made = []
  for initializer in _made(tf):
    made += [initializer([2, 3]), initializer([3, 2, 4]), initializer(shape=[7], dtype=tf.float32)]
  return _values(tf, made)


program_values.rtol = 1e-6


def program_small_shapes(tf):
  made = []
  for initializer in (tf.glorot_uniform_initializer(seed=1), tf.uniform_unit_scaling_initializer(seed=1), tf.zeros_initializer()):
    made += [initializer([]), initializer([1]), initializer(tf.TensorShape([2])), initializer([0, 3]), initializer([1, 1, 1, 1])]
  return _values(tf, made)


program_small_shapes.rtol = 1e-6


def program_defaults(tf):
  made = [
    tf.zeros_initializer()([2]),
    tf.ones_initializer()([2]),
    tf.constant_initializer()([2]),
    tf.random_normal_initializer()([2]),
    tf.truncated_normal_initializer()([2]),
    tf.random_uniform_initializer()([2]),
    tf.glorot_uniform_initializer()([2, 2]),
    tf.glorot_normal_initializer()([2, 2]),
    tf.variance_scaling_initializer()([2, 2]),
    tf.uniform_unit_scaling_initializer()([2, 2]),
    tf.orthogonal_initializer()([2, 2]),
    tf.initializers.identity()([2, 3]),
  ]
  return [str(m.dtype) + str(m.shape) for m in made]


def program_matrices(tf):
  made = [
    tf.orthogonal_initializer(2.0, seed=3)([4, 3]),
    tf.orthogonal_initializer(gain=1.5, seed=3, dtype=tf.float64)([2, 5]),
    tf.orthogonal_initializer(seed=4)([2, 3, 4], dtype=tf.float32),
    tf.initializers.identity(gain=2.0, dtype=tf.float64)([3, 2]),
    tf.initializers.identity()([2, 2], dtype=tf.float16),
  ]
  return _values(tf, made)


program_matrices.rtol = 1e-5
program_matrices.atol = 1e-6


def program_configurations(tf):
  found = []
  initializers = _made(tf) + [tf.orthogonal_initializer(2.0, seed=1, dtype=tf.float16), tf.initializers.identity(3.0)]
  for initializer in initializers:
    config = initializer.get_config()
    found.append({k: list(map(int, v)) if isinstance(v, np.ndarray) else v for k, v in config.items()})
    if not isinstance(config.get("value"), np.ndarray):
      found.append(type(initializer).from_config(config).get_config())
  return found


def program_errors(tf):
  tries = [
    lambda: tf.variance_scaling_initializer(-1.0),
    lambda: tf.variance_scaling_initializer(mode="x"),
    lambda: tf.variance_scaling_initializer(distribution="x"),
    lambda: tf.orthogonal_initializer()([2]),
    lambda: tf.orthogonal_initializer(dtype=tf.int32),
    lambda: tf.initializers.identity()([2]),
    lambda: tf.constant_initializer([1, 2, 3, 4])([3]),
    lambda: tf.constant_initializer(object()),
    lambda: tf.constant_initializer([1, 2], verify_shape=True)([1, 2]),
    lambda: tf.constant_initializer([1, 2])([3], verify_shape=True),
    lambda: tf.random_normal_initializer(dtype=tf.int32),
    lambda: tf.truncated_normal_initializer(dtype=tf.string),
    lambda: tf.uniform_unit_scaling_initializer(dtype=tf.int32),
    lambda: tf.zeros_initializer()([None, 3]),
  ]
  return [_error(t) for t in tries]


def program_initializing(tf):
  v = tf.Variable(1.0, name="v")
  r = tf.Variable([2.0], name="r", use_resource=True)
  local = tf.Variable([1.0], collections=[tf.GraphKeys.LOCAL_VARIABLES], name="l")
  made = [
    tf.global_variables_initializer(),
    tf.local_variables_initializer(),
    tf.variables_initializer([v, r], name="both"),
    tf.variables_initializer([]),
    tf.initialize_all_variables(),
    tf.initialize_local_variables(),
    tf.initialize_variables([r], name="old"),
    tf.initializers.variables([local], name="new"),
    tf.initializers.global_variables(),
    tf.initializers.local_variables(),
  ]
  with tf.Session() as session:
    session.run(made)
    return [m.name for m in made] + session.run([v, r, local])


def program_on_several_devices(tf):
  for task in (1, 0, 1):
    with tf.device("/job:ps/task:%d" % task):
      tf.Variable(1.0, name="v")
  return [tf.global_variables_initializer().name, tf.group(*[v.initializer for v in tf.global_variables()], name="all").name]


def program_telling(tf):
  v = tf.Variable(1.0, name="v")
  r = tf.Variable([2.0], name="r", use_resource=True)
  local = tf.Variable([1.0], collections=[tf.GraphKeys.LOCAL_VARIABLES], name="l")
  asked = [
    tf.is_variable_initialized(v),
    tf.is_variable_initialized(r),
    tf.report_uninitialized_variables(),
    tf.report_uninitialized_variables([v, local], name="two"),
    tf.report_uninitialized_variables(var_list=[]),
  ]
  with tf.device("/cpu:0"):
    asked.append(tf.report_uninitialized_variables([r]))
  found = []
  with tf.Session() as session:
    found.append(session.run(asked))
    session.run(v.initializer)
    found.append(session.run(asked))
    session.run([r.initializer, local.initializer])
    found.append(session.run(asked))
  return found


def program_asserting(tf):
  v = tf.Variable(1.0, name="v")
  r = tf.Variable([2.0], name="r", use_resource=True)
  made = [tf.assert_variables_initialized(), tf.assert_variables_initialized([v]), tf.assert_variables_initialized([])]
  made = [getattr(m, "op", m).name for m in made]
  graph = tf.get_default_graph()
  with tf.Session() as session:
    found = [type(_error(lambda m=m: session.run(graph.get_operation_by_name(m)))).__name__ for m in made[:2]]
    session.run(tf.global_variables_initializer())
    return made + found + [session.run(graph.get_operation_by_name(m)) for m in made] + session.run([r])


def program_nothing_to_initialize(tf):
  found = [tf.assert_variables_initialized()]
  with tf.Session() as session:
    return found + [session.run(tf.report_uninitialized_variables()), session.run(tf.global_variables_initializer())]
