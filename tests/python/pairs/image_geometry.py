"""Images resized, cropped, padded, flipped and turned."""

import numpy as np


def run(tf, fetches, feed=None):
  with tf.Session() as session:
    return session.run(fetches, feed)


def caught(function):
  """Returns the error that a function raises, or what it returns."""
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def picture(shape, dtype=np.float32):
  values = np.random.RandomState(3).uniform(size=shape)
  return (values * 255).astype(dtype) if np.issubdtype(dtype, np.integer) else values.astype(dtype)


def program_resize_images(tf):
  image = tf.constant(picture([4, 5, 3]))
  batch = tf.constant(picture([2, 4, 6, 1]))
  bytes_ = tf.constant(picture([2, 4, 5, 3], np.uint8))
  size = tf.placeholder(tf.int32, [2])
  p = tf.placeholder(tf.float32, [None, None, None, 2])
  method = tf.image.ResizeMethod
  results = [
    tf.image.resize_images(image, [8, 9]),
    tf.image.resize_images(batch, (3, 4), method.NEAREST_NEIGHBOR, True),
    tf.image.resize_images(batch, [3, 4], method=method.BICUBIC, align_corners=True),
    tf.image.resize_images(bytes_, [2, 2], method.AREA),
    tf.image.resize_images(image, [4, 5]),
    tf.image.resize_images(bytes_, [4, 5]),
    tf.image.resize_images(p, size, name="dynamic"),
    tf.image.resize_images(p, [6, 6], preserve_aspect_ratio=True),
    tf.image.resize(batch, [7, 3], method.BILINEAR),
    tf.image.resize_images(batch, [tf.constant(2), 3], 1),
  ]
  errors = [
    caught(lambda: tf.image.resize_images(batch, [8])),
    caught(lambda: tf.image.resize_images(tf.zeros([3, 3]), [8, 8])),
    caught(lambda: tf.image.resize_images(batch, [8, 8], method=9)),
    caught(lambda: tf.image.resize_images(tf.placeholder(tf.float32), [8, 8])),
    caught(lambda: tf.image.resize_images(batch, [2.5, 3.5])),
  ]
  shapes = [str(result.shape) for result in results]
  return shapes, errors, run(tf, results, {size: [2, 3], p: picture([1, 4, 8, 2])})


program_resize_images.rtol = 1e-4


def program_resize_ops(tf):
  images = tf.constant(picture([1, 4, 5, 2]))
  results = [
    tf.image.resize_area(images, [3, 7], align_corners=True, name="area"),
    tf.image.resize_bicubic(images, [3, 7], True, "cubic"),
    tf.image.resize_bicubic(images, [3, 7], half_pixel_centers=True),
    tf.image.resize_bilinear(images, [3, 7], True, "linear"),
    tf.image.resize_bilinear(images, [3, 7], half_pixel_centers=True),
    tf.image.resize_nearest_neighbor(images, [3, 7], align_corners=True, name="nearest"),
    tf.image.resize_nearest_neighbor(images, [3, 7], half_pixel_centers=True),
  ]
  return run(tf, results)


program_resize_ops.rtol = 1e-4


def program_crop_or_pad(tf):
  image = tf.constant(picture([4, 6, 3]))
  batch = tf.constant(picture([2, 5, 3, 1]))
  p = tf.placeholder(tf.float32, [None, None, 2])
  unknown = tf.placeholder(tf.float32)
  height = tf.placeholder(tf.int32, [])
  results = [
    tf.image.resize_image_with_crop_or_pad(image, 2, 8),
    tf.image.resize_image_with_crop_or_pad(batch, 8, 2),
    tf.image.resize_image_with_crop_or_pad(p, 3, 3),
    tf.image.resize_image_with_crop_or_pad(unknown, 2, 3),
    tf.image.resize_image_with_crop_or_pad(image, height, 5),
    tf.image.resize_with_crop_or_pad(image, target_height=4, target_width=6),
  ]
  errors = [
    caught(lambda: tf.image.resize_image_with_crop_or_pad(image, 0, 5)),
    caught(lambda: tf.image.resize_image_with_crop_or_pad(tf.zeros([3, 3]), 2, 2)),
  ]
  shapes = [str(result.shape) for result in results]
  return shapes, errors, run(tf, results, {p: picture([2, 5, 2]), unknown: picture([3, 2, 1]), height: 7})


def program_resize_image_with_pad(tf):
  """Inner nodes see static shapes in TensorFlow that come from folding constants."""
  image = tf.constant(picture([4, 6, 3]))
  batch = tf.constant(picture([2, 5, 3, 1]))
  p = tf.placeholder(tf.float32, [None, None, 2])
  results = [
    tf.image.resize_image_with_pad(image, 8, 8),
    tf.image.resize_image_with_pad(batch, 4, 6, tf.image.ResizeMethod.NEAREST_NEIGHBOR, align_corners=True),
    tf.image.resize_image_with_pad(p, 3, 5, method=tf.image.ResizeMethod.AREA),
  ]
  return run(tf, results, {p: picture([4, 4, 2])})


program_resize_image_with_pad.values_only = True
program_resize_image_with_pad.rtol = 1e-4


