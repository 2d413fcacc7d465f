"""Initializers: objects that make the initial value of a variable, called with its shape and type.

Each is called as initializer(shape, dtype=None, partition_info=None); `dtype` in place of None is the initializer's own, and
`partition_info` says which part of a partitioned variable is made. get_config() has the arguments, from_config() takes them.
"""

import numpy as np

import millrace as tf
from millrace.framework import constants, dtypes


class Initializer:
  """The base of all initializers."""

  def __call__(self, shape, dtype=None, partition_info=None):
    """Returns the initial value: a tensor of this shape and type."""
    raise NotImplementedError

  def get_config(self):
    """Returns the arguments of the initializer by name, as they can be written as JSON."""
    return {}

  @classmethod
  def from_config(cls, config):
    """Returns the initializer of these arguments, as get_config() gives them."""
    config = dict(config)
    config.pop("dtype_policy", None)
    return cls(**config)


def float_dtype(dtype):
  """Returns the type. Raises ValueError unless it is a floating one."""
  dtype = dtypes.as_dtype(dtype)
  if not dtype.is_floating:
    raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype}.")
  return dtype


class zeros_initializer(Initializer):
  """Zeros; empty texts for strings."""

  def __init__(self, dtype=dtypes.float32):
    self.dtype = dtypes.as_dtype(dtype)

  def __call__(self, shape, dtype=None, partition_info=None):
    return tf.zeros(shape, self.dtype if dtype is None else dtype)

  def get_config(self):
    return {"dtype": self.dtype.name}


class ones_initializer(Initializer):
  """Ones."""

  def __init__(self, dtype=dtypes.float32):
    self.dtype = dtypes.as_dtype(dtype)

  def __call__(self, shape, dtype=None, partition_info=None):
    return tf.ones(shape, self.dtype if dtype is None else dtype)

  def get_config(self):
    return {"dtype": self.dtype.name}


class constant_initializer(Initializer):
  """The value, a scalar or a list of values; its last element fills what is left of the shape.

  With `verify_shape` the value has to have the shape: TypeError if it has not. Raises TypeError for a value that is no number,
  list or array, ValueError where it has more elements than the shape.
  """

  def __init__(self, value=0, dtype=dtypes.float32, verify_shape=False):
    if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
      raise TypeError(
        f"Invalid type for initial value={value} of type: {type(value).__name__}. Expected Python scalar, list or tuple of values, or numpy.ndarray."
      )
    self.value = value
    self.dtype = dtypes.as_dtype(dtype)
    self._verify_shape = verify_shape

  def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
    if dtype is None:
      dtype = self.dtype
    if verify_shape is None:
      verify_shape = self._verify_shape
    return constants.constant(self.value, dtype=dtype, shape=shape, verify_shape=verify_shape)

  def get_config(self):
    return {"value": self.value, "dtype": self.dtype.name}


class _NoLeast(int):
  """The zero of an initializer that was given no least value: random_uniform takes that for the number 0.0."""


class random_uniform_initializer(Initializer):
  """Values between `minval` and `maxval`, which has to be given for integers and is 1 by default otherwise."""

  def __init__(self, minval=_NoLeast(0), maxval=None, seed=None, dtype=dtypes.float32):
    self.minval = minval
    self.maxval = maxval
    self.seed = seed
    self.dtype = dtypes.as_dtype(dtype)

  def __call__(self, shape, dtype=None, partition_info=None):
    if dtype is None:
      dtype = self.dtype
    # An integer zero is left out of the graph, this default never was.
    minval = 0.0 if isinstance(self.minval, _NoLeast) else self.minval
    return tf.random_uniform(shape, minval, self.maxval, dtype, seed=self.seed)

  def get_config(self):
    return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed, "dtype": self.dtype.name}


class random_normal_initializer(Initializer):
  """Values of a normal distribution."""

  def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=dtypes.float32):
    self.mean = mean
    self.stddev = stddev
    self.seed = seed
    self.dtype = float_dtype(dtype)

  def __call__(self, shape, dtype=None, partition_info=None):
    return tf.random_normal(shape, self.mean, self.stddev, self.dtype if dtype is None else dtype, seed=self.seed)

  def get_config(self):
    return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed, "dtype": self.dtype.name}


class truncated_normal_initializer(Initializer):
  """Values of a normal distribution, those beyond two standard deviations drawn again."""

  def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=dtypes.float32):
    self.mean = mean
    self.stddev = stddev
    self.seed = seed
    self.dtype = float_dtype(dtype)

  def __call__(self, shape, dtype=None, partition_info=None):
    return tf.truncated_normal(shape, self.mean, self.stddev, self.dtype if dtype is None else dtype, seed=self.seed)

  def get_config(self):
    return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed, "dtype": self.dtype.name}


class orthogonal_initializer(Initializer):
  """An orthogonal matrix times `gain`: all dimensions but the last count rows. ValueError for less than two dimensions."""

  def __init__(self, gain=1.0, seed=None, dtype=dtypes.float32):
    self.gain = gain
    self.seed = seed
    self.dtype = float_dtype(dtype)

  def __call__(self, shape, dtype=None, partition_info=None):
    if dtype is None:
      dtype = self.dtype
    if len(shape) < 2:
      raise ValueError(
        f"The tensor to initialize, specified by argument `shape` must be at least two-dimensional. Received shape={shape}"
      )
    rows = 1
    for dimension in shape[:-1]:
      rows *= dimension
    rows = int(rows)
    columns = int(shape[-1])
    flat = (columns, rows) if rows < columns else (rows, columns)
    values = tf.random_normal(flat, dtype=dtype, seed=self.seed)
    # Signs of R's diagonal make Q unique, so that it is uniformly distributed.
    q, r = tf.linalg.qr(values, full_matrices=False)
    q *= tf.sign(tf.diag_part(r))
    if rows < columns:
      q = tf.matrix_transpose(q)
    return self.gain * tf.reshape(q, shape)

  def get_config(self):
    return {"gain": self.gain, "seed": self.seed, "dtype": self.dtype.name}


class identity_initializer(Initializer):
  """The identity matrix times `gain`. ValueError unless there are two dimensions."""

  def __init__(self, gain=1.0, dtype=dtypes.float32):
    self.gain = gain
    self.dtype = float_dtype(dtype)

  def __call__(self, shape, dtype=None, partition_info=None):
    full_shape = shape if partition_info is None else partition_info.full_shape
    if len(full_shape) != 2:
      raise ValueError(
        f"The tensor to initialize, specified by argument `shape` must be at least two-dimensional. Received shape={shape}"
      )
    if dtype is None:
      dtype = self.dtype
    if hasattr(full_shape, "as_list"):
      full_shape = full_shape.as_list()
    value = tf.eye(*full_shape, dtype=dtype)
    if partition_info is not None:
      value = tf.slice(value, partition_info.var_offset, shape)
    return self.gain * value

  def get_config(self):
    return {"gain": self.gain, "dtype": self.dtype.name}
