"""Cosine transforms of the last dimension, by Fourier transforms."""

import math

import numpy as np

import millrace as tf
from millrace import gen
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.tensor_shape import dimension_value
from millrace.ops.signal.fourier import irfft, rfft

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _check(x, kind, n, axis, norm):
  if axis != -1:
    raise NotImplementedError(f"axis must be -1. Got: {axis}")
  if n is not None and n < 1:
    raise ValueError("n should be a positive integer or None")
  if kind not in _INVERSE:
    raise ValueError("Types I, II, III and IV (I)DCT are supported.")
  if kind == 1:
    if norm == "ortho":
      raise ValueError("Normalization is not supported for the Type-I DCT.")
    shape = x.get_shape() if isinstance(x, tf.Tensor) else tf.TensorShape(np.shape(x))
    size = dimension_value(shape[-1])
    if size is not None and size < 2:
      raise ValueError("Type-I DCT requires the dimension to be greater than one.")
  if norm not in (None, "ortho"):
    raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def dct(input, type=2, n=None, axis=-1, norm=None, name=None):
  """The cosine transform of type 1, 2, 3 or 4 of the first `n` elements; fewer are padded with zeros.

  `norm` is None or "ortho", which makes the transform orthogonal (not of type 1).

  Raises:
    ValueError: for another type or norm, or an `n` below 1.
    NotImplementedError: for another axis than the last one.
  """
  _check(input, type, n, axis, norm)
  return _transform(input, type, n, norm, name)


def idct(input, type=2, n=None, axis=-1, norm=None, name=None):
  """The inverse of `dct` of the type, up to a factor where `norm` is None."""
  return dct(input, type=_INVERSE.get(type, type), n=n, axis=axis, norm=norm, name=name)


def _transform(input, kind, n, norm, name=None):
  with name_scope(name, "dct"):
    x = convert_to_tensor(input)
    zero = tf.constant(0.0, dtype=x.dtype)
    given = _size(x)
    if n is not None:
      x = _of_length(x, n, given)
    size = _size(x)
    count = tf.cast(size, x.dtype)
    if kind == 1:
      return tf.real(rfft(tf.concat([x, x[..., -2:0:-1]], axis=-1)))
    if kind == 2:
      return _second(x, zero, size, count, norm)
    if kind == 3:
      return _third(x, zero, size, count, norm)
    result = _transform(x, 2, 2 * size, None)[..., 1::2]
    if norm == "ortho":
      result *= math.sqrt(0.5) * gen.rsqrt(count)
    return result


def _size(x):
  known = dimension_value(x.get_shape()[-1]) if x.get_shape().ndims is not None else None
  return known or tf.shape(x)[-1]


def _of_length(x, n, size):
  def longer():
    paddings = [[0, 0] for _ in range(x.get_shape().ndims)]
    paddings[-1][1] = n - size
    return tf.pad(x, paddings=convert_to_tensor(paddings, dtype="int32"))

  fits = n <= size
  if isinstance(fits, tf.Tensor):
    return tf.cond(fits, lambda: x[..., 0:n], longer)
  return x[..., 0:n] if fits else longer()


def _second(x, zero, size, count, norm):
  scale = 2.0 * gen.exp(tf.complex(zero, -tf.range(count) * np.pi * 0.5 / count))
  result = tf.real(rfft(x, fft_length=[2 * size])[..., :size] * scale)
  if norm == "ortho":
    others = 0.5 * gen.rsqrt(count)
    result *= _weights(others, others * math.sqrt(2.0), size)
  return result


def _third(x, zero, size, count, norm):
  if norm == "ortho":
    others = gen.sqrt(count)
    x *= _weights(others, others * math.sqrt(0.5), size)
  else:
    x *= count
  scale = 2.0 * gen.exp(tf.complex(zero, tf.range(count) * np.pi * 0.5 / count))
  return irfft(scale * tf.complex(x, zero), fft_length=[2 * size])[..., :size]


def _weights(first, others, size):
  """`first` for the first frequency, `others` for the rest."""
  return tf.pad(tf.expand_dims(first, 0), [[0, size - 1]], constant_values=others)
