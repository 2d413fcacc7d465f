"""Clipping of tensors by value and by norm."""

from millrace import gen
from millrace.framework import composite, constants, convert, dtypes
from millrace.framework import graph as graphs


def _with_values(like, values):
  """The clipped values as what was given: a tensor, or IndexedSlices with the same rows."""
  if isinstance(like, composite.IndexedSlices):
    return composite.IndexedSlices(values, like.indices, like.dense_shape)
  return values


def _values(t):
  return t.values if isinstance(t, composite.IndexedSlices) else t


def clip_by_value(t, clip_value_min, clip_value_max, name=None):
  """Returns `t`, a Tensor or IndexedSlices, with all elements between the two values, which may be tensors that broadcast to it.

  Raises ValueError if they would make it larger.
  """
  with graphs.name_scope(name, "clip_by_value", [t, clip_value_min, clip_value_max]) as scope:
    values = convert.convert_to_tensor(_values(t), name="t")
    low = gen.minimum(values, clip_value_max)
    values.get_shape().assert_is_compatible_with(low.get_shape())
    clipped = gen.maximum(low, clip_value_min, name=scope)
    values.get_shape().assert_is_compatible_with(clipped.get_shape())
    return _with_values(t, clipped)


def clip_by_norm(t, clip_norm, axes=None, name=None):
  """Returns `t`, a Tensor or IndexedSlices, scaled down so that its norm over `axes` (all by default) is at most `clip_norm`."""
  from millrace.ops.array import filling, gathering, identities
  from millrace.ops.math import elementwise, reductions

  with graphs.name_scope(name, "clip_by_norm", [t, clip_norm]) as scope:
    values = convert.convert_to_tensor(_values(t), name="t")
    squares = reductions.reduce_sum(values * values, axes, keepdims=True)
    positive = squares > 0
    # The root of zero has no derivative.
    safe = gathering.where(positive, squares, filling.ones_like(squares))
    norm = gathering.where(positive, elementwise.sqrt(safe), squares)
    scaled = values * clip_norm
    values.get_shape().assert_is_compatible_with(scaled.get_shape())
    clipped = identities.identity(scaled / gen.maximum(norm, clip_norm), name=scope)
    return _with_values(t, clipped)


def clip_by_average_norm(t, clip_norm, name=None):
  """Returns `t` scaled down so that its norm divided by its number of elements is at most `clip_norm`."""
  from millrace.ops.array import identities, shapes
  from millrace.ops.math import casts, elementwise, reductions, sequences

  with graphs.name_scope(name, "clip_by_average_norm", [t, clip_norm]) as scope:
    t = convert.convert_to_tensor(t, name="t")
    count = casts.cast(shapes.size(t), dtypes.float32)
    squares = t * t
    inverse = elementwise.rsqrt(reductions.reduce_sum(squares, sequences.range(shapes.rank(t))))
    scaled = t * clip_norm
    factor = inverse * count
    limit = constants.constant(1.0, dtype=t.dtype) / clip_norm
    return identities.identity(scaled * gen.minimum(factor, limit), name=scope)


def global_norm(t_list, name=None):
  """Returns the norm of all tensors together. None counts as zeros. Raises TypeError if `t_list` is no sequence."""
  from millrace.ops.array import joining
  from millrace.ops.math import elementwise, reductions

  t_list = _sequence(t_list)
  with graphs.name_scope(name, "global_norm", t_list):
    values = [convert.convert_to_tensor(_values(t), name="t_%d" % i) if t is not None else t for i, t in enumerate(t_list)]
    halves = []
    for value in values:
      if value is not None:
        with graphs.colocate_with(value):
          halves.append(gen.l2_loss(value))
    half = reductions.reduce_sum(joining.stack(halves))
    return elementwise.sqrt(half * constants.constant(2.0, dtype=half.dtype), name="global_norm")


def _sequence(t_list):
  if not isinstance(t_list, (list, tuple)) or isinstance(t_list, composite.IndexedSlices):
    raise TypeError("`t_list` should be a sequence of tensors. Received %s." % type(t_list))
  return list(t_list)


def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
  """Returns (the tensors scaled down so that their norm together is at most `clip_norm`, that norm before).

  `use_norm` is the norm if it is known already. None stays None; if the norm is not finite, all elements become NaN. Raises
  TypeError if `t_list` is no sequence.
  """
  from millrace.ops.array import identities

  t_list = _sequence(t_list)
  if use_norm is None:
    use_norm = global_norm(t_list, name)
  with graphs.name_scope(name, "clip_by_global_norm", t_list + [clip_norm]) as scope:
    smaller = gen.minimum(1.0 / use_norm, constants.constant(1.0, dtype=use_norm.dtype) / clip_norm)
    # The difference is 0 or, of what is not finite, NaN.
    scale = clip_norm * smaller + (use_norm - use_norm)
    clipped = []
    for i, t in enumerate(t_list):
      if t is None:
        clipped.append(None)
        continue
      values = convert.convert_to_tensor(_values(t), name="t_%d" % i) if not isinstance(t, composite.IndexedSlices) else t.values
      with graphs.colocate_with(values):
        clipped.append(_with_values(t, identities.identity(values * scale, name="%s_%d" % (scope, i))))
  return clipped, use_norm
