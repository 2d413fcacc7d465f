"""Parts of images, and images with a border."""

from millrace.framework import dtypes, graph, tensor_values
from millrace.ops.array import joining, moving, shapes, slicing
from millrace.ops.image import checks


def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
  """Returns the part of images from the offsets on, of the target size. Raises ValueError where it is not in them."""
  with graph.name_scope(None, "crop_to_bounding_box", [image]):
    image, is_batch = checks.as_batch(checks.to_image(image))
    assertions = checks.at_least_3d(image)
    batch, height, width, depth = checks.dimensions(image, rank=4)
    assertions += checks.require(offset_width >= 0, ValueError, "offset_width must be >= 0.")
    assertions += checks.require(offset_height >= 0, ValueError, "offset_height must be >= 0.")
    assertions += checks.require(target_width > 0, ValueError, "target_width must be > 0.")
    assertions += checks.require(target_height > 0, ValueError, "target_height must be > 0.")
    assertions += checks.require(width >= (target_width + offset_width), ValueError, "width must be >= target + offset.")
    assertions += checks.require(height >= (target_height + offset_height), ValueError, "height must be >= target + offset.")
    image = checks.after(assertions, image)
    begin = joining.stack([0, offset_height, offset_width, 0])
    size = joining.stack([shapes.shape(image)[0], target_height, target_width, shapes.shape(image)[3]])
    cropped = slicing.slice_(image, begin, size)
    cropped.set_shape(checks.static_sizes([batch, target_height, target_width, depth]))
    return cropped if is_batch else shapes.squeeze(cropped, axis=[0])


def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
  """Returns images in a field of zeros of the target size, from the offsets on. Raises ValueError where it is too small."""
  with graph.name_scope(None, "pad_to_bounding_box", [image]):
    image, is_batch = checks.as_batch(checks.to_image(image))
    batch, height, width, depth = checks.dimensions(image, rank=4)
    after_width = target_width - offset_width - width
    after_height = target_height - offset_height - height
    assertions = checks.at_least_3d(image)
    assertions += checks.require(offset_height >= 0, ValueError, "offset_height must be >= 0")
    assertions += checks.require(offset_width >= 0, ValueError, "offset_width must be >= 0")
    assertions += checks.require(after_width >= 0, ValueError, "width must be <= target - offset")
    assertions += checks.require(after_height >= 0, ValueError, "height must be <= target - offset")
    image = checks.after(assertions, image)
    paddings = joining.stack([0, 0, offset_height, after_height, offset_width, after_width, 0, 0])
    padded = moving.pad(image, shapes.reshape(paddings, [4, 2]))
    padded.set_shape(checks.static_sizes([batch, target_height, target_width, depth]))
    return padded if is_batch else shapes.squeeze(padded, axis=[0])


def central_crop(image, central_fraction):
  """Returns the middle of images, a fraction of each side in (0, 1]."""
  with graph.name_scope(None, "central_crop", [image]):
    image = checks.to_image(image)
    known = tensor_values.constant_value(central_fraction) if tensor_values.is_tensor(central_fraction) else central_fraction
    if known is not None:
      if known <= 0 or known > 1:
        raise ValueError("central_fraction must be within (0, 1]")
      if known == 1.0:
        return image
    checks.assert_at_least_3d(image)
    ndims = image.get_shape().ndims
    if ndims not in (3, 4):
      raise ValueError(f"`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = {ndims}.")
    first = ndims - 3
    height, width = [_size(image, first + i) for i in range(2)]
    top = _margin(height, central_fraction)
    left = _margin(width, central_fraction)
    inner_height = height - top * 2
    inner_width = width - left * 2
    begin = [0] * first + [top, left, 0]
    size = [-1] * first + [inner_height, inner_width, -1]
    cropped = slicing.slice_(image, joining.stack(begin), joining.stack(size))
    sizes = image.get_shape().as_list()
    outer = sizes[:1] if first else []
    cropped.set_shape(checks.static_sizes([*outer, inner_height, inner_width, sizes[-1]]))
    return cropped


def _size(image, dimension):
  known = image.get_shape().as_list()[dimension]
  return known if known is not None else shapes.shape(image)[dimension]


def _margin(size, fraction):
  """Returns what is left out before the middle: an int, or a scalar where the size is one."""
  from millrace.ops.math import casts

  if not tensor_values.is_tensor(size):
    size = float(size)
    return int((size - size * fraction) / 2)
  size = casts.cast(size, dtypes.float64)
  return casts.cast((size - size * casts.cast(fraction, dtypes.float64)) / 2, dtypes.int32)
