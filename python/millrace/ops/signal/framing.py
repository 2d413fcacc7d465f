"""Signals as overlapping frames, and frames as signals again."""

import math

import numpy as np

import millrace as tf
from millrace import gen
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.tensor_shape import dimension_value
from millrace.framework.tensor_values import constant_value


def known_or_tensor(tensor):
  """The value of a tensor where the graph says it, else the tensor."""
  value = constant_value(tensor)
  return tensor if value is None else value


def frame(signal, frame_length, frame_step, pad_end=False, pad_value=0, axis=-1, name=None):
  """Frames of `frame_length` elements of one dimension, each `frame_step` behind the one before.

  The dimension becomes two: frames, and elements of a frame. With `pad_end` frames that reach beyond the end are filled up
  with `pad_value`, else there are none.
  """
  with name_scope(name, "frame", [signal, frame_length, frame_step, pad_value]):
    signal = convert_to_tensor(signal, name="signal")
    frame_length = convert_to_tensor(frame_length, name="frame_length")
    frame_step = convert_to_tensor(frame_step, name="frame_step")
    axis = convert_to_tensor(axis, name="axis")
    signal.get_shape().with_rank_at_least(1)
    frame_length.get_shape().assert_has_rank(0)
    frame_step.get_shape().assert_has_rank(0)
    axis.get_shape().assert_has_rank(0)
    static = _static_shape(signal, frame_length, frame_step, pad_end, axis)

    axis = known_or_tensor(axis)
    shape, axis, outer, length, inner = _around(signal, axis)
    outer_count = tf.size(outer)
    inner_count = tf.size(inner)
    if pad_end:
      pad_value = convert_to_tensor(pad_value, signal.dtype)
      count = -(-length // frame_step)
      missing = gen.maximum(0, frame_length + frame_step * (count - 1) - length)
      paddings = tf.concat(
        [
          tf.zeros([outer_count, 2], dtype=missing.dtype),
          convert_to_tensor([[0, missing]]),
          tf.zeros([inner_count, 2], dtype=missing.dtype),
        ],
        0,
      )
      signal = tf.pad(signal, paddings, constant_values=pad_value)
      if isinstance(shape, np.ndarray) and static is not None and static[axis] is not None and static[axis + 1] is not None:
        padded = max(0, static[axis + 1] + int(constant_value(frame_step)) * (static[axis] - 1) - int(length))
        signal.set_shape([*shape[:axis], length + padded, *shape[axis + 1 :]])
      shape = tf.shape(signal)
      length = shape[axis]
    else:
      count = gen.maximum(tf.constant(0, dtype=frame_length.dtype), 1 + (length - frame_length) // frame_step)

    # Frames are made of pieces that neither lengths nor steps split.
    piece = known_or_tensor(gcd(frame_length, frame_step))
    pieces_per_frame = frame_length // piece
    pieces_per_step = frame_step // piece
    pieces = length // piece
    used_shape = tf.concat([outer, [pieces * piece], inner], 0)
    piece_shape = tf.concat([outer, [pieces, piece], inner], 0)
    split = tf.reshape(tf.strided_slice(signal, tf.zeros_like(shape), used_shape), piece_shape)
    of_frame = tf.reshape(tf.range(count) * pieces_per_step, [count, 1])
    of_piece = tf.reshape(tf.range(pieces_per_frame), [1, pieces_per_frame])
    selector = of_frame + of_piece
    outer = convert_to_tensor(outer)
    inner = convert_to_tensor(inner)
    middle = convert_to_tensor([count, frame_length])
    frames = tf.reshape(tf.gather(split, selector, axis=axis), tf.concat([outer, middle, inner], 0))
    frames.set_shape(static)
    return frames


def _around(signal, axis):
  """The shape, the dimension, and the sizes before it, of it and behind it: of numpy where they are known."""
  shape = known_or_tensor(tf.shape(signal))
  if isinstance(shape, np.ndarray) and not hasattr(axis, "op"):
    axis = int(np.arange(len(shape))[axis])
    return shape, axis, shape[:axis], shape[axis], shape[axis + 1 :]
  rank = tf.rank(signal)
  axis = tf.range(rank)[axis]
  outer, length, inner = tf.split(shape, [axis, 1, rank - 1 - axis])
  return shape, axis, outer, tf.reshape(length, []), inner


def _static_shape(signal, frame_length, frame_step, pad_end, axis):
  """What is known of the shape of the frames."""
  frame_length, frame_step, axis = (constant_value(value) for value in (frame_length, frame_step, axis))
  shape = signal.get_shape()
  if shape.ndims is None or axis is None:
    return None
  sizes = shape.as_list()
  axis = int(np.arange(len(sizes))[axis])
  length = sizes[axis]
  count = None
  if length is not None and frame_length is not None and frame_step is not None:
    if pad_end:
      count = -(-length // int(frame_step))
    else:
      count = max(0, (length - int(frame_length) + int(frame_step)) // int(frame_step))
  return sizes[:axis] + [count, None if frame_length is None else int(frame_length)] + sizes[axis + 1 :]


def gcd(a, b, name=None):
  """The greatest common divisor of two scalars of integers."""
  with name_scope(name, "gcd", [a, b]):
    a = convert_to_tensor(a)
    b = convert_to_tensor(b)
    known_a, known_b = constant_value(a), constant_value(b)
    if known_a is not None and known_b is not None:
      return tf.constant(math.gcd(int(known_a), int(known_b)), dtype=a.dtype)
    a, _ = tf.while_loop(lambda _, b: tf.greater(b, tf.zeros_like(b)), lambda a, b: [b, a % b], [a, b], back_prop=False)
    return a


def overlap_and_add(signal, frame_step, name=None):
  """The signal of frames in the last dimension, each `frame_step` behind the one before; where they overlap, they add.

  Raises:
    ValueError: if `frame_step` is no integer.
  """
  with name_scope(name, "overlap_and_add", [signal, frame_step]):
    signal = convert_to_tensor(signal, name="signal")
    signal.get_shape().with_rank_at_least(2)
    frame_step = convert_to_tensor(frame_step, name="frame_step")
    frame_step.get_shape().assert_has_rank(0)
    if not frame_step.dtype.is_integer:
      raise ValueError(f"frame_step must be an integer. Got {frame_step.dtype}")
    frame_step = known_or_tensor(frame_step)
    shape = known_or_tensor(tf.shape(signal))
    outer = shape[:-2]
    outer_rank = known_or_tensor(tf.size(outer))
    frame_length = shape[-1]
    frames = shape[-2]
    length = frame_length + frame_step * (frames - 1)
    if not hasattr(frame_step, "op") and last_size(signal) == frame_step:
      return tf.reshape(signal, tf.concat([outer, [length]], 0), name="fast_path")
    # Each frame is cut into segments of one step; those of one place in time then stand in one column.
    segments = -(-frame_length // frame_step)
    paddings = [[0, segments], [0, segments * frame_step - frame_length]]
    outer_paddings = tf.zeros([outer_rank, 2], dtype=dtypes.int32)
    signal = tf.pad(signal, tf.concat([outer_paddings, paddings], 0))
    signal = tf.reshape(signal, tf.concat([outer, [frames + segments, segments, frame_step]], 0))
    order = tf.concat([tf.range(outer_rank), outer_rank + [1, 0, 2]], 0)
    signal = tf.transpose(signal, known_or_tensor(order))
    signal = tf.reshape(signal, tf.concat([outer, [(frames + segments) * segments, frame_step]], 0))
    signal = signal[..., : (frames + segments - 1) * segments, :]
    signal = tf.reshape(signal, tf.concat([outer, [segments, (frames + segments - 1), frame_step]], 0))
    signal = tf.reduce_sum(signal, -3)
    signal = tf.reshape(signal, tf.concat([outer, [(frames + segments - 1) * frame_step]], 0))
    signal = signal[..., :length]
    if isinstance(length, (int, np.integer)) and signal.get_shape().ndims is not None:
      signal.set_shape(signal.get_shape()[:-1].concatenate([int(length)]))
    return signal


def last_size(x):
  """The size of the last dimension, None if it is not known."""
  return None if x.get_shape().ndims is None else dimension_value(x.get_shape()[-1])
