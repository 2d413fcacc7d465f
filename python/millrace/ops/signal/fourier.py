"""Fourier transforms over the last one, two or three dimensions, and shifts of their spectra."""

import millrace as tf
from millrace import gen
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.tensor_values import constant_value, constant_value_as_shape

fft = gen.fft
fft2d = gen.fft2d
fft3d = gen.fft3d
ifft = gen.ifft
ifft2d = gen.ifft2d
ifft3d = gen.ifft3d


def rfft(input_tensor, fft_length=None, name=None):
  """The transform of real signals: fft_length // 2 + 1 complex numbers; shorter signals are padded, longer ones cut."""
  return _forward(gen.rfft, 1, "rfft", input_tensor, fft_length, name)


def rfft2d(input_tensor, fft_length=None, name=None):
  """As `rfft` over two dimensions."""
  return _forward(gen.rfft2d, 2, "rfft2d", input_tensor, fft_length, name)


def rfft3d(input_tensor, fft_length=None, name=None):
  """As `rfft` over three dimensions."""
  return _forward(gen.rfft3d, 3, "rfft3d", input_tensor, fft_length, name)


def irfft(input_tensor, fft_length=None, name=None):
  """The real signals that have the spectra; without `fft_length` of even length."""
  return _backward(gen.irfft, 1, "irfft", input_tensor, fft_length, name)


def irfft2d(input_tensor, fft_length=None, name=None):
  """As `irfft` over two dimensions."""
  return _backward(gen.irfft2d, 2, "irfft2d", input_tensor, fft_length, name)


def irfft3d(input_tensor, fft_length=None, name=None):
  """As `irfft` over three dimensions."""
  return _backward(gen.irfft3d, 3, "irfft3d", input_tensor, fft_length, name)


def _forward(make, rank, default_name, x, length, name):
  with name_scope(name, default_name, [x, length]) as scope:
    x = convert_to_tensor(x, dtype_hint=dtypes.float32)
    x.get_shape().with_rank_at_least(rank)
    length = _signal_sizes(x, rank) if length is None else convert_to_tensor(length, dtypes.int32)
    x = _padded(x, rank, length)
    known = constant_value(length)
    complex_type = dtypes.complex128 if x.dtype == dtypes.float64 else dtypes.complex64
    return make(x, length if known is None else known, Tcomplex=complex_type, name=scope)


def _backward(make, rank, default_name, x, length, name):
  with name_scope(name, default_name, [x, length]) as scope:
    x = convert_to_tensor(x, dtype_hint=dtypes.complex64)
    x.get_shape().with_rank_at_least(rank)
    length = _sizes_of_spectrum(x, rank) if length is None else convert_to_tensor(length, dtypes.int32)
    x = _padded(x, rank, length, is_spectrum=True)
    known = constant_value(length)
    return make(x, length if known is None else known, Treal=x.dtype.real_dtype, name=scope)


def _signal_sizes(x, rank):
  sizes = x.get_shape()[-rank:]
  if sizes.is_fully_defined():
    return tf.constant(sizes.as_list(), dtypes.int32)
  return tf.shape(x)[-rank:]


def _sizes_of_spectrum(x, rank):
  sizes = x.get_shape()[-rank:]
  if sizes.is_fully_defined():
    sizes = sizes.as_list()
    sizes[-1] = max(0, 2 * (sizes[-1] - 1))
    return tf.constant(sizes, dtypes.int32)
  sizes = tf.unstack(tf.shape(x)[-rank:])
  sizes[-1] = tf.maximum(0, 2 * (sizes[-1] - 1))
  return tf.stack(sizes)


def _padded(x, rank, length, is_spectrum=False):
  """`x` with zeros behind its last dimensions up to the length (of the spectrum)."""
  wanted = constant_value_as_shape(length)
  static = x.get_shape()
  if static.ndims is not None and wanted.is_fully_defined() and static[-rank:].is_fully_defined():
    wanted = wanted.as_list()
    if is_spectrum:
      wanted[-1] = wanted[-1] // 2 + 1
    missing = [max(size - given, 0) for size, given in zip(wanted, static.as_list()[-rank:])]
    if not any(missing):
      return x
    return tf.pad(x, [[0, 0]] * (static.ndims - rank) + [[0, count] for count in missing])
  given_rank = tf.rank(x)
  given = tf.shape(x)[-rank:]
  outer = tf.zeros([tf.maximum(0, given_rank - rank)], dtype=length.dtype)
  if is_spectrum:
    length = tf.concat([length[:-1], length[-1:] // 2 + 1], 0)
  behind = tf.concat([outer, tf.maximum(0, length - given)], 0)
  return tf.pad(x, tf.stack([tf.zeros_like(behind), behind], axis=1))


def fftshift(x, axes=None, name=None):
  """The spectrum with frequency zero in the middle of `axes`, of all dimensions where none are said."""
  return _shifted(x, axes, name, "fftshift", lambda size: size // 2)


def ifftshift(x, axes=None, name=None):
  """The spectrum with frequency zero first again."""
  return _shifted(x, axes, name, "ifftshift", lambda size: -(size // 2))


def _shifted(x, axes, name, default_name, by):
  with name_scope(name, default_name) as scope:
    x = convert_to_tensor(x)
    if axes is None:
      axes = tuple(range(x.get_shape().ndims))
      shift = by(tf.shape(x))
    elif isinstance(axes, int):
      shift = by(tf.shape(x)[axes])
    else:
      rank = tf.rank(x)
      axes = tf.where(tf.less(axes, 0), axes + rank, axes)
      shift = by(tf.gather(tf.shape(x), axes))
    return tf.roll(x, shift, axes, name=scope)
