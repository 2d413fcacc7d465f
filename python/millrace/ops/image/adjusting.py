"""Brightness, contrast, gamma, hue, saturation and quality of images, as asked for or at random."""

from millrace import gen
from millrace.framework import convert, dtypes, graph, tensor_values
from millrace.ops.array import shapes
from millrace.ops.image import checks, colors


def adjust_brightness(image, delta):
  """Returns images with `delta`, of the range of floats, added to all values; clipped to the range of their type."""
  from millrace.ops.math import casts

  with graph.name_scope(None, "adjust_brightness", [image, delta]) as scope:
    image = checks.to_image(image)
    floats = colors.to_float(image)
    adjusted = gen.add_v2(floats, casts.cast(delta, floats.dtype), name=scope)
    return colors.convert_image_dtype(adjusted, image.dtype, saturate=True)


def adjust_contrast(images, contrast_factor):
  """Returns images whose values are that many times as far from the mean of their channel; clipped."""
  with graph.name_scope(None, "adjust_contrast", [images, contrast_factor]) as scope:
    images = convert.convert_to_tensor(images, name="images")
    adjusted = gen.adjust_contrastv2(colors.to_float(images), contrast_factor, name=scope)
    return colors.convert_image_dtype(adjusted, images.dtype, saturate=True)


def adjust_gamma(image, gamma=1, gain=1):
  """Returns `gain * image ** gamma`, of values from 0 to 1. Raises ValueError for a negative gamma."""
  with graph.name_scope(None, "adjust_gamma", [image, gamma, gain]):
    image = checks.to_image(image)
    floats = colors.to_float(image)
    assertions = checks.require(gamma >= 0, ValueError, "Gamma should be a non-negative real number.")
    if assertions:
      gamma = checks.after(assertions, gamma)
    return colors.convert_image_dtype(gain * floats**gamma, image.dtype, saturate=True)


def adjust_hue(image, delta, name=None):
  """Returns images with `delta`, from -1 to 1, added to their hue."""
  with graph.name_scope(name, "adjust_hue", [image]):
    image = checks.to_image(image)
    return colors.convert_image_dtype(gen.adjust_hue(colors.to_float(image), delta), image.dtype)


def adjust_saturation(image, saturation_factor, name=None):
  """Returns images with their saturation multiplied by a factor."""
  with graph.name_scope(name, "adjust_saturation", [image]):
    image = checks.to_image(image)
    adjusted = gen.adjust_saturation(colors.to_float(image), saturation_factor)
    return colors.convert_image_dtype(adjusted, image.dtype)


def adjust_jpeg_quality(image, jpeg_quality, name=None):
  """Returns an image as it is after JPEG of the given quality, 0 to 100."""
  with graph.name_scope(name, "adjust_jpeg_quality", [image]):
    image = checks.to_image(image)
    dtype = image.dtype
    channels = image.get_shape().as_list()[-1]
    image = colors.convert_image_dtype(image, dtypes.uint8, saturate=True)
    if not tensor_values.is_tensor(jpeg_quality):
      jpeg_quality = convert.convert_to_tensor(jpeg_quality, dtype=dtypes.int32)
    image = gen.encode_jpeg_variable_quality(image, jpeg_quality)
    image = gen.decode_jpeg(image, channels=channels)
    return colors.convert_image_dtype(image, dtype, saturate=True)


def _uniform(low, high, seed, dtype=dtypes.float32):
  from millrace.ops.random import drawing

  return drawing.random_uniform([], low, high, seed=seed, dtype=dtype)


def _check_range(lower, upper):
  if upper <= lower:
    raise ValueError("upper must be > lower.")
  if lower < 0:
    raise ValueError("lower must be non-negative.")


def random_brightness(image, max_delta, seed=None):
  """As `adjust_brightness`, by up to `max_delta` up or down."""
  if max_delta < 0:
    raise ValueError("max_delta must be non-negative.")
  return adjust_brightness(image, _uniform(-max_delta, max_delta, seed))


def random_contrast(image, lower, upper, seed=None):
  """As `adjust_contrast`, by a factor between the bounds."""
  _check_range(lower, upper)
  return adjust_contrast(image, _uniform(lower, upper, seed))


def random_hue(image, max_delta, seed=None):
  """As `adjust_hue`, by up to `max_delta`, at most 0.5, up or down."""
  if max_delta > 0.5:
    raise ValueError("max_delta must be <= 0.5.")
  if max_delta < 0:
    raise ValueError("max_delta must be non-negative.")
  return adjust_hue(image, _uniform(-max_delta, max_delta, seed))


def random_saturation(image, lower, upper, seed=None):
  """As `adjust_saturation`, by a factor between the bounds."""
  _check_range(lower, upper)
  return adjust_saturation(image, _uniform(lower, upper, seed))


def random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed=None):
  """As `adjust_jpeg_quality`, of a quality between the bounds."""
  if not (0 <= min_jpeg_quality <= 100 and 0 <= max_jpeg_quality <= 100):
    raise ValueError("jpeg encoding range must be between 0 and 100.")
  if min_jpeg_quality >= max_jpeg_quality:
    raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
  return adjust_jpeg_quality(image, _uniform(min_jpeg_quality, max_jpeg_quality, seed, dtypes.int32))


def per_image_standardization(image):
  """Returns images of floats with mean 0 and variance 1, each for itself.

  The deviation that they are divided by is at least one over the root of the number of values.
  """
  from millrace.ops.math import casts, reductions

  with graph.name_scope(None, "per_image_standardization", [image]) as scope:
    image = checks.assert_at_least_3d(checks.to_image(image))
    if image.dtype not in (dtypes.float16, dtypes.float32):
      image = casts.cast(image, dtypes.float32)
    count = reductions.reduce_prod(shapes.shape(image)[-3:])
    mean = reductions.reduce_mean(image, axis=[-1, -2, -3], keepdims=True)
    deviation = reductions.reduce_std(image, axis=[-1, -2, -3], keepdims=True)
    deviation = gen.maximum(deviation, gen.rsqrt(casts.cast(count, image.dtype)))
    return gen.real_div(image - mean, deviation, name=scope)
