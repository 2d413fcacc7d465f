"""Types, colours, brightness and contrast of images."""

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


def program_convert_image_dtype(tf):
  bytes_ = tf.constant(picture([2, 3, 3], np.uint8))
  floats = tf.constant(picture([2, 3, 3]) * 1.5 - 0.2)
  results = [
    tf.image.convert_image_dtype(bytes_, tf.float32),
    tf.image.convert_image_dtype(bytes_, tf.uint16, name="wide"),
    tf.image.convert_image_dtype(bytes_, tf.int16, saturate=True),
    tf.image.convert_image_dtype(bytes_, tf.uint8),
    tf.image.convert_image_dtype(tf.image.convert_image_dtype(bytes_, tf.uint16), tf.uint8),
    tf.image.convert_image_dtype(floats, tf.uint8, saturate=True, name="clipped"),
    tf.image.convert_image_dtype(floats, tf.float64),
    tf.image.convert_image_dtype(tf.abs(floats) / 2, tf.int32),
    tf.image.convert_image_dtype([1, 2], tf.float32),
  ]
  return caught(lambda: tf.image.convert_image_dtype(floats, tf.string)), run(tf, results)


def program_grayscale(tf):
  images = tf.constant(picture([2, 4, 5, 3]))
  gray = tf.image.rgb_to_grayscale(images)
  p = tf.placeholder(tf.float32, [None, None, 1])
  results = [
    gray,
    tf.image.rgb_to_grayscale(tf.constant(picture([4, 5, 3], np.uint8)), name="bytes"),
    tf.image.grayscale_to_rgb(gray),
    tf.image.grayscale_to_rgb(p, name="unknown"),
  ]
  error = caught(lambda: tf.image.grayscale_to_rgb(images))
  return error, run(tf, results, {p: picture([2, 2, 1])})


program_grayscale.rtol = 1e-5


def program_color_spaces(tf):
  image = tf.constant(picture([4, 5, 3]))
  double = tf.constant(picture([2, 4, 5, 3], np.float64))
  results = [
    tf.image.rgb_to_hsv(image, name="hsv"),
    tf.image.hsv_to_rgb(image, name="rgb"),
    tf.image.rgb_to_yiq(image),
    tf.image.yiq_to_rgb(image),
    tf.image.rgb_to_yuv(double),
    tf.image.yuv_to_rgb(double),
  ]
  return run(tf, results)


program_color_spaces.rtol = 1e-5


def program_adjust(tf):
  image = tf.constant(picture([2, 4, 5, 3]))
  bytes_ = tf.constant(picture([4, 5, 3], np.uint8))
  results = []
  for x in (image, bytes_):
    results += [
      tf.image.adjust_brightness(x, delta=0.2),
      tf.image.adjust_contrast(x, contrast_factor=1.5),
      tf.image.adjust_hue(x, 0.1, name="hue"),
      tf.image.adjust_saturation(x, saturation_factor=0.5, name="saturation"),
      tf.image.adjust_gamma(x),
      tf.image.adjust_gamma(x, gamma=0.5, gain=0.9),
    ]
  gamma = tf.placeholder(tf.float32, [])
  results.append(tf.image.adjust_gamma(image, gamma))
  errors = [
    caught(lambda: tf.image.adjust_gamma(image, -1)),
    caught(lambda: run(tf, results[-1], {gamma: -1.0})),
  ]
  return errors, run(tf, results, {gamma: 2.0})


program_adjust.rtol = 1e-4


