"""Distributions of tf.contrib.distributions by their formulas."""

import math

import numpy as np
import pytest
from distributions_parts import ds, error, run, seeds  # noqa: F401

import millrace as tf

lgamma = np.vectorize(math.lgamma)


SINGLE = {
  "Logistic": lambda: (ds.Logistic(0.5, 2.0), (-60.0, 60.0)),
  "Gumbel": lambda: (ds.Gumbel(loc=0.5, scale=2.0), (-12.0, 60.0)),
  "HalfNormal": lambda: (ds.HalfNormal(scale=2.0), (0.0, 20.0)),
  "InverseGamma": lambda: (ds.InverseGamma(concentration=6.0, rate=2.0), (1e-3, 30.0)),
  "Chi2": lambda: (ds.Chi2(df=4.0), (0.0, 60.0)),
  "Chi2WithAbsDf": lambda: (ds.Chi2WithAbsDf(df=-4.3), (0.0, 60.0)),
  "NormalWithSoftplusScale": lambda: (ds.NormalWithSoftplusScale(1.0, 0.5), (-15.0, 15.0)),
  "LaplaceWithSoftplusScale": lambda: (ds.LaplaceWithSoftplusScale(1.0, 0.5), (-30.0, 30.0)),
  "ExponentialWithSoftplusRate": lambda: (ds.ExponentialWithSoftplusRate(0.5), (0.0, 40.0)),
  "GammaWithSoftplusConcentrationRate": lambda: (ds.GammaWithSoftplusConcentrationRate(3.0, 0.5), (0.0, 40.0)),
  "BetaWithSoftplusConcentration": lambda: (ds.BetaWithSoftplusConcentration(3.0, 2.0), (0.0, 1.0)),
  "StudentTWithAbsDfSoftplusScale": lambda: (ds.StudentTWithAbsDfSoftplusScale(-9.7, 1.0, 0.5), (-60.0, 60.0)),
}


@pytest.mark.parametrize("name", SINGLE)
def test_numbers(name):
  made, (low, high) = SINGLE[name]()
  grid = np.linspace(low, high, 20001).astype(np.float32)[1:-1]
  step = float(grid[1] - grid[0])
  asked = [
    made.prob(grid),
    made.log_prob(grid),
    made.cdf(grid),
    made.mean(),
    made.variance(),
    made.stddev(),
    made.sample(20000, seed=3),
  ]
  density, log_density, below, mean, variance, stddev, drawn = run(*asked)
  assert density.sum() * step == pytest.approx(1.0, abs=5e-3)
  np.testing.assert_allclose(np.exp(log_density), density, rtol=1e-3, atol=1e-6)
  np.testing.assert_allclose(below, np.cumsum(density) * step, atol=6e-3)
  assert (density * grid).sum() * step == pytest.approx(mean, abs=2e-2)
  assert (density * (grid - mean) ** 2).sum() * step == pytest.approx(variance, rel=3e-2)
  assert stddev == pytest.approx(math.sqrt(variance), rel=1e-4)
  assert drawn.mean() == pytest.approx(mean, abs=float(5 * stddev / math.sqrt(20000) + 1e-3))
  assert drawn.std() == pytest.approx(stddev, rel=0.1)
  if name not in ("Chi2", "Chi2WithAbsDf"):
    entropy = -(density * np.where(density > 0, log_density, 0)).sum() * step
    assert run(made.entropy()) == pytest.approx(entropy, abs=2e-2)
  mode = run(made.mode())
  if name == "ExponentialWithSoftplusRate":  # whose concentration is 1, for which it is not defined
    assert np.isnan(mode)
    return
  assert run(made.prob(mode + 1e-4)) >= density.max() - 1e-3


