"""tf.distributions: every method of every kind, of one distribution and of batches."""

import numpy as np

METHODS = [
  "entropy",
  "mean",
  "mode",
  "stddev",
  "variance",
  "covariance",
  "batch_shape_tensor",
  "event_shape_tensor",
  "is_scalar_batch",
  "is_scalar_event",
]
OF_VALUES = ["prob", "log_prob", "cdf", "log_cdf", "survival_function", "log_survival_function"]
PROPERTIES = ["dtype", "name", "batch_shape", "event_shape", "validate_args", "allow_nan_stats", "reparameterization_type"]


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _all(tf, made, values, quantiles=None):
  """What all methods say: values, or errors."""
  found = [str(getattr(made, name)) for name in PROPERTIES] + [str(made), repr(made), sorted(made.parameters)]
  results = {}
  for name in METHODS:
    results[name] = _error(lambda: getattr(made, name)())
  for name in OF_VALUES:
    results[name] = _error(lambda: getattr(made, name)(values))
  if quantiles is not None:
    results["quantile"] = _error(lambda: made.quantile(quantiles))
  tensors = {name: value for name, value in results.items() if not isinstance(value, Exception)}
  shapes = {name: str(value.shape) for name, value in tensors.items()}
  errors = {name: value for name, value in results.items() if isinstance(value, Exception)}
  with tf.Session() as session:
    return [found, shapes, session.run(tensors), errors]


def _shapes(made_class, shape):
  return [
    _error(lambda: {name: str(value) for name, value in made_class.param_static_shapes(shape).items()}),
    _error(lambda: sorted(made_class.param_shapes(shape))),
  ]


def program_normal(tf):
  one = tf.distributions.Normal(1.0, 2.0)
  many = tf.distributions.Normal(loc=[0.0, 1.0], scale=[[1.0], [0.5]], validate_args=True, allow_nan_stats=False, name="many")
  wide = tf.distributions.Normal(np.float64(0.0), np.float64([1.0, 2.0]))
  values = np.float32([-30.0, -3.0, -0.5, 0.0, 1.0, 7.0])
  with tf.Session() as session:
    found = session.run([many.loc, many.scale])
  return [
    _all(tf, one, values, np.float32([0.01, 0.5, 0.9])),
    _all(tf, many, np.float32([1.0, -1.0]), np.float32([0.3, 0.6])),
    _all(tf, wide, np.float64([[1.0], [-25.0]])),
    _shapes(tf.distributions.Normal, [2, 3]),
    found,
  ]


program_normal.rtol = 2e-5
program_normal.atol = 1e-6


def program_uniform(tf):
  one = tf.distributions.Uniform()
  many = tf.distributions.Uniform([0.0, -1.0], high=[[2.0], [3.0]], validate_args=True, allow_nan_stats=False, name="many")
  with tf.Session() as session:
    found = session.run([many.low, many.high, many.range(), many.range(name="r")])
  return [
    _all(tf, one, np.float32([-0.5, 0.0, 0.5, 1.0, 1.5]), 0.5),
    _all(tf, many, np.float32([1.0, -0.5])),
    _all(tf, tf.distributions.Uniform(low=1.0, high=[3.0, 4.0]), 3.5),
    _shapes(tf.distributions.Uniform, [2]),
    found,
  ]


program_uniform.rtol = 1e-5


def program_exponential(tf):
  one = tf.distributions.Exponential(2.0)
  many = tf.distributions.Exponential(rate=[0.5, 3.0], validate_args=True, allow_nan_stats=True, name="many")
  with tf.Session() as session:
    found = session.run([many.rate, many.concentration])
  return [
    _all(tf, one, np.float32([0.1, 1.0, 5.0]), 0.5),
    _all(tf, many, np.float32([[1.0, 2.0], [0.5, 0.1]])),
    _error(lambda: tf.distributions.Exponential([1.0], allow_nan_stats=False).mode()),
    _shapes(tf.distributions.Exponential, [2]),
    found,
  ]


program_exponential.rtol = 1e-5


