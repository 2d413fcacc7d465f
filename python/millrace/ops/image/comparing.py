"""Edges of images, how rough they are, and how alike two are."""

import numpy as np

from millrace import gen
from millrace.framework import constants, convert, dtypes, graph
from millrace.ops.array import filling, identities, joining, moving, shapes
from millrace.ops.image import colors


def image_gradients(image):
  """Returns the differences of neighbours in a batch of images, down and to the right, with zeros at the end."""
  if image.get_shape().ndims != 4:
    raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.get_shape()}.")
  shape = shapes.shape(image)
  batch, height, width, depth = joining.unstack(shape)
  down = image[:, 1:, :, :] - image[:, :-1, :, :]
  right = image[:, :, 1:, :] - image[:, :, :-1, :]
  last_row = joining.stack([batch, 1, width, depth])
  down = shapes.reshape(joining.concat([down, filling.zeros(last_row, image.dtype)], 1), shape)
  last_column = joining.stack([batch, height, 1, depth])
  right = shapes.reshape(joining.concat([right, filling.zeros(last_column, image.dtype)], 2), shape)
  return down, right


def sobel_edges(image):
  """Returns Sobel's measure of edges of a batch of images, down and to the right, in a new last dimension."""
  static = image.get_shape()
  shape = shapes.shape(image)
  kernels = [[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]]
  kernels = np.expand_dims(np.transpose(np.asarray(kernels), (1, 2, 0)), -2)
  kernels = constants.constant(kernels, dtype=dtypes.float32)
  kernels = moving.tile(kernels, [1, 1, shape[-1], 1], name="sobel_filters")
  padded = moving.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
  output = _depthwise(padded, kernels)
  output = shapes.reshape(output, joining.concat([shape, [2]], 0))
  output.set_shape(static.concatenate([2]))
  return output


def _depthwise(images, kernels):
  from millrace.ops.nn import depthwise

  return depthwise.depthwise_conv2d(images, kernels, strides=[1, 1, 1, 1], padding="VALID")


def total_variation(images, name=None):
  """Returns the sum of the absolute differences of neighbours: a scalar, or one for each image of a batch."""
  from millrace.ops.math import elementwise, reductions

  with graph.name_scope(name, "total_variation"):
    ndims = images.get_shape().ndims
    if ndims == 3:
      down = images[1:, :, :] - images[:-1, :, :]
      right = images[:, 1:, :] - images[:, :-1, :]
      axis = None
    elif ndims == 4:
      down = images[:, 1:, :, :] - images[:, :-1, :, :]
      right = images[:, :, 1:, :] - images[:, :, :-1, :]
      axis = [1, 2, 3]
    else:
      raise ValueError("'images' must be either 3 or 4-dimensional.")
    total = reductions.reduce_sum(elementwise.abs(down), axis=axis)
    return total + reductions.reduce_sum(elementwise.abs(right), axis=axis)


def _check_alike(one, two):
  """Returns the shapes of two images, and assertions that they go together. Raises ValueError where they do not."""
  from millrace.ops.control_flow import assertion
  from millrace.ops.math import reductions

  first = one.get_shape().with_rank_at_least(3)
  second = two.get_shape().with_rank_at_least(3)
  first[-3:].assert_is_compatible_with(second[-3:])
  if first.ndims is not None and second.ndims is not None:
    for a, b in zip(reversed(first.as_list()[:-3]), reversed(second.as_list()[:-3])):
      if not (a == 1 or b == 1 or a is None or b is None or a == b):
        raise ValueError(f"Two images are not compatible: {first} and {second}")
  first, second = shapes.shape_n([one, two])
  enough = gen.greater_equal(shapes.size(first), 3)
  checks = [assertion.Assert(enough, [first, second], summarize=10)]
  same = reductions.reduce_all(gen.equal(first[-3:], second[-3:]))
  checks.append(assertion.Assert(same, [first, second], summarize=10))
  return first, second, checks


