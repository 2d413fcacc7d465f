"""Images in other sizes: scaled, cropped or padded."""

from millrace import gen
from millrace.framework import convert, dtypes, graph, tensor_values
from millrace.ops.array import shapes
from millrace.ops.image import checks, cropping


class ResizeMethod:
  """How `resize_images` makes values between pixels."""

  BILINEAR = 0
  NEAREST_NEIGHBOR = 1
  BICUBIC = 2
  AREA = 3


def _scaled(images, size, method, align_corners):
  """Returns images of the given size, by a number or a name of a method."""
  if method in (ResizeMethod.BILINEAR, "bilinear"):
    return gen.resize_bilinear(images, size, align_corners=align_corners)
  if method in (ResizeMethod.NEAREST_NEIGHBOR, "nearest"):
    return gen.resize_nearest_neighbor(images, size, align_corners=align_corners)
  if method in (ResizeMethod.BICUBIC, "bicubic"):
    return gen.resize_bicubic(images, size, align_corners=align_corners)
  if method in (ResizeMethod.AREA, "area"):
    return gen.resize_area(images, size, align_corners=align_corners)
  raise ValueError(f"Resize method is not implemented: {method}")


def resize_images(images, size, method=ResizeMethod.BILINEAR, align_corners=False, preserve_aspect_ratio=False, name=None):
  """Returns images scaled to a size; as they are where they have it.

  Args:
    images: [height, width, channels] or a batch of them.
    size: Height and width.
    method: One of ResizeMethod.
    align_corners: The centres of the corner pixels stay at their places.
    preserve_aspect_ratio: Scale both sides by one factor, to at most that size.
    name: Prefix of the names of what it makes.

  Raises:
    ValueError: The images have another rank, the size is none, or the method is not known.
  """
  with graph.name_scope(name, "resize", [images, size]):
    images = convert.convert_to_tensor(images, name="images")
    ndims = images.get_shape().ndims
    if ndims is None:
      raise ValueError("'images' contains no shape.")
    if ndims not in (3, 4):
      raise ValueError("'images' must have either 3 or 4 dimensions.")
    if ndims == 3:
      images = shapes.expand_dims(images, 0)
    _, height, width, _ = images.get_shape().as_list()
    try:
      size = convert.convert_to_tensor(size, dtypes.int32, name="size")
    except (TypeError, ValueError):
      raise ValueError("'size' must be a 1-D int32 Tensor") from None
    if not size.get_shape().is_compatible_with([2]):
      raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if preserve_aspect_ratio:
      size = _proportional(images, size)
    known = tensor_values.constant_value_as_shape(size)
    new_height, new_width = known.as_list() if known.ndims == 2 else (None, None)
    if None in (width, new_width, height, new_height) or (width, height) != (new_width, new_height):
      images = _scaled(images, size, method, align_corners)
      images.set_shape([None, new_height, new_width, None])
    return images if ndims == 4 else shapes.squeeze(images, axis=[0])


def _proportional(images, size):
  """Returns the largest size within the given one that has the images' proportions."""
  from millrace.ops.math import casts

  def as_float(value):
    return casts.cast(value, dtypes.float32)

  _, height, width, _ = checks.dimensions(images, rank=4)
  by_height = as_float(size[0]) / as_float(height)
  by_width = as_float(size[1]) / as_float(width)
  factor = gen.minimum(by_height, by_width)
  new_height = casts.cast(gen.round(factor * as_float(height)), dtypes.int32)
  new_width = casts.cast(gen.round(factor * as_float(width)), dtypes.int32)
  return convert.convert_to_tensor([new_height, new_width], dtypes.int32, name="size")


def resize_area(images, size, align_corners=False, name=None):
  """Returns images of floats scaled by averages over areas."""
  return gen.resize_area(images, size, align_corners=align_corners, name=name)


def resize_bicubic(images, size, align_corners=False, name=None, half_pixel_centers=False):
  """Returns images of floats scaled by cubic interpolation."""
  return gen.resize_bicubic(images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name)


def resize_bilinear(images, size, align_corners=False, name=None, half_pixel_centers=False):
  """Returns images of floats scaled by linear interpolation."""
  return gen.resize_bilinear(images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name)


def resize_nearest_neighbor(images, size, align_corners=False, name=None, half_pixel_centers=False):
  """Returns images scaled by taking the nearest pixels."""
  return gen.resize_nearest_neighbor(images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name)


