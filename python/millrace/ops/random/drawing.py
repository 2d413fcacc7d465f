"""Random numbers whose ops keep a state: each run draws others."""

import numpy as np

import millrace as tf
from millrace import gen
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.seeds import get_seed
from millrace.ops.random.shapes import shape_tensor

UNIFORM_TYPES = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)


def _seeds(seed):
  """The attributes of an op that is given the seed of an op, or none."""
  first, second = get_seed(seed)
  return {"seed": 0 if first is None else first, "seed2": 0 if second is None else second}


def _normal(make, default_name, shape, mean, stddev, dtype, seed, name):
  with name_scope(name, default_name, [shape, mean, stddev]) as scope:
    shape = shape_tensor(shape)
    mean = convert_to_tensor(mean, dtype=dtype, name="mean")
    stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
    drawn = make(shape, dtype, **_seeds(seed))
    return tf.add(drawn * stddev, mean, name=scope)


def random_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
  """Numbers of the normal distribution."""
  return _normal(gen.random_standard_normal, "random_normal", shape, mean, stddev, dtype, seed, name)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
  """Numbers of the normal distribution; those beyond two standard deviations are drawn again."""
  return _normal(gen.truncated_normal, "truncated_normal", shape, mean, stddev, dtype, seed, name)


def random_uniform(shape, minval=0, maxval=None, dtype=dtypes.float32, seed=None, name=None):
  """Numbers from `minval` to below `maxval`, which is 1 for floating types where it is not said.

  Raises:
    ValueError: if the type has no such numbers, or an integer type has no `maxval`.
  """
  dtype = dtypes.as_dtype(dtype)
  if dtype not in UNIFORM_TYPES:
    raise ValueError(f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {UNIFORM_TYPES}.")
  if maxval is None:
    if dtype.is_integer:
      raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
    maxval = 1
  with name_scope(name, "random_uniform", [shape, minval, maxval]) as scope:
    shape = shape_tensor(shape)
    # Only Python's integers 0 and 1 spare the ops that scale.
    from_zero = isinstance(minval, int) and minval == 0
    to_one = isinstance(maxval, int) and maxval == 1
    if not from_zero or not to_one or dtype.is_integer:
      minval = convert_to_tensor(minval, dtype=dtype, name="min")
      maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
    seeds = _seeds(seed)
    if dtype.is_integer:
      return gen.random_uniform_int(shape, minval, maxval, name=scope, **seeds)
    drawn = gen.random_uniform(shape, dtype, **seeds)
    if from_zero:
      return drawn if to_one else tf.multiply(drawn, maxval)
    return tf.add(drawn * (maxval - minval), minval, name=scope)


def random_shuffle(value, seed=None, name=None):
  """The tensor with its rows in a random order."""
  return gen.random_shuffle(value, name=name, **_seeds(seed))


def random_crop(value, size, seed=None, name=None):
  """A part of `value` of the given size, at a random place.

  Raises:
    InvalidArgumentError: when it runs, if `size` is larger than `value`.
  """
  from millrace.ops.control_flow.basics import with_dependencies

  with name_scope(name, "random_crop", [value, size]) as scope:
    value = convert_to_tensor(value, name="value")
    size = convert_to_tensor(size, dtype=dtypes.int32, name="size")
    shape = tf.shape(value)
    check = tf.Assert(tf.reduce_all(shape >= size), ["Need value.shape >= size, got ", shape, size], summarize=1000)
    shape = with_dependencies([check], shape)
    limit = shape - size + 1
    offset = random_uniform(tf.shape(shape), dtype=size.dtype, maxval=size.dtype.max, seed=seed) % limit
    return tf.slice(value, offset, size, name=scope)


def multinomial(logits, num_samples, seed=None, name=None, output_dtype=None):
  """`num_samples` classes for each row of unnormalized log-probabilities, int64 unless `output_dtype` says int32."""
  with name_scope(name, "multinomial", [logits]):
    return _multinomial(logits, num_samples, output_dtype, seed)


def categorical(logits, num_samples, dtype=None, seed=None, name=None):
  """`num_samples` classes for each row of unnormalized log-probabilities, int64 unless `dtype` says int32."""
  with name_scope(name, "categorical", [logits]):
    return _multinomial(logits, num_samples, dtype, seed)


def _multinomial(logits, num_samples, dtype, seed):
  logits = convert_to_tensor(logits, name="logits")
  return gen.multinomial(logits, num_samples, output_dtype=dtypes.as_dtype(dtype) if dtype else dtypes.int64, **_seeds(seed))


def random_gamma(shape, alpha, beta=None, dtype=dtypes.float32, seed=None, name=None):
  """Numbers of the Gamma distributions with shape `alpha` and rate `beta`, `shape` of them for each pair."""
  with name_scope(name, "random_gamma", [shape, alpha, beta]):
    shape = convert_to_tensor(shape, name="shape", dtype=dtypes.int32)
    alpha = convert_to_tensor(alpha, name="alpha", dtype=dtype)
    beta = convert_to_tensor(beta if beta is not None else 1, name="beta", dtype=dtype)
    broadcast = tf.broadcast_dynamic_shape(tf.shape(alpha), tf.shape(beta))
    alpha = tf.broadcast_to(alpha, broadcast)
    drawn = gen.random_gamma(shape, alpha, **_seeds(seed))
    # Very small numbers would be rounded to 0, which the distribution does not have.
    return tf.maximum(np.finfo(alpha.dtype.as_numpy_dtype).tiny, drawn / beta)


def random_poisson(lam, shape, dtype=dtypes.float32, seed=None, name=None):
  """Numbers of the Poisson distributions with the rates `lam`, `shape` of them for each."""
  return _poisson(shape, lam, dtype, seed, name)


def _poisson(shape, lam, dtype, seed, name):
  with name_scope(name, "random_poisson", [lam, shape]):
    shape = convert_to_tensor(shape, name="shape", dtype=dtypes.int32)
    return gen.random_poisson_v2(shape, lam, dtype=dtype, **_seeds(seed))


def parameterized_truncated_normal(
  shape, means=0.0, stddevs=1.0, minvals=-2.0, maxvals=2.0, dtype=dtypes.float32, seed=None, name=None
):
  """Numbers of normal distributions with bounds of their own: each row of the first axis has a mean, a deviation and bounds."""
  with name_scope(name, "parameterized_truncated_normal", [shape, means, stddevs, minvals, maxvals]):
    shape = shape_tensor(shape)
    given = zip((means, stddevs, minvals, maxvals), ("means", "stddevs", "minvals", "maxvals"))
    parameters = [convert_to_tensor(value, dtype=dtype, name=its_name) for value, its_name in given]
    return gen.parameterized_truncated_normal(shape, *parameters, **_seeds(seed))
