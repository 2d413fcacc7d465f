"""Integration with steps of given sizes."""

import millrace as tf
from millrace.contrib.integrate.arguments import checked_values
from millrace.framework.graph import name_scope


def _midpoint(func, y, t, step):
  h = tf.cast(step, y.dtype)
  middle = y + tf.cast(step / 2, y.dtype) * func(y, t)
  return h * func(middle, t + step / 2)


def _rk4(func, y, t, step):
  """The method of order 4 with the rule of 3/8."""
  h = tf.cast(step, y.dtype)
  k1 = func(y, t)
  k2 = func(y + h * k1 / 3, t + step / 3)
  k3 = func(y + h * (k2 - k1 / 3), t + step * 2 / 3)
  k4 = func(y + h * (k1 - k2 + k3), t + step)
  return (k1 + 3 * k2 + 3 * k3 + k4) * h / 8


_METHODS = {"midpoint": _midpoint, "rk4": _rk4}


def odeint_fixed(func, y0, t, dt=None, method="rk4", name=None):
  """The solution of dy/dt = func(y, t) with y = y0 at t[0], at all times of the vector `t`: of the shape [len(t)] + y0's.

  There is one step between two times; or steps have the size `dt`, a number or a vector with one for each step, and what is between
  them is linear. `method` is "midpoint" or "rk4".

  Raises:
    ValueError: for another method, and for a dt of more dimensions.
    InvalidArgumentError: when it runs, for times that do not increase.
  """
  if method not in _METHODS:
    raise ValueError(f"method not supported: {method!s}")
  advance = _METHODS[method]
  with name_scope(name, "odeint_fixed", [y0, t, dt]):
    y0, t = checked_values(y0, t)
    function = lambda y, at: tf.convert_to_tensor(func(y, at), dtype=y0.dtype)
    if dt is None:
      return _over_grid(advance, function, y0, t)
    dt = tf.convert_to_tensor(dt, dtype=t.dtype, name="dt")
    if dt.get_shape().ndims == 0:
      steps = tf.cast(tf.ceil((t[-1] - t[0]) / dt - 1e-6), tf.int32)
      grid = t[0] + dt * tf.cast(tf.range(steps + 1), t.dtype)
    elif dt.get_shape().ndims == 1:
      grid = t[0] + tf.concat([tf.zeros([1], t.dtype), tf.cumsum(dt)], 0)
    else:
      raise ValueError("dt must be a scalar or a 1D tensor")
    return _between(grid, _over_grid(advance, function, y0, grid), t)


def _over_grid(advance, function, y0, grid):
  count = tf.shape(grid)[0]
  outputs = tf.TensorArray(y0.dtype, size=count, element_shape=y0.get_shape()).write(0, y0)

  def solve(place, y, outputs):
    y = y + advance(function, y, grid[place - 1], grid[place] - grid[place - 1])
    y.set_shape(y0.get_shape())
    return place + 1, y, outputs.write(place, y)

  _, _, outputs = tf.while_loop(lambda place, *_: place < count, solve, (tf.constant(1), y0, outputs))
  y = outputs.stack()
  y.set_shape(grid.get_shape().concatenate(y0.get_shape()))
  return y


def _between(grid, y, t):
  """y at the times t, linear between the grid's; beyond its end as on its last piece."""
  last = tf.shape(grid)[0] - 1
  reached = tf.reduce_sum(tf.cast(grid[tf.newaxis, :] <= t[:, tf.newaxis], tf.int32), axis=1)
  place = tf.clip_by_value(reached - 1, 0, tf.maximum(last - 1, 0))
  following = tf.minimum(place + 1, last)
  start, end = tf.gather(grid, place), tf.gather(grid, following)
  share = tf.cast((t - start) / tf.maximum(end - start, 1e-30), y.dtype)
  share = tf.reshape(share, tf.concat([tf.shape(t), tf.ones([tf.rank(y) - 1], tf.int32)], 0))
  before, after = tf.gather(y, place), tf.gather(y, following)
  result = before + share * (after - before)
  result.set_shape(t.get_shape().concatenate(y.get_shape()[1:]))
  return result