def test_cauchy_and_quantiles():
  cauchy = ds.Cauchy(1.0, 2.0)
  x = np.float32([-3.0, 1.0, 4.0])
  density, below, log_below, entropy, drawn = run(
    cauchy.prob(x), cauchy.cdf(x), cauchy.log_cdf(x), cauchy.entropy(), cauchy.sample(20001, seed=1)
  )
  np.testing.assert_allclose(density, 1 / (np.pi * 2 * (1 + ((x - 1) / 2) ** 2)), rtol=1e-5)
  np.testing.assert_allclose(below, np.arctan((x - 1) / 2) / np.pi + 0.5, rtol=1e-5)
  np.testing.assert_allclose(np.exp(log_below), below, rtol=1e-4)
  assert entropy == pytest.approx(math.log(8 * math.pi), rel=1e-5)
  assert np.median(drawn) == pytest.approx(1.0, abs=0.1)
  assert np.isnan(run(cauchy.mean())) and np.isnan(run(cauchy.stddev())) and run(cauchy.mode()) == 1.0
  assert "undefined for Cauchy" in error(lambda: ds.Cauchy(1.0, 2.0, allow_nan_stats=False).mean())
  p = np.float32([0.1, 0.5, 0.9])
  for made in (cauchy, ds.Logistic(1.0, 2.0), ds.Gumbel(1.0, 2.0), ds.HalfNormal(2.0)):
    np.testing.assert_allclose(run(made.cdf(made.quantile(p))), p, rtol=1e-3)
  one, other = ds.Logistic(1.0, 2.0), np.float32([-50.0, 60.0])
  np.testing.assert_allclose(run(one.log_cdf(other)), [-25.5, 0.0], atol=1e-4)
  np.testing.assert_allclose(run(one.survival_function(2.0), one.log_survival_function(2.0)), [0.377541, -0.974077], rtol=1e-4)


def test_counts():
  counts = np.arange(60, dtype=np.float32)
  made = [
    ds.Poisson(rate=3.0),
    ds.Poisson(log_rate=0.5, interpolate_nondiscrete=False),
    ds.Geometric(probs=0.3),
    ds.Geometric(logits=0.2),
    ds.NegativeBinomial(total_count=3.0, probs=0.4),
    ds.NegativeBinomial(2.0, logits=-0.3),
    ds.Binomial(total_count=10.0, probs=0.3),
    ds.Binomial(7.0, logits=0.4),
  ]
  for each in made:
    values = counts[:11] if isinstance(each, ds.Binomial) and run(each.total_count) == 10 else counts
    values = counts[:8] if isinstance(each, ds.Binomial) and run(each.total_count) == 7 else values
    probs, below, mean, variance, mode, drawn = run(
      each.prob(values), each.cdf(values), each.mean(), each.variance(), each.mode(), each.sample(20000, seed=2)
    )
    assert probs.sum() == pytest.approx(1.0, abs=1e-3)
    np.testing.assert_allclose(below, np.cumsum(probs), atol=1e-3)
    assert (probs * values).sum() == pytest.approx(mean, rel=1e-2)
    assert (probs * (values - mean) ** 2).sum() == pytest.approx(variance, rel=2e-2)
    assert probs.max() == pytest.approx(probs[int(mode)], rel=1e-3)
    assert drawn.mean() == pytest.approx(mean, rel=5e-2)
    assert (drawn == np.round(drawn)).all()
  poisson = ds.Poisson(rate=3.0)
  np.testing.assert_allclose(run(poisson.log_prob(counts)), counts * np.log(3) - 3 - lgamma(counts + 1), rtol=1e-4, atol=1e-4)
  assert run(ds.Poisson(rate=3.0, interpolate_nondiscrete=False).prob(1.5)) == 0.0
  assert run(made[2].entropy()) == pytest.approx(-(0.3 * math.log(0.3) + 0.7 * math.log(0.7)) / 0.3, rel=1e-4)
  assert run(ds.kl_divergence(poisson, ds.Poisson(rate=2.0))) == pytest.approx(3 * math.log(1.5) - 1, rel=1e-4)
  assert "exactly one" in error(lambda: ds.Poisson())
  with pytest.raises(tf.errors.InvalidArgumentError):
    run(ds.Poisson(rate=3.0, interpolate_nondiscrete=False, validate_args=True).prob(tf.placeholder_with_default(1.5, [])))
  with pytest.raises(tf.errors.InvalidArgumentError):
    run(ds.Binomial(3.0, probs=0.5, validate_args=True).prob(tf.placeholder_with_default(4.0, [])))


def test_deterministic():
  one, many = ds.Deterministic([1.0, 2.0]), ds.VectorDeterministic([[1.0, 2.0]], atol=0.1, rtol=0.1)
  assert run(one.prob([1.0, 2.1])).tolist() == [1.0, 0.0]
  assert run(ds.Deterministic(1.0, atol=0.2, rtol=0.1).prob([1.25, 1.35])).tolist() == [1.0, 0.0]
  assert run(one.cdf([0.5, 2.0])).tolist() == [0.0, 1.0]
  assert run(many.prob([[1.1, 2.2], [1.1, 2.5]])).tolist() == [1.0, 0.0]
  assert run(one.sample(2)).tolist() == [[1.0, 2.0]] * 2 and run(many.sample(2)).shape == (2, 1, 2)
  assert str(many.event_shape) == "(2,)" and str(many.batch_shape) == "(1,)"
  assert run(one.mean(), one.mode(), one.variance(), one.entropy())[2].tolist() == [0.0, 0.0]


