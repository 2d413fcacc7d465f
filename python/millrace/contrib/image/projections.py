"""Projective transformations of images, as vectors of eight numbers.

[a0, a1, a2, b0, b1, b2, c0, c1] maps the point (x, y) of the result to that of the image with x' = (a0 x + a1 y + a2) / k and
y' = (b0 x + b1 y + b2) / k for k = c0 x + c1 y + 1.
"""

import millrace as tf
from millrace import gen
from millrace.framework import dtypes
from millrace.framework.graph import name_scope
from millrace.framework.tensor_values import constant_value

_TYPES = (dtypes.uint8, dtypes.int32, dtypes.int64, dtypes.float16, dtypes.float32, dtypes.float64)


def rotate(images, angles, interpolation="NEAREST", name=None):
  """Images turned by `angles` in radians, counterclockwise around their centers, one for all or one for each. Points from outside
  are 0; `interpolation` is "NEAREST" or "BILINEAR"."""
  with name_scope(name, "rotate"):
    images = tf.convert_to_tensor(images)
    with_batch = _with_batch(images)
    shape = tf.shape(with_batch)
    height, width = (tf.cast(shape[place], dtypes.float32) for place in (1, 2))
    result = transform(with_batch, angles_to_projective_transforms(angles, height, width), interpolation=interpolation)
    return _without_batch(result, images.get_shape().ndims)


def translate(images, translations, interpolation="NEAREST", name=None):
  """Images moved by `translations`, (dx, dy) for all or for each. Points from outside are 0."""
  with name_scope(name, "translate"):
    return transform(images, translations_to_projective_transforms(translations), interpolation=interpolation)


def transform(images, transforms, interpolation="NEAREST", output_shape=None, name=None):
  """Images under projective transformations, one for all or one for each; of [rows, columns], [rows, columns, channels] or a batch.

  `output_shape` is (rows, columns) of the result, by default the image's. Points from outside are 0.

  Raises:
    TypeError: for another type, and for images or transforms whose number of dimensions is not known or wrong.
  """
  with name_scope(name, "transform"):
    images = tf.convert_to_tensor(images, name="images")
    transforms = tf.convert_to_tensor(transforms, name="transforms", dtype=dtypes.float32)
    if images.dtype.base_dtype not in _TYPES:
      raise TypeError(f"Invalid dtype {images.dtype}.")
    with_batch = _with_batch(images)
    if output_shape is None:
      sizes = with_batch.get_shape()[1:3]
      output_shape = sizes.as_list() if sizes.is_fully_defined() else tf.shape(with_batch)[1:3]
    output_shape = tf.convert_to_tensor(output_shape, dtypes.int32, name="output_shape")
    if not output_shape.get_shape().is_compatible_with([2]):
      raise ValueError(f"output_shape must be a 1-D Tensor of 2 elements: new_height, new_width, instead got {output_shape}")
    if transforms.get_shape().ndims == 1:
      transforms = transforms[tf.newaxis]
    elif transforms.get_shape().ndims is None:
      raise TypeError("transforms rank must be statically known")
    elif transforms.get_shape().ndims != 2:
      raise TypeError("Transforms should have rank 1 or 2.")
    result = gen.image_projective_transform_v2(
      with_batch, output_shape=output_shape, transforms=transforms, interpolation=interpolation.upper()
    )
    known = constant_value(output_shape)
    rows, columns = (None, None) if known is None else (int(size) for size in known)
    shape = with_batch.get_shape()
    result.set_shape([shape[0], rows, columns, shape[3]])
    return _without_batch(result, images.get_shape().ndims)


def _with_batch(images):
  """Images as [count, rows, columns, channels]."""
  rank = images.get_shape().ndims
  if rank is None:
    raise TypeError("image rank must be statically known")
  if rank == 2:
    return images[tf.newaxis, :, :, tf.newaxis]
  if rank == 3:
    return images[tf.newaxis]
  if rank != 4:
    raise TypeError("Images should have rank between 2 and 4.")
  return images


def _without_batch(images, rank):
  if rank == 2:
    return images[0, :, :, 0]
  return images[0] if rank == 3 else images


def angles_to_projective_transforms(angles, image_height, image_width, name=None):
  """The transformations that turn images of a height and width counterclockwise around their centers by `angles` in radians.

  TypeError for angles whose number of dimensions is not known, or more than one.
  """
  with name_scope(name, "angles_to_projective_transforms"):
    angles = tf.convert_to_tensor(angles, dtype=dtypes.float32, name="angles")
    if angles.get_shape().ndims is None:
      raise TypeError("angles rank must be statically known")
    if angles.get_shape().ndims > 1:
      raise TypeError("Angles should have rank 0 or 1.")
    angles = tf.reshape(angles, [-1])
    sine, cosine = tf.sin(angles), tf.cos(angles)
    last_x, last_y = image_width - 1, image_height - 1
    x_offset = (last_x - (cosine * last_x - sine * last_y)) / 2.0
    y_offset = (last_y - (sine * last_x + cosine * last_y)) / 2.0
    zeros = tf.zeros_like(angles)
    return tf.stack([cosine, -sine, x_offset, sine, cosine, y_offset, zeros, zeros], axis=1)


def translations_to_projective_transforms(translations, name=None):
  """The transformations that move images by (dx, dy), a vector or a matrix with a row for each image.

  TypeError for another number of dimensions.
  """
  with name_scope(name, "translations_to_projective_transforms"):
    translations = tf.convert_to_tensor(translations, dtype=dtypes.float32, name="translations")
    if translations.get_shape().ndims is None:
      raise TypeError("translations rank must be statically known")
    if translations.get_shape().ndims == 1:
      translations = translations[tf.newaxis]
    elif translations.get_shape().ndims != 2:
      raise TypeError("Translations should have rank 1 or 2.")
    zeros = tf.zeros_like(translations[:, 0])
    ones = zeros + 1.0
    # A point of the result comes from where it was before the move.
    return tf.stack([ones, zeros, -translations[:, 0], zeros, ones, -translations[:, 1], zeros, zeros], axis=1)


def flat_transforms_to_matrices(transforms):
  """Transformations of eight numbers as matrices [count, 3, 3], whose last element is 1."""
  with name_scope("flat_transforms_to_matrices"):
    transforms = tf.convert_to_tensor(transforms, name="transforms")
    if transforms.get_shape().ndims not in (1, 2):
      raise ValueError(f"Transforms should be 1D or 2D, got: {transforms}")
    transforms = tf.reshape(transforms, [-1, 8])
    return tf.reshape(tf.concat([transforms, tf.ones_like(transforms[:, :1])], axis=1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices):
  """Matrices [count, 3, 3], or one, as transformations of eight numbers: divided by their last element."""
  with name_scope("matrices_to_flat_transforms"):
    matrices = tf.convert_to_tensor(transform_matrices, name="matrices")
    if matrices.get_shape().ndims not in (2, 3):
      raise ValueError(f"Matrices should be 2D or 3D, got: {matrices}")
    flat = tf.reshape(matrices, [-1, 9])
    return (flat / flat[:, 8:])[:, :8]


def compose_transforms(*transforms):
  """The transformation that is all of them, the first one applied first to the images."""
  if not transforms:
    raise ValueError("transforms cannot be empty")
  with name_scope("compose_transforms"):
    matrices = [flat_transforms_to_matrices(each) for each in transforms]
    result = matrices[0]
    for matrix in matrices[1:]:
      result = tf.matmul(result, matrix)
    return matrices_to_flat_transforms(result)
