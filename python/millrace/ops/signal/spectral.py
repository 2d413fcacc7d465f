"""Short-time Fourier transforms and mel frequencies."""

import numpy as np

import millrace as tf
from millrace import gen
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.tensor import Tensor
from millrace.framework.tensor_values import constant_value
from millrace.ops.signal.cosine import dct
from millrace.ops.signal.fourier import irfft, rfft
from millrace.ops.signal.framing import frame, last_size, overlap_and_add
from millrace.ops.signal.windows import hann_window

_MEL_BREAK_HERTZ = 700.0
_MEL_HIGH_FREQUENCY = 1127.0


def stft(signals, frame_length, frame_step, fft_length=None, window_fn=hann_window, pad_end=False, name=None):
  """The spectra of overlapping frames, windowed by `window_fn` (None for none).

  Without `fft_length` transforms are as long as the power of 2 that holds a frame.
  """
  with name_scope(name, "stft", [signals, frame_length, frame_step]):
    signals = convert_to_tensor(signals, name="signals")
    signals.get_shape().with_rank_at_least(1)
    frame_length = convert_to_tensor(frame_length, name="frame_length")
    frame_length.get_shape().assert_has_rank(0)
    frame_step = convert_to_tensor(frame_step, name="frame_step")
    frame_step.get_shape().assert_has_rank(0)
    fft_length = _transform_length(fft_length, frame_length)
    frames = frame(signals, frame_length, frame_step, pad_end=pad_end)
    if window_fn is not None:
      frames *= window_fn(frame_length, dtype=frames.dtype)
    return rfft(frames, [fft_length])


def _transform_length(fft_length, frame_length):
  if fft_length is not None:
    return convert_to_tensor(fft_length, name="fft_length")
  known = constant_value(frame_length)
  if known is not None:
    return tf.constant(int(2 ** np.ceil(np.log(known) / np.log(2.0))), frame_length.dtype)
  exponent = gen.ceil(gen.log(tf.cast(frame_length, dtypes.float32)) / gen.log(2.0))
  return tf.cast(tf.pow(2.0, exponent), frame_length.dtype)


def inverse_stft(stfts, frame_length, frame_step, fft_length=None, window_fn=hann_window, name=None):
  """The signals of overlapping spectra; `inverse_stft_window_fn` makes the window that gives back those of `stft`."""
  with name_scope(name, "inverse_stft", [stfts]):
    stfts = convert_to_tensor(stfts, name="stfts")
    stfts.get_shape().with_rank_at_least(2)
    frame_length = convert_to_tensor(frame_length, name="frame_length")
    frame_length.get_shape().assert_has_rank(0)
    frame_step = convert_to_tensor(frame_step, name="frame_step")
    frame_step.get_shape().assert_has_rank(0)
    frames = irfft(stfts, [_transform_length(fft_length, frame_length)])
    frames = _cut_or_padded(frames, frame_length)
    if window_fn is not None:
      frames *= window_fn(frame_length, dtype=stfts.dtype.real_dtype)
    return overlap_and_add(frames, frame_step)


def _cut_or_padded(frames, frame_length):
  known, size = constant_value(frame_length), last_size(frames)
  if known is None or size is None:
    frames = frames[..., :frame_length]
    rank = tf.rank(frames)
    shape = tf.shape(frames)
    outer = tf.zeros([rank - 1, 2], dtype=frame_length.dtype)
    return tf.pad(frames, tf.concat([outer, [[0, gen.maximum(0, frame_length - shape[-1])]]], 0))
  if size > known:
    return frames[..., : int(known)]
  if size < known:
    return tf.pad(frames, [[0, 0]] * (frames.get_shape().ndims - 1) + [[0, int(known) - size]])
  return frames


