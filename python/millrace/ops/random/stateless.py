"""Random numbers that depend on a seed alone: the same in each run."""

import millrace as tf
from millrace import gen
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.ops.random.shapes import shape_tensor

# Lets the device choose the algorithm.
_ANY_ALGORITHM = 3


def _key_counter(seed):
  return gen.stateless_random_get_key_counter(seed)


def _normal(make, default_name, shape, seed, mean, stddev, dtype, name):
  with name_scope(name, default_name, [shape, seed, mean, stddev]) as scope:
    shape = shape_tensor(shape)
    mean = convert_to_tensor(mean, dtype=dtype, name="mean")
    stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
    key, counter = _key_counter(seed)
    drawn = make(shape, key, counter, _ANY_ALGORITHM, dtype=dtype)
    return tf.add(drawn * stddev, mean, name=scope)


def stateless_random_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
  """Numbers of the normal distribution; `seed` is a vector of two integers."""
  make = gen.stateless_random_normal_v2
  return _normal(make, "stateless_random_normal", shape, seed, mean, stddev, dtype, name)


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
  """Numbers of the normal distribution within two standard deviations; `seed` is a vector of two integers."""
  make = gen.stateless_truncated_normal_v2
  return _normal(make, "stateless_truncated_normal", shape, seed, mean, stddev, dtype, name)


def stateless_random_uniform(shape, seed, minval=0, maxval=None, dtype=dtypes.float32, name=None):
  """Numbers from `minval` to below `maxval`; `seed` is a vector of two integers.

  For integers both limits can be None: all values of the type.

  Raises:
    ValueError: if the type has no such numbers, or an integer type has only one limit.
  """
  dtype = dtypes.as_dtype(dtype)
  accepted = (
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint32,
    dtypes.uint64,
  )
  if dtype not in accepted:
    raise ValueError(f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {accepted}.")
  if dtype.is_integer:
    if (minval is None) != (maxval is None):
      raise ValueError(
        f"For integer `dtype` argument {dtype}, argument `minval` and `maxval` must be both None or not None. "
        f"Got `minval`={minval} and `maxval`={maxval}."
      )
    if minval is not None and dtype in (dtypes.uint32, dtypes.uint64):
      raise ValueError(
        f"Argument `dtype` got invalid value {dtype} when argument `minval` is not None. Please don't use unsigned integers in this case."
      )
  elif maxval is None:
    maxval = 1
  with name_scope(name, "stateless_random_uniform", [shape, seed, minval, maxval]) as scope:
    shape = shape_tensor(shape)
    if dtype.is_integer and minval is None:
      key, counter = _key_counter(seed)
      return gen.stateless_random_uniform_full_int_v2(shape, key, counter, _ANY_ALGORITHM, dtype=dtype, name=scope)
    minval = convert_to_tensor(minval, dtype=dtype, name="min")
    maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
    key, counter = _key_counter(seed)
    if dtype.is_integer:
      return gen.stateless_random_uniform_int_v2(shape, key, counter, _ANY_ALGORITHM, minval, maxval, name=scope)
    drawn = gen.stateless_random_uniform_v2(shape, key, counter, _ANY_ALGORITHM, dtype=dtype)
    return tf.add(drawn * (maxval - minval), minval, name=scope)


def stateless_multinomial(logits, num_samples, seed, output_dtype=dtypes.int64, name=None):
  """`num_samples` classes for each row of unnormalized log-probabilities; `seed` is a vector of two integers."""
  with name_scope(name, "stateless_multinomial", [logits, seed]):
    return _multinomial(logits, num_samples, seed, output_dtype)


def stateless_categorical(logits, num_samples, seed, dtype=dtypes.int64, name=None):
  """`num_samples` classes for each row of unnormalized log-probabilities; `seed` is a vector of two integers."""
  with name_scope(name, "stateless_categorical", [logits, seed]):
    return _multinomial(logits, num_samples, seed, dtype)


def _multinomial(logits, num_samples, seed, dtype):
  logits = convert_to_tensor(logits, name="logits")
  return gen.stateless_multinomial(logits, num_samples, seed, output_dtype=dtype)
