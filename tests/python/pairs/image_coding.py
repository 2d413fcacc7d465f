"""Images as files, decoded and encoded."""

import os
import tempfile

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


def smooth(height, width, channels):
  y, x, c = np.mgrid[0:height, 0:width, 0:channels]
  return (np.sin(y / 3.0) * 60 + np.cos(x / 4.0) * 50 + c * 20 + 120).astype(np.uint8)


def program_png(tf):
  image = tf.constant(smooth(4, 5, 3))
  wide = tf.constant(smooth(4, 5, 1).astype(np.uint16) * 200)
  content = tf.image.encode_png(image)
  results = [
    tf.image.decode_png(content),
    tf.image.decode_png(tf.image.encode_png(image, compression=9, name="small"), channels=1),
    tf.image.decode_png(tf.image.encode_png(wide), channels=1, dtype=tf.uint16, name="wide"),
    tf.io.decode_png(content, channels=4),
    tf.image.decode_image(content),
    tf.io.decode_image(content, channels=3, dtype=tf.float32, name="floats", expand_animations=False),
    tf.image.decode_image(content, dtype=tf.float64),
  ]
  wrong = caught(lambda: run(tf, tf.image.decode_png("no picture")))
  return [str(result.shape) for result in results], wrong, run(tf, results)


program_png.rtol = 1e-6


def program_jpeg(tf):
  image = tf.constant(smooth(16, 16, 3))
  content = tf.image.encode_jpeg(image, quality=90)
  other = tf.io.encode_jpeg(
    image,
    format="rgb",
    quality=80,
    progressive=True,
    optimize_size=True,
    chroma_downsampling=False,
    density_unit="cm",
    x_density=100,
    y_density=200,
    xmp_metadata="x",
    name="other",
  )
  results = [
    tf.image.decode_jpeg(content),
    tf.image.decode_jpeg(content, channels=1, ratio=2, fancy_upscaling=False, dct_method="INTEGER_FAST", name="half"),
    tf.image.decode_jpeg(other, try_recover_truncated=True, acceptable_fraction=0.5),
    tf.io.decode_jpeg(content, channels=3, dct_method="INTEGER_ACCURATE"),
    tf.image.decode_and_crop_jpeg(content, [2, 3, 4, 5], channels=3, dct_method="INTEGER_ACCURATE", name="crop"),
    tf.io.decode_and_crop_jpeg(
      content, [0, 0, 8, 8], ratio=1, fancy_upscaling=False, try_recover_truncated=True, acceptable_fraction=0.5
    ),
    tf.image.extract_jpeg_shape(content),
    tf.io.extract_jpeg_shape(content, output_type=tf.int64, name="shape"),
    tf.image.is_jpeg(content),
    tf.io.is_jpeg(b"abcd", name="no"),
    tf.image.adjust_jpeg_quality(image, 40),
    tf.image.adjust_jpeg_quality(tf.image.convert_image_dtype(image, tf.float32), tf.constant(60)),
  ]
  return [str(result.shape) for result in results], [np.round(np.float64(x) / 12) for x in run(tf, results)][6:10]


def program_jpeg_values(tf):
  """Decoded pixels agree within the differences of two libraries."""
  image = smooth(16, 16, 3)
  content = tf.image.encode_jpeg(tf.constant(image), quality=95)
  decoded = tf.image.decode_jpeg(content, dct_method="INTEGER_ACCURATE")
  poor = tf.image.adjust_jpeg_quality(tf.constant(image), 30)
  decoded, poor = run(tf, [decoded, poor])
  near = np.abs(decoded.astype(int) - image).max() < 12
  farther = np.abs(poor.astype(int) - image).mean() > np.abs(decoded.astype(int) - image).mean()
  return near, farther, decoded.shape


def program_random_jpeg_quality(tf):
  tf.set_random_seed(2)
  image = tf.constant(smooth(16, 16, 3))
  result = tf.image.random_jpeg_quality(image, min_jpeg_quality=20, max_jpeg_quality=90, seed=3)
  errors = [
    caught(lambda: tf.image.random_jpeg_quality(image, 50, 20)),
    caught(lambda: tf.image.random_jpeg_quality(image, -1, 20)),
  ]
  return errors, run(tf, tf.shape(result))


BMP = (
  b"BM"
  + bytes([70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24, 0])
  + bytes([0, 0, 0, 0, 16, 0, 0, 0, 19, 11, 0, 0, 19, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  + bytes([1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0])
)
GIF = b"GIF89a" + bytes([2, 0, 1, 0, 128, 0, 0, 255, 0, 0, 0, 0, 255, 44, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2, 2, 68, 10, 0, 59])


def program_bmp_and_gif(tf):
  results = [
    tf.image.decode_bmp(BMP),
    tf.io.decode_bmp(BMP, channels=3, name="bmp"),
    tf.image.decode_image(BMP, channels=3),
    tf.image.decode_gif(GIF, name="gif"),
    tf.io.decode_gif(GIF),
    tf.image.decode_image(GIF),
    tf.image.decode_image(GIF, expand_animations=False),
  ]
  return [str(result.shape) for result in results], run(tf, results)


def program_pictures_from_files(tf):
  """Writes pictures to files, finds them and reads them in order."""
  with tempfile.TemporaryDirectory() as folder:
    pattern = tf.placeholder(tf.string, [])
    name = tf.placeholder(tf.string, [])
    image = tf.placeholder(tf.uint8, [None, None, 3])
    write = tf.write_file(name, tf.image.encode_png(image))
    files = tf.matching_files(pattern)
    read = tf.image.decode_png(tf.read_file(name), channels=3)
    small = tf.image.resize_images(read, [2, 2])
    with tf.Session() as session:
      for index in range(3):
        session.run(write, {name: os.path.join(folder, "%d.png" % index), image: smooth(4, 6, 3) + index})
      found = session.run(files, {pattern: os.path.join(folder, "*.png")})
      names = [os.path.basename(path).decode() for path in found]
      return names, [session.run(small, {name: path}) for path in found]


program_pictures_from_files.rtol = 1e-5
