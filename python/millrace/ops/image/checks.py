"""What the functions of images ask of their arguments: at once where it is known, else when a step runs."""

from millrace import gen
from millrace.framework import convert, tensor_shape, tensor_values
from millrace.ops.array import shapes


def require(condition, error_class, message):
  """Raises the error for a false Python value; returns a list with an assertion for a tensor, an empty one else."""
  if tensor_values.is_tensor(condition):
    from millrace.ops.control_flow import assertion

    return [assertion.Assert(condition, [message])]
  if not condition:
    raise error_class(message)
  return []


def after(assertions, value):
  """Returns the value, there once the assertions hold."""
  from millrace.ops.control_flow import basics

  return basics.with_dependencies(assertions, value)


def at_least_3d(image):
  """Returns assertions that an image has three dimensions or more, none of the last three of size zero.

  Raises ValueError where its static shape says that it has not.
  """
  from millrace.ops.debugging import comparisons

  shape = image.get_shape()
  try:
    shape = shape.with_rank(3) if shape.ndims is None else shape.with_rank_at_least(3)
  except ValueError:
    raise ValueError(f"'image' (shape {image.get_shape()}) must be at least three-dimensional.") from None
  inner = shape[-3:]
  if any(size == 0 for size in inner.as_list()):
    raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {shape}")
  if inner.is_fully_defined():
    return []
  return [
    comparisons.assert_positive(shapes.shape(image)[-3:], ["inner 3 dims of 'image.shape' must be > 0."]),
    comparisons.assert_greater_equal(shapes.rank(image), 3, message="'image' must be at least three-dimensional."),
  ]


def assert_at_least_3d(image):
  """Returns the image, checked to have three dimensions or more."""
  return after(at_least_3d(image), image)


def assert_grayscale(image):
  """Returns the image, checked to have one channel. Raises ValueError where its static shape says another number."""
  from millrace.ops.debugging import comparisons

  shape = image.get_shape()
  if shape.ndims is not None:
    try:
      shape = shape.with_rank_at_least(2)
    except ValueError:
      raise ValueError(f"A grayscale image (shape {image.get_shape()}) must be at least two-dimensional.") from None
    if shape.is_fully_defined() and shape.as_list()[-1] != 1:
      raise ValueError("Last dimension of a grayscale image should be size 1.")
  checks = []
  if not shape.is_fully_defined():
    checks = [
      comparisons.assert_equal(shapes.shape(image)[-1], 1, message="Last dimension of a grayscale image should be size 1."),
      comparisons.assert_greater_equal(shapes.rank(image), 3, message="A grayscale image must be at least two-dimensional."),
    ]
  return after(checks, image)


def dimensions(image, rank):
  """Returns the sizes of an image: ints where they are known, scalars else."""
  from millrace.ops.array import joining

  if image.get_shape().is_fully_defined():
    return image.get_shape().as_list()
  static = image.get_shape().with_rank(rank).as_list()
  dynamic = joining.unstack(shapes.shape(image), rank)
  return [known if known is not None else size for known, size in zip(static, dynamic)]


def as_batch(image):
  """Returns the image as a batch, and whether it was one. Raises ValueError for another rank than 3 and 4."""
  shape = image.get_shape()
  if shape.ndims == 4:
    return image, True
  if shape.ndims == 3:
    return shapes.expand_dims(image, 0), False
  if shape.ndims is None:
    image = shapes.expand_dims(image, 0)
    image.set_shape([None] * 4)
    return image, False
  raise ValueError(f"'image' (shape {shape}) must have either 3 or 4 dimensions.")


def by_rank(image, single, batch):
  """Returns what `single` or `batch` makes, for an image of three or of four dimensions, known or not."""
  ndims = image.get_shape().ndims
  if ndims is None:
    from millrace.ops.control_flow import conditional

    return conditional.cond(gen.equal(shapes.rank(image), 3), single, batch)
  if ndims == 3:
    return single()
  if ndims == 4:
    return batch()
  raise ValueError(f"'image' (shape {image.get_shape()})must have either 3 or 4 dimensions.")


def static_sizes(sizes):
  """Returns the sizes as a TensorShape; those that are tensors are unknown."""
  return tensor_shape.TensorShape([None if tensor_values.is_tensor(size) else size for size in sizes])


def to_image(image):
  """Returns the image as a tensor."""
  return convert.convert_to_tensor(image, name="image")