def psnr(a, b, max_val, name=None):
  """Returns the ratio of the largest value to the noise between images, in decibels, one for each pair."""
  from millrace.ops.math import casts, reductions

  with graph.name_scope(name, "PSNR", [a, b]):
    max_val = casts.cast(max_val, a.dtype)
    max_val = colors.convert_image_dtype(max_val, dtypes.float32)
    a = colors.convert_image_dtype(a, dtypes.float32)
    b = colors.convert_image_dtype(b, dtypes.float32)
    error = reductions.reduce_mean(gen.squared_difference(a, b), [-3, -2, -1])
    peak = 20 * gen.log(max_val) / gen.log(10.0)
    ratio = gen.sub(peak, np.float32(10 / np.log(10)) * gen.log(error), name="psnr")
    _, _, checks = _check_alike(a, b)
    with graph.control_dependencies(checks):
      return identities.identity(ratio)


def _gaussian(size, sigma):
  """Returns a filter [size, size, 1, 1] of a Gaussian."""
  from millrace.ops.math import casts

  size = convert.convert_to_tensor(size, dtypes.int32)
  sigma = convert.convert_to_tensor(sigma)
  places = casts.cast(gen.range(0, size, 1, name="range"), sigma.dtype)
  places -= casts.cast(size - 1, sigma.dtype) / 2.0
  g = gen.square(places)
  g *= -0.5 / gen.square(sigma)
  g = shapes.reshape(g, [1, -1]) + shapes.reshape(g, [-1, 1])
  g = gen.softmax(shapes.reshape(g, [1, -1]))
  return shapes.reshape(g, [size, size, 1, 1])


def _similarity(x, y, reducer, max_val, compensation, k1, k2):
  """Returns the likeness of the luminance and that of contrast and structure."""
  c1 = (k1 * max_val) ** 2
  c2 = (k2 * max_val) ** 2
  mean0 = reducer(x)
  mean1 = reducer(y)
  num0 = mean0 * mean1 * 2.0
  den0 = gen.square(mean0) + gen.square(mean1)
  luminance = (num0 + c1) / (den0 + c1)
  num1 = reducer(x * y) * 2.0
  den1 = reducer(gen.square(x) + gen.square(y))
  c2 *= compensation
  return luminance, (num1 - num0 + c2) / (den1 - den0 + c2)


def _per_channel(img1, img2, max_val, filter_size, filter_sigma, k1, k2):
  from millrace.ops.control_flow import assertion
  from millrace.ops.math import reductions

  filter_size = constants.constant(filter_size, dtype=dtypes.int32)
  filter_sigma = constants.constant(filter_sigma, dtype=img1.dtype)
  shape1, shape2 = shapes.shape_n([img1, img2])
  checks = []
  for shape in (shape1, shape2):
    large = reductions.reduce_all(gen.greater_equal(shape[-3:-1], filter_size))
    checks.append(assertion.Assert(large, [shape, filter_size], summarize=8))
  with graph.control_dependencies(checks):
    img1 = identities.identity(img1)
  kernel = _gaussian(filter_size, filter_sigma)
  kernel = moving.tile(kernel, multiples=[1, 1, shape1[-1], 1])

  def reducer(x):
    shape = shapes.shape(x)
    x = shapes.reshape(x, joining.concat([[-1], shape[-3:]], 0))
    y = _depthwise(x, kernel)
    return shapes.reshape(y, joining.concat([shape[:-3], shapes.shape(y)[1:]], 0))

  luminance, structure = _similarity(img1, img2, reducer, max_val, 1.0, k1, k2)
  axes = constants.constant([-3, -2], dtype=dtypes.int32)
  return reductions.reduce_mean(luminance * structure, axes), reductions.reduce_mean(structure, axes)


