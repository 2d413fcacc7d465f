"""Gradients checked against differences: tf.test.compute_gradient and compute_gradient_error."""

import numpy as np


def _size(shape):
  return int(np.prod(shape, dtype=np.int64))


def _by_gradients(session, x, x_shape, x_data, y_shape, dy, dx, feeds):
  """The transposed Jacobian [size of x, size of y] from the graph's gradients."""
  x_size, y_size = _size(x_shape), _size(y_shape)
  complex_factor = 2 if np.dtype(x.dtype.as_numpy_dtype).kind == "c" else 1
  dy_factor = 2 if dy.dtype.is_complex else 1
  jacobian = np.zeros((x_size * complex_factor, y_size * dy_factor), dtype=x.dtype.real_dtype.as_numpy_dtype)
  dy_data = np.zeros(y_shape, dtype=dy.dtype.as_numpy_dtype)
  flat = dy_data.ravel().view(dy.dtype.real_dtype.as_numpy_dtype)
  sparse = hasattr(dx, "dense_shape")
  for column in range(y_size * dy_factor):
    flat[column] = 1
    feeds = {**feeds, x: x_data, dy: flat.view(dy_data.dtype).reshape(y_shape)}
    got = session.run([dx.indices, dx.values] if sparse else dx, feed_dict=feeds)
    if sparse:
      row_size = _size(x_shape[1:])
      for index, values in zip(got[0], got[1]):
        rows = slice(int(index) * row_size, (int(index) + 1) * row_size)
        jacobian[rows, column] += values.ravel()
    else:
      jacobian[:, column] = got.ravel().view(jacobian.dtype)
    flat[column] = 0
  if y_size == 0:  # the gradient has to have the right shape all the same
    feeds = {**feeds, x: x_data, dy: dy_data}
    got = session.run(dx, feed_dict=feeds)
    if not sparse and got.shape != tuple(x_data.shape):
      raise ValueError("Empty gradient has wrong shape: expected %s, got %s" % (x_data.shape, got.shape))
  return jacobian


def _by_differences(session, x, x_shape, x_data, y, y_shape, delta, feeds):
  """The transposed Jacobian from y at x + delta and x - delta."""
  real = x.dtype.real_dtype.as_numpy_dtype
  y_real = y.dtype.real_dtype.as_numpy_dtype
  x_factor, y_factor = (2 if x.dtype.is_complex else 1), (2 if y.dtype.is_complex else 1)
  x_size, y_size = _size(x_shape) * x_factor, _size(y_shape) * y_factor
  jacobian = np.zeros((x_size, y_size), dtype=real)
  scale = np.asarray(2 * delta, dtype=y_real)[()]
  for row in range(x_size):
    values = []
    for sign in (1, -1):
      moved = np.array(x_data, dtype=x.dtype.as_numpy_dtype, copy=True, order="C")
      flat = moved.reshape(-1).view(real)
      flat[row] += sign * delta
      values.append(session.run(y, feed_dict={**feeds, x: moved}))
    difference = (np.asarray(values[0]) - np.asarray(values[1])) / scale
    jacobian[row, :] = np.asarray(difference, dtype=y.dtype.as_numpy_dtype).reshape(-1).view(y_real)
  return jacobian


def _one(x, x_shape, y, y_shape, dx, dy, x_init_value, delta, feeds):
  from millrace.client import session as session_module

  session = session_module.get_default_session()
  if x_init_value is not None:
    data = np.asarray(x_init_value)
    if list(data.shape) != list(x_shape):
      raise AssertionError("x_init_value has shape %s, not %s" % (data.shape, x_shape))
  else:
    data = np.random.random_sample(x_shape).astype(x.dtype.as_numpy_dtype)
    if x.dtype.is_complex:
      data.imag = np.random.random_sample(x_shape)
  by_gradients = _by_gradients(session, x, x_shape, data, y_shape, dy, dx, feeds)
  return by_gradients, _by_differences(session, x, x_shape, data, y, y_shape, delta, feeds)


def compute_gradient(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None):
  """Returns (Jacobian by the graph's gradients, Jacobian by differences), each [size of x, size of y].

  `x` is a tensor or a list of them (then a list of pairs is returned), which are fed with `x_init_value`, by default random
  numbers. `init_targets` are run before. Needs a default session.
  """
  import millrace as tf

  several = isinstance(x, list)
  xs = x if several else [x]
  for tensor in xs:
    if tensor.dtype.base_dtype.name not in ("float16", "float32", "float64", "bfloat16", "complex64", "complex128"):
      raise AssertionError("gradients of type %s are not checked" % tensor.dtype)
  if init_targets is not None:
    if not isinstance(init_targets, (list, tuple)):
      raise AssertionError("init_targets is no list: %s" % (init_targets,))
    for target in init_targets:
      target.run()
  feeds = dict(extra_feed_dict or {})
  dys, dxs = [], []
  for tensor in xs:
    # What is fed in their place later is one element after the other.
    dys.append(tf.identity(tf.constant(1.0, shape=y_shape, dtype=y.dtype.base_dtype)))
    dxs.extend(tf.gradients(y, tensor, dys[-1]))
  for tensor, dx in zip(xs, dxs):
    if dx is None:
      raise AssertionError("no gradient of %s with respect to %s" % (y.name, tensor.name))
  shapes = x_shape if several else [x_shape]
  inits = x_init_value if several and x_init_value is not None else [x_init_value] * len(xs)
  pairs = [
    _one(tensor, shape, y, y_shape, dx, dy, init, delta, feeds)
    for tensor, shape, dx, dy, init in zip(xs, shapes, dxs, dys, inits)
  ]
  return pairs if several else pairs[0]


def compute_gradient_error(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None):
  """Returns the largest difference between the two Jacobians of compute_gradient."""
  pairs = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
  error = 0
  for by_gradients, by_differences in pairs if isinstance(pairs, list) else [pairs]:
    if by_gradients.size or by_differences.size:
      error = max(error, np.fabs(by_gradients - by_differences).max())
  return error