def _either(function, python_function, x, y):
  """Returns what a function of two numbers makes: an op where one is a tensor."""
  if tensor_values.is_tensor(x) or tensor_values.is_tensor(y):
    return function(x, y)
  return python_function(x, y)


def _positive_target(image, target_height, target_width):
  """Returns assertions that the image has three dimensions and the target sizes are positive."""
  assertions = checks.at_least_3d(image)
  assertions += checks.require(target_width > 0, ValueError, "target_width must be > 0.")
  assertions += checks.require(target_height > 0, ValueError, "target_height must be > 0.")
  return assertions


def resize_image_with_crop_or_pad(image, target_height, target_width):
  """Returns images of the target size: what is larger is cropped at both ends, what is smaller padded with zeros."""
  with graph.name_scope(None, "resize_image_with_crop_or_pad", [image]):
    image, is_batch = checks.as_batch(checks.to_image(image))
    assertions = _positive_target(image, target_height, target_width)
    image = checks.after(assertions, image)
    if tensor_values.is_tensor(target_height):
      target_height = checks.after(assertions, target_height)
    if tensor_values.is_tensor(target_width):
      target_width = checks.after(assertions, target_width)

    def largest(x, y):
      return _either(gen.maximum, max, x, y)

    def smallest(x, y):
      return _either(gen.minimum, min, x, y)

    _, height, width, _ = checks.dimensions(image, rank=4)
    more_width = target_width - width
    crop_left = largest(-more_width // 2, 0)
    pad_left = largest(more_width // 2, 0)
    more_height = target_height - height
    crop_top = largest(-more_height // 2, 0)
    pad_top = largest(more_height // 2, 0)
    cropped = cropping.crop_to_bounding_box(
      image, crop_top, crop_left, smallest(target_height, height), smallest(target_width, width)
    )
    resized = cropping.pad_to_bounding_box(cropped, pad_top, pad_left, target_height, target_width)
    return _checked_size(resized, target_height, target_width, is_batch)


def _checked_size(resized, target_height, target_width, is_batch):
  if resized.get_shape().ndims is None:
    raise ValueError("resized contains no shape.")
  _, height, width, _ = checks.dimensions(resized, rank=4)

  def equal(x, y):
    return _either(gen.equal, lambda a, b: a == b, x, y)

  assertions = checks.require(equal(height, target_height), ValueError, "resized height is not correct.")
  assertions += checks.require(equal(width, target_width), ValueError, "resized width is not correct.")
  resized = checks.after(assertions, resized)
  return resized if is_batch else shapes.squeeze(resized, axis=[0])


def resize_image_with_pad(image, target_height, target_width, method=ResizeMethod.BILINEAR, align_corners=False):
  """Returns images of the target size: scaled with their proportions, then padded with zeros on both sides."""
  from millrace.ops.math import casts

  def as_float(value):
    return casts.cast(value, dtypes.float32)

  def floor(value):
    return casts.cast(gen.floor(value), dtypes.int32)

  with graph.name_scope(None, "resize_image_with_pad", [image]):
    image, is_batch = checks.as_batch(checks.to_image(image))
    image = checks.after(_positive_target(image, target_height, target_width), image)
    _, height, width, _ = checks.dimensions(image, rank=4)
    height, width = as_float(height), as_float(width)
    full_height, full_width = as_float(target_height), as_float(target_width)
    ratio = gen.maximum(width / full_width, height / full_height)
    scaled_height = height / ratio
    scaled_width = width / ratio
    new_height = floor(scaled_height)
    new_width = floor(scaled_width)
    top = (full_height - scaled_height) / 2
    left = (full_width - scaled_width) / 2
    top, left = gen.floor(top), gen.floor(left)
    top = gen.maximum(0, casts.cast(top, dtypes.int32))
    left = gen.maximum(0, casts.cast(left, dtypes.int32))
    resized = resize_images(image, [new_height, new_width], method, align_corners)
    padded = cropping.pad_to_bounding_box(resized, top, left, target_height, target_width)
    if padded.get_shape().ndims is None:
      raise ValueError("padded contains no shape.")
    checks.dimensions(padded, rank=4)
    return padded if is_batch else shapes.squeeze(padded, axis=[0])