def _prepared(img1, img2, max_val):
  """Returns two images and the largest value as floats, checked to go together, and the images' shapes."""
  from millrace.ops.math import casts

  img1 = convert.convert_to_tensor(img1, name="img1")
  img2 = convert.convert_to_tensor(img2, name="img2")
  shape1, shape2, checks = _check_alike(img1, img2)
  with graph.control_dependencies(checks):
    img1 = identities.identity(img1)
  max_val = casts.cast(max_val, img1.dtype)
  max_val = colors.convert_image_dtype(max_val, dtypes.float32)
  img1 = colors.convert_image_dtype(img1, dtypes.float32)
  img2 = colors.convert_image_dtype(img2, dtypes.float32)
  return img1, img2, max_val, shape1, shape2


def ssim(img1, img2, max_val, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03):
  """Returns the structural similarity of images, one number for each pair: 1 for equal ones.

  Args:
    img1: Images, of three dimensions or more.
    img2: Images.
    max_val: Their largest value.
    filter_size: Side of the window.
    filter_sigma: Width of the Gaussian in it.
    k1: Small, against division by zero.
    k2: Small, against division by zero.
  """
  from millrace.ops.math import reductions

  with graph.name_scope(None, "SSIM", [img1, img2]):
    img1, img2, max_val, _, _ = _prepared(img1, img2, max_val)
    per_channel, _ = _per_channel(img1, img2, max_val, filter_size, filter_sigma, k1, k2)
    return reductions.reduce_mean(per_channel, [-1])


def ssim_multiscale(
  img1,
  img2,
  max_val,
  power_factors=(0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
  filter_size=11,
  filter_sigma=1.5,
  k1=0.01,
  k2=0.03,
):
  """As `ssim`, over several scales, each half as large as the one before; `power_factors` are their weights."""
  from millrace.ops.math import binary, reductions

  with graph.name_scope(None, "MS-SSIM", [img1, img2]):
    img1, img2, max_val, shape1, shape2 = _prepared(img1, img2, max_val)
    images = [img1, img2]
    sizes = [shape1, shape2]
    heads = [size[:-3] for size in sizes]
    tails = [size[-3:] for size in sizes]
    divisor = [1, 2, 2, 1]
    divisor_tensor = constants.constant(divisor[1:], dtype=dtypes.int32)
    structures = []
    for scale in range(len(power_factors)):
      with graph.name_scope(None, f"Scale{scale}", images):
        if scale > 0:
          images, tails = _halved(images, heads, tails, divisor, divisor_tensor)
        per_channel, structure = _per_channel(*images, max_val, filter_size, filter_sigma, k1, k2)
        structures.append(gen.relu(structure))
    structures.pop()
    factors = joining.stack([*structures, gen.relu(per_channel)], axis=-1)
    product = reductions.reduce_prod(binary.pow(factors, power_factors), [-1])
    return reductions.reduce_mean(product, [-1])


def _halved(images, heads, tails, divisor, divisor_tensor):
  """Returns the images at half their size, padded before where it is odd, and the last part of their shapes."""
  from millrace.ops.control_flow import conditional
  from millrace.ops.math import reductions

  flat = [shapes.reshape(x, joining.concat([[-1], tail], 0)) for x, tail in zip(images, tails)]
  remainder = tails[0] % divisor_tensor

  def padded():
    padding = moving.pad(shapes.expand_dims(remainder, -1), [[1, 0], [1, 0]])
    return [moving.pad(x, padding, mode="SYMMETRIC") for x in flat]

  odd = reductions.reduce_any(gen.not_equal(remainder, 0))
  even = conditional.cond(odd, padded, lambda: flat)
  halves = [gen.avg_pool(x, ksize=divisor, strides=divisor, padding="VALID") for x in even]
  tails = [size[1:] for size in shapes.shape_n(halves)]
  images = [shapes.reshape(x, joining.concat([head, tail], 0)) for x, head, tail in zip(halves, heads, tails)]
  return images, tails