def program_bounding_boxes(tf):
  image = tf.constant(picture([4, 6, 3]))
  batch = tf.constant(picture([2, 5, 3, 1]))
  p = tf.placeholder(tf.float32, [None, None, 2])
  offset = tf.placeholder(tf.int32, [])
  results = [
    tf.image.crop_to_bounding_box(image, 1, 2, 2, 3),
    tf.image.crop_to_bounding_box(batch, offset_height=0, offset_width=1, target_height=5, target_width=2),
    tf.image.crop_to_bounding_box(p, offset, 0, 2, 2),
    tf.image.pad_to_bounding_box(image, 1, 2, 7, 9),
    tf.image.pad_to_bounding_box(batch, offset_height=0, offset_width=0, target_height=6, target_width=3),
    tf.image.pad_to_bounding_box(p, offset, 1, 8, 8),
  ]
  errors = [
    caught(lambda: tf.image.crop_to_bounding_box(image, 3, 0, 2, 3)),
    caught(lambda: tf.image.crop_to_bounding_box(image, -1, 0, 2, 3)),
    caught(lambda: tf.image.crop_to_bounding_box(image, 0, 0, 0, 3)),
    caught(lambda: tf.image.pad_to_bounding_box(image, 0, 0, 3, 9)),
    caught(lambda: tf.image.pad_to_bounding_box(image, 0, -1, 9, 9)),
    caught(lambda: tf.image.crop_to_bounding_box(tf.zeros([3, 3]), 0, 0, 1, 1)),
    caught(lambda: run(tf, results[2], {p: picture([2, 2, 2]), offset: 1})),
  ]
  return [str(result.shape) for result in results], errors, run(tf, results, {p: picture([4, 4, 2]), offset: 1})


def program_central_crop(tf):
  image = tf.constant(picture([5, 6, 3]))
  p = tf.placeholder(tf.float32, [None, None, 3])
  batch = tf.placeholder(tf.float32, [None, 4, None, 1])
  results = [
    tf.image.central_crop(image, 0.5),
    tf.image.central_crop(image, central_fraction=1.0),
    tf.image.central_crop(p, 0.6),
    tf.image.central_crop(batch, 0.5),
  ]
  errors = [caught(lambda: tf.image.central_crop(image, 0.0)), caught(lambda: tf.image.central_crop(image, 1.5))]
  feed = {p: picture([5, 8, 3]), batch: picture([2, 4, 6, 1])}
  return [str(result.shape) for result in results], errors, run(tf, results, feed)


def program_flip_and_turn(tf):
  image = tf.constant(picture([2, 3, 2]))
  batch = tf.constant(picture([2, 2, 3, 1]))
  unknown = tf.placeholder(tf.float32)
  k = tf.placeholder(tf.int32, [])
  results = [
    tf.image.flip_left_right(image),
    tf.image.flip_left_right(batch),
    tf.image.flip_up_down(image),
    tf.image.flip_up_down(unknown),
    tf.image.rot90(image),
    tf.image.rot90(image, 2),
    tf.image.rot90(batch, k=3, name="turned"),
    tf.image.rot90(batch, k),
    tf.image.transpose_image(image),
    tf.image.transpose(batch, name="swapped"),
  ]
  error = caught(lambda: tf.image.flip_up_down(tf.zeros([2, 3])))
  return [str(result.shape) for result in results], error, run(tf, results, {unknown: picture([2, 3, 1]), k: 5})


def program_random_flips(tf):
  tf.set_random_seed(5)
  image = tf.constant(picture([2, 3, 2]))
  batch = tf.placeholder(tf.float32, [None, 2, 3, 1])
  results = []
  for seed in range(4):
    results += [
      tf.image.random_flip_left_right(image, seed=seed),
      tf.image.random_flip_up_down(image, seed=seed),
      tf.image.random_flip_left_right(batch, seed),
      tf.image.random_flip_up_down(batch),
    ]
  return [str(result.shape) for result in results], run(tf, results, {batch: picture([3, 2, 3, 1])})


def program_random_crop(tf):
  tf.set_random_seed(5)
  image = tf.constant(picture([5, 6, 3]))
  p = tf.placeholder(tf.float32, [None, None, 1])
  results = [
    tf.image.random_crop(image, [2, 3, 3]),
    tf.image.random_crop(p, size=[2, 2, 1], seed=4, name="crop"),
  ]
  wrong = caught(lambda: run(tf, results[1], {p: picture([1, 2, 1])}))
  return wrong, run(tf, results, {p: picture([3, 4, 1])})


def program_rotations_of_a_batch(tf):
  """All eight symmetries of a picture, averaged, as predictions at test time are."""
  image = tf.placeholder(tf.float32, [None, None, 1])
  turned = [tf.image.rot90(image, k) for k in range(4)]
  mirrored = [tf.image.flip_left_right(x) for x in turned]
  square = [tf.image.resize_image_with_crop_or_pad(x, 3, 3) for x in turned + mirrored]
  return run(tf, [tf.reduce_mean(tf.stack(square), 0), tf.shape(turned[1])], {image: picture([3, 4, 1])})


program_rotations_of_a_batch.rtol = 1e-5
