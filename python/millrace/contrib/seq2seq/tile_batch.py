"""Repeating the sequences of a batch."""

import millrace as tf
from millrace.framework import convert, nest


def tile_batch(t, multiplier, name=None):
  """Repeats each row of `t` (a tensor [batch, ...] or a structure of such) `multiplier` times, one after the other.

  Raises ValueError for tensors whose rank is not known or 0.
  """
  flat = nest.flatten(t)
  with tf.name_scope(name, "tile_batch", [*[x for x in flat if isinstance(x, tf.Tensor)], multiplier]):
    return nest.map_structure(lambda one: _tiled(one, multiplier), t)


def _tiled(t, multiplier):
  t = convert.convert_to_tensor(t, name="t")
  if t.shape.ndims is None or t.shape.ndims < 1:
    raise ValueError("t must have statically known rank")
  shape = tf.shape(t)
  copies = [1] * (t.shape.ndims + 1)
  copies[1] = multiplier
  tiled = tf.tile(tf.expand_dims(t, 1), copies)
  tiled = tf.reshape(tiled, tf.concat(([shape[0] * multiplier], shape[1:]), 0))
  batch = t.shape.dims[0].value
  known = isinstance(multiplier, int) and batch is not None
  tiled.set_shape(tf.TensorShape([batch * multiplier if known else None]).concatenate(t.shape[1:]))
  return tiled