def program_gamma(tf):
  one = tf.distributions.Gamma(3.0, 2.0)
  many = tf.distributions.Gamma(concentration=[0.5, 3.0], rate=[[1.0], [2.0]], validate_args=True, name="many")
  with tf.Session() as session:
    found = session.run([many.rate, many.concentration])
    strict = tf.distributions.Gamma([0.5, 3.0], 1.0, allow_nan_stats=False)
    failed = _error(lambda: session.run(strict.mode()))
  return [
    _all(tf, one, np.float32([0.1, 1.0, 5.0]), 0.5),
    _all(tf, many, np.float32([1.0, 2.0])),
    _shapes(tf.distributions.Gamma, [2]),
    found,
    failed,
  ]


program_gamma.rtol = 1e-5


def program_beta(tf):
  one = tf.distributions.Beta(3.0, 2.0)
  many = tf.distributions.Beta(
    concentration1=[[0.5, 3.0], [0.5, 3.0]],
    concentration0=[[1.0, 1.0], [2.0, 2.0]],
    validate_args=True,
    allow_nan_stats=True,
    name="many",
  )
  with tf.Session() as session:
    found = session.run([many.concentration1, many.concentration0, many.total_concentration])
    strict = tf.distributions.Beta([0.5, 3.0], 1.0, allow_nan_stats=False)
    failed = _error(lambda: session.run(strict.mode()))
  return [
    _all(tf, one, np.float32([0.1, 0.5, 0.9]), 0.5),
    _all(tf, many, np.float32([[0.25, 0.75], [0.5, 0.1]])),
    _shapes(tf.distributions.Beta, [2]),
    found,
    failed,
  ]


program_beta.rtol = 2e-5
program_beta.atol = 1e-6


def program_laplace(tf):
  one = tf.distributions.Laplace(1.0, 2.0)
  many = tf.distributions.Laplace(loc=[0.0, 1.0], scale=[[1.0], [0.5]], validate_args=True, allow_nan_stats=False, name="many")
  with tf.Session() as session:
    found = session.run([many.loc, many.scale])
  return [
    _all(tf, one, np.float32([-30.0, -0.5, 1.0, 7.0]), 0.5),
    _all(tf, many, np.float32([1.0, -1.0])),
    _shapes(tf.distributions.Laplace, [2]),
    found,
  ]


program_laplace.rtol = 1e-5


def program_student_t(tf):
  one = tf.distributions.StudentT(3.0, 1.0, 2.0)
  many = tf.distributions.StudentT(
    df=[[0.5, 1.5, 4.0], [0.5, 1.5, 4.0]], loc=1.0, scale=[[1.0], [-0.5]], validate_args=True, name="many"
  )
  with tf.Session() as session:
    found = session.run([many.df, many.loc, many.scale])
    strict = tf.distributions.StudentT([0.5, 3.0], 1.0, 1.0, allow_nan_stats=False)
    failed = [_error(lambda: session.run(strict.mean())), _error(lambda: session.run(strict.variance()))]
  return [
    _all(tf, one, np.float32([-3.0, -0.5, 1.0, 7.0]), 0.5),
    _all(tf, many, np.float32([[1.0, -1.0, 2.0], [0.0, 1.5, -2.0]])),
    _shapes(tf.distributions.StudentT, [2]),
    found,
    failed,
  ]


program_student_t.rtol = 2e-5
program_student_t.atol = 1e-6


def program_bernoulli(tf):
  one = tf.distributions.Bernoulli(0.5)
  many = tf.distributions.Bernoulli(
    probs=[[0.2, 0.6], [0.9, 0.5]], dtype=tf.int32, validate_args=True, allow_nan_stats=False, name="many"
  )
  with tf.Session() as session:
    found = session.run([many.logits, many.probs, one.logits, one.probs])
  return [
    _all(tf, one, np.int32([0, 1]), 0.5),
    _all(tf, many, np.int32([0, 1])),
    _all(tf, tf.distributions.Bernoulli(logits=[0.5, -1.0], dtype=tf.float32, allow_nan_stats=False), np.float32([[0.0], [1.0]])),
    _shapes(tf.distributions.Bernoulli, [2]),
    found,
  ]


program_bernoulli.rtol = 1e-5