def program_random_adjustments(tf):
  tf.set_random_seed(7)
  image = tf.constant(picture([4, 5, 3]))
  results = [
    tf.image.random_brightness(image, max_delta=0.3, seed=3),
    tf.image.random_contrast(image, 0.2, 1.8, seed=4),
    tf.image.random_hue(image, max_delta=0.2, seed=5),
    tf.image.random_saturation(image, lower=0.5, upper=1.5, seed=6),
    tf.image.random_brightness(image, 0.1),
  ]
  errors = [
    caught(lambda: tf.image.random_brightness(image, -0.1)),
    caught(lambda: tf.image.random_contrast(image, 1.0, 0.5)),
    caught(lambda: tf.image.random_contrast(image, -1.0, 0.5)),
    caught(lambda: tf.image.random_hue(image, 0.7)),
    caught(lambda: tf.image.random_saturation(image, 1.5, 0.5)),
  ]
  return errors, run(tf, results)


program_random_adjustments.rtol = 1e-4


def program_per_image_standardization(tf):
  p = tf.placeholder(tf.float32, [None, None, 3])
  batch = tf.placeholder(tf.float32, [None, 2, 3, 1])
  results = [
    tf.image.per_image_standardization(tf.constant(picture([4, 5, 3]))),
    tf.image.per_image_standardization(tf.constant(picture([2, 4, 5, 3], np.uint8))),
    tf.image.per_image_standardization(p),
    tf.image.per_image_standardization(batch),
    tf.image.per_image_standardization(tf.ones([2, 2, 1])),
  ]
  error = caught(lambda: tf.image.per_image_standardization(tf.zeros([3, 3])))
  return error, run(tf, results, {p: picture([3, 2, 3]), batch: picture([2, 2, 3, 1])})


program_per_image_standardization.rtol = 1e-3


def program_comparisons(tf):
  one = tf.constant(picture([2, 24, 26, 3]))
  two = tf.constant(np.clip(picture([2, 24, 26, 3]) + 0.1 * np.sin(np.arange(78).reshape(26, 3)), 0, 1).astype(np.float32))
  bytes_ = tf.constant(picture([20, 20, 1], np.uint8))
  results = [
    tf.image.psnr(one, two, max_val=1.0),
    tf.image.psnr(bytes_, bytes_ // 2, 255, name="ratio"),
    tf.image.ssim(one, two, 1.0),
    tf.image.ssim(bytes_, bytes_ // 2, 255, filter_size=7, filter_sigma=1.2, k1=0.02, k2=0.04),
    tf.image.ssim_multiscale(one, two, 1.0, power_factors=(0.4, 0.6), filter_size=5, filter_sigma=1.0, k1=0.02, k2=0.01),
    tf.image.total_variation(one),
    tf.image.total_variation(one[0], name="single"),
  ]
  errors = [
    caught(lambda: tf.image.psnr(one, tf.zeros([2, 24, 25, 3]), 1.0)),
    caught(lambda: tf.image.total_variation(tf.zeros([3, 3]))),
  ]
  return errors, run(tf, results)


program_comparisons.rtol = 2e-4


def program_edges(tf):
  images = tf.placeholder(tf.float32, [None, 4, 5, 2])
  down, right = tf.image.image_gradients(images)
  sobel = tf.image.sobel_edges(images)
  error = caught(lambda: tf.image.image_gradients(tf.zeros([4, 5, 3])))
  return [str(x.shape) for x in (down, right, sobel)], error, run(tf, [down, right, sobel], {images: picture([2, 4, 5, 2])})


program_edges.rtol = 1e-4


def program_augmentation(tf):
  """Prepares pictures for training as programs for CIFAR-10 do."""
  tf.set_random_seed(1)
  raw = tf.placeholder(tf.uint8, [32, 32, 3])
  image = tf.cast(raw, tf.float32)
  image = tf.random_crop(image, [24, 24, 3])
  image = tf.image.random_flip_left_right(image)
  image = tf.image.random_brightness(image, max_delta=63)
  image = tf.image.random_contrast(image, lower=0.2, upper=1.8)
  image = tf.image.per_image_standardization(image)
  image.set_shape([24, 24, 3])
  return run(tf, image, {raw: picture([32, 32, 3], np.uint8)})


program_augmentation.rtol = 1e-3
