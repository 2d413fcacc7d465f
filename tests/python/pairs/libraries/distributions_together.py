"""tf.distributions: samples, divergences, checks, copies, distributions of one's own."""

import numpy as np
from distributions_kinds import _error


def program_samples(tf):
  """Numbers that ops draw with the same seeds are the same."""
  tf.set_random_seed(3)
  made = [
    tf.distributions.Normal(1.0, [2.0, 0.5]),
    tf.distributions.Uniform(1.0, [2.0, 3.0]),
    tf.distributions.Exponential([0.5, 2.0]),
    tf.distributions.Laplace([0.0, 1.0], 2.0),
    tf.distributions.Bernoulli(probs=[0.3, 0.7]),
    tf.distributions.Categorical(probs=[[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]),
    tf.distributions.Categorical(logits=[0.2, 0.3, 0.5], dtype=tf.int64),
    tf.distributions.Gamma([0.5, 3.0], 2.0),
    tf.distributions.Beta([0.5, 3.0], 2.0),
    tf.distributions.StudentT([2.0, 3.0], 1.0, 2.0),
    tf.distributions.Dirichlet([[0.5, 3.0, 1.0]]),
    tf.distributions.Multinomial(4.0, [0.5, 1.0, -1.0]),
    tf.distributions.DirichletMultinomial(5.0, [[0.5, 3.0], [2.0, 2.0]]),
  ]
  drawn = []
  for each in made:
    drawn += [each.sample(seed=4), each.sample(3, seed=5), each.sample(sample_shape=[2, 2], seed=6, name="mine")]
  with tf.Session() as session:
    return session.run(drawn), [str(each.shape) for each in drawn], [each.name.split("/")[0] for each in drawn]


program_samples.rtol = 1e-5


def program_shapes_of_samples(tf):
  made = [
    tf.distributions.Multinomial(4.0, [0.5, 1.0, -1.0]),
    tf.distributions.Multinomial([4.0, 6.0], probs=[0.2, 0.3, 0.5]),
    tf.distributions.DirichletMultinomial(5.0, [[0.5, 3.0], [2.0, 2.0]]),
  ]
  found = []
  with tf.Session() as session:
    for each in made:
      drawn = [each.sample(seed=1), each.sample(3, seed=1), each.sample([2, 1], seed=1)]
      values = session.run(drawn)
      found += [[str(one.shape), value.shape, value.dtype.name, value.sum(-1)] for one, value in zip(drawn, values)]
  return found


def program_moments_of_samples(tf):
  """Means of many samples are near those of the distribution, on both sides."""
  made = [
    tf.distributions.Multinomial(4.0, [0.5, 1.0, -1.0]),
    tf.distributions.DirichletMultinomial(5.0, [0.5, 3.0]),
    tf.distributions.Gamma(3.0, 2.0),
    tf.distributions.Beta(2.0, 3.0),
    tf.distributions.StudentT(9.0, 1.0, 2.0),
    tf.distributions.Dirichlet([0.5, 3.0, 1.0]),
  ]
  found = []
  with tf.Session() as session:
    for each in made:
      drawn, mean, stddev = session.run([each.sample(4000, seed=1), each.mean(), each.stddev()])
      found.append([(np.abs(drawn.mean(0) - mean) < 0.1 * stddev).all(), (np.abs(drawn.std(0) / stddev - 1) < 0.15).all()])
  return found


def program_divergences(tf):
  pairs = [
    (tf.distributions.Normal(0.0, [1.0, 2.0]), tf.distributions.Normal([[1.0], [2.0]], 0.5)),
    (tf.distributions.Bernoulli(probs=[0.3, 0.7]), tf.distributions.Bernoulli(logits=0.5)),
    (tf.distributions.Categorical(probs=[[0.2, 0.8]]), tf.distributions.Categorical(logits=[[0.5, 0.1]])),
    (tf.distributions.Beta(2.0, [1.0, 0.5]), tf.distributions.Beta(1.0, 3.0)),
    (tf.distributions.Gamma(2.0, [1.0, 0.5]), tf.distributions.Gamma(1.0, 3.0)),
    (tf.distributions.Dirichlet([2.0, 1.0, 0.5]), tf.distributions.Dirichlet([1.0, 1.0, 3.0])),
    (tf.distributions.Exponential(2.0), tf.distributions.Exponential(3.0)),
    (tf.distributions.Exponential(2.0), tf.distributions.Gamma(2.0, 3.0)),
  ]
  made = []
  for one, other in pairs:
    made += [tf.distributions.kl_divergence(one, other), one.kl_divergence(other), one.cross_entropy(other)]
    made.append(tf.distributions.kl_divergence(one, other, allow_nan_stats=False, name="checked"))
  errors = [
    _error(lambda: tf.distributions.kl_divergence(tf.distributions.Normal(0.0, 1.0), tf.distributions.Beta(1.0, 1.0))),
    _error(lambda: tf.distributions.Laplace(0.0, 1.0).kl_divergence(tf.distributions.Laplace(0.0, 1.0))),
    _error(lambda: tf.distributions.RegisterKL(tf.distributions.Normal, tf.distributions.Normal)(lambda a, b, name: 0)),
    _error(lambda: tf.distributions.RegisterKL(tf.distributions.Normal, tf.distributions.Beta)("no function")),
  ]
  nan = tf.distributions.kl_divergence(
    tf.distributions.Normal(np.float32(np.nan), 1.0), tf.distributions.Normal(0.0, 1.0), allow_nan_stats=False
  )
  with tf.Session() as session:
    return session.run(made), errors, _error(lambda: session.run(nan))


program_divergences.rtol = 1e-4
program_divergences.atol = 1e-5


def program_own_distribution(tf):
  class Half(tf.distributions.Distribution):
    """The absolute value of a normal number, said as far as log_prob needs it."""

    def __init__(self, scale, name="Half"):
      with tf.name_scope(name, values=[scale]) as name:
        self._scale = tf.convert_to_tensor(scale)
      super().__init__(
        dtype=self._scale.dtype,
        reparameterization_type=tf.distributions.NOT_REPARAMETERIZED,
        validate_args=False,
        allow_nan_stats=True,
        parameters={"scale": scale},
        graph_parents=[self._scale],
        name=name,
      )

    def _batch_shape(self):
      return self._scale.get_shape()

    def _event_shape(self):
      return tf.TensorShape([])

    def _log_prob(self, x):
      return -0.5 * tf.square(x / self._scale) - tf.log(self._scale) + 0.5 * np.log(2 / np.pi)

    def _variance(self):
      return tf.square(self._scale) * (1 - 2 / np.pi)

    def _cdf(self, x):
      return tf.erf(x / self._scale / np.sqrt(2))

  @tf.distributions.RegisterKL(Half, Half)
  def divergence(a, b, name=None):
    ratio = a._scale / b._scale
    return 0.5 * (ratio**2 - 1) - tf.log(ratio)

  made = Half([1.0, 2.0])
  second = made.copy(scale=[2.0, 2.0])
  tensors = [
    made.prob([0.5, 1.0]),
    made.log_prob([0.5, 1.0]),
    made.stddev(),
    made.variance(),
    made.survival_function([0.5, 1.0]),
    made.log_survival_function([0.5, 1.0]),
    made.log_cdf([0.5, 1.0]),
    made.kl_divergence(second),
    tf.distributions.kl_divergence(made, second),
    made.batch_shape_tensor(),
  ]
  errors = [
    _error(lambda: made.sample()),
    _error(lambda: made.mean()),
    _error(lambda: made.entropy()),
    _error(lambda: made.quantile(0.5)),
    _error(lambda: made.covariance()),
    _error(lambda: Half.param_shapes([1])),
    _error(lambda: tf.distributions.Distribution(tf.float32, tf.distributions.NOT_REPARAMETERIZED, False, True, None, [3.0])),
  ]
  with tf.Session() as session:
    return session.run(tensors), errors, made.name, second.name, made.parameters, [t.name for t in tensors[:3]]


program_own_distribution.rtol = 1e-5


def program_copies(tf):
  one = tf.distributions.Normal(0.0, 1.0, validate_args=True, name="first")
  other = one.copy(loc=2.0)
  third = tf.distributions.Gamma(1.0, 2.0).copy(rate=3.0, name="g")
  with tf.Session() as session:
    return [
      one.name,
      other.name,
      third.name,
      other.validate_args,
      session.run([other.mean(), third.mean()]),
      tf.distributions.FULLY_REPARAMETERIZED == one.reparameterization_type,
      tf.distributions.NOT_REPARAMETERIZED == one.reparameterization_type,
      repr(tf.distributions.NOT_REPARAMETERIZED),
      repr(tf.distributions.ReparameterizationType("mine")),
      tf.distributions.ReparameterizationType("a") == tf.distributions.ReparameterizationType("a"),
    ]


def program_checks(tf):
  """Parameters and values that are wrong, with validate_args: at once where they are constants, else when ops run."""
  minus = tf.placeholder_with_default(np.float32(-1.0), [])
  big = tf.placeholder_with_default(np.float32([0.9, 0.4]), [2])
  cases = [
    lambda: tf.distributions.Normal(0.0, minus, validate_args=True).mean(),
    lambda: tf.distributions.Uniform(0.0, minus, validate_args=True).mean(),
    lambda: tf.distributions.Exponential(minus, validate_args=True).mean(),
    lambda: tf.distributions.Gamma(1.0, minus, validate_args=True).mean(),
    lambda: tf.distributions.Gamma(1.0, 1.0, validate_args=True).log_prob(minus),
    lambda: tf.distributions.Beta(1.0, minus, validate_args=True).mean(),
    lambda: tf.distributions.Beta(1.0, 1.0, validate_args=True).log_prob(minus),
    lambda: tf.distributions.Beta(1.0, 1.0, validate_args=True).log_prob(-3.0 * minus),
    lambda: tf.distributions.Laplace(0.0, minus, validate_args=True).mean(),
    lambda: tf.distributions.StudentT(minus, 0.0, 1.0, validate_args=True).mean(),
    lambda: tf.distributions.Bernoulli(probs=minus, validate_args=True).mean(),
    lambda: tf.distributions.Bernoulli(probs=-2.0 * minus, validate_args=True).mean(),
    lambda: tf.distributions.Categorical(probs=big, validate_args=True).entropy(),
    lambda: tf.distributions.Multinomial(minus, probs=[0.5, 0.5], validate_args=True).mean(),
    lambda: tf.distributions.Multinomial(0.5 * minus, probs=[0.5, 0.5], validate_args=True).mean(),
    lambda: tf.distributions.Multinomial(2.0, probs=[0.5, 0.5], validate_args=True).log_prob(big),
    lambda: tf.distributions.Multinomial(2.0, probs=[0.5, 0.5], validate_args=True).log_prob(tf.round(big)),
    lambda: tf.distributions.Dirichlet(big - 0.5, validate_args=True).mean(),
    lambda: tf.distributions.Dirichlet([1.0], validate_args=True).mean(),
    lambda: tf.distributions.Dirichlet([1.0, 1.0], validate_args=True).log_prob(big),
    lambda: tf.distributions.DirichletMultinomial(minus, [1.0, 2.0], validate_args=True).mean(),
    lambda: tf.distributions.DirichletMultinomial(2.0, [1.0, 2.0], validate_args=True).log_prob(tf.round(big)),
    lambda: tf.distributions.Categorical(probs=[0.5, 0.5], validate_args=True).prob(tf.cast(minus, tf.int32)),
    lambda: tf.distributions.Categorical(probs=[0.5, 0.5], validate_args=True).prob(0.5),
    lambda: tf.distributions.Bernoulli(probs=[0.5, 0.5], validate_args=True).prob(-1),
    lambda: tf.distributions.Bernoulli(probs=[0.5, 0.5], validate_args=True).prob(0.5),
    lambda: tf.distributions.Bernoulli(probs=[0.5, 0.5], validate_args=True).prob(4),
    lambda: tf.distributions.Normal(0.0, -1.0, validate_args=True),
  ]
  built = [
    lambda: tf.distributions.Bernoulli(),
    lambda: tf.distributions.Bernoulli(1.0, 0.5),
    lambda: tf.distributions.Categorical(logits=[1, 2]),
    lambda: tf.distributions.Categorical(probs=[1, 2]),
    lambda: tf.distributions.Normal(tf.constant(0.0, tf.float64), 1.0),
    lambda: tf.distributions.Normal.param_static_shapes(tf.TensorShape([None])),
    lambda: tf.distributions.Beta(1.0),
  ]
  with tf.Session() as session:
    return [type(_error(lambda: session.run(case()))).__name__ for case in cases] + [_error(case) for case in built]


def program_gradients(tf):
  x = tf.Variable([0.5, 1.5])
  parts = [
    tf.distributions.Normal(x, tf.exp(x)).log_prob(0.3),
    tf.distributions.Normal(x, 1.0).log_cdf([-40.0, 20.0]),
    tf.distributions.Gamma(x, 2.0).entropy(),
    tf.distributions.Beta(x, 2.0).log_prob(0.3),
    tf.distributions.Laplace(0.0, x).log_cdf(-0.5),
    tf.distributions.StudentT(x, 0.0, 1.0).log_prob(0.3),
    tf.distributions.Bernoulli(logits=x).log_prob([0, 1]),
    tf.distributions.Categorical(logits=x).log_prob(1),
    tf.distributions.kl_divergence(tf.distributions.Normal(x, x), tf.distributions.Normal(0.0, 1.0)),
    tf.distributions.Dirichlet(x).entropy(),
    tf.distributions.Normal(x, x).sample(seed=1),
    tf.distributions.Gamma(x, x).sample(seed=1),
    tf.distributions.Beta(x, 2.0).sample(seed=1),
  ]
  gradients = [tf.gradients(part, x)[0] for part in parts]
  none = [tf.gradients(tf.cast(tf.distributions.Bernoulli(logits=x).sample(seed=1), tf.float32), x)[0]]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(gradients), none


program_gradients.rtol = 2e-4
program_gradients.atol = 1e-5