def test_one_hot():
  probs = np.float32([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
  made = ds.OneHotCategorical(probs=probs, dtype=tf.float32)
  drawn, entropy, mean, variance, covariance, mode, log = run(
    made.sample(4000, seed=1),
    made.entropy(),
    made.mean(),
    made.variance(),
    made.covariance(),
    made.mode(),
    made.log_prob([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
  )
  assert (drawn.sum(-1) == 1).all() and set(drawn.reshape(-1)) == {0.0, 1.0}
  np.testing.assert_allclose(drawn.mean(0), probs, atol=0.03)
  np.testing.assert_allclose(entropy, -(probs * np.log(probs)).sum(1), rtol=1e-5)
  np.testing.assert_allclose(mean, probs)
  np.testing.assert_allclose(variance, probs * (1 - probs), rtol=1e-5)
  np.testing.assert_allclose(covariance[0], np.diag(probs[0]) - np.outer(probs[0], probs[0]), atol=1e-6)
  assert mode.tolist() == [[0, 0, 1], [1, 0, 0]]
  np.testing.assert_allclose(log, np.log([0.3, 0.6]), rtol=1e-5)
  other = ds.OneHotCategorical(logits=[[0.1, 0.2, 0.3]] * 2)
  q = np.exp([0.1, 0.2, 0.3]) / np.exp([0.1, 0.2, 0.3]).sum()
  np.testing.assert_allclose(run(ds.kl_divergence(made, other)), (probs * np.log(probs / q)).sum(1), rtol=1e-4)
  assert run(other.event_size) == 3 and run(other.sample(seed=2)).dtype == np.int32


def test_relaxed():
  bernoulli = ds.RelaxedBernoulli(0.5, probs=0.3)
  grid = np.linspace(0, 1, 200001).astype(np.float32)[1:-1]
  density, below = run(bernoulli.prob(grid), bernoulli.cdf(grid))
  assert density.sum() / 200000 == pytest.approx(1.0, abs=2e-2)
  np.testing.assert_allclose(below[1000:-1000:1000], (np.cumsum(density) / 200000)[1000:-1000:1000], atol=2e-2)
  drawn = run(bernoulli.sample(20000, seed=1))
  assert np.mean(drawn > 0.5) == pytest.approx(0.3, abs=0.02)
  assert run(ds.RelaxedBernoulli(temperature=1.0, logits=0.4).temperature) == 1.0
  relaxed = ds.RelaxedOneHotCategorical(0.7, probs=[0.2, 0.8])
  # Of two classes the first determines the second: the density's integral over it is 1.
  x = np.stack([grid, 1 - grid], 1)[::10]
  assert run(relaxed.prob(x)).sum() * 10 / 200000 == pytest.approx(1.0, abs=2e-2)
  drawn = run(relaxed.sample(20000, seed=1))
  np.testing.assert_allclose(drawn.sum(-1), 1.0, rtol=1e-4)
  assert np.mean(drawn[:, 1] > drawn[:, 0]) == pytest.approx(0.8, abs=0.02)
  logs = ds.ExpRelaxedOneHotCategorical(temperature=0.7, logits=np.log([0.2, 0.8]).astype(np.float32))
  point = np.float32([0.3, 0.7])
  np.testing.assert_allclose(run(logs.log_prob(np.log(point))), run(relaxed.log_prob(point)) + np.log(point).sum(), rtol=1e-4)
  np.testing.assert_allclose(np.exp(run(logs.sample(5, seed=1))).sum(-1), 1.0, rtol=1e-4)
  x = tf.Variable([0.1, 0.2])
  assert tf.gradients(ds.RelaxedOneHotCategorical(0.7, logits=x).sample(seed=1), x)[0] is not None


def normal_density(x, mean, covariance):
  gap = x - mean
  return np.exp(-0.5 * gap @ np.linalg.inv(covariance) @ gap) / np.sqrt((2 * np.pi) ** len(mean) * np.linalg.det(covariance))


def test_normal_vectors():
  loc, root = np.float32([1.0, -1.0]), np.float32([[2.0, 0.0], [0.5, 1.5]])
  made = {
    "diag": (ds.MultivariateNormalDiag(loc, [2.0, 0.5]), np.diag([4.0, 0.25])),
    "both": (ds.MultivariateNormalDiag(loc=loc, scale_diag=[1.0, 0.5], scale_identity_multiplier=1.0), np.diag([4.0, 2.25])),
    "multiple": (ds.MultivariateNormalDiag(loc, scale_identity_multiplier=2.0), 4 * np.eye(2)),
    "one": (ds.MultivariateNormalDiag(loc), np.eye(2)),
    "softplus": (
      ds.MultivariateNormalDiagWithSoftplusScale(loc, scale_diag=[0.5, -0.5]),
      np.diag(np.log1p(np.exp([0.5, -0.5])) ** 2),
    ),
    "tril": (ds.MultivariateNormalTriL(loc, scale_tril=root), root @ root.T),
    "full": (ds.MultivariateNormalFullCovariance(loc, covariance_matrix=root @ root.T, validate_args=True), root @ root.T),
    "operator": (
      ds.MultivariateNormalLinearOperator(loc, tf.linalg.LinearOperatorFullMatrix(root, is_non_singular=True)),
      root @ root.T,
    ),
  }
  x = np.float32([0.5, 0.3])
  for name, (each, covariance) in made.items():
    density, mean, found, variance, entropy, drawn, mode = run(
      each.prob(x), each.mean(), each.covariance(), each.variance(), each.entropy(), each.sample(20000, seed=1), each.mode()
    )
    assert density == pytest.approx(normal_density(x, loc, covariance), rel=1e-4), name
    np.testing.assert_allclose(mean, loc)
    np.testing.assert_allclose(mode, loc)
    np.testing.assert_allclose(found, covariance, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(variance, np.diag(covariance), rtol=1e-5)
    assert entropy == pytest.approx(0.5 * np.log(np.linalg.det(2 * np.pi * np.e * covariance)), rel=1e-4)
    np.testing.assert_allclose(np.cov(drawn.T), covariance, atol=0.2)
    assert str(each.event_shape) == "(2,)" and str(each.batch_shape) == "()"
  for one in ("diag", "tril"):
    for other in ("both", "full"):
      (a, p), (b, q) = made[one], made[other]
      b = b.copy(loc=loc + 1)
      wanted = 0.5 * (np.trace(np.linalg.inv(q) @ p) + np.ones(2) @ np.linalg.inv(q) @ np.ones(2) - 2)
      wanted += 0.5 * np.log(np.linalg.det(q) / np.linalg.det(p))
      assert run(ds.kl_divergence(a, b)) == pytest.approx(wanted, rel=1e-4)
  batch = ds.MultivariateNormalDiag(np.zeros([3, 2], np.float32), [[1.0, 2.0]] * 3)
  assert run(batch.log_prob(np.zeros([4, 3, 2], np.float32))).shape == (4, 3)
  assert str(batch.sample([5, 4]).shape) == "(5, 4, 3, 2)"
  assert run(ds.MultivariateNormalDiag(scale_diag=[1.0, 2.0]).mean()).tolist() == [0.0, 0.0]
  assert "Missing required" in error(lambda: ds.MultivariateNormalLinearOperator(loc))


def test_mixture():
  components = [ds.Normal(-1.0, 0.5), ds.Normal(2.0, 1.0)]
  cat = ds.Categorical(probs=[0.3, 0.7])
  x = np.float32([-1.0, 0.5, 2.0])
  wanted = sum(w * np.exp(-0.5 * ((x - m) / s) ** 2) / s / math.sqrt(2 * math.pi) for w, m, s in ((0.3, -1, 0.5), (0.7, 2, 1)))
  mean, variance = 0.3 * -1 + 0.7 * 2, 0.3 * (0.25 + 1) + 0.7 * (1 + 4) - 1.1**2
  same = ds.MixtureSameFamily(mixture_distribution=cat, components_distribution=ds.Normal([-1.0, 2.0], [0.5, 1.0]))
  for made in (
    ds.Mixture(cat, components),
    ds.Mixture(cat=cat, components=components, use_static_graph=True, name="static"),
    same,
  ):
    density, log_below, found, spread, drawn = run(
      made.prob(x), made.log_cdf(x), made.mean(), made.variance(), made.sample(20000, seed=1)
    )
    np.testing.assert_allclose(density, wanted, rtol=1e-4)
    assert np.exp(log_below[0]) == pytest.approx(0.3 * 0.5 + 0.7 * 0.0013499, rel=1e-3)
    assert found == pytest.approx(mean, rel=1e-4) and spread == pytest.approx(variance, rel=1e-4)
    assert drawn.mean() == pytest.approx(mean, abs=0.05) and drawn.std() == pytest.approx(math.sqrt(variance), rel=0.03)
  made = ds.Mixture(cat, components)
  assert made.num_components == 2 and made.components == components and made.cat is cat
  entropies = [0.5 + 0.5 * math.log(2 * math.pi) + math.log(s) for s in (0.5, 1.0)]
  assert run(made.entropy_lower_bound()) == pytest.approx(0.3 * entropies[0] + 0.7 * entropies[1], rel=1e-4)
  assert run(made.stddev()) == pytest.approx(math.sqrt(variance), rel=1e-4)
  assert "TypeError: cat must be a Categorical" in error(lambda: ds.Mixture(components[0], components))
  assert "cat.num_classes != len(components)" in error(lambda: ds.Mixture(cat, components[:1]))


def test_mixture_of_vectors():
  cat = ds.Categorical(probs=[[0.3, 0.7]] * 3)
  parts = [ds.MultivariateNormalDiag(np.full([3, 2], m, np.float32), [[1.0, 1.0]] * 3) for m in (-1.0, 2.0)]
  made = ds.Mixture(cat, parts)
  drawn, density, mean = run(made.sample(4000, seed=1), made.prob(np.zeros([3, 2], np.float32)), made.mean())
  assert drawn.shape == (4000, 3, 2) and str(made.sample(5).shape) == "(5, 3, 2)"
  wanted = 0.3 * normal_density(np.zeros(2), np.full(2, -1.0), np.eye(2)) + 0.7 * normal_density(
    np.zeros(2), np.full(2, 2.0), np.eye(2)
  )
  np.testing.assert_allclose(density, [wanted] * 3, rtol=1e-4)
  np.testing.assert_allclose(mean, np.full([3, 2], 1.1), rtol=1e-4)
  np.testing.assert_allclose(drawn.mean(0), mean, atol=0.1)
  stacked = ds.MultivariateNormalDiag(np.float32([[-1, -1], [2, 2]]), [[1.0, 1.0]] * 2)
  same = ds.MixtureSameFamily(ds.Categorical(probs=[0.3, 0.7]), stacked)
  assert run(same.prob(np.zeros(2, np.float32))) == pytest.approx(wanted, rel=1e-4)
  np.testing.assert_allclose(run(same.mean(), same.variance()), [[1.1, 1.1], [2.89, 2.89]], rtol=1e-4)
  assert run(same.sample([2, 3], seed=1)).shape == (2, 3, 2)
  assert "does not equal" in error(lambda: ds.MixtureSameFamily(ds.Categorical(probs=[0.3, 0.3, 0.4]), stacked))


def test_independent():
  made = ds.Independent(ds.Normal(np.zeros([2, 3], np.float32), [1.0, 2.0, 3.0]), 1)
  assert str(made.batch_shape) == "(2,)" and str(made.event_shape) == "(3,)"
  x = np.float32([[1, 2, 3], [0, 0, 0]])
  s = np.float32([1, 2, 3])
  each = -0.5 * (x / s) ** 2 - np.log(s) - 0.5 * math.log(2 * math.pi)
  np.testing.assert_allclose(run(made.log_prob(x)), each.sum(1), rtol=1e-5)
  entropy = (0.5 + 0.5 * math.log(2 * math.pi) + np.log(s)).sum()
  np.testing.assert_allclose(run(made.entropy()), [entropy] * 2, rtol=1e-5)
  other = ds.Independent(ds.Normal(np.ones([2, 3], np.float32), [1.0, 2.0, 3.0]), reinterpreted_batch_ndims=1)
  np.testing.assert_allclose(run(ds.kl_divergence(made, other)), [0.5 * (1 + 0.25 + 1 / 9)] * 2, rtol=1e-4)
  assert run(made.sample(5, seed=1)).shape == (5, 2, 3)
  assert run(made.mean(), made.mode(), made.stddev(), made.variance())[2][0].tolist() == [1.0, 2.0, 3.0]
  assert run(made.batch_shape_tensor(), made.event_shape_tensor())[1].tolist() == [3]
  assert str(ds.Independent(made.distribution).event_shape) == "(3,)"
