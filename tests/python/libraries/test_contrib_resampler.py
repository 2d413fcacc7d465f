"""tf.contrib.resampler beside its formula in numpy."""

import numpy as np
import pytest

import millrace as tf

resampler = tf.contrib.resampler.resampler


@pytest.fixture(autouse=True)
def graph():
  with tf.Graph().as_default():
    yield


def run(fetches, feed=None):
  with tf.Session() as session:
    return session.run(fetches, feed)


def by_formula(data, warp):
  """Each point is the sum of the pixels around it, weighted by how near they are."""
  out = np.zeros([*warp.shape[:-1], data.shape[3]])
  for place in np.ndindex(*warp.shape[:-1]):
    x, y = warp[place]
    if not (-1 < x < data.shape[2] and -1 < y < data.shape[1]):
      continue
    for row in range(data.shape[1]):
      for column in range(data.shape[2]):
        weight = max(0, 1 - abs(y - row)) * max(0, 1 - abs(x - column))
        out[place] += weight * data[place[0], row, column]
  return out


@pytest.mark.parametrize("points", [[5], [3, 2], []])
def test_values(points):
  random = np.random.RandomState(0)
  data = random.rand(2, 4, 5, 3)
  warp = random.uniform(-2, 6, [2, *points, 2])
  result = resampler(tf.constant(data, tf.float32), tf.constant(warp, tf.float32))
  assert result.shape.as_list() == [2, *points, 3]
  np.testing.assert_allclose(run(result), by_formula(data, warp), atol=1e-5)


def test_shapes_of_feeds():
  data, warp = tf.placeholder(tf.float64, [None, None, None, None]), tf.placeholder(tf.float64, [None, None, 2])
  picture, points = np.arange(12.0).reshape(1, 3, 4, 1), np.array([[[0.5, 0.5], [3, 2], [-0.5, 0], [3.5, 2], [9, 9]]])
  assert run(resampler(data, warp), {data: picture, warp: points}).ravel().tolist() == [2.5, 11, 0, 5.5, 0]


def test_gradients():
  random = np.random.RandomState(1)
  data, warp = tf.constant(random.rand(1, 3, 4, 2)), tf.constant(random.uniform(-0.9, 2.9, [1, 6, 2]))
  result = resampler(data, warp)
  with tf.Session():
    for of in (data, warp):
      assert tf.test.compute_gradient_error(of, of.shape.as_list(), result, [1, 6, 2]) < 1e-5


def test_points_outside_and_no_numbers_give_zeros():
  data = tf.ones([1, 2, 2, 1])
  warp = tf.constant([[[-1.0, 0.0], [2.0, 1.0], [np.nan, 0.0], [np.inf, 0.0], [1.0, 1.0]]])
  result = resampler(data, warp, name="mine")
  assert result.op.name.startswith("mine")
  values, slope = run([result, tf.gradients(result, warp)[0]])
  assert values.ravel().tolist() == [0, 0, 0, 0, 1]
  assert slope[0, :4].tolist() == [[0, 0]] * 4


def test_wrong_shapes():
  with pytest.raises(ValueError, match="must have rank 4"):
    resampler(tf.ones([2, 2, 1]), tf.ones([1, 2]))
  with pytest.raises(ValueError):
    resampler(tf.ones([1, 2, 2, 1]), tf.ones([1, 3]))