def program_categorical(tf):
  one = tf.distributions.Categorical([0.5, 1.0, -1.0])
  many = tf.distributions.Categorical(
    probs=[[0.2, 0.3, 0.5], [0.7, 0.1, 0.2]], dtype=tf.int32, validate_args=True, allow_nan_stats=False, name="many"
  )
  with tf.Session() as session:
    found = session.run([many.logits, many.probs, many.event_size, one.logits, one.probs, one.event_size])
  return [
    _all(tf, one, np.int32([0, 1, 2]), 0.5),
    _all(tf, many, np.int32([1, 2])),
    _all(tf, many, np.int32([[1], [2], [0]])),
    _all(tf, tf.distributions.Categorical(logits=[0.5, 1.0], dtype=tf.int64), np.int64([0, 1])),
    _shapes(tf.distributions.Categorical, [2]),
    found,
  ]


program_categorical.rtol = 1e-5


def program_multinomial(tf):
  one = tf.distributions.Multinomial(4.0, [0.5, 1.0, -1.0])
  many = tf.distributions.Multinomial(
    total_count=[5.0, 3.0], probs=[0.2, 0.3, 0.5], validate_args=True, allow_nan_stats=False, name="many"
  )
  with tf.Session() as session:
    found = session.run([many.total_count, many.logits, many.probs, one.logits, one.probs])
  return [
    _all(tf, one, np.float32([[2, 1, 1], [0, 4, 0]]), 0.5),
    _all(tf, many, np.float32([[2, 1, 2], [0, 3, 0]])),
    _shapes(tf.distributions.Multinomial, [2]),
    found,
  ]


program_multinomial.rtol = 1e-5


def program_dirichlet(tf):
  one = tf.distributions.Dirichlet([1.5, 2.0, 3.0])
  many = tf.distributions.Dirichlet(concentration=[[1.5, 3.0], [2.0, 2.0]], validate_args=True, name="many")
  with tf.Session() as session:
    found = session.run([many.concentration, many.total_concentration])
    strict = tf.distributions.Dirichlet([0.5, 3.0], allow_nan_stats=False)
    failed = _error(lambda: session.run(strict.mode()))
  return [
    _all(tf, one, np.float32([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]), 0.5),
    _all(tf, many, np.float32([0.25, 0.75])),
    _all(tf, tf.distributions.Dirichlet([0.5, 3.0]), np.float32([0.25, 0.75])),
    _shapes(tf.distributions.Dirichlet, [2]),
    found,
    failed,
  ]


program_dirichlet.rtol = 2e-5
program_dirichlet.atol = 1e-6


def program_dirichlet_multinomial(tf):
  one = tf.distributions.DirichletMultinomial(4.0, [1.5, 2.0, 3.0])
  many = tf.distributions.DirichletMultinomial(
    total_count=3.0, concentration=[[0.5, 3.0], [2.0, 2.0]], validate_args=True, allow_nan_stats=False, name="many"
  )
  with tf.Session() as session:
    found = session.run([many.total_count, many.concentration, many.total_concentration])
  return [
    _all(tf, one, np.float32([[2, 1, 1], [0, 4, 0]]), 0.5),
    _all(tf, many, np.float32([[2, 1], [0, 3]])),
    _shapes(tf.distributions.DirichletMultinomial, [2]),
    found,
  ]


program_dirichlet_multinomial.rtol = 2e-5


def program_unknown_shapes(tf):
  open_shape = tf.placeholder_with_default(np.float32([[1.0, 2.0, 3.0]]), None)
  probs = tf.placeholder_with_default(np.float32([[0.2, 0.3, 0.5]]), [None, None])
  made = [
    tf.distributions.Normal(open_shape, 1.0),
    tf.distributions.Gamma(open_shape, open_shape),
    tf.distributions.Categorical(probs=probs),
    tf.distributions.Dirichlet(open_shape),
    tf.distributions.Bernoulli(probs=probs),
  ]
  found = []
  with tf.Session() as session:
    for each in made:
      found.append([str(each.batch_shape), str(each.event_shape)])
      asked = [each.batch_shape_tensor(), each.event_shape_tensor(), each.is_scalar_batch(), each.is_scalar_event()]
      found.append(session.run(asked + [each.mean() if not isinstance(each, tf.distributions.Categorical) else each.entropy()]))
      found.append(session.run(tf.shape(each.sample([2, 3], seed=1))))
  return found


program_unknown_shapes.rtol = 1e-5
