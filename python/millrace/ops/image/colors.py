"""Types and colours of images: conversion between types, grey, HSV, YIQ and YUV."""

from millrace import gen
from millrace.framework import convert, dtypes, graph
from millrace.ops.array import filling, identities, joining, shapes
from millrace.ops.image import checks

_RGB_TO_YIQ = [
  [0.299, 0.59590059, 0.2115],
  [0.587, -0.27455667, -0.52273617],
  [0.114, -0.32134392, 0.31119955],
]
_YIQ_TO_RGB = [
  [1, 1, 1],
  [0.95598634, -0.27201283, -1.10674021],
  [0.6208248, -0.64720424, 1.70423049],
]
_RGB_TO_YUV = [
  [0.299, -0.14714119, 0.61497538],
  [0.587, -0.28886916, -0.51496512],
  [0.114, 0.43601035, -0.10001026],
]
_YUV_TO_RGB = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]


def convert_image_dtype(image, dtype, saturate=False, name=None):
  """Returns an image in another type, with its range: 0 to the largest value of integers, 0 to 1 of floats.

  Args:
    image: A tensor.
    dtype: An integer or floating type.
    saturate: Clip values that the type does not have.
    name: Name of the op.

  Raises:
    AttributeError: The type is neither.
  """
  from millrace.ops.math import casts, division

  image = checks.to_image(image)
  dtype = dtypes.as_dtype(dtype)
  if not dtype.is_floating and not dtype.is_integer:
    raise AttributeError("dtype must be either floating point or integer")
  if dtype == image.dtype:
    return identities.identity(image, name=name)
  cast = casts.saturate_cast if saturate else casts.cast
  with graph.name_scope(name, "convert_image", [image]) as scope:
    if image.dtype.is_integer and dtype.is_integer:
      source, target = image.dtype.max, dtype.max
      if source > target:
        scaled = division.floordiv(image, (source + 1) // (target + 1))
        return cast(scaled, dtype, name=scope)
      return gen.mul(cast(image, dtype), (target + 1) // (source + 1), name=scope)
    if image.dtype.is_floating and dtype.is_floating:
      return casts.cast(image, dtype, name=scope)
    if image.dtype.is_integer:
      return gen.mul(casts.cast(image, dtype), 1.0 / image.dtype.max, name=scope)
    return cast(gen.mul(image, dtype.max + 0.5), dtype, name=scope)


def to_float(image):
  """Returns an image of a 16 or 32 bit float as it is, another one as float32."""
  return image if image.dtype in (dtypes.float16, dtypes.float32) else convert_image_dtype(image, dtypes.float32)


def rgb_to_grayscale(images, name=None):
  """Returns images with one channel, the luminance of three."""
  from millrace.ops.math import tensordot

  with graph.name_scope(name, "rgb_to_grayscale", [images]) as scope:
    images = convert.convert_to_tensor(images, name="images")
    floats = convert_image_dtype(images, dtypes.float32)
    gray = tensordot.tensordot(floats, [0.2989, 0.5870, 0.1140], [-1, -1])
    return convert_image_dtype(shapes.expand_dims(gray, -1), images.dtype, name=scope)


def grayscale_to_rgb(images, name=None):
  """Returns images with three channels, each the one that they have."""
  with graph.name_scope(name, "grayscale_to_rgb", [images]) as scope:
    images = checks.assert_grayscale(convert.convert_to_tensor(images, name="images"))
    rank_1 = shapes.expand_dims(shapes.rank(images) - 1, 0)
    parts = [filling.ones(rank_1, dtype=dtypes.int32), shapes.expand_dims(3, 0)]
    rgb = gen.tile(images, joining.concat(parts, 0), name=scope)
    rgb.set_shape(images.get_shape()[:-1].concatenate([3]))
    return rgb


def rgb_to_hsv(images, name=None):
  """Returns images of floats in hue, saturation and value, each from 0 to 1."""
  return gen.rgb_to_hsv(images, name=name)


def hsv_to_rgb(images, name=None):
  """Returns images in hue, saturation and value as red, green and blue."""
  return gen.hsv_to_rgb(images, name=name)


def _by_matrix(images, kernel):
  from millrace.ops.math import tensordot

  images = convert.convert_to_tensor(images, name="images")
  kernel = convert.convert_to_tensor(kernel, dtype=images.dtype, name="kernel")
  ndims = images.get_shape().ndims
  return tensordot.tensordot(images, kernel, axes=[[ndims - 1], [0]])


def rgb_to_yiq(images):
  """Returns images in the colours of NTSC."""
  return _by_matrix(images, _RGB_TO_YIQ)


def yiq_to_rgb(images):
  """Undoes `rgb_to_yiq`."""
  return _by_matrix(images, _YIQ_TO_RGB)


def rgb_to_yuv(images):
  """Returns images in the colours of PAL."""
  return _by_matrix(images, _RGB_TO_YUV)


def yuv_to_rgb(images):
  """Undoes `rgb_to_yuv`."""
  return _by_matrix(images, _YUV_TO_RGB)
