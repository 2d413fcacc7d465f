"""Images flipped, turned by right angles and transposed."""

from millrace import gen
from millrace.framework import convert, dtypes, graph
from millrace.ops.array import moving, shapes
from millrace.ops.image import checks


def _flip(image, axis, scope_name):
  with graph.name_scope(None, scope_name, [image]):
    image = checks.assert_at_least_3d(checks.to_image(image))
    return checks.by_rank(image, lambda: moving.reverse(image, [axis]), lambda: moving.reverse(image, [axis + 1]))


def flip_left_right(image):
  """Returns images with left and right swapped."""
  return _flip(image, 1, "flip_left_right")


def flip_up_down(image):
  """Returns images with top and bottom swapped."""
  return _flip(image, 0, "flip_up_down")


def _random_flip(image, axis, seed, scope_name):
  from millrace.ops.control_flow import conditional
  from millrace.ops.math import casts
  from millrace.ops.random import drawing

  with graph.name_scope(None, scope_name, [image]) as scope:
    image = checks.assert_at_least_3d(checks.to_image(image))
    shape = image.get_shape()

    def single():
      draw = drawing.random_uniform([], 0, 1.0, seed=seed)
      result = conditional.cond(gen.less(draw, 0.5), lambda: moving.reverse(image, [axis]), lambda: image, name=scope)
      result.set_shape([None, None, None] if shape.ndims is None else shape)
      return result

    def batch():
      size = shapes.shape(image)[0]
      draws = drawing.random_uniform([size], 0, 1.0, seed=seed)
      flips = gen.round(shapes.reshape(draws, [size, 1, 1, 1]))
      flips = casts.cast(flips, image.dtype)
      flipped = moving.reverse(image, [axis + 1])
      return flips * flipped + (1 - flips) * image

    return checks.by_rank(image, single, batch)


def random_flip_left_right(image, seed=None):
  """Returns images flipped left to right with a chance of one half, each for itself."""
  return _random_flip(image, 1, seed, "random_flip_left_right")


def random_flip_up_down(image, seed=None):
  """Returns images flipped up to down with a chance of one half, each for itself."""
  return _random_flip(image, 0, seed, "random_flip_up_down")


def rot90(image, k=1, name=None):
  """Returns images turned by `k` times 90 degrees, counter-clockwise."""
  with graph.name_scope(name, "rot90", [image, k]) as scope:
    image = checks.assert_at_least_3d(checks.to_image(image))
    k = convert.convert_to_tensor(k, dtype=dtypes.int32, name="k")
    k.get_shape().assert_has_rank(0)
    k = gen.floor_mod(k, 4, name="mod")
    return checks.by_rank(image, lambda: _turned(image, k, 0, scope), lambda: _turned(image, k, 1, scope))


def _turned(image, k, row, scope):
  """Returns the image turned; `row` is the number of the dimension of its rows."""
  from millrace.ops.control_flow import case

  order = [1, 0, 2] if row == 0 else [0, 2, 1, 3]
  column = row + 1
  cases = [
    (gen.equal(k, 1), lambda: moving.transpose(moving.reverse(image, [column]), order)),
    (gen.equal(k, 2), lambda: moving.reverse(image, [row, column])),
    (gen.equal(k, 3), lambda: moving.reverse(moving.transpose(image, order), [column])),
  ]
  result = case.case(cases, default=lambda: image, exclusive=True, name=scope)
  sizes = image.get_shape().as_list()
  if row == 0:
    result.set_shape([None, None, sizes[2]])
  else:
    result.set_shape([sizes[0], None, None, sizes[3]])
  return result


def transpose_image(image, name=None):
  """Returns images with rows and columns swapped."""
  with graph.name_scope(name, "transpose", [image]):
    image = checks.assert_at_least_3d(checks.to_image(image))
    ndims = image.get_shape().ndims
    names = {} if ndims is None or name is None else {"name": name}
    return checks.by_rank(
      image,
      lambda: moving.transpose(image, [1, 0, 2], **names),
      lambda: moving.transpose(image, [0, 2, 1, 3], **names),
    )
