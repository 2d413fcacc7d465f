"""Numbers: what 1.15 has and TensorFlow 2.21 does not, or makes of other ops; values by formulas."""

import package


def test_bessel_functions_of_order_0_and_1():
  package.said(
    """
import numpy as np
import millrace as tf
x = np.array([-2.0, 0.0, 0.5, 3.0])
angles = (np.arange(20000) + 0.5) * np.pi / 20000
i0 = np.mean(np.exp(x[:, None] * np.cos(angles)), axis=1)
i1 = np.mean(np.exp(x[:, None] * np.cos(angles)) * np.cos(angles), axis=1)
with tf.Session() as session:
  found = session.run([tf.math.bessel_i0(x), tf.math.bessel_i1(x), tf.math.bessel_i0(x=x, name="n"), tf.math.bessel_i1(x=x, name="m")])
  for got, wanted in zip(found, (i0, i1, i0, i1)):
    np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-9)
"""
  )


def test_saturate_cast_to_floats_keeps_integers():
  package.said(
    """
import numpy as np
import millrace as tf
x = np.array([-(2**62), 5, 2**62], np.int64)
with tf.Session() as session:
  assert session.run(tf.saturate_cast(x, tf.float32)).tolist() == x.astype(np.float32).tolist()
"""
  )


def test_generators_draw_from_their_state():
  package.said(
    """
import numpy as np
import millrace as tf
from millrace import gen

generator = tf.random.experimental.Generator.from_seed(5)
assert generator.algorithm == 1
first = generator.normal([3], mean=1.0, stddev=2.0, dtype=tf.float64, name="n")
second = generator.uniform([3], minval=-1, maxval=1, dtype=tf.float32, name="u")
ints = generator.uniform([100], minval=-3, maxval=4, dtype=tf.int32)
full = generator.uniform_full_int([2], dtype=tf.uint64, name="f")
cut = generator.truncated_normal([100], mean=0.0, stddev=1.0, dtype=tf.float32, name="t")
counts = generator.binomial([50], counts=10.0, probs=0.5, dtype=tf.int32, name="b")
seeds = generator.make_seeds(count=3)
children = generator.split(count=2)
copy = tf.random.experimental.Generator(copy_from=generator)
# The same state, given to the op without one.
alike = gen.stateless_random_normal_v2([3], [np.uint64(0)], np.array([5, 0], np.uint64), 1, dtype=tf.float64)
with tf.Session() as session:
  session.run([v.initializer for v in tf.global_variables() if v is not children[0].state and v is not children[1].state])
  assert session.run(generator.state).tolist() == [5, 0, 0] and session.run(copy.state).tolist() == [5, 0, 0]
  assert session.run(generator.key) == 0
  drawn = session.run(first)
  np.testing.assert_allclose(drawn, session.run(alike) * 2 + 1)
  assert session.run(generator.state).tolist() != [5, 0, 0]
  assert np.any(session.run(first) != drawn)
  session.run(generator.reset_from_seed(5))
  np.testing.assert_array_equal(session.run(first), drawn)
  u = session.run(second)
  assert np.all((-1 <= u) & (u < 1)) and len(set(u)) == 3
  assert set(session.run(ints)) == set(range(-3, 4))
  assert session.run(full).dtype == np.uint64
  assert np.all(np.abs(session.run(cut)) <= 2)
  b = session.run(counts)
  assert b.dtype == np.int32 and 0 <= b.min() and b.max() <= 10 and 3 < b.mean() < 7
  made = session.run(seeds)
  assert made.shape == (2, 3) and not made[1].any()
  before = session.run(generator.state)
  session.run(generator.skip(10))
  assert session.run(generator.state)[0] > before[0]
  session.run(generator.reset([1, 2, 3]))
  assert session.run(generator.state).tolist() == [1, 2, 3]
  session.run(generator.reset_from_key_counter(7, [8, 9]))
  assert session.run([generator.state, generator.key])[0].tolist() == [8, 9, 7]
  session.run([c.state.initializer for c in children])
  assert len({int(session.run(c.key)) for c in children}) == 2
"""
  )


def test_generators_of_graphs_and_states():
  package.said(
    """
import millrace as tf
experimental = tf.random.experimental
states = [
  experimental.create_rng_state(1, "philox"),
  experimental.create_rng_state([1, 2], 1),
  experimental.create_rng_state(2**64 + 3, algorithm="philox"),
  experimental.create_rng_state([1, 2, 3, 4], "philox"),
]
made = experimental.Generator.from_key_counter(7, [8, 9], "philox")
given = experimental.Generator.from_state(states[1], 1)
chance = experimental.Generator.from_non_deterministic_state()
assert experimental.get_global_generator() is experimental.get_global_generator()
experimental.set_global_generator(made)
assert experimental.get_global_generator() is made
with tf.Session() as session:
  session.run(tf.global_variables_initializer())
  assert [s.tolist() for s in session.run(states)] == [[1, 0, 0], [0, 1, 2], [3, 1, 0], [1, 2, 3]]
  assert session.run(made.state).tolist() == [8, 9, 7] and session.run(given.state).tolist() == [0, 1, 2]
  assert len(session.run(chance.state)) == 3
for wrong in (lambda: experimental.create_rng_state(1, "other"), lambda: experimental.Generator(), lambda: made.uniform([2], dtype=tf.int32)):
  try:
    wrong()
    raise AssertionError(wrong)
  except ValueError:
    pass
"""
  )


def test_seeds_count_random_ops():
  package.said(
    """
import millrace as tf
tf.set_random_seed(42)
a, b = tf.random_uniform([2]), tf.random_uniform([2], seed=7)
tf.constant(1)
c = tf.random_normal([2])
attrs = [[op.get_attr("seed"), op.get_attr("seed2")] for op in tf.get_default_graph().get_operations() if op.type.startswith("Random")]
assert attrs == [[42, 0], [42, 7], [42, 1]], attrs
"""
  )