def inverse_stft_window_fn(frame_step, forward_window_fn=hann_window, name=None):
  """A function that makes the window for `inverse_stft` after an `stft` with `forward_window_fn`."""

  def inverse_stft_window_fn_inner(frame_length, dtype):
    with name_scope(name, "inverse_stft_window_fn", [forward_window_fn]):
      step = convert_to_tensor(frame_step, name="frame_step")
      step.get_shape().assert_has_rank(0)
      length = convert_to_tensor(frame_length, name="frame_length")
      length.get_shape().assert_has_rank(0)
      forward = forward_window_fn(length, dtype=dtype)
      # The squares of all windows that overlap at a place.
      total = gen.square(forward)
      overlaps = -(-length // step)
      total = tf.pad(total, [[0, overlaps * step - length]])
      total = tf.reshape(total, [overlaps, step])
      total = tf.reduce_sum(total, 0, keepdims=True)
      total = tf.tile(total, [overlaps, 1])
      total = tf.reshape(total, [overlaps * step])
      total = total[:length]
      total.set_shape(forward.get_shape())
      return tf.where(tf.equal(total, 0), tf.zeros_like(total), forward / total)

  return inverse_stft_window_fn_inner


def _mel(hertz):
  with name_scope(None, "hertz_to_mel", [hertz]):
    return _MEL_HIGH_FREQUENCY * gen.log(1.0 + hertz / _MEL_BREAK_HERTZ)


def linear_to_mel_weight_matrix(
  num_mel_bins=20,
  num_spectrogram_bins=129,
  sample_rate=8000,
  lower_edge_hertz=125.0,
  upper_edge_hertz=3800.0,
  dtype=dtypes.float32,
  name=None,
):
  """A matrix [num_spectrogram_bins, num_mel_bins] of triangles, equally wide in mel, between the two edges.

  Raises:
    ValueError: for edges that are out of order or beyond half of the sample rate, or counts that are not positive.
  """
  with name_scope(name, "linear_to_mel_weight_matrix") as scope:
    _check_mel(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz, dtype)
    sample_rate = tf.cast(sample_rate, dtype, name="sample_rate")
    lower_edge_hertz = convert_to_tensor(lower_edge_hertz, dtype, name="lower_edge_hertz")
    upper_edge_hertz = convert_to_tensor(upper_edge_hertz, dtype, name="upper_edge_hertz")
    zero = tf.constant(0.0, dtype)
    # The bin of frequency zero has no place among mel frequencies.
    zeroed = 1
    frequencies = tf.linspace(zero, sample_rate / 2.0, num_spectrogram_bins)[zeroed:]
    bins = tf.expand_dims(_mel(frequencies), 1)
    edges = frame(tf.linspace(_mel(lower_edge_hertz), _mel(upper_edge_hertz), num_mel_bins + 2), frame_length=3, frame_step=1)
    lower, center, upper = (tf.reshape(edge, [1, num_mel_bins]) for edge in tf.split(edges, 3, axis=1))
    rising = (bins - lower) / (center - lower)
    falling = (upper - bins) / (upper - center)
    weights = gen.maximum(zero, gen.minimum(rising, falling))
    return tf.pad(weights, [[zeroed, 0], [0, 0]], name=scope)


def _check_mel(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz, dtype):
  if num_mel_bins <= 0:
    raise ValueError(f"num_mel_bins must be positive. Got: {num_mel_bins}")
  if lower_edge_hertz < 0.0:
    raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower_edge_hertz}")
  if lower_edge_hertz >= upper_edge_hertz:
    raise ValueError(f"lower_edge_hertz {lower_edge_hertz:.1f} >= upper_edge_hertz {upper_edge_hertz:.1f}")
  if not isinstance(sample_rate, Tensor):
    if sample_rate <= 0.0:
      raise ValueError(f"sample_rate must be positive. Got: {sample_rate}")
    if upper_edge_hertz > sample_rate / 2:
      raise ValueError(
        "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). Got "
        f"{upper_edge_hertz} for sample_rate: {sample_rate}"
      )
  if not dtypes.as_dtype(dtype).is_floating:
    raise ValueError(f"dtype must be a floating point type. Got: {dtypes.as_dtype(dtype)}")


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=None):
  """The mel-frequency cepstral coefficients of logarithmic mel spectrograms.

  Raises:
    ValueError: if there are no mel bins.
  """
  with name_scope(name, "mfccs_from_log_mel_spectrograms", [log_mel_spectrograms]):
    spectrograms = convert_to_tensor(log_mel_spectrograms)
    bins = last_size(spectrograms)
    if bins == 0:
      raise ValueError(f"num_mel_bins must be positive. Got: {bins}")
    if bins is None:
      bins = tf.shape(spectrograms)[-1]
    result = dct(spectrograms, type=2)
    return result * gen.rsqrt(tf.cast(bins, result.dtype) * 2.0)
